"""Training runs of visitors, in the background.

A run is one of `lab.training.run`, cut into short turns. Between turns, at some fifty places of the
whole, the agent is evaluated, and so its curve grows. What a page shows of a run is on the disk
before it is shown. The state of training is written every few seconds, at any number of games, so
a run that is killed often gets on nevertheless; after a restart it continues from there.
"""

from __future__ import annotations

import itertools
import re
import threading
import time
from dataclasses import replace
from pathlib import Path

from inarow.game import InputError
from inarow.game.files import machine_bytes, write_whole
from inarow.lab.certificates.certify import MAX_GRAPH_CELLS, GraphCertificate, certify_on_graph
from inarow.lab.training.driver import Pace, Plan, Trainer
from inarow.lab.training.run import Run
from inarow.learn.agent import LearnedAgent
from inarow.learn.learner import ITSELF, LOSSES
from inarow.learn.saved import SUFFIX
from inarow.ui.server.curves import Evaluation, Outcomes, Point, plan
from inarow.ui.server.jobs import Job, JobQueue, State
from inarow.ui.server.kept import MOST_GAMES, KeptLook, KeptRun
from inarow.ui.server.learned import take_look
from inarow.ui.server.orders import Order, order_json
from inarow.ui.server.players import check_memory
from inarow.ui.server.run_files import RunFiles
from inarow.ui.server.visitor_files import VisitorFiles

TURN_SECONDS = 0.2
SAVING = threading.Lock()


def memory_limit() -> int:
    """Bytes that all runs of a server may take: half of what the machine has."""
    return machine_bytes() // 2


class TrainingJob(Job):
    """One run."""

    def __init__(
        self,
        number: int,
        order: Order,
        queue: JobQueue,
        files: VisitorFiles | None = None,
        begun: Run | None = None,  # that it goes on with
    ) -> None:
        super().__init__()
        self.kept = RunFiles(number, files or VisitorFiles())
        self.number, self.order, self.queue = number, order.checked(), queue
        self.points: list[Point] = []
        self.games, self.seconds = 0, 0.0  # of training
        self.certificate: GraphCertificate | None = None  # of the agent as it is now
        self.looks: list[KeptLook] = []  # what it knew at its points, where that can be shown
        self._run = begun
        self._trainer: Trainer | None = None  # of the run, to the end of the plan
        self._counted = (0, 0)  # games and losses of training at the last point
        if begun is not None:
            self.games = begun.games
            self._counted = (begun.games, int(begun.training.counts[LOSSES]))
        self._plan = plan(self.games, order.games)
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
        if self._run is None and self.games:
            self._run = self._begin()  # it is on the disk
        if self._run is None:
            raise InputError("this run has not begun yet")
        return self._run

    @property
    def can_certify(self) -> bool:
        """Whether a proof about the agent is possible."""
        return self.order.game.cells <= MAX_GRAPH_CELLS

    def turn(self) -> bool:
        """Begins, trains for a moment, or evaluates."""
        if not self._plan:  # resumed from two windows, and the first has reached the end
            return False
        if self._run is None:
            self._run = self._begin()
        elif self.games < self._plan[0]:
            self._train(self._run)
            self.kept.write_state(self._run, at_once=False)
        else:
            points = [*self.points, self._evaluate(self._run)]
            self.looks = [*self.looks, *take_look(self._run.agent, self.games, self.order)]
            self._plan.pop(0)
            self.kept.write_state(self._run, at_once=False)
            self.keep(points)
            self.points = points
        return bool(self._plan)

    def on_end(self) -> None:
        """Writes down how it ended, with the agent as it is."""
        if self._run is not None:
            self.kept.write_state(self._run, at_once=True)
        self.keep(self.points)

    def keep(self, points: list[Point]) -> None:
        """Writes down what there is to tell."""
        self.kept.write(
            {
                "order": order_json(self.order),
                "points": [[*point.outcomes, point.games, point.training_lost] for point in points],
                "plan": self._plan,
                "counted": self._counted,
                "seconds": self.seconds,
                "state": self.state,
                "error": self.error,
                "looks": [look.model_dump() for look in self.looks],
            }
        )

    def restore(self, told: KeptRun) -> None:
        """Takes up what was written down; the run itself is read when it is needed."""
        self.points = [
            Point(games, Outcomes(won, drawn, lost, sampled), training)
            for won, drawn, lost, sampled, games, training in told.points
        ]
        self._plan, self._counted = list(told.plan), told.counted
        self.seconds, self.error, self.looks = told.seconds, told.error, list(told.looks)
        self.state, self.games = told.state, self.kept.games
        if self.state is State.DONE and not self.games:  # its state was too large to be kept
            self.state, self._plan, self.points = (
                State.WAITING,
                [self.order.games],
                self.points[:-1],
            )
            self.looks = [look for look in self.looks if look.games < self.order.games]
        if self.is_active:
            self.queue.begin(self)
        self.queue.jobs.add(self)

    def agent_now(self) -> tuple[LearnedAgent, int]:
        """The agent as it is now, and after how many games that is."""
        with self.between_turns():
            return self.run.agent, self.games

    def more(self, games: int) -> None:
        """Lets a run that has ended go on until so many games."""
        with self.between_turns():
            if self.is_active:
                raise InputError("this run goes on: wait for its end, or stop it")
            if not self.games < games <= MOST_GAMES:
                raise InputError(
                    f"{games:,} games are too few or too many: the run has {self.games:,}, "
                    f"and the most is {MOST_GAMES:,}"
                )
            self.order, self._plan = replace(self.order, games=games), plan(self.games, games)[1:]
            self._trainer = None
        self.queue.begin(self)

    def download(self) -> tuple[str, bytes]:
        """The agent with all that it takes to continue: a name for its file, and the content."""
        with self.between_turns():
            content, games = self.run.state(), self.games
        words = f"{self.order.learner} {self.order.game.name}".lower()
        stem = re.sub(r"[^a-z0-9]+", "-", words).strip("-")
        return f"{stem}-seed{self.order.seed}-{games}", content

    def save(self, folder: Path) -> str:
        """Write the agent into the folder, with all that it takes to continue; return its name."""
        stem, content = self.download()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with SAVING:  # else two visitors could choose the same name
                for copy in itertools.count(1):
                    again = f"-{copy}" if copy > 1 else ""
                    path = folder / f"{stem}{again}{SUFFIX}"
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
        agent, games = self.agent_now()
        certificate = certify_on_graph(agent, game)
        with self.between_turns():
            if games == self.games:
                self.certificate = certificate
        return certificate

    def reserve(self) -> None:
        """Counts the memory that it takes, if there is so much."""
        order = self.order
        needed = check_memory(order.learner_object, order.game, order.seed)
        self.queue.reserve(self, needed, memory_limit())

    def _begin(self) -> Run:
        order = self.order
        against = None if order.against == ITSELF else order.against
        self.reserve()
        try:
            kept = self.kept.read_run(order.game, order.learner, against, order.seed)
            if kept is None:
                return Run(order.game, order.learner, order.options, against, order.seed)
            self.games = kept.games
            return kept
        except BaseException:
            self.size = 0
            raise

    def _train(self, run: Run) -> None:
        """Train for a moment, no further than to the next evaluation."""
        if self._trainer is None:
            plan = Plan(max(self._plan), evaluate=Pace(at=tuple(self._plan)))
            self._trainer = Trainer(run, plan, measured=True)
        before = time.monotonic()
        self.certificate = None
        self._trainer.advance(before + TURN_SECONDS)
        self.games = run.games
        self.seconds += time.monotonic() - before

    def _evaluate(self, run: Run) -> Point:
        games, losses = run.games, int(run.training.counts[LOSSES])
        since, lost = games - self._counted[0], losses - self._counted[1]
        self._counted = games, losses
        training_lost = lost / since if since and run.against else None
        return Point(games, self._evaluation(run.agent), training_lost)
