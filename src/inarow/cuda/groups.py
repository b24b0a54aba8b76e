"""The runs of a config on a GPU: one launch, a thread or a block for each, driven by a thread here.

Between launches they are at a point of their own (`TrainingWork`), where what is due is measured.
Runs that have come to their ends are evaluated while the others go on.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple, Protocol, cast

import numpy as np

from inarow.cuda.kernels import Flags, Queue, free_bytes, new_stream
from inarow.cuda.networks import MLPRuns, NetworkGames
from inarow.cuda.tables import TableGames, TabularRuns
from inarow.engine.board import Int64s
from inarow.engine.players import is_unchanged
from inarow.engine.rules import RuleList
from inarow.engine.streams import FIRST, SECOND, make_stream
from inarow.game import InputError
from inarow.game.files import machine_bytes
from inarow.lab.evaluation import Evaluation, Measurements, Sides, contest_streams, of_side
from inarow.lab.evaluation import Games as GamesAgainst
from inarow.lab.matches.match import Tally, chunk_size
from inarow.lab.players.names import player, rule_list
from inarow.lab.studies.study import Config, Measurement, Slice, config_key
from inarow.lab.training.driver import TrainingWork
from inarow.learn.agent import LearnedAgent
from inarow.learn.learner import GAMES, LAST_LOSS, LOSSES, Training
from inarow.learn.mlp.learner import MLPAgent, MLPTraining
from inarow.learn.tabular.table import TabularAgent

STATE_RATE = 5e7  # bytes of all states a second: the larger they are, the more rarely they come
FEWEST_GAMES, MOST_GAMES = 64, 2**30  # of a launch
LAUNCH_SECONDS = 0.5  # about what a launch may take
Lost = tuple[Int64s, int, Int64s]  # runs, how far they were, and how many games each had lost


class Batch(Protocol):
    """Runs of one learner, game and opponent, with their arrays on the GPU."""

    def launch(self, games: Int64s, beside: int) -> None:
        """Let each run play so many more games, one of so many runs on the GPU."""

    def collect(self) -> tuple[Int64s, Flags]:
        """Wait until they are played; return [runs, 5] all counts, and which have diverged."""

    def download(self, some: Sequence[int]) -> None:
        """Copy what some of the runs learned and counted into their arrays."""


class Shared:
    """What all groups of runs share."""

    def __init__(self) -> None:
        self.runs, self.size = 0, 0  # on the GPU, and their bytes
        self.stopping = threading.Event()  # slices end at their next points, and nothing follows
        self.closed = threading.Event()  # nobody waits for anything


class Group:
    """Runs that go on together, and how far each is."""

    batch: Batch

    def __init__(self, runs: Sequence[OnGPU], size: int, shared: Shared) -> None:
        self.runs, self.shared, self.size = list(runs), shared, size * len(runs)
        self.seconds = max(run.order.seconds for run in runs)
        self.most = FEWEST_GAMES  # of a launch
        self.stream, self.thread = new_stream(), threading.Thread(target=self._run, daemon=True)
        self.lost = list[Lost]()  # not told to the runs yet
        self.endings: Future[None] | None = None  # runs at their ends that are being evaluated

    @property
    def alive(self) -> bool:
        """Whether its runs are on the GPU, or somebody waits for one."""
        return self.thread.is_alive() or any(run.here for run in self.runs)

    def _run(self) -> None:
        """Run all slices in a thread, until every run is over."""
        try:
            with ThreadPoolExecutor(1) as beside:
                self.beside = beside
                self._begin()
                while self.moving.any() and not self._stops():
                    self._slice()
                while self.ended.any() or self.endings is not None:
                    self._settle(wait=True)
        except Exception as error:  # of the GPU or its memory: all of them
            for run in self.runs:
                run.fail(error)
        finally:
            self.__dict__.pop("batch", None)  # frees what it had
            self.size = 0

    def _stops(self) -> bool:
        return self.shared.stopping.is_set() or self.shared.closed.is_set()

    def _begin(self) -> None:
        """Make the runs and send them to the GPU."""
        self.runs = [run for run in self.runs if run.make()]
        trainings: list[Training] = [run.work.run.training for run in self.runs]
        self.games = np.array([training.games for training in trainings], dtype=np.int64)
        self.left = np.zeros(len(self.runs), dtype=np.int64)  # games to the next point
        self.points = np.zeros(len(self.runs), dtype=np.int64)  # since the runs were told
        self.ended: Flags = np.zeros(len(self.runs), dtype=bool)  # and not yet evaluated
        self.moving: Flags = np.array([not run.work.finished for run in self.runs], dtype=bool)
        if trainings:
            self.plan = self.runs[0].work.plan  # the same for all
            kind: Any = MLPRuns if isinstance(trainings[0], MLPTraining) else TabularRuns
            self.batch = kind(trainings, self.stream)

    def _slice(self) -> None:
        """Let the runs play for a slice, and bring what goes on here with its state."""
        begun = looked = time.monotonic()
        until = begun + self.seconds + self.shared.size / STATE_RATE
        while self.moving.any():
            self._advance()
            if self.shared.closed.is_set():
                return
            now = time.monotonic()
            if now >= until or self.shared.stopping.is_set():
                break
            if now >= looked + self.seconds and self.ended.any():
                looked = now
                self._settle(wait=False)
        going = np.flatnonzero(self.moving).tolist()
        self.batch.download(going)
        self._tell()
        for number in going:
            self.runs[number].end_slice(over=False)
        self._settle(wait=False)

    def _advance(self) -> None:
        """A launch towards the next point of each run: of as many games as take half a second."""
        if not self.left.any():
            for games in np.unique(self.games[self.moving]).tolist():
                there = self.moving & (self.games == games)
                self.left[there] = self.plan.next_point(games) - games
        games = np.minimum(self.left, self.most)
        self.left -= games
        before = time.perf_counter()
        self.batch.launch(games, self.shared.runs)
        counts, diverged = self.batch.collect()
        seconds = time.perf_counter() - before
        if seconds < LAUNCH_SECONDS / 2:
            self.most = min(2 * self.most, MOST_GAMES)
        elif seconds > LAUNCH_SECONDS * 2 and self.most > 1:
            self.most //= 2
        self._drop(np.flatnonzero(self.moving & diverged).tolist(), counts)
        if not self.left.any():
            self._arrive(counts)

    def _drop(self, diverged: list[int], counts: Int64s) -> None:
        """Fail the runs that have diverged: the others go on."""
        for number in diverged:
            games = int(counts[number, GAMES])
            error = f"training diverged: after {games:,} games a value is not a number"
            self.runs[number].fail(InputError(error))
            self.moving[number], self.left[number] = False, 0

    def _arrive(self, counts: Int64s) -> None:
        """Measure what is due on the way: all runs are at their points."""
        self.games = counts[:, GAMES]
        ended = self.plan.is_over(self.games, counts[:, LAST_LOSS])
        ended &= self.moving
        due = np.zeros(len(self.runs), dtype=bool)
        for games in np.unique(self.games[self.moving]).tolist():
            there = self.moving & (self.games == games) & ~ended
            if self.plan.evaluates_at(games):
                due |= there
            elif self.plan.losses.is_due(games):
                some = np.flatnonzero(there)
                self.lost.append((some, games, counts[some, LOSSES]))
        self.points += self.moving
        self.moving &= ~ended
        self.ended |= ended
        if due.any():
            numbers = np.flatnonzero(due).tolist()
            self.batch.download(numbers)
            evaluate([self.runs[number] for number in numbers], self.stream)
        self.moving &= np.array([run.goes_on for run in self.runs], dtype=bool)

    def _tell(self) -> None:
        """Tell the runs what was recorded on the way."""
        for some, games, lost in self.lost:
            for number, value in zip(some.tolist(), lost.tolist(), strict=True):
                self.runs[number].measured.append(Measurement(games, "lost", float(value)))
        for run, points in zip(self.runs, self.points.tolist(), strict=True):
            run.points += points
        self.lost, self.points[:] = [], 0

    def _settle(self, wait: bool) -> None:
        """Evaluate runs that have ended beside those that go on, one lot after the other."""
        if self.endings is not None:
            if not wait and not self.endings.done():
                return
            self.endings.result()
            self.endings = None
        if self.ended.any():
            numbers, self.ended = np.flatnonzero(self.ended).tolist(), np.zeros_like(self.ended)
            self.batch.download(numbers)
            self._tell()
            self.endings = self.beside.submit(end, [self.runs[number] for number in numbers])


def evaluate(runs: Sequence[OnGPU], stream: Queue) -> None:
    """Make the evaluations that are due; runs that are no numbers any more fail."""
    sound = {id(run.work): run for run in runs if run.is_sound()}
    for work, found in evaluate_all([run.work for run in sound.values()], stream):
        sound[id(work)].measure(found)


def end(runs: Sequence[OnGPU]) -> None:
    """Make the last evaluations, and end the last slice."""
    evaluate(runs, new_stream())
    for run in runs:
        run.end_slice(over=True)


# A run of a study that is on a GPU: how far it is, and what it measured since it was stored.


class Order(NamedTuple):
    """A slice that is wanted."""

    config: Config
    seed: int
    state: bytes | None
    seconds: float
    future: Future[Slice]

    @property
    def key(self) -> tuple[str, int]:
        """Config and seed, which name a unit."""
        return config_key(self.config), self.seed


class OnGPU:
    """A unit on the GPU. It goes on while a slice of it is stored: the next one is then longer."""

    work: TrainingWork  # once it is made

    def __init__(self, order: Order) -> None:
        self.order, self.key = order, order.key
        self.future: Future[Slice] | None = order.future  # None: no slice is wanted yet
        self.measured, self.points = list[Measurement](), 0  # since the last slice
        self.here = True  # False once its last slice was taken, or it is another process's
        self.over = False  # and measured
        self.error: Exception | None = None  # that it has failed with
        self.lock = threading.Lock()

    def make(self) -> bool:
        """Begin the run, or go on with it; return False if that fails."""
        config, seed, state = self.order.config, self.order.seed, self.order.state
        try:
            self.work = (
                TrainingWork.begin(config, seed)
                if state is None
                else TrainingWork.resume(config, seed, state)
            )
        except InputError as error:
            self.fail(error)
        return self.goes_on

    @property
    def goes_on(self) -> bool:
        """Whether it is of any use to go on with it."""
        return self.here and self.error is None

    def attach(self, future: Future[Slice]) -> None:
        """Take the future of the next slice that is wanted."""
        with self.lock:
            self.future = future
            if self.over or self.error is not None:
                self._end_slice()

    def measure(self, evaluated: list[Measurements]) -> None:
        """Keep what is due now, with what was evaluated."""
        self.measured += self.work.trainer.measure(evaluated)

    def is_sound(self) -> bool:
        """Return whether what it learned are numbers; it fails where they are not."""
        try:
            self.work.run.training.check_finite()
        except InputError as error:
            self.fail(error)
        return self.goes_on

    def fail(self, error: Exception) -> None:
        """Note that this run failed; the others go on. It is told when a slice is asked for."""
        with self.lock:
            self.error = self.error or error
            self._end_slice()

    def end_slice(self, over: bool) -> None:
        """End the slice as a thread would, where one is wanted."""
        with self.lock:
            self.over = over
            self._end_slice()

    def _end_slice(self) -> None:
        if self.future is None or not self.here:
            return
        future, over, self.future = self.future, self.over, None
        try:
            if self.error is not None:
                raise self.error
            state = None if over else self.work.state()
        except Exception as error:
            self.error, self.here = error, False
            future.set_exception(error)
            return
        self.here = not over
        points, self.points = self.points, 0
        measured, self.measured = self.measured, []
        future.set_result(Slice(points, measured, state, over, 1.0 if over else self.work.share))


# Evaluations of many agents at once: their games on the GPU, all else on the processor's cores.

Games = NetworkGames | TableGames
Column = Callable[[], list[Measurements]]  # what an evaluation measured of agents, when it is done
AGENTS_SHARE = 2  # one such part of the GPU's memory and the machine's is for agents
AGENT = 3  # times the size of a run that its agent takes while it is evaluated


def evaluate_all(
    works: Sequence[TrainingWork], stream: Queue
) -> Iterator[tuple[TrainingWork, list[Measurements]]]:
    """Make the evaluations that are due for runs of a config; as many at a time as fit."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for some in _that_fit(works):
            agents = list(pool.map(lambda work: work.trainer.agent(), some))
            columns = _evaluate(some, agents, pool, stream)
            found = list(zip(*(column() for column in columns), strict=True)) or [() for _ in some]
            yield from zip(some, map(list, found), strict=True)


def _that_fit(works: Sequence[TrainingWork]) -> Iterator[Sequence[TrainingWork]]:
    """Yield groups of runs whose agents fit into memory together."""
    room = min(free_bytes(), machine_bytes()) // AGENTS_SHARE
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
    """Return the evaluations of agents, all begun: on the GPU, and on cores."""
    seeds, columns = [work.trainer.evaluation_seed for work in works], list[Column]()
    for evaluation in works[0].plan.evaluations:
        column = _on_gpu(agents, evaluation, seeds, stream)
        if column is None:
            begun = [
                pool.submit(evaluation.measure, agent, seed)
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
        self.parts = list[tuple[GamesAgainst, str, list[tuple[int, Games]]]]()

    def __call__(self) -> list[Measurements]:
        found: list[Measurements] = [{} for _ in self.agents]
        for contest, side, played in self.parts:
            tallies = [Tally() for _ in self.agents]
            for share, games in played:
                for number, ends in enumerate(games.counts().tolist()):
                    tallies[number] += Tally(share, *ends)
            for measured, agent, tally in zip(found, self.agents, tallies, strict=True):
                ends = contest.measurements(tally, agent.game)
                measured |= {of_side(n, side): end for n, end in ends.items()} if side else ends
        return found


def _on_gpu(
    agents: Sequence[LearnedAgent], evaluation: Evaluation, seeds: Sequence[int], stream: Queue
) -> Column | None:
    """Begin games against a rule player; None for another evaluation, or another player."""
    if isinstance(evaluation, GamesAgainst):
        parts = {"": evaluation}
    elif isinstance(evaluation, Sides):
        parts = evaluation.parts
    else:
        return None
    contests = _Contests(agents)
    for side, contest in parts.items():
        opponent = rule_list(player(contest.against))
        if opponent is None or not _plays(agents[0], contest):
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


def _plays(agent: LearnedAgent, contest: GamesAgainst) -> bool:
    """Return whether the games of such an agent are played on the GPU."""
    if is_unchanged(agent, MLPAgent):
        return max(contest.shares) <= chunk_size(agent.game) and not agent.game.scoring
    return is_unchanged(agent, TabularAgent)


def _games(
    agents: Sequence[LearnedAgent],
    opponent: RuleList,
    share: int,
    side: int,
    seeds: Sequence[int],
    stream: Queue,
) -> Games:
    """Return the games of one side, with the streams that threads would use."""
    some = cast(Any, agents)
    if is_unchanged(agents[0], TabularAgent):
        pairs = [contest_streams(seed, side) for seed in seeds]
        return TableGames(some, opponent, share, side, pairs, stream)
    other = FIRST if side else SECOND  # the streams of a match: the opponent's
    streams = [make_stream(seed, other, side, 0) for seed in seeds]
    return NetworkGames(some, opponent, share, side, streams, stream)
