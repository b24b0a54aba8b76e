"""Steps per CPU-second of environments: `inarow.batch` and others, n games side by side.

All take the same moves, drawn beforehand, one call for a move in each of the n games. A step ends
with what a learner needs: the observations, masks of legal moves, rewards, which games are over;
and a game that is over begins anew. Who disagrees with ours about when games end fails the run.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import textwrap
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import inarow

if __name__ == "__main__":  # as a script, only the folder of this file is on the path
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.playouts import installed

OURS, PGX, PGX_LOOP = "inarow.batch", "Pgx, a call a step", "Pgx, one compiled loop"
PETTINGZOO, OPEN_SPIEL = "PettingZoo, Gymnasium vector", "OpenSpiel, from Python"
GAMES = ("tictactoe", "connect4:6x7", "cube")
SIZES = (1, 64, 4096)
ROWS = {1: 2000, 64: 400, 4096: 60}  # of recorded moves, for each number of games
PGX_NAMES = {"tictactoe": "tic_tac_toe", "connect4:6x7": "connect_four"}
ZOO_NAMES = {"tictactoe": "tictactoe_v3", "connect4:6x7": "connect_four_v3"}
SPIEL_NAMES = {"tictactoe": "tic_tac_toe", "connect4:6x7": "connect_four"}
TIMES_PGX = 20  # what the project set itself, at 4,096 games

Actions = np.ndarray[Any, np.dtype[np.int64]]
# Takes the moves in rows from some row on: returns a function that plays so many more rows of them
# and one that says which games ended with the last.
Player = tuple[Callable[[int, int], None], Callable[[], Any]]


def record(game: str, n: int) -> Actions:
    """Random legal moves, a row a step."""
    games = inarow.batch(game, n, seed=1)
    rows = np.zeros((ROWS[n], n), dtype=np.int64)
    for row in rows:
        row[:] = games.random_actions()
        games.step(row)
    return rows


def ours(game: str, n: int, actions: Actions) -> Player:
    games, rows = inarow.batch(game, n), list(actions)

    def play(start: int, stop: int) -> None:
        if start == 0:
            games.reset()
        for row in rows[start:stop]:
            games.step(row)

    return play, lambda: games._view.done


def pgx_environment(game: str, n: int) -> tuple[Any, Any]:
    """The starting states, and a step that begins anew what is over, by a plain selection.

    That is faster than Pgx' own `auto_reset`.
    """
    import jax
    import pgx

    jax.config.update("jax_platforms", "cpu")
    environment = pgx.make(PGX_NAMES[game])
    start = jax.jit(jax.vmap(environment.init))(jax.random.split(jax.random.key(0), n))
    step = jax.vmap(environment.step)

    def move(state: Any, actions: Any) -> Any:
        state = step(state, actions)
        over = state.terminated

        def choose(new: Any, old: Any) -> Any:
            return jax.numpy.where(over.reshape((-1,) + (1,) * (old.ndim - 1)), new, old)

        return jax.tree.map(choose, start, state), state.rewards, over

    return start, move


def pgx_steps(game: str, n: int, actions: Actions) -> Player:
    import jax

    start, move = pgx_environment(game, n)
    step, last = jax.jit(move), [start, None]
    rows = [jax.numpy.asarray(row.astype(np.int32)) for row in actions]

    def play(begin: int, stop: int) -> None:
        state = start if begin == 0 else last[0]
        for row in rows[begin:stop]:
            state, _, last[1] = step(state, row)
        last[0] = jax.block_until_ready(state)

    return play, lambda: np.asarray(last[1])


def pgx_loop(game: str, n: int, actions: Actions) -> Player:
    """The same with all moves handed over at once: nobody can learn in between."""
    import jax

    start, move = pgx_environment(game, n)
    rows, last = jax.numpy.asarray(actions.astype(np.int32)), [start, None]

    @jax.jit  # type: ignore[untyped-decorator]
    def scan(state: Any, part: Any) -> Any:
        def body(carried: Any, row: Any) -> Any:
            state, rewards, over = move(carried, row)
            return state, (rewards, over)

        return jax.lax.scan(body, state, part)

    def play(begin: int, stop: int) -> None:
        state = start if begin == 0 else last[0]
        last[0], (_, over) = jax.block_until_ready(scan(state, rows[begin:stop]))
        last[1] = over[-1]

    return play, lambda: np.asarray(last[1])


def zoo_vector(game: str, n: int, actions: Actions) -> Player:
    """PettingZoo's environment as one of Gymnasium's, and n of them in its vector."""
    import gymnasium

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pettingzoo import classic

        make = getattr(classic, ZOO_NAMES[game]).raw_env

    class Turns(gymnasium.Env[Any, Any]):
        def __init__(self) -> None:
            self.inner = make()
            agent = self.inner.possible_agents[0]
            self.observation_space = self.inner.observation_space(agent)
            self.action_space = self.inner.action_space(agent)

        def reset(self, *, seed: Any = None, options: Any = None) -> Any:
            super().reset(seed=seed, options=options)
            self.inner.reset()
            return self.inner.observe(self.inner.agent_selection), {}

        def step(self, action: Any) -> Any:
            agent = self.inner.agent_selection
            self.inner.step(action)
            over = self.inner.terminations[agent]
            observation = self.inner.observe(self.inner.agent_selection)
            return observation, self.inner.rewards[agent], over, False, {}

    mode = gymnasium.vector.AutoresetMode.SAME_STEP
    vector = gymnasium.vector.SyncVectorEnv([Turns] * n, autoreset_mode=mode, copy=False)
    last: list[Any] = [None]

    def play(start: int, stop: int) -> None:
        if start == 0:
            vector.reset()
        for row in actions[start:stop]:
            last[0] = vector.step(row)[2]

    return play, lambda: last[0]


def spiel_states(game: str, n: int, actions: Actions) -> Player:
    import pyspiel

    loaded = pyspiel.load_game(SPIEL_NAMES[game])
    states, over = [loaded.new_initial_state() for _ in range(n)], [False] * n

    def play(start: int, stop: int) -> None:
        if start == 0:
            states[:] = [loaded.new_initial_state() for _ in range(n)]
        for row in actions[start:stop].tolist():
            for number, action in enumerate(row):
                state = states[number]
                state.apply_action(action)
                over[number] = state.is_terminal()
                if over[number]:
                    state.returns()
                    states[number] = state = loaded.new_initial_state()
                state.observation_tensor(state.current_player())
                state.legal_actions_mask()

    return play, lambda: np.array(over)


@dataclass
class Contender:
    """One environment, one game, one number of games; its steps in a CPU-second in each round."""

    game: str
    n: int
    name: str
    play: Callable[[int, int], None]
    rows: int
    rates: list[float] = field(default_factory=list)


def ways_to_step(game: str) -> dict[str, Any]:
    """Who has a game, ours first."""
    ways: dict[str, Any] = {OURS: ours}
    if game in PGX_NAMES:
        ways |= {PGX: pgx_steps, PGX_LOOP: pgx_loop}
        ways |= {PETTINGZOO: zoo_vector, OPEN_SPIEL: spiel_states}
    return ways


def agrees(game: str, way: Any, n: int, actions: Actions) -> bool:
    """Whether a contender ends the games when we do, over the first moves."""
    steps = min(30, len(actions))
    reference = ours(game, n, actions)
    play, done = way(game, n, actions)
    for row in range(steps):
        reference[0](row, row + 1)
        play(row, row + 1)
        if not np.array_equal(reference[1](), done()):
            return False
    return True


def enter(games: list[str], sizes: list[int]) -> tuple[list[Contender], list[str], list[str]]:
    """The contenders, compiled and warm; who is left out, and who plays something else."""
    contenders, left_out, differing = [], dict[str, str](), []
    for game in games:
        for n in sizes:
            actions = record(game, n)
            for name, way in ways_to_step(game).items():
                try:
                    if n == min(sizes) and not agrees(game, way, n, actions):
                        differing.append(f"{name} on {game}")
                    play, _ = way(game, n, actions)
                except ImportError as error:
                    left_out[name] = f"{name}: left out ({error})"
                    continue
                play(0, 1)
                play(0, len(actions) if name in (OURS, PGX, PGX_LOOP) else 1)
                contenders.append(Contender(game, n, name, play, len(actions)))
    return contenders, list(left_out.values()), differing


def step_for(contender: Contender, seconds: float) -> float:
    """Steps for so much CPU time: the rate. Slow ones take a part of the moves."""
    time.sleep(0.02)  # idle threads of the one before may still be spinning
    whole = contender.name in (OURS, PGX, PGX_LOOP)
    rows, steps, start = contender.rows, 0, time.process_time()
    while True:
        if whole:
            contender.play(0, rows)
            steps += rows
        else:
            contender.play(steps % rows, steps % rows + 1)
            steps += 1
        took = time.process_time() - start
        if took >= seconds and took > 0:
            return steps * contender.n / took


def rows_of(contenders: list[Contender]) -> list[dict[str, Any]]:
    """Medians over the rounds; ratios are ours over theirs in the same round."""
    own = {(c.game, c.n): c.rates for c in contenders if c.name == OURS}
    rows = []
    for c in contenders:
        ratios = [a / b for a, b in zip(own[c.game, c.n], c.rates, strict=True)]
        row: dict[str, Any] = {"game": c.game, "n": c.n, "contender": c.name}
        row |= {"steps_per_cpu_second": statistics.median(c.rates)}
        row |= {"ratio": statistics.median(ratios)}
        rows.append(row | {"ratio_lowest": min(ratios), "ratio_highest": max(ratios)})
    return rows


def judge(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the project set itself: 20 times Pgx at 4,096 games, and nobody ahead anywhere."""
    verdicts = []
    for game in PGX_NAMES:
        at_4096 = [row for row in rows if (row["game"], row["n"]) == (game, 4096)]
        found = [row["ratio"] for row in at_4096 if row["contender"] in (PGX, PGX_LOOP)]
        measured = min(found, default=None)
        asked = f"{game}, n=4096: at least {TIMES_PGX}x Pgx, in either form"
        met = None if measured is None else measured >= TIMES_PGX
        verdicts.append({"target": asked, "measured": measured, "met": met})
    others = [row["ratio"] for row in rows if row["contender"] != OURS]
    least = min(others) if others else None
    asked = "ahead of all, every game and every n"
    met = None if least is None else least > 1
    return [*verdicts, {"target": asked, "measured": least, "met": met}]


def show(result: dict[str, Any]) -> None:
    """Prints all for a person, in 80 columns."""
    versions = ", ".join(f"{name} {number}" for name, number in result["versions"].items())
    about = f"{result['rounds']} rounds of {result['seconds']:g} CPU-seconds each; {versions}"
    for line in [about, "", *result["left_out"]]:
        print(textwrap.fill(line, 80))
    print(f"{'game':<13}{'n':>5}  {'who':<29}{'steps/CPU-s':>13}{'ours is':>9}{'from-to':>9}")
    for row in result["rows"]:
        line = f"{row['game']:<13}{row['n']:>5}  {row['contender']:<29}"
        line += f"{row['steps_per_cpu_second']:>13,.0f}"
        if row["contender"] != OURS:
            ends = f"{row['ratio_lowest']:,.0f}-{row['ratio_highest']:,.0f}"
            line += f"{row['ratio']:>8,.1f}x{ends:>9}"
        print(line)
    print("\nNobody else has the cube." if any(r["game"] == "cube" for r in result["rows"]) else "")
    for target in result["targets"]:
        words = {True: "pass", False: "FALLS SHORT", None: "not measured"}[target["met"]]
        measured = "" if target["measured"] is None else f" ({target['measured']:,.1f})"
        print(f"{target['target']:<58}{words}{measured}")
    for other in result["differing"]:
        print(f"NOT THE SAME GAMES: {other}")


def main(arguments: list[str] | None = None) -> int:
    """Measures and prints. Exit status 1 if somebody plays something else: that is a bug."""
    parser = argparse.ArgumentParser(description="Steps per CPU-second, here and elsewhere.")
    parser.add_argument("--rounds", type=int, default=5, help="how often all take their turn")
    parser.add_argument("--seconds", type=float, default=0.2, help="CPU time of a turn")
    parser.add_argument("--only", nargs="+", choices=GAMES, default=list(GAMES), metavar="GAME")
    parser.add_argument("--sizes", nargs="+", type=int, choices=SIZES, default=list(SIZES))
    parser.add_argument("--json", action="store_true", help="print for a program")
    options = parser.parse_args(arguments)
    if options.rounds < 1 or not 0 < options.seconds <= 60:
        parser.error("take at least 1 round, of more than 0 and at most 60 seconds")
    contenders, left_out, differing = enter(options.only, options.sizes)
    for turn in range(options.rounds):
        shift = turn % len(contenders)
        for contender in contenders[shift:] + contenders[:shift]:
            contender.rates.append(step_for(contender, options.seconds))
    rows = rows_of(contenders)
    result = {"rounds": options.rounds, "seconds": options.seconds, "versions": installed()}
    result |= {"left_out": left_out, "rows": rows, "targets": judge(rows), "differing": differing}
    print(json.dumps(result)) if options.json else show(result)
    return int(bool(differing))


if __name__ == "__main__":
    raise SystemExit(main())
