"""The figures of the hybrid paper: in files, and as they stand in a report."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup, escape

from inarow.lab.plots.plot import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PALE,
    SKY,
    VERMILION,
    plain_number,
)
from inarow.lab.statistics import Floats, summary
from inarow.papers.claims import Column
from inarow.papers.drawing import Scale, axis, class_of, linear, logarithmic, mark, percent_text
from inarow.papers.figures import (
    CurvePoint,
    Curves,
    Figure,
    Line,
    Note,
    Panel,
    Style,
    always,
    averaged,
    board,
    no_notes,
)
from inarow.papers.hybrid import exact
from inarow.papers.hybrid.claims import (
    EXPERT_COLUMN,
    LOST_COLUMN,
    SHORT_WINDOW,
    crossing_of,
    means_of,
)
from inarow.papers.hybrid.study import (
    BEST,
    CONNECT4,
    MAX_GAMES,
    TICTACTOE,
    TRAINERS,
    WINDOW,
)
from inarow.papers.measures import Data, ResultRow, from_values
from inarow.papers.verdicts import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

# Figures of this paper alone: boards (3), histograms (4), bars (8, 9, 13, 14)

SIDE = 3
BARS = (("won", BLUE, ""), ("drawn", PALE, "...."), ("lost", VERMILION, "////"))
WHERE = {"corner": "in a corner", "edge": "on an edge", "centre": "in the centre"}
Shade = Callable[[float], tuple[float, float, float, float]]  # of a utility
STONES = {1: ("o", VERMILION), 2: ("x", BLUE)}  # the opponent's and the agent's, as in the paper


def draw_boards(figure: Canvas, games: ResultRow) -> None:
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


def _board(axes: Axes, board: ResultRow, shade: Shade) -> None:
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


def draw_bars(figure: Canvas, finals: ResultRow, shown: Sequence[str], player: str) -> None:
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
                100 * (left + share / 2), row, percent_text(100 * share), color=colour, ha="center",
                va="center", fontsize=9,
                bbox=None if colour == "white" else {"facecolor": PALE, "pad": 1.5, "lw": 0},
            )  # fmt: skip
        left += share
    axes.annotate(
        f"{percent_text(100 * shares[2])} lost", (1, row), xycoords=("axes fraction", "data"),
        xytext=(5, 0), textcoords="offset points", va="center", fontsize=9, color=BLACK,
    )  # fmt: skip


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
            html=boards_html,
        ),
        Figure(
            "figure-4-histograms",
            "Figure 4. Distribution of the loss ratio over runs by training games, attack-defense",
            lambda canvas, data: draw_histograms(canvas, histograms(data), window),
            lambda data: bool(histograms(data)),
            (8.0, 6.4),
            html=lambda data: histograms_html(histograms(data), window),
        ),
    ]


TESTED = {"random": LOST_COLUMN, "expert": EXPERT_COLUMN}


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
            html=partial(
                ends_html, game=game, player=player, column=TESTED[player], trainers=trainers
            ),
        )
        for place, (player, caption) in enumerate(captions.items(), start=number)
    ]


# Curves


def short_ratio(row: ResultRow) -> list[CurvePoint]:
    """Return the share of games lost in the last 1,000.

    Before, it is that of all games so far; where losses were counted less often (from 100,000
    games on), that since the last count.
    """
    games, lost = np.array(row["curve"]["games"]), means_of(row["curve"]["lost"])
    before = np.searchsorted(games, games - SHORT_WINDOW, side="right") - 1
    before = np.minimum(before, np.arange(len(games)) - 1)
    games_before = np.where(before >= 0, games[before], 0)
    lost_before = np.where(before >= 0, lost[before], 0.0)
    return [float(share) for share in (lost - lost_before) / (games - games_before)]


STYLES: dict[str, Style] = {
    "attack-defense": (BLUE, "-"),
    "random": (BLACK, ":"),
    "defense-attack": (SKY, (0, (5, 1.5))),
    "attack": (VERMILION, (0, (6, 2, 1, 2))),
    "defense": (ORANGE, (0, (3, 1.5))),
    "combined": (GREEN, (0, (4, 1.5, 1, 1.5, 1, 1.5))),
}


Heights = Callable[[ResultRow], Sequence[CurvePoint]]


def crossings(data: Data, game: str, window: int) -> list[Note]:
    """Where attack-defense falls below random: as the text says it, and in our runs."""
    ours = crossing_of(data, game, window)
    notes = [Note(2_000, "the text: 2,000", left=True)] if game == TICTACTOE else []
    return notes if ours is None else [*notes, Note(ours, f"ours: {ours:,}")]


def panel(game: str, title: str, heights: Heights, window: int = 0) -> Panel:
    """A line for each trainer."""
    lines = (
        Line(trainer, averaged(heights, "curve.games", game=game, trainer=trainer), STYLES[trainer])
        for trainer in TRAINERS
    )
    notes = partial(crossings, game=game, window=window) if window else no_notes
    return Panel(title, tuple(lines), notes=notes)


def curves(game: str, what: str, ylabel: str, xlim: tuple[int, int]) -> Curves:
    """One panel of them."""
    return Curves(
        (panel(game, "", lambda row: row["curve"][what]),), ylabel, xlim=xlim, beside=True
    )


def ratios(game: str) -> Curves:
    """In the published window, and in a shorter one, which has no step where it becomes full."""
    panels = (
        panel(game, f"of the last {WINDOW:,} games", lambda row: row["curve"]["ratio"], WINDOW),
        panel(game, f"of the last {SHORT_WINDOW:,} games", short_ratio, SHORT_WINDOW),
    )
    return Curves(
        panels, "games lost", xlim=(100, 1_000_000), log_y=True, ylim=(1e-5, 1), ytext=percent,
        finish=mark_windows,
    )  # fmt: skip


def percent(share: float, _: object = None) -> str:
    """For an axis of shares."""
    return f"{100 * share:.6g}%"


BOARDS = tuple(
    Figure(
        f"figure-{number}-board",
        f"Figure {number}. A finished game of {what}, won by the first player; the game is ours",
        board(game, moves),
        always,
        (2.6, 2.6),
    )
    for number, what, game, moves in (
        (1, "tic-tac-toe", TICTACTOE, "22 12 11 33 31 21 13"),
        (2, "Connect-4 on 4x4", CONNECT4, "1 2 2 3 3 4 3 4 4 1 4"),
    )
)


def figures() -> tuple[Figure, ...]:
    """Figures 1 to 14."""
    lost = f"games lost, of the last {WINDOW:,}"
    made = [*BOARDS, *small_pictures(TICTACTOE, BEST, WINDOW)]
    for game, first in ((TICTACTOE, 5), (CONNECT4, 10)):
        drawn = (
            ("loss-ratio", "Share of games lost in training, in two window sizes", ratios(game)),
            ("loss-ratio-enlarged", "The same after 100,000 games, below 0.1% on a linear scale",
             replace(curves(game, "ratio", lost, (100_000, 1_000_000)), log_x=False,
                     ytext=percent, finish=with_zero)),
            ("games-lost", "Games lost so far",
             replace(curves(game, "lost", "games lost so far", (100, MAX_GAMES)), log_y=True,
                     ytext=plain_number)),
        )  # fmt: skip
        made += [
            Figure(
                f"figure-{number}-{name}",
                f"Figure {number}. {caption}",
                draw,
                draw.has,
                (9.0, 4.6) if len(draw.panels) > 1 else (8.0, 4.0),
            )
            for number, (name, caption, draw) in enumerate(drawn, start=first)
        ]
        made += bars(game, first + 3, TRAINERS)
    return tuple(made)


# In a report


# Figure 3


def boards_html(data: Data) -> str:
    """Draw the boards of three games with the utility of every move."""
    example = data.fact("example_games")
    games = Markup("").join(_game_html(name, game) for name, game in example["games"].items())
    return Markup(
        '<div class="games">{}</div>'
        '<p class="key">Shaded: blue for a utility above 0, orange below. Framed: the move that '
        "the agent (X) makes. Corner mark: a move that loses against perfect play. Trained by "
        "attack-defense for {} games, seed {}. Utilities near zero belong to moves that are no "
        "longer tried; they are not estimates.</p>"
    ).format(games, f"{example['training_games']:,}", example["seed"])


def _game_html(opening: str, game: ResultRow) -> Markup:
    head = f"Opponent (O) opens {WHERE.get(opening, opening)}; {game['outcome']}"
    drawn = Markup("").join(map(_board_svg, game["boards"]))
    return Markup('<div class="game"><p>{}</p><div class="boards">{}</div></div>').format(
        head, drawn
    )


def _board_svg(shown: ResultRow) -> Markup:
    parts, said, losing = list[str](), list[str](), exact.losing_moves(shown["stones"])
    for cell, (stone, utility) in enumerate(zip(shown["stones"], shown["utilities"], strict=True)):
        x, y = cell % 3 * 40, cell // 3 * 40
        if utility is None:
            parts.append(
                f'<path class="x" d="M{x + 11},{y + 11} l18,18 m0,-18 l-18,18"/>'
                if stone == 2
                else f'<circle class="o" cx="{x + 20}" cy="{y + 20}" r="10"/>'
            )
            continue
        shade, opacity = ("pos" if utility > 0 else "neg"), min(1.0, abs(utility) * 1.1)
        text = f"{utility:.2f}".replace("-0.00", "0.00")
        parts.append(
            f'<rect class="{shade}" x="{x}" y="{y}" width="40" height="40" '
            f'fill-opacity="{opacity:.2f}"/><text x="{x + 20}" y="{y + 24}">{text}</text>'
        )
        if cell in losing:
            parts.append(f'<path class="loses" d="M{x + 40},{y} h-11 l11,11z"/>')
        said.append(text + (" loses" if cell in losing else ""))
    move = shown["move"]
    label = f"Utilities {', '.join(said)}; the agent takes cell {move + 1}"
    return Markup(
        f'<svg class="board" viewBox="-2 -2 124 124" role="img" aria-label="{escape(label)}">'
        f'{"".join(parts)}<path class="lines" d="M40,0 v120 M80,0 v120 M0,40 h120 M0,80 h120"/>'
        f'<rect class="next" x="{move % 3 * 40 + 2}" y="{move // 3 * 40 + 2}" width="36" '
        'height="36"/></svg>'
    )


# Figure 4


def histograms_html(found: ResultRow, window: int) -> str:
    """Draw the distribution of the loss ratio over runs, after some numbers of games."""
    drawn = Markup("").join(
        _histogram_html(int(games), ratios, window) for games, ratios in found.items()
    )
    return Markup(
        '<div class="nine">{}</div><p class="key">Bars count runs; the dot is the mean, with its '
        "95% interval. Games lost are a share of all so far, or of the last {}.</p>"
    ).format(drawn, f"{window:,}")


def _histogram_html(games: int, ratios: Sequence[float], window: int) -> Markup:
    percent = 100 * np.array(ratios)
    low, high = float(percent.min()), float(percent.max())
    step = 100 / min(games, window)  # what a lost game adds; a bar is a whole number of them wide
    wide = step * max(1, math.ceil((high - low) / step / 18))
    start, count = low - step / 2, max(1, math.ceil((high - low + step) / wide - 1e-9))
    counts, _ = np.histogram(percent, bins=count, range=(start, start + count * wide))
    each, most = 100 / count, counts.max()
    bars = "".join(
        f'<rect x="{each * n + 0.08 * each:.2f}%" width="{0.84 * each:.2f}%" '
        f'y="{72 - 64 * number / most:.1f}" height="{64 * number / most:.1f}"/>'
        for n, number in enumerate(counts)
        if number
    )
    mean = summary(percent)
    least, greatest = max(mean.low, 0.0), min(mean.high, 100.0)  # a share leaves no 0 to 100%
    place = linear(start, start + count * wide)
    digits = 1 if mean.mean >= 1 else 2 if mean.mean >= 0.01 else 4
    at, left, right = place(mean.mean), place(least), place(greatest)
    one_run = len(percent) < 2
    interval = "one run" if one_run else f"{least:.{digits}f} to {greatest:.{digits}f}"
    zero = int((percent == 0).sum())
    return Markup(
        '<div role="img" aria-label="After {games} games: mean {mean}%, {interval}; {zero} of '
        '{runs} runs at 0"><p><b>{games}</b> games <span>{mean}%</span></p>'
        '<svg class="hist" width="100%" height="92" aria-hidden="true">{bars}'
        '<line class="base" x1="0" x2="100%" y1="72.5" y2="72.5"/>{bar}'
        '<circle cx="{at}%" cy="79" r="3.2"/><text x="0" y="91">{low}%</text>'
        '<text x="100%" y="91" text-anchor="end">{high}%</text></svg>'
        '<p class="small">{interval}{none}</p></div>'
    ).format(
        games=f"{games:,}", mean=f"{mean.mean:.{digits}f}", interval=interval, zero=zero,
        runs=len(percent), bars=Markup(bars), at=f"{at:.1f}", low=f"{low:.3g}", high=f"{high:.3g}",
        bar=Markup("" if one_run else
                   f'<line class="i" x1="{left:.1f}%" x2="{right:.1f}%" y1="79" y2="79"/>'),
        none=f", {zero} runs at 0" if zero else "",
    )  # fmt: skip


# Figures 8, 9, 13, 14: how the games of a test end


def ends_html(data: Data, game: str, player: str, column: Column, trainers: Sequence[str]) -> str:
    """Return a table of how a test's games end, lost games drawn on a logarithmic scale."""
    rows: dict[str, Row] = {
        row.labels["trainer"]: row
        for row in column.rows(data)
        if row.labels.get("game") == game and "trainer" in row.labels
    }
    found = {row["trainer"]: row["finals"] for row in data.rows(game=game)}
    shown = [trainer for trainer in trainers if trainer in found]
    games = sum(found[shown[0]][f"{end} against {player}"][0] for end in ("won", "drawn", "lost"))
    factor = 100 / games  # from games of a run to per cent
    known = [
        factor * value
        for trainer in shown
        for value in (rows[trainer].published, rows[trainer].judged.ours)
        if value
    ]
    low, high = min([*known, 1.0]) / 2, max([*known, 1.0]) * 2
    powers = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
    scale = Scale(logarithmic(low, high, 10), (0.0, *(10.0**power for power in powers)))
    lines = Markup("").join(
        Markup(
            '<tr class="{cls}"><th scope="row">{trainer}</th>'
            '<td class="num" data-l="won">{won}</td><td class="num" data-l="tied">{drawn}</td>'
            '<td class="num pub" data-l="lost: paper">{published}</td>'
            '<td class="num our" data-l="lost: ours">{lost}</td>'
            '<td class="plotcol">{mark}</td></tr>'
        ).format(
            cls=class_of(rows[trainer]), trainer=trainer,
            published=percent_text(factor * rows[trainer].published),
            mark=mark(scale, rows[trainer], rows[trainer].published, factor),
            **{end: percent_text(factor * from_values(finals[f"{end} against {player}"]).mean)
               for end in ("won", "drawn", "lost")},
        )
        for trainer, finals in ((trainer, found[trainer]) for trainer in shown)
    )  # fmt: skip
    return Markup(
        '<table class="compare ends"><colgroup><col class="w9"><col class="w5"><col class="w5">'
        '<col class="w6"><col class="w5"><col></colgroup><thead><tr><th scope="col">trainer</th>'
        '<th scope="col" class="num">won</th><th scope="col" class="num">tied</th>'
        '<th scope="col" class="num">lost, published</th><th scope="col" class="num">ours</th>'
        '<th scope="col" class="plotcol"><span class="hide">lost, drawn</span></th></tr></thead>'
        '<tbody>{}<tr class="foot"><td colspan="5">published: {}, as a share</td>'
        '<td class="plotcol">{}</td></tr></tbody></table>'
    ).format(lines, column.entry.source, axis(scale, percent_text))
