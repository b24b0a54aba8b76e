"""A turn of a run on a GPU, and the end of a game: what one thread does, and all together.

The last thread of a block has the board: it moves, draws and decides what is learned, with the
functions of the processor's loop. The others add up (`cuda_sums`, `cuda_moves`, `cuda_learn`).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from numba import cuda

from inarow.engine.board import GOING_ON, PLY, STATE, Board, Cells, clear, place
from inarow.engine.cuda import device
from inarow.engine.jit import inline
from inarow.engine.rules import Rule, RulePlayer, begin_rules, choose_by_rules, ordered_cells
from inarow.engine.streams import Stream
from inarow.engine.tables import Int64s, Tables
from inarow.learn.mlp.cuda_learn import (
    ALPHA,
    EPSILON,
    TARGET,
    VALUES,
    add_stone_of,
    learn_back_of,
    learn_first_of,
)
from inarow.learn.mlp.cuda_moves import score_moves_of
from inarow.learn.mlp.cuda_sums import THREADS, Asked, Shape, forward_board_of, score_of
from inarow.learn.mlp.loop import (
    Settings,
    learns_from_end,
    learns_from_move,
    propose,
    state_after,
    target_of_move,
)
from inarow.learn.mlp.network import Layers
from inarow.learn.schedule import value_at
from inarow.learn.shield import best_of
from inarow.learn.training import count_game, end_of, moves_for, side_in_game
from inarow.learn.weights import Weights

# What is in `Room.words`. At the end of a game COUNT is the side that learns.
OWN, COUNT, LEARNS, CELL, PLIES, OVER = range(6)


class Fixed(NamedTuple):
    """What all runs of a launch share."""

    tables: Tables
    layers: Layers
    settings: Settings
    rules: Int64s  # the opponent's
    scan: int
    tests: bool  # nothing is learned: games of agents are counted


class Turn(NamedTuple):
    """What the thread that has the board tells the others."""

    cells: Cells  # to be scored
    words: Int64s
    reals: Any


class OneRun(NamedTuple):
    """What one run plays with; all but its weights is near the thread that has the board."""

    board: Board
    found: Cells
    memory: Any  # of the opponent
    learner: Stream
    opponent: Stream
    counts: Int64s
    weights: Weights


# What one thread does


@inline
def begin_game(
    fixed: Fixed, board: Board, opponent: RulePlayer, stream: Stream, number: int, turn: Turn
) -> None:
    """An empty board, and what holds for the whole game."""
    clear(fixed.tables, board)
    begin_rules(opponent, stream)
    turn.reals[ALPHA] = value_at(fixed.settings.alpha, number)
    turn.reals[EPSILON] = value_at(fixed.settings.epsilon, number)
    turn.words[OVER] = 0


@inline
def begin_turn(
    fixed: Fixed, board: Board, opponent: RulePlayer, run: OneRun, number: int, turn: Turn
) -> None:
    """Says whose turn it is: the cells that the learner may choose, or the opponent's cell."""
    tables, settings, words, found = fixed.tables, fixed.settings, turn.words, run.found
    side, ply = board.counters[PLY] & 1, board.counters[PLY]
    own = moves_for(side_in_game(settings.side, number), side)
    words[OWN], words[PLIES], words[LEARNS] = own, ply, 0
    if not own:
        words[CELL] = choose_by_rules(tables, board, opponent, run.opponent)
        return
    at_random = False
    if fixed.tests:
        rule, count = ordered_cells(tables, board, settings.rules, found)
        listed, count = found, 1 if rule == Rule.WIN else count
    else:
        epsilon = turn.reals[EPSILON]
        listed, count, at_random = propose(tables, board, found, run.learner, settings, epsilon)
        words[LEARNS] = learns_from_move(board, settings, at_random)
    for i in range(count):
        turn.cells[i] = listed[i]
    words[COUNT] = count
    if ply > 0:
        turn.cells[count] = board.history[ply - 1]


@inline
def end_turn(fixed: Fixed, board: Board, scores: Weights, turn: Turn) -> None:
    """The learner's cell, and what the position before learns."""
    words = turn.words
    chosen = best_of(scores, words[COUNT])
    words[CELL] = turn.cells[chosen]
    if words[LEARNS]:
        state = state_after(fixed.tables, board, words[CELL])
        turn.reals[TARGET] = target_of_move(board, fixed.settings, state, scores[chosen])


@inline
def begin_end(fixed: Fixed, board: Board, number: int, less: int, turn: Turn) -> None:
    """Whether a side learns from the end of a game, and what."""
    settings, words = fixed.settings, turn.words
    side = (board.counters[PLY] - 1 + less) & 1
    own = side_in_game(settings.side, number)
    words[PLIES], words[COUNT] = board.counters[PLY], side
    words[LEARNS] = not fixed.tests and learns_from_end(board, settings, own, side, less)
    turn.reals[TARGET] = settings.rewards[end_of(board.counters[STATE], side)]
    turn.cells[0] = board.history[board.counters[PLY] - 1]


@inline
def end_game(fixed: Fixed, board: Board, number: int, counts: Int64s, turn: Turn) -> bool:
    """Counts it; false if a value was no longer a number."""
    if not math.isfinite(turn.reals[VALUES]):
        return False
    count_game(counts, board.counters[STATE], side_in_game(fixed.settings.side, number))
    return True


# What the threads of a block do together


class Sums(NamedTuple):
    """What the threads add up together, made for one network."""

    forward_board: Any
    score: Any
    score_moves: Any
    learn_back: Any
    learn_first: Any
    add_stone: Any


def sums_of(shape: Shape) -> Sums:
    """The functions for a network."""
    return Sums(
        forward_board_of(shape),
        score_of(shape),
        score_moves_of(shape),
        learn_back_of(shape),
        learn_first_of(shape),
        add_stone_of(shape),
    )


def play_turn_of(sums: Sums) -> Any:
    """A turn. One thread has the board; it moves while others learn."""
    boss = THREADS
    forward_board, score_moves, add_stone = sums.forward_board, sums.score_moves, sums.add_stone
    learn_back, learn_first = sums.learn_back, sums.learn_first

    @device
    def play_turn(fixed, board, player, run, number, room):  # type: ignore[no-untyped-def]
        turn, layers, weights = Turn(room.cells, room.words, room.reals), fixed.layers, run.weights
        own, ply, count = room.words[OWN] != 0, room.words[PLIES], room.words[COUNT]
        learns, view = room.words[LEARNS] != 0, 1 - 2 * (ply & 1)
        if own:
            if learns or count > 1:
                forward_board(weights, room, view, 0)
                asked = Asked(count + 1 if learns else count, learns)
                score_moves(weights, room, layers, asked)
            if cuda.threadIdx.x == boss:
                end_turn(fixed, board, room.scores, turn)
            cuda.syncthreads()
        cell = room.words[CELL]
        if cuda.threadIdx.x == boss:
            place(fixed.tables, board, cell)
        if learns:
            learn_back(weights, room, fixed.settings, room.scores[count])
        else:
            cuda.syncthreads()
        if cuda.threadIdx.x == boss:  # all others have read the words of this turn
            room.words[OVER] = board.counters[STATE] != GOING_ON
            if room.words[OVER] == 0:
                begin_turn(fixed, board, player, run, number, turn)
        if learns:
            learn_first(weights, room, layers, ply - 1, view, 1)
        add_stone(weights, room, layers, cell, ply)

    return play_turn


def play_end_of(shape: Shape, sums: Sums) -> Any:
    """The end of a game, for the side that moved last (`less` 0) and for the other (1)."""
    boss, entries = THREADS, shape.entries
    forward_board, score, score_moves = sums.forward_board, sums.score, sums.score_moves
    learn_back, learn_first = sums.learn_back, sums.learn_first

    @device
    def play_end(fixed, board, run, number, room, less):  # type: ignore[no-untyped-def]
        turn, layers, weights = Turn(room.cells, room.words, room.reals), fixed.layers, run.weights
        if cuda.threadIdx.x == boss:
            begin_end(fixed, board, number, less, turn)
        cuda.syncthreads()
        ply, view = room.words[PLIES], 1 - 2 * room.words[COUNT]
        if room.words[LEARNS]:
            forward_board(weights, room, view, 0)
            if less == 0:
                score(weights, room, layers, Asked(0, False))
                if cuda.threadIdx.x < boss:
                    for i in range(cuda.threadIdx.x, len(room.active), boss):
                        room.past[i] = room.active[i]
                cuda.syncthreads()
            else:
                score_moves(weights, room, layers, Asked(1, True))
            known = room.scores[entries if less == 0 else 0]
            learn_back(weights, room, fixed.settings, known)
            learn_first(weights, room, layers, ply - less, view, less)
        cuda.syncthreads()

    return play_end
