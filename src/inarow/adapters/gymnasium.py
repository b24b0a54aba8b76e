"""Gymnasium: one player's view of a game, against any player by name; alone or many at once.

    import gymnasium
    import inarow.adapters.gymnasium  # registers the environments

    environment = gymnasium.make("inarow/Connect4-v0", opponent="minimax:2", side="alternating")
    many = gymnasium.make_vec("inarow/Connect4-v0", num_envs=64, opponent="minimax:2")

An observation is a pair of planes, own stones and the opponent's. The legal moves are in
`info["action_mask"]`. An illegal action loses the game at once: reward -1,
`info["illegal_action"]` is True.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from inarow.adapters.views import RENDER_MODES, check_render_mode, render
from inarow.game import InputError
from inarow.game import game as game_of
from inarow.lab.batch import Batch, Step

GAMES = {
    "TicTacToe": "tictactoe",
    "Connect4": "connect4:6x7",
    "Cube": "cube",
    "Qubic": "qubic",
    "Game": "tictactoe",  # any other: game="mnk:15x15x5"
}


class InARowEnv(gymnasium.Env[Any, Any]):
    """One game at a time."""

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        game: str = "tictactoe",
        opponent: Any = "random",
        side: str = "first",
        render_mode: str | None = None,
    ) -> None:
        check_render_mode(render_mode)
        _check_opponent(opponent)
        self.render_mode = render_mode
        self.batch = Batch(game, 1, opponent, side, record=True, illegal="lose")
        self.game = self.batch.game
        self.observation_space, self.action_space = _spaces(self.game.name)
        self._over, self._fresh, self._closed = True, False, False
        self._shown = self.batch.position(0)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins a game; the opponent has made its move if it is first."""
        self._check_open()
        super().reset(seed=seed, options=options)
        if seed is not None or not self._fresh:  # else the batch has begun the next game already
            self.batch.reset(seed)
        self._over, self._fresh = False, False
        self._shown = self.batch.position(0)
        self._show()
        return self.batch.observations[0].copy(), self._info(self.batch.action_masks[0])

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
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

    def action_masks(self) -> Any:
        """The legal moves, where sb3-contrib looks for them."""
        return self.batch.action_masks[0].copy()

    def render(self) -> Any:
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

    def _info(self, mask: Any) -> dict[str, Any]:
        return {"action_mask": mask.astype(np.int8)}


class InARowVectorEnv(VectorEnv[Any, Any, Any]):
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
        opponent: Any = "random",
        side: str = "first",
        render_mode: str | None = None,
    ) -> None:
        check_render_mode(render_mode)
        _check_opponent(opponent)
        self.num_envs, self.render_mode = num_envs, render_mode
        self.batch = Batch(
            game, num_envs, opponent, side, record=render_mode is not None, illegal="lose"
        )
        self.game = self.batch.game
        self.single_observation_space, self.single_action_space = _spaces(self.game.name)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._ready = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins all games; one seed is enough for all of them."""
        self._check_open()
        if seed is not None and not isinstance(seed, int | np.integer):
            raise InputError(f"seed {seed!r} is not a whole number: one is enough for all games")
        super().reset(seed=seed, options=options)
        self._ready = True
        step = self.batch.reset(None if seed is None else int(seed))
        return step.observations.copy(), self._infos(step)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
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

    def render(self) -> Any:
        """All boards as the render mode says."""
        self._check_open()
        if self.render_mode is None:
            return None
        boards = [self.batch.position(number) for number in range(self.num_envs)]
        return tuple(render(board, self.render_mode) for board in boards)

    def _check_open(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError("the environment is closed: make a new one")

    def _infos(self, step: Step) -> dict[str, Any]:
        every = np.ones(self.num_envs, dtype=np.bool_)
        return {"action_mask": step.action_masks.astype(np.int8), "_action_mask": every}


def _spaces(game: str) -> tuple[spaces.Box, spaces.Discrete]:
    found = game_of(game)
    planes = spaces.Box(0, 1, shape=(2, *found.shape), dtype=np.int8)
    return planes, spaces.Discrete(found.columns)


def _check_opponent(opponent: Any) -> None:
    if opponent is None:
        raise InputError("an environment for one player needs an opponent: a player's name")


def _whole_number(action: Any) -> int:
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
