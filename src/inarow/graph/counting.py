"""Counts of positions and of move sequences, and a lower bound where a game is too large."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from inarow.engine.board import (
    DRAWN,
    FIRST_WON,
    GOING_ON,
    OPEN,
    SECOND_WON,
    STATE,
    Board,
    Int32s,
    Int64s,
    Tables,
    clear,
    new_board,
    place,
    tables_of,
    undo,
)
from inarow.engine.jit import jit
from inarow.game import Game, InputError, Position
from inarow.game.progress import Progress, mute
from inarow.graph.graph import (
    MAX_POSITIONS,
    Graph,
    check_fits,
    count_lowest,
    first_layer,
    graph_of,
    next_layer,
    symmetry_images,
    values_of,
)

# Counting the positions of a game, all of them or up to a ply, without keeping the moves.

MAX_COUNTED = 16_000_000  # positions of one ply: they are held in memory


@dataclass(frozen=True)
class Count:
    """How many positions a game has; the last three are for games counted to the end."""

    game: Game
    by_ply: list[int]
    up_to_symmetry_by_ply: list[int]
    unfinished: int  # positions in which the game goes on
    unfinished_up_to_symmetry: int
    complete: bool  # whether the plies reach to the end of the game
    values: dict[str, int] | None = None  # positions won by either side under perfect play, drawn
    value: str | None = None  # of the empty board: first, second or draw
    games: dict[str, int] | None = None  # different games, by how they end

    def as_json(self) -> dict[str, object]:
        """Return the count for programs."""
        return {
            "game": self.game.name,
            "positions": sum(self.by_ply),
            "by_ply": self.by_ply,
            "up_to_symmetry": sum(self.up_to_symmetry_by_ply),
            "up_to_symmetry_by_ply": self.up_to_symmetry_by_ply,
            "unfinished": self.unfinished,
            "unfinished_up_to_symmetry": self.unfinished_up_to_symmetry,
            "complete": self.complete,
            "values": self.values,
            "value": self.value,
            "games": self.games,
        }


def count_positions(
    game: Game,
    plies: int | None = None,
    progress: Callable[[int, int], object] = lambda ply, positions: None,
) -> Count:
    """Count positions by ply; with their values, where the whole game is small enough."""
    if plies is not None and plies < 0:
        raise InputError(f"plies must be 0 or more, not {plies}")
    check_fits(game)
    none, images = symmetry_images(game, reduced=False), symmetry_images(game, reduced=True)
    layer, by_ply, classes = first_layer(), list[int](), list[int]()
    unfinished, unfinished_classes = 0, 0
    for ply in range(game.cells + 1):
        going_on = int(np.count_nonzero(layer.state == GOING_ON))
        by_ply.append(layer.count)
        open_classes = count_lowest(images, layer.first[:going_on], layer.second[:going_on])
        closed = count_lowest(images, layer.first[going_on:], layer.second[going_on:])
        classes.append(int(open_classes + closed))
        unfinished += going_on
        unfinished_classes += int(open_classes)
        progress(ply, layer.count)
        if going_on == 0 or ply == plies:
            break
        layer, _ = next_layer(game, layer, ply, none, np.zeros(0, dtype=np.int32), MAX_COUNTED)
        layer.going_on_first()
    count = Count(game, by_ply, classes, unfinished, unfinished_classes, complete=going_on == 0)
    if not count.complete or sum(by_ply) > MAX_POSITIONS:
        return count
    return _with_values(count)


def _with_values(count: Count) -> Count:
    graph = graph_of(count.game)
    values = values_of(graph)
    named = {1: "first", 0: "draw", -1: "second"}
    return Count(
        count.game,
        count.by_ply,
        count.up_to_symmetry_by_ply,
        count.unfinished,
        count.unfinished_up_to_symmetry,
        complete=True,
        values=values.totals(),
        value=named[int(values.value[0])],
        games=count_games(graph),
    )


def count_games(graph: Graph) -> dict[str, int] | None:
    """Return how many different games there are, by how they end; None if they overflow."""
    most = 1
    for ply in range(len(graph.by_ply) - 1):
        most *= min(graph.game.columns, graph.game.cells - ply)
    if most >= 2**63:
        return None
    ways = np.zeros(graph.positions, dtype=np.int64)
    _count_paths(graph.edge_start, graph.child, ways)
    ends = {"first": FIRST_WON, "second": SECOND_WON, "draw": DRAWN}
    games = {name: int(ways[graph.state == end].sum()) for name, end in ends.items()}
    return {"total": sum(games.values()), **games}


@jit
def _count_paths(edge_start: Int32s, child: Int32s, ways: Int64s) -> None:
    """Count the sequences of moves that lead to each position, parents first."""
    ways[0] = 1
    for position in range(len(ways)):
        for edge in range(edge_start[position], edge_start[position + 1]):
            ways[child[edge]] += ways[position]


# Whether a game is far too large to be enumerated, found out in a moment.
#
# Of all ways to lay so many stones on the board, some are positions of play: no line is complete,
# and taking stones back in turn, from the top where they fall, leads to the empty board. How many
# there are in all is counted; what share of them are positions is sampled.

SAMPLES = 200  # of each number of stones
SURE = 1e-12  # how likely it may be that the share is lower than is said here
STEPS = 300  # of taking stones back, after which a sample does not count


@lru_cache(maxsize=64)
def positions_at_least(game: Game) -> int:
    """Return a number of positions that a game has, all but certainly."""
    most = 0
    for quarter in (1, 2, 3):
        stones = game.cells * quarter // 4
        ways = _fillings(game)[0][stones] if game.gravity else math.comb(game.cells, stones)
        choose = random.Random(f"{game.name} {stones}")
        found = sum(_is_position(game, _sample(game, stones, choose)) for _ in range(SAMPLES))
        colours = math.comb(stones, stones // 2)
        most = max(most, int(ways * colours * _share_at_least(found)))
    return most


def _share_at_least(found: int) -> float:
    """A lower bound on a share of which so many samples were found (Hoeffding's inequality)."""
    return max(0.0, found / SAMPLES - math.sqrt(math.log(1 / SURE) / (2 * SAMPLES)))


@lru_cache(maxsize=16)
def _fillings(game: Game) -> list[list[int]]:
    """[columns + 1][stones] ways to fill the columns from each on with so many stones."""
    height = game.cells // game.columns
    ways = [[1] + [0] * game.cells]
    for _ in range(game.columns):
        after = ways[0]
        ways.insert(0, [sum(after[max(0, n - height) : n + 1]) for n in range(game.cells + 1)])
    return ways


def _sample(game: Game, stones: int, choose: random.Random) -> list[int]:
    """Stones laid at random, every way as likely: what lies on each cell."""
    if game.gravity:
        cells, left, ways = list[int](), stones, _fillings(game)
        for column in range(game.columns):
            after = ways[column + 1]
            heights = range(min(left, game.cells // game.columns) + 1)
            height = choose.choices(heights, [after[left - h] for h in heights])[0]
            cells += [column + game.columns * level for level in range(height)]
            left -= height
    else:
        cells = choose.sample(range(game.cells), stones)
    firsts = set(choose.sample(cells, stones - stones // 2))
    board = [0] * game.cells
    for cell in cells:
        board[cell] = 1 if cell in firsts else 2
    return board


def _is_position(game: Game, board: list[int]) -> bool:
    """Return whether stones are a position that is not over, as far as that is found out soon."""
    if not game.scoring:
        lines = np.array(board)[game.lines]
        if ((lines == lines[:, :1]) & (lines > 0)).all(axis=1).any():
            return False
    if not game.gravity:
        return True
    columns = [board[column :: game.columns] for column in range(game.columns)]
    return _can_be_taken_back([[s for s in column if s] for column in columns])


def _can_be_taken_back(columns: list[list[int]]) -> bool:
    """Return whether stones can be taken from the tops of columns in turn, until none is left."""
    seen = set[tuple[int, ...]]()

    def take(left: int) -> bool:
        heights = tuple(map(len, columns))
        if left == 0:
            return True
        if heights in seen or len(seen) > STEPS:
            return False
        seen.add(heights)
        mover = 2 - left % 2
        for column in columns:
            if column and column[-1] == mover:
                column.pop()
                if take(left - 1):
                    return True
                column.append(mover)
        return False

    return take(sum(map(len, columns)))


# Counting sequences of moves to a depth: the classical check of a move generator.


def perft(game: Game, depth: int, progress: Progress = mute) -> list[int]:
    """Return how many sequences of 1, 2, ... `depth` moves there are. Finished games go no further.

    Compiled code comes back after every opening of two moves, to be watched or stopped.
    """
    if depth < 1:
        raise InputError(f"depth {depth} is too small: count at least 1 move")
    depth = min(depth, game.cells)
    tables = tables_of(game)
    board, nodes = new_board(tables), np.zeros(depth, dtype=np.int64)
    openings = _openings(game, min(2, depth - 1))
    for done, opening in enumerate(openings, start=1):
        tried = np.zeros(depth - len(opening), dtype=np.int32)
        _count(tables, board, opening, tried, nodes[len(opening) :])
        progress(done / len(openings))
    counts = [int(n) for n in nodes]
    for ply in range(min(2, depth - 1)):
        counts[ply] = len(_openings(game, ply + 1))
    return counts


def _openings(game: Game, plies: int) -> list[Int32s]:
    """Return all sequences of so many moves, as cells, found on the plain board."""
    position, openings = Position(game), list[Int32s]()

    def extend(cells: list[int]) -> None:
        if len(cells) == plies:
            openings.append(np.array(cells, dtype=np.int32))
            return
        for move in position.legal_moves:
            cell = position.cell_of(move)
            position.push(move)
            extend([*cells, cell])
            position.pop()

    extend([])
    return openings


@jit
def _count(tables: Tables, board: Board, opening: Int32s, tried: Int32s, nodes: Int64s) -> None:
    """Walk all sequences after an opening, depth first.

    `tried[d]` playable cells were tried after d moves. The last move is counted and not made:
    there are as many as playable cells.
    """
    clear(tables, board)
    for cell in opening:
        place(tables, board, cell)
    if board.counters[STATE] != GOING_ON:
        return
    level, last = 0, len(nodes) - 1
    nodes[0] += board.counters[OPEN]
    if last == 0:
        return
    while True:
        if tried[level] < board.counters[OPEN]:
            cell = board.open_cells[tried[level]]
            tried[level] += 1
            place(tables, board, cell)
            if board.counters[STATE] == GOING_ON:
                level += 1
                nodes[level] += board.counters[OPEN]
                if level < last:
                    tried[level] = 0
                    continue
                level -= 1
            undo(tables, board)
        elif level == 0:
            return
        else:
            level -= 1
            undo(tables, board)
