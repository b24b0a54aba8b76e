"""The cube paper's tables, figures and page, from made-up results."""

from __future__ import annotations

import io
import runpy
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from inarow.papers import cube_best, cube_figures, cube_page, cube_readings_report, cube_report
from inarow.papers.page import markdown
from inarow.papers.results import Results, save
from inarow.ui.reproduce import _print_table
from tests.papers.test_cube import MADE, synthetic, synthetic_readings

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def results() -> Results:
    return synthetic(shift=-4.0)


@pytest.fixture(scope="module")
def readings() -> Results:
    return synthetic_readings()


@pytest.fixture(scope="module")
def best() -> Results:
    ends = {"paper's best": [40.0, 50.0, 45.0], "another": [85.0, 86.0, 87.0]}
    rows = [
        {"name": name, "about": f"about {name}", "learner": "mlp", "options": {"shield": "safe"}}
        | {"games": 1_000_000, "trials": 3, "peak": [90.0] * 3, "end": end}
        for name, end in ends.items()
    ]
    return Results("cube", "best", "paper", rows, {}, MADE)


def test_tables_fit_the_terminal(results: Results, readings: Results, best: Results) -> None:
    *tables, _ = cube_report.tables(results)  # the last one has sentences
    tables += [*cube_readings_report.tables(readings), cube_best.table(best)]
    assert [table.title for table in tables[:7]] == [
        "Table I: layers and weights",
        "Table II, self-play: peak win %",
        "Table II, self-play: end win %",
        "Table III, benchmark training: peak win %",
        "Table III, benchmark training: end win %",
        "Unpaired t-tests between networks, self-play",
        "Unpaired t-tests between networks, benchmark training",
    ]
    for table in tables:
        text = io.StringIO()
        _print_table(Console(file=text, width=80), table)
        lines = text.getvalue().splitlines()
        assert "…" not in text.getvalue()
        for row in table.rows:
            assert any(all(cell in line for cell in row) for line in lines), row


def test_ours_stands_beside_theirs(results: Results) -> None:
    table = cube_report.way_tables(results, "self-play")[0]
    assert table.rows[0][:3] == ("small structured", "50.6 ± 4.9", "31.0 ± 4.9")
    assert table.rows[0][4:] == ("outside", "differs")
    assert table.rows[1][1:3] == ("65.9 ± 5.0", "65.9 ± 5.0")
    assert table.rows[1][4:] == ("within", "matches")


def test_notes(results: Results) -> None:
    said = cube_report.notes(results)
    assert said[0].startswith("16 of 20 published figures of Tables II and III lie within two")
    assert len([line for line in said if "where the paper has" in line]) == 4
    assert "The paper has 10 trials" in cube_report.notes(synthetic(number=2))[1]
    (short,) = cube_report.notes(synthetic("quick"))
    assert "10,000 games are shown, not judged" in short


def test_readings_are_summed_up(readings: Results) -> None:
    summary, self_play, _, small = cube_readings_report.tables(readings)
    lines = {row[0]: row[1:] for row in summary.rows}
    # Four networks, two measures, two ways; the small structured one's four are outside.
    assert lines["as in the tables"] == ("6 of 8", "6.9", "6 of 8", "2.8", "12 of 16")
    assert lines["no biases, other tests"][2:] == ("", "", "6 of 8")
    assert "rate 0.01" not in lines
    rows = {row[0]: row[1:] for row in self_play.rows}
    assert rows["as in the tables"][:2] == ("31.0*/-5.8*", "65.9/52.7")
    rows = {row[0]: row[1:] for row in small.rows}
    assert rows["rate 0.01"] == ("50.6/29.4", "94.3/90.7", "4 of 4")
    assert rows["rate 0.02"][-1] == "0 of 4"


def test_words_on_readings(readings: Results) -> None:
    said = cube_readings_report.notes(readings)
    assert "“as in the tables”" in said[1]
    assert said[1].endswith("most figures within two deviations: 12 of 16.")
    assert "Raised by more than chance by “rate 0.01” (50.6 ± 4.9)" in said[2]
    assert said[-2].startswith("All 4 figures of the small structured network are within two")
    fewer = [row for row in readings.rows if row["reading"] != "rate 0.01"]
    said = cube_readings_report.notes(Results("cube", "readings", "paper", fewer))
    assert said[-2].startswith("No single reading brings all 4 figures")


def test_tables_that_different_readings_meet() -> None:
    nearest = {("as in the tables", "benchmark training"), ("seats alternate", "self-play")}
    found = [
        {"reading": name, "way": way, "two_deviations": verdict}
        for name in ("as in the tables", "seats alternate")
        for way in ("self-play", "benchmark training")
        for verdict in ("within", "within" if (name, way) in nearest else "outside")
    ]
    said = cube_readings_report.best_words(found)
    assert "most figures within two deviations: 3 of 4." in said
    assert "2 of 2 of Table II (“seats alternate”) and 2 of 2 of Table III (“as in" in said


def test_the_best(best: Results) -> None:
    first, second = cube_best.table(best).rows
    assert first[:5] == ("another", "1,000,000", "3", "90.0", "86.0 ± 1.0")
    assert (first[-1], second[-1]) == ("reached", "missed")
    assert cube_best.notes(best)[0].startswith("Best: another, 86.0% (95% 83.5-88.5)")
    assert "The paper's best is 52.7%" in cube_best.notes(best)[0]
    short = replace(best, scale="quick")
    assert {row[-1] for row in cube_best.table(short).rows} == {"not run"}
    assert "not judged" in cube_best.notes(short)[0]


def test_figures_are_written_and_always_the_same(results: Results, tmp_path: Path) -> None:
    once = cube_figures.figures(results, tmp_path / "once")
    again = cube_figures.figures(results, tmp_path / "again")
    assert [path.name for path in once] == [
        "cube-all-figure-3-self-play.svg",
        "cube-all-figure-4-benchmark-training.svg",
    ]
    for one, other in zip(once, again, strict=True):
        assert one.read_text().startswith("<?xml")
        assert one.read_bytes() == other.read_bytes()


def test_the_page(results: Results, readings: Results, best: Results) -> None:
    text = markdown(cube_page.page(results, readings, best))
    tables = [*cube_report.tables(results), *cube_readings_report.tables(readings)]
    for table in [*tables, cube_best.table(best)]:
        assert f"**{table.title}**" in text
    for words in (
        "inarow reproduce cube --part all --scale paper\n",
        "inarow reproduce cube --part readings --scale paper\n",
        "inarow reproduce cube --part best --scale paper\n",
        "cp results/cube-all.json results/cube-readings.json results/cube-best.json docs/results/",
        "(figures/cube-all-figure-3-self-play.svg)",
        "(figures/cube-all-figure-4-benchmark-training.svg)",
        "16 of 20 published figures",
        "8 of 10 within two deviations, 8 of 10 match by interval",
        "51 to 337 of them beside the weights",
        "“rate 0.01” (50.6 ± 4.9) would explain it",
        "The deep unstructured network, which takes most time, is left out.",
        "`shield=safe`",
    ):
        assert words in text, words


def test_a_page_of_the_tables_alone() -> None:
    text = markdown(cube_page.page(synthetic()))
    for heading in ("## Other readings", "## Beyond the paper", "### Why ours differs"):
        assert heading not in text
    assert "20 of 20 published figures" in text


def test_pages_are_made_from_what_is_stored(
    results: Results, readings: Results, tmp_path: Path
) -> None:
    pages = runpy.run_path(str(DOCS / "make_pages.py"))["pages"]
    save(results, tmp_path)
    text = pages(tmp_path)[DOCS / "papers" / "cube.md"]
    assert text == markdown(cube_page.page(results))
    save(readings, tmp_path)
    text = pages(tmp_path)[DOCS / "papers" / "cube.md"]
    assert text == markdown(cube_page.page(results, readings))
