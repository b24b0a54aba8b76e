"""An analysis for people: a table of moves, a graph of the game, what follows from them."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from inarow.game.text import SYMBOLS
from inarow.lab.bounds import Bounds

if TYPE_CHECKING:
    from inarow.lab.analysis import AnalysedMove, Analysis

LEVELS = {1: f"{SYMBOLS[1]} wins", 0: "draw", -1: f"{SYMBOLS[2]} wins"}
SURE, OPEN = "#", ":"  # a value in the graph, and where it may lie
LABELS = 9  # columns before the graph
STEP, BAND = 12, 26  # of the picture, in pixels


def analysis_text(analysis: Analysis, width: int = 80) -> str:
    """All of it, in lines of at most so many characters."""
    lines = _wrapped(headline(analysis), width)
    if analysis.moves:
        lines += ["", *_table(analysis, width), "", *graph(analysis, width)]
    lines += ["", *(line for text in summary(analysis) for line in _wrapped(text, width))]
    return "\n".join(lines)


def headline(analysis: Analysis) -> str:
    """What was played, and how it ended."""
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
    """Who made mistakes, and which if they are `listed`; what is best now; how that is known."""
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
    """Whether it is not known that a move keeps the value."""
    return not move.cost and move.value.low < move.best_value.high


def _table(analysis: Analysis, width: int) -> list[str]:
    """A line for each move, and a further one for a comment that does not fit in it."""
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
    """The value of every position by the number of stones, with the mistakes below."""
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
    """Every fifth number of stones below its place."""
    scale = ""
    for place in places:
        if place % 5 == 0 and len(scale) <= (place - places[0]) * pitch:
            scale = scale.ljust((place - places[0]) * pitch) + str(place)
    return scale


def graph_svg(analysis: Analysis) -> str:
    """The same graph as a picture."""
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
    """A value to the first player, for people who look at the board."""
    low, high = LEVELS[bounds.low], LEVELS[bounds.high]
    return low if bounds.exact else f"from {low} to {high}"


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_on_hyphens=False) or [""]
