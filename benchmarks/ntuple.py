"""How many training games of an n-tuple network in a CPU-second: here, and recomputing indices.

The network of the Connect Four paper (70 random-walk tuples of 8 cells, four states a cell) and
one of 200 tuples train against themselves, by the package's loop and by the plain reference in
`recompute`, which is compiled just the same but finds all indices anew before each move. First
both play the same games: they must learn the same weights, bit by bit. Then they take turns: in
each round both train for the same short time. What is said is the median over the rounds, of
speeds and of the ratio within a round; time is CPU time.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from inarow.game import game as game_of
from inarow.learn.ntuple.learner import NTuple

if __name__ == "__main__":  # as a script, only the folder of this file is on the path
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.recompute import PlainTraining

GAME = "connect4:6x7"
TARGET = 3.0  # what the project set itself: at least so many times as fast
TUPLES = (70, 200)
OPTIONS: dict[str, Any] = {  # what the reference knows: no discount, chains cut, no averages
    "gamma": 1.0, "explored": "cut", "average": 0.0, "alpha": "0.6*0.999/1000>0.06",
    "epsilon": "0.1",
}  # fmt: skip
CHECKED_GAMES = 2_000
WARM_GAMES = 20_000  # before measuring: games of learned players are longer


def same_weights(tuples: int, games: int, seed: int = 1) -> bool:
    """Whether both learn the same: all weights that are not 0, in order of size, bit by bit.

    Their tables are numbered differently, so the weights are compared without their places.
    """
    game, learner = game_of(GAME), NTuple(tuples=tuples, **OPTIONS)
    ours, plain = learner.begin(game, None, seed), PlainTraining(learner, game, seed)
    ours.play(games)
    plain.play(games)
    found = [np.sort(w[w != 0]) for w in (ours.arrays["weights"], plain.plain.weights)]
    return len(found[0]) > 0 and np.array_equal(found[0], found[1])


def rate(training: Any, seconds: float) -> float:
    """Games in a CPU-second."""
    games, batch, start = 0, 200, time.process_time()
    while True:
        training.play(batch)
        games += batch
        took = time.process_time() - start
        if took >= seconds and took > 0:
            return games / took


def measure(tuples: int, rounds: int, seconds: float, warm: int) -> dict[str, Any]:
    """Both in turn, in an order that changes each round."""
    game, learner = game_of(GAME), NTuple(tuples=tuples, **OPTIONS)
    ours, plain = learner.begin(game, None, 0), PlainTraining(learner, game, 0)
    ours.play(warm)
    plain.play(10)
    plain.plain.weights[:] = 0
    rates: dict[str, list[float]] = {"ours": [], "recomputing": []}
    both = [("ours", ours), ("recomputing", plain)]
    plain.play(warm)
    for number in range(rounds):
        for name, training in both if number % 2 else reversed(both):
            rates[name].append(rate(training, seconds))
    ratios = [a / b for a, b in zip(rates["ours"], rates["recomputing"], strict=True)]
    return {
        "tuples": tuples,
        "games_per_cpu_second": {name: statistics.median(those) for name, those in rates.items()},
        "ratio": statistics.median(ratios),
        "ratio_lowest": min(ratios),
        "ratio_highest": max(ratios),
        "met": statistics.median(ratios) >= TARGET,
    }


def main(arguments: list[str] | None = None) -> int:
    """Measures and prints. Exit status 1 if the two learn different weights: that is a bug."""
    parser = argparse.ArgumentParser(description="n-tuple training, here and recomputing indices.")
    parser.add_argument("--rounds", type=int, default=9, help="how often both take their turn")
    parser.add_argument("--seconds", type=float, default=0.5, help="CPU time of a turn")
    parser.add_argument("--quick", action="store_true", help="a short look: 70 tuples, 3 rounds")
    parser.add_argument("--json", action="store_true", help="print for a program")
    options = parser.parse_args(arguments)
    if options.rounds < 1 or not 0 < options.seconds <= 60:
        parser.error("take at least 1 round, of more than 0 and at most 60 seconds")
    rounds, sizes, games, warm = options.rounds, TUPLES, CHECKED_GAMES, WARM_GAMES
    if options.quick:
        rounds, sizes, games, warm = min(rounds, 3), TUPLES[:1], 300, 500
    same = same_weights(TUPLES[0], games)
    rows = [measure(tuples, rounds, options.seconds, warm) for tuples in sizes]
    versions = {"python": platform.python_version(), "numba": version("numba")}
    result = {"game": GAME, "rounds": rounds, "seconds": options.seconds, "versions": versions}
    result |= {"checked_games": games, "same_weights": same, "target": TARGET, "rows": rows}
    print(json.dumps(result)) if options.json else show(result)
    return int(not same)


def show(result: dict[str, Any]) -> None:
    """Prints all for a person, in 80 columns."""
    words = "the same weights, bit by bit" if result["same_weights"] else "DIFFERENT WEIGHTS"
    print(f"{result['game']}, {result['checked_games']:,} games each: {words}")
    print(f"{result['rounds']} rounds of {result['seconds']:g} CPU-seconds each")
    print(
        f"{'tuples':>6}{'games/CPU-s':>13}{'recomputing':>13}{'ours is':>10}{'lowest-highest':>16}"
    )
    for row in result["rows"]:
        speeds = row["games_per_cpu_second"]
        span = f"{row['ratio_lowest']:.1f}-{row['ratio_highest']:.1f}"
        line = f"{row['tuples']:>6}{speeds['ours']:>13,.0f}{speeds['recomputing']:>13,.0f}"
        verdict = "pass" if row["met"] else "FALLS SHORT"
        print(f"{line}{row['ratio']:>9.1f}x{span:>16}  {verdict} (at least {result['target']:g}x)")


if __name__ == "__main__":
    raise SystemExit(main())
