"""What a learner is: parameters that describe themselves, and a run that learns.

A learner is a class with options (`option`), which are numbers, text or flags. What it says of
itself here is all that is known of it elsewhere: commands, forms, studies and error messages are
made from it. Everything in a run that changes is in its arrays: they are both what is saved and
what a run continues from, and a run gives the same bits however it is cut into pieces.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import ClassVar, Protocol, dataclass_transform

import numpy as np

from inarow.engine.board import DRAWN, FIRST_WON, Board, Int64s, Tables, clear, new_board, tables_of
from inarow.engine.jit import inline
from inarow.engine.players import CompiledPlayer, PlayerArrays, begin, compiled_form
from inarow.engine.rules import RuleList
from inarow.engine.streams import FIRST, LEARNER, Stream, make_stream
from inarow.game import Game, InputError, Position
from inarow.game import game as game_of
from inarow.game.files import bytes_text
from inarow.game.position import SIDES
from inarow.graph.graph import Graph
from inarow.graph.odds import Policy
from inarow.learn.agent import LearnedAgent
from inarow.learn.options import OptionValue, check_options, one_of, option
from inarow.learn.saved import (
    Arrays,
    Header,
    Layout,
    bytes_of,
    check_arrays,
    check_bytes,
    from_small,
    game_counts,
)

MAX_LINES = 1_000_000  # of a game that is learned
COPIES = 2  # of a run's arrays: its own, and what its agent plays with

ITSELF, PLAYER = "itself", "another player"  # whom a learner can play against
# Games that suit a learner, and options to begin with there.
Suits = Mapping[str, Mapping[str, OptionValue]]


class AskedPlayer(Protocol):
    """A player that is asked in Python."""

    def move(self, position: Position) -> int | str:
        """Return the move to play in a position that goes on."""


class OtherPlayer(CompiledPlayer, Protocol):
    """A player that learners play against: compiled for boards, as policies for graphs."""

    def policies(self, graph: Graph) -> list[Policy]:
        """Return the player's policy, or several of which one is drawn for each game."""

    def bind(self, stream: Stream) -> AskedPlayer:
        """Return the player as it is asked from Python, with random numbers from a stream."""


Opponent = RuleList | OtherPlayer | None  # whom a learner plays; None: itself


@dataclass_transform(frozen_default=True)
class Learner(ABC):
    """The parameters of a learner. Subclasses are frozen dataclasses without being marked so.

    The first line of the docstring says what it is, in lists of learners.
    """

    name: ClassVar[str]
    opponents: ClassVar[tuple[str, ...]] = (ITSELF, PLAYER)
    needs_graph: ClassVar[bool] = False  # whether the game is enumerated: small games only
    states_policy: ClassVar[bool] = True  # whether exact answers follow from what its agent says
    suits: ClassVar[Suits] = {}
    lessons: ClassVar[Suits] = {}  # for a first lesson: a small file, and a curve to see
    suggested_opponent: ClassVar[str] = "hybrid"  # where it needs one and none is named

    def __init_subclass__(cls) -> None:
        documented = cls.__doc__
        dataclass(frozen=True)(cls)
        cls.__doc__ = documented  # not the signature that a dataclass has in its place

    def __post_init__(self) -> None:
        check_options(self)

    @classmethod
    def about(cls) -> str:
        """Return what the learner is, in a line."""
        return (cls.__doc__ or "").strip().partition("\n")[0] or "It has no docstring."

    def check(self, game: Game, against: bool) -> None:  # noqa: ARG002
        """Raise InputError if the opponent, the options or the game do not fit."""
        if against and PLAYER not in self.opponents:
            raise InputError(f"{self.name} plays against itself: it takes no opponent")
        if not against and ITSELF not in self.opponents:
            raise InputError(
                f"{self.name} learns from another player: say whom it plays against, "
                f"for example {self.suggested_opponent}"
            )

    @abstractmethod
    def layout(self, game: Game, seed: int, most: int | None) -> Layout:
        """Return the arrays of a run besides `counts`: their shapes, types and ranges.

        It makes none of them. Where `most` is given, it may refuse parameters for which some
        array would have more numbers than that, and takes no more time than so few justify.
        """

    @abstractmethod
    def begin(self, game: Game, opponent: Opponent, seed: int) -> Training:
        """Return a run from nothing; `opponent` is None where the learner plays itself."""

    @abstractmethod
    def agent(self, game: Game, seed: int, arrays: Arrays) -> LearnedAgent:
        """Return the player that the arrays of a run make; they are its own from now on."""

    def arrays_to_play(self, games: int) -> tuple[str, ...]:  # noqa: ARG002
        """The arrays that the agent needs after so many games; empty where it is all of them."""
        return ()

    def extra_bytes(self, game: Game) -> int:  # noqa: ARG002
        """Return about how many bytes building a run takes besides its arrays.

        A learner says so where that is more than what every run on such a board takes.
        """
        return 0

    def bytes_needed(self, game: Game, seed: int) -> int:
        """Return about how many bytes a run takes at most while it is built; build none of it."""
        return COPIES * bytes_of(layout_of(self, game, seed)) + self.extra_bytes(game)


def layout_of(learner: Learner, game: Game, seed: int, most: int | None = None) -> Layout:
    """Return the layout of all arrays of a run; raise InputError if no memory could hold them."""
    check_lines(game)
    layout = {"counts": game_counts(), **learner.layout(game, seed, most)}
    check_bytes(layout)
    return layout


def check_lines(game: Game) -> None:
    """Raise InputError if a game has more lines than are learned on."""
    lines = game.line_count
    if lines > MAX_LINES:
        raise InputError(f"{game.name} has {lines:,} lines: learners take at most {MAX_LINES:,}")


def check_size(learner: Learner, game: Game, seed: int, most: int, place: str = "") -> int:
    """Return the memory that a run needs; raise InputError if it is more than `most`.

    A few characters can ask for more than any machine has, in a file of a stranger's as well as
    by a slip of the finger.
    """
    check_lines(game)
    size = learner.extra_bytes(game)
    if size <= most:  # else the layout, too, may be much work
        size = learner.bytes_needed(game, seed)
    if size > most:
        raise InputError(
            f"{learner.name} with these options takes {bytes_text(size)} of memory on {game.name}: "
            f"at most {bytes_text(most)} work{place}"
        )
    return size


def check_counts(counts: Int64s) -> None:
    """Raise InputError if the counts of a run do not add up."""
    games, *ends, last_loss = (int(count) for count in counts)
    if sum(ends) != games or last_loss > games:
        raise InputError(
            f"array counts holds {games} games, of which {ends[0]} were won, {ends[1]} drawn and "
            f"{ends[2]} lost, the last in game {last_loss}: that does not add up"
        )


def check_fits(learner: Learner, header: Header, arrays: Arrays) -> tuple[str, ...]:
    """Check a saved file's arrays against what its header says, and return their names.

    A small file may speak of large tables: what the arrays hold is all that is worked for.
    """
    game = game_of(header.game)
    learner.check(game, header.against is not None)
    most = sum(array.size for array in arrays.values())
    layout = layout_of(learner, game, header.seed, most)
    names = () if header.resumable else learner.arrays_to_play(header.games)
    check_arrays(layout, arrays, names or layout, not header.resumable)
    check_counts(arrays["counts"])
    if int(arrays["counts"][0]) != header.games:
        raise InputError(f"it says {header.games} games, and {arrays['counts'][0]}")
    return names or tuple(layout)


def saved_agent(learner: Learner, header: Header, arrays: Arrays) -> LearnedAgent:
    """Return the player that a file holds, for which `check_fits` found nothing wrong."""
    needed = learner.arrays_to_play(header.games) or tuple(arrays)
    layout = layout_of(learner, game_of(header.game), header.seed)
    taken = {name: arrays[name] for name in needed}
    for name, given in taken.items():
        if given.dtype != layout[name].dtype:  # weights of 8 bits
            taken[name] = from_small(given)
    agent = learner.agent(game_of(header.game), header.seed, taken)
    agent.arrays = taken
    return agent


def options_of(learner: Learner) -> dict[str, OptionValue]:
    """Return the parameters as they go into files: numbers, text and flags only."""
    return asdict(learner)  # type: ignore[call-overload]


# A run of a learner.

# What `counts` holds, for the learner (for the first player, where it plays itself): games, how
# they ended, and the number of the last one that was lost, counted from 1. Rewards of a game have
# the same order.
GAMES, WINS, DRAWS, LOSSES, LAST_LOSS = range(5)

State = int | np.uint32  # of a game, by a board or a graph

OWN_SIDES = (*SIDES, "both")
BOTH, SELF_PLAY = 2, 3  # sides of a learner for compiled loops, besides 0 and 1


def side_option(default: str) -> str:
    """Declare the option `side` of learners that play against others."""
    about = "which side learns, against an opponent; both: alternating"
    return option(default, about, one_of(*OWN_SIDES))


@inline
def begin_game(tables: Tables, board: Board, opponent: PlayerArrays, stream: Stream) -> None:
    """Clear the board and let the opponent prepare for a new game."""
    clear(tables, board)
    begin(opponent, stream)


@inline
def value_of_end(state: State) -> float:
    """Return how a finished game ended: 1 if the first player won, -1 if the second did, else 0."""
    return 0.0 if state == DRAWN else (1.0 if state == FIRST_WON else -1.0)


@inline
def side_in_game(side: int, number: int) -> int:
    """Return the learner's side in the game of that number: 0, 1 or SELF_PLAY."""
    return number & 1 if side == BOTH else side


@inline
def moves_for(side: int, mover: int) -> bool:
    """Return whether the learner moves when it is a player's turn."""
    return side in (SELF_PLAY, mover)


@inline
def end_of(state: State, side: int) -> int:
    """Return how a finished game ended for a side: WINS, DRAWS or LOSSES."""
    if state == DRAWN:
        return DRAWS
    return WINS if state == FIRST_WON + side else LOSSES


@inline
def count_game(counts: Int64s, state: State, side: int) -> None:
    """Count a finished game for the learner on that side; in self-play for the first player."""
    end = end_of(state, 0 if side == SELF_PLAY else side)
    counts[GAMES] += 1
    counts[end] += 1
    if end == LOSSES:
        counts[LAST_LOSS] = counts[GAMES]


class Training(ABC):
    """A run of a learner, as far as it has come.

    A subclass calls `__init__` before it makes anything, so that what does not work or is too
    large is refused first, and `begin_with` when it has made its arrays.
    """

    def __init__(self, learner: Learner, game: Game, opponent: Opponent, seed: int) -> None:
        learner.check(game, opponent is not None)
        self.learner, self.game, self.seed = learner, game, seed
        self.layout = layout_of(learner, game, seed)

    def begin_with(self, arrays: Arrays) -> None:
        """Set the arrays of a new run; random streams are added where declared."""
        streams = {"learner": LEARNER, "opponent": FIRST, "trainer": FIRST}
        self.arrays = {"counts": np.zeros(5, dtype=np.int64), **arrays}
        for name in (name for name in streams if name in self.layout):
            self.arrays[name] = make_stream(self.seed, streams[name])
        check_arrays(self.layout, self.arrays, self.layout)

    @property
    def counts(self) -> Int64s:
        """Games played so far, and how they ended."""
        return self.arrays["counts"]

    @property
    def games(self) -> int:
        """Games played so far."""
        return int(self.counts[GAMES])

    @abstractmethod
    def play(self, games: int) -> None:
        """Play so many more games and learn from them: `arrays` change, `counts` among them."""

    def agent(self) -> LearnedAgent:
        """The player that has been learned so far. It does not change when training goes on."""
        names = self.learner.arrays_to_play(self.games) or tuple(self.arrays)
        taken = {name: self.arrays[name].copy() for name in names}
        agent = self.learner.agent(self.game, self.seed, taken)
        agent.arrays = taken
        return agent

    def restore(self, arrays: Arrays, names: Iterable[str] = (), small: bool = False) -> None:
        """Continue from the arrays of another run with the same parameters.

        With `names` it takes over these alone, and with `small` weights of 8 bits, too.
        """
        taken = tuple(names) or tuple(self.layout)
        check_arrays(self.layout, arrays, taken, small)
        check_counts(arrays["counts"])
        for name in taken:
            given = arrays[name]
            shrunk = given.dtype == np.int8 and self.arrays[name].dtype.kind == "f"
            self.arrays[name][...] = from_small(given) if shrunk else given

    def check_finite(self) -> None:
        """Raise InputError if a weight or value is no finite number."""
        for name, array in self.arrays.items():
            if array.dtype.kind == "f" and not np.isfinite(array).all():
                raise InputError(
                    f"training diverged: after {self.games:,} games some {name} are not finite "
                    "numbers; take a smaller step size"
                )


class BoardTraining(Training):
    """A run on a board, against itself or an opponent that compiled loops can play."""

    def __init__(self, learner: Learner, game: Game, opponent: Opponent, seed: int) -> None:
        super().__init__(learner, game, opponent, seed)
        self.tables = tables_of(game)
        self.board = new_board(self.tables)
        self.opponent = compiled_form(opponent or RuleList(((),)), self.tables)
        side = getattr(learner, "side", "both")
        self.side = SELF_PLAY if opponent is None else OWN_SIDES.index(side)
