"""Tactical filters: rules that come before the choice of a network.

A filter takes a win, blocks one, and keeps off moves that let the other side win on top. Only
moves that it leaves are up to the network.
"""

from __future__ import annotations

import numpy as np

from inarow.engine.jit import inline
from inarow.engine.rules import Rule, rules_in
from inarow.engine.tables import Int64s
from inarow.game import Game
from inarow.learn.options import one_of, option
from inarow.learn.weights import Weights

SHIELDS: dict[str, tuple[Rule, ...]] = {
    "none": (),
    "win": (Rule.WIN,),
    "block": (Rule.WIN, Rule.BLOCK),
    "safe": (Rule.WIN, Rule.BLOCK, Rule.SAFE),
}


def shield_option(default: str) -> str:
    """The option of learners with a network."""
    about = "tactical filter (win, block, safe) before the network's choice, each with those before"
    return option(default, about, one_of(*SHIELDS))


def rules_of(shield: tuple[Rule, ...], game: Game) -> Int64s:
    """A filter as a list that `find_cells` reads.

    Where lines are counted to the end no move wins at once, so there is no filter.
    """
    rules = () if game.scoring else shield
    return np.array(rules_in(rules, game.misere), dtype=np.int64)


@inline
def best_of(scores: Weights, count: int) -> int:
    """The first of the highest scores."""
    chosen = 0
    for i in range(1, count):
        if scores[i] > scores[chosen]:
            chosen = i
    return chosen
