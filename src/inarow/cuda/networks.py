"""Runs of a value network side by side on a GPU, a block of threads for each.

What a run does one after the other (the board, rules, random numbers, targets, counts) its first
thread does, with the functions of the processor's loop. The sums of the network are written apart
from `activations` and `backpropagation`: there they are one thread's, laid out for its vectors,
and a run on one thread of a GPU would take some hundred times as long. Here units, moves and rows
of weights are spread over the threads. Both add up in different orders: single precision rounds
differently, so runs agree for some games and then go their own ways.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import cuda, float32, float64, int8, int32, int64, uint32, uint64

from inarow.cuda.kernels import Flags, Kernel, Queue, device, kernel, send, to_device, to_host
from inarow.cuda.network_sums import (
    ALPHA,
    EPSILON,
    TARGET,
    THREADS,
    VALUES,
    Asked,
    Room,
    Shape,
    add_stone_of,
    forward_board_of,
    learn_back_of,
    learn_first_of,
    score_moves_of,
    score_of,
    shape_of,
)
from inarow.engine.board import (
    GOING_ON,
    PLY,
    STATE,
    Board,
    Cells,
    Counters,
    Int64s,
    Tables,
    clear,
    place,
    tables_of,
)
from inarow.engine.jit import inline
from inarow.engine.rules import (
    Rule,
    RuleList,
    RulePlayer,
    begin_rules,
    choose_by_rules,
    ordered_cells,
)
from inarow.engine.streams import Stream
from inarow.game import Game, InputError
from inarow.learn.agent import best_of
from inarow.learn.layers import Weights
from inarow.learn.learner import GAMES, count_game, end_of, moves_for, side_in_game
from inarow.learn.mlp.learner import (
    MLP,
    MLPAgent,
    MLPTraining,
    Settings,
    learns_from_end,
    learns_from_move,
    propose,
    settings_of,
    state_after,
    target_of_move,
)
from inarow.learn.mlp.network import Layers, network_of
from inarow.learn.options import value_at


def check_mlp(learner: MLP, game: Game) -> None:
    """Raise InputError for networks that the kernel was not written for."""
    if learner.sharing != "none" or learner.precision != "single":
        raise InputError("on cuda, mlp takes single precision and no shared weights")
    if network_of(game, learner.network).layers.structured > 1:
        raise InputError("on cuda, mlp takes one structured layer at most")


def runs_of(weights: Weights, arrays: dict[str, Any], stream: Queue) -> BoardRuns:
    """Return arrays of as many runs as there are rows of weights, those given among them."""
    runs = len(weights)
    zeros = {
        "counts": np.zeros((runs, 5), dtype=np.int64),
        "learner": np.zeros((runs, 4), dtype=np.uint64),
        "games": np.zeros(runs, dtype=np.int64),
        "finite": np.ones(runs, dtype=np.int64),
    }
    return to_device(BoardRuns(weights=weights, **{**zeros, **arrays}), stream)


class MLPRuns:
    """Runs of one network, game and opponent, with their arrays on the GPU."""

    def __init__(self, trainings: Sequence[MLPTraining], stream: Queue) -> None:
        first = trainings[0]
        self.trainings, self.stream = trainings, stream
        self.spread = games_kernel(shape_of(first.network))
        player = first.opponent
        assert isinstance(player, RulePlayer), "checked before"
        network, rules, scan = first.network, player.rules, player.scan
        fixed = Fixed(first.tables, network.layers, first.settings, rules, scan, False)
        self.fixed = to_device(fixed, stream)
        names = ("counts", "learner", "opponent")
        stacked = {name: np.stack([run.arrays[name] for run in trainings]) for name in names}
        weights = np.stack([run.arrays["weights"] for run in trainings])
        self.arrays = runs_of(weights, stacked, stream)

    def launch(self, games: Int64s, beside: int) -> None:  # noqa: ARG002 - a block is a run
        """Let each run play so many more games, one of so many runs on the GPU."""
        send(self.arrays.games, games, self.stream)
        self.spread[len(self.trainings), BLOCK, self.stream](self.fixed, self.arrays)

    def collect(self) -> tuple[Int64s, Flags]:
        """Wait until they are played; return [runs, 5] all counts, and which have diverged."""
        counts = to_host(self.arrays.counts, self.stream)
        return counts, to_host(self.arrays.finite, self.stream) == 0

    def download(self, some: Sequence[int]) -> None:
        """Copy what some of the runs learned and counted into their arrays."""
        for name in ("weights", "learner", "opponent", "counts"):
            rows = to_host(getattr(self.arrays, name), self.stream)
            for number in some:
                self.trainings[number].arrays[name][...] = rows[number]


class NetworkGames:
    """Games of agents against a rule player, drawn from a stream each."""

    def __init__(
        self,
        agents: Sequence[MLPAgent],
        rules: RuleList,
        games: int,
        side: int,
        streams: Sequence[Stream],
        stream: Queue,
    ) -> None:
        network, game = agents[0].network, agents[0].network.game
        player = rules.compiled(tables_of(game))
        settings = settings_of(MLP(), game, side)._replace(rules=agents[0].shield)
        fixed = Fixed(tables_of(game), network.layers, settings, player.rules, player.scan, True)
        weights = np.stack([agent.weights for agent in agents])
        self.fixed, self.stream = to_device(fixed, stream), stream
        self.runs = runs_of(weights, {"opponent": np.stack(streams)}, stream)
        self.games = np.full(len(agents), games)
        self.spread = games_kernel(shape_of(network))

    def launch(self) -> None:
        """Play the games, beside whatever else was launched."""
        send(self.runs.games, self.games, self.stream)
        self.spread[len(self.games), BLOCK, self.stream](self.fixed, self.runs)

    def counts(self) -> Int64s:
        """Wait until they are played; return [agents, 3] won, drawn and lost by each."""
        return to_host(self.runs.counts, self.stream)[:, 1:4]


# Games of runs on a GPU, a block of threads for each: its board, its room for sums, its kernel.

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
    """Return the board of a run, and what draws from its streams, in memory of the block."""
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
    """Return memory for the sums of a network."""
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
    """Copy random streams to the board, or back from it."""
    for i in range(4):
        if back:
            runs.learner[number, i] = run.learner[i]
            runs.opponent[number, i] = run.opponent[i]
        else:
            run.learner[i] = runs.learner[number, i]
            run.opponent[i] = runs.opponent[number, i]


@cache
def games_kernel(shape: Shape) -> Kernel:
    """Play games of runs, a block for each."""
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


# A turn of a run on a GPU, and the end of a game: what one thread does, and all together.
#
# The last thread of a block has the board: it moves, draws and decides what is learned, with the
# functions of the processor's loop. The others add up (`cuda_sums`, `cuda_moves`, `cuda_learn`).

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
    """Set the board of a game to empty, and what holds for the whole game."""
    clear(fixed.tables, board)
    begin_rules(opponent, stream)
    turn.reals[ALPHA] = value_at(fixed.settings.alpha, number)
    turn.reals[EPSILON] = value_at(fixed.settings.epsilon, number)
    turn.words[OVER] = 0


@inline
def begin_turn(
    fixed: Fixed, board: Board, opponent: RulePlayer, run: OneRun, number: int, turn: Turn
) -> None:
    """Find the cells that the learner may choose at its turn, or the opponent's cell."""
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
    """Find the learner's cell, and what the position before learns."""
    words = turn.words
    chosen = best_of(scores, words[COUNT])
    words[CELL] = turn.cells[chosen]
    if words[LEARNS]:
        state = state_after(fixed.tables, board, words[CELL])
        turn.reals[TARGET] = target_of_move(board, fixed.settings, state, scores[chosen])


@inline
def begin_end(fixed: Fixed, board: Board, number: int, less: int, turn: Turn) -> None:
    """Return whether a side learns from the end of a game, and what."""
    settings, words = fixed.settings, turn.words
    side = (board.counters[PLY] - 1 + less) & 1
    own = side_in_game(settings.side, number)
    words[PLIES], words[COUNT] = board.counters[PLY], side
    words[LEARNS] = not fixed.tests and learns_from_end(board, settings, own, side, less)
    turn.reals[TARGET] = settings.rewards[end_of(board.counters[STATE], side)]
    turn.cells[0] = board.history[board.counters[PLY] - 1]


@inline
def end_game(fixed: Fixed, board: Board, number: int, counts: Int64s, turn: Turn) -> bool:
    """Count a finished game; return False if a value was no longer a number."""
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
    """Return the functions that add up a network."""
    return Sums(
        forward_board_of(shape),
        score_of(shape),
        score_moves_of(shape),
        learn_back_of(shape),
        learn_first_of(shape),
        add_stone_of(shape),
    )


def play_turn_of(sums: Sums) -> Any:
    """Return a turn. One thread has the board; it moves while others learn."""
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
    """Return the end of a game, for the side that moved last (`less` 0) and for the other (1)."""
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
