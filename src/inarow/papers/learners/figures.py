"""Performance profiles, means over budgets, and the matrix of probabilities of improvement."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from inarow.lab.plot_style import STYLES, Style, draw_line
from inarow.papers.learners.compare import budgets, entrants, improvements
from inarow.papers.learners.games import JUDGES
from inarow.papers.learners.runs import BUDGETS, LEARNERS
from inarow.papers.measures import Data, from_values
from inarow.papers.plots import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

NAMES = tuple(base.name for base in LEARNERS)
NINTH: Style = ("#882255", (0, (8, 2)))  # there are eight styles and nine learners
STYLE_OF = dict(zip(NAMES, (*STYLES, NINTH), strict=True))
COLUMNS = 4
THRESHOLDS = np.linspace(0, 1, 201)


def panels(canvas: Canvas, draw: Callable[[Axes, str], None], xlabel: str, ylabel: str) -> None:
    """A panel for each game, and the legend where the last would be."""
    rows = -(-(len(JUDGES) + 1) // COLUMNS)
    every = canvas.subplots(rows, COLUMNS, sharex=True, sharey=True).flat
    for axes, game in zip(every, JUDGES, strict=False):
        draw(axes, game)
        axes.set_title(JUDGES[game].title, loc="left", fontsize=10)
        axes.tick_params(labelbottom=True)
        axes.set_xlabel(xlabel)
        axes.set_ylim(-0.03, 1.03)
        axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f}%")
    canvas.supylabel(ylabel, fontsize=10)
    for axes in list(every)[len(JUDGES) :]:
        axes.set_axis_off()
        for name, (colour, dashes) in STYLE_OF.items():
            axes.plot([], [], color=colour, linestyle=dashes, label=name)
        axes.legend(loc="center", handlelength=3.6)


def profiles(canvas: Canvas, data: Data, part: str) -> None:
    """The share of a learner's runs above each level, in each game."""

    def draw(axes: Axes, game: str) -> None:
        for one in entrants(data, game, part):
            colour, dashes = STYLE_OF[one.name]
            above = (one.merit[:, None] > THRESHOLDS[None, :]).mean(axis=0)
            axes.plot(THRESHOLDS, above, color=colour, linestyle=dashes, linewidth=1.6)

    panels(canvas, draw, "level", "runs above the level")


def over_budgets(canvas: Canvas, data: Data) -> None:
    """Means with 95% intervals, by CPU-seconds of training."""

    def draw(axes: Axes, game: str) -> None:
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

    panels(canvas, draw, "CPU time of training", "score, more is better")


def matrix(canvas: Canvas, data: Data, part: str) -> None:
    """How likely a run of the row's learner is above one of the column's."""
    found = improvements(data, part)
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


def of_part(part: str) -> tuple[Figure, Figure]:
    """The profiles and the matrix of a budget."""
    seconds = f"{BUDGETS[part]} CPU-second{'s' * (BUDGETS[part] > 1)}"

    def has(data: Data) -> bool:
        return any(part in budgets(data, game) for game in JUDGES)

    return (
        Figure(
            f"profiles-{part}",
            f"Performance profiles after {seconds}: the share of runs above each level, where 100% "
            "is an agent that cannot be exploited, makes no mistake, or wins every game",
            lambda canvas, data: profiles(canvas, data, part), has, (10.0, 5.2), part,
        ),
        Figure(
            f"improvement-{part}",
            f"Probability of improvement after {seconds}: how likely a run of the row's learner is "
            "better than one of the column's, the mean over the games that both have run (their "
            "number below); bold where the 95% interval leaves out 50%",
            lambda canvas, data: matrix(canvas, data, part), has, (6.4, 5.6), part,
        ),
    )  # fmt: skip


FIGURES = (
    Figure(
        "budgets",
        "Means and 95% intervals over CPU time of training: 100% is an agent that cannot be "
        "exploited, makes no mistake, or wins every game",
        over_budgets,
        lambda data: any(budgets(data, game) for game in JUDGES),
        (10.0, 5.2),
        "1s",
    ),
    *of_part("1s"),
    *of_part("10s"),
)  # fmt: skip
