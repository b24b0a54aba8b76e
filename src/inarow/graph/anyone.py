"""Every game of a player against any opponent at all, by complete enumeration.

The positions in which the player is to move are gone through stone by stone, each once. From each
of them every move that it may choose is followed (`engine.contest.write_policy` says which), and
after each of these every reply. No solver, no sampling, no learning: what comes out is a proof
about the player, for every board of at most 64 cells whose games are few enough.

A position stands for its mirror image too if the player mirrors its moves. That is not taken on
trust: it is asked in both, in every position, and a player that does not is traversed without.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from inarow.engine.board import new_board
from inarow.engine.contest import PlayerArrays, check_one_policy
from inarow.engine.tables import Int64s, Tables, Words, tables_of
from inarow.game import Game, InputError
from inarow.graph.anyone_steps import (
    DRAWN_GAMES,
    ILLEGAL,
    LOST,
    NOT_MIRRORED,
    POSITIONS,
    WON,
    Found,
    Memory,
    Ways,
    expand,
    open_game,
)
from inarow.graph.states import Layer, check_fits, images_of

__all__ = ["DRAWN_GAMES", "LOST", "POSITIONS", "WON", "EveryGame", "traverse_against_anyone"]

CHUNK = 1 << 16  # positions between two looks at a person who wants to stop
MOST_POSITIONS = 400_000_000  # after which a traversal is given up: about 8 GB
MOST_NUMBERED = 1 << 29  # a layer may become twice as large, and its places are numbers of 31 bits

Progress = Callable[[int], None]  # is told the positions gone through so far


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
class EveryGame:
    """What all games of a player on one side come to."""

    side: int  # the player's: 0 first, 1 second
    mirrored: bool  # whether mirror images count as one position
    counts: Int64s  # [stones, 4] as named above
    lost_game: tuple[int, ...] | None  # the moves of one, a shortest
    drawn_game: tuple[int, ...] | None
    beyond: tuple[Words, Words]  # the positions, as in `states`, where a traversal stopped early

    @property
    def complete(self) -> bool:
        """Whether all games were gone through: if not, nothing good is proven."""
        return not len(self.beyond[0])

    @property
    def positions(self) -> int:
        """In which the player is to move."""
        return int(self.counts[:, POSITIONS].sum())

    @property
    def won(self) -> int:
        """Games that end so. Those that come together in a position and go on alike are one."""
        return int(self.counts[:, WON].sum())

    @property
    def drawn(self) -> int:
        """The same."""
        return int(self.counts[:, DRAWN_GAMES].sum())

    @property
    def lost(self) -> int:
        """The same."""
        return int(self.counts[:, LOST].sum())


class _ReachedLayer(Layer):
    """Positions with as many stones, at the player's turn."""

    def __init__(self, capacity: int) -> None:
        super().__init__(capacity)
        self.ways = Ways(np.zeros(capacity, dtype=np.int32), np.zeros(capacity, dtype=np.int32))

    def grow(self) -> None:
        super().grow()
        parent, turn = (np.concatenate([old, np.zeros_like(old)]) for old in self.ways)
        self.ways = Ways(parent, turn)

    @property
    def found(self) -> Found:
        """For compiled code."""
        return Found(self.first, self.second, self.slots, self.ways)


def traverse_against_anyone(
    game: Game,
    player: PlayerArrays,
    side: int,
    most: int = MOST_POSITIONS,
    progress: Progress = lambda positions: None,
    stones: int | None = None,
    enough: int | None = None,
) -> EveryGame:
    """All games of a compiled player on a side: 0 first, 1 second.

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
    """Where each cell goes if the last axis is turned round: a symmetry of every board.

    Not so if that axis is the height in which stones fall: then all cells stay where they are.
    """
    cells = np.arange(game.cells, dtype=np.int32).reshape(game.shape)
    if game.gravity and len(game.shape) == 1:
        return cells
    return np.ascontiguousarray(np.flip(cells, axis=-1)).reshape(-1)


class _Traversal:
    """One traversal."""

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
        self.memory = Memory(
            new_board(self.tables),
            np.zeros(game.cells, dtype=np.int8),
            np.zeros((2, game.columns)),
            images_of(game, np.stack([itself, mirror] if mirrored else [itself])),
            mirror,
            np.full((4, 2), -1, dtype=np.int64),
        )
        self.counts = np.zeros((game.cells + 1, 4), dtype=np.int64)
        self.ways = list[Ways]()  # of the layers so far
        self.games: dict[int, tuple[int, ...]] = {}  # for each result one that ends so

    def run(self, end: int, enough: int | None) -> EveryGame:
        """Stone by stone, until no game goes on."""
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
            self.ways.append(Ways(*(array[: layer.count].copy() for array in layer.ways)))
            layer = self._next(layer, stones)
            stones += 2
        lost, drawn = self.games.get(LOST), self.games.get(DRAWN_GAMES)
        beyond = layer.first[: layer.count], layer.second[: layer.count]
        return EveryGame(self.side, self.mirrored, self.counts, lost, drawn, beyond)

    @property
    def positions(self) -> int:
        """Gone through so far."""
        return int(self.counts[:, POSITIONS].sum())

    def _next(self, layer: _ReachedLayer, stones: int) -> _ReachedLayer:
        """The positions two stones later."""
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
        """Games that ended with the moves from a layer, one for each result not seen before."""
        for result in (DRAWN_GAMES, LOST):
            place, turn = (int(part) for part in self.memory.examples[result])
            if place >= 0 and result not in self.games:
                self.games[result] = self._moves_to(number, place, turn)

    def _moves_to(self, number: int, place: int, turn: int) -> tuple[int, ...]:
        """The moves to a position of a layer and the turn that follows, as they were played."""
        turns = [turn]
        for ways in self.ways[number::-1] if number >= 0 else []:
            turns.append(int(ways.turn[place]))
            place = int(ways.parent[place])
        turns.reverse()
        if self.side == 0:  # the empty board, which no turn has led to
            del turns[0]
        return _replayed(self.game, self.memory.mirror, turns)


def _replayed(game: Game, mirror: npt.NDArray[np.int32], turns: list[int]) -> tuple[int, ...]:
    """The moves of turns, each as it lies on the board that the moves before have led to."""
    moves, turned, columns = list[int](), False, game.columns
    for turn in turns:
        both, flipped = divmod(turn, 2)
        for move in divmod(both, columns + 1):
            if move < columns:
                moves.append(int(mirror[move]) % columns if turned else move)
        turned ^= bool(flipped)
    return tuple(moves)
