"""Tables of text, for pages and for the terminal, and how numbers are written in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from inarow.papers.measures import Data, Labels, Measure, Measured
from inarow.papers.number_tests import mean_of
from inarow.papers.published import PublishedValue
from inarow.papers.verdicts import CLAIM, JOINT, KINDS, NUMBER, OURS, VERDICTS, Row, counts


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
    """The same for the terminal: fewer columns, and only what was run."""
    lines = tuple((row.text, claim_text(row), row.verdict) for row in rows if claim_text(row))
    title = "The paper's claims"
    return Table(("claim", "ours", "verdict"), lines, title, (0, 1, 2)) if lines else None


def claim_text(row: Row) -> str:
    """Our value with its unit and interval; empty if it was not run."""
    ours = ours_text(row)
    return ours and " ".join(filter(None, (ours, row.unit, interval_text(row, "({})"))))


def answers_table(rows: Iterable[Row]) -> Table | None:
    """The headline claims, each with our answer."""
    return claims_table([row for row in rows if row.headline], "Headline claims")


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


@dataclass(frozen=True)
class Grid:
    """A table of measured values: conditions down, measures across."""

    title: str
    head: str
    rows: Mapping[str, Labels]  # by what the line is called: the labels of its condition
    columns: Mapping[str, Measure]  # by heading
    text: Callable[[Measured], str]
    texts: Mapping[str, Callable[[Measured], str]] = field(default_factory=dict)  # by heading

    def __call__(self, data: Data, rows: Sequence[Row] = ()) -> Table | None:
        """Conditions without any run are left out."""
        del rows
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
    text = f"{value:,.{digits}f}"
    return f"{value:.2g}" if value and not any(c in "123456789" for c in text) else text


def interval_text(row: Row, around: str = "{}") -> str:
    """The interval that decides."""
    low, high = row.judged.low, row.judged.high
    if low is None or high is None:
        return ""
    return around.format(f"{significant(low, row.digits)} to {significant(high, row.digits)}")


def plus_minus(measured: Measured, digits: int) -> str:
    """Mean and standard error."""
    text = f"{measured.mean:,.{digits}f}"
    return text if measured.stderr is None else f"{text}±{measured.stderr:,.{digits}f}"


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
