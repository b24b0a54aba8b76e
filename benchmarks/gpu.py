"""Studies on a GPU: how fast they are, and whether their results are those of a processor.

`python benchmarks/gpu.py [SECTION ...] --out FOLDER` needs a GPU and `inarow[cuda]`. Sections:
bits, td, networks, same, killed, hybrid, variants, cube, detectors; all if none is given. What is
measured is written to FOLDER/gpu.json as it comes, with its command and what it printed, beside
what was measured before, and a study that was stopped goes on. `make pages` shows it on the page
that tells of GPUs. `processor` needs no GPU: it runs the half of `same` that is a processor's.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from inarow.lab.machine import made_with
from inarow.lab.studies.runner import run_study
from inarow.lab.studies.store import Store
from inarow.lab.studies.study import Study, grid
from inarow.lab.training.run import Run
from inarow.learn.mlp.network import NETWORKS
from inarow.papers.paper import paper_of
from inarow.papers.study import Request, save

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
        play(there, 1000)
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
            play(there, 10)
            apart = 0.0
            for one, other in zip(here, there, strict=True):
                one.play(10)
                assert (one.counts == other.counts).all()
                apart = max(
                    apart, float(abs(one.arrays["weights"] - other.arrays["weights"]).max())
                )
            found[f"{network}, {against or 'self-play'}"] = apart
    return found


def batch_of(trainings: list[Any]) -> Any:
    """Runs on the GPU."""
    from inarow.cuda.kernels import new_stream
    from inarow.cuda.networks import MLPRuns
    from inarow.cuda.tables import TabularRuns

    networks = trainings[0].learner.name == "mlp"
    return (MLPRuns if networks else TabularRuns)(trainings, new_stream())


def play(trainings: list[Any], games: int, before: int = 0) -> float:
    """Seconds that all runs take for so many games, after some others; then they are here."""
    batch, runs = batch_of(trainings), len(trainings)
    for number in filter(None, (before, games)):
        start = time.perf_counter()
        batch.launch(np.full(runs, number), runs)
        batch.collect()
        seconds = time.perf_counter() - start
    batch.download(range(runs if not before else 0))
    return seconds


def td(folder: Path) -> Found:
    """Games a second of TD on tic-tac-toe, a thread a run."""
    del folder
    found: Found = {}
    made = [Run("tictactoe", "td", {}, "attack-defense", seed).training for seed in range(10_000)]
    for runs in (1_000, 6_000, 20_000, 100_000):
        found[f"{runs:,} runs"] = runs * 4000 / play((made * 10)[:runs], 4000, 500)
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
                speed = runs * 400 / play(made, 400, 10)
                found[f"{network}, {against or 'self-play'}, {runs} runs"] = speed
    return found


TEST = "games:benchmark@game:1000:first"
COMPARED = {
    "cube": (30, grid(game="cube", learner="mlp", against=[None, "benchmark@game"], games=10_000,
                      network=["deep-structured", "wide-unstructured"], evaluations=[[TEST]])),
    "tictactoe": (100, grid(
        game="tictactoe", learner="td", against=["attack", "combined"], games=20_000,
        evaluations=[["games:random:10000:second", "exact"]])),
}  # fmt: skip


def processor(folder: Path) -> Found:
    """The runs on a processor that those of a GPU are compared with."""
    for name, (runs, configs) in COMPARED.items():
        run_study(Study(name, configs), folder / f"{name}-threads.db", runs, seed=10_000)
    return {}


def same(folder: Path) -> Found:
    """Final results of runs with other seeds on a GPU and on a processor: two-sample tests."""
    found: Found = {}
    processor(folder)
    for name, (runs, configs) in COMPARED.items():
        study = Study(name, configs)
        run_study(study, folder / f"{name}-cuda.db", runs, on="cuda")
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
                    who = f"{config.get('network', 'td')}, {config['against'] or 'self-play'}"
                    found[f"{name}, {who}: {metric}"] = {
                        "runs": runs, "gpu": float(one.mean()), "cpu": float(other.mean()),
                        "Mann-Whitney p": float(ranks), "Kolmogorov-Smirnov p": float(shape),
                    }  # fmt: skip
    return found


KILLED = {
    "small-unstructured": (30, grid(
        game="cube", learner="mlp", games=40_000, evaluate_every=10_000, against=None,
        network="small-unstructured", evaluations=[["games:benchmark@game:100:first"]])),
    "td": (1000, grid(
        game="tictactoe", learner="td", against=["attack", "combined"], games=2_000_000,
        record=10_000, evaluations=[["games:random:10000:second", "exact"]])),
}  # fmt: skip


def killed(folder: Path) -> Found:
    """A study that is killed whenever it has stored something has the rows of one that is not."""
    found: Found = {}
    for name, (runs, configs) in KILLED.items():
        whole, cut, kills = folder / f"whole-{name}.db", folder / f"cut-{name}.db", 0
        run_study(Study(name, configs), whole, runs, on="cuda")
        command = [sys.executable, __file__, "--child", name, "--out", str(folder)]
        while (child := subprocess.Popen(command, stdout=subprocess.PIPE)).stdout:
            shares = [line for _, line in zip(range(2), child.stdout, strict=False)]
            child.kill()  # SIGKILL, in the middle of the next slice
            child.wait()
            kills += 1
            if (shares and float(shares[-1]) == 1) or len(shares) < 2:
                break
        run_study(Study(name, configs), cut, runs, on="cuda")
        with Store.open(whole) as one, Store.open(cut) as other:
            rows, again = list(one.measurements()), list(other.measurements())
        found[name] = {"runs": runs * len(configs), "kills": kills, "rows": len(rows),
                       "same": sum(a == b for a, b in zip(rows, again, strict=True))}  # fmt: skip
    return found


def child(name: str, folder: Path) -> None:
    """A study that says how much of it is stored, each time."""
    runs, configs = KILLED[name]
    told = [0.0]

    def tell(share: float) -> None:
        if share > told[0]:
            told[0] = share
            print(share, flush=True)

    run_study(Study(name, configs), folder / f"cut-{name}.db", runs, on="cuda", progress=tell)


def reproduce(folder: Path, name: str, runs: int, part: str | None = None) -> Found:
    """The paper's conditions, or those of a part, with so many runs of each.

    Also writes the results, as `inarow reproduce --on cuda` would.
    """
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
    "bits": bits,
    "td": td,
    "networks": networks,
    "same": same,
    "killed": killed,
    "hybrid": partial(reproduce, name="hybrid", runs=1000),
    "variants": partial(reproduce, name="hybrid", runs=100, part="variants"),
    "cube": partial(reproduce, name="cube", runs=30),
    "detectors": partial(reproduce, name="cube", runs=30, part="detectors"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, "processor", []])
    parser.add_argument("--out", type=Path, default=Path("results"))
    parser.add_argument("--child", help=argparse.SUPPRESS)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    if given.child:
        child(given.child, given.out)
    elif given.sections == ["processor"]:
        processor(given.out)
    else:
        measure(given.sections or list(SECTIONS), given.out)


def measure(sections: list[str], folder: Path) -> None:
    """Sections one after the other, each stored when it is done."""
    from inarow.cuda.kernels import require_gpu

    require_gpu()
    path = folder / "gpu.json"
    stored: Found = json.loads(path.read_text()) if path.exists() else {}
    for name in sections:
        start = time.perf_counter()
        found = SECTIONS[name](folder)
        seconds = time.perf_counter() - start
        printed = [f"{name}: {seconds:.1f} s", *(f"  {a}: {shown(b)}" for a, b in found.items())]
        print("\n".join(printed), flush=True)
        stored[name] = {
            "command": f"python benchmarks/gpu.py {name}", "made_with": made_with("cuda"),
            "seconds": seconds, "found": found, "printed": printed,
        }  # fmt: skip
        path.write_text(json.dumps(stored, indent=1) + "\n")


def shown(value: Any) -> str:
    """A number, or several, for a line."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {shown(one)}" for name, one in value.items())
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


if __name__ == "__main__":
    main()
