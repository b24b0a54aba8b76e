"""What is run of the Connect Four paper: minimax, pairs of TDL agents, and networks of ours."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path

import numpy as np

from inarow.game import Game
from inarow.lab import minimax_work, ntuple_work, pair_work
from inarow.lab.machine import made_with
from inarow.lab.minimax_work import KEEPING, NAIVE, OURS
from inarow.lab.ntuple_work import MINIMAX
from inarow.lab.store import Store
from inarow.lab.study import Config
from inarow.learn.learner import options_of
from inarow.learn.ntuple.learner import NTuple
from inarow.learn.schedule import falling
from inarow.papers.connect_four.extra import games_like
from inarow.papers.measures import Label
from inarow.papers.published import Published
from inarow.papers.results import Stored
from inarow.papers.study import PAPER as PAPER_SCALE
from inarow.papers.study import QUICK, Condition, Part, Request, read_finals

FOLDER = Path(__file__).parent
PUBLISHED = Published(FOLDER / "published.toml")
value = PUBLISHED.value
GAME = "connect4:6x7"
ONCE = {QUICK: 1, PAPER_SCALE: 1}

# Minimax

DEPTH = value("depth")  # in all of the paper's runs
BOARDS = {f"{rows}x{rows + 1}": (rows, rows + 1) for rows in range(6, 6 + 2 * value("boards"), 2)}
LARGEST = list(BOARDS)[-1]
NAIVE_BOARDS = list(BOARDS)[:5]  # a minute on 14x15, and far longer beyond
DEPTHS = (2, 3, 4, 5, DEPTH, 7, 8)  # other depths are the paper's future work
FIGURE_1 = PUBLISHED.take("figure-1")


def games(scale: str) -> list[Condition]:
    """Our search at several depths, and the naive program at the paper's; fewer at quick."""
    ours = list(BOARDS)[:5] if scale == QUICK else list(BOARDS)
    depths = (2, 4, DEPTH) if scale == QUICK else DEPTHS
    wanted = [(OURS, board, depth) for depth, board in product(depths, ours)]
    wanted += [(NAIVE, board, DEPTH) for board in NAIVE_BOARDS[: 2 if scale == QUICK else None]]
    wanted += [(KEEPING, board, DEPTH) for board in ours]
    return [
        Condition(
            {"program": program, "board": board, "depth": depth},
            {"program": program, "board": list(BOARDS[board]), "depth": depth},
            minimax_work.WORK,
        )
        for program, board, depth in wanted
    ]


def read_game(store: Store, config: int, runs: int, condition: Condition) -> Stored:
    """What a game took, and its moves."""
    found = read_finals(store, config, runs, condition)
    del found["finals"][minimax_work.COLUMN]
    _, columns = store.curve(config, minimax_work.COLUMN)
    return {**found, "game": " ".join(f"{column:.0f}" for column in columns[0])}


def game_facts(request: Request) -> Stored:
    """Whether any of our agents end a game as in Figure 1; what a leaf takes the naive program."""
    deepest = 4 if request.scale == QUICK else 8
    return {"figure_1": games_like(FIGURE_1.value, deepest), "scan": scan_facts(request.scale)}


def scan_facts(scale: str) -> Stored:
    """Seconds of a leaf on each board, and the processor that they are of."""
    found = {
        board: minimax_work.scan_seconds(Game(BOARDS[board], 4, gravity=True))
        for board in list(BOARDS)[: 5 if scale == QUICK else None]
    }
    return {"processor": made_with()["processor"], "seconds": found}


# Two TDL agents that train each other

EVERY, EVALUATED, TARGET = value("every"), value("evaluated"), value("target")
OTHER, PERFECT = "the other agent", "perfect"
REFEREES = {OTHER: None, MINIMAX: MINIMAX, PERFECT: PERFECT}
AT_MOST, LESS = RULES = ("at most", "less than")  # the pseudocode's rule and the text's
MOST_GAMES, REFEREE_GAMES, PAIRS = 10_000_000, 1_000_000, 10
FALL = 1_000_000  # games in which step size and exploration come to their ends
ALPHA, EPSILON = (0.28, 0.028), (0.1, 0.02)
# The paper's network: 70 * 4^8 weights are one table, without images of tuples. Plain TD(0).
NETWORK = NTuple(
    tuples=70, symmetric=False, by_side=False, alpha=str(falling(*ALPHA, FALL)),
    epsilon=str(falling(*EPSILON, FALL)), explored="cut", trace_decay=0.0, gamma=1.0,
    shield=False, average=0.0,
)  # fmt: skip


def pairs(scale: str) -> list[Condition]:
    """The paper's training, until either rule holds; and the first with other referees.

    These have fewer games: their scores stay far below the target.
    """
    shared = {
        "game": GAME, "network": options_of(NETWORK), "every": EVERY, "evaluated": EVALUATED,
        "target": TARGET, "perfect_games": 20 if scale == QUICK else ntuple_work.PERFECT_GAMES,
    }  # fmt: skip
    wanted = [(OTHER, rule, MOST_GAMES) for rule in RULES]
    wanted += [(name, AT_MOST, REFEREE_GAMES) for name in REFEREES if name != OTHER]
    return [
        Condition(
            {"referee": name, "rule": rule},
            {
                **shared, "games": 60_000 if scale == QUICK else most,
                "referee": REFEREES[name], "below": rule == LESS,
            },
            pair_work.WORK,
        )
        for name, rule, most in wanted
    ]  # fmt: skip


def read_pairs(store: Store, config: int, runs: int, condition: Condition) -> Stored:
    """Values at the end, and the scores of all evaluations of each pair."""
    _, scores = store.curve(config, "score")
    found = read_finals(store, config, runs, condition)
    return {**found, "scores": [row[~np.isnan(row)].tolist() for row in scores[:runs]]}


# Networks that play themselves


def network(scale: str, games: int, **changes: object) -> Stored:
    """A training run; alpha and epsilon fall from one number to another within it."""
    games = games // 100 if scale == QUICK else games
    given: Config = {
        "tuples": 200, "alpha": (0.6, 0.06), "epsilon": (0.1, 0.02), "average": 3.0,
        "explored": "best", "gamma": 1.0, **changes,
    }  # fmt: skip
    falls = {}
    for name in ("alpha", "epsilon"):
        start, end = given.pop(name)
        falls[name] = str(falling(start, end, games))
    return {"game": GAME, "games": games, **given, **falls, "average_every": max(games // 200, 1)}


# Options of networks by what they are called: by one label, or by two.
Kinds = Mapping[str, Config] | Mapping[tuple[str, int], Config] | Mapping[tuple[float, str], Config]


def networks(kinds: Kinds, scale: str, *labels: str) -> list[Condition]:
    """A condition for each set of options, by its labels."""
    found = []
    for names, options in kinds.items():
        named: tuple[Label, ...] = (names,) if isinstance(names, str) else names
        given = dict(zip(labels, named, strict=True))
        made = {"learner": "ntuple", **network(scale, **options)}
        found.append(Condition(given, made, ntuple_work.WORK))
    return found


FIRST, CHOSEN = "the first", "gamma 0.99"
SWEEP: dict[str, Config] = {
    FIRST: {"games": 2_000_000},
    "tuples 120, length 10": {"games": 2_000_000, "tuples": 120, "length": 10},
    "games 5,000,000, tuples 70": {"games": 5_000_000, "tuples": 70},
    "explored cut": {"games": 2_000_000, "explored": "cut"},
    CHOSEN: {"games": 2_000_000, "gamma": 0.99},
    "epsilon 0.1 to 0.005": {"games": 2_000_000, "epsilon": (0.1, 0.005)},
    "alpha 0.8 to 0.02": {"games": 2_000_000, "alpha": (0.8, 0.02)},
    "trace_decay 0.75": {"games": 2_000_000, "trace_decay": 0.75},
}
TEN = {CHOSEN: {"games": 3_000_000, "gamma": 0.99}}
SMALL = {"games": 1_000_000, "tuples": 70}
PLAIN, DISCOUNTED = "gamma 1", "gamma 0.99"
LOGISTIC, LINEAR = "gamma 1, loss_function logistic", "gamma 1, output linear"
TUPLE_SEEDS = (1, 2, 3, 4)
GRID: dict[tuple[str, int], Config] = {
    **{(PLAIN, seed): {**SMALL, "tuple_seed": seed} for seed in TUPLE_SEEDS},
    **{(DISCOUNTED, seed): {**SMALL, "gamma": 0.99, "tuple_seed": seed} for seed in TUPLE_SEEDS},
    (LOGISTIC, 3): {**SMALL, "tuple_seed": 3, "loss_function": "logistic"},
    (LINEAR, 3): {**SMALL, "tuple_seed": 3, "output": "linear"},
}
GAMMAS, OUTPUTS = (1.0, 0.99), ("tanh", "linear")
ON_OTHER_TUPLES: dict[tuple[float, str], Config] = {
    (gamma, output): {**SMALL, "gamma": gamma, "output": output}
    for gamma, output in product(GAMMAS, OUTPUTS)
}


# A network trained on by others

START: Config = {"games": 3_000_000, "tuples": 85, "length": 10, "output": "linear"}
START_SEED, MORE_GAMES = 33, 2_500
UNTRAINED, ITSELF = "none", "itself"
TRAINERS = {
    UNTRAINED: None,
    ITSELF: None,
    MINIMAX: MINIMAX,
    PERFECT: PERFECT,
}


def trained_on(scale: str) -> list[Condition]:
    """By each trainer for as many games; by none: one game from which nothing is learned."""
    start = {**network(scale, **START), "seed": START_SEED}
    found = []
    for name, trainer in TRAINERS.items():
        games = 1 if name == UNTRAINED else MORE_GAMES // (100 if scale == QUICK else 1)
        alpha = "0" if name == UNTRAINED else str(falling(0.1, 0.02, games))
        options = {
            "game": GAME, "learner": "ntuple", "against": trainer, "games": games, "alpha": alpha,
            "epsilon": "0.02", "average": 3.0, "average_every": max(games // 100, 1),
            "side": "first", "start": start,  # perfect play wins from the other side in any case
        }  # fmt: skip
        found.append(Condition({"trainer": name}, options, ntuple_work.TRAINED_ON_WORK))
    return found


ONLY = (PAPER_SCALE,)  # at the quick scale runs have a hundredth of the games
PARTS = (
    Part(
        "minimax", "Figures 1 to 3: a game on each of thirteen boards, and other depths", games,
        ONCE, read_game, game_facts,
    ),
    Part(
        "tdl", "Figure 4: two agents that train each other, and referees", pairs,
        {QUICK: 1, PAPER_SCALE: PAIRS}, read_pairs, seed=1, judged=ONLY,
    ),
    Part(
        "sweep", "settings of networks trained by self-play",
        lambda scale: networks(SWEEP, scale, "network"), {QUICK: 1, PAPER_SCALE: 4}, seed=1,
        judged=ONLY,
    ),
    Part(
        "ten-seeds", "the settings chosen by the sweep, on new seeds",
        lambda scale: networks(TEN, scale, "network"), {QUICK: 1, PAPER_SCALE: 10}, seed=11,
        judged=ONLY,
    ),
    Part(
        "seeds", "why seeds differ: each set of tuples with each seed of play",
        lambda scale: networks(GRID, scale, "network", "tuples"),
        {QUICK: 2, PAPER_SCALE: 5}, seed=1, judged=ONLY,
    ),
    Part(
        "outputs", "with and without tanh, on other sets of tuples",
        lambda scale: networks(ON_OTHER_TUPLES, scale, "gamma", "output"),
        {QUICK: 1, PAPER_SCALE: 10}, seed=11, judged=ONLY,
    ),
    Part(
        "trainers", "one network trained further by itself, by minimax and by perfect play",
        trained_on, {QUICK: 1, PAPER_SCALE: 10}, seed=1, judged=ONLY,
    ),
)  # fmt: skip
