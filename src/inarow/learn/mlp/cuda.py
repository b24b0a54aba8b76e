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

U = np.uint32  # of indices: a signed one might count from the end, which takes time to see

THREADS = 128  # of a block
REGISTERS = 128  # of a thread: so four blocks are on a multiprocessor at once
WARP = 32  # threads that go together
ONE = 1
PARTS = 8  # threads for a row of weights, when errors go back through it
# What the first thread tells the others of a turn.
OWN, SIDE, COUNT, LEARNS, CELL, PLIES, OVER = range(7)
TARGET, ALPHA, VALUES = range(3)  # and real numbers: the last adds up all values, to be checked


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


class Room(NamedTuple):
    """What the threads of a block share: as in `Activations`."""

    stones: Weights
    seen: Weights
    sums: Weights
    active: Weights
    past: Weights  # activations of the position that learns
    errors: Weights
    change: Weights  # [entries * units of a cell] by how much units change
    rows: Cells  # [entries * units of a cell] where the weights of these units begin
    batch: Weights  # twice [entries, widest dense layer]
    parts: Weights  # of sums
    scores: Weights  # [entries + 1] the last is that of the board
    cells: Cells  # [entries] moves to be scored; the last one leads back
    words: Int64s
    reals: Any


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


@cuda.jit(device=True)
def _logistic(x):  # type: ignore[no-untyped-def]
    e = math.exp(-min(max(x, float32(-44)), float32(44)))
    return (float32(1) - e) / (float32(1) + e)


@cuda.jit(device=True)
def _look(layers: Layers, weights: Weights, room: Room, view: int) -> None:
    """As `activations.look`: sums and activations of the board, and its score."""
    lane, lanes, last = cuda.threadIdx.x, cuda.blockDim.x, len(layers.detectors) - 1
    bias, sign = layers.bias_start[0], float32(view)
    for i in range(lane, layers.width[0], lanes):
        room.sums[i] = weights[bias + i] + sign * room.stones[i]
        room.active[i] = _logistic(room.sums[i])
    cuda.syncthreads()
    for layer in range(1, last + 1):
        width, rows, start = layers.width[layer], layers.width[layer - 1], layers.unit_start[layer]
        before, weight = layers.unit_start[layer - 1], layers.weight_start[layer]
        shares = max(1, lanes // width)
        for item in range(lane, shares * width, lanes):
            share, total = item // width, float32(0)
            at, unit = U(weight + share * width + item % width), U(before + share)
            for _ in range((rows - share + shares - 1) // shares):
                total += room.active[unit] * weights[at]
                unit, at = U(unit + shares), U(at + shares * width)
            room.parts[item] = total
        cuda.syncthreads()
        for unit in range(lane, width, lanes):
            total = weights[layers.bias_start[layer] + unit]
            for share in range(shares):
                total += room.parts[share * width + unit]
            room.sums[start + unit] = total
            room.active[start + unit] = _logistic(total)
        cuda.syncthreads()
    start, at, width = layers.unit_start[last], layers.weight_start[last + 1], layers.width[last]
    total = float32(0)
    for i in range(lane, width, lanes):
        total += room.active[start + i] * weights[at + i]
    room.parts[lane] = total
    cuda.syncthreads()
    if lane == 0:
        total = weights[layers.bias_start[last + 1]]
        for i in range(min(lanes, width)):
            total += room.parts[i]
        room.scores[len(room.scores) - 1] = total
    cuda.syncthreads()


@cuda.jit(device=True)
def _score(layers: Layers, weights: Weights, room: Room, count: int, back: bool) -> None:
    """As `activations.score_moves`: the score after a stone on each of the first cells.

    With `back` the last entry is the stone that leads back to the position that learns: what its
    units are then is written into `past`.
    """
    lane, lanes, last = cuda.threadIdx.x, cuda.blockDim.x, len(layers.detectors) - 1
    group, groups, member = lane // WARP, lanes // WARP, lane % WARP
    entries, layer, of_cell = count + 1 if back else count, 0, len(room.change) // len(room.cells)
    if layers.structured > 0:
        _change_units(layers, weights, room, count, back)
        width, weight, layer = layers.width[1], layers.weight_start[1], 1
        start = layers.unit_start[1]
        for entry in range(group, entries, groups):
            at, end = layers.row_start[room.cells[entry]], layers.row_start[room.cells[entry] + 1]
            if last == 0:
                total = float32(0)
                for i in range(member, end - at, WARP):
                    place = U(entry * of_cell + i)
                    total += room.change[place] * weights[room.rows[place]]
                room.parts[entry * WARP + member] = total
                continue
            for unit in range(member, width, WARP):
                total, place, here = room.sums[start + unit], U(entry * of_cell), U(unit)
                for _ in range(end - at):
                    total += room.change[place] * weights[U(room.rows[place] + here)]
                    place = U(place + ONE)
                room.batch[entry * width + unit] = _logistic(total)
    else:
        width = layers.width[0]
        for entry in range(group, entries, groups):
            row = layers.row_start[room.cells[entry]]
            for unit in range(member, width, WARP):
                total = room.sums[unit] + weights[row + unit]
                room.batch[entry * width + unit] = _logistic(total)
    cuda.syncthreads()
    given, to = 0, len(room.batch) // 2
    for number in range(layer + 1, last + 1):
        rows, width = layers.width[number - 1], layers.width[number]
        weight, bias = layers.weight_start[number], layers.bias_start[number]
        for entry in range(group, entries, groups):
            base = given + entry * rows
            for unit in range(member, width, WARP):
                total, place, here = weights[bias + unit], U(base), U(weight + unit)
                for _ in range(rows):
                    total += room.batch[place] * weights[here]
                    place, here = U(place + ONE), U(here + width)
                room.batch[to + entry * width + unit] = _logistic(total)
        if back:
            _keep_past(layers, room, given + count * rows, number - 1)
        given, to = to, given
        cuda.syncthreads()
    width, at, total = layers.width[last], layers.weight_start[last + 1], float32(0)
    if last >= layer:
        for entry in range(group, entries, groups):
            total = float32(0)
            for unit in range(member, width, WARP):
                total += room.batch[given + entry * width + unit] * weights[at + unit]
            room.parts[entry * WARP + member] = total
        if back:
            _keep_past(layers, room, given + count * width, last)
        cuda.syncthreads()
        total = weights[layers.bias_start[last + 1]]
    else:
        total = room.scores[len(room.scores) - 1]
    for entry in range(lane, entries, lanes):
        room.scores[entry] = total + _sum_parts(room, entry)
    cuda.syncthreads()


@cuda.jit(device=True)
def _change_units(layers: Layers, weights: Weights, room: Room, count: int, back: bool) -> None:
    """As `activations.move_stone`: by how much each entry's stone changes units."""
    lane, lanes, of_cell = cuda.threadIdx.x, cuda.blockDim.x, len(room.change) // len(room.cells)
    width, weight = layers.width[1], layers.weight_start[1]
    if back:
        for i in range(lane, layers.width[0], lanes):
            room.past[i] = room.active[i]
        cuda.syncthreads()
    for entry in range(lane // WARP, count + 1 if back else count, lanes // WARP):
        at, end = layers.row_start[room.cells[entry]], layers.row_start[room.cells[entry] + 1]
        for i in range(lane % WARP, end - at, WARP):
            unit, to = layers.row_units[U(at + i)], U(entry * of_cell + i)
            moved = _logistic(room.sums[unit] + weights[U(at + i)])
            room.change[to] = moved - room.active[unit]
            room.rows[to] = U(weight + unit * width)
            if back and entry == count:
                room.past[unit] = moved
    cuda.syncthreads()


@cuda.jit(device=True)
def _keep_past(layers: Layers, room: Room, start: int, layer: int) -> None:
    """A layer's activations of the position that learns."""
    for i in range(cuda.threadIdx.x, layers.width[layer], cuda.blockDim.x):
        room.past[layers.unit_start[layer] + i] = room.batch[start + i]


@cuda.jit(device=True)
def _sum_parts(room: Room, entry: int) -> float:
    """The sum of what the threads of a group have added up."""
    one = two = three = four = float32(0)
    for i in range(entry * WARP, (entry + 1) * WARP, 4):
        one += room.parts[i]
        two += room.parts[i + 1]
        three += room.parts[i + 2]
        four += room.parts[i + 3]
    return (one + two) + (three + four)


@cuda.jit(device=True)
def _learn(
    layers: Layers, weights: Weights, room: Room, settings: Settings, history: Cells,
    view: int, less: int, score: float,
) -> None:  # fmt: skip
    """As `backpropagation.learn`, for the position in `past`, whose score is given."""
    lane, lanes, last = cuda.threadIdx.x, cuda.blockDim.x, len(layers.detectors) - 1
    value, slope = float64(_logistic(score)), float32(settings.slope)
    step = room.reals[ALPHA] * (room.reals[TARGET] - value) * settings.slope
    error, one = float32(step * (1.0 - value * value)), float32(1)
    start, at = layers.unit_start[last], layers.weight_start[last + 1]
    for i in range(lane, layers.width[last], lanes):
        unit = room.past[start + i]
        room.errors[start + i] = error * weights[at + i] * slope * (one - unit * unit)
        weights[at + i] += error * unit
    cuda.syncthreads()
    for layer in range(last, 0, -1):
        width, rows, start = layers.width[layer], layers.width[layer - 1], layers.unit_start[layer]
        before, weight = layers.unit_start[layer - 1], layers.weight_start[layer]
        for item in range(lane, rows * PARTS, lanes):
            row, first, total = item // PARTS, item % PARTS, float32(0)
            at, above, unit = (
                U(weight + row * width + first),
                U(start + first),
                room.past[before + row],
            )
            for _ in range(width // PARTS):  # rows are filled up to whole eights
                old, passed = weights[at], room.errors[above]
                total += old * passed
                weights[at] = old + unit * passed
                at, above = U(at + PARTS), U(above + PARTS)
            room.parts[item] = total
        cuda.syncthreads()
        for row in range(lane, rows, lanes):
            unit, total = room.past[before + row], float32(0)
            for part in range(PARTS):
                total += room.parts[row * PARTS + part]
            room.errors[before + row] = total * slope * (one - unit * unit)
        cuda.syncthreads()
    if settings.bias:
        for layer in range(last + 1):
            start, bias = layers.unit_start[layer], layers.bias_start[layer]
            for i in range(lane, layers.width[layer], lanes):
                weights[bias + i] += room.errors[start + i]
        if lane == 0:
            weights[layers.bias_start[last + 1]] += error
            room.reals[VALUES] += value
    elif lane == 0:
        room.reals[VALUES] += value
    _learn_first(layers, weights, room, history, view, less)


@cuda.jit(device=True)
def _learn_first(
    layers: Layers, weights: Weights, room: Room, history: Cells, view: int, less: int
) -> None:
    """As `backpropagation._learn_first_layer`."""
    lane, lanes, sign = cuda.threadIdx.x, cuda.blockDim.x, float32(view)
    stones = room.words[PLIES] - less
    for ply in range(lane // WARP, stones, lanes // WARP):
        start, own = layers.row_start[history[ply]], sign if ply & 1 == 0 else -sign
        for i in range(start + lane % WARP, layers.row_start[history[ply] + 1], WARP):
            weights[U(i)] += own * room.errors[layers.row_units[U(i)]]
    for i in range(lane, layers.width[0], lanes):
        seen = room.seen[i] if layers.structured > 0 else float32(stones)
        room.stones[i] += sign * seen * room.errors[i]
    cuda.syncthreads()
    if less > 0 and layers.structured > 0:
        cell = history[stones]
        for i in range(layers.row_start[cell] + lane, layers.row_start[cell + 1], lanes):
            unit = layers.row_units[i]
            room.stones[unit] -= sign * room.errors[unit]
    cuda.syncthreads()


@cuda.jit(device=True)
def _add_stone(layers: Layers, weights: Weights, room: Room, cell: int, first: bool) -> None:
    """As `activations.add_stone`."""
    start, sign = layers.row_start[cell], float32(1) if first else float32(-1)
    for i in range(start + cuda.threadIdx.x, layers.row_start[cell + 1], cuda.blockDim.x):
        unit = layers.row_units[i]
        room.stones[unit] += sign * weights[i]
        room.seen[unit] += float32(1)
    cuda.syncthreads()


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
        room = Room(
            cuda.shared.array(first, float32), cuda.shared.array(first, float32),
            cuda.shared.array(units, float32), cuda.shared.array(units, float32),
            cuda.shared.array(units, float32), cuda.shared.array(units, float32),
            cuda.shared.array(changes, float32), cuda.shared.array(changes, uint32),
            cuda.shared.array(twice, float32), cuda.shared.array(parts, float32),
            cuda.shared.array(scores, float32), cuda.shared.array(entries, uint32),
            cuda.shared.array(8, int64), cuda.shared.array(4, float64),
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
                        _look(layers, weights, room, view)
                        _score(layers, weights, room, words[COUNT], words[LEARNS] != 0)
                    if lane == 0:
                        end_turn(fixed, board, number, room.scores, room.cells, words, room.reals)
                    cuda.syncthreads()
                    if words[LEARNS]:
                        score = room.scores[words[COUNT]]
                        _learn(layers, weights, room, fixed.settings, board.history, view, 1, score)
                cell = words[CELL]
                if lane == 0:
                    place(fixed.tables, board, cell)
                    words[OVER] = board.counters[STATE] != GOING_ON
                _add_stone(layers, weights, room, cell, side == 0)
            for less in range(2):  # the terminal position, and the other side's last one before
                if lane == 0:
                    begin_end(fixed, board, number, less, room.cells, words, room.reals)
                cuda.syncthreads()
                if words[LEARNS]:
                    view = 1 - 2 * words[SIDE]
                    _look(layers, weights, room, view)
                    score = room.scores[entries]
                    if less == 0:
                        for i in range(lane, layers.unit_start[len(layers.detectors)], lanes):
                            room.past[i] = room.active[i]
                        cuda.syncthreads()
                    else:
                        _score(layers, weights, room, 0, True)
                        score = room.scores[0]
                    _learn(layers, weights, room, fixed.settings, board.history, view, less, score)
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
    board = Board(*(np.repeat(part[None], runs, axis=0) for part in new_board(tables)))
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

    def collect(self) -> None:
        """When they are played: the counts of all runs are here."""
        for run, row in zip(self.trainings, to_host(self.arrays.counts), strict=True):
            run.counts[:] = row
        if not to_host(self.arrays.finite).all():
            raise InputError("training diverged: a value of some run is not a number")

    def download(self) -> None:
        """What was learned is here, too."""
        for name in ("weights", "learner", "opponent"):
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
