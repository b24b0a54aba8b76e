"""A learner of one's own: one new file, and it trains, resumes, and is in lists and studies."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
from pathlib import Path

import numpy as np
import pytest

import inarow
from inarow.engine.streams import FIRST, LEARNER, make_stream
from inarow.game import InputError, Position
from inarow.game import game as game_of
from inarow.graph.graph import graph_of
from inarow.lab.evaluation import evaluate
from inarow.lab.training.run import Run, load_run, train
from inarow.learn import registry
from inarow.learn.agent import LearnedAgent
from inarow.learn.options import schedule
from inarow.plain.random_stream import RandomStream
from inarow.plain.rule_trainers import RuleTrainer
from inarow.plain.table import Table, epsilon_greedy
from tests.learn.compiled_order import learners_in, positions_of
from tests.ui.conftest import answer, run  # noqa: F401 - fixtures

EXAMPLES = Path(__file__).parents[1] / "examples"
ADDRESS = "expected_sarsa:ExpectedSarsa"
KNOWN = ("--learner", ADDRESS)
STUDY = """
name = "exploration"
[fixed]
game = "tictactoe"
learner = "expected_sarsa"
against = "random"
games = 50
evaluations = ["exact:random"]
[grid]
epsilon = ["0.1", "{other}"]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The current folder, with the one file in it; what it makes known is forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(registry, "_named", {})
    shutil.copy(EXAMPLES / "expected_sarsa.py", tmp_path)
    yield tmp_path
    sys.modules.pop("expected_sarsa", None)


def forget():
    registry._named.clear()


def test_it_is_short():
    assert len((EXAMPLES / "expected_sarsa.py").read_text().splitlines()) < 60


def test_trains_resumes_and_is_listed(run, answer, folder):  # noqa: F811
    assert "expected_sarsa" not in answer("learners")
    listed = answer(*KNOWN, "learners")
    assert listed["expected_sarsa"].startswith("Expected SARSA: towards the mean value")
    options = answer(*KNOWN, "learners", "expected_sarsa")
    assert options["epsilon"]["about"] == "share of random moves, and of their mean"
    assert (options["epsilon"]["least"], options["epsilon"]["greatest"]) == (0, 1)
    forget()

    path = str(folder / "agent.safetensors")
    arguments = ("--against", "random", "--seed", "3", "--set", "epsilon=0.3")
    answer("train", "tictactoe", ADDRESS, *arguments, "--games", "300", "--out", path)
    forget()
    for command in (("train", "--resume", path, "--games", "500"), ("certify", path)):
        status, _, err = run(*command)
        assert (status, err.count("\n")) == (2, 1)
        assert "unknown learner 'expected_sarsa'" in err
        assert "inarow --learner module:Class" in err
    answer(*KNOWN, "train", "--resume", path, "--games", "500")
    straight = train("tictactoe", ADDRESS, "random", games=500, seed=3, epsilon="0.3")
    assert load_run(path).state() == straight.state()
    status, _, err = run("train", "tictactoe", ADDRESS, "--set", "epsilon=7")
    assert (status, err) == (2, "error: option epsilon must be between 0 and 1, not 7\n")


def test_an_instance_and_a_saved_agent(folder):
    with pytest.raises(InputError, match="unknown learner 'expected_sarsa:ExpectedSarsa'"):
        Run("tictactoe", ADDRESS)  # what a file or a visitor names is looked up, and no more
    assert "expected_sarsa" not in sys.modules
    kind = registry.register_address(ADDRESS)
    forget()
    made = inarow.train("tictactoe", kind(alpha=0.2), games=2000, seed=1)  # against itself
    agent = made.agent
    agent.save(folder / "agent.safetensors")
    position = game_of("tictactoe").position("22")
    again = LearnedAgent.load(folder / "agent.safetensors")
    assert again.values(position) == agent.values(position)
    lost = [
        evaluate(one, "exact:random", 0)["chance lost as first against random"]
        for one in (Run("tictactoe", kind()).agent, agent)
    ]
    assert lost[1] < lost[0] / 2
    with pytest.raises(InputError, match="is not a learner"):
        inarow.train("tictactoe", object())


def test_studies_check_every_config_first(run, answer, folder):  # noqa: F811
    (folder / "good.toml").write_text(STUDY.format(other="0.5"))
    (folder / "bad.toml").write_text(STUDY.format(other="7"))
    status, _, err = run("study", "run", "good.toml", "--runs", "1")
    assert (status, "unknown learner 'expected_sarsa'" in err) == (2, True)
    status, _, err = run(*KNOWN, "study", "run", "bad.toml", "--runs", "1")
    assert (status, "option epsilon must be between 0 and 1, not 7" in err) == (2, True)
    assert err.startswith("error: config 1 {")
    assert not list(folder.glob("*.db"))
    shown = answer(*KNOWN, "study", "run", "good.toml", "--runs", "2")
    assert (shown["configs"], shown["finished"]) == (2, 4)
    with sqlite3.connect(folder / "good.db") as connection:
        configs = connection.execute("SELECT * FROM configs").fetchall()
    connection.close()
    assert "expected_sarsa" in json.dumps(configs)


@pytest.mark.parametrize(
    ("against", "options"),
    [
        (None, {}),
        ("random", {"side": "second", "gamma": 0.9, "initial_value": 0.25, "ties": "first"}),
        ("advanced", {"symmetric": False, "alpha": "0.5*0.9/10>0.1", "draw_reward": 0.5}),
    ],
)
def test_the_plain_reference_learns_the_same(against, options):
    made = train("tictactoe", ADDRESS, against, games=150, seed=3, **options)
    table, streams = plain_expected_sarsa(made.learner, against, 3, 150)
    for name, stream in zip(("learner", "trainer"), streams, strict=True):
        assert made.training.arrays[name].tolist() == stream.words
    agent = made.agent
    for _, position in positions_of(graph_of(made.game)):
        for move, value in agent.values(position).items():
            assert value == pytest.approx(table[table.of_move(position, move)], rel=1e-11)


def plain_expected_sarsa(learner, against, seed, games):
    """The rule in its own words: each side's move before learns at its next turn."""
    game = game_of("tictactoe")
    own, trainer = (RandomStream(make_stream(seed, path)) for path in (LEARNER, FIRST))
    table = Table(game, learner.initial_value, learner.symmetric)
    opponent = None if against is None else RuleTrainer(against, trainer)
    rewards = {None: learner.draw_reward}
    for number in range(games):
        alpha = schedule(learner.alpha).at(number)
        epsilon = float(learner.epsilon)
        sides = learners_in(number, learner.side, alone=opponent is None)
        position, before = Position(game), {}
        while position.outcome is None:
            mover = position.to_move
            if mover not in sides:
                position.push(opponent.choose(position))
                continue
            moves = position.legal_moves
            values = {move: table[table.of_move(position, move)] for move in moves}
            move, _ = epsilon_greedy(moves, values.get, epsilon, own, learner.ties)
            if mover in before:
                mean = np.mean(list(values.values()))
                goal = (1 - epsilon) * max(values.values()) + epsilon * mean
                key = before[mover]
                table[key] += alpha * (learner.gamma * goal - table[key])
            before[mover] = table.of_move(position, move)
            position.push(move)
        winner = position.outcome.winner
        for mover, key in before.items():
            won = learner.win_reward if winner == mover else learner.loss_reward
            table[key] += alpha * (rewards.get(winner, won) - table[key])
    return table, [own, trainer]
