"""A page for each notebook of examples: its text, its code, and the outputs stored in it."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

from pieces import code
from pieces import page as page_of

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"
ORDER = (  # the order of the stories, then of the exercises
    *("learning", "playing", "research", "exercise-tictactoe", "exercise-beatable"),
    *("exercise-td-q", "exercise-exploration", "exercise-ntuple"),
)
PICTURE = re.compile(r"<svg.*?</svg>", re.DOTALL)
HEAD = re.compile(r"^<\?xml.*?(?=<svg)", re.DOTALL)


def pages() -> dict[str, str]:
    """The notebooks, each as it was run last."""
    return {f"notebooks/{name}.md": page(EXAMPLES / f"{name}.ipynb") for name in ORDER}


def page(path: Path) -> str:
    """One notebook."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    parts = [part for cell in notebook["cells"] for part in _cell(cell)]
    about = (
        f"*This page is the notebook `examples/{path.name}`, with what it showed when it was run.*"
    )
    return page_of(parts[0], about, *parts[1:])


def _cell(cell: dict[str, Any]) -> list[str]:
    text = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        title, _, rest = text.partition("\n")
        return [title, rest] if title.startswith("# ") else [text]
    return [code(text, "python"), *map(_output, cell["outputs"])]


def _output(output: dict[str, Any]) -> str:
    """Pictures as pictures, tables as tables, all else as text."""
    data = output.get("data", {"text/plain": output.get("text", [])})
    if "image/svg+xml" in data:
        return _picture("".join(data["image/svg+xml"]))
    if "text/html" in data:
        shown = PICTURE.sub(lambda svg: _picture(svg[0]), "".join(data["text/html"]))
        return f'<div class="output">\n{shown}\n</div>'
    return code("".join(data["text/plain"]), "text")


def _picture(svg: str) -> str:
    """Inside the page: names within one picture are not mistaken for those of another."""
    coded = base64.b64encode(HEAD.sub("", svg).encode()).decode()
    return f'<img alt="What the cell above draws" src="data:image/svg+xml;base64,{coded}">'
