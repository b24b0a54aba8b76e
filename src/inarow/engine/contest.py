"""Compiled players: what they do, and how they are asked.

A player is a NamedTuple of arrays; what it does is looked up by its type when a loop is
compiled, so a new kind of player is three functions, made known by `register_player`. Learners'
loops have their opponent written into them. Others take players of any kind through entry points,
so that a kind is compiled once and not for everybody whom it meets.

What a player chooses hangs on the stones and on its random numbers, and on nothing else: not on
the order in which the stones came, which the lists of a board follow. `write_policy` says of every
move how likely it is; proofs rest on it.
"""
# ruff: noqa: ARG001  (functions chosen by type use none of their arguments themselves)

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from inarow.engine.aside import Call, compile_aside
from inarow.engine.board import Board, load
from inarow.engine.by_type import by_type
from inarow.engine.entry_points import call_entry, entry_point, words_of
from inarow.engine.jit import inline, jit
from inarow.engine.rules import RulePlayer, Scan, begin_rules, choose_by_rules, write_rule_policy
from inarow.engine.streams import Stream
from inarow.engine.tables import Int64s, Tables
from inarow.game import InputError

PlayerArrays = tuple[object, ...]  # a NamedTuple of a type that `register_player` knows

Weights = npt.NDArray[np.float64]  # [columns] of every move; a move is played with its share


@runtime_checkable
class CompiledPlayer(Protocol):
    """A player that compiled loops can play."""

    def compiled(self, tables: Tables) -> PlayerArrays:
        """The player as arrays, with a memory of its own: one for each loop."""


Parts = Callable[..., Iterable[Call]]  # with the arguments of `no_parts`


def no_parts(tables: Tables, board: Board, player: PlayerArrays, stream: Stream) -> Iterable[Call]:
    """Of a player that is compiled as a whole."""
    return ()


class Kind(NamedTuple):
    """What players of a type do: compiled functions with the arguments of those below."""

    begin: Callable[..., object]
    choose: Callable[..., object]
    write_policy: Callable[..., object] | None  # None: nobody knows how likely its moves are
    parts: Parts


_KINDS: dict[type, Kind] = {}


def register_player(
    kind: type,
    begin: Callable[..., object],
    choose: Callable[..., object],
    write_policy: Callable[..., object] | None,
    parts: Parts = no_parts,
) -> None:
    """Says what players of a type do. Proofs rest on `write_policy`: all that `choose` may do.

    A player without it is never proven anything of (`check_one_policy`). `parts` names functions
    of its own that take seconds to compile, and can be compiled beside the rest (`aside`).
    """
    _KINDS[kind] = Kind(begin, choose, write_policy, parts)


register_player(RulePlayer, begin_rules, choose_by_rules, write_rule_policy)


@by_type("player", _KINDS)
def begin(player: PlayerArrays, stream: Stream) -> None:
    """Lets a player prepare for a new game."""
    raise TypeError(f"{type(player).__name__} is not a compiled player")


@by_type("player", _KINDS)
def choose(tables: Tables, board: Board, player: PlayerArrays, stream: Stream) -> int:
    """The cell that a player chooses."""
    raise TypeError(f"{type(player).__name__} is not a compiled player")


@by_type("player", _KINDS)
def write_policy(tables: Tables, board: Board, player: PlayerArrays, weights: Weights) -> None:
    """Writes the weight of every move that `choose` may choose; `weights` is all 0 before."""
    raise TypeError(f"{type(player).__name__} is not a compiled player")


def check_one_policy(player: PlayerArrays) -> None:
    """Refuses a player that has no policy, or whose moves hang on what it drew before the game."""
    if type(player) in _KINDS and _KINDS[type(player)].write_policy is None:
        raise InputError(
            "a player whose moves follow from random simulations has no policy to state: it is "
            "stochastic, and nothing can be proven of it"
        )
    if isinstance(player, RulePlayer) and player.scan == Scan.GAME:
        raise InputError(
            "an order kept for a game is not a policy: its moves depend on earlier ones"
        )
    if isinstance(player, RulePlayer) and len(player.rules) > 1:
        raise InputError("rules drawn for each game are several policies: take one of them")
    for part in player:  # one player may be made of another
        if isinstance(part, tuple) and type(part) in _KINDS:
            check_one_policy(part)


class Turn(NamedTuple):
    """A player at a board, and what it needs to move there."""

    tables: Tables
    board: Board
    player: PlayerArrays
    stream: Stream


BEGIN, CHOOSE = 0, 1  # what `_take_turn` is asked for


@inline
def _take_turn(turn: Turn, action: int) -> np.int64:
    """Lets a player prepare for a new game, or choose a cell."""
    if action == BEGIN:
        begin(turn.player, turn.stream)
        return np.int64(0)
    return np.int64(choose(turn.tables, turn.board, turn.player, turn.stream))


@jit
def _enter(turn: Turn, address: int) -> int:
    """The way in to all that a kind of player does: see `entry_points`."""
    return entry_point(_take_turn, turn, address)


def compile_players(turns: Sequence[Turn], loop: Call) -> None:
    """Has one or two players compiled, as far as another process helps, and what asks them.

    One with parts is compiled here, with these aside, as is the other player; the loop is
    compiled by whoever comes to it first.
    """
    if any(type(turn.player) not in _KINDS for turn in turns):
        return  # what is wrong is said where it is asked to play
    parts = [[*_KINDS[type(turn.player)].parts(*turn)] for turn in turns]
    here, *others = sorted(range(len(turns)), key=lambda place: -len(parts[place]))
    wholes = [(_enter, (turns[place], 0)) for place in others]
    compile_aside([*chain(*parts), *wholes, loop], here=[(_enter, (turns[here], 0)), loop])


class Side:
    """A player at a board, whatever its kind: compiled loops ask it through its entry point."""

    def __init__(self, tables: Tables, board: Board, player: PlayerArrays, stream: Stream) -> None:
        self._turn = Turn(tables, board, player, stream)
        self._memory = np.zeros(words_of(self._turn), dtype=np.int64)
        address = self._memory.ctypes.data
        self.entry: Int64s = np.array([_enter(self._turn, address), address], dtype=np.int64)

    def begin(self) -> None:
        """Lets the player prepare for a new game."""
        _begin_game(self.entry)

    def choose(self) -> int:
        """The move that the player chooses on the board as it stands."""
        return int(_choose(self.entry) % self._turn.tables.columns)

    def choose_in(self, stones: npt.NDArray[np.int8]) -> int:
        """The move that the player chooses in a position given by its stones."""
        load_stones(self._turn.tables, self._turn.board, stones)
        return self.choose()


@jit
def _begin_game(entry: Int64s) -> None:
    call_entry(entry[0], entry[1], BEGIN)


@jit
def _choose(entry: Int64s) -> int:
    return call_entry(entry[0], entry[1], CHOOSE)


@jit
def load_stones(tables: Tables, board: Board, stones: npt.NDArray[np.int8]) -> None:
    """Sets up a position."""
    load(tables, board, stones)


@jit
def write_policy_on(tables: Tables, board: Board, player: PlayerArrays, weights: Weights) -> None:
    """The weight of every move of a player on the board as it stands."""
    weights[:] = 0
    write_policy(tables, board, player, weights)


def write_policy_in(
    tables: Tables,
    board: Board,
    stones: npt.NDArray[np.int8],
    player: PlayerArrays,
    weights: Weights,
) -> None:
    """The weight of every move of a player in a position given by its stones."""
    load_stones(tables, board, stones)
    write_policy_on(tables, board, player, weights)
