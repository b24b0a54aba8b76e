"""Players as pages can run them: compiled, or as far as there is a way to compile them."""

from __future__ import annotations

import numpy as np

from inarow.engine.board import Tables
from inarow.engine.players import (
    CompiledPlayer,
    PlayerArrays,
    has_compiled_form,
    is_unchanged,
    note_class,
)
from inarow.game import Game, InputError
from inarow.graph.counting import positions_at_least
from inarow.graph.graph import graph_of
from inarow.lab.players.names import player
from inarow.lab.players.protocols import GraphPlayer, name_of
from inarow.learn.learner import layout_of
from inarow.learn.registry import BUILT_IN, learner
from inarow.learn.tabular.table import TabularAgent
from inarow.search.decided import WithStrategy
from inarow.search.endgame import Endgame, LateSolver
from inarow.search.mcts import mcts_named
from inarow.search.opening_book import shipped_book
from inarow.search.perfect import MOST_CELLS, Perfect, compiled_perfect
from inarow.search.solver import is_planar

MAX_POSITIONS = 200_000  # of a game whose whole graph goes into an image
BOUND_SHARE = (
    10  # no graph is built to find it too large: games have more than the bound that is quick
)


@note_class
class PerfectInPage:
    """Perfect play on Connect-4-like boards, as compiled loops have it."""

    def __init__(self, game: Game, choice: str) -> None:
        self.game, self.choice = game, choice

    def compiled(self, tables: Tables) -> PlayerArrays:  # noqa: ARG002 - the game is known
        """The player as arrays."""
        return compiled_perfect(self.game, self.choice)


def as_compiled(player: object, game: Game) -> CompiledPlayer:
    """A player as one of compiled loops, if there is a way; else a line that says there is none."""
    if has_compiled_form(player):
        return player
    if is_unchanged(player, Perfect):
        if _is_perfect_compiled(game):
            return PerfectInPage(game, player.choice)
        if positions_at_least(game) <= MAX_POSITIONS // BOUND_SHARE:
            return _from_graph(player, game)
    raise InputError(
        f"{name_of(player)} on {game.name} cannot play in a page, only on a computer that runs "
        "inarow: it is not a compiled player"
    )


def _is_perfect_compiled(game: Game) -> bool:
    return is_planar(game) and (shipped_book(game) is not None or game.cells <= MOST_CELLS)


def _from_graph(player: GraphPlayer, game: Game) -> CompiledPlayer:
    """A player that says how it moves in every position of a small game."""
    graph = graph_of(game)
    if graph.positions > MAX_POSITIONS:
        raise InputError(
            f"{game.name} has {graph.positions:,} positions: a page takes at most "
            f"{MAX_POSITIONS:,} of them"
        )
    (policy,) = player.policies(graph)
    return TabularAgent(name_of(player), graph, policy)


def sample_player(name: str, game: Game, seed: int = 0) -> CompiledPlayer:
    """A player whose name begins with a learner's: an untrained agent of it, and what follows."""
    head, *after = name.split("+")
    found = as_compiled(untrained(head, game, seed) if head in BUILT_IN else player(head), game)
    for part in after:
        kind, _, number = part.partition(":")
        if kind == "mcts":
            found = as_compiled(mcts_named(part, found), game)
        elif kind == "strategy":
            found = WithStrategy(found)
        elif is_planar(game):
            found = Endgame(found, int(number))
        else:
            found = LateSolver(found, int(number), game)
    return found


def untrained(name: str, game: Game, seed: int = 0) -> CompiledPlayer:
    """An agent of a learner with small random weights."""
    chosen, draw = learner(name), np.random.default_rng(seed)
    layout = layout_of(chosen, game, seed)
    arrays = {
        key: (draw.random(layout[key].shape) - 0.5).astype(layout[key].dtype)
        if layout[key].dtype.kind == "f"
        else np.zeros(layout[key].shape, layout[key].dtype)
        for key in chosen.arrays_to_play(0) or layout
    }
    return chosen.agent(game, seed, arrays)
