"""Policies over many games side by side: a class with `choose`, `learn`, `save` and `load`.

    class Mine:
        name = "mine"
        deterministic = True  # if `choose` without exploring always answers a position alike
        batch = 64  # games side by side, unless the option `batch` says another number

        def __init__(self, rate=0.01): ...  # the options, with their defaults
        def begin(self, game): ...  # called before all else: here the network is made
        def choose(self, observations, action_masks, explore): ...  # a move for each position
        def learn(self, moves): ...  # from the moves of a round of games: `Moves`
        def save(self): ...  # all that was learned: JSON and arrays
        def load(self, saved): ...

Observations and masks are those of `inarow.batch`, so a network of any library fits. A round is
`batch` games from their start to their end, in which nothing is learned; then `learn` is called
once. `self.rng`, a generator of NumPy, begins anew with each round, from the seed and the round's
number. A run that is cut within a round plays that round again, from the policy that it began
with: so it gives the same bits, and nothing but the policy is saved. A class may also have
`values(observations, action_masks)`, a row of numbers by move for each position.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.batch import (
    batch_of,
    begin_all,
    begin_anew,
    finish,
    make_block,
    play_own,
    play_reply,
    restart,
    restart_against,
    step_against,
    step_games,
)
from inarow.engine.board import Board, Int64s, Tables, new_board, tables_of
from inarow.engine.players import BoundPlayer, PlayerArrays, compiled_form
from inarow.engine.rules import RuleList
from inarow.engine.streams import FIRST, LEARNER, Stream
from inarow.game import Game, InputError, Position
from inarow.learn.learner import (
    BOTH,
    DRAWS,
    LOSSES,
    OWN_SIDES,
    SELF_PLAY,
    WINS,
    AskedPlayer,
    Opponent,
    OtherPlayer,
)
from inarow.learn.options import OptionValue, between, option
from inarow.learn.plain_learner import Own, OwnTraining, PlainLearner
from inarow.learn.saved import Arrays, Numbers

BATCH = 64  # games side by side, unless the class says another number
LARGEST_BATCH = 2**16

Planes = npt.NDArray[np.int8]
Masks = npt.NDArray[np.bool_]
# What compiled replies take: the board to ask about, the opponent, and room to work.
Replies = tuple[Tables, Board, Planes, PlayerArrays, Stream]


class Moves(NamedTuple):
    """All moves of the learner in a round: game by game, side by side, in the order of play."""

    observations: Planes  # [n, 2, *game.shape] stones of who moved, stones of the other
    action_masks: Masks  # [n, moves] the moves that were legal
    actions: Int64s  # [n] the moves that were chosen
    results: npt.NDArray[np.float32]  # [n] how the game ended for who moved: 1, 0 or -1
    left: Int64s  # [n] moves that the same side still made in that game: 0 for its last


class PolicyLearner(PlainLearner):
    """A policy that a person has written, with a library of their choice."""

    methods: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "choose": ("observations", "action_masks", "explore"),
        "learn": ("moves",),
        "save": (),
        "load": ("saved",),
    }
    batch: int  # declared by `added_options`

    @classmethod
    def added_options(cls, kind: type) -> dict[str, tuple[type, OptionValue]]:
        """Return the side, and how many games make a round."""
        about = "games side by side in a round, after which it learns; an even number"
        games = option(getattr(kind, "batch", BATCH), about, between(2, LARGEST_BATCH), "games")
        return {**super().added_options(kind), "batch": (int, games)}

    def check(self, game: Game, against: bool) -> None:
        """Raise InputError for a round of which one side would have more, or a game too short."""
        super().check(game, against)
        if self.batch % 2:
            raise InputError(f"option batch must be an even number, not {self.batch}")
        if against and game.k == 1 and self.side != "first":  # type: ignore[attr-defined]
            raise InputError(f"the first stone wins {game.name}: only side 'first' can play")

    def begin(self, game: Game, opponent: Opponent, seed: int) -> PolicyTraining:
        """Return a run from nothing."""
        return PolicyTraining(self, game, opponent, seed)

    def move_of(self, own: Own, position: Position) -> int:
        """Return the move that a policy plays, without exploring."""
        observation, mask = look_at(position)
        return int(chosen(own.choose(observation, mask, False), mask, self.name)[0])

    def values_of(self, own: Own, position: Position) -> Mapping[int, float]:
        """Return what a policy says of each move."""
        values = own.values(*look_at(position))[0]
        return {move: values[move] for move in position.legal_moves}


def look_at(position: Position) -> tuple[Planes, Masks]:
    """Return a position as a batch of one: what the side to move sees, and its legal moves."""
    game, stones = position.game, np.array(position.stones, dtype=np.int8)
    own = 1 + (position.ply & 1)
    planes = np.stack([stones == own, stones == 3 - own]).astype(np.int8)
    mask = np.zeros((1, game.columns), dtype=np.bool_)
    mask[0, position.legal_moves] = True
    return planes.reshape(1, 2, *game.shape), mask


def chosen(answer: npt.ArrayLike, masks: Masks, name: str) -> Int64s:
    """Return what a policy chose as moves; InputError where one is none, or illegal."""
    moves: Numbers = np.asarray(answer)
    if moves.shape != (len(masks),) or moves.dtype.kind not in "iu":
        raise InputError(
            f"{name} must choose a whole number for each of {len(masks)} positions, not "
            f"{moves.dtype}{list(moves.shape)}"
        )
    inside = (moves >= 0) & (moves < masks.shape[1])
    wrong = np.flatnonzero(~inside | ~masks[np.arange(len(masks)), np.where(inside, moves, 0)])
    if len(wrong):
        legal = ", ".join(map(str, np.flatnonzero(masks[wrong[0]]).tolist()[:12]))
        raise InputError(f"{name} chose the move {moves[wrong[0]]}, where {legal} are legal")
    return moves.astype(np.int64)


def _compiled(opponent: RuleList | OtherPlayer, tables: Tables) -> PlayerArrays | None:
    """Return an opponent for compiled loops; None for one that is asked in Python."""
    try:
        return compiled_form(opponent, tables)
    except InputError:
        return None


def _bound(opponent: RuleList | OtherPlayer, game: Game, stream: Stream) -> AskedPlayer:
    """Return an opponent as it is asked in Python, for one game."""
    if isinstance(opponent, RuleList):
        bound: AskedPlayer = BoundPlayer(opponent, game, stream)
    else:
        bound = opponent.bind(stream)
    if isinstance(bound, BoundPlayer):
        bound.begin()
    return bound


class _Round(NamedTuple):
    """A round that is played: what the learner did, and how each game ended."""

    moves: Moves
    ends: tuple[int, ...]  # WINS, DRAWS or LOSSES of the learner; of the first side against itself


class PolicyTraining(OwnTraining):
    """A run of a policy, in rounds of games side by side."""

    learner: PolicyLearner

    def __init__(self, learner: PolicyLearner, game: Game, opponent: Opponent, seed: int) -> None:
        super().__init__(learner, game, opponent, seed)
        self.side = SELF_PLAY if opponent is None else OWN_SIDES.index(learner.side)  # type: ignore[attr-defined]
        self.opponent, tables = opponent, tables_of(game)
        ready = None if opponent is None else _compiled(opponent, tables)
        self._replies: Replies | None = None
        if ready is not None:
            stones, scratch = np.zeros(tables.cells, np.int8), np.zeros(4, np.uint64)
            self._replies = (tables, new_board(tables), stones, ready, scratch)
        asks = opponent is not None and ready is None  # about positions, in Python
        self._block = make_block(game, learner.batch, self.side == BOTH, recording=asks)
        self._games = batch_of(self._block)
        self._asked: list[AskedPlayer] = []  # the opponent in each game
        self._round: _Round | None = None  # the one that games are counted of
        self.begin_own()

    def restore(self, arrays: Arrays, names: Iterable[str] = (), small: bool = False) -> None:
        """Continue from the arrays of another run with the same parameters."""
        super().restore(arrays, names, small)
        self._round = None  # it is played again

    def play(self, games: int) -> None:
        """Play so many more games, and learn after each whole round."""
        size = self.learner.batch
        while games:
            number, at = divmod(self.games, size)
            self._round = self._round or self._play_round(number)
            taken = self._round.ends[at : at + games]
            for end in taken:
                self.count(end)
            games -= len(taken)
            if at + len(taken) == size:
                self.own.learn(self._round.moves)
                self._round, self._saved = None, False

    def _play_round(self, number: int) -> _Round:
        """Play a round: a function of the policy, the seed and the round's number."""
        self.own.rng = np.random.default_rng([self.seed, LEARNER, number])
        self._begin_round(number)
        game, games, name = self.game, self._games, self.learner.name
        going, results = np.arange(games.n), np.zeros(games.n, dtype=np.float32)
        asked = list[tuple[Planes, Masks, Int64s, Int64s]]()  # the last: 2 * game + side
        while len(going):
            planes, masks = self._look(going)
            sides = games.to_move[going].astype(np.int64)
            answer = self.own.choose(planes.copy(), masks.copy(), True)
            asked.append((planes, masks, chosen(answer, masks, name), 2 * going + sides))
            self._step(going, asked[-1][2])
            over = games.done[going] != 0
            rewards = games.rewards[going] * (1 - 2 * sides)  # for the first side
            results[going[over]] = rewards[over]
            going = going[~over]
        planes, masks, actions, places = (np.concatenate(part) for part in zip(*asked, strict=True))
        order = np.argsort(places, kind="stable")
        _, place, counts = np.unique(places[order], return_inverse=True, return_counts=True)
        left = np.cumsum(counts)[place] - 1 - np.arange(len(order))
        gained = (results[places >> 1] * (1 - 2 * (places & 1)).astype(np.float32))[order]
        seen = planes[order].reshape(-1, 2, *game.shape)
        return _Round(Moves(seen, masks[order], actions[order], gained, left), self._ends(results))

    def _begin_round(self, number: int) -> None:
        """Clear the boards; the opponent draws from the round's own numbers."""
        games = self._games
        if self.opponent is None:
            restart(self._block)
            return
        source = np.random.SeedSequence(self.seed, spawn_key=(FIRST, number))
        games.streams[:] = source.generate_state(4 * games.n, np.uint64).reshape(-1, 4)
        games.side[:] = np.arange(games.n) & 1 if self.side == BOTH else self.side
        if self._replies is not None:
            restart_against(self._block, *self._replies)
            return
        self._asked = [_bound(self.opponent, self.game, stream) for stream in games.streams]
        begin_all(self._block)
        self._reply(np.arange(games.n))
        finish(self._block)

    def _look(self, going: Int64s) -> tuple[Planes, Masks]:
        """Return observations and legal moves of the games that go on."""
        games, shape = self._games, self.game.shape
        planes = games.views.reshape(games.n, 2, games.room)[going, :, : games.cells]
        return planes.reshape(-1, 2, *shape), self._masks[going]

    @property
    def _masks(self) -> Masks:
        games = self._games
        return games.legal.reshape(games.n, games.move_room)[:, : games.columns] != 0

    def _step(self, going: Int64s, moves: Int64s) -> None:
        """Play moves, and any in games that have begun anew: they are no part of the round."""
        actions = self._masks.argmax(axis=1).astype(np.int64)
        actions[going] = moves
        if self.opponent is None:
            step_games(self._block, actions)
        elif self._replies is not None:
            step_against(self._block, actions, False, *self._replies)
        else:
            play_own(self._block, actions, False)
            self._reply(going)
            begin_anew(self._block)
            self._reply(going[:0])
            finish(self._block)

    def _reply(self, going: Int64s) -> None:
        """Play the opponent's moves in games that wait for one: any in games begun anew."""
        games, cells = self._games, self.game.cells
        for number in np.flatnonzero(games.waiting).tolist():
            if number not in going:
                play_reply(self._block, number, int(self._masks[number].argmax()))
                continue
            position, start = Position(self.game), number * cells
            for move in games.history[start : start + int(games.ply[number])].tolist():
                position.push(move)
            position.push(self._asked[number].move(position.copy()))
            play_reply(self._block, number, position.moves[-1])

    def _ends(self, results: npt.NDArray[np.float32]) -> tuple[int, ...]:
        """Return how the games ended for the learner, from results of the first side."""
        sides = np.zeros(len(results), dtype=np.int64)
        if self.side != SELF_PLAY:
            sides[:] = np.arange(len(results)) & 1 if self.side == BOTH else self.side
        own = results * (1 - 2 * sides)
        return tuple(np.where(own > 0, WINS, np.where(own < 0, LOSSES, DRAWS)).tolist())
