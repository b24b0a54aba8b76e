"""Runs the notebooks of examples, and stores what they show: make notebooks.

    python docs/notebooks.py examples/*.ipynb

No kernel is needed: the cells of a notebook are run in one namespace, and what the last line of a
cell gives is stored as a notebook would show it. The site's pages and the tests are made from it.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
SHOWN = {"text/html": "_repr_html_", "image/svg+xml": "_repr_svg_"}

Cell = dict[str, Any]


def notebooks() -> list[Path]:
    """All of them."""
    return sorted(EXAMPLES.glob("*.ipynb"))


def read(path: Path) -> dict[str, Any]:
    """A notebook."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def run(notebook: dict[str, Any]) -> list[list[Cell]]:
    """The outputs of each of its code cells, run in an empty folder."""
    names: dict[str, Any] = {"__name__": "notebook"}
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "80"
    try:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            return [run_cell(text_of(cell), names) for cell in code_cells(notebook)]
    finally:
        os.environ.pop("COLUMNS")
        if before is not None:
            os.environ["COLUMNS"] = before


def code_cells(notebook: dict[str, Any]) -> list[Cell]:
    """Its code."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def text_of(cell: Cell) -> str:
    """What stands in a cell."""
    return "".join(cell["source"])


def run_cell(code: str, names: dict[str, Any]) -> list[Cell]:
    """What a cell prints, and what its last line gives."""
    tree, printed, value = ast.parse(code), io.StringIO(), None
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "notebook", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "notebook", "eval"), names)
    found: list[Cell] = []
    if printed.getvalue():
        lines = printed.getvalue().splitlines(keepends=True)
        found.append({"output_type": "stream", "name": "stdout", "text": lines})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        for kind, method in SHOWN.items():
            if hasattr(value, method):
                data[kind] = getattr(value, method)().splitlines(keepends=True)
        result = {"output_type": "execute_result", "data": data, "metadata": {}}
        found.append({**result, "execution_count": None})
    return found


def store(path: Path) -> None:
    """Runs a notebook and writes what it shows into it."""
    notebook = read(path)
    for number, (cell, found) in enumerate(
        zip(code_cells(notebook), run(notebook), strict=True), start=1
    ):
        cell["execution_count"], cell["outputs"] = number, found
        for output in found:
            if "execution_count" in output:
                output["execution_count"] = number
    text = json.dumps(notebook, indent=1, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8")


def main(paths: list[str]) -> None:
    """Stores the outputs of some notebooks, or of all."""
    for path in [Path(name) for name in paths] or notebooks():
        store(path)
        print(f"{path.name}: stored")


if __name__ == "__main__":
    main(sys.argv[1:])
