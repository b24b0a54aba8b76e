"""Gymnasium: one player's view of a game, against any player by name; alone or many at once.

    import gymnasium
    import inarow.adapters.gymnasium  # registers the environments

    environment = gymnasium.make("inarow/Connect4-v0", opponent="minimax:2", side="alternating")
    many = gymnasium.make_vec("inarow/Connect4-v0", num_envs=64, opponent="minimax:2")

An observation is a pair of planes, own stones and the opponent's. The legal moves are in
`info["action_mask"]`. An illegal action loses the game at once: reward -1,
`info["illegal_action"]` is True. Where every line counts, `rewards="lines"` rewards each step with
the lines that it completed, less those of the reply, instead of the game with its result.
"""

from __future__ import annotations

from typing import Any, cast

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from inarow.adapters.views import RENDER_MODES, Rendered, check_render_mode, render
from inarow.engine.board import Int64s
from inarow.game import InputError
from inarow.game import game as game_of
from inarow.lab.matches.batch import Batch, Planes, Step
from inarow.lab.players.protocols import NamedPlayer

Flags = npt.NDArray[np.bool_]
Rewards = npt.NDArray[np.float64]

GAMES = {
    "TicTacToe": "tictactoe",
    "Connect4": "connect4:6x7",
    "Cube": "cube",
    "Qubic": "qubic",
    "Game": "tictactoe",  # any other: game="mnk:15x15x5"
}


Action = int | np.integer[Any]
Info = dict[str, Any]  # as Gymnasium declares it


class InARowEnv(gymnasium.Env[Planes, Action]):
    """One game at a time."""

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        game: str = "tictactoe",
        opponent: NamedPlayer = "random",
        side: str = "first",
        render_mode: str | None = None,
        rewards: str = "result",
    ) -> None:
        self.render_mode = render_mode
        self.batch = _begin(game, 1, opponent, side, render_mode, rewards, True)
        self.game = self.batch.game
        self.observation_space, self.action_space = _spaces(self.game.name)
        self._over, self._fresh, self._closed = True, False, False
        self._shown = self.batch.position(0)

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Planes, Info]:
        """Begins a game; the opponent has made its move if it is first."""
        self._check_open()
        super().reset(seed=seed, options=options)
        if seed is not None or not self._fresh:  # else the batch has begun the next game already
            self.batch.reset(seed)
        self._over, self._fresh = False, False
        self._shown = self.batch.position(0)
        self._show()
        return self.batch.observations[0].copy(), self._info(self.batch.action_masks[0])

    def step(self, action: Action) -> tuple[Planes, float, bool, bool, Info]:
        """A move, and the opponent's reply."""
        self._check_open()
        if self._over:
            raise ResetNeeded("the game is over: call reset() before step()")
        move = _whole_number(action)
        illegal = not (0 <= move < self.game.columns and self.batch.action_masks[0, move])
        step = self.batch.step([move])
        over, reward = bool(step.done[0]), float(step.rewards[0])
        self._over = self._fresh = over
        if over:
            self._shown = self.batch.finished(0) or self.game.position()
            observation = self.batch.final_observations()[0]
            info = self._info(np.zeros(self.game.columns, dtype=np.bool_))
        else:
            self._shown = self.batch.position(0)
            observation = step.observations[0].copy()
            info = self._info(step.action_masks[0])
        if illegal:
            info["illegal_action"] = True
        self._show()
        return observation, reward, over, False, info

    def action_masks(self) -> Flags:
        """The legal moves, where sb3-contrib looks for them."""
        return np.array(self.batch.action_masks[0], dtype=np.bool_)

    def render(self) -> Rendered:
        """The board as the render mode says: text, pixels or SVG."""
        self._check_open()
        return render(self._shown, self.render_mode)

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def close(self) -> None:
        """Nothing can be played after this."""
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedEnvironmentError("the environment is closed: make a new one")

    def _info(self, mask: Flags) -> Info:
        return {"action_mask": mask.astype(np.int8)}


class InARowVectorEnv(VectorEnv[Planes, Int64s, npt.NDArray[np.generic]]):
    """Many games at once; one that ends begins anew within the same step."""

    metadata = {  # noqa: RUF012
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        game: str = "tictactoe",
        opponent: NamedPlayer = "random",
        side: str = "first",
        render_mode: str | None = None,
        rewards: str = "result",
    ) -> None:
        self.num_envs, self.render_mode = num_envs, render_mode
        record = render_mode is not None
        self.batch = _begin(game, num_envs, opponent, side, render_mode, rewards, record)
        self.game = self.batch.game
        self.single_observation_space, self.single_action_space = _spaces(self.game.name)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._ready = False

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Planes, Info]:
        """Begins all games; one seed is enough for all of them."""
        self._check_open()
        if seed is not None and not isinstance(seed, int | np.integer):
            raise InputError(f"seed {seed!r} is not a whole number: one is enough for all games")
        super().reset(seed=seed, options=options)
        self._ready = True
        step = self.batch.reset(None if seed is None else int(seed))
        return step.observations.copy(), self._infos(step)

    def step(self, actions: npt.ArrayLike) -> tuple[Planes, Rewards, Flags, Flags, Info]:
        """A move and its reply in each game."""
        self._check_open()
        if not self._ready:
            raise ResetNeeded("call reset() before step()")
        moves = self.batch._moves(actions)
        inside = (moves >= 0) & (moves < self.game.columns)
        lookup = np.where(inside, moves, 0)
        illegal = ~(inside & self.batch.action_masks[np.arange(self.num_envs), lookup])
        step = self.batch.step(moves)
        infos = self._infos(step)
        done = step.done.copy()
        if done.any():
            final = self.batch.final_observations()
            final[~done] = 0
            infos |= {"final_obs": final, "_final_obs": done}
            infos["final_info"] = {"illegal_action": illegal, "_illegal_action": done}
            infos["_final_info"] = done
        truncated = np.zeros(self.num_envs, dtype=np.bool_)
        return step.observations.copy(), step.rewards.astype(float), done, truncated, infos

    def render(self) -> tuple[Rendered, ...] | None:  # type: ignore[override]
        """All boards as the render mode says."""
        self._check_open()
        if self.render_mode is None:
            return None
        boards = [self.batch.position(number) for number in range(self.num_envs)]
        return tuple(render(board, self.render_mode) for board in boards)

    def _check_open(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError("the environment is closed: make a new one")

    def _infos(self, step: Step) -> Info:
        every = np.ones(self.num_envs, dtype=np.bool_)
        return {"action_mask": step.action_masks.astype(np.int8), "_action_mask": every}


def _spaces(game: str) -> tuple[spaces.Space[Planes], spaces.Discrete]:
    found = game_of(game)
    planes = spaces.Box(0, 1, shape=(2, *found.shape), dtype=np.int8)
    return cast(spaces.Space[Planes], planes), spaces.Discrete(found.columns)


def _begin(
    game: str,
    n: int,
    opponent: NamedPlayer | None,
    side: str,
    mode: str | None,
    rewards: str,
    record: bool,
) -> Batch:
    """The games of an environment, unless something is wrong with how it is made."""
    check_render_mode(mode)
    if opponent is None:
        raise InputError("an environment for one player needs an opponent: a player's name")
    return Batch(game, n, opponent, side, record=record, illegal="lose", rewards=rewards)


def _whole_number(action: Action) -> int:
    if isinstance(action, bool) or np.ndim(action) or not hasattr(action, "__index__"):
        raise InputError(f"action {action!r} is not a move: moves are whole numbers from 0")
    return int(action)


def register() -> None:
    """Makes the environments known to `gymnasium.make`; importing this module does."""
    for name, game in GAMES.items():
        gymnasium.register(
            f"inarow/{name}-v0",
            entry_point=f"{__name__}:InARowEnv",
            vector_entry_point=f"{__name__}:InARowVectorEnv",
            kwargs={"game": game},
        )


register()
