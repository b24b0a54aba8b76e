"""Ends what a Ray cluster leaves behind when the program that started it is killed.

The system ends Ray's main processes together with that program, and they have no time to end
their own helpers, which go on for a minute. This program is started beside them, in a session of
its own. It writes down what Ray has started, waits for its input to end, which it does with the
program, however that ends, and then ends those who are still there. What else the program has
started is none of its business. It needs Linux's /proc, and imports nothing of inarow's, so that
it is small.
"""

import os
import select
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

LOOK_SECONDS = 1.0
GRACE_SECONDS = 3.0  # in which they may end by themselves


def started_by(ancestor: int) -> set[tuple[int, str]]:
    """The processes that descend from one, each with the time of its start."""
    parents, starts = dict[int, int](), dict[int, str]()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            parents[int(folder.name)], starts[int(folder.name)] = int(fields[1]), fields[19]
    found, new = set[int](), {ancestor}
    while new:
        new = {child for child, parent in parents.items() if parent in new} - found
        found |= new
    return {(child, starts[child]) for child in found - {os.getpid()}}


def started_for_ray(program: int, ray: bytes) -> set[tuple[int, str]]:
    """Ray's main processes, whose commands name its folder, and all that these have started."""
    found = set[tuple[int, str]]()
    for process in started_by(program):
        with suppress(OSError):
            if ray in Path(f"/proc/{process[0]}/cmdline").read_bytes():
                found |= {process} | started_by(process[0])
    return found


def is_there(process: tuple[int, str]) -> bool:
    """Whether it is still the same process: numbers are used again."""
    with suppress(OSError, IndexError):
        fields = Path(f"/proc/{process[0]}/stat").read_text().rpartition(")")[2].split()
        return fields[19] == process[1] and fields[0] != "Z"
    return False


def main(program: int, ray: str) -> None:
    """Waits for the end of a program, and ends what Ray, installed in that folder, has left."""
    known = set[tuple[int, str]]()
    while True:
        known = {process for process in known if is_there(process)}
        known |= started_for_ray(program, os.fsencode(ray))
        readable, _, _ = select.select([sys.stdin], [], [], LOOK_SECONDS)
        if readable and not os.read(sys.stdin.fileno(), 1):
            break
    time.sleep(GRACE_SECONDS)
    for process in known:
        if is_there(process):
            with suppress(OSError):
                os.kill(process[0], signal.SIGKILL)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
