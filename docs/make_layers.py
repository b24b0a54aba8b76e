"""Draws the layers of the package, their sizes, and who imports whom: `make layers`.

The order is that of the import contract in pyproject.toml. A layer imports from those below it
only, so all circles lie on one side of the diagonal; `lint-imports` is what checks it.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "inarow"
PICTURE = ROOT / "docs" / "pictures" / "layers.svg"
ROW, LEFT, CELL, TOP = 34, 330, 62, 44
STYLE = "font: 14px system-ui, sans-serif"


def layers() -> list[str]:
    """All layers that there are, the highest first."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = project["tool"]["importlinter"]["contracts"][0]["layers"]
    names = [name for row in contract for name in re.findall(r"\w+", row)]
    return [name for name in names if (PACKAGE / name).is_dir()]


def imported(path: Path) -> Iterator[str]:
    """The layers that a file imports from, once for each import."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "inarow":
            below = node.module.split(".")[1:] if node.module else []
            yield from below[:1] or (name.name for name in node.names)


def sizes(layer: str) -> tuple[int, int]:
    """Files and lines."""
    files = list((PACKAGE / layer).rglob("*.py"))
    return len(files), sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)


def imports(layer: str) -> Counter[str]:
    """How many imports it has from each layer."""
    files = (PACKAGE / layer).rglob("*.py")
    return Counter(name for file in files for name in imported(file))


def text() -> str:
    """For a terminal."""
    names, lines = layers(), []
    for name in names:
        files, length = sizes(name)
        used = imports(name)
        uses = [f"{other} {used[other]}" for other in names if other != name and used[other]]
        lines.append(f"{name:<10}{files:>4} files {length:>7,} lines   imports {', '.join(uses)}")
    return "\n".join(lines)


def svg() -> str:
    """A box for each layer, and a matrix of imports: the row imports from the column."""
    names = layers()
    width, height = LEFT + CELL * len(names) + 10, TOP + ROW * len(names) + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" style="{STYLE}">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text x="10" y="24" fill="#555">layer</text>'
        f'<text x="{LEFT - 8}" y="24" fill="#555" text-anchor="end">files, lines</text>',
    ]
    for column, name in enumerate(names):
        x = LEFT + CELL * column + CELL / 2
        parts.append(f'<text x="{x}" y="24" fill="#555" text-anchor="middle">{name}</text>')
    for row, name in enumerate(names):
        y, (files, length), used = TOP + ROW * row, sizes(name), imports(name)
        parts.append(
            f'<rect x="6" y="{y}" width="{LEFT - 6}" height="{ROW - 6}" rx="4" fill="#e8eaf6"/>'
            f'<text x="16" y="{y + 19}" font-weight="600">{name}</text>'
            f'<text x="{LEFT - 8}" y="{y + 19}" text-anchor="end">{files}, {length:,}</text>'
        )
        parts += [_circle(row, column, used[other]) for column, other in enumerate(names)]
    return "\n".join([*parts, "</svg>", ""])


def _circle(row: int, column: int, count: int) -> str:
    x, y = LEFT + CELL * column + CELL / 2, TOP + ROW * row + (ROW - 6) / 2
    if row == column:
        return f'<circle cx="{x}" cy="{y}" r="3" fill="#bbb"/>'
    if not count:
        return ""
    return (
        f'<circle cx="{x}" cy="{y}" r="14" fill="#c5cae9"/>'
        f'<text x="{x}" y="{y + 5}" text-anchor="middle" font-size="12">{count}</text>'
    )


if __name__ == "__main__":
    PICTURE.write_text(svg(), encoding="utf-8")
    print(text())
