"""What every learned agent is: a player of one game, and of no other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from pathlib import Path

import numpy as np

from inarow.engine.board import Board, Cells, load, new_board
from inarow.engine.bound_player import MovesFromCompiled
from inarow.engine.contest import PlayerArrays
from inarow.engine.jit import inline
from inarow.engine.streams import Stream
from inarow.engine.tables import Tables, same_tables, tables_of
from inarow.game import Game, InputError, Position
from inarow.game import game as game_of
from inarow.game.memory import machine_bytes
from inarow.graph.graph import Graph
from inarow.graph.odds import Policy
from inarow.graph.policies import compiled_policy
from inarow.learn.arrays import Arrays
from inarow.learn.saved import Header, read_agent, write_agent
from inarow.learn.weights import Weights

CellValues = tuple[Cells, Weights]  # cells, and the value of each


@inline
def begin_alike(player: PlayerArrays, stream: Stream) -> None:
    """What players do before a game, if every game of theirs begins alike: nothing."""


class LearnedAgent(MovesFromCompiled, ABC):
    """A player that was learned. Its numbers mean something in its own game only."""

    header: Header | None = None  # what made it
    arrays: Arrays | None = None  # what a file of it holds

    def __init__(self, name: str, game: Game) -> None:
        self.name, self.game = name, game

    def compiled(self, tables: Tables) -> PlayerArrays:
        """The agent for compiled loops of its game; any other game is refused."""
        if not same_tables(tables, tables_of(self.game)):
            raise InputError(f"{self.name} plays {self.game.name} only")
        return self.arrays_for(tables)

    @abstractmethod
    def arrays_for(self, tables: Tables) -> PlayerArrays:
        """The agent as a tuple of arrays, one for each loop."""

    @abstractmethod
    def values(self, position: Position) -> dict[int, float]:
        """The value of each move for the side to move; the higher the better."""

    def policies(self, graph: Graph) -> list[Policy]:
        """The moves that it may choose in every position of its game's graph."""
        self.check_game(graph.game)
        return [compiled_policy(graph, self.compiled(tables_of(self.game)))]

    def check_game(self, game: Game) -> None:
        """Refuses another game than its own."""
        if game != self.game:
            raise InputError(f"{self.name} plays {self.game.name}, not {game.name}")

    def save(self, path: str | Path) -> None:
        """Writes what it takes to play with it; `Run.save` writes what it takes to train on."""
        if self.header is None or self.arrays is None:
            raise InputError(f"{self.name} was not made by a run, so it cannot be saved")
        write_agent(Path(path), self.header, self.arrays)

    @staticmethod
    def load(path: str | Path) -> LearnedAgent:
        """The agent that a file holds. Its learner is one that is known here (`registry`)."""
        return agent_of(*read_agent(Path(path)), str(path))


def agent_of(header: Header, arrays: Arrays, name: str) -> LearnedAgent:
    """The player that was saved under a name. Whom it learned from is not looked up."""
    from inarow.learn.learner import check_fits, check_size, saved_agent
    from inarow.learn.registry import learner as learner_of

    try:
        learner = learner_of(header.learner, header.options)
        check_fits(learner, header, arrays)  # before anything is made of it
        game = game_of(header.game)
        check_size(learner, game, header.seed, machine_bytes(), ", all that this machine has")
        agent = saved_agent(learner, header, arrays)
    except InputError as error:
        raise InputError(f"{name} cannot be used: {error}") from None
    agent.header = replace(header, resumable=False)
    return agent


class BoardAgent(LearnedAgent):
    """An agent that looks at a board."""

    def values(self, position: Position) -> dict[int, float]:
        """The value of each move, whatever rules are applied before the choice."""
        self.check_game(position.game)
        if position.outcome is not None:
            return {}
        tables = tables_of(self.game)
        board = new_board(tables)
        load(tables, board, np.array(position.stones, dtype=np.int8))
        cells, values = self.values_on(tables, board)
        moves = (cells.astype(np.int64) % tables.columns).tolist()
        return dict(sorted(zip(moves, values.tolist(), strict=True)))

    @abstractmethod
    def values_on(self, tables: Tables, board: Board) -> CellValues:
        """The open cells of a board, and the value of each."""
