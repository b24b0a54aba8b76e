"""Performance profiles, means over budgets, and the matrix of probabilities of improvement."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from inarow.lab.plot_style import BLUE, GREEN, GREY, STYLES, VERMILION, Style
from inarow.papers.learners.compare import budget_text, entrants, improvements, longest
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
MARKS = ((BLUE, "o"), (VERMILION, "s"), (GREEN, "^"))  # of the budgets
COLUMNS = 4
THRESHOLDS = np.linspace(0, 1, 201)


def panels(canvas: Canvas, draw: Callable[[Axes, str], str], xlabel: str) -> Axes:
    """A panel for each game, which `draw` fills and names; what is left is for the legend."""
    rows = -(-(len(JUDGES) + 1) // COLUMNS)
    every: list[Axes] = list(canvas.subplots(rows, COLUMNS, sharex=True, sharey=True).flat)
    for axes, game in zip(every, JUDGES, strict=False):
        axes.set_title(draw(axes, game), loc="left", fontsize=10)
        if not axes.lines:
            axes.text(0.5, 0.3, "not run", transform=axes.transAxes, ha="center", color=GREY)
        axes.tick_params(labelbottom=True)
        axes.set_xlabel(xlabel)
        axes.set_xlim(-0.03, 1.03)
        axes.xaxis.set_major_formatter(percent)
    for axes in every[len(JUDGES) :]:
        axes.set_axis_off()
    return every[-1]


def percent(value: float, _: object) -> str:
    """For the ticks of an axis of shares."""
    return f"{100 * value:.0f}%"


def profiles(canvas: Canvas, data: Data) -> None:
    """The share of a learner's runs above each level, in each game, with its longest budget."""

    def draw(axes: Axes, game: str) -> str:
        part = longest(data, game)
        for one in entrants(data, game, part) if part else ():
            colour, dashes = STYLE_OF[one.name]
            above = (one.merit[:, None] > THRESHOLDS[None, :]).mean(axis=0)
            axes.plot(THRESHOLDS, above, color=colour, linestyle=dashes, linewidth=1.6)
        axes.set_ylim(-0.03, 1.03)
        axes.yaxis.set_major_formatter(percent)
        return f"{JUDGES[game].title}, {part or 'not run'}"

    rest = panels(canvas, draw, "level; 100% is best")
    canvas.supylabel("runs above the level", fontsize=10)
    for name, (colour, dashes) in STYLE_OF.items():
        rest.plot([], [], color=colour, linestyle=dashes, label=name)
    rest.legend(loc="center", handlelength=3.6)


def means(canvas: Canvas, data: Data) -> None:
    """A mean and its 95% interval for each learner and budget."""

    def draw(axes: Axes, game: str) -> str:
        for number, part in enumerate(BUDGETS):
            for one in entrants(data, game, part):
                found = from_values(tuple(one.merit))
                low, high = found.interval or (found.mean, found.mean)
                height = NAMES.index(one.name) + 0.22 * (number - 1)
                colour, shape = MARKS[number]
                axes.plot([max(low, 0), min(high, 1)], [height, height], color=colour, lw=1.4)
                axes.plot(found.mean, height, color=colour, marker=shape, ls="", ms=4)
        for height, base in enumerate(LEARNERS):
            if not base.plays(game):
                axes.text(0.5, height, "too large for a table", ha="center", va="center",
                          color=GREY, fontsize=7)  # fmt: skip
        axes.set_yticks(range(len(NAMES)), NAMES)
        axes.set_ylim(len(NAMES) - 0.5, -0.5)
        return JUDGES[game].title

    rest = panels(canvas, draw, "mean of runs; 100% is best")
    for (colour, shape), part in zip(MARKS, BUDGETS, strict=True):
        if part in data.parts:
            rest.plot([], [], color=colour, marker=shape, ms=4, label=budget_text(part))
    rest.legend(loc="center")


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
        x, y = NAMES.index(theirs), NAMES.index(ours)
        apart = not estimate.low <= 0.5 <= estimate.high
        colour = "white" if abs(estimate.value - 0.5) > 0.28 else "black"
        for text, align, size, weight in (
            (f"{100 * estimate.value:.0f}%", "bottom", 10, "bold" if apart else "normal"),
            (f"{games} game{'s' * (games > 1)}", "top", 7, "normal"),
        ):
            axes.text(
                x, y, text, ha="center", va=align, fontsize=size, fontweight=weight, color=colour
            )


def figure(name: str, caption: str, draw: Draw, size: tuple[float, float] = (10.0, 5.2)) -> Figure:
    """Drawn as soon as anything has run."""
    return Figure(name, caption, draw, lambda data: any(longest(data, g) for g in JUDGES), size)


BEST = "100% is an agent that cannot be exploited, makes no mistake, or wins every game"
FIGURES = (
    figure("means", f"Means over runs with 95% intervals; {BEST}", means),
    figure(
        "profiles",
        "Performance profiles for the longest budget of each game: the share of runs above each "
        f"level; {BEST}",
        profiles,
    ),
    figure(
        "improvement",
        "Probability of improvement for the longest budget of each game: how likely a run of the "
        "row's learner is to be better than one of the column's, averaged over the games that both "
        "have run (their number is printed below it); bold if the 95% interval excludes 50%",
        matrix,
        (6.4, 5.6),
    ),
)
