"""Measures how far apart the levels of play are, into docs/results/levels.json.

    python docs/make_levels.py [--games 200] [GAME ...]

On games that are small enough to be a graph, the odds between neighbours are exact; elsewhere they
play matches. `--fit GAME` prints shares for a small game with levels evenly apart, from a random
player to the strongest: what `lab/players/shipped.py` holds.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

import numpy as np

import inarow
from inarow.graph.graph import Graph, graph_of
from inarow.graph.odds import odds
from inarow.lab.machine import made_with
from inarow.lab.players.shipped import LEVELS, SHARES, Level, mixed_policy, share_of, strongest
from inarow.lab.statistics import wilson

RESULTS = Path(__file__).parent / "results" / "levels.json"
GRAPH_CELLS = 16


def elo(score: float) -> float:
    """The difference in rating that a score means."""
    return 400 * math.log10(score / (1 - score)) if 0 < score < 1 else math.copysign(999, score - 1)


def exact_score(graph: Graph, one: np.ndarray, other: np.ndarray) -> float:
    """The mean score of a policy against another, both sides played."""
    leading, following = odds(graph, one, other), odds(graph, other, one)
    first = float(leading.first) + float(leading.draw) / 2
    return (first + float(following.second) + float(following.draw) / 2) / 2


def fit(name: str) -> list[float]:
    """Shares whose neighbours are evenly apart, from 0 to 1."""
    graph = graph_of(name)

    def next_share(share: float, apart: float) -> float:
        low, high = 0.0, share
        for _ in range(14):
            middle = (low + high) / 2
            policies = [mixed_policy(graph, s) for s in (share, middle)]
            low, high = (
                (middle, high) if elo(exact_score(graph, *policies)) > apart else (low, middle)
            )
        return (low + high) / 2

    least, most = 0.0, 100.0
    for _ in range(9):
        apart = (least + most) / 2
        shares = [1.0]
        for _ in LEVELS[1:]:
            shares.append(next_share(shares[-1], apart))
        least, most = (least, apart) if shares[-1] < 0.01 else (apart, most)
    return [round(share, 3) for share in [*shares[:-1], 0.0]][::-1]


def measure(name: str, games: int) -> dict[str, object]:
    """The scores of all levels against the next lower one."""
    game = inarow.game(name)
    exact = game.cells <= GRAPH_CELLS
    rows = []
    for level in LEVELS[:0:-1]:
        row: dict[str, object] = {"level": level, "against": level - 1}
        if exact:
            graph = graph_of(game)
            policies = [Level(number).policies(graph)[0] for number in (level, level - 1)]
            score = exact_score(graph, *policies)
        else:
            total = inarow.match(game, f"level:{level}", f"level:{level - 1}", games, level).total
            score = total.score
            row["interval"] = [round(elo(end)) for end in wilson(score * games, games)]
        row |= {"score": round(score, 4), "elo": round(elo(score))}
        rows.append(row)
        print(name, row, flush=True)
    return {
        "strongest": strongest(game),
        "shares": [share_of(game, number) for number in LEVELS],
        "games": "exact" if exact else games,
        "neighbours": rows,
    }


def table() -> str:
    """What was measured, as a table of a page."""
    heads = [f"{level - 1}-{level}" for level in LEVELS[1:]]
    lines = [f"| game | {' | '.join(heads)} | |", "| :-- |" + " --: |" * len(heads) + " :-- |"]
    for name, found in json.loads(RESULTS.read_text())["games"].items():
        cells = [str(row["elo"]) for row in found["neighbours"][::-1]]
        how = "exact" if found["games"] == "exact" else f"{found['games']} games each"
        lines.append(f"| `{name}` | {' | '.join(cells)} | {how} |")
    return "\n".join(lines)


def main() -> None:
    """Measures the games that are named, and keeps what was measured of others."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("games", nargs="*", metavar="GAME")
    arguments.add_argument("--games", dest="number", type=int, default=200)
    arguments.add_argument("--fit", metavar="GAME")
    given = arguments.parse_args()
    if given.fit:
        print(fit(given.fit))
        return
    kept = json.loads(RESULTS.read_text())["games"] if RESULTS.exists() else {}
    for name in given.games or (*SHARES, "connect4:4x4"):
        kept[name] = measure(name, given.number)
        content = {"command": "python docs/make_levels.py", "made_with": made_with(), "games": kept}
        RESULTS.write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
