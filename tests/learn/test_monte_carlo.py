"""Deep Monte Carlo: its rule by hand, its gradient, its loop against a plain reference."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from inarow.engine.board import tables_of
from inarow.engine.rules import Rule
from inarow.engine.streams import LEARNER, make_stream
from inarow.game import Game, InputError, Position
from inarow.game import game as game_of
from inarow.lab.evaluation import evaluate
from inarow.lab.matches.match import match
from inarow.lab.training.run import Run, run_from
from inarow.learn.agent import SHIELDS
from inarow.learn.monte_carlo.learner import MonteCarlo, output_error, target_of
from inarow.learn.monte_carlo.network import (
    ACTIVATIONS,
    init_weights,
    new_activations,
    relu_back,
    relu_back_other,
    relu_back_own,
    step_back,
    take_back,
    value_of,
    value_shape,
)
from inarow.learn.options import schedule
from inarow.plain.max_min import DeepPlayer, gradient, value
from inarow.plain.random_stream import RandomStream
from tests.learn.compiled_order import OrderedPosition


def seen_by(encoding: str, stones: Any, mover: int) -> np.ndarray:
    """The two planes of stones, one behind the other."""
    stones, first = np.asarray(stones), mover + 1 if encoding == "own" else 1
    return np.concatenate([stones == first, stones == 3 - first]).astype(float)


def jax_value(weights: Any, seen: Any, activation: str, xp: Any) -> Any:
    """The value network in the functions of JAX."""
    hidden = (len(weights) - 1) // (len(seen) + 2)
    end = len(seen) * hidden
    sums = seen @ weights[:end].reshape(len(seen), hidden) + weights[end : end + hidden]
    active = xp.maximum(sums, 0) if activation == "relu" else xp.tanh(sums)
    return 1 / (1 + xp.exp(-(active @ weights[end + hidden : end + 2 * hidden] + weights[-1])))


class InCompiledOrder(DeepPlayer):
    """The plain player, in the order of compiled boards."""

    start = OrderedPosition


class PlainMonteCarlo(DeepPlayer):
    """The plain player with all options of the learner, in the order of compiled boards."""

    start = OrderedPosition

    def __init__(self, options: MonteCarlo, game: Game, weights: np.ndarray, seed: int) -> None:
        stream = RandomStream(make_stream(seed, LEARNER))
        super().__init__(game, weights, stream, gamma=options.gamma)
        self.options, self.number = options, 0

    def play(self, games: int) -> None:
        for _ in range(games):
            self.alpha = schedule(self.options.alpha).at(self.number)
            self.epsilon = schedule(self.options.epsilon).at(self.number)
            self.train_single_game()
            self.number += 1

    def take_action(self, s: OrderedPosition) -> int:
        rules = () if s.game.scoring else SHIELDS[self.options.shield]
        allowed, found = s.filtered(rules)
        if not rules or found == Rule.END:
            return super().take_action(s)
        if self.epsilon > 0 and self.stream.uniform() < self.epsilon:
            return allowed[self.stream.below(len(allowed))]
        return allowed[0] if found == Rule.WIN else self.best(s, allowed)

    def turned(self, stones: tuple[int, ...]) -> bool:
        """Whether the network speaks of the second player, who has moved last."""
        return self.options.encoding == "own" and stones.count(0) % 2 == self.game.cells % 2

    def seen(self, stones: tuple[int, ...]) -> np.ndarray:
        return seen_by("own" if self.turned(stones) else "sides", stones, 1)

    def v(self, stones: tuple[int, ...]) -> float:
        v = value(self.theta, self.seen(stones), self.options.activation)
        return 1 - v if self.turned(stones) else v

    def gradient(self, stones: tuple[int, ...]) -> np.ndarray:
        found = gradient(self.theta, self.seen(stones), self.options.activation)
        v = self.v(stones)
        scale = 1 / (v * (1 - v)) if self.options.loss_function == "cross-entropy" else 1.0
        return found * (-scale if self.turned(stones) else scale)


def test_the_rule_by_hand() -> None:
    assert target_of(1.0) == 1.0
    assert target_of(-1.0) == 0.0
    assert target_of(0.9**2 * -1) == pytest.approx(0.095)
    assert output_error(0.5, 0.75, 1.0, True) == pytest.approx(0.5 * -0.25 * 0.1875)
    assert output_error(0.5, 0.75, 1.0, False) == pytest.approx(-0.125)


def test_one_step_by_hand() -> None:
    """One cell, one unit: row 2, hidden bias 1, output 0.5, output bias -0.5."""
    shape = value_shape(1, 1, 0, 0)
    weights, sums, changes = (
        np.array([2.0, 0.0, 1.0, 0.5, -0.5]),
        new_activations(shape, float),
        [[0.0]],
    )
    sums.hidden[0] = 3.0  # one stone of the first, and the bias
    given: Any = np.array(changes[0])
    assert value_of(shape, weights, sums, 0) == pytest.approx(1 / (1 + math.exp(-1)))
    step_back(shape, weights, sums.hidden[0], sums.active, given, 0.1, 2.0)
    # The unit's error is 0.1 * 0.5; the output moves by 0.1 * 3; row and bias are in the sum.
    assert weights.tolist() == pytest.approx([2.0, 0.0, 1.0, 0.2, -0.6])
    assert given.tolist() == pytest.approx([0.05])
    assert sums.hidden[0].tolist() == pytest.approx([2.9])
    take_back(sums.hidden[0], weights, 0, given)
    assert weights[0] == pytest.approx(1.95)
    assert sums.hidden[0].tolist() == pytest.approx([0.95])


@pytest.mark.parametrize("views", [1, 2])
def test_fewer_passes_do_the_same_for_rectified_units(views: int) -> None:
    shape, generator = value_shape(3, 7, views - 1, 0), np.random.default_rng(1)
    weights, sums = generator.normal(size=shape.size), new_activations(shape, float)
    sums.hidden[:], changes = generator.normal(size=(2, 7)), generator.normal(size=(2, 7))
    plain, kept, changed = weights.copy(), sums.hidden.copy(), changes.copy()
    value_of(shape, plain, sums, 0)
    step_back(shape, plain, kept[0], sums.active, changed[0], 0.1, 3.0)
    take_back(kept[0], plain, 7, changed[0])
    if views == 1:
        score = relu_back(shape, weights, sums.hidden[0], changes[0], 0.1, 3.0, 7)
    else:
        kept[1] -= sums.active
        take_back(kept[1], plain, 35, changed[1])
        own, other = sums.hidden
        relu_back_own(shape, weights, own, sums.active, changes[0], 0.1, 3.0, 7)
        score = relu_back_other(shape, weights, other, sums.active, changes[1], 35)
    outputs = plain[shape.outputs : shape.output_bias]
    assert score == pytest.approx(float(outputs @ np.maximum(kept[views - 1], 0)))
    for found, wanted in ((weights, plain), (sums.hidden, kept), (changes, changed)):
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_the_gradient_against_finite_differences(activation: str) -> None:
    """Of the reference, which the loop is then compared with weight by weight."""
    shape = value_shape(9, 5, 0, ACTIVATIONS.index(activation))
    weights = init_weights(shape, 1.0, make_stream(1, 0), np.float64)
    weights += np.random.default_rng(1).normal(0, 0.1, shape.size)
    seen = seen_by("sides", [1, 2, 0, 0, 1, 0, 0, 2, 0], 1)
    found, numeric, small = gradient(weights, seen, activation), np.zeros(shape.size), 1e-6
    for i in range(shape.size):
        above, below = weights.copy(), weights.copy()
        above[i] += small
        below[i] -= small
        numeric[i] = value(above, seen, activation) - value(below, seen, activation)
    np.testing.assert_allclose(found, numeric / (2 * small), atol=1e-9)
    assert np.abs(found).max() > 0.1


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_the_gradient_against_jax(activation: str) -> None:
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        weights = np.random.default_rng(2).normal(0, 0.3, value_shape(9, 5, 0, 0).size)
        seen = seen_by("own", [1, 2, 0, 0, 1, 0, 0, 2, 0], 1)
        theirs = jax.grad(lambda w: jax_value(w, seen, activation, jax.numpy))(weights)
        np.testing.assert_allclose(
            gradient(weights, seen, activation), np.array(theirs), atol=1e-12
        )


CASES: list[tuple[str, int, dict[str, Any]]] = [
    ("tictactoe", 60, {}),
    ("tictactoe", 60, {"encoding": "own", "gamma": 0.9, "alpha": "0.5*0.9/10"}),
    ("tictactoe", 40, {"encoding": "own", "activation": "tanh", "epsilon": "0.5*0.8/5"}),
    ("tictactoe", 40, {"loss_function": "cross-entropy", "activation": "tanh", "alpha": "0.1"}),
    ("tictactoe", 40, {"shield": "win", "epsilon": "0"}),
    ("connect4:5x6", 15, {"shield": "block", "encoding": "own", "gamma": 0.95}),
    ("connect4:5x6", 10, {"shield": "safe", "loss_function": "cross-entropy", "alpha": "0.05"}),
    ("ntictactoe:3^3", 6, {"encoding": "own"}),
    ("mnk:4x5x3", 12, {"shield": "block"}),
    ("tictactoe,misere", 40, {"shield": "safe"}),
    ("tictactoe,wrap", 40, {"shield": "block"}),
]


@pytest.mark.parametrize(("name", "games", "options"), CASES)
def test_same_weights_as_the_reference(name: str, games: int, options: dict[str, Any]) -> None:
    game = game_of(name)
    learner = MonteCarlo(**{"hidden": 11, "precision": "double"} | options)
    training = learner.begin(game, None, 3)
    start = training.arrays["weights"].copy()
    plain = PlainMonteCarlo(learner, game, start, 3)
    for part in (1, games - 1):
        training.play(part)
        plain.play(part)
        assert training.arrays["learner"].tolist() == plain.stream.words
        np.testing.assert_allclose(training.arrays["weights"], plain.theta, rtol=1e-10, atol=1e-10)
    assert np.abs(training.arrays["weights"] - start).max() > 0.01


def test_the_plain_player_itself_learns_the_same() -> None:
    """As the document prints it: alpha times b and epsilon times c every n games."""
    game, options = game_of("connect4:4x5"), {"alpha": "0.5*0.9/3", "epsilon": "0.4*0.8/3"}
    learner = MonteCarlo(hidden=11, precision="double", shield="none", encoding="sides", **options)
    training = learner.begin(game, None, 3)
    stream = RandomStream(make_stream(3, LEARNER))
    plain = InCompiledOrder(game, training.arrays["weights"], stream, 0.5, 0.4, learner.gamma)
    training.play(10)
    plain.train(10, n=3, b=0.9, c=0.8)
    assert training.arrays["learner"].tolist() == stream.words
    np.testing.assert_allclose(training.arrays["weights"], plain.theta, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("encoding", ["sides", "own"])
def test_a_run_can_be_cut_and_saved(encoding: str) -> None:
    options = {"encoding": encoding, "alpha": "0.2*0.9/7", "shield": "win"}
    whole = Run("tictactoe", "monte_carlo", options, None, 5)
    whole.training.play(50)
    cut = Run("tictactoe", "monte_carlo", options, None, 5)
    cut.training.play(13)
    cut = run_from(cut.state())
    cut.training.play(37)
    for name, array in whole.training.arrays.items():
        assert np.array_equal(array, cut.training.arrays[name]), name


@pytest.mark.parametrize("encoding", ["sides", "own"])
def test_agents_say_chances(encoding: str) -> None:
    """Of the side to move, as the reference says them."""
    options = MonteCarlo(hidden=9, encoding=encoding, precision="double")
    training = options.begin(game_of("tictactoe"), None, 2)
    training.play(100)
    agent, weights = training.agent(), training.arrays["weights"].copy()
    for moves in ("11 22", "11 22 33"):
        position = agent.game.position(moves)
        found = agent.values(position)
        assert list(found) == position.legal_moves
        side = position.ply % 2
        for move, chance in found.items():
            position.push(move)
            expected = value(weights, seen_by(encoding, position.stones, side))
            position.pop()
            wanted = 1 - expected if encoding == "sides" and side == 1 else expected
            assert chance == pytest.approx(wanted)
    training.play(100)
    assert np.array_equal(agent.weights, weights)
    assert agent.values(agent.game.position("11 21 12 22 13")) == {}


def test_never_loses_as_first_after_200_000_games() -> None:
    """Certified by a walk over all positions; three seeds of those that were not tuned on."""
    for seed in (101, 102, 103):
        run = Run("tictactoe", "monte_carlo", seed=seed)
        run.training.play(200_000)
        assert evaluate(run.agent, "certificate", 0)["unbeatable as first"] == 1


def test_connect_four_behind_a_shield() -> None:
    options = {"hidden": 128, "shield": "block"}
    run = Run("connect4:6x7", "monte_carlo", options, None, 1)
    before = match(run.game, run.agent, "attack-defense", 1000, 1).total.wins
    run.training.play(50_000)
    assert match(run.game, run.agent, "attack-defense", 1000, 1).total.wins > before + 100


def test_divergence_is_said() -> None:
    options = MonteCarlo(alpha="1e37", loss_function="cross-entropy")
    with pytest.raises(InputError, match="training diverged"):
        options.begin(game_of("tictactoe"), None, 0).play(1000)


def test_options_and_games_that_do_not_work() -> None:
    game = game_of("tictactoe")
    wrong: list[dict[str, Any]] = [
        {"hidden": 0},
        {"gamma": 1.5},
        {"init_scale": -1.0},
        {"loss_function": "absolute"},
        {"shield": "all"},
        {"encoding": "colours"},
        {"activation": "step"},
        {"precision": "half"},
    ]
    for options in wrong:
        with pytest.raises(InputError):
            MonteCarlo(**options).begin(game, None, 0)
    with pytest.raises(InputError, match="takes no opponent"):
        Run("tictactoe", "monte_carlo", against="random")
    agent = MonteCarlo().begin(game, None, 0).agent()
    with pytest.raises(InputError, match="plays tictactoe"):
        agent.values(Position(game_of("cube")))
    with pytest.raises(InputError, match="plays tictactoe"):
        agent.compiled(tables_of(game_of("cube")))
