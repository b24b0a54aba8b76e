"""The text of a release is the section of the changelog that belongs to its version."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import inarow

ROOT = Path(__file__).parents[1]
TOOL = runpy.run_path(str(ROOT / "tools" / "release_notes.py"))
CHANGELOG = "# Changes\n\n## 1.1.0\n\n- New.\n\n### Fixed\n\n- Old.\n\n## 1.1\n\n- First.\n"


def test_a_section_ends_where_the_next_begins() -> None:
    assert TOOL["notes"]("1.1.0", CHANGELOG) == "- New.\n\n### Fixed\n\n- Old.\n"
    assert TOOL["notes"]("1.1", CHANGELOG) == "- First.\n"
    with pytest.raises(SystemExit, match=r"no section 1\.2"):
        TOOL["notes"]("1.2", CHANGELOG)


def test_this_version_has_a_section(capsys: pytest.CaptureFixture[str]) -> None:
    TOOL["main"](inarow.__version__)
    assert "### Fixed" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="is not the version"):
        TOOL["main"]("0.0.1")
