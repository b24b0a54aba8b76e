"""The walk through a made-up paper in docs/add-a-paper.md: it runs, is judged, and has a page."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

from inarow.papers.paper import Paper
from inarow.papers.study import Request
from inarow.papers.template import page_of

WALK = Path(__file__).parents[2] / "docs" / "add-a-paper.md"


def blocks(language: str) -> list[str]:
    found = re.findall(rf"```{language}\n(.*?)```", WALK.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    return found


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Paper:
    folder = tmp_path_factory.mktemp("tiny")
    (folder / "published.toml").write_text(blocks("toml")[0], encoding="utf-8")
    (folder / "page.md").write_text(blocks("markdown")[0], encoding="utf-8")
    (folder / "spec.py").write_text("\n\n".join(blocks("python")), encoding="utf-8")
    found = importlib.util.spec_from_file_location("tiny_spec", folder / "spec.py")
    assert found is not None
    assert found.loader is not None
    module: Any = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    made = module.PAPER
    assert isinstance(made, Paper)
    return made


def test_the_spec_is_short() -> None:
    code = [line for block in blocks("python") for line in block.splitlines()]
    assert len([line for line in code if line.strip()]) < 60


def test_it_comes_out_as_a_page(paper: Paper, tmp_path: Path) -> None:
    results = paper.run(paper.part(), Request("quick", tmp_path, runs=12))
    data = paper.data(tmp_path, results)
    rows = {row.name: row for row in paper.rows(data)}
    assert set(rows) == {
        "table-1/random",
        "table-1/attack",
        "table-1/joint",
        "attack-is-better",
        "loses-under-a-tenth",
    }
    assert all(row.judged.runs == 12 for row in rows.values())
    assert 0 < (rows["table-1/random"].judged.ours or 0) < 100
    text = page_of(paper, data)
    assert "# Whom to learn tic-tac-toe from" in text
    assert "inarow reproduce tiny --part all --scale quick --runs 12" in text
    assert "The paper has 20 runs of each, ours 12." in text
    for row in rows.values():
        assert row.verdict in text
    assert text == page_of(paper, data)


def test_other_seeds_are_other_runs(paper: Paper, tmp_path: Path) -> None:
    one, other, again = (
        paper.run(paper.part(), Request("quick", tmp_path, runs=3, seed=seed))
        for seed in (None, 100, None)
    )
    assert one.rows == again.rows
    assert [row["runs"] for row in other.rows] == [3, 3]
    assert one.rows != other.rows
    assert other.command.endswith("--runs 3 --seed 100")
