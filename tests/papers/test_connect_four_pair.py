"""Two agents that train each other: the rule by hand, games that repeat, tables from results."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inarow.engine.tables import Tables
from inarow.game import Position
from inarow.game import game as game_of
from inarow.lab.training import load_run
from inarow.learn.names import learner
from inarow.learn.schedule import schedule
from inarow.papers import connect_four_agent, connect_four_tdl_report
from inarow.papers import connect_four_pair_work as work
from inarow.papers.connect_four_pair import NETWORK, Pair, is_done
from inarow.papers.connect_four_referee import referee_score
from inarow.papers.connect_four_tdl import as_training, gather
from inarow.papers.page import markdown
from inarow.papers.results import MATCHES, Results, load
from inarow.search.minimax import Minimax
from inarow.search.perfect_play import compiled_perfect
from tests.papers.test_connect_four import DOCS

SMALL = replace(NETWORK, tuples=4, length=4)
BOARD = "connect4:4x5"


def test_the_rule_by_hand() -> None:
    assert not is_done([90, 80])
    assert is_done([90, 85, 80])
    assert is_done([80, 80, 80])
    assert not is_done([90, 79, 80])
    assert not is_done([79, 90, 80])
    assert not is_done([90, 85, 79.5])
    assert is_done([0, 100, 90, 85])


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


@pytest.fixture
def small_study(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "GAME", BOARD)
    monkeypatch.setattr(work, "NETWORK", SMALL)
    monkeypatch.setattr(work, "EVERY", 50)
    monkeypatch.setattr(work, "SAVED", 100)
    monkeypatch.setitem(work.SCALES, "quick", work.Scale(2, 150, 4))


@pytest.mark.usefixtures("small_study")
def test_the_study_and_its_tables(tmp_path: Path) -> None:
    results = work.study(tmp_path, lambda text, share: None, "quick", workers=2)
    assert [(row["referee"], row["seed"]) for row in results.rows] == [
        (referee, seed) for referee in (None, "minimax:6", "perfect") for seed in (1, 2)
    ]
    for row in results.rows:
        assert row["games"] == 50 * len(row["scores"]) <= 150
        assert all(0 <= score <= 100 for score in row["scores"])
        assert sum(row["perfect"].values()) == 4
        assert all(wrong <= asked for asked, wrong in row["mistakes"].values())
    tables = connect_four_tdl_report.tables(results)
    assert [len(table.rows) for table in tables] == [3, 2, 3]
    assert "perfect play" in connect_four_tdl_report.notes(results)[0]
    assert connect_four_tdl_report.figures(results, tmp_path)[0].is_file()


@pytest.mark.usefixtures("small_study")
def test_agents_are_saved_and_play_as_they_did(tmp_path: Path) -> None:
    """After as many games as the paper says, as files that any player can be read from."""
    cell = work.definition(work.SCALES["quick"], tmp_path).cells[0]
    Path(cell["saves"]).mkdir()
    unit = work.PairWork.begin(cell, 3)
    unit.advance()
    assert not list(Path(cell["saves"]).iterdir())
    unit.advance()
    saved = sorted(path.name for path in Path(cell["saves"]).iterdir())
    assert saved == [f"seed-3-games-100-{seat}.safetensors" for seat in ("first", "second")]
    for name, training in zip(saved, unit.pair.both, strict=True):
        run = load_run(Path(cell["saves"]) / name)
        assert (run.games, run.resumable) == (100, False)
        assert np.array_equal(run.agent.weights, training.arrays["weights"])
        start = Position(unit.pair.game)
        assert run.agent.values(start) == training.agent().values(start)


@pytest.mark.usefixtures("small_study")
def test_a_pair_that_was_stopped_goes_on_with_the_same_bits(tmp_path: Path) -> None:
    cell = work.definition(work.SCALES["quick"], tmp_path).cells[0]
    Path(cell["saves"]).mkdir()
    whole, cut = work.PairWork.begin(cell, 1), work.PairWork.begin(cell, 1)
    whole.advance()
    cut.advance()
    cut = work.PairWork.resume(cell, 1, cut.state())
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


def test_verdicts_by_hand() -> None:
    perfect = {"wins": 0, "draws": 1, "losses": 3}
    rows = [
        {
            "referee": None,
            "seed": 1,
            "done": True,
            "games": 60,
            "scores": [90, 95, 81],
            "perfect": perfect,
        },
        {
            "referee": None,
            "seed": 2,
            "done": False,
            "games": 60,
            "scores": [50, 60, 70],
            "perfect": perfect,
        },
        {
            "referee": "perfect",
            "seed": 1,
            "done": False,
            "games": 60,
            "scores": [0, 0, 0],
            "perfect": {"wins": 4, "draws": 0, "losses": 0},
        },
    ]
    results = Results("connect-four", "tdl", "quick", rows, {"games against perfect play": 4})
    share, end, change = connect_four_tdl_report.verdicts(results)
    assert (share.ours, end.ours, change.ours) == (0.5, 81, pytest.approx((5 + 14 + 10 + 10) / 4))
    assert share.verdict != MATCHES
    assert end.verdict == change.verdict == MATCHES
    assert "score 0.125" in connect_four_tdl_report.notes(results)[0]
    rows = connect_four_tdl_report.referee_table(results).rows
    assert rows[0] == ("the other agent", "1 of 2", "60", "75.5", "95", "0.125", "0.125")
    assert rows[1] == ("`perfect`", "0 of 1", "60", "0.0", "0", "1.000", "1.000")
    said = connect_four_tdl_report.referee_note(results)
    assert "1 of 2 with the other agent and 0 of 1 with `perfect`" in said
    assert "score 0.125 and 1.000" in said


def test_lines_become_results() -> None:
    figures = {
        "5": {"averaged score": 0.1, "last score": 0.2},
        "10": {"averaged score": 0.9, "last score": 0.8},
    }
    lines = [
        {"number": 1, "cell": {"games": 10}, "seed": 1, "figures": figures},
        {"number": 0, "cell": {"games": 10, "gamma": 0.9}, "seed": 2, "figures": figures},
    ]
    found = gather(lines, "tdl-x", "1-2", {})
    assert [row["seed"] for row in found.rows] == [2, 1]
    assert found.rows[0]["figures"] == figures["10"]
    assert found.rows[0]["on the way"] == {"5": [0.1, 0.2]}
    assert found.name == "connect-four-tdl-x.json"


def test_stored_runs_meet_the_bars_that_were_set() -> None:
    ten = load(DOCS / "results" / "connect-four-tdl-ten-seeds.json")
    scores = [row["figures"]["averaged score"] for row in ten.rows]
    assert len(scores) == 10
    assert sum(scores) / 10 >= 0.96
    assert min(scores) >= 0.88
    assert max(row["figures"]["training CPU-seconds"] for row in ten.rows) <= 600
    options = learner("ntuple")
    cell = ten.rows[0]["cell"]
    assert (options.tuples, options.gamma) == (cell["tuples"], cell["gamma"])
    assert (options.average, options.explored) == (cell["average"], cell["explored"])
    made = as_training(cell)
    assert made["average_every"] == options.average_every
    for name in ("alpha", "epsilon"):
        assert schedule(made[name]).numbers().tolist() == (
            schedule(getattr(options, name)).numbers().tolist()
        )


def test_the_card_says_how_the_agent_was_made() -> None:
    results = load(DOCS / "results" / "connect-four-tdl-agent.json")
    text = markdown(connect_four_agent.card(results))
    header = results.facts["header"]
    assert f"--games {header['games']} --seed {header['seed']}" in text
    assert "`ntuple:6`" in text
    assert not header["resumable"]


def test_the_stored_games_of_the_agent_meet_the_bars() -> None:
    plain, searching, *_ = load(DOCS / "results" / "connect-four-tdl-agent.json").rows
    assert (plain["games"], plain["losses"]) == (1000, 0)
    assert plain["wins"] == searching["wins"] == searching["games"] == 1000
