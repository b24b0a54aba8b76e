"""Every command's help, at several widths, and the example that it ends with."""

import re
import shlex
import sys

import pytest
import typer

from inarow import __version__
from inarow.ui.examples import EXAMPLES
from inarow.ui.main import app

# What takes minutes, or never ends; each has tests of its own.
LONG = {"serve", "agents make", "agents measure", "book replies", "export"}
STUDY = """
name = "two opponents"
[fixed]
game = "tictactoe"
learner = "td"
games = 2000
evaluate_every = 500
evaluations = ["certificate"]
[grid]
against = ["attack", "defense"]
"""
TUNING = """
name = "a step size"
[fixed]
game = "tictactoe"
learner = "q"
games = 100
evaluations = ["score:random"]
[tune]
metric = "score against random"
runs = 8
fresh = 2
[tune.parameters]
alpha = { from = 0.1, to = 0.9 }
"""


def walk(command, name, parent=None):
    """All commands, with the names by which they are called."""
    context = command.context_class(command, info_name=name.split()[-1], parent=parent)
    yield name, command
    for part in getattr(command, "commands", {}).values():
        yield from walk(part, f"{name} {part.name}", context)


ROOT = typer.main.get_command(app)
COMMANDS = dict(walk(ROOT, "inarow"))
LEAVES = [name.partition(" ")[2] for name, c in COMMANDS.items() if not hasattr(c, "commands")]


@pytest.fixture(autouse=True)
def _made_once(monkeypatch):
    """The commands are the same ones each time: making them takes most of the time."""
    monkeypatch.setattr(typer.main, "get_command", lambda _: ROOT)


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("colour", ["NO_COLOR", "FORCE_COLOR"])
def test_help_at_every_width(run, monkeypatch, width, colour):
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv(colour, "1")
    for name in COMMANDS:
        words = name.split()[1:]
        status, out, err = run(*words, "-h" if width == 40 else "--help")
        assert (status, err) == (0, "")
        lines = re.sub(r"\x1b\[[0-9;]*m", "", out).splitlines()
        if width == 80:
            assert max(map(len, lines)) <= 80, name
            assert not any(re.match(r"  \w+ .*\.\.\.$", line) for line in lines), name
        if (example := EXAMPLES.get(" ".join(words))) is not None:
            assert f"  Example: inarow {example}" in lines


def test_every_command_has_an_example():
    assert set(EXAMPLES) >= set(LEAVES)
    assert all(len(f"  Example: inarow {example}") <= 80 for example in EXAMPLES.values())
    for name, example in EXAMPLES.items():
        assert example.startswith(name)


@pytest.mark.parametrize(("width", "colour"), [(40, "NO_COLOR"), (80, ""), (120, "FORCE_COLOR")])
def test_every_example_runs(run, tmp_path, monkeypatch, width, colour):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", str(width))
    if colour:
        monkeypatch.setenv(colour, "1")
    (tmp_path / "study.toml").write_text(STUDY)
    (tmp_path / "tuning.toml").write_text(TUNING)
    for name, example in EXAMPLES.items():
        if name in LEAVES and name not in LONG:
            status, out, err = run(*shlex.split(example))
            assert (status, err) == (0, ""), (example, err)
            assert out


def test_version_and_completion(run, monkeypatch):
    assert run("--version") == (0, f"inarow {__version__}\n", "")
    monkeypatch.setattr(sys.modules["__main__"], "__package__", None)  # as a script is started
    monkeypatch.setenv("_INAROW_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "inarow an")
    monkeypatch.setenv("COMP_CWORD", "1")
    status, out, _ = run()
    assert (status, out.split()) == (0, ["analyse"])


def test_players_are_listed_with_their_options(run, answer):
    listed = answer("players")
    assert listed["rules"]["random"] == "any move"
    assert "level:N" in listed["searching"]
    assert "@lines" in listed["options"]["attack@ORDER"]
    _, out, _ = run("players")
    assert "minimax:20/0.5s" in out
    assert max(map(len, out.splitlines())) <= 80


def test_certify_takes_the_game_first(answer):
    assert answer("certify", "tictactoe", "attack") == answer("certify", "attack", "tictactoe")
