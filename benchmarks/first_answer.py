"""How long the first answer of a command takes after an installation, when nothing is compiled.

    python benchmarks/first_answer.py [--json] [--rounds 3]

Each command runs on a terminal of its own, with an empty cache of compiled code. Measured are the
seconds until it says that it compiles, and until it has answered: a result, or the opponent's first
move. Targets: 1 s and 8 s, the median of the rounds, on two idle cores. Seconds are wall-clock
times: run it on a machine with nothing else to do. The CPU time is that of the command's own
process; on two cores another one compiles beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import pty
import statistics
import sys
import tempfile
import time

NOTICE, TARGET, NOTICE_TARGET = "compiling", 8.0, 1.0
# What is typed, what stands in the answer, and the move that a person makes first, if any.
COMMANDS = (
    ("solve connect4:5x5", "nodes.", None),
    ("play tictactoe", "(O) plays", "22"),
    ("play connect4:6x7 --against ntuple", "(O) plays", "4"),
    ("play cube", "(O) plays", "22"),
    ("match connect4:6x7 ntuple random", "moves a game", None),
    ("match connect4:6x7 ntuple mcts:100 --games 2", "moves a game", None),
    ("match tictactoe attack-defense benchmark", "moves a game", None),
)


def first_answer(typed: str, answer: str, move: str | None) -> tuple[float, float, float]:
    """Seconds to the notice and to the answer, and CPU-seconds, of a command with no code yet."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"NUMBA_CACHE_DIR": folder, "TERM": "xterm", "COLUMNS": "100"}
        started, shown, noticed = time.monotonic(), "", float("inf")
        process, terminal = pty.fork()
        if process == 0:
            command = [sys.executable, "-m", "inarow", *typed.split()]
            os.execve(sys.executable, command, environment)
        while answer not in shown:
            try:
                shown += os.read(terminal, 65_536).decode(errors="replace")
            except OSError:  # it has ended
                break
            if NOTICE in shown:
                noticed = min(noticed, time.monotonic() - started)
            if move is not None and "Your move" in shown:
                os.write(terminal, f"{move}\n".encode())
                move = None
        answered = time.monotonic() - started
        os.close(terminal)  # whoever still plays ends with it
        _, status, used = os.wait4(process, 0)
        if answer not in shown:
            sys.exit(f"{typed}: no answer, but {shown!r} (status {status})")
        return noticed, answered, used.ru_utime + used.ru_stime


def main() -> int:
    """Measures every command; 1 where one takes longer than it may, unless a program reads that."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = []
    for command in COMMANDS:
        found = [first_answer(*command) for _ in range(options.rounds)]
        noticed, answered, used = (statistics.median(column) for column in zip(*found, strict=True))
        met = noticed <= NOTICE_TARGET and answered <= TARGET
        named = {"command": command[0], "seconds_to_notice": noticed, "seconds_to_answer": answered}
        rows.append({**named, "cpu_seconds": used, "met": met})
        if not options.json:
            times = f"notice {noticed:4.2f} s, answer {answered:5.2f} s, CPU {used:5.2f} s"
            print(f"{'met   ' if met else 'MISSED'} {times}: {command[0]}", flush=True)
    if options.json:
        print(json.dumps({"cores": os.cpu_count(), "load": os.getloadavg()[0], "rows": rows}))
    return 0 if options.json or all(row["met"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
