"""Curves as numbers, and all numbers of a paper in one plot."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inarow.papers.claims import Column, Costs, Means
from inarow.papers.figures import Curves, Line, Panel, averaged, counted, differences, forest
from inarow.papers.measures import Data, final
from inarow.papers.published import ARITHMETIC, Entry
from inarow.papers.study import Results
from inarow.papers.tables import low_power_text
from inarow.papers.verdicts import MATCHES, Row
from tests.papers.test_verdicts import runs

ROWS = [
    {
        "runs": 100, "who": "a", "games": [10, 1_000], "won": {"first": [[99.5, 1.0], [50.0, 2.0]]},
        "proven": [0, 100],
    },
    {"runs": 1, "who": "b", "games": [10], "won": {"first": [[20.0, 0.0]]}, "proven": [1]},
]  # fmt: skip
DATA = Data({"all": Results("p", "all", "quick", ROWS)}, "all")


def test_a_panel_as_a_table() -> None:
    lines = tuple(Line(who, averaged("won.first", who=who)) for who in ("a", "b", "c"))
    curves = Curves((Panel("", lines),), "of games", percent=True)
    table = curves.as_table(0, "title")(DATA)
    assert table is not None
    assert table.columns == ("games", "a", "b", "c")
    assert table.rows == (
        ("10", "99.5 (97.5-100.0)", "20.0", ""),  # one run has no interval; c was not run
        ("1,000", "50.0 (46.0-54.0)", "", ""),
    )


def test_counts_of_runs_as_a_table() -> None:
    curves = Curves((Panel("", (Line("a", counted("proven", who="a")),)),), "runs", percent=True)
    table = curves.as_table(0, "title")(DATA)
    assert table is not None
    assert [row[1] for row in table.rows] == ["0.0 (0.0-3.7)", "100.0 (96.3-100.0)"]
    assert curves.as_table(0, "title")(Data({}, "all")) is None


def test_a_dotted_name_is_the_same_as_a_function() -> None:
    by_name, by_function = (
        averaged("won.first", who="a"),
        averaged(lambda r: r["won"]["first"], who="a"),
    )
    assert by_name(DATA) == by_function(DATA)


# The whole paper at a glance

ENTRY = Entry("t", "Table 1, Section 2", title="numbers", numbers={"a": 10.0, "b": 10.0, "c": 10.0})
COLUMN = Column(ENTRY, ("what",), final("x"), Means(20, margin=4.0))


def judged() -> list[Row]:
    means = {"a": (10.0, 1.0), "b": (14.0, 1.0), "c": (10.0, 9.0)}
    rows = [
        {"what": what, "runs": 20, "finals": {"x": runs(mean, deviation, 20)}}
        for what, (mean, deviation) in means.items()
    ]
    return COLUMN.rows(Data({"all": Results("p", "all", "paper", rows)}, "all"))


def test_differences_are_in_margins() -> None:
    first, second, _ = differences(judged())
    assert (first.label, first.verdict) == ("Table 1, a", MATCHES)
    assert (first.value, second.value) == pytest.approx((0.0, 1.0))
    assert first.low < 0 < first.high
    assert second.low < 1 < second.high
    assert differences([replace(row, class_=ARITHMETIC) for row in judged()]) == []


def test_a_forest_has_a_line_for_each_number_that_runs_measure() -> None:
    costs = replace(COLUMN, test=Costs())
    one, more = (forest(columns, lambda _: judged()) for columns in ([costs], [COLUMN, COLUMN]))
    assert more.size[1] - one.size[1] == pytest.approx(6 * 0.2)
    assert one.has(DATA)
    assert not forest([COLUMN], lambda _: []).has(DATA)


def test_numbers_of_low_power_are_named() -> None:
    rows = judged()
    assert low_power_text(rows[:2]) == "No number has a power to match below 80%."
    said = low_power_text(rows)
    assert "Table 1, Section 2, c (" in said
    assert ", a (" not in said
