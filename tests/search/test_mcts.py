"""Tree search: the reference's trees move by move, what it proves, finds and refuses."""

from __future__ import annotations

import math
import random
import time
from typing import Any

import numpy as np
import pytest

import inarow
from inarow.engine.board import load, new_board, tables_of
from inarow.engine.rules import RuleList
from inarow.engine.streams import make_stream
from inarow.game import InputError, Position, game
from inarow.graph.graph import graph_of, values_of
from inarow.lab.players.protocols import bind_player, states_policy
from inarow.lab.values.move_values import estimate
from inarow.learn.line_td.learner import LineTD
from inarow.plain.random_stream import RandomStream
from inarow.search import mcts
from inarow.search.mcts import (
    FILTERS,
    MOST_SIMULATIONS,
    BoundTimedMcts,
    Mcts,
    TimedMcts,
    root_values,
    search,
)
from inarow.search.mcts_tree import (
    CELL,
    COUNT,
    FIRST,
    MEAN,
    MOST_LOGARITHMS,
    PROVEN,
    VISITS,
    CounterLeaves,
    Tree,
    _logarithm_of_visits,
    new_tree,
    plant,
)
from tests.search.plain_mcts import PlainSearch

MASKS = (
    "tictactoe", "tictactoe,misere", "connect4:4x4,wrap", "board:3x3x2,k=3,gravity,scoring",
    "board:7,k=4", "board:3x3,k=1",
)  # fmt: skip
RULES = (
    ("tictactoe,misere", "both"),
    ("connect4:4x4", "tree"),
    ("board:3x3x2,k=3,scoring", "both"),
)


def run(name: str, player: Any, moves: str = "", simulations: int = 0, seed: int = 1) -> Any:
    """A search of a position by a player's arrays: the cell of its move, and the arrays."""
    tables, position = tables_of(game(name)), game(name).position(moves)
    arrays = player.compiled(tables) if isinstance(player, Mcts) else player
    cell = look(position, arrays, new_board(tables), make_stream(seed), simulations)
    return cell, arrays


def look(position: Position, arrays: Any, board: Any, stream: Any, simulations: int = 0) -> int:
    tables = tables_of(position.game)
    load(tables, board, np.array(position.stones, dtype=np.int8))
    return int(search(tables, board, arrays, stream, simulations or arrays.simulations, True))


def told(tree: Tree) -> list[tuple[int, int, float, int]]:
    """The children of the root in their order: cell, visits, mean, what is proven."""
    first = tree.nodes[0, FIRST]
    rows = range(first, first + tree.nodes[0, COUNT])
    return [
        (*(int(tree.nodes[i, part]) for part in (CELL, VISITS)), float(tree.values[i, MEAN]),
         int(tree.nodes[i, PROVEN]))
        for i in rows
    ]  # fmt: skip


def follow(name: str, simulations: int, win_block: str = "plain", moves: int = 99) -> list[Any]:
    """A game against random moves, whose trees are the reference's; the trees."""
    some_game, chance = game(name), random.Random(name)
    tables, player = tables_of(some_game), Mcts(simulations, win_block)
    arrays, board = player.compiled(tables), new_board(tables)
    plain = PlainSearch(some_game, simulations, player.exploration, arrays.leaves)
    stream, position, played, trees = make_stream(5), Position(some_game), list[int](), []
    plain_stream = RandomStream(stream)
    while position.outcome is None and len(trees) < moves:
        since = (played[-2], played[-1]) if played else None
        expected = plain.move(position, plain_stream, since)
        cell = look(position, arrays, board, stream)
        trees.append(told(arrays.tree))
        assert trees[-1] == [child.told for child in plain.root.children]
        assert arrays.tree.nodes[0, VISITS] == plain.root.visits
        assert stream.tolist() == plain_stream.words
        assert cell == expected
        for chosen in (cell % tables.columns, None):
            if position.outcome is None:
                step = chance.choice(position.legal_moves) if chosen is None else chosen
                played.append(position.cell_of(step))
                position.push(step)
    return trees


@pytest.mark.parametrize("name", MASKS)
def test_trees_are_the_references(name):
    visits = [sum(row[1] for row in tree) for tree in follow(name, 60)]
    assert max(visits) > 60 or "wrap" not in name  # what was known already is kept


def test_counters_make_the_same_trees():
    """On a board that needs them, and on one where masks would do."""
    follow("mnk:9x9x5", 20, moves=2)
    for name in MASKS[:4]:
        tables, found = tables_of(game(name)), []
        for counters in (False, True):
            player = Mcts(200).compiled(tables)
            if counters:
                stones = np.zeros((2, tables.cells), dtype=np.bool_)
                lines = np.zeros((2, len(tables.line_words)), dtype=np.int64)
                scratch = np.zeros((2, tables.columns), dtype=np.int32)
                numbers = np.zeros(4, dtype=np.int64)
                leaves = CounterLeaves(*stones, *lines, numbers, scratch[0], scratch[1])
                player = player._replace(leaves=leaves)
            run(name, player)
            found.append(told(player.tree))
        assert found[0] == found[1]


@pytest.mark.parametrize(("name", "win_block"), RULES)
def test_trees_with_rules_are_the_references(name, win_block):
    follow(name, 30, win_block)


@pytest.mark.parametrize("name", ["tictactoe", "tictactoe,misere", "board:3x2x2,k=2,scoring"])
@pytest.mark.parametrize("win_block", ["plain", "both"])
def test_what_is_proven_is_so(name, win_block):
    """Against the exact values of the graph; given time enough, late positions are proven."""
    some_game = game(name)
    graph, chance = graph_of(some_game), random.Random(1)
    values, tables = values_of(graph), tables_of(some_game)
    for simulations in (30, 300, 30_000):
        position = Position(some_game)
        while position.outcome is None:
            player = Mcts(simulations, win_block).compiled(tables)
            look(position, player, new_board(tables), make_stream(2))
            proven = {cell % tables.columns: found for cell, _, _, found in told(player.tree)}
            moves = position.legal_moves
            for move in moves:
                number, _ = graph.find(_after(position, move))
                exact = int(values.value[number]) * (1 if position.to_move == 1 else -1)
                if proven.get(move, 0):
                    assert {1: 1, 2: -1, 3: 0}[proven[move]] == exact
            decided = player.tree.nodes[0, PROVEN] != 0 or len(proven) == 1
            assert decided or simulations < 30_000 or some_game.cells - position.ply > 4
            position.push(chance.choice(moves))


def _after(position: Position, move: int) -> Position:
    copy = position.copy()
    copy.push(move)
    return copy


@pytest.mark.parametrize("win_block", ["plain", "both"])
def test_it_wins_and_blocks(win_block):
    for moves in ("121212", "12121", "72727"):
        cell, _ = run("connect4:6x7", Mcts(500, win_block), moves)
        assert cell % 7 == int(moves[0]) - 1


def test_a_full_tree_grows_no_further(monkeypatch):
    monkeypatch.setattr(mcts, "MOST_NODES", 60)
    player, tables = Mcts(400), tables_of(game("tictactoe"))
    _, arrays = run("tictactoe", player)
    tree = arrays.tree
    held = (tree.nodes, tree.values, tree.logarithms)
    assert player.bytes(tables) == sum(array.nbytes for array in held)
    assert 50 < arrays.tree.path[-1] <= 60
    assert arrays.tree.nodes[0, VISITS] == 400


def test_games_follow_from_the_seed():
    one, same, other = (
        inarow.match("connect4:4x4", "mcts:20", "mcts:5", games=10, seed=seed) for seed in (1, 1, 2)
    )
    assert one == same != other
    assert one.total.different > 0


def test_nothing_is_proven_of_it():
    """Neither of the search, nor of one by the clock, nor of one before exact play."""
    certificate = inarow.certify("mcts:2", "tictactoe")
    assert certificate.proven is False
    assert certificate.unbeatable is None
    for name in ("mcts:2", "mcts:2/1s", "mcts:2+endgame:8"):
        assert not states_policy(inarow.player(name))
        with pytest.raises(InputError, match="cannot be certified against anyone"):
            inarow.certify_against_anyone(name, "connect4:4x4")
    with pytest.raises(InputError, match="stochastic, and nothing can be proven"):
        bind_player(inarow.player("mcts:2"), game("tictactoe"), make_stream(0)).policy(
            game("tictactoe").position("")
        )


def test_by_the_clock():
    timed = inarow.player("mcts:10000000@both/0.02s")
    assert isinstance(timed, TimedMcts)
    assert (timed.name, timed.time_limit) == ("mcts:10000000@both/0.02s", 0.02)
    position = game("mnk:4x4x4").position("")
    timed.move(position)  # compiles
    start = time.process_time()
    assert timed.move(position) in position.legal_moves
    assert time.process_time() - start < 5  # not ten million simulations
    few = BoundTimedMcts(TimedMcts(Mcts(50, "both"), 99), position.game, make_stream(1))
    few.move(position)
    assert few.player.tree.nodes[0, VISITS] == 50


def test_estimates():
    position = game("mnk:4x4x4").position("11 21 12 22 13 23")
    held = estimate(inarow.player("mcts:200@both"), position)
    assert (held.by, held.values) == ("mcts:200@both", {3: 1.0})  # a win, and nothing else


def test_an_agents_values_at_the_leaves():
    """Each child begins with what the agent expects of the move."""
    some_game, learner = game("tictactoe"), LineTD()
    weights = np.random.default_rng(1).normal(
        0, 0.02, learner.layout(some_game, 0, None)["weights"].shape
    )
    agent = learner.agent(some_game, 0, {"weights": weights})
    some = Mcts(1, "tree", agent)
    assert (some.name, some.game) == ("line_td+mcts:1@tree", some_game)
    _, arrays = run("tictactoe", some)
    values = agent.values(Position(some_game))
    assert root_values(tables_of(some_game), arrays.tree) == {}  # not one of them visited yet
    for cell, _, mean, _ in told(arrays.tree):
        assert mean == pytest.approx(values[cell])
    _, arrays = run("tictactoe", Mcts(3000, "tree", agent), "11 22 33")
    assert arrays.tree.nodes[0, PROVEN] == 3  # whatever the agent says, it comes to a draw
    assert run("tictactoe", Mcts(50, "tree", agent), "11 22 12")[0] == 2


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("mcts", "'mcts' is not a player: write mcts:SIMULATIONS"),
        ("mcts:", "is not a player: write mcts:SIMULATIONS"),
        ("mcts:x", "is not a player: write mcts:SIMULATIONS"),
        ("mcts:10/s", "is not a player: write mcts:SIMULATIONS"),
        ("mcts:0", "between 1 and 10,000,000, not 0"),
        ("mcts:10000001", "between 1 and 10,000,000, not 10,000,001"),
        ("mcts:10@win", f"unknown filter 'win': it is one of {', '.join(FILTERS)}"),
        ("mcts:10/0s", "a time limit of 0.0 s leaves no time"),
        ("random+mcts:10", "random cannot be followed by [+]mcts: it must be a learned agent"),
        ("ntuple+mcts:10@both", "with an agent there are no playouts to filter: @both"),
        ("nobody+mcts:10", "unknown player 'nobody'"),
    ],
)
def test_one_line_says_what_is_wrong(name, error):
    with pytest.raises(InputError, match=error) as raised:
        inarow.player(name)
    assert "\n" not in str(raised.value)


def test_agents_without_values_are_refused():
    with pytest.raises(InputError, match="needs an agent that says what it expects of moves"):
        Mcts(10, agent=RuleList(((),))).compiled(tables_of(game("tictactoe")))
    with pytest.raises(InputError, match="exploration must be above 0"):
        Mcts(10, exploration=0)


def test_logarithms_are_those_of_the_library():
    """Those that are looked up, and those of a root with more visits than a table holds."""
    tree = new_tree(1, 9, 10)
    plant(tree)
    assert len(tree.logarithms) == 81
    for visits in range(300):
        tree.nodes[0, VISITS] = visits
        assert _logarithm_of_visits(tree, 0) == math.log(visits + 1)
    assert len(new_tree(1, 9, MOST_SIMULATIONS).logarithms) == MOST_LOGARITHMS
