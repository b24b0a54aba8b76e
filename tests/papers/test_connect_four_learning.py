"""Two agents that train each other, and networks that perfect play evaluates, on small boards."""

from __future__ import annotations

import json

import numpy as np
import pytest

from inarow.game import game as game_of
from inarow.learn.options import schedule
from inarow.learn.registry import learner
from inarow.papers.connect_four import claims
from inarow.papers.connect_four.paper import PAPER, by_seed, ended
from inarow.papers.connect_four.study import (
    EVERY,
    LESS,
    MOST_GAMES,
    NETWORK,
    OTHER,
    PAIRS,
    RULES,
    TARGET,
    TEN,
    network,
    pairs,
    trained_on,
)
from inarow.papers.connect_four.tdl import TrainedOnWork, is_done, trained
from inarow.papers.measures import Data
from inarow.papers.study import Results
from tests.papers.test_connect_four import DOCS

BOARD = "connect4:4x5"


def test_the_network_is_the_papers() -> None:
    """70 * 4^8 weights are one table; of these, combinations that cannot arise get no number."""
    training = NETWORK.begin(game_of(BOARD), None, 0)
    assert len(training.tuples) == 70
    assert {len(cells) for cells in training.tuples} == {8}
    assert training.arrays["weights"].shape[0] == 1
    assert training.arrays["weights"].size <= 4_587_520


def test_each_rule_has_the_games_that_it_needs() -> None:
    """The paper's evaluation by each rule, ten times as long as with other referees."""
    given = {tuple(c.labels.values()): c.parameters for c in pairs("paper")}
    assert {labels: (one["below"], one["games"]) for labels, one in given.items()} == {
        ("the other agent", "at most"): (False, 10_000_000),
        ("the other agent", "less than"): (True, 10_000_000),
        ("minimax:6", "at most"): (False, 1_000_000),
        ("perfect", "at most"): (False, 1_000_000),
    }


def test_stored_pairs_ended_when_their_own_rule_held() -> None:
    """Not before and not after; and a pair is the same under both rules."""
    data = PAPER.data(DOCS / "results")
    rows = {rule: data.row(part="tdl", referee=OTHER, rule=rule) for rule in RULES}
    for rule, row in rows.items():
        assert row is not None
        assert row["runs"] == len(row["scores"]) == PAIRS
        for run, scores in enumerate(row["scores"]):
            held = [is_done(scores[:n], TARGET, rule == LESS) for n in range(1, len(scores) + 1)]
            assert not any(held[:-1])
            assert held[-1] == row["finals"]["done"][run]
            assert held[-1] or len(scores) * EVERY == MOST_GAMES
            assert row["finals"]["games"][run] == len(scores) * EVERY
    for sooner, later in zip(*(row["scores"] for row in rows.values() if row), strict=True):
        assert later[: len(sooner)] == sooner


def pairs_that_ended(at_most: int, less: int) -> Data:
    """Of ten each: the first after 20,000 games, the next after 40,000."""
    rows = [
        {
            "referee": "the other agent", "rule": rule, "runs": 10, "scores": [[50.0, 70.0]] * 10,
            "finals": {
                "done": [1.0] * number + [0.0] * (10 - number),
                "games": [20_000.0 * (n + 1) if n < number else 1e7 for n in range(10)],
                "perfect score": [0.1 * n for n in range(10)],
            },
        }
        for rule, number in (("at most", at_most), ("less than", less))
    ]  # fmt: skip
    return Data({"tdl": Results("connect-four", "tdl", "paper", rows)}, "minimax")


@pytest.mark.parametrize(
    ("at_most", "less", "verdicts"),
    [
        (10, 9, ("matches", "matches")),
        (8, 0, ("undecided", "differs")),
        (9, 5, ("matches", "undecided")),
    ],
)
def test_each_claim_is_judged_by_its_own_rule(
    at_most: int, less: int, verdicts: tuple[str, str]
) -> None:
    found = {row.name: row.verdict for row in PAPER.rows(pairs_that_ended(at_most, less))}
    assert (found["completed"], found["completed-less"]) == verdicts


def test_when_pairs_ended() -> None:
    data = pairs_that_ended(5, 0)
    table = PAPER.table("rules", data, ())
    assert table is not None
    assert table.rows == (
        ("at most", "5 of 10", "20,000", "60,000", "100,000", "0.200", "0.400"),
        ("less than", "0 of 10", "", "", "", "", ""),
    )
    steps = [(games, share) for games, share, _, _ in ended("at most")(data)]
    assert steps[:4] == [(20_000, 0), (20_000, 0), (20_000, 10), (40_000, 10)]
    assert steps[-1] == (1e7, 50)
    assert [point[:2] for point in ended("less than")(data)] == [(20_000, 0), (1e7, 0)]


def test_changes_of_a_score_by_hand() -> None:
    rows = [{"referee": "x", "runs": 2, "finals": {}, "scores": [[90, 95, 81], [50, 60, 70]]}]
    data = Data({"tdl": Results("connect-four", "tdl", "paper", rows)}, "tdl")
    found = claims.mean_change(referee="x")(data)
    assert found is not None
    assert found.values == ((5 + 14) / 2, 10)


def test_a_line_for_each_seed_that_was_run() -> None:
    rows = [{"runs": 2, "finals": {"score": [1.0, 2.5]}}]
    table = by_seed("", {"score": "{score:g}"}, 11, part="tdl")
    for seed, first in ((None, 11), (40, 40)):
        results = Results("connect-four", "tdl", "paper", rows, seed=seed)
        made = table.make(Data({"tdl": results}, "minimax"), ())
        assert made is not None
        assert made.rows == ((str(first), "1"), (str(first + 1), "2.5"))
    assert table.make(Data({}, "minimax"), ()) is None


# Networks that play themselves

CELL = {
    "game": BOARD, "learner": "ntuple", "games": 60, "tuples": 3, "length": 4, "average": 1.0,
    "average_every": 5, "alpha": "0.5", "epsilon": "0.2", "perfect_games": 4,
}  # fmt: skip


def test_schedules_end_with_the_run() -> None:
    made = network("paper", 1_000, alpha=(0.5, 0.05), epsilon=(0.2, 0.2))
    alpha = schedule(made["alpha"])
    assert alpha.at(0) == 0.5
    assert alpha.at(500) == pytest.approx(0.5 * 0.1**0.5)
    assert alpha.at(1000) == pytest.approx(0.05)
    assert schedule(made["epsilon"]).at(700) == 0.2
    assert made["average_every"] == 5
    assert network("quick", 1_000)["games"] == 10


def test_trainers_teach_the_same_network() -> None:
    """Without a trainer its averaged weights are played with as they are."""
    start = {**CELL, "seed": 2, "explored": "best", "gamma": 1.0, "output": "linear"}
    del start["learner"], start["perfect_games"]
    changes = {"game": BOARD, "start": start, "perfect_games": 4}
    cells = {c.labels["trainer"]: {**c.parameters, **changes} for c in trained_on("quick")}
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
    found = claims.better("score", {"output": "linear"}, {"output": "tanh"})(data)
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
