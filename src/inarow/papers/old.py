"""The papers that are not specifications yet, seen as if they were: gone when all are."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inarow.game import InputError
from inarow.papers import parts
from inarow.papers.results import NOT_RUN as OLD_NOT_RUN
from inarow.papers.results import Results, load
from inarow.papers.study import Request
from inarow.papers.tables import Table
from inarow.papers.verdicts import NOT_RUN, NUMBER, VERDICTS


def old_papers() -> list[str]:
    """Their names."""
    return list(parts.PAPERS)


@dataclass(frozen=True)
class OldPart:
    """A part by name."""

    name: str
    part: parts.Part
    about: str = ""

    @property
    def scales(self) -> tuple[str, ...]:
        """How much can be run."""
        return self.part.scales


OldData = dict[str, Results]


class OldPaper:
    """What `Paper` offers to commands and pages."""

    def __init__(self, name: str) -> None:
        self.name = self.title = name

    @property
    def parts(self) -> tuple[OldPart, ...]:
        """All of them."""
        return tuple(self.part(name) for name in parts.PAPERS[self.name])

    def part(self, name: str | None = None) -> OldPart:
        """By name."""
        return OldPart(*parts.part_of(self.name, name))

    def run(self, part: OldPart, request: Request) -> Results:
        """Runs it."""
        if request.seed is not None:
            raise InputError("this study has no --seed")
        old = parts.Request(
            request.scale, request.folder, request.report, request.runs, request.game,
            request.workers, request.on,
        )  # fmt: skip
        return part.part.study(old)

    def data(self, folder: Path, *just_run: Results) -> OldData:
        """Results by part."""
        found = {results.part: results for results in just_run}
        for name in parts.PAPERS[self.name]:
            path = folder / f"{self.name}-{name}.json"
            if name not in found and path.is_file():
                found[name] = load(path)
        return found

    def tables_of(self, data: OldData, part: str) -> list[Table]:
        """For the terminal."""
        return list(self.part(part).part.tables(data[part]))

    def notes_of(self, data: OldData, part: str) -> list[str]:
        """Below the tables."""
        return list(self.part(part).part.notes(data[part]))

    def draw(self, data: OldData, folder: Path, part: str | None = None) -> list[Path]:
        """The figures of a part."""
        names = data if part is None else [part]
        return [path for name in names for path in self.part(name).part.figures(data[name], folder)]

    def as_json(self, data: OldData, part: str | None = None) -> dict[str, Any]:
        """Rows, and a count of their verdicts."""
        names = data if part is None else [part]
        rows = [dict(row) for name in names for row in self.part(name).part.rows(data[name])]
        said = Counter(
            NOT_RUN if row["verdict"] == OLD_NOT_RUN else row["verdict"]
            for row in rows
            if "verdict" in row and "reading" not in row
        )
        counted = {verdict: said[verdict] for verdict in VERDICTS if said[verdict]}
        return {
            "paper": self.name,
            "title": self.title,
            "counts": {NUMBER: counted} if counted else {},
            "rows": rows,
        }
