"""Measures how far apart the strengths of opponents are, into docs/results/strengths.json.

    python docs/make_strengths.py [--games 200] [GAME ...]
    python docs/make_strengths.py --place [--games 200] GAME

The first plays matches between neighbours. The second says which settings would be evenly apart in
a game: it goes from the weakest to the strongest in small steps, adds up the differences, and
prints eight settings with equal steps between them, as `search/strengths.py` holds them.
"""

from __future__ import annotations

import argparse
import json
import math
from itertools import pairwise
from pathlib import Path

import numpy as np

import inarow
from inarow.engine.board import tables_of
from inarow.lab.machine import made_with
from inarow.lab.statistics import wilson
from inarow.search import strengths
from inarow.search.strengths import PlayerOfStrength, Strength, farthest, strengths_for
from inarow.web.opponents import LEVELS

RESULTS = Path(__file__).parent / "results" / "strengths.json"
GAMES = ("connect4:6x7", "cube", "qubic", "mnk:15x15x5")
STEPS = 18  # from the weakest to the strongest
WEAKEST, STRONGEST = 2200.0, 12.0  # by how much they misjudge


def elo(score: float) -> int:
    """The difference in rating that a score means."""
    bounded = min(max(score, 1e-3), 1 - 1e-3)
    return round(400 * math.log10(bounded / (1 - bounded)))


class Sample(PlayerOfStrength):
    """A player of other settings than those of a level."""

    def __init__(self, settings: Strength) -> None:
        super().__init__(1)
        self.settings = settings
        self.name = f"{settings}"


def measure(name: str, games: int) -> dict[str, object]:
    """The scores of all strengths against the next lower one."""
    rows = list[dict[str, object]]()
    for low, high in pairwise(strengths.NUMBERS):
        total = inarow.match(name, f"strength:{high}", f"strength:{low}", games, high).total
        interval = [elo(end) for end in wilson(total.score * games, games)]
        row = {"strength": high, "against": low, "elo": elo(total.score), "interval": interval}
        rows.append(row)
        print(name, row, flush=True)
    tables = tables_of(inarow.game(name))
    settings = [list(vars(one).values()) for one in strengths_for(tables).values()]
    return {"games": games, "settings": settings, "neighbours": rows}


def place(name: str, games: int) -> None:
    """Prints settings with equal steps between them."""
    deepest = farthest(tables_of(inarow.game(name)))
    path, sums = list[Strength](), [0.0]
    for share in np.linspace(0, 1, STEPS):
        noise = WEAKEST * (STRONGEST / WEAKEST) ** share
        depth = min(deepest, next((d for d, end in DEPTHS.items() if share < end), deepest))
        path.append(Strength(depth, round(noise), round(min(1.0, 0.1 + 1.8 * share), 2)))
    for low, high in pairwise(path):
        score = inarow.match(name, Sample(high), Sample(low), games, len(sums)).total.score
        sums.append(sums[-1] + elo(score))
        print(f"{high}: {sums[-1]:+.0f}", flush=True)
    rising = np.maximum.accumulate(sums)
    for wanted in np.linspace(0, rising[-1], len(strengths.NUMBERS)):
        print(path[int(np.argmin(np.abs(rising - wanted)))])


DEPTHS = {1: 0.45, 2: 0.62, 4: 0.8, 6: 0.93}  # how far, up to which share of the way


def table() -> str:
    """What was measured, as a table of a page."""
    stored = json.loads(RESULTS.read_text(encoding="utf-8"))["games"]
    steps = [f"{low}-{high}" for low, high in pairwise(strengths.NUMBERS)]
    lines = [f"| game | {' | '.join(steps)} | games each |"]
    lines.append("| :-- |" + " --: |" * (len(steps) + 1))
    for name, found in stored.items():
        cells = [
            f"{row['elo']} ({row['interval'][0]} to {row['interval'][1]})"
            for row in found["neighbours"]
        ]
        lines.append(f"| `{name}` | {' | '.join(cells)} | {found['games']} |")
    return "\n".join(lines)


def offered() -> str:
    """How far apart the levels are that people are offered, as a table of a page.

    A step's differences are added up, and their errors with them as independent ones.
    """
    stored = json.loads(RESULTS.read_text(encoding="utf-8"))["games"]
    steps = [*pairwise(LEVELS.items())]
    lines = [f"| game | {' | '.join(f'{low} to {high}' for (low, _), (high, _) in steps)} |"]
    lines.append("| :-- |" + " --: |" * len(steps))
    for name, found in stored.items():
        cells = []
        for (_, low), (_, high) in steps:
            rows = [row for row in found["neighbours"] if low < row["strength"] <= high]
            total = sum(row["elo"] for row in rows)
            error = math.hypot(*((row["interval"][1] - row["interval"][0]) / 2 for row in rows))
            cells.append(f"{total} ({total - error:.0f} to {total + error:.0f})")
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Measures the games that are named, and keeps what was measured of others."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("games", nargs="*", metavar="GAME")
    arguments.add_argument("--games", dest="number", type=int, default=200)
    arguments.add_argument("--place", action="store_true")
    given = arguments.parse_args()
    if given.place:
        for name in given.games:
            place(name, given.number)
        return
    kept = json.loads(RESULTS.read_text(encoding="utf-8"))["games"] if RESULTS.exists() else {}
    for name in given.games or GAMES:
        kept[name] = measure(name, given.number)
        command = "python docs/make_strengths.py"
        content = {"command": command, "made_with": made_with(), "games": kept}
        RESULTS.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
