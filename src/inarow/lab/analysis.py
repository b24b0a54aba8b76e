"""A game analysed move by move: the value of each, which were mistakes, what was better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from html import escape

from inarow.game import Game, InputError, Outcome, Position
from inarow.game import game as game_of
from inarow.game.notation import move_text
from inarow.game.records import Record
from inarow.game.text import SYMBOLS
from inarow.lab.bounds import UNKNOWN, Bounds, Budget, MoveBounds, bound_moves

SECONDS = 5.0  # for each position
RESULTS = {1: "win", 0: "draw", -1: "loss"}
MARKS = {2: "??", 1: "?"}  # by how much of the value a move gives away, as in chess
SLOWER = "?!"  # keeps the value, and takes longer to win or less long to lose

Progress = Callable[[int], None]  # called with the number of positions just finished


@dataclass(frozen=True)
class AnalysedMove:
    """A move that was played, and what is proven of it, seen by the side that played it."""

    ply: int  # counted from 1
    player: int  # 1 or 2
    move: str
    value: Bounds  # of this move
    best_value: Bounds  # of the position before it: that of the best move
    best: tuple[str, ...]  # the best moves, as far as they are known
    by: tuple[str, ...]  # what found it

    @property
    def cost(self) -> int:
        """What it gives away for certain: 2 a win for a loss, 1 half of that, 0 nothing known."""
        return max(0, self.best_value.low - self.value.high)

    @property
    def delay(self) -> int:
        """By how many stones it wins later, or loses sooner, than the best move of that value."""
        mine, best = self.value, self.best_value
        if self.cost or mine.stones is None or best.stones is None:
            return 0
        return abs(mine.stones - best.stones)

    @property
    def mark(self) -> str:
        """`??`, `?`, `?!` or nothing, as annotators of chess write them."""
        return MARKS.get(self.cost, SLOWER if self.delay else "")

    @property
    def comment(self) -> str:
        """What it costs, and what would have been better; nothing for a good move."""
        better = ", ".join(self.best[:4]) + (" ..." if len(self.best) > 4 else "")
        verb = str(self.best_value)
        if len(self.best) > 1:
            verb = verb.replace("wins", "win").replace("draws", "draw").replace("loses", "lose")
        instead = f"; {better} {verb}" if better else ""
        if self.cost and self.value.exact and self.best_value.exact:
            given, kept = RESULTS[self.best_value.low], RESULTS[self.value.high]
            return f"a {given} becomes a {kept}{instead}"
        if self.cost:
            given = RESULTS[self.best_value.low]
            return f"gives a {given} away{instead}"
        if self.delay:
            when = "later" if self.value.low > 0 else "sooner"
            return f"{self.delay} stones {when}{instead}"
        return ""

    def as_json(self) -> dict[str, object]:
        """For programs."""
        return {
            "ply": self.ply,
            "player": self.player,
            "move": self.move,
            **self.value.as_json(),
            "best_moves": list(self.best),
            "best": self.best_value.as_json(),
            "cost": self.cost,
            "delay": self.delay,
            "mark": self.mark,
            "by": list(self.by),
        }


@dataclass(frozen=True)
class Analysis:
    """A game, move by move. Printed, it is a table and a graph; a notebook draws it."""

    game: Game
    moves: tuple[AnalysedMove, ...]
    position: Position  # the last one
    ahead: MoveBounds | None  # what is known of the last position; None if the game is over
    players: tuple[str, str] | None = None  # their names, where a record has them
    result: str | None = None  # as the record has it

    @property
    def start(self) -> int:
        """The stones that lay on the board before the first move that was analysed."""
        return self.position.ply - len(self.moves)

    @property
    def mistakes(self) -> list[AnalysedMove]:
        """The moves that gave some of the value away for certain."""
        return [move for move in self.moves if move.cost]

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended; None if it did not."""
        return self.position.outcome

    @property
    def unknown(self) -> int:
        """How many of the moves have no exact value."""
        return sum(not move.value.exact for move in self.moves)

    @property
    def values(self) -> list[Bounds]:
        """The value of every position to the first player, from the first analysed to the last."""
        own = [move.best_value for move in self.moves]
        if self.ahead is not None:
            own.append(self.ahead.position)
        turned = [b if ply % 2 == 0 else b.turned(0) for ply, b in enumerate(own, self.start)]
        if self.outcome is not None:
            winner = {1: 1, 2: -1, None: 0}[self.outcome.winner]
            turned.append(Bounds(winner, winner))
        return turned

    @property
    def best_ahead(self) -> list[str]:
        """The best moves of the last position, as far as they are known."""
        found = self.ahead.best if self.ahead is not None else []
        return [move_text(self.game, move) for move in found]

    def text(self, width: int = 80) -> str:
        """The table and the graph, for a terminal of so many columns."""
        from inarow.lab.analysis_text import analysis_text

        return analysis_text(self, width)

    def as_json(self) -> dict[str, object]:
        """For programs."""
        ahead = None
        if self.ahead is not None:
            moves = {move_text(self.game, m): b.as_json() for m, b in self.ahead.moves.items()}
            ahead = {
                "player": self.position.to_move,
                **self.ahead.position.as_json(),
                "best_moves": self.best_ahead,
                "moves": moves,
            }
        return {
            "game": self.game.name,
            "position": self.position.notation,
            "players": None if self.players is None else list(self.players),
            "outcome": None if self.outcome is None else self.outcome.value,
            "moves": [move.as_json() for move in self.moves],
            "mistakes": [move.ply for move in self.mistakes],
            "ahead": ahead,
        }

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        number = len(self.mistakes)
        return (
            f"<analysis of {self.game.name} {self.position.notation!r}: {len(self.moves)} moves, "
            f"{number} mistake{'' if number == 1 else 's'}>"
        )

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from inarow.lab.analysis_text import graph_svg, headline, summary

        rows = "".join(
            f"<tr><td>{m.ply}</td><td>{SYMBOLS[m.player]}</td><td>{escape(m.move)} {m.mark}</td>"
            f"<td>{m.value}</td><td style='text-align:left'>{escape(m.comment)}</td></tr>"
            for m in self.moves
        )
        head = "<tr><th></th><th></th><th>move</th><th>value</th><th></th></tr>"
        said = "<br>".join(escape(line) for line in summary(self))
        return (
            f"<p><b>{escape(headline(self))}</b></p>{graph_svg(self)}"
            f"<table>{head}{rows}</table><p>{said}</p>"
        )


def analyse(
    game: str | Game | Position | Record,
    moves: str = "",
    seconds: float = SECONDS,
    progress: Progress = lambda positions: None,
) -> Analysis:
    """Every move of a game with its exact value, if that can be found in time.

    The game is given by its name and moves, as a position that was played to, or as a record.
    `seconds` is the time limit for one position.
    """
    position, players, result = _given(game, moves)
    work = Analyser(position, seconds, game.set_up if isinstance(game, Record) else 0)
    while work.left:
        work.step()
        progress(1)
    return replace(work.analysis(), players=players, result=result)


class Analyser:
    """Analyses a game one position at a time, for whoever has other things to do in between.

    The last positions come first: they are the easiest, and what is found out of them is known of
    those before. `since` is the number of stones from which on the moves are looked at.
    """

    def __init__(self, position: Position, seconds: float, since: int = 0) -> None:
        self.position, self.seconds, self.since = position.copy(), seconds, since
        self._place = position.copy()
        self._ahead: MoveBounds | None = None
        self._after = UNKNOWN
        self._found = list[AnalysedMove]()  # the last one first
        self.left = max(0, position.ply - since) + (position.outcome is None)  # positions

    def step(self) -> None:
        """Looks at one more position."""
        place, budget = self._place, Budget(self.seconds)
        if self.position.outcome is None and self._ahead is None:
            self._ahead = bound_moves(place, budget)
            self._after = self._ahead.position
        else:
            move = place.pop()
            known = bound_moves(place, budget, {move: self._after.turned()})
            self._after = known.position
            self._found.append(_analysed(place, move, known))
        self.left -= 1

    def analysis(self) -> Analysis:
        """All that was found out."""
        moves, after = _known_from_before(self._found[::-1])
        ahead = self._ahead and replace(self._ahead, whole=self._ahead.whole.meet(after))
        return Analysis(self.position.game, tuple(moves), self.position, ahead)


def _analysed(place: Position, move: int, known: MoveBounds) -> AnalysedMove:
    """A move of the game, by what is known of the position before it."""
    return AnalysedMove(
        ply=place.ply + 1,
        player=place.to_move,
        move=move_text(place.game, move),
        value=known.moves[move],
        best_value=known.position,
        best=tuple(move_text(place.game, best) for best in known.best),
        by=known.by,
    )


def _known_from_before(moves: list[AnalysedMove]) -> tuple[list[AnalysedMove], Bounds]:
    """What an earlier move says of later ones: its value is that of the position after it.

    And no move has a higher value than its position. Also what follows for the last position.
    """
    found, after = list[AnalysedMove](), UNKNOWN
    for move in moves:
        best = move.best_value.meet(after)
        value = move.value.meet(Bounds(-1, best.high))
        found.append(replace(move, best_value=best, value=value))
        after = value.turned(-1)
    return found, after


def _given(
    game: str | Game | Position | Record, moves: str
) -> tuple[Position, tuple[str, str] | None, str | None]:
    """The last position of a game, its players and its result."""
    if isinstance(game, Position | Record) and moves:
        raise InputError("a position and a record have their moves: give moves to a game only")
    if isinstance(game, Record):
        return game.position, (game.first, game.second), game.result
    position = game.copy() if isinstance(game, Position) else game_of(game).position(moves)
    return position, None, None
