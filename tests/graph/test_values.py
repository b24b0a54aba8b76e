"""Exact values: the known ones, and those of a plain minimax."""

from functools import cache

import numpy as np
import pytest

from inarow.engine.board import DRAWN, FIRST_WON, GOING_ON, SECOND_WON
from inarow.game import game as make_game
from inarow.graph.graph import graph_of
from inarow.graph.values import values_of
from tests.graph.plain import SMALL_GAMES, plain_values, stones_of

game = cache(make_game)


@pytest.mark.parametrize("reduced", [False, True])
@pytest.mark.parametrize("name", SMALL_GAMES)
def test_a_plain_minimax_says_the_same(name, reduced):
    graph = graph_of(game(name), reduced)
    values, expected = values_of(graph), plain_values(game(name))
    for number in range(graph.positions):
        value, distance = expected[stones_of(graph, number)]
        assert (values.value[number], values.distance[number]) == (value, distance)


def test_connect4_on_16_cells():
    values = values_of(graph_of(game("connect4:4x4")))
    assert values.totals() == {"first": 36_499, "draw": 90_120, "second": 34_410}
    assert values.value[0] == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tictactoe", 0),
        ("mnk:4x3x3", 1),
        ("mnk:3x4x3", 1),
        ("connect4:4x4", 0),
        ("board:3x4,k=3,gravity", 1),
        ("board:3x3,k=2", 1),
        ("board:2x2,k=1,scoring", 0),
        ("board:3x3,k=1,scoring", 1),
    ],
)
def test_known_values(name, value):
    """Up to symmetry too, where the graph is larger."""
    assert values_of(graph_of(game(name), reduced=True)).value[0] == value


@pytest.mark.parametrize("name", ["tictactoe", "connect4:4x4", "board:2x2x2,k=2,scoring"])
def test_law_of_values_and_distances(name):
    """The best child gives the value; the winner is as quick, the loser as slow as can be."""
    graph = graph_of(game(name))
    value, distance = (array.astype(int) for array in values_of(graph))
    final = graph.state != GOING_ON
    ends = {FIRST_WON: 1, DRAWN: 0, SECOND_WON: -1}
    assert all((value[graph.state == state] == end).all() for state, end in ends.items())
    assert (distance[final] == 0).all()
    going_on = np.flatnonzero(~final)
    starts = graph.edge_start[going_on]
    parent = np.repeat(np.arange(graph.positions), np.diff(graph.edge_start))
    sign = 1 - 2 * graph.to_move.astype(int)
    own = sign[parent] * value[graph.child]
    best = np.maximum.reduceat(own, starts)
    assert (sign[going_on] * value[going_on] == best).all()
    # Moves that keep the value, and how long they last.
    keeps = own == np.repeat(best, np.diff(graph.edge_start)[going_on])
    steps = distance[graph.child] + 1
    soonest = np.minimum.reduceat(np.where(keeps, steps, 10**6), starts)
    latest = np.maximum.reduceat(np.where(keeps, steps, -1), starts)
    assert (distance[going_on] == np.where(best > 0, soonest, latest)).all()
    # Whoever wins makes the last move, if the game is not scored on a full board.
    if not graph.game.scoring:
        won = (best > 0) & (distance[going_on] % 2 == 0)
        lost = (best < 0) & (distance[going_on] % 2 == 1)
        assert not won.any()
        assert not lost.any()


def test_distances_by_hand():
    def distance(name: str, moves: str) -> int:
        graph = graph_of(game(name))
        return int(values_of(graph).distance[graph.find(game(name).position(moves))[0]])

    assert distance("tictactoe", "") == 9  # a draw fills the board
    assert distance("tictactoe", "11 21 12 22") == 1  # a win at once
    assert distance("tictactoe", "11 21 12 22 33") == 1  # the second player's own
    assert distance("tictactoe", "11 12 22") == 4  # lost: block, a double threat, block, over
    assert distance("board:1x1,k=1", "") == 1


def test_totals_add_up():
    values = values_of(graph_of(game("tictactoe")))
    totals = values.totals()
    assert sum(totals.values()) == 5478
    assert values_of(graph_of(game("tictactoe"))) is values
