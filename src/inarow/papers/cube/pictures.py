"""Figures 3 and 4 of the cube paper: win rates over training, and where networks end."""

from __future__ import annotations

import math
from collections.abc import Mapping
from operator import itemgetter
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from inarow.lab.plot_style import STYLES, draw_line, short_number
from inarow.lab.statistics import Floats
from inarow.learn.mlp.network import NETWORKS
from inarow.papers.claims import Column
from inarow.papers.measures import Data
from inarow.papers.number_tests import mean_of
from inarow.papers.plots import Figure, Point, averaged

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

SMOOTHED = 5  # tests: the curve shows their mean, since one has 1,000 games only
WON = (0, 50, 80, 90, 95, 98, 99)  # ticks where the axis is one of games not won
STYLE_OF = dict(zip(NETWORKS, STYLES, strict=False))


def smoothed(points: list[Point]) -> list[Point]:
    """Means of so many tests around each."""
    half, found = SMOOTHED // 2, list[Point]()
    for place, point in enumerate(points):
        near = points[max(0, place - half) : place + half + 1]
        low, high = ([b for p in near if (b := p[n]) is not None] for n in (2, 3))
        bounds = (fmean(low), fmean(high)) if low and high else (None, None)
        found.append((point[0], fmean(p[1] for p in near), *bounds))
    return found


def figure(number: int, regime: str, column: Column, near_the_top: bool) -> Figure:
    """A line for each network with its band, and beside it the ends, the paper's and ours."""

    def curves(data: Data) -> dict[str, list[Point]]:
        return {
            name: [*averaged(itemgetter("won"), regime=regime, network=name)(data)]
            for name in NETWORKS
        }

    def draw(canvas: Canvas, data: Data) -> None:
        left, right = canvas.subplots(1, 2, sharey=True, width_ratios=(2, 1))
        _draw_curves(left, curves(data))
        _draw_ends(right, column, data)
        left.set_ylabel("won against the benchmark player")
        _scale(left, near_the_top)
        handles, labels = left.get_legend_handles_labels()
        canvas.legend(handles, labels, loc="outside upper center", handlelength=3.6, ncols=3)

    caption = (
        f"Figure {number}. Win rate against the benchmark player, {regime}. Left: mean of "
        f"{SMOOTHED} tests, with its 95% interval where stored. Right: end, mean and one "
        "standard deviation"
    )
    name = f"figure-{number}-{regime.replace(' ', '-')}"
    return Figure(name, caption, draw, lambda data: any(curves(data).values()), (9.0, 5.0))


def _draw_curves(axes: Axes, found: Mapping[str, list[Point]]) -> None:
    for name, points in found.items():
        draw_line(axes, smoothed(points), name.replace("-", " "), STYLE_OF[name])
    axes.set_xlabel("training games")
    axes.set_xlim(0, None)
    axes.xaxis.set_major_formatter(short_number)


def _draw_ends(axes: Axes, column: Column, data: Data) -> None:
    """Open marks the paper's, full ones ours."""
    for place, name in enumerate(NETWORKS):
        ours = column.measure(data, measure="end", network=name)
        marks = [(mean_of(column.entry.numbers["end"][name]), "white", -0.17)]
        if ours is not None:
            deviation = (ours.stderr or 0.0) * math.sqrt(ours.runs)
            marks.append(((ours.mean, deviation), STYLE_OF[name][0], 0.17))
        for (mean, spread), filled, aside in marks:
            axes.errorbar(
                [place + aside], [mean], [spread or 0.0], color=STYLE_OF[name][0], marker="o",
                markersize=6, markerfacecolor=filled, capsize=3, linestyle="none",
            )  # fmt: skip
    axes.set_title("end: paper hollow, ours filled", loc="left", fontsize=10)
    names = [name.replace("-", " ") for name in NETWORKS]
    axes.set_xticks(range(len(NETWORKS)), names, rotation=50, ha="right", rotation_mode="anchor")
    axes.set_xlim(-0.6, len(NETWORKS) - 0.4)


def _scale(axes: Axes, near_the_top: bool) -> None:
    """Per cent won; near the top by the logarithm of what is not won."""
    if not near_the_top:
        axes.set_ylim(0, None)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0f}%")
        return
    axes.set_yscale("function", functions=(_height, _won))
    axes.set_ylim(0, 99.2)
    axes.set_yticks(WON, [f"{won}%" for won in WON])
    axes.minorticks_off()


def _height(won: Floats) -> Floats:
    return -np.log10(np.maximum(100.5 - won, 1e-3))


def _won(height: Floats) -> Floats:
    return 100.5 - 10**-height
