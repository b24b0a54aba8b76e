"""Line TD: its rule by hand, its features, its loop against a plain reference, what it comes to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarow.engine.board import tables_of
from inarow.engine.rules import RuleList
from inarow.engine.streams import LEARNER, make_stream
from inarow.game import Game, InputError, Position
from inarow.game import game as game_of
from inarow.lab.matches.match import match
from inarow.lab.players.names import RULE_PLAYERS
from inarow.lab.training.run import Run, run_from
from inarow.learn.line_td.features import find_features, line_orbits
from inarow.learn.line_td.learner import LineAgent, LineTD, normalised_step, td_target
from inarow.learn.options import schedule
from inarow.plain.line_td import LineFeatures, kinds_of_lines
from inarow.plain.line_td import LineTD as PlainLineTD
from inarow.plain.random_stream import RandomStream
from tests.learn.compiled_order import OrderedPosition, learners_in, opponent_of


class InCompiledOrder(PlainLineTD):
    """The plain learner, in the order of compiled boards."""

    start = OrderedPosition


def plain_of(learner: LineTD, game: Game, opponent: RuleList | None, seed: int) -> PlainLineTD:
    """The plain learner with the options of a learner."""
    features = LineFeatures(game, learner.phases, learner.threats)
    stream = RandomStream(make_stream(seed, LEARNER))
    plain = InCompiledOrder(game, features, stream, opponent_of(opponent, seed))
    plain.gamma, plain.trace_decay = learner.gamma, learner.trace_decay
    plain.cut = learner.explored == "cut"
    return plain


def test_the_rules_by_hand() -> None:
    assert td_target(-1.0, 0.5, 0.25, 2.0, 4.0) == pytest.approx(-1 + 0.5 * (1.5 + 1.0))
    assert td_target(2.0, 1.0, 0.0, 3.0, 99.0) == 5.0
    # Features 1, 2, 2: nine squares. A step of .1 * 3 / 9 moves the value by .1 * 3.
    step = normalised_step(0.1, 3.0, 9.0)
    assert sum(step * feature * feature for feature in (1, 2, 2)) == pytest.approx(0.3)


ORBITS = {"tictactoe": 3, "ntictactoe:3^3": 6, "ntictactoe:3^4": 10, "ntictactoe:3^7": 28}


@pytest.mark.parametrize("name", ORBITS)
def test_kinds_of_lines(name: str) -> None:
    """On 3^n a kind is the axes that a line runs along and how many others are in the middle."""
    game = game_of(name)
    orbits = line_orbits(game)
    assert orbits.max() + 1 == ORBITS[name]
    kinds: dict[int, set[tuple[int, int]]] = {}
    for kind, line in zip(orbits.tolist(), game.lines.tolist(), strict=True):
        cells = np.array(np.unravel_index(line, game.shape))
        still = cells.min(axis=1) == cells.max(axis=1)
        middle = int((cells[still, 0] == 1).sum())
        kinds.setdefault(kind, set()).add((int(still.sum()), middle))
    assert all(len(found) == 1 for found in kinds.values())


KINDS = ["connect4:4x5", "mnk:5x5x4", "cube", "qubic", "ntictactoe:3^3", "connect4:4x5,wrap"]


@pytest.mark.parametrize("name", KINDS)
def test_kinds_of_lines_by_trying_every_symmetry(name: str) -> None:
    game = game_of(name)
    assert line_orbits(game).tolist() == kinds_of_lines(game)


CASES: list[tuple[str, int, str | None, dict[str, Any]]] = [
    ("tictactoe", 30, None, {}),
    ("tictactoe", 30, "advanced", {"explored": "learn", "phases": 9, "trace_decay": 0.0}),
    ("ntictactoe:3^3", 3, None, {"phases": 1, "epsilon": "0.5*0.5"}),
    ("ntictactoe:3^3", 4, "greedy-lines", {"gamma": 0.9, "alpha": "0.4*0.5>0.1"}),
    ("ntictactoe:3^3", 4, "advanced", {"threats": False}),
    ("connect4:4x5", 8, None, {"trace_decay": 0.8}),
    ("connect4:4x5", 8, "advanced", {"side": "second"}),
    ("mnk:4x4x3", 12, "random", {"side": "first"}),
    ("mnk:5x5x4", 3, None, {"phases": 3}),
    ("tictactoe,misere", 30, None, {}),
    ("connect4:4x5,wrap,misere", 8, "benchmark", {}),
]


@pytest.mark.parametrize(("name", "games", "against", "options"), CASES)
def test_same_weights_as_the_reference(
    name: str, games: int, against: str | None, options: dict[str, Any]
) -> None:
    game, learner = game_of(name), LineTD(**({"epsilon": "0.3"} | options))
    opponent = RULE_PLAYERS[against].rules if against else None
    training, plain = learner.begin(game, opponent, 3), plain_of(learner, game, opponent, 3)
    for part in (range(1), range(1, games)):
        training.play(len(part))
        for number in part:
            plain.alpha = schedule(learner.alpha).at(number)
            plain.epsilon = schedule(learner.epsilon).at(number)
            plain.train_single_game(learners_in(number, learner.side, opponent is None))
        assert training.arrays["learner"].tolist() == plain.stream.words
        np.testing.assert_allclose(
            training.arrays["weights"], plain.weights, rtol=1e-10, atol=1e-12
        )
    assert np.count_nonzero(plain.weights) > 10


def agent_of_any_weights(name: str, seed: int) -> tuple[LineAgent, PlainLineTD]:
    """An agent whose weights are drawn, and the reference with the same."""
    game, learner = game_of(name), LineTD()
    plain = plain_of(learner, game, None, 0)
    features = find_features(game, learner.phases, learner.threats)
    weights = np.zeros_like(plain.weights)
    used = np.r_[0:22, features.live[0]]
    weights[:, used] = np.random.default_rng(seed).normal(size=(learner.phases, len(used)))
    plain.weights[:] = weights
    return LineAgent("line_td", game, features, weights), plain


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["tictactoe", "ntictactoe:3^3", "connect4:4x5", "mnk:5x5x4", "cube"]),
    st.lists(st.integers(0, 10**6), max_size=24),
    st.integers(0, 100),
)
def test_values_of_moves_are_those_of_whole_boards(name: str, draws: list[int], seed: int) -> None:
    """What a stone changes is followed through its lines; here all is counted anew."""
    agent, plain = agent_of_any_weights(name, seed)
    position = Position(agent.game)
    for draw in draws:
        if position.outcome is None:
            position.push(position.legal_moves[draw % len(position.legal_moves)])
    values = agent.values(position)
    assert list(values) == position.legal_moves
    for move, value in values.items():
        wanted = plain.value_of(position, move)
        assert value == pytest.approx(wanted, abs=2.0**-19)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 10**6), max_size=20), st.integers(0, 47))
def test_values_are_the_same_in_every_image_of_a_position(draws: list[int], image: int) -> None:
    agent, _ = agent_of_any_weights("ntictactoe:3^3", 1)
    position = Position(agent.game)
    for draw in draws:
        position.push(position.legal_moves[draw % len(position.legal_moves)])
    cells = agent.game.symmetries[image]
    there = agent.values(position.transformed(image))
    assert {int(cells[move]): value for move, value in agent.values(position).items()} == there


def test_a_run_can_be_cut_and_saved() -> None:
    whole = Run("ntictactoe:3^3", "line_td", against="advanced", seed=5)
    whole.training.play(30)
    cut = Run("ntictactoe:3^3", "line_td", against="advanced", seed=5)
    cut.training.play(7)
    cut = run_from(cut.state())
    cut.training.play(23)
    assert np.array_equal(whole.training.arrays["weights"], cut.training.arrays["weights"])
    assert whole.training.counts.tolist() == cut.training.counts.tolist()
    assert whole.games == 30


def test_it_learns_in_three_and_four_dimensions() -> None:
    """Against advanced after a second of its own games; the bars proper are in benchmarks."""
    three, four = Run("ntictactoe:3^3", "line_td"), Run("ntictactoe:3^4", "line_td")
    three.training.play(3000)
    four.training.play(1000)
    assert match(three.game, three.agent, "advanced", 1000, 1).total.wins >= 960
    total = match(four.game, four.agent, "advanced", 400, 1).total
    assert total.wins >= 396
    assert (total.lines_for - total.lines_against) / total.games >= 35


def test_divergence_is_said() -> None:
    training = LineTD(alpha="3", epsilon="0").begin(game_of("ntictactoe:3^3"), None, 0)
    with pytest.raises(InputError, match=r"training diverged: after .* weights are not finite"):
        training.play(10_000)


def test_options_and_games_that_do_not_work() -> None:
    game = game_of("tictactoe")
    for options in ({"phases": 0}, {"phases": 10}, {"explored": "no"}, {"side": "third"}):
        with pytest.raises(InputError):
            LineTD(**options).begin(game, None, 0)  # type: ignore[arg-type]
    agent = LineTD().begin(game, None, 0).agent()
    with pytest.raises(InputError, match="plays tictactoe"):
        agent.values(Position(game_of("cube")))
    with pytest.raises(InputError, match="plays tictactoe"):
        agent.compiled(tables_of(game_of("cube")))
    assert agent.values(game.position("11 21 12 22 13")) == {}
