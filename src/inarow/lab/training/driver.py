"""The one driver of training runs: Python, the command, studies, the browser and GPUs use it.

A `Plan` says how long a run trains, what ends it early, and when it is measured, by numbers of
games alone. A `Trainer` takes a run to the end of its plan in chunks of about a tenth of a second
of compiled play. Between two chunks it can be stopped, saved, and gone on with bit by bit.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from inarow.engine.streams import EVALUATION
from inarow.game import InputError
from inarow.game import game as game_of
from inarow.game.errors import suggestion
from inarow.game.files import check_writable
from inarow.lab.studies.store import Key, Store
from inarow.lab.studies.study import Config, Measurement, Slice, Study
from inarow.lab.training.run import Run, RunSpec, Stop, check_games, learner_with, opponent_of
from inarow.learn.agent import LearnedAgent
from inarow.learn.learner import LAST_LOSS, LOSSES, Learner, layout_of, options_of
from inarow.learn.options import options_of_type
from inarow.learn.registry import learner_type
from inarow.learn.saved import MAX_GAMES

if TYPE_CHECKING:
    from inarow.lab.evaluation import Evaluation, Measurements


FIRST_CHUNK = 64  # games
CHUNK_SECONDS = 0.1  # about what a chunk takes
CHECK_SECONDS = 1.0  # between two looks whether all weights are finite numbers

# The parameters of a config that are no options of the learner, and what they are by default.
KNOWN: Config = {
    "game": "tictactoe",
    "learner": "td",
    "against": None,
    "games": 100_000,
    "stop_games": 0,
    "check_every": 10_000,
    "record": 0,  # or a list of [every, until] pairs: finer at the start; 0: never
    "evaluations": [],
    "evaluate_every": 0,  # 0: only at the end
    "evaluate_at": [],  # numbers of games
}


@dataclass(frozen=True)
class Pace:
    """Numbers of games at which something is due: a function of games alone, never of the clock."""

    at: tuple[int, ...] = ()  # these
    steps: tuple[tuple[int, int], ...] = ()  # every so many games, until so many

    @classmethod
    def every(cls, games: int) -> Pace:
        """Return the pace of every so many games; 0 means never."""
        return cls(steps=((games, MAX_GAMES),) if games else ())

    @classmethod
    def logarithmic(cls, games: int, start: int = 0) -> Pace:
        """Return round numbers after `start` up to `games`, closer together at the beginning.

        They are 1, 2, 3, 5 and 7 times the powers of ten from a thousandth of all games on, and
        from the hundredth game at the latest, so runs of different lengths share them.
        """
        least, powers = min(max(games // 1000, 1), 100), range(len(str(games)))
        found = {step * 10**power for power in powers for step in (1, 2, 3, 5, 7)}
        round_numbers = {number for number in found if least <= number < games}
        return cls(at=tuple(sorted(n for n in {games, *round_numbers} if n > start)))

    def next_after(self, games: int) -> int:
        """Return the next number of games after so many at which it is due."""
        following = [number for number in self.at if number > games]
        for every, until in self.steps:
            if games < until:
                following.append(min(games + every - games % every, until))
                break
        return min(following, default=MAX_GAMES)

    def is_due(self, games: int) -> bool:
        """Return whether it is due after so many games."""
        return games > 0 and self.next_after(games - 1) == games


@dataclass(frozen=True)
class Plan:
    """How long a run trains, when it is measured, and what ends it early."""

    games: int
    stop: Stop = field(default_factory=Stop)
    evaluations: tuple[Evaluation, ...] = ()
    evaluate: Pace = Pace()  # besides the end
    losses: Pace = Pace()  # when the games lost so far are measured, besides the end

    @classmethod
    def from_config(cls, config: Config) -> Plan:
        """Read a study's config: its numbers, and its evaluations on its game."""
        from inarow.lab.evaluation import parse_evaluations  # loads graphs and matches

        given = {**KNOWN, **config}
        if not isinstance(given["evaluations"], list):
            raise InputError(
                f"evaluations is a list of names, not {given['evaluations']!r}; where a list is a "
                'choice, as in [grid], write a list of lists: evaluations = [["score:random"]]'
            )
        every = _whole(given, "evaluate_every", 0)
        return cls(
            games=_whole(given, "games", 1),
            stop=Stop(_whole(given, "stop_games", 0), _whole(given, "check_every", 1)),
            evaluate=Pace(_numbers(given["evaluate_at"]), Pace.every(every).steps),
            losses=Pace(steps=_pairs(given["record"])),
            evaluations=parse_evaluations(given["evaluations"], game_of(given["game"])),
        )

    def next_point(self, games: int) -> int:
        """Return the number of games, after so many, at which something is due."""
        due = [self.evaluate.next_after(games), self.losses.next_after(games)]
        return min(self.games, self.stop.next_check(games), *due)

    def is_over(self, games: Any, last_loss: Any) -> Any:
        """Return whether a run is over after so many games, or an array of it for many runs."""
        return (games >= self.games) | self.stop.holds_after(games, last_loss)

    def evaluates_at(self, games: int) -> bool:
        """Return whether evaluations are due after so many games, on the way."""
        return self.evaluate.is_due(games)


class Callback:
    """Something that is told of a run while it trains: override what you need.

    What a callback raises ends training; the run stays where it is and can be saved.
    """

    def on_begin(self, trainer: Trainer) -> None:
        """Take note that training begins, or goes on."""

    def on_end(self, trainer: Trainer) -> None:
        """Take note that training ends: finished, stopped or failed."""

    def on_chunk(self, trainer: Trainer, games: int) -> None:
        """Take note that so many more games were played; called about every tenth of a second."""

    def on_point(self, trainer: Trainer, measured: list[Measurement]) -> None:
        """Take note of what was measured at a point of the plan, perhaps nothing."""


class CallbackError(InputError):
    """A callback failed: what was learned is whole."""


class OnChunk(Callback):
    """Calls a function with the number of games of each chunk: for bars of progress."""

    def __init__(self, function: Callable[[int], object]) -> None:
        self.function = function

    def on_chunk(self, trainer: Trainer, games: int) -> None:  # noqa: ARG002
        """Call the function."""
        self.function(games)


class Trainer:
    """Trains a run to the end of its plan, in chunks of about a tenth of a second.

    A run that was saved exactly at a point may not have been measured there: unless `measured`
    says that it was, that is done first.
    """

    def __init__(
        self, run: Run, plan: Plan, callbacks: Sequence[Callback] = (), measured: bool = False
    ) -> None:
        check_games(plan.games)
        run.check_resumable()
        self.run, self.plan, self.callbacks = run, plan, list(callbacks)
        self._measured = measured or not run.games
        self._stopped = False
        self._chunk = FIRST_CHUNK
        self._checked = time.monotonic()

    @classmethod
    def resume(
        cls, spec: RunSpec, plan: Plan, state: bytes, callbacks: Sequence[Callback] = ()
    ) -> Self:
        """Return a trainer where `state` was taken, of that same run: another one is refused."""
        return cls(spec.resume(state), plan, callbacks, measured=True)

    @property
    def games(self) -> int:
        """Games played so far."""
        return self.run.games

    @property
    def share(self) -> float:
        """Share of the plan's games that are played."""
        return self.games / self.plan.games

    @property
    def is_over(self) -> bool:
        """Whether no more games are to be played."""
        return bool(self.plan.is_over(self.games, int(self.run.training.counts[LAST_LOSS])))

    @property
    def finished(self) -> bool:
        """Whether no more games are to be played, and all is measured."""
        return self._measured and self.is_over

    def train(self) -> Run:
        """Train to the end, or until `stop` was called, and return the run."""
        self._stopped = False
        try:
            self._tell("on_begin")
            while not (self.finished or self._stopped):
                self.advance()
        except BaseException:
            with suppress(CallbackError):  # what went wrong before is what is to be known
                self._tell("on_end")
            raise
        self._tell("on_end")
        return self.run

    def stop(self) -> None:
        """End training after this chunk. What is due then is measured when the run goes on."""
        self._stopped = True

    def advance(self, deadline: float = math.inf) -> list[Measurement] | None:
        """Train on to the next point and measure what is due there.

        Return None if the deadline, of `time.monotonic`, came before the point, or if the run was
        stopped: at least one chunk was played then.
        """
        self._stopped = False
        if self.finished:
            return []
        if not self._measured and self._is_point:
            return self.measure()
        self._measured = True
        end = self.plan.next_point(self.games)
        while self.games < end:
            self._play(min(self._chunk, end - self.games))
            if self._stopped or (self.games < end and time.monotonic() >= deadline):
                return None
        return self.measure()

    def measure(self, evaluated: Iterable[Measurements] | None = None) -> list[Measurement]:
        """Measure what is due now; the results of the evaluations may come from elsewhere."""
        games, over = self.games, self.is_over
        due = list[Measurement]()
        if over or self.plan.losses.is_due(games):
            due.append(Measurement(games, "lost", float(self.run.training.counts[LOSSES])))
        if evaluated is None:
            evaluated = self._evaluate() if self.evaluates else ()
        for measured in evaluated:
            due += [Measurement(games, metric, value) for metric, value in measured.items()]
        if over:
            due.append(Measurement(games, "games", float(games)))
        self._measured = True
        self._tell("on_point", due)
        return due

    @property
    def evaluates(self) -> bool:
        """Whether evaluations are due now."""
        return self.is_over or self.plan.evaluates_at(self.games)

    @property
    def evaluation_seed(self) -> int:
        """Seed of the evaluations that are due now."""
        source = np.random.SeedSequence(self.run.seed, spawn_key=(EVALUATION, self.games))
        return int(source.generate_state(1, np.uint64)[0])

    def agent(self) -> LearnedAgent:
        """Return the player learned so far; raise InputError if training has diverged."""
        self.run.training.check_finite()
        return self.run.agent

    def state(self) -> bytes:
        """Return all that is needed to resume; raise InputError if training has diverged."""
        self.run.training.check_finite()
        return self.run.state()

    @property
    def _is_point(self) -> bool:
        """Whether something is due now."""
        return self.evaluates or self.plan.losses.is_due(self.games)

    def _evaluate(self) -> Iterable[Measurements]:
        """Make the evaluations of the plan, one after the other."""
        agent, seed = self.agent(), self.evaluation_seed
        return (evaluation.measure(agent, seed) for evaluation in self.plan.evaluations)

    def _play(self, games: int) -> None:
        """Play a chunk, and choose the size of the next one by the time that it took."""
        self._measured = False
        before = time.monotonic()
        with _compiling(self.run.learner):
            self.run.training.play(games)
        now = time.monotonic()
        if games == self._chunk and now - before < CHUNK_SECONDS:
            self._chunk *= 2
        elif now - before > 2 * CHUNK_SECONDS:
            self._chunk = max(1, self._chunk // 2)
        if now - self._checked > CHECK_SECONDS or self.is_over:
            self.run.training.check_finite()
            self._checked = now
        self._tell("on_chunk", games)

    def _tell(self, event: str, *what: object) -> None:
        """Call a method of every callback; what one raises is a CallbackError of one line."""
        for callback in self.callbacks:
            try:
                getattr(callback, event)(self, *what)
            except Exception as error:
                kind = "" if isinstance(error, InputError) else f"{type(error).__name__}: "
                place = f"{type(callback).__name__}.{event}"
                raise CallbackError(
                    f"{place} failed after {self.games:,} games: {kind}{error}"
                ) from error


def spec_from(config: Config, seed: int) -> RunSpec:
    """Return what a study's config says of the run with a seed."""
    given = {**KNOWN, **config}
    options, games = options_in(config), _whole(given, "games", 1)
    return RunSpec(given["game"], given["learner"], options, given["against"], seed, games)


def options_in(config: Config) -> Config:
    """Return the parameters of a config that the learner takes."""
    return {name: value for name, value in config.items() if name not in KNOWN}


def check_names(learner: str, options: Config) -> None:
    """Raise InputError for a parameter that was meant as one of a run."""
    known = options_of_type(learner_type(learner))
    for name in options:
        if name not in known and (near := suggestion(name, [*KNOWN, *known])):
            raise InputError(f"a run has no parameter {name!r}{near}")


def check_measures(learner: Learner, plan: Plan) -> None:
    """Raise InputError for an exact evaluation of an agent that is only observed."""
    exact = [made.form for made in plan.evaluations if made.needs_policy]
    if exact and not learner.states_policy:
        raise InputError(
            f"{exact[0]} is exact, and {learner.name} does not say that it is deterministic: write "
            f"deterministic = True in its class if it is, or sample, as in score:random:{SAMPLED}"
        )


def _whole(config: Config, name: str, least: int) -> int:
    value = config[name]
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # 1e5 is a number of games
    if not _is_whole(value) or not least <= value <= MAX_GAMES:
        raise InputError(f"{name} is a whole number from {least}, not {value!r}")
    return int(value)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _numbers(given: object) -> tuple[int, ...]:
    if not isinstance(given, list) or not all(_is_whole(n) and n > 0 for n in given):
        raise InputError(f"evaluate_at is a list of numbers of games, not {given!r}")
    return tuple(sorted(given))


def _pairs(record: Any) -> tuple[tuple[int, int], ...]:
    """Read every how many games until which number: a number alone holds to the end."""
    pairs = record if isinstance(record, list) else [[record, MAX_GAMES]]
    if not all(isinstance(p, list) and len(p) == 2 and all(map(_is_whole, p)) for p in pairs):
        raise InputError(f"record is a number or [every, until] pairs, not {record!r}")
    return tuple((every, until or MAX_GAMES) for every, until in pairs if every > 0)


@contextmanager
def _compiling(learner: Learner) -> Iterator[None]:
    """Say in one line what the compiler does not understand in a loop of a person's own."""
    try:
        yield
    except Exception as error:
        if not type(error).__module__.startswith("numba."):
            raise
        plain = re.sub(r"\x1b\[[0-9;]*m", "", str(error))  # without colours
        lines = [line.strip() for line in plain.splitlines()]
        words = ("NameError", "Untyped global name", "Unknown attribute", "No implementation")
        told = [line for line in lines if any(word in line for word in words)]
        place = [line for line in lines if line.startswith("File ")]
        said = " ".join([*(told or [line for line in lines if line])[:1], *place[-1:]])
        raise InputError(
            f"the compiled code of {learner.name} cannot be compiled: {said}"
        ) from None


# Training as the work of a study: a config says what is trained, measured and evaluated.
#
# The parameters of a config: `game`, `learner`, `against`, `games`; `stop_games` and `check_every`
# (`training.Stop`); `record`, every how many games the losses so far are kept; `evaluations`, texts
# that `parse_evaluation` reads, made at the end and on the way: with `evaluate_every`, and at the
# numbers of games in `evaluate_at`. Every other parameter is an option of the learner.


class TrainingWork:
    """A training run of a study, going from point to point."""

    deadline = math.inf  # of `time.monotonic`, at which `advance` ends between two points

    def __init__(self, config: Config, seed: int, trainer: Trainer) -> None:
        self.config, self.seed, self.trainer = config, seed, trainer

    @classmethod
    def check(cls, config: Config) -> None:
        """Raise InputError for a game, learner, option, opponent or number that does not work."""
        spec = spec_from(config, 0)
        if isinstance(spec.learner, str):
            check_names(spec.learner, spec.options)
        game, learner = game_of(spec.game), learner_with(spec.learner, spec.options)
        learner.check(game, spec.against is not None)
        opponent_of(spec.against, game)
        layout_of(learner, game, 0)
        check_measures(learner, Plan.from_config(config))

    @classmethod
    def begin(cls, config: Config, seed: int) -> Self:
        """Begin before the first game."""
        plan = Plan.from_config(config)
        return cls(config, seed, Trainer(spec_from(config, seed).begin(), plan))

    @classmethod
    def resume(cls, config: Config, seed: int, state: bytes) -> Self:
        """Go on where `state` was taken; the state of another run is refused."""
        plan = Plan.from_config(config)
        return cls(config, seed, Trainer.resume(spec_from(config, seed), plan, state))

    @property
    def plan(self) -> Plan:
        """The plan that the config says."""
        return self.trainer.plan

    @property
    def run(self) -> Run:
        """The run as far as it has come."""
        return self.trainer.run

    @property
    def finished(self) -> bool:
        """Whether all is played and measured."""
        return self.trainer.finished

    @property
    def share(self) -> float:
        """Share of the games that are played."""
        return self.trainer.share

    def advance(self) -> list[Measurement] | None:
        """Train on to the next point and measure; None if the deadline came first."""
        return self.trainer.advance(self.deadline)

    def state(self) -> bytes:
        """Return all that is needed to resume."""
        return self.trainer.state()


# Recording a run: it is evaluated while it trains, and what is measured is kept as a study.
#
# The study has one config, and its points are those that a study of that config would have: a file
# collects the seeds that are recorded into it. Without a file the study is kept in memory.

SAMPLED = 400  # games of an evaluation that is not exact


class Recorder(Callback):
    """Keeps what is measured of a run while it trains to `plan`."""

    def __init__(
        self,
        run: Run,
        games: int,
        stop: Stop | None = None,
        evaluations: Sequence[str] = (),
        path: str | Path | None = None,
    ) -> None:
        names = list(evaluations) or default_evaluations(run)
        config = config_of(run, games, stop or Stop(), names)
        self.plan = Plan.from_config(config)  # says now, before anything is written, what is wrong
        check_measures(run.learner, self.plan)
        self.seed, self.path = run.seed, None if path is None else Path(path)
        whom = f" against {run.against}" if run.against else ""
        self.study = Study(f"{run.learner_name} in {run.game.name}{whom}", (config,))
        self._memory = Store.in_memory(self.study) if self.path is None else None
        self._points = 0
        if self.path is not None and self.path.exists():
            with Store.create(self.path, self.study) as store:  # says so if it holds another
                self._points = store.unit(Key(0, self.seed)).points
        elif self.path is not None:
            check_writable(self.path)

    def on_point(self, trainer: Trainer, measured: list[Measurement]) -> None:
        """Store what was measured."""
        done = trainer.finished
        piece = Slice(1, measured, None, done, 1.0 if done else trainer.share)
        opened: AbstractContextManager[Store]
        if self._memory is not None:
            opened = nullcontext(self._memory)
        else:
            assert self.path is not None
            opened = Store.create(self.path, self.study)
        with opened as store:
            store.commit([(Key(0, self.seed), self._points, piece)])
        self._points += 1

    def open(self) -> AbstractContextManager[Store]:
        """Open the study, to read what this run measured."""
        if self._memory is not None:
            return nullcontext(self._memory)
        assert self.path is not None
        return Store.open(self.path, range(self.seed, self.seed + 1), known=True)

    @property
    def measurements(self) -> list[Measurement]:
        """What was measured so far, by metric and number of games."""
        if self.path is not None and not self.path.exists():
            return []
        with self.open() as store:
            return [found for key, found in store.measurements() if key.seed == self.seed]


def default_evaluations(run: Run) -> list[str]:
    """Return what to know of an agent, on the side that it learns: exactly where that is quick."""
    side = getattr(run.learner, "side", "both") if run.against else "both"
    if run.learner.needs_graph:
        return [f"exploitability:{side}", f"score:random:{side}"]
    return [f"score:random:{SAMPLED}:{side}"]


def config_of(run: Run, games: int, stop: Stop, evaluations: Sequence[str]) -> Config:
    """Return the config of a study that does what a recorded run does."""
    defaults = options_of(type(run.learner)())
    options = {n: v for n, v in options_of(run.learner).items() if v != defaults.get(n)}
    early = {"stop_games": stop.games, "check_every": stop.check_every} if stop.games else {}
    return {
        "game": run.game.name,
        "learner": run.learner_name,
        **({"against": run.against} if run.against else {}),
        "games": games,
        **early,
        **options,
        "evaluations": list(evaluations),
        "evaluate_at": list(Pace.logarithmic(games).at),
    }
