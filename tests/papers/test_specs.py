"""Every paper's specification: what it publishes is used, and all views count the same verdicts."""

from __future__ import annotations

import json
import re
import runpy
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from inarow.papers.page import NOT_MEASURED, page_of
from inarow.papers.paper import names, paper_of
from inarow.papers.published import OWN
from inarow.papers.report import page_markdown, report_of
from inarow.papers.verdicts import CLAIM, DIFFERS, NUMBER, REPEATED, VERDICTS, counts

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", names())
def test_every_published_entry_has_its_place(name: str) -> None:
    for entry in paper_of(name).published.entries.values():
        assert re.search(r"[A-Z]", entry.source) or entry.class_ == OWN, entry


@pytest.mark.parametrize("name", names())
def test_every_number_of_a_table_has_a_row(name: str) -> None:
    paper = paper_of(name)
    rows = {row.name for row in paper.rows(paper.data(DOCS / "results"))}
    for column in paper.numbers:
        for path, _ in column.entry.leaves():
            assert "/".join((column.entry.name, *path)) in rows
    assert len(rows) == len(paper.rows(paper.data(DOCS / "results")))


@pytest.mark.parametrize("name", names())
def test_all_views_count_the_same_verdicts(name: str) -> None:
    """The page's table, the stored JSON, the browser's page, and the rows themselves."""
    paper = paper_of(name)
    data = paper.data(DOCS / "results")
    expected = counts(paper.rows(data))
    report = report_of(paper, data, beyond=False)
    for kind in (NUMBER, CLAIM):
        measured, given = report.counted(kind), report.counted(kind, given=True)
        assert measured == expected.get(kind, {})
        others = sum(row.kind == kind and row.counted_as != kind for row in report.rows)
        assert sum(given.values()) == others
    stored = json.loads((DOCS / "papers" / f"{name}.json").read_text(encoding="utf-8"))
    assert stored["counts"] == expected
    by_rows = Counter((row["counted_as"], row["verdict"]) for row in stored["rows"])
    assert by_rows == {(k, v): n for k, by in expected.items() for v, n in by.items()}
    json_counts = Counter[tuple[str, str]]()
    for part in paper.parts:
        for kind, by in paper.as_json(data, part.name)["counts"].items():
            json_counts.update({(kind, verdict): n for verdict, n in by.items()})
    assert json_counts == by_rows


@pytest.mark.parametrize("name", names())
def test_each_statistic_is_counted_once(name: str) -> None:
    paper, seen = paper_of(name), dict[tuple[float, int], str]()
    for row in paper.rows(paper.data(DOCS / "results")):
        ours, low, high = row.judged.ours, row.judged.low, row.judged.high
        if row.counted_as in (CLAIM, REPEATED) and ours and low and high and low < ours < high:
            same = seen.setdefault((abs(ours), row.judged.runs), row.name)
            assert row.repeats == ("" if same == row.name else same)


@pytest.mark.parametrize("name", names())
def test_what_differs_has_a_reason(name: str) -> None:
    paper = paper_of(name)
    for row in paper.rows(paper.data(DOCS / "results")):
        assert row.verdict in VERDICTS
        assert bool(row.reason) == (row.verdict == DIFFERS), row


@pytest.mark.parametrize("name", names())
def test_the_page_shows_every_table_and_figure(name: str, tmp_path: Path) -> None:
    paper = paper_of(name)
    data = paper.data(DOCS / "results")
    page = page_of(paper, data)
    text = page if paper.own else page_markdown(report_of(paper, data)) + page
    rows = paper.rows(data)
    for table, maker in paper.tables.items():
        if data.results(maker.part) is None:
            continue  # of a long study that is under way
        made = paper.table(table, data, rows)
        assert made is not None, table
        assert all(cell in text for cell in made.rows[0]), table
    drawn = paper.draw(data, tmp_path)
    assert len(drawn) == len(paper.figures)
    for path in drawn:
        assert f"(figures/{path.name})" in text
        assert (DOCS / "papers" / "figures" / path.name).read_bytes() == path.read_bytes()


def test_stored_pages_are_what_the_results_say() -> None:
    made: dict[Path, str] = runpy.run_path(str(DOCS / "make_pages.py"))["pages"]()
    for name in names():
        assert DOCS / "papers" / f"{name}.md" in made
        assert DOCS / "papers" / f"{name}.json" in made
    for path, text in made.items():
        assert "(not run)" not in text
        assert NOT_MEASURED not in text
        assert path.read_text(encoding="utf-8") == text, "run: make pages"


def test_a_paper_without_results_has_no_page(tmp_path: Path) -> None:
    pages: Any = runpy.run_path(str(DOCS / "make_pages.py"))["pages"]
    assert pages(tmp_path) == {}
