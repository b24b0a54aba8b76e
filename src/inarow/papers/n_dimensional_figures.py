"""The figures of the n-dimensional paper's SARSA study, drawn from stored results.

Figures 3 to 8 (shares of games over training episodes, the two seats side by side), the share of
runs that never lose, and the variants.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
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
from inarow.papers.n_dimensional_exact import OPPONENTS, PLAIN, REWARDS, SEATS
from inarow.papers.n_dimensional_report import FIGURES
from inarow.papers.n_dimensional_sarsa import (
    BASE,
    NEVER_LOSES,
    OPTIMAL,
    UNBEATABLE,
    VARIANT_EPISODES,
    VARIANTS,
)
from inarow.papers.results import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

END_LINES: dict[str, tuple[str, Any]] = {
    "won": (BLUE, "-"),
    "drawn": (GREY, (0, (5, 1.5))),
    "lost": (VERMILION, (0, (6, 2, 1, 2))),
}
CERTAIN_LINES: dict[str, tuple[str, Any]] = {
    NEVER_LOSES: (BLUE, "-"),
    UNBEATABLE: (ORANGE, (0, (5, 1.5))),
    OPTIMAL: (GREEN, (0, (6, 2, 1, 2))),
}
VARIANT_LINES: dict[str, tuple[str, Any]] = dict(
    zip(
        [variant.name for variant in VARIANTS],
        [
            (BLACK, "-"),
            (BLUE, (0, (5, 1.5))),
            (VERMILION, (0, (6, 2, 1, 2))),
            (PURPLE, (0, (2, 1))),
            (SKY, (0, (4, 1.5, 1, 1.5, 1, 1.5))),
        ],
        strict=True,
    )
)
CEILING, CEILING_SAID = (0, (1, 2)), "the same, if play is best by the paper's rewards"
PAIRS = ((3, 4), (5, 6), (7, 8))
SIZE = (9.0, 3.9)

Cells = Sequence[Mapping[str, Any]]


def pair_name(pair: tuple[int, int]) -> str:
    """Of the file with two of the paper's figures."""
    trainer, opponent, _ = FIGURES[pair[0]]
    return f"figures-{pair[0]}-{pair[1]}-{trainer}-{opponent}"


def figures(results: Results, folder: Path, kind: str = "svg") -> list[Path]:
    """Draws them all."""
    drawings: dict[str, Draw] = {
        pair_name(pair): partial(draw_pair, results=results, pair=pair) for pair in PAIRS
    }
    drawings["runs-that-never-lose"] = partial(draw_certain, results=results)
    drawings["variants"] = partial(draw_variants, results=results)
    stem = f"{results.paper}-{results.part}"
    named = {f"{stem}-{name}": draw for name, draw in drawings.items()}
    sizes = {**dict.fromkeys(named, SIZE), f"{stem}-runs-that-never-lose": (9.0, 5.6)}
    return save_figures(named, folder, sizes, kind)


def cells_of(results: Results, trainer: str, variant: str = BASE) -> list[Mapping[str, Any]]:
    """By the number of episodes."""
    found = [r for r in results.rows if (r["variant"], r["trainer"]) == (variant, trainer)]
    return sorted(found, key=lambda row: int(row["episodes"]))


def draw_pair(figure: Figure, results: Results, pair: tuple[int, int]) -> None:
    """Two of Figures 3 to 8: the agent as first, and as second."""
    panels = figure.subplots(1, 2, sharey=True)
    for axes, number in zip(panels, pair, strict=True):
        trainer, opponent, seat = FIGURES[number]
        cells = cells_of(results, trainer)
        episodes = [cell["episodes"] for cell in cells]
        for end, (colour, dashes) in END_LINES.items():
            metric = f"{end} as {seat} against {opponent}"
            mean, _, low, high = (
                100 * np.array(column)
                for column in zip(*(cell["shares"][metric] for cell in cells), strict=True)
            )
            axes.fill_between(episodes, low, high, color=colour, alpha=0.18, lw=0)
            axes.plot(episodes, mean, color=colour, linestyle=dashes, marker="o", ms=3, label=end)
            axes.axhline(
                100 * _ceiling(results, opponent, seat, end),
                color=colour, linewidth=1, linestyle=CEILING,
            )  # fmt: skip
        axes.set_title(f"Figure {number}: the agent plays {seat}", loc="left", fontsize=10)
        _episodes_axis(axes, episodes)
    panels[0].set_ylabel(f"of games against {FIGURES[pair[0]][1]}")
    panels[0].plot([], [], color=BLACK, linestyle=CEILING, linewidth=1, label=CEILING_SAID)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, handlelength=3.6)


def _ceiling(results: Results, opponent: str, seat: str, end: str) -> float:
    """The share of what the paper's rewards make best."""
    wanted = (PLAIN, opponent, seat, REWARDS)
    (found,) = (
        row[end]
        for row in results.facts["ceilings"]
        if (row["board"], row["opponent"], row["seat"], row["aim"]) == wanted
    )
    return float(Fraction(found))


def draw_certain(figure: Figure, results: Results) -> None:
    """Per cent of runs of which something is certain, by trainer and seat."""
    panels = figure.subplots(2, 2, sharey=True, sharex=True)
    for column, trainer in enumerate(OPPONENTS):
        cells = cells_of(results, trainer)
        for row, seat in enumerate(SEATS):
            axes = panels[row][column]
            for kind, (colour, dashes) in CERTAIN_LINES.items():
                _share_curve(axes, cells, kind, seat, kind, colour, dashes)
            axes.set_title(f"trained on {trainer}, as {seat}", loc="left", fontsize=10)
            _episodes_axis(axes, [cell["episodes"] for cell in cells])
            if row == 0:
                axes.set_xlabel("")
            if column == 0:
                axes.set_ylabel(f"of {cells[0]['runs']} runs")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3, handlelength=3.6)


def draw_variants(figure: Figure, results: Results) -> None:
    """Per cent of runs that never lose to their trainer as second, by variant."""
    panels = figure.subplots(1, 2, sharey=True)
    for axes, trainer in zip(panels, OPPONENTS, strict=True):
        for name, (colour, dashes) in VARIANT_LINES.items():
            cells = [
                cell
                for cell in cells_of(results, trainer, name)
                if cell["episodes"] in VARIANT_EPISODES
            ]
            if cells:
                _share_curve(axes, cells, NEVER_LOSES, "second", name, colour, dashes)
        axes.set_title(f"trained on {trainer}, never lose to it as second", loc="left", fontsize=10)
        _episodes_axis(axes, VARIANT_EPISODES)
    panels[0].set_ylabel(f"of {results.rows[0]['runs']} runs")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3, handlelength=3.6)


def _share_curve(
    axes: Axes, cells: Cells, kind: str, seat: str, label: str, colour: str, dashes: Any
) -> None:
    episodes = [cell["episodes"] for cell in cells]
    pairs = [(cell["certain"][kind][seat], cell["runs"]) for cell in cells]
    bounds = 100 * np.array([wilson(count, runs) for count, runs in pairs])
    axes.fill_between(episodes, bounds[:, 0], bounds[:, 1], color=colour, alpha=0.12, lw=0)
    axes.plot(
        episodes, [100 * count / runs for count, runs in pairs], color=colour, linestyle=dashes,
        linewidth=2.4 if dashes == "-" else 1.6, marker="o", ms=3, label=label,
    )  # fmt: skip


def _episodes_axis(axes: Axes, episodes: Sequence[int]) -> None:
    axes.set_xscale("log")
    axes.set_xlim(episodes[0] / 1.1, episodes[-1] * 1.1)
    axes.xaxis.set_major_formatter(short_number)
    axes.set_xlabel("training episodes")
    axes.set_ylim(-3, 103)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0f}%")
    axes.spines["left"].set_bounds(0, 100)
