"""What the cube paper publishes, and how each number and claim is tested."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from inarow.game import game as game_of
from inarow.lab.statistics import student
from inarow.learn.mlp.network import NETWORKS, network_of
from inarow.papers.claims import (
    Claim,
    ClaimTest,
    Column,
    Exactly,
    Means,
    above,
    below,
    between,
    equal,
    mean_of,
    two_sided,
)
from inarow.papers.cube import exact
from inarow.papers.cube.readings import other_readings, under_reading
from inarow.papers.cube.study import (
    BENCHMARK,
    DEEP,
    GAMES,
    OTHERS,
    PUBLISHED,
    SELF_PLAY,
    TRIALS,
)
from inarow.papers.measures import (
    Data,
    Label,
    Measure,
    Measured,
    computed,
    curve,
    exactly,
    final,
    from_count,
    from_values,
    of_row,
    subtract,
)
from inarow.papers.published import MEASURED, Entry

# Measures


def won(regime: str) -> Measure:
    """Return the per cent won in a regime; the label `measure` says whether at peak or end."""
    return Measure(lambda data, measure, **labels: final(measure, regime=regime)(data, **labels))


@Measure
def late_mistakes(data: Data, learner: Label = "", **_: Label) -> Measured | None:
    """Return the per cent of the judged moves late in the game, by trial."""
    row = data.row(part="endings", learner=learner)
    if row is None:
        return None
    pairs = zip(row["finals"]["mistakes"], row["finals"]["judged"], strict=True)
    shares = [100 * mistakes / judged for mistakes, judged in pairs if judged]
    return from_values(shares) if shares else None


def late_total(name: str) -> Measure:
    """Return a count of late moves over all trials."""
    return of_row(lambda row: exactly(sum(row["finals"][name])), part="endings")


@Measure
def states_at_least(data: Data, **_: Label) -> Measured | None:
    """Return a lower bound on the states, with the interval of the sample."""
    found = data.fact(part="states")
    if not found:
        return None
    return from_count(found["states"], found["samples"]).times(found["fillings"] / 100)


def smallest_gap(found: Sequence[Measured]) -> Measured:
    """Return the smallest difference of neighbours in a ranking, in standard errors."""
    gaps = [subtract(high, low) for low, high in pairwise(found)]
    return min(gaps, key=lambda gap: gap.mean / (gap.stderr or 1e-9))


def detectable(entry: Entry, measure: str, one: str, other: str) -> float:
    """Return the least difference that the paper's own t-test would have called significant."""
    deviations = (entry.numbers[measure][network]["deviation"] for network in (one, other))
    return student(2 * TRIALS - 2) * math.hypot(*deviations) / math.sqrt(TRIALS)


def t_test(entry: Entry, measure: str, one: str, other: str) -> float:
    """Return the p-value of the paper's own unpaired t-test between two networks."""
    found = [entry.numbers[measure][network] for network in (one, other)]
    means, deviations = ([n[what] for n in found] for what in ("mean", "deviation"))
    score = (means[0] - means[1]) / (math.hypot(*deviations) / math.sqrt(TRIALS))
    return two_sided(score, 2 * TRIALS - 2)


def distance(column: Column) -> Measure:
    """Return how far ours is from a table's numbers on the average, in points."""

    def measure(data: Data, **labels: Label) -> Measured | None:
        pairs = (
            (number, column.measure(data, **dict(zip(column.labels, path, strict=True)), **labels))
            for path, number in column.entry.leaves()
        )
        away = [abs(mean_of(number)[0] - ours.mean) for number, ours in pairs if ours is not None]
        return exactly(float(np.mean(away))) if away else None

    return Measure(measure)


# Numbers

LABELS, TEST = ("measure", "network"), Means(TRIALS, least=0, most=100)


@Measure
def weights(_: Data, network: str, **__: Label) -> Measured:
    """Return the number of a network's weights."""
    return exactly(network_of(game_of("cube"), network).weights)


TABLE_1 = Column(PUBLISHED["table-1"], ("network",), weights, Exactly())
TABLE_2 = Column(PUBLISHED["table-2"], LABELS, won(SELF_PLAY), TEST)
TABLE_3 = Column(PUBLISHED["table-3"], LABELS, won(BENCHMARK), TEST)

# Claims that some networks are above others

SMALL, SMALL_U, DEEP_U, WIDE = OTHERS
SHALLOW = (SMALL, SMALL_U, WIDE)
ABOVE = {  # entry: regime, measure, the better networks, the others
    "strongest-self-play-end": (SELF_PLAY, "end", (DEEP,), OTHERS),
    "strongest-self-play-peak": (SELF_PLAY, "peak", (DEEP,), OTHERS),
    "strongest-benchmark-end": (BENCHMARK, "end", (DEEP,), OTHERS),
    "strongest-benchmark-peak": (BENCHMARK, "peak", (DEEP,), OTHERS),
    "second-layer-benchmark": (BENCHMARK, "end", (DEEP,), (SMALL,)),
    "more-units-self-play": (SELF_PLAY, "end", (WIDE,), (SMALL_U,)),
    "more-units-benchmark": (BENCHMARK, "end", (WIDE,), (SMALL_U,)),
    "unstructured-layers-self-play": (SELF_PLAY, "end", (WIDE,), (DEEP_U,)),
    "above-the-second": (SELF_PLAY, "end", (DEEP,), (WIDE,)),
    "small-structured-above-deep": (SELF_PLAY, "end", (SMALL,), (DEEP_U,)),
    "poorest": (SELF_PLAY, "end", (DEEP, SMALL, DEEP_U, WIDE), (SMALL_U,)),
    "deep-ones-end": (BENCHMARK, "end", (DEEP, DEEP_U), SHALLOW),
    "deep-ones-peak": (BENCHMARK, "peak", (DEEP, DEEP_U), SHALLOW),
    "structured-peak": (BENCHMARK, "peak", (DEEP,), (DEEP_U,)),
    "structured-end": (BENCHMARK, "end", (DEEP,), (DEEP_U,)),
    "deep-above-wide-peak": (BENCHMARK, "peak", (DEEP_U,), (WIDE,)),
    "deep-above-wide-end": (BENCHMARK, "end", (DEEP_U,), (WIDE,)),
}

# The others

END, WON = final("end"), curve("won")
IN_SELF_PLAY, IN_BENCHMARK = END.where(regime=SELF_PLAY), END.where(regime=BENCHMARK)
LATE = PUBLISHED.value("near-maximal")
GAIN = WON.at(GAMES) - WON.at(LATE)
EARLIER = WON.at(200_000).where(regime=SELF_PLAY)
FIRST_TEST = WON.at(10_000).where(regime=SELF_PLAY)
EARLY = (WON.at(100_000) - WON.at(10_000)).where(regime=SELF_PLAY)
MORE = END.where(part="detectors", detectors=8) - END.where(part="detectors", detectors=4)
UNSEEN = detectable(TABLE_2.entry, "end", DEEP, DEEP)
LAYERS = PUBLISHED["table-1-layers"]


def alike(measure: str) -> ClaimTest:
    """Test whether the small networks differ less than the paper's own test would detect."""
    least = detectable(TABLE_3.entry, measure, SMALL, SMALL_U)
    ours = final(measure, regime=BENCHMARK)
    return between(ours.where(network=SMALL) - ours.where(network=SMALL_U), -least, least)


def same_layers() -> int:
    """Count the networks whose layers are as large as Table I says."""
    return sum(exact.layers(name) == sizes for (name,), sizes in LAYERS.leaves())


def t_tests(measure: str) -> ClaimTest:
    """Test the p-value of the paper's t-test between the deep networks in benchmark training."""
    return below(computed(lambda: t_test(TABLE_3.entry, measure, DEEP, DEEP_U)))


found: dict[str, ClaimTest] = {
    **{
        name: final(what, regime=regime).apart(by="network", higher=up, lower=down)
        for name, (regime, what, up, down) in ABOVE.items()
    },
    "table-1-layers": above(computed(same_layers), 4.5),
    "second-layer-self-play": above(
        IN_SELF_PLAY.where(network=DEEP) - IN_SELF_PLAY.where(network=SMALL), 10
    ),
    "states": above(states_at_least),
    "lines": equal(computed(lambda: len(game_of("cube").lines))),
    "straight-lines": equal(computed(lambda: exact.lines_across(1))),
    "plane-diagonals": equal(computed(lambda: exact.lines_across(2))),
    "space-diagonals": equal(computed(lambda: exact.lines_across(3))),
    "four-detectors": below(MORE, UNSEEN),
    "starts-near-zero": below(FIRST_TEST.highest(network=NETWORKS), 10),
    "learning-at-once": above(EARLY.lowest(network=NETWORKS), 0),
    "clearly-distinguished": above(IN_SELF_PLAY.among(smallest_gap, network=NETWORKS), 1),
    "learns-faster": EARLIER.apart(by="network", higher=[DEEP], lower=OTHERS),
    "above-half": above(IN_SELF_PLAY.where(network=DEEP)),
    "only-above-half": below(IN_SELF_PLAY.where(network=WIDE)),
    "closer-together": above(
        IN_SELF_PLAY.spread(network=NETWORKS) - IN_BENCHMARK.spread(network=NETWORKS), 0
    ),
    "near-maximal": above(
        (WON.at(LATE) / END).where(regime=BENCHMARK).lowest(network=NETWORKS), 0.95
    ),
    "improve-longer": GAIN.where(regime=BENCHMARK).apart(
        by="network", higher=[DEEP, SMALL], lower=[SMALL_U, DEEP_U, WIDE]
    ),
    "all-outperform": above(IN_BENCHMARK.lowest(network=NETWORKS)),
    **{f"t-test-{what}": t_tests(what) for what in ("peak", "end")},
    **{f"small-alike-{what}": alike(what) for what in ("peak", "end")},
    "far-better": above((IN_BENCHMARK - IN_SELF_PLAY).lowest(network=NETWORKS), 10),
    "target": above(END.where(part="best", learner="longer")),
    "more-detectors": above(MORE, 0),
}


def claim(entry: Entry, test: ClaimTest) -> Claim:
    """Return a claim; one that rests on the paper's trials is judged under a reading of the text.

    Where it differs, the reason is what it is under the other readings.
    """
    if entry.part or entry.class_ != MEASURED:
        return Claim(entry, test)
    return Claim(entry, under_reading(test), other_readings(test, entry))


CLAIMS = {
    name: claim(entry, found[name]) for name, entry in PUBLISHED.entries.items() if name in found
}
