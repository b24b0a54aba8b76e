"""Learning without tables: deep Monte Carlo here and in JAX, and the score of a 7-D game.

Two questions, each with the target that the project set itself:

- Games of deep Monte Carlo (max-min document, Algorithm 3) in a CPU-second, here
  (`learn.monte_carlo`) and in JAX: tic-tac-toe with 64 hidden units, Connect Four 6x7 with 128. In
  JAX a whole game and all it teaches are one compiled call: the moves one loop, with sums of the
  first layer that are added up once a move and a row for each candidate, then the steps of learning
  another loop, each by automatic differentiation.
- Moves of a random game on 3^7 (2,187 cells, 37,969 lines) in a CPU-second with the score known
  after each: kept by the engine's board, and counted anew by NumPy: as the n-dimensional paper
  says, by sums along all axes, straight and diagonal (one strided view for each of the 1,093
  directions, made beforehand), and, cleverer than the paper, by one table of all lines' cells.

All take turns, as in `playouts`: the median over the rounds is said, and ratios are taken round by
round. Time is CPU time of the whole process; compiling is not counted. Before that, the scores of
the three ways are compared, and it is an error if they differ.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from inarow.engine.board import SCORE, Board, Int64s, Tables, clear, new_board, place, tables_of
from inarow.engine.jit import jit
from inarow.game import game as game_of
from inarow.learn.monte_carlo.learner import MonteCarlo

if __name__ == "__main__":  # as a script, only the folder of this file is on the path
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.playouts import OURS, Contender, Play, compete, installed, play_for, rows_of

JAX, AXES, TABLE = "JAX, a call a game", "NumPy, sums along axes", "NumPy, a table of all lines"
HIDDEN = {"tictactoe": 64, "connect4:6x7": 128}
SEVEN = "ntictactoe:3^7"
TARGETS = {JAX: 100, AXES: 10_000}  # how many times as fast ours has to be
CHECKED_MOVES = 1500  # of a 7-D game, before the three scores are compared
ALPHA, EPSILON, GAMMA = 0.05, 0.1, 0.95


def our_deep_games(name: str) -> Play:
    """Self-play with learning, from a fresh network on."""
    options = MonteCarlo(
        hidden=HIDDEN[name], alpha=str(ALPHA), epsilon=str(EPSILON), gamma=GAMMA, encoding="sides"
    )
    training = options.begin(game_of(name), None, 1)

    def play(games: int) -> int:
        training.play(games)
        return games

    return play


def jax_deep_games(name: str) -> Play:
    """The same algorithm, network and options: each game one compiled call."""
    import jax

    jax.config.update("jax_platforms", "cpu")
    jnp, game = jax.numpy, game_of(name)
    cells, columns, lines = game.cells, game.columns, jnp.asarray(game.lines)
    hidden, generator = HIDDEN[name], np.random.default_rng(1)
    theta = (
        jnp.asarray(generator.normal(0, 0.1, (2, cells, hidden)), jnp.float32),
        jnp.zeros(hidden),
        jnp.asarray(generator.normal(0, 0.1, hidden), jnp.float32),
        jnp.zeros(()),
    )

    def value(theta: Any, planes: Any) -> Any:
        rows, biases, outputs, bias = theta
        sums = planes.reshape(-1) @ rows.reshape(-1, hidden) + biases
        return jax.nn.sigmoid(jnp.maximum(sums, 0) @ outputs + bias)

    def choose(theta: Any, planes: Any, side: Any, key: Any) -> Any:
        rows, biases, outputs, _ = theta
        filled, (explores, which) = planes.sum(0), jax.random.split(key)
        moves = jnp.arange(columns)
        places = moves
        if game.gravity:
            heights = filled.reshape(-1, columns).sum(0).astype(jnp.int32)
            places = jnp.minimum(moves + heights * columns, cells - 1)
        legal = filled[places] == 0
        sums = planes.reshape(-1) @ rows.reshape(-1, hidden) + biases + rows[side][places]
        scores = (jnp.maximum(sums, 0) @ outputs) * (1 - 2 * side)
        random = jnp.where(jax.random.uniform(explores) < EPSILON, 1e9, 0.0)
        scores = scores + random * jax.random.uniform(which, (columns,))
        return places[jnp.argmax(jnp.where(legal, scores, -jnp.inf))]

    def move(carried: Any) -> Any:
        theta, planes, ply, _, key, record = carried
        side = ply % 2
        key, draw = jax.random.split(key)
        planes = planes.at[side, choose(theta, planes, side, draw)].set(1.0)
        won = (planes[side][lines].sum(1) == game.k).any()
        result = jnp.where(won, 1 - 2 * side, 0)
        return theta, planes, ply + 1, result, key, record.at[ply + 1].set(planes)

    def goes_on(carried: Any) -> Any:
        return (carried[3] == 0) & (carried[2] < cells)

    slopes = jax.value_and_grad(value)

    @jax.jit  # type: ignore[untyped-decorator]
    def play_and_learn(theta: Any, key: Any) -> Any:
        record = jnp.zeros((cells + 1, 2, cells))
        start = (theta, record[0], 0, 0, key, record)
        _, _, last, result, key, record = jax.lax.while_loop(goes_on, move, start)

        def learn(back: Any, theta: Any) -> Any:
            v, slope = slopes(theta, record[last - back])
            step = ALPHA * (v - (GAMMA**back * result + 1) / 2)
            return jax.tree.map(lambda weight, change: weight - step * change, theta, slope)

        return jax.lax.fori_loop(0, last + 1, learn, theta), key

    state = [theta, jax.random.key(1)]

    def play(games: int) -> int:
        for _ in range(games):
            state[0], state[1] = play_and_learn(*state)
        jax.block_until_ready(state[0])
        return games

    return play


@jit
def place_all(tables: Tables, board: Board, cells: Int64s, games: int) -> int:
    """Plays the same cells so many times; the moves played."""
    for _ in range(games):
        clear(tables, board)
        for cell in cells:
            place(tables, board, cell)
    return games * len(cells)


def directions(game: Any, board: Any) -> list[Any]:
    """For each direction, straight or diagonal, all its axes as a view of the board."""
    size, number, views = game.k, len(game.shape), []
    for signs in itertools.product((0, 1, -1), repeat=number):
        moving = [axis for axis in range(number) if signs[axis]]
        if not moving or signs[moving[0]] < 0:
            continue  # a direction and its reverse are the same axes
        flipped = board[tuple(slice(None, None, sign or 1) for sign in signs)]
        resting = [axis for axis in range(number) if not signs[axis]]
        strides = [flipped.strides[axis] for axis in resting]
        along = sum(flipped.strides[axis] for axis in moving)
        shape = [size] * len(resting) + [size]
        views.append(np.lib.stride_tricks.as_strided(flipped, shape, [*strides, along]))
    return views


class NumpyGame:
    """A game whose score NumPy counts from the whole board after each move."""

    def __init__(self, name: str, cells: Int64s, way: str) -> None:
        self.game, self.cells, self.way = game_of(name), cells, way
        self.board = np.zeros((self.game.k,) * len(self.game.shape), dtype=np.int8)
        self.flat, self.views = self.board.reshape(-1), directions(self.game, self.board)
        self.ply, self.score = 0, (0, 0)

    def play(self, moves: int) -> int:
        """So many moves; the next game begins when one is over."""
        for _ in range(moves):
            if self.ply == len(self.cells):
                self.flat[:] = 0
                self.ply = 0
            self.flat[self.cells[self.ply]] = 1 - 2 * (self.ply & 1)
            self.ply += 1
            self.score = self.by_axes() if self.way == AXES else self.by_table()
        return moves

    def by_axes(self) -> tuple[int, int]:
        """The lines of both sides, direction by direction."""
        first = second = 0
        for view in self.views:
            sums = view.sum(axis=-1)
            first += int(np.count_nonzero(sums == self.game.k))
            second += int(np.count_nonzero(sums == -self.game.k))
        return first, second

    def by_table(self) -> tuple[int, int]:
        """The same, all at once."""
        sums = self.flat[self.game.lines].sum(axis=1)
        k = self.game.k
        return int(np.count_nonzero(sums == k)), int(np.count_nonzero(sums == -k))


def random_cells(name: str) -> Int64s:
    """The moves of a random game, to the last cell."""
    return np.asarray(np.random.default_rng(1).permutation(game_of(name).cells), dtype=np.int64)


def our_moves(name: str) -> Play:
    tables, cells = tables_of(game_of(name)), random_cells(name)
    board = new_board(tables)
    return lambda moves: place_all(tables, board, cells, -(-moves // len(cells)))


def numpy_moves(name: str, way: str) -> Play:
    return NumpyGame(name, random_cells(name), way).play


def scores(name: str, moves: int) -> dict[str, tuple[int, int]]:
    """The score of a game after so many moves, by each way."""
    tables, cells = tables_of(game_of(name)), random_cells(name)[:moves]
    board, found = new_board(tables), dict[str, tuple[int, int]]()
    place_all(tables, board, cells, 1)
    found[OURS] = int(board.counters[SCORE]), int(board.counters[SCORE + 1])
    for way in (AXES, TABLE):
        game = NumpyGame(name, cells, way)
        game.flat[cells[:-1]] = 1 - 2 * (np.arange(moves - 1) & 1)
        game.ply = moves - 1
        game.play(1)
        found[way] = game.score
    return found


def ways_to_play(name: str) -> dict[str, Callable[[], Play]]:
    """Who can play a game, ours first."""
    if name == SEVEN:
        return {
            OURS: lambda: our_moves(name),
            AXES: lambda: numpy_moves(name, AXES),
            TABLE: lambda: numpy_moves(name, TABLE),
        }
    return {OURS: lambda: our_deep_games(name), JAX: lambda: jax_deep_games(name)}


def enter(games: list[str], seconds: float) -> tuple[list[Contender], list[str]]:
    """The contenders, compiled and warm, with batches of a fit size; and who is left out, why."""
    contenders, left_out = [], {}
    for name in games:
        for way, make in ways_to_play(name).items():
            try:
                contender = Contender(name, way, make())
            except ImportError as error:
                left_out[way] = f"{way}: left out ({error})"
                continue
            contender.play(1)
            while play_for(contender, 0.0)[1] < seconds / 10:
                contender.batch *= 2
            contenders.append(contender)
    return contenders, list(left_out.values())


def judge(rows: list[dict[str, Any]], games: list[str]) -> list[dict[str, Any]]:
    """Each target, what was measured, and whether that is enough."""
    targets = []
    for name in games:
        for way in ways_to_play(name):
            if way in TARGETS:
                row = next((r for r in rows if (r["game"], r["contender"]) == (name, way)), None)
                measured = None if row is None else row["ratio"]
                met = None if measured is None else measured >= TARGETS[way]
                asked = f"at least {TARGETS[way]:,}x {way}"
                targets.append({"game": name, "target": asked, "measured": measured, "met": met})
    return targets


def show(result: dict[str, Any]) -> None:
    """Prints all for a person, in 80 columns."""
    print(", ".join(f"{name} {number}" for name, number in result["versions"].items()))
    for line in result["left_out"]:
        print(line)
    print(f"{'game':<16}{'who':<28}{'in a CPU-s':>12}{'ours is':>10}")
    for row in result["rows"]:
        line = f"{row['game']:<16}{row['contender']:<28}{row['per_cpu_second']:>12,.0f}"
        if row["contender"] != OURS:
            line += (
                f"{row['ratio']:>9,.0f}x ({row['ratio_lowest']:,.0f}-{row['ratio_highest']:,.0f})"
            )
        print(line + ("" if row["contender"] != OURS else f" {row['unit']}"))
    for target in result["targets"]:
        word = {True: "pass", False: "FALLS SHORT", None: "not measured"}[target["met"]]
        measured = "" if target["measured"] is None else f" ({target['measured']:,.0f})"
        print(f"{target['game']:<16}{target['target']:<44}{word}{measured}")


def main(arguments: list[str] | None = None) -> int:
    """Measures and prints. Exit status 1 if the scores of a 7-D game differ: that is a bug."""
    names = [*HIDDEN, SEVEN]
    parser = argparse.ArgumentParser(description="Deep Monte Carlo, and the score in 7-D.")
    parser.add_argument("--rounds", type=int, default=5, help="how often all take their turn")
    parser.add_argument("--seconds", type=float, default=0.5, help="CPU time of a turn")
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="GAME")
    parser.add_argument("--quick", action="store_true", help="three rounds of short turns")
    parser.add_argument("--json", action="store_true", help="print for a program")
    options = parser.parse_args(arguments)
    if options.rounds < 1 or not 0 < options.seconds <= 60:
        parser.error("take at least 1 round, of more than 0 and at most 60 seconds")
    rounds, seconds = (3, 0.1) if options.quick else (options.rounds, options.seconds)
    games = [name for name in names if name in options.only]
    found = scores(SEVEN, CHECKED_MOVES) if SEVEN in games else {}
    contenders, left_out = enter(games, seconds)
    compete(contenders, rounds, seconds)
    rows = rows_of(contenders)
    for row in rows:
        row["unit"] = "moves" if row["game"] == SEVEN else "games"
        row["per_cpu_second"] = row.pop("games_per_cpu_second")
    result = {"versions": installed(), "left_out": left_out, "rows": rows, "scores": found}
    result |= {"targets": judge(rows, games)}
    print(json.dumps(result)) if options.json else show(result)
    return int(len(set(found.values())) > 1)


if __name__ == "__main__":
    raise SystemExit(main())
