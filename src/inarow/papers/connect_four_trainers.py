"""Trainers compared: one network trained on by itself, by minimax, and by perfect play.

The Connect Four paper names minimax as a trainer as future work. All runs begin with the averaged
weights of the same network, which has played itself, and play as many more games; only the
trainer differs. Perfect play is too slow to teach a network from nothing (some ten games a
second), but it is fast where games go through the same positions again.

    python -m inarow.papers.connect_four_trainers RUN.safetensors
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from inarow.lab.examine_perfect import play_perfect
from inarow.lab.statistics import summary
from inarow.lab.training import Run, go_on, load_run
from inarow.learn.learner import options_of
from inarow.learn.names import learner
from inarow.learn.schedule import falling
from inarow.papers.connect_four_referee import referee_score
from inarow.papers.page import Code, Section, Table
from inarow.papers.results import Results, made_with, save

PART = "tdl-trainers"
TRAINERS = (None, "minimax:6", "perfect")  # None: itself
SEEDS = range(1, 11)
GAMES = 2_500
EXAMINED = 200  # games against perfect play, and against minimax
MINIMAX = "minimax:6"


def train_on(run: Run, trainer: str | None, seed: int, games: int) -> Run:
    """A run with a trainer that begins with the averages of another."""
    options = options_of(run.learner) | {
        "tuple_seed": run.seed,
        "alpha": str(falling(0.1, 0.02, games)),
        "epsilon": "0.02",
        "average_every": max(games // 100, 1),
        "seat": "first",  # perfect play wins from the other in any case
    }
    trained = Run(run.game, "ntuple", options, trainer, seed)
    trained.training.arrays["weights"][...] = run.training.arrays["averages"]
    return trained


def examine(agent: Any, seed: int) -> dict[str, Any]:
    """Fresh games, the same for all trainers."""
    tally, _ = play_perfect(agent, EXAMINED, 0, 6_000 + seed)
    return {
        "wins": tally.wins,
        "draws": tally.draws,
        "losses": tally.losses,
        "minimax": referee_score(MINIMAX, agent, EXAMINED, 6_000 + seed) / EXAMINED,
    }


def study(run: Run, seeds: Sequence[int] = SEEDS, games: int = GAMES) -> Results:
    """A row for each trainer and seed, and for each seed one before any trainer."""
    rows = [{"trainer": "none", "seed": seed, **examine(run.agent, seed)} for seed in seeds]
    for trainer in TRAINERS:
        shared = None
        for seed in seeds:
            trained = train_on(run, trainer, seed, games)
            # What perfect play has found out is true for all seeds, and took long to find out.
            training: Any = trained.training
            shared = training.opponent = shared or training.opponent
            before = time.thread_time()
            go_on(trained, games)
            seconds = time.thread_time() - before
            row = {"trainer": trainer or "itself", "seed": seed, "seconds": seconds}
            rows.append({**row, **examine(trained.agent, seed)})
    header = asdict(run.header)
    facts = {"games": games, "games against perfect play": EXAMINED, "run": header}
    return Results("connect-four", PART, "paper", rows, facts, made_with())


def trainers_table(results: Results) -> Table:
    """Scores with 95% intervals of means, by trainer."""
    rows, games = [], results.facts["games against perfect play"]
    for trainer in dict.fromkeys(row["trainer"] for row in results.rows):
        runs = [row for row in results.rows if row["trainer"] == trainer]
        scores = [(row["wins"] + row["draws"] / 2) / games for row in runs]
        perfect, minimax = summary(scores), summary([row["minimax"] for row in runs])
        seconds = np.mean([row.get("seconds", 0.0) for row in runs])
        rows.append(
            (
                trainer, str(len(runs)),
                f"{perfect.mean:.4f} ({perfect.low:.4f} to {perfect.high:.4f})",
                f"{min(scores):.4f}", str(sum(row["losses"] for row in runs)),
                f"{minimax.mean:.3f} ({minimax.low:.3f} to {minimax.high:.3f})",
                f"{seconds:.1f}",
            )
        )  # fmt: skip
    columns = (
        "trainer", "seeds", "against perfect play", "lowest", "lost", f"against {MINIMAX}",
        "CPU s a run",
    )  # fmt: skip
    return Table(columns, tuple(rows), "Trainers", texts=(0,))


def section(results: Results) -> Section:
    """The page's part on trainers."""
    facts = results.facts
    header = facts["run"]
    usual = options_of(learner("ntuple"))
    changed = {n: v for n, v in header["options"].items() if v != usual[n]}
    settings = "".join(f" --set '{name}={value}'" for name, value in changed.items())
    return Section(
        "Trainers: itself, minimax, perfect play",
        (
            "The paper's future work names minimax as a trainer. One network, after "
            f"{header['games']:,} games against itself, is trained on for {facts['games']:,} "
            "games by each trainer, moving first where it does not play itself. Scores of "
            f"{facts['games against perfect play']} fresh games for each seed, moving first: "
            f"against perfect play, and against {MINIMAX} after two random moves. What perfect "
            "play has found out is kept from seed to seed, so its seconds are an average of slow "
            "and fast runs.",
            Code(
                (
                    f"inarow train {header['game']} ntuple --games {header['games']} "
                    f"--seed {header['seed']}{settings} --out run.safetensors",
                    "python -m inarow.papers.connect_four_trainers run.safetensors",
                )
            ),
            trainers_table(results),
            "From nothing, perfect play teaches too slowly to be compared at as many games.",
        ),
    )


def main() -> None:
    """Runs the study and stores it."""
    parser = argparse.ArgumentParser(description="Trains a network on, by several trainers.")
    parser.add_argument("run", type=Path, help="the run that all begin with")
    options = parser.parse_args()
    print(save(study(load_run(options.run)), Path("results")))


if __name__ == "__main__":
    main()
