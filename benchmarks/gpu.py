"""Studies on a GPU: how fast they are, and whether their results are those of a processor.

`python benchmarks/gpu.py [SECTION ...] --out FOLDER` needs a GPU and `inarow[cuda]`. Sections:
bits, td, networks, same, short-cube, hybrid, cube; all but cube if none is given. What is measured
is written to FOLDER/cuda.json as it comes.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from inarow.engine.cuda import require_gpu, wait
from inarow.lab.machine import made_with
from inarow.lab.runner import Stopped, run_study
from inarow.lab.store import Store
from inarow.lab.study import Study, grid
from inarow.lab.training import Run
from inarow.learn.mlp.cuda import MLPRuns
from inarow.learn.mlp.network import NETWORKS
from inarow.learn.tabular.cuda import TabularRuns
from inarow.papers.catalogue import paper_of
from inarow.papers.study import Request

Found = dict[str, Any]
TABLES: list[tuple[str, str, str | None, dict[str, Any]]] = [
    ("td", "tictactoe", "attack-defense", {}),
    ("td", "connect4:3x4", "combined", {"symmetric": True, "side": "both", "gamma": 0.9,
                                        "alpha": "0.3*0.999", "update": "own"}),
    ("q", "tictactoe", None, {}),
    ("td_lambda", "tictactoe", None, {"alpha": "0.13", "trace_decay": 0.7}),
    ("sarsa", "tictactoe", "attack", {}),
]  # fmt: skip


def bits(folder: Path) -> Found:
    """The same runs on both: every bit of a table; weights of networks after some games."""
    del folder
    found: Found = {}
    for name, game, against, options in TABLES:
        here, there = (
            [Run(game, name, options, against, seed).training for seed in range(64)]
            for _ in range(2)
        )
        _play(TabularRuns(there), 64, 1000)
        same = 0
        for one, other in zip(here, there, strict=True):
            one.play(1000)
            same += all((one.arrays[a] == other.arrays[a]).all() for a in one.arrays)
        found[f"{name} {game} {options or ''}".strip()] = f"{same} of 64 runs have the same bits"
    for network in NETWORKS:
        for against in (None, "benchmark@game"):
            here, there = (
                [
                    Run("cube", "mlp", {"network": network}, against, seed).training
                    for seed in (1, 2)
                ]
                for _ in range(2)
            )
            _play(MLPRuns(there), 2, 10)
            apart = 0.0
            for one, other in zip(here, there, strict=True):
                one.play(10)
                assert (one.counts == other.counts).all()
                apart = max(
                    apart, float(abs(one.arrays["weights"] - other.arrays["weights"]).max())
                )
            found[f"{network} {against or 'self-play'}"] = f"weights differ by {apart:.1e} at most"
    return found


def _play(batch: Any, runs: int, games: int) -> float:
    """Seconds that all runs take for so many games, their arrays here in the end."""
    start = time.perf_counter()
    batch.launch(np.full(runs, games))
    wait()
    seconds = time.perf_counter() - start
    batch.collect()
    batch.download()
    return seconds


def td(folder: Path) -> Found:
    """Games a second of TD on tic-tac-toe, a thread a run."""
    del folder
    found: Found = {}
    made = [Run("tictactoe", "td", {}, "attack-defense", seed).training for seed in range(20_000)]
    for runs in (1_000, 20_000, 100_000):
        batch = TabularRuns((made * 5)[:runs])
        _play(batch, runs, 500)
        found[f"{runs:,} runs"] = runs * 4000 / _play(batch, runs, 4000)
    return found


def networks(folder: Path) -> Found:
    """Games a second of the cube paper's networks, a block a run."""
    del folder
    found: Found = {}
    for network in NETWORKS:
        for against in (None, "benchmark@game"):
            for runs in (30, 100, 500, 1000) if network == "deep-structured" else (30, 500):
                made = [
                    Run("cube", "mlp", {"network": network}, against, seed).training
                    for seed in range(runs)
                ]
                batch = MLPRuns(made)
                _play(batch, runs, 10)
                speed = runs * 400 / _play(batch, runs, 400)
                found[f"{network}, {against or 'self-play'}, {runs} runs"] = speed
    return found


def same(folder: Path) -> Found:
    """Final results of runs with other seeds on a GPU and on a processor: two-sample tests."""
    found: Found = {}
    test = "games:benchmark@game:1000:first"
    cube = grid(game="cube", learner="mlp", against=[None, "benchmark@game"], games=10_000,
                network=["deep-structured", "wide-unstructured"], evaluations=[[test]])  # fmt: skip
    tables = grid(game="tictactoe", learner="td", against=["attack", "combined"], games=20_000,
                  evaluations=[["games:random:10000:second", "exact"]])  # fmt: skip
    for name, configs, runs in (("cube", cube, 60), ("tictactoe", tables, 100)):
        study = Study(name, configs)
        for on, seed in (("cuda", 0), ("threads", 10_000)):
            run_study(study, folder / f"{name}-{on}.db", runs, on=on, seed=seed)
        with (
            Store.open(folder / f"{name}-cuda.db") as gpu,
            Store.open(folder / f"{name}-threads.db") as cpu,
        ):
            for number, config in enumerate(study.configs):
                for metric in gpu.metrics(number):
                    one, other = gpu.final(number, metric), cpu.final(number, metric)
                    if np.ptp(np.concatenate([one, other])) == 0:
                        continue
                    ranks = stats.mannwhitneyu(one, other).pvalue
                    shape = stats.ks_2samp(one, other).pvalue
                    label = f"{name}, {config.get('network', '')} {config['against']}: {metric}"
                    found[label] = {"runs": runs, "gpu": float(one.mean()), "cpu": float(
                        other.mean()), "Mann-Whitney p": float(ranks),
                        "Kolmogorov-Smirnov p": float(shape)}  # fmt: skip
    return found


def hybrid(folder: Path) -> Found:
    """The hybrid paper's tables with 1,000 runs a condition."""
    return _reproduce("hybrid", folder, "paper", 1000)


def cube(folder: Path) -> Found:
    """The cube paper's ten conditions with 30 trials of a million games each."""
    return _reproduce("cube", folder, "paper", 30)


def short_cube(folder: Path) -> Found:
    """The same with trials of 10,000 games, and a test every 1,000."""
    return _reproduce("cube", folder, "quick", 30)


def _reproduce(name: str, folder: Path, scale: str, runs: int) -> Found:
    paper = paper_of(name)
    start, told = time.perf_counter(), [0.0]

    def report(text: str, share: float) -> None:
        if time.perf_counter() - told[0] > 15:
            told[0] = time.perf_counter()
            print(f"  {name} {text}: {share:.1%} after {told[0] - start:.0f} s", flush=True)

    try:
        results = paper.run(paper.part(None), Request(scale, folder, report, runs, on="cuda"))
    except Stopped as stopped:
        return {"stopped": str(stopped), "seconds": time.perf_counter() - start}
    return {"seconds": time.perf_counter() - start, "conditions": len(results.rows)}


SECTIONS: dict[str, Callable[[Path], Found]] = {
    "bits": bits, "td": td, "networks": networks, "same": same, "short-cube": short_cube,
    "hybrid": hybrid, "cube": cube,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, []])
    parser.add_argument("--out", type=Path, default=Path("results"))
    given = parser.parse_args()
    require_gpu()
    given.out.mkdir(parents=True, exist_ok=True)
    found: Found = {"made_with": made_with()}
    for name in given.sections or [name for name in SECTIONS if name != "cube"]:
        start = time.perf_counter()
        found[name] = SECTIONS[name](given.out)
        print(f"{name} ({time.perf_counter() - start:.0f} s)")
        for what, value in found[name].items():
            shown = f"{value:,.0f}" if isinstance(value, float) else value
            print(f"  {what}: {shown}", flush=True)
        (given.out / "cuda.json").write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
