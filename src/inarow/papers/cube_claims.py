"""What the cube paper says in words of its results: t-tests, and what is to be seen in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from inarow.papers.cube import (
    BENCHMARK_TRAINING,
    END,
    MEASURES,
    PAPER_TRIALS,
    PEAK,
    PUBLISHED,
    SELF_PLAY,
    TABLE_I,
)
from inarow.papers.cube_verdicts import LEVEL, is_whole
from inarow.papers.page import list_text
from inarow.papers.results import DIFFERS, MATCHES, NOT_RUN, Results

Found = tuple[str, str, str, bool]  # what is said, where, ours, and whether it agrees
Cells = Mapping[tuple[str, str], Mapping[str, Any]]
Means = Mapping[tuple[str, str, str], float]

NEAR_ZERO = 10.0  # per cent: what "close to 0%" is read as
NEAR_MOST, NEAR_MOST_GAMES = 0.95, 400_000  # "near maximal performance after about 400,000"


@dataclass(frozen=True)
class Pair:
    """Two networks that the paper compares by an unpaired t-test."""

    way: str
    one: str
    other: str
    measure: str
    level: float | None  # the first is better, at this level; None: no difference was found


PAIRS = (
    Pair(BENCHMARK_TRAINING, "deep-structured", "deep-unstructured", PEAK, 0.01),
    Pair(BENCHMARK_TRAINING, "deep-structured", "deep-unstructured", END, LEVEL),
    Pair(BENCHMARK_TRAINING, "deep-unstructured", "wide-unstructured", PEAK, LEVEL),
    Pair(BENCHMARK_TRAINING, "deep-unstructured", "wide-unstructured", END, LEVEL),
    Pair(BENCHMARK_TRAINING, "small-structured", "small-unstructured", PEAK, None),
    Pair(BENCHMARK_TRAINING, "small-structured", "small-unstructured", END, None),
    Pair(SELF_PLAY, "deep-structured", "wide-unstructured", END, LEVEL),
)


@dataclass(frozen=True)
class Comparison:
    """Such a test, the paper's and ours."""

    pair: Pair
    paper_difference: float
    paper_p: float  # from the published means and deviations
    difference: float  # of our means
    p: float | None  # none with a single trial
    verdict: str

    def as_json(self) -> dict[str, Any]:
        """The row for programs."""
        return {**asdict(self.pair), **{k: v for k, v in asdict(self).items() if k != "pair"}}


def cells_of(results: Results) -> dict[tuple[str, str], dict[str, Any]]:
    """The rows by way and network."""
    return {(row["way"], row["network"]): row for row in results.rows}


def comparisons(results: Results) -> list[Comparison]:
    """Every comparison that the paper tests or calls significant."""
    cells = cells_of(results)
    return [_compare(pair, cells, is_whole(results)) for pair in PAIRS]


def _compare(pair: Pair, cells: Cells, whole: bool) -> Comparison:
    from scipy.stats import ttest_ind, ttest_ind_from_stats

    place = MEASURES.index(pair.measure)
    stated = [PUBLISHED[pair.way][network][place] for network in (pair.one, pair.other)]
    paper = ttest_ind_from_stats(
        stated[0].mean, stated[0].deviation, PAPER_TRIALS,
        stated[1].mean, stated[1].deviation, PAPER_TRIALS,
    )  # fmt: skip
    one, other = (cells[pair.way, network][pair.measure] for network in (pair.one, pair.other))
    difference = float(np.mean(one) - np.mean(other))
    p = float(ttest_ind(one, other).pvalue) if len(one) > 1 and np.ptp([*one, *other]) else None
    verdict = NOT_RUN
    if whole and p is not None:
        told_apart = p < (pair.level or LEVEL)
        agrees = not told_apart if pair.level is None else told_apart and difference > 0
        verdict = MATCHES if agrees else DIFFERS
    paper_difference = stated[0].mean - stated[1].mean
    return Comparison(pair, paper_difference, float(paper.pvalue), difference, p, verdict)


@dataclass(frozen=True)
class Claim:
    """A statement of the paper with ours beside it."""

    said: str
    source: str
    ours: str
    verdict: str

    def as_json(self) -> dict[str, Any]:
        """The row for programs."""
        return asdict(self)


def claims(results: Results) -> list[Claim]:
    """What the discussions say of Figures 3 and 4 and of the tables."""
    cells = cells_of(results)
    means = {
        (way, network, measure): float(np.mean(row[measure]))
        for (way, network), row in cells.items()
        for measure in MEASURES
    }
    found = (
        _starts(cells), _above_half(means), _order(means), _deep_first(means), _near_most(cells),
        _benchmark_better(means),
    )  # fmt: skip
    whole = is_whole(results)
    return [
        Claim(said, source, ours, (MATCHES if agrees else DIFFERS) if whole else NOT_RUN)
        for said, source, ours, agrees in found
    ]


def plain(network: str) -> str:
    """The name of a network in a sentence."""
    return network.replace("-", " ")


def _starts(cells: Cells) -> Found:
    first = [cells[SELF_PLAY, network]["curve"]["mean"][0] for network in TABLE_I]
    return (
        "all start close to 0%",
        "Fig. 3",
        f"first tests {min(first):.1f} to {max(first):.1f}%",
        max(first) < NEAR_ZERO,
    )


def _above_half(means: Means) -> Found:
    above = [network for network in TABLE_I if means[SELF_PLAY, network, END] > 50]
    return (
        "only deep structured ends above 50%",
        "Table II",
        f"above 50%: {list_text([plain(network) for network in above]) if above else 'none'}",
        above == ["deep-structured"],
    )


def _order(means: Means) -> Found:
    def ordered(values: Mapping[str, float]) -> list[str]:
        return sorted(TABLE_I, key=lambda network: -values[network])

    theirs = ordered({network: PUBLISHED[SELF_PLAY][network][1].mean for network in TABLE_I})
    ours = ordered({network: means[SELF_PLAY, network, END] for network in TABLE_I})
    return (
        f"self-play, best first: {list_text([plain(network) for network in theirs])}",
        "Fig. 3",
        ", ".join(plain(network) for network in ours),
        ours == theirs,
    )


def _deep_first(means: Means) -> Found:
    def both(measure: str) -> bool:
        values = {network: means[BENCHMARK_TRAINING, network, measure] for network in TABLE_I}
        deep = [value for network, value in values.items() if network.startswith("deep")]
        others = [value for network, value in values.items() if not network.startswith("deep")]
        return min(deep) > max(others)

    holding = [measure for measure in MEASURES if both(measure)]
    return (
        "trained by the benchmark, the deep ones are best",
        "Table III",
        f"holds for {list_text(holding)}" if holding else "holds for neither peak nor end",
        len(holding) == len(MEASURES),
    )


def _near_most(cells: Cells) -> Found:
    shares = {}
    for network in TABLE_I:
        curve = cells[BENCHMARK_TRAINING, network]["curve"]
        reached = [
            mean
            for games, mean in zip(curve["games"], curve["mean"], strict=True)
            if games <= NEAR_MOST_GAMES
        ]
        shares[network] = max(reached) / max(curve["mean"])
    least = min(shares, key=lambda network: shares[network])
    return (
        f"near maximal after about {NEAR_MOST_GAMES:,} games",
        "Fig. 4",
        f"{100 * shares[least]:.0f}% of their best or more ({plain(least)} is the last)",
        shares[least] >= NEAR_MOST,
    )


def _benchmark_better(means: Means) -> Found:
    gains = [
        means[BENCHMARK_TRAINING, network, END] - means[SELF_PLAY, network, END]
        for network in TABLE_I
    ]
    return (
        "far better trained by the benchmark than by themselves",
        "Tables II, III",
        f"{min(gains):.0f} to {max(gains):.0f} points better at the end",
        min(gains) > 10,
    )
