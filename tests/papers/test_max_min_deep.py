"""The study of the deep player: what is read, what is shown."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from inarow.game import InputError
from inarow.papers import max_min_deep
from inarow.papers.page import Page, markdown
from inarow.papers.parts import part_of
from inarow.papers.results import Results
from inarow.ui.reproduce import _print_table


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Short runs, looked at twice."""
    short = tuple(
        replace(v, games=2000, every=1000, options={**v.options, "hidden": 16})
        for v in max_min_deep.VARIANTS
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(max_min_deep, "VARIANTS", short)
        patch.setattr(max_min_deep, "TEST_GAMES", 50)
        folder = tmp_path_factory.mktemp("max-min-deep")
        return max_min_deep.study(folder, lambda text, share: None, runs=2)


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(max_min_deep, "SHOWN", dict.fromkeys(max_min_deep.GAMES, (1000, 2000)))


def test_every_variant_has_figures_for_both_seats(results: Results) -> None:
    rows = max_min_deep.rows(results)
    assert len(rows) == len(max_min_deep.VARIANTS) * 2 * 2
    for row in rows:
        assert row["runs"] == 2
        assert 0 <= row["mean"] <= 100
        assert row["published"] is None
    shielded = {
        row["variant"]: row["mean"]
        for row in rows
        if row["game"] != "tictactoe" and row["games"] == 2000 and "first" in row["metric"]
    }
    assert shielded["win/block shield"] > shielded["no shield"]


def test_tables_fit_the_terminal_and_stand_on_the_page(results: Results) -> None:
    tables = max_min_deep.tables(results)
    assert [len(table.rows) for table in tables] == [3, 2]
    page = markdown(Page("deep", (), (max_min_deep.section(results),), ""))
    for table in tables:
        text = io.StringIO()
        _print_table(Console(file=text, width=80), table)
        assert max(map(len, text.getvalue().splitlines())) <= 80
        assert table.title in page
    assert "inarow reproduce max-min --part deep --scale quick" in page
    assert any("standard deviation" in note for note in max_min_deep.notes(results))


def test_the_part_and_its_games(tmp_path: Path) -> None:
    name, part = part_of("max-min", "deep")
    assert (name, part.scales) == ("deep", ("quick", "paper"))
    with pytest.raises(InputError, match="not 'qubic'"):
        max_min_deep.study(tmp_path, lambda text, share: None, game="qubic")
