"""How many games of the cube paper's training in a CPU-second: here, plainly, with libraries.

Three questions, each with the target that the project set itself:

- Self-play with learning for the five networks of the paper, here (`learn.mlp`) in single and in
  double precision, and by the plain compiled reference in `plain_mlp`: the same games from the same
  random numbers, with a forward pass of the whole network for each move that is looked at.
- The deep structured network in JAX and in PyTorch (`library_mlp`): one call for all moves of a
  turn, one for a step of learning.
- A whole trial, tests and all: 1,000,000 games and 100 tests of 1,000 games, by self-play and
  against the benchmark player. `--quick` plays a part of it and scales the time up.

All take turns, as in `playouts`: the median over the rounds is said, and ratios are taken round by
round. Time is CPU time of the whole process; compiling is not counted.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from inarow.game import game as game_of
from inarow.lab.training.driver import TrainingWork
from inarow.learn.mlp.learner import MLP
from inarow.learn.mlp.network import NETWORKS, network_of
from inarow.papers.cube.study import LENGTHS, conditions

if __name__ == "__main__":  # as a script, only the folder of this file is on the path
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.library_mlp import jax_games, torch_games
from benchmarks.plain_mlp import plain_games
from benchmarks.playouts import OURS, Contender, Play, compete, installed, play_for, rows_of

DOUBLE, PLAIN = "inarow, double precision", "plain reference"
JAX, TORCH = "JAX, a call a move", "PyTorch, a call a move"
LIBRARIES: dict[str, Callable[[str], Play]] = {JAX: jax_games, TORCH: torch_games}
TARGETS = {  # how many times as fast as the plain reference
    "small-structured": 20,
    "deep-structured": 15,
    "small-unstructured": 8,
    "deep-unstructured": 8,
    "wide-unstructured": 8,
}
LIBRARY_NETWORK, LIBRARY_TARGET = "deep-structured", 100
TRIAL_GAMES, TRIAL_TARGET, QUICK_GAMES = 1_000_000, 120, 20_000


def our_games(network: str, precision: str) -> Play:
    """Self-play with learning, from a fresh network on."""
    training = MLP(network=network, precision=precision).begin(game_of("cube"), None, 1)
    return _counted(training.play)


def _counted(play: Callable[[int], None]) -> Play:
    def count(games: int) -> int:
        play(games)
        return games

    return count


def enter(names: list[str], seconds: float) -> tuple[list[Contender], list[str]]:
    """The contenders, compiled and warm, with batches of a fit size; and who is left out, why."""
    contenders, left_out = list[Contender](), list[str]()
    for name in names:
        ways: dict[str, Callable[[], Play]] = {
            OURS: lambda name=name: our_games(name, "single"),  # type: ignore[misc]
            DOUBLE: lambda name=name: our_games(name, "double"),  # type: ignore[misc]
            PLAIN: lambda name=name: _counted(plain_games("cube", name, 1)),  # type: ignore[misc]
        }
        if name == LIBRARY_NETWORK:
            for library, make_games in LIBRARIES.items():
                ways[library] = lambda name=name, make=make_games: make(name)  # type: ignore[misc]
        for way, make in ways.items():
            try:
                contender = Contender(name, way, make())
            except ImportError as error:
                left_out.append(f"{way}: left out ({error})")
                continue
            contender.play(2)
            while play_for(contender, 0.0)[1] < seconds / 10:
                contender.batch *= 2
            contenders.append(contender)
    return contenders, left_out


def trial(network: str, trained: str, games: int) -> float:
    """CPU-seconds of a trial with its tests, scaled up to the paper's number of games."""
    configs = [condition.parameters for condition in conditions("paper")]
    config = next(
        c for c in configs if (c["network"], c["against"] or "itself") == (network, trained)
    )
    TrainingWork.begin({**config, "games": 1, "evaluate_every": 0}, 0).advance()  # compiles
    work = TrainingWork.begin({**config, "games": games}, 0)
    start = time.process_time()
    while not work.finished:
        work.advance()
    return (time.process_time() - start) * TRIAL_GAMES / games


def judge(rows: list[dict[str, Any]], trials: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each target, what was measured, and whether that is enough."""
    targets = []
    for row in rows:
        target = {PLAIN: TARGETS[row["game"]], **dict.fromkeys(LIBRARIES, LIBRARY_TARGET)}.get(
            row["contender"]
        )
        if target is not None:
            asked = f"at least {target}x {row['contender']}"
            targets.append({"network": row["game"], "target": asked, "measured": row["ratio"]})
            targets[-1]["met"] = row["ratio"] >= target
    for row in trials:
        asked = f"a trial against {row['trained']} in at most {TRIAL_TARGET} CPU-s"
        targets.append({"network": row["network"], "target": asked, "measured": row["seconds"]})
        targets[-1]["met"] = row["seconds"] <= TRIAL_TARGET
    return targets


def show(result: dict[str, Any]) -> None:
    """Prints all for a person."""
    print(", ".join(f"{name} {number}" for name, number in result["versions"].items()))
    for line in result["left_out"]:
        print(line)
    print(f"{'network':<20}{'who':<26}{'games/CPU-s':>12}{'ours is':>9}{'lowest-highest':>16}")
    for row in result["rows"]:
        line = f"{row['game']:<20}{row['contender']:<26}{row['games_per_cpu_second']:>12,.0f}"
        if row["contender"] != OURS:
            spread = f"{row['ratio_lowest']:.1f}-{row['ratio_highest']:.1f}"
            line += f"{row['ratio']:>8.1f}x{spread:>16}"
        print(line)
    for target in result["targets"]:
        word = "pass" if target["met"] else "FALLS SHORT"
        print(f"{target['network']:<20}{target['target']:<51}{word} ({target['measured']:.1f})")


def main(arguments: list[str] | None = None) -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description="The cube paper's training, games per CPU-second.")
    parser.add_argument("--rounds", type=int, default=5, help="how often all take their turn")
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU time of a turn")
    parser.add_argument("--only", nargs="+", choices=list(NETWORKS), default=list(NETWORKS))
    parser.add_argument("--quick", action="store_true", help="short turns, scaled trials")
    parser.add_argument("--json", action="store_true", help="print for a program")
    options = parser.parse_args(arguments)
    if options.rounds < 1 or not 0 < options.seconds <= 60:
        parser.error("take at least 1 round, of more than 0 and at most 60 seconds")
    rounds, seconds = (3, 0.2) if options.quick else (options.rounds, options.seconds)
    contenders, left_out = enter(options.only, seconds)
    compete(contenders, rounds, seconds)
    rows = rows_of(contenders)
    games = QUICK_GAMES if options.quick else TRIAL_GAMES
    trained = {one.parameters["against"] or "itself" for one in conditions("paper")}
    trials = [
        {"network": name, "trained": against, "seconds": trial(name, against, games)}
        for name in options.only
        for against in sorted(trained)
    ]
    weights = {name: network_of(game_of("cube"), name).weights for name in options.only}
    result = {"versions": installed(), "left_out": left_out, "rows": rows, "weights": weights}
    result |= {"trials": trials, "targets": judge(rows, trials), "scales": list(LENGTHS)}
    print(json.dumps(result)) if options.json else show(result)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
