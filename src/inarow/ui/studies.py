"""The command `study`: runs a grid of configs with many seeds, shows it, and exports it."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from inarow.game import InputError
from inarow.game import game as game_of
from inarow.game.errors import visible
from inarow.game.files import write_whole
from inarow.ui.plotting import compare, plot
from inarow.ui.terminal import AsJson, console, number_option, print_json, progress_bar, table

if TYPE_CHECKING:
    from inarow.lab.studies.study import Config

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
    runs: Annotated[int, number_option("number of seeds for each config")] = 10,
    seed: Annotated[int, number_option("the first of the seeds")] = 0,
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

    `inarow study new FILE.toml` writes one to start from, with a [[grid]]
    for each of several learners.
    """  # noqa: D301
    from inarow.lab.studies.runner import Stopped, run_study
    from inarow.lab.studies.study import read_study

    described = read_study(file)
    _allow_opponents(described.configs, on)
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


@study.command("tune")
def tune(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.toml", help="TOML with name, [fixed] and [tune]")
    ],
    out: Annotated[
        Path | None,
        typer.Option(metavar="STUDY.db", help="its database; next to FILE if not given"),
    ] = None,
    on: Annotated[str, typer.Option(help="threads, or ray (a Ray cluster)")] = "threads",
    workers: Annotated[
        int | None, typer.Option(help="number of workers; all cores if not given")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Finds good options by a search with early stopping.

    The file says what to tune, and what it may cost:

    \b
        name = "alpha and epsilon of q"
        [fixed]
        game = "tictactoe"
        learner = "q"
        games = 20000
        evaluations = ["exploitability"]
        [tune]
        metric = "exploitability"
        runs = 100
        [tune.parameters]
        alpha = { from = 0.01, to = 1.0, scale = "log" }
        epsilon = { from = 0.05, to = 0.95 }

    Stopped or killed, it goes on where it was. The database is that of a study.
    Settings are drawn at random; with sampler = "optuna" in [tune], Optuna
    proposes them (pip install 'inarow[tune]').
    """  # noqa: D301
    from inarow.lab.studies.runner import Stopped
    from inarow.lab.studies.tune import read_tuning
    from inarow.lab.studies.tune import tune as run_tuning

    tuning = read_tuning(file)
    choices = tuning.parameters.get("against", ())
    _allow_opponents([tuning.fixed, *({"against": name} for name in choices)], on)
    path = out or file.with_suffix(".db")
    try:
        with progress_bar(tuning.name, 1.0) as (bar, task):
            found = run_tuning(
                tuning, path, workers, on, lambda share: bar.update(task, completed=share)
            )
    except Stopped as stopped:
        print(visible(str(stopped)), file=sys.stderr)
        raise typer.Exit(130) from None
    if as_json:
        print_json({"file": str(path), **found.as_json()})
        return
    console().print(str(found.report()), soft_wrap=True)
    console().print(f" Kept in {path}: inarow study show {shlex.quote(str(path))}", soft_wrap=True)


def _allow_opponents(configs: Iterable[Config], on: str) -> None:
    """The person named the file, and the file may name players that run code."""
    from inarow.lab.players.outside import allow, runs_code

    for config in configs:
        name = config.get("against")
        if isinstance(name, str) and runs_code(name.strip()):
            if on != "threads":
                raise InputError(f"{name} plays on threads only: {on} knows installed players")
            allow(name)


TEMPLATE = """\
# Each [[grid]] is one condition, or several where it has lists. To run it, and to look at it:
#   inarow study run {file} --runs 5
#   inarow plot {database}
#   inarow study compare {database}
name = "{name}"

[fixed]  # shared by all conditions
game = "{game}"
games = 20000
evaluate_at = [100, 300, 1000, 3000, 10000]  # numbers of games; the end comes by itself
evaluations = {evaluations}
"""
BLOCK = """
[[grid]]
learner = "{learner}"
{own}# alpha = ["0.1", "0.3"]  # a list: a condition for each value
"""


@study.command("new")
def new(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="the file to write")],
    game: Annotated[str, typer.Argument(metavar="GAME", help="its game")] = "tictactoe",
    learners: Annotated[
        list[str] | None,
        typer.Argument(metavar="LEARNER", help="learners to compare; td and q if not given"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="replace a file that is there")] = False,
) -> None:
    """Writes a study to start from: learners side by side.

    A learner plays against itself where it can, else against the opponent
    that suits it. Change the file as you like, and run it.
    """
    from inarow.learn.learner import ITSELF
    from inarow.learn.options import options_of_type
    from inarow.learn.registry import learner_type
    from inarow.ui.training import named

    chosen = game_of(game)
    if file.suffix != ".toml":
        raise InputError(f"{file} must end in .toml, as descriptions of studies do")
    if file.exists() and not force:
        raise InputError(f"{file} is there already: --force replaces it")
    names = learners or ["td", "q"]
    database = file.with_suffix(".db").name
    kinds = [learner_type(named(name)) for name in names]
    exact = all(kind.needs_graph for kind in kinds)
    text = TEMPLATE.format(
        file=file.name,
        database=database,
        name=f"{' against '.join(kind.name for kind in kinds)} in {chosen.name}",
        game=chosen.name,
        evaluations='["score:random", "exploitability"]' if exact else '["score:random:400"]',
    )
    for kind in kinds:
        own = ""
        if ITSELF not in kind.opponents:
            own = f'against = "{kind.suggested_opponent}"  # it needs another player\n'
            if "side" in options_of_type(kind):
                own += 'side = "both"  # in turn, as when it plays against itself\n'
        for option, value in kind.lessons.get(chosen.name, {}).items():
            own += f"{option} = {json.dumps(value)}  # a small network, and a curve to see\n"
        text += BLOCK.format(learner=kind.name, own=own)
    write_whole(file, text.encode())
    shown = console()
    shown.print(f" Written: {file}. Now, for example:", soft_wrap=True)
    for line in ("study run {0} --runs 5", "plot {1}", "study compare {1}"):
        names_of = (shlex.quote(str(file)), shlex.quote(str(file.with_suffix(".db"))))
        shown.print(f"   inarow {line.format(*names_of)}", soft_wrap=True)


@study.command("show")
def show(database: Database, as_json: AsJson = False) -> None:
    """Shows the means at the end of the runs, with 95% intervals."""
    from inarow.lab.numbers import interval_text, number_text
    from inarow.lab.studies.conditions import label_of, varied_parameters
    from inarow.lab.studies.results import final_rows, interval_notes
    from inarow.lab.studies.store import Store

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
            low, high = row["low"], row["high"]
            interval = "" if low is None or high is None else interval_text(low, high, 4)
            error = "" if row["stderr"] is None else number_text(row["stderr"], 2)
            numbers = (number_text(row["mean"]), error, interval, f"{row['runs']:,}")
            results.add_row(row["metric"], *numbers)
        shown.print(results)
    shared = label_of(kept.configs[0], [name for name in kept.configs[0] if name not in varied])
    if shared:
        shown.print(f" In all configs: {shared}.")
    for note in interval_notes(rows):
        shown.print(f" {note}")
    going = f", {counts['unfinished']:,} not finished" if counts["unfinished"] else ""
    configs = "1 config" if len(kept.configs) == 1 else f"{len(kept.configs):,} configs"
    shown.print(f" {configs}, {counts['finished']:,} runs finished{going}; kept in {database}.")


@study.command("check")
def check(database: Database, as_json: AsJson = False) -> None:
    """Checks a study's database for damage.

    Its pages, its tables, and that every value is one that its column can hold. A flipped bit
    that turns a stored number into another one is the business of the disk.
    """
    from inarow.lab.studies.store import Store

    with Store.open(database) as store:  # which checks it
        measurements = sum(1 for _ in store.measurements())
        finished, begun = len(store.ended()), len(store.begun())
    if as_json:
        counts = {"measurements": measurements, "finished": finished, "unfinished": begun}
        print_json({"file": str(database), "sound": True, **counts})
        return
    console().print(
        f" {database} is sound: {measurements:,} measurements of {finished:,} finished and"
        f" {begun:,} unfinished runs are whole."
    )


@study.command("export")
def export(
    database: Database,
    out: Annotated[
        Path, typer.Argument(metavar="OUT", help="the file to write: OUT.csv or OUT.parquet")
    ],
) -> None:
    """Writes all measurements as CSV or Parquet.

    A row is a measurement, a column a parameter. The suffix says which.
    """
    from inarow.lab.studies.frames import export as write
    from inarow.lab.studies.store import Store

    with Store.open(database) as store:
        rows = write(store, out)
    console().print(f" {rows:,} rows written to {out}.")


study.command("plot")(plot)
study.command("compare")(compare)
