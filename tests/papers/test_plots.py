"""Curves as numbers: the table of a panel has what its figure draws."""

from __future__ import annotations

from inarow.papers.measures import Data
from inarow.papers.plots import Curves, Line, Panel, averaged, counted
from inarow.papers.results import Results

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
