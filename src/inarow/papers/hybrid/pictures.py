"""Figures that only the hybrid paper has: boards (3), histograms (4), bars (8, 9, 13, 14)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from inarow.lab.plot_style import BLACK, BLUE, GREY, PALE, VERMILION
from inarow.lab.statistics import Floats, summary
from inarow.papers.measures import Data
from inarow.papers.plots import Figure
from inarow.papers.results import Stored

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

SIDE = 3
BARS = (("won", BLUE, ""), ("drawn", PALE, "...."), ("lost", VERMILION, "////"))
WHERE = {"corner": "in a corner", "edge": "on an edge", "centre": "in the centre"}
Shade = Callable[[float], tuple[float, float, float, float]]  # of a utility
STONES = {1: ("o", VERMILION), 2: ("x", BLUE)}  # the opponent's and the agent's, as in the paper


def draw_boards(figure: Canvas, games: Stored) -> None:
    """Figure 3: the boards at each decision in three games, with the utility of every move."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    shades = LinearSegmentedColormap.from_list("utilities", ["#F0B18A", "#F7F7F7", "#8CC0E0"])
    scale = Normalize(-1, 1)
    shown = games["games"]
    grid = figure.subplots(len(shown), max(len(game["boards"]) for game in shown.values()))
    for line, (name, game) in zip(np.atleast_2d(grid), shown.items(), strict=True):
        for place, axes in enumerate(line):
            if place >= len(game["boards"]):
                axes.set_visible(False)
                continue
            _board(axes, game["boards"][place], lambda value: shades(scale(value)))
            axes.set_title(f"move {2 * place + 2}", fontsize=9, color=GREY, pad=3)
        line[0].set_ylabel(f"opened {WHERE.get(name, name)}")
    names = {-1.0: "-1 lost", 0.0: "0", 0.2: "0.2 tied", 1.0: "1 won"}
    figure.colorbar(
        ScalarMappable(scale, shades), ax=grid, label="utility",
        ticks=list(names), format=lambda value, _: names[round(value, 1)], shrink=0.6, aspect=30,
    )  # fmt: skip
    figure.supxlabel(
        "O: opponent (moves first); X: agent; frame: the agent's next move", fontsize=9
    )


def _board(axes: Axes, board: Stored, shade: Shade) -> None:
    """Stones, utilities in the empty cells, and a frame around the cell that the agent takes."""
    from matplotlib.patches import Rectangle

    axes.set(
        xlim=(-0.03, SIDE + 0.03), ylim=(SIDE + 0.03, -0.03), xticks=[], yticks=[], aspect="equal"
    )
    for spine in axes.spines.values():
        spine.set_visible(False)
    for cell, (stone, utility) in enumerate(zip(board["stones"], board["utilities"], strict=True)):
        row, column = divmod(cell, SIDE)
        colour = "white" if utility is None else shade(utility)
        axes.add_patch(
            Rectangle((column, row), 1, 1, facecolor=colour, edgecolor=GREY, linewidth=0.8)
        )
        if utility is None:
            mark, paint = STONES[stone]
            axes.plot(
                column + 0.5, row + 0.5, mark, color=paint, markersize=15, markeredgewidth=2.6,
                fillstyle="none",
            )  # fmt: skip
        else:
            weight = "bold" if cell == board["move"] else "normal"
            axes.text(
                column + 0.5, row + 0.52, f"{utility:.2f}".replace("-0.00", "0.00"), ha="center",
                va="center", fontsize=8.5, fontweight=weight, color=BLACK,
            )  # fmt: skip
    row, column = divmod(board["move"], SIDE)
    axes.add_patch(
        Rectangle(
            (column + 0.04, row + 0.04), 0.92, 0.92, facecolor="none", edgecolor=BLUE,
            linewidth=2.2,
        )
    )  # fmt: skip


def draw_histograms(figure: Canvas, found: Mapping[str, Sequence[float]], window: int) -> None:
    """Figure 4: the distribution of the loss ratio over runs, with its mean."""
    grid = figure.subplots(3, 3, squeeze=False)
    for axes in grid.flat:
        axes.set_visible(False)
    for axes, (games, ratios) in zip(grid.flat, found.items(), strict=False):
        axes.set_visible(True)
        _histogram(axes, int(games), np.array(ratios))
    for axes in grid[:, 0]:
        axes.set_ylabel("runs")
    figure.supxlabel(f"games lost, of all so far or of the last {window:,}", fontsize=10)


def _histogram(axes: Axes, games: int, ratios: Floats) -> None:
    from matplotlib.ticker import MaxNLocator

    percents, mean = 100 * ratios, summary(100 * ratios)
    least, most = float(percents.min()), float(percents.max())
    alike = least == most
    bars = 1 if alike else round(2.6 * len(percents) ** (1 / 3))
    edges = np.linspace(least, least + 0.1 if alike else most, bars + 1).tolist()
    axes.hist(percents, bins=edges, color=PALE, edgecolor=GREY, linewidth=0.7)
    axes.axvspan(mean.low, mean.high, color=BLUE, alpha=0.25, linewidth=0)
    axes.axvline(mean.mean, color=BLUE, linewidth=1.4)
    if alike:
        axes.set_xlim(least - 0.05, least + 1.05)
    axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:.6g}%")
    digits = 1 if mean.mean >= 10 else 2
    text = f"{mean.mean:.{digits}f}% ({mean.low:.{digits}f}-{mean.high:.{digits}f})"
    axes.set_title(f"{games:,} games", loc="left", fontsize=9, fontweight="bold")
    axes.set_title(f"{least:g}%" if alike else text, loc="right", fontsize=7.5, color=BLUE)


def draw_bars(figure: Canvas, finals: Stored, shown: Sequence[str], player: str) -> None:
    """Figures 8, 9, 13, 14: how the games of a test end, by trainer."""
    axes = figure.subplots()
    shares = {trainer: end_shares(finals[trainer], player) for trainer in shown}
    left = np.zeros(len(shown))
    for place, (end, colour, hatch) in enumerate(BARS):
        widths = np.array([100 * shares[trainer][place] for trainer in shown])
        axes.barh(
            shown, widths, left=left, color=colour, hatch=hatch, edgecolor="white", height=0.72,
            label=end,
        )  # fmt: skip
        left += widths
    for row, trainer in enumerate(shown):
        _write_shares(axes, row, shares[trainer])
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0f}%")
    axes.grid(visible=False)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    figure.legend(loc="outside upper center", ncols=3, handleheight=1.2)


def end_shares(finals: Mapping[str, Sequence[float]], player: str) -> list[float]:
    """Of a test's games over all runs: won, drawn, lost."""
    counts = np.array(
        [np.sum(finals[f"{end} against {player}"]) for end in ("won", "drawn", "lost")]
    )
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


# As figures of the page


def mark_windows(axes: Axes) -> None:
    """Where the window of a panel becomes full: until then the ratio is of all games so far."""
    window = int(axes.get_title(loc="left").split()[-2].replace(",", ""))
    axes.axvspan(axes.get_xlim()[0], window, color=PALE, alpha=0.5, lw=0, zorder=0)
    axes.annotate(
        "all games so far", (window, 0), xycoords=("data", "axes fraction"), xytext=(-4, 6),
        textcoords="offset points", ha="right", color=GREY, fontsize=9,
    )  # fmt: skip


def with_zero(axes: Axes) -> None:
    """A logarithmic axis that goes on to zero."""
    top = 1.15 * axes.dataLim.y1 if axes.lines else 1e-2  # a short run has no points here
    axes.set_yscale("symlog", linthresh=1e-3, linscale=0.6)
    axes.set_ylim(-2e-5, top)
    ticks = [tick for tick in (0, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2) if tick <= top]
    axes.set_yticks(ticks, [f"{100 * tick:.6g}%" for tick in ticks])
    axes.minorticks_off()


def small_pictures(game: str, trainer: str, window: int) -> list[Figure]:
    """Figure 3, the boards, and Figure 4, the histograms."""

    def histograms(data: Data) -> dict[str, list[float]]:
        row = data.row(game=game, trainer=trainer) or {}
        found: dict[str, list[float]] = row.get("histograms", {})
        return found

    return [
        Figure(
            "figure-3-utilities",
            "Figure 3. Learned utilities in three games",
            lambda canvas, data: draw_boards(canvas, data.fact("example_games")),
            lambda data: data.fact("example_games") is not None,
            (8.0, 6.1),
        ),
        Figure(
            "figure-4-histograms",
            "Figure 4. Distribution of the loss ratio over runs by training games, attack-defense",
            lambda canvas, data: draw_histograms(canvas, histograms(data), window),
            lambda data: bool(histograms(data)),
            (8.0, 6.4),
        ),
    ]


def bars(game: str, number: int, trainers: Sequence[str]) -> list[Figure]:
    """How the games of the two tests end, by trainer."""

    def draw(canvas: Canvas, data: Data, player: str) -> None:
        finals = {row["trainer"]: row["finals"] for row in data.rows(game=game)}
        draw_bars(canvas, finals, [t for t in trainers if t in finals], player)

    captions = {
        "random": "A million test games against the random player",
        "expert": "Test games against the expert",
    }
    return [
        Figure(
            f"figure-{place}-against-{player}",
            f"Figure {place}. {caption}",
            partial(draw, player=player),
            lambda data: bool(data.rows(game=game)),
            (8.0, 2.9),
        )
        for place, (player, caption) in enumerate(captions.items(), start=number)
    ]
