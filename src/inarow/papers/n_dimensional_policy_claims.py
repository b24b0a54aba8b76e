"""Every claim of the n-dimensional paper about its policy gradient, held against both versions.

The figures' points are not written out, so what the text says of them is judged. Each claim is
given a range in which ours agrees with it, and matches if our 95% interval reaches into it; with
fewer than ten runs there is no verdict. Below stand the bars that this project set itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

from inarow.papers.n_dimensional_claims import Claim, Row, judge
from inarow.papers.n_dimensional_exact import MOST_WINS, PLAIN
from inarow.papers.n_dimensional_measures import Measure, Measured, difference
from inarow.papers.n_dimensional_policy import (
    ALONE,
    CUBE,
    DESCRIBED,
    FIVE,
    FOUR,
    LINE_TD,
    PLANE,
    SARSA,
    SOUND,
    row_of,
    seconds_of,
)
from inarow.papers.results import Results

VERSIONS = (DESCRIBED, SOUND)
PLANE_GAMES, CUBE_GAMES, FOUR_GAMES = 20_000, 20_000, 100_000
HOURS = 21.0
LEAST_RUNS, TOO_FEW = 10, "too few runs"  # for a verdict
ABOVE = 0.001  # more than nothing
OURS_IS_BETTER = "the sound version does not struggle: it wins nearly all games"
COMPILED = (
    "ours is one compiled loop on one core; what the paper's program spent its time on is not known"
)


def share(
    variant: str, board: str, games: int, opponent: str = "advanced", end: str = "won"
) -> Measure:
    """A mean share of games after so many games of training."""
    return _at(variant, board, games, lambda row: row["shares"][opponent][end])


def lines(variant: str, board: str, games: int, opponent: str = "advanced") -> Measure:
    """How many lines a game the agent is ahead."""
    return _at(variant, board, games, lambda row: row["lines"][opponent])


def _at(variant: str, board: str, games: int, column: Callable[[Any], Any]) -> Measure:
    def measure(results: Results) -> Measured | None:
        row = row_of(results, board, variant)
        if row is None or games not in row["games"]:
            return None
        mean, stderr, low, high = column(row)[row["games"].index(games)]
        return Measured(mean, stderr, low, high, row["runs"])

    return measure


def best_share(results: Results) -> Measured:
    """The most wins against random in two dimensions, over both seats, exactly."""
    won = [
        float(Fraction(row["won"]))
        for row in results.facts["ceilings"]
        if (row["board"], row["opponent"], row["aim"]) == (PLAIN, "random", MOST_WINS)
    ]
    return Measured(100 * sum(won) / len(won), 0.0)


def hours(variant: str) -> Measure:
    """CPU-hours of the training in four dimensions."""

    def measure(results: Results) -> Measured | None:
        seconds = seconds_of(results, FOUR, variant, FOUR_GAMES)
        return None if seconds is None else Measured(seconds / 3600)

    return measure


def seven_seconds(results: Results) -> Measured:
    """A move on 3^7, with the score."""
    return Measured(float(results.facts["seven"]["seconds_a_move"]))


def _gain(variant: str, board: str, before: int, after: int, opponent: str) -> Measure:
    return difference(
        share(variant, board, after, opponent), share(variant, board, before, opponent)
    )


def _plane_claims(variant: str) -> list[Claim]:
    won = share(variant, PLANE, PLANE_GAMES, "random")
    return [
        Claim(
            "2-D: gain, 1k to 20k", "Fig. 9", "improves", "more wins against random",
            _gain(variant, PLANE, 1_000, PLANE_GAMES, "random"), ABOVE, reason="it does not",
        ),
        Claim(
            "2-D: below best, 20k", "Fig. 9", "not converged", "1% or more",
            difference(best_share, won), 1.0, reason="it has",
        ),
        Claim(
            "2-D: SARSA ahead, 20k", "V", "much faster", "more wins against random",
            difference(share(SARSA, PLANE, PLANE_GAMES, "random"), won), ABOVE,
            reason="it is not",
        ),
        Claim(
            "2-D: won, 20k", "IV", "most games", "more than half, against random", won, 50.0,
            reason="it does not learn enough",
        ),
    ]  # fmt: skip


def _cube_claims(variant: str) -> list[Claim]:
    random, advanced = (share(variant, CUBE, CUBE_GAMES, name) for name in ("random", "advanced"))
    return [
        Claim(
            "3-D less 2-D, random", "Fig. 9, 10", "does better", "more wins",
            difference(random, share(variant, PLANE, PLANE_GAMES, "random")), ABOVE,
            reason="it does not",
        ),
        Claim(
            "3-D: random ahead", "Fig. 10, 11", "a bit more", "more wins against random",
            difference(random, advanced), ABOVE, reason="it wins as often against advanced",
        ),
        Claim(
            "3-D: gain, 1k to 5k", "Fig. 11", "improvement", "more wins against advanced",
            _gain(variant, CUBE, 1_000, 5_000, "advanced"), ABOVE, reason="it does not",
        ),
        Claim(
            "3-D: gain, 5k to 20k", "V", "better", "more wins against advanced",
            _gain(variant, CUBE, 5_000, CUBE_GAMES, "advanced"), ABOVE,
            reason="it no longer improves",
        ),
        Claim(
            "3-D: won, advanced", "VI", "acceptable", "more than half", advanced, 50.0,
            reason="it does not learn enough",
        ),
        Claim(
            "3-D: won, random", "VI", "decently", "more than half, trained on advanced",
            random, 50.0, reason="it does not learn enough",
        ),
        Claim(
            "3-D: propagation, 20k", "IV", "better", "more wins against advanced",
            difference(
                share(variant, CUBE, CUBE_GAMES), share(variant + ALONE, CUBE, CUBE_GAMES)
            ), ABOVE, reason="it does not gain",
        ),
    ]  # fmt: skip


def _four_claims(variant: str) -> list[Claim]:
    random, advanced = (share(variant, FOUR, FOUR_GAMES, name) for name in ("random", "advanced"))
    return [
        Claim(
            "4-D: won, advanced", "Fig. 13", "not enough", "at most half", advanced,
            high=50.0, reason=OURS_IS_BETTER,
        ),
        Claim(
            "4-D: random ahead", "Fig. 12, 13", "especially", "more wins against random",
            difference(random, advanced), ABOVE, reason="it wins as often against advanced",
        ),
        Claim(
            "4-D: hours for 100k", "V", HOURS, "within a factor of 2", hours(variant), HOURS / 2,
            2 * HOURS, "hours", COMPILED,
        ),
    ]  # fmt: skip


SEVEN_CLAIM = Claim(
    "7-D: seconds a move", "I", "instantly", "under 0.1, score kept", seven_seconds,
    high=0.1, unit="seconds", reason="it is slower",
)  # fmt: skip


class Judged(NamedTuple):
    """A claim with both versions beside it; the second is None where there is but one."""

    described: Row
    sound: Row | None


def _judge(claim: Claim, results: Results) -> Row:
    """As `judge`, but the wide interval of a few runs would agree with anything."""
    row = judge(claim, claim.measure(results))
    few = 0 < row.runs < LEAST_RUNS
    return replace(row, verdict=TOO_FEW, reason="") if few else row


def rows(results: Results) -> list[Judged]:
    """All claims, judged."""
    claims = [
        [*_plane_claims(version), *_cube_claims(version), *_four_claims(version)]
        for version in VERSIONS
    ]
    judged = [
        Judged(*(_judge(claim, results) for claim in pair)) for pair in zip(*claims, strict=True)
    ]
    return [*judged, Judged(judge(SEVEN_CLAIM, SEVEN_CLAIM.measure(results)), None)]


@dataclass(frozen=True)
class Bar:
    """What this project asked of itself, and what came of it."""

    asked: str
    board: str
    variant: str
    games: int  # of training
    least: float
    mean: float | None
    low: float | None
    high: float | None
    runs: int
    seconds: float | None  # CPU time of the training

    @property
    def met(self) -> bool | None:
        """Whether it was reached; None where nothing was measured."""
        return None if self.mean is None else self.mean >= self.least


class _Asked(NamedTuple):
    said: str
    measure: Measure
    board: str
    variant: str
    games: int
    least: float


WON = "% won, {}"
BARS = (
    _Asked(
        WON.format("advanced"), share(SOUND, CUBE, 500_000), CUBE, SOUND, 500_000, 97.0,
    ),
    _Asked(
        WON.format("advanced"), share(SOUND, FOUR, FOUR_GAMES), FOUR, SOUND, FOUR_GAMES, 99.5,
    ),
    _Asked("lines ahead, advanced", lines(LINE_TD, FOUR, 20_000), FOUR, LINE_TD, 20_000, 35.0),
    _Asked(
        WON.format("greedy-lines"), share(LINE_TD, FIVE, 2_000, "greedy-lines"), FIVE, LINE_TD,
        2_000, 90.0,
    ),
)  # fmt: skip


def bars(results: Results) -> list[Bar]:
    """Each with what was measured."""
    found = []
    for said, measure, board, variant, games, least in BARS:
        ours, seconds = measure(results), seconds_of(results, board, variant, games)
        start = (said, board, variant, games, least)
        if ours is None:
            found.append(Bar(*start, None, None, None, 0, seconds))
        else:
            found.append(Bar(*start, ours.mean, ours.low, ours.high, ours.runs, seconds))
    return found


def as_json(results: Results) -> list[dict[str, Any]]:
    """All for programs."""
    claims = [
        {"version": version, **row.as_json()}
        for pair in rows(results)
        for version, row in zip(VERSIONS, pair, strict=True)
        if row is not None
    ]
    return claims + [{**asdict(bar), "met": bar.met} for bar in bars(results)]
