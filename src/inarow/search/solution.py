"""What a solver answers: the exact score of a position and of its moves, or that it gave up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inarow.game import Game, InputError
from inarow.game.notation import move_text
from inarow.game.report import Report, Reported


class NotSolved(InputError):  # noqa: N818 - said of the position, not of an error
    """A search was given up at its limit of nodes or of seconds.

    `bounds` says what it found out: for each position of the call, between which two scores its
    own lies.
    """

    def __init__(self, message: str, bounds: Sequence[tuple[int, int]] = ()) -> None:
        super().__init__(message)
        self.bounds = list(bounds)


@dataclass(frozen=True, repr=False)
class Solution(Reported):
    """What is known of a position that goes on, all of it for the side to move."""

    score: int  # as `solver` says
    value: int  # 1 wins, 0 draws, -1 loses
    moves: dict[int, int]  # for each legal move the score of playing it
    nodes: int  # positions the search went through
    game: Game | None = None  # whose moves they are

    def report(self) -> Report:
        """What is shown of it: the moves, the best first."""
        ends = {1: "wins", 0: "draws", -1: "loses"}
        moves = sorted(self.moves.items(), key=lambda move: -move[1])
        rows = [
            (
                str(move) if self.game is None else move_text(self.game, move),
                f"{score:+d}" if score else "0",
                ends[(score > 0) - (score < 0)],
            )
            for move, score in moves
        ]
        for_whom = {1: "a win", 0: "a draw", -1: "a loss"}[self.value]
        title = f"Score {self.score:+d}: {for_whom} for the side to move"
        return Report(title, ("move", "score", "result"), rows)
