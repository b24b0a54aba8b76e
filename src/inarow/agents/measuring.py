"""What is proved and measured of each shipped agent, for its card.

Small boards are proved whole, boards of falling stones by every game against anyone. Elsewhere the
agent plays every baseline from varied openings (`lab.opening_match`), and the cube's endings are
judged by the solver (`lab.late_mistakes`).
"""

from __future__ import annotations

import hashlib
import time

from inarow.agents.making import train_command
from inarow.engine.streams import EVALUATION, make_stream
from inarow.game import Game
from inarow.game import game as game_of
from inarow.lab.anyone import certify_against_anyone
from inarow.lab.certify import GraphCertificate, certify
from inarow.lab.late_mistakes import endings_reached, judge_late, own_games
from inarow.lab.move_values import quick_depth
from inarow.lab.opening_match import match_from_openings
from inarow.lab.player_protocols import bind_player
from inarow.lab.players import agent_mcts, player, rule_players_for
from inarow.lab.shipped import ShippedAgent
from inarow.learn.saved import read_header

PROVED_WHOLE = 16  # cells of boards that are proved as a graph
PUBLISHED = ("benchmark", "combined", "advanced")  # opponents of the published tests
SEED = 8  # of openings that nothing was chosen by
CHOOSING_SEED = 1  # of the openings of the trials by which agents were chosen
Measured = dict[str, object]


def describe(shipped: ShippedAgent) -> Measured:
    """What a file is and how it was made: new measurements are needed when this changes."""
    return {
        "player": shipped.name,
        "how": shipped.how,
        "bytes": shipped.path.stat().st_size,
        "sha256": hashlib.sha256(shipped.path.read_bytes()).hexdigest(),
        "command": shipped.command,
        "train_command": train_command(read_header(shipped.path)),
    }


def prove(shipped: ShippedAgent) -> Measured | None:
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
) -> Measured:
    """Games against a baseline from varied openings."""
    found = match_from_openings(
        game_of(shipped.game), player(shipped.name), player(opponent), pairs, seed, seconds
    )
    return {**found.as_json(), "seed": seed}


def judge_endings(shipped: ShippedAgent, games: int) -> Measured:
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
