"""Certificates: what can be proven of any player, in whatever game.

Where the game is small enough to be a graph everything is proven, by `graph.certificate`; where
the solver reaches, it is the judge (`against_perfect`); elsewhere a search may still find a game
that beats the player (`refute`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from inarow.engine.board import GOING_ON, Board, load, new_board
from inarow.engine.contest import choose
from inarow.engine.jit import jit
from inarow.engine.rules import RuleList
from inarow.engine.streams import EVALUATION, Stream, make_stream
from inarow.engine.tables import Int32s, Tables, Words, tables_of
from inarow.game import Game, InputError, Position
from inarow.game import game as game_of
from inarow.graph.certificate import SeatCertificate, certify_seat
from inarow.graph.graph import Graph, graph_of
from inarow.graph.odds import Odds, Policy, odds
from inarow.graph.policies import rule_policies
from inarow.graph.states import Int8s, Int16s, write_stones
from inarow.lab.against_perfect import SolverCertificate, certify_by_solver
from inarow.lab.players import RULE_PLAYERS, CompiledPlayer, RulePlayerByName, ask, name_of, player
from inarow.lab.refute import Refutations, refute
from inarow.search import bits

MAX_GRAPH_CELLS = 20  # larger boards are not tried as a graph
SEATS = ("first", "second")
Progress = Callable[[float], None]  # called with the share of the work that is done


@dataclass(frozen=True)
class GraphCertificate:
    """What is proven of a player of a small game."""

    game: Game
    player: str
    seats: dict[str, SeatCertificate]  # as first, as second
    odds: dict[str, dict[str, Odds]]  # against each rule player, by the seat of the one certified

    @property
    def unbeatable(self) -> bool:
        """Whether no opponent and no dice beat it, in either seat."""
        return all(seat.unbeatable for seat in self.seats.values())

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "game": self.game.name,
            "player": self.player,
            "provable": True,
            "unbeatable": self.unbeatable,
            "seats": {
                name: {**asdict(seat), "converts": seat.converts}
                for name, seat in self.seats.items()
            },
            "odds": {
                name: {
                    seat: dict(zip(("win", "draw", "loss"), _own(seat, result), strict=True))
                    for seat, result in seats.items()
                }
                for name, seats in self.odds.items()
            },
        }


def _own(seat: str, result: Odds) -> list[float]:
    """Win, draw and loss of the one in the seat."""
    ends = [float(result.first), float(result.draw), float(result.second)]
    return ends if seat == "first" else ends[::-1]


def certify_on_graph(
    some_player: Any, game: Game, progress: Progress = lambda share: None
) -> GraphCertificate:
    """Proves all there is to prove of a player of a small game."""
    graph = graph_of(game)
    policies = policies_of(some_player, graph, progress)
    seats = {name: certify_seat(graph, policies, seat) for seat, name in enumerate(SEATS)}
    return GraphCertificate(game, name_of(some_player), seats, _odds_against_all(graph, policies))


def _odds_against_all(graph: Graph, policies: list[Policy]) -> dict[str, dict[str, Odds]]:
    """The odds against each rule player: the mean, where either of them draws one of several."""
    known: dict[RuleList, dict[str, Odds]] = {}  # a variant may be a player of its own, too
    against = {}
    for name, entry in RULE_PLAYERS.items():
        variants = [RuleList((rules,), entry.rules.scan) for rules in entry.rules.variants]
        for rules in variants:
            if rules not in known:
                (other,) = rule_policies(graph, rules)
                known[rules] = {
                    "first": _mean([odds(graph, own, other) for own in policies]),
                    "second": _mean([odds(graph, other, own) for own in policies]),
                }
        against[name] = {seat: _mean([known[rules][seat] for rules in variants]) for seat in SEATS}
    return against


def _mean(results: list[Odds]) -> Odds:
    number = len(results)
    return Odds(
        sum(r.first for r in results) / number,
        sum(r.draw for r in results) / number,
        sum(r.second for r in results) / number,
    )


def policies_of(
    some_player: Any, graph: Graph, progress: Progress = lambda share: None
) -> list[Policy]:
    """A player as policies of a graph.

    Rule players, and players with a method `policies(graph)`, say every move they may choose.
    Any other is asked once in each position, and that move is taken as its only one.
    """
    if isinstance(some_player, RulePlayerByName):
        return rule_policies(graph, some_player.rules)
    if hasattr(some_player, "policies"):
        return list(some_player.policies(graph))
    if isinstance(some_player, CompiledPlayer):
        return [_ask_compiled(some_player, graph, progress)]
    return [_ask_in_python(some_player, graph, progress)]


def _ask_compiled(some_player: CompiledPlayer, graph: Graph, progress: Progress) -> Policy:
    tables = tables_of(graph.game)
    board, arrays = new_board(tables), some_player.compiled(tables)
    stones = np.zeros(graph.game.cells, dtype=np.int8)
    policy, stream = np.zeros(graph.edges), make_stream(0, EVALUATION)
    size = max(1, graph.positions // 200)
    for start in range(0, graph.positions, size):
        _ask(
            tables, board, arrays, stream, stones, graph.first, graph.second, graph.state,
            graph.edge_start, graph.move, start, min(start + size, graph.positions), policy,
        )  # fmt: skip
        progress(min(1.0, (start + size) / graph.positions))
    return policy


@jit
def _ask(
    tables: Tables,
    board: Board,
    some_player: Any,
    stream: Stream,
    stones: Int8s,
    first: Words,
    second: Words,
    state: Int8s,
    edge_start: Int32s,
    move: Int16s,
    start: int,
    end: int,
    policy: Policy,
) -> None:
    """Weight 1 for the move that the player chooses, in positions `start` to `end`."""
    for position in range(start, end):
        if state[position] != GOING_ON:
            continue
        write_stones(tables.cells, first[position], second[position], stones)
        load(tables, board, stones)
        chosen = choose(tables, board, some_player, stream) % tables.columns
        for edge in range(edge_start[position], edge_start[position + 1]):
            if move[edge] == chosen:
                policy[edge] = 1.0


def _ask_in_python(some_player: Any, graph: Graph, progress: Progress) -> Policy:
    policy, asked = np.zeros(graph.edges), np.zeros(graph.positions, dtype=bool)
    position, open_positions = Position(graph.game), int(np.count_nonzero(graph.state == GOING_ON))
    done = 0

    def visit(number: int) -> None:
        nonlocal done
        asked[number] = True
        if graph.state[number] != GOING_ON:
            return
        edges = range(int(graph.edge_start[number]), int(graph.edge_start[number + 1]))
        chosen = ask(some_player, position)
        policy[next(e for e in edges if graph.move[e] == chosen)] = 1.0
        done += 1
        progress(done / open_positions)
        for edge in edges:
            if not asked[graph.child[edge]]:
                position.push(int(graph.move[edge]))
                visit(int(graph.child[edge]))
                position.pop()

    visit(0)
    return policy


def _is_graph(game: Game) -> bool:
    try:
        graph_of(game)
    except InputError:
        return False
    return True


def certify(
    some_player: Any,
    game: str | Game | None = None,
    positions: int = 20,
    games: int = 40,
    seed: int = 0,
    progress: Progress = lambda share: None,
) -> GraphCertificate | SolverCertificate | Refutations:
    """What can be proven of a player; a saved agent knows its game.

    A game small enough is proven whole. Where the solver reaches, the player is measured on
    `positions` seeded positions of each number of stones and in `games` games against perfect
    play. Elsewhere nothing can be proven, and a search looks for a game that beats the player.
    """
    some_player = player(some_player)
    chosen = game if game is not None else getattr(some_player, "game", None)
    if chosen is None:
        raise InputError("say in which game the player is to be certified")
    chosen = game_of(chosen)
    if chosen.cells <= MAX_GRAPH_CELLS and _is_graph(chosen):
        return certify_on_graph(some_player, chosen, progress)
    if bits.fits(chosen):
        return certify_by_solver(some_player, chosen, positions, games, seed, progress)
    return refute(some_player, chosen, seed)
