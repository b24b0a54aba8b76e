"""What compiled boards promise about order, for plain learners: a random draw is a place in a list.

The plain learners look at moves in the order in which a position lists them. Compiled loops list
open cells and threats in the orders of `PlainBoard`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from inarow.engine.rules import Rule, RuleList
from inarow.engine.streams import FIRST, make_stream
from inarow.game import Game, Position
from inarow.graph.graph import Graph
from inarow.learn.ntuple.network import contributions
from inarow.plain.connect_four import NTupleNetwork
from inarow.plain.random_stream import RandomStream
from tests.engine.reference import PlainBoard, PlainRulePlayer, _find, plain_choose
from tests.graph.plain import stones_of


class OrderedPosition(Position):
    """A position whose legal moves are in the order of a compiled board's open cells."""

    __slots__ = ("_board",)

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._board = PlainBoard(game)

    @property
    def board(self) -> PlainBoard:
        """The board that the moves lead to."""
        if self._board.position.moves != self.moves[: self._board.position.ply]:
            self._board = PlainBoard(self.game)
        for move in self.moves[self._board.position.ply :]:
            self._board.place(self._board.position.cell_of(move))
        return self._board

    @property
    def legal_moves(self) -> list[int]:
        """The moves that may be played, in order; none when the game is over."""
        if self.outcome is not None:
            return []
        return [cell % self.game.columns for cell in self.board.open]

    def filtered(self, rules: Sequence[Rule]) -> tuple[list[int], Rule]:
        """The moves that a tactical filter leaves, and the rule that found them."""
        for rule in rules:
            if found := _find(self.board, rule):
                return [cell % self.game.columns for cell in found], rule
        return self.legal_moves, Rule.END


class BoardOpponent:
    """A rule player as compiled loops over boards play it, for plain learners."""

    def __init__(self, rules: RuleList, seed: int) -> None:
        self.player = PlainRulePlayer(rules, RandomStream(make_stream(seed, FIRST)))

    def begin(self) -> None:
        """Before a game."""
        self.player.begin()

    def choose(self, position: OrderedPosition) -> int:
        """The player's move."""
        return plain_choose(position.board, self.player) % position.game.columns


def opponent_of(rules: RuleList | None, seed: int) -> BoardOpponent | None:
    """The opponent of a run, if it has one."""
    return None if rules is None else BoardOpponent(rules, seed)


def learners_in(number: int, side: str, alone: bool) -> tuple[int, ...]:
    """The sides that learn from a game: both without an opponent."""
    return (1, 2) if alone else ({"first": 1, "second": 2, "both": 1 + number % 2}[side],)


def positions_of(graph: Graph) -> Iterator[tuple[int, Position]]:
    """Every position of a graph that goes on, with its number, reached by some moves."""
    moves_to: dict[int, list[int]] = {0: []}
    for number in range(graph.positions):
        moves = moves_to.pop(number)
        position = Position(graph.game)
        for move in moves:
            position.push(move)
        assert position.stones == stones_of(graph, number)
        edges = range(graph.edge_start[number], graph.edge_start[number + 1])
        for edge in edges:
            moves_to.setdefault(int(graph.child[edge]), [*moves, int(graph.move[edge])])
        if len(edges):
            yield number, position


def as_compiled(network: NTupleNetwork, weights: Any, tuples: Any, shape: Any) -> np.ndarray:
    """Weights of a plain n-tuple network where the compiled run keeps them."""
    table, offset, places = np.zeros(shape, dtype=np.float32), 1, []
    for cells in tuples:
        adds, indices = contributions(network.game, cells, network.states)
        places.append((offset, adds))
        offset += indices
    assert offset == shape[1]
    for (side, number, states), weight in weights.items():
        start, adds = places[number]
        index = start + sum(int(adds[place, state]) for place, state in enumerate(states))
        assert table[side, index] == 0
        table[side, index] = weight
    return table


def counted(outcomes: Sequence[str]) -> list[int]:
    """Games, won, drawn, lost, and the number of the last one lost, as runs count them."""
    lost = [number for number, outcome in enumerate(outcomes, 1) if outcome == "lost"]
    ends = [outcomes.count(outcome) for outcome in ("won", "drawn", "lost")]
    return [len(outcomes), *ends, max(lost, default=0)]
