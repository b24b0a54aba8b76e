"""How much of a paper is judged: counted from sources, and what a study would have seen."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from inarow.papers.paper import names, paper_of
from inarow.papers.tables import coverage, errata, places, power_table
from inarow.papers.verdicts import CLAIM, NOT_RUN, NUMBER, TOO_FEW, Judged
from inarow.ui.main import app

DOCS = Path(__file__).parents[2] / "docs"


def test_the_tables_and_figures_that_a_source_names() -> None:
    assert places("Section V, Figures 5 and 7") == {"Figure 5", "Figure 7"}
    assert places("Appendix A, Table 1a, Figure 1") == {"Table 1a", "Figure 1"}
    assert places("Abstract, Section V-B, Table II") == {"Table II"}
    assert places("Section 4.2, Figure 12") == {"Figure 12"}
    assert places("Section IV-C, Section V, Figure 2") == {"Figure 2"}
    assert places("Abstract, Section 5") == set()


@pytest.mark.parametrize("name", [name for name in names() if not paper_of(name).own])  # of our own
def test_what_is_listed_is_named_and_the_rest_is_not(name: str) -> None:
    """Every place that a source names is one that the paper lists, and no illustration."""
    paper = paper_of(name)
    about = paper.published.paper
    listed = {*about["tables"], *about["figures"]}
    named = set[str]().union(*(places(e.source) for e in paper.published.entries.values()))
    assert named <= listed - {*about.get("illustrations", ())}
    assert errata(paper.folder / "page.md") >= 2


def test_rows_without_a_verdict_are_counted_as_such() -> None:
    paper = paper_of("hybrid")
    rows = paper.rows(paper.data(DOCS / "results"))
    full = {one.kind: one for one in coverage(paper.published, rows)}
    assert (len(full["tables"].published), len(full["figures"].published)) == (4, 12)
    taken = [
        replace(row, judged=Judged(TOO_FEW if "crossover" in row.name else NOT_RUN))
        if "Figure 5" in places(row.source)
        else row
        for row in rows
    ]
    less = {one.kind: one for one in coverage(paper.published, taken)}
    assert less["figures"].unjudged == ("Figure 4", "Figure 5")  # one claim names both
    assert less["figures"].judged == full["figures"].judged - 2
    assert {"crossover", "worse-at-first"} <= {*less["claims"].unjudged}


def test_power_is_what_four_of_five_studies_would_see() -> None:
    paper = paper_of("cube")
    rows = paper.rows(paper.data(DOCS / "results"))
    (row,) = (row for row in rows if row.name == "table-2/end/deep-structured")
    made = power_table([row], NUMBER)
    assert made is not None
    assert made.rows[0][0].startswith("Table II")
    assert float(made.rows[0][2]) == pytest.approx(1.43 * (row.detectable or 0), rel=0.05)
    assert power_table([row], CLAIM) is None


def test_a_command_counts_and_says_what_is_missing(tmp_path: Path) -> None:
    run = CliRunner().invoke
    given = ["reproduce", "connect-four", "--judged", "--out", str(DOCS / "results")]
    shown = run(app, given)
    assert shown.exit_code == 0
    assert "with a verdict" in shown.output
    found = json.loads(run(app, [*given, "--json"]).output)
    assert found["coverage"]["claims"] == {"published": 12, "judged": 12, "unjudged": []}
    assert found["errata"] == 7
    empty = run(app, [*given[:3], "--out", str(tmp_path)])
    assert empty.exit_code != 0
