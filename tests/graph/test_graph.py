"""Game graphs: the known numbers of positions, and laws that every graph keeps."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

from inarow.engine.board import DRAWN, FIRST_WON, GOING_ON, SECOND_WON
from inarow.game import InputError, Outcome, Position
from inarow.game import game as make_game
from inarow.graph import graph as graphs
from inarow.graph.graph import Graph, Layer, first_layer, graph_of, values_of
from tests.graph.plain import SMALL_GAMES, plain_values, stones_of
from tests.oracle import OracleBoard, random_game

STATES = {
    None: GOING_ON,
    Outcome.FIRST: FIRST_WON,
    Outcome.SECOND: SECOND_WON,
    Outcome.DRAW: DRAWN,
}
game = cache(make_game)

small = pytest.mark.parametrize("name", SMALL_GAMES)
both_kinds = pytest.mark.parametrize("reduced", [False, True])


def position_of(graph: Graph, number: int) -> Position:
    """A position of a graph, reached by going from the empty board to it, backwards."""
    moves = []
    while number:
        edge = int(np.flatnonzero(graph.child == number)[0])
        moves.append(int(graph.move[edge]))
        number = int(np.searchsorted(graph.edge_start, edge, side="right")) - 1
    position = Position(graph.game)
    for move in reversed(moves):
        position.push(move)
    return position


def test_tictactoe():
    raw, reduced = graph_of(game("tictactoe")), graph_of(game("tictactoe"), reduced=True)
    assert raw.by_ply == [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]
    assert raw.positions == 5478
    assert reduced.positions == 765
    assert np.count_nonzero(reduced.state == GOING_ON) == 627
    assert raw.edges == sum(len(moves(raw, s)) for s in range(raw.positions))
    assert (raw.reduced, reduced.reduced) == (False, True)
    assert reduced.by_ply == [1, 3, 12, 38, 108, 174, 204, 153, 57, 15]


def test_connect4_on_16_cells():
    by_ply = [1, 4, 16, 52, 160, 436, 1128, 2512, 5084, 9276, 14788, 21720, 26698, 28922]
    graph = graph_of(game("connect4:4x4"))
    assert graph.by_ply == [*by_ply, 24912, 18076, 7244]
    assert graph.positions == 161_029


def moves(graph: Graph, number: int) -> list[int]:
    return graph.move[graph.edge_start[number] : graph.edge_start[number + 1]].tolist()


@both_kinds
@small
def test_every_position_is_what_play_reaches(name, reduced):
    """Raw: exactly the positions of a plain recursion. Reduced: one of each of their classes."""
    this = game(name)
    graph, reached = graph_of(this, reduced), plain_values(this)
    stones = {stones_of(graph, number) for number in range(graph.positions)}
    assert len(stones) == graph.positions
    if not reduced:
        assert stones == set(reached)
        return
    assert stones <= set(reached)
    rows = this.symmetries.tolist()
    images = {tuple(_moved(one, row)) for one in stones for row in rows}
    assert images == set(reached)
    for one in stones:  # no two of one class
        assert {tuple(_moved(one, row)) for row in rows} & stones == {one}


def _moved(stones, row) -> list[int]:
    image = [0] * len(stones)
    for cell, target in enumerate(row):
        image[target] = stones[cell]
    return image


@both_kinds
@small
def test_laws_of_a_graph(name, reduced):
    graph = graph_of(game(name), reduced)
    assert graph.ply_start[0] == 0
    assert graph.ply_start[-1] == graph.positions == sum(graph.by_ply)
    assert graph.edge_start[0] == 0
    assert graph.edge_start[-1] == graph.edges == len(graph.move)
    assert graph.first[0] == graph.second[0] == 0
    ply = np.repeat(np.arange(len(graph.by_ply)), graph.by_ply)
    stones = np.bitwise_count(graph.first) + np.bitwise_count(graph.second)
    assert (stones == ply).all()
    assert (graph.to_move == ply % 2).all()
    assert not (graph.first & graph.second).any()
    degree = np.diff(graph.edge_start)
    assert ((degree > 0) == (graph.state == GOING_ON)).all()
    parent = np.repeat(np.arange(graph.positions), degree)
    assert (ply[graph.child] == ply[parent] + 1).all()
    assert (graph.child > parent).all()
    # Everything but the empty board is a child, and the unfinished ones of a ply come first.
    assert np.unique(graph.child).tolist() == list(range(1, graph.positions))
    for start, end in zip(graph.ply_start[:-1], graph.ply_start[1:], strict=True):
        over = graph.state[start:end] != GOING_ON
        assert (np.diff(over.astype(int)) >= 0).all()


@small
def test_each_position_agrees_with_the_plain_one(name):
    """Of the raw graph: a path of a reduced one is no game, see the walks below."""
    graph, generator = graph_of(game(name)), random.Random(1)
    for number in generator.sample(range(graph.positions), min(200, graph.positions)):
        position = position_of(graph, number)
        assert position.stones == stones_of(graph, number)
        assert graph.state[number] == STATES[position.outcome]
        assert moves(graph, number) == position.legal_moves
        for edge in range(graph.edge_start[number], graph.edge_start[number + 1]):
            position.push(int(graph.move[edge]))
            assert position.stones == stones_of(graph, graph.child[edge])
            position.pop()


WALKS = [*SMALL_GAMES, "connect4:4x4"]


@both_kinds
@pytest.mark.parametrize("name", WALKS)
def test_a_walk_is_found_at_every_step(name, reduced):
    this = game(name)
    graph = graph_of(this, reduced)
    for seed in range(8):
        position = Position(this)
        for move in [*random_game(this, seed), None]:
            number, symmetry = graph.find(position)
            row = this.symmetries[symmetry]
            assert tuple(_moved(position.stones, row)) == stones_of(graph, number)
            assert reduced or symmetry == 0
            assert graph.state[number] == STATES[position.outcome]
            assert graph.to_move[number] == position.to_move - 1
            written = this.move_permutations[symmetry]
            assert moves(graph, number) == sorted(int(written[m]) for m in position.legal_moves)
            if move is None:
                continue
            # The move, carried over, leads to the position after it.
            edge = graph.edge_start[number] + moves(graph, number).index(int(written[move]))
            position.push(move)
            assert graph.find(position)[0] == graph.child[edge]


@pytest.mark.parametrize("name", ["tictactoe", "connect4:4x4", "board:2x2x2,k=2,scoring"])
def test_images_of_a_position_are_one_position_of_the_reduced_graph(name):
    this = game(name)
    graph = graph_of(this, reduced=True)
    for seed in range(5):
        position = Position(this)
        for move in random_game(this, seed)[:-1]:
            position.push(move)
        number = graph.find(position)[0]
        for symmetry in range(len(this.symmetries)):
            assert graph.find(position.transformed(symmetry))[0] == number


def test_finished_states_by_the_oracle():
    """Scoring games are judged by the lead, at the end only."""
    this = game("board:2x4,k=2,scoring")
    graph, names = graph_of(this), {"first": FIRST_WON, "second": SECOND_WON, "draw": DRAWN}
    over = np.flatnonzero(graph.state != GOING_ON)
    assert graph.ply_start[-2] == over[0]
    board = OracleBoard(this)
    for number in over.tolist():
        board.stones = list(stones_of(graph, number))
        assert graph.state[number] == names[board.result()]
    assert len(set(graph.state[over].tolist())) == 3


def test_a_position_of_another_game_is_refused():
    with pytest.raises(InputError, match=r"a position of mnk:3x3x2 is not one of tictactoe"):
        graph_of(game("tictactoe")).find(Position(game("mnk:3x3x2")))


def test_stones_that_cannot_come_up_are_refused():
    position = Position(game("tictactoe"))
    position._stones = [1] * 9
    with pytest.raises(InputError, match="cannot come up in play"):
        graph_of(game("tictactoe")).find(position)


def test_too_large_games_are_refused(monkeypatch):
    with pytest.raises(InputError, match=r"has 81 cells: .*at most 64 cells"):
        graph_of(game("ntictactoe:3^4"))
    monkeypatch.setattr(graphs, "MAX_POSITIONS", 5000)
    with pytest.raises(InputError, match=r"^connect4:6x7 has too many .* so far$"):
        graph_of(game("connect4:6x7"))
    graphs._graph_of.cache_clear()
    with pytest.raises(InputError, match=r"^tictactoe has too many positions"):
        graph_of(game("tictactoe"))
    monkeypatch.setattr(graphs, "MAX_POSITIONS", 5478)
    assert graph_of(game("tictactoe")).positions == 5478


def test_a_hash_table_tells_the_empty_words_from_an_empty_slot():
    """A zeroed table must not claim to hold the position of zeros."""
    layer = Layer(4)
    assert (layer.slots == -1).all()
    graph = graph_of(game("tictactoe"))
    assert graph.find(Position(game("tictactoe"))) == (0, 0)
    assert np.count_nonzero(graph.slots >= 0) == graph.positions
    assert first_layer().count == 1


def test_graphs_are_made_once():
    assert graph_of(game("tictactoe")) is graph_of(make_game("tictactoe"))


# Exact values: the known ones, and those of a plain minimax.


@pytest.mark.parametrize("reduced", [False, True])
@pytest.mark.parametrize("name", SMALL_GAMES)
def test_a_plain_minimax_says_the_same(name, reduced):
    graph = graph_of(game(name), reduced)
    values, expected = values_of(graph), plain_values(game(name))
    for number in range(graph.positions):
        value, distance = expected[stones_of(graph, number)]
        assert (values.value[number], values.distance[number]) == (value, distance)


def test_values_of_connect4_on_16_cells():
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
