"""Compare random games with brute force for some minutes; each disagreement with its command.

python -m tests.attack --minutes 30 [--seed 1]     (`make attack MINUTES=30 SEED=1`)
python -m tests.attack --seed 1 --case 123 --check odds
"""

from __future__ import annotations

import argparse
import itertools
import random
import shlex
import sys
import time
from collections import Counter
from collections.abc import Iterable

from tests.attack.checks import CHECKS, disagreements
from tests.attack.drawing import Case

LARGEST = (9, 9, 9, 12, 12, 16, 25, 36, 64)  # cells of the boards that are drawn


def case_of(seed: int, number: int) -> Case:
    """The case with a number."""
    return Case(seed, number, random.Random(f"{seed} {number} cells").choice(LARGEST))


def attack(
    seed: int,
    numbers: Iterable[int],
    until: float,
    only: str | None = None,
    counts: Counter[tuple[str, str]] | None = None,
) -> int:
    """Compare cases until the time is over; return how many disagreements there were.

    How often each check was "asked", and "skipped", is printed, and added to `counts`.
    """
    counts = Counter() if counts is None else counts
    found = done = 0
    begun = last = time.monotonic()
    for number in numbers:
        case = case_of(seed, number)
        for text in disagreements(case, only, counts):
            found += 1
            name = shlex.quote(text.partition(" of ")[0])
            command = f"python -m tests.attack --seed {seed} --case {number} --check {name}"
            print(f"{text}\n    {command}", flush=True)
        done += 1
        now = time.monotonic()
        if now > last + 60:
            last = now
            print(f"{done:,} games in {now - begun:,.0f} s", file=sys.stderr, flush=True)
        if now > until:
            break
    for name in CHECKS if only is None else [only]:
        print(f"{name}: {counts[name, 'asked']:,} asked, {counts[name, 'skipped']:,} skipped")
    print(f"{done:,} games compared with brute force, seed {seed}: {found} disagreements")
    return found


def main() -> None:
    """Read the options."""
    parser = argparse.ArgumentParser(prog="python -m tests.attack", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=None, help="drawn if not given")
    parser.add_argument("--case", type=int, default=None, help="only this one")
    parser.add_argument("--check", choices=CHECKS, default=None, help="only this one")
    given = parser.parse_args()
    seed = random.SystemRandom().randrange(10**6) if given.seed is None else given.seed
    numbers = itertools.count() if given.case is None else [given.case]
    counts = Counter[tuple[str, str]]()
    found = attack(seed, numbers, time.monotonic() + 60 * given.minutes, given.check, counts)
    never = never_asked(counts) if given.case is None and given.check is None else []
    if never:
        print(f"never asked: {', '.join(never)}")
    sys.exit(found > 0 or bool(never))


def never_asked(counts: Counter[tuple[str, str]]) -> list[str]:
    """The checks that compared nothing in a whole run: it says nothing of what they are about."""
    return [name for name in CHECKS if not counts[name, "asked"]]


if __name__ == "__main__":
    main()
