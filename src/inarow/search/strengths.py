"""Opponents of eight strengths that play as people do: `strength:1` to `strength:8`.

A strength looks a few moves ahead, values what it sees by the lines of the board, and misjudges
each move by a random amount. The weaker it is, the less far it looks and the more it misjudges,
and the more often it overlooks that a stone would complete a line at once. So weak ones play near
the stones, build lines and miss things; they do not throw away what they have seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import PLY, THREATS, Board, Cells, Tables, is_open
from inarow.engine.jit import inline, jit
from inarow.engine.players import MovesFromCompiled, MoveWeights, register_player
from inarow.engine.streams import Stream, uniform
from inarow.game import InputError
from inarow.search.minimax import NO_STOP, ORDERS, Search, begin, new_search, traverse

SURE = 2000.0  # what a move counts that wins, as far as the player sees: two lines short of a stone
FAR = 0.25  # a cell that draws less than this share of the most is not considered
NEAR = 4.0  # how much more a line draws with each stone in it
STEP = 1.0 / 2048  # of a certain outcome's value, for each stone until then
MOST = 0.75  # the highest value of a move whose outcome is not certain

# How far minimax looks ahead with all moves valued and still answers soon, by different moves.
FARTHEST = {9: 8, 16: 6, 32: 4, 100: 3}


@dataclass(frozen=True)
class Strength:
    """What makes a strength."""

    depth: int  # moves that it looks ahead, as far as the game allows
    noise: float  # by how much it misjudges a move; a line short of one stone counts 1000
    sight: float  # how often it looks whether a stone completes a line at once, for either side


# By the number of different moves, up to which each holds: placed evenly apart on 6x7, the cube,
# Qubic and 15x15 (`docs/make_strengths.py --place`).
STRENGTHS = {
    9: (
        Strength(1, 2200.0, 0.1),
        Strength(1, 1000.0, 0.4),
        Strength(1, 470.0, 0.78),
        Strength(2, 380.0, 0.95),
        Strength(2, 80.0, 1.0),
        Strength(4, 70.0, 1.0),
        Strength(6, 80.0, 1.0),
        Strength(8, 12.0, 1.0),
    ),
    16: (
        Strength(1, 2200.0, 0.1),
        Strength(1, 1000.0, 0.38),
        Strength(1, 650.0, 0.54),
        Strength(1, 270.0, 0.84),
        Strength(2, 300.0, 0.92),
        Strength(2, 85.0, 1.0),
        Strength(4, 45.0, 1.0),
        Strength(6, 12.0, 1.0),
    ),
    100: (
        Strength(1, 2200.0, 0.1),
        Strength(1, 1450.0, 0.25),
        Strength(1, 950.0, 0.4),
        Strength(1, 645.0, 0.52),
        Strength(1, 410.0, 0.69),
        Strength(1, 200.0, 0.9),
        Strength(2, 260.0, 0.95),
        Strength(3, 12.0, 1.0),
    ),
    1000: (
        Strength(1, 2200.0, 0.1),
        Strength(1, 1150.0, 0.31),
        Strength(1, 645.0, 0.52),
        Strength(1, 350.0, 0.74),
        Strength(1, 170.0, 0.9),
        Strength(2, 320.0, 0.95),
        Strength(2, 103.0, 1.0),
        Strength(2, 12.0, 1.0),
    ),
}
NUMBERS = range(1, 9)


def strengths_for(tables: Tables) -> dict[int, Strength]:
    """The strengths by their numbers, as they are in a game."""
    known = next((row for moves, row in STRENGTHS.items() if tables.columns <= moves), None)
    found = known or list(STRENGTHS.values())[-1]
    return dict(zip(NUMBERS, found, strict=True))


def farthest(tables: Tables) -> int:
    """How far a player may look ahead in a game and still answer soon."""
    return next((far for moves, far in FARTHEST.items() if tables.columns <= moves), 2)


class StrengthPlayer(NamedTuple):
    """A strength for compiled loops."""

    search: Search
    depth: int
    noise: float
    sight: float
    draws: MoveWeights  # [k + 1] how much a line with so many stones of one side draws


class PlayerOfStrength(MovesFromCompiled):
    """An opponent of one of eight strengths: `strength:3`."""

    states_policy = False

    def __init__(self, number: int) -> None:
        if number not in NUMBERS:
            raise InputError(f"strength {number} must be between 1 and {NUMBERS[-1]}")
        self.number, self.name = number, f"strength:{number}"
        self.settings: Strength | None = None  # others than those of the number

    def compiled(self, tables: Tables) -> StrengthPlayer:
        """The player as arrays."""
        chosen = self.settings or strengths_for(tables)[self.number]
        depth = min(chosen.depth, farthest(tables))
        stones = np.arange(tables.k + 1)
        draws = NEAR ** np.clip(stones, 0, max(tables.k - 2, 0))
        return StrengthPlayer(
            new_search(tables, depth, ORDERS["central"](tables)),
            depth,
            chosen.noise,
            chosen.sight,
            draws.astype(np.float64),
        )

    def __repr__(self) -> str:
        return f"<player {self.name}>"


@inline
def _begin(player: StrengthPlayer, stream: Stream) -> None:
    """Nothing is kept from game to game."""


@jit
def _value_moves(tables: Tables, board: Board, player: StrengthPlayer) -> int:
    """Searches; the value of every move is in the search's memory then."""
    begin(tables, board, player.search, player.depth, True)
    return traverse(tables, player.search, NO_STOP)


@inline
def _line_at_once(tables: Tables, board: Board) -> int:
    """A cell where the side to move completes a line, else one where the other side would; or -1.

    Of several, the lowest, since the lists of a board follow the order of its stones.
    """
    side = board.counters[PLY] & 1
    for looked in (side, 1 - side):
        found = tables.cells
        for i in range(board.counters[THREATS + looked]):
            cell = board.threat_cells[looked][i]
            if cell < found and (not tables.gravity or is_open(board, cell)):
                found = cell
        if found < tables.cells:
            return found
    return -1


@inline
def _draw(tables: Tables, board: Board, player: StrengthPlayer, cell: int) -> float:
    """How much the open lines through a cell draw: most where stones lie already."""
    total = 0.0
    for i in range(tables.line_start[cell], tables.line_start[cell + 1]):
        word = board.lines[tables.line_at[i]]
        first, second = word & 0xFFFF, (word >> 16) & 0xFFFF
        if first == 0 or second == 0:
            total += player.draws[first + second]
    return -total if tables.misere else total


@inline
def _choose(tables: Tables, board: Board, player: StrengthPlayer, stream: Stream) -> int:
    """The cell that the player takes for the best."""
    if uniform(stream) < player.sight and not tables.misere:
        cell = _line_at_once(tables, board)
        if cell >= 0:
            return cell
    _value_moves(tables, board, player)
    most = -np.inf
    for slot in range(tables.columns):
        cell = player.search.spots[slot]
        if cell != tables.cells:
            most = max(most, _draw(tables, board, player, cell))
    best, highest = tables.cells, -np.inf
    for slot in range(tables.columns):
        cell = player.search.spots[slot]
        if cell == tables.cells:
            continue
        drawn = _draw(tables, board, player, cell)
        if drawn < most - (1.0 - FAR) * abs(most):
            continue
        seen = min(max(float(player.search.values[slot]), -SURE), SURE)
        luck = uniform(stream) + uniform(stream) + uniform(stream) - 1.5
        value = seen + drawn + 2.0 * player.noise * luck
        if value > highest:
            best, highest = cell, value
    return best


@inline
def _value_cells(
    tables: Tables,
    board: Board,
    player: StrengthPlayer,
    cells: Cells,
    count: int,
    values: npt.NDArray[np.float64],
) -> None:
    """What the search alone finds: within `MOST` an estimate, above it a certain outcome.

    A win with the n-th stone from now is 1 - n * STEP, a loss the negative of that.
    """
    _value_moves(tables, board, player)
    search = player.search
    for slot in range(tables.columns):
        cell, found = search.spots[slot], search.values[slot]
        size = abs(found)
        value = MOST * size / (size + SURE)
        if size >= search.win - tables.cells:
            value = 1.0 - (search.win - size) * STEP
        for i in range(count):
            if cells[i] == cell:
                values[i] = value if found >= 0 else -value


register_player(StrengthPlayer, _begin, _choose, None, _value_cells)
