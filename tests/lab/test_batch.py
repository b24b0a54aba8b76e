"""Batches: the same games as plain Python on the same random numbers, and clear refusals."""

import numpy as np
import pytest

import inarow
from inarow.engine.batch import bytes_for
from inarow.game import InputError, Outcome
from tests.lab.plain_batch import PlainBatch, planes

# Every width of words and rows: 1 to 8 cells, to 16, 32, 64 and above; with gravity and without;
# lines counted and not, and such as lose; rows of one mask and of several, and all lines at once.
GAMES = [
    "tictactoe",
    "tictactoe,misere",
    "connect4:4x4,misere",
    "mnk:9x9x3,misere",
    "connect4:6x7",
    "cube",
    "board:2x4,k=2",
    "board:2x3x4,k=3,gravity",
    "mnk:5x6x4",
    "ntictactoe:3^3",
    "ntictactoe:3^4",
    "mnk:9x9x3",
    "connect4:9x12",
]


class Lowest:
    """Needs Python: plays the lowest legal move, or at every fifth stone the highest."""

    name = "lowest"

    def move(self, position):
        return position.legal_moves[-1 if position.ply % 5 == 0 else 0]


def play_alike(name, steps, n=5, **options):
    game, rng = inarow.game(name), np.random.default_rng(7)
    games = inarow.batch(name, n, record=True, **options)
    plain = PlainBatch(game, n, **options)
    ended = 0
    for _ in range(steps):
        masks = games.action_masks.copy()
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        movers = games.to_move.copy()
        step = games.step(actions)
        for ours, theirs in zip(step, plain.step(actions), strict=True):
            np.testing.assert_array_equal(ours, theirs)
        own = [m + 1 if "opponent" in options else 2 - m for m in movers]
        final = np.stack([planes(p, o) for p, o in zip(plain.ended, own, strict=True)])
        np.testing.assert_array_equal(games.final_observations(), final)
        for i in range(n):
            assert games.position(i).moves == plain.positions[i].moves
            if step.done[i]:
                assert games.finished(i).moves == plain.ended[i].moves
        flat = step.observations[:, 0] - step.observations[:, 1]
        np.testing.assert_array_equal(games.flat(), flat.reshape(n, -1))
        ended += int(step.done.sum())
    return ended


@pytest.mark.parametrize("name", GAMES)
def test_games_are_those_of_plain_python(name):
    cells = inarow.game(name).cells
    assert play_alike(name, cells + 20) >= 5
    games = inarow.batch(name, 3)
    assert games.observations.shape == (3, 2, *inarow.game(name).shape)
    assert games.observations.strides[1] == bytes_for(cells) >= cells


@pytest.mark.parametrize("side", ["first", "second", "alternating"])
@pytest.mark.parametrize("opponent", ["attack-defense", "combined", "attack@game", Lowest()])
def test_an_opponent_answers_as_at_a_board_in_python(opponent, side):
    steps = 40 if side == "alternating" else 12
    assert play_alike("tictactoe", steps, opponent=opponent, side=side, seed=3) >= 5


@pytest.mark.parametrize("name", ["connect4:6x7", "ntictactoe:3^4"])
def test_an_opponent_answers_on_larger_boards(name):
    assert play_alike(name, 50, n=3, opponent="combined", side="alternating", seed=1) >= 3


@pytest.mark.parametrize("name", ["ntictactoe:3^3", "ntictactoe:3^4", "board:2x3,k=2,scoring"])
@pytest.mark.parametrize("opponent", [None, "advanced", Lowest()])
def test_lines_can_be_rewarded_when_they_are_made(name, opponent):
    against = {} if opponent is None else {"opponent": opponent, "side": "alternating", "seed": 3}
    assert play_alike(name, inarow.game(name).cells + 20, rewards="lines", **against) >= 5


def test_rewards_that_do_not_exist_are_refused():
    with pytest.raises(InputError, match="needs a game where every line counts"):
        inarow.batch("tictactoe", 1, rewards="lines")
    with pytest.raises(InputError, match="rewards 'score' must be one of result, lines"):
        inarow.batch("ntictactoe:3^3", 1, rewards="score")


def test_many_games_at_once_are_each_as_alone():
    rng, games = np.random.default_rng(1), inarow.batch("tictactoe", 1000)
    few = inarow.batch("tictactoe", 3)
    for _ in range(30):
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in games.action_masks])
        many, alone = games.step(actions), few.step(actions[[0, 500, 999]])
        for some, all_ in zip(alone, many, strict=True):
            np.testing.assert_array_equal(some, all_[[0, 500, 999]])


def test_a_seed_says_all():
    def rewards(seed, n, again=None):
        games = inarow.batch("tictactoe", n, "combined", "alternating", seed)
        if again is not None:
            for _ in range(5):
                games.step(games.random_actions())
            games.reset(again)
        found = []
        for _ in range(40):
            lowest = np.argmax(games.action_masks, axis=1)
            found.append(games.step(lowest).rewards[:4].copy())
        return np.stack(found)

    np.testing.assert_array_equal(rewards(1, 4), rewards(1, 9))  # a game's number says its stream
    np.testing.assert_array_equal(rewards(1, 4), rewards(2, 4, again=1))
    assert (rewards(1, 4) != rewards(2, 4)).any()


def test_random_actions_are_legal_and_all_of_them():
    games, counts = inarow.batch("tictactoe", 9000, seed=5), np.zeros(9)
    for ply in range(2):
        actions = games.random_actions()
        assert games.action_masks[np.arange(9000), actions].all()
        counts += np.bincount(actions, minlength=9) if ply == 0 else 0
        games.step(actions)
    assert abs(counts - 1000).max() < 160  # five standard deviations


def test_random_play_has_its_known_odds():
    """First 737/1260, second 121/420, drawn 8/63: exact values of random tic-tac-toe."""
    games, won, lost, ended = inarow.batch("tictactoe", 4096, seed=2), 0, 0, 0
    for _ in range(200):
        movers = games.to_move.copy()
        step = games.step(games.random_actions())
        ended += int(step.done.sum())
        won += int((step.rewards[movers == 0] > 0).sum())
        lost += int((step.rewards[movers == 1] > 0).sum())
    assert abs(won / ended - 737 / 1260) < 0.01
    assert abs(lost / ended - 121 / 420) < 0.01


def test_arrays_are_read_only_and_unused_bytes_are_zero():
    games = inarow.batch("connect4:6x7", 2)
    step = games.step([3, 4])
    for array in step:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    assert games._arrays.views.sum() == 2  # one stone each


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        ([0, 9], "action 9 of game 1 is illegal: legal are 0 1 2 3 4 5 6 7 8"),
        ([-1, 0], "action -1 of game 0 is illegal"),
        ([0, -(2**63)], "game 1 is illegal"),
        ([0], r"actions of shape \(1,\): one for each game, \(2,\)"),
        ([[0, 1]], "actions of shape"),
        (3, r"actions of shape \(\)"),
        ([0.5, 1.0], "actions of type float64: moves are whole numbers"),
        ([True, False], "actions of type bool"),
        (["a", "b"], "moves are whole numbers"),
    ],
)
@pytest.mark.parametrize("opponent", [None, "random", Lowest()])
def test_bad_actions_are_refused_and_nothing_is_played(actions, words, opponent):
    games = inarow.batch("tictactoe", 2, opponent, record=True)
    with pytest.raises(InputError, match=words):
        games.step(actions)
    assert games.observations.sum() == 0
    assert games.position(0).ply == games.position(1).ply == 0


@pytest.mark.parametrize("opponent", ["random", Lowest()])
def test_illegal_actions_lose_where_asked(opponent):
    games = inarow.batch("tictactoe", 3, opponent, "alternating", record=True, illegal="lose")
    before = games.observations.copy()
    step = games.step([9, 4 if games.action_masks[1, 4] else 5, -1])
    assert step.rewards.tolist() == [-1, 0, -1]
    assert step.done.tolist() == [True, False, True]
    np.testing.assert_array_equal(games.final_observations()[[0, 2]], before[[0, 2]])
    assert step.to_move.tolist() == [1, 1, 1]  # sides changed where a game ended
    assert [games.position(i).ply for i in range(3)] == [1, 3, 1]


def test_a_taken_cell_and_a_full_column_are_refused():
    for name, moves in (("tictactoe", 1), ("connect4:6x7", 6), ("mnk:9x9x5", 1)):
        games = inarow.batch(name, 2)
        for _ in range(moves):
            games.step(np.array([0, 2], dtype=np.int32))
        before = games.observations.copy()
        with pytest.raises(InputError, match="action 2 of game 1 is illegal"):
            games.step([1, 2])
        np.testing.assert_array_equal(games.observations, before)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("tictactoe", 0), "n=0 games"),
        (("tictactoe", 10**12), "do not fit into memory"),
        (("chess", 1), "unknown game"),
        (("tictactoe", 1, "nobody"), "unknown player"),
        (("tictactoe", 1, "random", "third"), "side 'third' must be one of first, second"),
        (("tictactoe", 1, "random", "first", -1), "seed -1 is negative"),
        (("mnk:2x2x1", 1, "random", "second"), "the first stone wins"),
        (("tictactoe", 1, None, "first", 0, False, "lose"), "needs an opponent"),
        (("tictactoe", 1, "random", "first", 0, False, "skip"), "must be one of refuse, lose"),
        (("tictactoe", 1, "ntuple"), "plays connect4:6x7, not tictactoe"),
    ],
)
def test_bad_batches_are_refused(arguments, words):
    with pytest.raises(InputError, match=words):
        inarow.batch(*arguments)


def test_positions_are_kept_where_asked():
    games = inarow.batch("tictactoe", 1)
    with pytest.raises(InputError, match="record=True"):
        games.position(0)
    games = inarow.batch("tictactoe", 1, record=True)
    with pytest.raises(InputError, match="there is no game 1"):
        games.position(1)
    assert games.finished(0) is None
    for move in (0, 3, 1, 4, 2):
        games.step([move])
    assert games.finished(0).outcome is Outcome.FIRST
    assert games.position(0).ply == 0
    assert repr(games) == "<1 games of tictactoe>"
