"""Whole games between compiled players, without coming back to Python between moves.

A player is a NamedTuple of arrays; what it does is looked up by its type when a loop is
compiled, so a new kind of player is three functions, made known by `register_player`. Learners'
loops have their opponent written into them. The loops here take players of any kind through entry
points, so that a kind is compiled once and not for everybody whom it meets; two players by rules
are written into them (measured: a quarter to a third less time).

What a player chooses hangs on the stones and on its random numbers, and on nothing else: not on
the order in which the stones came, which the lists of a board follow. `write_policy` says of every
move how likely it is; proofs rest on it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from inarow.engine.board import PLY, SCORE, STATE, Board, clear, load, place, trace_move
from inarow.engine.by_type import by_type
from inarow.engine.entry_points import call_entry, entry_point, words_of
from inarow.engine.jit import inline, jit
from inarow.engine.rules import RulePlayer, Scan, begin_rules, choose_by_rules, write_rule_policy
from inarow.engine.streams import Stream
from inarow.engine.tables import Int64s, Tables
from inarow.game import InputError

PlayerArrays = tuple[object, ...]  # a NamedTuple of a type that `register_player` knows

Weights = npt.NDArray[np.float64]  # [columns] of every move; a move is played with its share
# What `play_games` counts, in this order.
GAMES, FIRST_WINS, SECOND_WINS, DRAWS, PLIES, FIRST_LINES, SECOND_LINES, DIFFERENT = range(8)


@runtime_checkable
class CompiledPlayer(Protocol):
    """A player that compiled loops can play."""

    def compiled(self, tables: Tables) -> PlayerArrays:
        """The player as arrays, with a memory of its own: one for each loop."""


class Kind(NamedTuple):
    """What players of a type do: compiled functions with the arguments of those below."""

    begin: Callable[..., object]
    choose: Callable[..., object]
    write_policy: Callable[..., object] | None  # None: nobody knows how likely its moves are


_KINDS: dict[type, Kind] = {}


def register_player(
    kind: type,
    begin: Callable[..., object],
    choose: Callable[..., object],
    write_policy: Callable[..., object] | None,
) -> None:
    """Says what players of a type do. Proofs rest on `write_policy`: all that `choose` may do.

    A player without it is never proven anything of (`check_one_policy`).
    """
    _KINDS[kind] = Kind(begin, choose, write_policy)


register_player(RulePlayer, begin_rules, choose_by_rules, write_rule_policy)


@by_type("player", _KINDS)
def begin(player: PlayerArrays, stream: Stream) -> None:  # noqa: ARG001
    """Lets a player prepare for a new game."""
    raise TypeError(f"{type(player).__name__} is not a compiled player")


@by_type("player", _KINDS)
def choose(tables: Tables, board: Board, player: PlayerArrays, stream: Stream) -> int:  # noqa: ARG001
    """The cell that a player chooses."""
    raise TypeError(f"{type(player).__name__} is not a compiled player")


@by_type("player", _KINDS)
def write_policy(
    tables: Tables,  # noqa: ARG001
    board: Board,  # noqa: ARG001
    player: PlayerArrays,
    weights: Weights,  # noqa: ARG001
) -> None:
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
    """All that is compiled for a kind of player to play: see `entry_points`."""
    return entry_point(_take_turn, turn, address)


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
        _load(self._turn.tables, self._turn.board, stones)
        return self.choose()


class Pairing(NamedTuple):
    """Two players, with random numbers of their own."""

    first: PlayerArrays
    second: PlayerArrays
    first_stream: Stream
    second_stream: Stream


class Entries(NamedTuple):
    """Both sides as entry points: two players of any kinds."""

    points: Int64s  # [2, 2] of each side


class Sides:
    """Both sides of a board. `entries` is what compiled loops take, while this is kept."""

    def __init__(self, tables: Tables, board: Board, pair: Pairing) -> None:
        self._sides = (
            Side(tables, board, pair.first, pair.first_stream),
            Side(tables, board, pair.second, pair.second_stream),
        )
        self.entries = Entries(np.stack([side.entry for side in self._sides]))


@inline
def _begin_directly(pair: Pairing) -> None:
    begin(pair.first, pair.first_stream)
    begin(pair.second, pair.second_stream)


@inline
def _choose_directly(tables: Tables, board: Board, pair: Pairing) -> int:
    if board.counters[PLY] & 1 == 0:  # twice written: one choice of a chosen player takes longer
        return choose(tables, board, pair.first, pair.first_stream)
    return choose(tables, board, pair.second, pair.second_stream)


@inline
def _begin_through(entries: Entries) -> None:
    for side in range(2):
        call_entry(entries.points[side, 0], entries.points[side, 1], BEGIN)


@inline
def _choose_through(tables: Tables, board: Board, entries: Entries) -> int:  # noqa: ARG001
    side = board.counters[PLY] & 1
    return call_entry(entries.points[side, 0], entries.points[side, 1], CHOOSE)


class _Ways(NamedTuple):
    """How two sides are asked."""

    begin_both: Callable[..., object]
    choose_next: Callable[..., object]


_WAYS: dict[type, _Ways] = {
    Pairing: _Ways(_begin_directly, _choose_directly),
    Entries: _Ways(_begin_through, _choose_through),
}


@by_type("sides", _WAYS)
def begin_both(sides: Pairing | Entries) -> None:
    """Lets both players prepare for a new game."""
    raise TypeError(f"{type(sides).__name__} are no sides")


@by_type("sides", _WAYS)
def choose_next(tables: Tables, board: Board, sides: Pairing | Entries) -> int:  # noqa: ARG001
    """The cell that the player whose turn it is chooses."""
    raise TypeError(f"{type(sides).__name__} are no sides")


@inline
def begin_pair(tables: Tables, board: Board, sides: Pairing | Entries) -> None:
    """Clears the board and lets both players prepare for a new game."""
    clear(tables, board)
    begin_both(sides)


def play_games(tables: Tables, board: Board, pair: Pairing, games: int, counts: Int64s) -> None:
    """Plays games and adds them up in `counts`.

    DIFFERENT counts the games that did not repeat the first one of this call: two players who
    are deterministic play one game as often as they are asked.
    """
    if isinstance(pair.first, RulePlayer) and isinstance(pair.second, RulePlayer):
        _play_games(tables, board, pair, games, counts)
    else:
        sides = Sides(tables, board, pair)
        _play_games(tables, board, sides.entries, games, counts)


@jit
def _play_games(
    tables: Tables, board: Board, sides: Pairing | Entries, games: int, counts: Int64s
) -> None:
    first_game = np.uint64(0)
    for game in range(games):
        begin_pair(tables, board, sides)
        trace = np.uint64(0)
        while board.counters[STATE] == 0:
            cell = choose_next(tables, board, sides)
            trace = trace_move(trace, cell)
            place(tables, board, cell)
        if game == 0:
            first_game = trace
        counts[DIFFERENT] += trace != first_game
        counts[GAMES] += 1
        counts[board.counters[STATE]] += 1
        counts[PLIES] += board.counters[PLY]
        counts[FIRST_LINES] += board.counters[SCORE]
        counts[SECOND_LINES] += board.counters[SCORE + 1]


@jit
def _begin_game(entry: Int64s) -> None:
    call_entry(entry[0], entry[1], BEGIN)


@jit
def _choose(entry: Int64s) -> int:
    return call_entry(entry[0], entry[1], CHOOSE)


@jit
def _load(tables: Tables, board: Board, stones: npt.NDArray[np.int8]) -> None:
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
    _load(tables, board, stones)
    write_policy_on(tables, board, player, weights)
