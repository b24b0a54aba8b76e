"""Two agents that train each other, and networks that perfect play evaluates, on small boards."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inarow.engine.tables import Tables
from inarow.game import game as game_of
from inarow.lab.study import run_slice
from inarow.lab.training import train
from inarow.learn.learner import options_of
from inarow.learn.names import learner
from inarow.learn.schedule import schedule
from inarow.papers.connect_four import extra, tdl_work
from inarow.papers.connect_four.pair import NETWORK, Pair, is_done
from inarow.papers.connect_four.pair_work import PairWork
from inarow.papers.connect_four.referee import referee_score
from inarow.papers.connect_four.runs import TEN, network, pairs, trained_on
from inarow.papers.connect_four.spec import PAPER
from inarow.papers.connect_four.tdl_work import TDLWork, TrainedOnWork, play_itself, trained
from inarow.papers.measures import Data
from inarow.papers.results import Results
from inarow.papers.study import Condition, Request
from inarow.search.minimax import Minimax
from inarow.search.perfect_play import compiled_perfect
from tests.papers.test_connect_four import DOCS

SMALL = replace(NETWORK, tuples=4, length=4)
BOARD = "connect4:4x5"


def test_the_rule_by_hand() -> None:
    assert not is_done([90, 80], 80)
    assert is_done([90, 85, 80], 80)
    assert is_done([80, 80, 80], 80)
    assert not is_done([90, 79, 80], 80)
    assert not is_done([79, 90, 80], 80)
    assert not is_done([90, 85, 79.5], 80)
    assert is_done([0, 100, 90, 85], 80)


def test_the_network_is_the_papers() -> None:
    """70 * 4^8 weights are one table; of these, combinations that cannot arise get no number."""
    training = NETWORK.begin(Pair(SMALL, BOARD, 1).game, None, 0)
    assert len(training.tuples) == 70
    assert {len(cells) for cells in training.tuples} == {8}
    assert training.arrays["weights"].shape[0] == 1
    assert training.arrays["weights"].size <= 4_587_520


def test_games_do_not_depend_on_how_they_are_cut() -> None:
    whole, cut = Pair(SMALL, BOARD, 1), Pair(SMALL, BOARD, 1)
    whole.train(300)
    cut.train(100)
    cut.evaluate(20)  # has streams of its own, and changes nothing
    cut.train(200)
    for one, other in zip(whole.both, cut.both, strict=True):
        assert np.array_equal(one.arrays["weights"], other.arrays["weights"])
        assert one.arrays["weights"].any()
    assert whole.counts.tolist() == cut.counts.tolist()
    assert whole.both[0].tuples != whole.both[1].tuples


def test_nobody_learns_in_an_evaluation() -> None:
    pair = Pair(SMALL, BOARD, 2)
    pair.train(50)
    before = [training.arrays["weights"].copy() for training in pair.both]
    score = pair.evaluate(30)
    assert 0 <= score <= 30
    for training, weights in zip(pair.both, before, strict=True):
        assert np.array_equal(training.arrays["weights"], weights)
    assert pair.games == 50


SMALL_PAIR = {"game": BOARD, "network": options_of(SMALL), "every": 50, "games": 150, "examined": 4}


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


def test_a_pair_that_was_stopped_goes_on_with_the_same_bits() -> None:
    cell: Any = small_pairs()[0].parameters
    whole, cut = PairWork.begin(cell, 1), PairWork.begin(cell, 1)
    whole.advance()
    cut.advance()
    cut = PairWork.resume(cell, 1, cut.state())
    assert cut.scores == whole.scores
    for unit in (whole, cut):
        unit.advance()
    assert cut.scores == whole.scores
    for name, array in whole.pair.arrays.items():
        assert np.array_equal(array, cut.pair.arrays[name]), name


class CompiledPerfect:
    """Perfect play in compiled loops, as an agent."""

    def compiled(self, tables: Tables) -> Any:  # noqa: ARG002 - it plays this board only
        return compiled_perfect(game_of(BOARD))


@pytest.mark.parametrize(
    ("referee", "strong"), [("minimax:2", Minimax(8)), ("perfect", CompiledPerfect())]
)
def test_a_referee_knows_a_strong_agent_from_a_weak_one(referee: str, strong: Any) -> None:
    weak = Pair(SMALL, BOARD, 1).agent()
    strong.game = weak.game
    scores = [referee_score(referee, agent, 20, 5) for agent in (weak, strong)]
    assert 0 <= scores[0] < scores[1] <= 20
    assert scores[1] == referee_score(referee, strong, 20, 5)
    if referee == "perfect":
        assert scores[1] == 10  # between perfect players the board is drawn


def test_changes_of_a_score_by_hand() -> None:
    rows = [{"referee": "x", "runs": 2, "finals": {}, "scores": [[90, 95, 81], [50, 60, 70]]}]
    data = Data({"tdl": Results("connect-four", "tdl", "paper", rows)}, "tdl")
    found = extra.mean_change(referee="x")(data)
    assert found is not None
    assert found.values == ((5 + 14) / 2, 10)


# Networks that play themselves

CELL = {
    "game": BOARD, "learner": "ntuple", "games": 60, "tuples": 3, "length": 4, "average": 1.0,
    "average_every": 5, "alpha": "0.5", "epsilon": "0.2",
}  # fmt: skip


@pytest.fixture
def few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tdl_work, "EXAMINED", 4)


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
def test_a_network_that_was_stopped_goes_on_with_the_same_bits() -> None:
    """And with the seconds that it had."""
    piece = run_slice(tdl_work.WORK, CELL, 3, None, 0.0)
    assert piece.state is not None
    assert not piece.figures
    resumed, begun = TDLWork.resume(CELL, 3, piece.state), TDLWork.begin(CELL, 3)
    assert resumed.cpu > 0
    found = []
    for unit in (begun, resumed):
        figures = []
        while not unit.finished:
            figures += unit.advance()
        found.append({f.metric: f.value for f in figures if "seconds" not in f.metric})
    assert found[0] == found[1]
    for kind in ("averaged", "last"):
        assert found[0][f"{kind} wins"] + found[0][f"{kind} losses"] <= 4
    weights = [unit.run.training.arrays["weights"].tobytes() for unit in (begun, resumed)]
    assert weights[0] == weights[1]


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
    learned = trained(tdl_work.json.dumps(start)).training.arrays["averages"]
    assert np.array_equal(works["none"].run.agent.weights, learned)
    assert np.array_equal(cut.run.training.arrays["weights"], weights["perfect"])
    for name in ("itself", "minimax:6", "perfect"):
        assert not np.array_equal(weights[name], learned)
    assert len({array.tobytes() for array in weights.values()}) == 4


def test_games_against_itself() -> None:
    few = train(BOARD, "ntuple", games=2, seed=1, tuples=4, length=4, shield=False).agent
    many = train(BOARD, "ntuple", games=20_000, seed=1, tuples=20, length=6).agent
    found = [play_itself(agent, 30, 1) for agent in (few, many)]
    for name in ("win kept", "slowest loss", "flat"):
        assert all(0 <= figures[f"own games: {name}"] <= 1 for figures in found)
    assert found[1]["own games: win kept"] > found[0]["own games: win kept"]
    assert found[1]["own games: length"] > found[0]["own games: length"]
    assert play_itself(many, 30, 1) == found[1]


# Why seeds differ


def test_variance_shared_out_by_hand() -> None:
    nothing = np.zeros((2, 2))
    assert extra.share_out(np.full((2, 2), 0.5), nothing) == (0, 0, 0, 0)
    rows = np.array([[0.2, 0.2], [0.6, 0.6]])
    assert extra.share_out(rows, nothing) == pytest.approx((1, 0, 0, 0))
    assert extra.share_out(rows.T, nothing) == pytest.approx((0, 1, 0, 0))
    # Means of rows 2 and 4, of columns 2.5 and 3.5; the rest is 0.5 each way: its square is 1.
    mixed = np.array([[2.0, 2.0], [3.0, 5.0]])
    of_rows, of_columns = 2 - 1 / 2, max(0.5 - 1 / 2, 0)
    expected = np.array([of_rows, of_columns, 1.0, 0.25]) / (of_rows + of_columns + 1)
    assert extra.share_out(mixed, np.full((2, 2), 0.25)) == pytest.approx(tuple(expected))


def test_what_tuples_see() -> None:
    game = game_of(BOARD)
    whole, a_line, least = extra.coverage(game, [[0, 1, 2, 3]])  # and its image 1, 2, 3, 4
    assert whole == a_line == pytest.approx(2 / len(game.lines))
    assert least == 0
    whole, _, least = extra.coverage(game, [list(range(20))])
    assert (whole, least) == (1, 2)


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
