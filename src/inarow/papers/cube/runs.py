"""What is run of the cube paper: ten conditions, variants of them, and self-play learners of ours.

Base: the benchmark player keeps one order of the columns for a game, and the learner moves first
in tests and in benchmark training.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from inarow.lab.store import Store
from inarow.learn.mlp.network import NETWORKS
from inarow.learn.schedule import falling
from inarow.papers.cube import extra, states
from inarow.papers.published import Published
from inarow.papers.results import Stored
from inarow.papers.study import PAPER as PAPER_SCALE
from inarow.papers.study import QUICK, Condition, Part
from inarow.papers.variants import Variant, Variants, read_variants

FOLDER = Path(__file__).parent
PUBLISHED = Published(FOLDER / "published.toml")
value = PUBLISHED.value

SELF_PLAY, BENCHMARK = REGIMES = ("self-play", "benchmark training")
DEEP, OTHERS = "deep-structured", tuple(name for name in NETWORKS if name != "deep-structured")
TRIALS, GAMES, EVERY = value("trials"), value("games"), value("test-every")
TEST_GAMES = value("test-games")
read = partial(extra.read, end_share=value("end-tests") * EVERY / GAMES)
GAME, MOVE = "benchmark@game", "benchmark@random"  # an order for each game, for each move
FIRST = ("first",)
FIRST_TEST = [f"games:{GAME}:{TEST_GAMES}:first"]
LENGTHS = {QUICK: (10_000, 1_000), PAPER_SCALE: (GAMES, EVERY)}  # a trial, between two tests


def parameters(
    network: str, regime: str, length: tuple[int, int], tests: list[str], against: str = GAME,
    **changes: object,
) -> Stored:  # fmt: skip
    """A trial; options of the learner where it is not the base."""
    return {
        "game": "cube", "learner": "mlp", "against": None if regime == SELF_PLAY else against,
        "games": length[0], "evaluate_every": length[1], "evaluations": tests,
        "network": network, **changes,
    }  # fmt: skip


def conditions(scale: str) -> list[Condition]:
    """The paper's ten."""
    length = LENGTHS[scale]
    return [
        Condition({"regime": by, "network": net}, parameters(net, by, length, FIRST_TEST))
        for by in REGIMES
        for net in NETWORKS
    ]


# Variants

ALL, FOR_SMALL = read_variants(FOLDER / "variants.toml").values()  # some for one network alone
VARIANTS = Variants((*ALL, *FOR_SMALL))
SMALL, SELF_PLAY_ONLY = ("small-structured",), ("no biases, other tests", "exact, other tests")
SLOWEST = "deep-unstructured"  # a part of its own, since it takes as long as all the others
VARIANT_LENGTHS = {QUICK: (2_000, 1_000), PAPER_SCALE: (GAMES, EVERY)}
BY_NAME = {variant.name: variant for variant in VARIANTS.all}


def read_variant(store: Store, config: int, runs: int, condition: Condition) -> Stored:
    """Of a variant those of its tests that count."""
    changes = BY_NAME[str(condition.labels["variant"])].changes
    against = changes.get("against", GAME)
    tests = [f"as {side} against {against}" for side in changes.get("sides", FIRST)]
    return read(store, config, runs, condition, tests=tests)


def variant_condition(variant: Variant, regime: str, network: str, scale: str) -> Condition:
    """In self-play, whom it is tested against changes nothing in training: trials are shared."""
    changes = dict(variant.changes)
    against, sides = changes.pop("against", GAME), changes.pop("sides", FIRST)
    if regime == BENCHMARK and len(sides) > 1:
        changes["side"] = "both"
    tested = (GAME, MOVE) if regime == SELF_PLAY else (against,)
    tests = [f"sides:{player}:{TEST_GAMES}" for player in tested]
    return Condition(
        {"regime": regime, "network": network, "variant": variant.name},
        parameters(network, regime, VARIANT_LENGTHS[scale], tests, against, **changes),
    )


def variant_conditions(scale: str, slowest: bool) -> list[Condition]:
    """Some variants were tried for one network alone, or in self-play alone."""
    return [
        variant_condition(variant, regime, network, scale)
        for variant in VARIANTS.all
        for regime in (REGIMES[:1] if variant.name in SELF_PLAY_ONLY else REGIMES)
        for network in (SMALL if variant in FOR_SMALL else NETWORKS)
        if (network == SLOWEST) == slowest
    ]


# Self-play learners of ours, tested on both sides against an order drawn for each move

SAFE = {"learner": "mlp", "shield": "safe"}
SHORT = 80_000  # games such that most trials take about as long, half a minute or less


def n_tuple(name: str, about: str, games: int = SHORT, **changes: object) -> Variant:
    """An n-tuple network with the learner's defaults for all that is not said here."""
    options = {
        "learner": "ntuple", "tuples": 60, "length": 7, "average_every": games // 200,
        "alpha": str(falling(0.6, 0.06, games)), "epsilon": str(falling(0.1, 0.02, games)),
    }  # fmt: skip
    return Variant(name, about, {**options, "games": games, **changes})


LEARNERS = Variants((
    n_tuple("n-tuples", "60 tuples of 7 cells; symmetries, lambda, weight averaging, safe shield; "
            "alpha falls from 0.6 to 0.06, epsilon from 0.1 to 0.02"),
    n_tuple("longer", "n-tuples with three times the games", 3 * SHORT),
    n_tuple("no schedules", "n-tuples with constant alpha 0.2 and epsilon 0.1",
            alpha="0.2", epsilon="0.1"),
    n_tuple("no discount", "n-tuples with gamma 1", gamma=1.0),
    n_tuple("last weights", "n-tuples without weight averaging", average=0.0),
    n_tuple("no lambda", "n-tuples with lambda 0", trace_decay=0.0),
    n_tuple("no symmetry", "n-tuples without symmetries: each tuple is placed only once",
            symmetric=False),
    n_tuple("no shield", "n-tuples without the shield", shield=False),
    Variant("paper's best", "the deep structured network, as in the tables",
            {"learner": "mlp", "games": 200_000}),
    Variant("safe shield", "the same, shielded by all of the benchmark player's rules",
            {**SAFE, "games": 100_000}),
    Variant("two structured layers",
            "“safe shield” with a second structured layer: lines:4,lines:2,32",
            {**SAFE, "games": 50_000, "network": "lines:4,lines:2,32"}),
    Variant("shared weights",
            "“safe shield” with weights shared across the cube's eight symmetries",
            {**SAFE, "games": 20_000, "sharing": "equivariant"}),
), "best")  # fmt: skip


def learner_conditions(scale: str) -> list[Condition]:
    """A hundredth of the games at the quick scale."""
    tests = 4 if scale == QUICK else 25
    return [
        learner_condition(learner, scale, [f"games:{MOVE}:{TEST_GAMES}"], tests)
        for learner in LEARNERS.all
    ]


def learner_condition(
    learner: Variant, scale: str, evaluations: list[str], tests: int = 1
) -> Condition:
    """A learner of ours, evaluated so many times."""
    games = round(learner.changes["games"] * (0.01 if scale == QUICK else 1.0))
    return Condition(
        {"learner": learner.name, "games": games},
        {
            "game": "cube", **learner.changes, "games": games,
            "evaluate_every": games // tests, "evaluations": evaluations,
        },
    )  # fmt: skip


# Mistakes late in the game, which the solver judges: of a few learners, at the end of training

JUDGED, STONES = ("n-tuples", "safe shield"), 32
JUDGED_GAMES = {QUICK: 1, PAPER_SCALE: 20}  # against itself, for each trial


def ending_conditions(scale: str) -> list[Condition]:
    """Trained as for the comparison of learners, without its tests."""
    evaluations = [f"endings:{JUDGED_GAMES[scale]}:{STONES}"]
    return [
        replace(learner_condition(learner, scale, evaluations), group=learner.name)
        for learner in LEARNERS.all
        if learner.name in JUDGED
    ]


# More detectors: twice as many

DETECTORS, DETECTOR_LENGTHS = (4, 8), {QUICK: (2_000, 1_000), PAPER_SCALE: (GAMES, EVERY)}
SAMPLES = {QUICK: 20_000, PAPER_SCALE: 200_000}


def detector_conditions(scale: str) -> list[Condition]:
    """The deep structured network with four detectors for each line, and with eight."""
    return [
        Condition(
            {"detectors": number},
            parameters(f"lines:{number},32", SELF_PLAY, DETECTOR_LENGTHS[scale], FIRST_TEST),
        )
        for number in DETECTORS
    ]


LONG = (PAPER_SCALE,)  # shorter trials say nothing of the paper's
PARTS = (
    Part("all", "Tables I to III, Figures 3 and 4", conditions, {QUICK: 2, PAPER_SCALE: TRIALS},
         partial(read, curve=True), judged=LONG),
    Part("variants", "what the paper leaves open, one thing changed at a time",
         partial(variant_conditions, slowest=False), {QUICK: 1, PAPER_SCALE: 5}, read_variant,
         judged=LONG),
    Part(f"variants-{SLOWEST}", "the same for the deep unstructured network",
         partial(variant_conditions, slowest=True), {QUICK: 1, PAPER_SCALE: 5}, read_variant,
         judged=LONG, joins="variants"),
    Part("detectors", "four and eight detectors per line, deep structured in self-play",
         detector_conditions, {QUICK: 1, PAPER_SCALE: TRIALS}, read, judged=LONG),
    Part("states", "a lower bound on the number of states of the game", (),
         {QUICK: 1, PAPER_SCALE: 1},
         facts=lambda request: states.estimate(SAMPLES[request.scale], request.seed or 0)),
    Part("best", "which self-play learner plays best", learner_conditions,
         {QUICK: 1, PAPER_SCALE: TRIALS}, read, judged=LONG),
    Part("endings", "mistakes of self-play learners late in the game, found by the solver",
         ending_conditions, {QUICK: 1, PAPER_SCALE: TRIALS},
         partial(extra.read_endings, stones=STONES), judged=LONG),
)  # fmt: skip
