"""Training runs: opponents of all kinds, the stop rule, agents as players, work of a study."""

from __future__ import annotations

import math

import pytest

import inarow
from inarow.game import InputError
from inarow.lab.evaluation import evaluate
from inarow.lab.training.driver import TrainingWork
from inarow.lab.training.run import Run, Stop, continue_training, load_run, train
from inarow.learn.learner import LAST_LOSS
from inarow.learn.registry import learner_type

ENDS = ("won", "drawn", "lost")

CONFIG = {
    "game": "tictactoe",
    "against": "attack-defense",
    "games": 4000,
    "record": [[100, 1000], [1000, 0]],
    "evaluations": ["games:random:500:second", "expert", "exact:random", "certificate"],
    "evaluate_every": 1500,
}


def test_the_paper_in_one_call():
    run = inarow.train("tictactoe", "td", against="attack-defense", games=100_000, seed=1)
    proven = inarow.certify(run.agent)
    assert proven.sides["second"].unbeatable
    assert not proven.sides["first"].unbeatable  # it never moved first


@pytest.mark.parametrize("against", ["minimax:2", "perfect", "greedy-lines", "random"])
def test_learns_from_any_player(against):
    run = train("tictactoe", "td", against=against, games=500)
    assert run.against == against
    assert run.games == 500


@pytest.mark.parametrize("against", ["minimax:3", "perfect"])
def test_a_network_on_boards_learns_from_searches(against):
    """In compiled loops, from both sides in turn; perfect play loses to nobody as the first."""
    options = {"tuples": 6, "length": 5, "epsilon": "0.3"}
    run = Run("connect4:4x5", "ntuple", options, against, 1)
    run.training.play(60)
    assert run.games == 60
    assert run.training.arrays["weights"].any()
    assert run.training.counts[3] > 30  # lost, nearly all
    again = train("connect4:4x5", "ntuple", against=against, games=60, seed=1, **options)
    assert (again.training.arrays["weights"] == run.training.arrays["weights"]).all()


def test_a_board_that_perfect_play_does_not_reach_is_refused():
    with pytest.raises(inarow.InputError, match="perfect cannot play connect4:7x7"):
        train("connect4:7x7", "ntuple", against="perfect", games=1, tuples=2, length=3)


def test_python_finds_an_opponent_as_the_command_does():
    run = inarow.train("tictactoe", "td", games=10)
    assert run.against == learner_type("td").suggested_opponent
    assert inarow.train("tictactoe", "q", games=10).against is None


def test_numbers_of_games_and_seeds_are_whole():
    """A number with a point is a whole one too, as 1e3; half a game would never be over."""
    run = inarow.train("tictactoe", "td", against="random", games=1e2, seed=1.0)
    assert (run.games, run.header.seed) == (100, 1)
    for wrong in ({"games": 1.5}, {"games": "10"}, {"seed": 1.5}, {"seed": None}):
        with pytest.raises(InputError, match=r"must be a whole number, not "):
            inarow.train("tictactoe", "td", against="random", **({"games": 10} | wrong))
    with pytest.raises(InputError, match=r"the number of games must be a whole number, not 2.5$"):
        inarow.match("tictactoe", "random", "random", games=2.5)


def test_learns_from_a_saved_agent_and_plays_it(tmp_path):
    path = str(tmp_path / "first.safetensors")
    train("tictactoe", "td", against="random", games=20_000, side="first").save(path)
    run = train("tictactoe", "td", against=path, games=2000)
    assert run.against == path
    result = inarow.match("tictactoe", path, "random", games=400, seed=1)
    assert result.players[0] == path
    assert result.as_first.score > 0.9
    assert load_run(path).agent.values(inarow.game("tictactoe").position()).keys() == set(range(9))


def test_an_agent_plays_its_own_game_only():
    agent = train("connect4:4x4", "td", against="random", games=100).agent
    with pytest.raises(inarow.InputError, match="plays connect4:4x4, not mnk:4x4x4"):
        inarow.match("mnk:4x4x4", agent, "random", games=2)
    with pytest.raises(inarow.InputError, match="plays connect4:4x4"):
        inarow.certify(agent, "tictactoe")


def test_the_agent_does_not_change_when_training_goes_on():
    run = train("tictactoe", "td", against="random", games=1000)
    agent = run.agent
    before = agent.move_values.copy()
    continue_training(run, 3000)
    assert (agent.move_values == before).all()
    assert (run.agent.move_values != before).any()


def test_training_ends_when_nothing_was_lost_for_long_enough():
    stop = Stop(20_000, 5_000)
    run = train("tictactoe", "td", against="attack-defense", games=10**6, seed=2, stop=stop)
    last = int(run.training.counts[LAST_LOSS])
    assert run.games % 5_000 == 0
    assert 20_000 <= run.games - last < 25_000
    again = Run("tictactoe", "td", {}, "attack-defense", 2)
    for games in (1000, 12_345, run.games - 1, 10**6):
        continue_training(again, games, stop)
    assert again.games == run.games


def finish(work: TrainingWork, cut: int = 0) -> list:
    measurements, points = [], 0
    while not work.finished:
        work.deadline = 0.0 if cut < 0 else math.inf  # the earliest: after each chunk
        measured = work.advance()
        measurements += measured or []
        points += measured is not None
        if cut and points % cut == 0:
            work = TrainingWork.resume(work.config, work.seed, work.state())
    return measurements


def test_a_unit_cut_anywhere_measures_the_same():
    straight = finish(TrainingWork.begin(CONFIG, 3))
    assert straight == finish(TrainingWork.begin(CONFIG, 3), cut=1)
    assert straight == finish(TrainingWork.begin(CONFIG, 3), cut=5)
    assert straight == finish(TrainingWork.begin(CONFIG, 3), cut=-1)  # between points, too
    assert straight != finish(TrainingWork.begin(CONFIG, 4))


def test_what_is_measured_and_when():
    measurements = finish(TrainingWork.begin(CONFIG, 0))
    at = {}
    for measurement in measurements:
        at.setdefault(measurement.metric, []).append(measurement.games)
    assert at["lost"] == [*range(100, 1001, 100), 2000, 3000, 4000]
    assert at["lost against random"] == at["unbeatable as second"] == [1500, 3000, 4000]
    assert at["games"] == [4000]
    assert len({(measurement.games, measurement.metric) for measurement in measurements}) == len(
        measurements
    )


def test_sampled_and_exact_evaluations_agree():
    agent = train("tictactoe", "td", against="random", games=2000, seed=5).agent
    sampled = evaluate(agent, "games:random:200000:second", 1)
    exact = evaluate(agent, "exact:random", 1)
    for end in ("won", "drawn", "lost"):
        share = sampled[f"{end} against random"] / 200_000
        assert share == pytest.approx(exact[f"chance {end} as second against random"], abs=0.005)
    on_boards = evaluate(agent, "games:minimax:2:200:second", 1)
    assert sum(on_boards.values()) == 200
    expert = evaluate(agent, "expert", 1)
    assert expert["won against expert"] == 0
    assert expert["drawn against expert"] + expert["lost against expert"] == 9


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({**CONFIG, "games": 0}, "games is a whole number from 1"),
        ({**CONFIG, "games": True}, "games is a whole number from 1"),
        ({**CONFIG, "record": True}, "record is a number or"),
        ({**CONFIG, "evaluate_at": [True]}, "evaluate_at is a list"),
        ({**CONFIG, "record": "often"}, "record is a number or"),
        ({**CONFIG, "alpha": "x"}, "nor a schedule"),
        ({**CONFIG, "tau": 1}, "td has no option 'tau'"),
        ({**CONFIG, "evaluations": ["magic"]}, "unknown evaluation 'magic'"),
        ({**CONFIG, "evaluations": ["expert:second:9"]}, "the expert opens|so many parts"),
        ({**CONFIG, "evaluations": ["games:nobody:5"]}, "unknown player 'nobody'"),
        ({**CONFIG, "evaluations": ["games:random:5", "games:random:5:first"]}, "both measure"),
        ({**CONFIG, "evaluations": ["games:random:x"]}, "is not games:PLAYER:NUMBER"),
        ({**CONFIG, "evaluations": ["games:random:9:third"]}, "is not games:PLAYER:NUMBER"),
    ],
)
def test_bad_configs_are_refused(config, message):
    with pytest.raises(inarow.InputError, match=message):
        finish(TrainingWork.begin(config, 0))


def test_evaluated_at_numbers_of_games_and_on_boards():
    config = {
        "game": "ntictactoe:3^3", "learner": "line_td", "against": "random", "games": 60,
        "evaluate_at": [5, 20], "evaluations": ["games:random:40"],
    }  # fmt: skip
    measurements = finish(TrainingWork.begin(config, 1))
    won = [
        measurement for measurement in measurements if measurement.metric == "won against random"
    ]
    assert [measurement.games for measurement in won] == [5, 20, 60]
    ahead = [
        measurement.value
        for measurement in measurements
        if measurement.metric == "lines ahead against random"
    ]
    assert len(ahead) == 3
    assert ahead[-1] > 40  # more than a line a game
    with pytest.raises(inarow.InputError, match="evaluate_at is a list"):
        TrainingWork.begin({**config, "evaluate_at": 5}, 1)


def test_exact_chances_of_an_agent_without_tables():
    agent = train("tictactoe", "reinforce", against="random", games=300, seed=1).agent
    exact = evaluate(agent, "exact:random", 0)
    played = inarow.match("tictactoe", agent, "random", games=40_000, seed=1)
    for side, tally in (("first", played.as_first), ("second", played.as_second)):
        ends = [exact[f"chance {end} as {side} against random"] for end in ENDS]
        assert sum(ends) == pytest.approx(1)
        chance = exact[f"chance won as {side} against random"]
        assert chance == pytest.approx(tally.wins / tally.games, abs=0.02)
