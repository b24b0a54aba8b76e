"""What a learner is: parameters that describe themselves, and begin a run.

A learner is a class with options (`option`), which are numbers, text or flags. What it says of
itself here is all that is known of it elsewhere: commands, forms, studies and error messages are
made from it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol, dataclass_transform

from inarow.engine.contest import CompiledPlayer
from inarow.engine.rules import RuleList
from inarow.game import Game, InputError
from inarow.game import game as game_of
from inarow.game.memory import bytes_text
from inarow.graph.graph import Graph
from inarow.graph.odds import Policy
from inarow.learn.agent import LearnedAgent
from inarow.learn.arrays import (
    Arrays,
    Layout,
    bytes_of,
    check_arrays,
    check_bytes,
    from_small,
    game_counts,
)
from inarow.learn.options import OptionValue, check_options
from inarow.learn.saved import Header

if TYPE_CHECKING:
    from inarow.engine.tables import Int64s
    from inarow.learn.training import Training

MAX_LINES = 1_000_000  # of a game that is learned
COPIES = 2  # of a run's arrays: its own, and what its agent plays with

ITSELF, PLAYER = "itself", "another player"  # whom a learner can play against
# Games that suit a learner, and options to begin with there.
Suits = Mapping[str, Mapping[str, OptionValue]]


class OtherPlayer(CompiledPlayer, Protocol):
    """A player that learners play against: compiled for boards, as policies for graphs."""

    def policies(self, graph: Graph) -> list[Policy]:
        """One, or several of which one is drawn for each game."""


Opponent = RuleList | OtherPlayer | None  # whom a learner plays; None: itself


@dataclass_transform(frozen_default=True)
class Learner(ABC):
    """The parameters of a learner. Subclasses are frozen dataclasses without being marked so.

    The first line of the docstring says what it is, in lists of learners.
    """

    name: ClassVar[str]
    opponents: ClassVar[tuple[str, ...]] = (ITSELF, PLAYER)
    needs_graph: ClassVar[bool] = False  # whether the game is enumerated: small games only
    suits: ClassVar[Suits] = {}

    def __init_subclass__(cls) -> None:
        documented = cls.__doc__
        dataclass(frozen=True)(cls)
        cls.__doc__ = documented  # not the signature that a dataclass has in its place

    def __post_init__(self) -> None:
        check_options(self)

    @classmethod
    def about(cls) -> str:
        """What it is, in a line."""
        return (cls.__doc__ or "").strip().partition("\n")[0] or "It has no docstring."

    def check(self, game: Game, against: bool) -> None:  # noqa: ARG002
        """Refuses an opponent, or none, and options that do not work together or on the board."""
        if against and PLAYER not in self.opponents:
            raise InputError(f"{self.name} plays against itself: it takes no opponent")
        if not against and ITSELF not in self.opponents:
            raise InputError(f"{self.name} learns from another player: say whom it plays against")

    @abstractmethod
    def layout(self, game: Game, seed: int, most: int | None) -> Layout:
        """The arrays of a run besides `counts`: their shapes, types and ranges.

        It makes none of them. Where `most` is given, it may refuse parameters for which some
        array would have more numbers than that, and takes no more time than so few justify.
        """

    @abstractmethod
    def begin(self, game: Game, opponent: Opponent, seed: int) -> Training:
        """A run from nothing; `opponent` is None where the learner plays itself."""

    @abstractmethod
    def agent(self, game: Game, seed: int, arrays: Arrays) -> LearnedAgent:
        """The player that the arrays of a run make; they are its own from now on."""

    def arrays_to_play(self, games: int) -> tuple[str, ...]:  # noqa: ARG002
        """The arrays that the agent needs after so many games; empty where it is all of them."""
        return ()

    def extra_bytes(self, game: Game) -> int:  # noqa: ARG002
        """About how many bytes building a run takes besides its arrays, at once from parameters.

        A learner says so where that is more than what every run on such a board takes.
        """
        return 0

    def bytes_needed(self, game: Game, seed: int) -> int:
        """About how many bytes a run takes, at the most while it is built. It makes none of it."""
        return COPIES * bytes_of(layout_of(self, game, seed)) + self.extra_bytes(game)


def layout_of(learner: Learner, game: Game, seed: int, most: int | None = None) -> Layout:
    """All arrays of a run, if there is memory for them; with `most`, as in `Learner.layout`."""
    check_lines(game)
    layout = {"counts": game_counts(), **learner.layout(game, seed, most)}
    check_bytes(layout)
    return layout


def check_lines(game: Game) -> None:
    """Says so if a game has more lines than are learned on."""
    lines = game.line_count
    if lines > MAX_LINES:
        raise InputError(f"{game.name} has {lines:,} lines: learners take at most {MAX_LINES:,}")


def check_size(learner: Learner, game: Game, seed: int, most: int, place: str = "") -> int:
    """The bytes that a run needs, if those are at most so many; `place` is where they are.

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
    """Says so if the counts of a run do not add up."""
    games, *ends, last_loss = (int(count) for count in counts)
    if sum(ends) != games or last_loss > games:
        raise InputError(
            f"array counts holds {games} games, of which {ends[0]} were won, {ends[1]} drawn and "
            f"{ends[2]} lost, the last in game {last_loss}: that does not add up"
        )


def check_fits(learner: Learner, header: Header, arrays: Arrays) -> tuple[str, ...]:
    """Says what is wrong if the arrays are not those that a header speaks of; else their names.

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
    """The player that a file holds, for which `check_fits` found nothing wrong."""
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
    """The parameters as they go into files: numbers, text and flags only."""
    return asdict(learner)  # type: ignore[call-overload]
