"""The figures of the hybrid paper, drawn from stored results: Figures 3 to 14.

Curves of the losses in training (5 to 7, 10 to 12) and bars of the tests (8, 9, 13, 14) are here;
`hybrid_pictures` draws the boards of Figure 3 and the histograms of Figure 4.
"""

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
    PALE,
    SKY,
    VERMILION,
    Draw,
    plain_number,
    save_figures,
    short_number,
)
from inarow.papers.hybrid import ENDS, GAMES, HISTOGRAM_CELL, MOST_GAMES, STRATEGIES, WINDOW
from inarow.papers.hybrid_pictures import draw_boards, draw_histograms
from inarow.papers.results import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINES: dict[str, tuple[str, Any]] = {  # colour and dashes of each trainer
    "attack-defense": (BLUE, "-"),
    "random": (BLACK, ":"),
    "defense-attack": (SKY, (0, (5, 1.5))),
    "attack": (VERMILION, (0, (6, 2, 1, 2))),
    "defense": (ORANGE, (0, (3, 1.5))),
    "combined": (GREEN, (0, (4, 1.5, 1, 1.5, 1, 1.5))),
}
BARS = {"won": (BLUE, ""), "drawn": (PALE, "...."), "lost": (VERMILION, "////")}
ENDS_SAID = {"won": "won", "drawn": "tied", "lost": "lost"}

# The paper's number of each figure, for each game.
RATIO, ENLARGED, LOSSES = {0: 5, 1: 10}, {0: 6, 1: 11}, {0: 7, 1: 12}
AGAINST = {"random": {0: 8, 1: 13}, "expert": {0: 9, 1: 14}}
LOST_SHARE = f"games lost, of the last {WINDOW:,}"
FLOOR = 1e-5  # below which a mean over 100 runs is ten games: the axis ends there
FROM, TO = 100_000, 1_000_000  # what Figures 6 and 11 enlarge

Cells = Mapping[str, Mapping[str, Any]]  # what a game's runs gave, by trainer


def figures(results: Results, folder: Path, kind: str = "svg") -> list[Path]:
    """Draws all that the results hold, by the paper's number."""
    drawings, sizes = dict[int, tuple[str, Draw]](), dict[int, tuple[float, float]]()
    for place, game in enumerate(GAMES):
        cells = {row["strategy"]: row for row in results.rows if row["game"] == game}
        if not cells:
            continue
        drawings[RATIO[place]] = "loss-ratio", partial(draw_ratio, cells=cells)
        drawings[ENLARGED[place]] = "loss-ratio-enlarged", partial(draw_enlarged, cells=cells)
        drawings[LOSSES[place]] = "games-lost", partial(draw_losses, cells=cells)
        for player, numbers in AGAINST.items():
            draw = partial(draw_bars, cells=cells, player=player)
            drawings[numbers[place]] = f"against-{player}", draw
            sizes[numbers[place]] = (8.0, 2.9)
        if game == HISTOGRAM_CELL[0] and HISTOGRAM_CELL[1] in cells:
            row = cells[HISTOGRAM_CELL[1]]
            drawings[4] = "histograms", partial(draw_histograms, found=row["histograms"])
            sizes[4] = (8.0, 6.4)
    if "example_games" in results.facts:
        drawings[3] = "utilities", partial(draw_boards, games=results.facts["example_games"])
        sizes[3] = (8.0, 6.1)
    names = {n: f"{results.paper}-{results.part}-figure-{n}-{drawings[n][0]}" for n in drawings}
    ordered = sorted(drawings)
    return save_figures(
        {names[n]: drawings[n][1] for n in ordered},
        folder,
        {names[n]: sizes[n] for n in sizes},
        kind,
    )


def draw_ratio(figure: Figure, cells: Cells) -> None:
    """Figures 5 and 10: the share of games lost, in a window of 10,000, on logarithmic axes."""
    axes = figure.subplots()
    _curves(axes, cells, "ratio", 100, TO)
    axes.set_yscale("log", nonpositive="clip")
    axes.set_ylim(FLOOR, 1)
    axes.yaxis.set_major_formatter(_percent)
    axes.set_xscale("log")
    axes.set_ylabel(LOST_SHARE)
    axes.axvline(WINDOW, color=GREY, linewidth=0.8)
    axes.annotate(
        "before: of all games so far", (WINDOW, 0), xycoords=("data", "axes fraction"),
        xytext=(-5, 6), textcoords="offset points", ha="right", color=GREY, fontsize=9,
    )  # fmt: skip
    _games_axis(figure, axes, 100, TO)


def draw_enlarged(figure: Figure, cells: Cells) -> None:
    """Figures 6 and 11: the same after 100,000 games."""
    axes = figure.subplots()
    _curves(axes, cells, "ratio", FROM, TO)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(_percent)
    axes.set_ylabel(LOST_SHARE)
    _games_axis(figure, axes, FROM, TO)


def draw_losses(figure: Figure, cells: Cells) -> None:
    """Figures 7 and 12: games lost so far."""
    from matplotlib.ticker import LogLocator

    axes = figure.subplots()
    _curves(axes, cells, "lost", 100, MOST_GAMES)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 3)))
    axes.yaxis.set_major_formatter(plain_number)
    axes.set_ylabel("games lost so far")
    _games_axis(figure, axes, 100, MOST_GAMES)


def _curves(axes: Axes, cells: Cells, what: str, start: int, end: int) -> None:
    for strategy in STRATEGIES:
        if strategy not in cells:
            continue
        found = cells[strategy]["curve"]
        games, heights = np.array(found["games"]), np.array(found[what])
        shown = (games >= start) & (games <= end)
        colour, dashes = LINES[strategy]
        axes.plot(
            games[shown], heights[shown], color=colour, linestyle=dashes, linewidth=1.6,
            label=strategy,
        )  # fmt: skip


def _games_axis(figure: Figure, axes: Axes, start: int, end: int) -> None:
    axes.set_xlim(start, end)
    axes.xaxis.set_major_formatter(short_number)
    axes.set_xlabel("training games")
    figure.legend(loc="outside right center", handlelength=3.6, title="trainer")


def _percent(value: float, _: Any = None) -> str:
    return f"{100 * value:.6g}%"


def draw_bars(figure: Figure, cells: Cells, player: str) -> None:
    """Figures 8, 9, 13, 14: how the games of a test end, by trainer."""
    axes = figure.subplots()
    shown = [strategy for strategy in STRATEGIES if strategy in cells]
    shares = {strategy: end_shares(cells[strategy]["finals"], player) for strategy in shown}
    left = np.zeros(len(shown))
    for place, (end, (colour, hatch)) in enumerate(BARS.items()):
        widths = np.array([100 * shares[strategy][place] for strategy in shown])
        axes.barh(
            shown, widths, left=left, color=colour, hatch=hatch, edgecolor="white", height=0.72,
            label=ENDS_SAID[end],
        )  # fmt: skip
        left += widths
    for row, strategy in enumerate(shown):
        _write_shares(axes, row, shares[strategy])
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0f}%")
    axes.grid(visible=False)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    figure.legend(loc="outside upper center", ncols=3, handleheight=1.2)


def end_shares(finals: Mapping[str, Sequence[float]], player: str) -> list[float]:
    """Of a test's games over all runs: won, drawn, lost."""
    counts = np.array([np.sum(finals[f"{end} against {player}"]) for end in ENDS])
    return [float(share) for share in counts / counts.sum()]


def _write_shares(axes: Axes, row: int, shares: Sequence[float]) -> None:
    """The shares in the bar where there is room, and the lost ones beside it."""
    left = 0.0
    for share, colour in zip(shares[:2], ("white", "black"), strict=True):
        if share > 0.1:
            axes.text(
                100 * (left + share / 2), row, share_text(share), color=colour, ha="center",
                va="center", fontsize=9,
                bbox=None if colour == "white" else {"facecolor": PALE, "pad": 1.5, "lw": 0},
            )  # fmt: skip
        left += share
    axes.annotate(
        f"{share_text(shares[2])} lost", (1, row), xycoords=("axes fraction", "data"),
        xytext=(5, 0), textcoords="offset points", va="center", fontsize=9, color=BLACK,
    )  # fmt: skip


def share_text(share: float) -> str:
    """As per cent, with as many digits as a small one needs; nothing lost is a plain 0."""
    percent = 100 * share
    if percent in (0, 100):
        return f"{percent:.0f}%"
    return f"{percent:.1f}%" if percent >= 1 else f"{percent:.2g}%"
