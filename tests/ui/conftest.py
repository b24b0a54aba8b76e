"""Commands run inside the test process."""

import json
import sys

import pytest

from inarow.ui import main as command_line


@pytest.fixture
def run(monkeypatch, capsys):
    """Runs a command in this process: its exit status, output and error output."""

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["inarow", *arguments])
        with pytest.raises(SystemExit) as stopped:
            command_line.main()
        out, err = capsys.readouterr()
        return stopped.value.code, out, err

    return call


@pytest.fixture
def answer(run):
    """The JSON that a command prints, on one line, with nothing else."""

    def call(*arguments: str):
        status, out, err = run(*arguments, "--json")
        assert (status, err) == (0, "")
        assert len(out.splitlines()) == 1
        return json.loads(out)

    return call
