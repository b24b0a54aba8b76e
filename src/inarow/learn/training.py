"""A run of a learner: everything in it that changes is in its arrays.

These arrays are both what is saved and what a run continues from, and a run gives the same bits
however it is cut into pieces.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

import numpy as np

from inarow.engine.board import DRAWN, FIRST_WON, Board, clear, new_board
from inarow.engine.contest import PlayerArrays, begin
from inarow.engine.jit import inline
from inarow.engine.rules import RuleList
from inarow.engine.streams import FIRST, LEARNER, Stream, make_stream
from inarow.engine.tables import Int64s, Tables, tables_of
from inarow.game import Game, InputError
from inarow.learn.agent import LearnedAgent
from inarow.learn.arrays import Arrays, check_arrays, from_small
from inarow.learn.learner import Learner, Opponent, check_counts, layout_of
from inarow.learn.options import one_of, option

# What `counts` holds, for the learner (for the first player, where it plays itself): games, how
# they ended, and the number of the last one that was lost, counted from 1. Rewards of a game have
# the same order.
GAMES, WINS, DRAWS, LOSSES, LAST_LOSS = range(5)

State = int | np.uint32  # of a game, by a board or a graph

SIDES = ("first", "second", "both")
BOTH, SELF_PLAY = 2, 3  # sides of a learner for compiled loops, besides 0 and 1


def side_option(default: str) -> str:
    """The option of learners that play against others."""
    about = "which side learns, against an opponent; both: alternating"
    return option(default, about, one_of(*SIDES))


@inline
def begin_game(tables: Tables, board: Board, opponent: PlayerArrays, stream: Stream) -> None:
    """Clears the board and lets the opponent prepare for a new game."""
    clear(tables, board)
    begin(opponent, stream)


@inline
def value_of_end(state: State) -> float:
    """How a finished game ended: 1 if the first player won, -1 if the second did, 0 if drawn."""
    return 0.0 if state == DRAWN else (1.0 if state == FIRST_WON else -1.0)


@inline
def side_in_game(side: int, number: int) -> int:
    """The learner's side in the game of that number: 0, 1 or SELF_PLAY."""
    return number & 1 if side == BOTH else side


@inline
def moves_for(side: int, mover: int) -> bool:
    """Whether the learner moves when it is a player's turn."""
    return side in (SELF_PLAY, mover)


@inline
def end_of(state: State, side: int) -> int:
    """How a finished game ended for a side: WINS, DRAWS or LOSSES."""
    if state == DRAWN:
        return DRAWS
    return WINS if state == FIRST_WON + side else LOSSES


@inline
def count_game(counts: Int64s, state: State, side: int) -> None:
    """Counts a finished game for the learner on that side, for the first player in self-play."""
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
        """Takes the arrays of a run from nothing; random streams are added where declared."""
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
        """Plays so many more games and learns from them: changes `arrays`, `counts` among them."""

    def agent(self) -> LearnedAgent:
        """The player that has been learned so far. It does not change when training goes on."""
        names = self.learner.arrays_to_play(self.games) or tuple(self.arrays)
        taken = {name: self.arrays[name].copy() for name in names}
        agent = self.learner.agent(self.game, self.seed, taken)
        agent.arrays = taken
        return agent

    def restore(self, arrays: Arrays, names: Iterable[str] = (), small: bool = False) -> None:
        """Continues from the arrays of another run with the same parameters.

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
        """Stops with a clear line if what is learned has become useless."""
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
        self.opponent = (opponent or RuleList(((),))).compiled(self.tables)
        side = getattr(learner, "side", "both")
        self.side = SELF_PLAY if opponent is None else SIDES.index(side)
