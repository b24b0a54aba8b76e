"""What is run of the cube paper: ten conditions, variants of them, and self-play learners of ours.

Base: the benchmark player keeps one order of the columns for a game, and the learner moves first
in tests and in benchmark training.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

import numpy as np

from inarow.engine.board import Int64s
from inarow.lab.statistics import Floats
from inarow.learn.mlp.network import NETWORKS
from inarow.learn.options import falling
from inarow.papers.cube.exact import estimate
from inarow.papers.measures import ResultRow, mean_and_error
from inarow.papers.published import Published
from inarow.papers.study import PAPER as PAPER_SCALE
from inarow.papers.study import QUICK, TINY, Condition, Part, Runs
from inarow.papers.variants import Variant, Variants, read_variants

PUBLISHED = Published(__file__)
value = PUBLISHED.value

SELF_PLAY, BENCHMARK = REGIMES = ("self-play", "benchmark training")
DEEP, OTHERS = "deep-structured", tuple(name for name in NETWORKS if name != "deep-structured")
TRIALS, GAMES, EVERY = value("trials"), value("games"), value("test-every")
TEST_GAMES = value("test-games")
END_SHARE = value("end-tests") * EVERY / GAMES  # the last tests that count for the end
GAME, MOVE = "benchmark@game", "benchmark@random"  # an order for each game, for each move
FIRST = ("first",)
FIRST_TEST = [f"games:{GAME}:{TEST_GAMES}:first"]
# The scale that is run by default fits four minutes of two cores: five trials of the first tenth
# of the paper's games, which judge what the text says of the start.
SHORT_SCALE = "short"
LENGTHS = {  # games of a trial, and between two tests
    QUICK: (10_000, 1_000), SHORT_SCALE: (GAMES // 10, EVERY), PAPER_SCALE: (GAMES, EVERY),
}  # fmt: skip


def parameters(
    network: str, regime: str, length: tuple[int, int], tests: list[str], against: str = GAME,
    **changes: object,
) -> ResultRow:  # fmt: skip
    """Return a trial; options of the learner where it is not the base."""
    return {
        "game": "cube", "learner": "mlp", "against": None if regime == SELF_PLAY else against,
        "games": length[0], "evaluate_every": length[1], "evaluations": tests,
        "network": network, **changes,
    }  # fmt: skip


def conditions(scale: str) -> list[Condition]:
    """Return the paper's ten conditions."""
    length = LENGTHS[scale]
    return [
        Condition({"regime": by, "network": net}, parameters(net, by, length, FIRST_TEST))
        for by in REGIMES
        for net in NETWORKS
    ]


# How trials are read


def read(runs: Runs, tests: Sequence[str] = (), curve: bool = False) -> ResultRow:
    """Return peak and end of each trial, in all tests that count together, and the curve."""
    against = runs.condition.parameters["evaluations"][0].split(":")[1]
    games, rates = win_rates(runs, tests or [f"against {against}"])
    found: ResultRow = {"finals": peak_and_end(rates)}
    return found | ({"games": games.tolist(), "won": mean_and_error(rates)} if curve else {})


def win_rates(runs: Runs, tests: Sequence[str]) -> tuple[Int64s, Floats]:
    """Return win percentages of one or more tests together, draws as half a win: [runs, tests].

    `tests` is how the names of their metrics end, as in `against benchmark@game`.
    """
    ends = {
        end: [runs.curve(f"{end} {test}") for test in tests] for end in ("won", "drawn", "lost")
    }
    won, drawn, lost = (sum(values for _, values in found) for found in ends.values())
    rates = 100 * (won + drawn / 2) / (won + drawn + lost)
    return ends["won"][0][0], np.asarray(rates)


def peak_and_end(rates: Floats, end_share: float = END_SHARE) -> dict[str, list[float]]:
    """Return the best test of each trial, and the mean of its last ones: 40 of 100."""
    last = max(1, round(end_share * rates.shape[1]))
    return {
        "peak": np.round(rates.max(axis=1), 3).tolist(),
        "end": np.round(rates[:, -last:].mean(axis=1), 3).tolist(),
    }


# Variants

ALL, FOR_SMALL = read_variants(
    PUBLISHED.folder / "variants.toml"
).values()  # some for one network alone
VARIANTS = Variants((*ALL, *FOR_SMALL))
SMALL, SELF_PLAY_ONLY = ("small-structured",), ("no biases, other tests", "exact, other tests")
SLOWEST = "deep-unstructured"  # a part of its own, since it takes as long as all the others
VARIANT_LENGTHS = {QUICK: (2_000, 1_000), PAPER_SCALE: (GAMES, EVERY)}
BY_NAME = {variant.name: variant for variant in VARIANTS.all}


def read_variant(runs: Runs) -> ResultRow:
    """Read those tests of a variant that count."""
    changes = BY_NAME[str(runs.condition.labels["variant"])].changes
    against = changes.get("against", GAME)
    tests = [f"as {side} against {against}" for side in changes.get("sides", FIRST)]
    return read(runs, tests)


def variant_condition(variant: Variant, regime: str, network: str, scale: str) -> Condition:
    """Return a variant; in self-play its tests change nothing in training: trials are shared."""
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
    """Return the variants; some were tried for one network alone, or in self-play alone."""
    return [
        variant_condition(variant, regime, network, scale)
        for variant in VARIANTS.all
        for regime in (REGIMES[:1] if variant.name in SELF_PLAY_ONLY else REGIMES)
        for network in (SMALL if variant in FOR_SMALL else NETWORKS)
        if (network == SLOWEST) == slowest
    ]


# Readings: the choices that the text and our base take differently, jointly


@dataclass(frozen=True)
class Training:
    """Choices of how the learner learns; the defaults are what the text says, word by word."""

    wins: str = "by value"  # how an immediate win is compared with other moves; or "by reward"
    biases: bool = False
    slope: str = "exact"
    end: str = "both"

    @property
    def name(self) -> str:
        """The name of one of the study's databases."""
        biases = "biases" if self.biases else "no biases"
        return f"wins {self.wins} {biases} {self.slope} {self.end}"

    @property
    def changes(self) -> ResultRow:
        """Options of the learner."""
        shield = "none" if self.wins == "by value" else "win"
        return {"shield": shield, "bias": self.biases, "slope": self.slope, "end": self.end}


LITERAL = Training()
TRAININGS = (  # what matters most first
    LITERAL,
    replace(LITERAL, wins="by reward"),
    Training("by reward", True, "doubled"),  # the base
    *(Training("by reward", *others) for others in (
        (True, "exact"), (False, "doubled"), (False, "exact", "last"), (True, "doubled", "last"),
        (True, "exact", "last"), (False, "doubled", "last"),
    )),
    replace(LITERAL, end="last"),
)  # fmt: skip
PER_MOVE, PER_GAME = "per move", "per game"
ORDERS = {PER_MOVE: MOVE, PER_GAME: GAME}
BOTH = ("first", "second")
SIDES = {"first": FIRST, "alternate": BOTH}
TESTERS = tuple((order, side) for order in ORDERS for side in SIDES)  # per move, first: the text
READ_FIRST = (TRAININGS[:2], TESTERS[:2])


def reading_conditions(scale: str) -> list[Condition]:
    """Return every reading of the text, in the order in which they are run.

    In self-play the benchmark player only tests, so a trial is tested in all four ways.
    """
    trainings, testers = READ_FIRST if scale == QUICK else (TRAININGS, TESTERS)
    corners = product(enumerate(trainings), enumerate(testers))
    ordered = sorted(corners, key=lambda corner: corner[0][0] + corner[1][0])
    return [
        reading_condition(training, order, side, regime, network, scale)
        for (_, training), (_, (order, side)) in ordered
        for regime in REGIMES
        for network in NETWORKS
    ]


def reading_condition(
    training: Training, order: str, side: str, regime: str, network: str, scale: str
) -> Condition:
    """Return a reading of the text, for a network in a regime."""
    against, changes, group = ORDERS[order], training.changes, training.name
    tests = [f"sides:{player}:{TEST_GAMES}" for player in ORDERS.values()]
    if regime == BENCHMARK:
        tests = [f"sides:{against}:{TEST_GAMES}" if side != "first" else
                 f"games:{against}:{TEST_GAMES}:first"]  # fmt: skip
        changes["side"] = "first" if side == "first" else "both"
        if (order, side) != TESTERS[0]:
            group += f" {order} {side}"
    return Condition(
        {"regime": regime, "network": network, "wins": training.wins, "biases": training.biases,
         "slope": training.slope, "end": training.end, "order": order, "side": side},
        parameters(network, regime, VARIANT_LENGTHS[scale], tests, against, **changes),
        group=group,
    )  # fmt: skip


def literal_conditions() -> tuple[Condition, ...]:
    """Return the paper's ten conditions as the text has them, word by word."""
    return tuple(
        replace(
            reading_condition(LITERAL, *TESTERS[0], regime, network, PAPER_SCALE),
            labels={"regime": regime, "network": network},
        )
        for regime in REGIMES
        for network in NETWORKS
    )


def read_reading(runs: Runs) -> ResultRow:
    """Read those tests of a trial that count; with its curve where they are the text's."""
    labels = runs.condition.labels
    against, sides = ORDERS[str(labels["order"])], SIDES[str(labels["side"])]
    alone = labels["regime"] == BENCHMARK and sides == FIRST
    tests = [f"against {against}" if alone else f"as {side} against {against}" for side in sides]
    return read(runs, tests, curve=(labels["order"], labels["side"]) == TESTERS[0])


# Self-play learners of ours, tested on both sides against an order drawn for each move

SAFE = {"learner": "mlp", "shield": "safe"}
SHORT = 80_000  # games such that most trials take about as long, half a minute or less


def n_tuple(name: str, about: str, games: int = SHORT, **changes: object) -> Variant:
    """Return an n-tuple network with the learner's defaults for all that is not said here."""
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
    """Return our learners; with a hundredth of the games at the quick scale."""
    tests = 4 if scale == QUICK else 25
    return [
        learner_condition(learner, scale, [f"games:{MOVE}:{TEST_GAMES}"], tests)
        for learner in LEARNERS.all
    ]


def learner_condition(
    learner: Variant, scale: str, evaluations: list[str], tests: int = 1
) -> Condition:
    """Return a learner of ours, evaluated so many times."""
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
    """Return learners trained as for the comparison of learners, without its tests."""
    evaluations = [f"endings:{JUDGED_GAMES[scale]}:{STONES}"]
    return [
        replace(learner_condition(learner, scale, evaluations), group=learner.name)
        for learner in LEARNERS.all
        if learner.name in JUDGED
    ]


def read_endings(runs: Runs) -> ResultRow:
    """Return how many positions each trial came to late in the game, were judged, mistakes."""
    counts = ("positions", "judged", "mistakes")
    found = {name: runs.final(f"{name} from {STONES} stones on") for name in counts}
    return {"finals": {name: numbers.astype(int).tolist() for name, numbers in found.items()}}


# More detectors: twice as many

DETECTORS, DETECTOR_LENGTHS = (4, 8), {QUICK: (2_000, 1_000), PAPER_SCALE: (GAMES, EVERY)}
SAMPLES = {TINY: 1_000, QUICK: 20_000, PAPER_SCALE: 200_000}


def detector_conditions(scale: str) -> list[Condition]:
    """Return the deep structured network with four detectors for each line, and with eight."""
    return [
        Condition(
            {"detectors": number},
            parameters(f"lines:{number},32", SELF_PLAY, DETECTOR_LENGTHS[scale], FIRST_TEST),
        )
        for number in DETECTORS
    ]


LONG = (PAPER_SCALE,)  # shorter trials say nothing of the paper's
PARTS = (
    Part("all", "Tables I to III, Figures 3 and 4", conditions,
         {TINY: 2, QUICK: 2, SHORT_SCALE: 5, PAPER_SCALE: TRIALS}, partial(read, curve=True),
         judged=LONG, default=SHORT_SCALE,
         early={SHORT_SCALE: ("starts-near-zero", "learning-at-once")}),
    Part("variants", "what the paper leaves open, one thing changed at a time",
         partial(variant_conditions, slowest=False), {TINY: 1, QUICK: 1, PAPER_SCALE: 5},
         read_variant, judged=LONG, own=True),
    Part(f"variants-{SLOWEST}", "the same for the deep unstructured network",
         partial(variant_conditions, slowest=True), {TINY: 1, QUICK: 1, PAPER_SCALE: 5},
         read_variant, judged=LONG, shown_with="variants", own=True),
    Part("readings", "every reading of what the text says of learning, the opponent and sides",
         reading_conditions, {TINY: 1, QUICK: 1, PAPER_SCALE: TRIALS}, read_reading, judged=LONG,
         own=True, kept=("won", "drawn", "lost")),
    Part("detectors", "four and eight detectors per line, deep structured in self-play",
         detector_conditions, {TINY: 1, QUICK: 1, PAPER_SCALE: TRIALS}, read, judged=LONG),
    Part("states", "a lower bound on the number of states of the game", (),
         {TINY: 1, QUICK: 1, PAPER_SCALE: 1}, default=PAPER_SCALE,
         facts=lambda request: estimate(SAMPLES[request.scale], request.seed or 0)),
    Part("best", "which self-play learner plays best", learner_conditions,
         {TINY: 1, QUICK: 1, PAPER_SCALE: TRIALS}, read, judged=LONG, own=True),
    Part("endings", "mistakes of self-play learners late in the game, found by the solver",
         ending_conditions, {TINY: 1, QUICK: 1, PAPER_SCALE: TRIALS},
         read_endings, judged=LONG, own=True),
)  # fmt: skip
