"""A page for each learner: what it says of itself, its options, and its update rule as it is."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

from pieces import code, table
from pieces import page as page_of

from inarow.learn.learner import Learner
from inarow.learn.options import Option, options_of_type
from inarow.learn.registry import learners
from inarow.learn.texts import text_of

DOCS = Path(__file__).parent.parent
LEARN = DOCS.parent / "src" / "inarow" / "learn"


def pages() -> dict[str, str]:
    """The list of learners, then each."""
    kinds = learners()
    return {
        "learners/index.md": index(kinds),
        **{f"learners/{name}.md": page(kind) for name, kind in kinds.items()},
    }


def index(kinds: dict[str, type[Learner]]) -> str:
    """All learners, and who can do what."""
    rows = [
        (f"[`{name}`]({name}.md)", kind.about(), _opponents(kind), _games(kind))
        for name, kind in kinds.items()
    ]
    return page_of(
        "# Learners",
        "A learner trains agents. It is described once, by its class: what it is, whom it can play "
        "against, and its options with their ranges; commands, forms, studies and these pages are "
        "made from that.",
        table(("learner", "what it is", "learns from", "games"), rows),
        code("inarow learners\ninarow learners td", "sh"),
        "Which one for which game: [all learners compared](../papers/learners.md). An agent that "
        "was trained is a player like any other: [train, stop, continue](../how-to/train.md).",
    )


def _opponents(kind: type[Learner]) -> str:
    return " or ".join(kind.opponents)


def _games(kind: type[Learner]) -> str:
    return "small enough for a graph" if kind.needs_graph else "any board"


def page(kind: type[Learner]) -> str:
    """One learner."""
    text = text_of(kind)
    return page_of(
        f"# {kind.name}",
        f"*{kind.about()}* It learns from {_opponents(kind)}; games: {_games(kind)}.",
        inspect.getdoc(inspect.getmodule(kind)),
        "## The update rule" if text.code else "",
        text.update_rule,
        *(code(source(place), "python") for place in text.code),
        "## Options",
        "Set by `--set NAME=VALUE`, in a study by its name, in Python as an argument.",
        table(("option", "default", "what it is"), map(_row, options_of_type(kind).values())),
        _suits(kind),
        "## At work" if text.figure else "",
        _paper(text.paper, *text.figure) if text.figure else "",
    )


def _row(option: Option) -> tuple[str, str, str]:
    default = f"`{option.default}`" if option.default != "" else ""
    return f"`{option.name}`", default, option.hint


def _suits(kind: type[Learner]) -> str:
    """Games that suit it, and the options to begin with there."""
    rows = [
        (f"`{game}`", ", ".join(f"`{name}={value}`" for name, value in options.items()) or "none")
        for game, options in kind.suits.items()
    ]
    if not rows:
        return ""
    return page_of("## Games that suit it", table(("game", "options to begin with"), rows))


def _paper(name: str, figure: str, about: str) -> str:
    paper = f"../papers/{name}.md"
    differences = _differences(name)
    return page_of(
        f"![{about}](../papers/figures/{figure})",
        f"{about}: from [the paper's page]({paper}), which also lists [where ours differs from "
        f"the paper]({paper}#{differences}).",
    )


def _differences(paper: str) -> str:
    """The anchor of that section of a paper's page."""
    lines = (DOCS / "papers" / f"{paper}.md").read_text(encoding="utf-8").splitlines()
    title = next(line for line in lines if line.startswith("## Differences from"))
    return title.removeprefix("## ").lower().replace(" ", "-")


def source(place: str) -> str:
    """A function of the package as it is written, without its decorators."""
    file, _, name = place.partition(":")
    text = (LEARN / file).read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return ast.get_source_segment(text, node) or ""
    raise ValueError(f"learners.toml names {place}, which is not there")
