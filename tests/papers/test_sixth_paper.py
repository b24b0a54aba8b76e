"""The made-up paper of docs/how-to/add-a-paper.md: it runs, is judged, and has a page."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from inarow.game import InputError
from inarow.papers.paper import GROUP, Paper, names, paper_of
from inarow.papers.study import Request
from inarow.ui.main import app

WALK = Path(__file__).parents[2] / "docs" / "how-to" / "add-a-paper.md"


def block(language: str) -> str:
    found = re.findall(rf"```{language}\n(.*?)```", WALK.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    return str(found[0])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As a stranger makes it: two files, and nothing else anywhere."""
    made = tmp_path_factory.mktemp("outside") / "small-steps"
    made.mkdir()
    (made / "published.toml").write_text(block("toml"), encoding="utf-8")
    (made / "paper.py").write_text(block("python"), encoding="utf-8")
    return made


def reproduce(*words: str | Path) -> Result:
    found = CliRunner().invoke(app, ["reproduce", *map(str, words)])
    assert found.exit_code == 0, found.output
    return found


def test_it_is_short() -> None:
    assert len([line for line in block("python").splitlines() if line.strip()]) <= 33


def test_it_runs_is_judged_and_has_its_page(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    listed = json.loads(reproduce("small-steps/", "--list", "--json").output)
    assert [(part["part"], part["default"]) for part in listed["parts"]] == [("all", "quick")]
    shown = reproduce("small-steps/", "--out", tmp_path).output
    assert max(len(line) for line in shown.splitlines() if "Report:" not in line) <= 80
    assert "small steps lose less" in shown
    answer = json.loads(reproduce("small-steps/", "--out", tmp_path, "--json").output)
    rows = {row["name"]: row for row in answer["rows"]}
    assert set(rows) == {
        "table-1/small", "table-1/large", "table-1/joint", "small-is-better", "under-five",
    }  # fmt: skip
    assert all(row["runs"] == 6 for row in rows.values())
    assert 0 < rows["table-1/small"]["ours"] < 100
    text = (tmp_path / "small-steps" / "index.md").read_text(encoding="utf-8")
    assert "# Small steps" in text
    assert "inarow reproduce small-steps --part all --scale quick" in text
    assert "| small | 4.1 ± 1.0 |" in text
    for row in rows.values():
        assert row["verdict"] in text
    assert "small-steps" in paper_of("small-steps/").address
    assert "small-steps" not in names()


def test_prose_of_its_own_stands_in_the_report(folder: Path, tmp_path: Path) -> None:
    (folder / "page.md").write_text(block("markdown"), encoding="utf-8")
    try:
        reproduce(folder, "--out", tmp_path, "--runs", "5")
        html = (tmp_path / "small-steps" / "index.html").read_text(encoding="utf-8")
        assert "It compares two step sizes." in html
        assert "what “small steps are clearly preferable” rests on" in html
        assert "Differences from the paper" in (tmp_path / "small-steps" / "index.md").read_text()
    finally:
        (folder / "page.md").unlink()


def test_its_settings_and_agents_have_names(folder: Path, tmp_path: Path) -> None:
    reproduce(folder, "--out", tmp_path, "--runs", "3")
    agents = tmp_path / "small-steps" / "agents"
    assert {path.name[:5] for path in agents.glob("*.safetensors")} == {"small", "large"}
    assert len(list(agents.glob("*.safetensors"))) == 6
    listed = json.loads(reproduce(folder, "--conditions", "--json").output)
    assert [one["parameters"]["alpha"] for one in listed["conditions"]] == ["0.05", "0.5"]


def test_other_seeds_are_other_runs(folder: Path, tmp_path: Path) -> None:
    paper = paper_of(str(folder))
    one, other, again = (
        paper.run(paper.part(), Request("quick", tmp_path, runs=3, seed=seed))
        for seed in (None, 100, None)
    )
    assert one.rows == again.rows
    assert [row["runs"] for row in other.rows] == [3, 3]
    assert one.rows != other.rows
    assert other.command().endswith("--runs 3 --seed 100")


def test_its_files_import_each_other(tmp_path: Path) -> None:
    made = tmp_path / "in-two-files"
    made.mkdir()
    (made / "published.toml").write_text(block("toml"), encoding="utf-8")
    head, _, tail = block("python").partition("PAPER = Paper(")
    (made / "study.py").write_text(head, encoding="utf-8")
    text = f"from .study import *\nPAPER = Paper({tail}"
    (made / "paper.py").write_text(text, encoding="utf-8")
    assert paper_of(str(made)).part().name == "all"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", "is no paper: its paper.py has no PAPER"),
        ("import nowhere", r"paper.py: ModuleNotFoundError: No module named 'nowhere'"),
        ("PAPER = (", "paper.py: SyntaxError"),
    ],
)
def test_what_is_no_paper_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    made = tmp_path / "none"
    made.mkdir()
    with pytest.raises(InputError, match=r"is no folder with a paper.py"):
        paper_of(str(made))
    (made / "paper.py").write_text(text)
    with pytest.raises(InputError, match=message) as error:
        paper_of(str(made))
    assert "\n" not in str(error.value)


def test_a_package_can_declare_its_papers(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry point of the group is a paper by name."""

    class Entry:
        name, value = "small-steps", "small_steps_package.paper"

    package = folder.parent / "small_steps_package"
    package.mkdir()
    (package / "__init__.py").touch()
    for file in ("paper.py", "published.toml"):
        (package / file).write_bytes((folder / file).read_bytes())
    monkeypatch.syspath_prepend(str(folder.parent))
    monkeypatch.setattr(
        "inarow.papers.paper.installed",
        lambda group: {Entry.name: Entry()} if group == GROUP else {},
    )
    assert "small-steps" in names()
    found = paper_of("small-steps")
    assert isinstance(found, Paper)
    assert found.address == "small-steps"
