"""Runs benchmarks and stores what they measure, with date and machine, for the site.

    python benchmarks/store.py playouts solver

writes docs/results/benchmarks/NAME.json for each; the page of benchmarks and the README's facts
are made from these files (`make docs`, `make pages`).
"""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from inarow.game.files import write_whole
from inarow.lab.machine import made_with

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parent / "docs" / "results" / "benchmarks"
NAMES = (
    "playouts",
    "solver",
    "workers",
    "tabular",
    "cube",
    "deep",
    "ntuple",
    "minimax",
    "mcts",
    "environments",
    "first_answer",
    "web",
)


def record(name: str, answer: dict[str, Any], date: str) -> dict[str, Any]:
    """What is stored of a benchmark's answer."""
    command = f"python benchmarks/{name}.py"
    return {"command": command, "date": date, "made_with": made_with(), "result": answer}


def main(names: list[str]) -> None:
    """Runs the benchmarks of these names; all without names."""
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        raise SystemExit(f"unknown benchmark {unknown[0]!r}: there is {', '.join(NAMES)}")
    RESULTS.mkdir(parents=True, exist_ok=True)
    for name in names or NAMES:
        command = [sys.executable, str(HERE / f"{name}.py"), "--json"]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        stored = record(name, json.loads(done.stdout), today)
        write_whole(RESULTS / f"{name}.json", f"{json.dumps(stored, indent=1)}\n".encode())
        print(f"docs/results/benchmarks/{name}.json", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
