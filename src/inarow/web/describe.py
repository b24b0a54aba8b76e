"""A game as a page draws it: where the cells lie, what is behind them, what each is called.

All places come from here, those of flat boards from the pictures of the package (`game.svg`): a
page lays nothing out.
"""

from __future__ import annotations

import re
from typing import TypedDict

from inarow.game import Game, InputError
from inarow.game.drawing import labels_stand_below
from inarow.game.names import EXAMPLES
from inarow.game.position import is_compact, move_text
from inarow.game.svg import DISC, _draw_boards, _draw_labels, _Frame, _make_frame
from inarow.web.lozenges import lozenge_frame, lozenge_labels, pegs

# Names for people, where they differ from the catalogue's.
TITLES = {
    "connect4:6x7": "Connect Four",
    "tictactoe": "Tic-Tac-Toe",
    "cube": "Score Four",
    "qubic": "Qubic",
    "mnk:15x15x5": "Five in a row",
    "ntictactoe:3^4": "Four dimensions",
}
MAX_CELLS, MAX_ACROSS = 1000, 32  # of a board that a page can show
LAYERS_WIDE = 520.0  # units: two slices of 4x4 side by side, or three of 3x3
NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
PEGS, FALLS, FLAT = "pegs", "falls", "flat"


class Layers(TypedDict):
    """The slices of a board of three dimensions, flat, beside its picture."""

    size: list[int]
    across: list[float]
    down: list[float]
    cells: list[list[float]]
    backdrop: str
    labels: str


class Description(TypedDict):
    """What the element on a page knows of a game."""

    name: str
    title: str
    rules: str
    shape: list[int]
    k: int
    gravity: bool
    scoring: bool
    misere: bool
    wrap: list[int]
    columns: int
    style: str  # `falls` down a flat board, `pegs` of lozenges, or `flat`
    size: list[int]
    across: list[float]  # the step to the next column
    down: list[float]  # the step to the next row
    radius: float  # of a hole that a stone falls into
    cells: list[list[float]]  # the middle of each cell
    backdrop: str
    labels: str
    moves: list[str]  # as they are written
    compact: bool  # whether each coordinate of a move is one digit
    layers: Layers | None  # of boards of three dimensions


def describe(game: Game) -> Description:
    """The description of a game; one that is too large to be shown is refused in a line."""
    if not is_drawable(game):
        raise InputError(
            f"{game.name} is too large for a page: a board there has at most {MAX_CELLS:,} cells "
            f"and {MAX_ACROSS} in a row"
        )
    frame = frame_of(game)
    style = PEGS if frame.leaning else FALLS if labels_stand_below(game) else FLAT
    return Description(
        name=game.name,
        title=title_of(game),
        rules=rules_of(game),
        shape=list(game.shape),
        k=game.k,
        gravity=game.gravity,
        scoring=game.scoring,
        misere=game.misere,
        wrap=list(game.wrap),
        columns=game.columns,
        style=style,
        size=[round(frame.width), round(frame.height)],
        across=[float(step) for step in frame.across],
        down=[float(step) for step in frame.down],
        radius=DISC,
        cells=[[round(float(x), 1), round(float(y), 1)] for x, y in frame.centres],
        backdrop=backdrop(game, frame),
        labels=lozenge_labels(game, frame) if frame.leaning else _labels(game, frame),
        moves=[move_text(game, move) for move in range(game.columns)],
        compact=is_compact(game),
        layers=_layers(game) if frame.leaning else None,
    )


def frame_of(game: Game) -> _Frame:
    """Where everything lies in a page: lozenges in three dimensions, else as in pictures."""
    return lozenge_frame(game) if len(game.shape) == 3 else _make_frame(game)


def backdrop(game: Game, frame: _Frame) -> str:
    """What lies behind the stones."""
    behind = "".join(_draw_boards(game, frame))
    return behind + pegs(game, frame) if frame.leaning and game.gravity else behind


def title_of(game: Game) -> str:
    """A game's name for people."""
    known = TITLES | {e.name: e.title for e in EXAMPLES if e.name not in TITLES}
    if game.name in known:
        return known[game.name]
    kind, sides = game.name.partition(":")[0], "x".join(map(str, game.shape))
    if kind == "connect4" and game.k == 4:
        return f"Connect Four, {sides}"
    k = NUMBERS[game.k] if game.k < len(NUMBERS) else str(game.k)
    return f"{k.capitalize()} in a row, {sides}"


def _layers(game: Game) -> Layers:
    """The flat slices, two side by side where they are small, so that phones can show them."""
    frame = _make_frame(game, flat=True, limit=LAYERS_WIDE)
    return Layers(
        size=[round(frame.width), round(frame.height)],
        across=[float(step) for step in frame.across],
        down=[float(step) for step in frame.down],
        cells=[[round(float(x), 1), round(float(y), 1)] for x, y in frame.centres],
        backdrop="".join(_draw_boards(game, frame)),
        labels=_labels(game, frame),
    )


def _labels(game: Game, frame: _Frame) -> str:
    """The labels of a board, and of its slices where it has more than one."""
    texts = "".join(_draw_labels(game, frame, ""))
    return re.sub(r">([\d,]+),_,_<", r">slice \1<", texts)


def is_drawable(game: Game) -> bool:
    """Whether a page can show a board."""
    return game.cells <= MAX_CELLS and max(game.shape) <= MAX_ACROSS


def rules_of(game: Game) -> str:
    """The rules in a sentence."""
    k = NUMBERS[game.k] if game.k < len(NUMBERS) else str(game.k)
    fall = ", stones fall" if game.gravity else ""
    axes = " and ".join(str(axis + 1) for axis in game.wrap)
    wrap = f", axis {axes} wraps around" if len(game.wrap) == 1 else ""
    wrap = f", axes {axes} wrap around" if len(game.wrap) > 1 else wrap
    count = ", and every line counts until the board is full" if game.scoring else ""
    lose = ", and whoever completes a line loses" if game.misere else ""
    return f"{k.capitalize()} in a row{fall}{wrap}{count}{lose}."
