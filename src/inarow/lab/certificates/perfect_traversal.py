"""Every game of a compiled player against all replies of perfect play.

What the player may choose in a position, and how likely, it says itself (`write_policy`), and
perfect play draws evenly among its best moves. So the games are a net of positions that can be
traversed whole, stone by stone, those that are met twice once: what comes out is no sample but the
exact chance of every result.

Perfect play's moves keep a position's score, so the value of each position is known on the way,
and also where the player gives something away. The player and perfect play are compiled.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from threading import Lock
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import Board, Int64s, Stones, Tables, Words, load, new_board, tables_of
from inarow.engine.jit import inline, jit
from inarow.engine.players import (
    CompiledPlayer,
    MoveWeights,
    PlayerArrays,
    check_one_policy,
    compiled_form,
    scaled,
    write_policy,
)
from inarow.game import Game, InputError
from inarow.game.progress import Progress, mute
from inarow.graph.odds import check_total
from inarow.search.bitboard import ONE, ZERO, Layout, Word, lowest
from inarow.search.opening_book import shipped_book
from inarow.search.perfect import (
    MOST_CELLS,
    PerfectPlayer,
    bit_of,
    cell_of,
    compiled_perfect,
    remembered_moves,
)
from inarow.search.solver import is_planar

MAX_POSITIONS = 5_000_000  # after which a traversal is given up, unless said otherwise
CHUNK = 256  # positions between two looks at a person who wants to stop
UNKNOWN = -100  # a score below any
WIN, DRAW, LOSS = range(3)  # results, for the player
RESULTS = ("win", "draw", "loss")

Chances = npt.NDArray[np.float64]


class Layer(NamedTuple):
    """The positions with as many stones, each once."""

    own: Words  # stones of the side to move
    mask: Words  # all stones
    chance: Chances  # to come here
    score: Int64s  # for the side to move: the player's exactly, perfect play's at least
    parent: Int64s  # the place in the layer before of one position that this comes from
    move: Int64s  # and the column played there


class Edges(NamedTuple):
    """Moves from the positions of a layer."""

    parent: Int64s  # where they come from
    move: Int64s
    chance: Chances
    score: Int64s  # of the position after, for the side to move there: known, or at least
    ends: npt.NDArray[np.bool_]  # whether they win

    def those(self, which: npt.NDArray[np.bool_]) -> Edges:
        """Return the edges that a mask selects."""
        parent, move, chance, score, ends = self
        return Edges(parent[which], move[which], chance[which], score[which], ends[which])


@dataclass(frozen=True)
class Mistake:
    """A position that the player meets, where its move lowers the position's value."""

    moves: tuple[int, ...]  # a game that leads there
    move: int  # what it plays
    before: int  # the position's value to it: 1, 0 or -1
    after: int
    chance: float  # to come there


@dataclass(frozen=True)
class ExactTraversal:
    """The results of all games of a traversal."""

    side: int  # the player's: 0 or 1
    replies: str  # best or value: which of perfect play's moves were followed
    positions: int  # gone through
    chances: tuple[float, float, float]  # of a win, a draw and a loss for the player
    games: tuple[tuple[int, ...] | None, ...]  # one that ends so, for each
    mistakes: tuple[Mistake, ...]  # the likeliest first

    @property
    def worst(self) -> int:
        """The worst result that is met."""
        return max(result for result in (WIN, DRAW, LOSS) if self.games[result] is not None)


class TooManyError(InputError):
    """A traversal met more positions than allowed."""

    def __init__(self, positions: int) -> None:
        super().__init__(f"given up after {positions:,} positions")
        self.positions = positions


def reaches(game: Game) -> bool:
    """Return whether perfect play is compiled for the game."""
    return is_planar(game) and (game.cells <= MOST_CELLS or shipped_book(game) is not None)


class Traverser:
    """Traversals for one game; what perfect play has found out stays known for the next."""

    def __init__(self, game: Game, replies: str = "best") -> None:
        self.game, self.replies = game, replies
        self.perfect = compiled_perfect(game, replies)
        self.tables: Tables = tables_of(game)
        self.board, self.stones = new_board(self.tables), np.zeros(game.cells, dtype=np.int8)
        self._lock = Lock()  # one traversal at a time: they share the memory

    def traverse(
        self,
        player: CompiledPlayer,
        side: int = 0,
        limit: int = MAX_POSITIONS,
        progress: Progress = mute,  # told the positions gone through so far
    ) -> ExactTraversal:
        """Go through all games of a compiled player on a side; refuse more than the limit."""
        with self._lock:
            return _Traversal(self, player, side, limit, progress).run()


class _Traversal:
    """A traversal under way, layer by layer."""

    def __init__(
        self,
        traverser: Traverser,
        player: CompiledPlayer,
        side: int,
        limit: int,
        progress: Progress,
    ) -> None:
        self.traverser, self.side, self.limit, self.progress = traverser, side, limit, progress
        self.arrays = compiled_form(player, traverser.tables)
        check_one_policy(self.arrays)
        self.layers = [_start()]
        self.positions = 0
        self.chances = [0.0, 0.0, 0.0]
        self.games: list[tuple[int, ...] | None] = [None, None, None]
        self.mistakes = list[Mistake]()
        self.played: tuple[Edges, Int64s]  # the player's last moves, and where they lead to

    def run(self) -> ExactTraversal:
        """Go through the games stone by stone, until none goes on."""
        while len(self.layers[-1].own):
            layer = self.layers[-1]
            if self.positions + len(layer.own) > self.limit:
                raise TooManyError(self.positions)
            ply = len(self.layers) - 1
            if ply == 0:
                layer.score[:] = self._ask_perfect(layer, 0)[1]
            if ply % 2 == self.side:
                self._player_moves(layer, ply)
            else:
                self._perfect_moves(layer, ply)
            self.positions += len(layer.own)
        check_total(self.chances)
        mistakes = sorted(self.mistakes, key=lambda mistake: -mistake.chance)
        traverser, chances = self.traverser, (self.chances[0], self.chances[1], self.chances[2])
        return ExactTraversal(
            self.side,
            traverser.replies,
            self.positions,
            chances,
            tuple(self.games),
            tuple(mistakes),
        )

    def _in_chunks(self, count: int) -> Iterator[slice]:
        for start in range(0, count, CHUNK):
            part = slice(start, min(start + CHUNK, count))
            yield part
            self.progress(self.positions + part.stop)

    def _player_moves(self, layer: Layer, ply: int) -> None:
        traverser, count = self.traverser, len(layer.own)
        odds = np.zeros((count, traverser.game.columns))
        for part in self._in_chunks(count):
            ask_player(
                traverser.tables,
                traverser.board,
                traverser.stones,
                traverser.perfect.layout,
                self.arrays,
                layer.own[part],
                layer.mask[part],
                ply,
                odds[part],
            )
        edges = self._edges(layer, ply, odds, -layer.score)
        self.played = edges, self._go_on(layer, ply, edges)
        if ply + 1 == traverser.game.cells:
            self._note_mistakes(np.where(edges.ends, -1, 0))

    def _perfect_moves(self, layer: Layer, ply: int) -> None:
        traverser, (bits, scores) = self.traverser, self._ask_perfect(layer, ply)
        if ply:
            edges, place = self.played
            after = np.full(len(edges.parent), -1)  # the player has won
            after[~edges.ends] = np.sign(scores[place])
            self._note_mistakes(after)
        columns = np.arange(traverser.game.columns, dtype=np.uint64)
        odds = ((bits[:, None] >> columns) & ONE).astype(np.float64)
        self._go_on(layer, ply, self._edges(layer, ply, odds, -scores))

    def _edges(self, layer: Layer, ply: int, odds: Chances, scores: Int64s) -> Edges:
        """Return the moves that are made at all, by the odds of each column in each position."""
        traverser = self.traverser
        shares = scaled(odds)
        totals = shares.sum(axis=1)
        if not (np.isfinite(totals) & (totals > 0) & (shares >= 0).all(axis=1)).all():
            raise InputError("a player has no move in a position that goes on")
        parent, move = np.nonzero(odds)
        chance = layer.chance[parent] * shares[parent, move] / totals[parent]
        ends = np.zeros(len(parent), dtype=np.bool_)
        find_ends(
            traverser.tables,
            traverser.board,
            traverser.stones,
            traverser.perfect.layout,
            layer.own[parent],
            layer.mask[parent],
            ply,
            move,
            ends,
        )
        return Edges(parent, move, chance, scores[parent], ends)

    def _ask_perfect(self, layer: Layer, ply: int) -> tuple[Words, Int64s]:
        traverser, count = self.traverser, len(layer.own)
        bits, scores = np.zeros(count, dtype=np.uint64), np.zeros(count, dtype=np.int64)
        for part in self._in_chunks(count):
            ask_perfect(
                traverser.tables,
                traverser.board,
                traverser.stones,
                traverser.perfect,
                layer.own[part],
                layer.mask[part],
                layer.score[part],
                ply,
                bits[part],
                scores[part],
            )
        return bits, scores

    def _go_on(self, layer: Layer, ply: int, edges: Edges) -> Int64s:
        """The next layer: games that end are counted, positions that are met twice put together.

        Returns where each move that goes on leads to.
        """
        self._count(WIN if ply % 2 == self.side else LOSS, edges.those(edges.ends))
        on = edges.those(~edges.ends)
        if ply + 1 == self.traverser.game.cells:
            self._count(DRAW, on)
            on = on.those(np.zeros(len(on.parent), dtype=np.bool_))
        rows = Word(self.traverser.game.shape[0] + 1)
        mask, own = layer.mask[on.parent], layer.own[on.parent]
        after = mask | (mask + (ONE << (on.move.astype(np.uint64) * rows)))
        keys, first, place = np.unique((mask ^ own) + after, return_index=True, return_inverse=True)
        chance, score = np.zeros(len(keys)), np.full(len(keys), UNKNOWN)
        np.add.at(chance, place, on.chance)
        np.maximum.at(score, place, on.score)
        self.layers.append(
            Layer(
                (mask ^ own)[first], after[first], chance, score, on.parent[first], on.move[first]
            )
        )
        return place

    def _count(self, result: int, edges: Edges) -> None:
        if len(edges.parent):
            self.chances[result] += float(edges.chance.sum())
            if self.games[result] is None:
                number = len(self.layers) - 1
                self.games[result] = (*self._line(number, edges.parent[0]), int(edges.move[0]))

    def _note_mistakes(self, after: Int64s) -> None:
        """Count mistakes by `after`: what perfect play has after the player's last moves."""
        edges, number = self.played[0], len(self.layers) - 2
        before = np.sign(edges.score)
        for edge in np.nonzero(after > before)[0]:
            line, move = self._line(number, edges.parent[edge]), int(edges.move[edge])
            was, becomes = -int(before[edge]), -int(after[edge])
            self.mistakes.append(Mistake(line, move, was, becomes, float(edges.chance[edge])))

    def _line(self, number: int, place: int) -> tuple[int, ...]:
        """Return the moves to a position of a layer."""
        moves = list[int]()
        for layer in self.layers[number:0:-1]:
            moves.append(int(layer.move[place]))
            place = layer.parent[place]
        return tuple(reversed(moves))


def _start() -> Layer:
    """Return the layer of the empty board."""
    none, zero = np.zeros(1, dtype=np.uint64), np.zeros(1, dtype=np.int64)
    return Layer(none, none.copy(), np.ones(1), np.full(1, UNKNOWN), zero, zero.copy())


# The compiled steps of a traversal through a player's games against perfect play.
#
# They answer for many positions at once, each given by two words as in `search.bitboard`: the
# stones of the side to move, and all stones.


@inline
def set_up(
    tables: Tables,
    board: Board,
    stones: Stones,
    layout: Layout,
    own: np.uint64,
    mask: np.uint64,
    ply: int,
) -> None:
    """Put a position of two words on the board."""
    mover = (ply & 1) + 1
    for cell in range(tables.cells):
        bit = bit_of(tables, layout, cell)
        stones[cell] = 0 if mask & bit == ZERO else (mover if own & bit != ZERO else 3 - mover)
    load(tables, board, stones)


@jit
def ask_player(
    tables: Tables,
    board: Board,
    stones: Stones,
    layout: Layout,
    player: PlayerArrays,
    owns: Words,
    masks: Words,
    ply: int,
    weights: MoveWeights,
) -> None:
    """The weight of each column that the player may choose, in each position."""
    for i in range(len(owns)):
        set_up(tables, board, stones, layout, owns[i], masks[i], ply)
        write_policy(tables, board, player, weights[i])


@jit
def ask_perfect(
    tables: Tables,
    board: Board,
    stones: Stones,
    perfect: PerfectPlayer,
    owns: Words,
    masks: Words,
    least: Int64s,
    ply: int,
    moves: Words,
    scores: Int64s,
) -> None:
    """The columns that perfect play may choose in each position, a bit for each, and its score.

    It remembers the last position and its score, since a position's value is as high at least: here
    that is any stone of the other side less, and the score that is given.
    """
    for i in range(len(owns)):
        own, mask = owns[i], masks[i]
        set_up(tables, board, stones, perfect.layout, own, mask, ply)
        perfect.last[0], perfect.last[1] = own, mask ^ lowest(own ^ mask)
        perfect.found[0] = least[i]
        moves[i] = remembered_moves(tables, board, perfect, own, mask)
        scores[i] = perfect.found[0]


@jit
def find_ends(
    tables: Tables,
    board: Board,
    stones: Stones,
    layout: Layout,
    owns: Words,
    masks: Words,
    ply: int,
    moves: Int64s,
    ends: npt.NDArray[np.bool_],
) -> None:
    """Return whether each move wins."""
    for i in range(len(owns)):
        set_up(tables, board, stones, layout, owns[i], masks[i], ply)
        cell = cell_of(tables, layout, masks[i], moves[i])
        ends[i] = board.threat[ply & 1, cell] > 0
