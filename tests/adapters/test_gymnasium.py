"""Gymnasium's checker passes; masks, illegal moves, seeds, rendering, closing."""

import re

import numpy as np
import pytest

import inarow
from inarow.game import InputError

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.error import ClosedEnvironmentError, ResetNeeded  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402

import inarow.adapters.gymnasium  # noqa: E402


@pytest.mark.parametrize("side", ["first", "second", "alternating"])
@pytest.mark.parametrize("name", ["TicTacToe", "Connect4", "Cube"])
def test_the_checker_of_gymnasium(name, side, capsys):
    environment = gymnasium.make(f"inarow/{name}-v0", opponent="combined", side=side)
    check_env(environment.unwrapped)
    assert " to move" in capsys.readouterr().out  # it looked at all render modes


def play(environment, seed, games=6):
    """Everything that comes back from some games by the lowest legal move but one."""
    seen = []
    observation, info = environment.reset(seed=seed)
    for _ in range(games):
        over = False
        while not over:
            legal = np.flatnonzero(info["action_mask"])
            assert (environment.unwrapped.action_masks() == info["action_mask"]).all()
            observation, reward, over, truncated, info = environment.step(legal[-2:][0])
            assert environment.observation_space.contains(observation)
            assert not truncated
            seen.append((observation.tobytes(), reward, over))
        assert not info["action_mask"].any()
        observation, info = environment.reset()
    return seen


def test_games_follow_from_the_seed_and_from_the_batch():
    make = gymnasium.make("inarow/TicTacToe-v0", opponent="combined", side="alternating")
    seen = play(make, 1)
    assert seen == play(make, 1)
    assert seen != play(make, 2)
    batch, found = inarow.batch("tictactoe", 1, "combined", "alternating", 1), []
    while len(found) < len(seen):
        legal = np.flatnonzero(batch.action_masks[0])
        step = batch.step([legal[-2:][0]])
        last = batch.final_observations() if step.done[0] else step.observations
        found.append((last[0].tobytes(), float(step.rewards[0]), bool(step.done[0])))
    assert found == seen


def test_lines_can_be_rewarded_when_they_are_made():
    """Alone and in a vector: what a game pays is the agent's lines less the opponent's."""
    known = {"game": "ntictactoe:3^3", "opponent": "advanced", "rewards": "lines"}
    alone = gymnasium.make("inarow/Game-v0", render_mode="ansi", **known)
    many = gymnasium.make_vec("inarow/Game-v0", 1, vectorization_mode="vector_entry_point", **known)
    (_, info), _ = alone.reset(seed=2), many.reset(seed=2)
    paid, over = [], False
    while not over:
        move = int(np.flatnonzero(info["action_mask"])[-1])
        _, reward, over, _, info = alone.step(move)
        assert many.step([move])[1][0] == reward
        paid.append(reward)
    first, second = (int(n) for n in re.findall(r"[XO] (\d+)", alone.render()))
    assert sum(paid) == first - second
    assert sum(map(abs, paid)) > 1
    with pytest.raises(InputError, match="needs a game where every line counts"):
        gymnasium.make("inarow/TicTacToe-v0", rewards="lines")


def test_an_illegal_move_loses():
    environment = gymnasium.make("inarow/TicTacToe-v0")
    environment.reset(seed=1)
    environment.step(4)
    _, reward, terminated, _, info = environment.step(4)
    assert (reward, terminated, info["illegal_action"]) == (-1.0, True, True)
    assert not info["action_mask"].any()
    with pytest.raises(ResetNeeded):
        environment.unwrapped.step(0)
    observation, info = environment.reset()
    assert observation.sum() == 0
    assert info["action_mask"].all()


def test_bad_input_is_refused_in_a_line():
    with pytest.raises(InputError, match="render_mode 'film'"):
        inarow.adapters.gymnasium.InARowEnv(render_mode="film")
    with pytest.raises(InputError, match="needs an opponent"):
        inarow.adapters.gymnasium.InARowEnv(opponent=None)
    environment = inarow.adapters.gymnasium.InARowEnv("mnk:3x3x3")
    with pytest.raises(ResetNeeded):
        environment.step(0)
    environment.reset()
    for action in (1.5, "4", None, True, [1, 2]):
        with pytest.raises(InputError, match="is not a move"):
            environment.step(action)
    environment.step(4)
    environment.close()
    for call in (environment.reset, environment.render, lambda: environment.step(0)):
        with pytest.raises(ClosedEnvironmentError):
            call()


def test_rendering(capsys):
    shown = {}
    for mode in ("ansi", "rgb_array", "svg", "human"):
        environment = gymnasium.make("inarow/Connect4-v0", render_mode=mode)
        environment.reset(seed=3)
        environment.step(3)
        shown[mode] = environment.render()
    assert "X to move" in shown["ansi"]
    assert shown["svg"].startswith("<svg")
    assert shown["rgb_array"].shape == (6 * 24 + 24, 7 * 24 + 24, 3)
    stones = shown["rgb_array"].reshape(-1, 3)
    for colour in ((31, 119, 180), (255, 127, 14)):
        assert (stones == colour).all(axis=1).sum() > 200
    assert shown["human"] is None
    assert capsys.readouterr().out.count("X to move") >= 2


@pytest.fixture
def vector():
    return gymnasium.make_vec(
        "inarow/TicTacToe-v0",
        num_envs=5,
        vectorization_mode="vector_entry_point",
        opponent="combined",
        side="alternating",
        render_mode="ansi",
    )


def test_many_games_are_those_of_the_batch(vector):
    batch = inarow.batch("tictactoe", 5, "combined", "alternating", 2)
    observations, infos = vector.reset(seed=2)
    for _ in range(20):
        assert vector.observation_space.contains(observations)
        np.testing.assert_array_equal(observations, batch.observations)
        np.testing.assert_array_equal(infos["action_mask"], batch.action_masks)
        actions = np.argmax(infos["action_mask"], axis=1)
        assert vector.action_space.contains(actions)
        observations, rewards, terminated, truncated, infos = vector.step(actions)
        step = batch.step(actions)
        np.testing.assert_array_equal(rewards, step.rewards)
        np.testing.assert_array_equal(terminated, step.done)
        assert not truncated.any()
        if terminated.any():
            final = batch.final_observations()[terminated]
            np.testing.assert_array_equal(infos["final_obs"][infos["_final_obs"]], final)
    assert len(vector.render()) == 5


def test_many_games_take_illegal_moves_as_lost(vector):
    vector.reset(seed=1)
    mask = vector.batch.action_masks[0]
    actions = np.array([np.argmax(mask), 9, -1, 4, 4])
    _, rewards, terminated, _, infos = vector.step(actions)
    assert rewards[1] == rewards[2] == -1
    assert terminated[1]
    assert terminated[2]
    assert infos["final_info"]["illegal_action"][[1, 2]].all()
    assert not infos["final_info"]["illegal_action"][0]
    for bad in ([0], np.zeros(5), None):
        with pytest.raises(InputError, match="actions of"):
            vector.step(bad)
    with pytest.raises(InputError, match="one is enough"):
        vector.reset(seed=[1, 2, 3, 4, 5])
    vector.close()
    with pytest.raises(ClosedEnvironmentError):
        vector.step(actions)
