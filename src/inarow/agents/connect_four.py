"""The agent `ntuple` of connect4:6x7: a learned network that wins every game it begins.

`inarow agents make` trains it, or takes the games against itself from a run, rounds the
weights to 8 bits and corrects them until it makes no mistake before it searches to the end
(`correcting`). `inarow agents measure ntuple` enumerates all of its games, on both sides and for
the networks before it, and stores what comes out; docs/agents/ntuple-6x7.md is made of that.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TypedDict

from inarow.agents.correcting import Round, correct
from inarow.engine.contest import CompiledPlayer
from inarow.engine.streams import EVALUATION, make_stream
from inarow.game import InputError, Position
from inarow.game import game as game_of
from inarow.lab.against_perfect import random_positions
from inarow.lab.anyone import certify_against_anyone
from inarow.lab.players import SHIPPED_NTUPLE, SHIPPED_STONES, bind_player, player
from inarow.lab.training import Run, continue_training, load_run
from inarow.learn.arrays import from_small, to_small
from inarow.learn.learner import options_of
from inarow.learn.ntuple.agent import NTupleAgent
from inarow.learn.registry import learner
from inarow.learn.saved import Header, read_agent, write_agent
from inarow.search.endgame import Endgame

GAME, OWN_GAMES, OWN_SEED = "connect4:6x7", 4_000_000, 20
TIMED = 100  # positions of each number of stones

Report = Callable[[str], None]


def make(
    path: Path | None = None,
    out: Path = SHIPPED_NTUPLE,
    stones: int = SHIPPED_STONES,
    report: Report = print,
) -> None:
    """Corrects the agent of a run, or of the shipped one, and writes what it plays with.

    It makes no mistake before so many stones, from which it is to search to the end.
    """
    if path is None:
        report(f"playing {OWN_GAMES:,} games against itself")
        run = Run(GAME, "ntuple", None, None, OWN_SEED)
        continue_training(run, OWN_GAMES)
    else:
        run = load_run(path)
    if not isinstance(run.agent, NTupleAgent) or run.game != game_of(GAME):
        raise InputError(f"{path} is not a run of ntuple on {GAME}")

    def tell(found: Round) -> None:
        report("{positions:,} positions, {mistakes:,} mistakes, {steps:,} steps".format(**found))

    corrections, rounds = correct(run.agent, stones, tell)
    run.export(out, small=True)
    header, arrays = read_agent(out)
    (name,) = (name for name in arrays if name != "counts")
    write_agent(out, header, {**arrays, name: to_small(corrections.weights)})
    report(f"{len(rounds)} rounds: {out}")


def before(path: Path) -> dict[str, CompiledPlayer]:
    """The players that led to the agent, by name, from the run that it was made of."""
    network = load_run(path).agent
    if not isinstance(network, NTupleAgent):
        raise InputError(f"{path} must hold an n-tuple network")
    small = NTupleAgent(network.game, network.features, from_small(to_small(network.weights)))
    return {
        "the network as it has learned, without search": network,
        f"searching to the end from {SHIPPED_STONES} stones": Endgame(small, SHIPPED_STONES),
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
    file = SHIPPED_NTUPLE if name == "ntuple" else Path(agent.player.name)
    sides = certify_against_anyone(agent, GAME).sides
    report(f"{name}: {sides['first'].result} as first, {sides['second'].result} as second")
    earlier = []
    for text, found in before(path).items() if path is not None else ():
        walked = certify_against_anyone(found, GAME, ("first",), count_all=True)
        earlier.append({"player": text, **walked.sides["first"].as_json()})
        report(f"{text}: {walked.sides['first'].text}")
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


def train_command(header: Header) -> str:
    """The command that makes the run."""
    usual, given = learner(header.learner), header.options
    changed = {n: given[n] for n, value in options_of(usual).items() if given[n] != value}
    settings = "".join(f" --set '{name}={value}'" for name, value in changed.items())
    return (
        f"inarow train {header.game} {header.learner} --games {header.games} --seed {header.seed}"
        f"{settings} --out run.safetensors"
    )
