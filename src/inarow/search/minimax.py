"""Minimax with a depth limit, as a player and as a question about one position.

The Connect Four paper's agent, for every k-in-a-row game. Its value of a position is the paper's
utility (`heuristic`), its move the first of the best in an explicit order, as if the whole tree
had been looked at in that order (`alphabeta` says how it is not).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import Board, Stones, load, new_board
from inarow.engine.contest import register_player
from inarow.engine.jit import inline, jit
from inarow.engine.streams import Stream
from inarow.engine.tables import Int32s, Int64s, Tables, tables_of
from inarow.game import InputError, Position
from inarow.game.position import check_goes_on
from inarow.search.alphabeta import begin, traverse
from inarow.search.heuristic import win_value
from inarow.search.stack import BEST, BEST_SLOT, NODES, Search, new_search

NO_STOP = 1 << 62
CHUNK = 2_000_000  # moves looked at between two looks at the clock: a fraction of a second


def _ascending(tables: Tables) -> Int32s:
    return np.arange(tables.columns, dtype=np.int32)


def _descending(tables: Tables) -> Int32s:
    return _ascending(tables)[::-1].copy()


def _central(tables: Tables) -> Int32s:
    through = np.diff(tables.line_start).reshape(-1, tables.columns).sum(axis=0)
    return np.argsort(-through, kind="stable").astype(np.int32)


# Which of several equally good moves is taken.
ORDERS: dict[str, Callable[[Tables], Int32s]] = {
    "ascending": _ascending,  # the lowest number: from left to right, as in the paper
    "descending": _descending,  # the highest number
    "central": _central,  # the one that most lines cross (with gravity, all of its column)
}


@dataclass(frozen=True)
class SearchResult:
    """What a search found, seen by the side to move."""

    move: int
    value: int  # of the position: the heuristic, or a win or loss adjusted by the moves until it
    ending: int | None  # moves until a win, negative for a loss; None where neither is certain
    depth: int  # moves looked ahead
    nodes: int  # positions whose moves were looked at
    values: dict[int, int] | None  # of every move, where asked for


class Searcher:
    """Searches positions of one game, in memory that it keeps."""

    def __init__(self, tables: Tables, depth: int, order: str = "ascending") -> None:
        self.depth = depth
        self.tables = tables
        self.board = new_board(tables)
        self.chunk = max(1_000, CHUNK // tables.columns)  # in nodes, which look at all moves
        self.search = new_search(tables, _checked(depth), _order(tables, order))

    @property
    def bytes(self) -> int:
        """The memory of the search itself: all it ever allocates."""
        return sum(array.nbytes for array in _arrays(self.search))

    def run(
        self, stones: Stones, time_limit: float | None = None, all_moves: bool = False
    ) -> SearchResult:
        """Searches the position of these stones.

        With a time limit (seconds) it searches one move deep, then two, and so on; the answer is
        that of the last depth that was finished, at least the first. Compiled code comes back
        every fraction of a second, so that the clock and an interrupt from the keyboard count.
        """
        began, nodes, result = time.perf_counter(), 0, None
        limit = np.inf if time_limit is None else time_limit
        deepest = min(self.depth, int(np.count_nonzero(stones == 0)))
        for depth in range(deepest if time_limit is None else 1, deepest + 1):
            _begin_at(self.tables, self.board, stones, self.search, depth, all_moves)
            while not traverse(self.tables, self.search, self.search.state[NODES] + self.chunk):
                if result is not None and time.perf_counter() - began > limit:
                    return result
            nodes += int(self.search.state[NODES])
            result = self._result(depth, nodes, all_moves)
            # Where a win or loss is certain, nothing changes any more further down.
            if result.ending is not None or time.perf_counter() - began > limit:
                break
        if result is None:
            raise InputError("the board is full: there is no move to search for")
        return result

    def _result(self, depth: int, nodes: int, all_moves: bool) -> SearchResult:
        search, cells = self.search, self.tables.cells
        value, win = int(search.rows[0, BEST]), win_value(self.tables)
        certain = abs(value) >= win - cells
        distance = win - abs(value)
        values = None
        if all_moves:
            possible = [slot for slot in range(len(search.order)) if search.spots[slot] < cells]
            found = {int(search.order[slot]): int(search.values[slot]) for slot in possible}
            values = dict(sorted(found.items()))
        return SearchResult(
            move=int(search.order[search.state[BEST_SLOT]]),
            value=value,
            ending=(distance if value > 0 else -distance) if certain else None,
            depth=depth,
            nodes=nodes,
            values=values,
        )


def search(
    position: Position,
    depth: int,
    order: str = "ascending",
    time_limit: float | None = None,
    all_moves: bool = False,
) -> SearchResult:
    """What minimax of a depth plays in a position; with `all_moves` the value of every move."""
    if position.outcome is not None:
        raise InputError(f"the game is over ({position.outcome}): there is no move to search for")
    searcher = Searcher(tables_of(position.game), depth, order)
    return searcher.run(np.array(position.stones, dtype=np.int8), time_limit, all_moves)


class MinimaxPlayer(NamedTuple):
    """Minimax for compiled loops."""

    search: Search
    depth: int
    nodes: Int64s  # [1] looked at in all games so far


class TimedMinimax:
    """Minimax by the clock: as deep as the seconds a move allow, and no deeper than `depth`.

    Named as in `minimax:20/0.5s`. Compiled loops have no clock, so it plays from Python, and its
    games depend on the machine.
    """

    def __init__(
        self, depth: int, time_limit: float | None = None, order: str = "ascending"
    ) -> None:
        if order not in ORDERS:
            raise InputError(f"unknown order '{order}': it is one of {', '.join(ORDERS)}")
        if time_limit is not None and not time_limit > 0:
            raise InputError(f"a time limit of {time_limit} s leaves no time: it is above 0")
        self.depth, self.order, self.time_limit = _checked(depth), order, time_limit
        self.name = f"minimax:{depth}" + (f"@{order}" if order != "ascending" else "")
        self.name += f"/{time_limit:g}s" if time_limit is not None else ""
        self._searcher: Searcher | None = None

    def move(self, position: Position) -> int:
        """The move to play."""
        check_goes_on(position)
        tables = tables_of(position.game)
        if self._searcher is None or self._searcher.tables is not tables:
            self._searcher = Searcher(tables, self.depth, self.order)
        stones = np.array(position.stones, dtype=np.int8)
        return self._searcher.run(stones, self.time_limit).move

    def __repr__(self) -> str:
        return f"<player {self.name}>"


class Minimax(TimedMinimax):
    """Minimax of a depth, for compiled loops and for Python: `minimax:6`, `minimax:6@central`."""

    def __init__(self, depth: int, order: str = "ascending") -> None:
        super().__init__(depth, None, order)

    def compiled(self, tables: Tables) -> MinimaxPlayer:
        """The player as arrays."""
        memory = new_search(tables, self.depth, _order(tables, self.order))
        return MinimaxPlayer(memory, self.depth, np.zeros(1, dtype=np.int64))


@inline
def begin_minimax(player: MinimaxPlayer, stream: Stream) -> None:
    """Nothing is kept from game to game."""


@jit
def find_best_slot(tables: Tables, board: Board, player: MinimaxPlayer) -> int:
    """The place in the player's order of the one move that it chooses."""
    begin(tables, board, player.search, player.depth, False)
    traverse(tables, player.search, NO_STOP)
    player.nodes[0] += player.search.state[NODES]
    return player.search.state[BEST_SLOT]


@inline
def choose_by_minimax(tables: Tables, board: Board, player: MinimaxPlayer, stream: Stream) -> int:  # noqa: ARG001
    """The cell that the player chooses. It is deterministic: of equal moves, the first."""
    return player.search.spots[find_best_slot(tables, board, player)]


@inline
def write_minimax_policy(
    tables: Tables, board: Board, player: MinimaxPlayer, weights: npt.NDArray[np.float64]
) -> None:
    """The one move that it chooses."""
    weights[player.search.order[find_best_slot(tables, board, player)]] = 1.0


register_player(MinimaxPlayer, begin_minimax, choose_by_minimax, write_minimax_policy)


@jit
def _begin_at(
    tables: Tables, board: Board, stones: Stones, search: Search, depth: int, all_moves: bool
) -> None:
    load(tables, board, stones)
    begin(tables, board, search, depth, all_moves)


def _checked(depth: int) -> int:
    if depth < 1:
        raise InputError(f"depth {depth} looks at no move: it is 1 or more")
    return depth


def _order(tables: Tables, name: str) -> Int32s:
    if name not in ORDERS:
        raise InputError(f"unknown order '{name}': it is one of {', '.join(ORDERS)}")
    return ORDERS[name](tables)


def _arrays(search: Search) -> list[npt.NDArray[np.generic]]:
    return [part for part in [*search, *search.lines] if isinstance(part, np.ndarray)]
