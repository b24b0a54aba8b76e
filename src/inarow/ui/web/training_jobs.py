"""Training runs of visitors, in the background: without NiceGUI.

A run is one of `lab.training`, cut into short turns. Between turns, at some fifty places of the
whole, the agent is evaluated, and so its curve grows.
"""

from __future__ import annotations

import itertools
import re
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from inarow.game import Game, InputError
from inarow.game.files import write_whole
from inarow.game.memory import machine_bytes
from inarow.lab.certify import MAX_GRAPH_CELLS, GraphCertificate, certify_on_graph
from inarow.lab.move_values import default_opponent
from inarow.lab.players import rule_players_for
from inarow.lab.training import Run, continue_training
from inarow.learn.learner import ITSELF, PLAYER, Learner
from inarow.learn.options import options_of_type
from inarow.learn.registry import learner as learner_of
from inarow.learn.registry import learner_type
from inarow.learn.saved import SUFFIX
from inarow.learn.training import LOSSES
from inarow.ui.web.agents import check_depth, check_memory
from inarow.ui.web.curves import Evaluation, Point, plan, possible_testers
from inarow.ui.web.job_queue import Job, JobQueue

MOST_GAMES = 1_000_000_000
MOST_RUNS = 8  # of a visitor, at once
TURN_SECONDS = 0.2
SAVING = threading.Lock()


def memory_limit() -> int:
    """Bytes that all runs of a server may take: half of what the machine has."""
    return machine_bytes() // 2


def trainers_for(learner: str, game: Game) -> list[str]:
    """Whom a learner can play in a game, the most useful first."""
    kind = learner_type(learner)
    found = [ITSELF] if ITSELF in kind.opponents else []
    if PLAYER in kind.opponents:
        found += sorted(rule_players_for(game), key=lambda name: name != "attack-defense")
        if kind.needs_graph and default_opponent(game) == "perfect" and game.cells <= 16:
            found.append("perfect")  # as a policy
    return found


@dataclass(frozen=True)
class Order:
    """What is to be trained."""

    game: Game
    learner: str
    options: dict[str, Any]
    against: str  # a trainer, or itself
    games: int
    seed: int
    tester: str

    @property
    def made(self) -> Learner:
        """The learner with its options."""
        return learner_of(self.learner, self.options)

    @property
    def side(self) -> str:
        """Where it learns to play: both, unless it has one side against a trainer."""
        return "both" if self.against == ITSELF else str(getattr(self.made, "side", "both"))

    def checked(self) -> Order:
        """Itself, if it can be trained; what is wrong else."""
        if not 1 <= self.games <= MOST_GAMES:
            raise InputError(
                f"the number of games must be between 1 and {MOST_GAMES:,}, not {self.games:,}"
            )
        if not 0 <= self.seed < 2**63:
            raise InputError(f"the seed must be a whole number from 0, not {self.seed}")
        check_memory(self.made, self.game, self.seed)
        for name, known in (
            (self.against, trainers_for(self.learner, self.game)),
            (self.tester, possible_testers(self.game)),
        ):
            if name not in known:
                raise InputError(f"{name!r} is not possible here: take one of {', '.join(known)}")
        self.made.check(self.game, self.against != ITSELF)
        check_depth(getattr(self.made, "depth", 1), self.game)
        options = options_of_type(type(self.made)).values()
        planned = {option.name: self.games for option in options if option.planned}
        return replace(self, options={**planned, **self.options})


class TrainingJob(Job):
    """One run."""

    def __init__(self, number: int, order: Order, queue: JobQueue) -> None:
        super().__init__()
        self.number, self.order, self.queue = number, order.checked(), queue
        self.points: list[Point] = []
        self.games, self.seconds = 0, 0.0  # of training
        self.certificate: GraphCertificate | None = None  # of the agent as it is now
        self._run: Run | None = None
        self._pace = 1  # games between two looks at the clock
        self._plan = plan(0, order.games)
        self._counted = (0, 0)  # games and losses of training at the last point
        self._evaluation = Evaluation(order.game, order.tester, order.side, order.seed)

    @property
    def name(self) -> str:
        """What to call it."""
        order = self.order
        options = "".join(f", {name}={value}" for name, value in order.options.items())
        return (
            f"{order.learner} learns {order.game.name} against {order.against}, "
            f"seed {order.seed}{options}"
        )

    @property
    def run(self) -> Run:
        """The run, once it has begun."""
        if self._run is None:
            raise InputError("this run has not begun yet")
        return self._run

    def turn(self) -> bool:
        """Begins, trains for a moment, or evaluates."""
        if not self._plan:  # resumed from two windows, and the first has reached the end
            return False
        if self._run is None:
            self._run = self._begin()
        elif self.games < self._plan[0]:
            self._train(self._run)
        else:
            self.points.append(self._evaluate(self._run))
            self._plan.pop(0)
        return bool(self._plan)

    def more(self, games: int) -> None:
        """Lets a run that has ended go on until so many games."""
        with self.at_rest():
            if self.going_on:
                raise InputError("this run goes on: wait for its end, or stop it")
            if not self.games < games <= MOST_GAMES:
                raise InputError(
                    f"{games:,} games are too few or too many: the run has {self.games:,}, "
                    f"and the most is {MOST_GAMES:,}"
                )
            self.order, self._plan = replace(self.order, games=games), plan(self.games, games)[1:]
        self.queue.begin(self)

    def save(self, folder: Path) -> str:
        """Writes the agent into the folder, with all that it takes to go on; the file's name."""
        with self.at_rest():
            content, games = self.run.state(), self.games
        stem = re.sub(
            r"[^a-z0-9]+", "-", f"{self.order.learner} {self.order.game.name}".lower()
        ).strip("-")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with SAVING:  # else two visitors could choose the same name
                for copy in itertools.count(1):
                    again = f"-{copy}" if copy > 1 else ""
                    path = folder / f"{stem}-seed{self.order.seed}-{games}{again}{SUFFIX}"
                    if not path.exists() or path.read_bytes() == content:
                        break
                write_whole(path, content)
        except OSError as error:
            raise InputError(f"cannot write into the folder of agents: {error.strerror}") from None
        return path.name

    def certify(self) -> GraphCertificate:
        """Proves what there is to prove of the agent as it is now."""
        game = self.order.game
        if game.cells > MAX_GRAPH_CELLS:
            raise InputError(
                f"{game.name} has {game.cells} cells: too large for a proof here (at most "
                f"{MAX_GRAPH_CELLS}). Save the agent and measure it with: inarow certify FILE"
            )
        with self.at_rest():
            agent, games = self.run.agent, self.games
        certificate = certify_on_graph(agent, game)
        with self.at_rest():
            if games == self.games:
                self.certificate = certificate
        return certificate

    def _begin(self) -> Run:
        order = self.order
        against = None if order.against == ITSELF else order.against
        needed = check_memory(order.made, order.game, order.seed)
        self.queue.reserve(self, needed, memory_limit())
        try:
            return Run(order.game, order.learner, order.options, against, order.seed)
        except BaseException:
            self.size = 0
            raise

    def _train(self, run: Run) -> None:
        end = time.perf_counter() + TURN_SECONDS
        self.certificate = None
        while self.games < self._plan[0] and time.perf_counter() < end:
            before = time.perf_counter()
            number = min(self._pace, self._plan[0] - self.games)
            continue_training(run, self.games + number)
            self.games = run.games
            spent = time.perf_counter() - before
            self.seconds += spent
            if number == self._pace and spent < TURN_SECONDS / 4:
                self._pace *= 2
            elif spent > TURN_SECONDS:
                self._pace = max(1, self._pace // 2)

    def _evaluate(self, run: Run) -> Point:
        games, losses = run.games, int(run.training.counts[LOSSES])
        since, lost = games - self._counted[0], losses - self._counted[1]
        self._counted = games, losses
        training_lost = lost / since if since and run.against else None
        return Point(games, self._evaluation(run.agent), training_lost)


class TrainingRuns:
    """The runs of one visitor."""

    def __init__(self, queue: JobQueue) -> None:
        self.queue = queue
        self.jobs: dict[int, TrainingJob] = {}
        self._numbers = itertools.count(1)

    @property
    def busy(self) -> bool:
        """Whether one of them goes on."""
        return any(job.going_on for job in self.jobs.values())

    def start(self, order: Order) -> TrainingJob:
        """Begins a run."""
        if len(self.jobs) >= MOST_RUNS:
            raise InputError(f"{MOST_RUNS} runs at once are the most: remove one first")
        job = TrainingJob(next(self._numbers), order, self.queue)
        self.jobs[job.number] = job
        self.queue.begin(job)
        return job

    def remove(self, number: int) -> None:
        """Stops a run and forgets it."""
        job = self.jobs.pop(number, None)
        if job is not None:
            job.stop()

    def close(self) -> None:
        """Forgets all of them."""
        for number in list(self.jobs):
            self.remove(number)
