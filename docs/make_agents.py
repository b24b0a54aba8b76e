"""Measures the shipped agents, into docs/results/agents.json: `make pages` makes their cards of it.

    nice python docs/make_agents.py [GAME ...] [--pairs 20] [--seconds 5]
    nice python docs/make_agents.py GAME --against mcts:10000 --pairs 200 --seconds 600 --again

It can be stopped and goes on where it was: what is measured of a file stays until that file, or
how it plays, is another. Games whose openings also chose the agent are played anew; with --again
so are matches of fewer games than are wanted now.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from inarow.agents.measuring import (
    CHOOSING_SEED,
    SEED,
    describe,
    field_of,
    judge_endings,
    play_field,
    prove,
    time_moves,
)
from inarow.game import game as game_of
from inarow.game.files import write_whole
from inarow.lab.machine import made_with
from inarow.lab.players.shipped import CONNECT_FOUR, SHIPPED, ShippedAgent

RESULTS = Path(__file__).parent / "results" / "agents.json"
JUDGED = {"cube": 40}  # games whose endings are judged


def stored() -> dict[str, Any]:
    """What is known so far, by game."""
    return json.loads(RESULTS.read_text())["games"] if RESULTS.exists() else {}


def store(game: str, found: dict[str, Any]) -> None:
    """Writes what is known of a game, and keeps what others have stored."""
    kept = {**stored(), game: found}
    ordered = {game: kept[game] for game in SHIPPED if game in kept}
    content = {"command": "python docs/make_agents.py", "made_with": made_with(), "games": ordered}
    write_whole(RESULTS, (json.dumps(content, indent=1) + "\n").encode())


def is_missing(row: dict[str, Any] | None, given: argparse.Namespace) -> bool:
    """Whether a match is to be played."""
    if row is None or row["seed"] == CHOOSING_SEED:
        return True
    return given.again and row["games"] < 2 * given.pairs


def measure(shipped: ShippedAgent, given: argparse.Namespace) -> None:
    """What is not known yet of an agent."""
    about = describe(shipped)
    found = stored().get(shipped.game, {})
    if {name: found.get(name) for name in about} != about:
        found = {**about}

    def note(name: str, value: object) -> None:
        found[name] = value
        store(shipped.game, found)
        if name != "field":
            print(shipped.game, name, value, flush=True)

    if "proof" not in found and shipped.game != CONNECT_FOUR:  # that one has a card of its own
        note("proof", prove(shipped))
    if "seconds" not in found:
        note("seconds", time_moves(shipped))
    if shipped.game in JUDGED and "endings" not in found:
        note("endings", judge_endings(shipped, JUDGED[shipped.game]))
    if game_of(shipped.game).cells <= 25:
        return  # proved as both players
    opponents = field_of(game_of(shipped.game))
    for opponent in given.against or opponents:
        field = found.get("field", {})
        if is_missing(field.get(opponent), given):
            row = play_field(shipped, opponent, given.pairs, given.seconds, given.seed)
            before = field.get(opponent)
            if before is not None and before["seed"] != CHOOSING_SEED:  # shorter, but no secret
                row["earlier"] = [*before.pop("earlier", []), before]
            field = {**field, opponent: row}
            note("field", {name: field[name] for name in opponents if name in field})
            print(shipped.game, row, flush=True)


def main() -> None:
    """Measures the agents of the games that are named, or of all."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("games", nargs="*", metavar="GAME")
    arguments.add_argument("--pairs", type=int, default=20, help="of games against each baseline")
    arguments.add_argument("--seconds", type=float, default=5, help="CPU time for each at most")
    arguments.add_argument("--against", nargs="*", metavar="PLAYER", help="these baselines only")
    arguments.add_argument("--seed", type=int, default=SEED, help="of openings that chose nothing")
    arguments.add_argument("--again", action="store_true", help="too short matches anew")
    given = arguments.parse_args()
    for name in given.games or SHIPPED:
        measure(SHIPPED[name], given)


if __name__ == "__main__":
    main()
