"""The perfect solver against BitBully without its book, on the same random 6x7 positions.

    python benchmarks/solver.py [--json] [--repeats 5] [--no-empty]
    python benchmarks/solver.py --sizes [--json]

CPU time of one process. Positions come from random play and let no side win at once. They are
solved in batches that take turns; each batch has positions of its own, and every program keeps
its table between batches. BitBully is called through its C++ objects, once by each of its two
fastest searches, and its better time counts. A ratio is BitBully's time over ours: the median
over the batches. The empty board is solved without any book. Positions of other boards are compared
with a plain search (`solver_boards`). With --sizes, empty boards of other sizes are solved instead,
and their values compared with Tromp's table. Several threads on one position are measured by
`workers.py`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from inarow.game import game
from inarow.search.solver import NotSolved, Solver, is_planar

if __name__ == "__main__":  # as a script, only the folder of this file is on the path
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.solver_boards import measure_boards, random_positions

try:
    from bitbully import bitbully_core
except ImportError:
    bitbully_core = None

GAME = game("connect4:6x7")
# stones: positions of a batch; 50,160 in five batches
BATCHES = {28: 6000, 24: 3000, 20: 800, 16: 200, 12: 24, 8: 8}
WANTED = {28: 2.5, 24: 2.5, 20: 2.5, 16: 2.5, 12: 1.5, 8: 1.0}  # stones: ratio to reach
EMPTY_WANTED = 6.0  # CPU-seconds
SIZES = {4: "==-=---", 5: "====+++", 6: "==-+--+", 7: "==+=++", 8: "==-+-"}  # rows: from 4 columns
SIZE_LIMIT = 850_000_000  # nodes: about a minute


def random_games(stones: int, count: int, seed: int) -> list[tuple[int, ...]]:
    """Moves of random games that go on, with no win at hand for the side to move."""
    return [position.moves for position in random_positions(GAME, stones, count, seed)]


def timed(work: Callable[[], Any]) -> tuple[float, list[int]]:
    start = time.process_time()
    scores = work()
    return time.process_time() - start, [int(score) for score in scores]


def peer_boards(games: list[tuple[int, ...]]) -> list[Any]:
    boards = []
    for moves in games:
        board = bitbully_core.BoardCore()
        for move in moves:
            board.play(move)
        boards.append(board)
    return boards


def measure(stones: int, repeats: int) -> dict[str, Any]:
    """One row of the table."""
    solver = Solver(GAME)
    solver.scores(random_games(stones, 1, -1))  # compiles, and brings the table into memory
    names = ["mtdf", "nullWindow"] if bitbully_core else []
    peers = {name: bitbully_core.BitBullyCore() for name in names}
    ours: list[float] = []
    theirs: dict[str, list[float]] = {name: [] for name in names}
    disagreements = 0
    nodes = solver.nodes
    for repeat in range(repeats):
        games = random_games(stones, BATCHES[stones], repeat)
        words = np.array([solver.pack(moves) for moves in games], dtype=np.uint64)
        seconds, scores = timed(lambda words=words: solver.score_words(words[:, 0], words[:, 1]))
        ours.append(seconds)
        boards = peer_boards(games) if names else []
        for name in names:
            call, extra = getattr(peers[name], name), (0,) if name == "mtdf" else ()
            seconds, answers = timed(
                lambda call=call, extra=extra, boards=boards: [call(b, *extra) for b in boards]
            )
            theirs[name].append(seconds)
            disagreements += sum(a != b for a, b in zip(scores, answers, strict=True))
    row: dict[str, Any] = {
        "stones": stones,
        "positions": repeats * BATCHES[stones],
        "us_per_position": 1e6 * sum(ours) / (repeats * BATCHES[stones]),
        "million_nodes_per_second": (solver.nodes - nodes) / sum(ours) / 1e6,
    }
    if names:
        best = [min(times) for times in zip(*theirs.values(), strict=True)]
        ratios = sorted(b / a for a, b in zip(ours, best, strict=True))
        row |= {
            "peer_us_per_position": 1e6 * sum(best) / (repeats * BATCHES[stones]),
            "ratio": statistics.median(ratios),
            "lowest_ratio": ratios[0],
            "highest_ratio": ratios[-1],
            "wanted": WANTED[stones],
            "disagreements": disagreements,
        }
    return row


def measure_empty() -> dict[str, Any]:
    """The empty board, from nothing."""
    Solver(GAME).scores(["444444"])  # compiles
    solver = Solver(GAME, table_bits=24)
    seconds, scores = timed(lambda: [solver.score("")])
    return {
        "cpu_seconds": seconds,
        "nodes": solver.nodes,
        "score": scores[0],
        "wanted": EMPTY_WANTED,
    }


def measure_size(rows: int, columns: int, value: str) -> dict[str, Any]:
    """An empty board of another size: + first wins, = draw, - second wins, as published."""
    solver = Solver(f"connect4:{rows}x{columns}", limit=SIZE_LIMIT)
    start, score = time.process_time(), None
    try:
        score = solver.score("")
        verdict = "agrees" if "-=+"[(score > 0) - (score < 0) + 1] == value else "DIFFERS"
    except NotSolved:
        verdict = "not solved in time"
    seconds = time.process_time() - start
    return {
        "size": f"{rows}x{columns}",
        "published": value,
        "score": score,
        "verdict": verdict,
        "nodes": solver.nodes,
        "cpu_seconds": seconds,
    }


def measure_sizes(as_json: bool) -> None:
    """Every size of the table that fits 64 bits."""
    found = []
    for rows, values in SIZES.items():
        for columns, value in enumerate(values, start=4):
            if is_planar(game(f"connect4:{rows}x{columns}")):
                found.append(measure_size(rows, columns, value))
                if not as_json:
                    print(" ".join(str(item) for item in found[-1].values()), flush=True)
    if as_json:
        print(json.dumps({"sizes": found}))


def show(row: dict[str, Any]) -> None:
    text = f"{row['stones']:6} {row['positions']:9} {row['us_per_position']:11.1f}"
    text += f" {row['million_nodes_per_second']:9.1f}"
    if "ratio" in row:
        text += f" {row['peer_us_per_position']:11.1f} {row['ratio']:6.2f}"
        text += f" ({row['lowest_ratio']:.2f}-{row['highest_ratio']:.2f})"
        text += f" {row['wanted']:6.1f} {row['disagreements']:9}"
    print(text, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    parser.add_argument("--repeats", type=int, default=5, help="batches of each kind")
    parser.add_argument("--no-empty", action="store_true", help="leave the empty board out")
    parser.add_argument("--sizes", action="store_true", help="solve boards of other sizes instead")
    options = parser.parse_args()
    if options.sizes:
        measure_sizes(options.json)
        return
    if bitbully_core is None and not options.json:
        print("bitbully is not installed: no comparison, our own times only")
    elif not options.json:
        print(
            "stones positions us/position M nodes/s BitBully us  ratio (range)    wanted disagree"
        )
    rows = []
    for stones in BATCHES:
        rows.append(measure(stones, options.repeats))
        if not options.json:
            show(rows[-1])
    empty = None if options.no_empty else measure_empty()
    boards = measure_boards()
    if options.json:
        print(json.dumps({"rows": rows, "empty": empty, "boards": boards}))
        return
    if empty:
        print(
            f"empty board: score {empty['score']}, {empty['cpu_seconds']:.1f} CPU-seconds, "
            f"{empty['nodes'] / 1e6:.1f} M nodes"
        )
    for row in boards:
        found = f", {row['disagreements']} disagreements" if "disagreements" in row else ""
        print("{board}, {stones} stones: {us_per_position:.1f} us".format(**row) + found)


if __name__ == "__main__":
    main()
