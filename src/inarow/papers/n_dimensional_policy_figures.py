"""Figures 9 to 13 of the n-dimensional paper, and lines ahead, drawn from stored results."""

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
    VERMILION,
    Draw,
    save_figures,
    short_number,
)
from inarow.papers.n_dimensional_figures import CEILING, END_LINES
from inarow.papers.n_dimensional_policy import (
    BOARDS,
    CUBE,
    DESCRIBED,
    FOUR,
    LINE_TD,
    MOST_LINES,
    PLANE,
    SOUND,
    row_of,
)
from inarow.papers.n_dimensional_policy_claims import best_share
from inarow.papers.n_dimensional_policy_report import FIGURES, trained_on
from inarow.papers.results import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

VERSIONS = (DESCRIBED, SOUND)
YARDSTICK_LINES: dict[str, tuple[str, Any]] = {
    "random": (GREY, (0, (1, 3))),
    "advanced": (GREEN, (0, (1, 1))),
    MOST_LINES: (ORANGE, (0, (3, 1, 1, 1))),
    "greedy-lines": (PURPLE, (0, (4, 1.5))),
}
LEARNER_LINES: dict[str, tuple[str, Any]] = {
    DESCRIBED: (VERMILION, (0, (6, 2, 1, 2))),
    SOUND: (BLUE, "-"),
    LINE_TD: (BLACK, "-"),
}
SIZE = (9.0, 4.2)


def figure_name(number: int) -> str:
    """Of a figure's file, without the paper and the part."""
    board, opponent = FIGURES[number]
    return f"figure-{number}-{BOARDS[board]}-{opponent}"


def figures(results: Results, folder: Path, kind: str = "svg") -> list[Path]:
    """Draws those whose boards were run."""
    drawings: dict[str, Draw] = {
        figure_name(number): partial(draw_figure, results=results, number=number)
        for number, (board, _) in FIGURES.items()
        if row_of(results, board, SOUND) is not None
    }
    if all(row_of(results, board, LINE_TD) is not None for board in (CUBE, FOUR)):
        drawings["lines-ahead"] = partial(draw_lines, results=results)
    stem = f"{results.paper}-{results.part}"
    named = {f"{stem}-{name}": draw for name, draw in drawings.items()}
    return save_figures(named, folder, dict.fromkeys(named, SIZE), kind)


def draw_figure(figure: Figure, results: Results, number: int) -> None:
    """Shares of games over training: as described, and sound; yardsticks as level lines."""
    board, opponent = FIGURES[number]
    rows = {version: row_of(results, board, version) for version in VERSIONS}
    found = {version: row for version, row in rows.items() if row is not None}
    panels = figure.subplots(1, len(found), sharey=True, squeeze=False)[0]
    for axes, (version, row) in zip(panels, found.items(), strict=True):
        for end, (colour, dashes) in END_LINES.items():
            _curve(axes, row["games"], row["shares"][opponent][end], colour, dashes, end)
        for name, (colour, dashes) in YARDSTICK_LINES.items():
            won = yardstick(results, board, name, opponent)["won"]
            axes.axhline(won, color=colour, linestyle=dashes, linewidth=1.2, label=f"{name} wins")
        if board == PLANE:
            best = best_share(results).mean
            axes.axhline(best, color=BLACK, linestyle=CEILING, linewidth=1, label="most wins")
        axes.set_title(f"Figure {number}: {version}", loc="left", fontsize=10)
        _games_axis(axes, row["games"])
        axes.set_ylim(-3, 103)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0f}%")
        axes.spines["left"].set_bounds(0, 100)
    said = f"{BOARDS[board]}, trained on {trained_on(board)}: games against {opponent}"
    panels[0].set_ylabel(said, fontsize=9)
    _legend(figure, panels[0])


def draw_lines(figure: Figure, results: Results) -> None:
    """Lines ahead of advanced over training, of three learners and the yardsticks."""
    panels = figure.subplots(1, 2)
    for axes, board in zip(panels, (CUBE, FOUR), strict=True):
        longest: Sequence[int] = []
        for variant, (colour, dashes) in LEARNER_LINES.items():
            row = row_of(results, board, variant)
            if row is not None:
                _curve(axes, row["games"], row["lines"]["advanced"], colour, dashes, variant)
                longest = sorted({*longest, *row["games"]})
        for name, (colour, dashes) in YARDSTICK_LINES.items():
            ahead = yardstick(results, board, name, "advanced")["lines"]
            axes.axhline(ahead, color=colour, linestyle=dashes, linewidth=1.2, label=name)
        axes.axhline(0, color=GREY, linewidth=0.8)
        axes.set_title(BOARDS[board], loc="left", fontsize=10)
        _games_axis(axes, longest)
    panels[0].set_ylabel("lines ahead of advanced, a game")
    _legend(figure, panels[0])


def yardstick(results: Results, board: str, name: str, opponent: str) -> Mapping[str, Any]:
    """What a player that learned nothing does."""
    (found,) = (
        row
        for row in results.facts["yardsticks"]
        if (row["board"], row["player"], row["opponent"]) == (board, name, opponent)
    )
    return dict(found)


def _curve(
    axes: Axes, games: Sequence[int], points: Any, colour: str, dashes: Any, label: str
) -> None:
    mean, _, low, high = np.array(points).T
    axes.fill_between(games, low, high, color=colour, alpha=0.18, lw=0)
    axes.plot(games, mean, color=colour, linestyle=dashes, marker="o", ms=3, label=label)


def _games_axis(axes: Axes, games: Sequence[int]) -> None:
    axes.set_xscale("log")
    axes.set_xlim(games[0] / 1.1, games[-1] * 1.1)
    axes.xaxis.set_major_formatter(short_number)
    axes.xaxis.set_minor_formatter(lambda value, _: "")
    axes.set_xlabel("training games")


def _legend(figure: Figure, axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, handlelength=3.2)
