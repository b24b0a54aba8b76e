"""A game analysed move by move: the value of each, which were mistakes, what was better."""

from __future__ import annotations

import textwrap
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from html import escape

from inarow.engine.clock import Stopwatch
from inarow.game import Game, InputError, Outcome, Position
from inarow.game import game as game_of
from inarow.game.drawing import SYMBOLS
from inarow.game.position import SIDES, move_text
from inarow.game.progress import Progress, mute
from inarow.game.records import Record
from inarow.lab.values.move_values import (
    UNKNOWN,
    Bounds,
    Budget,
    Exact,
    MoveBounds,
    Verdict,
    bound_moves,
    default_opponent,
    exact,
)
from inarow.learn.agent import LearnedAgent
from inarow.search.opening_book import shipped_book

SECONDS = 5.0  # for each position
RESULTS = {1: "win", 0: "draw", -1: "loss"}
MARKS = {2: "??", 1: "?"}  # by how much of the value a move gives away, as in chess
SLOWER = "?!"  # keeps the value, and takes longer to win or less long to lose


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
        """What the move surely gives away: 2 a win for a loss, 1 half of that, 0 nothing known."""
        return max(0, self.best_value.low - self.value.high)

    @property
    def delay(self) -> int:
        """By how many stones the move wins later, or loses sooner, than the best of that value."""
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
        """What the move costs, and what would have been better; nothing for a good move."""
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
        """Return the result as JSON data."""
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
        """Return the table and the graph, for a terminal of so many columns."""
        return analysis_text(self, width)

    def as_json(self) -> dict[str, object]:
        """Return the result as JSON data."""
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
        """Return what a notebook shows."""
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
    progress: Progress = mute,  # told the positions just finished
) -> Analysis:
    """Find the exact value of every move of a game, where that can be done in time.

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
        self._found = list[tuple[Position, int, MoveBounds]]()  # of the last move first
        self.left = max(0, position.ply - since) + (position.outcome is None)  # positions

    def step(self) -> None:
        """Look at one more position."""
        place, budget = self._place, Budget(self.seconds)
        if self.position.outcome is None and self._ahead is None:
            self._ahead = bound_moves(place, budget)
            self._after = self._ahead.position
        else:
            move = place.pop()
            known = bound_moves(place, budget, {move: self._after.turned()})
            self._after = known.position
            self._found.append((place.copy(), move, known))
        self.left -= 1

    def analysis(self) -> Analysis:
        """Return all that was found out.

        An earlier move tells of later positions: its value is that of the position after it.
        """
        moves, after = list[AnalysedMove](), UNKNOWN
        for place, move, known in reversed(self._found):
            moves.append(_analysed(place, move, known.meet(after)))
            after = moves[-1].value.turned(-1)
        ahead = self._ahead and self._ahead.meet(after)
        return Analysis(self.position.game, tuple(moves), self.position, ahead)


def _analysed(place: Position, move: int, known: MoveBounds) -> AnalysedMove:
    """Return a move of the game, by what is known of the position before it."""
    best_value = known.position
    return AnalysedMove(
        ply=place.ply + 1,
        player=place.to_move,
        move=move_text(place.game, move),
        value=known.moves[move].meet(Bounds(high=best_value.high)),  # no move is worth more
        best_value=best_value,
        best=tuple(move_text(place.game, best) for best in known.best),
        by=known.by,
    )


def _given(
    game: str | Game | Position | Record, moves: str
) -> tuple[Position, tuple[str, str] | None, str | None]:
    """Return the last position of a game, its players and its result."""
    if isinstance(game, Position | Record) and moves:
        raise InputError("a position and a record have their moves: give moves to a game only")
    if isinstance(game, Record):
        return game.position, (game.first, game.second), game.result
    position = game.copy() if isinstance(game, Position) else game_of(game).position(moves)
    return position, None, None


# An analysis for people: a table of moves, a graph of the game, what follows from them.

LEVELS = {1: f"{SYMBOLS[1]} wins", 0: "draw", -1: f"{SYMBOLS[2]} wins"}
SURE, OPEN = "#", ":"  # a value in the graph, and where it may lie
LABELS = 9  # columns before the graph
STEP, BAND = 12, 26  # of the picture, in pixels


def analysis_text(analysis: Analysis, width: int = 80) -> str:
    """Return all of an analysis in lines of at most so many characters."""
    lines = _wrapped(headline(analysis), width)
    if analysis.moves:
        lines += ["", *_table(analysis, width), "", *graph(analysis, width)]
    lines += ["", *(line for text in summary(analysis) for line in _wrapped(text, width))]
    return "\n".join(lines)


def headline(analysis: Analysis) -> str:
    """Return what was played, and how it ended."""
    number = len(analysis.moves)
    who = ""
    if analysis.players is not None:
        who = f", {analysis.players[0]} ({SYMBOLS[1]}) - {analysis.players[1]} ({SYMBOLS[2]})"
    end = "not over"
    if analysis.outcome is not None:
        winner = analysis.outcome.winner
        end = "a draw" if winner is None else f"{SYMBOLS[winner]} wins"
    elif analysis.result in ("1-0", "0-1"):
        end = f"{SYMBOLS[1 if analysis.result == '1-0' else 2]} wins, by resignation"
    return f"{analysis.game.name}{who}: {number} move{'' if number == 1 else 's'}, {end}."


def summary(analysis: Analysis, listed: bool = True) -> list[str]:
    """Say who made mistakes, which if they are `listed`, what is best now, how it is known."""
    lines = []
    for player in (1, 2):
        wrong = [move for move in analysis.mistakes if move.player == player]
        which = ", ".join(f"{move.ply}. {move.move}{move.mark}" for move in wrong)
        if any(move.player == player for move in analysis.moves):
            some = f"{len(wrong)} mistake{'' if len(wrong) == 1 else 's'}"
            some += f" ({which})" if listed else ""
            unsure = any(m.player == player and _may_be_wrong(m) for m in analysis.moves)
            none = "no mistake found" if unsure else "no mistakes"
            lines.append(f"{SYMBOLS[player]}: {some if wrong else none}.")
    if analysis.ahead is not None:
        mover, best = SYMBOLS[analysis.position.to_move], ", ".join(analysis.best_ahead)
        said = analysis.ahead.position
        how = f": {best}" if best and said.low > -1 else ""
        lines.append(f"{mover} to move: {said}{how}.")
    if analysis.unknown:
        have = "has" if analysis.unknown == 1 else "have"
        lines.append(
            f"{analysis.unknown} of {len(analysis.moves)} moves {have} no exact value: more "
            "seconds may find it."
        )
    sources = dict.fromkeys(by for move in analysis.moves for by in move.by)
    if sources:
        lines.append(f"Values by {', '.join(sources)}.")
    return lines


def _may_be_wrong(move: AnalysedMove) -> bool:
    """Return whether it is not known that a move keeps the value."""
    return not move.cost and move.value.low < move.best_value.high


def _table(analysis: Analysis, width: int) -> list[str]:
    """Return a line for each move, and a further one for a comment that does not fit in it."""
    moves = [f"{move.move}{' ' if move.mark else ''}{move.mark}" for move in analysis.moves]
    values = [str(move.value) for move in analysis.moves]
    wide = max(map(len, moves)), max(map(len, values)), len(str(len(moves)))
    lines = []
    for move, text, value in zip(analysis.moves, moves, values, strict=True):
        start = f"{move.ply:>{wide[2] + 1}}  {SYMBOLS[move.player]}  {text:<{wide[0]}}  "
        line = f"{start}{value:<{wide[1]}}  "
        room = width - len(line)
        if len(move.comment) <= room:
            lines.append(f"{line}{move.comment}".rstrip())
        else:
            lines.append(line.rstrip())
            indent = " " * (len(line) if room >= 30 else len(start))
            lines += textwrap.wrap(
                move.comment, width, initial_indent=indent, subsequent_indent=indent
            )
    return lines


def graph(analysis: Analysis, width: int = 80) -> list[str]:
    """Return the value of every position by the number of stones, with the mistakes below."""
    values = dict(enumerate(analysis.values, analysis.start))
    pitch = 2 if LABELS + 2 * len(values) <= width else 1
    across = (width - LABELS) // pitch
    marks = {move.ply: move.mark[0] for move in analysis.mistakes}
    lines: list[str] = []
    end = analysis.start + len(values)
    for start in range(analysis.start, end, across):
        places = range(start, min(start + across, end))
        for level, name in LEVELS.items():
            row = (_sign_at(values[place], level).ljust(pitch) for place in places)
            lines.append(f"{name:>{LABELS - 2}} |{''.join(row)}".rstrip())
        wrong = "".join(marks.get(place, " ").ljust(pitch) for place in places)
        if wrong.strip():
            lines.append(f"{'mistake':>{LABELS - 2}}  {wrong}".rstrip())
        lines.append(f"{'stones':>{LABELS - 2}}  {_scale(places, pitch)}".rstrip())
    return lines


def _sign_at(bounds: Bounds, level: int) -> str:
    if not bounds.low <= level <= bounds.high:
        return " "
    return SURE if bounds.exact else OPEN


def _scale(places: range, pitch: int) -> str:
    """Return every fifth number of stones below its place."""
    scale = ""
    for place in places:
        if place % 5 == 0 and len(scale) <= (place - places[0]) * pitch:
            scale = scale.ljust((place - places[0]) * pitch) + str(place)
    return scale


def graph_svg(analysis: Analysis) -> str:
    """Return the graph of the game as a picture."""
    values = analysis.values
    width, height = 70 + STEP * len(values), 3 * BAND + 20
    start = analysis.start
    marks = {move.ply for move in analysis.mistakes}
    parts = [
        f'<text x="60" y="{(1 - level) * BAND + BAND // 2 + 4}" text-anchor="end">{name}</text>'
        for level, name in LEVELS.items()
    ]
    for place, bounds in enumerate(values, start):
        x, top = 66 + STEP * (place - start), (1 - bounds.high) * BAND
        tall = (bounds.high - bounds.low + 1) * BAND
        shade = "#c0392b" if place in marks else "#3465a4"
        fill = f'fill="{shade}"' if bounds.exact else f'fill="{shade}" fill-opacity="0.15"'
        said = f"after {place} moves: {_said(bounds)}"
        parts.append(
            f'<rect x="{x}" y="{top + 3}" width="{STEP - 3}" height="{tall - 6}" {fill} '
            f'data-ply="{place - (place in marks)}">'
            f"<title>{said}</title></rect>"
        )
        if place % 5 == 0:
            parts.append(f'<text x="{x}" y="{3 * BAND + 14}">{place}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11" '
        'fill="currentColor">'
        f"{''.join(parts)}</svg>"
    )


def _said(bounds: Bounds) -> str:
    """Return a value to the first player, for people who look at the board."""
    low, high = LEVELS[bounds.low], LEVELS[bounds.high]
    return low if bounds.exact else f"from {low} to {high}"


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_on_hyphens=False) or [""]


# What an agent has learned: its principal variation, and its first mistake against perfect play.
#
# For pages that look at an agent again and again while it trains, so both give up in time and say
# how far they came. Mistakes are found only where exact values come at once.

LONGEST = 12  # moves of a variation
LIVE_SECONDS = 0.3  # for the search for a mistake
Chooses = Callable[[Position], list[int]]  # every move that an agent may choose


@dataclass(frozen=True)
class Mistake:
    """A move that gives some of the value away."""

    moves: tuple[int, ...]  # that lead to the position
    move: int
    value: Verdict  # of the move
    better: tuple[int, ...]  # the moves that keep the value
    best: Verdict  # the highest value of them


@dataclass(frozen=True)
class MistakeSearch:
    """What came of a search for the first mistake."""

    mistake: Mistake | None
    plies: int | None = None  # moves of a game that were looked at; None: all, to the end


def has_exact_values(game: Game) -> bool:
    """Return whether exact values of its positions come at once."""
    return default_opponent(game) == "perfect"


def exact_at_once(position: Position) -> Exact | None:
    """Return the exact value of every move, where it comes at once: past a book it may not."""
    book = shipped_book(position.game)
    if not has_exact_values(position.game) or (book is not None and position.ply >= book.ply):
        return None
    return exact(position)


def learned_to_move(position: Position, side: str) -> bool:
    """Return whether an agent that learned on a side, or on both, has learned to move here."""
    return side in ("both", SIDES[position.to_move - 1])


def principal_variation(agent: LearnedAgent, position: Position, side: str) -> list[int]:
    """Return the best moves of both sides by the agent's own values, the lowest of equal ones.

    An agent that learned on one side has no values for the other: there the reply is the one
    that leaves it the lowest value. The variation ends where all moves have the same.
    """
    now, moves = position.copy(), list[int]()
    while now.outcome is None and len(moves) < LONGEST:
        if learned_to_move(now, side):
            values = agent.values(now)
        else:
            values = {move: -_value_after(agent, now, move) for move in now.legal_moves}
        highest = max(values.values())
        if len(values) > 1 and highest == min(values.values()):
            break
        moves.append(min(move for move, value in values.items() if value == highest))
        now.push(moves[-1])
    return moves


def first_mistake(
    game: Game, chooses: Chooses, side: str, seconds: float = LIVE_SECONDS
) -> MistakeSearch:
    """Return the first mistake that an agent may make against an opponent who makes none.

    Breadth first from the empty board: of the agent every move that it may choose, of the
    opponent every move that keeps the value of the position.
    """
    watch = Stopwatch()
    sides = {"first": (1,), "second": (2,)}.get(side, (1, 2))
    waiting = deque((own, Position(game)) for own in sides)
    seen = set[tuple[int, tuple[int, ...]]]()
    while waiting:
        own, position = waiting.popleft()
        found = exact_at_once(position)
        if found is None or watch.seconds > seconds:
            return MistakeSearch(None, position.ply)
        values = found.moves
        best = max(values.values(), key=lambda verdict: verdict.rank)
        keeps = tuple(move for move, verdict in values.items() if verdict.value == best.value)
        chosen = chooses(position) if position.to_move == own else list(keeps)
        for move in chosen:
            if move not in keeps:
                return MistakeSearch(Mistake(position.moves, move, values[move], keeps, best))
        for child in _children(position, chosen):
            if (own, child.stones) not in seen:
                seen.add((own, child.stones))
                waiting.append((own, child))
    return MistakeSearch(None)


def _children(position: Position, moves: list[int]) -> Iterator[Position]:
    """Yield the positions after some moves, as far as the game goes on there."""
    for move in moves:
        child = position.copy()
        child.push(move)
        if child.outcome is None:
            yield child


def _value_after(agent: LearnedAgent, position: Position, move: int) -> float:
    """Return the agent's best value after a move of the other side, or that of the end."""
    position.push(move)
    try:
        if position.outcome is None:
            return max(agent.values(position).values())
        won = position.outcome.winner
        return 0.0 if won is None else float("inf") * (1 if won == position.to_move else -1)
    finally:
        position.pop()
