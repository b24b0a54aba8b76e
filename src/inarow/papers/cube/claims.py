"""What the cube paper publishes, and how each number and claim is tested."""

from __future__ import annotations

from functools import partial

from inarow.game import game as game_of
from inarow.learn.mlp.network import network_of
from inarow.papers.claims import Claim, ClaimTest, Column, above, apart, below, between, equal
from inarow.papers.cube import extra, states
from inarow.papers.cube.extra import highest, lowest, smallest_gap
from inarow.papers.cube.runs import BENCHMARK, DEEP, GAMES, OTHERS, PUBLISHED, SELF_PLAY, TRIALS
from inarow.papers.measures import Measure, computed, curve_at, difference, exactly, final, ratio
from inarow.papers.number_tests import Exactly, Means
from inarow.papers.published import Entry
from inarow.papers.verdicts import OURS

take = PUBLISHED.take

# Numbers

LABELS, TEST = ("measure", "network"), Means(TRIALS, least=0, most=100)
TABLE_1 = Column(
    take("table-1"),
    ("network",),
    lambda data, network, **_: exactly(network_of(game_of("cube"), network).weights),
    Exactly(),
)
TABLE_2 = Column(take("table-2"), LABELS, extra.won(SELF_PLAY), TEST, digits=1)
TABLE_3 = Column(take("table-3"), LABELS, extra.won(BENCHMARK), TEST, digits=1)
LAYERS = take("table-1-layers")

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

END, at = final("end"), partial(curve_at, "won")
self_play, benchmark = partial(final, regime=SELF_PLAY), partial(final, regime=BENCHMARK)
LATE = take("near-maximal")
gain = difference(at(GAMES), at(LATE.value))


def alike(measure: str) -> ClaimTest:
    """The small networks' difference is less than the least that the paper's test would see."""
    least = extra.least_seen(TABLE_3.entry, measure, SMALL, SMALL_U, TRIALS)
    ours = difference(benchmark(measure, network=SMALL), benchmark(measure, network=SMALL_U))
    return between(ours, -least, least)


def spread(regime: str) -> Measure:
    """Of the networks' ends."""
    return difference(highest(END, regime=regime), lowest(END, regime=regime))


def points(name: str, test: ClaimTest, part: str = "") -> Claim:
    """A claim of a difference in per cent."""
    return Claim(take(name), test, "points", 1, part=part)


ENDS = self_play("end", network=DEEP)
MORE = difference(*(final("end", part="detectors", detectors=number) for number in (8, 4)))
UNSEEN = extra.least_seen(TABLE_2.entry, "end", DEEP, DEEP, TRIALS)
EARLY = difference(at(100_000), at(10_000))
found = [
    *(
        points(name, apart(final(what), "network", up, down, regime=regime))
        for name, (regime, what, up, down) in ABOVE.items()
    ),
    Claim(
        LAYERS,
        above(
            computed(
                lambda: sum(extra.layers(name) == sizes for (name,), sizes in LAYERS.leaves())
            ),
            4.5,
        ),
        "of 5 networks",
    ),
    points("second-layer-self-play", above(difference(ENDS, self_play("end", network=SMALL)), 10)),
    Claim(take("states"), above(states.at_least), "states or more", part="states"),
    Claim(take("lines"), equal(computed(lambda: len(game_of("cube").lines))), "rows"),
    Claim(take("straight-lines"), equal(computed(lambda: extra.lines_across(1))), "rows"),
    Claim(take("plane-diagonals"), equal(computed(lambda: extra.lines_across(2))), "rows"),
    Claim(take("space-diagonals"), equal(computed(lambda: extra.lines_across(3))), "rows"),
    points("four-detectors", below(MORE, UNSEEN), "detectors"),
    Claim(take("starts-near-zero"), below(highest(at(10_000), regime=SELF_PLAY), 10), "%", 1),
    points("learning-at-once", above(lowest(EARLY, regime=SELF_PLAY), 0)),
    points("clearly-distinguished", above(smallest_gap(END, regime=SELF_PLAY), 1)),
    points("learns-faster", apart(at(200_000), "network", (DEEP,), OTHERS, regime=SELF_PLAY)),
    Claim(take("above-half"), above(ENDS), "%", 1),
    Claim(take("only-above-half"), below(self_play("end", network=WIDE)), "%", 1),
    points("closer-together", above(difference(spread(SELF_PLAY), spread(BENCHMARK)), 0)),
    Claim(LATE, above(lowest(ratio(at(LATE.value), END), regime=BENCHMARK), 0.95), "", 3),
    points(
        "improve-longer",
        apart(gain, "network", (DEEP, SMALL), (SMALL_U, DEEP_U, WIDE), regime=BENCHMARK),
    ),
    Claim(take("all-outperform"), above(lowest(END, regime=BENCHMARK)), "%", 1),
    points("small-alike-peak", alike("peak")),
    points("small-alike-end", alike("end")),
    points("far-better", above(lowest(difference(benchmark("end"), self_play("end"))), 10)),
]
TARGET = Entry("target", "ours", text="a self-play learner wins 80%", value=80)
HIGHER = Entry("more-detectors", "ours", text="self-play: eight detectors per row end above four")
CLAIMS = (
    *sorted(found, key=lambda claim: list(PUBLISHED.entries).index(claim.entry.name)),
    Claim(TARGET, above(final("end", part="best", learner="longer")), "%", 1, "", "best", OURS),
    Claim(HIGHER, above(MORE, 0), "points", 1, "", "detectors", OURS),
)
