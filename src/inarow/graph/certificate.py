"""Proofs about a player of a small game: its losses, and what it ever gives away.

The papers play a million sampled games; a sweep over the graph says it for certain. A player's
own random choices can be looked at in two ways, and both are said: taken by the adversary (no
luck of any kind beats it), and averaged (the best that an opponent can do against them).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from inarow.engine.board import FIRST_WON, GOING_ON, Int8s, Int16s
from inarow.engine.jit import jit
from inarow.game import InputError
from inarow.game.position import moves_text
from inarow.graph.graph import Graph, GraphArrays, values_of
from inarow.graph.odds import Objective, Policy, best_response, check_policy

Marks = npt.NDArray[np.bool_]  # [positions]

NEVER = 30_000  # more moves than any game on a graph has


@dataclass(frozen=True)
class SideProof:
    """What is proven of a player on one side; where it was only observed, what follows then."""

    unbeatable: bool | None  # whatever the opponent does and it draws; None where it is not known
    refutation: str | None  # a shortest line of moves that beats it
    loss_chance: float  # the share of games that a best response wins; its random choices averaged
    positions: int  # where it is to move, in all play
    met: int  # of these, the ones its own play can lead to
    mistakes: int  # where a move it may choose lowers the position's value
    mistakes_met: int  # of these, the ones its own play can lead to
    mistake: str | None  # the moves to the first of all mistakes
    won_met: int  # positions that its own play can lead to and that it should win
    thrown_away: int  # of these, the ones where it may choose a move that does not win

    @property
    def converts(self) -> bool:
        """Whether it wins every won position that its play can lead to."""
        return self.thrown_away == 0


def certify_side(graph: Graph, policies: list[Policy], side: int) -> SideProof:
    """Prove what there is to prove of a player on a side (0 first, 1 second).

    Of several policies the player draws one for each game. It is unbeatable if each of them is;
    a position is met, or a mistake, if it is one of any of them. The chance of a loss is the mean
    over best responses to each: to an opponent who does not know the one drawn it is a bound.
    """
    met, mistaken, met_mistaken = np.zeros((3, graph.positions), dtype=bool)
    refutation, chances = list[int](), list[float]()
    if not policies:
        raise InputError("a player needs a policy at least")
    for policy in policies:
        check_policy(graph, policy)
        own_met, own_mistaken = _walk_through(graph, policy, side)
        met |= own_met
        mistaken |= own_mistaken
        met_mistaken |= own_met & own_mistaken
        odds, _ = best_response(graph, policy, 1 - side, Objective(win=1, draw=0, loss=0))
        chances.append(float(odds.second if side == 0 else odds.first))
        line = _shortest_loss(graph, policy, side)
        if line and (not refutation or len(line) < len(refutation)):
            refutation = line
    own = (graph.state == GOING_ON) & (graph.to_move == side)
    won = own & met & ((1 - 2 * side) * values_of(graph).value > 0)
    return SideProof(
        unbeatable=not refutation,
        refutation=moves_text(graph.game, refutation) if refutation else None,
        loss_chance=sum(chances) / len(chances),
        positions=int(own.sum()),
        met=int((own & met).sum()),
        mistakes=int(mistaken.sum()),
        mistakes_met=int(met_mistaken.sum()),
        mistake=moves_to(graph, int(np.argmax(mistaken))) if mistaken.any() else None,
        won_met=int(won.sum()),
        thrown_away=int((won & met_mistaken).sum()),
    )


def _walk_through(graph: Graph, policy: Policy, side: int) -> tuple[Marks, Marks]:
    """Find which positions the player's own play leads to, and its mistakes."""
    met, mistaken = np.zeros((2, graph.positions), dtype=bool)
    value = values_of(graph).value
    _mark(graph.arrays, value, policy, side, met, mistaken)
    return met, mistaken


@jit
def _find_losses(graph: GraphArrays, policy: Policy, side: int, moves_to_loss: Int16s) -> None:
    """Find for each position the fewest moves in which the player can lose."""
    state, to_move, edge_start, child = graph.state, graph.to_move, graph.edge_start, graph.child
    for position in range(len(state) - 1, -1, -1):
        if state[position] != GOING_ON:
            lost = state[position] == FIRST_WON + (1 - side)
            moves_to_loss[position] = 0 if lost else NEVER
            continue
        fewest = NEVER
        for edge in range(edge_start[position], edge_start[position + 1]):
            if to_move[position] != side or policy[edge] > 0:
                fewest = min(fewest, moves_to_loss[child[edge]] + 1)
        moves_to_loss[position] = min(fewest, NEVER)


@jit
def _mark(
    graph: GraphArrays, value: Int8s, policy: Policy, side: int, met: Marks, mistaken: Marks
) -> None:
    """Mark what the player's own play can lead to, and its mistakes."""
    state, to_move, edge_start, child = graph.state, graph.to_move, graph.edge_start, graph.child
    sign = 1 - 2 * side
    met[0] = True
    for position in range(len(state)):
        if state[position] != GOING_ON:
            continue
        own_turn = to_move[position] == side
        for edge in range(edge_start[position], edge_start[position + 1]):
            if not own_turn or policy[edge] > 0:
                met[child[edge]] |= met[position]
                if own_turn and sign * value[child[edge]] < sign * value[position]:
                    mistaken[position] = True


def _shortest_loss(graph: Graph, policy: Policy, side: int) -> list[int]:
    """Return the moves of a shortest game that the player loses, if any.

    Such a game has a move at least: no empty board is lost.
    """
    moves_to_loss = np.empty(graph.positions, dtype=np.int16)
    _find_losses(graph.arrays, policy, side, moves_to_loss)
    position, moves = 0, list[int]()
    if moves_to_loss[0] >= NEVER:
        return moves
    while graph.state[position] == GOING_ON:
        own_turn = graph.to_move[position] == side
        for edge in range(graph.edge_start[position], graph.edge_start[position + 1]):
            shorter = moves_to_loss[graph.child[edge]] == moves_to_loss[position] - 1
            if shorter and (not own_turn or policy[edge] > 0):
                moves.append(int(graph.move[edge]))
                position = int(graph.child[edge])
                break
    return moves


def moves_to(graph: Graph, position: int) -> str:
    """Move that lead to a position, as text (on a reduced graph, to one of its class)."""
    moves = list[int]()
    while position > 0:
        edge = int(np.flatnonzero(graph.child == position)[0])
        moves.append(int(graph.move[edge]))
        position = int(np.searchsorted(graph.edge_start, edge, side="right")) - 1
    return moves_text(graph.game, reversed(moves))
