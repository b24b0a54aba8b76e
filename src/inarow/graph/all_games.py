"""Every game of a player against any opponent at all, by complete enumeration.

The positions in which the player is to move are gone through stone by stone, each once. From each
of them every move that it may choose is followed (`engine.players.write_policy` says which), and
after each of these every reply. No solver, no sampling, no learning: what comes out is a proof
about the player, for every board of at most 64 cells whose games are few enough.

A position stands for its mirror image too if the player mirrors its moves. That is not taken on
trust: it is asked in both, in every position, and a player that does not is traversed without.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import (
    DRAWN,
    FIRST_WON,
    GOING_ON,
    OPEN,
    STATE,
    Board,
    Int8s,
    Int64s,
    Tables,
    Words,
    load,
    new_board,
    place,
    tables_of,
    undo,
)
from inarow.engine.jit import inline, jit, mark_no_inline, no_inline
from inarow.engine.players import PlayerArrays, check_one_policy, write_policy
from inarow.game import Game, InputError
from inarow.game.progress import Progress, mute
from inarow.graph.graph import Layer, check_fits, find_slot, image_of, images_of, write_stones

# The compiled steps of the traversal.

# What is counted in a row for each number of stones, where the player is to move: the positions,
# and the games that end with its move or the reply to it.
POSITIONS, WON, DRAWN_GAMES, LOST = range(4)
# Why `expand` stopped before the end.
NOTHING, NOT_MIRRORED, ILLEGAL = range(3)


class Origins(NamedTuple):
    """The origin of each position of a layer: its parent and the turn that led to it."""

    parent: npt.NDArray[np.int32]  # the place in the layer before
    turn: npt.NDArray[np.int32]  # see `_turn`


class LayerArrays(NamedTuple):
    """A layer in the making, as compiled code sees it."""

    first: Words
    second: Words
    slots: npt.NDArray[np.int32]
    ways: Origins


class Workspace(NamedTuple):
    """The working memory of one traversal."""

    board: Board
    stones: Int8s
    weights: npt.NDArray[np.float64]  # [2, columns] of the moves, and of the mirror image's
    images: Words  # [1 or 2, bytes, 256]: nothing, and the mirror
    mirror: npt.NDArray[np.int32]  # [cells] where the mirror takes each
    examples: Int64s  # [4, 2] for each result a game that ends so: the position, and the turn


@inline
def _turn(tables: Tables, move: int, reply: int, flipped: int) -> int:
    """Pack a move, the reply to it and whether the image is kept into one number."""
    return ((move * (tables.columns + 1)) + reply) * 2 + flipped


@inline
def _count_end(
    tables: Tables, memory: Workspace, side: int, here: int, move: int, reply: int, counts: Int64s
) -> None:
    """Count a game that is over."""
    state = memory.board.counters[STATE]
    result = WON if state == FIRST_WON + side else (DRAWN_GAMES if state == DRAWN else LOST)
    counts[result] += 1
    if memory.examples[result, 0] < 0:
        memory.examples[result, 0] = here
        memory.examples[result, 1] = _turn(tables, move, reply, 0)


@inline
def _reply(
    tables: Tables,
    memory: Workspace,
    first: np.uint64,
    second: np.uint64,
    side: int,
    here: int,
    move: int,
    found: LayerArrays,
    count: int,
    counts: Int64s,
) -> int:
    """Try every move of the opponent; return how many positions are found by then."""
    board = memory.board
    other = 1 - side
    for i in range(board.counters[OPEN]):
        cell = int(np.int64(board.open_cells[i]))
        place(tables, board, cell)
        if board.counters[STATE] != GOING_ON:
            _count_end(tables, memory, side, here, move, cell % tables.columns, counts)
        else:
            stone = np.uint64(1) << np.uint64(cell)
            one = first | stone if other == 0 else first
            two = second | stone if other == 1 else second
            flipped = 0
            if len(memory.images) > 1:
                image = image_of(memory.images, 1, one)
                image_two = image_of(memory.images, 1, two)
                if image < one or (image == one and image_two < two):
                    one, two, flipped = image, image_two, 1
            slot = find_slot(found.slots, found.first, found.second, one, two)
            if found.slots[slot] < 0:
                found.first[count], found.second[count] = one, two
                found.slots[slot] = count
                found.ways.parent[count] = here
                found.ways.turn[count] = _turn(tables, move, cell % tables.columns, flipped)
                count += 1
        undo(tables, board)
    return count


@jit
def open_game(
    tables: Tables, memory: Workspace, start: LayerArrays, found: LayerArrays, counts: Int64s
) -> int:
    """Make the opponent's first move, where the player is second."""
    memory.stones[:] = 0
    load(tables, memory.board, memory.stones)
    return _reply(
        tables, memory, start.first[0], start.second[0], 1, 0, tables.columns, found, 0, counts
    )


@no_inline
def _ask(
    tables: Tables,
    memory: Workspace,
    player: PlayerArrays,
    first: np.uint64,
    second: np.uint64,
    row: int,
) -> None:
    """Put a position on the board and write what the player may choose."""
    mark_no_inline()  # all of the player is in it, and `_ask_both` asks at two places
    write_stones(tables.cells, first, second, memory.stones)
    load(tables, memory.board, memory.stones)
    memory.weights[row, :] = 0
    write_policy(tables, memory.board, player, memory.weights[row])


@inline
def _mirrors(tables: Tables, memory: Workspace) -> bool:
    """Return whether the same moves are chosen in the mirror image."""
    for move in range(tables.columns):
        image = memory.mirror[move] % tables.columns
        if (memory.weights[0, move] == 0) != (memory.weights[1, image] == 0):
            return False
    return True


@inline
def _ask_both(
    tables: Tables, memory: Workspace, player: PlayerArrays, first: np.uint64, second: np.uint64
) -> bool:
    """Ask in a position and its mirror image; return whether both agree."""
    turned = False
    if len(memory.images) > 1:
        image_first = image_of(memory.images, 1, first)
        image_second = image_of(memory.images, 1, second)
        turned = image_first != first or image_second != second
        if turned:
            _ask(tables, memory, player, image_first, image_second, 1)
    _ask(tables, memory, player, first, second, 0)
    return not turned or _mirrors(tables, memory)


@jit
def expand(
    tables: Tables,
    memory: Workspace,
    player: PlayerArrays,
    layer: LayerArrays,
    done: int,
    end: int,
    found: LayerArrays,
    count: int,
    side: int,
    counts: Int64s,
) -> tuple[int, int, int]:
    """Follow all moves from positions `done` to `end`, or until there may be no more room.

    Returns how many positions are done, how many were found, and why it stopped, if it did.
    """
    board = memory.board
    columns = tables.columns
    while done < end and count + columns * columns <= len(found.first):
        first, second = layer.first[done], layer.second[done]
        if not _ask_both(tables, memory, player, first, second):
            return done, count, NOT_MIRRORED
        chosen = 0
        for move in range(columns):
            if memory.weights[0, move] == 0:
                continue
            cell = move
            while cell >= 0 and board.stones[cell] != 0:
                cell = int(np.int64(tables.above[cell]))
            if cell < 0:
                return done, count, ILLEGAL
            chosen += 1
            place(tables, board, cell)
            if board.counters[STATE] != GOING_ON:
                _count_end(tables, memory, side, done, move, columns, counts)
            else:
                stone = np.uint64(1) << np.uint64(cell)
                one = first | stone if side == 0 else first
                two = second | stone if side == 1 else second
                count = _reply(tables, memory, one, two, side, done, move, found, count, counts)
            undo(tables, board)
        if chosen == 0:
            return done, count, ILLEGAL
        counts[POSITIONS] += 1
        done += 1
    return done, count, NOTHING


# The traversal, and what it found.

CHUNK = 1 << 16  # positions between two looks at a person who wants to stop
MOST_POSITIONS = 400_000_000  # after which a traversal is given up: about 8 GB
MOST_NUMBERED = 1 << 29  # a layer may become twice as large, and its places are numbers of 31 bits


class TooManyPositionsError(InputError):
    """A traversal was given up."""

    def __init__(self, positions: int) -> None:
        super().__init__(
            f"given up after {positions:,} positions: the games of this player against anyone are "
            "too many to be enumerated"
        )


class _NotMirroredError(Exception):
    """The player does not mirror its moves."""


@dataclass(frozen=True)
class AllGames:
    """All games of a player on one side, and how they end."""

    side: int  # the player's: 0 first, 1 second
    mirrored: bool  # whether mirror images count as one position
    counts: Int64s  # [stones, 4] as named above
    lost_game: tuple[int, ...] | None  # the moves of one, a shortest
    drawn_game: tuple[int, ...] | None
    beyond: tuple[Words, Words]  # the positions where a traversal stopped early

    @property
    def complete(self) -> bool:
        """Whether all games were gone through: if not, nothing good is proven."""
        return not len(self.beyond[0])

    @property
    def positions(self) -> int:
        """The number of positions in which the player is to move."""
        return int(self.counts[:, POSITIONS].sum())

    @property
    def won(self) -> int:
        """The number of won games; those that meet in a position count once from there."""
        return int(self.counts[:, WON].sum())

    @property
    def drawn(self) -> int:
        """The number of drawn games."""
        return int(self.counts[:, DRAWN_GAMES].sum())

    @property
    def lost(self) -> int:
        """The number of lost games."""
        return int(self.counts[:, LOST].sum())


class _ReachedLayer(Layer):
    """Positions with as many stones, at the player's turn."""

    def __init__(self, capacity: int) -> None:
        super().__init__(capacity)
        self.ways = Origins(np.zeros(capacity, dtype=np.int32), np.zeros(capacity, dtype=np.int32))

    def grow(self) -> None:
        super().grow()
        parent, turn = (np.concatenate([old, np.zeros_like(old)]) for old in self.ways)
        self.ways = Origins(parent, turn)

    @property
    def found(self) -> LayerArrays:
        """The layer as compiled code sees it."""
        return LayerArrays(self.first, self.second, self.slots, self.ways)


def play_all_games(
    game: Game,
    player: PlayerArrays,
    side: int,
    most: int = MOST_POSITIONS,
    progress: Progress = mute,  # told the positions gone through so far
    stones: int | None = None,
    enough: int | None = None,
) -> AllGames:
    """Traverse all games of a compiled player on a side.

    It is given up if more than `most` positions are to be gone through, or are found at once. With
    `stones` only positions with fewer of them are gone through. With `enough`, a player that has
    lost a game is followed no further than about so many positions.
    """
    check_fits(game)
    check_one_policy(player)
    end = game.cells if stones is None else stones
    most = min(most, MOST_NUMBERED)
    try:
        return _Traversal(game, player, side, most, progress, mirrored=True).run(end, enough)
    except _NotMirroredError:
        return _Traversal(game, player, side, most, progress, mirrored=False).run(end, enough)


def mirror_of(game: Game) -> npt.NDArray[np.int32]:
    """Return where each cell goes if the last axis is turned round: a symmetry of every board.

    Not so if that axis is the height in which stones fall: then all cells stay where they are.
    """
    cells = np.arange(game.cells, dtype=np.int32).reshape(game.shape)
    if game.gravity and len(game.shape) == 1:
        return cells
    return np.ascontiguousarray(np.flip(cells, axis=-1)).reshape(-1)


class _Traversal:
    """A traversal on its way, stone by stone."""

    def __init__(
        self,
        game: Game,
        player: PlayerArrays,
        side: int,
        most: int,
        progress: Progress,
        mirrored: bool,
    ) -> None:
        self.game, self.player, self.side = game, player, side
        self.most, self.progress, self.mirrored = most, progress, mirrored
        self.tables: Tables = tables_of(game)
        mirror = mirror_of(game)
        itself = np.arange(game.cells, dtype=np.int32)
        self.memory = Workspace(
            new_board(self.tables),
            np.zeros(game.cells, dtype=np.int8),
            np.zeros((2, game.columns)),
            images_of(game, np.stack([itself, mirror] if mirrored else [itself])),
            mirror,
            np.full((4, 2), -1, dtype=np.int64),
        )
        self.counts = np.zeros((game.cells + 1, 4), dtype=np.int64)
        self.ways = list[Origins]()  # of the layers so far
        self.games: dict[int, tuple[int, ...]] = {}  # for each result one that ends so

    def run(self, end: int, enough: int | None) -> AllGames:
        """Go on stone by stone, until no game goes on."""
        layer = _ReachedLayer(64)
        layer.count, stones = 1, 0
        if self.side == 1:
            before, layer = layer, _ReachedLayer(1 << (self.game.columns + 64).bit_length())
            layer.count = open_game(
                self.tables, self.memory, before.found, layer.found, self.counts[0]
            )
            self._note_examples(-1)
            stones = 1
        while layer.count and stones < end:
            if enough is not None and LOST in self.games and self.positions > enough:
                break
            self.ways.append(Origins(*(array[: layer.count].copy() for array in layer.ways)))
            layer = self._next(layer, stones)
            stones += 2
        lost, drawn = self.games.get(LOST), self.games.get(DRAWN_GAMES)
        beyond = layer.first[: layer.count], layer.second[: layer.count]
        return AllGames(self.side, self.mirrored, self.counts, lost, drawn, beyond)

    @property
    def positions(self) -> int:
        """Gone through so far."""
        return int(self.counts[:, POSITIONS].sum())

    def _next(self, layer: _ReachedLayer, stones: int) -> _ReachedLayer:
        """Return the positions two stones later."""
        gone_through = self.positions
        if gone_through + layer.count > self.most:
            raise TooManyPositionsError(gone_through)
        after, done = _ReachedLayer(max(64, 1 << layer.count.bit_length())), 0
        while done < layer.count:
            end = min(done + CHUNK, layer.count)
            done, after.count, why = expand(
                self.tables,
                self.memory,
                self.player,
                layer.found,
                done,
                end,
                after.found,
                after.count,
                self.side,
                self.counts[stones],
            )
            if why == NOT_MIRRORED:
                raise _NotMirroredError
            if why == ILLEGAL:
                raise InputError("the player states a move that cannot be played, or none at all")
            if done < end:
                if after.count > self.most:  # else one layer could take any memory
                    raise TooManyPositionsError(gone_through + done)
                after.grow()
            self.progress(gone_through + done)
        self._note_examples(len(self.ways) - 1)
        return after

    def _note_examples(self, number: int) -> None:
        """Note games that ended, one for each result not seen before."""
        for result in (DRAWN_GAMES, LOST):
            place, turn = (int(part) for part in self.memory.examples[result])
            if place >= 0 and result not in self.games:
                self.games[result] = self._moves_to(number, place, turn)

    def _moves_to(self, number: int, place: int, turn: int) -> tuple[int, ...]:
        """Return the moves to a position and the turn that follows, as they were played."""
        turns = [turn]
        for ways in self.ways[number::-1] if number >= 0 else []:
            turns.append(int(ways.turn[place]))
            place = int(ways.parent[place])
        turns.reverse()
        if self.side == 0:  # the empty board, which no turn has led to
            del turns[0]
        return _replayed(self.game, self.memory.mirror, turns)


def _replayed(game: Game, mirror: npt.NDArray[np.int32], turns: list[int]) -> tuple[int, ...]:
    """Return the moves of turns, each on the board that the moves before led to."""
    moves, turned, columns = list[int](), False, game.columns
    for turn in turns:
        both, flipped = divmod(turn, 2)
        for move in divmod(both, columns + 1):
            if move < columns:
                moves.append(int(mirror[move]) % columns if turned else move)
        turned ^= bool(flipped)
    return tuple(moves)
