"""OpenSpiel's own tests pass, and players and bots cross over."""

import pickle
import re
import unittest

import numpy as np
import pytest

import inarow
from inarow.game import InputError

pyspiel = pytest.importorskip("pyspiel")

from inarow.adapters.open_spiel import BotPlayer, PlayerBot  # noqa: E402

GAMES = ["tictactoe", "connect4:4x5", "cube", "board:2x3x4;k:3;gravity", "ntictactoe:3^3"]
GAMES += ["mnk:3x4x3;wrap:1;misere"]


@pytest.mark.parametrize("name", GAMES)
def test_random_simulation(name):
    game = pyspiel.load_game(f"inarow(game={name})")
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)
    name = re.sub(";(k|wrap):", r";\1=", name).replace(";", ",")
    assert pyspiel.load_game(str(game)).game.name == name


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", GAMES[:2])
def test_the_api_test_of_open_spiel(name):
    from open_spiel.integration_tests.api_test import EnforceAPIOnPartialTreeBase

    game = pyspiel.load_game(f"inarow(game={name})")
    case = type("Case", (EnforceAPIOnPartialTreeBase,), {"game": game, "game_name": "inarow"})
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    assert result.testsRun >= 5
    assert not result.failures + result.errors


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [("tictactoe", "tic_tac_toe"), ("connect4:6x7", "connect_four")],
)
def test_games_are_those_of_open_spiel(ours, theirs):
    """The same random moves: legal moves, ends and returns agree, and planes with their tensor."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        states = [pyspiel.load_game(f"inarow(game={ours})").new_initial_state()]
        states.append(pyspiel.load_game(theirs).new_initial_state())
        while not states[1].is_terminal():
            legal = [state.legal_actions() for state in states]
            assert legal[0] == legal[1]
            action = rng.choice(legal[0])
            for state in states:
                state.apply_action(action)
            assert states[0].is_terminal() == states[1].is_terminal()
        assert states[0].returns() == states[1].returns()


def test_states_are_cloned_and_pickled():
    game = pyspiel.load_game("inarow(game=connect4:4x4)")
    state = game.new_initial_state()
    for action in (0, 1, 0):
        state.apply_action(action)
    twin = state.clone()
    twin.apply_action(1)
    assert state.history() == [0, 1, 0]
    assert state.position.ply == 3
    assert str(pickle.loads(pickle.dumps(state))) == str(state)
    assert state.observation_tensor(1)[:4] == [0, 1, 0, 0]  # own stones of the second player
    assert state.action_to_string(1, 3) == "O 4"


def test_our_player_is_a_bot_and_a_bot_is_our_player():
    game = pyspiel.load_game("tic_tac_toe")
    bots = [PlayerBot("perfect", game, 0), PlayerBot("attack-defense", "tictactoe", 1, seed=4)]
    from open_spiel.python.algorithms import evaluate_bots

    for seed in range(5):
        rng = np.random.RandomState(seed)
        first, second = evaluate_bots.evaluate_bots(game.new_initial_state(), bots, rng)
        assert first >= 0 == first + second
    evaluator = pyspiel.RandomRolloutEvaluator(1, 7)
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, 300, 10, True, 7, False)
    result = inarow.match("tictactoe", BotPlayer(bot, game, "mcts"), "random", games=6, seed=1)
    assert result.total.losses <= 1
    with pytest.raises(InputError, match="mcts plays tictactoe, not connect4:4x4"):
        inarow.match("connect4:4x4", BotPlayer(bot, game, "mcts"), "random", games=1)


def test_what_cannot_be_is_said():
    with pytest.raises(InputError, match="unknown game"):
        PlayerBot("random", "chess", 0)
    with pytest.raises(InputError, match="none of our games"):
        PlayerBot("random", pyspiel.load_game("breakthrough"), 0)
    with pytest.raises(InputError, match="takes no parameters"):
        pyspiel.load_game("inarow").make_py_observer(None, {"a": 1})
    state = pyspiel.load_game("inarow").new_initial_state()
    state.apply_action(0)
    with pytest.raises(InputError, match="cell 11 is taken"):
        state.position.push(0)
