"""The figures of the max-min study, drawn from stored results: shares of runs over the games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from inarow.lab.look import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    VERMILION,
    Draw,
    save_figures,
    short_number,
)
from inarow.lab.statistics import wilson
from inarow.papers.max_min import GAMES
from inarow.papers.max_min_report import FEW_RUNS
from inarow.papers.results import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINES: dict[str, tuple[str, Any]] = {  # colour and dashes of each variant
    "Q": (BLUE, "-"),
    "Q, remark as printed": (BLACK, ":"),
    "Q, skip": (SKY, (0, (5, 1.5))),
    "Q, skip, symmetric": (GREY, (0, (2, 1))),
    "Q, minimax, symmetric": (GREEN, (0, (6, 2, 1, 2))),
    "TD(0.5)": (VERMILION, "-"),
    "TD(0.5), cut, symmetric": (ORANGE, (0, (5, 1.5))),
    "TD(0.5), cut, symmetric, 0.3": (PURPLE, (0, (6, 2, 1, 2))),
}
PANELS = {"both": "unbeatable in both seats", "perfect": "value-perfect in both seats"}

Cells = Sequence[Mapping[str, Any]]


def figures(results: Results, folder: Path, kind: str = "svg") -> list[Path]:
    """A figure for each game that was run."""
    drawings, sizes = dict[str, Draw](), dict[str, tuple[float, float]]()
    for game in GAMES:
        cells = [row for row in results.rows if row["game"] == game]
        if cells:
            name = f"{results.paper}-{results.part}-{game.replace(':', '-')}"
            drawings[name] = partial(draw_shares, cells=cells)
            sizes[name] = (9.0, 4.2)
    return save_figures(drawings, folder, sizes, kind)


def draw_shares(figure: Figure, cells: Cells) -> None:
    """Per cent of runs over the games, with Wilson's intervals as bands where runs are many."""
    panels = figure.subplots(1, len(PANELS), sharey=True)
    for axes, (what, title) in zip(panels, PANELS.items(), strict=True):
        for cell in cells:
            _curve(axes, cell, what)
        axes.set_title(title, loc="left", fontsize=10)
        axes.set_xscale("log")
        axes.set_xlim(cells[0]["games"][0], 1.05 * cells[0]["games"][-1])
        axes.xaxis.set_major_formatter(short_number)
        axes.set_xlabel("training games")
        axes.set_ylim(-3, 103)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0f}%")
        axes.spines["left"].set_bounds(0, 100)
    panels[0].set_ylabel(f"of {cells[0]['runs']} runs")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3, handlelength=3.6)


def _curve(axes: Axes, cell: Mapping[str, Any], what: str) -> None:
    colour, dashes = LINES.get(cell["variant"], (GREY, "-"))
    counts, runs = np.array(cell["unbeatable"][what]), cell["runs"]
    if runs >= FEW_RUNS:  # else the bands would hide all else
        bounds = 100 * np.array([wilson(count, runs) for count in counts])
        axes.fill_between(cell["games"], bounds[:, 0], bounds[:, 1], color=colour, alpha=0.12, lw=0)
    axes.plot(
        cell["games"], 100 * counts / runs, color=colour, linestyle=dashes, linewidth=1.7,
        label=cell["variant"],
    )  # fmt: skip
