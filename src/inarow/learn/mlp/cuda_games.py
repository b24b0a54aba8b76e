"""Games of runs on a GPU, a block of threads for each: its board, its room for sums, its kernel."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from numba import cuda, float32, float64, int8, int32, int64, uint32, uint64

from inarow.engine.board import Board, Counters
from inarow.engine.cuda import Kernel, device, kernel
from inarow.engine.jit import inline
from inarow.engine.rules import RulePlayer
from inarow.engine.streams import Stream
from inarow.engine.tables import Int64s
from inarow.learn.mlp.cuda_learn import VALUES
from inarow.learn.mlp.cuda_sums import THREADS, Room, Shape
from inarow.learn.mlp.cuda_turns import (
    OVER,
    Fixed,
    OneRun,
    Turn,
    begin_game,
    begin_turn,
    end_game,
    play_end_of,
    play_turn_of,
    sums_of,
)
from inarow.learn.training import GAMES
from inarow.learn.weights import Weights

BLOCK = THREADS + 1  # threads: the last one has the board
REGISTERS = 96  # of a thread: so four blocks are on a multiprocessor at once
COUNTERS = len(Counters()) + 2  # of a board


class BoardRuns(NamedTuple):
    """The arrays of many runs, the runs in front of all other dimensions."""

    learner: Stream
    opponent: Stream
    counts: Int64s
    weights: Weights
    games: Int64s  # [runs] to play now
    finite: Int64s  # [runs] 0 once a value was no longer a number


def board_of(shape: Shape) -> Any:
    """Room for the board of a run, and for what draws from its streams."""
    cells, sides, lines = shape.cells, (2, shape.cells), shape.lines

    @device
    def make(runs, run):  # type: ignore[no-untyped-def]
        # The simulator knows shared arrays by their lines.
        stones = cuda.shared.array(cells, int8)
        words = cuda.shared.array(lines, int64)
        threat = cuda.shared.array(sides, int32)
        threat_cells = cuda.shared.array(sides, uint32)
        threat_place = cuda.shared.array(sides, uint32)
        open_cells = cuda.shared.array(cells, uint32)
        open_place = cuda.shared.array(cells, uint32)
        history = cuda.shared.array(cells, uint32)
        counters = cuda.shared.array(COUNTERS, int64)
        found = cuda.shared.array(cells, uint32)
        memory = cuda.shared.array(2, uint64)
        learner = cuda.shared.array(4, uint64)
        opponent = cuda.shared.array(4, uint64)
        board = Board(
            stones,
            words,
            threat,
            threat_cells,
            threat_place,
            open_cells,
            open_place,
            history,
            counters,
        )
        return OneRun(board, found, memory, learner, opponent, runs.counts[run], runs.weights[run])

    return make


def room_of(shape: Shape) -> Any:
    """Room for the sums of a network."""
    first, units, entries, cells = shape.width[0], shape.units[-1], shape.entries, 2 * shape.cells
    of_cell, changes, twice = shape.of_cell, shape.entries * shape.of_cell, 2 * shape.batch
    parts, scored = shape.parts, shape.entries + 1

    @device
    def make():  # type: ignore[no-untyped-def]
        stones = cuda.shared.array(first, float32)
        seen = cuda.shared.array(first, float32)
        sums = cuda.shared.array(units, float32)
        active = cuda.shared.array(units, float32)
        past = cuda.shared.array(units, float32)
        errors = cuda.shared.array(units, float32)
        change = cuda.shared.array(changes, float32)
        moved = cuda.shared.array(of_cell, float32)
        rows = cuda.shared.array(changes, uint32)
        batch = cuda.shared.array(twice, float32)
        partial = cuda.shared.array(parts, float32)
        scores = cuda.shared.array(scored, float32)
        places = cuda.shared.array(entries, uint32)
        starts = cuda.shared.array(cells, uint32)
        words = cuda.shared.array(8, int64)
        reals = cuda.shared.array(4, float64)
        return Room(
            stones,
            seen,
            sums,
            active,
            past,
            errors,
            change,
            moved,
            rows,
            batch,
            partial,
            scores,
            places,
            starts,
            words,
            reals,
        )

    return make


@inline
def copy_streams(run: OneRun, runs: BoardRuns, number: int, back: bool) -> None:
    """To the board, or back from it."""
    for i in range(4):
        if back:
            runs.learner[number, i] = run.learner[i]
            runs.opponent[number, i] = run.opponent[i]
        else:
            run.learner[i] = runs.learner[number, i]
            run.opponent[i] = runs.opponent[number, i]


@cache
def games_kernel(shape: Shape) -> Kernel:
    """Games of runs, a block for each."""
    boss, first, make_room, make_board = THREADS, shape.width[0], room_of(shape), board_of(shape)
    sums = sums_of(shape)
    play_turn, play_end = play_turn_of(sums), play_end_of(shape, sums)

    def spread(fixed: Fixed, runs: BoardRuns) -> None:
        block, lane, room = cuda.blockIdx.x, cuda.threadIdx.x, make_room()
        run = make_board(runs, block)
        board, number = run.board, run.counts[GAMES]
        turn = Turn(room.cells, room.words, room.reals)
        player = RulePlayer(fixed.rules, fixed.scan, run.memory, run.found)
        if lane == boss:
            copy_streams(run, runs, block, False)
            run.memory[0], room.reals[VALUES] = 0, 0.0
        for _ in range(runs.games[block]):
            if lane == boss:
                begin_game(fixed, board, player, run.opponent, number, turn)
                begin_turn(fixed, board, player, run, number, turn)
            else:
                for i in range(lane, first, boss):
                    room.stones[i], room.seen[i] = float32(0), float32(0)
            cuda.syncthreads()
            while room.words[OVER] == 0:
                play_turn(fixed, board, player, run, number, room)
            for less in range(2):  # the terminal position, and the other side's last one before
                play_end(fixed, board, run, number, room, less)
            if lane == boss and not end_game(fixed, board, number, run.counts, turn):
                runs.finite[block] = 0
            number += 1
            cuda.syncthreads()
            if runs.finite[block] == 0:
                break
        if lane == boss:
            copy_streams(run, runs, block, True)

    return kernel(spread, registers=REGISTERS)
