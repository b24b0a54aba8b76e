"""A player that searches to the end of the game once there are stones enough on the board.

Before that another player chooses: any compiled one, a learned agent for example. From then on
every move keeps the exact value of the position: a win if there is one, else a draw. The search
asks only that, not how many moves it takes, so it is a hundred times cheaper than perfect play of
the best distance (measured on 6x7 from 18 stones on: some 200 nodes a move).

Of several moves that keep the value the first in the solver's own order is taken: most threats
first, then the centre. A position and its mirror image are looked at from the same side, so the
player mirrors its moves, and the tables of the solver, which hold exact bounds only, change the
time it takes but never the move.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inarow.engine.aside import Call
from inarow.engine.board import PLY, Board, Stones, load, new_board
from inarow.engine.bound_player import MovesFromCompiled
from inarow.engine.contest import (
    CompiledPlayer,
    PlayerArrays,
    Weights,
    begin,
    choose,
    register_player,
    write_policy,
)
from inarow.engine.jit import inline, jit, linked, stay_apart
from inarow.engine.rules import RuleList
from inarow.engine.streams import Stream
from inarow.engine.tables import Int64s, Tables, Words, same_tables, tables_of
from inarow.game import Game, InputError, Position
from inarow.graph.states import write_stones
from inarow.search.bitboard import (
    ONE,
    ZERO,
    Layout,
    Word,
    completing,
    fits,
    is_lost,
    layout_of,
    lowest,
    mirrored,
    playable,
    popcount,
    signed,
)
from inarow.search.driver import PositionSolver, position_solver, score_of, search
from inarow.search.negamax import ROW
from inarow.search.perfect_play import cell_of, pack
from inarow.search.table import new_table

TABLE_BITS = 20  # of the solver's table: 8 MiB
JUDGE_BITS = 24  # of the table of a judge of many positions: 128 MiB
MOST_EMPTY = 30  # cells: with more, a move may take longer than a person waits
RANK, COLUMN, BIT = range(3)  # of a move


class EndgamePlayer(NamedTuple):
    """The player for compiled loops."""

    player: PlayerArrays  # that chooses before
    stones: int  # on the board from which the search chooses
    layout: Layout
    solver: PositionSolver
    moves: Int64s  # [columns, 3] those of the position, with their ranks


@inline
def _begin(player: EndgamePlayer, stream: Stream) -> None:
    """The search begins every game alike."""
    begin(player.player, stream)


@inline
def _choose(tables: Tables, board: Board, player: EndgamePlayer, stream: Stream) -> int:
    """The cell of the move."""
    if board.counters[PLY] < player.stones:
        return choose(tables, board, player.player, stream)
    return exact_move(tables, board, player)


@inline
def _write(tables: Tables, board: Board, player: EndgamePlayer, weights: Weights) -> None:
    """What the other player may choose, or the one exact move."""
    if board.counters[PLY] < player.stones:
        write_policy(tables, board, player.player, weights)
    else:
        weights[exact_move(tables, board, player) % tables.columns] = 1.0


@linked
def exact_move(tables: Tables, board: Board, player: EndgamePlayer) -> int:
    """The cell of the first move that keeps the value of the position."""
    stay_apart()
    layout = player.layout
    own, mask = pack(tables, board, layout)
    flipped = mirrored(layout, own + mask) < own + mask
    seen = (mirrored(layout, own), mirrored(layout, mask)) if flipped else (own, mask)
    column = _exact_column(player, seen[0], seen[1])
    return cell_of(tables, layout, mask, tables.columns - 1 - column if flipped else column)


def _parts(_: Tables, __: Board, player: EndgamePlayer, ___: Stream) -> list[Call]:
    """The search."""
    solver = player.solver
    return [(search, (player.layout, solver.table, solver.stack, 0))]


register_player(
    EndgamePlayer,
    _begin,
    _choose,
    _write,
    _parts,
)


@inline
def _exact_column(player: EndgamePlayer, own: np.uint64, mask: np.uint64) -> int:
    layout = player.layout
    winning = completing(layout, own) & playable(layout, mask)
    if winning != ZERO:
        return _column_of(layout, lowest(winning))
    count = rank_moves(player, own, mask)
    for value in (1, 0):  # a win, else a draw
        for place in range(count):
            if keeps_value(player, own, mask, Word(player.moves[place, BIT]), value):
                return player.moves[place, COLUMN]
    return player.moves[0, COLUMN]


@inline
def _column_of(layout: Layout, bit: np.uint64) -> int:
    return signed(popcount(bit - ONE)) // signed(layout.column)


@inline
def rank_moves(player: EndgamePlayer, own: np.uint64, mask: np.uint64) -> int:
    """Lists all moves, the most promising first; returns how many they are."""
    layout, moves, count = player.layout, player.moves, 0
    threats = completing(layout, own ^ mask) & layout.board & ~mask
    open_cells = playable(layout, mask)
    while open_cells != ZERO:
        bit = lowest(open_cells)
        open_cells ^= bit
        after = completing(layout, own | bit) & layout.board & ~(mask | bit)
        useful = after & ~(threats << ONE)
        rank = popcount(useful) + popcount(useful & ~playable(layout, mask | bit))
        rank = (rank << Word(8)) | layout.centre[popcount(bit - ONE)]
        place = count
        while place > 0 and moves[place - 1, RANK] < signed(rank):
            for part in range(3):
                moves[place, part] = moves[place - 1, part]
            place -= 1
        moves[place, RANK] = signed(rank)
        moves[place, COLUMN] = _column_of(layout, bit)
        moves[place, BIT] = signed(bit)
        count += 1
    return count


@linked
def keeps_value(
    player: EndgamePlayer, own: np.uint64, mask: np.uint64, bit: np.uint64, value: int
) -> bool:
    """Whether a move that does not win at once has this value (1 a win, 0 a draw) or a higher one.

    The solver is in it: it stays apart, so that a loop that asks at several places has it once.
    """
    stay_apart()
    layout, after = player.layout, mask | bit
    if after == layout.board:
        return value <= 0
    other, open_cells = own ^ mask, playable(layout, after)
    if completing(layout, other) & open_cells != ZERO:
        return False
    if is_lost(open_cells, completing(layout, own | bit) & layout.board & ~after):
        return True
    return score_of(layout, player.solver, other, after, (-value, 1 - value)) <= -value


@jit
def _write_values(
    tables: Tables, board: Board, player: EndgamePlayer, stones: Stones, values: Int64s
) -> None:
    """The value of each move: 1 a win, 0 a draw, -1 a loss."""
    load(tables, board, stones)
    layout = player.layout
    own, mask = pack(tables, board, layout)
    winning = completing(layout, own)
    for place in range(rank_moves(player, own, mask)):
        bit, column = Word(player.moves[place, BIT]), player.moves[place, COLUMN]
        if winning & bit != ZERO or keeps_value(player, own, mask, bit, 1):
            values[column] = 1
        else:
            values[column] = 0 if keeps_value(player, own, mask, bit, 0) else -1


@jit
def _count_won(
    tables: Tables, board: Board, player: EndgamePlayer, stones: Stones, first: Words, second: Words
) -> int:
    """How many of the positions the side to move wins."""
    won = 0
    for one, two in zip(first, second):  # noqa: B905 - strict is unknown to compiled code
        write_stones(tables.cells, one, two, stones)
        load(tables, board, stones)
        own, mask = pack(tables, board, player.layout)
        won += score_of(player.layout, player.solver, own, mask, (0, 1)) > 0
    return won


def count_won(game: Game, first: Words, second: Words) -> int:
    """How many positions, given as in `graph.states`, the side to move wins."""
    tables = tables_of(game)
    player = Endgame(RuleList(((),)), game.cells, JUDGE_BITS).compiled(tables)
    stones = np.zeros(game.cells, dtype=np.int8)
    return int(_count_won(tables, new_board(tables), player, stones, first, second))


def game_for(tables: Tables) -> Game:
    """The game of the tables, if its positions can be searched to the end here."""
    game = Game((tables.cells // tables.columns, tables.columns), tables.k, gravity=True)
    if not fits(game) or not same_tables(tables, tables_of(game)):
        raise InputError(
            "endgame search needs stones that fall in a plane that does not wrap, a first line "
            "that wins, and (rows + 1) * columns of at most 64"
        )
    return game


class Endgame(MovesFromCompiled):
    """Another player until so many stones are on the board, exact play from then on."""

    def __init__(self, player: CompiledPlayer, stones: int, table_bits: int = TABLE_BITS) -> None:
        if stones < 0:
            raise InputError(f"endgame:{stones} must be a number of stones, 0 or more")
        self.player, self.stones, self.table_bits = player, stones, table_bits
        self.name = f"{getattr(player, 'name', type(player).__name__)}+endgame:{stones}"
        self.states_policy: bool = getattr(player, "states_policy", True)
        if hasattr(player, "game"):  # a learned agent knows its own
            game_for(tables_of(player.game))
            self.game: Game = player.game
            self._check_stones(player.game.cells)

    def compiled(self, tables: Tables) -> EndgamePlayer:
        """The player for compiled loops."""
        self._check_stones(tables.cells)
        return EndgamePlayer(
            self.player.compiled(tables),
            self.stones,
            layout_of(game_for(tables)),
            position_solver(new_table(self.table_bits), ROW),
            np.zeros((tables.columns, 3), dtype=np.int64),
        )

    def _check_stones(self, cells: int) -> None:
        if cells - self.stones > MOST_EMPTY:
            raise InputError(
                f"endgame:{self.stones} must leave at most {MOST_EMPTY} cells empty: take "
                f"endgame:{cells - MOST_EMPTY} or more on this board"
            )

    def values(self, position: Position) -> dict[int, float]:
        """What it expects of each move of the side to move: exactly, once it searches."""
        if position.ply < self.stones:
            if not hasattr(self.player, "values"):
                raise InputError(f"{self.name} does not say what it expects of moves")
            return dict(self.player.values(position))
        tables = tables_of(position.game)
        values = np.zeros(tables.columns, dtype=np.int64)
        stones = np.array(position.stones, dtype=np.int8)
        _write_values(tables, new_board(tables), self.compiled(tables), stones, values)
        return {move: float(values[move]) for move in position.legal_moves}
