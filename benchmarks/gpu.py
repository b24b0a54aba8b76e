"""Studies on a GPU: how fast they are, and whether their results are those of a processor.

`python benchmarks/gpu.py [SECTION ...] --out FOLDER` needs a GPU and `inarow[cuda]`. Sections:
bits, td, networks, same, killed, hybrid, variants, cube; all if none is given. What is measured is
written to FOLDER/gpu.json as it comes, beside what was measured before, and a study that was
stopped goes on.
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
from inarow.lab.runner import run_study
from inarow.lab.store import Store
from inarow.lab.study import Study, grid
from inarow.lab.training import Run
from inarow.learn.mlp.cuda import MLPRuns
from inarow.learn.mlp.network import NETWORKS
from inarow.learn.tabular.cuda import TabularRuns
from inarow.papers.catalogue import paper_of
from inarow.papers.results import save
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
        play(TabularRuns(there), 64, 1000)
        same = 0
        for one, other in zip(here, there, strict=True):
            one.play(1000)
            same += all((one.arrays[a] == other.arrays[a]).all() for a in one.arrays)
        found[f"{name}, {game}"] = {"runs": 64, "same": same}
    for network in NETWORKS:
        for against in (None, "benchmark@game"):
            here, there = (
                [
                    Run("cube", "mlp", {"network": network}, against, seed).training
                    for seed in (1, 2)
                ]
                for _ in range(2)
            )
            play(MLPRuns(there), 2, 10)
            apart = 0.0
            for one, other in zip(here, there, strict=True):
                one.play(10)
                assert (one.counts == other.counts).all()
                apart = max(
                    apart, float(abs(one.arrays["weights"] - other.arrays["weights"]).max())
                )
            found[f"{network}, {against or 'self-play'}"] = apart
    return found


def play(batch: Any, runs: int, games: int) -> float:
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
        play(batch, runs, 500)
        found[f"{runs:,} runs"] = runs * 4000 / play(batch, runs, 4000)
    return found


def networks(folder: Path) -> Found:
    """Games a second of the cube paper's networks, a block a run."""
    del folder
    found: Found = {}
    for network in NETWORKS:
        for against in (None, "benchmark@game"):
            for runs in (30, 500):
                made = [
                    Run("cube", "mlp", {"network": network}, against, seed).training
                    for seed in range(runs)
                ]
                batch = MLPRuns(made)
                play(batch, runs, 10)
                speed = runs * 400 / play(batch, runs, 400)
                found[f"{network}, {against or 'self-play'}, {runs} runs"] = speed
    return found


def same(folder: Path) -> Found:
    """Final results of runs with other seeds on a GPU and on a processor: two-sample tests."""
    found: Found = {}
    test = "games:benchmark@game:1000:first"
    networks = grid(game="cube", learner="mlp", against=[None, "benchmark@game"], games=10_000,
                network=["deep-structured", "wide-unstructured"], evaluations=[[test]])  # fmt: skip
    tables = grid(game="tictactoe", learner="td", against=["attack", "combined"], games=20_000,
                  evaluations=[["games:random:10000:second", "exact"]])  # fmt: skip
    for name, configs, runs in (("cube", networks, 60), ("tictactoe", tables, 100)):
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


def killed(folder: Path) -> Found:
    """A study that is broken off at every stored slice has the rows of one that is not."""
    found: Found = {}
    nets = grid(
        game="cube",
        learner="mlp",
        games=20_000,
        evaluate_every=5_000,
        against=None,
        network="deep-structured",
        evaluations=[["games:benchmark@game:100:first"]],
    )
    tables = grid(game="tictactoe", learner="td", against=["attack", "combined"], games=2_000_000,
                  record=10_000, evaluations=[["games:random:10000:second", "exact"]])  # fmt: skip
    for name, configs, runs in (("deep-structured", nets, 30), ("td", tables, 100)):
        study, kills, stored = Study(name, configs), 0, [0.0]
        whole, cut = folder / f"whole-{name}.db", folder / f"cut-{name}.db"
        run_study(study, whole, runs, on="cuda")

        def kill(share: float, stored: list[float] = stored) -> None:
            if share > stored[0]:
                stored[0] = share
                raise ConnectionAbortedError

        while stored[0] < 1:
            try:
                run_study(study, cut, runs, on="cuda", progress=kill, seconds=0.5)
            except ConnectionAbortedError:
                kills += 1
        with Store.open(whole) as one, Store.open(cut) as other:
            rows, again = list(one.measurements()), list(other.measurements())
        found[name] = {"runs": runs * len(configs), "kills": kills, "rows": len(rows),
                       "same": sum(a == b for a, b in zip(rows, again, strict=True))}  # fmt: skip
    return found


def hybrid(folder: Path) -> Found:
    """The hybrid paper's tables with 1,000 runs a condition."""
    return _reproduce("hybrid", folder, 1000)


def variants(folder: Path) -> Found:
    """The hybrid paper's variants with 100 runs of each."""
    return _reproduce("hybrid", folder, 100, "variants")


def cube(folder: Path) -> Found:
    """The cube paper's ten conditions with 30 trials of a million games each, and their tests."""
    return _reproduce("cube", folder, 30)


def _reproduce(name: str, folder: Path, runs: int, part: str | None = None) -> Found:
    """Also writes the results, as `inarow reproduce --on cuda` would."""
    paper, log = paper_of(name), folder / f"{name}-{part}.seconds"
    start, told = time.perf_counter(), [0.0]
    before = float(log.read_text()) if log.exists() else 0.0  # of times that were cut short

    def report(text: str, share: float) -> None:
        log.write_text(str(before + time.perf_counter() - start))
        if time.perf_counter() - told[0] > 15:
            told[0] = time.perf_counter()
            print(f"  {name} {text}: {share:.1%} after {told[0] - start:.0f} s", flush=True)

    results = paper.run(paper.part(part), Request("paper", folder, report, runs, on="cuda"))
    save(results, folder)
    seconds = before + time.perf_counter() - start
    return {"seconds": seconds, "conditions": len(results.rows), "runs": runs}


SECTIONS: dict[str, Callable[[Path], Found]] = {
    "bits": bits, "td": td, "networks": networks, "same": same, "killed": killed,
    "hybrid": hybrid, "variants": variants, "cube": cube,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, []])
    parser.add_argument("--out", type=Path, default=Path("results"))
    given = parser.parse_args()
    require_gpu()
    given.out.mkdir(parents=True, exist_ok=True)
    path = given.out / "gpu.json"
    found: Found = json.loads(path.read_text()) if path.exists() else {}
    found["made_with"] = made_with("cuda")
    for name in given.sections or SECTIONS:
        start = time.perf_counter()
        found[name] = SECTIONS[name](given.out)
        print(f"{name} ({time.perf_counter() - start:.0f} s)")
        for what, value in found[name].items():
            shown = f"{value:,.0f}" if isinstance(value, float) and value > 1 else value
            print(f"  {what}: {shown}", flush=True)
        path.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
