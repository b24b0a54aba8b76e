"""The command `reproduce`: runs a paper's study again and holds it against the paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from inarow.game import InputError
from inarow.papers.page import Table
from inarow.papers.parts import Request, part_of
from inarow.papers.results import save
from inarow.ui.terminal import AsJson, console, print_json, progress_bar, table


def reproduce(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="a paper, as connect-four")],
    part: Annotated[
        str | None,
        typer.Option(help="which part, where a paper has several; the first if not given"),
    ] = None,
    scale: Annotated[str, typer.Option(help="quick, or paper: all that the paper ran")] = "quick",
    runs: Annotated[
        int | None, typer.Option(help="seeds for each cell; as the scale says if not given")
    ] = None,
    game: Annotated[
        str | None, typer.Option(metavar="GAME", help="only this one of the paper's games")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="how many at once; all cores")] = None,
    on: Annotated[str, typer.Option(help="threads, or ray")] = "threads",
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="where results and figures are written")
    ] = Path("results"),
    as_json: AsJson = False,
) -> None:
    """Runs a paper's study again and holds it against the paper."""
    _, study = part_of(paper, part)
    if scale not in study.scales:
        raise InputError(f"unknown scale {scale!r}: there is {', '.join(study.scales)}")
    if runs is not None and runs < 1:
        raise InputError(f"{runs} runs do not work: at least 1 does")
    _check_folder(out)  # before minutes of work, not after
    with progress_bar("starting", 1.0) as (bar, task):

        def report(text: str, share: float) -> None:
            bar.update(task, description=text, completed=share)

        results = study.study(Request(scale, out, report, runs, game, workers, on))
    stored = save(results, out)
    figures = study.figures(results, out / "figures")
    if as_json:
        print_json(
            {
                "paper": results.paper,
                "part": results.part,
                "scale": results.scale,
                "rows": study.rows(results),
                "made_with": results.made_with,
                "files": [str(path) for path in (stored, *figures)],
            }
        )
        return
    shown = console()
    for part_table in study.tables(results):
        _print_table(shown, part_table)
    for note in study.notes(results):
        shown.print(f" {note}")
    shown.print(f" Written: {stored} and {len(figures)} figures beside it.")


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
