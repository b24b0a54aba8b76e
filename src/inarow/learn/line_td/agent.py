"""A player that takes the move after which it likes the lines best."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import OPEN, Board, load, new_board
from inarow.engine.contest import register_player
from inarow.engine.jit import inline, jit
from inarow.engine.streams import Stream, below
from inarow.engine.tables import Tables, tables_of
from inarow.game import Game, Position
from inarow.learn.agent import Agent
from inarow.learn.line_td.features import (
    Features,
    Sight,
    Values,
    new_sight,
    see_board,
)
from inarow.learn.line_td.values import look_at_moves


class LinePlayer(NamedTuple):
    """The agent for compiled loops."""

    sight: Sight
    weights: Values  # [phases, features]


@inline
def draw_best_move(
    tables: Tables, board: Board, sight: Sight, weights: Values, stream: Stream
) -> int:
    """The place of the best of the open cells; any of several equally good ones."""
    look_at_moves(tables, board, sight, weights)
    worth, count = sight.worth, board.counters[OPEN]
    best, place, equal = worth[0], 0, 1
    for i in range(1, count):
        if worth[i] > best:
            best, place, equal = worth[i], i, 1
        elif worth[i] == best:
            equal += 1
    if equal > 1:
        skipped = np.int64(below(stream, equal))
        while skipped > 0:  # `place` is the first of them
            place += 1
            skipped -= np.int64(worth[place] == best)
    return place


@inline
def _begin(player: LinePlayer, stream: Stream) -> None:
    """Every game begins alike."""


@inline
def _choose(tables: Tables, board: Board, player: LinePlayer, stream: Stream) -> Any:
    """The cell of the best move."""
    see_board(tables, board, player.sight)
    best = draw_best_move(tables, board, player.sight, player.weights, stream)
    return np.int64(board.open_cells[best])


@inline
def _write(tables: Tables, board: Board, player: LinePlayer, weights: Any) -> None:
    """The best moves, equally likely."""
    see_board(tables, board, player.sight)
    look_at_moves(tables, board, player.sight, player.weights)
    worth, count = player.sight.worth, board.counters[OPEN]
    best = worth[0]
    for i in range(1, count):
        best = max(best, worth[i])
    for i in range(count):
        if worth[i] == best:
            weights[board.open_cells[i] % tables.columns] = 1.0


register_player(LinePlayer, _begin, _choose, _write)


@jit
def look_from(
    tables: Tables, board: Board, stones: npt.NDArray[np.int8], sight: Sight, weights: Values
) -> int:
    """Looks at all moves of a position given by its stones; returns their number."""
    load(tables, board, stones)
    see_board(tables, board, sight)
    look_at_moves(tables, board, sight, weights)
    return board.counters[OPEN]


class LineAgent(Agent):
    """Weights as they are now."""

    def __init__(self, name: str, game: Game, features: Features, weights: Values) -> None:
        self.name, self.game, self.features = name, game, features
        self.weights = weights.copy()

    def arrays_for(self, tables: Tables) -> LinePlayer:
        """The agent for compiled loops."""
        return LinePlayer(new_sight(tables, self.features), self.weights)

    def values(self, position: Position) -> dict[int, float]:
        """What each move is worth: lines to come, or a win as 1 and a loss as -1."""
        self.check_game(position.game)
        if position.outcome is not None:
            return {}
        tables = tables_of(self.game)
        board, sight = new_board(tables), new_sight(tables, self.features)
        stones = np.array(position.stones, dtype=np.int8)
        count = look_from(tables, board, stones, sight, self.weights)
        moves = board.open_cells[:count].astype(np.int64) % tables.columns
        return dict(sorted(zip(moves.tolist(), sight.worth[:count].tolist(), strict=True)))
