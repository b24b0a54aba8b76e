"""Many games side by side in NumPy arrays, with or without an opponent: for learners of your own.

    games = inarow.batch("connect4:6x7", 4096, opponent="minimax:2", seed=1)
    step = games.reset()
    while learning:
        step = games.step(policy(step.observations, step.action_masks))
        learn(step.rewards, step.done)

docs/how-to/environments.md says what the arrays hold. They are overwritten by the next step.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine import batch as against
from inarow.engine.batch import batch_of, draw_actions, make_block, restart, step_games
from inarow.engine.board import Int64s, new_board, tables_of
from inarow.engine.players import compiled_form, has_compiled_form
from inarow.engine.streams import FIRST, SECOND, make_stream
from inarow.game import Game, InputError, Position
from inarow.game import game as game_of
from inarow.game.position import SIDES
from inarow.lab.players.names import player
from inarow.lab.players.protocols import ask, bind_player, check_plays

OWN_SIDES = (*SIDES, "alternating")
ILLEGAL = ("refuse", "lose")  # what becomes of an illegal action
REWARDS = ("result", "lines")  # what a step pays
INT64, STRIDES = np.dtype(np.int64), (8,)  # of actions that need no change
MAX_BYTES = 2**34  # of all arrays of a batch together

Planes = npt.NDArray[np.int8]


class Step(NamedTuple):
    """The arrays after a step.

    Where a game ended, `rewards` and `done` are of that game, and the other arrays of the next
    one, which has begun.
    """

    observations: Planes  # [n, 2, *game.shape] stones of whoever is to move, stones of the other
    rewards: npt.NDArray[np.float32]  # [n] 1, 0 or -1 (or lines), for who made the move
    done: npt.NDArray[np.bool_]  # [n] whether the game ended
    action_masks: npt.NDArray[np.bool_]  # [n, moves] the legal moves
    to_move: Planes  # [n] 0 the first player, 1 the second


class Batch:
    """n games side by side: you move for both sides, or an opponent replies in each step.

    `side` is your side: first, second, or alternating from game to game. With `record` the moves of
    the games are kept. An illegal action is refused, or loses its game (`illegal="lose"`). Where
    every line counts, `rewards="lines"` pays each step the lines that it completed, less those of
    the opponent's reply; else a step pays the result of a game that ends with it.
    """

    def __init__(
        self,
        game: str | Game,
        n: int,
        opponent: Any = None,
        side: str = "first",
        seed: int = 0,
        record: bool = False,
        illegal: str = "refuse",
        rewards: str = "result",
    ) -> None:
        self.game, self.n, self.side, self.record = game_of(game), int(n), side, bool(record)
        self.illegal = illegal
        check_rewards(rewards, self.game)
        self.opponent: Any = None if opponent is None else player(opponent)
        self._check()
        compiled = has_compiled_form(self.opponent)
        self.record |= self.opponent is not None and not compiled  # it is asked about positions
        per_line = rewards == "lines"
        self._block = make_block(self.game, self.n, side == "alternating", self.record, per_line)
        self._arrays = batch_of(self._block)
        self._view = self._make_view()
        self._bound: list[Any] = []
        self._arguments: tuple[Any, ...] = ()
        if has_compiled_form(self.opponent):
            tables = tables_of(self.game)
            stones, scratch = np.zeros(tables.cells, np.int8), np.zeros(4, np.uint64)
            ready = compiled_form(self.opponent, tables)
            self._arguments = (tables, new_board(tables), stones, ready, scratch)
        self._seed(seed)
        self.reset()

    @property
    def observations(self) -> Planes:
        """The stones of the player to move, and those of the other: [n, 2, *game.shape]."""
        return self._view.observations

    @property
    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The legal moves: [n, moves]."""
        return self._view.action_masks

    @property
    def to_move(self) -> Planes:
        """Who is to move, 0 the first player, 1 the second: [n]."""
        return self._view.to_move

    def reset(self, seed: int | None = None) -> Step:
        """Restart all games, with the random numbers of a seed or the next ones."""
        if seed is not None:
            self._seed(seed)
        if self.opponent is None:
            restart(self._block)
            return self._view
        start = {"first": 0, "second": 1}.get(self.side)
        self._arrays.side[:] = np.arange(self.n) & 1 if start is None else start
        if self._arguments:
            against.restart_against(self._block, *self._arguments)
        else:
            against.begin_all(self._block)
            self._reply()
            against.finish(self._block)
        return self._view

    def step(self, actions: npt.ArrayLike) -> Step:
        """Play a move in each game: [n] integers. If one is refused, none is played."""
        moves: Any = actions
        ready = type(moves) is np.ndarray and moves.dtype is INT64 and moves.strides == STRIDES
        if not ready or len(moves) != self.n:
            moves = self._moves(actions)
        if self.opponent is None:
            illegal = step_games(self._block, moves)
        elif self._arguments:
            losing = self.illegal == "lose"
            illegal = against.step_against(self._block, moves, losing, *self._arguments)
        else:
            illegal = self._step_in_python(moves)
        if illegal >= 0:
            self._refuse(illegal, int(moves[illegal]))
        return self._view

    def random_actions(self) -> Int64s:
        """Return a random legal move for each game, all equally likely."""
        actions = np.empty(self.n, dtype=np.int64)
        draw_actions(self._block, self._stream, actions)
        return actions

    def flat(self) -> Planes:
        """The observations as one row per game: 1 own stone, -1 other, 0 empty: [n, cells]."""
        own, other = self._view.observations[:, 0], self._view.observations[:, 1]
        return (own - other).reshape(self.n, self.game.cells)

    def final_observations(self) -> Planes:
        """Return the observations after the last step, before new games started.

        They are from the point of view of the player who would move next; against an opponent, of
        the caller.
        """
        bits = (self._arrays.last_own, self._arrays.last_other)
        planes = [
            np.unpackbits(words.reshape(self.n, -1).view(np.uint8), axis=1, bitorder="little")
            for words in bits
        ]
        stacked = np.stack([plane[:, : self.game.cells] for plane in planes], axis=1)
        return stacked.astype(np.int8).reshape(self.n, 2, *self.game.shape)

    def position(self, number: int) -> Position:
        """Return the current position of a game."""
        self._check_recorded(number)
        return self._position(self._arrays.history, self._arrays.ply, number)

    def finished(self, number: int) -> Position | None:
        """Return the last position of the previous game; None if none has ended yet."""
        self._check_recorded(number)
        last = self._position(self._arrays.last_history, self._arrays.last_ply, number)
        return last if last.ply else None

    def __repr__(self) -> str:
        name = getattr(self.opponent, "name", None)
        rest = "" if self.opponent is None else f" against {name}"
        return f"<{self.n} games of {self.game.name}{rest}>"

    # Within

    def _check(self) -> None:
        """Raise InputError for what was asked for wrongly."""
        if self.n < 1:
            raise InputError(f"n={self.n} games: a batch has at least 1")
        size = self.n * self.game.cells * (3 + 4 * self.record)
        if size > MAX_BYTES:
            raise InputError(f"n={self.n:,} games of {self.game.name} do not fit into memory")
        if self.side not in OWN_SIDES:
            raise InputError(f"side {self.side!r} must be one of {', '.join(OWN_SIDES)}")
        if self.illegal not in ILLEGAL:
            raise InputError(f"illegal {self.illegal!r} must be one of {', '.join(ILLEGAL)}")
        if self.opponent is None:
            if self.illegal == "lose":
                raise InputError("illegal='lose' needs an opponent who wins")
            return
        check_plays(self.opponent, self.game)
        if self.game.k == 1 and self.side != "first":
            raise InputError(f"the first stone wins {self.game.name}: only side 'first' can play")

    def _make_view(self) -> Step:
        """Return the arrays of the block as a caller sees them."""
        arrays, n, shape = self._arrays, self.n, self.game.shape
        inner = np.zeros(shape, dtype=np.int8).strides
        planes = np.lib.stride_tricks.as_strided(
            arrays.views, (n, 2, *shape), (2 * arrays.room, arrays.room, *inner), writeable=False
        )
        masks = arrays.legal.reshape(n, arrays.move_room)[:, : self.game.columns]
        view = Step(
            planes, arrays.rewards, arrays.done.view(np.bool_), masks.view(np.bool_), arrays.to_move
        )
        for array in view[1:]:
            array.flags.writeable = False
        return view

    def _seed(self, seed: int) -> None:
        """Game number i draws from a stream named by the seed and i, however many there are."""
        self._stream = make_stream(seed, FIRST)
        if self.opponent is None:
            return
        source = np.random.SeedSequence(seed, spawn_key=(SECOND,))
        self._arrays.streams[:] = source.generate_state(4 * self.n, np.uint64).reshape(-1, 4)
        if not has_compiled_form(self.opponent):
            streams = list(self._arrays.streams)
            self._bound = [bind_player(self.opponent, self.game, stream) for stream in streams]

    def _moves(self, actions: Any) -> Int64s:
        """Return the actions as compiled code takes them."""
        moves = np.asarray(actions)
        if moves.shape != (self.n,):
            raise InputError(f"actions of shape {moves.shape}: one for each game, ({self.n},)")
        if moves.dtype != np.int64:
            if moves.dtype.kind not in "iu":
                raise InputError(f"actions of type {moves.dtype}: moves are whole numbers")
            moves = moves.astype(np.int64)
        return np.ascontiguousarray(moves)

    def _refuse(self, number: int, action: int) -> None:
        """Raise InputError that says what is wrong with an action."""
        legal = np.flatnonzero(self._view.action_masks[number])
        listed = " ".join(map(str, legal[:12])) + (" ..." if len(legal) > 12 else "")
        raise InputError(f"action {action} of game {number} is illegal: legal are {listed}")

    def _step_in_python(self, moves: Int64s) -> int:
        illegal = int(against.play_own(self._block, moves, self.illegal == "lose"))
        if illegal < 0:
            self._reply()
            against.begin_anew(self._block)
            self._reply()
            against.finish(self._block)
        return illegal

    def _reply(self) -> None:
        """The moves of an opponent who needs Python."""
        for number in np.flatnonzero(self._arrays.waiting).tolist():
            move = ask(self._bound[number], self.position(number))
            against.play_reply(self._block, number, move)

    def _check_recorded(self, number: int) -> None:
        if not 0 <= number < self.n:
            raise InputError(f"there is no game {number}: the batch has 0 to {self.n - 1}")
        if not self.record:
            raise InputError("the moves are not kept: make the batch with record=True")

    def _position(self, history: npt.NDArray[np.int16], plies: Int64s, number: int) -> Position:
        position, start = Position(self.game), number * self.game.cells
        for move in history[start : start + int(plies[number])].tolist():
            position.push(move)
        return position


def check_rewards(rewards: str, game: Game) -> None:
    """Raise InputError for rewards that do not exist, or not in this game."""
    if rewards not in REWARDS:
        raise InputError(f"rewards {rewards!r} must be one of {', '.join(REWARDS)}")
    if rewards == "lines" and not game.scoring:
        raise InputError(
            f"rewards='lines' needs a game where every line counts, as ntictactoe:3^3: "
            f"{game.name} ends with the first"
        )


batch = Batch  # a verb, as all that `inarow` offers: `inarow.batch(game, n)`
