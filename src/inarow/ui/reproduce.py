"""The command `reproduce`: runs a paper's study again and compares it with the paper."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer
from rich.console import Console

from inarow.game import InputError
from inarow.game.errors import visible
from inarow.ui.options import grouped
from inarow.ui.terminal import AsJson, console, print_json, progress_bar, table

if TYPE_CHECKING:
    from inarow.papers.measures import Data
    from inarow.papers.paper import Paper
    from inarow.papers.report import Report
    from inarow.papers.study import Part, Progress, Request, Results
    from inarow.papers.tables import Table

INDEX = "index.html"  # the report, in the folder of a paper's results
ALL = "all"  # instead of a paper: every document
STOPPED = 130  # exit status after Ctrl-C or SIGTERM
WIDTH = 80  # of the tables on the terminal
UNKNOWN_SECONDS = 60.0  # for the progress bar, of a part that has not run here before


@dataclass(frozen=True)
class StudyOptions:
    """Which parts of a paper, how much of them, and where they run."""

    part: Annotated[
        str | None,
        typer.Option(help="one part of the study; all that belong to the document if not given"),
    ] = None
    beyond: Annotated[
        bool, typer.Option("--beyond", help="the parts that are our own additions")
    ] = False
    scale: Annotated[
        str | None,
        typer.Option(help="quick, or paper: everything that the paper ran; by default, by part"),
    ] = None
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
        Path, typer.Option(metavar="FOLDER", help="where a folder for each paper is written")
    ] = Path("results")
    finished: Annotated[
        bool, typer.Option("--finished", help="show the finished runs; run nothing")
    ] = False
    agents: Annotated[
        str,
        typer.Option(
            metavar="WHICH",
            help="agents that are kept of each condition: best (and median and worst), all, none",
        ),
    ] = "best"
    png: Annotated[bool, typer.Option("--png", help="draw figures as PNG files, too")] = False

    def check(self, jobs: Sequence[Job]) -> None:
        """Say what is wrong, before minutes of work and not after."""
        for job in jobs:
            if job.scale not in job.part.scales:
                there = ", ".join(job.part.scales)
                raise InputError(f"unknown scale {job.scale!r}: there is {there}")
        if self.runs is not None and self.runs < 1:
            raise InputError(f"--runs must be at least 1, not {self.runs}")
        if self.agents not in ("best", "all", "none"):
            raise InputError(f"--agents must be best, all or none, not {self.agents!r}")
        if self.seed is not None and self.seed < 0:
            raise InputError(f"--seed must be a whole number from 0, not {self.seed}")
        for folder in {job.paper.name: self.folder(job.paper) for job in jobs}.values():
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(f"cannot write to {folder}: {error.strerror}") from None

    def folder(self, paper: Paper) -> Path:
        """Return the folder of a paper's results."""
        return self.out / paper.name

    def request(self, job: Job, report: Progress) -> Request:
        """Return what is asked of a part; only training runs on a GPU."""
        from inarow.lab.studies.study import DEFAULT_WORK
        from inarow.papers.study import Request

        trains = all(c.work == DEFAULT_WORK for c in job.part.conditions_at(job.scale))
        return Request(
            job.scale,
            self.folder(job.paper),
            report,
            self.runs,
            self.seed,
            self.game,
            self.workers,
            "threads" if self.on == "cuda" and self.part is None and not trains else self.on,
            self.finished,
        )


USUAL = StudyOptions()


class Job(NamedTuple):
    """A part of a paper that is run at a scale."""

    paper: Paper
    part: Part
    scale: str


@grouped
def reproduce(
    paper: Annotated[
        str | None,
        typer.Argument(metavar="PAPER", help="a paper, as connect-four, its folder, or all"),
    ] = None,
    options: StudyOptions = USUAL,
    show_list: Annotated[bool, typer.Option("--list", help="list the parts; run nothing")] = False,
    judged: Annotated[
        bool,
        typer.Option(
            "--judged",
            help="show how much of the paper the results in --out judge; run nothing",
        ),
    ] = False,
    conditions: Annotated[
        bool,
        typer.Option(
            "--conditions",
            help="list the paper's settings by name, for `inarow train --as-in`; run nothing",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Runs the study of a paper again, or lists the papers.

    Every part that belongs to the document runs, each at a scale that takes some minutes at most.
    """
    from inarow.papers.paper import names, paper_of

    if paper is None or show_list:
        listed = names() if paper in (None, ALL) else [str(paper)]
        _show_list([paper_of(name) for name in listed], options.out, as_json)
        return
    if conditions:
        _show_conditions(paper, as_json)
        return
    if paper == ALL:
        papers = [one for one in map(paper_of, names()) if not one.own]
        if options.beyond:
            papers = [one for one in papers if any(part.own for part in one.parts)]
    else:
        papers = [paper_of(paper)]
    if judged:
        for one in papers:
            _show_judged(one, options.out, as_json)
        return
    jobs = [job for one in papers for job in _jobs(one, options)]
    options.check(jobs)
    for one in papers:
        move_old_results(one, options.out, options.folder(one))
    from inarow.lab.studies.runner import Stopped

    try:
        results = _run(jobs, options, as_json)
    except Stopped as stopped:
        print(visible(str(stopped)), file=sys.stderr)
        raise typer.Exit(STOPPED) from None
    for one in papers:
        _show(one, [found for job, found in results if job.paper is one], options, as_json)


def _jobs(paper: Paper, options: StudyOptions) -> list[Job]:
    """Return what is run of a paper."""
    if options.part is not None:
        parts = [paper.part(options.part)]
    else:
        parts = [part for part in paper.parts if part.own == options.beyond]
        if not parts:
            raise InputError(f"{paper.name} has no parts beyond the document")
    jobs = [Job(paper, part, options.scale or part.default) for part in parts]
    if options.game is None or options.part is not None:
        return jobs
    playing = [
        job
        for job in jobs
        if job.scale in job.part.scales
        and options.game in {condition.game for condition in job.part.conditions_at(job.scale)}
    ]
    return playing or jobs[:1]  # which says what it plays


def move_old_results(paper: Paper, old: Path, folder: Path) -> None:
    """Move databases and results that lie where they were once written: they go on."""
    from inarow.papers.study import file_name, kept_name

    for part in paper.parts:
        begun = "".join(c if c.isalnum() else "-" for c in f"{paper.name} {part.name}")
        found = [*old.glob(f"{begun}-*.db"), *old.glob(f"{begun}-*.db-*")]
        found += [old / kept_name(paper.name, part.name), old / file_name(paper.name, part.name)]
        for path in found:
            if path.is_file() and not (folder / path.name).exists():
                path.rename(folder / path.name)


def _run(jobs: Sequence[Job], options: StudyOptions, as_json: bool) -> list[tuple[Job, Results]]:
    """Run all parts, with one progress bar; what has no finished run is left out if others have."""
    from inarow.papers.agents import keep_agents
    from inarow.papers.study import expected_seconds, save

    told = not (as_json or options.finished or options.runs) and _is_announced(jobs)
    if told:
        _probe(jobs)
    known = [expected_seconds(job.paper.name, job.part, job.scale) for job in jobs]
    if told:
        _announce(known)
    weights = [UNKNOWN_SECONDS if seconds is None else max(seconds, 0.1) for seconds in known]
    results: list[tuple[Job, Results]] = []
    missing = list[InputError]()
    with progress_bar("starting", sum(weights)) as (bar, task):
        for number, job in enumerate(jobs):

            def report(text: str, share: float, number: int = number, job: Job = job) -> None:
                done = sum(weights[:number]) + share * weights[number]
                about = f"{job.paper.name} {job.part.name} {text}"
                bar.update(task, description=about, completed=done)

            try:
                found = job.paper.run(job.part, options.request(job, report))
            except InputError as error:
                if not options.finished:
                    raise
                missing.append(error)
                continue
            save(found, options.folder(job.paper))
            keep_agents(job.paper, job.part, options.request(job, report), options.agents)
            results.append((job, found))
    if not results:
        raise missing[0]
    return results


def _is_announced(jobs: Sequence[Job]) -> bool:
    """Tell whether it is more than one part, or everything that a paper ran."""
    from inarow.papers.study import PAPER

    return len(jobs) > 1 or jobs[0].scale == PAPER


def _probe(jobs: Sequence[Job]) -> None:
    """Measure for a moment the speed of what has not run here before."""
    from inarow.papers.study import TINY, probe_speed

    for job in jobs:
        if job.scale != TINY:
            probe_speed(job.paper.name, job.part, job.scale)


def _announce(known: Sequence[float | None]) -> None:
    """Say how long it will take."""
    told = [seconds for seconds in known if seconds is not None]
    about = f"about {time_text(sum(told))}" if told else "not measured yet"
    if told and len(told) < len(known):
        about += f" for {len(told)} of {len(known)} parts, the others were not measured yet"
    console().print(f" Parts: {len(known)}. Time on this machine: {about}.")


def _show(paper: Paper, results: Sequence[Results], options: StudyOptions, as_json: bool) -> None:
    """Draw the figures, write the report, and show what came out."""
    from inarow.papers.agents import kept_agents
    from inarow.papers.report import report_of

    folder = options.folder(paper)
    data = paper.data(folder, *results)
    report = report_of(paper, data, options.game, agents=kept_agents(folder))
    files = [folder / found.name for found in results]
    for kind in ("svg", "png") if options.png else ("svg",):
        for found in results:
            files += paper.draw(data, folder / "figures", found.part, kind)
    files += [folder / one.file for one in report.agents]
    files += write_report(report, folder)
    if as_json:
        _print_results(paper, results, report, files)
        return
    shown = console()
    if options.part is not None or options.beyond:
        for found in results:
            _print_part(shown, paper, data, found)
    else:
        from inarow.papers.summary import summary_lines

        for line in summary_lines(report):
            shown.print(line, highlight=False, markup=False, soft_wrap=True)
    shown.print(f" Report: {folder / INDEX}", soft_wrap=True, markup=False)


def _print_part(shown: Console, paper: Paper, data: Data, results: Results) -> None:
    """Print what was run of a part, its tables, and why its results differ."""
    part = paper.part(results.part)
    runs = max((int(row["runs"]) for row in results.rows), default=0)
    size = f", {len(results.rows):,} x {runs:,} runs" if runs else ""
    shown.print(f" {part.name}: {part.about} (scale {results.scale}{size})")
    for part_table in paper.tables_of(data, part.name):
        _print_table(shown, part_table)
    for note in paper.notes_of(data, part.name):
        shown.print(f" {note}")


def write_report(report: Report, folder: Path) -> list[Path]:
    """Write the report as one HTML file that needs nothing else, and as Markdown."""
    from inarow.game.files import write_whole
    from inarow.papers.report import page_html, page_markdown

    texts = {INDEX: page_html(report), "index.md": page_markdown(report)}
    for name, text in texts.items():
        write_whole(folder / name, text.encode())
    return [folder / name for name in texts]


def _print_results(
    paper: Paper, results: Sequence[Results], report: Report, files: Sequence[Path]
) -> None:
    """Print the verdicts for programs."""
    from inarow.papers.verdicts import counts

    parts = [found.part for found in results]
    rows = [row for row in report.rows if row.part in parts]
    print_json(
        {
            "paper": paper.name,
            "title": paper.title,
            "counts": counts(rows),
            "findings": report.findings,
            "rows": [row.as_json() for row in rows],
            "parts": [
                {"part": found.part, "scale": found.scale, "made_with": found.made_with}
                for found in results
            ],
            "files": [str(path) for path in files],
        }
    )


# The list


def _show_list(papers: Sequence[Paper], out: Path, as_json: bool) -> None:
    """List papers with what is learned, their parts, what these take here and what is finished."""
    if as_json:
        found = [_listed(paper, out) for paper in papers]
        print_json(found[0] if len(papers) == 1 else {"papers": found})
        return
    shown = console()
    if len(papers) == 1:
        _print_parts(shown, papers[0], out)
        return
    for paper in sorted(papers, key=lambda paper: paper.own):
        _print_summary(shown, paper, out)
    shown.print(" `inarow reproduce NAME` runs a document, and `inarow reproduce all` the five.")
    shown.print(" NAME --list shows its parts and scales; NAME --beyond runs our additions.")


def _print_summary(shown: Console, paper: Paper, out: Path) -> None:
    """Print a paper in a few lines."""
    parts = _listed_parts(paper, out)
    usual = [part for part in parts if not part.part.own]
    shown.print(f" {paper.name}: {paper.title}", no_wrap=True, overflow="ellipsis")
    if learned := paper.published.paper.get("learned"):
        shown.print(f"   {learned}")
    times = [sum_of(part.seconds[part.part.default] for part in usual)]
    times.append(sum_of(part.seconds.get("paper") for part in usual))
    told = [time_text(seconds) for seconds in times]
    shown.print(f"   parts: {', '.join(part.part.name for part in usual)}")
    shown.print(f"   time here: {told[0]}; with --scale paper: {told[1]}")
    finished = [f"{part.part.name} ({part.finished})" for part in parts if part.finished]
    if finished:
        shown.print(f"   finished: {', '.join(finished)}")
    shown.print()


def _print_parts(shown: Console, paper: Paper, out: Path) -> None:
    """Print the parts of a paper, with what each scale has and takes."""
    parts = _listed_parts(paper, out)
    shown.print(f" {paper.title}", no_wrap=True, overflow="ellipsis")
    for part in sorted(parts, key=lambda part: part.part.own):
        ours = " (beyond the document)" if part.part.own else ""
        shown.print()
        shown.print(f" {part.part.name}{ours}: {part.part.about}")
        for scale, seconds in part.seconds.items():
            usual = ", by default" if scale == part.part.default else ""
            told = "" if seconds is None else f", {time_text(seconds)}"
            shown.print(f"   {scale}{usual}: {sized(part.part, scale)}{told}")
        if part.finished:
            shown.print(f"   finished: {part.finished}")
    shown.print()
    shown.print(" Sizes are conditions x runs.", end="")
    if any(None in part.seconds.values() for part in parts):
        shown.print(" Where no time stands, none was measured here yet.", end="")
    shown.print()


class ListedPart(NamedTuple):
    """A part, what each of its scales takes here, and what is finished of it."""

    part: Part
    seconds: dict[str, float | None]
    finished: str


def _listed_parts(paper: Paper, out: Path) -> list[ListedPart]:
    from inarow.papers.study import TINY, expected_seconds

    data = paper.data(results_folder(paper, out))
    found = []
    for part in paper.parts:
        scales = [scale for scale in part.scales if scale != TINY]
        seconds = {scale: expected_seconds(paper.name, part, scale) for scale in scales}
        found.append(ListedPart(part, seconds, _finished(data, part.name)))
    return found


def sized(part: Part, scale: str) -> str:
    """Say how many conditions a scale has, and how many runs of each."""
    if scale not in part.scales:
        return ""
    return f"{len(part.conditions_at(scale))} x {part.runs[scale]}"


def sum_of(times: Iterable[float | None]) -> float | None:
    """Return the sum of times, if all are known."""
    known = list(times)
    return None if None in known else sum(seconds or 0.0 for seconds in known)


def _listed(paper: Paper, out: Path) -> dict[str, object]:
    """Return a paper and its parts for programs."""
    return {
        "paper": paper.name,
        "title": paper.title,
        "learned": paper.published.paper.get("learned", ""),
        "parts": [
            {
                "part": part.name,
                "about": part.about,
                "beyond": part.own,
                "scales": list(part.scales),
                "conditions": {scale: len(part.conditions_at(scale)) for scale in part.scales},
                "runs": dict(part.runs),
                "default": part.default,
                "seconds": seconds,
                "finished": finished,
            }
            for part, seconds, finished in _listed_parts(paper, out)
        ],
    }


def _finished(data: Data, part: str) -> str:
    """Say at which scale a part has results, and with how many runs."""
    results = data.parts.get(part)
    if results is None:
        return ""
    runs = sorted({int(row["runs"]) for row in results.rows})
    return f"{results.scale}{f', {runs[-1]} runs' if runs else ''}"


def time_text(seconds: float | None) -> str:
    """Write a time to wait, as in 40 s, 2 min, 3 h."""
    if seconds is None:
        return "not measured yet"
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.0f} h"


def results_folder(paper: Paper, out: Path) -> Path:
    """Return where results of a paper lie: in its own folder, or beside those of others."""
    own = out / paper.name
    return own if any(own.glob(f"{paper.name}-*.json")) else out


def _show_conditions(paper: str, as_json: bool) -> None:
    """List the conditions of a paper by name; those that train one learner come first."""
    from inarow.papers.addresses import addresses

    found = addresses(paper)
    if as_json:
        print_json({"paper": paper, "conditions": [
            {"name": one.text, "part": one.part.name, "trains": one.condition.trains,
             "parameters": dict(one.condition.parameters)} for one in found
        ]})  # fmt: skip
        return
    shown = console()
    trained = [one.text for one in found if one.condition.trains]
    for text in trained:
        shown.print(f" {text}", soft_wrap=True, markup=False, highlight=False)
    for part in dict.fromkeys(one.part.name for one in found if not one.condition.trains):
        shown.print(
            f" Part {part} trains no single learner: `inarow reproduce {paper} --part {part}`"
        )
    if trained:
        shown.print(f" For example: `inarow train --as-in {trained[0]}`", soft_wrap=True)


def _show_judged(described: Paper, folder: Path, as_json: bool) -> None:
    from inarow.papers.tables import counts_table, coverage

    data = described.data(results_folder(described, folder))
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
    """Print a table of a page: its numbers whole, so a wide one is several below each other."""
    for columns in _narrow(part_table):
        rows = table(*(part_table.columns[n] for n in columns), title=part_table.title)
        rows.padding = (0, 1, 0, 0)
        for number, column in zip(columns, rows.columns, strict=True):
            column.justify = "left" if number in part_table.texts else "right"
            if number not in part_table.texts:
                column.min_width = _widest(part_table, number)
        for cells in part_table.rows:
            rows.add_row(*(cells[n] for n in columns))
        shown.print(rows)


def _widest(part_table: Table, column: int) -> int:
    """Return the width of the widest number of a column, or word of its heading."""
    heading = map(len, part_table.columns[column].split())
    return max(*heading, *(len(cells[column]) for cells in part_table.rows), 1)


def _narrow(part_table: Table) -> list[list[int]]:
    """Divide the columns of a table so that each part has the first one and fits the terminal."""
    if not part_table.rows:
        return []
    first = min(_widest(part_table, 0), WIDTH // 3)
    found: list[list[int]] = [[0]]
    left = WIDTH - 2 - first
    for column in range(1, len(part_table.columns)):
        text = column in part_table.texts
        width = (
            min(_widest(part_table, column), WIDTH // 4) if text else _widest(part_table, column)
        )
        if width + 1 > left and len(found[-1]) > 1:
            found.append([0])
            left = WIDTH - 2 - first
        found[-1].append(column)
        left -= width + 1
    return found
