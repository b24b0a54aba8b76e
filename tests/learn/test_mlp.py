"""The compiled learner against its plain reference: the same games, the same weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.plain_mlp import PlainTraining as BenchmarkTwin
from inarow.engine.board import clear, place
from inarow.engine.rules import Rule, RuleList, Scan
from inarow.game import InputError, Outcome
from inarow.game import game as game_of
from inarow.learn.agent import SHIELDS
from inarow.learn.mlp.learner import MLP, MLPTraining, td_target
from inarow.learn.mlp.network import NETWORKS, matrices, network_of
from inarow.learn.mlp.passes import add_stone, clear_stones, forward_board, learn
from inarow.plain.cube import CubePlayer, Perceptron, draw_layers
from inarow.plain.random_stream import RandomStream
from tests.learn.compiled_order import OrderedPosition, learners_in, opponent_of

BENCHMARK = RuleList(((Rule.WIN, Rule.BLOCK, Rule.SAFE),), Scan.GAME)
FIRST_SECOND = (Outcome.FIRST, Outcome.SECOND)
QUICK = {"alpha": "0.05", "precision": "double"}  # a step large enough to see every term

CASES: list[tuple[str, dict[str, Any], RuleList | None, int]] = [
    ("cube", {"network": "deep-structured"}, None, 4),
    ("cube", {"network": "small-structured"}, BENCHMARK, 6),
    ("cube", {"network": "deep-unstructured"}, None, 3),
    ("cube", {"network": "wide-unstructured", "slope": "exact"}, BENCHMARK, 4),
    ("cube", {"network": "lines:3,lines:2,lines:3,9,5", "bias": False}, None, 3),
    ("connect4:6x7", {"network": "lines:2,lines:3", "side": "both"}, BENCHMARK, 6),
    ("tictactoe", {"network": "lines:3,7", "end": "terminal", "gamma": 0.9}, None, 40),
    ("tictactoe", {"network": "7,5,3", "end": "last", "loser": False}, None, 40),
    ("tictactoe", {"network": "lines:2", "gamma": 0.8}, None, 40),
    ("tictactoe", {"network": "5", "shield": "none", "explored": False}, None, 40),
    ("tictactoe", {"network": "lines:2", "shield": "block", "explore": "shielded"}, None, 40),
    ("connect4:4x4", {"network": "lines:2,4", "shield": "safe", "side": "second"}, BENCHMARK, 30),
    ("ntictactoe:3^3", {"network": "lines:2,6", "epsilon": "0.5", "draw_reward": 0.5}, None, 8),
    ("qubic", {"network": "lines:2,6"}, None, 2),
    ("tictactoe,misere", {"network": "lines:2,6", "shield": "safe"}, None, 40),
    ("tictactoe,wrap=0,misere", {"network": "lines:2", "shield": "none"}, BENCHMARK, 30),
    ("connect4:4x4,wrap", {"network": "lines:2,4"}, BENCHMARK, 20),
]


class InCompiledOrder(CubePlayer):
    """The plain player, in the order of compiled boards."""

    start = OrderedPosition


class PlainMLP(CubePlayer):
    """The plain player with all options of the learner, in the order of compiled boards."""

    start = OrderedPosition

    def __init__(self, training: MLPTraining, opponent: RuleList | None, seed: int) -> None:
        mlp: MLP = training.learner
        layers = matrices(training.network, training.arrays["weights"])
        network = Perceptron(layers, {"doubled": 1.0, "exact": 0.5}[mlp.slope], mlp.bias)
        stream = RandomStream(training.arrays["learner"])
        super().__init__(training.game, network, stream, opponent_of(opponent, seed))
        self.alpha, self.epsilon, self.gamma = float(mlp.alpha), float(mlp.epsilon), mlp.gamma
        self.win, self.draw, self.loss = mlp.win_reward, mlp.draw_reward, mlp.loss_reward
        self.mlp, self.ended = mlp, list[OrderedPosition]()

    def play(self, games: int) -> None:
        for _ in range(games):
            sides = learners_in(len(self.ended), self.mlp.side, self.opponent is None)
            self.ended.append(self.learn_from_game(sides))

    def select(self, s: OrderedPosition) -> int:
        rules = () if s.game.scoring else SHIELDS[self.mlp.shield]
        allowed, found = s.filtered(rules)
        self.explored = self.epsilon > 0 and self.stream.uniform() < self.epsilon
        if self.explored:
            among = s.legal_moves if self.mlp.explore == "all" else allowed
            return among[self.stream.below(len(among))]
        return allowed[0] if found == Rule.WIN else self.best(s, allowed)

    def learn(self, s: OrderedPosition, a: int, before: Any) -> None:
        if self.explored and not self.mlp.explored:
            return
        if self.mlp.end == "terminal":
            target = self.gamma * self.network.value(self.afterstate(s, a))
            self.network.learn(before, target, self.alpha)
        else:
            super().learn(s, a, before)

    def learn_end(self, s: OrderedPosition, before: dict[int, Any]) -> None:
        mover, taught = 3 - s.to_move, {True: self.mlp.end != "last", False: self.mlp.loser}
        super().learn_end(s, {side: one for side, one in before.items() if taught[side == mover]})


@pytest.mark.parametrize(("game_name", "options", "opponent", "games"), CASES)
def test_same_weights_as_the_plain_reference(
    game_name: str, options: dict[str, Any], opponent: RuleList | None, games: int
) -> None:
    game, mlp = game_of(game_name), MLP(**{**QUICK, **options})
    training = mlp.begin(game, opponent, 5)
    arrays = training.arrays
    reference = PlainMLP(training, opponent, 5)
    begun = arrays["weights"].copy()
    training.play(games)
    reference.play(games)
    assert arrays["learner"].tolist() == reference.stream.words
    for (weights, biases), (plain, plain_biases) in zip(
        matrices(training.network, arrays["weights"]), reference.network.layers, strict=True
    ):
        np.testing.assert_allclose(weights, plain, rtol=0, atol=1e-12)
        np.testing.assert_allclose(biases, plain_biases, rtol=0, atol=1e-12)
    assert np.abs(arrays["weights"] - begun).max() > 0.01
    unused = ~(training.network.connections | training.network.biases)
    assert not arrays["weights"][unused].any()
    if not mlp.bias:
        assert not arrays["weights"][training.network.biases].any()


@pytest.mark.parametrize("opponent", [None, BENCHMARK])
def test_the_plain_player_itself_learns_the_same(opponent: RuleList | None) -> None:
    """Without options: as the paper describes it, but for what stands in `options`."""
    options = {"bias": False, "slope": "exact", "network": "lines:4,32", "precision": "double"}
    mlp = MLP(**options, alpha="0.05")
    training = mlp.begin(game_of("cube"), opponent, 2)
    layers = matrices(training.network, training.arrays["weights"])
    stream = RandomStream(training.arrays["learner"])
    plain = InCompiledOrder(training.game, Perceptron(layers), stream, opponent_of(opponent, 2))
    plain.alpha = 0.05
    training.play(4)
    plain.train(4)
    for (weights, _), (found, _) in zip(
        matrices(training.network, training.arrays["weights"]), plain.network.layers, strict=True
    ):
        np.testing.assert_allclose(weights, found, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", NETWORKS)
def test_plain_networks_have_the_layers_of_the_compiled_ones(name: str) -> None:
    game = game_of("cube")
    layers = draw_layers(game, name, RandomStream([1, 2, 3, 4]))
    network = network_of(game, name)
    connected = [weights != 0 for weights, _ in matrices(network, network.connections * 1.0)]
    for (weights, _), mask in zip(layers, connected, strict=True):
        assert np.array_equal(weights != 0, mask)
        assert np.abs(weights).max() <= 0.5


def test_a_run_does_not_depend_on_how_it_is_cut() -> None:
    runs = [
        MLP(**{**QUICK, "network": "lines:2,8"}).begin(game_of("cube"), BENCHMARK, 3) for _ in "ab"
    ]
    runs[0].play(12)
    for games in (1, 4, 7):
        runs[1].play(games)
    for name, array in runs[0].arrays.items():
        assert (array == runs[1].arrays[name]).all(), name
    assert runs[0].counts[:1] == 12
    assert runs[0].counts[1:4].sum() == 12


@pytest.mark.parametrize("network", ["lines:3,5", "7,9"])
def test_numbers_begin_at_cache_lines(network: str) -> None:
    training = MLP(network=network).begin(game_of("connect4:4x5"), None, 1)
    again = MLP(network=network).begin(game_of("connect4:4x5"), None, 2)
    again.restore(training.arrays)
    for run in (training, again):
        arrays = [
            run.arrays["weights"],
            *(a for a in run.memory if a.size and a.dtype == np.float32),
        ]
        assert len(arrays) > 10
        assert all(array.ctypes.data % 64 == 0 for array in arrays)
    assert np.array_equal(training.arrays["weights"], again.arrays["weights"])


def test_counts_are_the_learners_or_the_first_players() -> None:
    game, mlp = game_of("tictactoe"), MLP(**{**QUICK, "network": "lines:2", "side": "both"})
    for opponent in (None, BENCHMARK):
        training = mlp.begin(game, opponent, 1)
        reference = PlainMLP(training, opponent, 1)
        training.play(30)
        reference.play(30)
        ends = [position.outcome for position in reference.ended]
        sides = [0 if opponent is None else number % 2 for number in range(30)]
        marks = [
            "drawn" if end is Outcome.DRAW else "won" if end is FIRST_SECOND[side] else "lost"
            for end, side in zip(ends, sides, strict=True)
        ]
        lost = [number + 1 for number, mark in enumerate(marks) if mark == "lost"]
        counted = [marks.count(mark) for mark in ("won", "drawn", "lost")]
        assert training.counts.tolist() == [30, *counted, max(lost, default=0)]


def position_on(training: MLPTraining, moves: list[int]) -> None:
    """Sets the run's board up and lets the network follow."""
    clear(training.tables, training.board)
    clear_stones(training.memory)
    weights = training.arrays["weights"]
    for ply, cell in enumerate(moves):
        place(training.tables, training.board, cell)
        add_stone(training.network.layers, weights, training.memory, cell, ply % 2 == 0)


def value_and_change(training: MLPTraining, moves: list[int], less: int) -> tuple[float, Any]:
    """The value for the last mover, and how one step of size 1 towards 1 + value changes it."""
    position_on(training, moves)
    layers, weights = training.network.layers, training.arrays["weights"]
    view = 1 if (len(moves) - less) % 2 else -1
    forward_board(layers, weights, training.memory, view)
    before, size = weights.copy(), np.int64(less)
    board = training.board
    arguments = (layers, weights, training.memory, training.shares, board.history, len(moves))
    value = learn(*arguments, view, size, 0.0, 0.0, 0.5, True)
    learn(*arguments, view, size, value + 1.0, 1.0, 0.5, True)
    change = weights - before
    weights[:] = before
    return float(value), change


GRADIENTS = ["lines:4,32", "lines:3", "9,5", "lines:2,lines:3,7"]
MOVES = [0, 5, 16, 21, 3, 10, 37, 1]


@pytest.mark.parametrize("network", GRADIENTS)
@pytest.mark.parametrize("less", [0, 1])
def test_steps_are_the_gradient_by_finite_differences(network: str, less: int) -> None:
    training = MLP(network=network, precision="double").begin(game_of("cube"), None, 2)
    weights = training.arrays["weights"]
    _, change = value_and_change(training, MOVES, less)
    used = np.flatnonzero(training.network.connections | training.network.biases)
    tried = np.random.default_rng(1).choice(used, 60, replace=False)
    for place_of in [*tried, used[-1], used[np.argmax(np.abs(change[used]))]]:
        kept, values = weights[place_of], []
        for step in (1e-5, -1e-5):
            weights[place_of] = kept + step
            values.append(value_and_change(training, MOVES, less)[0])
        weights[place_of] = kept
        assert change[place_of] == pytest.approx((values[0] - values[1]) / 2e-5, abs=1e-9)


@pytest.mark.parametrize("network", GRADIENTS)
def test_steps_are_the_gradient_by_jax(network: str) -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    training = MLP(network=network, precision="double").begin(game_of("cube"), None, 2)
    layers = matrices(training.network, training.arrays["weights"])
    inputs = np.zeros(64)
    inputs[MOVES[1::2]], inputs[MOVES[::2]] = 1, -1

    def value(parameters: Any) -> Any:
        active = inputs
        for weights, biases in parameters:
            active = jax.numpy.tanh((active @ weights + biases) / 2)
        return active[0]

    wanted = jax.grad(value)(layers)
    said, change = value_and_change(training, MOVES, 0)
    assert said == pytest.approx(float(value(layers)), abs=1e-14)
    for (found, biases), (right, right_biases), (weights, _) in zip(
        matrices(training.network, change), wanted, layers, strict=True
    ):
        np.testing.assert_allclose(found, right * (weights != 0), rtol=0, atol=1e-14)
        np.testing.assert_allclose(biases, right_biases, rtol=0, atol=1e-14)


def test_one_step_worked_by_hand() -> None:
    """One unit for each line of a board of one line, all weights 0.5, both stones seen."""
    training = MLP(network="lines:1", precision="double", bias=False).begin(
        game_of("mnk:1x2x2"), None, 0
    )
    weights = training.arrays["weights"]
    weights[training.network.connections] = 0.5
    position_on(training, [0, 1])
    forward_board(training.network.layers, weights, training.memory, 1)
    # Own and other stone cancel: sum 0, unit 0, value 0. One less: sum 0.5, unit tanh(0.25).
    unit = np.tanh(0.25)
    value = np.tanh(0.25 * unit)
    arguments = (training.network.layers, weights, training.memory, training.shares)
    arguments += (training.board.history, 2)
    assert learn(*arguments, 1, np.int64(1), 1.0, 0.1, 1.0, False) == pytest.approx(value)
    error = 0.1 * (1 - value) * (1 - value**2)
    (first, _), (second, _) = matrices(training.network, weights)
    assert second[0, 0] == pytest.approx(0.5 + error * unit)
    assert first[:, 0] == pytest.approx([0.5 + error * 0.5 * (1 - unit**2), 0.5])


def test_the_reference_of_the_benchmark_learns_the_same() -> None:
    plain = BenchmarkTwin("cube", "lines:2,5", 3)
    training = MLP(network="lines:2,5", precision="double").begin(game_of("cube"), None, 3)
    plain.play(3)
    training.play(3)
    assert plain.stream.tolist() == training.arrays["learner"].tolist()
    for (weights, biases), (plain_weights, plain_biases) in zip(
        matrices(training.network, training.arrays["weights"]), plain.matrices(), strict=True
    ):
        np.testing.assert_allclose(weights, plain_weights, rtol=0, atol=1e-12)
        np.testing.assert_allclose(biases, plain_biases, rtol=0, atol=1e-12)


def test_targets() -> None:
    assert td_target(0.0, 0.9, 0.5, False) == 0.45
    assert td_target(-1.0, 0.9, 0.5, True) == -1.0


@pytest.mark.parametrize(("sharing", "network"), [("invariant", "lines:3,7"), ("invariant", "6"),
    ("equivariant", "lines:2,lines:2,16"), ("equivariant", "16,8")])  # fmt: skip
def test_shared_weights_look_the_same_from_every_side(sharing: str, network: str) -> None:
    game = game_of("cube")
    mlp = MLP(**{**QUICK, "network": network, "sharing": sharing})
    training = mlp.begin(game, None, 4)
    training.play(3)
    weights, shares = training.arrays["weights"], training.shares
    assert (weights == weights[shares]).all()
    used = training.network.connections
    assert len(np.unique(shares[used])) < used.sum() / 4
    position = game.position("")
    for move in (0, 5, 5, 3, 9, 12, 0):
        position.push(move)
    values = training.agent().values(position)
    for number, moves in enumerate(game.move_permutations):
        others = training.agent().values(position.transformed(number))
        for move, value in values.items():
            assert others[int(moves[move])] == pytest.approx(value, abs=1e-12)
    # A step changes shared weights by the sum of what each of them would change by alone.
    alone = MLP(**{**QUICK, "network": network}).begin(game, None, 4)
    alone.arrays["weights"][:] = weights
    _, change = value_and_change(alone, MOVES, 1)
    _, shared = value_and_change(training, MOVES, 1)
    np.testing.assert_allclose(shared, np.bincount(shares, change)[shares], rtol=0, atol=1e-12)


def test_equivariant_layers_have_groups_of_units() -> None:
    with pytest.raises(InputError, match="12 units is no multiple of the game's 8 symmetries"):
        MLP(network="lines:2,12", sharing="equivariant").begin(game_of("cube"), None, 0)


@pytest.mark.parametrize("opponent", [None, BENCHMARK])
def test_diverging_training_stops(opponent: RuleList | None) -> None:
    rewards = {"win_reward": 1e300, "loss_reward": -1e300}
    mlp = MLP(**{**QUICK, "network": "lines:2,5", "alpha": "1e10", **rewards})
    training = mlp.begin(game_of("cube"), opponent, 1)
    with pytest.raises(InputError, match=r"training diverged: after .* games"):
        training.play(2000)


@pytest.mark.parametrize(
    "option", ["slope", "shield", "explore", "end", "side", "sharing", "precision"]
)
def test_unknown_variants(option: str) -> None:
    with pytest.raises(InputError, match=f"option {option} must be one of .*, not 'other'"):
        MLP(**{option: "other"}).begin(game_of("tictactoe"), None, 0)
