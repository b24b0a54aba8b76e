"""What is run of the hybrid paper, and how runs are read: final values, losses, Figure 3."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from itertools import product

import numpy as np

from inarow.engine.board import Int64s
from inarow.game import InputError
from inarow.game import game as game_of
from inarow.graph.graph import graph_of
from inarow.graph.policies import expert_policy
from inarow.lab.statistics import Floats
from inarow.lab.training.run import Stop, train
from inarow.papers.measures import ResultRow, mean_and_error
from inarow.papers.published import Published
from inarow.papers.speed import SPEED_WORK
from inarow.papers.study import PAPER as PAPER_SCALE
from inarow.papers.study import QUICK, TINY, Condition, Part, Request, Runs, shorter
from inarow.papers.variants import Variants, read_variants

PUBLISHED = Published(__file__)
value = PUBLISHED.value

TRAINERS = ("attack-defense", "random", "defense-attack", "attack", "defense", "combined")
BEST, OTHERS = TRAINERS[0], TRAINERS[1:]
TICTACTOE, CONNECT4 = "tictactoe", "connect4:4x4"
GAMES = {TICTACTOE: "Tic-tac-toe", CONNECT4: "Connect-4 on 4x4"}
RUNS, MAX_GAMES, STOP_GAMES = value("runs"), value("most-games"), value("stop-games")
TESTS, WINDOW = value("test-games"), value("window")
RANDOM_TEST = f"games:random:{TESTS}:second"


RECORD = [[100, 10_000], [1_000, 100_000], [10_000, 0]]  # a 10,000-game window anywhere it matters
HISTOGRAM_GAMES = (100, 500, 1_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000)
EXPECTED = ("games", "chance lost as second against random", "lost against expert")
OPENINGS = {"corner": 0, "edge": 1, "centre": 4}  # the three games of Figure 3


def parameters(game: str, trainer: str, **changes: object) -> ResultRow:
    """Return a training run and its tests as the paper describes them, or with some changes."""
    tests = [RANDOM_TEST, "expert", "exact:random", "certificate"]
    return {
        "game": game, "learner": "td", "against": trainer, "games": MAX_GAMES,
        "stop_games": STOP_GAMES, "record": RECORD, "evaluations": tests, **changes,
    }  # fmt: skip


FEW = {QUICK: 4, PAPER_SCALE: RUNS}
CONDITIONS = [
    Condition(
        {"game": game, "trainer": trainer},
        parameters(game, trainer),
        runs=FEW if game == CONNECT4 else {},
    )
    for game in GAMES
    for trainer in TRAINERS
]


VARIANTS = Variants(read_variants(PUBLISHED.folder / "variants.toml")["all"])


def variant_conditions(scale: str) -> list[Condition]:
    """Return the variants, without the curves that the base has; few at the quick scale."""
    games = (TICTACTOE,) if scale == QUICK else tuple(GAMES)
    trainers = (BEST, "defense", "combined") if scale == QUICK else TRAINERS
    found = []
    for game in games:
        for trainer in trainers:
            for variant in VARIANTS.all:
                if trainer not in variant.without:
                    changes = dict(variant.changes)
                    player = f"{trainer}{changes.pop('scan', '')}"
                    tests = {"record": 0, "evaluations": [RANDOM_TEST, "expert"]}
                    found.append(
                        Condition(
                            {"game": game, "trainer": trainer, "variant": variant.name},
                            parameters(game, player, **tests, **changes),
                        )
                    )
    return found


# Ties between moves, taken literally; tests are exact, since a million games take longer

LITERAL_TIES = [
    Condition(
        {"game": CONNECT4, "trainer": trainer},
        parameters(
            CONNECT4, trainer, ties="first-unless-all", record=0,
            evaluations=["expert", "exact:random", "certificate"],
        ),
    )
    for trainer in TRAINERS
]  # fmt: skip
# Connect-4 on 4x4 with everything that the paper leaves open changed jointly

CORNERS: dict[str, Mapping[str, ResultRow]] = {  # what is open; of each the base first
    "updated": {"all positions": {}, "own positions": {"update": "own"}},
    "tie": {"0.2": {}, "0.1": {"draw_reward": 0.1}, "0": {"draw_reward": 0.0}},
    "stops after": {"50,000": {}, "35,000": {"stop_games": 35_000},
                    "20,000": {"stop_games": 20_000}},
    "random games": {"1/7": {}, "1/14": {"random_games": "1/14"}},
    "equal moves": {"random": {}, "literal": {"ties": "first-unless-all"}},
    "mirror images": {"apart": {}, "shared": {"symmetric": True}},
    "agent's opening": {"best": {}, "random": {"own_opening": True}},
}  # fmt: skip
BASE_CORNER = ", ".join(next(iter(choices)) for choices in CORNERS.values())
JOINT_TESTS = ["expert", "exact:random"]


def joint_conditions(scale: str) -> list[Condition]:
    """Return every combination, with every trainer; at the quick scale the first ones."""
    corners = list(product(*(choices for choices in CORNERS.values())))
    return [
        joint_condition(dict(zip(CORNERS, corner, strict=True)), trainer)
        for corner in (corners[:4] if scale == QUICK else corners)
        for trainer in TRAINERS
    ]


def corner_of(name: str) -> dict[str, str]:
    """Return the choices of a combination, given its name; raise InputError for an unknown one."""
    choices = name.split(", ")
    if len(choices) != len(CORNERS) or any(
        choice not in CORNERS[what] for what, choice in zip(CORNERS, choices, strict=False)
    ):
        raise InputError(f"unknown combination {name!r}: as in {BASE_CORNER!r}")
    return dict(zip(CORNERS, choices, strict=True))


def best_conditions(scale: str) -> list[Condition]:
    """Return the combinations that fit best in the screen, in both games, with every trainer.

    They are listed in `best-corners.toml`; `best_corners` of `beyond` ranks those that were run.
    """
    named = tomllib.loads((PUBLISHED.folder / "best-corners.toml").read_text(encoding="utf-8"))
    chosen = named["corners"][:1] if scale == QUICK else named["corners"]
    return [
        joint_condition(corner_of(name), trainer, game)
        for name in chosen
        for game in (CONNECT4, TICTACTOE)
        for trainer in TRAINERS
    ]


def joint_condition(corner: Mapping[str, str], trainer: str, game: str = CONNECT4) -> Condition:
    """Return one combination of choices, by their names; tests are exact."""
    changes: ResultRow = {}
    for name, choice in corner.items():
        changes |= CORNERS[name][choice]
    tests = {"record": 0, "evaluations": JOINT_TESTS}
    return Condition(
        {"game": game, "corner": ", ".join(corner.values()), "trainer": trainer},
        parameters(game, trainer, **tests, **changes),
    )


SPEED_CONDITIONS = [
    Condition(
        {"game": game, "trainer": trainer},
        {"game": game, "learner": "td", "against": trainer},
        SPEED_WORK,
    )
    for game in GAMES
    for trainer in TRAINERS
]


# How runs are read


def read(runs: Runs) -> ResultRow:
    """Return values at the end of each run, the curve of losses, and Figure 4's ratios."""
    games, lost = losses(runs)
    ratios = window_losses(games, lost, WINDOW)
    found = {
        **read_tests(runs),
        "curve": {
            "games": games.tolist(),
            "lost": mean_and_error(lost),
            "ratio": mean_and_error(ratios),
        },
    }
    if dict(runs.condition.labels) == {"game": TICTACTOE, "trainer": BEST}:
        found["histograms"] = {
            str(number): np.round(ratios[:, np.searchsorted(games, number)], 6).tolist()
            for number in HISTOGRAM_GAMES
            if number in games
        }
    return found


def read_tests(runs: Runs) -> ResultRow:
    """Return what was measured at the end; perfect is 1 where no test game was lost."""
    finals = {metric: runs.final(metric).tolist() for metric in runs.metrics if metric != "lost"}
    lost = (finals["lost against random"], finals["lost against expert"])
    finals["perfect"] = [float(not any(both)) for both in zip(*lost, strict=True)]
    return {"finals": finals}


def read_expected(runs: Runs) -> ResultRow:
    """Return mean and standard error over runs of what Tables 1 to 4 give, as an agent expects it.

    The chance of losing to random is exact, so the sampled test needs no games: an agent passes it
    with a chance that is known, too.
    """
    games, chance, expert = (runs.final(name) for name in EXPECTED)
    found = {
        "games": games,
        "perfect": 100 * (1 - chance) ** TESTS * (expert == 0),
        "lost against random": TESTS * chance,
        "lost against expert": expert,
    }
    means = mean_and_error(np.stack([*found.values()], axis=1))
    return dict(zip(found, means, strict=True))


def losses(runs: Runs) -> tuple[Int64s, Floats]:
    """Return the games lost so far in each run, [runs, points], at the games of `RECORD`.

    A run that has ended early loses no more: that is what ended it.
    """
    measured, lost = runs.curve("lost")
    limits = [0, *(until or MAX_GAMES for _, until in RECORD)]
    pieces = zip(limits, limits[1:], RECORD, strict=False)
    games = np.concatenate(
        [np.arange(start + every, until + 1, every) for start, until, (every, _) in pieces]
    )
    games = games[games <= MAX_GAMES]
    found = np.empty((runs.number, len(games)))
    for run, values in zip(found, lost, strict=True):
        known = np.flatnonzero(~np.isnan(values))
        run[:] = values[known][np.searchsorted(measured[known], games, side="right") - 1]
    return games, found


def window_losses(games: Int64s, lost: Floats, window: int) -> Floats:
    """Return the share of the last `window` games lost at each point (of all games, if fewer)."""
    before = games - window
    earlier = np.where(before > 0, np.searchsorted(games, before), -1)
    lost_before = np.where(earlier >= 0, lost[:, earlier], 0.0)
    return (lost - lost_before) / np.minimum(games, window)


def facts(request: Request) -> ResultRow:
    """Return the three games of Figure 3."""
    if request.game not in (None, TICTACTOE):
        return {}
    return {"example_games": example_games(request.seed or 0)}


def example_games(seed: int) -> ResultRow:
    """Return three games of an agent trained by attack-defense, with its estimates of its moves.

    The trainer opens in a corner, on an edge, in the centre, and goes on as the expert does. Of
    each board on which the agent has to move: the stones (1 the opponent's, 2 its own), the
    utility of every empty cell, and its move.
    """
    game = game_of(TICTACTOE)
    graph = graph_of(game)
    trained = train(
        game, "td", against="attack-defense", games=MAX_GAMES, seed=seed, stop=Stop(STOP_GAMES)
    )
    agent, expert, games = trained.agent, expert_policy(graph), {}
    for name, opening in OPENINGS.items():
        position, boards = game.position(), list[ResultRow]()
        position.push(opening)
        while position.outcome is None:
            values = agent.values(position)
            move = max(values, key=lambda move: (values[move], -move))
            utilities = [round(values[c], 4) if c in values else None for c in range(game.cells)]
            stones = [int(stone) for stone in position.stones]
            boards.append({"stones": stones, "utilities": utilities, "move": move})
            position.push(move)
            if position.outcome is None:
                number, _ = graph.find(position)
                edges = range(int(graph.edge_start[number]), int(graph.edge_start[number + 1]))
                position.push(int(graph.move[max(edges, key=lambda edge: expert[edge])]))
        games[name] = {"boards": boards, "outcome": position.outcome.value}
    return {"seed": seed, "training_games": trained.games, "games": games}


PARTS = (
    Part(
        "all", "Tables 1 to 4, Figures 3 to 14", CONDITIONS,
        {TINY: 2, QUICK: 10, PAPER_SCALE: RUNS},
        read, facts, default=PAPER_SCALE, tiny=shorter(20_000, 1_000),
        ranked_by="chance lost as second against random",
    ),
    Part(
        "variants", "variants, each changing one thing that the paper leaves open",
        variant_conditions, {TINY: 2, QUICK: 4, PAPER_SCALE: RUNS}, read_tests,
        own=True, tiny=shorter(1_000, 100),
    ),
    Part(
        "ties", "Connect-4: a random move only if all moves are equal, else the first best",
        LITERAL_TIES, {TINY: 2, QUICK: 4, PAPER_SCALE: RUNS}, own=True,
        tiny=shorter(1_000),
    ),
    Part(
        "joint", "Connect-4: every combination of what the paper leaves open",
        joint_conditions, {TINY: 2, QUICK: 4, PAPER_SCALE: 20}, read_expected, own=True,
        kept=EXPECTED, tiny=shorter(1_000),
    ),
    Part(
        "joint-best", "the combinations that fit Connect-4 best, in both games",
        best_conditions, {TINY: 2, QUICK: 4, PAPER_SCALE: 1_000}, read_expected, own=True,
        kept=EXPECTED, tiny=shorter(1_000),
    ),
    Part(
        "speed", "training games per CPU-second", SPEED_CONDITIONS,
        {TINY: 1, QUICK: 1, PAPER_SCALE: 1}, default=PAPER_SCALE,
        tiny=lambda _: {"timed_seconds": 0.01},
    ),
)  # fmt: skip
