"""Games that wrap and misère games from end to end: every way to an answer gives the same one."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import inarow
from inarow.game import EXAMPLES, Game, InputError
from inarow.graph.counting import count_positions
from inarow.graph.graph import graph_of, values_of
from inarow.lab.certificates.certify import GraphCertificate
from inarow.lab.players.names import RULE_PLAYERS, rule_players_for
from inarow.lab.values.move_values import default_opponent, exact
from inarow.papers.connect_four.minimax import new_program
from inarow.search.endgame import Endgame
from inarow.search.perfect import compiled_perfect, solve_or_decide
from inarow.search.solver import Solver, is_planar
from tests.oracle import OracleBoard

VALUES = {"first": 1, "draw": 0, "second": -1}
NAMES = ["tictactoe,misere", "tictactoe,wrap", "connect4:4x4,wrap", "connect4:4x4,wrap,misere"]


def oracle_value(name: str) -> int:
    """Who wins the empty board, by a plain search over the oracle's boards."""
    game = inarow.game(name)

    @cache
    def value(moves: tuple[int, ...]) -> int:
        return known(frozenset(enumerate(played(moves).stones)), moves)

    def played(moves: tuple[int, ...]) -> OracleBoard:
        board = OracleBoard(game)
        for move in moves:
            board.play(move)
        return board

    seen: dict[frozenset[tuple[int, int]], int] = {}

    def known(key: frozenset[tuple[int, int]], moves: tuple[int, ...]) -> int:
        if key not in seen:
            board = played(moves)
            result = board.result()
            if result is not None:
                seen[key] = VALUES[result]
            else:
                after = [value((*moves, move)) for move in board.legal_moves()]
                seen[key] = max(after) if board.to_move() == 1 else min(after)
        return seen[key]

    return value(())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tictactoe,misere", 0),  # the middle, then point reflections, holds the draw
        ("tictactoe,wrap", 1),  # no draw is possible on the affine plane
        ("tictactoe,wrap,misere", 1),
        ("board:3x3,gravity,wrap", 1),
        ("board:3x3,gravity,misere", 1),
        ("board:7,k=3,wrap,misere", -1),
        ("mnk:2x4x4,wrap", 0),
        ("board:2x3x2,k=2,wrap,misere", -1),
        ("board:5x1,k=3,gravity,misere", 0),
    ],
)
def test_the_oracle_the_graph_and_the_solver_agree(name: str, expected: int) -> None:
    value = oracle_value(name)
    assert value == expected
    assert VALUES[str(count_positions(inarow.game(name)).value)] == value
    assert inarow.solve(name).value == value


@pytest.mark.parametrize("name", NAMES)
def test_solver_and_graph_agree_on_every_early_move(name: str) -> None:
    game = inarow.game(name)
    graph, solver = graph_of(game), Solver(game)
    values = values_of(graph)
    for number in np.flatnonzero(graph.state[:400] == 0).tolist():
        stones = [(int(graph.first[number]) >> c & 1, int(graph.second[number]) >> c & 1)
                  for c in range(game.cells)]  # fmt: skip
        own, other = (1, 0) if graph.to_move[number] else (0, 1)
        words = [sum(s[side] << c for c, s in enumerate(stones)) for side in (own, other)]
        every = words[0] | words[1]
        (score,) = solver.score_words(np.array([words[0]]), np.array([every]))
        sign = 1 - 2 * int(graph.to_move[number])
        assert np.sign(score) == sign * values.value[number]
        left = game.cells - every.bit_count()
        if score:  # and how long it takes
            assert abs(score) == (left - values.distance[number]) // 2 + 1


@pytest.mark.parametrize("name", ["connect4:4x4,wrap", "tictactoe,misere"])
def test_perfect_play_is_certified(name: str) -> None:
    certificate = inarow.certify("perfect", name)
    assert isinstance(certificate, GraphCertificate)
    assert certificate.unbeatable
    assert set(certificate.odds) == set(rule_players_for(inarow.game(name)))
    beaten = inarow.certify("random", name)
    assert isinstance(beaten, GraphCertificate)
    refutation = beaten.sides["first"].refutation
    assert refutation is not None
    assert inarow.game(name).position(refutation).outcome is inarow.Outcome.SECOND


def test_games_are_played_and_learned() -> None:
    tally = inarow.match("tictactoe,misere", "perfect", "benchmark", games=60, seed=1).total
    assert tally.losses == 0
    assert tally.wins > 0
    assert (
        inarow.match("tictactoe,misere", "minimax:9", "perfect", games=4, seed=1).total.draws == 4
    )
    run = inarow.train("tictactoe,misere", "td", against="benchmark", games=20_000, seed=1)
    assert run.agent.game.name == "tictactoe,misere"
    learned = inarow.match(
        "tictactoe,misere", run.agent, "random", games=400, seed=2, side="second"
    ).total
    assert learned.wins > 2 * learned.losses
    with pytest.raises(InputError, match="plays tictactoe,misere, not tictactoe"):
        inarow.match("tictactoe", run.agent, "random", games=1)
    with pytest.raises(InputError, match="where a line loses"):
        inarow.match("tictactoe,misere", "attack-defense", "random", games=1)
    assert set(rule_players_for(inarow.game("tictactoe,misere"))) == {"random", "benchmark"}
    testers = [name for name, entry in RULE_PLAYERS.items() if not entry.trainer]
    assert list(rule_players_for(inarow.game("tictactoe"))) == testers


@pytest.mark.parametrize(
    "name", ["connect4:4x5,wrap", "connect4:4x5,wrap,misere", "connect4:6x7,wrap"]
)
def test_what_knows_flat_connect_four_alone_refuses(name: str) -> None:
    """The solver of flat boards answered for a game whose lines were others."""
    game = inarow.game(name)
    flat = Game(game.shape, game.k, gravity=True)
    assert is_planar(flat)
    assert not is_planar(game)
    with pytest.raises(InputError, match="needs stones that fall in a plane"):
        compiled_perfect(game)
    with pytest.raises(InputError, match="not connect4"):
        new_program(game, 2)
    with pytest.raises(InputError, match="endgame search needs"):
        inarow.match(game, Endgame(inarow.player("random"), game.cells), "random", games=1)
    if game.cells == 20:  # a stone in the third column makes a line over the edge
        at_once = (20 - 6 + 1) // 2
        assert inarow.solve(game, "115522").moves[2] == (-at_once if game.misere else at_once)
        assert abs(inarow.solve(flat, "115522").moves[2]) < at_once


def test_an_exact_answer_says_in_how_many_stones() -> None:
    game = inarow.game("tictactoe,misere")
    graph = graph_of(game)
    values = values_of(graph)
    checked = 0
    for moves in ("", "11 22 33", "11 12 13 22 23 21", "22 11 12 13 21"):
        position = game.position(moves)
        found = exact(position)
        assert found is not None
        for move, verdict in found.moves.items():
            position.push(move)
            number, _ = graph.find(position)
            position.pop()
            sign = 1 if position.to_move == 1 else -1
            assert verdict.value == sign * values.value[number]
            if verdict.value:
                assert verdict.stones == values.distance[number] + 1
                checked += 1
    assert checked > 5
    assert default_opponent(game) == "perfect"


@pytest.mark.parametrize("example", [e for e in EXAMPLES if e.value], ids=lambda e: e.name)
def test_the_catalogue_says_who_wins(example) -> None:
    """As solved here: by the book of 6x7, the strategy of Qubic, the solver elsewhere."""
    found = solve_or_decide(inarow.game(example.name).position())
    assert {1: "first", 0: "draw", -1: "second"}[found.value] == example.value


def test_every_example_of_the_catalogue_is_a_game_and_can_be_begun() -> None:
    assert len({example.name for example in EXAMPLES}) == len(EXAMPLES)
    for example in EXAMPLES:
        assert inarow.game(example.name).name == example.name
        assert inarow.game(example.name).position(example.opening or "").outcome is None


def test_names_stand_for_games_in_python() -> None:
    assert graph_of("tictactoe") is graph_of(inarow.game("tictactoe"))
    assert inarow.solve("tictactoe").value == 0
    assert (
        inarow.solve("connect4:4x4", "1").moves
        == inarow.solve(inarow.game("connect4:4x4").position("1")).moves
    )
    for wrong in ("chess", 7):
        with pytest.raises(InputError, match="unknown game"):
            inarow.solve(wrong)
    with pytest.raises(InputError, match="has its moves already"):
        inarow.solve(inarow.game("tictactoe").position(), "11")
    assert set(inarow.__all__) <= set(dir(inarow))
