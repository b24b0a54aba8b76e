"""The agents that come with the package, and opponents of ten strengths made of the strongest.

Each agent is described once: how it is made and how it plays. `inarow agents make GAME` follows the
description, the player `shipped:GAME` plays the file, and docs/agents says what was proved or
measured of it. `best` chooses among them (`move_values`).

A level, `level:1` to `level:10`, plays the move of the strongest player that answers soon
(`strongest`: perfect where the game is solved, else a shipped agent or minimax), but each move is,
with the chance that belongs to the level, a random one instead. Level 10 makes no random moves: it
is the player `best`.

What chances make levels of equal distance depends on the game: how long it is, and how much a
single bad move costs. SHARES holds them for two games (`docs/make_levels.py` measures them, and
`docs/results/levels.json` is what it found): neighbours are about 100 Elo apart on 6x7.
Tic-tac-toe has less room, for perfect play leads random play by 470 Elo in all; its levels divide
that evenly, from a random player on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from inarow.engine.players import has_compiled_form, note_class
from inarow.engine.streams import Stream, below, make_stream, uniform
from inarow.game import Game, InputError, Position
from inarow.game import game as game_of
from inarow.game.position import require_unfinished
from inarow.graph.graph import Graph
from inarow.graph.odds import Policy
from inarow.lab.players.names import player
from inarow.lab.players.protocols import AnyPlayer, Player, bind_player, gives_policies
from inarow.learn.agent import LearnedAgent
from inarow.learn.options import OptionValue
from inarow.learn.saved import SUFFIX

if TYPE_CHECKING:
    from inarow.search.endgame import Endgame

FOLDER = Path(str(files("inarow.learn"))) / "agents"
CONNECT_FOUR = "connect4:6x7"  # whose agent has a name of its own, too: `ntuple`


@dataclass(frozen=True)
class ShippedAgent:
    """An agent of one game: what it learned with, what was corrected, what it plays with."""

    game: str
    learner: str
    games: int  # against itself
    seed: int
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    corrected: tuple[str, ...] = ()  # sides on which its mistakes were corrected until none is left
    stones: int | None = None  # from which it searches to the end
    simulations: int = 0  # of a tree search with its values, for each move
    strategy: bool = False  # whether it wins by the stored strategy and threats where that is known
    variant: str = ""  # of a game with another agent

    @property
    def key(self) -> str:
        """Its game, and which of its agents this is."""
        return f"{self.game}:{self.variant}" if self.variant else self.game

    @property
    def name(self) -> str:
        """Name of the player: shipped:GAME, or shipped:GAME:VARIANT."""
        return f"shipped:{self.key}"

    @property
    def path(self) -> Path:
        """Path of the weights file."""
        plain = self.key.replace(":", "-").replace("^", "-")
        return FOLDER / f"{self.learner}-{plain}{SUFFIX}"

    @property
    def command(self) -> str:
        """The command that makes it, training and all."""
        return f"inarow agents make {self.key}"

    @property
    def how(self) -> str:
        """How the agent plays, in words."""
        parts = [f"{self.learner}, {self.games:,} games against itself"]
        if self.simulations:
            parts.append(f"a tree search of {self.simulations:,} simulations with its values")
        if self.stones is not None:
            decided = " where the solver decides in time" if self.simulations else ""
            parts.append(f"exact play from {self.stones} stones on{decided}")
        if self.strategy:
            parts.append("the stored strategy and threat sequences before all")
        return "; ".join(parts)


SHIPPED = {
    agent.game: agent
    for agent in (
        ShippedAgent("tictactoe", "ntuple", 20_000, 0, {"tuples": 8, "length": 5}),
        ShippedAgent(
            "connect4:4x4", "ntuple", 300_000, 0, {"tuples": 30, "length": 6}, ("first", "second")
        ),
        ShippedAgent(
            "connect4:5x5",
            "ntuple",
            300_000,
            0,
            {"tuples": 40, "length": 6},
            ("first", "second"),
            stones=12,
        ),
        ShippedAgent(
            "connect4:6x6",
            "ntuple",
            500_000,
            0,
            {"tuples": 60, "length": 6},
            ("second",),
            stones=14,
        ),
        ShippedAgent("connect4:6x7", "ntuple", 4_000_000, 20, {}, ("first",), stones=20),
        ShippedAgent("cube", "line_td", 300_000, 0, simulations=10_000, stones=30),
        ShippedAgent(
            "qubic", "line_td", 100_000, 0, {"phases": 4}, simulations=5_000, strategy=True
        ),
        ShippedAgent("ntictactoe:3^3", "line_td", 200_000, 0, {"phases": 4}, simulations=10_000),
        ShippedAgent("ntictactoe:3^4", "line_td", 50_000, 0, {"phases": 4}, simulations=5_000),
        ShippedAgent("ntictactoe:3^5", "line_td", 5_000, 0, {"phases": 4}, simulations=1_000),
        ShippedAgent("mnk:15x15x5", "line_td", 30_000, 0, {"phases": 4}, simulations=5_000),
    )
}
# Small enough for pages that load it, and with the same proof.
SMALL = ShippedAgent(
    "connect4:6x7",
    "ntuple",
    500_000,
    1,
    {"tuples": 60, "length": 6},
    ("first",),
    stones=16,
    variant="small",
)
ALL = {agent.key: agent for agent in (*SHIPPED.values(), SMALL)}


def shipped_agent(name: str | Game) -> ShippedAgent:
    """Return the agent of a game, or of a game and a variant as in connect4:6x7:small."""
    if isinstance(name, str) and name in ALL:
        return ALL[name]
    found = SHIPPED.get(game_of(name).name)
    if found is None:
        raise InputError(
            f"no agent for {game_of(name).name} comes with the package: those are for "
            f"{', '.join(SHIPPED)}"
        )
    return found


@lru_cache(maxsize=4)
def load_shipped(key: str) -> LearnedAgent:
    """Return what an agent has learned, without search."""
    agent = LearnedAgent.load(ALL[key].path)
    agent.name = ALL[key].name
    return agent


def shipped_player(game: str) -> AnyPlayer:
    """Return the agent of a game with the search that it plays with."""
    shipped = shipped_agent(game)
    found: AnyPlayer = load_shipped(shipped.key)
    if shipped.stones is not None and not shipped.simulations:
        return _with_endgame(shipped, 1, shipped.name)
    if shipped.simulations:
        from inarow.search.mcts import Mcts

        assert isinstance(found, LearnedAgent)
        found = Mcts(shipped.simulations, "tree", found)
        found.name = shipped.name
    if shipped.stones is not None:
        from inarow.search.endgame import LateSolver

        assert has_compiled_form(found)
        found = LateSolver(found, shipped.stones)
        found.name = shipped.name
    if shipped.strategy:
        from inarow.search.decided import WithStrategy

        assert has_compiled_form(found)
        found = WithStrategy(found)
        found.name = shipped.name
    return found


def ntuple_named(name: str) -> Endgame:
    """Return the agent of 6x7 by the name `ntuple`, or `ntuple:DEPTH`, which looks ahead before."""
    match = re.fullmatch(r"ntuple(?::([0-9]{1,2}))?", name)
    if match is None:
        raise InputError(f"{name!r} is not a player: write ntuple, or ntuple:DEPTH as in ntuple:6")
    return _with_endgame(SHIPPED[CONNECT_FOUR], int(match[1] or 1), name)


def _with_endgame(shipped: ShippedAgent, depth: int, name: str) -> Endgame:
    """Return an n-tuple network that looks so many moves ahead, then plays exactly."""
    from inarow.learn.ntuple.agent import NTupleAgent
    from inarow.search.endgame import Endgame

    network = load_shipped(shipped.key)
    assert isinstance(network, NTupleAgent)
    assert shipped.stones is not None
    agent = Endgame(network.searching(depth), shipped.stones)
    agent.name = name
    return agent


def searched_depth(shipped: AnyPlayer) -> int:
    """Return how many moves an agent named `ntuple` looks ahead before it searches to the end."""
    from inarow.learn.ntuple.agent import NTupleAgent
    from inarow.search.endgame import Endgame

    assert isinstance(shipped, Endgame)
    assert isinstance(shipped.player, NTupleAgent)
    return shipped.player.depth


# Opponents of ten strengths.

LEVELS = range(1, 11)

# The chance with which each level plays the move of the strongest player.
SHARES: dict[str, tuple[float, ...]] = {
    "tictactoe": (0.0, 0.138, 0.267, 0.393, 0.514, 0.628, 0.733, 0.831, 0.919, 1.0),
    "connect4:6x7": (0.1, 0.2, 0.31, 0.425, 0.545, 0.665, 0.797, 0.872, 0.942, 1.0),
}
SMALL_CELLS = 16  # games of at most so many take the shares of tic-tac-toe, larger those of 6x7


def share_of(game: Game, number: int) -> float:
    """Return the chance with which a level plays the strongest player's move."""
    likest = "tictactoe" if game.cells <= SMALL_CELLS else "connect4:6x7"
    return SHARES.get(game.name, SHARES[likest])[number - 1]


def strongest(game: Game) -> str:
    """Return the name of the strongest player that answers soon."""
    from inarow.lab.values.move_values import default_opponent

    return default_opponent(game)


@note_class
class Level:
    """An opponent of one of ten strengths: `level:3`."""

    def __init__(self, number: int) -> None:
        if number not in LEVELS:
            raise InputError(f"level {number} must be between 1 and {LEVELS[-1]}")
        self.number, self.name = number, f"level:{number}"
        self._bound: dict[str, tuple[Player, Stream]] = {}

    def bind(self, game: Game, stream: Stream) -> Level:
        """Return the player with a stream of its own to draw from."""
        bound = Level(self.number)
        bound.name = self.name
        bound._bound[game.name] = _side(game, stream)
        return bound

    def move(self, position: Position) -> int | str:
        """Return the strongest player's move, or a random one."""
        require_unfinished(position)
        game = position.game
        if game.name not in self._bound:
            self._bound[game.name] = _side(game, make_stream(0))
        best, stream = self._bound[game.name]
        if uniform(stream) < share_of(game, self.number):
            return best.move(position)
        moves = position.legal_moves
        return moves[below(stream, len(moves))]

    def policies(self, graph: Graph) -> list[Policy]:
        """Return the chances of all moves of a graph."""
        return [mixed_policy(graph, share_of(graph.game, self.number))]

    def __repr__(self) -> str:
        return f"<player {self.name}>"


def mixed_policy(graph: Graph, share: float) -> Policy:
    """Return the strongest player's moves with that chance, else random ones."""
    best = player(strongest(graph.game))
    if not gives_policies(best):
        raise InputError(f"levels of {graph.game.name} state no policy: {best} moves in them")
    (policy,) = best.policies(graph)
    at_random = _normalised(graph, np.ones(graph.edges))
    return share * _normalised(graph, policy) + (1 - share) * at_random


def _side(game: Game, stream: Stream) -> tuple[Player, Stream]:
    """Return the strongest player, and the stream from which it and its random moves are drawn."""
    return bind_player(player(strongest(game)), game, stream), stream


def _normalised(graph: Graph, weights: Policy) -> Policy:
    """Return weights that add up to 1 in every position."""
    moves = np.diff(graph.edge_start)
    totals = np.add.reduceat(weights, graph.edge_start[:-1][moves > 0])
    normalised: Policy = weights / np.repeat(totals, moves[moves > 0])
    return normalised
