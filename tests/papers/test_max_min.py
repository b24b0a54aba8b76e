"""The max-min study: what is counted, what is judged, its tables, figures and page."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from inarow.game import InputError
from inarow.lab.store import Store
from inarow.papers import max_min, max_min_figures, max_min_page, max_min_report
from inarow.papers.max_min import Length, for_good, median_games, share_at, summarise, variants_of
from inarow.papers.max_min_report import NOT_PUBLISHED, UNBEATABLE, covers, rows
from inarow.papers.page import markdown
from inarow.papers.parts import part_of
from inarow.papers.results import DIFFERS, MATCHES, NOT_RUN, Results
from inarow.ui.reproduce import _print_table

SMALL = {
    "tictactoe": Length(10_000, 5_000, 2_500, (5_000, 10_000)),
    "connect4:4x4": Length(400, 200, 100, (200, 400)),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("max-min")


@pytest.fixture(scope="module")
def results(folder: Path) -> Results:
    """A small study, with the lengths of `SMALL` also while it is reported."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(max_min, "LENGTHS", SMALL)
        return max_min.study(folder, lambda text, share: None, runs=3)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (max_min, max_min_report, max_min_page):
        monkeypatch.setattr(module, "LENGTHS", SMALL)


# What is counted


def test_for_good() -> None:
    games = np.array([5, 10, 20, 40])
    assert for_good(games, np.array([False, True, True, True])) == 10
    assert for_good(games, np.array([True, True, False, True])) == 40  # it was lost again at 20
    assert for_good(games, np.array([True, True, True, True])) == 5
    assert for_good(games, np.array([True, True, True, False])) is None


def test_the_median_counts_runs_that_never_got_there() -> None:
    assert median_games([30, 10, 20]) == 20
    assert median_games([10, None, 20, None]) == 20
    assert median_games([10, None, None]) is None


def test_both_seats_must_hold_in_the_same_run() -> None:
    found = {
        "unbeatable as first": np.array([[1.0, 1.0], [0.0, 1.0]]),
        "unbeatable as second": np.array([[0.0, 1.0], [1.0, 1.0]]),
        "converts as first": np.array([[0.0, 1.0], [0.0, 1.0]]),
        "converts as second": np.array([[0.0, 1.0], [1.0, 0.0]]),
    }
    row = summarise(np.array([5, 10]), found)
    assert row["unbeatable"] == {
        "first": [1, 2], "second": [1, 2], "both": [0, 2], "perfect": [0, 1],
    }  # fmt: skip
    assert (row["for good"], row["perfect for good"]) == ([10, 10], [10, None])
    assert share_at(row, "perfect", 10) == 50
    assert share_at(row, "perfect", 7) is None


def test_the_short_runs_are_the_start_of_the_long_ones(folder: Path, results: Results) -> None:
    assert results.rows[0]["games"] == [2_500, 5_000, 10_000]
    variants = len(variants_of("tictactoe"))
    metrics = [f"{what} as {seat}" for what in ("unbeatable", "converts") for seat in max_min.SEATS]
    with Store.open(folder / "max-min-tictactoe.db") as store:
        for long in range(variants):
            for metric in metrics:
                games, values = store.curve(long, metric)
                short_games, short_values = store.curve(long + variants, metric)
                assert (games.tolist(), short_games.tolist()) == ([5_000, 10_000], [2_500, 5_000])
                assert np.array_equal(values[:, 0], short_values[:, 1])


def test_variants_learn_as_they_should(results: Results) -> None:
    found = {row["variant"]: row for row in results.rows if row["game"] == "tictactoe"}
    assert share_at(found["Q, minimax, symmetric"], "perfect", 10_000) == 100
    assert share_at(found["TD(0.5), cut, symmetric, 0.3"], "both", 10_000) == 100
    assert share_at(found["Q, remark as printed"], "second", 10_000) == 0
    assert share_at(found["Q"], "both", 10_000) == 0


def test_one_game_only(tmp_path: Path) -> None:
    only = max_min.study(tmp_path, lambda text, share: None, runs=1, game="connect4:4x4")
    assert {row["game"] for row in only.rows} == {"connect4:4x4"}
    assert {row.verdict for row in rows(only) if row.game == "tictactoe"} == {NOT_RUN}
    with pytest.raises(InputError, match="plays tictactoe and connect4:4x4, not 'qubic'"):
        max_min.study(tmp_path, lambda text, share: None, game="qubic")


# What is judged


def test_shares_of_the_prototype() -> None:
    assert covers(98.5, 200, 100)  # 20 of 20 is likely if 98.5% is true
    assert covers(14, 200, 30)
    assert not covers(14, 200, 45)
    assert not covers(0, 200, 20)
    assert covers(0, 5, 20)  # five runs say little


def test_rows(results: Results) -> None:
    found = rows(results)
    assert len(found) == 2 * 2 * (8 + 4)
    wanted = {"metric", "published", "mean", "stderr", "low", "high", "runs", "verdict", "reason"}
    for row in json.loads(json.dumps([row.as_json() for row in found], allow_nan=False)):
        assert wanted <= set(row)
        assert row["low"] <= row["mean"] <= row["high"]
    by_name = {(row.variant, row.metric, row.games): row for row in found}
    printed = by_name["Q, remark as printed", UNBEATABLE, 10_000]
    assert (printed.mean, printed.verdict) == (0, DIFFERS)
    assert "act on Q2" in printed.reason
    minimax = by_name["Q, minimax, symmetric", UNBEATABLE, 10_000]
    assert (minimax.prototype, minimax.mean, minimax.verdict) == (100, 100, MATCHES)
    assert by_name["TD(0.5), cut, symmetric", UNBEATABLE, 10_000].verdict == NOT_PUBLISHED


def test_a_prototype_that_ours_contradicts(results: Results) -> None:
    def never(row: dict[str, object]) -> dict[str, object]:
        return {**row, "runs": 200, "unbeatable": {"both": [0, 0, 0], "perfect": [0, 0, 0]}}

    changed = replace(results, rows=[never(row) for row in results.rows])
    row = next(r for r in rows(changed) if r.prototype == 100)
    assert (row.verdict, row.mean) == (DIFFERS, 0)
    assert row.reason


# What is shown


def test_tables_fit_the_terminal(results: Results) -> None:
    tables = max_min_report.tables(results)
    assert len(tables) == 7
    for table in tables:
        text = io.StringIO()
        _print_table(Console(file=text, width=80), table)
        lines = text.getvalue().splitlines()
        assert max(map(len, lines)) <= 80
        assert len(lines) <= len(table.rows) + 6  # nothing is wrapped
    unbeatable = {row[0]: row[1:] for row in tables[0].rows}
    assert unbeatable["Q, remark as printed"] == ("0", "0", ">10k")
    assert unbeatable["Q, minimax, symmetric"][1] == "100"
    assert any("so few runs (3) says little" in note for note in max_min_report.notes(results))


def test_the_page_shows_tables_and_figures(results: Results, tmp_path: Path) -> None:
    drawn = max_min_figures.figures(results, tmp_path)
    again = max_min_figures.figures(results, tmp_path / "again")
    assert [path.read_bytes() for path in drawn] == [path.read_bytes() for path in again]
    text = markdown(max_min_page.page(results))
    for path in drawn:
        assert f"(figures/{path.name})" in text
    for table in max_min_report.tables(results)[:-1]:
        assert f"**{table.title}**" in text
    for words in (
        "inarow reproduce max-min --part tabular --scale quick",
        "As printed 0% of 3 runs are unbeatable in both seats after 10k games.",
        "to 116 after 50 lost games, where it should fall to -0.995",
        "every 2,500 games up to 5,000, then every 5,000 up to 10,000",
        "not reached by “Q”, “Q, remark as printed”",
    ):
        assert words in text, words


def test_the_part_by_name() -> None:
    name, part = part_of("max-min", "tabular")
    assert (name, part.scales) == ("tabular", ("quick", "paper"))
