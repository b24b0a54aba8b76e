"""Whole games between compiled players, without coming back to Python between moves.

A player is a NamedTuple of arrays; what it does is looked up by its type when a loop is
compiled, so a new kind of player is three functions, made known by `register_player`, and costs
the loop nothing.

What a player chooses hangs on the stones and on its random numbers, and on nothing else: not on
the order in which the stones came, which the lists of a board follow. `write_policy` says of every
move how likely it is; proofs rest on it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from inarow.engine.board import PLY, SCORE, STATE, Board, clear, load, place
from inarow.engine.by_type import by_type
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


class Pairing(NamedTuple):
    """Two players at a board, with random numbers of their own."""

    first: PlayerArrays
    second: PlayerArrays
    first_stream: Stream
    second_stream: Stream


@inline
def begin_pair(tables: Tables, board: Board, pair: Pairing) -> None:
    """Clears the board and lets both players prepare for a new game."""
    clear(tables, board)
    begin(pair.first, pair.first_stream)
    begin(pair.second, pair.second_stream)


@inline
def choose_next(tables: Tables, board: Board, pair: Pairing) -> int:
    """The cell that the player whose turn it is chooses."""
    if board.counters[PLY] & 1 == 0:
        return choose(tables, board, pair.first, pair.first_stream)
    return choose(tables, board, pair.second, pair.second_stream)


@jit
def play_games(tables: Tables, board: Board, pair: Pairing, games: int, counts: Int64s) -> None:
    """Plays games and adds them up in `counts`.

    DIFFERENT counts the games that did not repeat the first one of this call: two players who
    are deterministic play one game as often as they are asked.
    """
    first_game = np.uint64(0)
    for game in range(games):
        begin_pair(tables, board, pair)
        trace = np.uint64(0)
        while board.counters[STATE] == 0:
            cell = choose_next(tables, board, pair)
            trace = (trace + np.uint64(cell) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
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
def choose_in(
    tables: Tables,
    board: Board,
    stones: npt.NDArray[np.int8],
    player: PlayerArrays,
    stream: Stream,
) -> int:
    """The move that a player chooses in a position given by its stones."""
    load(tables, board, stones)
    return choose(tables, board, player, stream) % tables.columns


@jit
def write_policy_in(
    tables: Tables,
    board: Board,
    stones: npt.NDArray[np.int8],
    player: PlayerArrays,
    weights: Weights,
) -> None:
    """The weight of every move of a player in a position given by its stones."""
    weights[:] = 0
    load(tables, board, stones)
    write_policy(tables, board, player, weights)


@jit
def begin_game(player: PlayerArrays, stream: Stream) -> None:
    """Lets a player prepare for a new game that is stepped from Python."""
    begin(player, stream)
