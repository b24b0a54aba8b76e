"""Backward TD: the update by hand, and the compiled loop against a plain reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inarow
from inarow.engine.streams import FIRST, LEARNER, make_stream
from inarow.game import Game
from inarow.graph.graph import graph_of
from inarow.lab.players.names import RULE_PLAYERS
from inarow.learn.learner import DRAWS, GAMES, LAST_LOSS, LOSSES, WINS
from inarow.learn.options import schedule
from inarow.learn.registry import learner
from inarow.learn.tabular.td import TD, random_share
from inarow.learn.tabular.update_rules import td_update
from inarow.plain.hybrid import HybridAgent
from inarow.plain.random_stream import RandomStream
from inarow.plain.rule_trainers import RuleTrainer
from inarow.plain.table import Table, any_of
from tests.graph.plain import stones_of
from tests.learn.compiled_order import learners_in


def test_the_update_by_hand():
    assert td_update(0.0, 1.0, 0.25, 1.0) == 0.25
    assert td_update(0.25, 1.0, 0.25, 1.0) == 0.4375
    assert td_update(0.5, -1.0, 0.25, 1.0) == 0.125
    assert td_update(0.5, 0.2, 0.5, 0.5) == pytest.approx(0.3)


class PlainTD(HybridAgent):
    """The plain agent with the learner's options."""

    def choose(self, position):
        if self.td.own_opening and position.ply < 2:
            return any_of(position.legal_moves, self.stream)
        return super().choose(position)

    def learn(self, seq, outcome):
        if self.td.update == "own":  # from the positions after its own moves alone
            own = [key for ply, key in enumerate(seq[:-1]) if ply > 0 and ply % 2 == self.side % 2]
            seq = [*own, seq[-1]]
        super().learn(seq, outcome)


class Reference:
    """The plain agent for each side, with one trainer and one count of games."""

    def __init__(self, game: str, trainer: str, seed: int, options: dict) -> None:
        self.td, self.games, self.ends = TD(**options), 0, {"won": 0, "drawn": 0, "lost": 0}
        self.learner = RandomStream(make_stream(seed, LEARNER))
        self.trainer = RuleTrainer(trainer, RandomStream(make_stream(seed, FIRST)))
        self.agents = [self.agent(inarow.game(game), side) for side in (1, 2)]

    def agent(self, game: Game, side: int) -> PlainTD:
        """A plain agent with the options."""
        agent, td = PlainTD(game, self.learner, self.trainer, side), self.td
        agent.td, agent.U = td, Table(game, td.initial_value, td.symmetric)
        agent.discount, agent.ties = td.gamma, td.ties
        agent.won, agent.tied, agent.lost = td.win_reward, td.draw_reward, td.loss_reward
        agent.random_games, agent.random_opening = random_share(td.random_games), td.random_opening
        return agent

    def play(self) -> None:
        """One game more."""
        (side,) = learners_in(self.games, self.td.side, alone=False)
        agent = self.agents[side - 1]
        agent.games, agent.alpha = self.games, schedule(self.td.alpha).at(self.games)
        winner = agent.train_single_game().winner
        self.ends["drawn" if winner is None else "won" if winner == side else "lost"] += 1
        self.games += 1


VARIANTS = [
    ("attack-defense", {}),
    ("combined", {"random_games": "2/5"}),
    ("defense", {"random_opening": False, "random_games": "0/1"}),
    ("random", {"side": "first", "ties": "first"}),
    ("random", {"ties": "first-unless-all"}),
    ("attack", {"side": "both", "alpha": "0.5*0.9/10>0.1", "gamma": 0.9, "initial_value": 0.5}),
    ("defense-attack", {"update": "own", "draw_reward": 0.0}),
    ("defense", {"own_opening": True}),
    ("attack", {"own_opening": True, "side": "both", "ties": "first"}),
    ("advanced", {"symmetric": True, "side": "both"}),  # draws from several equal cells
]


@pytest.mark.parametrize(("trainer", "options"), VARIANTS)
@pytest.mark.parametrize("game", ["tictactoe", "connect4:3x4"])
def test_learns_what_the_plain_reference_learns(game, trainer, options):
    reference = Reference(game, trainer, 7, options)
    training = TD(**options).begin(inarow.game(game), RULE_PLAYERS[trainer].rules, 7)
    for games in (1, 60, 139):
        training.play(games)
    for _ in range(200):
        reference.play()
    counts = training.counts
    assert [counts[WINS], counts[DRAWS], counts[LOSSES]] == list(reference.ends.values())
    assert training.games == reference.games == 200
    assert training.arrays["learner"].tolist() == reference.learner.words
    assert training.arrays["trainer"].tolist() == reference.trainer.stream.words
    slots, graph = training.transitions.state_slot, training.graph
    for agent, learned in zip(reference.agents, training.arrays["utilities"], strict=True):
        for position in range(graph.positions):
            slot = slots[position] if len(slots) else position
            assert learned[slot] == agent.U[agent.U.key(stones_of(graph, position))[0]]


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=6), st.integers(0, 2**40))
def test_however_a_run_is_cut_it_gives_the_same_bits(pieces, seed):
    rules = RULE_PLAYERS["combined"].rules
    whole = TD().begin(inarow.game("tictactoe"), rules, seed)
    cut = TD().begin(inarow.game("tictactoe"), rules, seed)
    whole.play(sum(pieces))
    for games in pieces:
        cut.play(games)
        again = TD().begin(inarow.game("tictactoe"), rules, 0)
        again.restore(cut.arrays)
        cut = again
    assert all((whole.arrays[name] == cut.arrays[name]).all() for name in whole.arrays)


@pytest.mark.parametrize("ties", ["random", "first"])
@pytest.mark.parametrize("symmetric", [False, True])
def test_the_move_that_is_tried_first_changes_nothing(ties, symmetric):
    game, rules = inarow.game("connect4:3x4"), RULE_PLAYERS["attack"].rules
    td = TD(ties=ties, symmetric=symmetric, side="both")
    alone, misled = td.begin(game, rules, 5), td.begin(game, rules, 5)
    graph, choose = graph_of(game), np.random.default_rng(1)
    going_on = np.flatnonzero(graph.state == 0)
    moved = 0
    for _ in range(100):
        alone.play(10)
        misled.play(10)
        edges = choose.integers(graph.edge_start[going_on], graph.edge_start[going_on + 1])
        children = graph.child[edges]
        misled.run.favourites[going_on] = (children << 2) | graph.state[children]
        moved += np.count_nonzero(misled.run.favourites != alone.run.favourites)
    assert moved > 0
    assert all((alone.arrays[name] == misled.arrays[name]).all() for name in alone.arrays)


def test_counts_add_up_and_remember_the_last_loss():
    training = TD().begin(inarow.game("tictactoe"), RULE_PLAYERS["attack"].rules, 3)
    last, lost = 0, 0
    for _ in range(300):
        training.play(1)
        if training.counts[LOSSES] > lost:
            lost, last = int(training.counts[LOSSES]), training.games
        assert training.counts[LAST_LOSS] == last
    counts = training.counts
    assert counts[GAMES] == counts[WINS] + counts[DRAWS] + counts[LOSSES] == 300
    assert 0 < lost < 300


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"side": "third"}, "option side must be one of first, second, both, not 'third'"),
        ({"random_games": "8/7"}, "option random_games: a share of games must be between 0 and 1"),
        ({"random_games": "x"}, "option random_games: write a share of games as 1/7"),
        ({"alpha": "-1"}, "schedule"),
        ({"alpha": 7}, "^option alpha must be between 0 and 1, not 7$"),
        ({"gamma": "high"}, "option gamma must be a number, not 'high'"),
        ({"symmetric": "perhaps"}, "option symmetric must be yes or no"),
        ({"beta": 1}, "td has no option 'beta': there is alpha, gamma"),
    ],
)
def test_bad_options_are_refused(options, message):
    rules = RULE_PLAYERS["random"].rules
    with pytest.raises(inarow.InputError, match=message):
        learner("td", options).begin(inarow.game("tictactoe"), rules, 0)


def test_a_game_that_is_no_graph_is_refused():
    with pytest.raises(inarow.InputError, match="more positions than a table"):
        TD().begin(inarow.game("connect4:6x7"), RULE_PLAYERS["random"].rules, 0)


def test_utilities_stay_between_loss_and_win():
    training = TD().begin(inarow.game("connect4:4x4"), RULE_PLAYERS["attack-defense"].rules, 1)
    training.play(20_000)
    values = training.arrays["utilities"]
    assert values.min() >= -1
    assert values.max() <= 1
    assert np.count_nonzero(values) > 1000
