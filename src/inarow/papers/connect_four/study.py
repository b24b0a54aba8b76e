"""What is run of the Connect Four paper: minimax, pairs of TDL agents, and networks of ours."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np

from inarow.game import Game
from inarow.lab.machine import made_with
from inarow.lab.studies.study import Config
from inarow.learn.learner import options_of
from inarow.learn.ntuple.learner import NTuple
from inarow.learn.options import falling
from inarow.papers.connect_four import minimax, tdl
from inarow.papers.connect_four.exact import games_like
from inarow.papers.connect_four.minimax import KEEPING, NAIVE, OURS
from inarow.papers.connect_four.tdl import MINIMAX
from inarow.papers.measures import Label, ResultRow
from inarow.papers.published import Published
from inarow.papers.study import PAPER as PAPER_SCALE
from inarow.papers.study import QUICK, TINY, Condition, Part, Request, Runs, read_finals, shorter

PUBLISHED = Published(__file__)
value = PUBLISHED.value
GAME = "connect4:6x7"
SMALL_BOARD = "connect4:4x5"  # of the tiny scale
ONCE = {TINY: 1, QUICK: 1, PAPER_SCALE: 1}

# Minimax

DEPTH = value("depth")  # in all of the paper's runs
BOARDS = {f"{rows}x{rows + 1}": (rows, rows + 1) for rows in range(6, 6 + 2 * value("boards"), 2)}
LARGEST = list(BOARDS)[-1]
NAIVE_BOARDS = list(BOARDS)[:5]  # a minute on 14x15, and far longer beyond
DEPTHS = (2, 3, 4, 5, DEPTH, 7, 8)  # other depths are the paper's future work
FIGURE_1 = PUBLISHED["figure-1"]


def games(scale: str) -> list[Condition]:
    """Return games of our search at several depths, and of the naive program at the paper's."""
    ours = list(BOARDS)[:5] if scale == QUICK else list(BOARDS)
    depths = (2, 4, DEPTH) if scale == QUICK else DEPTHS
    wanted = [(OURS, board, depth) for depth, board in product(depths, ours)]
    wanted += [(NAIVE, board, DEPTH) for board in NAIVE_BOARDS[: 2 if scale == QUICK else None]]
    wanted += [(KEEPING, board, DEPTH) for board in ours]
    return [
        Condition(
            {"program": program, "board": board, "depth": depth},
            {"program": program, "board": list(BOARDS[board]), "depth": depth},
            minimax.GAME_WORK,
        )
        for program, board, depth in wanted
    ]


def on_small_boards(condition: Condition) -> Config | None:
    """Keep the games on the smallest boards; the one that scans only on the smallest."""
    boards = list(BOARDS)[: 1 if condition.labels["program"] == NAIVE else 3]
    return {} if condition.labels["board"] in boards else None


def read_game(runs: Runs) -> ResultRow:
    """Return what a game took, and its moves."""
    found = read_finals(runs)
    del found["finals"][minimax.PLAYED]
    _, columns = runs.curve(minimax.PLAYED)
    return {**found, "game": " ".join(f"{column:.0f}" for column in columns[0])}


def game_facts(request: Request) -> ResultRow:
    """Return how many of our games end as in Figure 1, and what a leaf takes the naive program."""
    deepest = {TINY: 1, QUICK: 4, PAPER_SCALE: 8}[request.scale]
    return {"figure_1": games_like(FIGURE_1.value, deepest), "scan": scan_facts(request.scale)}


def scan_facts(scale: str) -> ResultRow:
    """Return seconds of a leaf on each board, and the processor that they are of."""
    found = {
        board: minimax.scan_seconds(Game(BOARDS[board], 4, gravity=True))
        for board in list(BOARDS)[: {TINY: 1, QUICK: 5, PAPER_SCALE: None}[scale]]
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
    """Return the paper's training, until either rule holds; and the first with other referees.

    These have fewer games: their scores stay far below the target.
    """
    shared = {
        "game": GAME, "network": options_of(NETWORK), "every": EVERY, "evaluated": EVALUATED,
        "target": TARGET, "perfect_games": 20 if scale == QUICK else tdl.PERFECT_GAMES,
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
            tdl.PAIR_WORK,
        )
        for name, rule, most in wanted
    ]  # fmt: skip


def short_pair(condition: Condition) -> Config:
    """Train a small network for three evaluations."""
    network = {**condition.parameters["network"], "tuples": 4, "length": 4}
    return {
        "game": SMALL_BOARD, "network": network, "games": 150, "every": 50, "perfect_games": 4,
    }  # fmt: skip


def read_pairs(runs: Runs) -> ResultRow:
    """Return values at the end, and the scores of all evaluations of each pair."""
    _, scores = runs.curve("score")
    return {**read_finals(runs), "scores": [row[~np.isnan(row)].tolist() for row in scores]}


# Networks that play themselves


def network(scale: str, games: int, **changes: object) -> ResultRow:
    """Return a training run; alpha and epsilon fall from one number to another within it."""
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
    """Return a condition for each set of options, by its labels."""
    found = []
    for names, options in kinds.items():
        named: tuple[Label, ...] = (names,) if isinstance(names, str) else names
        given = dict(zip(labels, named, strict=True))
        made = {"learner": "ntuple", **network(scale, **options)}
        found.append(Condition(given, made, tdl.TDL_WORK))
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


SMALL_NETWORK: Config = {"game": SMALL_BOARD, "tuples": 3, "length": 4, "average_every": 5}
short_network = shorter(60, **SMALL_NETWORK)


def cut_network(condition: Condition) -> Config:
    """Train a small network on a small board for a few games."""
    return {**(short_network(condition) or {}), "perfect_games": 4}


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
    """Return the network trained on by each trainer; by none, it learns nothing from one game."""
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
        found.append(Condition({"trainer": name}, options, tdl.TRAINED_ON_WORK))
    return found


def cut_both(condition: Condition) -> Config:
    """Train a small network on a small board, and then a few games more."""
    start = {**condition.parameters["start"], **SMALL_NETWORK, "games": 60}
    games = condition.parameters["games"]
    return {"game": SMALL_BOARD, "games": min(games, 5), "start": start, "perfect_games": 4}


ONLY = (PAPER_SCALE,)  # at the quick scale runs have a hundredth of the games
PARTS = (
    Part(
        "minimax", "Figures 1 to 3: a game on each of thirteen boards, and other depths", games,
        ONCE, read_game, game_facts, tiny=on_small_boards,
    ),
    Part(
        "tdl", "Figure 4: two agents that train each other, and referees", pairs,
        {TINY: 2, QUICK: 1, PAPER_SCALE: PAIRS}, read_pairs, seed=1, judged=ONLY,
        tiny=short_pair, ranked_by="perfect score",
        keeps=lambda condition: condition.labels == {"referee": OTHER, "rule": AT_MOST},
    ),
    Part(
        "sweep", "settings of networks trained by self-play",
        lambda scale: networks(SWEEP, scale, "network"), {TINY: 2, QUICK: 1, PAPER_SCALE: 4},
        seed=1, judged=ONLY, own=True, tiny=cut_network,
    ),
    Part(
        "ten-seeds", "the settings chosen by the sweep, on new seeds",
        lambda scale: networks(TEN, scale, "network"), {TINY: 2, QUICK: 1, PAPER_SCALE: 10},
        seed=11, judged=ONLY, tiny=cut_network,
    ),
    Part(
        "seeds", "why seeds differ: each set of tuples with each seed of play",
        lambda scale: networks(GRID, scale, "network", "tuples"),
        {TINY: 2, QUICK: 2, PAPER_SCALE: 5}, seed=1, judged=ONLY, own=True, tiny=cut_network,
    ),
    Part(
        "outputs", "with and without tanh, on other sets of tuples",
        lambda scale: networks(ON_OTHER_TUPLES, scale, "gamma", "output"),
        {TINY: 2, QUICK: 1, PAPER_SCALE: 10}, seed=11, judged=ONLY, own=True, tiny=cut_network,
    ),
    Part(
        "trainers", "one network trained further by itself, by minimax and by perfect play",
        trained_on, {TINY: 2, QUICK: 1, PAPER_SCALE: 10}, seed=1, judged=ONLY, own=True,
        tiny=cut_both,
    ),
)  # fmt: skip
