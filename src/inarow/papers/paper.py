"""A paper: what was published, what was run, how it is tested, what is shown; and all views of it.

The command `reproduce`, the pages, the browser and programs read the same rows and tables. A paper
is a folder with a `paper.py` that says `PAPER = Paper(...)` and a `published.toml`. It lies in this
package, anywhere else (it is then named by the path of its folder), or in another package that
declares it as an entry point of the group `inarow.papers`. Papers are imported when they are asked
for, since they load compiled code.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TypeGuard

from inarow.game import InputError
from inarow.game.plugins import installed
from inarow.papers import figures as drawings
from inarow.papers.claims import Claim, ClaimTest, Column
from inarow.papers.measures import Data
from inarow.papers.published import ARITHMETIC, BY_CONSTRUCTION, FILE, OWN, Published
from inarow.papers.study import (
    Condition,
    Part,
    Request,
    Results,
    file_name,
    load,
    run_part,
)
from inarow.papers.tables import (
    NumberTable,
    PaperTable,
    Table,
    counts_table,
    coverage,
    coverage_table,
    errata,
    reasons,
    short_claims_table,
)
from inarow.papers.variants import NO_EXPLANATION, Variants
from inarow.papers.verdicts import (
    CLAIM,
    DIFFERS,
    NOT_RUN,
    OURS,
    TOO_SHORT,
    Judged,
    Row,
    corrected,
    counts,
)

GROUP = "inarow.papers"  # of entry points
FOLDER = Path(__file__).parent
MODULE = "paper.py"
PAGE = "page.md"


@dataclass(frozen=True)
class Finding:
    """A sentence with numbers, and the verdicts that it rests on: without them it is not said.

    In the text, `{name}` is our value of a row with its unit and interval, `{name|number}` without
    the unit, `{name|ours}` without the interval; `{name|published}` is what the paper has.
    """

    text: str
    needs: Mapping[str, str] = field(default_factory=dict)  # by row

    def holds(self, verdicts: Mapping[str, str]) -> bool:
        """Whether rows have the verdicts that the sentence rests on."""
        return self.needs.items() <= verdicts.items()


@dataclass(frozen=True)
class Paper:
    """Everything that is known of a paper."""

    name: str
    published: Published
    parts: tuple[Part, ...]
    numbers: tuple[Column, ...] = ()
    claims: Mapping[str, ClaimTest | Claim] = field(default_factory=dict)  # by entry
    variants: Variants | None = None
    tables: Mapping[str, PaperTable] = field(default_factory=dict)
    figures: tuple[drawings.Figure, ...] = ()
    values: Mapping[str, Callable[[Data], object]] = field(default_factory=dict)  # for the prose
    findings: tuple[Finding, ...] = ()  # sentences of its report
    outcome: tuple[Finding, ...] = ()  # for a list of papers: some words for each
    literal: tuple[Condition, ...] = ()  # the text word by word, where the study chose otherwise
    tested: tuple[Claim, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Bind the tests to what is published; refuse what is tested by nobody, or twice."""
        tested = tuple(
            one if isinstance(one, Claim) else Claim(self.published[name], one)
            for name, one in self.claims.items()
        )
        object.__setattr__(self, "tested", tested)
        self._check_entries()
        shown = {table.entry.name for table in self.tables.values() if _is_of_numbers(table)}
        made: dict[str, PaperTable] = {}
        for column in self.numbers:
            if column.entry.name not in shown:
                made |= number_tables(column)
        object.__setattr__(self, "tables", {**made, **self.tables})

    def _check_entries(self) -> None:
        path, entries = self.published.folder / FILE, self.published.entries
        names = [c.entry.name for c in self.numbers] + [claim.entry.name for claim in self.tested]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"{path}: {name} is tested twice")
        for name, entry in entries.items():
            if entry.setting and name in names:
                raise InputError(f"{path}: {name} is a setting, and tested")
            if entry.setting and name not in self.published.asked:
                raise InputError(f"{path}: the setting {name} is used nowhere")
            if not entry.setting and name not in names:
                raise InputError(f"{path}: nobody tests {name} (a setting says setting = true)")
        for claim in self.tested:
            if claim.entry.name not in entries and claim.entry.class_ != OWN:
                raise InputError(f"{path} has no {claim.entry.name!r}, which is tested")

    @property
    def folder(self) -> Path:
        """The folder of the paper's files."""
        return self.published.folder

    @property
    def address(self) -> str:
        """What is typed for it: its name, or the path of its folder."""
        return self.name if self.name in _modules() else os.path.relpath(self.folder)

    def outcome_text(self, verdicts: Mapping[str, str]) -> str:
        """Return what came out in half a line, given the verdict of each row by name."""
        return "; ".join(one.text for one in self.outcome if one.holds(verdicts))

    @property
    def own(self) -> bool:
        """Whether it is a study of ours, and no document."""
        return bool(self.published.paper.get("own", False))

    @property
    def title(self) -> str:
        """The title of the paper."""
        return str(self.published.paper["title"])

    def part(self, name: str | None = None) -> Part:
        """Return a part by name, or the first."""
        for part in self.parts:
            if name in (None, part.name):
                return part
        names = ", ".join(part.name for part in self.parts)
        raise InputError(f"unknown part {name!r} of {self.name}: there is {names}")

    def run(self, part: Part, request: Request) -> Results:
        """Run a part of the study."""
        return run_part(self.name, part, request)

    def data(self, folder: Path, *just_run: Results) -> Data:
        """Return the results that lie in a folder; those just run instead of what lies there."""
        found = {results.part: results for results in just_run}
        for part in self.parts:
            path = folder / file_name(self.name, part.name)
            if part.name not in found and path.is_file():
                found[part.name] = load(path)
        short = [
            name for name, results in found.items() if results.scale not in self.part(name).judged
        ]
        others = {part.name: part.shown_with for part in self.parts if part.shown_with}
        short += [others[name] for name in short if name in others and others[name] not in found]
        return Data(found, self.parts[0].name, short, others)

    def rows(self, data: Data) -> list[Row]:
        """Judge all that the paper publishes; of a part that is too short nothing is judged."""
        tested: list[tuple[Column | None, Row]] = [
            (column, row) for column in self.numbers for row in column.rows(data)
        ]
        tested += [(None, claim.row(data)) for claim in self.tested]
        found = corrected([self._long_enough(data, row) for _, row in tested])
        return [
            self._explained(data, row, column)
            for (column, _), row in zip(tested, found, strict=True)
        ]

    def _long_enough(self, data: Data, row: Row) -> Row:
        """Return the row; without a verdict if its part was run at too small a scale for it."""
        if row.part not in data.unjudged_parts:
            return row
        counted = row.class_ in (ARITHMETIC, BY_CONSTRUCTION) and not row.judged.runs
        results = data.parts.get(row.part)
        early = self.part(row.part).early.get(results.scale, ()) if results else ()
        if counted or row.name in early:  # no longer run can change it
            return row
        verdict = NOT_RUN if row.judged.ours is None else TOO_SHORT
        judged = Judged(verdict, row.judged.ours, runs=row.judged.runs)
        return replace(row, judged=judged, reason="")

    def _explained(self, data: Data, row: Row, column: Column | None) -> Row:
        if column is not None and self.variants is not None:
            row = self.variants.explained(data, row, column)
        if row.verdict == DIFFERS and not row.reason:
            return replace(row, reason=NO_EXPLANATION)
        return row

    def coverage_table(self, rows: Sequence[Row]) -> Table:
        """Return how much of the paper has a verdict."""
        return coverage_table(coverage(self.published, rows), errata(self.folder / PAGE))

    def covered(self, rows: Sequence[Row]) -> dict[str, object]:
        """Return coverage and errata as JSON."""
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
            "errata": errata(self.folder / PAGE),
        }

    def rows_of(self, data: Data, part: str) -> list[Row]:
        """Return the rows of one part."""
        return [row for row in self.rows(data) if row.part == part]

    def table(self, name: str, data: Data, rows: Sequence[Row]) -> Table | None:
        """Make a table by name."""
        if name not in self.tables:
            raise InputError(f"unknown table {name!r}: there is {', '.join(self.tables)}")
        return self.tables[name].make(data, rows)

    def claims_in_order(self, rows: Sequence[Row]) -> list[Row]:
        """Return the rows of the paper's own claims in the order of its text."""
        order = list(self.published.entries)
        claims = [row for row in rows if row.kind == CLAIM]
        return sorted(claims, key=lambda row: order.index(row.name))

    def tables_of(self, data: Data, part: str) -> list[Table]:
        """Return all tables of a part, for the terminal: the claims and the counts first."""
        rows = self.rows(data)
        here = [row for row in rows if row.part == part]
        parts = (part, self.part(part).shown_with)
        made: list[Table | None] = []
        claims = [row for row in here if row.kind in (CLAIM, OURS)]
        if here:
            made += [counts_table(here), short_claims_table(claims)]
        for table in self.tables.values():
            if (table.part or self.parts[0].name) in parts:
                made.append(table.make(data, rows))
        return [table for table in made if table is not None]

    def notes_of(self, data: Data, part: str) -> list[str]:
        """Return the reasons for differences as lines of text."""
        return [line.replace("*", "") for line in reasons(self.rows_of(data, part))]

    def draw(
        self, data: Data, folder: Path, part: str | None = None, kind: str = "svg"
    ) -> list[Path]:
        """Draw the figures of a part, or all."""
        first = self.parts[0].name
        chosen = [f for f in self.figures if part in (None, f.part or first)]
        return drawings.save(self.name, chosen, data, folder, kind)

    def as_json(self, data: Data, part: str | None = None) -> dict[str, object]:
        """Return the verdicts for programs and for the browser."""
        rows = self.rows(data) if part is None else self.rows_of(data, part)
        return {
            "paper": self.name,
            "title": self.title,
            "counts": counts(rows),
            **(self.covered(rows) if part is None else {}),
            "rows": [row.as_json() for row in rows],
        }


def _is_of_numbers(table: PaperTable) -> TypeGuard[NumberTable]:
    return isinstance(table, NumberTable)


def number_tables(column: Column) -> dict[str, PaperTable]:
    """Return the tables of a published table, by name: one for each group of its numbers."""
    entry, found = column.entry, dict[str, PaperTable]()
    for path, _ in entry.leaves():
        outer = dict(zip(column.labels, path[:-1], strict=False))
        said = (f"{entry.source}: {entry.title}", *outer.values(), entry.unit)
        name = "-".join((entry.name, *outer.values()))
        title = ", ".join(filter(None, said))
        found[name] = NumberTable(entry, column.labels[-1], title, outer)
    return found


# Finding papers


def names() -> list[str]:
    """Return the names of all papers: those of this package, and of others that declare one."""
    return sorted(_modules())


def paper_of(name: str) -> Paper:
    """Return a paper by name, or by the path of its folder."""
    modules = _modules()
    if name in modules:
        module, _, attribute = modules[name].partition(":")
        return _paper_in(name, getattr(import_module(module), attribute or "PAPER", None))
    folder = Path(name)
    if (folder / MODULE).is_file():
        return _paper_in(name, _load(folder.resolve()))
    if folder.is_dir() or "/" in name:
        raise InputError(f"{name} is no folder with a {MODULE}")
    raise InputError(f"unknown paper {name!r}: there is {', '.join(names())}")


def _modules() -> dict[str, str]:
    """Return where each paper is defined, by name."""
    found = {name: entry.value for name, entry in installed(GROUP).items()}
    for path in sorted(FOLDER.glob(f"*/{MODULE}")):
        found[path.parent.name.replace("_", "-")] = f"{__package__}.{path.parent.name}.paper"
    return found


@cache
def _load(folder: Path) -> object:
    """Run the `paper.py` of a folder; it can import its neighbours with `from . import`."""
    name = f"inarow_paper_{folder.name.replace('-', '_')}"
    spec = spec_from_file_location(name, folder / MODULE, submodule_search_locations=[str(folder)])
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except InputError:
        raise
    except Exception as error:
        where = f"{folder / MODULE}: {type(error).__name__}: {error}"
        raise InputError(" ".join(where.split())) from error
    return getattr(module, "PAPER", None)


def _paper_in(name: str, found: object) -> Paper:
    if not isinstance(found, Paper):
        raise InputError(f"{name} is no paper: its {MODULE} has no PAPER = Paper(...)")
    return found
