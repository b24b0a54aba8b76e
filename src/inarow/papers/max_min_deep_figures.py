"""The figures of the max-min document's deep player, drawn from stored results."""

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
    ORANGE,
    VERMILION,
    Draw,
    save_figures,
    short_number,
)
from inarow.lab.statistics import Z95, wilson
from inarow.papers.max_min import SEATS
from inarow.papers.max_min_deep import GAMES, OPPONENT, VARIANTS, figure_name
from inarow.papers.results import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LOOKS: tuple[tuple[str, Any], ...] = (
    (BLUE, "-"),
    (VERMILION, (0, (5, 1.5))),
    (GREEN, (0, (6, 2, 1, 2))),
    (ORANGE, "-"),
    (BLACK, (0, (5, 1.5))),
)
LINES: dict[str, tuple[str, Any]] = {
    variant.name: look for variant, look in zip(VARIANTS, LOOKS, strict=True)
}
HEIGHTS = {
    "tictactoe": "runs that are proven unbeatable",
    "connect4:6x7": f"games won against {OPPONENT}",
}

Cells = Sequence[Mapping[str, Any]]


def figures(results: Results, folder: Path, kind: str = "svg") -> list[Path]:
    """A figure for each game that was run."""
    drawings = dict[str, Draw]()
    for game in GAMES:
        cells = [row for row in results.rows if row["game"] == game]
        if cells:
            drawings[figure_name(results, game)] = partial(draw_seats, game=game, cells=cells)
    return save_figures(drawings, folder, dict.fromkeys(drawings, (9.0, 4.0)), kind)


def draw_seats(figure: Figure, game: str, cells: Cells) -> None:
    """Per cent over the training games, as first and as second; the bands are 95% intervals."""
    panels = figure.subplots(1, len(SEATS), sharey=True)
    last = max(cell["games"][-1] for cell in cells)
    for axes, seat in zip(panels, SEATS, strict=True):
        for cell in cells:
            _curve(axes, cell, seat)
        axes.set_title(f"as {seat}", loc="left", fontsize=10)
        axes.set_xlim(0, 1.02 * last)
        axes.xaxis.set_major_formatter(short_number)
        axes.set_xlabel("training games")
        axes.set_ylim(-3, 103)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0f}%")
        axes.spines["left"].set_bounds(0, 100)
    panels[0].set_ylabel(f"{HEIGHTS[game]}, {cells[0]['runs']} runs", fontsize=9)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3, handlelength=3.6)


def _curve(axes: Axes, cell: Mapping[str, Any], seat: str) -> None:
    colour, dashes = LINES[cell["variant"]]
    games, runs = cell["games"], cell["runs"]
    if "unbeatable" in cell:
        counts = np.array(cell["unbeatable"][seat])
        mean = 100 * counts / runs
        low, high = 100 * np.array([wilson(count, runs) for count in counts]).T
    else:
        mean, spread = np.array(cell["won"][seat]), np.array(cell["spread"][seat])
        low, high = (mean + sign * Z95 * spread / runs**0.5 for sign in (-1, 1))
    axes.fill_between(games, low, high, color=colour, alpha=0.15, lw=0)
    axes.plot(
        games, mean, color=colour, linestyle=dashes, marker="o", ms=2.5, label=cell["variant"]
    )
