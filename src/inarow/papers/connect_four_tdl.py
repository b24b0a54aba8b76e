"""Connect Four by n-tuple networks: training runs that perfect play examines, as a study.

A cell is a cell of `lab.training_work` for the learner `ntuple`, with `alpha` and `epsilon` given
as [start, end]: each falls by the same factor with every game of the run. At the end, and with
`examine_every` on the way, fresh games against perfect play are played by the averaged weights,
and by the last ones beside.

    python -m inarow.papers.connect_four_tdl CELLS.json OUT.jsonl --seeds 1-4 --workers 16

runs a list of cells and writes a line for each run that has ended; with `--part NAME` all lines
are then stored as results/connect-four-NAME.json. A cell may name `seeds` of its own.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Self

import numpy as np

from inarow.engine.streams import EVALUATION
from inarow.lab.examine_perfect import play_perfect
from inarow.lab.study import Figure, Study
from inarow.lab.training import Run
from inarow.lab.training_work import KNOWN, TrainingWork
from inarow.learn.schedule import falling
from inarow.papers import results
from inarow.papers.connect_four_referee import referee_score
from inarow.papers.connect_four_seeds import play_itself

GAME = "connect4:6x7"
POINTS = 20  # pieces that a run is played in
GAMES = 200  # against perfect play; moving second, every agent loses
OWN_GAMES = 20  # against itself
MINIMAX = "minimax:6"  # the paper's


class TDLWork(TrainingWork):
    """A training run of `ntuple` that is examined by perfect play."""

    cpu = 0.0  # seconds of training, on this thread

    @classmethod
    def begin(cls, cell: dict[str, Any], seed: int) -> Self:
        """At the start."""
        return super().begin(as_training(cell), seed)

    def advance(self) -> list[Figure]:
        """Plays on to the next point; what is due there is measured."""
        games, before = self.run.games, time.thread_time()
        every = self.examine_every or self.games
        piece = -(-min(every, self.games) // POINTS)
        stop = min(games + piece, games + every - games % every, self.games)
        self.run.training.play(stop - games)
        self.cpu += time.thread_time() - before
        if self.run.games < self.games and self.run.games % every:
            return []
        return self._examine()

    def _examine(self) -> list[Figure]:
        """Scores moving first, and mistakes; by averaged weights and by the last.

        At the end also what games it plays against itself, and how it does against minimax.
        """
        self.run.training.check_finite()
        games, agent = self.run.games, self.run.agent
        source = np.random.SeedSequence(self.seed, spawn_key=(EVALUATION, games))
        seed = int(source.generate_state(1, np.uint64)[0])
        found = {"training CPU-seconds": self.cpu}
        for kind in ("averaged", "last"):
            tally, mistakes = play_perfect(agent, GAMES, 0, seed)
            found[f"{kind} score"] = tally.score
            found[f"{kind} wins"] = tally.wins
            found[f"{kind} losses"] = tally.losses
            for stones, (asked, wrong) in sorted(mistakes.items()):
                found[f"{kind} mistakes from {stones} stones"] = wrong / asked
            if kind == "averaged" and games == self.games:
                found |= play_itself(agent, OWN_GAMES, seed)
                score = referee_score(MINIMAX, agent, GAMES, seed)
                found[f"score against {MINIMAX}"] = score / GAMES
            agent.weights = self.run.training.arrays["weights"]
        return [Figure(games, name, float(value)) for name, value in found.items()]


def as_training(cell: dict[str, Any]) -> dict[str, Any]:
    """A cell with its schedules written out."""
    made = {"game": GAME, "learner": "ntuple", **cell}
    for name in ("alpha", "epsilon"):
        if isinstance(made.get(name), list):
            start, end = made[name]
            made[name] = str(falling(start, end, made["games"]) if start != end else start)
    made.setdefault("average_every", max(made.get("games", KNOWN["games"]) // 200, 1))
    return made


def study(name: str, cells: list[dict[str, Any]]) -> Study:
    """The study of some cells, for `lab.runner`."""
    return Study(name, tuple(cells), "inarow.papers.connect_four_tdl:TDLWork")


def run_unit(number: int, cell: dict[str, Any], seed: int) -> dict[str, Any]:
    """One cell with one seed, from start to end."""
    work, figures = TDLWork.begin(cell, seed), list[Figure]()
    while not work.finished:
        figures += work.advance()
    found: dict[int, dict[str, float]] = {}
    for figure in figures:
        found.setdefault(figure.games, {})[figure.metric] = figure.value
    return {"number": number, "cell": cell, "seed": seed, "figures": found}


def units_of(cells: list[dict[str, Any]], seeds: str) -> Iterator[tuple[int, dict[str, Any], int]]:
    """The runs of some cells, first seeds first: number of the cell, what it is, and the seed."""
    wanted = [_numbers(cell.get("seeds", seeds)) for cell in cells]
    for place in range(max(len(numbers) for numbers in wanted)):
        for number, (cell, numbers) in enumerate(zip(cells, wanted, strict=True)):
            if place < len(numbers):
                given = {name: value for name, value in cell.items() if name != "seeds"}
                yield number, given, numbers[place]


def _numbers(seeds: str) -> range:
    """The seeds that `first-last` says."""
    first, last = (int(part) for part in seeds.split("-"))
    return range(first, last + 1)


def gather(
    lines: list[dict[str, Any]], part: str, seeds: str, made: dict[str, str]
) -> results.Results:
    """The lines of runs that have ended as results: a row a run, as it was at its end.

    Of the points before it is kept how averaged and last weights scored.
    """
    rows = []
    for line in sorted(lines, key=lambda line: (line["number"], line["seed"])):
        games = max(line["figures"], key=int)
        rows.append(
            {
                "cell": line["cell"],
                "seed": line["seed"],
                "games": int(games),
                "figures": line["figures"][games],
                "on the way": {
                    before: [figures["averaged score"], figures["last score"]]
                    for before, figures in line["figures"].items()
                    if before != games
                },
            }
        )
    command = (
        f"python -m inarow.papers.connect_four_tdl docs/results/connect-four-{part}.cells.json "
        f"runs.jsonl --seeds {seeds} --part {part}"
    )
    facts = {"command": command, "games against perfect play": GAMES}
    return results.Results("connect-four", part, "paper", rows, facts, made)


def warm_up(trainers: Iterable[str | None]) -> None:
    """Compiles everything, so that no run counts it."""
    for against in trainers:
        options = {"tuples": 4, "average": 1.0, "average_every": 1}
        run = Run(GAME, "ntuple", options, against)
        run.training.play(2)
    play_perfect(run.agent, 1, 0, 0)
    referee_score(MINIMAX, run.agent, 1, 0)


def main() -> None:
    """Runs a list of cells, all with their first seed first.

    Processes that begin with all code compiled: examinations are Python, and threads would wait
    for each other there.
    """
    parser = argparse.ArgumentParser(description="Trains n-tuple networks on Connect Four.")
    parser.add_argument("cells", type=Path, help="a JSON file: a list of cells")
    parser.add_argument("out", type=Path, help="a line of JSON for each run is added to this file")
    parser.add_argument("--seeds", default="1-4", help="first-last")
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--part", help="stores all lines as results/connect-four-PART.json")
    options = parser.parse_args()
    cells = json.loads(options.cells.read_text(encoding="utf-8"))
    began = time.monotonic()
    warm_up(dict.fromkeys(cell.get("against") for cell in cells))
    print(f"compiled in {time.monotonic() - began:.0f} s", flush=True)
    with ProcessPoolExecutor(options.workers, get_context("fork")) as pool:
        runs = [pool.submit(run_unit, *unit) for unit in units_of(cells, options.seeds)]
        for run in as_completed(runs):
            row = run.result()
            with options.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            figures = row["figures"][max(row["figures"])]
            print(
                f"{time.monotonic() - began:6.0f} s  cell {row['number']:2} seed {row['seed']}  "
                f"averaged {figures['averaged score']:.4f}  "
                f"last {figures['last score']:.4f}  "
                f"{figures['training CPU-seconds']:.0f} CPU-s  {json.dumps(row['cell'])}",
                flush=True,
            )
    if options.part:
        text = options.out.read_text(encoding="utf-8")
        lines = [json.loads(line) for line in text.splitlines()]
        found = gather(lines, options.part, options.seeds, results.made_with())
        print(results.save(found, Path("results")))


if __name__ == "__main__":
    main()
