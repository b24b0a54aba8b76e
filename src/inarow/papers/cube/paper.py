"""The cube paper: which network learns Tic-Tac-Toe 3D best, by self-play or from a fixed player.

The learner is `learn/mlp`. Here is what is shown.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise, product
from operator import itemgetter
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from inarow.game import game as game_of
from inarow.lab.numbers import short_number
from inarow.lab.plots.plot import STYLES, draw_line
from inarow.lab.statistics import Floats
from inarow.learn.mlp.network import NETWORKS, network_of
from inarow.papers.claims import Column, mean_of
from inarow.papers.cube import readings, threats
from inarow.papers.cube.claims import (
    CLAIMS,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    UNSEEN,
    distance,
    late_mistakes,
    late_total,
)
from inarow.papers.cube.study import (
    ALL,
    DEEP,
    DETECTORS,
    GAMES,
    JUDGED,
    LEARNERS,
    PARTS,
    PUBLISHED,
    REGIMES,
    SELF_PLAY,
    STONES,
    VARIANTS,
    literal_conditions,
)
from inarow.papers.drawing import panels_html
from inarow.papers.figures import (
    Connections,
    Curves,
    Figure,
    Line,
    Note,
    Panel,
    Point,
    Points,
    always,
    averaged,
    draw_board,
    draw_network,
    forest,
    no_notes,
)
from inarow.papers.measures import Data, exactly, final, of_row
from inarow.papers.paper import Finding, Paper
from inarow.papers.tables import (
    Grid,
    Made,
    NumberTable,
    PaperTable,
    Table,
    low_power_text,
    plus_minus,
)
from inarow.papers.variants import Variants
from inarow.papers.verdicts import DIFFERS, MATCHES, UNDECIDED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

MEASURES = ("peak", "end")
SAMPLED = dict(zip(REGIMES, (TABLE_2, TABLE_3), strict=True))

# Tables


def details(
    title: str, variants: Variants, columns: Sequence[Column], heads: Sequence[str], **labels: str
) -> Made:
    """Return a table of mean and standard error under each variant."""

    def make(data: Data) -> Table | None:
        made = variants.details(data, columns, heads, **labels)
        return made and replace(made, title=title)

    return Made(make, "variants")


TRIALS_RUN = of_row(lambda row: exactly(row["runs"]))
GAMES_RUN = of_row(lambda row: exactly(row.get("games") or GAMES))
one_digit, whole = partial(plus_minus, digits=1), partial(plus_minus, digits=0)
WHOLE_TRIAL = {  # tested as the learners of ours are, after as many games as in Table II
    "part": "variants", "variant": "per move, alternate", "network": DEEP, "regime": SELF_PLAY,
}  # fmt: skip
TABLES: dict[str, PaperTable] = {
    "weights": NumberTable(TABLE_1.entry, "network", "Table I: weights"),
    "deviations": Grid(
        "Ours: mean win % ± standard deviation over trials", "network",
        {name: {"network": name} for name in NETWORKS},
        {f"{by}, {what}": final(what, regime=by) for by in REGIMES for what in MEASURES},
        lambda ours: f"{ours.mean:.1f} ± {(ours.stderr or 0.0) * ours.runs**0.5:.1f}",
    ),
    "readings": Made(
        lambda data: readings.readings_table(
            data, {column.entry.source: distance(column) for column in SAMPLED.values()}
        ),
        "readings",
    ),
    "readings-claims": Made(lambda data: readings.claims_table(data, PAPER.rows), "readings"),
    "readings-all-claims": Made(
        lambda data: readings.claims_table(data, PAPER.rows, all_of_them=True), "readings"
    ),
    "readings-levels": Made(lambda data: readings.levels_table(data, PAPER.rows), "readings"),
    "variants": Made(lambda data: VARIANTS.table(), "variants"),
    "distances": Grid(
        "Mean absolute difference from the published numbers, points", "variant",
        {v.name: {"part": "variants", "variant": v.name} for v in ALL},
        {column.entry.source: distance(column) for column in SAMPLED.values()}, one_digit,
        part="variants",
    ),
    "variants-small": details(
        "Small structured: win % by variant", VARIANTS, tuple(SAMPLED.values()),
        [f"{regime}, {what}" for regime in REGIMES for what in MEASURES],
        network="small-structured",
    ),
    "detectors": Grid(
        "Deep structured in self-play: win % by detectors per line", "detectors",
        {str(number): {"part": "detectors", "detectors": number} for number in DETECTORS},
        {"trials": TRIALS_RUN,
         **{what: final(what) for what in MEASURES}}, one_digit, {"trials": whole},
        part="detectors",
    ),
    "learners": Made(lambda data: replace(LEARNERS.table(), title=""), "best"),
    "best": Grid(
        "Self-play learners against benchmark@random, on both sides: win %", "learner",
        {**{v.name: {"part": "best", "learner": v.name} for v in LEARNERS.all},
         "paper's best, full trials": WHOLE_TRIAL},
        {"games": GAMES_RUN,
         "trials": TRIALS_RUN,
         "peak": final("peak"), "end": final("end"),
         f"mistakes with {STONES} or more stones, %": late_mistakes}, one_digit,
        dict.fromkeys(("games", "trials"), whole), part="best"),
    "endings": Grid(
        f"Moves with {STONES} or more stones on the board, in games against itself", "learner",
        {name: {"part": "endings", "learner": name} for name in JUDGED},
        {"positions": late_total("positions"), "judged": late_total("judged"),
         "mistakes, % of judged": late_mistakes},
        one_digit, {"positions": whole, "judged": whole}, part="endings"),
}  # fmt: skip


def by_regime() -> dict[str, PaperTable]:
    """Return the tables of peak and end in each regime, and of them under the variants."""
    made: dict[str, PaperTable] = {}
    for (regime, column), what in product(SAMPLED.items(), MEASURES):
        entry, title = column.entry, f"{column.entry.source}, {regime}: {what} win %"
        made[f"{regime}-{what}"] = NumberTable(entry, "network", title, {"measure": what})
        made[f"variants-{regime}-{what}"] = details(
            f"{title} by variant", Variants(ALL), (column,), tuple(NETWORKS), measure=what
        )
    return made


# Figures

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


def averaged_tests(regime: str, network: str) -> Points:
    """Return the curve of a network, as it is shown."""
    found = averaged(itemgetter("won"), regime=regime, network=network)
    return lambda data: smoothed([*found(data)])


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
    ylim = (40.0, 100.0) if near_the_top else (0.0, 70.0)
    panel = Panel(
        "",
        tuple(Line(name, averaged_tests(regime, name), STYLE_OF[name]) for name in NETWORKS),
        notes=(lambda _: [Note(400_000, "the text: near maximal")]) if near_the_top else no_notes,
    )
    shown = Curves((panel,), f"games won, mean of {SMOOTHED} tests", percent=True, log_x=False,
                   ylim=ylim)  # fmt: skip
    return Figure(
        name, caption, draw, lambda data: any(curves(data).values()), (9.0, 5.0),
        html=lambda data: panels_html(shown, data),
    )  # fmt: skip


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


# Structures: a finished game, and the network of the paper's Figure 2

FINISHED = "31 31 42 13 44 32 31 33 21 33 33 14 32 11 22 23 31 34 32 34 12 33 32 21 34"


def connections_of(name: str) -> list[Connections]:
    """Return which units of a network are connected, layer by layer, from the network itself."""
    game = game_of("cube")
    network = network_of(game, NETWORKS[name])
    rows, units = network.layers.row_start, network.layers.row_units
    sizes = [
        layer.units * len(game.lines) if layer.lines else layer.units for layer in network.hidden
    ]
    first = np.zeros((game.cells, sizes[0]), dtype=bool)
    for cell in range(game.cells):
        leads = units[rows[cell] : rows[cell + 1]]
        first[cell, leads[leads < sizes[0]]] = True
    return [first, *(np.ones(pair, dtype=bool) for pair in pairwise([*sizes, 1]))]


def draw_deep_network(canvas: Canvas, data: Data) -> None:  # noqa: ARG001 - needs no results
    """Draw the deep structured network."""
    layers = connections_of(DEEP)
    cells, detectors, units, _ = len(layers[0]), *(part.shape[1] for part in layers)
    names = (f"{cells} cells", f"{detectors} detectors", f"{units} units", "value")
    draw_network(canvas, layers, names)


STRUCTURES = (
    Figure(
        "figure-1-board",
        "Figure 1. A finished game from above, larger circles lower: the first player (unbroken "
        "circles) has completed the third row at height 3; the game is ours",
        lambda canvas, data: draw_board(canvas, "cube", FINISHED), always, (3.4, 3.4),
    ),
    Figure(
        "figure-2-network",
        "Figure 2. The deep structured network, drawn from its connections: the first units of "
        "each layer",
        draw_deep_network, always, (7.0, 4.2),
    ),
)  # fmt: skip
CHOSEN_BY_FIT = (
    " The levels in the tables are those of a base that was *chosen because they fit*: above all, "
    "its benchmark player draws its order of columns once per game, where the printed algorithm "
    "draws it at every move. Claims are judged under the most literal reading with enough trials "
    "(see what was chosen)."
)
FINDINGS = (  # one of each three holds
    *(
        Finding(
            f"**In self-play, {said}**: deep structured is {{strongest-self-play-end}} above "
            "the next network at the end.",
            {"strongest-self-play-end": verdict},
        )
        for verdict, said in (
            (MATCHES, "the structured deep network is the strongest, as published"),
            (DIFFERS, "the structured deep network is not the strongest"),
            (UNDECIDED, "it is undecided which network is the strongest"),
        )
    ),
    *(
        Finding(
            f"**In benchmark training, {said}**: deep structured minus its closest rival is "
            f"{{strongest-benchmark-end}} at the end.{CHOSEN_BY_FIT}",
            {"strongest-benchmark-end": verdict},
        )
        for verdict, said in (
            (MATCHES, "the structured deep network is the strongest, as published"),
            (DIFFERS, "the structured deep network is not the strongest"),
            (UNDECIDED, "it is undecided which network is the strongest"),
        )
    ),
)
OUTCOME = tuple(  # one of each three holds
    Finding(text, {name: verdict})
    for name, texts in (
        (
            "strongest-self-play-end",
            (
                "its structured network is the best in self-play",
                "its structured network is not the best in self-play",
                "the best network in self-play is undecided",
            ),
        ),
        (
            "strongest-benchmark-end",
            (
                "against the fixed player it is",
                "against the fixed player it is not",
                "against the fixed player that is undecided",
            ),
        ),
    )
    for verdict, text in zip((MATCHES, DIFFERS, UNDECIDED), texts, strict=True)
)
VALUES = {  # for the page
    "unseen": lambda data: UNSEEN,
    "low-power": lambda data: low_power_text(PAPER.rows(data)),
    "claims-reading": readings.claims_reading,
    "claims-verdicts": lambda data: readings.verdict_counts(
        data, PAPER.rows, readings.differing_claims(data, PAPER.rows)
    ),
    "claims-differ": lambda data: len(readings.differing_claims(data, PAPER.rows)),
    "levels-reading": lambda data: readings.nearest_reading(
        data, [distance(column) for column in SAMPLED.values()]
    ),
    "literal-trials": lambda data: readings.trials(data, readings.READINGS[0]),
}
PAPER: Paper = Paper(
    "cube",
    PUBLISHED,
    (*PARTS, threats.PART),
    (TABLE_1, TABLE_2, TABLE_3),
    CLAIMS,
    VARIANTS,
    {**TABLES, **by_regime(), **threats.TABLES},
    (
        *STRUCTURES,
        figure(3, REGIMES[0], TABLE_2, False),
        figure(4, REGIMES[1], TABLE_3, True),
        forest((TABLE_2, TABLE_3), lambda data: PAPER.rows(data)),
    ),
    {**VALUES, "how_won": threats.how_won},
    FINDINGS,
    OUTCOME,
    literal_conditions(),
)
