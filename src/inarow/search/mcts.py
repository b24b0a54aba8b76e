"""Monte Carlo tree search as a player: `mcts:1000`, or `AGENT+mcts:1000` with a learned value.

It is a stochastic player: what it plays follows from its random numbers, and how likely each move
is nobody knows. So it has no policy to state, and nothing is ever proven of it.
"""

from __future__ import annotations

import re
import time

import numpy as np

from inarow.engine.board import Stones, new_board
from inarow.engine.bound_player import MovesFromCompiled
from inarow.engine.contest import CompiledPlayer
from inarow.engine.rules import Rule, rules_in
from inarow.engine.streams import Stream, make_stream
from inarow.engine.tables import Int64s, Tables, tables_of
from inarow.engine.values import values_moves
from inarow.game import Game, InputError, Position
from inarow.game.position import check_goes_on
from inarow.search.mcts_board_leaves import RuleLeaves, ValueLeaves
from inarow.search.mcts_leaves import new_plain_leaves
from inarow.search.mcts_search import MctsPlayer, search_in
from inarow.search.mcts_tree import (
    CELL,
    COUNT,
    FIRST,
    MEAN,
    NODE_BYTES,
    PROVEN,
    UNKNOWN,
    VISITS,
    Tree,
    new_tree,
    proven_value,
)

MOST_SIMULATIONS = 10_000_000  # for a move
MOST_NODES = 2**22  # of a tree: when they are used up, it grows no further
EXPLORATION = 0.8  # c of UCT, for results from -1 to 1
VALUE_EXPLORATION = 0.5  # the same with an agent's values, which differ less
MOST_EXPLORATION = 100.0
CHUNK_WORK = 100_000  # lines through cells looked at between two looks at the clock, and more

# Where the win-block filter is applied: nowhere, in the tree, in random games, in both.
FILTERS = {
    "plain": (False, False),
    "tree": (True, False),
    "playouts": (False, True),
    "both": (True, True),
}

_NO_VALUES = (
    "mcts needs an agent that says what it expects of moves, as those of ntuple, mlp, "
    "monte_carlo and line_td do"
)


class Mcts(MovesFromCompiled):
    """The search as a player of a number of simulations a move: `mcts:1000`, `mcts:1000@both`.

    With an agent, leaves have the value that it expects, and no random games are played.
    """

    states_policy = False  # how likely each of its moves is, nobody knows

    def __init__(
        self,
        simulations: int,
        win_block: str = "plain",
        agent: CompiledPlayer | None = None,
        exploration: float | None = None,
    ) -> None:
        if not 1 <= simulations <= MOST_SIMULATIONS:
            raise InputError(
                f"the simulations of mcts must be between 1 and {MOST_SIMULATIONS:,}, "
                f"not {simulations:,}"
            )
        if win_block not in FILTERS:
            raise InputError(f"unknown filter '{win_block}': it is one of {', '.join(FILTERS)}")
        if agent is not None and FILTERS[win_block][1]:
            raise InputError(f"with an agent there are no playouts to filter: @{win_block}")
        if exploration is None:
            exploration = EXPLORATION if agent is None else VALUE_EXPLORATION
        if not 0 < exploration <= MOST_EXPLORATION:
            raise InputError(
                f"exploration must be above 0 and at most {MOST_EXPLORATION:g}, not {exploration}"
            )
        self.simulations, self.win_block, self.agent = simulations, win_block, agent
        self.exploration = float(exploration)
        before = "" if agent is None else f"{getattr(agent, 'name', type(agent).__name__)}+"
        self.name = f"{before}mcts:{simulations}" + (
            f"@{win_block}" if win_block != "plain" else ""
        )
        if agent is not None and hasattr(agent, "game"):
            self.game: Game = agent.game

    def nodes(self, tables: Tables) -> int:
        """The most nodes that its tree can have."""
        return min(MOST_NODES, 1 + (2 * self.simulations + 1) * tables.columns)

    def bytes(self, tables: Tables) -> int:
        """The most memory that its tree can take, known before any is taken."""
        return self.nodes(tables) * NODE_BYTES

    def compiled(self, tables: Tables) -> MctsPlayer:
        """The player as arrays, with a tree of its own."""
        return MctsPlayer(
            new_tree(self.nodes(tables), tables.cells),
            self._leaves(tables),
            self.simulations,
            self.exploration,
            int(self.agent is not None),
            np.zeros(tables.cells, dtype=np.uint32),
            np.zeros(tables.cells, dtype=np.int8),
            np.zeros(3, dtype=np.int64),
        )

    def _leaves(self, tables: Tables) -> tuple[object, ...]:
        in_tree, in_playouts = FILTERS[self.win_block]
        found, numbers = np.zeros(tables.cells, dtype=np.uint32), np.zeros(4, dtype=np.int64)
        tree_rules = _rules(tables, in_tree and not tables.scoring)
        if self.agent is not None:
            arrays = self.agent.compiled(tables)
            if not values_moves(arrays):
                raise InputError(f"{self.name}: {_NO_VALUES}")
            return ValueLeaves(tree_rules, arrays, found, numbers, np.zeros(tables.cells))
        if not (in_tree or in_playouts):
            return new_plain_leaves(tables)
        return RuleLeaves(tree_rules, _rules(tables, in_playouts), found, numbers)

    def values(self, position: Position) -> dict[int, float]:
        """What a search of its own expects of each move that it looked at: 1 a win, -1 a loss."""
        tables = tables_of(position.game)
        player, board = self.compiled(tables), new_board(tables)
        stones = np.array(position.stones, dtype=np.int8)
        search_in(tables, board, stones, player, make_stream(0), self.simulations, True)
        return root_values(tables, player.tree)

    def __repr__(self) -> str:
        return f"<player {self.name}>"


def root_values(tables: Tables, tree: Tree) -> dict[int, float]:
    """The mean result of each move of the root, or what is proven of it."""
    found = {}
    for child in range(int(tree.nodes[0, FIRST]), int(tree.nodes[0, FIRST] + tree.nodes[0, COUNT])):
        move, proven = int(tree.nodes[child, CELL]) % tables.columns, int(tree.nodes[child, PROVEN])
        if proven != UNKNOWN:
            found[move] = float(proven_value(proven))
        elif tree.nodes[child, VISITS] > 0:
            found[move] = float(tree.values[child, MEAN])
    return dict(sorted(found.items()))


class TimedMcts:
    """The search by the clock: `mcts:100000/0.5s`, no more simulations than the seconds allow.

    Compiled loops have no clock, so it plays from Python, and its games depend on the machine.
    """

    def __init__(self, player: Mcts, time_limit: float) -> None:
        if not time_limit > 0:
            raise InputError(f"a time limit of {time_limit} s leaves no time: it is above 0")
        self.player, self.time_limit = player, time_limit
        self.name = f"{player.name}/{time_limit:g}s"
        if hasattr(player, "game"):
            self.game: Game = player.game
        self._bound: BoundTimedMcts | None = None

    def bind(self, game: Game, stream: Stream) -> BoundTimedMcts:
        """The player at a board, with random numbers of its own."""
        return BoundTimedMcts(self, game, stream)

    def move(self, position: Position) -> int:
        """The move to play."""
        check_goes_on(position)
        if self._bound is None or self._bound.tables is not tables_of(position.game):
            self._bound = self.bind(position.game, make_stream(0))
        return self._bound.move(position)

    def __repr__(self) -> str:
        return f"<player {self.name}>"


class BoundTimedMcts:
    """A search by the clock at a board in Python."""

    def __init__(self, timed: TimedMcts, game: Game, stream: Stream) -> None:
        self.tables, self.stream, self.name = tables_of(game), stream, timed.name
        self.simulations, self.time_limit = timed.player.simulations, timed.time_limit
        self.board, self.player = new_board(self.tables), timed.player.compiled(self.tables)

    def move(self, position: Position) -> int:
        """The move to play: at least one chunk of simulations is made."""
        check_goes_on(position)
        stones = np.array(position.stones, dtype=np.int8)
        chunk = max(1, CHUNK_WORK // len(self.tables.line_at))
        move = self._search(stones, 0, True)  # compiles, which the clock does not count
        end, done = time.perf_counter() + self.time_limit, 0
        while done < self.simulations:
            number = min(chunk, self.simulations - done)
            move = self._search(stones, number, False)
            done += number
            tree = self.player.tree
            if (
                time.perf_counter() > end
                or tree.nodes[0, PROVEN] != UNKNOWN
                or tree.nodes[0, COUNT] == 1
            ):
                break
        return move

    def _search(self, stones: Stones, simulations: int, opening: bool) -> int:
        return int(
            search_in(
                self.tables, self.board, stones, self.player, self.stream, simulations, opening
            )
        )


def mcts_named(name: str, agent: CompiledPlayer | None = None) -> Mcts | TimedMcts:
    """The player that a name stands for, `mcts:1000@both/0.5s`, with an agent or without."""
    match = re.fullmatch(r"mcts:([0-9]{1,12})(?:@(\w+))?(?:/([0-9]*\.?[0-9]+)s)?", name)
    if match is None:
        raise InputError(
            f"{name!r} is not a player: write mcts:SIMULATIONS[@FILTER][/SECONDSs], as in "
            f"mcts:1000, with a win-block filter of {', '.join(FILTERS)}"
        )
    found = Mcts(int(match[1]), match[2] or "plain", agent)
    return found if match[3] is None else TimedMcts(found, float(match[3]))


def _rules(tables: Tables, applied: bool) -> Int64s:
    """Win, else block; where a line loses, complete none."""
    rules = () if not applied else (Rule.SAFE,) if tables.misere else (Rule.WIN, Rule.BLOCK)
    return np.array(rules_in(rules, tables.misere), dtype=np.int64)
