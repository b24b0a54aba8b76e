"""What the max-min study found: tables, verdicts, and what to say of them.

The document publishes no results. So what is judged is the pseudo-code as printed, and whether
ours agrees with the prototype that was written before this package (20 runs of each variant).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from inarow.lab.statistics import wilson
from inarow.papers.max_min import (
    GAMES,
    LENGTHS,
    PROTOTYPE_RUNS,
    VARIANTS,
    Variant,
    median_games,
    share_at,
    variants_of,
)
from inarow.papers.page import Table
from inarow.papers.results import DIFFERS, MATCHES, NOT_RUN, Results

FEW_RUNS = 50
NOT_PUBLISHED = "not published"
UNBEATABLE, PERFECT = "unbeatable in both seats, %", "value-perfect in both seats, %"
METRICS = {UNBEATABLE: "both", PERFECT: "perfect"}
PRINTED = next(variant for variant in VARIANTS if variant.options.get("literal_remark"))
REMARK = "the epsilon-min-greedy action is arg min over a of Q1(s, a)"
REMARK_REASON = (
    "Q1 is never written where player 2 is to move, so player 2 would move at random for ever; it "
    "must act on Q2"
)
PROTOTYPE_REASON = "the prototype was another program, and nothing more is known of its runs"


@dataclass(frozen=True)
class Row:
    """A share of runs, beside what there is to hold it against."""

    game: str
    variant: str
    metric: str
    games: int
    published: str | None  # what the document says, where it says something
    prototype: float | None  # per cent of 20 runs
    mean: float | None
    stderr: float | None
    low: float | None  # Wilson's 95% interval of ours
    high: float | None
    runs: int
    verdict: str
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        """The row for programs."""
        return asdict(self)


def rows(results: Results) -> list[Row]:
    """Every share in the tables: of all variants, at the numbers of games that are shown."""
    found = {(row["game"], row["variant"]): row for row in results.rows}
    return [
        _row(game, variant, metric, games, found.get((game, variant.name)))
        for game in GAMES
        for metric in METRICS
        for variant in variants_of(game)
        for games in LENGTHS[game].shown
    ]


def _row(
    game: str, variant: Variant, metric: str, games: int, cell: Mapping[str, Any] | None
) -> Row:
    prototype, published = None, None
    if game == "tictactoe" and metric == UNBEATABLE:
        prototype = variant.prototype.get(games)
        published = REMARK if variant is PRINTED else None
    start = (game, variant.name, metric, games, published, prototype)
    share = None if cell is None else share_at(cell, METRICS[metric], games)
    if cell is None or share is None:
        return Row(*start, None, None, None, None, 0, NOT_RUN)
    runs = int(cell["runs"])
    low, high = wilson(share / 100 * runs, runs)
    stderr = math.sqrt(share * (100 - share) / (runs - 1)) if runs > 1 else 0.0
    verdict, reason = NOT_PUBLISHED, ""
    if published is not None:
        learns = share > 0
        verdict, reason = (MATCHES, "") if learns else (DIFFERS, REMARK_REASON)
    elif prototype is not None:
        agrees = covers(share, runs, prototype)
        verdict, reason = (MATCHES, "") if agrees else (DIFFERS, PROTOTYPE_REASON)
    return Row(*start, share, stderr, 100 * low, 100 * high, runs, verdict, reason)


def covers(share: float, runs: int, prototype: float) -> bool:
    """Whether the two may be shares of one kind of runs (Fisher's exact test, 5%)."""
    from scipy.stats import fisher_exact

    ours, theirs = round(share / 100 * runs), round(prototype / 100 * PROTOTYPE_RUNS)
    table = [[ours, runs - ours], [theirs, PROTOTYPE_RUNS - theirs]]
    return bool(fisher_exact(table).pvalue >= 0.05)


def tables(results: Results) -> list[Table]:
    """For each game that was run: unbeatable, value-perfect, by seat; and the prototype's."""
    found = list[Table]()
    for game in GAMES:
        cells = [row for row in results.rows if row["game"] == game]
        if cells:
            found += [
                share_table(game, cells, UNBEATABLE, "for good"),
                share_table(game, cells, PERFECT, "perfect for good"),
                seat_table(game, cells),
            ]
    return [*found, prototype_table(results)]


def share_table(game: str, cells: Sequence[Mapping[str, Any]], metric: str, since: str) -> Table:
    """Per cent of runs over the numbers of games, and by when half of them were there for good."""
    shown = LENGTHS[game].shown
    return Table(
        ("variant", *map(games_text, shown), "median"),
        tuple(
            (
                cell["variant"],
                *(percent(share_at(cell, METRICS[metric], games)) for games in shown),
                median_text(cell, since),
            )
            for cell in cells
        ),
        f"{GAMES[game]}: {metric[:-3]}, % of {cells[0]['runs']} runs",
    )


def seat_table(game: str, cells: Sequence[Mapping[str, Any]]) -> Table:
    """Each seat alone, on the way and at the end."""
    shown = LENGTHS[game].shown[-3:]
    return Table(
        ("variant", *(f"{seat} {games_text(n)}" for n in shown for seat in ("1st", "2nd"))),
        tuple(
            (
                cell["variant"],
                *(percent(share_at(cell, seat, n)) for n in shown for seat in ("first", "second")),
            )
            for cell in cells
        ),
        f"{GAMES[game]}: unbeatable as first and as second, % of runs",
    )


def prototype_table(results: Results) -> Table:
    """Ours beside the prototype's."""
    return Table(
        ("variant", "games", "20 runs", "ours", "95%", "verdict"),
        tuple(
            (
                row.variant, games_text(row.games), percent(row.prototype), percent(row.mean),
                range_text(row), row.verdict,
            )
            for row in rows(results)
            if row.prototype is not None and row.mean is not None
        ),
        "Unbeatable in both seats, %: the prototype's runs, and ours",
        (0, 5),
    )  # fmt: skip


def notes(results: Results) -> list[str]:
    """What to say below the tables."""
    said = [
        "The document publishes no results. unbeatable: proven, no line of play beats it, as "
        "first or as second; value-perfect: it also wins every won position that it can meet; "
        "median: games by which half of the runs were so for good, where they were looked at."
    ]
    printed = [row for row in rows(results) if row.published is not None and row.mean is not None]
    if printed:
        last = printed[-1]
        said.append(
            f"As printed: {percent(last.mean)}% after {last.games:,} games: {last.reason}."
            if last.reason
            else f"As printed: {percent(last.mean)}% after {last.games:,} games."
        )
    for game in GAMES:
        runs = [row["runs"] for row in results.rows if row["game"] == game]
        if runs and runs[0] < FEW_RUNS:
            said.append(
                f"{GAMES[game]}: a share of so few runs ({runs[0]}) says little; `--runs N` asks "
                "for more."
            )
    return said


def percent(share: float | None) -> str:
    """As in 97, 98.5."""
    return "" if share is None else f"{share:.1f}".removesuffix(".0")


def games_text(games: int) -> str:
    """As in 500, 5k, 1M."""
    if games >= 1_000_000:
        return f"{games / 1e6:g}M"
    return f"{games / 1e3:g}k" if games >= 1_000 else str(games)


def median_text(cell: Mapping[str, Any], since: str) -> str:
    """By when half of the runs were there for good."""
    median = median_games(cell[since])
    return f">{games_text(cell['games'][-1])}" if median is None else f"{median:,}"


def range_text(row: Row) -> str:
    """The interval of ours."""
    return "" if row.low is None or row.high is None else f"{row.low:.1f}-{row.high:.1f}"
