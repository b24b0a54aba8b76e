"""Learners in plain Python: a class with `act`, `learn`, `save` and `load`, made a learner.

    class Mine:
        name = "mine"
        deterministic = True  # if `act` without exploring always answers a position alike

        def __init__(self, alpha=0.2): ...  # the options, with their defaults
        def act(self, position, explore): ...  # a move; `explore` is True in training
        def learn(self, position, move, reward, after): ...  # `after` is None at the end
        def save(self): ...  # all that was learned: JSON and arrays
        def load(self, saved): ...

`learn` is called for a move when the same side is to move again, with that position as `after`
and reward 0, or at the end with 1, 0 or -1. `self.rng`, a generator of NumPy, begins anew with
each game, from the seed and the game's number: a run that is cut anywhere gives the same bits. A
class may also have `begin(game)`, called before all else, and `values(position)`, by move.
`learn.policy_learner` has the same for many games at once.
"""

from __future__ import annotations

import base64
import inspect
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import cache
from typing import Any, ClassVar

import numpy as np

from inarow.engine.board import Tables
from inarow.engine.players import BoundPlayer, PlayerArrays, note_class
from inarow.engine.rules import RuleList
from inarow.engine.streams import FIRST, LEARNER, Stream, make_stream
from inarow.game import Game, InputError, Position
from inarow.learn.agent import LearnedAgent
from inarow.learn.learner import (
    BOTH,
    DRAWS,
    GAMES,
    LAST_LOSS,
    LOSSES,
    OWN_SIDES,
    SELF_PLAY,
    WINS,
    AskedPlayer,
    Learner,
    Opponent,
    Training,
    check_counts,
    side_option,
)
from inarow.learn.options import TYPES, OptionValue, option
from inarow.learn.saved import Arrays, Layout, Numbers, bytes_up_to, check_arrays

LARGEST_STATE = 2**26  # bytes of what a learner saves
METHODS = {  # with how many arguments each is called
    "act": ("position", "explore"),
    "learn": ("position", "move", "reward", "after"),
    "save": (),
    "load": ("saved",),
}
Own = Any  # an object of a person's own class, and what it saves
ARRAY = "array"  # the key of an array in JSON


def is_plain(kind: object) -> bool:
    """Return whether something is a class that is meant as a learner in plain Python."""
    written = isinstance(kind, type) and not issubclass(kind, Learner)
    asked = ("act", "choose", "learn")
    return written and any(callable(getattr(kind, name, None)) for name in asked)


@cache
def learner_from(kind: type, form: type[PlainLearner]) -> type[PlainLearner]:
    """Return a class in plain Python as a learner; InputError in one line where it cannot be."""
    place, added = kind.__name__, form.added_options(kind)
    for method, arguments in form.methods.items():
        function = getattr(kind, method, None)
        if not callable(function):
            raise InputError(f"{place} cannot be used: it does not define {method}")
        try:
            inspect.signature(function).bind(None, *arguments)
        except TypeError:
            called = ", ".join(("self", *arguments))
            raise InputError(f"{place}.{method} must be written {method}({called})") from None
    body: dict[str, object] = {}
    types: dict[str, type] = {}
    for name, parameter in list(inspect.signature(kind.__init__).parameters.items())[1:]:  # type: ignore[misc]
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            if kind.__init__ is object.__init__:  # type: ignore[misc]
                continue
            raise InputError(f"{place} must name its options one by one, not as {parameter}")
        if type(parameter.default) not in TYPES:
            raise InputError(
                f"{place} must have a default for its option {name}: a number, text, True or False"
            )
        if hasattr(form, name) or name in (*added, "name"):
            raise InputError(f"an option of {place} cannot be called {name}")
        body[name] = option(parameter.default, f"an argument of {place}")
        types[name] = type(parameter.default)
    body |= {name: declared for name, (_, declared) in added.items()}
    body["__annotations__"] = {**types, **{name: given for name, (given, _) in added.items()}}
    body["__doc__"] = inspect.getdoc(kind) or "A learner in plain Python."
    body["name"] = getattr(kind, "name", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", place).lower())
    body["written"] = kind
    body["__module__"], body["__qualname__"] = kind.__module__, kind.__qualname__
    body["states_policy"] = getattr(kind, "deterministic", False) is True
    body["added"] = tuple(added)
    return type(place, (form,), body)


class PlainLearner(Learner):
    """A learner that a person has written in plain Python."""

    methods: ClassVar[Mapping[str, tuple[str, ...]]] = METHODS
    written: ClassVar[type]  # the person's class
    added: ClassVar[tuple[str, ...]] = ()  # options that are not the person's

    @classmethod
    def added_options(cls, kind: type) -> dict[str, tuple[type, OptionValue]]:  # noqa: ARG003
        """Return the options that such a learner has besides those of the person's class."""
        return {"side": (str, side_option("both"))}

    def layout(self, game: Game, seed: int, most: int | None) -> Layout:  # noqa: ARG002
        """Return the one array: what `save` returned, as bytes."""
        return {"state": bytes_up_to(LARGEST_STATE)}

    def begin(self, game: Game, opponent: Opponent, seed: int) -> Training:
        """Return a run from nothing."""
        return PlainTraining(self, game, opponent, seed)

    def agent(self, game: Game, seed: int, arrays: Arrays) -> PlainAgent:
        """Return the player that has learned what the state says."""
        return PlainAgent(self, game, seed, arrays["state"])

    def bytes_needed(self, game: Game, seed: int) -> int:  # noqa: ARG002
        """Return nothing: what Python objects take is known only when they are there."""
        return 0

    def make(self, game: Game, seed: int, state: Numbers | None = None) -> Own:
        """Return an object of the person's class, with what was saved if that is given."""
        own = self.written(**{n: v for n, v in asdict(self).items() if n not in self.added})
        own.rng = np.random.default_rng([seed, LEARNER])
        if hasattr(own, "begin"):
            own.begin(game)
        if state is not None:
            own.load(decoded(state, self.name))
        return own

    def move_of(self, own: Own, position: Position) -> int:
        """Return the move that an object plays, without exploring: a number, or its text."""
        move: int = own.act(position, False)
        return move

    def values_of(self, own: Own, position: Position) -> Mapping[int, float]:
        """Return what an object says of each move."""
        values: Mapping[int, float] = own.values(position)
        return values


@note_class
class PlainAgent(LearnedAgent):
    """The player that such a learner has become: asked in Python, without exploring."""

    def __init__(self, learner: PlainLearner, game: Game, seed: int, state: Numbers) -> None:
        super().__init__(learner.name, game)
        self.learner, self.seed, self.state = learner, seed, state
        self.own = learner.make(game, seed, state)
        if learner.states_policy:
            self.deterministic = True  # as the author of the class declares

    def move(self, position: Position) -> int:
        """Return the move to play in a position that goes on."""
        return self.learner.move_of(self.own, position)

    def bind(self, game: Game, stream: Stream) -> PlainAgent:  # noqa: ARG002
        """Return the player with random numbers from a stream, and objects of its own."""
        bound = PlainAgent(self.learner, self.game, self.seed, self.state)
        bound.own.rng = np.random.default_rng([int(word) for word in stream])
        return bound

    def arrays_for(self, tables: Tables) -> PlayerArrays:  # noqa: ARG002
        """Refuse: it is asked in Python."""
        raise InputError(f"{self.name} is written in plain Python, so compiled loops cannot ask it")

    def values(self, position: Position) -> dict[int, float]:
        """Return the value of each move, where the class says values."""
        if not hasattr(self.own, "values"):
            raise InputError(f"{self.name} does not say what it expects of its moves")
        found = self.learner.values_of(self.own, position)
        return {int(move): float(value) for move, value in found.items()}


class OwnTraining(Training):
    """A run of a person's own object: what it has learned is saved when somebody looks."""

    learner: PlainLearner

    def begin_own(self) -> None:
        """Make the object, and the arrays of a run from nothing."""
        self.own = self.learner.make(self.game, self.seed)
        self._arrays: Arrays = {}
        self._saved = True  # whether `_arrays` hold what was learned
        self.begin_with({"state": encoded(self.own.save(), self.learner.name)})

    @property
    def arrays(self) -> Arrays:
        """The arrays of the run."""
        if not self._saved:
            self._arrays["state"] = encoded(self.own.save(), self.learner.name)
            self._saved = True
        return self._arrays

    @arrays.setter
    def arrays(self, arrays: Arrays) -> None:
        self._arrays = arrays

    @property
    def counts(self) -> Numbers:
        """Games played so far, and how they ended."""
        return self._arrays["counts"]

    def restore(self, arrays: Arrays, names: Iterable[str] = (), small: bool = False) -> None:
        """Continue from the arrays of another run with the same parameters."""
        check_arrays(self.layout, arrays, tuple(names) or tuple(self.layout), small)
        check_counts(arrays["counts"])
        self._arrays = {name: array.copy() for name, array in arrays.items()}
        self.own = self.learner.make(self.game, self.seed, arrays["state"])
        self._saved = True

    def count(self, end: int) -> None:
        """Count a game that ended with WINS, DRAWS or LOSSES."""
        self.counts[GAMES] += 1
        self.counts[end] += 1
        if end == LOSSES:
            self.counts[LAST_LOSS] = self.counts[GAMES]


class PlainTraining(OwnTraining):
    """A run of a learner in plain Python."""

    def __init__(self, learner: PlainLearner, game: Game, opponent: Opponent, seed: int) -> None:
        super().__init__(learner, game, opponent, seed)
        self.side = SELF_PLAY if opponent is None else OWN_SIDES.index(learner.side)  # type: ignore[attr-defined]
        self.opponent = opponent
        self.stream = make_stream(seed, FIRST)  # of the opponent: set anew for each game
        self.bound = self._bind()
        self.begin_own()

    def _bind(self) -> AskedPlayer:
        if self.opponent is None or isinstance(self.opponent, RuleList):
            return BoundPlayer(self.opponent or RuleList(((),)), self.game, self.stream)
        return self.opponent.bind(self.stream)

    def play(self, games: int) -> None:
        """Play so many more games and learn from them."""
        for _ in range(games):
            self._play_game(self.games)

    def _play_game(self, number: int) -> None:
        self._saved = False
        side = number & 1 if self.side == BOTH else self.side
        self.own.rng = np.random.default_rng([self.seed, LEARNER, number])
        self.stream[...] = make_stream(self.seed, FIRST, number)
        if not isinstance(self.bound, BoundPlayer):
            self.bound = self._bind()  # nothing of the last game is left in it
        else:
            self.bound.begin()
        position = Position(self.game)
        last: list[tuple[Position, int] | None] = [None, None]  # what each side did
        while position.outcome is None:
            mover = position.ply & 1
            if side not in (SELF_PLAY, mover):
                position.push(self.bound.move(position))
                continue
            seen, before = position.copy(), last[mover]
            if before is not None:
                self.own.learn(*before, 0.0, seen)
            move = self._act(seen, position)
            last[mover] = (seen, move)
        winner = position.outcome.winner
        for mover, before in enumerate(last):
            if before is not None:
                reward = 0.0 if winner is None else 1.0 if winner == mover + 1 else -1.0
                self.own.learn(*before, reward, None)
        seen_from = 1 if side == SELF_PLAY else side + 1
        self.count(DRAWS if winner is None else WINS if winner == seen_from else LOSSES)

    def _act(self, seen: Position, position: Position) -> int:
        """Let the learner move; what it does to the position that it sees is refused."""
        answer = self.own.act(seen, True)
        if seen.moves != position.moves:
            raise InputError(f"{self.learner.name} changed the position it was asked about")
        try:
            position.push(answer)
        except InputError as error:
            raise InputError(f"{self.learner.name} played an illegal move: {error}") from None
        return int(position.moves[-1])


# What a learner saves, as bytes: JSON, with arrays as text. Reading it runs no code.


def encoded(saved: object, name: str) -> Numbers:
    """Return what `save` returned as bytes; InputError for what would not come back the same."""
    try:
        text = json.dumps(_written(saved, name), allow_nan=False, sort_keys=False)
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"what {name} saves cannot be stored: {error}") from None
    if len(text) > LARGEST_STATE:
        raise InputError(
            f"{name} saves {len(text):,} bytes: at most {LARGEST_STATE:,} can be stored"
        )
    return np.frombuffer(text.encode(), np.uint8).copy()


def _written(value: object, name: str) -> object:
    """What JSON can hold and give back as it was, arrays as tables of their own."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        if value.dtype.kind == "f" and np.isnan(value).any():
            raise InputError(
                f"{name} saves numbers that are no numbers (nan): training diverged, so take a "
                "smaller step size"
            )
        data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
        return {ARRAY: data, "type": value.dtype.str, "shape": list(value.shape)}
    if type(value) is dict:
        for key in value:
            if type(key) is not str or key == ARRAY:
                raise InputError(
                    f"what {name} saves has the key {key!r}: keys must be texts, not {ARRAY!r}"
                )
        return {key: _written(part, name) for key, part in value.items()}
    if type(value) is list:
        return [_written(part, name) for part in value]
    if value is None or type(value) in (bool, int, float, str):
        return value
    raise InputError(
        f"{name} saves a {type(value).__name__}: only numbers, texts, lists, dictionaries "
        "and arrays of NumPy come back as they were"
    )


def decoded(state: Numbers, name: str) -> object:
    """Return what `save` returned."""
    try:
        return json.loads(state.tobytes(), object_hook=_read)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise InputError(f"the state of {name} is damaged: {error}") from None


def _read(found: dict[str, Own]) -> object:
    """An array, if a table of JSON stands for one."""
    if ARRAY not in found:
        return found
    kind = np.dtype(found["type"])
    if kind.kind not in "biuf":
        raise ValueError(f"{kind} is not a type of numbers")
    data = base64.b64decode(found[ARRAY], validate=True)
    return np.frombuffer(data, kind).reshape(found["shape"]).copy()
