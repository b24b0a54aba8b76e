"""The command `study`: runs a grid of configs with many seeds, shows it, and exports it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from inarow.game import InputError
from inarow.game.errors import visible
from inarow.ui.plotting import compare, plot
from inarow.ui.terminal import AsJson, console, print_json, progress_bar, table

if TYPE_CHECKING:
    from inarow.lab.study import Study

study = typer.Typer(help="Runs, shows, plots, compares and exports studies.", rich_markup_mode=None)
Database = Annotated[Path, typer.Argument(metavar="STUDY.db", help="where a study is kept")]


@study.command("run")
def run(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE.toml", help="TOML with name, [fixed] and [grid] parameters"),
    ],
    out: Annotated[
        Path | None,
        typer.Option(metavar="STUDY.db", help="its database; next to FILE if not given"),
    ] = None,
    runs: Annotated[int, typer.Option(help="number of seeds for each config")] = 10,
    seed: Annotated[int, typer.Option(help="the first of the seeds")] = 0,
    on: Annotated[
        str, typer.Option(help="threads, ray (a Ray cluster), or cuda (a GPU)")
    ] = "threads",
    workers: Annotated[
        int | None, typer.Option(help="number of workers; all cores if not given")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Runs every config of a grid with many seeds. Stopped or killed, it goes on where it was.

    The file says what to run, for example:

    \b
        name = "share of random games"
        [fixed]
        game = "tictactoe"
        learner = "td"
        games = 100000
        evaluations = ["exact"]
        [grid]
        against = ["attack", "defense"]
    """  # noqa: D301
    from inarow.lab.runner import Stopped, run_study
    from inarow.lab.study import read_study

    described = read_study(file)
    _allow_opponents(described, on)
    path = out or file.with_suffix(".db")
    try:
        with progress_bar(described.name, 1.0) as (bar, task):
            run_study(
                described,
                path,
                runs,
                workers,
                on,
                lambda share: bar.update(task, completed=share),
                seed=seed,
            )
    except Stopped as stopped:
        print(visible(str(stopped)), file=sys.stderr)
        raise typer.Exit(130) from None
    show(path, as_json)


def _allow_opponents(described: Study, on: str) -> None:
    """The person named the file, and the file may name players that run code."""
    from inarow.lab.outside_players import allow, runs_code

    for config in described.configs:
        name = config.get("against")
        if isinstance(name, str) and runs_code(name.strip()):
            if on != "threads":
                raise InputError(f"{name} plays on threads only: {on} knows installed players")
            allow(name)


@study.command("show")
def show(database: Database, as_json: AsJson = False) -> None:
    """Shows the means at the end of the runs, with 95% intervals."""
    from inarow.lab.curves import label_of, varied_parameters
    from inarow.lab.export import final_rows
    from inarow.lab.results import number_text
    from inarow.lab.store import Store

    with Store.open(database) as store:
        kept, rows = store.study, final_rows(store)
        counts = {"finished": len(store.ended()), "unfinished": len(store.begun())}
        made_with = store.version
    if as_json:
        about = {"study": kept.name, "work": kept.work, "inarow": made_with, "file": str(database)}
        print_json({**about, "configs": len(kept.configs), **counts, "rows": rows})
        return
    shown, varied = console(), varied_parameters(kept.configs)
    for config, parameters in enumerate(kept.configs):
        title = f"{kept.name}: {label_of(parameters, varied) or 'one config'}"
        results = table("at the end", "mean", "error", "95%", "runs", title=title)
        results.padding = (0, 1, 0, 0)
        for row in (row for row in rows if row["config"] == config):
            interval = " - ".join(
                number_text(end) for end in (row["low"], row["high"]) if end is not None
            )
            error = "" if row["stderr"] is None else number_text(row["stderr"], 2)
            numbers = (number_text(row["mean"]), error, interval, f"{row['runs']:,}")
            results.add_row(row["metric"], *numbers)
        shown.print(results)
    shared = label_of(kept.configs[0], [name for name in kept.configs[0] if name not in varied])
    if shared:
        shown.print(f" In all configs: {shared}.")
    going = f", {counts['unfinished']:,} not finished" if counts["unfinished"] else ""
    shown.print(
        f" {len(kept.configs):,} configs, {counts['finished']:,} runs finished{going};"
        f" kept in {database}."
    )


@study.command("check")
def check(database: Database, as_json: AsJson = False) -> None:
    """Checks a study's database for damage."""
    from inarow.lab.store import Store

    with Store.open(database) as store:  # which looks at every row
        measurements = sum(1 for _ in store.measurements())
        finished, begun = len(store.ended()), len(store.begun())
    if as_json:
        counts = {"measurements": measurements, "finished": finished, "unfinished": begun}
        print_json({"file": str(database), "sound": True, **counts})
        return
    console().print(
        f" {database} is sound: {measurements:,} measurements of {finished:,} finished and"
        f" {begun:,} unfinished runs are as they were written."
    )


@study.command("export")
def export(
    database: Database,
    out: Annotated[Path, typer.Argument(metavar="OUT.csv", help="the file to write")],
) -> None:
    """Writes all measurements as CSV.

    A row is a measurement, a column a parameter.
    """
    from inarow.lab.export import export_csv
    from inarow.lab.store import Store

    with Store.open(database) as store:
        rows = export_csv(store, out)
    console().print(f" {rows:,} rows written to {out}.")


study.command("plot")(plot)
study.command("compare")(compare)
