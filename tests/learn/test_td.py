"""Backward TD: the update by hand, and the compiled loop against a plain reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inarow
from inarow.engine.streams import FIRST, LEARNER, Stream, below, make_stream
from inarow.graph.graph import graph_of
from inarow.graph.policies import rule_policies
from inarow.lab.players import RULE_PLAYERS
from inarow.learn.registry import learner
from inarow.learn.schedule import schedule
from inarow.learn.tabular.td import TD, td_update
from inarow.learn.training import DRAWS, GAMES, LAST_LOSS, LOSSES, WINS


def test_the_update_by_hand():
    assert td_update(0.0, 1.0, 0.25, 1.0) == 0.25
    assert td_update(0.25, 1.0, 0.25, 1.0) == 0.4375
    assert td_update(0.5, -1.0, 0.25, 1.0) == 0.125
    assert td_update(0.5, 0.2, 0.5, 0.5) == pytest.approx(0.3)


class Reference:
    """The same learner in the obvious way: a dictionary of utilities, one game at a time."""

    def __init__(self, game: str, trainer: str, seed: int, options: dict) -> None:
        self.graph = graph_of(inarow.game(game))
        self.policies = rule_policies(self.graph, RULE_PLAYERS[trainer].rules)
        self.td = TD(**options)
        self.utilities: tuple[dict[int, float], dict[int, float]] = ({}, {})
        self.learner, self.trainer = make_stream(seed, LEARNER), make_stream(seed, FIRST)
        self.games, self.ends = 0, {"won": 0, "drawn": 0, "lost": 0}

    def class_of(self, position: int) -> int:
        """Positions that are images of each other count as one."""
        if not self.td.symmetric:
            return position
        stones = [
            (int(self.graph.first[position]) >> cell & 1)
            + 2 * (int(self.graph.second[position]) >> cell & 1)
            for cell in range(self.graph.game.cells)
        ]
        images = []
        for row in self.graph.game.symmetries:
            image = [0] * len(stones)
            for cell, stone in enumerate(stones):
                image[row[cell]] = stone
            images.append(tuple(image))
        return hash(min(images))

    def edges(self, position: int) -> list[int]:
        start, end = self.graph.edge_start[position : position + 2]
        return list(range(int(start), int(end)))

    def pick(self, edges: list[int], stream: Stream) -> int:
        return edges[int(below(stream, len(edges)))] if len(edges) > 1 else edges[0]

    def own_move(self, position: int, side: int) -> int:
        edges, known = self.edges(position), self.utilities[side]
        values = [
            known.get(self.class_of(int(self.graph.child[e])), self.td.initial_value) for e in edges
        ]
        best = [e for e, value in zip(edges, values, strict=True) if value == max(values)]
        by_chance = len(best) == len(edges) and self.td.ties == "first-unless-all"
        return self.pick(best, self.learner) if by_chance or self.td.ties == "random" else best[0]

    def play(self) -> None:
        game = self.graph.game
        policy = self.policies[0]
        if len(self.policies) > 1:
            policy = self.policies[int(below(self.trainer, len(self.policies)))]
        share, of = (int(n) for n in self.td.random_games.split("/"))
        random = (self.games + 1) * share // of > self.games * share // of
        side = {"first": 0, "second": 1}.get(self.td.side, self.games % 2)
        position, path = 0, [0]
        while self.graph.state[position] == 0:
            ply = len(path) - 1
            if ply % 2 == side:
                edge = self.own_move(position, side)
            else:
                opening = ply < 2 and self.td.random_opening
                edges = self.edges(position)
                if not (opening or random):
                    edges = [e for e in edges if policy[e] > 0]
                edge = self.pick(edges, self.trainer)
            position = int(self.graph.child[edge])
            path.append(position)
        assert len(path) <= game.cells + 1
        self.learn(path, side)

    def learn(self, path: list[int], side: int) -> None:
        known, state = self.utilities[side], self.graph.state[path[-1]]
        end = "drawn" if state == 3 else ("won" if state == 1 + side else "lost")
        self.ends[end] += 1
        rewards = {"won": self.td.win_reward, "drawn": self.td.draw_reward}
        later = rewards.get(end, self.td.loss_reward)
        known[self.class_of(path[-1])] = later
        alpha = schedule(self.td.alpha).at(self.games)
        for ply in range(len(path) - 2, -1, -1):
            own = ply > 0 and (ply - 1) % 2 == side
            if self.td.update == "own" and not own:
                continue
            place = self.class_of(path[ply])
            value = known.get(place, self.td.initial_value)
            later = value + alpha * (self.td.gamma * later - value)
            known[place] = later
        self.games += 1


VARIANTS = [
    ("attack-defense", {}),
    ("combined", {"random_games": "2/5"}),
    ("defense", {"random_opening": False, "random_games": "0/1"}),
    ("random", {"side": "first", "ties": "first"}),
    ("random", {"ties": "first-unless-all"}),
    ("attack", {"side": "both", "alpha": "0.5*0.9/10>0.1", "gamma": 0.9, "initial_value": 0.5}),
    ("defense-attack", {"update": "own", "draw_reward": 0.0}),
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
    assert (training.arrays["learner"] == reference.learner).all()
    assert (training.arrays["trainer"] == reference.trainer).all()
    slots = training.transitions.state_slot
    for side in range(2):
        learned = training.arrays["utilities"][side]
        for position in range(reference.graph.positions):
            slot = slots[position] if len(slots) else position
            expected = reference.utilities[side].get(
                reference.class_of(position), reference.td.initial_value
            )
            assert learned[slot] == expected


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
