"""Where nothing can be proven: a game that beats the player, if a search finds one."""

from __future__ import annotations

from dataclasses import dataclass

from inarow.engine.streams import EVALUATION, make_stream
from inarow.game import Game, Position
from inarow.game.report import Report, Reported
from inarow.lab.match import play_one
from inarow.lab.observe import unproven
from inarow.lab.player_protocols import AnyPlayer, bind_player, name_of
from inarow.search.minimax import Minimax

DEPTHS = (2, 4, 6)  # of the minimax players that try
TRIES = 5  # games for each, since some players are stochastic


@dataclass(frozen=True, repr=False)
class Refutations(Reported):
    """Games that a player was seen to lose: not a proof of anything else."""

    game: Game
    player: str
    seed: int
    lines: dict[str, str | None]  # by the player's side: a game that it lost
    tried: int  # games in all

    def report(self) -> Report:
        """What is shown of it."""
        none = "no minimax player beat it in the games tried, which proves nothing."
        notes = [
            f"As {side}: {none if line is None else f'it lost {line}'}"
            for side, line in self.lines.items()
        ]
        notes.append(f"{self.tried} games tried, seed {self.seed}.")
        return Report(f"{self.player} in {self.game.name}: not provable here.", notes=notes)

    def as_json(self) -> dict[str, object]:
        """For programs."""
        return {
            **unproven(self.game, self.player, "search", self.seed),
            "refutations": self.lines,
            "games_tried": self.tried,
        }


def refute(some_player: AnyPlayer, game: Game, seed: int) -> Refutations:
    """Lets minimax of growing depth try to beat the player, on both sides."""
    lines: dict[str, str | None] = {}
    tried = 0
    for side, name in enumerate(("first", "second")):
        best: Position | None = None
        for depth in DEPTHS:
            for attempt in range(TRIES):
                stream = make_stream(seed, EVALUATION, side, depth, attempt)
                own = bind_player(some_player, game, stream)
                position = play_one(game, [own, Minimax(depth)][:: -1 if side else 1])
                tried += 1
                lost = position.outcome is not None and position.outcome.winner == 2 - side
                if lost and (best is None or position.ply < best.ply):
                    best = position
        lines[name] = None if best is None else best.notation
    return Refutations(game, name_of(some_player), seed, lines, tried)
