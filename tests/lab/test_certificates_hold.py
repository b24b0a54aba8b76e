"""Certificates beside 100,000 sampled games, and the false ones that were given before."""

from __future__ import annotations

import re
from functools import cache
from math import sqrt
from typing import Any

import pytest

import inarow
from inarow.engine.board import tables_of
from inarow.engine.streams import make_stream
from inarow.game import InputError
from inarow.lab.certificates.by_solver import traverse_all
from inarow.lab.certificates.certify import GraphCertificate, certify
from inarow.lab.certificates.perfect_traversal import Traverser
from inarow.lab.matches.match import Tally, match
from inarow.lab.players.protocols import bind_player
from inarow.lab.training.run import Run

GAMES = 100_000
SIDES = ("first", "second")
LEARNED: dict[str, dict[str, Any]] = {
    "td": {"against": "attack-defense", "games": 2_000},
    "q": {"games": 2_000},
    "sarsa": {"against": "random", "games": 2_000},
    "td_lambda": {"games": 2_000},
    "ntuple": {"games": 20_000},
    "mlp": {"games": 2_000},
    "line_td": {"games": 500},
    "monte_carlo": {"games": 2_000},
    "reinforce": {"games": 20_000},
    "reinforce drawn": {"games": 20_000, "play": "drawn"},
}


@cache
def agent(name: str) -> Any:
    """Trained from seed 1 on tic-tac-toe."""
    learner, _, _ = name.partition(" ")
    return inarow.train("tictactoe", learner, seed=1, **LEARNED[name]).agent


@cache
def proof(name: str) -> GraphCertificate:
    return certify(agent(name))


def shares(certificate: GraphCertificate, against: str, side: str) -> list[float]:
    """Won, drawn and lost, by the certificate."""
    odds = certificate.as_json()["odds"][against][side]
    return [odds[end] for end in ("win", "draw", "loss")]


def check_within_sampling_error(expected: list[float], tally: Tally) -> None:
    for chance, count in zip(expected, (tally.wins, tally.draws, tally.losses), strict=True):
        # Five standard errors: about one such test of a million would fail by chance.
        error = 5 * sqrt(chance * (1 - chance) / tally.games)
        assert abs(count / tally.games - chance) <= error + 1e-12


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", LEARNED)
def test_a_certificate_agrees_with_sampled_games(name: str, side: str) -> None:
    certificate = proof(name)
    assert certificate.proven
    for against in ("random", "combined"):
        tally = match("tictactoe", agent(name), against, GAMES, 1, side=side).total
        check_within_sampling_error(shares(certificate, against, side), tally)
        assert tally.losses == 0 or not certificate.sides[side].unbeatable


def test_some_of_them_are_stochastic() -> None:
    """Else the test above would be none: these play many different games against one opponent."""
    for name in ("td", "ntuple", "line_td", "reinforce drawn"):
        assert match("tictactoe", agent(name), "minimax:1", 1000, 1).total.different > 0, name


# What was certified and not true


def test_ties_of_an_ntuple_agent_are_in_its_odds() -> None:
    """74.6% of wins as second against random were stated, 75.7% were played."""
    (won, _, _) = shares(proof("ntuple"), "random", "second")
    assert won == pytest.approx(0.75776, abs=1e-5)


def test_a_tie_that_loses_is_found() -> None:
    """It was unbeatable as first, and lost half its games to minimax."""
    options = {"tuples": 12, "length": 3, "average": 0}
    unlucky = inarow.train("mnk:3x4x3", "ntuple", games=3, seed=24, **options).agent
    certificate = certify(unlucky)
    assert not certificate.sides["first"].unbeatable
    assert certificate.sides["first"].loss_chance == pytest.approx(0.5)
    tally = match("mnk:3x4x3", unlucky, "minimax:6", 2000, 1, side="first").total
    assert 900 < tally.losses < 1100


def test_moves_that_are_drawn_are_all_in_the_proof() -> None:
    """It was unbeatable as first, and lost 1.8% of its games to random."""
    options = {"play": "drawn", "entropy": 0.003}
    run = inarow.train("tictactoe", "reinforce", games=1_500_000, seed=2, **options)
    certificate = certify(run.agent)
    assert not certificate.sides["first"].unbeatable
    tally = match("tictactoe", run.agent, "random", GAMES, 1, side="first").total
    assert tally.losses > 1000
    check_within_sampling_error(shares(certificate, "random", "first"), tally)


def drawing(board: str, bias: float) -> Any:
    """A policy that draws the last column once in some e^bias times, else any of the others."""
    run = Run(board, "reinforce", {"play": "drawn"}, None, 1)
    weights, shape = run.training.arrays["weights"], run.training.shape
    weights[:] = 0
    weights[shape.output_bias :].reshape(-1, run.game.columns)[:, -1] = -bias
    return run.agent


def test_a_walk_follows_moves_that_are_drawn_once_in_a_million_times() -> None:
    """It asked 840 times, with random numbers that lie evenly."""
    board = inarow.game("board:3x3,gravity")
    rarely, traversals = drawing(board.name, 14.0), Traverser(board)
    chances = bind_player(rarely, board, make_stream(1)).policy(board.position())
    assert 0 < chances[2] < 1e-6
    traversal, often = (
        traversals.traverse(rarely, 0),
        traversals.traverse(drawing(board.name, 0.0), 0),
    )
    assert sum(traversal.chances) == pytest.approx(1)
    assert traversal.positions == often.positions  # every move is followed, as if it were likely
    assert [game is None for game in traversal.games] == [game is None for game in often.games]


@pytest.mark.parametrize("side", [0, 1])
def test_a_fast_walk_and_a_plain_one_follow_the_same_ties(side: int) -> None:
    board = inarow.game("board:4x4,k=3,gravity")
    untrained = Run(board, "ntuple", {"tuples": 4, "length": 3}, None, 1).agent
    for replies in ("best", "value"):
        traversal = traverse_all(untrained, board, side, replies)
        assert traversal.as_json()["proven"]
        assert traversal.worst == "loss"


# Another game than one's own


def other_boards(name: str) -> list[str]:
    """Games with as many cells, or as many columns."""
    return ["board:3x3,gravity", "board:3x3,k=2", "board:3x3,scoring", "board:9,k=3", name]


@pytest.mark.parametrize("name", LEARNED)
def test_an_agent_refuses_every_other_game(name: str) -> None:
    own = agent(name)
    for board in other_boards("connect4:4x4"):
        says = f"plays tictactoe, not {re.escape(inarow.game(board).name)}"
        for use in (
            lambda b=board: certify(own, b),
            lambda b=board: match(b, own, "random", 2),
            lambda b=board: match(b, "minimax:1", own, 2),
            lambda b=board: bind_player(own, inarow.game(b), None),
        ):
            with pytest.raises(InputError, match=says):
                use()
        with pytest.raises(InputError, match="plays tictactoe only"):
            own.compiled(tables_of(inarow.game(board)))
        with pytest.raises(InputError, match=says):
            own.values(inarow.game(board).position())
        with pytest.raises(InputError, match=says):
            inarow.train(board, "mlp", against=own, games=1)


def test_the_same_game_by_another_name_is_its_own() -> None:
    assert match("board:3x3,k=3", agent("mlp"), "random", 2).total.games == 2
