"""The cube paper's tables with ours beside them, and what to say of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inarow.papers.cube import (
    MEASURES,
    PAPER_GAMES,
    PAPER_TRIALS,
    SCALES,
    TABLE_I,
    WAYS,
)
from inarow.papers.cube_claims import claims, comparisons, plain
from inarow.papers.cube_verdicts import TABLES, Row, counts, is_whole, rows
from inarow.papers.page import Table
from inarow.papers.results import DIFFERS, MATCHES, NOT_RUN, Results


def tables(results: Results) -> list[Table]:
    """Tables I to III with ours beside them, the t-tests, and what the text says."""
    return [
        networks_table(results),
        *(table for way in WAYS for table in way_tables(results, way)),
        *(tests_table(results, way) for way in WAYS),
        claims_table(results),
    ]


def networks_table(results: Results) -> Table:
    """Table I: layers and weights."""
    lines = []
    for network, (layers, weights) in TABLE_I.items():
        ours = results.facts["networks"][network]
        agrees = (ours["layers"], ours["weights"]) == (layers, weights)
        lines.append(
            (
                plain(network), layers, ours["layers"], f"{weights:,}", f"{ours['weights']:,}",
                MATCHES if agrees else DIFFERS,
            )
        )  # fmt: skip
    return Table(
        ("network", "paper", "ours", "weights", "ours", "verdict"),
        tuple(lines),
        "Table I: layers and weights",
        (0, 1, 2, 5),
    )


def way_tables(results: Results, way: str) -> list[Table]:
    """Table II or III: peak, then end."""
    found = [row for row in rows(results) if row.way == way]
    return [
        Table(
            ("network", "paper", "ours", "95%", "2 sd", "interval"),
            tuple(_line(row) for row in found if row.measure == measure),
            f"Table {TABLES[way]}, {way}: {measure} win %",
            (0, 4, 5),
        )
        for measure in MEASURES
    ]


def _short(verdict: str) -> str:
    """Tables are narrow."""
    return "not run" if verdict == NOT_RUN else verdict


def _line(row: Row) -> tuple[str, ...]:
    return (
        plain(row.network),
        f"{row.published:.1f} ± {row.published_deviation:.1f}",
        f"{row.mean:.1f} ± {row.deviation:.1f}",
        f"{row.low:.1f}-{row.high:.1f}",
        _short(row.two_deviations),
        _short(row.verdict),
    )


def tests_table(results: Results, way: str) -> Table:
    """The unpaired t-tests."""
    lines = []
    for found in comparisons(results):
        pair = found.pair
        if pair.way != way:
            continue
        lines.append(
            (
                f"{_initials(pair.one)}, {_initials(pair.other)}",
                pair.measure,
                "alike" if pair.level is None else f"<{pair.level:g}",
                f"{found.paper_difference:+.1f}",
                p_text(found.paper_p),
                f"{found.difference:+.1f}",
                "" if found.p is None else p_text(found.p),
                _short(found.verdict),
            )
        )
    return Table(
        ("networks", "", "said", "paper", "p", "ours", "p", "verdict"),
        tuple(lines),
        f"Unpaired t-tests between networks, {way}",
        (0, 1, 2, 7),
    )


def _initials(network: str) -> str:
    """As in deep s., wide u.: tables are narrow."""
    size, kind = network.split("-")
    return f"{size} {kind[0]}."


def p_text(p: float) -> str:
    """A p-value: small ones only as small."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def claims_table(results: Results) -> Table:
    """What the text says."""
    return Table(
        ("the paper", "ours", "verdict"),
        tuple((claim.said, claim.ours, _short(claim.verdict)) for claim in claims(results)),
        "What the paper says of its results",
        (0, 1, 2),
    )


def notes(results: Results) -> list[str]:
    """What to say below the tables."""
    judged = rows(results)
    if not is_whole(results):
        return [
            f"Trials of {SCALES[results.scale].games:,} games are shown, not judged: the paper's "
            f"{PAPER_GAMES:,} are `--scale paper`."
        ]
    said = [match_words(judged)]
    trials = min(row.trials for row in judged)
    if trials < PAPER_TRIALS:
        said.append(f"The paper has {PAPER_TRIALS} trials of each network, this study {trials}.")
    said += [
        f"{plain(row.network)}, {row.way}, {row.measure}: {row.mean:.1f} ± {row.deviation:.1f} "
        f"where the paper has {row.published:.1f} ± {row.published_deviation:.1f}: {row.reason}."
        for row in judged
        if row.verdict == DIFFERS
    ]
    return said


def match_words(judged: Sequence[Row]) -> str:
    """How many figures agree, both ways of judging."""
    within, matching = counts(judged)
    return (
        f"{within} of {len(judged)} published figures of Tables II and III lie within two "
        f"published standard deviations of our means; {matching} of {len(judged)} cannot be told "
        "from ours by Welch's t-test at 5%."
    )


def as_json(results: Results) -> list[dict[str, Any]]:
    """All verdicts, for programs."""
    return [
        *({"metric": "win %", **row.as_json()} for row in rows(results)),
        *({"metric": "t-test", **found.as_json()} for found in comparisons(results)),
        *({"metric": "claim", **claim.as_json()} for claim in claims(results)),
    ]
