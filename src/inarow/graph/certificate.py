"""Proofs about a player of a small game: can it be beaten, and does it ever give anything away?

The papers play a million sampled games; a sweep over the graph says it for certain. A player's
own random choices can be looked at in two ways, and both are said: taken by the adversary (no
luck of any kind beats it), and averaged (the best that an opponent can do against the dice).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inarow.engine.board import FIRST_WON, GOING_ON
from inarow.engine.jit import jit
from inarow.engine.tables import Int32s, Int64s
from inarow.game.notation import moves_text, parse_moves
from inarow.graph.graph import Graph
from inarow.graph.odds import Objective, Policy, best_response
from inarow.graph.states import Int8s, Int16s
from inarow.graph.values import values_of

NEVER = 30_000  # more moves than any game on a graph has

# What `_walk` counts.
MET, MISTAKES, MISTAKES_MET, WON_MET, THROWN_AWAY, FIRST_MISTAKE = range(6)


@dataclass(frozen=True)
class SeatCertificate:
    """What is proven of a player in one seat."""

    unbeatable: bool  # whatever the opponent does and however its own dice fall
    refutation: str | None  # a shortest line of moves that beats it
    loss_chance: float  # the most that an opponent can make it lose, its dice averaged
    positions: int  # where it is to move, in all play
    met: int  # of these, the ones its own play can lead to
    mistakes: int  # where a move it may choose gives away what the position is worth
    mistakes_met: int  # of these, the ones its own play can lead to
    mistake: str | None  # the moves to the first of all mistakes
    won_met: int  # positions that its own play can lead to and that it should win
    thrown_away: int  # of these, the ones where it may choose a move that does not win

    @property
    def converts(self) -> bool:
        """Whether it wins every won position that its play can lead to."""
        return self.thrown_away == 0


def certify_seat(graph: Graph, policies: list[Policy], seat: int) -> SeatCertificate:
    """Proves what there is to prove of a player in a seat (0 first, 1 second).

    Of several policies the player draws one for each game. It is unbeatable if each of them is;
    the chance of a loss is then the mean over opponents who know the one drawn, and the counts
    are those of the policy that has most.
    """
    certificates = [_certify_one(graph, policy, seat) for policy in policies]
    beaten = [c for c in certificates if not c.unbeatable]
    worst = min(
        beaten,
        key=lambda c: len(parse_moves(graph.game, c.refutation or "")),
        default=certificates[0],
    )
    return SeatCertificate(
        unbeatable=not beaten,
        refutation=worst.refutation,
        loss_chance=sum(c.loss_chance for c in certificates) / len(certificates),
        positions=worst.positions,
        met=max(c.met for c in certificates),
        mistakes=max(c.mistakes for c in certificates),
        mistakes_met=max(c.mistakes_met for c in certificates),
        mistake=next((c.mistake for c in certificates if c.mistake is not None), None),
        won_met=max(c.won_met for c in certificates),
        thrown_away=max(c.thrown_away for c in certificates),
    )


def _certify_one(graph: Graph, policy: Policy, seat: int) -> SeatCertificate:
    moves_to_loss = np.empty(graph.positions, dtype=np.int16)
    _find_losses(
        graph.state, graph.to_move, graph.edge_start, graph.child, policy, seat, moves_to_loss
    )
    counts, met = np.zeros(6, dtype=np.int64), np.zeros(graph.positions, dtype=np.int8)
    counts[FIRST_MISTAKE] = -1
    value = values_of(graph).value
    _walk(
        graph.state, graph.to_move, graph.edge_start, graph.child, value, policy, seat, met, counts
    )
    chances, _ = best_response(graph, policy, 1 - seat, Objective(win=1, draw=0, loss=0))
    beaten = moves_to_loss[0] < NEVER
    mistake = int(counts[FIRST_MISTAKE])
    return SeatCertificate(
        unbeatable=not beaten,
        refutation=_shortest_loss(graph, policy, seat, moves_to_loss) if beaten else None,
        loss_chance=float(chances.second if seat == 0 else chances.first),
        positions=int(np.count_nonzero((graph.state == GOING_ON) & (graph.to_move == seat))),
        met=int(counts[MET]),
        mistakes=int(counts[MISTAKES]),
        mistakes_met=int(counts[MISTAKES_MET]),
        mistake=moves_to(graph, mistake) if mistake >= 0 else None,
        won_met=int(counts[WON_MET]),
        thrown_away=int(counts[THROWN_AWAY]),
    )


@jit
def _find_losses(
    state: Int8s,
    to_move: Int8s,
    edge_start: Int32s,
    child: Int32s,
    policy: Policy,
    seat: int,
    moves_to_loss: Int16s,
) -> None:
    """For each position the fewest moves in which the player can lose, its dice against it."""
    for position in range(len(state) - 1, -1, -1):
        if state[position] != GOING_ON:
            lost = state[position] == FIRST_WON + (1 - seat)
            moves_to_loss[position] = 0 if lost else NEVER
            continue
        fewest = NEVER
        for edge in range(edge_start[position], edge_start[position + 1]):
            if to_move[position] != seat or policy[edge] > 0:
                fewest = min(fewest, moves_to_loss[child[edge]] + 1)
        moves_to_loss[position] = min(fewest, NEVER)


@jit
def _walk(
    state: Int8s,
    to_move: Int8s,
    edge_start: Int32s,
    child: Int32s,
    value: Int8s,
    policy: Policy,
    seat: int,
    met: Int8s,
    counts: Int64s,
) -> None:
    """Marks what the player's own play can lead to, and counts its mistakes there and elsewhere."""
    sign = 1 - 2 * seat
    met[0] = 1
    for position in range(len(state)):
        if state[position] != GOING_ON:
            continue
        own_turn = to_move[position] == seat
        mistaken = False
        for edge in range(edge_start[position], edge_start[position + 1]):
            if not own_turn or policy[edge] > 0:
                met[child[edge]] |= met[position]
                mistaken |= own_turn and sign * value[child[edge]] < sign * value[position]
        if own_turn:
            here = np.int64(met[position])
            won = here if sign * value[position] > 0 else 0
            counts[MET] += here
            counts[WON_MET] += won
            if mistaken:
                counts[MISTAKES] += 1
                counts[MISTAKES_MET] += here
                counts[THROWN_AWAY] += won
                if counts[FIRST_MISTAKE] < 0:
                    counts[FIRST_MISTAKE] = position


def _shortest_loss(graph: Graph, policy: Policy, seat: int, moves_to_loss: Int16s) -> str:
    """The moves of a shortest game that the player loses, the lowest of equal ones."""
    position, moves = 0, list[int]()
    while graph.state[position] == GOING_ON:
        own_turn = graph.to_move[position] == seat
        for edge in range(graph.edge_start[position], graph.edge_start[position + 1]):
            shorter = moves_to_loss[graph.child[edge]] == moves_to_loss[position] - 1
            if shorter and (not own_turn or policy[edge] > 0):
                moves.append(int(graph.move[edge]))
                position = int(graph.child[edge])
                break
    return moves_text(graph.game, moves)


def moves_to(graph: Graph, position: int) -> str:
    """Moves that lead to a position, as text (on a reduced graph, to one of its class)."""
    moves = list[int]()
    while position > 0:
        edge = int(np.flatnonzero(graph.child == position)[0])
        moves.append(int(graph.move[edge]))
        position = int(np.searchsorted(graph.edge_start, edge, side="right")) - 1
    return moves_text(graph.game, reversed(moves))
