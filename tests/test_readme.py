"""The README's code blocks run, and its commands and pictures exist."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
LINES = [line for kind, text in BLOCKS if kind == "sh" for line in text.splitlines()]
COMMANDS = [line for line in LINES if line.startswith("inarow ")]
TARGETS = [line.split()[1] for line in LINES if line.startswith("make ")]


def test_every_line_is_a_command_that_is_tested():
    assert len(COMMANDS) + len(TARGETS) == len(LINES)
    assert len(COMMANDS) >= 5


@pytest.mark.parametrize("command", COMMANDS)
def test_command_runs(command):
    words = [sys.executable, "-m", *command.split()]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize("target", TARGETS)
def test_make_target_exists(target):
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


@pytest.mark.parametrize("text", [text for kind, text in BLOCKS if kind == "python"])
def test_python_block_runs(text, capsys):
    exec(compile(text, "README.md", "exec"), {})
    assert "737, 1260" in capsys.readouterr().out


def test_pictures_and_pages_exist():
    files = re.findall(r'src="([^"]+)"', README) + re.findall(r"\]\(([^)]+)\)", README)
    assert len(files) >= 5
    for file in files:
        assert (ROOT / file).is_file(), file
