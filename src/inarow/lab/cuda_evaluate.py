"""Evaluations of many agents at once: their games on the GPU, all else on the processor's cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, cast

from inarow.engine.cuda import Queue, free_bytes
from inarow.engine.streams import FIRST, SECOND, make_stream
from inarow.game.memory import machine_bytes
from inarow.lab.evaluate import (
    SIDES,
    Contest,
    Measurements,
    contest_of,
    contest_streams,
    evaluate,
    of_side,
)
from inarow.lab.match import chunk_size
from inarow.lab.match_result import Tally
from inarow.lab.players import RulePlayerByName, player
from inarow.lab.training_work import TrainingWork
from inarow.learn.agent import LearnedAgent
from inarow.learn.mlp.agent import MLPAgent
from inarow.learn.mlp.cuda import NetworkGames
from inarow.learn.tabular.agent import TabularAgent
from inarow.learn.tabular.cuda import TableGames

Games = NetworkGames | TableGames
Column = Callable[[], list[Measurements]]  # what an evaluation measured of agents, when it is done
MEMORY_SHARE = 2  # one such part of the GPU's memory and the machine's is for agents
AGENT = 3  # times the size of a run that its agent takes while it is evaluated


def evaluate_all(
    works: Sequence[TrainingWork], stream: Queue
) -> Iterator[tuple[TrainingWork, list[Measurements]]]:
    """What is due for runs of a config, in its order of evaluations; as many at a time as fit."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for some in _that_fit(works):
            agents = list(pool.map(lambda work: work.agent(), some))
            columns = _evaluate(some, agents, pool, stream)
            found = list(zip(*(column() for column in columns), strict=True)) or [() for _ in some]
            yield from zip(some, map(list, found), strict=True)


def _that_fit(works: Sequence[TrainingWork]) -> Iterator[Sequence[TrainingWork]]:
    """Parts of them."""
    room = min(free_bytes(), machine_bytes()) // MEMORY_SHARE
    part, used = list[TrainingWork](), 0
    for work in works:
        size = AGENT * sum(array.nbytes for array in work.run.training.arrays.values())
        if part and used + size > room:
            yield part
            part, used = [], 0
        part.append(work)
        used += size
    if part:
        yield part


def _evaluate(
    works: Sequence[TrainingWork],
    agents: Sequence[LearnedAgent],
    pool: ThreadPoolExecutor,
    stream: Queue,
) -> list[Column]:
    """The evaluations of agents, all begun: on the GPU, and on cores."""
    seeds, columns = [work.evaluation_seed for work in works], list[Column]()
    for name in works[0].config["evaluations"]:
        column = _on_gpu(agents, name, seeds, stream)
        if column is None:
            begun = [
                pool.submit(evaluate, agent, name, seed)
                for agent, seed in zip(agents, seeds, strict=True)
            ]
            column = _Waiting(begun)
        columns.append(column)
    return columns


class _Waiting:
    """Evaluations on cores."""

    def __init__(self, begun: list[Future[Measurements]]) -> None:
        self.begun = begun

    def __call__(self) -> list[Measurements]:
        return [future.result() for future in self.begun]


class _Contests:
    """Games of agents against a rule player, for each side that is told apart."""

    def __init__(self, agents: Sequence[LearnedAgent]) -> None:
        self.agents = agents
        self.parts = list[tuple[Contest, str, list[tuple[int, Games]]]]()

    def __call__(self) -> list[Measurements]:
        found: list[Measurements] = [{} for _ in self.agents]
        for contest, side, played in self.parts:
            tallies = [Tally() for _ in self.agents]
            for share, games in played:
                for number, ends in enumerate(games.counts().tolist()):
                    tallies[number] += Tally(share, *ends)
            for measured, agent, tally in zip(found, self.agents, tallies, strict=True):
                ends = contest.measurements(tally, agent.game)
                measured |= of_side(ends, side) if side else ends
        return found


def _on_gpu(
    agents: Sequence[LearnedAgent], evaluation: str, seeds: Sequence[int], stream: Queue
) -> Column | None:
    """Games against a rule player; None where it is another evaluation, or another player."""
    name, *parts = evaluation.split(":")
    if name not in ("games", "sides"):
        return None
    contests = _Contests(agents)
    for side in SIDES if name == "sides" else ("",):
        contest = contest_of(*parts, *filter(None, (side,)))
        opponent = player(contest.against)
        if not isinstance(opponent, RulePlayerByName) or not _plays(agents[0], contest):
            return None
        played = [
            (share, _games(agents, opponent, share, number, seeds, stream))
            for number, share in enumerate(contest.shares)
            if share
        ]
        contests.parts.append((contest, side, played))
    for _, _, played in contests.parts:
        for _, games in played:
            games.launch()
    return contests


def _plays(agent: LearnedAgent, contest: Contest) -> bool:
    """Whether the games of such an agent are played on the GPU."""
    if isinstance(agent, MLPAgent):
        return max(contest.shares) <= chunk_size(agent.game) and not agent.game.scoring
    return isinstance(agent, TabularAgent)


def _games(
    agents: Sequence[LearnedAgent],
    opponent: RulePlayerByName,
    share: int,
    side: int,
    seeds: Sequence[int],
    stream: Queue,
) -> Games:
    """The games of one side, with the streams that threads would use."""
    some = cast(Any, agents)
    if isinstance(agents[0], TabularAgent):
        pairs = [contest_streams(seed, side) for seed in seeds]
        return TableGames(some, opponent.rules, share, side, pairs, stream)
    other = FIRST if side else SECOND  # the streams of a match: the opponent's
    streams = [make_stream(seed, other, side, 0) for seed in seeds]
    return NetworkGames(some, opponent.rules, share, side, streams, stream)
