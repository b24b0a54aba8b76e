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
from numba import cuda, float32, float64, int64, uint32

from inarow.engine.board import GOING_ON, PLY, STATE, Board, Cells, clear, new_board, place
from inarow.engine.cuda import Kernel, kernel, new_stream, send, to_device, to_host
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
from inarow.engine.tables import Int64s, Tables, tables_of
from inarow.game import Game, InputError
from inarow.learn.mlp.agent import MLPAgent
from inarow.learn.mlp.cuda_sums import (
    ALPHA,
    CELL,
    COUNT,
    LEARNS,
    OVER,
    OWN,
    PARTS,
    PLIES,
    SIDE,
    TARGET,
    VALUES,
    WARP,
    Room,
    add_stone,
    learn,
    look,
    score_moves,
)
from inarow.learn.mlp.learner import MLP, MLPTraining
from inarow.learn.mlp.loop import (
    Settings,
    learns_from_end,
    learns_from_move,
    propose,
    settings_of,
    state_after,
    target_of_move,
)
from inarow.learn.mlp.network import Layers, Network, network_of
from inarow.learn.schedule import value_at
from inarow.learn.shield import best_of
from inarow.learn.training import GAMES, count_game, end_of, moves_for, side_in_game
from inarow.learn.weights import Weights

THREADS = 128  # of a block
REGISTERS = 128  # of a thread: so four blocks are on a multiprocessor at once


class BoardRuns(NamedTuple):
    """The arrays of many runs, the runs in front of all other dimensions."""

    board: Board
    found: Cells
    memory: Any  # of the opponent
    learner: Stream
    opponent: Stream
    counts: Int64s
    weights: Weights
    games: Int64s  # [runs] to play now
    finite: Int64s  # [runs] 0 once a value was no longer a number


class Fixed(NamedTuple):
    """What all runs of a launch share."""

    tables: Tables
    layers: Layers
    settings: Settings
    rules: Int64s  # the opponent's
    scan: int
    tests: bool  # nothing is learned: games of agents are counted


class Sizes(NamedTuple):
    """What a kernel is compiled for."""

    first: int  # width of the first layer
    units: int
    of_cell: int  # units of the first layer that a cell is connected to
    entries: int  # moves, and the position before
    batch: int
    parts: int


def sizes_of(network: Network) -> Sizes:
    """Of a network on a game."""
    layers, game = network.layers, network.game
    widths, first = layers.width.tolist(), layers.structured
    of_cell = int(np.diff(layers.row_start).max())
    entries = game.columns + 1
    widest = max([of_cell if first else 1, *widths[first:-1]])
    rows = max([1, *widths[:-2]]) * PARTS
    units = int(layers.unit_start[-1])
    return Sizes(
        widths[0],
        units,
        of_cell,
        entries,
        entries * widest,
        max(rows, THREADS, entries * WARP, *widths),
    )


# What the first thread does


@inline
def begin_turn(
    fixed: Fixed, board: Board, opponent: RulePlayer, found: Cells, learner: Stream,
    opponent_stream: Stream, number: int, cells: Cells, words: Int64s,
) -> None:  # fmt: skip
    """Says whose turn it is: the cells that the learner may choose, or the opponent's cell."""
    tables, settings = fixed.tables, fixed.settings
    side, ply = board.counters[PLY] & 1, board.counters[PLY]
    own = moves_for(side_in_game(settings.side, number), side)
    words[OWN], words[SIDE], words[PLIES], words[LEARNS] = own, side, ply, 0
    if not own:
        words[CELL] = choose_by_rules(tables, board, opponent, opponent_stream)
        return
    at_random = False
    if fixed.tests:
        rule, count = ordered_cells(tables, board, settings.rules, found)
        listed, count = found, 1 if rule == Rule.WIN else count
    else:
        epsilon = value_at(settings.epsilon, number)
        listed, count, at_random = propose(tables, board, found, learner, settings, epsilon)
        words[LEARNS] = learns_from_move(board, settings, at_random)
    for i in range(count):
        cells[i] = listed[i]
    words[COUNT] = count
    if ply > 0:
        cells[count] = board.history[ply - 1]


@inline
def end_turn(
    fixed: Fixed, board: Board, number: int, scores: Weights, cells: Cells, words: Int64s,
    reals: Any,
) -> None:  # fmt: skip
    """The learner's cell, and what the position before learns."""
    chosen = best_of(scores, words[COUNT])
    words[CELL] = cells[chosen]
    if words[LEARNS]:
        state = state_after(fixed.tables, board, words[CELL])
        reals[TARGET] = target_of_move(board, fixed.settings, state, scores[chosen])
        reals[ALPHA] = value_at(fixed.settings.alpha, number)


@inline
def begin_end(
    fixed: Fixed, board: Board, number: int, less: int, cells: Cells, words: Int64s, reals: Any
) -> None:
    """Whether a side learns from the end of a game, and what."""
    settings = fixed.settings
    side = (board.counters[PLY] - 1 + less) & 1
    own = side_in_game(settings.side, number)
    words[SIDE], words[PLIES], words[COUNT] = side, board.counters[PLY], 0
    words[LEARNS] = not fixed.tests and learns_from_end(board, settings, own, side, less)
    reals[TARGET] = settings.rewards[end_of(board.counters[STATE], side)]
    reals[ALPHA] = value_at(settings.alpha, number)
    cells[0] = board.history[board.counters[PLY] - 1]


@cache
def games_kernel(sizes: Sizes) -> Kernel:
    """Games of runs, a block for each."""
    first, units, of_cell, entries, batch, parts = sizes
    twice, scores, changes = 2 * batch, entries + 1, entries * of_cell

    def spread(fixed: Fixed, runs: BoardRuns) -> None:
        run, lane, lanes = cuda.blockIdx.x, cuda.threadIdx.x, cuda.blockDim.x
        # The simulator knows them by their lines.
        stones = cuda.shared.array(first, float32)
        seen = cuda.shared.array(first, float32)
        sums = cuda.shared.array(units, float32)
        active = cuda.shared.array(units, float32)
        past = cuda.shared.array(units, float32)
        errors = cuda.shared.array(units, float32)
        change = cuda.shared.array(changes, float32)
        rows = cuda.shared.array(changes, uint32)
        batches = cuda.shared.array(twice, float32)
        partial = cuda.shared.array(parts, float32)
        outputs = cuda.shared.array(scores, float32)
        cells = cuda.shared.array(entries, uint32)
        turn = cuda.shared.array(8, int64)
        reals = cuda.shared.array(4, float64)
        room = Room(
            stones, seen, sums, active, past, errors, change, rows, batches, partial, outputs,
            cells, turn, reals,
        )  # fmt: skip
        boards, layers, words = runs.board, fixed.layers, room.words
        board = Board(
            boards.stones[run], boards.lines[run], boards.threat[run], boards.threat_cells[run],
            boards.threat_place[run], boards.open_cells[run], boards.open_place[run],
            boards.history[run], boards.counters[run],
        )  # fmt: skip
        opponent = RulePlayer(fixed.rules, fixed.scan, runs.memory[run], runs.found[run])
        weights, counts, number = runs.weights[run], runs.counts[run], runs.counts[run, GAMES]
        if lane == 0:
            room.reals[VALUES] = 0.0
        cuda.syncthreads()
        for _ in range(runs.games[run]):
            if lane == 0:
                clear(fixed.tables, board)
                begin_rules(opponent, runs.opponent[run])
                words[OVER] = 0
            for i in range(lane, layers.width[0], lanes):
                room.stones[i], room.seen[i] = float32(0), float32(0)
            cuda.syncthreads()
            while words[OVER] == 0:
                if lane == 0:
                    begin_turn(
                        fixed, board, opponent, runs.found[run], runs.learner[run],
                        runs.opponent[run], number, room.cells, words,
                    )  # fmt: skip
                cuda.syncthreads()
                side, view = words[SIDE], 1 - 2 * words[SIDE]
                if words[OWN]:
                    if words[LEARNS] or words[COUNT] > 1:
                        look(layers, weights, room, view)
                        score_moves(layers, weights, room, words[COUNT], words[LEARNS] != 0)
                    if lane == 0:
                        end_turn(fixed, board, number, room.scores, room.cells, words, room.reals)
                    cuda.syncthreads()
                    if words[LEARNS]:
                        score = room.scores[words[COUNT]]
                        learn(layers, weights, room, fixed.settings, board.history, view, 1, score)
                cell = words[CELL]
                if lane == 0:
                    place(fixed.tables, board, cell)
                    words[OVER] = board.counters[STATE] != GOING_ON
                add_stone(layers, weights, room, cell, side == 0)
            for less in range(2):  # the terminal position, and the other side's last one before
                if lane == 0:
                    begin_end(fixed, board, number, less, room.cells, words, room.reals)
                cuda.syncthreads()
                if words[LEARNS]:
                    view = 1 - 2 * words[SIDE]
                    look(layers, weights, room, view)
                    score = room.scores[entries]
                    if less == 0:
                        for i in range(lane, layers.unit_start[len(layers.detectors)], lanes):
                            room.past[i] = room.active[i]
                        cuda.syncthreads()
                    else:
                        score_moves(layers, weights, room, 0, True)
                        score = room.scores[0]
                    learn(layers, weights, room, fixed.settings, board.history, view, less, score)
                cuda.syncthreads()
            if lane == 0:
                if math.isfinite(room.reals[VALUES]):
                    own = side_in_game(fixed.settings.side, number)
                    count_game(counts, board.counters[STATE], own)
                else:
                    runs.finite[run] = 0
            number += 1
            cuda.syncthreads()
            if runs.finite[run] == 0:
                break

    return kernel(spread, registers=REGISTERS)


def check_mlp(learner: MLP, game: Game) -> None:
    """Refuses networks that the kernel was not written for."""
    if learner.sharing != "none" or learner.precision != "single":
        raise InputError("on cuda, mlp takes single precision and no shared weights")
    if network_of(game, learner.network).layers.structured > 1:
        raise InputError("on cuda, mlp takes one structured layer at most")


def runs_of(network: Network, weights: Weights, arrays: dict[str, Any]) -> BoardRuns:
    """Arrays of as many runs as there are rows of weights, those given and those of boards."""
    tables, runs = tables_of(network.game), len(weights)
    zeros = {
        "counts": np.zeros((runs, 5), dtype=np.int64),
        "learner": np.zeros((runs, 4), dtype=np.uint64),
    }
    parts: Any = (np.repeat(part[None], runs, axis=0) for part in new_board(tables))
    board = Board(*parts)
    return to_device(
        BoardRuns(
            board=board,
            found=np.zeros((runs, tables.cells), dtype=np.uint32),
            memory=np.zeros((runs, 2), dtype=np.uint64),
            weights=weights,
            games=np.zeros(runs, dtype=np.int64),
            finite=np.ones(runs, dtype=np.int64),
            **{**zeros, **arrays},
        )
    )


class MLPRuns:
    """Runs of one network, game and opponent, with their arrays on the GPU."""

    def __init__(self, trainings: Sequence[MLPTraining]) -> None:
        first = trainings[0]
        self.trainings, self.stream = trainings, new_stream()
        self.spread = games_kernel(sizes_of(first.network))
        player = first.opponent
        assert isinstance(player, RulePlayer), "checked before"
        network, rules, scan = first.network, player.rules, player.scan
        fixed = Fixed(first.tables, network.layers, first.settings, rules, scan, False)
        self.fixed = to_device(fixed)
        names = ("counts", "learner", "opponent")
        stacked = {name: np.stack([run.arrays[name] for run in trainings]) for name in names}
        weights = np.stack([run.arrays["weights"] for run in trainings])
        self.arrays = runs_of(first.network, weights, stacked)

    def launch(self, games: Int64s) -> None:
        """Lets each run play so many more games, beside whatever else was launched."""
        send(self.arrays.games, games)
        self.spread[len(self.trainings), THREADS, self.stream](self.fixed, self.arrays)

    def collect(self) -> Int64s:
        """When they are played: [runs, 5] the counts of all."""
        if not to_host(self.arrays.finite).all():
            raise InputError("training diverged: a value of some run is not a number")
        return to_host(self.arrays.counts)

    def download(self) -> None:
        """What was learned and counted is in the arrays of the runs."""
        for name in ("weights", "learner", "opponent", "counts"):
            rows = to_host(getattr(self.arrays, name))
            for run, row in zip(self.trainings, rows, strict=True):
                run.arrays[name][...] = row


def play_games(
    agents: Sequence[MLPAgent], rules: RuleList, games: int, side: int, streams: Sequence[Stream]
) -> Int64s:
    """Games of agents against a rule player, drawn from a stream each: [agents, 5] counts."""
    network, game = agents[0].network, agents[0].network.game
    player = rules.compiled(tables_of(game))
    settings = settings_of(MLP(), game, side)._replace(rules=agents[0].shield)
    fixed = Fixed(tables_of(game), network.layers, settings, player.rules, player.scan, True)
    weights = np.stack([agent.weights for agent in agents])
    runs = runs_of(network, weights, {"opponent": np.stack(streams)})
    send(runs.games, np.full(len(agents), games))
    games_kernel(sizes_of(network))[len(agents), THREADS](to_device(fixed), runs)
    return to_host(runs.counts)
