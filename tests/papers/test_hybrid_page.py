"""The hybrid paper's tables, figures and page, from made-up results."""

from __future__ import annotations

import io
import runpy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from inarow.papers import hybrid_figures, hybrid_page, hybrid_readings, hybrid_report
from inarow.papers.page import markdown
from inarow.papers.results import Results, save
from inarow.ui.reproduce import _print_table
from tests.papers.test_hybrid import synthetic

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def results() -> Results:
    return synthetic()


@pytest.fixture(scope="module")
def readings(results: Results) -> Results:
    """Two readings, the second with twice the losses."""
    rows = list[dict[str, Any]]()
    for row in results.rows:
        twice = {**row["finals"], "lost against random": [1e5] * row["runs"]}
        for reading, finals in (("as in the tables", row["finals"]), ("own states", twice)):
            kept = {name: row[name] for name in ("game", "strategy", "runs")}
            rows.append({**kept, "reading": reading, "finals": finals})
    return Results("hybrid", "readings", "paper", rows, {}, results.made_with)


def test_tables_fit_the_terminal(results: Results, readings: Results) -> None:
    tables = [*hybrid_report.tables(results), *hybrid_readings.tables(readings)]
    assert [table.title for table in tables[:6]] == [
        "Tic-tac-toe, Table 1: training games",
        "Tic-tac-toe, Table 1: seconds",
        "Tic-tac-toe, Table 2: perfect runs, %",
        "Tic-tac-toe, Table 3: lost to random, of 1M",
        "Tic-tac-toe, Table 4: lost to the expert",
        "Tic-tac-toe: sampled tests and exact answers",
    ]
    assert len(tables) == 2 * 6 + 2 + 12
    for table in tables:
        text = io.StringIO()
        _print_table(Console(file=text, width=80), table)
        lines = text.getvalue().splitlines()
        assert max(map(len, lines)) <= 80
        assert "…" not in text.getvalue()
        assert len(lines) <= len(table.rows) + 6  # nothing is wrapped
        for row in table.rows:
            assert any(all(cell in line for cell in row) for line in lines), row


def test_notes(results: Results, readings: Results) -> None:
    said = hybrid_report.notes(hybrid_readings.with_readings(results, readings))
    assert "of 48 published numbers lie where" in said[1]
    assert any("With 8 runs a verdict says little" in line for line in said)
    differing = [line for line in said if "where the paper has" in line]
    assert differing
    assert all("of the 1 other readings tried, 8 runs each" in line for line in differing)


def test_where_curves_cross() -> None:
    games = [1_000, 2_000, 3_000, 11_000, 12_000]
    cells = {
        "attack-defense": {"curve": {"games": games, "lost": [500, 700, 750, 800, 800]}},
        "random": {"curve": {"games": games, "lost": [400, 550, 650, 850, 900]}},
    }
    assert hybrid_report.crossing(cells, 1_000) == 3_000  # 50 and 100 in the last thousand
    assert hybrid_report.crossing(cells) == 11_000  # 800 - 500 and 850 - 400
    assert hybrid_report.crossing({"attack-defense": cells["random"], **cells}, 1_000) == 3_000
    same = {"attack-defense": cells["random"], "random": cells["random"]}
    assert hybrid_report.crossing(same) is None


# Figures


@pytest.fixture(scope="module")
def drawn(results: Results, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return hybrid_figures.figures(results, tmp_path_factory.mktemp("figures"))


def test_figures_are_written_and_always_the_same(
    results: Results, drawn: list[Path], tmp_path: Path
) -> None:
    once, again = drawn, hybrid_figures.figures(results, tmp_path)
    assert [int(path.name.split("-")[3]) for path in once] == list(range(3, 15))
    assert once[0].name == "hybrid-all-figure-3-utilities.svg"
    for one, other in zip(once, again, strict=True):
        assert one.read_text().startswith("<?xml")
        assert one.read_bytes() == other.read_bytes()


def test_figures_of_one_game(tmp_path: Path) -> None:
    few = synthetic(("connect4:4x4",), runs=1)
    few = replace(few, facts={**few.facts, "example_games": {}}, rows=few.rows[:2])
    few.facts.pop("example_games")
    drawn = hybrid_figures.figures(few, tmp_path)
    assert [int(path.name.split("-")[3]) for path in drawn] == list(range(10, 15))


def test_shares() -> None:
    finals = {f"{end} against random": [n, n] for end, n in (("won", 6), ("drawn", 3), ("lost", 1))}
    assert hybrid_figures.end_shares(finals, "random") == pytest.approx([0.6, 0.3, 0.1])
    shares = (0, 0.00034, 0.0123, 0.5, 1)
    assert [hybrid_figures.share_text(s) for s in shares] == [
        "0%",
        "0.034%",
        "1.2%",
        "50.0%",
        "100%",
    ]


# The page


def test_the_page_shows_every_table_and_figure(results: Results, readings: Results) -> None:
    text = markdown(hybrid_page.page(results, readings))
    for number in range(3, 15):
        assert f"figures/hybrid-all-figure-{number}-" in text
    for table in [*hybrid_report.tables(results), *hybrid_readings.tables(readings)]:
        assert f"**{table.title}**" in text
    for words in (
        "inarow reproduce hybrid --part all --scale quick",
        "inarow reproduce hybrid --part readings --scale paper",
        "Like for like it is 2,187",
        "are exactly 161,029",
        "are 9.",
        "12x to 20x",
        "All 9 published means below 2,000,000 are multiples of 100",
        "| own states | only positions after the agent's own moves",
        "runs that stopped early can still be beaten",
    ):
        assert words in text, words


def test_the_page_names_the_files_that_are_drawn(results: Results, drawn: list[Path]) -> None:
    text = markdown(hybrid_page.page(results))
    for path in drawn:
        assert f"(figures/{path.name})" in text
    assert "## Other readings" not in text


def test_the_page_follows_the_results(results: Results) -> None:
    def slower(row: dict[str, Any]) -> dict[str, Any]:
        return {**row, "finals": {**row["finals"], "games": [1_000_000.0] * row["runs"]}}

    text = markdown(hybrid_page.page(replace(results, rows=[*map(slower, results.rows)])))
    assert "| attack-defense | 99,100 | 1,000,000 | 1,000,000-1,000,000 | differs |" in text
    assert "*Tic-tac-toe, attack-defense, training games*: 1,000,000 ± 0, the paper 99,100." in text


def test_a_page_of_one_game() -> None:
    text = markdown(hybrid_page.page(synthetic(("tictactoe",), runs=2)))
    assert "figure-10" not in text
    assert "### Connect-4 on 4x4" not in text


def test_pages_are_made_from_what_is_stored(
    results: Results, readings: Results, tmp_path: Path
) -> None:
    pages = runpy.run_path(str(DOCS / "make_pages.py"))["pages"]
    assert pages(tmp_path) == {}
    save(results, tmp_path)
    (text,) = pages(tmp_path).values()
    assert text == markdown(hybrid_page.page(results))
    save(readings, tmp_path)
    (text,) = pages(tmp_path).values()
    assert text == markdown(hybrid_page.page(results, readings))


def test_the_stored_page_is_up_to_date() -> None:
    made: dict[Path, str] = runpy.run_path(str(DOCS / "make_pages.py"))["pages"]()
    stored = (DOCS / "results" / "hybrid-all.json").is_file()
    assert (DOCS / "papers" / "hybrid.md" in made) == stored
    for path, text in made.items():
        assert path.read_text(encoding="utf-8") == text, "run: python docs/make_pages.py"
