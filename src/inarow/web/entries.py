"""The compiled functions that a page may call, and what they are called with.

A page has a board, on which the rules are played, and a second one for the player, who sets it up
from the stones of the first for each question. So the first keeps its history for undoing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from inarow.engine.board import (
    OPEN,
    Board,
    Stones,
    Tables,
    cell_of,
    load,
    new_board,
    place,
    tables_of,
    undo,
)
from inarow.engine.jit import inline, jit
from inarow.engine.players import (
    MoveWeights,
    PlayerArrays,
    begin,
    choose,
    value_cells,
    values_moves,
)
from inarow.engine.streams import Stream, make_stream
from inarow.game import Game
from inarow.search import general_solver
from inarow.search.bitboard import MAX_BITS, Layout, layout_of
from inarow.search.connect4_solver import ROW
from inarow.search.decided import own_and_other
from inarow.search.masks import Lines, lines_of
from inarow.search.perfect import pack
from inarow.search.solver import EVERY_SCORE, is_planar
from inarow.search.solver_loop import (
    DEPTH,
    NODES,
    POSITION,
    PositionSolver,
    new_table,
    position_solver,
    solve_many,
)

Arguments = dict[str, object]  # of entries, by name
RULES, PLAYER, SOLVER = "rules", "player", "solver"  # the parts that entries belong to
LEARN, JUDGE, PROOF = "learn", "judge", "proof"  # likewise: see `learning` and `proving`
TABLE_BITS = 20  # of a solver's table in a page: 8 MiB and more


@jit
def play(tables: Tables, board: Board, move: int) -> np.int64:
    """Plays a legal move; returns its cell."""
    cell = cell_of(tables, board, move)
    place(tables, board, cell)
    return np.int64(cell)


@jit
def back(tables: Tables, board: Board) -> np.int64:
    """Takes the last move back."""
    undo(tables, board)
    return np.int64(0)


@jit
def put(tables: Tables, board: Board, stones: Stones) -> np.int64:
    """Sets up a position; its moves cannot be taken back."""
    load(tables, board, stones)
    return np.int64(0)


@jit
def ready(player: PlayerArrays, stream: Stream) -> np.int64:
    """Lets the player prepare for a new game."""
    begin(player, stream)
    return np.int64(0)


@jit
def reply(
    tables: Tables, second: Board, player: PlayerArrays, stream: Stream, stones: Stones
) -> np.int64:
    """The move that the player chooses in the position of these stones."""
    load(tables, second, stones)
    return np.int64(choose(tables, second, player, stream) % tables.columns)


@jit
def values(
    tables: Tables, second: Board, player: PlayerArrays, stones: Stones, numbers: MoveWeights
) -> np.int64:
    """Writes what the player expects of each open cell, in the order of the second board's list."""
    load(tables, second, stones)
    count = second.counters[OPEN]
    value_cells(tables, second, player, second.open_cells, count, numbers)
    return np.int64(count)


class Solving(NamedTuple):
    """A solver of one position after another."""

    lines: Layout | Lines
    solver: PositionSolver


@inline
def _ask(solving: Solving, own: np.uint64, mask: np.uint64) -> None:
    """Begins the search for the score of a position."""
    state, batch = solving.solver.stack.state, solving.solver.batch
    state[POSITION], state[NODES], state[DEPTH] = 0, 0, -1
    batch.owns[0], batch.masks[0] = own, mask


@jit
def ask_plane(tables: Tables, board: Board, solving: Solving) -> np.int64:
    """Asks for the score of the board where stones fall in a plane."""
    own, mask = pack(tables, board, solving.lines)  # type: ignore[arg-type]  # a Layout here
    _ask(solving, own, mask)
    return np.int64(0)


@jit
def ask_lines(tables: Tables, board: Board, solving: Solving) -> np.int64:
    """The same on other boards: a bit for each cell."""
    own, other = own_and_other(tables, board)
    _ask(solving, own, own | other)
    return np.int64(0)


@jit
def solve(solving: Solving, stop: int) -> np.int64:
    """Goes on until so many nodes were entered; 1 if the score is found then."""
    solver = solving.solver
    found = solve_many(solving.lines, solver.table, solver.stack, solver.batch, EVERY_SCORE, stop)
    return np.int64(found)


class Entry(NamedTuple):
    """A function, and the names of its arguments."""

    function: Callable[..., object]
    arguments: tuple[str, ...]


ENTRIES: Mapping[str, Mapping[str, Entry]] = {
    RULES: {
        "play": Entry(play, ("tables", "board", "move")),
        "back": Entry(back, ("tables", "board")),
        "put": Entry(put, ("tables", "board", "input")),
    },
    PLAYER: {
        "ready": Entry(ready, ("player", "stream")),
        "reply": Entry(reply, ("tables", "second", "player", "stream", "stones")),
        "values": Entry(values, ("tables", "second", "player", "stones", "numbers")),
    },
    SOLVER: {
        "ask": Entry(ask_plane, ("tables", "board", "solving")),
        "solve": Entry(solve, ("solving", "stop")),
    },
}
# Arguments that the page gives with each call, whole numbers.
GIVEN = ("move", "stop", "games", "side", "start", "end")


def entries_of(part: str, arguments: Arguments) -> dict[str, Entry]:
    """The entries of a part: a player's values only if it values moves."""
    found = dict(ENTRIES[part])
    player, solving = arguments.get("player"), arguments.get("solving")
    if isinstance(player, tuple) and not values_moves(player):
        found.pop("values", None)
    if isinstance(solving, Solving) and isinstance(solving.lines, Lines) and part == SOLVER:
        found["ask"] = found["ask"]._replace(function=ask_lines)
    return found


def is_solvable(game: Game) -> bool:
    """Whether one of the solvers takes the game."""
    known = Game(game.shape, game.k, game.gravity, wrap=game.wrap, misere=game.misere)
    return game == known and (is_planar(game) or game.cells <= MAX_BITS)


def new_solving(game: Game) -> Solving:
    """A solver of a game, with an empty table."""
    if is_planar(game):
        return Solving(layout_of(game), position_solver(new_table(TABLE_BITS), ROW))
    table = general_solver.new_table(TABLE_BITS)
    return Solving(lines_of(game), position_solver(table, general_solver.ROW))


def arguments_for(
    game: Game, player: PlayerArrays | None = None, seed: int = 0, solver: bool = False
) -> Arguments:
    """What the entries are called with in a game, by name."""
    tables = tables_of(game)
    board = new_board(tables)
    found: Arguments = {
        "tables": tables,
        "board": board,
        "input": np.zeros(game.cells, dtype=np.int8),
        "move": 0,
        "stop": 0,
    }
    if solver:
        found["solving"] = new_solving(game)
    if player is not None:
        found |= {
            "second": new_board(tables),
            "player": player,
            "stream": make_stream(seed),
            "stones": board.stones,
            "numbers": np.zeros(game.cells),
        }
    return found
