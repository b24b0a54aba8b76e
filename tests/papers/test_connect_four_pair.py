"""Two agents that train each other: the rule by hand, games that repeat, tables from results."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from inarow.learn.schedule import schedule
from inarow.papers import connect_four_agent, connect_four_pair, connect_four_tdl_report
from inarow.papers.connect_four_pair import NETWORK, Pair, Scale, is_done, study
from inarow.papers.connect_four_tdl import as_training, gather
from inarow.papers.page import markdown
from inarow.papers.results import MATCHES, Results, load
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


def test_the_study_and_its_tables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(connect_four_pair, "GAME", BOARD)
    monkeypatch.setattr(connect_four_pair, "NETWORK", SMALL)
    monkeypatch.setattr(connect_four_pair, "EVERY", 50)
    monkeypatch.setitem(connect_four_pair.SCALES, "quick", Scale(2, 150, 4))
    results = study("quick", lambda text, share: None)
    assert [row["seed"] for row in results.rows] == [1, 2]
    for row in results.rows:
        assert row["games"] == 50 * len(row["scores"]) <= 150
        assert sum(row["perfect"].values()) == 4
    tables = connect_four_tdl_report.tables(results)
    assert len(tables[1].rows) == 2
    assert "perfect play" in connect_four_tdl_report.notes(results)[0]
    assert connect_four_tdl_report.figures(results, tmp_path)[0].is_file()


def test_verdicts_by_hand() -> None:
    perfect = {"wins": 0, "draws": 1, "losses": 3}
    rows = [
        {"seed": 1, "done": True, "games": 60, "scores": [90, 95, 81], "perfect": perfect},
        {"seed": 2, "done": False, "games": 60, "scores": [50, 60, 70], "perfect": perfect},
    ]
    results = Results("connect-four", "tdl", "quick", rows, {"games against perfect play": 4})
    share, end, change = connect_four_tdl_report.verdicts(results)
    assert (share.ours, end.ours, change.ours) == (0.5, 81, pytest.approx((5 + 14 + 10 + 10) / 4))
    assert share.verdict != MATCHES
    assert end.verdict == change.verdict == MATCHES
    assert "score 0.125" in connect_four_tdl_report.notes(results)[0]


def test_lines_become_results() -> None:
    figures = {"5": {"averaged score": 0.1}, "10": {"averaged score": 0.9}}
    lines = [
        {"number": 1, "cell": {"games": 10}, "seed": 1, "figures": figures},
        {"number": 0, "cell": {"games": 10, "gamma": 0.9}, "seed": 2, "figures": figures},
    ]
    found = gather(lines, "tdl-x", "1-2", {})
    assert [row["seed"] for row in found.rows] == [2, 1]
    assert found.rows[0]["figures"] == {"averaged score": 0.9}
    assert found.name == "connect-four-tdl-x.json"


def test_stored_runs_meet_the_bars_that_were_set() -> None:
    ten = load(DOCS / "results" / "connect-four-tdl-ten-seeds.json")
    scores = [row["figures"]["averaged score"] for row in ten.rows]
    assert len(scores) == 10
    assert sum(scores) / 10 >= 0.96
    assert min(scores) >= 0.88
    assert max(row["figures"]["training CPU-seconds"] for row in ten.rows) <= 600
    options = connect_four_agent.learner("ntuple")
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
    plain, searching, _ = load(DOCS / "results" / "connect-four-tdl-agent.json").rows
    assert (plain["games"], plain["losses"]) == (1000, 0)
    assert plain["wins"] >= 980
    assert searching["wins"] == searching["games"] == 1000
