"""The table of solved values: what this package solves in an instant agrees with it."""

from __future__ import annotations

import tomllib

import pytest

import inarow
from tests.pages import DOCS

VALUES = tomllib.loads((DOCS / "known-values.toml").read_text(encoding="utf-8"))
SIGNS = {"+": 1, "=": 0, "-": -1}
WORDS = {"first": 1, "draw": 0, "second": -1}
OTHER = {entry["game"]: entry for entry in VALUES["other"]}
QUICK = (
    "tictactoe",
    "mnk:3x4x3",
    "mnk:4x4x3",
    "mnk:4x4x4",
    "board:3x3x3",
    "board:3x3x3,gravity",
    "connect4:4x4",
    "connect4:4x5",
    "connect4:5x4",
    "connect4:5x5",
    "connect4:6x7",
)


def listed(name):
    """The value in the table, for the side that begins."""
    if name in OTHER:
        return WORDS[OTHER[name]["value"]]
    rows, columns = name.removeprefix("connect4:").split("x")
    place = VALUES["connect4"]["widths"].index(int(columns))
    return SIGNS[VALUES["connect4"][rows].split()[place]]


@pytest.mark.parametrize("name", QUICK)
def test_solved_again(name):
    assert inarow.solve(inarow.game(name).position()).value == listed(name)


def test_every_entry_is_a_game_with_a_source():
    for name, entry in OTHER.items():
        assert inarow.game(name).name == name
        assert bool(entry["source"]) == (entry["value"] != "open")
    for height, row in VALUES["connect4"].items():
        if height.isdigit():
            assert len(row.split()) == len(VALUES["connect4"]["widths"])
