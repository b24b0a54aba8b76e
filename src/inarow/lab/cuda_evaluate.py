"""Evaluations of many agents at once: their games on the GPU, all else on the processor's cores."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

from inarow.engine.streams import FIRST, SECOND, make_stream
from inarow.lab.evaluate import (
    SIDES,
    Contest,
    Measurements,
    contest_of,
    contest_streams,
    evaluate,
    of_side,
)
from inarow.lab.match import Tally, chunk_size
from inarow.lab.players import RulePlayerByName, player
from inarow.lab.training_work import TrainingWork
from inarow.learn.agent import LearnedAgent
from inarow.learn.mlp import cuda as mlp
from inarow.learn.mlp.agent import MLPAgent
from inarow.learn.tabular import cuda as tables
from inarow.learn.tabular.agent import TabularAgent


def evaluate_all(works: Sequence[TrainingWork]) -> list[list[Measurements]]:
    """What is due for runs of one config, in each run's order of evaluations."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        agents = list(pool.map(lambda work: work.agent(), works))
        seeds = [work.evaluation_seed for work in works]
        columns = [
            _on_gpu(agents, name, seeds)
            or list(pool.map(evaluate, agents, [name] * len(agents), seeds))
            for name in works[0].config["evaluations"]
        ]
    return [list(row) for row in zip(*columns, strict=True)] or [[] for _ in works]


def _on_gpu(
    agents: Sequence[LearnedAgent], evaluation: str, seeds: Sequence[int]
) -> list[Measurements]:
    """Games against a rule player; nothing where it is another evaluation, or another player."""
    name, *parts = evaluation.split(":")
    if name not in ("games", "sides"):
        return []
    sides = SIDES if name == "sides" else ("",)
    found: list[Measurements] = [{} for _ in agents]
    for side in sides:
        contest = contest_of(*parts, *filter(None, (side,)))
        tallies = _play(agents, contest, seeds)
        for measured, agent, tally in zip(found, agents, tallies, strict=False):
            ends = contest.measurements(tally, agent.game)
            measured |= of_side(ends, side) if side else ends
        if not tallies:
            return []
    return found


def _play(agents: Sequence[LearnedAgent], contest: Contest, seeds: Sequence[int]) -> list[Tally]:
    """The games of each agent, counted; nothing where they are not played on the GPU."""
    opponent = player(contest.against)
    kind = type(agents[0])
    if not isinstance(opponent, RulePlayerByName) or kind not in (TabularAgent, MLPAgent):
        return []
    tallies, some = [Tally() for _ in agents], cast(Any, agents)
    for side, share in enumerate(contest.shares):
        if not share:
            continue
        if kind is TabularAgent:
            pairs = [contest_streams(seed, side) for seed in seeds]
            ends = tables.play_games(some, opponent.rules, share, side, pairs)[:, 1:]
            counts = ends[:, [0, 2, 1] if side == 0 else [1, 2, 0]]
        elif share > chunk_size(agents[0].game) or agents[0].game.scoring:
            return []
        else:  # the streams of a match: the opponent's
            other = FIRST if side else SECOND
            streams = [make_stream(seed, other, side, 0) for seed in seeds]
            counts = mlp.play_games(some, opponent.rules, share, side, streams)[:, 1:4]
        for number, (won, drawn, lost) in enumerate(counts.tolist()):
            tallies[number] += Tally(share, won, drawn, lost)
    return tallies
