"""The cube paper: which network learns Tic-Tac-Toe 3D best, by self-play or from a fixed player.

The learner is `learn/mlp`. `runs` says what is run, `claims` what is compared; here is what is
shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from inarow.learn.mlp.network import NETWORKS
from inarow.papers.claims import Column
from inarow.papers.cube import extra
from inarow.papers.cube.claims import CLAIMS, TABLE_1, TABLE_2, TABLE_3, UNSEEN
from inarow.papers.cube.pictures import figure
from inarow.papers.cube.runs import (
    ALL,
    DEEP,
    DETECTORS,
    FOLDER,
    GAMES,
    JUDGED,
    LEARNERS,
    PARTS,
    PUBLISHED,
    REGIMES,
    SELF_PLAY,
    STONES,
    VARIANTS,
)
from inarow.papers.measures import Data, exactly, final
from inarow.papers.paper import Of, Paper, TableMaker, of_column
from inarow.papers.tables import Grid, Table, plus_minus
from inarow.papers.variants import Variants

MEASURES = ("peak", "end")
SAMPLED = dict(zip(REGIMES, (TABLE_2, TABLE_3), strict=True))

# Tables


def details(
    title: str, variants: Variants, columns: Sequence[Column], heads: Sequence[str], **labels: str
) -> Of:
    """Mean and standard error under each variant."""

    def make(data: Data, _: object) -> Table | None:
        made = variants.details(data, columns, heads, **labels)
        return made and replace(made, title=title)

    return Of("variants", make)


one_digit, whole = partial(plus_minus, digits=1), partial(plus_minus, digits=0)
WHOLE_TRIAL = {  # tested as the learners of ours are, after as many games as in Table II
    "part": "variants", "variant": "per move, alternate", "network": DEEP, "regime": SELF_PLAY,
}  # fmt: skip
TABLES: dict[str, TableMaker | Of] = {
    "weights": of_column("table-1", "network", "Table I: weights"),
    "deviations": Grid(
        "Ours: mean win % ± standard deviation over trials", "network",
        {name: {"network": name} for name in NETWORKS},
        {f"{by}, {what}": final(what, regime=by) for by in REGIMES for what in MEASURES},
        lambda ours: f"{ours.mean:.1f} ± {(ours.stderr or 0.0) * ours.runs**0.5:.1f}",
    ),
    "variants": Of("variants", lambda data, rows: VARIANTS.table()),
    "distances": Of("variants", Grid(
        "Mean absolute difference from the published numbers, points", "variant",
        {v.name: {"part": "variants", "variant": v.name} for v in ALL},
        {column.entry.source: extra.distance(column) for column in SAMPLED.values()}, one_digit,
    )),
    "variants-small": details(
        "Small structured: win % by variant", VARIANTS, tuple(SAMPLED.values()),
        [f"{regime}, {what}" for regime in REGIMES for what in MEASURES],
        network="small-structured",
    ),
    "detectors": Of("detectors", Grid(
        "Deep structured in self-play: win % by detectors per line", "detectors",
        {str(number): {"part": "detectors", "detectors": number} for number in DETECTORS},
        {"trials": lambda data, **labels: exactly(row["runs"])
         if (row := data.row(**labels)) else None,
         **{what: final(what) for what in MEASURES}}, one_digit, {"trials": whole},
    )),
    "learners": Of("best", lambda data, rows: replace(LEARNERS.table(), title="")),
    "best": Of("best", Grid(
        "Self-play learners against benchmark@random, on both sides: win %", "learner",
        {**{v.name: {"part": "best", "learner": v.name} for v in LEARNERS.all},
         "paper's best, full trials": WHOLE_TRIAL},
        {"games": lambda data, **labels: exactly(row.get("games", GAMES))
         if (row := data.row(**labels)) else None,
         "trials": lambda data, **labels: exactly(row["runs"])
         if (row := data.row(**labels)) else None,
         "peak": final("peak"), "end": final("end"),
         f"mistakes with {STONES} or more stones, %": extra.late_mistakes}, one_digit,
        dict.fromkeys(("games", "trials"), whole),
    )),
    "endings": Of("endings", Grid(
        f"Moves with {STONES} or more stones on the board, in games against itself", "learner",
        {name: {"part": "endings", "learner": name} for name in JUDGED},
        {"positions": extra.late_total("positions"), "judged": extra.late_total("judged"),
         "mistakes, % of judged": extra.late_mistakes},
        one_digit, {"positions": whole, "judged": whole},
    )),
}  # fmt: skip
for regime, column in SAMPLED.items():
    for what in MEASURES:
        title = f"{column.entry.source}, {regime}: {what} win %"
        TABLES[f"{regime}-{what}"] = of_column(column.entry.name, "network", title, measure=what)
        TABLES[f"variants-{regime}-{what}"] = details(
            f"{title} by variant", Variants(ALL), (column,), tuple(NETWORKS), measure=what
        )

PAPER = Paper(
    "cube", FOLDER, PUBLISHED, PARTS, (TABLE_1, TABLE_2, TABLE_3), CLAIMS, VARIANTS, TABLES,
    (figure(3, REGIMES[0], TABLE_2, False), figure(4, REGIMES[1], TABLE_3, True)),
    {"unseen": lambda data: UNSEEN},
)  # fmt: skip
