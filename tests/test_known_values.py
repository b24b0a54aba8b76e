"""Solved values and counts on the pages of games: what can be found again in an instant agrees."""

from __future__ import annotations

import re
import sys
import tomllib

import pytest

import inarow
from inarow.game.names import FILE
from inarow.ui import main as command_line
from tests.pages import DOCS

VALUES = tomllib.loads(FILE.read_text(encoding="utf-8"))
SIGNS = {"+": 1, "=": 0, "-": -1}
GAMES = tomllib.loads((DOCS / "games.toml").read_text(encoding="utf-8"))
COUNTS = [row for text in GAMES.values() for row in text["counts"]]
SLOW = ("connect4:4x5", "connect4:5x4", "mnk:4x4x3")  # millions of positions: counted elsewhere
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


@pytest.mark.parametrize("row", COUNTS, ids=lambda row: row[0])
def test_the_named_command_prints_the_count(row, monkeypatch, capsys):
    _, value, source = row
    command = re.match(r"`inarow ([^`]+)`", source)
    if command is None or any(name in command[1] for name in SLOW):
        return
    monkeypatch.setattr(sys, "argv", ["inarow", *command[1].split()])
    with pytest.raises(SystemExit):
        command_line.main()
    shown = capsys.readouterr().out
    if "%" in value:  # the mean of the two sides that each of the players had
        sides = re.findall(r"as \w+ +([\d,]+) +([\d,]+) +[\d,]+ +([\d,]+)", shown)
        (games, wins, losses), (more, lost, won) = [
            [int(n.replace(",", "")) for n in s] for s in sides
        ]
        moves = re.search(r"([\d.]+) moves a game", shown)
        found = [100 * (wins + won) / (games + more), 100 * (losses + lost) / (games + more)]
        assert [f"{n:.1f}" for n in (*found, float(moves[1]))] == re.findall(r"[\d.]+", value)
    else:
        for number in re.findall(r"\d[\d,/]*\d|\d", value):
            assert re.search(rf"(?<![\d,/]){number}(?![\d/])", shown), number
