"""Every library that the package imports is declared, and SQLite is called as Python 3.13 wants."""

import ast
import json
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

from tests.user_texts import hooks

ROOT = Path(__file__).parents[1]
# Imported where they are asked for.
OPTIONAL = {
    *("anywidget", "gymnasium", "open_spiel", "optuna", "pandas", "pettingzoo", "pyspiel", "ray"),
    "traitlets",
}


def trees():
    for path in sorted((ROOT / "src").rglob("*.py")):
        yield path, ast.parse(path.read_text())


def test_what_is_imported_is_declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {re.match(r"[\w-]+", line)[0].lower() for line in project["dependencies"]}
    found = set()
    for _, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                found |= {name.name.partition(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add(node.module.partition(".")[0])
    found -= {*sys.stdlib_module_names, *OPTIONAL, "inarow"}
    distributions = packages_distributions()
    assert {"fastapi", "starlette", "uvicorn", "numpy"} <= found
    missing = {name for name in found if not {d.lower() for d in distributions[name]} & declared}
    assert missing == set()


def test_databases_are_opened_with_named_arguments():
    """More than the path by its place is deprecated since Python 3.13."""
    calls = []
    for path, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "sqlite3.connect":
                calls.append(path.name)
                assert len(node.args) == 1, path
    assert calls


def test_what_each_extra_adds_is_measured():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    stored = json.loads((ROOT / "docs" / "results" / "extras.json").read_text())
    assert set(stored["extras"]) == set(project["optional-dependencies"]), "make extras"
    assert not any(set(one["added"]) & set(stored["core"]) for one in stored["extras"].values())
    page = hooks()["how-to/install.md"]
    assert all(f"| `{name}` |" in page for name in stored["extras"])
