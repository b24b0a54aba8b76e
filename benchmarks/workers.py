"""Several threads of the solver on one 6x7 position against one: wall time, on an idle machine.

    python benchmarks/workers.py [--json] [--workers 2] [--repeats 3]

One thread and several take turns, each time from an empty table without any book. The speed-up is
the median over the turns. `processors` is CPU time over wall time: below the number of workers, the
machine was not idle, and the speed-up says little. The ratio of nodes, which no other work on the
machine changes, says how much was searched twice.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from typing import Any, NamedTuple

from inarow.search.solver import Solver

GAME = "connect4:6x7"
POSITIONS = ("4444", "1", "")  # "" is the empty board
WANTED = {2: 1.7}  # workers: speed-up to reach
TABLE_BITS = 24


class Turn(NamedTuple):
    """A position, solved once."""

    score: int
    seconds: float  # of wall time
    cpu_seconds: float
    nodes: int


def solve_once(moves: str, workers: int, table_bits: int = TABLE_BITS) -> Turn:
    """Solves a position from nothing."""
    solver = Solver(GAME, table_bits=table_bits, workers=workers)
    solver.make_ready()
    wall, cpu = time.perf_counter(), time.process_time()
    score = solver.score(moves)
    return Turn(score, time.perf_counter() - wall, time.process_time() - cpu, solver.nodes)


def measure(moves: str, workers: int, repeats: int, table_bits: int = TABLE_BITS) -> dict[str, Any]:
    """A row of the table: one position, by one thread and by several in turn."""
    turns = [
        (solve_once(moves, 1, table_bits), solve_once(moves, workers, table_bits))
        for _ in range(repeats)
    ]
    scores = {turn.score for both in turns for turn in both}
    if len(scores) != 1:
        raise SystemExit(f"scores of {moves!r} differ: {scores}")
    alone, together = zip(*turns, strict=True)
    ratios = sorted(one.seconds / many.seconds for one, many in turns)
    return {
        "position": moves or "empty",
        "score": scores.pop(),
        "workers": workers,
        "seconds_alone": statistics.median(turn.seconds for turn in alone),
        "seconds": statistics.median(turn.seconds for turn in together),
        "speed_up": statistics.median(ratios),
        "lowest": ratios[0],
        "highest": ratios[-1],
        "wanted": WANTED.get(workers),
        "processors": statistics.median(turn.cpu_seconds / turn.seconds for turn in together),
        "nodes_ratio": statistics.median(many.nodes / one.nodes for one, many in turns),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    parser.add_argument("--workers", type=int, default=2, help="threads on a position")
    parser.add_argument("--repeats", type=int, default=3, help="turns of each")
    options = parser.parse_args()
    for workers in (1, options.workers):
        solve_once("4444441", workers, 20)  # compiles
    rows = []
    for moves in POSITIONS:
        rows.append(measure(moves, options.workers, options.repeats))
        if not options.json:
            print(
                "{position:>6}: {seconds_alone:.2f} s alone, {seconds:.2f} s by {workers} threads, "
                "{speed_up:.2f}x ({lowest:.2f} to {highest:.2f}), {processors:.2f} processors, "
                "{nodes_ratio:.2f}x the nodes".format(**rows[-1]),
                flush=True,
            )
    if options.json:
        print(json.dumps({"rows": rows}))


if __name__ == "__main__":
    main()
