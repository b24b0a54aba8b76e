"""The hybrid paper: one tabular TD agent, six trainers, two games: what is shown of it.

The agent is `learn/tabular/td.py`, the trainers are rule players.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from inarow.papers.figures import (
    forest,
)
from inarow.papers.hybrid.beyond import (
    LARGER_FIGURE,
    LONGER,
    PARTS_BEYOND,
    SCREEN,
    TABLES_BEYOND,
    best_table,
    joint_counts,
    joint_table,
    least_lost,
    written,
)
from inarow.papers.hybrid.claims import (
    CLAIMS,
    COLUMNS,
    GAMES_COLUMN,
    HEADS,
    SAMPLED,
    SHORT_WINDOW,
    TABLE_NAMES,
    crossing_of,
    means_of,
)
from inarow.papers.hybrid.figures import figures
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
    pass

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
    made["joint"] = Made(joint_table, SCREEN)
    made["joint-best"] = Made(best_table, LONGER)
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
    "joint-counts": joint_counts,
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


FINDINGS = (
    Finding(
        "**In tic-tac-toe the paper reproduces.** Training by attack-defense ends first, after "
        "{table-1-games/tictactoe/attack-defense|ours} on average (published: "
        "{table-1-games/tictactoe/attack-defense|published}), and all of its agents are perfect, "
        "proven by following every possible game.",
        {"fewest-games-tictactoe": MATCHES, "perfect-in-all-runs": MATCHES},
    ),
    Finding(
        "**In 4x4 Connect-4 it reproduces in part.** Training by attack-defense again ends first "
        "({table-1-games/connect4:4x4/attack-defense|ours}; published "
        "{table-1-games/connect4:4x4/attack-defense|published}). But the trainer whose agents end "
        "perfect most often is combined ({table-2/connect4:4x4/combined|ours} of runs), and not, "
        "as published, attack-defense ({table-2/connect4:4x4/attack-defense|ours}).",
        {"fewest-games-connect4": MATCHES, "best-connect4-perfect": DIFFERS},
    ),
)
OUTCOME = (
    Finding(
        "reproduces in tic-tac-toe",
        {"fewest-games-tictactoe": MATCHES, "perfect-in-all-runs": MATCHES},
    ),
    Finding(
        "in part in 4x4 Connect-4",
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
    OUTCOME,
)
