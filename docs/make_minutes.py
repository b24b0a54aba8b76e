"""Measures how long the five documents take: `python docs/make_minutes.py FOLDER [NAME ...]`.

Each runs as `inarow reproduce NAME`, one after the other, into an empty folder. What is stored in
`docs/results/minutes.json` is CPU time, of all threads together, since other work on the machine
makes the clock run on; with idle cores the wait is this time divided by their number, or a little
more. `make pages` writes it into the README.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from inarow.lab.machine import made_with
from inarow.papers.paper import names, paper_of

PLACE = Path(__file__).resolve().parent / "results" / "minutes.json"


def measure(name: str, folder: Path) -> dict[str, float]:
    """Run a document and return seconds: of the clock, and of CPU time."""
    command = [sys.executable, "-m", "inarow", "reproduce", name, "--out", str(folder)]
    begun = time.perf_counter()
    process = subprocess.Popen(command)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    seconds = time.perf_counter() - begun
    return {"seconds": round(seconds, 1), "cpu_seconds": round(used.ru_utime + used.ru_stime, 1)}


def main() -> None:
    """Run the documents in an empty folder, and store what they took."""
    folder, documents = Path(sys.argv[1]), sys.argv[2:]
    for name in documents or [name for name in names() if not paper_of(name).own]:
        if (folder / name).exists():
            raise SystemExit(f"{folder / name} is there: what lies in it would not be run again")
        store(name, measure(name, folder))


def store(name: str, taken: dict[str, float]) -> None:
    """Keep what a document took, beside what is stored of the others."""
    stored = json.loads(PLACE.read_text(encoding="utf-8")) if PLACE.is_file() else {}
    machine = {"processor": made_with()["processor"], "cores": os.cpu_count() or 1}
    documents = {**stored.get("documents", {}), name: {**taken, **machine}}
    PLACE.write_text(f"{json.dumps({'documents': documents}, indent=1)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
