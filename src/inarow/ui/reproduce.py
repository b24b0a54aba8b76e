"""The command `reproduce`: runs a paper's study again and compares it with the paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from inarow.game import InputError
from inarow.papers.results import save
from inarow.papers.study import Request
from inarow.papers.tables import Table
from inarow.ui.terminal import AsJson, console, print_json, progress_bar, table


def reproduce(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="a paper, as connect-four")],
    part: Annotated[
        str | None,
        typer.Option(help="which part, where a paper has several; the first if not given"),
    ] = None,
    scale: Annotated[str, typer.Option(help="quick, or paper: all that the paper ran")] = "quick",
    runs: Annotated[
        int | None, typer.Option(help="seeds for each condition; as the scale says if not given")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="the first of the seeds; the study's own if not given")
    ] = None,
    game: Annotated[
        str | None, typer.Option(metavar="GAME", help="only this one of the paper's games")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="how many at once; all cores")] = None,
    on: Annotated[str, typer.Option(help="threads, or ray")] = "threads",
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="where results and figures are written")
    ] = Path("results"),
    show_list: Annotated[
        bool, typer.Option("--list", help="says what parts there are, and runs nothing")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Runs a paper's study again and compares it with the paper."""
    from inarow.papers.catalogue import paper_of

    described: Any = paper_of(paper)
    if show_list:
        _show_list(described, as_json)
        return
    chosen = described.part(part)
    if scale not in chosen.scales:
        raise InputError(f"unknown scale {scale!r}: there is {', '.join(chosen.scales)}")
    if runs is not None and runs < 1:
        raise InputError(f"--runs must be at least 1, not {runs}")
    if seed is not None and seed < 0:
        raise InputError(f"--seed must be a whole number from 0, not {seed}")
    _check_folder(out)  # before minutes of work, not after
    with progress_bar("starting", 1.0) as (bar, task):

        def report(text: str, share: float) -> None:
            bar.update(task, description=text, completed=share)

        request = Request(scale, out, report, runs, seed, game, workers, on)
        results = described.run(chosen, request)
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


def _show_list(described: Any, as_json: bool) -> None:
    parts = [
        {"part": part.name, "about": part.about, "scales": list(part.scales)}
        for part in described.parts
    ]
    if as_json:
        print_json({"paper": described.name, "title": described.title, "parts": parts})
        return
    shown = table("part", "what it is", "scales", title=described.title)
    for column in shown.columns:
        column.justify = "left"
    for part in parts:
        shown.add_row(part["part"], part["about"], ", ".join(part["scales"]))
    console().print(shown)


def _check_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write to {folder}: {error.strerror}") from None


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
