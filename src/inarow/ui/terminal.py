"""What the commands share: options, output for programs, tables and progress for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table

GameName = Annotated[
    str, typer.Argument(metavar="GAME", help="a game, as `inarow games` lists them")
]
AsJson = Annotated[bool, typer.Option("--json", help="print JSON for a program")]
Seed = Annotated[int, typer.Option(help="the same seed gives the same numbers")]


def console() -> Console:
    """For people: 80 columns where there is no terminal."""
    return Console(width=None if sys.stdout.isatty() else 80, highlight=False)


def print_json(answer: Any) -> None:
    """For programs: one line."""
    print(json.dumps(answer))


def table(*columns: str, title: str | None = None) -> Table:
    """An empty table: the first column is text, the others are numbers."""
    result = Table(box=SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")
    for number, column in enumerate(columns):
        result.add_column(column, justify="left" if number == 0 else "right")
    return result


@contextmanager
def progress_bar(text: str, total: float | None) -> Iterator[tuple[Progress, TaskID]]:
    """A bar with the time left, on the error output of a terminal; gone when the work is done."""
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    with bar:
        yield bar, bar.add_task(text, total=total)
