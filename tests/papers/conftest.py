"""Nothing that a test of the papers measures is kept for the person who runs it."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _no_times_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("inarow.papers.study.times_file", lambda: tmp_path / "times.json")
