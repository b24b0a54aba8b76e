"""A page for each learner: what it says of itself, its options, and its update rule as it is."""

from __future__ import annotations

import ast
import inspect
import re
from html import unescape
from pathlib import Path

import boards
from pieces import code, table
from pieces import page as page_of

from inarow.learn.learner import Learner
from inarow.learn.options import Option, options_of_type
from inarow.learn.registry import learners, text_of

DOCS = Path(__file__).parent.parent
PACKAGE = DOCS.parent / "src" / "inarow"

PLAIN = {  # the same algorithms in plain Python, as FILE:CLASS of inarow/plain
    "td": ("hybrid.py:HybridAgent",),
    "q": ("max_min.py:QPlayer",),
    "td_lambda": ("max_min.py:TDPlayer",),
    "sarsa": ("n_dimensional.py:ModifiedSarsa",),
    "ntuple": ("connect_four.py:TDLAgent",),
    "mlp": ("cube.py:CubePlayer",),
    "line_td": ("line_td.py:LineTD",),
    "monte_carlo": ("max_min.py:DeepPlayer",),
    "reinforce": (
        "n_dimensional.py:PolicyPlayer",
        "n_dimensional.py:Reinforce",
        "n_dimensional.py:ReinforceAsPrinted",
    ),
}


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
        "A learner is an algorithm that trains agents. Its class describes it once: what it is, "
        "whom it can play against, and its options with their ranges. Commands, forms, studies and "
        "these pages are generated from that description.",
        table(("learner", "what it is", "learns from", "games"), rows),
        code("inarow learners\ninarow learners td", "sh"),
        "Which learner suits which game: [all learners compared](../papers/learners.md). A trained "
        "agent is a player like any other: [train, stop, continue](../how-to/train.md).",
    )


def _opponents(kind: type[Learner]) -> str:
    return " or ".join(kind.opponents)


def _games(kind: type[Learner]) -> str:
    return "small ones, whose graph fits in memory" if kind.needs_graph else "any board"


def page(kind: type[Learner]) -> str:
    """One learner."""
    text = text_of(kind)
    return page_of(
        f"# {kind.name}",
        f"*{kind.about()}*",
        table(("learns from", "games"), [(_opponents(kind), _games(kind))]),
        boards.learner(kind.name),
        _more(kind),
        "## Update rule" if text.code else "",
        text.update_rule,
        _plain(PLAIN[kind.name]),
        "### The update rule, compiled" if text.code else "",
        *(code(source("learn", place), "python") for place in text.code),
        "## Options",
        "Set with `--set NAME=VALUE` at the command line, by name in a study file, and as keyword "
        "arguments in Python.",
        table(("option", "default", "meaning"), map(_row, options_of_type(kind).values())),
        _suits(kind),
        "## Differences from its paper",
        _differences(text.paper, text.differences) if text.paper else "It comes from no paper.",
        "## Learning curves",
        _curves(text.paper, *text.figure) if text.figure else "No study shows it yet.",
    )


def _plain(places: tuple[str, ...]) -> str:
    """The classes of `inarow.plain` that are a learner, each with its first line."""
    sources = [source("plain", place) for place in places]
    lines = sum(bool(line.strip()) for text in sources for line in text.splitlines())
    return page_of(
        f"### The algorithm in {lines} readable lines",
        "In plain Python, without the learner's options and without compiled code. The learner is "
        "the same algorithm, compiled: tests give both the same random numbers, and compare "
        "weights and moves.",
        *(
            page_of(_about(place), code(text, "python"))
            for place, text in zip(places, sources, strict=True)
        ),
    )


def _about(place: str) -> str:
    """Return the full name of a class of `inarow.plain`, and the first line of its docstring."""
    file, _, name = place.partition(":")
    (written,) = ast.parse(source("plain", place)).body
    assert isinstance(written, ast.ClassDef)
    text = ast.get_docstring(written) or ""
    return f"`inarow.plain.{Path(file).stem}.{name}`: {text.splitlines()[0]}"


def _more(kind: type[Learner]) -> str:
    """What its module says after the first paragraph, which is for readers of the source."""
    return (inspect.getdoc(inspect.getmodule(kind)) or "").partition("\n\n")[2]


def _row(option: Option) -> tuple[str, str, str]:
    default = f"`{option.default}`" if option.default != "" else ""
    return f"`{option.name}`", default, option.hint


def _suits(kind: type[Learner]) -> str:
    """Games that suit it, and the options to begin with there."""
    rows = [
        (
            f"`{game}`",
            ", ".join(f"`{name}={value}`" for name, value in options.items()) or "the defaults",
        )
        for game, options in kind.suits.items()
    ]
    if not rows:
        return ""
    return page_of("## Games that suit it", table(("game", "options to start from"), rows))


def _curves(paper: str, figure: str, about: str) -> str:
    return page_of(
        f"![{about}](../papers/figures/{figure})",
        f"{about}. From [the page of that study](../papers/{paper}.md), which says how it was run.",
    )


def _differences(paper: str, named: tuple[str, ...]) -> str:
    """Those of a paper's page that concern a learner, named there by their first words."""
    page = (DOCS / "papers" / f"{paper}.md").read_text(encoding="utf-8")
    title, items = _listed(page)
    link = f"../papers/{paper}.md#{title.lower().replace(' ', '-')}"
    if not named:
        return f"It comes from no paper. [This page]({link}) compares it with a paper's learners."
    found = [next((item for item in items if item.startswith(start)), start) for start in named]
    lost = set(found) - set(items)
    if lost:
        raise ValueError(f"learners.toml: docs/papers/{paper}.md has no differences {lost}")
    return page_of(
        "\n".join(f"{number}. {item}" for number, item in enumerate(found, 1)),
        f"[The page of the paper]({link}) lists all differences, and the errata of the paper.",
    )


def _listed(page: str) -> tuple[str, list[str]]:
    """Return the title and the items of a page's list of differences: a report is HTML."""
    if found := re.search(r"<h2>(Differences from [^<]*)</h2>(.*?)</section>", page, re.DOTALL):
        items = re.findall(r"<li>(.*?)</li>", found[2], re.DOTALL)
        marks = {
            "<em>": "*",
            "</em>": "*",
            "<code>": "`",
            "</code>": "`",
            "<b>": "**",
            "</b>": "**",
        }
        plain = (re.sub(r"</?\w+>", lambda tag: marks.get(tag[0], ""), item) for item in items)
        return found[1], [unescape(item) for item in plain]
    title = next(line for line in page.splitlines() if line.startswith("## Differences from"))
    section = page.partition(f"{title}\n")[2].partition("\n## ")[0]
    return title.removeprefix("## "), re.findall(r"^\d+\. (.*)$", section, re.MULTILINE)


def source(layer: str, place: str) -> str:
    """A function or class of the package as it is written, without its decorators."""
    file, _, name = place.partition(":")
    text = (PACKAGE / layer / file).read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return ast.get_source_segment(text, node) or ""
    raise ValueError(f"{layer} has no {place}, which a learner's page shows")
