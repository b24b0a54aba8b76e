"""The agents that come with the package, each described once: how it is made and how it plays.

`inarow agents make GAME` follows the description, the player `shipped:GAME` plays the file, and
docs/agents says what was proved or measured of it. `best` chooses among them (`move_values`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from inarow.game import Game, InputError
from inarow.game import game as game_of
from inarow.learn.agent import LearnedAgent
from inarow.learn.options import OptionValue
from inarow.learn.saved import SUFFIX

if TYPE_CHECKING:
    from inarow.lab.player_protocols import AnyPlayer
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

    @property
    def name(self) -> str:
        """Its player's."""
        return f"shipped:{self.game}"

    @property
    def path(self) -> Path:
        """Its file."""
        plain = self.game.replace(":", "-").replace("^", "-")
        return FOLDER / f"{self.learner}-{plain}{SUFFIX}"

    @property
    def command(self) -> str:
        """The command that makes it, training and all."""
        return f"inarow agents make {self.game}"

    @property
    def how(self) -> str:
        """How it plays, in words."""
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


def shipped_agent(name: str | Game) -> ShippedAgent:
    """The agent of a game."""
    found = SHIPPED.get(game_of(name).name)
    if found is None:
        raise InputError(
            f"no agent for {game_of(name).name} comes with the package: those are for "
            f"{', '.join(SHIPPED)}"
        )
    return found


@lru_cache(maxsize=4)
def load_shipped(game: str) -> LearnedAgent:
    """What the agent of a game has learned, without search."""
    agent = LearnedAgent.load(SHIPPED[game].path)
    agent.name = SHIPPED[game].name
    return agent


def shipped_player(game: str) -> AnyPlayer:
    """The agent of a game with the search that it plays with."""
    shipped = shipped_agent(game)
    found: AnyPlayer = load_shipped(shipped.game)
    if shipped.stones is not None and not shipped.simulations:
        return _with_endgame(shipped, 1, shipped.name)
    if shipped.simulations:
        from inarow.search.mcts import Mcts

        assert isinstance(found, LearnedAgent)
        found = Mcts(shipped.simulations, "tree", found)
        found.name = shipped.name
    if shipped.stones is not None:
        from inarow.search.late_solver import LateSolver

        found = LateSolver(found, shipped.stones)
        found.name = shipped.name
    if shipped.strategy:
        from inarow.search.with_strategy import WithStrategy

        found = WithStrategy(found)
        found.name = shipped.name
    return found


def ntuple_named(name: str) -> Endgame:
    """The agent of 6x7 by the name `ntuple`, or `ntuple:DEPTH`, which looks ahead before."""
    match = re.fullmatch(r"ntuple(?::([0-9]{1,2}))?", name)
    if match is None:
        raise InputError(f"{name!r} is not a player: write ntuple, or ntuple:DEPTH as in ntuple:6")
    return _with_endgame(SHIPPED[CONNECT_FOUR], int(match[1] or 1), name)


def _with_endgame(shipped: ShippedAgent, depth: int, name: str) -> Endgame:
    """An n-tuple network that looks so many moves ahead, then plays exactly."""
    from inarow.learn.ntuple.agent import NTupleAgent
    from inarow.search.endgame import Endgame

    network = load_shipped(shipped.game)
    assert isinstance(network, NTupleAgent)
    assert shipped.stones is not None
    agent = Endgame(network.searching(depth), shipped.stones)
    agent.name = name
    return agent


def searched_depth(shipped: AnyPlayer) -> int:
    """How many moves an agent named `ntuple` looks ahead before it searches to the end."""
    from inarow.learn.ntuple.agent import NTupleAgent
    from inarow.search.endgame import Endgame

    assert isinstance(shipped, Endgame)
    assert isinstance(shipped.player, NTupleAgent)
    return shipped.player.depth
