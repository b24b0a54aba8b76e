"""Policy gradient: its rules by hand, its gradients, its loops against plain references."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inarow.engine.rules import RuleList
from inarow.engine.streams import make_stream
from inarow.engine.tables import tables_of
from inarow.game import InputError, Position
from inarow.game import game as game_of
from inarow.lab.match import match
from inarow.lab.players import RULE_PLAYERS
from inarow.lab.training import Run, run_from
from inarow.learn.reinforce.four_boards import new_four
from inarow.learn.reinforce.learner import Reinforce
from inarow.learn.reinforce.loop import POSITIVE, RETURN_AS, advantage, propagated
from inarow.learn.reinforce.network import init_weights, rmsprop, shape_of
from inarow.learn.reinforce.paper_loop import (
    Drawn,
    add_loss_gradient,
    cross_entropy_slope,
    label_and_weight,
    take_position,
)
from tests.learn.plain_reinforce import PlainReinforce, cross_entropy, objective


def test_the_rules_by_hand() -> None:
    assert propagated(1.0, 0.8, -2.0) == pytest.approx(-0.6)
    assert advantage(1.5, 2.0) == -0.5
    assert cross_entropy_slope(0.25, 1.0, 4) == pytest.approx(-1.0)
    assert cross_entropy_slope(0.5, 0.0, 4) == pytest.approx(0.5)
    assert cross_entropy_slope(0.5, -1.0, 4) == pytest.approx(1.5)
    ways = [label_and_weight(1.5, 0.5, 2.0, way) for way in range(len(RETURN_AS))]
    assert ways == [(1.0, 1.0), (1.5, 1.0), (1.0, 2.0), (1.0, 2.0), (1.0, 2.0)]
    assert label_and_weight(-1.5, 0.0, 1.0, POSITIVE) == (1.0, 0.0)
    weights, gradient, squares = np.array([1.0, 2.0]), np.array([8.0, 0.0]), np.array([4.0, 1.0])
    rmsprop(weights, gradient, squares, 0.1, 0.75, 0.5)  # slope 4: squares 3 + 4 = 7
    assert squares.tolist() == [7.0, 0.75]
    assert weights.tolist() == pytest.approx([1 + 0.4 / 7**0.5, 2.0])
    assert gradient.tolist() == [0.0, 0.0]


def test_step_sizes_of_the_versions() -> None:
    assert Reinforce(version="paper").step_size.at(10**7) == 0.001
    assert Reinforce().step_size.at(0) == 0.003
    assert Reinforce(alpha="0.5").step_size.at(9) == 0.5


def numeric_gradient(function: Any, weights: np.ndarray) -> np.ndarray:
    """Finite differences, one weight after the other."""
    found, small = np.zeros_like(weights), 1e-6
    for i in range(len(weights)):
        above, below = weights.copy(), weights.copy()
        above[i] += small
        below[i] -= small
        found[i] = (function(above) - function(below)) / (2 * small)
    return found


def one_game(name: str, doubt: float) -> tuple[np.ndarray, np.ndarray, Any, int]:
    """The weights, the gradient after one game without a step, its moves and the hidden units."""
    game, hidden = game_of(name), 5
    learner = Reinforce(hidden=hidden, precision="double", batch=10**9, entropy=doubt)
    training = learner.begin(game, None, 4)
    # Biases begin at 0, and so do all sums of the empty board: just where a unit has its bend.
    training.arrays["weights"] += np.random.default_rng(1).normal(0, 0.1, training.shape.size)
    weights = training.arrays["weights"].copy()
    plain = PlainReinforce(learner, game, weights, 4)
    found: list[Any] = []
    keep = plain.move_gradient
    plain.move_gradient = lambda *move: (found.append(move), keep(*move))[1]  # type: ignore[func-returns-value,method-assign]
    training.play(1)
    plain.play(1)
    assert np.array_equal(weights, training.arrays["weights"])
    return weights, training.arrays["gradient"], found, hidden


@pytest.mark.parametrize(("name", "doubt"), [("tictactoe", 0.0), ("mnk:4x4x3", 0.3)])
def test_the_gradient_against_finite_differences(name: str, doubt: float) -> None:
    weights, gradient, moves, hidden = one_game(name, doubt)
    numeric = numeric_gradient(lambda w: objective(w, hidden, moves, doubt), weights)
    np.testing.assert_allclose(gradient, numeric, atol=1e-7)
    assert np.abs(gradient).max() > 0.1


def test_the_gradient_against_jax() -> None:
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        weights, gradient, moves, hidden = one_game("ntictactoe:3^3", 0.1)
        theirs = jax.grad(lambda w: objective(w, hidden, moves, 0.1, jax.numpy))(weights)
        np.testing.assert_allclose(gradient, np.array(theirs), atol=1e-10)


def test_the_gradient_of_the_papers_loss() -> None:
    shape, generator = shape_of(9, 4), np.random.default_rng(1)
    weights = init_weights(shape, make_stream(1, 0), np.float64)
    weights += 0.1 * generator.normal(size=shape.size)
    seen = generator.integers(-1, 2, (4, 9)).astype(np.int8)
    moves, labels = np.array([5, 0, 8, 5]), np.array([1.0, -0.5, 0.0, 1.4])
    factors = np.array([2.0, 1.0, -0.5, 0.3])
    gradient, four = np.zeros(shape.size), new_four(shape, np.float64)
    for board in range(4):
        take_position(four, board, seen[board])
    add_loss_gradient(shape, weights, gradient, Drawn(four, moves, labels, factors))

    def loss(given: np.ndarray) -> float:
        cases = zip(seen, moves, labels, strict=True)
        return float(factors @ [cross_entropy(given, 4, *case) for case in cases])

    np.testing.assert_allclose(gradient, numeric_gradient(loss, weights), atol=1e-7)


CASES: list[tuple[str, int, str | None, dict[str, Any]]] = [
    ("tictactoe", 40, None, {"batch": 30}),
    ("tictactoe", 40, "advanced", {"batch": 1, "alpha": "0.01*0.9/5", "decay": 0.99}),
    ("ntictactoe:3^3", 10, "greedy-lines", {"batch": 20, "entropy": 0.0}),
    ("ntictactoe:3^3", 6, None, {"batch": 60, "propagation": 1.0}),
    ("connect4:4x5", 20, "advanced", {"side": "second", "batch": 10, "entropy": 0.2}),
    ("tictactoe", 15, "random", {"version": "paper", "replay": 20, "replay_batch": 30}),
    ("ntictactoe:3^3", 4, None, {"version": "paper", "replay": 40, "replay_batch": 25}),
    ("connect4:4x5", 6, "advanced", {"version": "paper", "replay_batch": 20, "side": "first"}),
    (
        "tictactoe", 15, "random",
        {"version": "paper", "replay": 20, "replay_batch": 30, "training_moves": "drawn",
         "return_as": "standardised"},
    ),
    *(
        ("tictactoe", 15, "random", {"version": "paper", "replay_batch": 30, "return_as": way})
        for way in ("positive", "weight", "label")
    ),
    ("tictactoe,misere", 40, "benchmark", {"batch": 30}),
    ("connect4:4x5,wrap,misere", 6, None, {"version": "paper", "replay_batch": 20}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "games", "against", "options"), CASES)
def test_same_weights_as_the_reference(
    name: str, games: int, against: str | None, options: dict[str, Any]
) -> None:
    game, learner = game_of(name), Reinforce(**{"hidden": 7, "precision": "double"} | options)
    opponent: RuleList | None = RULE_PLAYERS[against].rules if against else None
    training = learner.begin(game, opponent, 3)
    start = training.arrays["weights"].copy()
    plain = PlainReinforce(learner, game, start, 3, opponent)
    for part in (1, games - 1):
        training.play(part)
        plain.play(part)
        assert training.arrays["learner"].tolist() == plain.stream.words
        np.testing.assert_allclose(
            training.arrays["weights"], plain.network.weights, rtol=1e-7, atol=1e-9
        )
    assert np.abs(training.arrays["weights"] - start).max() > 0.001


@pytest.mark.parametrize("version", ["sound", "paper"])
def test_a_run_can_be_cut_and_saved(version: str) -> None:
    options = {"version": version, "hidden": 8, "batch": 50, "replay_batch": 50}
    whole = Run("ntictactoe:3^3", "reinforce", options, "advanced", 5)
    whole.training.play(12)
    cut = Run("ntictactoe:3^3", "reinforce", options, "advanced", 5)
    cut.training.play(5)
    cut = run_from(cut.state())
    cut.training.play(7)
    for name, array in whole.training.arrays.items():
        assert np.array_equal(array, cut.training.arrays[name]), name


def test_it_learns_in_four_dimensions() -> None:
    """After 2,000 games against advanced; the paper trained for 21 hours."""
    run = Run("ntictactoe:3^4", "reinforce", against="advanced", seed=1)
    run.training.play(2000)
    assert match(run.game, run.agent, "advanced", 400, 1).total.wins >= 390


def test_agents_say_chances_and_draw_from_them() -> None:
    run = Run("tictactoe", "reinforce", {"play": "drawn"}, "random", 2)
    run.training.play(100)
    position = run.game.position("11 22")
    values = run.agent.values(position)
    assert list(values) == position.legal_moves
    assert sum(values.values()) == pytest.approx(1, abs=1e-6)
    assert match(run.game, run.agent, "greedy-lines", 200, 1).total.games == 200
    assert run.agent.values(run.game.position("11 21 12 22 13")) == {}


@pytest.mark.parametrize("version", ["sound", "paper"])
def test_divergence_is_said(version: str) -> None:
    options = Reinforce(version=version, alpha="1e37", batch=1, replay_batch=10)
    training = options.begin(game_of("tictactoe"), None, 0)
    with pytest.raises(InputError, match=r"training diverged: after .* smaller step size"):
        training.play(1000)


def test_options_and_games_that_do_not_work() -> None:
    game = game_of("tictactoe")
    wrong: list[dict[str, Any]] = [
        {"hidden": 0},
        {"version": "fast"},
        {"play": "no"},
        {"side": "third"},
        {"precision": "half"},
        {"version": "paper", "replay": 3},
        {"batch": 0},
    ]
    for options in wrong:
        with pytest.raises(InputError):
            Reinforce(**options).begin(game, None, 0)
    agent = Reinforce().begin(game, None, 0).agent()
    with pytest.raises(InputError, match="plays tictactoe"):
        agent.values(Position(game_of("cube")))
    with pytest.raises(InputError, match="plays tictactoe"):
        agent.compiled(tables_of(game_of("cube")))
