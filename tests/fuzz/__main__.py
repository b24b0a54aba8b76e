"""Asks about mutated things in processes of their own, and tells of every answer that is none.

    python -m tests.fuzz --cases 100000

A case is a number: `--first 1234 --cases 1` asks that one again. An answer is a result or one
line; a crash, a traceback, two seconds of work or a gibibyte of memory are findings.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

PART = 2_000  # cases of one process
SECONDS = 2.0  # of work
KIBIBYTES = 2**20  # of memory, more than before the first case
PATIENCE = 900  # seconds that a process may take


def main() -> int:
    """Runs the cases, part by part; 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=PART)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--bounds",
        action="store_true",
        help="compiled code checks every index: slower, and stricter",
    )
    parser.add_argument("--report", help=argparse.SUPPRESS)  # where a part says how far it is
    parser.add_argument("--crash", type=int, help=argparse.SUPPRESS)  # at a case: a test of this
    given = parser.parse_args()
    if given.report:
        cases = range(given.first, given.first + given.cases)
        ask_part(given.seed, cases, Path(given.report), given.crash)
        return 0
    started, findings, counts = time.monotonic(), 0, Counter[str]()
    case, end = given.first, given.first + given.cases
    if given.bounds:
        os.environ["NUMBA_BOUNDSCHECK"] = "1"  # an index out of bounds is then a traceback
    with TemporaryDirectory() as folder:
        while case < end:
            part = range(case, min(end, case + PART))
            case, told, found = run_part(given.seed, part, Path(folder), given.crash)
            counts.update(told)
            findings += found
            if case == part.start:  # the next process would end as this one has
                print(f"given up: no process comes as far as case {case}")
                break
    refused = sum(number for name, number in counts.items() if name.endswith("refused"))
    print(
        f"{given.cases:,} cases, seed {given.seed}: {refused:,} refused in one line, "
        f"{sum(counts.values()) - refused:,} answered, {findings} findings; "
        f"{time.monotonic() - started:.0f} s"
    )
    for name, number in sorted(counts.items()):
        print(f"  {name}: {number:,}")
    return int(findings > 0)


def run_part(
    seed: int, cases: range, folder: Path, crash: int | None
) -> tuple[int, Counter[str], int]:
    """Cases in a process of their own: how far it came, what came of them, and findings."""
    report = folder / "report.jsonl"
    report.write_text("")
    command = [sys.executable, "-m", "tests.fuzz", "--seed", str(seed), "--report", str(report)]
    numbers = ["--first", str(cases.start), "--cases", str(len(cases))]
    numbers += [] if crash is None else ["--crash", str(crash)]
    try:
        ended = subprocess.run(
            [*command, *numbers], timeout=PATIENCE, capture_output=True, text=True, check=False
        )
        status, errors = ended.returncode, ended.stderr
    except subprocess.TimeoutExpired:
        status, errors = -1, f"no answer within {PATIENCE} s"
    told, findings, last = Counter[str](), 0, cases.start - 1
    for line in report.read_text().splitlines():
        entry = json.loads(line)
        last = entry["case"]
        if "outcome" in entry:
            told[entry["outcome"]] += 1
        if entry.get("finding"):
            findings += 1
            print(f"case {entry['case']} ({entry['target']}): {entry['finding']}", flush=True)
    if status != 0:
        findings += 1
        print(f"case {last}: the process ended with status {status}\n{errors[-3000:]}", flush=True)
        return last + 1, told, findings
    return cases.stop, told, findings


def ask_part(seed: int, cases: range, report: Path, crash: int | None) -> None:
    """Asks about one case after another, and writes down what came of it."""
    from tests.fuzz import targets

    faulthandler.enable()
    targets.warm_up()
    before = _memory()
    with report.open("a", buffering=1) as file:

        def tell(**entry: Any) -> None:
            file.write(json.dumps(entry) + "\n")

        for case in cases:
            target = targets.ORDER[case % len(targets.ORDER)]
            tell(case=case)
            if case == crash:
                os.abort()
            outcome, finding = ask(target, f"{seed} {case}")
            if finding.startswith(
                "it took"
            ):  # perhaps to compile, or another process was in the way
                outcome, finding = ask(target, f"{seed} {case}")
            if _memory() - before > KIBIBYTES:
                finding = finding or f"it took {(_memory() - before) / KIBIBYTES:.1f} GiB"
                before = _memory()
            outcome = f"{target} {outcome}"
            tell(case=case, outcome=outcome, target=target, finding=finding)
    shutil.rmtree(targets.folder())


def ask(target: str, seed: str) -> tuple[str, str]:
    """What came of a case, and what is wrong with that."""
    from inarow.game import InputError
    from tests.fuzz import targets

    outcome, finding, started = "answered", "", time.process_time()
    try:
        targets.TARGETS[target](random.Random(seed))
    except InputError as error:
        outcome = "refused"
        if not str(error).isprintable() or not str(error):
            finding = f"not one line of printable characters: {str(error)!r}"
    except BaseException:
        finding = traceback.format_exc()
    taken = time.process_time() - started
    return outcome, finding or (f"it took {taken:.1f} s" if taken > SECONDS else "")


def _memory() -> int:
    """The most memory that this process has had, in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    sys.exit(main())
