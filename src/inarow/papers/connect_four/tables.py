"""The tables of the Connect Four paper's page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from statistics import pstdev
from typing import Any

from inarow.papers.connect_four import extra
from inarow.papers.connect_four.claims import ours
from inarow.papers.connect_four.extra import a_move, chosen, one, pooled
from inarow.papers.connect_four.minimax import NAIVE, OURS
from inarow.papers.connect_four.runs import (
    BOARDS,
    CHOSEN,
    DEPTH,
    DEPTHS,
    DISCOUNTED,
    GAME,
    GAMMAS,
    LINEAR,
    LOGISTIC,
    NAIVE_BOARDS,
    OTHER,
    OUTPUTS,
    PLAIN,
    REFEREES,
    SMALL,
    SWEEP,
    TRAINERS,
    TUPLE_SEEDS,
)
from inarow.papers.connect_four.tdl_work import (
    AGAINST_MINIMAX,
    CPU,
    EXAMINED,
    LAST,
    MINIMAX,
    SCORE,
)
from inarow.papers.measures import Data, Measured, final, ratio, share
from inarow.papers.paper import Of, of_column
from inarow.papers.tables import Grid, bytes_text, ratio_text

WINNERS = {0: "draw", 1: "first", 2: "second"}
naive = {"program": NAIVE, "depth": DEPTH}

# How numbers are written


def digits(number: int) -> Callable[[Measured], str]:
    """With so many digits after the point."""
    return lambda measured: f"{measured.mean:,.{number}f}"


def interval(number: int) -> Callable[[Measured], str]:
    """The mean, and its 95% interval where it has one."""

    def text(measured: Measured) -> str:
        mean = f"{measured.mean:.{number}f}"
        low, high = measured.low, measured.high
        known = low is not None and high is not None
        return f"{mean} ({low:.{number}f} to {high:.{number}f})" if known else mean

    return text


def values_text(measured: Measured) -> str:
    """Of all runs."""
    return " ".join(f"{number:.3f}" for number in measured.values)


def size_text(measured: Measured) -> str:
    """Bytes."""
    return bytes_text(measured.mean)


# Tables

BOARD_GRID = Grid(
    f"Two minimax agents, {DEPTH} moves deep",
    "board",
    {board: {"board": board, **ours} for board in BOARDS},
    {
        "winner": one("winner"), "moves": one("moves"), "CPU s": one("seconds"),
        "ms/move": a_move("seconds", 1000), "nodes": one("nodes"), "held": one("held bytes"),
        "in all": one("allocated bytes"),
    },
    digits(0),
    {
        "winner": lambda measured: WINNERS[int(measured.mean)], "CPU s": digits(3),
        "ms/move": digits(2), "held": size_text, "in all": size_text,
    },
)  # fmt: skip
SLOWER = ratio(a_move("seconds", **naive), a_move("seconds", **ours))
NAIVE_GRID = Grid(
    "The naive program, which scans the board at every leaf",
    "board",
    {board: {"board": board} for board in NAIVE_BOARDS},
    {
        "moves": one("moves", **naive), "naive s": one("seconds", **naive),
        "ms/move": a_move("seconds", 1000, **naive), "ours": a_move("seconds", 1000, **ours),
        "ratio": SLOWER, "visits/move": extra.visits(**naive), "our visits": extra.visits(**ours),
        "same": extra.same_game((), (OURS, NAIVE), DEPTH),
    },
    digits(0),
    {
        "naive s": digits(2), "ms/move": digits(1), "ours": digits(2),
        "ratio": lambda measured: ratio_text(measured.mean),
        "same": lambda measured: "yes" if measured.mean else "no",
    },
)  # fmt: skip
DEPTH_GRID = Grid(
    "CPU milliseconds a move, by depth",
    "board",
    {board: {"board": board, "program": OURS} for board in BOARDS},
    {str(depth): a_move("seconds", 1000, depth=depth) for depth in DEPTHS},
    digits(2),
)
REFEREE_GRID = Grid(
    "Referees",
    "referee",
    {name: {"part": "tdl", "referee": name} for name in REFEREES},
    {
        "ended by the rule": share("done"), "mean games": final("games"),
        "mean last score": final("score"), "highest": chosen("highest score", max),
        "perfect play": final("perfect score"), "best": chosen("perfect score", max),
    },
    digits(3),
    {
        "ended by the rule": lambda measured: f"{measured.count} of {measured.runs}",
        "mean games": digits(0), "mean last score": digits(1), "highest": digits(1),
    },
)  # fmt: skip
PAIR_TABLE = extra.by_seed(
    {
        "games": lambda run: f"{run['games']:,.0f}",
        "by the rule": lambda run: "yes" if run["done"] else "no",
        "last score": lambda run: f"{run['score']:g}",
        "CPU s": lambda run: f"{run['seconds']:.0f}",
        "+ / = / -": lambda run: " / ".join(f"{run[n]:.0f}" for n in ("wins", "draws", "losses")),
    },
    1, "Two TDL agents that train each other; + / = / -: against perfect play", part="tdl",
    referee=OTHER,
)  # fmt: skip
SWEEP_GRID = Grid(
    "The sweep: scores against perfect play",
    "network",
    {name: {"part": "sweep", "network": name} for name in SWEEP},
    {"seeds": final(SCORE), "mean": final(SCORE), "lowest": chosen(SCORE, min)},
    digits(3),
    {"seeds": values_text},
)
TEN_TABLE = extra.by_seed(
    {
        "score": lambda run: f"{run[SCORE]:.4f}",
        "won": lambda run: f"{run['averaged wins']:.0f}",
        "lost": lambda run: f"{run['averaged losses']:.0f}",
        "last weights": lambda run: f"{run[LAST]:.4f}",
        "CPU s": lambda run: f"{run[CPU]:.0f}",
    },
    11, "Ten seeds", part="ten-seeds", network=CHOSEN,
)  # fmt: skip
TRAINER_GRID = Grid(
    "Trainers",
    "trainer",
    {name: {"part": "trainers", "trainer": name} for name in TRAINERS},
    {
        "perfect play": final(SCORE), "lowest": chosen(SCORE, min),
        "lost": chosen("averaged losses", sum), MINIMAX: final(AGAINST_MINIMAX),
        "CPU s a run": final(CPU),
    },
    interval(4),
    {"lost": digits(0), MINIMAX: interval(3), "CPU s a run": digits(1)},
)  # fmt: skip


def kinds(*names: str) -> dict[str, dict[str, str]]:
    """Networks of the grid of tuples and seeds, over all sets of tuples."""
    return {name: {"part": "seeds", "network": name} for name in names}


def spread(measured: Measured) -> str:
    """The standard deviation of runs."""
    return f"{pstdev(measured.values):.3f}"


SEED_GRID = Grid(
    "Scores of averaged and of last weights, and what they vary by",
    "network",
    kinds(PLAIN, DISCOUNTED, LOGISTIC, LINEAR),
    {
        "runs": pooled(SCORE), "mean": pooled(SCORE), "spread": pooled(SCORE),
        "lowest": pooled(SCORE), "last: mean": pooled(LAST), "last: spread": pooled(LAST),
        **{
            head: extra.component(place, EXAMINED)
            for place, head in enumerate(("tuples", "play seed", "both", "measuring"))
        },
    },
    lambda measured: f"{measured.mean:.0f}%",
    {
        "runs": lambda measured: str(measured.runs), "mean": digits(3), "spread": spread,
        "lowest": lambda measured: f"{min(measured.values):.3f}", "last: mean": digits(3),
        "last: spread": spread,
    },
)  # fmt: skip
OWN_GRID = Grid(
    "Games against itself",
    "network",
    kinds(PLAIN, DISCOUNTED, LOGISTIC, LINEAR),
    {
        **{name: pooled(f"own games: {name}") for name in ("slowest loss", "win kept", "flat")},
        "length": pooled("own games: length"), MINIMAX: pooled(AGAINST_MINIMAX),
        "score and win kept": extra.correlation("own games: win kept", SCORE),
    },
    digits(3),
    {"length": digits(1), "score and win kept": interval(2)},
)  # fmt: skip
COVERAGE_GRID = Grid(
    "What tuples see, and mean scores",
    "tuples drawn with",
    {str(seed): {"part": "seeds", "tuples": seed} for seed in TUPLE_SEEDS},
    {
        **{
            head: extra.seen(place, GAME, int(SMALL["tuples"]))
            for place, head in enumerate(("lines seen whole", "tuples a line", "least seen cell"))
        },
        **{name: final(SCORE, network=name) for name in (PLAIN, DISCOUNTED)},
    },
    digits(3),
    {"lines seen whole": digits(2), "tuples a line": digits(1), "least seen cell": digits(0)},
)


def than_tanh(data: Data, **labels: Any) -> Measured | None:
    """By how much a network is better than the one with tanh, seed by seed."""
    if labels["output"] == "tanh":
        return None
    return extra.better(SCORE, labels, {**labels, "output": "tanh"})(data)


OUTPUT_GRID = Grid(
    "With tanh and without",
    "network",
    {
        f"gamma {gamma:g}, {output}": {"part": "outputs", "gamma": gamma, "output": output}
        for gamma in GAMMAS
        for output in OUTPUTS
    },
    {"mean": final(SCORE), "lowest": chosen(SCORE, min), "better than tanh by": than_tanh},
    interval(3),
)
TABLES: dict[str, Any] = {
    "boards": BOARD_GRID,
    "time": of_column("time", "board", "Run time of a game, minutes"),
    "heap": of_column("heap", "board", "Heap allocated in all, GB"),
    "naive": NAIVE_GRID,
    "depths": DEPTH_GRID,
    "lengths": partial(extra.length_table, boards=list(BOARDS), depths=DEPTHS),
    "pairs": Of("tdl", PAIR_TABLE),
    "referees": Of("tdl", REFEREE_GRID),
    "sweep": Of("sweep", SWEEP_GRID),
    "ten-seeds": Of("ten-seeds", TEN_TABLE),
    "trainers": Of("trainers", TRAINER_GRID),
    "seeds": Of("seeds", SEED_GRID),
    "coverage": Of("seeds", COVERAGE_GRID),
    "own-games": Of("seeds", OWN_GRID),
    "outputs": Of("outputs", OUTPUT_GRID),
}
