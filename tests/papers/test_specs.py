"""Every paper's specification: what it publishes is used, and all views count the same verdicts."""

from __future__ import annotations

import importlib
import json
import re
import runpy
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from inarow.papers.catalogue import SPECS, names, paper_of
from inarow.papers.paper import Paper
from inarow.papers.template import page_of
from inarow.papers.verdicts import DIFFERS, KINDS, VERDICTS, counts
from inarow.ui.web.paper_pages import read_page

DOCS = Path(__file__).parents[2] / "docs"


def spec(name: str) -> Paper:
    found = paper_of(name)
    assert isinstance(found, Paper)
    return found


@pytest.mark.parametrize("name", SPECS)
def test_every_published_entry_is_used_once_and_has_its_place(name: str) -> None:
    package = SPECS[name].rpartition(".")[0]
    # What was taken is counted anew; the package too, since it remembers its modules.
    for module in [m for m in sys.modules if f"{m}.".startswith(f"{package}.")]:
        del sys.modules[module]
    try:
        published = importlib.import_module(SPECS[name]).PAPER.published
        assert Counter(published.used) == Counter(list(published.entries))
        for entry in published.entries.values():
            assert re.search(r"[A-Z]", entry.source), entry
            assert entry.text or entry.title, entry
            if entry.title:
                assert dict(entry.leaves()), entry
    finally:
        for module in [m for m in sys.modules if f"{m}.".startswith(f"{package}.")]:
            del sys.modules[module]


@pytest.mark.parametrize("name", SPECS)
def test_every_number_of_a_table_has_a_row(name: str) -> None:
    paper = spec(name)
    rows = {row.name for row in paper.rows(paper.data(DOCS / "results"))}
    for column in paper.columns:
        for path, _ in column.entry.leaves():
            assert "/".join((column.entry.name, *path)) in rows
    assert len(rows) == len(paper.rows(paper.data(DOCS / "results")))


@pytest.mark.parametrize("name", SPECS)
def test_all_views_count_the_same_verdicts(name: str) -> None:
    """The page's table, the stored JSON, the browser's page, and the rows themselves."""
    paper = spec(name)
    data = paper.data(DOCS / "results")
    expected = counts(paper.rows(data))
    text = page_of(paper, data)
    for kind, by in expected.items():
        (line,) = re.findall(rf"^\| {re.escape(KINDS[kind])} \|(.*)\|$", text, re.MULTILINE)
        numbers = [int(cell) for cell in line.split("|")]
        heads = re.findall(r"^\|  \|(.*)\| total \|$", text, re.MULTILINE)[0].split("|")
        shown = dict(zip([head.strip() for head in heads], numbers, strict=False))
        assert {verdict: n for verdict, n in shown.items() if n} == by
        assert numbers[-1] == sum(by.values())
    stored = json.loads((DOCS / "papers" / f"{name}.json").read_text(encoding="utf-8"))
    assert stored["counts"] == expected
    by_rows = Counter((row["kind"], row["verdict"]) for row in stored["rows"])
    assert by_rows == {(k, v): n for k, by in expected.items() for v, n in by.items()}
    assert read_page(name).verdicts == {KINDS[kind]: by for kind, by in expected.items()}
    json_counts = Counter[tuple[str, str]]()
    for part in paper.parts:
        for kind, by in paper.as_json(data, part.name)["counts"].items():
            json_counts.update({(kind, verdict): n for verdict, n in by.items()})
    assert json_counts == by_rows


@pytest.mark.parametrize("name", SPECS)
def test_what_differs_has_a_reason(name: str) -> None:
    paper = spec(name)
    for row in paper.rows(paper.data(DOCS / "results")):
        assert row.verdict in VERDICTS
        assert bool(row.reason) == (row.verdict == DIFFERS), row


@pytest.mark.parametrize("name", SPECS)
def test_the_page_shows_every_table_and_figure(name: str, tmp_path: Path) -> None:
    paper = spec(name)
    data = paper.data(DOCS / "results")
    text = page_of(paper, data)
    rows = paper.rows(data)
    for table in paper.tables:
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
        assert path.read_text(encoding="utf-8") == text, "run: make pages"


def test_a_paper_without_results_has_no_page(tmp_path: Path) -> None:
    pages: Any = runpy.run_path(str(DOCS / "make_pages.py"))["pages"]
    assert pages(tmp_path) == {}
