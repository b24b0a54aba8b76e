"""Monte Carlo tree search: the loop of simulations, and the players."""

from __future__ import annotations

import re
from typing import NamedTuple, cast

import numpy as np

from inarow.engine.board import (
    PLY,
    Board,
    Cells,
    Int64s,
    Stones,
    Tables,
    load,
    new_board,
    tables_of,
)
from inarow.engine.clock import Stopwatch
from inarow.engine.jit import inline, jit, mark_no_inline, no_inline
from inarow.engine.players import (
    CompiledPlayer,
    MovesFromCompiled,
    check_compiled,
    compiled_form,
    note_class,
    register_player,
    values_moves,
)
from inarow.engine.rules import Rule, rules_in
from inarow.engine.streams import Stream, make_stream
from inarow.game import Game, InputError, Position
from inarow.game.position import require_unfinished
from inarow.search.mcts_tree import (
    CELL,
    COUNT,
    FIRST,
    MEAN,
    NODE_BYTES,
    PROVEN,
    UNKNOWN,
    VISITS,
    RuleLeaves,
    Tree,
    ValueLeaves,
    add_children,
    back_up,
    best_root_node,
    child_at,
    enter,
    has_room,
    keep_below,
    leaf_value,
    list_moves,
    logarithm_count,
    new_plain_leaves,
    new_tree,
    plant,
    prove_end,
    proven_value,
    put,
    reset,
    select,
)

# The loop of a Monte Carlo tree search, whole in compiled code.
#
# Each simulation follows the tree by UCT to a leaf, plays a random game from there or asks an
# agent (`mcts_tree`), and adds the result to all nodes on its way. The move is the most
# visited, or one that is proven to win. The tree below what was then played is kept for the next
# move of the same game.

HOLDS, ROOT_PLY, ROOT_CELL = range(3)  # places in `memory`


class MctsPlayer(NamedTuple):
    """A Monte Carlo tree search for compiled loops."""

    tree: Tree
    leaves: tuple[object, ...]
    simulations: int
    exploration: float
    prior: int  # 1 where children begin with an agent's value, which counts as a visit
    cells: Cells  # [cells] scratch: moves of a node
    stones: Stones  # of the root
    memory: Int64s  # [3] whether the tree holds, the root's stones, the cell that was chosen


@inline
def _begin(player: MctsPlayer, stream: Stream) -> None:  # noqa: ARG001
    """Do nothing: a position is found again in the tree or not."""
    player.memory[HOLDS] = 0


@no_inline
def search(
    tables: Tables,
    board: Board,
    player: MctsPlayer,
    stream: Stream,
    simulations: int,
    opening: bool,
) -> np.int64:
    """Search the position on the board, or go on with it; return the cell of its move."""
    mark_no_inline()
    if opening:
        _open_search(tables, board, player)
    _simulate(tables, board, player, stream, simulations)
    cell = np.int64(player.tree.nodes[best_root_node(player.tree), CELL])
    player.memory[ROOT_CELL] = cell
    return cell


@inline
def _choose(tables: Tables, board: Board, player: MctsPlayer, stream: Stream) -> np.int64:
    """Return the cell of the move that the search finds."""
    return search(tables, board, player, stream, player.simulations, True)


@jit
def search_in(
    tables: Tables,
    board: Board,
    stones: Stones,
    player: MctsPlayer,
    stream: Stream,
    simulations: int,
    opening: bool,
) -> np.int64:
    """Search the position of these stones, from Python; return the move."""
    if opening:
        load(tables, board, stones)
    return search(tables, board, player, stream, simulations, opening) % tables.columns


@inline
def _open_search(tables: Tables, board: Board, player: MctsPlayer) -> None:
    """Find the position in the tree of the move before, or plants a new one."""
    tree = player.tree
    node = _find_again(tables, board, player)
    if node < 0:
        plant(tree)
    else:
        keep_below(tree, node)
        if 2 * tree.path[-1] > len(tree.nodes):  # no room for another search
            plant(tree)
    enter(tables, board, player.leaves)
    for cell in range(tables.cells):
        player.stones[cell] = board.stones[cell]
    player.memory[HOLDS], player.memory[ROOT_PLY] = 1, board.counters[PLY]


@inline
def _find_again(tables: Tables, board: Board, player: MctsPlayer) -> int:
    """Return the node of this position after a move and a reply; -1 if not there."""
    tree, memory = player.tree, player.memory
    if memory[HOLDS] == 0 or board.counters[PLY] != memory[ROOT_PLY] + 2:
        return -1
    if board.stones[memory[ROOT_CELL]] != 1 + (memory[ROOT_PLY] & 1):
        return -1
    reply = -1
    for cell in range(tables.cells):
        if board.stones[cell] != player.stones[cell] and cell != memory[ROOT_CELL]:
            if player.stones[cell] != 0 or reply >= 0:
                return -1
            reply = cell
    return child_at(tree, child_at(tree, 0, memory[ROOT_CELL]), reply)


@inline
def _simulate(
    tables: Tables, board: Board, player: MctsPlayer, stream: Stream, simulations: int
) -> None:
    """Make so many simulations, or fewer where the root is decided."""
    for _ in range(simulations):
        if player.tree.nodes[0, PROVEN] != UNKNOWN or player.tree.nodes[0, COUNT] == 1:
            break
        _simulate_once(tables, board, player, stream)


@inline
def _simulate_once(tables: Tables, board: Board, player: MctsPlayer, stream: Stream) -> None:
    """Go down the tree once, value the leaf, and back the result up.

    A leaf gets children on its second visit: most are visited once. With an agent it gets them
    with its value, on the first.
    """
    tree, leaves = player.tree, player.leaves
    node, depth, side = 0, 0, board.counters[PLY] & 1
    tree.path[0] = 0
    while tree.nodes[node, PROVEN] == UNKNOWN:
        if tree.nodes[node, FIRST] == 0:
            if player.prior > 0 or (tree.nodes[node, VISITS] == 0 and node > 0):
                break
            count = list_moves(tables, board, leaves, player.cells)
            if not has_room(tree, count):
                break
            add_children(tree, node, player.cells, count, stream)
        node = select(tree, node, player.exploration)
        depth += 1
        tree.path[depth] = node
        state = put(tables, board, leaves, int(np.int64(tree.nodes[node, CELL])))
        if tree.nodes[node, VISITS] == 0:
            prove_end(tree, node, state, side)
        side = 1 - side
    if tree.nodes[node, PROVEN] != UNKNOWN:
        value = proven_value(tree.nodes[node, PROVEN])
    else:
        value = leaf_value(tables, board, leaves, tree, node, stream)
    back_up(tree, depth, value, player.prior)
    reset(tables, board, leaves)


register_player(MctsPlayer, _begin, _choose, None)


# Monte Carlo tree search as a player: `mcts:1000`, or `AGENT+mcts:1000` with a learned value.
#
# It is a stochastic player: what it plays follows from its random numbers, and how likely each move
# is nobody knows. So it has no policy to state, and nothing is ever proven of it.

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
        if agent is not None:
            check_compiled(agent)
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
        return self.nodes(tables) * NODE_BYTES + logarithm_count(self.simulations) * 8

    def compiled(self, tables: Tables) -> MctsPlayer:
        """The player as arrays, with a tree of its own."""
        return MctsPlayer(
            new_tree(self.nodes(tables), tables.cells, self.simulations),
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
            arrays = compiled_form(self.agent, tables)
            if not values_moves(arrays):
                raise InputError(f"{self.name}: {_NO_VALUES}")
            return ValueLeaves(tree_rules, arrays, found, numbers, np.zeros(tables.cells))
        if not (in_tree or in_playouts):
            return new_plain_leaves(tables)
        return RuleLeaves(tree_rules, _rules(tables, in_playouts), found, numbers)

    def values(self, position: Position) -> dict[int, float]:
        """Return what a search of its own expects of each move that it looked at."""
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


@note_class
class TimedMcts:
    """The search by the clock: `mcts:100000/0.5s`, no more simulations than the seconds allow.

    Compiled loops have no clock, so it plays from Python, and its games depend on the machine.
    """

    def __init__(self, player: Mcts, time_limit: float) -> None:
        check_compiled(player)
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
        require_unfinished(position)
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
        self.board = new_board(self.tables)
        self.player = cast(MctsPlayer, compiled_form(timed.player, self.tables))

    def move(self, position: Position) -> int:
        """The move to play: at least one chunk of simulations is made."""
        require_unfinished(position)
        stones = np.array(position.stones, dtype=np.int8)
        chunk = max(1, CHUNK_WORK // len(self.tables.line_at))
        watch, done = Stopwatch(), 0
        move = self._search(stones, 0, True)
        while done < self.simulations:
            number = min(chunk, self.simulations - done)
            move = self._search(stones, number, False)
            done += number
            tree = self.player.tree
            if (
                watch.seconds > self.time_limit
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
    """Return the player of a name, as `mcts:1000@both/0.5s`, with or without an agent."""
    match = re.fullmatch(r"mcts:([0-9]{1,12})(?:@(\w+))?(?:/([0-9]*\.?[0-9]+)s)?", name)
    if match is None:
        raise InputError(
            f"{name!r} is not a player: write mcts:SIMULATIONS[@FILTER][/SECONDSs], as in "
            f"mcts:1000, with a win-block filter of {', '.join(FILTERS)}"
        )
    found = Mcts(int(match[1]), match[2] or "plain", agent)
    return found if match[3] is None else TimedMcts(found, float(match[3]))


def _rules(tables: Tables, applied: bool) -> Int64s:
    """Return the rules of a filter: win, else block; if misère, complete no line."""
    rules = () if not applied else (Rule.SAFE,) if tables.misere else (Rule.WIN, Rule.BLOCK)
    return np.array(rules_in(rules, tables.misere), dtype=np.int64)
