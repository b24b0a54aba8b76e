"""Modified SARSA against a trainer, on a game graph (n-dimensional paper, Algorithm 1).

The learner plays epsilon-greedily. When a game is over its last move is given the reward for its
value, and then every earlier one, from the last back to the first, is moved towards the value of
the next. Positions that are images of each other are one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from inarow.engine.board import DRAWN, FIRST_WON
from inarow.engine.jit import inline, jit
from inarow.engine.streams import FIRST, LEARNER, Stream, below, make_stream
from inarow.engine.tables import Int64s
from inarow.game import Game, InputError
from inarow.graph.draws import STATE, STATE_BITS, Indices, draw
from inarow.graph.graph import graph_of
from inarow.learn.arrays import Layout, random_stream, real
from inarow.learn.learner import DRAWS, LAST_LOSS, LOSSES, WINS, Training, choice
from inarow.learn.schedule import Numbers, schedule, value_at
from inarow.learn.tabular.agent import TabularAgent
from inarow.learn.tabular.learner import TableLearner
from inarow.learn.tabular.transitions import (
    TIES,
    Values,
    Walk,
    epsilon_greedy,
    moves_at,
    slots_of,
    value_of_move,
    walk_of,
)

SEATS = ("first", "second", "both")
FINALS = ("hard", "soft")
SCHEDULED_GAMES = 10_000  # what the schedules are written for


@dataclass(frozen=True)
class Sarsa(TableLearner):
    """Parameters; the defaults are the paper's."""

    episodes: int = 20_000  # games planned: alpha and epsilon fall over so many, not over 10,000
    alpha: str = "0.45*0.9995"  # step size: a number, or a schedule for 10,000 games
    epsilon: str = "1*0.9997"  # share of random moves: a number, or a schedule for 10,000 games
    gamma: float = 0.7  # discount
    win: float = 11.0  # what a won game is worth
    loss: float = 0.0  # a lost one
    draw_first: float = 1.0  # what a drawn game is worth to the first player
    draw_second: float = 1.25  # and to the second
    start: float = 0.5  # values before the first game
    seat: str = "both"  # the learner's: first, second, or both in turn
    final: str = "hard"  # the last move's value: set to the reward, or (soft) moved towards it
    ties: str = "random"  # among moves of equal value: any, or the first
    symmetric: bool = True  # whether moves that are images of each other share a value

    def layout(self, game: Game, seed: int, most: int | None) -> Layout:  # noqa: ARG002
        """A table of moves, and the random streams of both players."""
        _, moves = self.table_sizes(game, most)
        streams = {"learner": random_stream(), "trainer": random_stream()}
        return {"values": real((moves,)), **streams}

    def begin(self, game: Game, opponent: Any, seed: int) -> SarsaTraining:
        """A run from nothing against a trainer."""
        if opponent is None:
            raise InputError("sarsa learns from a trainer: say whom it plays against")
        return SarsaTraining(self, game, opponent, seed)


@inline
def sarsa_update(value: float, next_value: float, alpha: float, gamma: float) -> float:
    """The value of a move, moved towards that of the next one."""
    return (1.0 - alpha) * value + alpha * gamma * next_value


@inline
def learn_backwards(
    values: Values, path: Indices, moves: int, reward: float, alpha: float, gamma: float, soft: bool
) -> None:
    """Moves the values of the learner's moves in a finished game, the last one first."""
    later = reward
    for place in range(moves - 1, -1, -1):
        value = values[path[place]]
        if place < moves - 1:
            later = sarsa_update(value, later, alpha, gamma)
        elif soft:
            later = sarsa_update(value, reward, alpha, 1.0)
        values[path[place]] = later


class Settings(NamedTuple):
    """The parameters for the compiled loop."""

    alpha: Numbers
    epsilon: Numbers
    gamma: float
    worth: Numbers  # [2, 4] by seat, and how an end stands for the learner: 1 won, 2 lost, 3 drawn
    seat: int  # 0, 1, or 2 for both in turn
    soft: bool
    first_of_ties: bool


class SarsaTraining(Training):
    """A run against one trainer."""

    def __init__(self, sarsa: Sarsa, game: Game, opponent: Any, seed: int) -> None:
        super().__init__(sarsa, game, seed)
        graph = graph_of(game)
        self.sarsa, self.walk = sarsa, walk_of(graph, opponent, sarsa.symmetric, True)
        draws = sarsa.draw_first, sarsa.draw_second
        self.settings = Settings(
            stretched(sarsa.alpha, sarsa.episodes),
            stretched(sarsa.epsilon, sarsa.episodes),
            sarsa.gamma,
            np.array([[0.0, sarsa.win, sarsa.loss, draw] for draw in draws]),
            choice("seat", sarsa.seat, SEATS),
            choice("final", sarsa.final, FINALS) == 1,
            choice("ties", sarsa.ties, TIES) == 1,
        )
        self.path = np.zeros(game.cells + 1, dtype=np.uint32)
        self.begin_with(
            {
                "values": np.full(self.layout["values"].shape, sarsa.start),
                "learner": make_stream(seed, LEARNER),
                "trainer": make_stream(seed, FIRST),
            }
        )

    def play(self, games: int) -> None:
        """Plays so many more games and learns from them."""
        play_and_learn(
            self.walk, self.arrays["values"], self.arrays["learner"], self.arrays["trainer"],
            self.settings, self.path, games, self.counts,
        )  # fmt: skip

    def agent(self) -> TabularAgent:
        """Takes a move of the highest value."""
        graph = graph_of(self.game)
        _, slots = slots_of(graph, self.sarsa.symmetric)
        return TabularAgent(
            "sarsa", graph, self.arrays["values"][slots], self.sarsa.ties == "first"
        )


def stretched(text: str, episodes: int) -> Numbers:
    """A schedule for 10,000 games as one for so many."""
    if episodes < 1:
        raise InputError(f"option episodes is 1 or more, not {episodes}")
    written = schedule(text)
    return replace(written, factor=written.factor ** (SCHEDULED_GAMES / episodes)).numbers()


@jit
def play_and_learn(
    walk: Walk,
    values: Values,
    learner: Stream,
    trainer: Stream,
    settings: Settings,
    path: Indices,
    games: int,
    counts: Int64s,
) -> None:
    """Plays `games` games, updating `values` in place and counting how they end."""
    for number in range(counts[0], counts[0] + games):
        alpha, epsilon = value_at(settings.alpha, number), value_at(settings.epsilon, number)
        variant: Any = np.uint64(0)
        if len(walk.replies) > 1:
            variant = below(trainer, len(walk.replies))
        replies = walk.replies[variant]
        seat = settings.seat if settings.seat < 2 else number & 1
        position, state, ply, moves = np.uint32(0), np.uint32(0), 0, 0
        while state == 0:
            if ply & 1 == seat:
                edge, _ = epsilon_greedy(
                    value_of_move, walk, values, moves_at(walk, position), 1.0, epsilon,
                    settings.first_of_ties, learner,
                )  # fmt: skip
                path[moves] = walk.edge_slot[edge]
                moves += 1
                target = walk.targets[edge]
            else:
                target = draw(walk.targets, replies[position], trainer)
            position, state = target >> STATE_BITS, target & STATE
            ply += 1
        won = state == FIRST_WON + seat
        reward = settings.worth[seat, 3 if state == DRAWN else (1 if won else 2)]
        learn_backwards(values, path, moves, reward, alpha, settings.gamma, settings.soft)
        counts[0] += 1
        counts[WINS if won else (DRAWS if state == DRAWN else LOSSES)] += 1
        if not won and state != DRAWN:
            counts[LAST_LOSS] = number + 1
