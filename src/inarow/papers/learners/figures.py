"""Performance profiles, means over budgets, and the matrix of probabilities of improvement."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from inarow.lab.plot_style import STYLES, Style, draw_line
from inarow.papers.learners.compare import entrants, improvements, longest
from inarow.papers.learners.games import JUDGES
from inarow.papers.learners.runs import BUDGETS, LEARNERS
from inarow.papers.measures import Data, from_values
from inarow.papers.plots import Draw, Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

NAMES = tuple(base.name for base in LEARNERS)
NINTH: Style = ("#882255", (0, (8, 2)))  # there are eight styles and nine learners
STYLE_OF = dict(zip(NAMES, (*STYLES, NINTH), strict=True))
COLUMNS = 4
THRESHOLDS = np.linspace(0, 1, 201)


def panels(canvas: Canvas, draw: Callable[[Axes, str], str], xlabel: str, ylabel: str) -> None:
    """A panel for each game, which `draw` fills and names; the legend where the last would be."""
    rows = -(-(len(JUDGES) + 1) // COLUMNS)
    every = list(canvas.subplots(rows, COLUMNS, sharex=True, sharey=True).flat)
    for axes, game in zip(every, JUDGES, strict=False):
        axes.set_title(draw(axes, game), loc="left", fontsize=10)
        axes.tick_params(labelbottom=True)
        axes.set_xlabel(xlabel)
        axes.set_ylim(-0.03, 1.03)
        axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f}%")
    canvas.supylabel(ylabel, fontsize=10)
    for axes in every[len(JUDGES) :]:
        axes.set_axis_off()
        for name, (colour, dashes) in STYLE_OF.items():
            axes.plot([], [], color=colour, linestyle=dashes, label=name)
        axes.legend(loc="center", handlelength=3.6)


def profiles(canvas: Canvas, data: Data) -> None:
    """The share of a learner's runs above each level, in each game, with its longest budget."""

    def draw(axes: Axes, game: str) -> str:
        part = longest(data, game)
        for one in entrants(data, game, part) if part else ():
            colour, dashes = STYLE_OF[one.name]
            above = (one.merit[:, None] > THRESHOLDS[None, :]).mean(axis=0)
            axes.plot(THRESHOLDS, above, color=colour, linestyle=dashes, linewidth=1.6)
        return f"{JUDGES[game].title}, {part or 'not run'}"

    panels(canvas, draw, "level", "runs above the level")
    canvas.axes[0].xaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f}%")


def over_budgets(canvas: Canvas, data: Data) -> None:
    """Means with 95% intervals, by CPU-seconds of training."""

    def draw(axes: Axes, game: str) -> str:
        axes.set_xscale("log")
        for name in NAMES:
            points = []
            for part in BUDGETS:
                for one in entrants(data, game, part):
                    if one.name == name:
                        found = from_values(tuple(one.merit))
                        low, high = found.interval or (None, None)
                        points.append((float(BUDGETS[part]), found.mean, low, high))
            draw_line(axes, points, name, STYLE_OF[name])
        axes.set_xticks(list(BUDGETS.values()))
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g} s")
        axes.xaxis.set_minor_formatter(lambda value, _: "")
        return JUDGES[game].title

    panels(canvas, draw, "CPU time of training", "score, more is better")


def matrix(canvas: Canvas, data: Data) -> None:
    """How likely a run of the row's learner is above one of the column's."""
    found = improvements(data)
    shades = np.full((len(NAMES), len(NAMES)), np.nan)
    for (ours, theirs), (estimate, _) in found.items():
        shades[NAMES.index(ours), NAMES.index(theirs)] = estimate.value
    axes = canvas.subplots()
    axes.imshow(shades, cmap="PuOr_r", vmin=0, vmax=1)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.set_xticks(range(len(NAMES)), NAMES, rotation=35, ha="right")
    axes.set_yticks(range(len(NAMES)), NAMES)
    for (ours, theirs), (estimate, games) in found.items():
        apart = not estimate.low <= 0.5 <= estimate.high
        axes.text(
            NAMES.index(theirs), NAMES.index(ours), f"{100 * estimate.value:.0f}%\n{games}",
            ha="center", va="center", fontsize=8, fontweight="bold" if apart else "normal",
            color="white" if abs(estimate.value - 0.5) > 0.35 else "black",
        )  # fmt: skip


def figure(name: str, caption: str, draw: Draw, size: tuple[float, float] = (10.0, 5.2)) -> Figure:
    """Drawn as soon as anything has run."""
    return Figure(name, caption, draw, lambda data: any(longest(data, g) for g in JUDGES), size)


BEST = "100% is an agent that cannot be exploited, makes no mistake, or wins every game"
FIGURES = (
    figure("budgets", f"Means and 95% intervals over CPU time of training: {BEST}", over_budgets),
    figure(
        "profiles",
        "Performance profiles with the longest budget of each game: the share of runs above each "
        f"level; {BEST}",
        profiles,
    ),
    figure(
        "improvement",
        "Probability of improvement with the longest budget of each game: how likely a run of the "
        "row's learner is better than one of the column's, the mean over the games that both have "
        "run (their number below); bold where the 95% interval leaves out 50%",
        matrix,
        (6.4, 5.6),
    ),
)
