"""What holds for all tests."""

import signal
import sys

import pytest

from tests.planted import MODULE, PROGRAM, Planted

# Some tests press ctrl-C in programs that they start. Where the tests themselves run in the
# background, a shell lets them and all they start ignore it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """A module and a program in the current folder, which nobody has named yet."""
    from inarow.lab.players import outside

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(outside, "_allowed", {})
    monkeypatch.setattr(outside, "end_with_signals", lambda: None)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "planted.py").write_text(MODULE)
    program = tmp_path / "planted.sh"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    yield Planted(tmp_path)
    sys.modules.pop("planted", None)
