"""A position set up by its stones: an order of moves that leads to it, or why there is none.

A position is what alternating moves lead to, in every part of the project. So stones that lie on a
board make a position if some order plays them in turn, each on what lies below it where stones
fall, and no line ends the game before the last of them. Which order that is makes no difference
to the game that follows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inarow.game.drawing import SYMBOLS
from inarow.game.errors import InputError
from inarow.game.position import Position, move_text
from inarow.game.spec import Game

MOST_STATES = 100_000  # of the search for an order where stones fall: about a second
ORDER = "X moves first, so X must have as many stones as O, or one more"


def find_position(game: Game, stones: Sequence[int]) -> Position:
    """Return the position in which these stones lie: 0, 1 or 2 for each cell."""
    held = [int(stone) for stone in stones]
    if len(held) != game.cells or not set(held) <= {0, 1, 2}:
        raise InputError(f"the stones must be {game.cells} numbers, each 0, 1 or 2")
    first, second = held.count(1), held.count(2)
    if first - second not in (0, 1):
        raise InputError(f"X has {_stones(first)} and O has {_stones(second)}: {ORDER}")
    if game.gravity:
        _check_floats(game, held)
    position = Position(game)
    for place in _order(game, held, _last_cells(game, held)):
        position.push(place % game.columns)
    return position


def _stones(number: int) -> str:
    return f"{number} stone{'' if number == 1 else 's'}"


def _check_floats(game: Game, stones: list[int]) -> None:
    for cell in range(game.columns, game.cells):
        if stones[cell] and not stones[cell - game.columns]:
            column = move_text(game, cell % game.columns)
            raise InputError(f"a stone floats in column {column}: stones fall to the lowest cell")


def _last_cells(game: Game, stones: list[int]) -> list[int] | None:
    """The cells of which one was played last, where a line has ended the game; None for any."""
    if game.scoring:
        return None
    lines = np.array(stones)[game.lines]
    whole = (lines[:, :1] == lines).all(axis=1) & (lines[:, 0] != 0)
    ended = game.lines[whole]
    if not len(ended):
        return None
    owners, last = {stones[line[0]] for line in ended}, 1 if sum(map(bool, stones)) % 2 else 2
    if len(owners) == 2:
        raise InputError("X and O both have a line: the first one ends the game")
    if owners != {last}:
        winner = owners.pop()
        raise InputError(
            f"{SYMBOLS[winner]} has a line, which ends the game, but {SYMBOLS[last]} moved last"
        )
    common = set(ended[0].tolist()).intersection(*(line.tolist() for line in ended))
    if game.gravity:
        above = game.columns
        common = {c for c in common if c + above >= game.cells or not stones[c + above]}
    if not common:
        raise InputError(
            f"no last move completes the lines of {SYMBOLS[last]}: one ended the game before"
        )
    return sorted(common)


def _order(game: Game, stones: list[int], last: list[int] | None) -> list[int]:
    """The stones in an order in which they can be played, each by its cell or its column."""
    if game.gravity:
        return _falling_order(game, stones, last)
    cells: list[list[int]] = [[c for c, s in enumerate(stones) if s == side] for side in (1, 2)]
    if last is not None:
        side = cells[stones[last[0]] - 1]
        side.remove(last[0])
        side.append(last[0])
    return [cells[ply % 2][ply // 2] for ply in range(len(cells[0]) + len(cells[1]))]


def _falling_order(game: Game, stones: list[int], last: list[int] | None) -> list[int]:
    """Return an order of stones where they fall: each column from the lowest up."""
    columns = game.columns
    words = [[s for s in stones[column::columns] if s] for column in range(columns)]
    for final in [None] if last is None else last:
        rest = list(words)
        if final is not None:
            rest[final % columns] = rest[final % columns][:-1]
        found = _interleave(rest)
        if found is not None:
            return found if final is None else [*found, final]
    raise InputError(
        "no order of moves leads to this position: X and O move in turn, and stones fall"
    )


def _interleave(words: list[list[int]]) -> list[int] | None:
    """The columns in an order that takes 1 and 2 in turn from the fronts of their words.

    A search over how far each word has come, the longest rest first; what has led nowhere is not
    tried again. That the tallest columns go first finds an order at once in nearly every position.
    """
    taken, found = [0] * len(words), list[int]()
    dead, tried = set[tuple[int, ...]](), 0
    waiting = [_next_columns(words, taken, 1)]
    while len(found) < sum(map(len, words)):
        if waiting[-1]:
            column = waiting[-1].pop()
            found.append(column)
            taken[column] += 1
            tried += 1
            again = tuple(taken) in dead
            waiting.append([] if again else _next_columns(words, taken, 1 + len(found) % 2))
            if tried > MOST_STATES:
                raise InputError(
                    "no order of moves was found that leads to this position: there may be none"
                )
        else:
            dead.add(tuple(taken))
            waiting.pop()
            if not found:
                return None
            taken[found.pop()] -= 1
    return found


def _next_columns(words: list[list[int]], taken: list[int], colour: int) -> list[int]:
    """Sort the words that go on with that colour, the longest rest last."""
    found = [
        column
        for column, word in enumerate(words)
        if taken[column] < len(word) and word[taken[column]] == colour
    ]
    return sorted(found, key=lambda column: len(words[column]) - taken[column])
