"""What is run of the n-dimensional paper: SARSA in two dimensions, the policy gradient in all."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.game import Game
from inarow.game import game as game_of
from inarow.game.position import SIDES
from inarow.graph.graph import graph_of
from inarow.graph.odds import odds
from inarow.lab.matches.match import match
from inarow.lab.players.names import AnyPlayer, player
from inarow.lab.players.policies import policies_of
from inarow.lab.statistics import Floats
from inarow.lab.studies.study import Config
from inarow.lab.training.run import Run
from inarow.learn.reinforce.learner import MOST_LINES, most_lines
from inarow.papers.measures import Labels, ResultRow, mean_and_error
from inarow.papers.n_dimensional.exact import ENDS, OPENINGS, OPPONENTS, best_by_rewards
from inarow.papers.published import Published
from inarow.papers.speed import SPEED_WORK
from inarow.papers.study import PAPER as PAPER_SCALE
from inarow.papers.study import QUICK, TINY, Condition, Part, Request, Runs, shorter
from inarow.papers.variants import Variant, Variants, read_variants

PUBLISHED = Published(__file__)
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
LONG_RUN, EARLY, POLICY_VARIANTS = read_variants(PUBLISHED.folder / "variants.toml").values()
VARIANTS = Variants((*LONG_RUN, *EARLY), "sarsa")
RATES = ("alpha", "epsilon")


def sarsa_options(given: Config) -> Config:
    """Return the published parameters as options of the learner."""
    rates = {name: given.pop(f"{name}_rate") for name in RATES}
    return {**given, **{name: f"{given[name]}*{rate}" for name, rate in rates.items()}}


def episodes_of(variant: Variant) -> tuple[int, ...]:
    """Return after how many episodes a variant is tested."""
    if variant.name == BASE:
        return EPISODES
    return EARLY_EPISODES if variant in EARLY else VARIANT_EPISODES


PRINTED_SARSA = sarsa_options(dict(PUBLISHED.value("sarsa-parameters")))


def sarsa_condition(labels: Labels, trainer: str, episodes: int, **changes: object) -> Condition:
    """Return a condition with the published parameters, but for some."""
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
BASELINE_GAMES = {TINY: 200, QUICK: 1_000, PAPER_SCALE: 20_000}
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
        """Return its condition: tests are exact in two dimensions, fewer where a game is long."""
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
        """Return after how many games it is tested: 1, 2 and 5 times powers of ten."""
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
    """Return each variant, for as many games."""
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


def first_moves(request: Request) -> ResultRow:
    """Return where runs of SARSA begin, and what untrained policies win."""
    runs, episodes = OPENING_RUNS[request.scale], SHORT
    return {
        "episodes": episodes,
        "openings": [openings(trainer, runs, episodes, PRINTED_SARSA) for trainer in OPPONENTS],
        "untrained": untrained(UNTRAINED_RUNS[request.scale], PRINTED),
    }


OPENING_RUNS = {TINY: 1, QUICK: 20, PAPER_SCALE: 200}
UNTRAINED_RUNS = {TINY: 2, QUICK: 100, PAPER_SCALE: 100}
SPEED_CONDITIONS = [
    Condition(
        {"game": one.game, "variant": one.variant},
        {"game": one.game, "learner": one.learner, "against": one.trainer, **one.options},
        SPEED_WORK,
    )
    for one in LEARNERS
]


# Players that learned nothing, in the tests of the policy gradient

PLAYERS = ("random", "advanced", MOST_LINES, "greedy-lines")
SEVEN = "ntictactoe:3^7"


def baselines(name: str, games: int) -> list[ResultRow]:
    """Return what baseline players win against each opponent, in per cent, and lines ahead.

    In two dimensions they are exact. On larger boards fewer games are played, as many moves.
    """
    game, found = game_of(name), list[ResultRow]()
    number = max(200, games * 9 // game.cells)
    for who in PLAYERS:
        playing = most_lines(game) if who == MOST_LINES else player(who)
        for opponent in TESTED:
            row: ResultRow = {"game": name, "player": who, "opponent": opponent}
            if game.cells == 9:
                shares = exact_shares(game, playing, player(opponent))
                row |= {"games": 0, "lines": None}
            else:
                total = match(game, playing, opponent, number, 1).total
                shares = [100 * n / number for n in (total.wins, total.draws, total.losses)]
                row |= {"games": number, "lines": (total.lines_for - total.lines_against) / number}
            found.append({**row, **dict(zip(ENDS, shares, strict=True))})
    return found


def exact_shares(game: Game, who: AnyPlayer, opponent: AnyPlayer) -> list[float]:
    """Return per cent won, drawn and lost over both sides, on the graph of the game."""
    graph = graph_of(game)
    (own,), (other,) = policies_of(who, graph), policies_of(opponent, graph)
    one, two = odds(graph, own, other), odds(graph, other, own)
    pairs = ((one.first, two.second), (one.draw, two.draw), (one.second, two.first))
    return [50 * float(as_first + as_second) for as_first, as_second in pairs]


def seven_dimensions() -> ResultRow:
    """Return what a move costs on 3^7, with the score of both sides kept."""
    game, games = game_of(SEVEN), 16
    match(game, "random", "random", 2)  # compiles
    start = time.process_time()
    match(game, "random", "random", games)
    seconds = float(f"{(time.process_time() - start) / (games * game.cells):.2g}")
    return {"cells": game.cells, "lines": len(game.lines), "seconds_a_move": seconds}


def openings(trainer: str, runs: int, episodes: int, options: Config) -> ResultRow:
    """Count how many trained SARSA agents begin in a corner, on an edge, in the centre."""
    found = dict.fromkeys(OPENINGS, 0)
    game = game_of("tictactoe")
    kinds = {cell: "corner" if cell in (0, 2, 6, 8) else "edge" for cell in range(game.cells)}
    kinds[OPENINGS["centre"]] = "centre"
    for seed in range(runs):
        run = Run(game.name, "sarsa", {**options, "episodes": episodes}, trainer, seed)
        run.training.play(episodes)
        values = run.agent.values(game.position())
        found[kinds[max(values, key=lambda move: values[move])]] += 1  # images have one value
    return {"trainer": trainer, "runs": runs, **found}


def untrained(runs: int, options: Config) -> list[float]:
    """Return the per cent that policies win against random before their first game, by seed."""
    game, opponent = game_of("tictactoe"), player("random")
    agents = (Run(game.name, "reinforce", options, "random", seed).agent for seed in range(runs))
    return [round(exact_shares(game, agent, opponent)[0], 6) for agent in agents]


def policy_facts(request: Request) -> ResultRow:
    """Return what players that learned nothing do, on the boards that are run."""
    games, number = [request.game] if request.game else GAMES, BASELINE_GAMES[request.scale]
    return {"baselines": [row for game in games for row in baselines(game, number)]}


# How runs are read: a share is [mean, standard error] over the runs

NEVER_LOSES, UNBEATABLE = "never loses to its trainer", "unbeatable"
OPTIMAL = "best by its rewards"  # wins and loses as often as what the rewards make best


def read_sarsa(runs: Runs) -> ResultRow:
    """Read the agents at the end of the runs."""
    values = {name: runs.final(name) for name in runs.metrics}
    return summarise(values, str(runs.condition.labels["trainer"]))


def summarise(values: dict[str, Floats], trainer: str) -> ResultRow:
    """Return the mean shares over the runs, and of how many runs something is certain."""
    certain = {
        NEVER_LOSES: {s: values[f"chance lost as {s} against {trainer}"] == 0 for s in SIDES},
        UNBEATABLE: {s: values[f"unbeatable as {s}"] > 0 for s in SIDES},
        OPTIMAL: {s: is_best(values, trainer, s) for s in SIDES},
    }
    shares = (f"{e} as {s} against {o}" for o, s, e in product(OPPONENTS, SIDES, ENDS))
    return {
        "shares": {name: mean_and_error(values[f"chance {name}"][:, None])[0] for name in shares},
        "certain": {
            name: {side: int(held.sum()) for side, held in by_side.items()}
            for name, by_side in certain.items()
        },
    }


def is_best(values: dict[str, Floats], trainer: str, side: str) -> npt.NDArray[np.bool_]:
    """Return which runs win, draw and lose as often as what the paper's rewards make best."""
    away = [
        np.abs(100 * values[f"chance {end} as {side} against {trainer}"] - share)
        for end, share in best_by_rewards(trainer, side).items()
    ]
    return np.asarray(np.max(away, axis=0) < 1e-7)


def read_policy(runs: Runs) -> ResultRow:
    """Return the per cent of games by opponent and end, and lines ahead, at each evaluation."""
    found: ResultRow = {"games": [], "shares": {}, "lines": {}}

    def curve(tested: float, *names: str) -> list[list[float]]:
        """Return the mean of some metrics: of both sides, where they were computed apart."""
        curves = [runs.curve(name) for name in names]
        found["games"] = curves[0][0].tolist()
        values = np.mean([values for _, values in curves], axis=0)
        return mean_and_error(values / tested)

    for evaluation in runs.condition.parameters["evaluations"]:
        kind, opponent, *number = evaluation.split(":")
        games = int(number[0]) if number else 1
        found["shares"][opponent] = {}
        for end in ENDS:
            names = [f"{end} against {opponent}"]
            if kind == "exact":
                names = [f"chance {end} as {side} against {opponent}" for side in SIDES]
            found["shares"][opponent][end] = curve(games / 100, *names)
        lines = f"lines ahead against {opponent}"
        if lines in runs.metrics:
            found["lines"][opponent] = curve(games, lines)
    return found


ONCE = {TINY: 1, QUICK: 1, PAPER_SCALE: 1}
SHORT_SARSA, SHORT_POLICY = (
    shorter(200, episodes=200),
    shorter(60, 20, episodes=60, replay_batch=20),
)
PARTS = (
    Part(
        "sarsa", "Figures 3 to 8, and variants", SARSA_CONDITIONS,
        {TINY: 2, QUICK: 20, PAPER_SCALE: 200}, read_sarsa, tiny=SHORT_SARSA,
        keeps=lambda condition: condition.labels["variant"] == BASE,
    ),
    Part(
        SEARCH, "alpha and epsilon of SARSA: the paper's and others", SEARCH_CONDITIONS,
        {TINY: 2, QUICK: 20, PAPER_SCALE: 200}, read_sarsa, own=True, tiny=SHORT_SARSA,
    ),
    Part(
        POLICY, "Figures 9 to 13: two, three and four dimensions",
        lambda scale: [one.condition(scale) for one in LEARNERS],
        {TINY: 2, QUICK: 2, PAPER_SCALE: 10}, read_policy, policy_facts, POLICY_SEED,
        tiny=SHORT_POLICY,
    ),
    Part(
        VARIED, "variants of the policy gradient, in three dimensions",
        policy_variants, {TINY: 2, QUICK: 2, PAPER_SCALE: 10}, read_policy,
        seed=POLICY_SEED, judged=(PAPER_SCALE,), own=True, tiny=SHORT_POLICY,
    ),
    Part(
        FIRST_MOVES, "first moves of trained SARSA agents, and wins of untrained policies", (),
        ONCE, facts=first_moves,
    ),
    Part(
        SPEED, "training games per CPU-second, and the time of a move in seven dimensions",
        SPEED_CONDITIONS, ONCE, default=PAPER_SCALE, facts=lambda _: {"seven": seven_dimensions()},
        tiny=lambda _: {"timed_seconds": 0.01},
    ),
)  # fmt: skip
