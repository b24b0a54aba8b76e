"""Two agents that train each other, and networks that perfect play evaluates, on small boards."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from inarow.game import game as game_of
from inarow.lab import ntuple_work
from inarow.lab.ntuple_work import TrainedOnWork, trained
from inarow.learn.learner import options_of
from inarow.learn.registry import learner
from inarow.learn.schedule import schedule
from inarow.papers.connect_four import extra
from inarow.papers.connect_four.runs import NETWORK, TEN, network, pairs, trained_on
from inarow.papers.connect_four.spec import PAPER
from inarow.papers.measures import Data
from inarow.papers.results import Results
from inarow.papers.study import Condition, Request
from tests.papers.test_connect_four import DOCS

SMALL = replace(NETWORK, tuples=4, length=4)
BOARD = "connect4:4x5"


def test_the_network_is_the_papers() -> None:
    """70 * 4^8 weights are one table; of these, combinations that cannot arise get no number."""
    training = NETWORK.begin(game_of(BOARD), None, 0)
    assert len(training.tuples) == 70
    assert {len(cells) for cells in training.tuples} == {8}
    assert training.arrays["weights"].shape[0] == 1
    assert training.arrays["weights"].size <= 4_587_520


SMALL_PAIR = {
    "game": BOARD,
    "network": options_of(SMALL),
    "every": 50,
    "games": 150,
    "perfect_games": 4,
}


def small_pairs() -> list[Condition]:
    return [replace(c, parameters={**c.parameters, **SMALL_PAIR}) for c in pairs("quick")]


def test_a_study_of_pairs(tmp_path: Path) -> None:
    part = replace(PAPER.part("tdl"), conditions=small_pairs())
    results = PAPER.run(part, Request("quick", tmp_path, runs=2))
    assert [row["referee"] for row in results.rows] == ["the other agent", "minimax:6", "perfect"]
    for row in results.rows:
        finals = row["finals"]
        for run, scores in enumerate(row["scores"]):
            assert finals["games"][run] == 50 * len(scores) <= 150
            assert all(0 <= score <= 100 for score in scores)
            assert (finals["score"][run], finals["highest score"][run]) == (scores[-1], max(scores))
            assert sum(finals[end][run] for end in ("wins", "draws", "losses")) == 4
    data = PAPER.data(tmp_path, replace(results, scale="paper"))
    titles = [table.title for table in PAPER.tables_of(data, "tdl")]
    assert titles[-1] == "Referees"
    assert len(PAPER.draw(data, tmp_path, "tdl")) == 1


def test_changes_of_a_score_by_hand() -> None:
    rows = [{"referee": "x", "runs": 2, "finals": {}, "scores": [[90, 95, 81], [50, 60, 70]]}]
    data = Data({"tdl": Results("connect-four", "tdl", "paper", rows)}, "tdl")
    found = extra.mean_change(referee="x")(data)
    assert found is not None
    assert found.values == ((5 + 14) / 2, 10)


def test_a_line_for_each_seed_that_was_run() -> None:
    rows = [{"runs": 2, "finals": {"score": [1.0, 2.5]}}]
    table = extra.by_seed("", {"score": "{score:g}"}, 11, part="tdl")
    for seed, first in ((None, 11), (40, 40)):
        results = Results("connect-four", "tdl", "paper", rows, seed=seed)
        made = table(Data({"tdl": results}, "minimax"), ())
        assert made is not None
        assert made.rows == ((str(first), "1"), (str(first + 1), "2.5"))
    assert table(Data({}, "minimax"), ()) is None


# Networks that play themselves

CELL = {
    "game": BOARD, "learner": "ntuple", "games": 60, "tuples": 3, "length": 4, "average": 1.0,
    "average_every": 5, "alpha": "0.5", "epsilon": "0.2",
}  # fmt: skip


@pytest.fixture
def few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ntuple_work, "PERFECT_GAMES", 4)


def test_schedules_end_with_the_run() -> None:
    made = network("paper", 1_000, alpha=(0.5, 0.05), epsilon=(0.2, 0.2))
    alpha = schedule(made["alpha"])
    assert alpha.at(0) == 0.5
    assert alpha.at(500) == pytest.approx(0.5 * 0.1**0.5)
    assert alpha.at(1000) == pytest.approx(0.05)
    assert schedule(made["epsilon"]).at(700) == 0.2
    assert made["average_every"] == 5
    assert network("quick", 1_000)["games"] == 10


@pytest.mark.usefixtures("few_games")
def test_trainers_teach_the_same_network() -> None:
    """Without a trainer its averaged weights are played with as they are."""
    start = {**CELL, "seed": 2, "explored": "best", "gamma": 1.0, "output": "linear"}
    del start["learner"]
    cells = {c.labels["trainer"]: {**c.parameters, "game": BOARD, "start": start}
             for c in trained_on("quick")}  # fmt: skip
    works = {name: TrainedOnWork.begin(cell, 1) for name, cell in cells.items()}
    cut = TrainedOnWork.resume(cells["perfect"], 1, works["perfect"].state())
    for work in (*works.values(), cut):
        while not work.finished:
            work.advance()
    weights = {name: work.run.training.arrays["weights"] for name, work in works.items()}
    learned = trained(json.dumps(start)).training.arrays["averages"]
    assert np.array_equal(works["none"].run.agent.weights, learned)
    assert np.array_equal(cut.run.training.arrays["weights"], weights["perfect"])
    for name in ("itself", "minimax:6", "perfect"):
        assert not np.array_equal(weights[name], learned)
    assert len({array.tobytes() for array in weights.values()}) == 4


def test_runs_compared_seed_by_seed() -> None:
    rows = [
        {"output": output, "runs": 3, "finals": {"score": scores}}
        for output, scores in (("tanh", [0.1, 0.5, 0.9]), ("linear", [0.2, 0.6, 1.0]))
    ]
    data = Data({"outputs": Results("connect-four", "outputs", "paper", rows)}, "outputs")
    found = extra.better("score", {"output": "linear"}, {"output": "tanh"})(data)
    assert found is not None
    assert found.values == pytest.approx((0.1, 0.1, 0.1))
    assert found.low is not None
    assert found.low > 0  # the spread of seeds is not in it


def test_the_defaults_of_the_learner_are_the_networks_of_ten_seeds() -> None:
    (given,) = TEN.values()
    options, made = learner("ntuple"), network("paper", **given)
    for name in ("tuples", "gamma", "average", "explored", "average_every"):
        assert made[name] == getattr(options, name), name
    for name in ("alpha", "epsilon"):
        assert schedule(made[name]).numbers().tolist() == (
            schedule(getattr(options, name)).numbers().tolist()
        )
    stored = PAPER.data(DOCS / "results").row(part="ten-seeds")
    assert stored is not None
    assert max(stored["finals"]["training CPU-seconds"]) <= 600
