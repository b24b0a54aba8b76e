"""Tables of the n-dimensional paper's SARSA study, and what to say of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from inarow.papers.n_dimensional_claims import PRINTED_COUNTS, Row, rows
from inarow.papers.n_dimensional_exact import COUNTED, OPPONENTS, SEATS
from inarow.papers.n_dimensional_sarsa import (
    ENDS,
    EPISODES,
    NEVER_LOSES,
    OPTIMAL,
    UNBEATABLE,
    VARIANT_EPISODES,
    VARIANTS,
    cell_of,
)
from inarow.papers.page import Table
from inarow.papers.results import DIFFERS, MATCHES, Results

# The paper's number of a figure: trainer, opponent in the test, the agent's seat.
FIGURES = {
    3: ("random", "random", "first"),
    4: ("random", "random", "second"),
    5: ("advanced", "advanced", "first"),
    6: ("advanced", "advanced", "second"),
    7: ("random", "advanced", "first"),
    8: ("random", "advanced", "second"),
}
FEW_RUNS = 100


def tables(results: Results) -> list[Table]:
    """The claims, Figures 3 to 8 as numbers, what is certain, the ceilings, and the variants."""
    return [
        claim_table(results),
        count_table(results),
        *(figure_table(results, number) for number in FIGURES),
        *(certain_table(results, trainer) for trainer in OPPONENTS),
        ceiling_table(results),
        *(variant_table(results, trainer) for trainer in OPPONENTS),
    ]


def claim_table(results: Results) -> Table:
    """What the paper says beside ours; the numbers of states have a table of their own."""
    return Table(
        ("claim", "paper", "ours", "95%", "verdict"),
        tuple(
            (row.metric, said(row.published), ours_text(row), range_text(row), row.verdict)
            for row in rows(results)
            if not row.metric.startswith("states")
        ),
        "The paper's claims and ours",
        (0, 1, 4),
    )


def count_table(results: Results) -> Table:
    """States counted, and how the printed numbers came about."""
    counts = results.facts["counts"]
    found = {row.metric: row for row in rows(results)}
    return Table(
        ("states", "paper", "ours", "with `round`", "verdict"),
        tuple(
            (
                name, f"{number:,}", f"{counts[name]:,}",
                f"{counts[f'{name}, rounded']:,}" if f"{name}, rounded" in counts else "",
                found[f"states: {name}"].verdict,
            )
            for name, _, number, _ in PRINTED_COUNTS
        ),
        "States of a 3x3 grid, and of 3x3x3",
        (0, 4),
    )  # fmt: skip


def figure_title(number: int) -> str:
    """What a figure of the paper shows."""
    trainer, opponent, seat = FIGURES[number]
    return f"Figure {number}: trained on {trainer}, tested against {opponent}, as {seat}"


def figure_table(results: Results, number: int) -> Table:
    """Exact shares of games, mean over the runs, with bootstrap intervals."""
    trainer, opponent, seat = FIGURES[number]
    lines = []
    for episodes in EPISODES:
        cell = cell_of(results, trainer, episodes)
        if cell is not None:
            shares = [cell["shares"][f"{end} as {seat} against {opponent}"] for end in ENDS]
            lines.append((f"{episodes:,}", *map(interval_text, shares)))
    return Table(
        ("episodes", "won, %", "drawn, %", "lost, %"), tuple(lines), figure_title(number), ()
    )


def interval_text(numbers: list[float]) -> str:
    """As in 73.4 (70.1-76.5), in per cent."""
    mean, _, low, high = (100 * number for number in numbers)
    return f"{mean:.1f} ({low:.1f}-{high:.1f})"


def certain_table(results: Results, trainer: str) -> Table:
    """Of how many runs something is certain."""
    kinds = {NEVER_LOSES: "trainer", UNBEATABLE: "anyone", OPTIMAL: "best"}
    lines = []
    for episodes in EPISODES:
        cell = cell_of(results, trainer, episodes)
        if cell is not None:
            lines.append(
                (f"{episodes:,}", *(certain_text(cell, kind, s) for kind in kinds for s in SEATS))
            )
    heads = (f"{said} {seat}" for said in kinds.values() for seat in ("1st", "2nd"))
    return Table(
        ("episodes", *heads),
        tuple(lines),
        f"Trained on {trainer}: % of runs that never lose, or play best",
        (),
    )


def certain_text(cell: Mapping[str, Any], kind: str, seat: str) -> str:
    """Per cent of a cell's runs."""
    return f"{100 * cell['certain'][kind][seat] / cell['runs']:.1f}".removesuffix(".0")


def ceiling_table(results: Results) -> Table:
    """The best that can be, exactly."""
    return Table(
        ("against", "seat", "aim", *ENDS, "won, %", "lost, %"),
        tuple(
            (
                row["opponent"], row["seat"], row["aim"], *(row[end] for end in ENDS),
                *(f"{100 * float(Fraction(row[end])):.1f}" for end in ("won", "lost")),
            )
            for row in results.facts["ceilings"]
            if row["board"] != COUNTED
        ),
        "The best that can be, by dynamic programming",
        (0, 1, 2),
    )  # fmt: skip


def variant_table(results: Results, trainer: str) -> Table:
    """Per cent of runs that never lose to their trainer, as first / as second."""
    lines = []
    for variant in VARIANTS:
        cells = [cell_of(results, trainer, number, variant.name) for number in VARIANT_EPISODES]
        texts = (
            "" if cell is None else "/".join(certain_text(cell, NEVER_LOSES, s) for s in SEATS)
            for cell in cells
        )
        lines.append((variant.name, *texts))
    return Table(
        ("variant", *(f"{number // 1000}k" for number in VARIANT_EPISODES)),
        tuple(lines),
        f"Trained on {trainer}: % of runs that never lose to it, first/second",
    )


def said(published: float | str) -> str:
    """What the paper states."""
    return published if isinstance(published, str) else f"{published:,.0f}"


def ours_text(row: Row) -> str:
    """The mean, with as many digits as it needs."""
    if row.mean is None:
        return ""
    if math.isinf(row.mean):
        return f">{EPISODES[-1]:,}"
    if row.unit != "%":
        return f"{row.mean:,.0f}"
    return f"{row.mean:.1f}%"


def range_text(row: Row) -> str:
    """The interval of the mean, where it has one."""
    if row.low is None or row.high is None:
        return ""
    return f"{row.low:.1f}-{row.high:.1f}"


def notes(results: Results) -> list[str]:
    """What to say below the tables."""
    judged = rows(results)
    matching = sum(row.verdict == MATCHES for row in judged)
    fewest = min(row["runs"] for row in results.rows)
    found = [
        f"{matching} of {len(judged)} claims match. Shares are exact: nothing is sampled but the "
        "training. trainer: the agent never loses to its trainer; anyone: to nobody at all; best: "
        "it wins and loses as often as what its rewards make best.",
        counted_words(results),
    ]
    if fewest < FEW_RUNS:
        found.append(f"A share of so few runs ({fewest}) says little: more are `--scale paper`.")
    reasons: dict[str, list[str]] = {}
    for row in judged:
        if row.verdict == DIFFERS:
            reasons.setdefault(row.reason, []).append(row.metric)
    return [*found, *(f"{'; '.join(names)}: {reason}." for reason, names in reasons.items())]


def counted_words(results: Results) -> str:
    """What the ceiling is if lines are counted, which is another game."""
    won = [
        Fraction(row["won"])
        for row in results.facts["ceilings"]
        if (row["board"], row["opponent"]) == (COUNTED, "advanced")
    ]
    mean = 100 * float(sum(won)) / len(won)
    return (
        "If lines are counted until the grid is full, as from three dimensions on, the most wins "
        f"against advanced are {won[0]} as first and {won[1]} as second, {mean:.1f}% over both."
    )
