"""Plots of learning curves: one description, drawn as a figure, in a terminal or in a notebook."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, TypeAlias

from inarow.game import InputError
from inarow.game.files import write_whole
from inarow.lab.curves import (
    Condition,
    Curve,
    Source,
    check_metric,
    conditions_of,
    curve_of,
    metrics_of,
    varied_parameters,
)
from inarow.lab.plot_style import SIZE, STYLE, STYLES, draw_line, figure_text, short_number
from inarow.lab.store import Store
from inarow.lab.text_plot import Line, draw_curves, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from inarow.lab.recording import Recording
    from inarow.lab.results import StudyResults
    from inarow.lab.training import Run

Measured: TypeAlias = "str | Path | Run | StudyResults"  # what holds curves
KINDS = (".png", ".svg", ".pdf")
LOGS = ("x", "y", "xy", "none")
XLABEL = "training games"
NAMES = {"against": "opponent"}  # of parameters, in a title


@dataclass(frozen=True, repr=False)
class Plot:
    """Curves that share their axes. `repr` draws it with characters, a notebook as a picture."""

    title: str
    metric: str
    curves: tuple[Curve, ...]
    log: str = "x"  # which axes are logarithmic
    others: tuple[str, ...] = ()  # what else was measured

    def lines(self, width: int) -> list[Line]:
        """In characters: lines of pieces, each with the curve whose colour it has."""
        log_x, log_y = "x" in self.log, "y" in self.log
        return draw_curves(self.curves, XLABEL, width, log_x=log_x, log_y=log_y)

    def text(self, width: int = 80) -> str:
        """In characters, without colours."""
        heading = "\n ".join(wrap(self.heading, width - 1))
        return f" {heading}\n{plain(self.lines(width))}"

    @property
    def heading(self) -> str:
        """What is drawn."""
        return f"{self.metric}: {self.title}" if self.title else self.metric

    def save(self, path: str | Path) -> None:
        """Writes a figure: PNG, SVG or PDF, by the ending of the name."""
        path = Path(path)
        if path.suffix not in KINDS:
            raise InputError(f"{path} must end in one of {', '.join(KINDS)}")
        write_whole(path, self._file(path.suffix[1:]))

    def svg(self) -> str:
        """The figure as SVG: the same curves give the same text."""
        return self._file("svg").decode()

    def svg_element(self) -> str:
        """The same without the head of a file: to stand in a page."""
        text = self.svg()
        return text[text.index("<svg") :]

    def draw(self, figure: Figure) -> None:
        """Draws into a figure of Matplotlib."""
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
        """For programs."""
        curves = [curve.as_json() for curve in self.curves]
        return {"title": self.title, "metric": self.metric, "curves": curves}

    def __repr__(self) -> str:
        return self.text(shutil.get_terminal_size().columns)

    def _repr_svg_(self) -> str:
        """What a notebook shows."""
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
    """The learning curves of recorded runs, of studies and of their files.

    The mean over runs, with 95% intervals. `log` says which axes are logarithmic: x, y, xy, none.
    """
    if log not in LOGS:
        raise InputError(f"log {log!r} must be one of {', '.join(LOGS)}")
    with conditions(*measured) as found:
        known = metrics_of(found, curves=True)
        nothing = (
            "there is no curve: nothing was measured at two numbers of games or more "
            "(train --record; evaluate_every or evaluate_at in a study)"
        )
        metric = check_metric(metric, known, nothing)
        curves = [curve for condition in found if (curve := curve_of(condition, metric))]
        others = tuple(name for name in known if name != metric)
        return Plot(_title(found), metric, tuple(curves), log, others)


@contextmanager
def conditions(*measured: Measured) -> Iterator[list[Condition]]:
    """The conditions of runs, studies and files, as long as they are looked at."""
    if not measured:
        raise InputError("say what to look at: a file of train --record, or a study")
    with ExitStack() as stack:
        sources: list[tuple[str, Source]] = []
        for given in measured:
            recorded: Recording | None = getattr(given, "recording", None)
            path = getattr(given, "path", given)  # of a study's results
            if recorded is not None:
                sources.append((f"seed {recorded.run.seed}", recorded))
            elif isinstance(path, str | Path):
                opened = stack.enter_context(Store.open(Path(path)))
                sources.append((Path(path).stem, opened))
            else:
                raise InputError("there is nothing to plot: train a run with record=True")
        yield conditions_of(sources)


def _title(found: Sequence[Condition]) -> str:
    """What all conditions share: the game, the learner, the opponent."""
    configs = [condition.parameters for condition in found]
    varied = varied_parameters(configs)
    shared = {name: value for name, value in configs[0].items() if name not in varied}
    learner, game, against = (shared.get(name) for name in ("learner", "game", "against"))
    parts = [learner or "", f"in {game}" if game else "", f"against {against}" if against else ""]
    if len(varied) == 1:
        parts.append(f"by {NAMES.get(varied[0], varied[0])}")
    return " ".join(part for part in parts if part)
