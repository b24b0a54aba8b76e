"""Runs of a value network side by side on a GPU, a block of threads for each.

What a run does one after the other (the board, rules, random numbers, targets, counts) its first
thread does, with the functions of the processor's loop. The sums of the network are written apart
from `activations` and `backpropagation`: there they are one thread's, laid out for its vectors,
and a run on one thread of a GPU would take some hundred times as long. Here units, moves and rows
of weights are spread over the threads. Both add up in different orders: single precision rounds
differently, so runs agree for some games and then go their own ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inarow.engine.cuda import Flags, Queue, send, to_device, to_host
from inarow.engine.rules import RuleList, RulePlayer
from inarow.engine.streams import Stream
from inarow.engine.tables import Int64s, tables_of
from inarow.game import Game, InputError
from inarow.learn.mlp.agent import MLPAgent
from inarow.learn.mlp.cuda_games import BLOCK, BoardRuns, games_kernel
from inarow.learn.mlp.cuda_sums import shape_of
from inarow.learn.mlp.cuda_turns import Fixed
from inarow.learn.mlp.learner import MLP, MLPTraining
from inarow.learn.mlp.loop import settings_of
from inarow.learn.mlp.network import network_of
from inarow.learn.weights import Weights


def check_mlp(learner: MLP, game: Game) -> None:
    """Refuses networks that the kernel was not written for."""
    if learner.sharing != "none" or learner.precision != "single":
        raise InputError("on cuda, mlp takes single precision and no shared weights")
    if network_of(game, learner.network).layers.structured > 1:
        raise InputError("on cuda, mlp takes one structured layer at most")


def runs_of(weights: Weights, arrays: dict[str, Any], stream: Queue) -> BoardRuns:
    """Arrays of as many runs as there are rows of weights, those given among them."""
    runs = len(weights)
    zeros = {
        "counts": np.zeros((runs, 5), dtype=np.int64),
        "learner": np.zeros((runs, 4), dtype=np.uint64),
        "games": np.zeros(runs, dtype=np.int64),
        "finite": np.ones(runs, dtype=np.int64),
    }
    return to_device(BoardRuns(weights=weights, **{**zeros, **arrays}), stream)


class MLPRuns:
    """Runs of one network, game and opponent, with their arrays on the GPU."""

    def __init__(self, trainings: Sequence[MLPTraining], stream: Queue) -> None:
        first = trainings[0]
        self.trainings, self.stream = trainings, stream
        self.spread = games_kernel(shape_of(first.network))
        player = first.opponent
        assert isinstance(player, RulePlayer), "checked before"
        network, rules, scan = first.network, player.rules, player.scan
        fixed = Fixed(first.tables, network.layers, first.settings, rules, scan, False)
        self.fixed = to_device(fixed, stream)
        names = ("counts", "learner", "opponent")
        stacked = {name: np.stack([run.arrays[name] for run in trainings]) for name in names}
        weights = np.stack([run.arrays["weights"] for run in trainings])
        self.arrays = runs_of(weights, stacked, stream)

    def launch(self, games: Int64s, beside: int) -> None:  # noqa: ARG002 - a block is a run
        """Lets each run play so many more games, one of so many runs on the GPU."""
        send(self.arrays.games, games, self.stream)
        self.spread[len(self.trainings), BLOCK, self.stream](self.fixed, self.arrays)

    def collect(self) -> tuple[Int64s, Flags]:
        """When they are played: [runs, 5] the counts of all, and which have diverged."""
        counts = to_host(self.arrays.counts, self.stream)
        return counts, to_host(self.arrays.finite, self.stream) == 0

    def download(self, some: Sequence[int]) -> None:
        """What some of the runs learned and counted is in their arrays."""
        for name in ("weights", "learner", "opponent", "counts"):
            rows = to_host(getattr(self.arrays, name), self.stream)
            for number in some:
                self.trainings[number].arrays[name][...] = rows[number]


class NetworkGames:
    """Games of agents against a rule player, drawn from a stream each."""

    def __init__(
        self,
        agents: Sequence[MLPAgent],
        rules: RuleList,
        games: int,
        side: int,
        streams: Sequence[Stream],
        stream: Queue,
    ) -> None:
        network, game = agents[0].network, agents[0].network.game
        player = rules.compiled(tables_of(game))
        settings = settings_of(MLP(), game, side)._replace(rules=agents[0].shield)
        fixed = Fixed(tables_of(game), network.layers, settings, player.rules, player.scan, True)
        weights = np.stack([agent.weights for agent in agents])
        self.fixed, self.stream = to_device(fixed, stream), stream
        self.runs = runs_of(weights, {"opponent": np.stack(streams)}, stream)
        self.games = np.full(len(agents), games)
        self.spread = games_kernel(shape_of(network))

    def launch(self) -> None:
        """Plays them, beside whatever else was launched."""
        send(self.runs.games, self.games, self.stream)
        self.spread[len(self.games), BLOCK, self.stream](self.fixed, self.runs)

    def counts(self) -> Int64s:
        """When they are played: [agents, 3] won, drawn and lost by each."""
        return to_host(self.runs.counts, self.stream)[:, 1:4]
