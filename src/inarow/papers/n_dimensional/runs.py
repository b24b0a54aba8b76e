"""What is run of the n-dimensional paper: SARSA in two dimensions, the policy gradient in all."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

from inarow.lab.speed import WORK as SPEED_WORK
from inarow.lab.study import Config
from inarow.papers.measures import Labels
from inarow.papers.n_dimensional import baselines, shares
from inarow.papers.n_dimensional.exact import OPPONENTS
from inarow.papers.published import Published
from inarow.papers.results import Stored
from inarow.papers.study import PAPER as PAPER_SCALE
from inarow.papers.study import QUICK, Condition, Part, Request
from inarow.papers.variants import Variant, Variants, read_variants

FOLDER = Path(__file__).parent
PUBLISHED = Published(FOLDER / "published.toml")
GAMES = {"tictactoe": "2-D", **{f"ntictactoe:3^{n}": f"{n}-D" for n in (3, 4, 5)}}
PLANE, CUBE, FOUR, FIVE = GAMES
# Parts of the study
POLICY, VARIED, FIRST_MOVES, SPEED = "policy-gradient", "policy-variants", "openings", "speed"
SEARCH = "grid"  # the paper's search for alpha and epsilon, another part

# SARSA: its schedules stretch with the number of episodes, so each number is a run of its own.

EPISODES = (100, 200, 500, 1_000, 2_000, 4_000, 10_000, 20_000, 40_000, 100_000, 200_000)
VARIANT_EPISODES = (1_000, 4_000, 20_000, 40_000, 200_000)
EARLY_EPISODES = VARIANT_EPISODES[:3]
BASE, NO_SYMMETRY, SOFT = "base", "no symmetry", "soft final"
LONG_RUN, EARLY, POLICY_VARIANTS = read_variants(FOLDER / "variants.toml").values()
VARIANTS = Variants((*LONG_RUN, *EARLY), "sarsa")
RATES = ("alpha", "epsilon")


def sarsa_options(given: Config) -> Config:
    """The published parameters, as options of the learner."""
    rates = {name: given.pop(f"{name}_rate") for name in RATES}
    return {**given, **{name: f"{given[name]}*{rate}" for name, rate in rates.items()}}


def episodes_of(variant: Variant) -> tuple[int, ...]:
    """After how many a variant is tested."""
    if variant.name == BASE:
        return EPISODES
    return EARLY_EPISODES if variant in EARLY else VARIANT_EPISODES


PRINTED_SARSA = sarsa_options(dict(PUBLISHED.value("sarsa-parameters")))


def sarsa_condition(labels: Labels, trainer: str, episodes: int, **changes: object) -> Condition:
    """A condition with the published parameters, but for some."""
    return Condition(
        {"game": PLANE, **labels, "trainer": trainer, "episodes": episodes},
        {
            "game": PLANE, "learner": "sarsa", "against": trainer, "games": episodes,
            "episodes": episodes, **PRINTED_SARSA, **changes,
            "evaluations": [*(f"exact:{opponent}" for opponent in OPPONENTS), "certificate"],
        },
    )  # fmt: skip


SARSA_CONDITIONS = [
    sarsa_condition({"variant": variant.name}, trainer, episodes, **variant.changes)
    for variant, trainer in product(VARIANTS.all, OPPONENTS)
    for episodes in episodes_of(variant)
]

# A grid around the published alpha and epsilon: as they are, and constant, and from other numbers

PAPERS = (str(PRINTED_SARSA["alpha"]), str(PRINTED_SARSA["epsilon"]))
ALPHA_FALL, EPSILON_FALL = (f"*{text.partition('*')[2]}" for text in PAPERS)
ALPHAS = ("0.1", "0.45", "0.9", f"0.1{ALPHA_FALL}", PAPERS[0], f"0.9{ALPHA_FALL}")
EPSILONS = ("0.1", "0.3", f"0.3{EPSILON_FALL}", PAPERS[1])
SEARCH_EPISODES = (4_000, 20_000)
SEARCH_CONDITIONS = [
    sarsa_condition(choice, "random", episodes, **choice)
    for episodes in SEARCH_EPISODES
    for choice in (dict(zip(RATES, pair, strict=True)) for pair in product(ALPHAS, EPSILONS))
]

# The policy gradient, as described and sound, and learners of other kinds beside it.

DESCRIBED, SOUND, LINE_TD, SARSA = "as described", "sound", "line TD", "SARSA"
ALONE = ", factor 0"  # nothing is propagated: a move is rewarded for what it did at once
TESTED = ("random", "advanced", "greedy-lines")  # opponents at each evaluation
TEST_GAMES = {QUICK: 500, PAPER_SCALE: 1_000}  # against each, where tests are not exact
BASELINE_GAMES = {QUICK: 1_000, PAPER_SCALE: 20_000}
SHORT, LONG = PUBLISHED.value("iterations-2d"), PUBLISHED.value("iterations-4d")
PRINTED = {"version": "paper", **PUBLISHED.value("policy-parameters")}
POLICY_SEED = 100  # the first; lower ones helped to choose how a return enters the loss
NOTHING = {"propagation": 0.0}


class Learner(NamedTuple):
    """A learner on a board against a trainer, for so many games at each scale."""

    variant: str
    game: str
    trainer: str
    learner: str
    quick: int
    paper: int
    options: Config

    def condition(self, scale: str) -> Condition:
        """With tests that are exact in two dimensions; fewer games where one takes long."""
        games = self.quick if scale == QUICK else self.paper
        number = TEST_GAMES[scale] // (5 if self.game == FIVE else 1)
        exact = self.game == PLANE
        return Condition(
            {"game": self.game, "variant": self.variant, "trainer": self.trainer},
            {
                "game": self.game, "learner": self.learner, "against": self.trainer,
                **self.options, "games": games, "evaluate_at": self.evaluations(games),
                "evaluations": [f"exact:{o}" if exact else f"games:{o}:{number}" for o in TESTED],
            },
        )  # fmt: skip

    def evaluations(self, games: int) -> list[int]:
        """After how many games it is tested: 1, 2 and 5 times powers of ten."""
        if self.learner == "sarsa":  # its schedules end with the run
            return [games]
        found = [digit * 10**power for power in range(2, 9) for digit in (1, 2, 5)]
        return [number for number in found if games / 1000 <= number < games] + [games]


LEARNERS = (
    Learner(DESCRIBED, PLANE, "random", "reinforce", 2_000, SHORT, PRINTED),
    Learner(SOUND, PLANE, "random", "reinforce", 20_000, 200_000, {}),
    Learner(
        SARSA, PLANE, "random", "sarsa", SHORT, SHORT, {"episodes": SHORT, **PRINTED_SARSA}
    ),
    Learner(DESCRIBED, CUBE, "advanced", "reinforce", 1_000, SHORT, PRINTED),
    Learner(SOUND, CUBE, "advanced", "reinforce", 50_000, 500_000, {}),
    Learner(
        DESCRIBED + ALONE, CUBE, "advanced", "reinforce", 1_000, SHORT, {**PRINTED, **NOTHING}
    ),
    Learner(SOUND + ALONE, CUBE, "advanced", "reinforce", SHORT, SHORT, NOTHING),
    Learner(LINE_TD, CUBE, "advanced", "line_td", 5_000, 20_000, {}),
    Learner(DESCRIBED, FOUR, "advanced", "reinforce", 500, LONG, PRINTED),
    Learner(SOUND, FOUR, "advanced", "reinforce", 5_000, LONG, {}),
    Learner(LINE_TD, FOUR, "advanced", "line_td", 2_000, 20_000, {}),
    Learner(LINE_TD, FIVE, "greedy-lines", "line_td", 200, 2_000, {}),
)  # fmt: skip
# Variants of what is described, in three dimensions

VARIED_GAMES = {QUICK: 200, PAPER_SCALE: SHORT}


def policy_variants(scale: str) -> list[Condition]:
    """Each of them, for as many games."""
    games = VARIED_GAMES[scale]
    return [
        replace(
            Learner(
                variant.name, CUBE, "advanced", "reinforce", games, games,
                {**PRINTED, **variant.changes},
            ).condition(scale),
            group=str(games),
        )
        for variant in POLICY_VARIANTS
    ]  # fmt: skip


# The first moves of trained SARSA agents, and the policy before it has learned anything


def first_moves(request: Request) -> Stored:
    """Of runs of SARSA, where they begin; and what untrained policies win."""
    runs, episodes = OPENING_RUNS[request.scale], SHORT
    return {
        "episodes": episodes,
        "openings": [
            baselines.openings(trainer, runs, episodes, PRINTED_SARSA) for trainer in OPPONENTS
        ],
        "untrained": baselines.untrained(UNTRAINED_RUNS, PRINTED),
    }


OPENING_RUNS, UNTRAINED_RUNS = {QUICK: 20, PAPER_SCALE: 200}, 100
SPEED_CONDITIONS = [
    Condition(
        {"game": one.game, "variant": one.variant},
        {"game": one.game, "learner": one.learner, "against": one.trainer, **one.options},
        SPEED_WORK,
    )
    for one in LEARNERS
]


def policy_facts(request: Request) -> Stored:
    """Players that learned nothing, on the boards that are run."""
    games, number = [request.game] if request.game else GAMES, BASELINE_GAMES[request.scale]
    return {"baselines": [r for game in games for r in baselines.rows(game, TESTED, number)]}


PARTS = (
    Part(
        "sarsa", "Figures 3 to 8, and variants", SARSA_CONDITIONS,
        {QUICK: 20, PAPER_SCALE: 200}, shares.read_sarsa,
    ),
    Part(
        SEARCH, "alpha and epsilon of SARSA: the paper's and others", SEARCH_CONDITIONS,
        {QUICK: 20, PAPER_SCALE: 200}, shares.read_sarsa,
    ),
    Part(
        POLICY, "Figures 9 to 13: two, three and four dimensions",
        lambda scale: [one.condition(scale) for one in LEARNERS], {QUICK: 2, PAPER_SCALE: 10},
        shares.read_policy, policy_facts, POLICY_SEED,
    ),
    Part(
        VARIED, "variants of the policy gradient, in three dimensions",
        policy_variants, {QUICK: 2, PAPER_SCALE: 10}, shares.read_policy, seed=POLICY_SEED,
        judged=(PAPER_SCALE,),
    ),
    Part(
        FIRST_MOVES, "first moves of trained SARSA agents, and wins of untrained policies", (),
        {QUICK: 1, PAPER_SCALE: 1}, facts=first_moves,
    ),
    Part(
        SPEED, "training games per CPU-second, and the time of a move in seven dimensions",
        SPEED_CONDITIONS,
        {QUICK: 1, PAPER_SCALE: 1}, facts=lambda _: {"seven": baselines.seven_dimensions()},
    ),
)  # fmt: skip
