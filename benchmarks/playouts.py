"""How many random games in a CPU-second: here, and in OpenSpiel, Pgx and PettingZoo.

Three questions, each with the target that the project set itself:

- Random games of tic-tac-toe, Connect-4 6x7 and Qubic, here (`engine.play_games`), in OpenSpiel
  (its C++ rollouts, and stepping from Python), in Pgx (batched and compiled by JAX) and in
  PettingZoo (its AEC loop). Pgx and PettingZoo have no Qubic.
- One whole random game on 3^7 (2,187 cells, 37,969 lines).
- Advanced against advanced on 3^3 and 3^4, by the threat table and by that in `rescan`, which
  keeps no table: it looks at the stones of all lines again before each move.

All take turns: in each round everyone plays for the same short time, those of one game next to
each other, and the order shifts from round to round. What is said of a contender is the median
over the rounds; "ours is" how many times as fast as it this package was in the same round, with
the lowest and the highest round behind it. Speeds differ between machines and hours; the ratios
differ much less. Time is CPU time of the whole process, all threads together (JAX uses several),
so nobody gains or loses by running on more cores. Compiling and warming up are not counted.

OpenSpiel's rollouts in C++ are reached through one simulation of its MCTS bot, whose evaluator
plays any number of random games from the empty board without coming back to Python; playing two
of its C++ random bots against each other by `evaluate_bots` is slower. A peer that is not
installed is left out, in a line that says so.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import platform
import random
import statistics
import sys
import textwrap
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from inarow.engine.play_games import play_random_games
from inarow.game import EXAMPLES, names
from inarow.game import game as game_of

if __name__ == "__main__":  # as a script, only the folder of this file is on the path
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.rescan import Count, agreement, count_by_rescan, count_by_table

Play = Callable[[int], int]  # plays about so many games, returns how many it did play

OURS, CPP, RESCAN = "inarow", "OpenSpiel, C++ rollouts", "rescan of all lines"
OPEN_SPIEL, PGX, PETTINGZOO = (
    {example.name: example.elsewhere[peer] for example in EXAMPLES if peer in example.elsewhere}
    for peer in (names.OPEN_SPIEL, names.PGX, names.PETTINGZOO)
)
PGX_BATCH, PGX_STEPS = 8192, 16  # boards (64 and 1024 were slower), moves of each in a call

# What the project set itself: a game, whom to beat there, and by how much. Nobody: milliseconds.
TARGETS = (
    ("tictactoe", CPP, 12),
    ("connect4:6x7", CPP, 40),
    ("qubic", CPP, 100),
    ("ntictactoe:3^7", None, 0.5),
    ("ntictactoe:3^3", RESCAN, 5),
    ("ntictactoe:3^4", RESCAN, 10),
)
CHECKED_GAMES = 20_000  # by table and by rescan each, to see that they play alike
GAMES = tuple(game for game, _, _ in TARGETS)


@dataclass
class Contender:
    """One way to play one game, and its games in a CPU-second in each round."""

    game: str
    name: str
    play: Play
    batch: int = 1  # games in a call
    rates: list[float] = field(default_factory=list)


def our_random_games(game_name: str) -> Play:
    game, seeds = game_of(game_name), itertools.count()
    return lambda games: play_random_games(game, games, next(seeds)).games


def open_spiel_rollouts(game_name: str) -> Play:
    """Random games in C++: a bot's first simulation values the empty board itself."""
    import pyspiel

    game, seeds = pyspiel.load_game(OPEN_SPIEL[game_name]), itertools.count(1)

    def play(games: int) -> int:
        evaluator = pyspiel.RandomRolloutEvaluator(games, next(seeds))
        bot = pyspiel.MCTSBot(game, evaluator, 1.0, 1, 10, False, 1, False)
        bot.mcts_search(game.new_initial_state())
        return games

    return play


def open_spiel_steps(game_name: str) -> Play:
    """The same states, moved from Python."""
    import pyspiel

    game = pyspiel.load_game(OPEN_SPIEL[game_name])

    def play(games: int) -> int:
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(random.choice(state.legal_actions()))
        return games

    return play


def pgx_batches(game_name: str) -> Play:
    """Many boards at once in one compiled loop; a finished board starts again at once.

    They start again by a plain selection, which was faster than Pgx' own `auto_reset`.
    """
    import jax
    import pgx
    from pgx.experimental import act_randomly

    jax.config.update("jax_platforms", "cpu")
    environment = pgx.make(PGX[game_name])
    keys = jax.random.split(jax.random.key(0), PGX_BATCH)
    start = jax.jit(jax.vmap(environment.init))(keys)
    step = jax.vmap(environment.step)

    def move(_: int, carried: Any) -> Any:
        state, key, finished = carried
        key, draw = jax.random.split(key)
        state = step(state, act_randomly(draw, state.legal_action_mask))
        over = state.terminated

        def choose(new: Any, old: Any) -> Any:
            return jax.numpy.where(over.reshape((-1,) + (1,) * (old.ndim - 1)), new, old)

        return jax.tree.map(choose, start, state), key, finished + over.sum()

    @jax.jit  # type: ignore[untyped-decorator]
    def moves(state: Any, key: Any) -> Any:
        return jax.lax.fori_loop(0, PGX_STEPS, move, (state, key, 0))

    boards = [start, jax.random.key(1)]

    def play(games: int) -> int:
        played = 0
        while played < games:
            boards[0], boards[1], finished = moves(*boards)
            played += int(finished)
        return played

    play(8 * PGX_BATCH)  # until the boards are no longer in step with each other
    return play


def pettingzoo_loop(game_name: str) -> Play:
    """The loop of its documentation, with the environment as it comes."""
    from pettingzoo import classic

    environment = getattr(classic, PETTINGZOO[game_name]).env()

    def play(games: int) -> int:
        for _ in range(games):
            environment.reset()
            for _ in environment.agent_iter():
                observation, _, termination, truncation, _ = environment.last()
                over = termination or truncation
                moves = np.flatnonzero(observation["action_mask"])
                environment.step(None if over else random.choice(moves))
        return games

    return play


def playing(way: Callable[[str, int], Count]) -> Callable[[str], Play]:
    def make(game_name: str) -> Play:
        count = way(game_name, 0)
        return lambda games: int(count(games).sum())

    return make


def ways_to_play(game_name: str) -> dict[str, Callable[[str], Play]]:
    """Who can play a game, ours first."""
    if (game_name, RESCAN) in [target[:2] for target in TARGETS]:
        return {OURS: playing(count_by_table), RESCAN: playing(count_by_rescan)}
    ways: dict[str, Callable[[str], Play]] = {OURS: our_random_games}
    if game_name in OPEN_SPIEL:
        ways |= {CPP: open_spiel_rollouts, "OpenSpiel, from Python": open_spiel_steps}
    if game_name in PGX:
        ways |= {"Pgx, batched": pgx_batches, "PettingZoo, AEC loop": pettingzoo_loop}
    return ways


def enter(games: list[str], seconds: float) -> tuple[list[Contender], list[str]]:
    """The contenders, compiled and warm, with batches of a fit size; and who is left out, why."""
    contenders, left_out = [], {}
    for game_name in games:
        for name, way in ways_to_play(game_name).items():
            try:
                contender = Contender(game_name, name, way(game_name))
            except ImportError as error:
                left_out[name] = f"{name}: left out ({error})"
                continue
            contender.play(1)
            while play_for(contender, 0.0)[1] < seconds / 10:
                contender.batch *= 2
            contenders.append(contender)
    return contenders, list(left_out.values())


def play_for(contender: Contender, seconds: float) -> tuple[int, float]:
    """Plays for so much CPU time, at least one batch: the games, and the time they took."""
    time.sleep(0.02)  # idle threads of the one before may still be spinning
    games, start = 0, time.process_time()
    while True:
        games += contender.play(contender.batch)
        took = time.process_time() - start
        if took > 0 and took >= seconds:
            return games, took


def compete(contenders: list[Contender], rounds: int, seconds: float) -> None:
    """All take turns, game by game, in an order that shifts by one each round."""
    for turn in range(rounds):
        for _, group in itertools.groupby(contenders, key=lambda contender: contender.game):
            those = list(group)
            shift = turn % len(those)
            for contender in those[shift:] + those[:shift]:
                games, took = play_for(contender, seconds)
                contender.rates.append(games / took)


def rows_of(contenders: list[Contender]) -> list[dict[str, Any]]:
    """Medians over the rounds; ratios are ours over theirs in the same round."""
    ours = {contender.game: contender.rates for contender in contenders if contender.name == OURS}
    rows = []
    for contender in contenders:
        pairs = zip(ours[contender.game], contender.rates, strict=True)
        ratios = [our_rate / rate for our_rate, rate in pairs]
        row: dict[str, Any] = {"game": contender.game, "contender": contender.name}
        row |= {"games_per_cpu_second": statistics.median(contender.rates)}
        row |= {"ratio": statistics.median(ratios)}
        rows.append(row | {"ratio_lowest": min(ratios), "ratio_highest": max(ratios)})
    return rows


def judge(rows: list[dict[str, Any]], games: list[str]) -> list[dict[str, Any]]:
    """Each target of these games, what was measured, and whether that is enough."""
    verdicts = []
    for game_name, against, bound in TARGETS:
        if game_name not in games:
            continue
        wanted = (game_name, against or OURS)
        row = next((row for row in rows if (row["game"], row["contender"]) == wanted), None)
        measured, met = None, None
        if row is not None and against is None:
            measured = 1000 / row["games_per_cpu_second"]
            met = measured <= bound
        elif row is not None:
            measured = row["ratio"]
            met = measured >= bound
        asked = f"at least {bound}x {against}" if against else f"at most {bound} ms a random game"
        verdicts.append({"game": game_name, "target": asked, "measured": measured, "met": met})
    return verdicts


def installed() -> dict[str, str]:
    """The versions of all that took part."""
    versions = {"python": platform.python_version()}
    for package in ("inarow", "numba", "open_spiel", "pgx", "jax", "torch", "pettingzoo"):
        with contextlib.suppress(PackageNotFoundError):
            versions[package] = version(package)
    return versions


def show(result: dict[str, Any]) -> None:
    """Prints all for a person, in 80 columns."""
    versions = ", ".join(f"{name} {number}" for name, number in result["versions"].items())
    about = f"{result['rounds']} rounds of {result['seconds']:g} CPU-seconds each; {versions}"
    print(textwrap.fill(about, 80))
    for line in ["", *result["left_out"]]:
        print(textwrap.fill(line, 80))
    print(f"{'game':<15}{'who':<25}{'games/CPU-s':>13}{'ours is':>11}{'lowest-highest':>16}")
    for row in result["rows"]:
        line = f"{row['game']:<15}{row['contender']:<25}{row['games_per_cpu_second']:>13,.0f}"
        if row["contender"] != OURS:
            lowest, ratio, highest = (
                f"{row[name]:,.{0 if row[name] >= 1000 else 1}f}"
                for name in ("ratio_lowest", "ratio", "ratio_highest")
            )
            line += f"{ratio + 'x':>11}{lowest + '-' + highest:>16}"
        print(line)
    print()
    for same in result["agreement"]:
        shares = (" / ".join(f"{share:.3f}" for share in same[way]) for way in ("table", "rescan"))
        print(
            f"{same['game']} won by the first / the second / drawn, {same['games']:,} games each:"
        )
        print("  table {}, rescan {}".format(*shares) + f" ({same['sigmas']:.1f} sigma)")
    print()
    for target in result["targets"]:
        words = {True: "pass", False: "FALLS SHORT", None: "not measured"}[target["met"]]
        measured = "" if target["measured"] is None else f" ({target['measured']:,.2f})"
        print(f"{target['game']:<15}{target['target']:<42}{words}{measured}")


def main(arguments: list[str] | None = None) -> int:
    """Measures and prints. Exit status 1 if table and rescan play differently: that is a bug."""
    parser = argparse.ArgumentParser(description="Random games per CPU-second, here and elsewhere.")
    parser.add_argument("--rounds", type=int, default=9, help="how often all take their turn")
    parser.add_argument("--seconds", type=float, default=0.3, help="CPU time of a turn")
    parser.add_argument("--only", nargs="+", choices=GAMES, default=list(GAMES), metavar="GAME")
    parser.add_argument("--json", action="store_true", help="print for a program")
    options = parser.parse_args(arguments)
    if options.rounds < 1 or not 0 < options.seconds <= 60:
        parser.error("take at least 1 round, of more than 0 and at most 60 seconds")
    games = [name for name in GAMES if name in options.only]
    compared = [name for name in games if RESCAN in ways_to_play(name)]
    checks = [agreement(name, CHECKED_GAMES) for name in compared]
    contenders, left_out = enter(games, options.seconds)
    compete(contenders, options.rounds, options.seconds)
    rows = rows_of(contenders)
    result = {"rounds": options.rounds, "seconds": options.seconds, "versions": installed()}
    result |= {"left_out": left_out, "rows": rows, "agreement": checks}
    result |= {"targets": judge(rows, games)}
    print(json.dumps(result)) if options.json else show(result)
    return int(any(check["sigmas"] > 5 for check in checks))


if __name__ == "__main__":
    raise SystemExit(main())
