"""Compiled players: what they do, and how they are asked from loops and from Python.

A player is a NamedTuple of arrays; what it does is looked up by its type when a loop is
compiled, so a new kind of player is three functions, made known by `register_player`. Learners'
loops have their opponent written into them. Others take players of any kind through entry points,
so that a kind is compiled once and not for every opponent that it meets.

What a player chooses depends on the stones and on its random numbers, and on nothing else: not on
the order in which the stones came, which the lists of a board follow. `write_policy` says of every
move how likely it is; proofs rest on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from types import FunctionType, GetSetDescriptorType
from typing import Any, NamedTuple, Protocol, TypeGuard, TypeVar
from weakref import WeakKeyDictionary, WeakSet

import numpy as np
import numpy.typing as npt

from inarow.engine.board import Board, Cells, Int64s, Tables, load, new_board, tables_of
from inarow.engine.jit import (
    HAS_ENTRY_POINTS,
    call_entry,
    dispatch_by_type,
    entry_point,
    inline,
    jit,
)
from inarow.engine.rules import RulePlayer, Scan, begin_rules, choose_by_rules, write_rule_policy
from inarow.engine.streams import Stream, make_stream
from inarow.game import Game, InputError, Position
from inarow.game.position import require_unfinished

# ruff: noqa: ARG001  (functions chosen by type use none of their arguments themselves)

# Which players have a compiled form that stands for them, and the only way to take it.
#
# Loops play the compiled form of a player and proofs are of it, so it must be the player itself. It
# is if both of these hold:
#
# - The class that gives the form (`compiled`, or `arrays_for` of learned agents) has not been
#   changed: a class derived from it adds no code but `__init__` and texts, no method is replaced on
#   the object, and no method has been replaced in the class since it was defined.
# - The player has no `move` of its own: none at all, or one that answers with the compiled form:
#   with whatever form the class gives (`answers_by_compiled`), or with one form (`answers_to`).
#
# Every other player is asked in Python, move by move. It is a rule about classes and not about a
# list of methods, so a new method is covered without being named here.

PlayerArrays = tuple[object, ...]  # a NamedTuple of a type that `register_player` knows
FORMS = ("compiled", "arrays_for")  # a class that has one of them gives a compiled form

# Special names that change no move: how an object is made, shown and compared.
_HARMLESS = {
    *("__init__", "__post_init__", "__repr__", "__str__", "__eq__", "__hash__", "__replace__"),
    *("__annotate__", "__annotate_func__", "__init_subclass__", "_repr_html_"),
}
_as_defined: WeakKeyDictionary[type, dict[str, object]] = WeakKeyDictionary()
_by_compiled: WeakSet[Callable[..., object]] = WeakSet()
_written_alike: WeakKeyDictionary[Callable[..., object], object] = WeakKeyDictionary()

Kind = TypeVar("Kind")
AnyClass = TypeVar("AnyClass", bound=type)
Function = TypeVar("Function", bound=Callable[..., Any])


class CompiledPlayer(Protocol):
    """A player that compiled loops can play: `has_compiled_form` says whether an object is one."""

    def compiled(self, tables: Tables) -> PlayerArrays:
        """The player as arrays, with a memory of its own: one for each loop."""


def answers_by_compiled(move: Function) -> Function:
    """Mark a method `move` that answers what the compiled form chooses."""
    _by_compiled.add(move)
    return move


def answers_to(move: Callable[..., object]) -> Callable[[Function], Function]:
    """Mark a method `compiled` whose form chooses as this `move` does, which does not call it."""

    def mark(compiled: Function) -> Function:
        _written_alike[move] = compiled
        return compiled

    return mark


def note_class(kind: AnyClass) -> AnyClass:
    """Remember the methods of a class as they are now: later changes to it are noticed."""
    _as_defined[kind] = _code_of(kind)
    return kind


def given_by(some_player: object, *names: str) -> type[Any] | None:
    """The class of a player that has one of these names, the most derived one; None without."""
    return next((kind for kind in type(some_player).__mro__ if _has(kind, names)), None)


def is_unchanged(some_player: object, kind: type[Kind]) -> TypeGuard[Kind]:
    """Return whether a player is of this class, and moves as the class was written to."""
    classes = type(some_player).__mro__
    if kind not in classes:
        return False
    place = classes.index(kind)
    return (
        classes[place:] == kind.__mro__  # no other base stands between those of the class
        and not any(_code_of(derived) for derived in classes[:place])
        and all(_code_of(one) == noted for one, noted in _noted(kind))
        and not any(_is_code(_find(classes, name)) for name in _own_attributes(some_player))
    )


def stands(some_player: object, *names: str) -> bool:
    """Return whether what a class says under one of these names still holds for a player."""
    kind = given_by(some_player, *names)
    return kind is not None and is_unchanged(some_player, kind)


def has_compiled_form(some_player: object) -> TypeGuard[CompiledPlayer]:
    """Return whether a player has a compiled form that stands for it: see above."""
    classes = type(some_player).__mro__
    move, compiled = (_find(classes, name) for name in ("move", "compiled"))
    return (
        compiled is not None
        and stands(some_player, *FORMS)
        and (move is None or _answers_by(move, compiled))
    )


def _answers_by(move: object, compiled: object) -> bool:
    return callable(move) and (move in _by_compiled or _written_alike.get(move) is compiled)


def check_compiled(some_player: object) -> None:
    """Raise InputError for a player without a compiled form that stands for it."""
    if has_compiled_form(some_player):
        return
    name = getattr(some_player, "name", type(some_player).__name__)
    why = "it is asked in Python"
    if _find(type(some_player).__mro__, "compiled") is not None:
        why = "its methods are not those of the class that gives it, so it is asked in Python"
    raise InputError(f"{name} has no compiled form: {why}")


def compiled_form(some_player: object, tables: Tables) -> PlayerArrays:
    """The arrays of a player for one compiled loop; a player that must be asked is refused."""
    if not has_compiled_form(some_player):
        check_compiled(some_player)
        raise AssertionError("it has been refused")
    return arrays_of(some_player, tables)


def arrays_of(some_player: CompiledPlayer, tables: Tables) -> PlayerArrays:
    """The arrays of a player; InputError where nobody has registered what they do."""
    arrays = some_player.compiled(tables)
    if type(arrays) not in _PLAYERS:
        name = getattr(some_player, "name", type(some_player).__name__)
        kind = type(arrays).__name__
        raise InputError(
            f"{name}: its compiled form is of type {kind}, and no compiled functions are known for "
            f"it: register_player({kind}, begin, choose, write_policy) of inarow.engine.players"
        )
    return arrays


def _has(kind: type, names: tuple[str, ...]) -> bool:
    return any(name in vars(kind) for name in names)


def _noted(kind: type) -> Iterator[tuple[type, dict[str, object]]]:
    return ((one, _as_defined[one]) for one in kind.__mro__ if one in _as_defined)


def _find(classes: tuple[type, ...], name: str) -> object:
    """What the first class that has a name holds under it, without calling anything."""
    return next((vars(kind)[name] for kind in classes if name in vars(kind)), None)


def _own_attributes(some_player: object) -> list[str]:
    """The names that an object itself holds a value for."""
    try:
        held = object.__getattribute__(some_player, "__dict__")
    except AttributeError:
        return []
    # A value that a cached property has stored under its own name replaces nothing.
    return [name for name in held if not _caches(_find(type(some_player).__mro__, name))]


def _caches(value: object) -> bool:
    return hasattr(type(value), "__set_name__") and hasattr(value, "attrname")


def _code_of(kind: type) -> dict[str, object]:
    """What can run in a class: methods, properties and nested classes, by name."""
    return {
        name: value
        for name, value in vars(kind).items()
        if name not in _HARMLESS and _is_code(value)
    }


def _is_code(value: object) -> bool:
    if isinstance(value, GetSetDescriptorType):  # `__dict__` and `__weakref__` of most classes
        return False
    return callable(value) or hasattr(type(value), "__get__")


# What compiled players do.

MoveWeights = npt.NDArray[np.float64]  # [columns] of every move; a move is played with its share


class PlayerFunctions(NamedTuple):
    """The compiled functions of a type of player, with the arguments of those below."""

    begin: Callable[..., object]
    choose: Callable[..., object]
    write_policy: Callable[..., object] | None  # None: nobody knows how likely its moves are
    value_cells: Callable[..., object] | None  # None: it does not say what it expects of moves


_PLAYERS: dict[type, PlayerFunctions] = {}


def register_player(
    kind: type,
    begin: Callable[..., object],
    choose: Callable[..., object],
    write_policy: Callable[..., object] | None,
    value_cells: Callable[..., object] | None = None,
) -> None:
    """Register the functions of a type of player; proofs rest on `write_policy`.

    Every kind of player calls this beside its functions: to search for the calls finds them all.
    A player without `write_policy` is never proven anything of (`check_one_policy`). A tree search
    asks agents with `value_cells` at its leaves.
    """
    functions = PlayerFunctions(begin, choose, write_policy, value_cells)
    for name, function in functions._asdict().items():
        if isinstance(function, FunctionType):
            raise InputError(
                f"register_player({kind.__name__}, ...): {name} is not compiled: write @inline of "
                "inarow.engine.jit above it"
            )
    _PLAYERS[kind] = functions


register_player(RulePlayer, begin_rules, choose_by_rules, write_rule_policy)


@dispatch_by_type("player", _PLAYERS)
def begin(player: PlayerArrays, stream: Stream) -> None:
    """Let a player prepare for a new game."""
    raise TypeError(f"{type(player).__name__} is not a compiled player")


@dispatch_by_type("player", _PLAYERS)
def choose(tables: Tables, board: Board, player: PlayerArrays, stream: Stream) -> int:
    """The cell that a player chooses."""
    raise TypeError(f"{type(player).__name__} is not a compiled player")


@dispatch_by_type("player", _PLAYERS)
def write_policy(tables: Tables, board: Board, player: PlayerArrays, weights: MoveWeights) -> None:
    """Write the weight of every move that `choose` may choose; `weights` is all 0 before."""
    raise TypeError(f"{type(player).__name__} is not a compiled player")


def values_moves(player: PlayerArrays) -> bool:
    """Return whether a player says what it expects of moves."""
    return type(player) in _PLAYERS and _PLAYERS[type(player)].value_cells is not None


@dispatch_by_type("player", _PLAYERS)
def value_cells(
    tables: Tables,
    board: Board,
    player: PlayerArrays,
    cells: Cells,
    count: int,
    values: MoveWeights,
) -> None:
    """Write what the side to move may expect after a stone on each cell: 1 a win, -1 a loss."""
    raise TypeError(f"{type(player).__name__} does not value moves")


def check_one_policy(player: PlayerArrays) -> None:
    """Raise InputError for a player that has no policy, or several."""
    if type(player) in _PLAYERS and _PLAYERS[type(player)].write_policy is None:
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
        if isinstance(part, tuple) and type(part) in _PLAYERS:
            check_one_policy(part)


def scaled(weights: MoveWeights) -> MoveWeights:
    """Weights of the same shares, in the last axis, whose sum neither overflows nor loses bits.

    Powers of two take the greatest to between a half and 1.
    """
    _, exponents = np.frexp(weights.max(axis=-1, keepdims=True))
    found: MoveWeights = np.ldexp(weights, -exponents)
    return found


class Turn(NamedTuple):
    """A player at a board, and what it needs to move there."""

    tables: Tables
    board: Board
    player: PlayerArrays
    stream: Stream


BEGIN, CHOOSE = 0, 1  # what `_take_turn` is asked for


@inline
def _take_turn(turn: Turn, action: int) -> np.int64:
    """Let a player prepare for a new game, or choose a cell."""
    if action == BEGIN:
        begin(turn.player, turn.stream)
        return np.int64(0)
    return np.int64(choose(turn.tables, turn.board, turn.player, turn.stream))


@jit
def _enter(turn: Turn, address: int) -> int:
    """Return the entry point to all that a kind of player does."""
    return entry_point(_take_turn, turn, address)


class Side:
    """A player at a board, whatever its kind: compiled loops ask it through its entry point."""

    def __init__(self, tables: Tables, board: Board, player: PlayerArrays, stream: Stream) -> None:
        self._turn = Turn(tables, board, player, stream)
        if HAS_ENTRY_POINTS:
            self._memory = np.zeros(words_of(self._turn), dtype=np.int64)
            address = self._memory.ctypes.data
            self.entry: Int64s = np.array([_enter(self._turn, address), address], dtype=np.int64)

    def begin(self) -> None:
        """Let the player prepare for a new game."""
        self._take(BEGIN)

    def choose(self) -> int:
        """The move that the player chooses on the board as it stands."""
        return int(self._take(CHOOSE) % self._turn.tables.columns)

    def _take(self, action: int) -> int:
        if HAS_ENTRY_POINTS:
            return _take_through(self.entry, action)
        return int(_take_directly(self._turn, action))

    def choose_in(self, stones: npt.NDArray[np.int8]) -> int:
        """The move that the player chooses in a position given by its stones."""
        load_stones(self._turn.tables, self._turn.board, stones)
        return self.choose()


@jit
def _take_through(entry: Int64s, action: int) -> int:
    return call_entry(entry[0], entry[1], action)


@jit
def _take_directly(turn: Turn, action: int) -> np.int64:
    return _take_turn(turn, action)


def words_of(data: object) -> int:
    """Return how many words compiled code needs at most for a tuple."""
    if isinstance(data, tuple):
        return sum(map(words_of, data))
    return 5 + 2 * data.ndim if isinstance(data, np.ndarray) else 1


@jit
def load_stones(tables: Tables, board: Board, stones: npt.NDArray[np.int8]) -> None:
    """Set up a position given by its stones."""
    load(tables, board, stones)


@jit
def write_policy_on(
    tables: Tables, board: Board, player: PlayerArrays, weights: MoveWeights
) -> None:
    """Write the weight of every move of a player on the board as it stands."""
    weights[:] = 0
    write_policy(tables, board, player, weights)


def write_policy_in(
    tables: Tables,
    board: Board,
    stones: npt.NDArray[np.int8],
    player: PlayerArrays,
    weights: MoveWeights,
) -> None:
    """Write the weight of every move of a player in a position."""
    load_stones(tables, board, stones)
    write_policy_on(tables, board, player, weights)


# Compiled players asked from Python, one move at a time.


class BoundPlayer:
    """A compiled player at a board in Python, with random numbers of its own."""

    def __init__(self, player: CompiledPlayer, game: Game, stream: Stream) -> None:
        self.tables: Tables = tables_of(game)
        self.board: Board = new_board(self.tables)
        self.arrays = arrays_of(player, self.tables)
        self.stream = stream
        self.name = str(getattr(player, "name", type(player).__name__))

    @cached_property
    def _side(self) -> Side:
        """The player's entry point, compiled when it is first asked."""
        return Side(self.tables, self.board, self.arrays, self.stream)

    def begin(self) -> None:
        """Before each game."""
        self._side.begin()

    def move(self, position: Position) -> int:
        """The move that the player chooses."""
        return self._side.choose_in(np.array(position.stones, dtype=np.int8))

    def policy(self, position: Position) -> dict[int, float]:
        """The chance of every move that the player may choose."""
        check_one_policy(self.arrays)
        stones, weights = np.array(position.stones, dtype=np.int8), np.zeros(self.tables.columns)
        write_policy_in(self.tables, self.board, stones, self.arrays, weights)
        shares = scaled(weights)
        total = shares.sum()
        return {int(move): float(shares[move] / total) for move in np.flatnonzero(weights)}

    def moves(self, position: Position) -> list[int]:
        """All moves that the player may choose."""
        return list(self.policy(position))


class MovesFromCompiled:
    """A compiled player that has the method `move(position)` of all players.

    What it leaves to chance follows from one stream, the same in every process. Matches bind
    players instead, each side with a stream of its own.
    """

    _bound: BoundPlayer | None = None

    def __init_subclass__(cls, **keywords: object) -> None:
        """Note the methods of every such class, so that changes to them are noticed."""
        super().__init_subclass__(**keywords)
        note_class(cls)

    def __setattr__(self, name: str, value: object) -> None:
        """Set an attribute: the next move is that of the player as it is then."""
        super().__setattr__(name, value)
        if name != "_bound":
            self.__dict__.pop("_bound", None)

    def __repr__(self) -> str:
        return f"<player {getattr(self, 'name', type(self).__name__)}>"

    def compiled(self, tables: Tables) -> PlayerArrays:
        """The player as arrays."""
        raise NotImplementedError(
            f"{type(self).__name__} has no compiled form: define compiled(tables) or move(position)"
        )

    @answers_by_compiled
    def move(self, position: Position) -> int:
        """The move to play in a position that goes on."""
        require_unfinished(position)
        if self._bound is None or self._bound.tables is not tables_of(position.game):
            self._bound = BoundPlayer(self, position.game, make_stream(0))
            self._bound.begin()
        elif position.ply < 2:
            self._bound.begin()  # another game
        return self._bound.move(position)
