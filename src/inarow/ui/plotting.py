"""The commands `plot`, which is also `study plot`, and `study compare`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from inarow.game import InputError
from inarow.game.errors import visible
from inarow.ui.terminal import AsJson, console, print_json, table

if TYPE_CHECKING:
    from inarow.lab.plots.plot import Plot

Files = Annotated[
    list[Path],
    typer.Argument(metavar="FILE", help="files of train --record, databases of studies"),
]
Metric = Annotated[str | None, typer.Option(metavar="NAME", help="which measurement to show")]
LogAxes = Annotated[str, typer.Option(metavar="AXES", help="logarithmic axes: x, y, xy or none")]
FigureFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="a figure: FILE.png, FILE.svg, FILE.pdf")
]


def plot(
    files: Files,
    metric: Metric = None,
    log: LogAxes = "x",
    out: FigureFile = None,
    as_json: AsJson = False,
) -> None:
    """Draws learning curves with intervals, here or as a figure.

    A curve is a mean over seeds, its band a 95% interval. A file holds what was measured while
    agents trained: by `inarow train --record FILE`, or by a study with evaluate_every or
    evaluate_at. A run that ended early keeps its last value.
    """
    from inarow.lab.plots.plot import plot as make

    drawn = make(*files, metric=metric, log=log)
    if out is not None:
        drawn.save(out)
    if as_json:
        print_json(drawn.as_json())
        return
    show_plot(drawn)
    if out is not None:
        console().print(f" Saved as {out}.", soft_wrap=True)


def show_plot(drawn: Plot) -> None:
    """In the terminal, as wide as it is."""
    from inarow.lab.plots.plot import STYLES

    shown = console()
    shown.print(f" {drawn.heading}")
    for line in drawn.lines(shown.width):
        text = Text(no_wrap=True)
        for segment in line:
            colour = None if segment.curve is None else STYLES[segment.curve % len(STYLES)][0]
            # Black cannot be seen on most terminals: the last of eight is left as it is.
            style = "" if colour in (None, "#000000") else f"{colour}"
            text.append(visible(segment.text), style)
        text.rstrip()
        shown.print(text)
    for note in drawn.notes:
        shown.print(f" {note}")
    if drawn.others:
        shown.print(f" Also measured (--metric NAME): {', '.join(drawn.others)}.")


def compare(
    files: Files,
    metric: Metric = None,
    baseline: Annotated[
        str, typer.Option(metavar="CONDITION", help="its label, or its number from 0 on")
    ] = "0",
    better: Annotated[
        str | None,
        typer.Option(
            metavar="lower|higher", help="which direction is better; by default told from the name"
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compares conditions: differences, probability of improvement.

    Each is compared with a baseline at the end of its runs. "Better" is the probability that one
    of its runs is better than one of the baseline's, equal ones counted as half; 95% intervals.
    """
    from inarow.lab.studies.results import compare as make

    if better not in (None, "lower", "higher"):
        raise InputError(f"--better {better} must be lower or higher")
    lower = None if better is None else better == "lower"
    found = make(*files, metric=metric, baseline=baseline, lower=lower)
    if as_json:
        print_json(found.as_json())
        return
    report, shown = found.report(), console()
    rows = table(*report.head, title=report.title)
    rows.padding = (0, 1, 0, 0)
    rows.columns[0].overflow = "fold"
    for row in report.rows:
        rows.add_row(*row)
    shown.print(rows)
    for note in report.notes:
        shown.print(f" {note}")
    if found.others:
        shown.print(f" Also measured (--metric NAME): {', '.join(found.others)}.")
