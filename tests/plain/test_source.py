"""What `inarow.plain` keeps to: short, nothing compiled, and no other layer than games."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import inarow.plain

FILES = sorted(Path(inarow.plain.__file__).parent.glob("*.py"))
MOST_LINES = 90  # of a class or function


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_it_is_short_and_plain(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            assert node.end_lineno is not None
            assert node.end_lineno - node.lineno < MOST_LINES, node.name
    for node in ast.walk(tree):
        modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        modules += [name.name for name in node.names] if isinstance(node, ast.Import) else []
        for module in modules:
            assert "numba" not in module
            if module.startswith("inarow"):
                assert module == "inarow.game" or module.startswith("inarow.plain.")
