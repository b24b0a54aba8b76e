"""What is proved and measured of each shipped agent, for its card.

Small boards are proved whole, boards of falling stones by every game against anyone. Elsewhere the
agent plays every baseline from varied openings (`lab.matches.games`), and the cube's endings are
judged by the solver (`lab.certificates.by_solver`).

Of `ntuple`, which wins every game of connect4:6x7 that it begins, `inarow agents measure ntuple`
enumerates all games, on both sides and for the networks before it, and stores what comes out;
docs/agents/ntuple-6x7.md is made of that.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TypedDict

from inarow.agents.making import train_command
from inarow.engine.players import CompiledPlayer
from inarow.engine.streams import EVALUATION, make_stream
from inarow.game import Game, InputError, Position
from inarow.game import game as game_of
from inarow.lab.certificates.anyone import certify_against_anyone
from inarow.lab.certificates.by_solver import (
    endings_reached,
    judge_late,
    own_games,
    random_positions,
)
from inarow.lab.certificates.certify import GraphCertificate, certify
from inarow.lab.matches.games import match_from_openings
from inarow.lab.players.names import agent_mcts, player, rule_players_for
from inarow.lab.players.protocols import bind_player
from inarow.lab.players.shipped import CONNECT_FOUR as GAME
from inarow.lab.players.shipped import SHIPPED, SMALL, ShippedAgent
from inarow.lab.training.run import load_run
from inarow.lab.values.move_values import quick_depth
from inarow.learn.ntuple.agent import NTupleAgent
from inarow.learn.saved import from_small, read_agent, read_header, to_small
from inarow.search.endgame import Endgame

PROVED_WHOLE = 16  # cells of boards that are proved as a graph
PUBLISHED = ("benchmark", "combined", "advanced")  # opponents of the published tests
SEED = 8  # of openings that nothing was chosen by
CHOOSING_SEED = 1  # of the openings of the trials by which agents were chosen


def describe(shipped: ShippedAgent) -> dict[str, object]:
    """What a file is and how it was made: new measurements are needed when this changes."""
    return {
        "player": shipped.name,
        "how": shipped.how,
        "bytes": shipped.path.stat().st_size,
        "sha256": hashlib.sha256(shipped.path.read_bytes()).hexdigest(),
        "command": shipped.command,
        "train_command": train_command(read_header(shipped.path)),
    }


def prove(shipped: ShippedAgent) -> dict[str, object] | None:
    """What is proved of an agent of falling stones in a plane, or of a small board."""
    game = game_of(shipped.game)
    if game.cells <= PROVED_WHOLE:
        found = certify(player(shipped.name), game)
        assert isinstance(found, GraphCertificate)
        return {
            "kind": "graph",
            "unbeatable": found.unbeatable,
            "exploitability": found.exploitability,
            "mistakes": sum(side.mistakes_met for side in found.sides.values()),
            "met": sum(side.met for side in found.sides.values()),
        }
    if shipped.strategy:  # what `inarow book check` proves
        return {"kind": "strategy"}
    if not shipped.corrected:
        return None
    every_game = certify_against_anyone(player(shipped.name), game, shipped.corrected)
    sides = {side: proved.as_json() for side, proved in every_game.sides.items()}
    for counted in sides.values():
        del counted["by_stones"]
    return {"kind": "anyone", "sides": sides}


def field_of(game: Game) -> list[str]:
    """Every baseline of a game: the hardest first."""
    rules = rule_players_for(game)
    searching = ["mcts:10000", "minimax:4", f"minimax:{quick_depth(game)}@central", "minimax:2"]
    published = [name for name in (*PUBLISHED, "greedy-lines", "random") if name in rules]
    return list(dict.fromkeys([*searching, *published]))


def play_field(
    shipped: ShippedAgent, opponent: str, pairs: int, seconds: float, seed: int = SEED
) -> dict[str, object]:
    """Games against a baseline from varied openings."""
    found = match_from_openings(
        game_of(shipped.game), player(shipped.name), player(opponent), pairs, seed, seconds
    )
    return {**found.as_json(), "seed": seed}


def judge_endings(shipped: ShippedAgent, games: int) -> dict[str, object]:
    """Mistakes late in the game of what was learned and its tree search, without the solver."""
    game = game_of(shipped.game)
    searching = agent_mcts(player(shipped.name), f"mcts:{shipped.simulations}@tree")
    return judge_late(searching, game, endings_reached(game) or 0, games, SEED).as_json()


def time_moves(shipped: ShippedAgent, games: int = 2) -> dict[str, float]:
    """Mean and longest seconds of a move in games against itself."""
    game, taken = game_of(shipped.game), list[float]()
    bound = bind_player(player(shipped.name), game, make_stream(SEED, EVALUATION))
    for asked in own_games(player(shipped.name), game, games, SEED):
        for position, _ in asked[:: max(1, len(asked) // 10)]:
            start = time.process_time()
            bound.move(position)
            taken.append(time.process_time() - start)
    taken = taken[1:]  # the first compiles
    return {"mean": round(sum(taken) / len(taken), 4), "longest": round(max(taken), 4)}


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

    The agent is `ntuple`, the small one by its name, or a file that `make` wrote, as in
    FILE+endgame:STONES.
    """
    agent = player(name)
    if not isinstance(agent, Endgame) or not isinstance(agent.player, NTupleAgent):
        raise InputError(f"{name} must be ntuple, {SMALL.name}, or FILE+endgame:STONES")
    known = {"ntuple": SHIPPED[GAME], SMALL.name: SMALL}
    file = known[name].path if name in known else Path(agent.player.name)
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
