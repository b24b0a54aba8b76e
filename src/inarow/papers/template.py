"""A paper's page: its `page.md`, a Jinja2 template in Markdown, filled in from stored results.

The prose is in the template. It asks for tables, figures and values by name; every number that
results or published entries hold comes from them. What it can ask for is listed in `names_of`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateError

from inarow.game import InputError
from inarow.papers.coverage import least_seen_text, power_table
from inarow.papers.measures import Data
from inarow.papers.paper import Paper
from inarow.papers.tables import (
    Table,
    answers_table,
    claim_text,
    claims_table,
    counts_table,
    markdown_of,
    reasons,
)
from inarow.papers.verdicts import CLAIM, NUMBER, OURS, Row

MADE_BY = "<!-- Written by `make pages` from stored results and page.md: change those. -->"


def page_of(paper: Paper, data: Data, figures: str = "figures") -> str:
    """The page as Markdown; `figures` is the folder of the figures, seen from it."""
    environment = Environment(
        loader=FileSystemLoader(paper.folder),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["number"] = lambda value, digits=0: f"{value:,.{digits}f}"
    try:
        text = environment.get_template("page.md").render(names_of(paper, data, figures))
    except TemplateError as error:
        raise InputError(f"the page of {paper.name}: {error}") from None
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    while "\n\n\n" in lines:  # where a table has no results
        lines = lines.replace("\n\n\n", "\n\n")
    return f"{MADE_BY}\n\n{lines.strip()}\n"


def names_of(paper: Paper, data: Data, figures: str) -> dict[str, object]:
    """What a page can ask for."""
    rows = paper.rows(data)
    by_name = {row.name: row for row in rows}

    def table(name: str) -> str:
        return _titled(paper.table(name, data, rows))

    def fold(title: str, *names: str) -> str:
        """Tables that are long: shown when they are asked for."""
        body = "\n\n".join(filter(None, map(table, names)))
        return _fold(title, body) if body else ""

    def figure(name: str) -> str:
        (found,) = (f for f in paper.figures if f.name == name)
        if not found.has(data):
            return ""
        file = f"{figures}/{found.file(paper.name)}.svg"
        return f"![{found.caption}]({file})\n\n*{found.caption}.*"

    return {
        "paper": paper.published.paper,
        "answers": _markdown(answers_table(rows)),
        "verdicts": _markdown(counts_table(rows)),
        "coverage": _markdown(paper.coverage_table(rows)),
        "power": _power(rows),
        "claims": _markdown(claims_table([row for row in rows if row.kind == CLAIM])),
        "ours": _markdown(claims_table([row for row in rows if row.kind == OURS])),
        "reasons": "\n".join(f"{n}. {line}" for n, line in enumerate(reasons(rows), start=1)),
        "table": table,
        "fold": fold,
        "figure": figure,
        "value": _Values(data, paper.values),
        "row": partial(_row_text, by_name),
        "seen": lambda name: least_seen_text(by_name[name]),
        "published": lambda name: paper.published.entries[name].value,
        "quote": lambda name: paper.published.entries[name].quote,
        "has": lambda part: data.results(part) is not None,
        "runs": lambda **labels: (data.row(**labels) or {"runs": 0})["runs"],
        "commands": _commands(paper, data),
        "made_with": {part: results.made_with for part, results in data.parts.items()},
    }


class _Values(dict[str, object]):
    """The values of a paper, worked out when they are asked for."""

    def __init__(self, data: Data, values: Mapping[str, Callable[[Data], object]]) -> None:
        self.data, self.values_of = data, values

    def __missing__(self, name: str) -> object:
        return self.values_of[name](self.data)


def _row_text(rows: Mapping[str, Row], name: str) -> str:
    """Ours, its interval and the verdict, for a sentence."""
    row = rows[name]
    return f"{claim_text(row) or row.judged.note or 'not run'}: {row.verdict}"


def _commands(paper: Paper, data: Data) -> str:
    """How all stored results are made again."""
    lines = [data.parts[part.name].command for part in paper.parts if part.name in data.parts]
    return "\n".join(("```sh", *lines, "```"))


def _power(rows: Sequence[Row]) -> str:
    """What the studies would have seen: of numbers, and folded of claims."""
    numbers, claims = (_markdown(power_table(rows, kind)) for kind in (NUMBER, CLAIM))
    folded = _fold("Claims, one by one", claims) if claims else ""
    return "\n\n".join(filter(None, (numbers, folded)))


def _markdown(table: Table | None) -> str:
    return "" if table is None else markdown_of(table)


def _titled(table: Table | None) -> str:
    if table is None:
        return ""
    return f"**{table.title}**\n\n{markdown_of(table)}" if table.title else markdown_of(table)


def _fold(title: str, body: str) -> str:
    return f'<details markdown="1">\n<summary>{title}</summary>\n\n{body}\n\n</details>'
