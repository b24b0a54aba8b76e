"""How much of a paper has a verdict: its tables, figures, numbers and claims.

`published.toml` lists the tables and figures by name; `illustrations` are those without a result.
A table or figure has a verdict if a number or claim that names it in its `source` has one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from inarow.papers.published import Published
from inarow.papers.tables import Table
from inarow.papers.verdicts import CLAIM, NOT_RUN, NUMBER, TOO_FEW, Row

TABLES, FIGURES, NUMBERS, CLAIMS = "tables", "figures", "numbers", "claims"
SHOWN = {
    TABLES: "tables",
    FIGURES: "figures that show a result",
    NUMBERS: "numbers in tables",
    CLAIMS: "claims in the text",
}
PLACE = re.compile(r"(Table|Figure)s? (\w+(?:(?:, | and | to )(?!Figure|Table|Section)\w+)*)")
# A test detects a difference of half its interval's width with 50% power. For 80% power the
# difference must be larger by this factor: (1.96 + 0.84) / 1.96.
FOUR_OF_FIVE = 1.43


@dataclass(frozen=True)
class Covered:
    """The published items of one kind, and those without a verdict."""

    kind: str
    published: tuple[str, ...]
    unjudged: tuple[str, ...] = ()

    @property
    def judged(self) -> int:
        """How many have a verdict."""
        return len(self.published) - len(self.unjudged)


def places(source: str) -> set[str]:
    """The tables and figures that a source names: `Figures 5 and 7` are two."""
    return {
        f"{kind} {number}"
        for kind, numbers in PLACE.findall(source)
        for number in re.split(r", | and ", numbers)
    }


def coverage(published: Published, rows: Sequence[Row]) -> list[Covered]:
    """Tables, figures, numbers and claims; kinds that a paper does not have are left out."""
    said = [row for row in rows if row.kind in (NUMBER, CLAIM)]
    judged = [row for row in said if row.verdict not in (NOT_RUN, TOO_FEW)]
    named = set[str]().union(*(places(row.source) for row in judged))
    found = []
    for kind in (TABLES, FIGURES):
        listed = [
            name
            for name in published.paper.get(kind, ())
            if name not in published.paper.get("illustrations", ())
        ]
        missing = tuple(name for name in listed if name not in named)
        found.append(Covered(kind, tuple(listed), missing))
    for kind, title in ((NUMBER, NUMBERS), (CLAIM, CLAIMS)):
        names = [row.name for row in said if row.kind == kind]
        missing = tuple(row.name for row in said if row.kind == kind and row not in judged)
        found.append(Covered(title, tuple(names), missing))
    return [one for one in found if one.published]


def errata(page: Path) -> int:
    """How many errata a page lists."""
    listed = page.read_text(encoding="utf-8").partition("\n## Errata\n")[2].partition("\n## ")[0]
    return len(re.findall(r"^\d+\. ", listed, re.MULTILINE))


def coverage_table(found: Sequence[Covered], errata_listed: int) -> Table:
    """A line for each kind, and the errata."""
    lines = [(SHOWN[one.kind], str(len(one.published)), str(one.judged)) for one in found]
    lines.append(("errata listed", str(errata_listed), ""))
    return Table(("", "published", "with a verdict"), tuple(lines), "Coverage")


def power_table(rows: Sequence[Row], kind: str) -> Table | None:
    """Runs, and the smallest difference that the test would detect with 80% power.

    Numbers are grouped by table and column, as a range; claims are listed one by one.
    """
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row.kind == kind and row.detectable and row.judged.runs:
            outer = list(row.labels.values())[:-1]
            what = ", ".join((row.source, row.text, *outer)) if kind == NUMBER else row.text
            groups.setdefault((what, row.unit), []).append(row)
    lines = [
        (what, _range([row.judged.runs for row in found]),
         _range(list(map(least_seen, found))), unit)
        for (what, unit), found in groups.items()
    ]  # fmt: skip
    heads = (
        "claim" if kind == CLAIM else "numbers",
        "runs",
        "smallest detectable difference",
        "unit",
    )
    return Table(heads, tuple(lines), "", (0, 3)) if lines else None


def least_seen(row: Row) -> float:
    """The smallest difference that the test would detect with 80% power."""
    return FOUR_OF_FIVE * (row.detectable or 0.0)


def least_seen_text(row: Row) -> str:
    """The same for a sentence."""
    return f"{_short(least_seen(row))} {row.unit}" if row.detectable else "nothing"


def _range(values: Sequence[float]) -> str:
    """As in 3 to 7."""
    least, most = map(_short, (min(values), max(values)))
    return least if least == most else f"{least} to {most}"


def _short(number: float) -> str:
    """Two significant digits, or all digits before the point."""
    if number >= 1e12:
        return f"{number:.1e}"
    return f"{float(f'{number:.2g}'):,.0f}" if number >= 100 else f"{number:.2g}"
