"""Stored results: read again as they were, written whole or not at all, one line for bad files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from inarow.game import InputError
from inarow.papers.study import Results, load, save

SOME = Results(
    "connect-four", "minimax", "quick", [{"board": "6x7", "runs": 1}], {"a": 1}, {}, 2, 3
)


def test_stored_and_read_again(tmp_path: Path) -> None:
    path = save(SOME, tmp_path / "new" / "folder")
    assert path.name == "connect-four-minimax.json"
    assert load(path) == SOME
    assert [file.name for file in path.parent.iterdir()] == [path.name]  # nothing left aside


def test_a_failed_write_leaves_the_old_results(tmp_path: Path) -> None:
    path = save(SOME, tmp_path)
    with pytest.raises(TypeError):
        save(replace(SOME, facts={"unknown": object()}), tmp_path)
    assert load(path) == SOME
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_unreadable_results(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no file .*none.json"):
        load(tmp_path / "none.json")
    for text in ("{", "[]", "{}", '{"paper": 1}'):
        (tmp_path / "bad.json").write_text(text)
        with pytest.raises(InputError, match="holds no results"):
            load(tmp_path / "bad.json")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write"):
        save(Results("a", "b", "c", []), tmp_path / "file")
