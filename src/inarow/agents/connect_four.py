"""The agent `ntuple` of connect4:6x7: a learned network that wins every game it begins.

`inarow agents make` makes it (`making`). `inarow agents measure ntuple` enumerates all of its
games, on both sides and for the networks before it, and stores what comes out;
docs/agents/ntuple-6x7.md is made of that.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TypedDict

from inarow.engine.contest import CompiledPlayer
from inarow.engine.streams import EVALUATION, make_stream
from inarow.game import InputError, Position
from inarow.game import game as game_of
from inarow.lab.against_perfect import random_positions
from inarow.lab.anyone import certify_against_anyone
from inarow.lab.player_protocols import bind_player
from inarow.lab.players import player
from inarow.lab.shipped import CONNECT_FOUR as GAME
from inarow.lab.shipped import SHIPPED
from inarow.lab.training import load_run
from inarow.learn.arrays import from_small, to_small
from inarow.learn.ntuple.agent import NTupleAgent
from inarow.learn.saved import read_agent
from inarow.search.endgame import Endgame

TIMED = 100  # positions of each number of stones

Report = Callable[[str], None]


def before(path: Path) -> dict[str, CompiledPlayer]:
    """The players that led to the agent, by name, from the run that it was made of."""
    network = load_run(path).agent
    if not isinstance(network, NTupleAgent):
        raise InputError(f"{path} must hold an n-tuple network")
    small = NTupleAgent(network.game, network.features, from_small(to_small(network.weights)))
    stones = SHIPPED[GAME].stones or 0
    return {
        "the network as it has learned, without search": network,
        f"searching to the end from {stones} stones": Endgame(small, stones),
    }


class Measured(TypedDict):
    """What is stored of an agent."""

    header: dict[str, object]
    bytes: int
    sha256: str
    stones: int
    weights: int
    zeros: int
    sides: dict[str, dict[str, object]]
    before: list[dict[str, object]]
    milliseconds: dict[str, float]


def measure(name: str, path: Path | None, report: Report = print) -> Measured:
    """Every game of an agent on both sides, of those before it as first, and time for a move.

    The agent is `ntuple`, or a file that `make` wrote, as in FILE+endgame:STONES.
    """
    agent = player(name)
    if not isinstance(agent, Endgame) or not isinstance(agent.player, NTupleAgent):
        raise InputError(f"{name} must be ntuple, or FILE+endgame:STONES")
    file = SHIPPED[GAME].path if name == "ntuple" else Path(agent.player.name)
    sides = certify_against_anyone(agent, GAME).sides
    report(f"{name}: {sides['first'].result} as first, {sides['second'].result} as second")
    earlier = []
    for text, found in before(path).items() if path is not None else ():
        certificate = certify_against_anyone(found, GAME, ("first",), count_all=True)
        earlier.append({"player": text, **certificate.sides["first"].as_json()})
        report(f"{text}: {certificate.sides['first'].text}")
    header, arrays = read_agent(file)
    weights = next(array for array_name, array in arrays.items() if array_name != "counts")
    return {
        "header": asdict(header),
        "bytes": file.stat().st_size,
        "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
        "stones": agent.stones,
        "weights": int(weights.size),
        "zeros": int((weights == 0).sum()),
        "sides": {side: found.as_json() for side, found in sides.items()},
        "before": earlier,
        "milliseconds": slowest_moves(agent),
    }


def slowest_moves(agent: CompiledPlayer, number: int = TIMED, seed: int = 1) -> dict[str, float]:
    """The longest that a move took in random positions, by stones on the board, all tables cold."""
    game, slowest = game_of(GAME), dict[str, float]()
    bind_player(agent, game, make_stream(seed, EVALUATION)).move(Position(game))  # compiles
    for stones in range(0, game.cells, 4):
        longest = 0.0
        for position in random_positions(game, stones, number, seed):
            fresh = bind_player(agent, game, make_stream(seed, EVALUATION))
            start = time.perf_counter()
            fresh.move(position)
            longest = max(longest, time.perf_counter() - start)
        slowest[str(stones)] = round(1000 * longest, 1)
    return slowest
