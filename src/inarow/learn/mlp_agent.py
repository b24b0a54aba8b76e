"""A player that takes the move whose position its value network likes best."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from inarow.engine.board import OPEN, PLY, Board, load, new_board
from inarow.engine.contest import register_player
from inarow.engine.jit import apart, inline, jit, stay_apart
from inarow.engine.rules import Rule, ordered_cells, rules_in
from inarow.engine.streams import Stream
from inarow.engine.tables import Int64s, Tables, tables_of
from inarow.game import Game, InputError, Position
from inarow.learn.agent import Agent
from inarow.learn.layer_sums import logistic
from inarow.learn.mlp_play import Memory, add_stones, look, new_memory, score_moves
from inarow.learn.network import Layers, Network, Weights


class MLPAgent(Agent):
    """A network with its weights as they are now, behind a shield of rules."""

    def __init__(
        self, name: str, network: Network, weights: Weights, shield: tuple[Rule, ...] = (Rule.WIN,)
    ) -> None:
        if weights.shape != (network.size,):
            raise InputError(
                f"{len(weights)} weights do not fit the network on {network.game.name}, "
                f"which has {network.size}"
            )
        self.name, self.game = name, network.game
        self.network, self.weights = network, weights.copy()
        self.shield = rules_of(shield, network.game)

    def arrays_for(self, tables: Tables) -> MLPPlayer:  # noqa: ARG002 - the network is enough
        """The agent for compiled loops."""
        memory = new_memory(self.network, self.weights, False)
        return MLPPlayer(self.network.layers, self.weights, memory, self.shield)

    def values(self, position: Position) -> dict[int, float]:
        """What the network thinks of each move, rules apart; the higher the better."""
        self.check_game(position.game)
        if position.outcome is not None:
            return {}
        tables = tables_of(self.game)
        board, player = new_board(tables), self.compiled(tables)
        scores = np.zeros(self.game.cells)
        count = _value_moves(tables, board, player, np.array(position.stones, np.int8), scores)
        moves = board.open_cells[:count] % np.uint32(self.game.columns)
        return {int(move): float(score) for move, score in zip(moves, scores, strict=False)}


class MLPPlayer(NamedTuple):
    """An agent for compiled loops."""

    layers: Layers
    weights: Weights
    memory: Memory
    rules: Int64s  # the shield


def rules_of(shield: tuple[Rule, ...], game: Game) -> Int64s:
    """A shield as a list that `find_cells` reads.

    Where lines are counted to the end no move wins at once, so there is no shield.
    """
    rules = () if game.scoring else shield
    return np.array(rules_in(rules, game.misere), dtype=np.int64)


@inline
def best_of(scores: Weights, count: int) -> int:
    """The first of the highest scores."""
    chosen = 0
    for i in range(1, count):
        if scores[i] > scores[chosen]:
            chosen = i
    return chosen


@inline
def _look_at(board: Board, player: MLPPlayer) -> None:
    """The board in the view of the side to move."""
    add_stones(player.layers, player.weights, player.memory, board)
    look(player.layers, player.weights, player.memory, 1 - 2 * (board.counters[PLY] & 1))


@inline
def _begin(player: MLPPlayer, stream: Stream) -> None:
    """Every game begins alike."""


@apart
def _best_cell(tables: Tables, board: Board, player: MLPPlayer) -> Any:
    """The cell of the highest value among those that the shield allows, the first of several."""
    stay_apart()
    memory = player.memory
    rule, count = ordered_cells(tables, board, player.rules, memory.found)
    if rule == Rule.WIN or count == 1:
        return np.int64(memory.found[0])
    _look_at(board, player)
    score_moves(player.layers, player.weights, memory, memory.found, count)
    return np.int64(memory.found[best_of(memory.scores, count)])


@inline
def _choose(tables: Tables, board: Board, player: MLPPlayer, stream: Stream) -> Any:  # noqa: ARG001
    """That cell: it is deterministic."""
    return _best_cell(tables, board, player)


@inline
def _write(tables: Tables, board: Board, player: MLPPlayer, weights: Any) -> None:
    """The one move that it chooses."""
    weights[_best_cell(tables, board, player) % tables.columns] = 1.0


register_player(MLPPlayer, _begin, _choose, _write)


@jit
def _value_moves(tables: Tables, board: Board, player: MLPPlayer, stones: Any, values: Any) -> int:
    """The values of all moves in a position, in the order of the board's list; how many."""
    load(tables, board, stones)
    _look_at(board, player)
    count = board.counters[OPEN]
    score_moves(player.layers, player.weights, player.memory, board.open_cells, count)
    for i in range(count):
        values[i] = logistic(player.memory.scores[i])
    return count
