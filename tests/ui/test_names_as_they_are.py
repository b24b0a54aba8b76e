"""Names that anybody may have chosen: no markup is read in them, no escape reaches a terminal."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from rich.table import Table

from inarow.game import InputError
from inarow.game.errors import LONGEST, visible
from inarow.learn.saved import pack
from inarow.ui.terminal import PlainConsole, marked, progress_bar
from tests.small_runs import small_run

ODD = ["x[b].safetensors", "[red]x[-red].safetensors", "\x1b[31mx\x07.safetensors", ":smile:"]


def test_messages_are_one_printable_line():
    for name in ("\x1b[31m", "a\nb", "\u202ex", "\ud800", "\x9b31m", "\x00"):
        assert str(InputError(f"cannot read {name}")).isprintable()
    assert str(InputError("a \n  b")) == "a b"
    assert str(InputError("\x1b[2J")) == "\\x1b[2J"
    long = str(InputError("begin " + "x" * 10**6 + " end"))
    assert len(long) < LONGEST
    assert long.startswith("begin x")
    assert visible("two\nlines\tä") == "two\nlines\\tä"


@pytest.mark.parametrize("name", [*ODD, "[/b]", "[/]", "[link=x]y"])
def test_a_console_shows_names_as_they_are(capsys, name):
    out, shown = PlainConsole(width=200), visible(name)
    out.print(f" Saved as {name}.")
    rows = Table(name, title=name)
    rows.add_row(name)
    out.print(rows)
    out.print(marked(f"{name} in tictactoe", name))
    with progress_bar(name, 1):
        pass
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert printed.count(shown) == 5


@pytest.mark.parametrize("name", ODD[:3])
def test_commands_show_the_names_of_files_as_they_are(run, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    trained = run("train", "tictactoe", "q", "--games", "10", "--out", name)
    assert trained[0] == 0, trained
    for command in (
        ("match", "tictactoe", name, "random", "--games", "5"),
        ("certify", name),
        ("train", "--resume", name, "--games", "20"),
        ("arena", "tictactoe", name, "random", "--games", "2"),
    ):
        status, out, err = run(*command)
        assert (status, err) == (0, ""), (command, err)
        assert "\x1b" not in out
        assert "\x07" not in out
        assert visible(name)[:9] in out


def test_names_of_arrays_and_players_reach_no_terminal(tmp_path):
    agent = small_run("q")
    path = tmp_path / "some.safetensors"
    path.write_bytes(pack(agent.header, {**agent.training.arrays, "\x1b[31m[/b]\n": np.zeros(1)}))
    for player in (str(path), "\x1b[31m[/b]", "[/b].safetensors"):
        ended = subprocess.run(
            [sys.executable, "-m", "inarow", "match", "tictactoe", player, "random"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 2
        assert len(ended.stderr.splitlines()) == 1
        assert ended.stderr[:-1].isprintable()
        assert ended.stdout == ""


def test_json_has_no_control_characters(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = ODD[2]
    status, out, _ = run("train", "tictactoe", "q", "--games", "10", "--out", name, "--json")
    assert status == 0
    assert out[:-1].isprintable()
    assert json.loads(out)["file"] == name
