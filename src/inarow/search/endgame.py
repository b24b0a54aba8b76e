"""Exact play late in the game, and players whose late moves are judged and corrected."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import (
    DRAWN,
    FIRST_WON,
    GOING_ON,
    PLY,
    STATE,
    Board,
    Int64s,
    Stones,
    Tables,
    Words,
    load,
    new_board,
    place,
    same_tables,
    tables_of,
    undo,
)
from inarow.engine.jit import inline, jit, late_link, mark_no_inline
from inarow.engine.players import (
    CompiledPlayer,
    MovesFromCompiled,
    MoveWeights,
    PlayerArrays,
    begin,
    check_compiled,
    choose,
    compiled_form,
    register_player,
    write_policy,
)
from inarow.engine.rules import RuleList
from inarow.engine.streams import Stream
from inarow.game import Game, InputError, Position
from inarow.graph.graph import write_stones
from inarow.search import general_solver
from inarow.search.bitboard import (
    ONE,
    ZERO,
    Layout,
    Word,
    completing,
    is_lost,
    layout_of,
    lowest,
    mirrored,
    playable,
    popcount,
    signed,
)
from inarow.search.connect4_solver import ROW
from inarow.search.decided import own_and_other
from inarow.search.masks import Lines, lines_of
from inarow.search.perfect import PerfectPlayer, book_score, cell_of, compiled_perfect, pack
from inarow.search.solver import GENERAL_TABLE_BITS, NotSolved, Solver, is_planar
from inarow.search.solver_loop import (
    DEPTH,
    HIGH,
    LOW,
    MIN_BITS,
    MULTIPLIER,
    NODES,
    POSITION,
    PositionSolver,
    new_table,
    position_solver,
    score_of,
    solve_many,
)

# A player that keeps the exact value late in the game, where the general solver decides in time.
#
# It is what `endgame` is on boards where stones fall in a plane, for the others that the solver
# reaches: the cube. Another player proposes a move, and it is played unless the solver proves that
# another one is better; where the solver does not decide within its nodes, it is played too.

LIMIT = 2_000_000  # nodes of the solver for a question: half a second
WHO_WINS = (-1, 1)  # a window of scores that tells wins, draws and losses apart
Values = tuple[
    int, int
]  # the lowest and the highest that a value can be: 1 wins, 0 draws, -1 loses


def value_of(solver: Solver, position: Position) -> Values:
    """Return between which values that of a position lies for its side to move."""
    if position.outcome is not None:
        winner = position.outcome.winner
        value = 0 if winner is None else 1 if winner == position.to_move else -1
        return value, value
    own, every = (np.array([word], dtype=np.uint64) for word in solver.pack(position.moves))
    try:
        score = int(solver.score_words(own, every, WHO_WINS)[0])
        bounds = score, score
    except NotSolved as given_up:
        bounds = given_up.bounds[0]
    return (bounds[0] > 0) - (bounds[0] < 0), (bounds[1] > 0) - (bounds[1] < 0)


def value_after(solver: Solver, position: Position, move: int) -> Values:
    """Return between which values that of a move lies for the side that plays it."""
    after = position.copy()
    after.push(move)
    low, high = value_of(solver, after)
    return -high, -low


class LatePlayer(NamedTuple):
    """A player corrected by the general solver, for compiled loops."""

    player: PlayerArrays  # that proposes the moves
    stones: int  # on the board from which they are judged
    lines: Lines
    solver: PositionSolver


@inline
def _begin_late(player: LatePlayer, stream: Stream) -> None:
    """Do nothing of its own: the solver starts every game alike."""
    begin(player.player, stream)


@inline
def _choose_late(tables: Tables, board: Board, player: LatePlayer, stream: Stream) -> int:
    """The cell of the other player's move, or of one that is proven to be better."""
    proposed = int(np.int64(choose(tables, board, player.player, stream)))
    if board.counters[PLY] < player.stones:
        return proposed
    return _better_cell(tables, board, player, proposed)


@late_link
def _better_cell(tables: Tables, board: Board, player: LatePlayer, proposed: int) -> int:
    """The cell of the first move that is proven to be better than the one proposed, else that."""
    mark_no_inline()
    low = _least_after(tables, board, player, proposed)
    if low == 1:
        return proposed
    least, _ = _values_here(tables, board, player)
    if least <= low:
        return proposed
    for column in range(tables.columns):
        cell = column
        while cell < tables.cells and board.stones[cell] != 0:
            cell += tables.columns
        if cell < tables.cells:
            found = _least_after(tables, board, player, cell)
            if found > low and found >= least:
                return cell
    return proposed


@inline
def _least_after(tables: Tables, board: Board, player: LatePlayer, cell: int) -> int:
    """The lowest value that a stone on a cell can have for the side that plays it."""
    side = board.counters[PLY] & 1
    place(tables, board, cell)
    state = board.counters[STATE]
    if state == GOING_ON:
        _, high = _values_here(tables, board, player)
        value = -high
    else:
        value = 0 if state == DRAWN else (1 if state == FIRST_WON + side else -1)
    undo(tables, board)
    return value


@late_link
def _values_here(tables: Tables, board: Board, player: LatePlayer) -> tuple[int, int]:
    """Return bounds on the value of the position on the board."""
    mark_no_inline()  # the solver is in it, which callers should hold once
    own, other = own_and_other(tables, board)
    solver = player.solver
    state, batch = solver.stack.state, solver.batch
    state[POSITION], state[NODES], state[DEPTH] = 0, 0, -1
    batch.owns[0], batch.masks[0] = own, own | other
    if solve_many(player.lines, solver.table, solver.stack, batch, WHO_WINS, LIMIT):
        low = high = batch.scores[0]
    else:
        low, high = state[LOW], state[HIGH]
    return (low > 0) - (low < 0), (high > 0) - (high < 0)


# Whether the solver decides within its nodes depends on what its table holds from earlier
# positions. So no policy is stated, and nothing is proven of the player.
register_player(LatePlayer, _begin_late, _choose_late, None)


class LateSolver(MovesFromCompiled):
    """A player of one game, corrected by the solver from a number of stones on."""

    states_policy = False

    def __init__(self, player: CompiledPlayer, stones: int, game: Game | None = None) -> None:
        check_compiled(player)
        found = getattr(player, "game", game)
        if not isinstance(found, Game):
            raise InputError("the solver needs to know the game: only a learned agent says it")
        Solver(found)  # says what it does not reach
        self.player, self.stones, self.game = player, stones, found
        self.name = f"{getattr(player, 'name', type(player).__name__)}+endgame:{stones}"

    def compiled(self, tables: Tables) -> LatePlayer:
        """The player for compiled loops."""
        if not same_tables(tables, tables_of(self.game)):
            raise InputError(f"{self.name} plays {self.game.name} only")
        bits = min(max(self.game.cells - self.stones, MIN_BITS), GENERAL_TABLE_BITS)
        return LatePlayer(
            compiled_form(self.player, tables),
            self.stones,
            lines_of(self.game),
            position_solver(general_solver.new_table(bits), general_solver.ROW),
        )

    def __repr__(self) -> str:
        return f"<player {self.name}>"


# A player that searches to the end of the game once there are stones enough on the board.
#
# Before that another player chooses: any compiled one, a learned agent for example. From then on
# every move keeps the exact value of the position: a win if there is one, else a draw. The search
# asks only that, not how many moves it takes, so it is a hundred times cheaper than perfect play of
# the best distance (measured on 6x7 from 18 stones on: some 200 nodes a move).
#
# Of several moves that keep the value the first in the solver's own order is taken: most threats
# first, then the centre. A position and its mirror image are looked at from the same side, so the
# player mirrors its moves, and the tables of the solver, which hold exact bounds only, change the
# time it takes but never the move.

TABLE_BITS = 20  # of the solver's table: 8 MiB
JUDGE_BITS = 24  # of the table of a judge of many positions: 128 MiB
MOST_EMPTY = 30  # cells: with more, a move may take longer than a person waits
RANK, COLUMN, BIT = range(3)  # of a move


class EndgamePlayer(NamedTuple):
    """A player corrected by the Connect-4-like solver, for compiled loops."""

    player: PlayerArrays  # that chooses before
    stones: int  # on the board from which the search chooses
    layout: Layout
    solver: PositionSolver
    moves: Int64s  # [columns, 3] those of the position, with their ranks


@inline
def _begin_endgame(player: EndgamePlayer, stream: Stream) -> None:
    """Do nothing of its own: the search starts every game alike."""
    begin(player.player, stream)


@inline
def _choose_endgame(tables: Tables, board: Board, player: EndgamePlayer, stream: Stream) -> int:
    """Return the cell of the other player's move, or of the exact one."""
    if board.counters[PLY] < player.stones:
        return choose(tables, board, player.player, stream)
    return exact_move(tables, board, player)


@inline
def _write(tables: Tables, board: Board, player: EndgamePlayer, weights: MoveWeights) -> None:
    """Write what the other player may choose, or the one exact move."""
    if board.counters[PLY] < player.stones:
        write_policy(tables, board, player.player, weights)
    else:
        weights[exact_move(tables, board, player) % tables.columns] = 1.0


@late_link
def exact_move(tables: Tables, board: Board, player: EndgamePlayer) -> int:
    """The cell of the first move that keeps the value of the position."""
    mark_no_inline()
    layout = player.layout
    own, mask = pack(tables, board, layout)
    flipped = mirrored(layout, own + mask) < own + mask
    seen = (mirrored(layout, own), mirrored(layout, mask)) if flipped else (own, mask)
    column = _exact_column(player, seen[0], seen[1])
    return cell_of(tables, layout, mask, tables.columns - 1 - column if flipped else column)


register_player(
    EndgamePlayer,
    _begin_endgame,
    _choose_endgame,
    _write,
)


@inline
def _exact_column(player: EndgamePlayer, own: np.uint64, mask: np.uint64) -> int:
    layout = player.layout
    winning = completing(layout, own) & playable(layout, mask)
    if winning != ZERO:
        return _column_of(layout, lowest(winning))
    count = rank_moves(player, own, mask)
    for value in (1, 0):  # a win, else a draw
        for number in range(count):
            if keeps_value(player, own, mask, Word(player.moves[number, BIT]), value):
                return player.moves[number, COLUMN]
    return player.moves[0, COLUMN]


@inline
def _column_of(layout: Layout, bit: np.uint64) -> int:
    return signed(popcount(bit - ONE)) // signed(layout.column)


@inline
def rank_moves(player: EndgamePlayer, own: np.uint64, mask: np.uint64) -> int:
    """List all moves, the most promising first; return how many they are."""
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


@late_link
def keeps_value(
    player: EndgamePlayer, own: np.uint64, mask: np.uint64, bit: np.uint64, value: int
) -> bool:
    """Return whether a move that does not win at once keeps a value, 1 or 0.

    The solver is in it: it stays apart, so that a loop that asks at several places has it once.
    """
    mark_no_inline()
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
    for number in range(rank_moves(player, own, mask)):
        bit, column = Word(player.moves[number, BIT]), player.moves[number, COLUMN]
        if winning & bit != ZERO or keeps_value(player, own, mask, bit, 1):
            values[column] = 1
        else:
            values[column] = 0 if keeps_value(player, own, mask, bit, 0) else -1


@jit
def _count_won(
    tables: Tables, board: Board, player: EndgamePlayer, stones: Stones, first: Words, second: Words
) -> int:
    """Return how many of the positions the side to move wins."""
    won = 0
    for one, two in zip(first, second):  # noqa: B905 - strict is unknown to compiled code
        write_stones(tables.cells, one, two, stones)
        load(tables, board, stones)
        own, mask = pack(tables, board, player.layout)
        won += score_of(player.layout, player.solver, own, mask, (0, 1)) > 0
    return won


def count_won(game: Game, first: Words, second: Words) -> int:
    """Return how many positions of `graph.graph` the side to move wins."""
    tables = tables_of(game)
    player = Endgame(RuleList(((),)), game.cells, JUDGE_BITS).compiled(tables)
    stones = np.zeros(game.cells, dtype=np.int8)
    return int(_count_won(tables, new_board(tables), player, stones, first, second))


def game_for(tables: Tables) -> Game:
    """The game of the tables, if its positions can be searched to the end here."""
    game = Game((tables.cells // tables.columns, tables.columns), tables.k, gravity=True)
    if not is_planar(game) or not same_tables(tables, tables_of(game)):
        raise InputError(
            "endgame search needs stones that fall in a plane that does not wrap, a first line "
            "that wins, and (rows + 1) * columns of at most 64"
        )
    return game


class Endgame(MovesFromCompiled):
    """Another player until so many stones are on the board, exact play from then on."""

    def __init__(self, player: CompiledPlayer, stones: int, table_bits: int = TABLE_BITS) -> None:
        check_compiled(player)
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
            compiled_form(self.player, tables),
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
        """Return what it expects of each move of the side to move; exact once it searches."""
        if position.ply < self.stones:
            if not hasattr(self.player, "values"):
                raise InputError(f"{self.name} does not say what it expects of moves")
            return dict(self.player.values(position))
        tables = tables_of(position.game)
        values = np.zeros(tables.columns, dtype=np.int64)
        stones = np.array(position.stones, dtype=np.int8)
        _write_values(tables, new_board(tables), self.compiled(tables), stones, values)
        return {move: float(values[move]) for move in position.legal_moves}


# A player whose moves are judged by exact search, so that its mistakes can be found and corrected.
#
# Where a move that it may choose gives away the value of the position, the position is noted and an
# exact move is played in its place. So a traversal through all games of the judged player
# (`graph.all_games`) meets every position that the corrected player would meet, and the notes are
# all mistakes in them.

MOST_NOTES = 1 << 20
KNOWN_BITS = 22  # of the memory of positions: 32 MiB


class JudgedPlayer(NamedTuple):
    """A player whose mistakes are noted, for compiled loops."""

    player: PlayerArrays
    judge: EndgamePlayer
    book: PerfectPlayer  # for the positions that its book holds
    known: Words  # [2^KNOWN_BITS] keys of positions that were found to be lost by the side to move
    notes: Words  # [MOST_NOTES, 2] positions of mistakes: stones of the side to move, all stones
    noted: Int64s  # [1] how many


def judged(player: CompiledPlayer, game: Game, table_bits: int = JUDGE_BITS) -> JudgedPlayer:
    """Return a player ready to be judged, with nothing noted."""
    tables = tables_of(game)
    return JudgedPlayer(
        compiled_form(player, tables),
        Endgame(RuleList(((),)), tables.cells, table_bits).compiled(tables),
        compiled_perfect(game, "value", game.cells),  # for its book, where there is one
        np.zeros(1 << KNOWN_BITS, dtype=np.uint64),
        np.zeros((MOST_NOTES, 2), dtype=np.uint64),
        np.zeros(1, dtype=np.int64),
    )


def judged_next(before: JudgedPlayer, player: CompiledPlayer, game: Game) -> JudgedPlayer:
    """Return another judged player; the judge keeps what it has found out."""
    before.noted[0] = 0
    return before._replace(player=compiled_form(player, tables_of(game)))


@inline
def _begin_judged(player: JudgedPlayer, stream: Stream) -> None:
    """Never called: only `write_judged` is used."""


@inline
def _choose_judged(tables: Tables, board: Board, player: JudgedPlayer, stream: Stream) -> int:
    """Never called: only `write_judged` is used."""
    return choose(tables, board, player.player, stream)


@jit
def write_judged(tables: Tables, board: Board, player: JudgedPlayer, weights: MoveWeights) -> None:
    """Write what the player may choose, or an exact move if that has a mistake."""
    write_policy(tables, board, player.player, weights)
    layout = player.judge.layout
    own, mask = pack(tables, board, layout)
    # Always from the same side, so that mirror images are judged alike.
    flipped = mirrored(layout, own + mask) < own + mask
    if flipped:
        own, mask = mirrored(layout, own), mirrored(layout, mask)
    count = rank_moves(player.judge, own, mask)
    for value in (1, 0):
        kept = True
        for number in range(count):
            column = player.judge.moves[number, COLUMN]
            chosen = weights[tables.columns - 1 - column if flipped else column] > 0
            bit = Word(player.judge.moves[number, BIT])
            kept = kept and (not chosen or _keeps(player, own, mask, bit, value))
        if kept:
            return
        for number in range(count):
            if _keeps(player, own, mask, Word(player.judge.moves[number, BIT]), value):
                column = player.judge.moves[number, COLUMN]
                weights[:] = 0
                weights[tables.columns - 1 - column if flipped else column] = 1.0
                _note(player, own, mask)
                return


register_player(JudgedPlayer, _begin_judged, _choose_judged, write_judged)


@inline
def _keeps(
    player: JudgedPlayer, own: np.uint64, mask: np.uint64, bit: np.uint64, value: int
) -> bool:
    """Return whether a move keeps a value: by the book, or by a search."""
    layout = player.judge.layout
    if completing(layout, own) & bit != ZERO:
        return True
    after = mask | bit
    key = (own ^ mask) + after
    key = min(key, mirrored(layout, key))
    if signed(popcount(after)) <= player.book.book_ply:
        if completing(layout, own ^ mask) & playable(layout, after) != ZERO:
            return False
        return book_score(player.book, key) <= -value
    place = (key * MULTIPLIER) >> Word(64 - KNOWN_BITS)
    if value == 1 and player.known[place] == key:
        return True
    kept = keeps_value(player.judge, own, mask, bit, value)
    if value == 1 and kept:
        player.known[place] = key
    return kept


@jit
def _write_kept(
    player: JudgedPlayer, own: np.uint64, mask: np.uint64, kept: npt.NDArray[np.bool_]
) -> None:
    """Mark the columns that keep the value of the position."""
    count = rank_moves(player.judge, own, mask)
    for value in (1, 0, -1):
        found = False
        for number in range(count):
            bit = Word(player.judge.moves[number, BIT])
            if value < 0 or _keeps(player, own, mask, bit, value):
                kept[player.judge.moves[number, COLUMN]] = found = True
        if found:
            return


def kept_moves(player: JudgedPlayer, own: int, mask: int) -> list[int]:
    """The moves that keep the value of a position that was noted."""
    kept = np.zeros(player.judge.layout.columns, dtype=np.bool_)
    _write_kept(player, Word(own), Word(mask), kept)
    return [int(move) for move in np.flatnonzero(kept)]


def stones_of(game: Game, own: int, mask: int) -> list[int]:
    """What lies on each cell of a position that was noted: 0, 1 or 2."""
    rows, columns = game.cells // game.columns, game.columns
    mover = 1 + mask.bit_count() % 2
    stones = [0] * game.cells
    for cell in range(game.cells):
        bit = 1 << ((cell % columns) * (rows + 1) + cell // columns)
        if mask & bit:
            stones[cell] = mover if own & bit else 3 - mover
    return stones


@inline
def _note(player: JudgedPlayer, own: np.uint64, mask: np.uint64) -> None:
    if player.noted[0] < len(player.notes):
        player.notes[player.noted[0], 0] = own
        player.notes[player.noted[0], 1] = mask
    player.noted[0] += 1
