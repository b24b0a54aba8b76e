"""Tuning: what is drawn, who leaves the race, and what a tuning that was stopped goes on to."""

from __future__ import annotations

import json
import random
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from inarow.game import InputError
from inarow.lab.studies import tune as tuning_module
from inarow.lab.studies.results import StudyResults
from inarow.lab.studies.runner import run_study, run_units
from inarow.lab.studies.store import Key, Store
from inarow.lab.studies.study import Study, grid
from inarow.lab.studies.tune import FRESH, Range, Trial, Tuning, read_tuning, still_racing, tune

FIXED = {
    "game": "tictactoe",
    "learner": "q",
    "games": 100,
    "evaluations": ["score:random"],
}
PLAN = Tuning(
    "of q",
    FIXED,
    {"alpha": Range(0.01, 1.0, True), "epsilon": Range(0.1, 0.9), "ties": ("random", "first")},
    "score against random",
    runs=40,
    settings=8,
    fresh=4,
)
FILE = """
name = "of q"
[fixed]
game = "tictactoe"
learner = "q"
games = 100
evaluations = ["score:random"]
[tune]
metric = "score against random"
runs = 40
settings = 8
fresh = 4
[tune.parameters]
alpha = { from = 0.01, to = 1.0, scale = "log" }
epsilon = { from = 0.1, to = 0.9 }
ties = ["random", "first"]
"""


def rows(path: Path) -> list[object]:
    with Store.open(path) as store:
        return list(store.measurements())


def test_each_share_of_a_range_is_drawn_once():
    configs = PLAN.study().configs
    assert configs == PLAN.study().configs
    assert configs != replace(PLAN, seed=1).study().configs
    assert len(configs) == 8
    for number, config in enumerate(sorted(configs, key=lambda c: c["epsilon"])):
        assert 0.1 + 0.1 * number <= config["epsilon"] <= 0.1 + 0.1 * (number + 1) + 1e-3
    assert sorted(c["ties"] for c in configs) == ["first"] * 4 + ["random"] * 4
    assert sum(config["alpha"] < 0.1 for config in configs) == 4
    drawn = Range(1, 20, whole=True)
    assert all(isinstance(drawn.at(share / 10), int) for share in range(10))


def test_those_that_are_clearly_worse_leave():
    trials = [Trial(0, (0.5, 0.6)), Trial(1, (0.1, 0.2)), Trial(2, (0.12, 0.2))]
    assert [t.config for t in still_racing(trials, lower=True)] == [1, 2]
    assert [t.config for t in still_racing(trials, lower=False)] == [0]
    assert [t.config for t in still_racing([Trial(0, (3.0,)), Trial(1, (2.0,))], True)] == [1, 0]
    alike = [Trial(0, (0.3, 0.3)), Trial(1, (0.3, 0.3))]
    assert still_racing(alike, lower=True) == alike


def test_a_tuning_that_was_stopped_goes_on_the_same(tmp_path, monkeypatch):
    whole = tune(PLAN, tmp_path / "whole.db", workers=2)
    assert whole.runs <= PLAN.runs
    assert whole.fresh.runs == 4
    means = [trial.mean for trial in whole.trials if len(trial.values) > 4]
    assert means == sorted(means, reverse=True)
    run_units, rounds = tuning_module.run_units, []

    def stopped(*arguments, **named):
        rounds.append(arguments)
        if len(rounds) == 3:
            raise KeyboardInterrupt
        return run_units(*arguments, **named)

    monkeypatch.setattr(tuning_module, "run_units", stopped)
    with pytest.raises(KeyboardInterrupt):
        tune(PLAN, tmp_path / "cut.db", workers=1)
    shutil.copy(tmp_path / "cut.db", tmp_path / "part.db")
    found = tune(PLAN, tmp_path / "cut.db", workers=1)
    assert found == whole
    assert rows(tmp_path / "cut.db") == rows(tmp_path / "whole.db")
    assert len(rows(tmp_path / "part.db")) < len(rows(tmp_path / "whole.db"))
    assert StudyResults(tmp_path / "cut.db").rows()  # it is a study like any other


def stand_in():
    """As much of Optuna as a tuning uses: it draws near the best trial that it was told of."""

    class Study:
        def __init__(self, direction, sampler):
            self.sign = 1 if direction == "minimize" else -1
            self.random, self.trials = random.Random(sampler), []

        def add_trial(self, trial):
            assert trial["params"].keys() == trial["distributions"].keys()
            self.trials.append((self.sign * trial["value"], sorted(trial["params"].items())))

        def ask(self, spaces):
            best = dict(min(self.trials)[1]) if self.trials else {}
            drawn = {name: self.draw(*space, best.get(name)) for name, space in spaces.items()}
            return SimpleNamespace(params=drawn)

        def draw(self, low, high, whole, near):
            value = self.random.uniform(low, high)
            value = value if near is None else (value + near) / 2
            return min(max(round(value), low), high) if whole else min(max(value, low), high)

    return SimpleNamespace(
        logging=SimpleNamespace(set_verbosity=lambda level: None, WARNING=30),
        distributions=SimpleNamespace(
            CategoricalDistribution=lambda choices: (0, len(choices) - 1, True),
            IntDistribution=lambda low, high: (low, high, True),
            FloatDistribution=lambda low, high, log: (low, high, False),
        ),
        samplers=SimpleNamespace(TPESampler=lambda seed, **given: seed),
        trial=SimpleNamespace(create_trial=lambda **given: given),
        create_study=Study,
    )


@pytest.fixture(params=["optuna", "stand-in"])
def sampler(request, monkeypatch):
    """Optuna where it is installed, and something in its place everywhere."""
    if request.param == "optuna":
        pytest.importorskip("optuna", reason="Optuna is not installed")
    else:
        monkeypatch.setitem(sys.modules, "optuna", stand_in())


OPTUNA = replace(PLAN, sampler="optuna", settings=10, runs=30)


@pytest.mark.usefixtures("sampler")
def test_optuna_proposes_and_a_tuning_that_was_stopped_goes_on_the_same(tmp_path, monkeypatch):
    whole = tune(OPTUNA, tmp_path / "whole.db", workers=2)
    assert len(whole.configs) == 10
    assert all(map(OPTUNA.may_have, whole.configs))
    assert whole.runs <= OPTUNA.runs
    run_units, rounds = tuning_module.run_units, []

    def stopped(*arguments, **named):
        rounds.append(arguments)
        if len(rounds) in (2, 4):
            raise KeyboardInterrupt
        return run_units(*arguments, **named)

    monkeypatch.setattr(tuning_module, "run_units", stopped)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            tune(OPTUNA, tmp_path / "cut.db", workers=1)
    assert tune(OPTUNA, tmp_path / "cut.db", workers=1) == whole
    assert rows(tmp_path / "cut.db") == rows(tmp_path / "whole.db")
    # What is proposed follows from how the others did, and from the seed.
    other = tune(replace(OPTUNA, better="lower"), tmp_path / "other.db", workers=1)
    assert other.configs[:4] == whole.configs[:4]
    assert other.configs != whole.configs
    again = tune(replace(OPTUNA, seed=1), tmp_path / "seed.db", workers=1)
    assert again.configs != whole.configs
    with pytest.raises(InputError, match=r"holds other settings than those of 'of q'"):
        tune(replace(OPTUNA, fixed={**FIXED, "games": 50}), tmp_path / "whole.db")
    few = replace(OPTUNA, parameters={"ties": ("random", "first")})
    with pytest.raises(InputError, match="there are only 2 different settings, not 10"):
        tune(few, tmp_path / "few.db")


def test_without_optuna_the_line_says_how_to_get_it(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)  # as if it were not installed
    file = tmp_path / "q.toml"
    file.write_text(FILE.replace("fresh = 4", 'fresh = 4\nsampler = "optuna"'))
    status, _, err = run("study", "tune", str(file))
    assert (status, err.count("\n")) == (2, 1)
    assert "Optuna is not installed: pip install 'inarow[tune]'" in err
    assert not (tmp_path / "q.db").exists()


def test_seconds_end_a_tuning(tmp_path):
    found = tune(replace(PLAN, seconds=1e-9), tmp_path / "s.db", workers=1)
    assert found.runs == PLAN.fresh
    said = " ".join(str(found.report()).split())
    assert "The time was too short to try others" in said
    assert found.as_json()["trials"] == []


def test_the_command(answer, run, tmp_path):
    file = tmp_path / "q.toml"
    file.write_text(FILE)
    assert read_tuning(file) == PLAN
    found = answer("study", "tune", str(file))
    assert found["runs"] <= 40
    assert set(found["best"]) == {"alpha", "epsilon", "ties"}
    assert found["fresh"]["runs"] == 4
    status, out, _ = run("study", "tune", str(file))
    assert status == 0
    assert "On 4 fresh seeds" in out
    assert json.dumps(found["best"]["alpha"]) in out


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("metric =", "metrik =", r"unknown 'metrik' \(did you mean metric\?\)"),
        ('"score against random"', '"score"', r"no metric 'score' was measured"),
        ("runs = 40", "runs = 5", "5 runs are too few"),
        ("runs = 40", "", "what it may cost: runs = 100, or seconds"),
        ("from = 0.1, to", "from = 0.95, to", "from a number to a larger one"),
        ("from = 0.01, to", "from = 0, to", "a log scale begins above 0"),
        ("epsilon = {", "games = {", "'games' is both in"),
        ("epsilon = {", "epsilom = {", r"no parameter 'epsilom' \(did you mean epsilon"),
        ('["random", "first"]', "3", "a list to choose from"),
        ('"log"', '"lgo"', "linear or log"),
        ("fresh = 4", 'sampler = "optun"', r"unknown sampler 'optun' \(did you mean optuna"),
    ],
)
def test_what_cannot_be_tuned_is_one_line(tmp_path, old, new, said):
    file = tmp_path / "q.toml"
    file.write_text(FILE.replace(old, new))
    with pytest.raises(InputError, match=said):
        tune(read_tuning(file), tmp_path / "q.db", workers=1)


def test_a_fifth_of_a_grid_finds_what_the_grid_finds(tmp_path):
    """Of td's alpha and random_games: ten tunings of 50 runs, against 25 settings of ten runs.

    Within 10 points of exploitability, which goes from 0 to 100, of the grid's best, on 20 fresh
    seeds each.
    """
    fixed = {"game": "tictactoe", "learner": "td", "against": "attack-defense", "games": 50_000}
    fixed["evaluations"] = ["exploitability:second"]
    metric = "exploitability as second"
    axes = {
        "alpha": [0.1, 0.325, 0.55, 0.775, 1.0],
        "random_games": [0.05, 0.275, 0.5, 0.725, 0.95],
    }
    configs = grid(**{name: [value] for name, value in fixed.items()}, **axes)
    study, path = Study("the grid", configs), tmp_path / "grid.db"
    run_study(study, path, 10)
    with Store.open(path) as store:
        best = int(np.argmin([store.final(config, metric).mean() for config in range(25)]))
    run_units(study, path, [Key(best, FRESH + seed) for seed in range(20)])
    with Store.open(path) as store:
        of_grid = store.final(best, metric)[-20:].mean()
    spaces = {"alpha": Range(0.1, 1.0), "random_games": Range(0.05, 0.95)}
    plan = Tuning("td", fixed, spaces, metric, runs=60, settings=10, fresh=20)
    found = [tune(replace(plan, seed=seed), tmp_path / f"{seed}.db") for seed in range(10)]
    assert all(one.runs - one.fresh.runs <= 40 for one in found)  # 50 with ten fresh ones: a fifth
    assert max(one.fresh.mean for one in found) <= of_grid + 0.1
