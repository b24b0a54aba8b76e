"""PettingZoo's own tests pass, and its games are ours."""

import warnings
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from inarow.game import InputError

pytest.importorskip("pettingzoo")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of the examples that its tests import
    from pettingzoo import test as tests

from inarow.adapters import pettingzoo as adapter


@pytest.mark.filterwarnings("ignore:Observation")  # is a dict, is empty, has many dimensions
@pytest.mark.parametrize("name", ["tictactoe", "connect4:4x5", "ntictactoe:3^3"])
def test_the_api_tests_of_pettingzoo(name, capsys):
    tests.api_test(adapter.env(name), num_cycles=100, verbose_progress=False)
    tests.seed_test(partial(adapter.env, name), num_cycles=30)
    tests.parallel_api_test(adapter.parallel_env(name), num_cycles=60)
    tests.parallel_seed_test(partial(adapter.parallel_env, name), num_cycles=30)
    assert "Passed" in capsys.readouterr().out


def test_rendering_and_cycles(capsys):
    custom = {"svg": lambda result: result.startswith("<svg")}
    tests.render_test(partial(adapter.env, "tictactoe"), custom_tests=custom)
    assert "to move" in capsys.readouterr().out
    wide = "connect4:4x1000"  # actions are drawn without a mask: here hardly any is illegal
    tests.max_cycles_test(
        SimpleNamespace(
            env=partial(adapter.env, wide), parallel_env=partial(adapter.parallel_env, wide)
        )
    )


def test_a_game_in_turns():
    environment = adapter.env("tictactoe")
    environment.reset(seed=1)
    total = {"player_0": 0.0, "player_1": 0.0}
    moves = iter([0, 3, 1, 4, 2])
    for agent in environment.agent_iter():
        observation, reward, termination, truncation, _ = environment.last()
        total[agent] += reward
        if termination or truncation:
            environment.step(None)
            continue
        assert observation["observation"][0].sum() <= observation["observation"][1].sum()
        environment.step(next(moves))
    assert total == {"player_0": 1.0, "player_1": -1.0}


def test_lines_can_be_rewarded_when_they_are_made():
    """What the agents collect is the score, in turns and in parallel."""
    rng = np.random.default_rng(3)
    turns = adapter.env("ntictactoe:3^3", rewards="lines")
    parallel = adapter.parallel_env("ntictactoe:3^3", rewards="lines")
    turns.reset()
    parallel.reset()
    totals = [dict.fromkeys(adapter.AGENTS, 0.0) for _ in range(2)]
    for agent in turns.agent_iter():
        observation, reward, over, _, _ = turns.last()
        totals[0][agent] += reward
        if over:
            turns.step(None)
            continue
        move = int(rng.choice(np.flatnonzero(observation["action_mask"])))
        turns.step(move)
        for name, paid in parallel.step(dict.fromkeys(adapter.AGENTS, move))[1].items():
            totals[1][name] += paid
    first, second = parallel.position.score
    assert first + second > 2
    assert totals == [{"player_0": first - second, "player_1": second - first}] * 2
    with pytest.raises(InputError, match="needs a game where every line counts"):
        adapter.env("tictactoe", rewards="lines")


def test_an_illegal_move_ends_the_game():
    environment = adapter.env("tictactoe")
    environment.reset()
    environment.step(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        environment.step(0)
    assert environment.rewards == {"player_0": 0, "player_1": -1}
    assert all(environment.terminations.values())
    parallel = adapter.parallel_env("tictactoe")
    parallel.reset()
    observations, *_ = parallel.step({"player_0": 0, "player_1": 5})
    assert not observations["player_0"]["action_mask"].any()
    assert observations["player_1"]["action_mask"].sum() == 8
    _, rewards, terminated, _, _ = parallel.step({"player_1": 0})
    assert rewards == {"player_0": 0.0, "player_1": -1.0}
    assert all(terminated.values())


def test_bad_input_is_refused_in_a_line():
    parallel = adapter.parallel_env("tictactoe")
    with pytest.raises(InputError, match="call reset"):
        parallel.step({})
    parallel.reset()
    with pytest.raises(InputError, match="no action of player_0"):
        parallel.step({"player_1": np.int64(0)})
    parallel.close()
    with pytest.raises(InputError, match="closed"):
        parallel.reset()
    with pytest.raises(InputError, match="max_cycles=0"):
        adapter.env(max_cycles=0)
    with pytest.raises(InputError, match="render_mode"):
        adapter.env(render_mode="film")
