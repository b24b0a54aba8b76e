"""Policy gradient: its rules by hand, its gradients, its loops against plain references."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inarow.engine.board import tables_of
from inarow.engine.rules import RuleList
from inarow.engine.streams import LEARNER, make_stream
from inarow.game import Game, InputError, Position
from inarow.game import game as game_of
from inarow.lab.matches.match import match
from inarow.lab.players.names import RULE_PLAYERS
from inarow.lab.training.run import Run, run_from
from inarow.learn.reinforce.learner import POSITIVE, RETURN_AS, Reinforce, advantage, propagated
from inarow.learn.reinforce.network import init_weights, rmsprop, shape_of
from inarow.learn.reinforce.paper_version import (
    Drawn,
    add_loss_gradient,
    cross_entropy_slope,
    label_and_weight,
    new_four,
    take_position,
)
from inarow.plain.n_dimensional import PolicyNetwork, ReinforceAsPrinted
from inarow.plain.n_dimensional import Reinforce as PlainReinforce
from inarow.plain.random_stream import RandomStream
from tests.learn.compiled_order import OrderedPosition, learners_in, opponent_of


class SoundPlain(PlainReinforce):
    """The sound version, in the order of compiled boards."""

    start = OrderedPosition


class PrintedPlain(ReinforceAsPrinted):
    """The printed version, in the order of compiled boards, with the options it leaves open."""

    start, return_as, drawn = OrderedPosition, "clipped", False

    def choose(self, seen: Any, cells: list[int]) -> int:
        if self.drawn:
            return super(ReinforceAsPrinted, self).choose(seen, cells)
        return super().choose(seen, cells)

    def label_and_weight(self, R_s: float) -> tuple[float, float]:
        known = np.array([gained for *_, gained in self.memory])
        ways = {
            "clipped": super().label_and_weight(R_s),
            "label": (R_s, 1.0),
            "weight": (1.0, R_s),
            "standardised": (1.0, float((R_s - known.mean()) / max(known.std(), 1e-7))),
            "positive": (1.0, max(R_s, 0.0)),
        }
        return ways[self.return_as]


class PlainRun:
    """A run of the plain learner, in either version."""

    def __init__(
        self, options: Reinforce, game: Game, weights: Any, seed: int, rules: RuleList | None = None
    ) -> None:
        self.options, self.number = options, 0
        self.stream = RandomStream(make_stream(seed, LEARNER))
        kind = PrintedPlain if options.version == "paper" else SoundPlain
        network = PolicyNetwork(game.cells, weights)
        self.player = kind(game, network, self.stream, opponent_of(rules, seed))
        for name in ("decay", "propagation", "draw_reward", "baseline", "entropy", "batch",
                     "replay", "replay_batch", "return_as"):  # fmt: skip
            setattr(self.player, name, getattr(options, name))
        self.player.drawn = options.training_moves == "drawn"

    @property
    def weights(self) -> np.ndarray:
        return self.player.network.weights

    def play(self, games: int) -> None:
        for _ in range(games):
            self.player.alpha = self.options.step_size.at(self.number)
            alone = self.player.opponent is None
            self.player.train_single_game(learners_in(self.number, self.options.side, alone))
            self.number += 1


def objective(weights: Any, hidden: int, decisions: Any, doubt: float, xp: Any = np) -> Any:
    """The sum over moves of advantage * log chance + doubt * entropy, for any array library."""
    total = 0.0
    for seen, cells, cell, better in decisions:
        count, part = len(seen), len(seen) * hidden
        sums = seen @ weights[:part].reshape(count, hidden) + weights[part : part + hidden]
        active = xp.where(sums > 0, sums, 0.01 * sums)
        outputs = weights[part + hidden : 2 * part + hidden].reshape(count, hidden) @ active
        outputs = (outputs + weights[2 * part + hidden :])[xp.array(cells)]
        logs = outputs - xp.log(xp.exp(outputs).sum())
        total = total + better * logs[cells.index(cell)] - doubt * (xp.exp(logs) * logs).sum()
    return total


def cross_entropy(weights: Any, hidden: int, seen: Any, cell: int, label: float) -> Any:
    """The paper's loss for one position."""
    count, part = len(seen), len(seen) * hidden
    sums = seen @ weights[:part].reshape(count, hidden) + weights[part : part + hidden]
    active = np.where(sums > 0, sums, 0.01 * sums)
    outputs = weights[part + hidden : 2 * part + hidden].reshape(count, hidden) @ active
    powers = np.exp(outputs + weights[2 * part + hidden :])
    chances = powers / powers.sum()
    labels = np.where(np.arange(count) == cell, label, 0.0)
    return -(labels * np.log(chances) + (1 - labels) * np.log(1 - chances)).mean()


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
    plain = PlainRun(learner, game, weights, 4)
    found: list[Any] = []
    keep = plain.player.policy_gradient

    def kept(decision: Any, advantage: float) -> Any:
        found.append((*decision[1:], advantage))
        return keep(decision, advantage)

    plain.player.policy_gradient = kept
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
    plain = PlainRun(learner, game, start, 3, opponent)
    for part in (1, games - 1):
        training.play(part)
        plain.play(part)
        assert training.arrays["learner"].tolist() == plain.stream.words
        np.testing.assert_allclose(training.arrays["weights"], plain.weights, rtol=1e-7, atol=1e-9)
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
