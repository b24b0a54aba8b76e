"""Interleaved Q-learning: its rule by hand, its loop against a reference, what it comes to."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarow.engine.streams import LEARNER, make_stream
from inarow.game import InputError, Outcome
from inarow.game import game as game_of
from inarow.graph.certificate import certify_side
from inarow.graph.graph import graph_of, values_of
from inarow.lab.training.run import Run, run_from
from inarow.learn.learner import LOSSES, WINS
from inarow.learn.options import schedule
from inarow.learn.tabular.q import Q
from inarow.learn.tabular.update_rules import td_update
from inarow.plain.max_min import QPlayer
from inarow.plain.random_stream import RandomStream
from inarow.plain.table import Table
from tests.learn.compiled_order import counted, positions_of

ENDS = {Outcome.FIRST: "won", Outcome.DRAW: "drawn", Outcome.SECOND: "lost"}


def test_the_rule_by_hand():
    assert td_update(0.5, 1.0, 0.1, 1.0) == pytest.approx(0.55)  # half the way is .5, a tenth .05
    assert td_update(0.5, 1.0, 0.1, 0.8) == pytest.approx(0.53)
    assert td_update(-0.2, -1.0, 0.25, 1.0) == pytest.approx(-0.4)
    assert td_update(0.3, 7.0, 0.0, 1.0) == 0.3
    assert td_update(0.3, 7.0, 1.0, 0.5) == pytest.approx(3.5)


class SkipsExploratory(QPlayer):
    """Backs nothing up through a random reply."""

    def take_action(self, s):
        self.last = super().take_action(s)
        return self.last

    def update(self, pair, target):
        if pair == self.last or not self.explored:
            super().update(pair, target)


class MinimaxQ(QPlayer):
    """Backs a move up from the best reply to it."""

    plies = 1


class LiteralRemark(QPlayer):
    """Player 2 acts on Q_1, as the remark says."""

    def value_of(self, s, a):
        return self.Q_1[self.Q_1.of_move(s, a)] * (1 if s.to_move == 1 else -1)


def plain_q(q: Q, name: str, seed: int, games: int) -> tuple[QPlayer, list[int]]:
    """The plain player after some games, and how they ended."""
    kind = SkipsExploratory if q.skip_exploratory else MinimaxQ if q.minimax else QPlayer
    kind = LiteralRemark if q.literal_remark else kind
    game = game_of(name)
    player = kind(game, RandomStream(make_stream(seed, LEARNER)), gamma=q.gamma)
    player.Q_1, player.Q_2 = (Table(game, q.initial_value, q.symmetric) for _ in range(2))
    player.ties, ends = q.ties, []
    for number in range(games):
        player.alpha, player.epsilon = schedule(q.alpha).at(number), schedule(q.epsilon).at(number)
        ends.append(ENDS[player.train_single_game()])
    return player, counted(ends)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("tictactoe", {}),
        ("tictactoe", {"symmetric": True, "gamma": 0.9, "initial_value": 0.1}),
        ("tictactoe", {"skip_exploratory": True, "alpha": "0.5*0.9/10>0.1"}),
        ("tictactoe", {"minimax": True, "symmetric": True}),
        ("tictactoe", {"literal_remark": True, "ties": "first"}),
        ("tictactoe", {"ties": "first", "epsilon": "1*0.99"}),
        ("board:3x3,gravity,scoring", {"symmetric": True}),
        ("ntictactoe:2^3", {"skip_exploratory": True, "symmetric": True}),
        ("connect4:4x2", {"minimax": True}),
        ("board:3x3,k=1", {}),
    ],
)
def test_the_plain_reference_learns_the_same_bits(name, options):
    run = Run(name, "q", options, seed=3)
    run.training.play(150)
    player, counts = plain_q(run.learner, name, 3, 150)
    assert run.training.arrays["learner"].tolist() == player.stream.words
    assert run.training.counts.tolist() == counts
    agent = run.agent
    for _, position in positions_of(graph_of(run.game)):
        sign = 1 if position.to_move == 1 else -1
        if run.learner.literal_remark and sign < 0:
            sign = 0
        table = player.table(position)
        for move, value in agent.values(position).items():
            assert value == sign * table[table.of_move(position, move)]


def test_a_game_of_one_move():
    run = Run("board:1x1,k=1", "q", {"alpha": "0.5"})
    run.training.play(3)
    assert run.training.arrays["values"].tolist() == [0.875]
    assert run.training.counts.tolist() == [3, 3, 0, 0, 0]


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize(
    "name", ["tictactoe", "board:3x3,gravity", "ntictactoe:2^3", "connect4:4x2"]
)
def test_minimax_q_with_full_steps_comes_to_the_exact_values(name, symmetric):
    options = {"minimax": True, "alpha": "1", "epsilon": "1", "symmetric": symmetric}
    run = Run(name, "q", options)
    run.training.play(300_000)
    graph = graph_of(run.game)
    sign = 1 - 2 * np.repeat(graph.to_move, np.diff(graph.edge_start))
    assert np.array_equal(sign * run.agent.move_values, values_of(graph).value[graph.child])


@given(
    alpha=st.floats(0, 1), epsilon=st.floats(0, 1), gamma=st.floats(0, 1), seed=st.integers(0, 9)
)
@settings(deadline=None, max_examples=25)
def test_values_stay_between_the_rewards(alpha, epsilon, gamma, seed):
    options = {"alpha": f"{alpha:.6f}", "epsilon": f"{epsilon:.6f}", "gamma": gamma}
    run = Run("tictactoe", "q", options, seed=seed)
    run.training.play(500)
    assert np.abs(run.training.arrays["values"]).max() <= 1
    assert run.training.counts[WINS : LOSSES + 1].sum() == 500


@pytest.mark.parametrize("name", ["tictactoe", "connect4:4x4", "mnk:3x4x3"])
def test_a_run_is_the_same_however_it_is_cut(name):
    whole, cut = (Run(name, "q", {"alpha": "0.5*0.999"}, seed=5) for _ in range(2))
    whole.training.play(2000)
    cut.training.play(700)
    cut = run_from(cut.state())
    cut.training.play(1300)
    for array, other in zip(
        whole.training.arrays.values(), cut.training.arrays.values(), strict=True
    ):
        assert np.array_equal(array, other)


def perfect(runs: list[Run]) -> int:
    """How many of the agents can be beaten in neither side."""
    graph = graph_of(runs[0].game)
    return sum(
        all(certify_side(graph, run.agent.policies(graph), side).unbeatable for side in (0, 1))
        for run in runs
    )


def test_how_the_variants_do():
    """Of ten seeds each, how many play perfectly; measured with 200 seeds: 0%, 98%, 100%, 0%."""
    variants = [
        (50_000, {}),
        (100_000, {"skip_exploratory": True}),
        (10_000, {"minimax": True, "symmetric": True}),
        (50_000, {"literal_remark": True}),
    ]
    found = []
    for games, options in variants:
        runs = [Run("tictactoe", "q", options, seed=seed) for seed in range(10)]
        for run in runs:
            run.training.play(games)
        found.append(perfect(runs))
    assert found[0] <= 1
    assert found[1] >= 8
    assert found[2] == 10
    assert found[3] == 0


def test_what_does_not_go_together():
    with pytest.raises(InputError, match="takes no opponent"):
        Run("tictactoe", "q", against="random")
    with pytest.raises(InputError, match="none to skip"):
        Run("tictactoe", "q", {"minimax": True, "skip_exploratory": True})
    with pytest.raises(InputError, match="ties must be one of random, first"):
        Run("tictactoe", "q", {"ties": "last"})
