"""What is said of a game in play: rules, sides, advice and values, as plain text."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from inarow.game import Game, Position
from inarow.game.drawing import SYMBOLS
from inarow.game.position import SIDES, is_compact, move_text

if TYPE_CHECKING:
    from inarow.lab.values.move_values import Estimate, Exact, Hint

YOU = "you"  # what a person is called
NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
NOTHING_EXACT = "No exact values: this position is too large to solve in a few seconds."

COMMANDS = {
    "hint": "a good move: by exact value, else as your opponent estimates",
    "values": "the value of each move: exactly, and as your opponent estimates",
    "moves": "all legal moves",
    "board": "the board again",
    "undo": "takes back your last move, and the reply to it",
    "save FILE": "writes the moves of this game into a file",
    "resign": "gives this game up",
    "again": "a new game, when this one is over",
    "help, ?": "these lines",
    "quit, q": "leaves; so do exit, Ctrl-D and Ctrl-C",
}


def rules(game: Game) -> str:
    """The rules in a line."""
    k = NUMBERS[game.k] if game.k < len(NUMBERS) else str(game.k)
    fall = ", stones fall" if game.gravity else ""
    edges = " and ".join(str(axis) for axis in game.wrap)
    wrap = f", axis {edges} wraps around" if len(game.wrap) == 1 else ""
    wrap = f", axes {edges} wrap around" if len(game.wrap) > 1 else wrap
    count = ", and every line counts until the board is full" if game.scoring else ""
    lose = ", and whoever completes a line loses" if game.misere else ""
    return f"{game.name}: {k} in a row{fall}{wrap}{count}{lose}."


def seating(names: list[str], seed: int) -> str:
    """Who sits where."""
    first, second = names
    if first == second == YOU:
        return "Two people at one board. X moves first."
    if YOU not in names:
        return f"{first} is X, {second} is O (seed {seed})."
    own = names.index(YOU)
    order = SIDES[own]
    return (
        f"You are {SYMBOLS[own + 1]} and move {order}; {names[1 - own]} is {SYMBOLS[2 - own]} "
        f"(seed {seed})."
    )


def move_form(game: Game) -> str:
    """How a move is written, with an example."""
    axes, example = len(game.move_shape), move_text(game, game.columns // 2)
    if axes == 1:
        return f"the number of a {'column' if game.gravity else 'cell'}, as {example}"
    form = {2: "row and column", 3: "slice, row and column"}.get(axes, "slices, row and column")
    return f"{form}{'' if is_compact(game) else ' with commas'}, as {example}"


def help_lines(game: Game) -> list[str]:
    """All there is to type, and how to read the board."""
    falls = " + is where a stone would fall." if game.gravity and len(game.shape) > 2 else ""
    return [
        f"A move is {move_form(game)}.",
        f"[X] is the last stone, (X) the rest of a line that it made.{falls}",
        *(f"  {command:<10} {about}" for command, about in COMMANDS.items()),
    ]


def legal_moves(position: Position, width: int) -> str:
    """The moves in one line, or as many as fit."""
    moves = [move_text(position.game, move) for move in position.legal_moves]
    whole = f"Moves: {' '.join(moves)}"
    if len(whole) < width:
        return whole
    more = f" ... (moves lists all {len(moves)})"
    return textwrap.shorten(whole, width - 1, placeholder=more)


def advice(game: Game, hint: Hint) -> str:
    """A hint in a sentence or two."""
    best, *others = (move_text(game, move) for move in hint.moves)
    if hint.exact:
        said = f"Hint: {best} {hint.text}, exactly (by {hint.by})."
    else:
        said = f"Hint: {best}, estimated {hint.text} by {_short(hint.by)}."
    more = f" As good: {' '.join(others[:8])}{' ...' if len(others) > 8 else '.'}"
    return said + (more if others else "")


def values(
    position: Position, proven: Exact | None, held: Estimate | None, width: int
) -> list[str]:
    """Every move with what there is to say of it, in as many columns as fit, and what it means."""
    if proven is None and held is None:
        return [NOTHING_EXACT]
    lines = _grid(_entries(position, proven, held), width)
    if held is not None:
        lines.append(f"{_short(held.by)}: its estimate, the higher the better.")
    if proven is None:
        return [*lines, NOTHING_EXACT]
    lines.append(f"Exact values by {proven.by}; * is best.")
    if any(verdict.stones for verdict in proven.moves.values()):
        lines[-1] += " In 3: with the third stone from now."
    return lines


def _short(name: str) -> str:
    """A player's name, without the folder of a file."""
    return Path(name).name[-32:]


def _entries(position: Position, proven: Exact | None, held: Estimate | None) -> list[str]:
    """A line a move, after a line of headings."""
    moves = position.legal_moves
    best = proven.best if proven else held.best if held else []
    texts = [move_text(position.game, move) for move in moves]
    starred = [
        f"{'*' if move in best else ''}{text}" for move, text in zip(moves, texts, strict=True)
    ]
    fields = [["move", *starred]]
    if proven:
        fields.append(["exact", *(str(proven.moves[move]) for move in moves)])
    if held:
        fields.append([_short(held.by), *(held.texts.get(move, "-") for move in moves)])
    sizes = [max(map(len, field)) for field in fields]
    return [
        "  ".join(text.rjust(size) for text, size in zip(row, sizes, strict=True))
        for row in zip(*fields, strict=True)
    ]


def _grid(entries: list[str], width: int) -> list[str]:
    """Lines side by side, each column under the first of them; few stay below each other."""
    head, *rest = entries
    gap = "     "
    across = 1 if len(rest) <= 10 else max(1, (width - 2) // (len(head) + len(gap)))
    down = -(-len(rest) // across)
    columns = [[head, *rest[start : start + down]] for start in range(0, len(rest), down)]
    rows = range(down + 1)
    return ["  " + gap.join(c[row] for c in columns if row < len(c)) for row in rows]
