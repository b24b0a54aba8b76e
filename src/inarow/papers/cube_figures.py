"""Figures 3 and 4 of the cube paper from stored results: win rate over training games.

Beside the curves stands where they end, by the tables: the paper's mean with its deviation, and
ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from inarow.lab.look import (
    BLUE,
    GREEN,
    ORANGE,
    SKY,
    VERMILION,
    Draw,
    save_figures,
    short_number,
)
from inarow.papers.cube import BENCHMARK_TRAINING, END, PUBLISHED, TABLE_I, WAYS
from inarow.papers.cube_claims import plain
from inarow.papers.cube_verdicts import is_whole, spread
from inarow.papers.results import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINES: dict[str, tuple[str, Any]] = {  # colour and dashes of each network
    "small-structured": (SKY, (0, (5, 1.5))),
    "deep-structured": (BLUE, "-"),
    "small-unstructured": (ORANGE, (0, (1, 1.5))),
    "deep-unstructured": (VERMILION, (0, (6, 2, 1, 2))),
    "wide-unstructured": (GREEN, (0, (3, 1.5))),
}
NUMBERS = dict(zip(WAYS, (3, 4), strict=True))  # the paper's, of its figures
SIZE = (8.0, 4.4)


def name_of(results: Results, way: str) -> str:
    """The file of a figure, without its ending."""
    return f"{results.paper}-{results.part}-figure-{NUMBERS[way]}-{way.replace(' ', '-')}"


def figures(results: Results, folder: Path, kind: str = "svg") -> list[Path]:
    """Draws both."""
    drawings: dict[str, Draw] = {}
    for way in WAYS:
        cells = {row["network"]: row for row in results.rows if row["way"] == way}
        drawings[name_of(results, way)] = partial(
            draw_curves, cells=cells, way=way, published=is_whole(results)
        )
    return save_figures(drawings, folder, dict.fromkeys(drawings, SIZE), kind)


def draw_curves(
    figure: Figure, cells: Mapping[str, Mapping[str, Any]], way: str, published: bool
) -> None:
    """The means over the trials, and the ends beside them if trials were the paper's."""
    axes, ends = figure.subplots(1, 2, sharey=True, width_ratios=(5, 1))
    for network, (colour, dashes) in LINES.items():
        curve = cells[network]["curve"]
        axes.plot(
            curve["games"], curve["mean"], color=colour, linestyle=dashes, linewidth=1.6,
            label=plain(network),
        )  # fmt: skip
    axes.set_xlim(0, max(curve["games"]))
    axes.set_ylim(0, 100 if way == BENCHMARK_TRAINING else None)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0f}%")
    axes.xaxis.set_major_formatter(short_number)
    axes.set_xlabel("training games")
    axes.set_ylabel("won against the benchmark player")
    _ends(ends, cells, way, published)
    figure.legend(loc="outside upper center", ncols=3, handlelength=3.6)


def _ends(axes: Axes, cells: Mapping[str, Mapping[str, Any]], way: str, published: bool) -> None:
    """Mean and deviation at the end: the paper's hollow on the left, ours full on the right."""
    for place, network in enumerate(TABLE_I):
        colour, shift = LINES[network][0], 0.14 * (place - 2)
        if published:
            stated = PUBLISHED[way][network][1]
            axes.errorbar(
                shift, stated.mean, stated.deviation, fmt="o", color=colour, markerfacecolor="white"
            )
        ours = cells[network][END]
        axes.errorbar(1 + shift, float(np.mean(ours)), spread(ours), fmt="o", color=colour)
    axes.set_xlim(-0.5, 1.5)
    axes.set_xticks([0, 1], ["paper", "ours"])
    axes.set_title("end", fontsize=10)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="x")
