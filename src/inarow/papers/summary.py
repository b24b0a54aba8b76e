"""What the terminal shows of a report: published numbers beside ours, findings, counts."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from inarow.papers.claims import mean_of
from inarow.papers.published import PublishedValue
from inarow.papers.report import GLYPHS, ORDER, Numbers, Report, counted
from inarow.papers.tables import Table, number_text, significant, value_text
from inarow.papers.verdicts import CLAIM, NUMBER, OURS, Row

WIDTH, HEIGHT = 80, 41  # of what is printed here; the command adds where the files are
KINDS = {NUMBER: "numbers", CLAIM: "claims", OURS: "claims of ours"}
GIVEN = "not by runs"  # arithmetic, by construction, said of other work


def summary_lines(report: Report) -> list[str]:
    """Return at most `HEIGHT` lines: tables or headline claims, three sentences, counts."""
    head = textwrap.wrap(report.paper.title, WIDTH - 2)
    below = ["", *_findings(report), "", *_counts(report.rows), *_rest(report)]
    room = HEIGHT - len(head) - len(below)
    numbers, claims = _numbers(report), _claims(report)
    shown = next(
        (lines for lines in (numbers + claims, numbers, claims) if lines and len(lines) <= room),
        (claims or numbers or _first_table(report))[:room],
    )
    return [f" {line}".rstrip() for line in (*head, *shown, *below)]


# Published numbers


class _Column(NamedTuple):
    place: str
    title: str
    rows: dict[str, Row]


def _numbers(report: Report) -> list[str]:
    """Write the tables' numbers: published, ours, and a mark for the verdict."""
    blocks: dict[str, list[_Column]] = {}
    for place in report.tables:
        for numbers in place.numbers:
            for title, column in _columns(place.name, numbers):
                blocks.setdefault(title, []).append(column)
    lines = [line for title, columns in blocks.items() for line in _block(title, columns)]
    if lines:
        found = {row.verdict for one in blocks.values() for c in one for row in c.rows.values()}
        said = "  ".join(f"{GLYPHS[verdict]} {verdict}" for verdict in ORDER if verdict in found)
        lines.append(f"Published, then ours:  {said}")
    return lines


def _columns(place: str, numbers: Numbers) -> Iterable[tuple[str, _Column]]:
    for group in () if numbers.costs else numbers.groups:
        rows = {list(row.labels.values())[-1]: row for row in group.rows}
        if any(row.judged.ours is not None for row in rows.values()):
            yield group.title, _Column(place, numbers.entry.title, rows)


def _block(title: str, columns: Sequence[_Column]) -> list[str]:
    names = list(dict.fromkeys(name for column in columns for name in column.rows))
    first = max(len(title), *(len(name) + 1 for name in names))
    made = [_cells(column, names) for column in columns]
    lines = [title.ljust(first), *(f" {name}".ljust(first) for name in names)]
    for column, cells in zip(columns, made, strict=True):
        width = max(len(column.place), *map(len, cells)) + 2
        if len(lines[0]) + width > WIDTH - 1:
            break  # what does not fit stands in the report
        heads = (f"{column.place}", *cells)
        lines = [line + cell.rjust(width) for line, cell in zip(lines, heads, strict=True)]
    return ["", *lines]


def _cells(column: _Column, names: Sequence[str]) -> list[str]:
    rows = [column.rows.get(name) for name in names]
    published = ["" if row is None else _short(_mean(row), row, number_text) for row in rows]
    ours = ["" if row is None else _short(row.judged.ours, row, significant) for row in rows]
    wide = [max(map(len, texts)) for texts in (published, ours)]
    return [
        "" if row is None else
        f"{theirs.rjust(wide[0])} {mine.rjust(wide[1])} {GLYPHS[row.verdict]}"
        for row, theirs, mine in zip(rows, published, ours, strict=True)
    ]  # fmt: skip


def _mean(row: Row) -> PublishedValue:
    return row.published if isinstance(row.published, str) else mean_of(row.published)[0]


def _short(value: PublishedValue, row: Row, text: Callable[[PublishedValue, int], str]) -> str:
    """Write a number; of a large one no digits after the point."""
    if value is None or isinstance(value, str):
        return value or ""
    return text(value, 0 if abs(value) >= 1000 else row.digits)


# Where a paper publishes no tables


def _claims(report: Report) -> list[str]:
    """Write the headline claims that were run."""
    lines = [""]
    for row in report.rows:
        if row.headline and value_text(row):
            text = f"{GLYPHS[row.verdict]} {row.text}: {value_text(row)}, {row.verdict}"
            lines += textwrap.wrap(_plain(text), WIDTH - 2, subsequent_indent="  ")
    return lines if len(lines) > 1 else []


def _first_table(report: Report) -> list[str]:
    """Write the first table that fits."""
    for _, made in report.also:
        if isinstance(made, Table):
            cells = [made.columns, *made.rows]
            wide = [max(len(row[n]) for row in cells) for n in range(len(made.columns))]
            if sum(wide) + 2 * len(wide) <= WIDTH:
                return ["", made.title, *(_aligned(row, wide, made.texts) for row in cells)]
    return []


def _aligned(row: Sequence[str], wide: Sequence[int], texts: Sequence[int]) -> str:
    cells = (
        cell.ljust(width) if n in texts else cell.rjust(width)
        for n, (cell, width) in enumerate(zip(row, wide, strict=True))
    )
    return "  ".join(cells).rstrip()


# Findings and counts


def _plain(text: str) -> str:
    """Return Markdown without its marks."""
    return re.sub(r"\*\*|`|\*(?=\S)|(?<=\S)\*", "", text)


def _findings(report: Report) -> list[str]:
    found = list[str]()
    for number, text in enumerate(report.findings, start=1):
        lines = textwrap.wrap(f"{number}. {_plain(text)}", WIDTH - 2, subsequent_indent="   ")
        found += lines
    return found


def _counts(rows: Sequence[Row]) -> list[str]:
    """Write how many items of each kind have which verdict."""
    found = {name: counted(rows, kind) for kind, name in KINDS.items()}
    given = [counted(rows, kind, given=True) for kind in (NUMBER, CLAIM)]
    found[GIVEN] = {word: sum(by.get(word, 0) for by in given) for word in ORDER}
    words = [word for word in ORDER if any(by.get(word) for by in found.values())]
    lines = [" " * 19 + "".join(word.rjust(len(word) + 2) for word in words)]
    for name, by in found.items():
        if sum(by.values()):
            cells = "".join(str(by.get(word, 0)).rjust(len(word) + 2) for word in words)
            lines.append(f"{sum(by.values()):>4} {name:<14}{cells}")
    return lines if len(lines) > 1 else []


def _rest(report: Report) -> list[str]:
    return ["The rest is judged by", f"  {report.rest}"] if report.rest else []
