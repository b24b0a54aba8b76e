"""What was measured on a GPU, brought together in docs/results/gpu.json; needs no GPU.

    python benchmarks/gpu_compare.py add FILE ...        what `gpu.py` stored, or printed (NAME.log)
    python benchmarks/gpu_compare.py resumed ONE OTHER KILLED
    python benchmarks/gpu_compare.py trials PROCESSOR.json GPU.json
    python benchmarks/gpu_compare.py fresh_trials PROCESSOR.json GPU.json

`resumed` compares the rows of two databases of one study: ONE was not interrupted as far as it
goes, OTHER was killed when it held KILLED, and then resumed. `trials` compares the final results of
two studies of a paper, condition by condition; `fresh_trials` does so again with other trials on a
processor, perhaps of some conditions only. `make pages` shows all of it.
"""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from gpu import shown
from scipy import stats

from inarow.lab.studies.store import Store
from inarow.papers.measures import ResultRow

STORED = Path(__file__).parents[1] / "docs" / "results" / "gpu.json"
Found = dict[str, Any]


def add(files: list[Path]) -> Found:
    """Sections of a measurement: as it was stored, or, of one that was stopped, its lines."""
    sections: Found = {}
    for path in files:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".json":
            sections |= json.loads(text)
        else:
            sections[path.stem] = {"printed": [line.rstrip() for line in text.splitlines()]}
    return sections


def rows_of(path: Path) -> Found:
    """The rows of a study, by what they name."""
    with Store.open(path) as store:
        return {
            f"{key.config} {key.seed} {measured.games} {measured.metric}": measured.value
            for key, measured in store.measurements()
        }


def resumed(one: Path, other: Path, killed: Path) -> Found:
    """How many rows two databases have in common, and how many of them are the same."""
    first, second, before = rows_of(one), rows_of(other), rows_of(killed)
    common = first.keys() & second.keys()
    later = common - before.keys()
    return section(
        "resumed",
        {
            "rows of the killed study": len(second),
            "rows of the other": len(first),
            "compared": len(common),
            "same": sum(first[name] == second[name] for name in common),
            "compared, of after the kill": len(later),
            "same, of after the kill": sum(first[name] == second[name] for name in later),
        },
    )


def trials(processor: Path, gpu: Path, name: str = "trials") -> Found:
    """Two-sample tests of all final results of the processor's conditions."""
    one, other = (conditions_of(path) for path in (processor, gpu))
    found: Found = {}
    for condition, row in one.items():
        for metric in row["finals"]:
            found[f"{condition}: {metric}"] = tests(row, other[condition], metric)
    lowest = min(entry["Mann-Whitney p"] for entry in found.values())
    found["lowest p, times the number of tests"] = min(1.0, lowest * len(found))
    return section(name, found)


fresh_trials = partial(trials, name="fresh_trials")


def conditions_of(path: Path) -> dict[str, ResultRow]:
    """The rows of a study's results, by what they name."""
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
    return {", ".join(part for part in row.values() if isinstance(part, str)): row for row in rows}


def tests(row: ResultRow, again: ResultRow, metric: str) -> Found:
    """Of one condition and one result."""
    cpu, gpu = np.array(row["finals"][metric]), np.array(again["finals"][metric])
    return {
        "runs cpu": len(cpu), "runs gpu": len(gpu), "cpu": float(cpu.mean()),
        "gpu": float(gpu.mean()), "Mann-Whitney p": float(stats.mannwhitneyu(cpu, gpu).pvalue),
        "Kolmogorov-Smirnov p": float(stats.ks_2samp(cpu, gpu).pvalue),
    }  # fmt: skip


def section(name: str, found: Found) -> Found:
    """As `gpu.py` stores one."""
    printed = [f"{name}:", *(f"  {what}: {shown(value)}" for what, value in found.items())]
    print("\n".join(printed))
    command = f"python benchmarks/gpu_compare.py {name}"
    return {name: {"command": command, "found": found, "printed": printed}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["add", "resumed", "trials", "fresh_trials"])
    parser.add_argument("files", nargs="+", type=Path)
    given = parser.parse_args()
    stored: Found = json.loads(STORED.read_text()) if STORED.exists() else {}
    sections = add(given.files) if given.what == "add" else globals()[given.what](*given.files)
    STORED.write_text(json.dumps({**stored, **sections}, indent=1) + "\n")


if __name__ == "__main__":
    main()
