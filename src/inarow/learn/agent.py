"""What every learned agent is: a player of one game, and of no other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, Protocol, cast

import numpy as np

from inarow.engine.board import (
    OPEN,
    PLY,
    Board,
    Cells,
    Int64s,
    Tables,
    load,
    new_board,
    reward_of_lines,
    same_tables,
    tables_of,
)
from inarow.engine.jit import dispatch_by_type, inline, jit, mark_no_inline, no_inline
from inarow.engine.players import MovesFromCompiled, PlayerArrays, register_player
from inarow.engine.players import MoveWeights as MoveWeights
from inarow.engine.rules import Rule, ordered_cells, rules_in
from inarow.engine.streams import Stream
from inarow.game import Game, InputError, Position
from inarow.game import game as game_of
from inarow.game.files import machine_bytes
from inarow.graph.graph import Graph
from inarow.graph.odds import Policy
from inarow.graph.policies import compiled_policy
from inarow.learn.layers import Weights
from inarow.learn.options import Numbers, one_of, option
from inarow.learn.saved import Arrays, Header, read_agent, write_agent

CellValues = tuple[Cells, Weights]  # cells, and the value of each


@inline
def begin_alike(player: PlayerArrays, stream: Stream) -> None:
    """Prepare nothing before a game: every game of such a player begins alike."""


class LearnedAgent(MovesFromCompiled, ABC):
    """A player that was learned. Its numbers mean something in its own game only."""

    header: Header | None = None  # what made it
    arrays: Arrays | None = None  # what a file of it holds

    def __init__(self, name: str, game: Game) -> None:
        self.name, self.game = name, game

    def __repr__(self) -> str:
        made = self.header
        if made is None:
            return f"<agent {self.name} for {self.game.name}>"
        whom = f"against {made.against}" if made.against else "against itself"
        said = f"{made.learner} for {made.game}, {made.games:,} games {whom}, seed {made.seed}"
        return f"<agent {said}>" if self.name == made.learner else f"<agent {self.name}: {said}>"

    def compiled(self, tables: Tables) -> PlayerArrays:
        """Return the agent for compiled loops of its game; any other game is refused."""
        if not same_tables(tables, tables_of(self.game)):
            raise InputError(f"{self.name} plays {self.game.name} only")
        return self.arrays_for(tables)

    @abstractmethod
    def arrays_for(self, tables: Tables) -> PlayerArrays:
        """Return the agent as a tuple of arrays, one for each loop."""

    @abstractmethod
    def values(self, position: Position) -> dict[int, float]:
        """Return the value of each move for the side to move; the higher the better."""

    def policies(self, graph: Graph) -> list[Policy]:
        """Return the moves that it may choose in every position of its game's graph."""
        self.check_game(graph.game)
        return [compiled_policy(graph, self.compiled(tables_of(self.game)))]

    def check_game(self, game: Game) -> None:
        """Raise InputError for another game than the agent's own."""
        if game != self.game:
            raise InputError(f"{self.name} plays {self.game.name}, not {game.name}")

    def save(self, path: str | Path) -> None:
        """Write what it takes to play with the agent; `Run.save` writes what training needs."""
        if self.header is None or self.arrays is None:
            raise InputError(f"{self.name} was not made by a run, so it cannot be saved")
        write_agent(Path(path), self.header, self.arrays)

    @staticmethod
    def load(path: str | Path) -> LearnedAgent:
        """The agent that a file holds. Its learner is one that is known here (`registry`)."""
        return agent_of(*read_agent(Path(path)), str(path))


def agent_of(header: Header, arrays: Arrays, name: str) -> LearnedAgent:
    """Return the player that was saved under a name. Whom it learned from is not looked up."""
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
        """Return the value of each move, whatever rules are applied before the choice."""
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
        """Return the network's output after each move."""


# Tactical filters: rules that come before the choice of a network.
#
# A filter takes a win, blocks one, and keeps off moves that let the other side win on top. Only
# moves that it leaves are up to the network.

SHIELDS: dict[str, tuple[Rule, ...]] = {
    "none": (),
    "win": (Rule.WIN,),
    "block": (Rule.WIN, Rule.BLOCK),
    "safe": (Rule.WIN, Rule.BLOCK, Rule.SAFE),
}


def shield_option(default: str) -> str:
    """Declare the option `shield` of learners with a network."""
    about = "tactical filter (win, block, safe) before the network's choice, each with those before"
    return option(default, about, one_of(*SHIELDS))


def rules_of(shield: tuple[Rule, ...], game: Game) -> Int64s:
    """Return a filter as a list that `find_cells` reads.

    Where lines are counted to the end no move wins at once, so there is no filter.
    """
    rules = () if game.scoring else shield
    return np.array(rules_in(rules, game.misere), dtype=np.int64)


@inline
def best_of(scores: Weights, count: int) -> int:
    """Return the index of the first of the highest scores."""
    chosen = 0
    for i in range(1, count):
        if scores[i] > scores[chosen]:
            chosen = i
    return chosen


# Players that take the move after which a value network gives the position the most.
#
# What a network says is looked up by the type of its player when a loop is compiled: a network is
# two functions, made known by `register_value_player`.


class ValuePlayer(Protocol):
    """What every player by a value network has besides its network."""

    @property
    def rules(self) -> Int64s:
        """Rules of the shield, which are asked before the network."""

    @property
    def found(self) -> Cells:
        """[cells] scratch: what the shield found."""

    @property
    def scores(self) -> Weights:
        """[moves] scratch: what `score_cells` writes."""


class _Kind(NamedTuple):
    """The functions by which compiled loops read the networks of a type."""

    score_cells: Callable[..., object]
    output_of: Callable[..., object]


_KINDS: dict[type, _Kind] = {}


@dispatch_by_type("player", _KINDS)
def score_cells(
    tables: Tables, board: Board, player: ValuePlayer, cells: Cells, count: int
) -> None:
    """Write the sum of the network's output after a stone on each cell into `player.scores`."""


@dispatch_by_type("player", _KINDS)
def output_of(player: ValuePlayer, score: float) -> float:
    """Return the network's output for the sum of its last layer."""
    raise NotImplementedError


@no_inline
def _best_cell(tables: Tables, board: Board, player: ValuePlayer) -> np.int64:
    """The cell of the highest value among those that the shield allows, the first of several."""
    mark_no_inline()
    found = player.found
    rule, count = ordered_cells(tables, board, player.rules, found)
    if rule == Rule.WIN or count == 1:
        return np.int64(found[0])
    score_cells(tables, board, player, found, count)
    return np.int64(found[best_of(player.scores, count)])


@inline
def _choose(tables: Tables, board: Board, player: ValuePlayer, stream: Stream) -> np.int64:  # noqa: ARG001
    """Return the first of the cells of the highest value."""
    return _best_cell(tables, board, player)


@inline
def _write(tables: Tables, board: Board, player: ValuePlayer, weights: MoveWeights) -> None:
    """Give all weight to the one move that the player chooses."""
    weights[_best_cell(tables, board, player) % tables.columns] = 1.0


@inline
def _value(
    tables: Tables, board: Board, player: ValuePlayer, cells: Cells, count: int, values: MoveWeights
) -> None:
    """The network's outputs from -1 to 1; a line that ends the game is seen at once."""
    score_cells(tables, board, player, cells, count)
    side = board.counters[PLY] & 1
    for i in range(count):
        if board.threat[side, cells[i]] > 0 and not tables.scoring:
            values[i] = reward_of_lines(tables, 1)
        else:
            values[i] = 2.0 * output_of(player, player.scores[i]) - 1.0


@jit
def _value_moves(tables: Tables, board: Board, player: ValuePlayer, values: Numbers) -> int:
    """Return the values of all moves in a position, in the order of the board's list; how many."""
    count = board.counters[OPEN]
    score_cells(tables, board, player, board.open_cells, count)
    for i in range(count):
        values[i] = output_of(player, player.scores[i])
    return count


def register_value_player(
    kind: type, score_cells: Callable[..., object], output_of: Callable[..., object]
) -> None:
    """Register what the networks of a type of player do: functions as those above."""
    _KINDS[kind] = _Kind(score_cells, output_of)
    register_player(kind, begin_alike, _choose, _write, _value)


class ValueNetworkAgent(BoardAgent):
    """An agent whose player is registered here."""

    def values_on(self, tables: Tables, board: Board) -> CellValues:
        """Return the network's output after each move."""
        values = np.zeros(tables.cells)
        player = cast(ValuePlayer, self.arrays_for(tables))
        count = _value_moves(tables, board, player, values)
        return board.open_cells[:count], values[:count]
