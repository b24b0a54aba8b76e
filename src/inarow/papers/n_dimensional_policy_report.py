"""Tables of the n-dimensional paper's policy gradient, and what to say of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inarow.papers.n_dimensional_claims import Row
from inarow.papers.n_dimensional_exact import MOST_WINS, PLAIN
from inarow.papers.n_dimensional_policy import (
    ALONE,
    BOARDS,
    CELLS,
    CUBE,
    DESCRIBED,
    ENDS,
    FOUR,
    LINE_TD,
    OPPONENTS,
    PLANE,
    SARSA,
    SOUND,
    row_of,
)
from inarow.papers.n_dimensional_policy_claims import TOO_FEW, bars, best_share, rows
from inarow.papers.page import Table
from inarow.papers.results import DIFFERS, MATCHES, NOT_RUN, Results

# The paper's number of a figure: board, opponent in the test.
FIGURES = {
    9: (PLANE, "random"),
    10: (CUBE, "random"),
    11: (CUBE, "advanced"),
    12: (FOUR, "random"),
    13: (FOUR, "advanced"),
}
ABOUT = {
    DESCRIBED: "the paper's: the best allowed cell, binary cross-entropy, replay",
    SOUND: "moves drawn from a softmax over the allowed cells, a mean return for each ply",
    LINE_TD: "afterstate TD on line features that symmetric lines share",
    SARSA: "the paper's table, in two dimensions",
    DESCRIBED + ALONE: "no reward is propagated: a move has what it did at once",
    SOUND + ALONE: "the same",
}
FEW_RUNS = 10


def tables(results: Results) -> list[Table]:
    """The claims, the figures as numbers, all learners at the end, the yardsticks, the bars."""
    shown = [claim_table(results), bar_table(results)]
    for number, (board, _) in FIGURES.items():
        shown += [
            figure_table(results, number, version)
            for version in (DESCRIBED, SOUND)
            if row_of(results, board, version) is not None
        ]
    return [*shown, end_table(results), yardstick_table(results)]


def claim_table(results: Results) -> Table:
    """What the paper says beside both versions."""
    return Table(
        ("claim", "paper", "described", "", "sound", ""),
        tuple(
            (
                described.metric, _said(described.published), _ours(described),
                _word(described), "" if sound is None else _ours(sound),
                "" if sound is None else _word(sound),
            )
            for described, sound in rows(results)
        ),
        "The paper's claims and ours",
        (0, 1, 3, 5),
    )  # fmt: skip


def _word(row: Row) -> str:
    return {NOT_RUN: "not run", TOO_FEW: "too few"}.get(row.verdict, row.verdict)


def _said(published: float | str) -> str:
    return published if isinstance(published, str) else f"{published:.0f} hours"


def _ours(row: Row) -> str:
    if row.mean is None:
        return ""
    return f"{row.mean:+.1f}%" if row.unit == "%" else f"{row.mean:.2g} {row.unit[0]}"


def bar_table(results: Results) -> Table:
    """What this project asked of itself."""
    lines = []
    for bar in bars(results):
        measured, verdict = "", "not run"
        if bar.mean is not None:
            measured = f"{bar.mean:.1f} ({bar.low:.1f}-{bar.high:.1f})"
            verdict = "met" if bar.met else "short"
        time = "" if bar.seconds is None else f"{bar.seconds:.1f}"
        who, asked = f"{bar.variant}, {BOARDS[bar.board]}", f"{bar.least:g} {bar.asked}"
        lines.append((who, asked, measured, verdict, f"{bar.games:,}", time))
    return Table(
        ("agent", "asked", "ours", "", "games", "CPU-s"),
        tuple(lines),
        "What we asked of ourselves",
        (0, 1, 3),
    )


def figure_title(number: int, version: str) -> str:
    """What a figure of the paper shows."""
    board, opponent = FIGURES[number]
    return f"Figure {number}, {BOARDS[board]} against {opponent}, {version}"


def figure_table(results: Results, number: int, version: str) -> Table:
    """Shares of games over training, mean over the runs with bootstrap intervals."""
    board, opponent = FIGURES[number]
    row = row_of(results, board, version)
    lines = list[tuple[str, ...]]()
    if row is not None:
        for place, games in enumerate(row["games"]):
            shares = [row["shares"][opponent][end][place] for end in ENDS]
            lines.append((f"{games:,}", *map(interval_text, shares)))
    heads = ("games", *(f"{end}, %" for end in ENDS))
    return Table(heads, tuple(lines), figure_title(number, version), ())


def interval_text(numbers: list[float]) -> str:
    """As in 73.4 (70.1-76.5)."""
    mean, _, low, high = numbers
    return f"{mean:.1f} ({low:.1f}-{high:.1f})"


def end_table(results: Results) -> Table:
    """All learners after their last game: wins and lines ahead against each opponent."""
    lines = []
    for row in results.rows:
        wins = [f"{row['shares'][opponent]['won'][-1][0]:.1f}" for opponent in OPPONENTS]
        ahead = f"{row['lines']['advanced'][-1][0]:+.1f}" if row["lines"] else ""
        lines.append((BOARDS[row["board"]], row["variant"], f"{row['games'][-1]:,}", *wins, ahead))
    return Table(
        ("board", "learner", "games", *OPPONENTS, "lines"),
        tuple(lines),
        "Won at the end, %, against each; lines ahead of advanced",
        (0, 1),
    )


def yardstick_table(results: Results) -> Table:
    """Players that learned nothing, in the same tests."""
    found = dict[tuple[str, str], dict[str, Mapping[str, Any]]]()
    for row in results.facts["yardsticks"]:
        found.setdefault((row["board"], row["player"]), {})[row["opponent"]] = row
    lines = []
    for (board, name), against in found.items():
        wins = [f"{against[opponent]['won']:.1f}" for opponent in OPPONENTS]
        ahead = against["advanced"]["lines"]
        lines.append((BOARDS[board], name, *wins, "" if ahead is None else f"{ahead:+.1f}"))
    return Table(
        ("board", "player", *OPPONENTS, "lines"),
        tuple(lines),
        "Players that learned nothing: won, %; lines ahead",
        (0, 1),
    )


def notes(results: Results) -> list[str]:
    """What to say below the tables."""
    judged = [row for pair in rows(results) for row in pair if row is not None]
    matching = sum(row.verdict == MATCHES for row in judged)
    run = sum(row.verdict in (MATCHES, DIFFERS) for row in judged)
    fewest = min(row["runs"] for row in results.rows)
    counted = results.facts["counts"]
    found = [
        f"{matching} of {run} claims match, each version counted. A share is games won, over all "
        "games, half of them as first; from three dimensions on the side with more lines wins, and "
        "equal numbers are a draw.",
        ceiling_words(results),
        f"States of 3x3x3: the paper has {counted['formula 3x3x3, rounded']:,}; its formula gives "
        f"{counted['formula 3x3x3']:,}.",
    ]
    if fewest < FEW_RUNS:
        found.append(f"So few runs ({fewest}) say little: more are `--scale paper`.")
    return [*found, *reasons(results)]


def reasons(results: Results) -> list[str]:
    """Why ours differs, each reason once with the claims that it is of."""
    found: dict[str, list[str]] = {}
    for pair in rows(results):
        for version, row in zip((DESCRIBED, SOUND), pair, strict=True):
            if row is not None and row.verdict == DIFFERS:
                found.setdefault(row.reason, []).append(f"{row.metric} ({version})")
    return [f"{'; '.join(names)}: {reason}." for reason, names in found.items()]


def ceiling_words(results: Results) -> str:
    """The exact best in two dimensions."""
    by_seat = " and ".join(
        f"{row['won']} as {row['seat']}"
        for row in results.facts["ceilings"]
        if (row["board"], row["opponent"], row["aim"]) == (PLAIN, "random", MOST_WINS)
    )
    return (
        f"In two dimensions the most wins against random are {by_seat}, "
        f"{best_share(results).mean:.1f}% over both; larger boards have no exact ceiling."
    )


def trained_on(board: str) -> str:
    """The trainer of both versions."""
    return next(c.trainer for c in CELLS if c.board == board and c.variant == DESCRIBED)
