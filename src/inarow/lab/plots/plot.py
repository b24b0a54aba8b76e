"""Plots of learning curves, as a figure, in a terminal or in a notebook, and the figures' style.

Colours are Okabe and Ito's, which colour-blind people can tell apart; lines differ in their dashes
and areas in their hatching too, so that a figure also reads in grey.
"""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, TypeAlias

from inarow.game import InputError
from inarow.game.errors import printable
from inarow.game.files import write_whole
from inarow.lab.numbers import scale_of, short_number
from inarow.lab.plots.text_plot import Line, draw_curves, plain
from inarow.lab.studies.conditions import (
    Condition,
    Curve,
    Point,
    check_metric,
    conditions_of,
    curve_of,
    differences_of,
    left_out,
    metrics_of,
    varied_parameters,
)
from inarow.lab.studies.store import Store, StudyReader

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from inarow.lab.studies.results import StudyResults
    from inarow.lab.training.driver import Recorder
    from inarow.lab.training.run import Run

LONGEST = 200  # characters of a text in a figure

BLUE, VERMILION, GREEN, ORANGE = "#0072B2", "#D55E00", "#009E73", "#E69F00"
SKY, PURPLE, BLACK = "#56B4E9", "#CC79A7", "#000000"
GREY, PALE = "#555555", "#d9d9d9"

Style = tuple[str, str | tuple[float, tuple[float, ...]]]  # colour and dashes
STYLES: tuple[Style, ...] = (  # differ in both, so that a figure reads in grey
    (BLUE, "-"),
    (VERMILION, (0, (5, 1.5))),
    (GREEN, (0, (6, 2, 1, 2))),
    (ORANGE, (0, (3, 1.5))),
    (SKY, (0, (4, 1.5, 1, 1.5, 1, 1.5))),
    (PURPLE, (0, (2, 1))),
    (GREY, (0, (1, 1))),
    (BLACK, ":"),
)

SIZE = (8.0, 4.0)  # inches, of a figure that says nothing else
STYLE: Any = {  # versions of Matplotlib differ in what they call its type
    "svg.hashsalt": "inarow",  # the same results give the same file
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.6,
    "legend.frameon": False,
    "lines.markersize": 5,
}

Draw = Callable[["Figure"], None]


def save_figures(
    drawings: Mapping[str, Draw],
    folder: Path,
    sizes: Mapping[str, tuple[float, float]] | None = None,
    kind: str = "svg",
) -> list[Path]:
    """Draw each figure into a file of its name; the same drawing gives the same bytes."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    with rc_context(STYLE):
        for name, draw in drawings.items():
            figure = Figure(figsize=(sizes or {}).get(name, SIZE), layout="constrained")
            draw(figure)
            path = folder / f"{name}.{kind}"
            figure.savefig(path, metadata={"Date": None} if kind == "svg" else None)
            written.append(path)
    return written


def figure_text(text: str) -> str:
    """Return a text for a figure as it stands: no formula, no character that cannot be printed."""
    shown = printable(text)
    if len(shown) > LONGEST:
        shown = f"{shown[:LONGEST]} ..."
    return shown.replace("$", r"\$")


def draw_line(axes: Axes, points: Sequence[Point], label: str, style: Style) -> None:
    """A curve, its band where its points have intervals."""
    if not points:
        return
    colour, dashes = style
    games, heights, low, high = zip(*points, strict=True)
    if None not in low:
        axes.fill_between(games, low, high, color=colour, alpha=0.15, lw=0)
    (drawn,) = axes.plot(games, heights, color=colour, linestyle=dashes, linewidth=1.6, label=label)
    if len(points) <= 25:
        drawn.set(marker="o", markersize=2.5)
    if len(points) == 1:  # as a published one: to be found at a glance
        drawn.set(marker="*", markersize=11)


def plain_number(value: float, _: object = None) -> str:
    """Format a tick of an axis: 0.1 and 10,000 rather than powers of ten."""
    return f"{value:,.10g}"


Measured: TypeAlias = "str | Path | Run | StudyResults"  # what holds curves
KINDS = (".png", ".svg", ".pdf")
LOGS = ("x", "y", "xy", "none")
XLABEL = "training games"
NO_CURVE = (
    "there is no curve: nothing was measured at two numbers of games or more "
    "(train --record; evaluate_every or evaluate_at in a study)"
)
NAMES = {"against": "opponent"}  # of parameters, in a title


@dataclass(frozen=True, repr=False)
class Plot:
    """Curves that share their axes. `repr` draws it with characters, a notebook as a picture."""

    title: str
    metric: str
    curves: tuple[Curve, ...]
    log: str = "x"  # which axes are logarithmic
    others: tuple[str, ...] = ()  # what else was measured
    notes: tuple[str, ...] = ()  # how to read it: what is left out, how the conditions differ

    def lines(self, width: int) -> list[Line]:
        """Draw with characters: lines of pieces, each with the curve whose colour it has."""
        log_x, log_y = "x" in self.log, "y" in self.log
        return draw_curves(self.curves, XLABEL, width, log_x=log_x, log_y=log_y)

    def text(self, width: int = 80) -> str:
        """Draw with characters, without colours."""
        heading = "\n ".join(wrap(self.heading, width - 1))
        notes = "".join(f"\n {line}" for note in self.notes for line in wrap(note, width - 1))
        return f" {heading}\n{plain(self.lines(width))}{notes}"

    @property
    def heading(self) -> str:
        """Title and metric of the plot."""
        return f"{self.metric}: {self.title}" if self.title else self.metric

    def save(self, path: str | Path) -> None:
        """Write a figure: PNG, SVG or PDF, by the ending of the name."""
        path = Path(path)
        if path.suffix not in KINDS:
            raise InputError(f"{path} must end in one of {', '.join(KINDS)}")
        write_whole(path, self._file(path.suffix[1:]))

    def svg(self) -> str:
        """Return the figure as SVG: the same curves give the same text."""
        return self._file("svg").decode()

    def svg_element(self) -> str:
        """Return the SVG without the head of a file: to stand in a page."""
        text = self.svg()
        return text[text.index("<svg") :]

    def draw(self, figure: Figure) -> None:
        """Draw into a figure of Matplotlib."""
        axes = figure.subplots()
        for number, curve in enumerate(self.curves):
            draw_line(axes, curve.points, figure_text(curve.label), STYLES[number % len(STYLES)])
        axes.set_title(figure_text(self.title), loc="left", fontsize=10)
        axes.set_xlabel(XLABEL)
        axes.set_ylabel(figure_text(self.metric))
        if "y" in self.log:
            axes.set_yscale("log", nonpositive="clip")
        elif min(point[1] for curve in self.curves for point in curve.points) >= 0:
            axes.set_ylim(bottom=0)
        if "x" in self.log:
            axes.set_xscale("log")
        axes.xaxis.set_major_formatter(short_number)
        axes.xaxis.set_minor_formatter(lambda value, _: "")
        if len(self.curves) > 1:
            axes.legend(handlelength=3.6)

    def as_json(self) -> dict[str, object]:
        """Return the result as JSON data."""
        curves = [curve.as_json() for curve in self.curves]
        return {
            "title": self.title,
            "metric": self.metric,
            "curves": curves,
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        return self.text(shutil.get_terminal_size().columns)

    def _repr_svg_(self) -> str:
        """Return what a notebook shows."""
        return self.svg()

    def _file(self, kind: str) -> bytes:
        from matplotlib import rc_context
        from matplotlib.figure import Figure

        content = io.BytesIO()
        with rc_context(STYLE):
            figure = Figure(figsize=SIZE, layout="constrained", dpi=150)
            self.draw(figure)
            metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
            figure.savefig(content, format=kind, metadata=metadata)
        return content.getvalue()


def plot(*measured: Measured, metric: str | None = None, log: str = "x") -> Plot:
    """Return the learning curves of recorded runs, of studies and of their files.

    The mean over runs, with 95% intervals. `log` says which axes are logarithmic: x, y, xy, none.
    """
    if log not in LOGS:
        raise InputError(f"log {log!r} must be one of {', '.join(LOGS)}")
    with conditions(*measured) as found:
        known = metrics_of(found, curves=True)
        _check_drawable(metric, found, known)
        metric = check_metric(metric, known, NO_CURVE)
        curves = [curve for condition in found if (curve := curve_of(condition, metric))]
        notes = left_out(found, {curve.label for curve in curves}, known, metric)
        if most := max(curve.runs for curve in curves) - 1:
            scale = scale_of(metric)
            made = scale.interval_name(most + 1)
            notes.append(f"Bands: 95% intervals of the mean over runs, {made}{scale.limits}.")
        notes += differences_of(found)
        others = tuple(name for name in known if name != metric)
        return Plot(_title(found), metric, tuple(curves), log, others, tuple(notes))


def _check_drawable(metric: str | None, found: Sequence[Condition], known: Sequence[str]) -> None:
    """Raise InputError for a metric that was measured, but not while the runs went on."""
    if metric is not None and metric not in known and metric in metrics_of(found):
        raise InputError(
            f"{metric!r} was measured only once in each run, so it has no curve: `inarow study "
            f"compare` compares it; a study's record, evaluate_every or evaluate_at say when to "
            f"measure on the way"
        )


@contextmanager
def conditions(*measured: Measured) -> Iterator[list[Condition]]:
    """Yield the conditions of runs, studies and files, as long as they are looked at."""
    if not measured:
        raise InputError("say what to look at: a file of train --record, or a study")
    with ExitStack() as stack:
        sources: list[tuple[str, StudyReader]] = []
        for given in measured:
            recorded: Recorder | None = getattr(given, "recording", None)
            path = getattr(given, "path", given)  # of a study's results
            if recorded is not None:
                sources.append((f"seed {recorded.seed}", stack.enter_context(recorded.open())))
            elif isinstance(path, str | Path):
                opened = stack.enter_context(Store.open(Path(path)))
                sources.append((Path(path).stem, opened))
            else:
                raise InputError("there is nothing to plot: train a run with record=True")
        yield conditions_of(sources)


def _title(found: Sequence[Condition]) -> str:
    """Return what all conditions share: the game, the learner, the opponent."""
    configs = [condition.parameters for condition in found]
    varied = varied_parameters(configs)
    shared = {name: value for name, value in configs[0].items() if name not in varied}
    learner, game, against = (shared.get(name) for name in ("learner", "game", "against"))
    place = f"{'in ' if learner else ''}{game}" if game else ""
    parts = [learner or "", place, f"against {against}" if against else ""]
    if len(varied) == 1:
        parts.append(f"by {NAMES.get(varied[0], varied[0])}")
    return " ".join(part for part in parts if part)
