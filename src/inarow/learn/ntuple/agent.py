"""An n-tuple network as a player: the agent that a run comes to."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import OPEN, PLY, Board, load, new_board
from inarow.engine.contest import register_player
from inarow.engine.jit import inline, jit
from inarow.engine.rules import find_cells
from inarow.engine.streams import Stream
from inarow.engine.tables import Tables, tables_of
from inarow.game import Game, InputError
from inarow.learn.agent import Agent
from inarow.learn.ntuple.accumulator import (
    Eye,
    Weights,
    draw_best_move,
    look_at_moves,
    new_eye,
    see_board,
)
from inarow.learn.ntuple.search import Stack, choose_by_search, new_stack
from inarow.learn.ntuple.tuples import Features


class NTuplePlayer(NamedTuple):
    """A network for compiled loops."""

    eye: Eye
    weights: Weights
    stack: Stack  # of the search; with one row or none, the network alone chooses


@inline
def _begin(player: NTuplePlayer, stream: Stream) -> None:
    """Every game begins alike."""


@inline
def _choose(tables: Tables, board: Board, player: NTuplePlayer, stream: Stream) -> Any:
    """The cell of the best move."""
    eye = player.eye
    _, cells, count = find_cells(tables, board, eye.rules, eye.found)
    if count == 1:
        return np.int64(cells[0])
    if len(player.stack.cells) > 1:
        return choose_by_search(tables, board, eye, player.weights, player.stack)
    see_board(tables, board, eye)
    look_at_moves(tables, board, eye, player.weights, cells, count)
    return np.int64(cells[draw_best_move(eye, count, board.counters[PLY] & 1, stream)])


@inline
def _write(tables: Tables, board: Board, player: NTuplePlayer, weights: Any) -> None:
    """The best moves, equally likely; after a search, the one that it chooses."""
    eye = player.eye
    _, cells, count = find_cells(tables, board, eye.rules, eye.found)
    if count == 1:
        weights[cells[0] % tables.columns] = 1.0
    elif len(player.stack.cells) > 1:
        chosen = choose_by_search(tables, board, eye, player.weights, player.stack)
        weights[chosen % tables.columns] = 1.0
    else:
        see_board(tables, board, eye)
        look_at_moves(tables, board, eye, player.weights, cells, count)
        sign = np.float32(1 - 2 * (board.counters[PLY] & 1))
        best = sign * eye.sums[0]
        for i in range(1, count):
            best = max(best, sign * eye.sums[i])
        for i in range(count):
            if sign * eye.sums[i] == best:
                weights[cells[i] % tables.columns] = 1.0


register_player(NTuplePlayer, _begin, _choose, _write)


@jit
def look_from(
    tables: Tables, board: Board, stones: npt.NDArray[np.int8], eye: Eye, weights: Weights
) -> int:
    """Looks at all moves of a position given by its stones; returns their number."""
    load(tables, board, stones)
    see_board(tables, board, eye)
    count = board.counters[OPEN]
    look_at_moves(tables, board, eye, weights, board.open_cells, count)
    return count


class NTupleAgent(Agent):
    """A player that takes the move after which the network likes the position best.

    With a depth above 1 it looks so many moves ahead, by minimax.
    """

    def __init__(
        self,
        game: Game,
        features: Features,
        weights: Weights,
        shield: bool = True,
        squash: bool = True,
        depth: int = 1,
    ) -> None:
        if depth < 1:
            raise InputError(f"depth {depth} looks at no move: it is 1 or more")
        self.name, self.game = "ntuple" if depth == 1 else f"ntuple/{depth}", game
        self.features, self.weights = features, weights
        self.shield, self.squash, self.depth = shield, squash, depth

    def searching(self, depth: int) -> NTupleAgent:
        """The same network, looking so many moves ahead."""
        return NTupleAgent(self.game, self.features, self.weights, self.shield, self.squash, depth)

    def arrays_for(self, tables: Tables) -> NTuplePlayer:
        """The agent for compiled loops."""
        eye = new_eye(tables, self.features, self.shield)
        stack = new_stack(tables, min(self.depth, tables.cells))
        return NTuplePlayer(eye, self.weights, stack)

    def values(self, position: Any) -> dict[int, float]:
        """What it thinks of each move of the side to move, about 1 if won, -1 if lost."""
        self.check_game(getattr(position, "game", self.game))  # or stones alone
        tables = tables_of(self.game)
        board, eye = new_board(tables), new_eye(tables, self.features, False)
        stones = np.array(getattr(position, "stones", position), dtype=np.int8)
        count = look_from(tables, board, stones, eye, self.weights)
        sign = 1 - 2 * (int(np.count_nonzero(stones)) & 1)
        found = {}
        for cell, total in zip(board.open_cells[:count], eye.sums, strict=False):
            squash = self.squash or np.isinf(total)
            value = np.tanh(float(total)) if squash else float(total)
            found[int(cell) % tables.columns] = sign * float(value)
        return dict(sorted(found.items()))
