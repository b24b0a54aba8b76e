"""Counting the positions of a game, all of them or up to a ply, without keeping the moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from inarow.engine.board import DRAWN, FIRST_WON, GOING_ON, SECOND_WON
from inarow.engine.jit import jit
from inarow.engine.tables import Int32s, Int64s
from inarow.game import Game, InputError
from inarow.graph.graph import MAX_POSITIONS, Graph, graph_of
from inarow.graph.states import (
    check_fits,
    count_lowest,
    first_layer,
    next_layer,
    symmetry_images,
)
from inarow.graph.values import values_of

MAX_COUNTED = 16_000_000  # positions of one ply: they are held in memory
Progress = Callable[[int, int], None]  # called with the ply just counted and its positions


@dataclass(frozen=True)
class Count:
    """How many positions a game has; the last three are for games counted to the end."""

    game: Game
    by_ply: list[int]
    up_to_symmetry_by_ply: list[int]
    unfinished: int  # positions in which the game goes on
    unfinished_up_to_symmetry: int
    complete: bool  # whether the plies reach to the end of the game
    values: dict[str, int] | None = None  # positions won by either side under perfect play, drawn
    value: str | None = None  # of the empty board: first, second or draw
    games: dict[str, int] | None = None  # different games, by how they end

    def as_json(self) -> dict[str, object]:
        """For programs."""
        return {
            "game": self.game.name,
            "positions": sum(self.by_ply),
            "by_ply": self.by_ply,
            "up_to_symmetry": sum(self.up_to_symmetry_by_ply),
            "up_to_symmetry_by_ply": self.up_to_symmetry_by_ply,
            "unfinished": self.unfinished,
            "unfinished_up_to_symmetry": self.unfinished_up_to_symmetry,
            "complete": self.complete,
            "values": self.values,
            "value": self.value,
            "games": self.games,
        }


def count_positions(
    game: Game, plies: int | None = None, progress: Progress = lambda ply, positions: None
) -> Count:
    """Counts positions by ply; with their values, where the whole game is small enough."""
    if plies is not None and plies < 0:
        raise InputError(f"plies must be 0 or more, not {plies}")
    check_fits(game)
    none, images = symmetry_images(game, reduced=False), symmetry_images(game, reduced=True)
    layer, by_ply, classes = first_layer(), list[int](), list[int]()
    unfinished, unfinished_classes = 0, 0
    for ply in range(game.cells + 1):
        going_on = int(np.count_nonzero(layer.state == GOING_ON))
        by_ply.append(layer.count)
        open_classes = count_lowest(images, layer.first[:going_on], layer.second[:going_on])
        closed = count_lowest(images, layer.first[going_on:], layer.second[going_on:])
        classes.append(int(open_classes + closed))
        unfinished += going_on
        unfinished_classes += int(open_classes)
        progress(ply, layer.count)
        if going_on == 0 or ply == plies:
            break
        layer, _ = next_layer(game, layer, ply, none, np.zeros(0, dtype=np.int32), MAX_COUNTED)
        layer.going_on_first()
    count = Count(game, by_ply, classes, unfinished, unfinished_classes, complete=going_on == 0)
    if not count.complete or sum(by_ply) > MAX_POSITIONS:
        return count
    return _with_values(count)


def _with_values(count: Count) -> Count:
    graph = graph_of(count.game)
    values = values_of(graph)
    named = {1: "first", 0: "draw", -1: "second"}
    return Count(
        count.game,
        count.by_ply,
        count.up_to_symmetry_by_ply,
        count.unfinished,
        count.unfinished_up_to_symmetry,
        complete=True,
        values=values.totals(),
        value=named[int(values.value[0])],
        games=count_games(graph),
    )


def count_games(graph: Graph) -> dict[str, int] | None:
    """How many different games there are, by how they end; None where 63 bits could overflow."""
    most = 1
    for ply in range(len(graph.by_ply) - 1):
        most *= min(graph.game.columns, graph.game.cells - ply)
    if most >= 2**63:
        return None
    ways = np.zeros(graph.positions, dtype=np.int64)
    _count_ways(graph.edge_start, graph.child, ways)
    ends = {"first": FIRST_WON, "second": SECOND_WON, "draw": DRAWN}
    games = {name: int(ways[graph.state == end].sum()) for name, end in ends.items()}
    return {"total": sum(games.values()), **games}


@jit
def _count_ways(edge_start: Int32s, child: Int32s, ways: Int64s) -> None:
    """How many sequences of moves lead to each position: parents come before children."""
    ways[0] = 1
    for position in range(len(ways)):
        for edge in range(edge_start[position], edge_start[position + 1]):
            ways[child[edge]] += ways[position]
