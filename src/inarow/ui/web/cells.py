"""What each cell of a board shows: a stone, a mark, the value of a move. No page is needed.

The board is laid out as in `game.layout`: flat slices, placed in turn across and down.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypedDict

import numpy as np

from inarow.game import Game, Position
from inarow.game.layout import (
    column_labels,
    find_slices,
    labels_stand_below,
    last_cell,
    row_labels,
)
from inarow.game.notation import move_text
from inarow.lab.move_values import Estimate, Exact, Hint, Verdict
from inarow.ui.game_in_play import GameInPlay
from inarow.ui.play_board import completed_lines

BAD, EVEN, GOOD = (0xF0, 0xB1, 0x8A), (0xF7, 0xF7, 0xF7), (0x8C, 0xC0, 0xE0)  # as in Figure 3
ESTIMATE_DIGITS = 6  # characters of an estimate that fit into a cell


@dataclass(frozen=True)
class Insight:
    """What there is to say of the moves of one position, as far as it has come."""

    exact: Exact | None = None
    estimate: Estimate | None = None
    hint: Hint | None = None
    line: tuple[int, ...] = ()  # that perfect play goes on with
    complete: bool = False  # no more is to come


class MoveValue(TypedDict, total=False):
    """The value of a move: in full, as text for a cell, as a colour."""

    value: str
    text: str
    heat: str


class Cell(MoveValue, total=False):
    """What a cell shows. What is usual is left out."""

    name: str
    stone: int
    move: int  # that a press on it plays
    best: bool
    last: bool
    line: bool  # in a line that the last stone completed
    scored: bool  # in one that was completed before, where lines are counted
    next: bool  # where the next stone of a game came to lie, in a position that is looked at
    fresh: int  # just played: 1, or 2 for the answer to it, which falls after it
    lands: bool


def layout_of(game: Game) -> dict[str, object]:
    """The slices, as lists within lists: the innermost axis across, the next down, and so on."""
    parts: list[dict[str, object]] = [
        {"heading": part.heading, "rows": part.cells.tolist()} for part in find_slices(game)
    ]
    across = True
    for side in reversed(game.shape[:-2]):
        parts = [
            {"across": across, "parts": parts[start : start + side]}
            for start in range(0, len(parts), side)
        ]
        across = not across
    return {
        "tree": parts[0],
        "rowLabels": row_labels(game),
        "columnLabels": column_labels(game),
        "falls": labels_stand_below(game),
    }


def describe_cells(
    table: GameInPlay, insight: Insight, hints: bool, values: str, preparing: bool = False
) -> list[Cell]:
    """Every cell; what is usual is left out, for a board may be large.

    While another table is being prepared, no cell of this one is open.
    """
    position, game = table.position, table.game
    open_moves = position.legal_moves if table.waits_for_person and not preparing else []
    cells, fresh = describe_position(position), _fresh(table)
    if open_moves:
        _value_moves(cells, position, insight, values, hinted(insight) if hints else [])
    landing = {position.cell_of(move): move for move in open_moves}
    for cell, shown in enumerate(cells):
        if cell in landing:
            shown["move"] = landing[cell]
            if game.gravity:
                shown["lands"] = True
        elif labels_stand_below(game) and cell % game.columns in open_moves:
            shown["move"] = cell % game.columns
        if cell in fresh:
            shown["fresh"] = fresh[cell]
    return cells


def describe_looked_at(
    position: Position, insight: Insight, values: str, best: list[int], following: int | None
) -> list[Cell]:
    """Every cell of a position to look at: with the best moves, and the one that was played."""
    cells = describe_position(position)
    if position.outcome is None:
        _value_moves(cells, position, insight, values, best)
    if following is not None:
        cells[position.cell_of(following)]["next"] = True
    return cells


def describe_set_up(game: Game, stones: list[int]) -> list[Cell]:
    """Every cell of a board that is being set up, with the number of the cell that a press changes.

    Where stones fall that is, of empty cells, the lowest of the column, as it is when one plays.
    """
    cells: list[Cell] = []
    for cell, stone in enumerate(stones):
        shown: Cell = {"name": _name(game, cell)}
        if stone:
            shown["stone"] = stone
        lowest = cell - game.columns if game.gravity else -1
        landing = cell
        while not stone and lowest >= 0 and not stones[lowest]:
            landing, lowest = lowest, lowest - game.columns
        if landing == cell or labels_stand_below(game):
            shown["move"] = landing
        if game.gravity and not stone and landing == cell:
            shown["lands"] = True
        cells.append(shown)
    return cells


def _value_moves(
    cells: list[Cell], position: Position, insight: Insight, values: str, best: list[int]
) -> None:
    """Writes the value of each move into the cell where its stone would lie."""
    for move in position.legal_moves:
        shown = cells[position.cell_of(move)]
        shown.update(value_of(move, insight, values))  # type: ignore[typeddict-item]
        if move in best:
            shown["best"] = True


def describe_position(position: Position) -> list[Cell]:
    """Every cell of a position to look at: stones, the last one, and lines."""
    game, last, stones = position.game, last_cell(position), position.stones
    line = {cell for cells in completed_lines(position) for cell in cells}
    scored = scored_cells(position) - line
    cells = []
    for cell in range(game.cells):
        shown: Cell = {"name": _name(game, cell)}
        if stones[cell]:
            shown["stone"] = stones[cell]
        marks: dict[Literal["last", "line", "scored"], bool] = {
            "last": cell == last,
            "line": cell in line,
            "scored": cell in scored,
        }
        for mark, there in marks.items():
            if there:
                shown[mark] = True
        cells.append(shown)
    return cells


def scored_cells(position: Position) -> set[int]:
    """The cells of all lines of one colour, where lines are counted."""
    if not position.game.scoring:
        return set()
    lines = np.array(position.stones)[position.game.lines]
    whole = (lines[:, :1] == lines).all(axis=1) & (lines[:, 0] != 0)
    return {int(cell) for cell in position.game.lines[whole].ravel()}


def _fresh(table: GameInPlay) -> dict[int, int]:
    """The stones that have just been played: a person's own also when the answer came with it."""
    if table.fresh is None:
        return {}
    position = table.position.copy()
    position.pop()
    own, answered = last_cell(position), position.to_move - 1 not in table.people
    if own is None or not answered or len(table.people) != 1:
        return {table.fresh: 1}
    return {own: 1, table.fresh: 2}


def shade(value: float) -> str:
    """From orange, lost, over white to blue, won; a value of -1 to 1."""
    end, share = (GOOD if value > 0 else BAD), min(1.0, abs(value))
    mixed = [round(middle + (far - middle) * share) for middle, far in zip(EVEN, end, strict=True)]
    return "#" + "".join(f"{part:02x}" for part in mixed)


def hinted(insight: Insight) -> list[int]:
    """The moves to mark: all that are proven best, of others the first."""
    if insight.hint is None:
        return []
    return insight.hint.moves if insight.hint.exact else insight.hint.moves[:1]


def value_of(move: int, insight: Insight, by: str) -> MoveValue:
    """The value of a move, "exact" or by "estimate"; nothing if that is not known."""
    if by == "exact" and insight.exact is not None:
        verdict = insight.exact.moves[move]
        return {"value": str(verdict), "text": _short(verdict), "heat": shade(_strength(verdict))}
    if by == "estimate" and insight.estimate is not None and move in insight.estimate.values:
        held = insight.estimate
        scale = max(1.0, *(abs(value) for value in held.values.values()))
        text = held.texts[move]
        return {"value": text, "text": _fit(text), "heat": shade(held.values[move] / scale)}
    return {}


def _strength(verdict: Verdict) -> float:
    """The sooner the end, the stronger its colour."""
    stones = verdict.stones or 0
    return verdict.value * (0.5 + 0.5 / (1 + stones / 8))


def _short(verdict: Verdict) -> str:
    """As W5: wins with the fifth stone from now."""
    return f"{'LDW'[verdict.value + 1]}{verdict.stones or ''}"


def _fit(text: str) -> str:
    """An estimate as it fits into a cell."""
    text = text.replace("wins in ", "W").replace("loses in ", "L").replace(",", "")
    if len(text) <= ESTIMATE_DIGITS:
        return text
    return text[:ESTIMATE_DIGITS] if "." in text[:ESTIMATE_DIGITS] else f"{float(text):+.0e}"


def _name(game: Game, cell: int) -> str:
    """What a cell is called for whoever cannot see it, as in the notation."""
    if not game.gravity:
        return move_text(game, cell)
    height, column = divmod(cell, game.columns)
    return f"{move_text(game, column)} height {height + 1}"
