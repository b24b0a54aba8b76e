"""A paper as a specification: what was run, what is claimed, what is shown; and all views of it.

The command `reproduce`, the pages, the browser and programs read the same rows and tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from inarow.game import InputError
from inarow.papers import plots
from inarow.papers.claims import Claim, Column
from inarow.papers.coverage import coverage, coverage_table, errata
from inarow.papers.measures import Data
from inarow.papers.published import Published
from inarow.papers.results import Results, load
from inarow.papers.study import Part, Request, run_part
from inarow.papers.tables import Table, counts_table, number_table, reasons, short_claims_table
from inarow.papers.variants import NO_EXPLANATION, Variants
from inarow.papers.verdicts import CLAIM, DIFFERS, NOT_RUN, OURS, Judged, Row, counts

TableMaker = Callable[[Data, Sequence[Row]], Table | None]


@dataclass(frozen=True)
class Of:
    """A table that belongs to another part than the first."""

    part: str
    make: TableMaker


def of_column(entry: str, head: str, title: str, **labels: str) -> TableMaker:
    """The numbers of a published table that have some labels."""

    def make(data: Data, rows: Sequence[Row]) -> Table | None:
        del data
        wanted = [
            row
            for row in rows
            if row.name.split("/")[0] == entry and labels.items() <= row.labels.items()
        ]
        run = any(row.verdict != NOT_RUN for row in wanted)
        return number_table(wanted, head, title) if run else None

    return make


@dataclass(frozen=True)
class Paper:
    """Everything that is known of a paper."""

    name: str
    folder: Path  # of its spec, published numbers and page
    published: Published
    parts: tuple[Part, ...]
    columns: tuple[Column, ...] = ()
    claims: tuple[Claim, ...] = ()
    variants: Variants | None = None
    tables: Mapping[str, TableMaker | Of] = field(default_factory=dict)
    figures: tuple[plots.Figure, ...] = ()
    values: Mapping[str, Callable[[Data], object]] = field(default_factory=dict)  # for the prose

    @property
    def title(self) -> str:
        """The paper's own."""
        return str(self.published.paper["title"])

    def part(self, name: str | None = None) -> Part:
        """By name; the first if none is given."""
        for part in self.parts:
            if name in (None, part.name):
                return part
        names = ", ".join(part.name for part in self.parts)
        raise InputError(f"unknown part {name!r} of {self.name}: there is {names}")

    def run(self, part: Part, request: Request) -> Results:
        """Runs a part of the study."""
        return run_part(self.name, part, request)

    def data(self, folder: Path, *just_run: Results) -> Data:
        """All parts whose results lie in a folder; those just run instead of what lies there."""
        found = {results.part: results for results in just_run}
        for part in self.parts:
            path = folder / f"{self.name}-{part.name}.json"
            if part.name not in found and path.is_file():
                found[part.name] = load(path)
        short = [
            name for name, results in found.items() if results.scale not in self.part(name).judged
        ]
        joins = {part.name: part.joins for part in self.parts if part.joins}
        short += [joins[name] for name in short if name in joins and joins[name] not in found]
        return Data(found, self.parts[0].name, short, joins)

    def rows(self, data: Data) -> list[Row]:
        """All that the paper publishes, judged; of a part that is too short nothing is."""
        found = list[Row]()
        for column in self.columns:
            for row in column.rows(data):
                explained = row
                if self.variants is not None:
                    explained = self.variants.explained(data, row, column)
                found.append(explained)
        for claim in self.claims:
            found += claim.rows(data)
        return [self._final(data, row) for row in found]

    def _final(self, data: Data, row: Row) -> Row:
        if row.part in data.short:
            judged = Judged(NOT_RUN, row.judged.ours, runs=row.judged.runs)
            return replace(row, judged=judged, reason="")
        if row.verdict == DIFFERS and not row.reason:
            return replace(row, reason=NO_EXPLANATION)
        return row

    def coverage_table(self, rows: Sequence[Row]) -> Table:
        """How much of the paper has a verdict."""
        return coverage_table(coverage(self.published, rows), errata(self.folder / "page.md"))

    def covered(self, rows: Sequence[Row]) -> dict[str, object]:
        """The same for programs."""
        found = coverage(self.published, rows)
        return {
            "coverage": {
                one.kind: {
                    "published": len(one.published),
                    "judged": one.judged,
                    "unjudged": list(one.unjudged),
                }
                for one in found
            },
            "errata": errata(self.folder / "page.md"),
        }

    def rows_of(self, data: Data, part: str) -> list[Row]:
        """Those of one part."""
        return [row for row in self.rows(data) if row.part == part]

    def table(self, name: str, data: Data, rows: Sequence[Row]) -> Table | None:
        """A table by name."""
        maker = self.tables[name]
        return (maker.make if isinstance(maker, Of) else maker)(data, rows)

    def tables_of(self, data: Data, part: str) -> list[Table]:
        """All tables of a part, for the terminal: the claims and the counts first."""
        rows = self.rows(data)
        here = [row for row in rows if row.part == part]
        parts = (part, self.part(part).joins)
        made: list[Table | None] = []
        claims = [row for row in here if row.kind in (CLAIM, OURS)]
        if here:
            made += [counts_table(here), short_claims_table(claims)]
        for name, maker in self.tables.items():
            if (maker.part if isinstance(maker, Of) else self.parts[0].name) in parts:
                made.append(self.table(name, data, rows))
        return [table for table in made if table is not None]

    def notes_of(self, data: Data, part: str) -> list[str]:
        """Why ours differs."""
        return [line.replace("*", "") for line in reasons(self.rows_of(data, part))]

    def draw(self, data: Data, folder: Path, part: str | None = None) -> list[Path]:
        """The figures of a part, or all."""
        first = self.parts[0].name
        chosen = [f for f in self.figures if part in (None, f.part or first)]
        return plots.save(self.name, chosen, data, folder)

    def as_json(self, data: Data, part: str | None = None) -> dict[str, object]:
        """The verdicts, for programs and for the browser."""
        rows = self.rows(data) if part is None else self.rows_of(data, part)
        return {
            "paper": self.name,
            "title": self.title,
            "counts": counts(rows),
            **(self.covered(rows) if part is None else {}),
            "rows": [row.as_json() for row in rows],
        }
