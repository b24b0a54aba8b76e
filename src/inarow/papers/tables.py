"""Tables of text for pages and terminal, how numbers are written in them, coverage and power."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from inarow.papers.claims import mean_of
from inarow.papers.measures import Data, Labels, Measure, Measured
from inarow.papers.published import Entry, Published, PublishedValue
from inarow.papers.verdicts import (
    CLAIM,
    JOINT,
    KINDS,
    NOT_RUN,
    NUMBER,
    OURS,
    UNJUDGED,
    VERDICTS,
    Row,
    counts,
)


@dataclass(frozen=True)
class Table:
    """Text in rows and columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    texts: tuple[int, ...] = (0,)  # the columns of text: aligned to the left


def markdown_of(table: Table) -> str:
    """The table in Markdown, without its title."""
    rules = [":--" if column in table.texts else "--:" for column in range(len(table.columns))]
    return "\n".join(_row(cells) for cells in (table.columns, rules, *table.rows))


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


# The tables that every paper has


def number_table(
    rows: Sequence[Row], head: str, title: str = "", name: Callable[[Row], str] | None = None
) -> Table | None:
    """Published numbers with ours, the interval that decides, and verdicts; the joint one last."""
    if not rows:
        return None

    def named(row: Row) -> str:
        return list(row.labels.values())[-1] if name is None else name(row)

    lines = [
        (
            named(row),
            number_text(row.published, row.digits),
            ours_text(row),
            interval_text(row),
            row.verdict,
        )
        for row in rows
        if row.kind in (NUMBER, OURS)
    ]
    lines += [
        ("whole column", "", "", row.judged.note, row.verdict) for row in rows if row.kind == JOINT
    ]
    return Table((head, "paper", "ours", "95% interval", "verdict"), tuple(lines), title, (0, 4))


def claims_table(rows: Iterable[Row], title: str = "The paper's claims") -> Table | None:
    """Each claim with its source, our result and the verdict."""
    lines = [(row.text, row.source, claim_text(row), row.judged.note, row.verdict) for row in rows]
    columns = ("claim", "source", "ours", "comparison", "verdict")
    return Table(columns, tuple(lines), title, (0, 1, 2, 3, 4)) if lines else None


def short_claims_table(rows: Iterable[Row]) -> Table | None:
    """Return the claims for the terminal: fewer columns, and only what was run."""
    lines = tuple((row.text, claim_text(row), row.verdict) for row in rows if claim_text(row))
    title = "The paper's claims"
    return Table(("claim", "ours", "verdict"), lines, title, (0, 1, 2)) if lines else None


def claim_text(row: Row) -> str:
    """Our value with its unit and interval; empty if it was not run."""
    return " ".join(filter(None, (value_text(row), _bounds_text(row))))


def _bounds_text(row: Row) -> str:
    """The interval in brackets; of a share of all runs, or of none, only the end that is open."""
    judged, unit = row.judged, row.unit
    if judged.low is None or judged.high is None or judged.ours not in (0.0, 100.0):
        return interval_text(row, "({})")
    if not unit.startswith("%") or judged.low == judged.high:
        return interval_text(row, "({})")
    if judged.ours == judged.high:
        return f"(95%: at least {significant(judged.low, row.digits)}%)"
    if judged.ours == judged.low:
        return f"(95%: at most {significant(judged.high, row.digits)}%)"
    return interval_text(row, "({})")


def value_text(row: Row) -> str:
    """Our value with its unit, as in 3%, 1 line, 2 lines; empty if it was not run."""
    text = ours_text(row)
    if not text or not row.unit:
        return text
    if row.unit.startswith("%"):
        return f"{text}{row.unit}"
    single = text == "1" and " " not in row.unit
    return f"{text} {row.unit.removesuffix('s') if single and len(row.unit) > 1 else row.unit}"


def counts_table(rows: Iterable[Row]) -> Table:
    """How often each verdict was given."""
    found = counts(rows)
    shown = [verdict for verdict in VERDICTS if any(verdict in by for by in found.values())]
    lines = tuple(
        (KINDS[kind], *(str(by.get(verdict, 0)) for verdict in shown), str(sum(by.values())))
        for kind, by in found.items()
    )
    return Table(("", *shown, "total"), lines, "Verdicts")


def reasons(rows: Iterable[Row]) -> list[str]:
    """Why our results differ: each reason once, with all the items it applies to."""
    found: dict[str, list[str]] = {}
    for row in rows:
        if row.reason and row.kind in (NUMBER, CLAIM):
            place = ", ".join((row.text, *row.labels.values()))
            said = f"{place}: ours {ours_text(row)}"
            if row.kind == NUMBER:
                said += f", published {number_text(row.published, row.digits)}"
            found.setdefault(row.reason, []).append(said)
    return [f"*{'*; *'.join(places)}*: {reason}." for reason, places in found.items()]


# Tables that a paper defines


class PaperTable(Protocol):
    """A table of a paper: of which part of its study (the first, if none), and how it is made."""

    @property
    def part(self) -> str:
        """The part of the study that it shows."""

    def make(self, data: Data, rows: Sequence[Row]) -> Table | None:
        """Make the table of results and judged rows; None if nothing of it was run."""


@dataclass(frozen=True)
class Made:
    """A table that a function makes of results."""

    of: Callable[[Data], Table | None]
    part: str = ""

    def make(self, data: Data, rows: Sequence[Row]) -> Table | None:  # noqa: ARG002 - not these
        """Make the table."""
        return self.of(data)


@dataclass(frozen=True)
class NumberTable:
    """The numbers of a published table that have some labels, with ours and the verdicts."""

    entry: Entry
    head: str
    title: str
    labels: Labels = field(default_factory=dict)

    @property
    def part(self) -> str:
        """The part of the study that measures these numbers."""
        return self.entry.part

    def make(self, data: Data, rows: Sequence[Row]) -> Table | None:  # noqa: ARG002 - judged rows
        """Make the table."""
        wanted = [
            row
            for row in rows
            if row.name.split("/")[0] == self.entry.name
            and self.labels.items() <= row.labels.items()
        ]
        run = any(row.verdict != NOT_RUN for row in wanted)
        return number_table(wanted, self.head, self.title) if run else None


@dataclass(frozen=True)
class Grid:
    """A table of measured values: conditions down, measures across."""

    title: str
    head: str
    rows: Mapping[str, Labels]  # by what the line is called: the labels of its condition
    columns: Mapping[str, Measure]  # by heading
    text: Callable[[Measured], str]
    texts: Mapping[str, Callable[[Measured], str]] = field(default_factory=dict)  # by heading
    part: str = ""

    def make(self, data: Data, rows: Sequence[Row] = ()) -> Table | None:  # noqa: ARG002 - not these
        """Make the table; conditions without any run are left out."""
        lines = []
        for name, labels in self.rows.items():
            found = [measure(data, **labels) for measure in self.columns.values()]
            if any(found):
                cells = zip(self.columns, found, strict=True)
                texts = (
                    "" if measured is None else self.texts.get(head, self.text)(measured)
                    for head, measured in cells
                )
                lines.append((name, *texts))
        if not lines:
            return None
        return Table((self.head, *self.columns), tuple(lines), self.title)


# How much of a paper has a verdict: `published.toml` lists the tables and figures by name;
# `illustrations` are those without a result. A table or figure has a verdict if a number or claim
# that names it in its `source` has one.

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
    judged = [row for row in said if row.verdict not in UNJUDGED]
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
    """Count the errata that a page lists."""
    if not page.is_file():
        return 0
    listed = page.read_text(encoding="utf-8").partition("\n## Errata\n")[2].partition("\n## ")[0]
    return len(re.findall(r"^\d+\. ", listed, re.MULTILINE))


def coverage_table(found: Sequence[Covered], errata_listed: int) -> Table:
    """A line for each kind, and the errata."""
    lines = [(SHOWN[one.kind], str(len(one.published)), str(one.judged)) for one in found]
    lines.append(("errata listed", str(errata_listed), ""))
    return Table(("", "published", "with a verdict"), tuple(lines), "Coverage")


def power_table(rows: Sequence[Row], kind: str) -> Table | None:
    """Runs, and the smallest difference that the test would detect with 80% power.

    Numbers are grouped by table and column, as a range, with their margins, and the power to
    match; claims are listed one by one.
    """
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row.kind == kind and row.detectable and row.judged.runs:
            outer = list(row.labels.values())[:-1]
            what = ", ".join((row.source, row.text, *outer)) if kind == NUMBER else row.text
            groups.setdefault((what, row.unit), []).append(row)
    lines = [
        (what, _range_text([row.judged.runs for row in found]),
         _range_text(list(map(detectable_difference, found))),
         *(_to_match(found) if kind == NUMBER else ()), unit)
        for (what, unit), found in groups.items()
    ]  # fmt: skip
    equivalence = ("margin", "power to match") if kind == NUMBER else ()
    heads = (
        "claim" if kind == CLAIM else "numbers",
        "runs",
        "smallest detectable difference",
        *equivalence,
        "unit",
    )
    return Table(heads, tuple(lines), "", (0, len(heads) - 1)) if lines else None


ENOUGH_POWER = 0.8


def low_power_text(rows: Sequence[Row]) -> str:
    """Name the measured numbers that would match in fewer than four out of five such studies."""
    found = [
        f"{', '.join((row.source, *row.labels.values()))} ({100 * row.judged.power:.0f}%)"
        for row in rows
        if row.counted_as == NUMBER
        and row.judged.power is not None
        and row.judged.power < ENOUGH_POWER
    ]
    if not found:
        return "No number has a power to match below 80%."
    few = "With a power below 80%, a number may well not match though there is no difference"
    return f"{few}: {'; '.join(found)}."


def _to_match(rows: Sequence[Row]) -> tuple[str, str]:
    """Return the margins of some numbers, and their power: empty where runs are all alike."""
    margins = [row.judged.margin for row in rows if row.judged.margin is not None]
    powers = [100 * row.judged.power for row in rows if row.judged.power is not None]
    return _range_text(margins) if margins else "", f"{_range_text(powers)}%" if powers else ""


def detectable_difference(row: Row) -> float:
    """The smallest difference that the test would detect with 80% power."""
    return FOUR_OF_FIVE * (row.detectable or 0.0)


def detectable_text(row: Row) -> str:
    """The same for a sentence."""
    return f"{two_digits(detectable_difference(row))} {row.unit}" if row.detectable else "nothing"


def _range_text(values: Sequence[float]) -> str:
    """As in 3 to 7."""
    least, most = map(two_digits, (min(values), max(values)))
    return least if least == most else f"{least} to {most}"


def two_digits(number: float) -> str:
    """Two significant digits, or all digits before the point."""
    if number >= 1e12:
        return f"{number:.1e}"
    return f"{float(f'{number:.2g}'):,.0f}" if number >= 100 else f"{number:.2g}"


# Numbers as text


def number_text(value: PublishedValue, digits: int = 0) -> str:
    """With thousands separators; a mean with its standard deviation."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    mean, deviation = mean_of(value)
    text = f"{mean:,.{digits}f}"
    return text if deviation is None else f"{text} ± {deviation:,.{digits}f}"


def ours_text(row: Row) -> str:
    """Our value."""
    return "" if row.judged.ours is None else significant(row.judged.ours, row.digits)


def significant(value: float, digits: int) -> str:
    """Rounded to `digits` after the point, or to two significant digits if that would show 0."""
    if abs(value) >= 1e15:
        return f"{value:.2e}".replace("e+", "e")
    text = f"{value:,.{digits}f}"
    return f"{value:.2g}" if value and not any(c in "123456789" for c in text) else text


def interval_text(row: Row, around: str = "{}") -> str:
    """The interval that decides."""
    low, high = row.judged.low, row.judged.high
    if low is None or high is None:
        return ""
    return around.format(f"{significant(low, row.digits)} to {significant(high, row.digits)}")


def plus_minus(measured: Measured, digits: int) -> str:
    """Mean and standard error, which one run does not have."""
    text = f"{measured.mean:,.{digits}f}"
    return (
        text
        if measured.stderr is None or measured.runs == 1
        else f"{text}±{measured.stderr:,.{digits}f}"
    )


def percent_text(measured: Measured) -> str:
    """As in 97, 98.5."""
    return f"{measured.mean:.1f}".removesuffix(".0")


def games_text(games: float) -> str:
    """As in 500, 5k, 1M."""
    if games >= 1_000_000:
        return f"{games / 1e6:g}M"
    return f"{games / 1e3:g}k" if games >= 1_000 else f"{games:g}"


def bytes_text(number: float) -> str:
    """As in 17 kB, 1.1 GB: powers of a thousand."""
    for unit, size in (("GB", 1e9), ("MB", 1e6)):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{number / 1e3:.0f} kB"


def ratio_text(ratio: float) -> str:
    """As in 3.9x, 87x, 3,600x."""
    digits = 1 if ratio < 10 else 0
    rounded = float(f"{ratio:.2g}") if ratio >= 100 else ratio  # no ratio of timings has more
    return f"{rounded:,.{digits}f}x"


def list_text(items: Sequence[str]) -> str:
    """As in one, two and three."""
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)
