"""PettingZoo: both players of a game, in turn (AEC) or by actions of both (parallel).

    from inarow.adapters.pettingzoo import env, parallel_env

    environment = env("connect4:6x7")

Agents are `player_0`, who moves first, and `player_1`. An observation is a pair of planes, the
agent's own stones and the other's, and a mask of legal moves, which is all 0 for an agent that is
not to move. In the parallel form the action of such an agent is ignored. An illegal move ends the
game: -1 for who made it, 0 for the other. With `max_cycles` a game is truncated after so many
turns of each agent, or so many parallel steps. Where every line counts, `rewards="lines"` pays
each line at once, 1 for who completed it and -1 for the other, instead of the result.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import SupportsInt, TypedDict

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import wrappers

from inarow.adapters.views import (
    RENDER_MODES,
    Rendered,
    action_mask,
    check_render_mode,
    planes,
    render,
)
from inarow.engine.board import Int8s
from inarow.game import InputError, Position
from inarow.game import game as game_of
from inarow.lab.matches.batch import check_rewards

AGENTS = ("player_0", "player_1")


class Observation(TypedDict):
    """What an agent sees."""

    observation: Int8s  # [2, *game.shape] its stones, and the other's
    action_mask: Int8s  # [moves] 1 where it may play


Observations = dict[str, Observation]  # by agent
Infos = dict[str, dict[str, object]]  # by agent: nothing


class _Game(EzPickle):
    """What both forms share: the spaces, the board, the pictures."""

    def __init__(
        self,
        game: str = "tictactoe",
        render_mode: str | None = None,
        max_cycles: int | None = None,
        rewards: str = "result",
    ) -> None:
        EzPickle.__init__(self, game, render_mode, max_cycles, rewards)
        check_render_mode(render_mode)
        if max_cycles is not None and max_cycles < 1:
            raise InputError(f"max_cycles={max_cycles} must be at least 1")
        self.max_cycles = max_cycles
        self.game, self.render_mode = game_of(game), render_mode
        check_rewards(rewards, self.game)
        self.per_line = rewards == "lines"
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        shape, moves = (2, *self.game.shape), self.game.columns
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, shape=shape, dtype=np.int8),
                    "action_mask": spaces.Box(0, 1, shape=(moves,), dtype=np.int8),
                }
            )
            for agent in AGENTS
        }
        self.action_spaces = {agent: spaces.Discrete(moves) for agent in AGENTS}
        self.position = Position(self.game)
        self._closed = False

    def observation_space(self, agent: str) -> spaces.Dict:
        """Planes and a mask of moves."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """A number for each move."""
        return self.action_spaces[agent]

    def observe(self, agent: str) -> Observation:
        """The agent's stones, the other's, and its legal moves."""
        player = AGENTS.index(agent) + 1
        mask = action_mask(self.position)
        if player != self.position.to_move:
            mask[:] = 0
        return {"observation": planes(self.position, player), "action_mask": mask}

    def render(self) -> Rendered:
        """The board as the render mode says: text, pixels or SVG."""
        self._check_open()
        return render(self.position, self.render_mode)

    def close(self) -> None:
        """Nothing can be played after this."""
        self._closed = True

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _check_open(self) -> None:
        if self._closed:
            raise InputError("the environment is closed: make a new one")

    def _begin(self) -> None:
        self._check_open()
        self.position, self.agents = Position(self.game), list(AGENTS)

    def _play(self, move: int) -> dict[str, float]:
        """Play a move, and return what it pays each agent."""
        before = self.position.score if self.per_line else (0, 0)
        self.position.push(move)
        if self.per_line:
            first, second = np.subtract(self.position.score, before).tolist()
            return dict(zip(AGENTS, (float(first - second), float(second - first)), strict=True))
        return self._payoffs()

    def _payoffs(self) -> dict[str, float]:
        """The game's result for each agent; 0 while it goes on."""
        outcome = self.position.outcome
        winner = None if outcome is None else outcome.winner
        if winner is None:
            return dict.fromkeys(AGENTS, 0.0)
        return {agent: 1.0 if AGENTS.index(agent) + 1 == winner else -1.0 for agent in AGENTS}


class raw_env(_Game, AECEnv):  # type: ignore[misc]  # noqa: N801 - PettingZoo's name
    """The players move in turn."""

    metadata = {  # noqa: RUF012
        "name": "inarow_v0",
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
        "is_parallelizable": False,
    }

    def reset(self, seed: int | None = None, options: object = None) -> None:  # noqa: ARG002
        """Begins a game; nothing in it is left to chance."""
        self._begin()
        self.agent_selection = AGENTS[0]
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: Infos = {agent: {} for agent in AGENTS}

    def step(self, action: SupportsInt | None) -> None:
        """A move of the agent whose turn it is."""
        self._check_open()
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise InputError(f"no action of {agent}, who is to move")
        self._cumulative_rewards[agent] = 0.0
        self.rewards = self._play(int(action))
        if self.position.outcome is not None:
            self.terminations = dict.fromkeys(AGENTS, True)
        elif self.max_cycles is not None and self.position.ply >= 2 * self.max_cycles:
            self.truncations = dict.fromkeys(AGENTS, True)
        self.agent_selection = AGENTS[self.position.to_move - 1]
        self._accumulate_rewards()
        self._show()


def env(
    game: str = "tictactoe",
    render_mode: str | None = None,
    max_cycles: int | None = None,
    rewards: str = "result",
) -> wrappers.OrderEnforcingWrapper:
    """The environment in turns, with PettingZoo's usual wrappers."""
    raw = raw_env(game, render_mode, max_cycles, rewards)
    ending = wrappers.TerminateIllegalWrapper(raw, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(ending))


class parallel_env(_Game, ParallelEnv):  # type: ignore[misc]  # noqa: N801
    """Both players hand in an action; that of whoever is to move counts."""

    metadata = {  # noqa: RUF012
        "name": "inarow_v0",
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
    }

    def reset(
        self,
        seed: int | None = None,  # noqa: ARG002 - nothing is left to chance
        options: object = None,  # noqa: ARG002
    ) -> tuple[Observations, Infos]:
        """Begins a game."""
        self._begin()
        return self._observations(), {agent: {} for agent in AGENTS}

    def step(
        self, actions: Mapping[str, SupportsInt]
    ) -> tuple[Observations, dict[str, float], dict[str, bool], dict[str, bool], Infos]:
        """The move of whoever is to move."""
        self._check_open()
        if not self.agents:
            raise InputError("the game is over: call reset() before step()")
        mover = AGENTS[self.position.to_move - 1]
        if mover not in actions:
            raise InputError(f"no action of {mover}, who is to move")
        rewards, over = dict.fromkeys(AGENTS, 0.0), True
        if int(actions[mover]) in self.position.legal_moves:
            rewards = self._play(int(actions[mover]))
            over = self.position.outcome is not None
        else:
            rewards[mover] = -1.0
        late = not over and self.max_cycles is not None and self.position.ply >= self.max_cycles
        self.agents = [] if over or late else list(AGENTS)
        terminated, truncated = dict.fromkeys(AGENTS, over), dict.fromkeys(AGENTS, late)
        self._show()
        return self._observations(), rewards, terminated, truncated, {a: {} for a in AGENTS}

    def _observations(self) -> Observations:
        return {agent: self.observe(agent) for agent in AGENTS}
