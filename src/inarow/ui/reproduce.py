"""The command `reproduce`: runs a paper's study again and compares it with the paper."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from inarow.game import InputError
from inarow.ui.options import grouped
from inarow.ui.terminal import AsJson, console, print_json, progress_bar, table

if TYPE_CHECKING:
    from inarow.papers.paper import Paper
    from inarow.papers.results import Report
    from inarow.papers.study import Request
    from inarow.papers.tables import Table


@dataclass(frozen=True)
class StudyOptions:
    """Which part of a paper, how much of it, and where it runs."""

    part: Annotated[
        str | None,
        typer.Option(help="which part of the study; the first if not given"),
    ] = None
    scale: Annotated[str, typer.Option(help="quick, or paper: everything that the paper ran")] = (
        "quick"
    )
    runs: Annotated[
        int | None, typer.Option(help="seeds per condition; by default as many as the scale has")
    ] = None
    seed: Annotated[
        int | None, typer.Option(help="the first of the seeds; the study's own if not given")
    ] = None
    game: Annotated[str | None, typer.Option(metavar="GAME", help="only this game")] = None
    workers: Annotated[
        int | None, typer.Option(help="number of workers; all cores if not given")
    ] = None
    on: Annotated[str, typer.Option(help="threads, ray, or cuda")] = "threads"
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="where results and figures are written")
    ] = Path("results")
    finished: Annotated[
        bool, typer.Option("--finished", help="show the finished runs; run nothing")
    ] = False

    def check(self, scales: Collection[str]) -> None:
        """Says what is wrong, before minutes of work and not after."""
        if self.scale not in scales:
            raise InputError(f"unknown scale {self.scale!r}: there is {', '.join(scales)}")
        if self.runs is not None and self.runs < 1:
            raise InputError(f"--runs must be at least 1, not {self.runs}")
        if self.seed is not None and self.seed < 0:
            raise InputError(f"--seed must be a whole number from 0, not {self.seed}")
        try:
            self.out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot write to {self.out}: {error.strerror}") from None

    def request(self, report: Report) -> Request:
        """What is asked of a paper."""
        from inarow.papers.study import Request

        return Request(
            self.scale,
            self.out,
            report,
            self.runs,
            self.seed,
            self.game,
            self.workers,
            self.on,
            self.finished,
        )


@grouped
def reproduce(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="a paper, as connect-four")],
    options: StudyOptions,
    show_list: Annotated[bool, typer.Option("--list", help="list the parts; run nothing")] = False,
    judged: Annotated[
        bool,
        typer.Option(
            "--judged",
            help="show how much of the paper the results in --out judge; run nothing",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Runs a paper's study again and compares it with the paper."""
    from inarow.papers.catalogue import paper_of
    from inarow.papers.results import save

    described = paper_of(paper)
    if show_list:
        _show_list(described, as_json)
        return
    if judged:
        _show_judged(described, options.out, as_json)
        return
    chosen, out = described.part(options.part), options.out
    options.check(chosen.scales)
    with progress_bar("starting", 1.0) as (bar, task):

        def report(text: str, share: float) -> None:
            bar.update(task, description=text, completed=share)

        results = described.run(chosen, options.request(report))
    stored = save(results, out)
    data = described.data(out, results)
    figures = described.draw(data, out / "figures", chosen.name)
    if as_json:
        verdicts = described.as_json(data, chosen.name)
        about = {"paper": results.paper, "part": results.part, "scale": results.scale}
        files = [str(path) for path in (stored, *figures)]
        print_json({**verdicts, **about, "made_with": results.made_with, "files": files})
        return
    shown = console()
    for part_table in described.tables_of(data, chosen.name):
        _print_table(shown, part_table)
    for note in described.notes_of(data, chosen.name):
        shown.print(f" {note}")
    shown.print(f" Written: {stored} and {len(figures)} figures beside it.")


def _show_list(described: Paper, as_json: bool) -> None:
    if as_json:
        parts = [
            {"part": part.name, "about": part.about, "scales": list(part.scales)}
            for part in described.parts
        ]
        print_json({"paper": described.name, "title": described.title, "parts": parts})
        return
    shown = table("part", "what it is", "scales", title=described.title)
    for column in shown.columns:
        column.justify = "left"
    for part in described.parts:
        shown.add_row(part.name, part.about, ", ".join(part.scales))
    console().print(shown)


def _show_judged(described: Paper, folder: Path, as_json: bool) -> None:
    from inarow.papers.coverage import coverage
    from inarow.papers.tables import counts_table

    data = described.data(folder)
    if not data.parts:
        raise InputError(f"{folder} holds no results of {described.name}")
    rows = described.rows(data)
    if as_json:
        print_json({"paper": described.name, "title": described.title, **described.covered(rows)})
        return
    shown = console()
    for made in (described.coverage_table(rows), counts_table(rows)):
        _print_table(shown, replace(made, title=f"{described.name}: {made.title}"))
    for one in coverage(described.published, rows):
        if one.unjudged:
            shown.print(f" {one.kind} without a verdict: {', '.join(one.unjudged)}")


def _print_table(shown: Console, part_table: Table) -> None:
    """The tables of a page, on the terminal."""
    if not part_table.rows:
        return
    rows = table(*part_table.columns, title=part_table.title)
    rows.padding = (0, 1, 0, 0)
    for number, column in enumerate(rows.columns):
        column.justify = "left" if number in part_table.texts else "right"
    for cells in part_table.rows:
        rows.add_row(*cells)
    shown.print(rows)
