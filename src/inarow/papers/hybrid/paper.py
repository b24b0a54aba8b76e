"""The hybrid paper: one tabular TD agent, six trainers, two games: what is shown of it.

The agent is `learn/tabular/td.py`, the trainers are rule players.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

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
from inarow.papers.figures import (
    CurvePoint,
    Curves,
    Figure,
    Line,
    Note,
    Panel,
    Style,
    averaged,
    forest,
    no_notes,
)
from inarow.papers.hybrid import drawn, joint
from inarow.papers.hybrid.beyond import (
    LARGER_FIGURE,
    PARTS_BEYOND,
    TABLES_BEYOND,
    least_lost,
    written,
)
from inarow.papers.hybrid.claims import (
    CLAIMS,
    COLUMNS,
    EXPERT_COLUMN,
    GAMES_COLUMN,
    HEADS,
    LOST_COLUMN,
    SAMPLED,
    SHORT_WINDOW,
    TABLE_NAMES,
    crossing_of,
    means_of,
)
from inarow.papers.hybrid.study import (
    BEST,
    CONNECT4,
    GAMES,
    MAX_GAMES,
    PARTS,
    PUBLISHED,
    TICTACTOE,
    TRAINERS,
    VARIANTS,
    WINDOW,
)
from inarow.papers.measures import Data, Label, Measure, Measured, ResultRow, exactly, final
from inarow.papers.paper import Finding, Paper
from inarow.papers.structures import always, board
from inarow.papers.tables import (
    Grid,
    Made,
    NumberTable,
    PaperTable,
    Table,
    list_text,
    low_power_text,
    plus_minus,
)
from inarow.papers.verdicts import DIFFERS, MATCHES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

# Tables


@Measure
def paper_games(_: Data, trainer: str, **__: Label) -> Measured:
    """Return a number of Table 1, in Connect-4."""
    return exactly(GAMES_COLUMN.entry.numbers[CONNECT4][trainer])


TIES = Grid(
    "Connect-4 on 4x4: training games", "trainer",
    {trainer: {"trainer": trainer} for trainer in TRAINERS},
    {
        "paper": paper_games,
        "random among best": final("games", game=CONNECT4),
        "literal": final("games", game=CONNECT4, part="ties"),
    },
    partial(plus_minus, digits=0), part="ties",
)  # fmt: skip


def tables() -> dict[str, PaperTable]:
    """Return the tables by name."""
    made: dict[str, PaperTable] = {}
    entries = {column.entry.name: column.entry for column in COLUMNS}
    for game, title in GAMES.items():
        for name, (table, _) in TABLE_NAMES.items():
            made[f"{name}-{game}"] = NumberTable(
                entries[name], "trainer", f"{title}, {table}", {"game": game}
            )
        made[f"exact-{game}"] = Made(partial(exact_table, game=game, title=title))
    made["ties"] = TIES
    made["joint"] = Made(joint.joint_table, joint.SCREEN)
    made["joint-best"] = Made(joint.best_table, joint.BEST)
    made["variants"] = Made(
        lambda data: VARIANTS.table() if data.results(VARIANTS.part) else None, "variants"
    )
    for game in GAMES:
        made[f"summary-{game}"] = Made(
            partial(VARIANTS.summary, columns=SAMPLED, heads=HEADS, game=game), "variants"
        )
        for trainer in TRAINERS:
            made[f"{trainer}-{game}"] = Made(
                partial(VARIANTS.details, columns=SAMPLED, heads=HEADS, game=game, trainer=trainer),
                "variants",
            )
    return made


# What the sampled tests say beside what is proven of the same agents


def exact_counts(row: ResultRow) -> dict[str, float]:
    """Count what the sampled tests miss in a condition's runs."""
    finals = {name: np.array(values) for name, values in row["finals"].items()}
    proven, early = finals["unbeatable as second"] > 0, finals["games"] < MAX_GAMES
    return {
        "runs": len(proven),
        "perfect": int((finals["perfect"] > 0).sum()),
        "unbeatable": int(proven.sum()),
        "lost": float(finals["lost against random"].mean()),
        "expected": 1e6 * float(finals["chance lost as second against random"].mean()),
        "early": int(early.sum()),
        "early beatable": int((early & ~proven).sum()),
        "unseen": int((~proven & (finals["lost against expert"] == 0)).sum()),
    }


def exact_table(data: Data, game: str, title: str) -> Table | None:
    """Return what the sampled tests say beside what is proven of the same agents."""
    lines = []
    for row in data.rows(game=game):
        found = exact_counts(row)
        runs = found["runs"]
        lines.append(
            (
                row["trainer"], f"{found['perfect']}/{runs}", f"{found['unbeatable']}/{runs}",
                f"{found['lost']:,.1f}", f"{found['expected']:,.1f}",
                f"{found['early beatable']}/{found['early']}",
                f"{found['unseen']}/{runs - found['unbeatable']}",
            )
        )  # fmt: skip
    columns = ("trainer", "perfect", "unbeatable", "lost", "exact", "early", "missed")
    return Table(columns, tuple(lines), f"{title}: sampled and exact") if lines else None


def exact_sums(data: Data, game: str) -> dict[str, float]:
    """Return the sums of these counts over all trainers."""
    found = [exact_counts(row) for row in data.rows(game=game)]
    return {name: sum(one[name] for one in found) for name in found[0]} if found else {}


# What the prose asks for


def correlations(data: Data, game: str) -> dict[str, float]:
    """Return the rank correlation of ours and the published numbers over trainers, by table."""
    from scipy.stats import spearmanr

    found = {}
    for column in SAMPLED:
        pairs = [
            (number, ours.mean)
            for (one, trainer), number in column.entry.leaves()
            if one == game and (ours := column.measure(data, game=game, trainer=trainer))
        ]
        if pairs and all(len(set(side)) > 1 for side in zip(*pairs, strict=True)):
            found[column.entry.title] = float(spearmanr(*zip(*pairs, strict=True)).statistic)
    return found


def lost_text(data: Data, game: str) -> str:
    """Return the games lost by the end of training, with their trainers."""
    rows = [row for row in data.rows(game=game) if row["trainer"] in TRAINERS]
    return list_text(
        [f"{means_of(row['curve']['lost'])[-1]:,.0f} ({row['trainer']})" for row in rows]
    )


PUBLISHED_GAMES = GAMES_COLUMN.entry.numbers
BELOW_MOST = [n for by in PUBLISHED_GAMES.values() for n in by.values() if n < MAX_GAMES]


def scans(data: Data) -> dict[str, str]:
    """Return how many published numbers of tic-tac-toe differ under each variant, as 3 of 24."""
    made = VARIANTS.summary(data, SAMPLED, HEADS, game=TICTACTOE)
    return {line[0]: line[-1] for line in made.rows} if made else {}


VALUES: dict[str, Callable[[Data], object]] = {
    "exact": lambda data: {game: exact_sums(data, game) for game in GAMES},
    "crossing": lambda data: {
        game: [crossing_of(data, game, window) for window in (WINDOW, SHORT_WINDOW)]
        for game in GAMES
    },
    "low-power": lambda data: low_power_text(PAPER.rows(data)),
    "joint-counts": joint.counts,
    "lost": lambda data: {game: lost_text(data, game) for game in GAMES},
    "ratios": lambda data: {
        game: sorted(n / by[BEST] for n in by.values())[1:] for game, by in PUBLISHED_GAMES.items()
    },
    "published_games": lambda data: PUBLISHED_GAMES,
    "example": lambda data: data.fact("example_games"),
    "published_below": lambda data: len(BELOW_MOST),
    "all_multiples_of_100": lambda data: not any(n % 100 for n in BELOW_MOST),
    "correlations": lambda data: {game: correlations(data, game) for game in GAMES},
    "scans": scans,
}


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
            html=drawn.boards,
        ),
        Figure(
            "figure-4-histograms",
            "Figure 4. Distribution of the loss ratio over runs by training games, attack-defense",
            lambda canvas, data: draw_histograms(canvas, histograms(data), window),
            lambda data: bool(histograms(data)),
            (8.0, 6.4),
            html=lambda data: drawn.histograms(histograms(data), window),
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
                drawn.ends, game=game, player=player, column=TESTED[player], trainers=trainers
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


FINDINGS = (
    Finding(
        "**In tic-tac-toe the paper reproduces.** Attack-defense needs the fewest games, "
        "{table-1-games/tictactoe/attack-defense|ours} on average (published: "
        "{table-1-games/tictactoe/attack-defense|published}), and all of its agents are perfect, "
        "proven by following every possible game.",
        {"fewest-games-tictactoe": MATCHES, "perfect-in-all-runs": MATCHES},
    ),
    Finding(
        "**In 4x4 Connect-4 it reproduces in part.** Attack-defense again needs the fewest games "
        "({table-1-games/connect4:4x4/attack-defense|ours}; published "
        "{table-1-games/connect4:4x4/attack-defense|published}). But the trainer whose agents end "
        "perfect most often is combined ({table-2/connect4:4x4/combined|ours} of runs), and not, "
        "as published, attack-defense ({table-2/connect4:4x4/attack-defense|ours}).",
        {"fewest-games-connect4": MATCHES, "best-connect4-perfect": DIFFERS},
    ),
)
PAPER: Paper = Paper(
    "hybrid",
    PUBLISHED,
    (*PARTS, *PARTS_BEYOND),
    COLUMNS,
    CLAIMS,
    VARIANTS,
    {**tables(), **TABLES_BEYOND},
    (*figures(), LARGER_FIGURE, forest(COLUMNS, lambda data: PAPER.rows(data))),
    {**VALUES, "least_lost": least_lost, "written": written},
    FINDINGS,
)
