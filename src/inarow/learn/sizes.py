"""How much memory a run takes, from its options alone: known before anything is made.

A few characters can ask for more than any machine has, in a file of a stranger's as well as by a
slip of the finger. The estimates are those of the largest arrays and lists while a run is built;
the smaller ones do not count. Nearly all of the time that it takes goes by them too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from inarow.game import Game, InputError
from inarow.game.memory import bytes_text
from inarow.game.symmetry import MAX_LISTED
from inarow.graph.graph import MAX_POSITIONS

# Measured while runs were built, rounded up. All are bytes.
POSITION, POSITION_MOVE = 100, 14  # a position of a graph, and for each move that a game has
ENTRY = 350  # a cell of a feature: kept in dictionaries before it comes into arrays
SHARED_WEIGHT = 100  # a weight that a symmetry may take to another


def check_size(name: str, learner: Any, game: Game, most: int, place: str = "") -> None:
    """Says so if a run would take more than so many bytes; `place` is where that is the most."""
    size = bytes_needed(name, learner, game)
    if size > most:
        raise InputError(
            f"{name} with these options takes {bytes_text(size)} of memory on {game.name}: "
            f"at most {bytes_text(most)} work{place}"
        )


def bytes_needed(name: str, learner: Any, game: Game) -> int:
    """About how many bytes a run takes while it is built; `name` is the learner's."""
    return SIZES[name.strip().replace("-", "_")](learner, game)


def most_positions(game: Game) -> int:
    """At least as many positions as play can reach: every way to lay the stones of each ply."""
    if not game.gravity:
        ways = [math.comb(game.cells, ply) for ply in range(game.cells + 1)]
    else:
        ways, height = [1], game.cells // game.columns
        for _ in range(game.columns):  # columns are filled to some height each
            ways = np.convolve(np.array(ways, object), np.ones(height + 1, object)).tolist()
    return min(MAX_POSITIONS, sum(w * math.comb(p, p // 2) for p, w in enumerate(ways)))


def _table(_: Any, game: Game) -> int:
    return most_positions(game) * (POSITION + POSITION_MOVE * game.columns)


def _ntuple(ntuple: Any, game: Game) -> int:
    from inarow.learn.tuples import contributions, parse_tuples

    if ntuple.cells:
        tuples = parse_tuples(game, ntuple.cells)
        cells = sum(map(len, tuples))
        weights = sum(contributions(game, cells, ntuple.states)[1] for cells in tuples)
    else:
        cells = max(0, ntuple.tuples) * max(0, ntuple.length)
        # Exact where no stone falls; else one or two states of an empty cell are told apart.
        weights = max(0, ntuple.tuples) * 3 ** min(max(0, ntuple.length), game.cells)
    group, images = game.symmetry_group, 1
    if ntuple.symmetric:
        images = group.order if group.order <= MAX_LISTED else group.box_order
    tables = (2 if ntuple.by_side else 1) * (2 + 2 * ntuple.tcl + (ntuple.average > 0))
    return cells * images * ENTRY + weights * 4 * tables


def _mlp(mlp: Any, game: Game) -> int:
    from inarow.learn.network import parse_layers

    hidden, lines = parse_layers(mlp.network), len(game.lines)
    inputs = lines * game.k if hidden[0].lines else game.cells
    weights = inputs * hidden[0].units
    for one, other in pairwise(hidden):
        units = one.units * (lines if one.lines else 1)
        weights += units * other.units + other.units * (lines if other.lines else 1)
    shared = 0 if mlp.sharing == "none" else SHARED_WEIGHT
    return weights * (5 * _float(mlp) + 20 + shared)


def _line_td(line_td: Any, game: Game) -> int:
    from inarow.learn.line_features import LINES, line_orbits

    features = LINES + (int(line_orbits(game).max(initial=-1)) + 1) * (game.k + 1) ** 2
    return max(0, line_td.phases) * features * 8 * 2


def _monte_carlo(monte_carlo: Any, game: Game) -> int:
    return 2 * (game.cells + 1) * max(0, monte_carlo.hidden) * (2 * _float(monte_carlo) + 8)


def _reinforce(reinforce: Any, game: Game) -> int:
    weights = (2 * game.cells + 1) * max(0, reinforce.hidden)
    replay = max(0, reinforce.replay) * (game.cells + 16) if reinforce.version == "paper" else 0
    return weights * (5 * _float(reinforce) + 8) + replay + 8 * game.cells**2


def _float(learner: Any) -> int:
    return 8 if learner.precision == "double" else 4


# By the names in `names.LEARNERS`, so that no learner goes without.
SIZES: dict[str, Callable[[Any, Game], int]] = {
    "td": _table,
    "q": _table,
    "td_lambda": _table,
    "sarsa": _table,
    "ntuple": _ntuple,
    "mlp": _mlp,
    "line_td": _line_td,
    "monte_carlo": _monte_carlo,
    "reinforce": _reinforce,
}
