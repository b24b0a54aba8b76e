"""Training runs: a learner, its opponent and a seed. They can be saved, resumed and recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import inarow
from inarow.engine.board import Tables
from inarow.engine.players import PlayerArrays, compiled_form, has_compiled_form, is_unchanged
from inarow.engine.rules import RuleList
from inarow.engine.streams import Stream
from inarow.game import Game, InputError
from inarow.game import game as game_of
from inarow.game.errors import whole_number
from inarow.game.files import machine_bytes
from inarow.game.plugins import is_address
from inarow.game.progress import Progress, mute
from inarow.game.report import HasReport, Report
from inarow.graph.graph import Graph
from inarow.graph.odds import Policy
from inarow.lab.players.names import player, rule_list
from inarow.lab.players.policies import known_policies
from inarow.lab.players.protocols import AnyPlayer, Player, bind_player, check_plays, name_of
from inarow.lab.progress import shown
from inarow.lab.studies.study import Config
from inarow.learn.agent import LearnedAgent
from inarow.learn.learner import (
    ITSELF,
    LAST_LOSS,
    Learner,
    Training,
    check_fits,
    check_size,
    options_of,
)
from inarow.learn.options import planned_options, with_options
from inarow.learn.plain_learner import is_plain
from inarow.learn.registry import learner as learner_of
from inarow.learn.registry import register, register_address
from inarow.learn.saved import (
    MAX_GAMES,
    Arrays,
    Header,
    pack,
    read_agent,
    to_small,
    unpack,
    write_agent,
)

if TYPE_CHECKING:
    from pandas import DataFrame

    from inarow.lab.plots.plot import Plot
    from inarow.lab.training.driver import Callback, Recorder


class Opponent:
    """A player as learners want it: compiled for boards, as policies for graphs."""

    def __init__(self, some_player: AnyPlayer, game: Game) -> None:
        self.player, self.name, self.game = some_player, name_of(some_player), game

    def compiled(self, tables: Tables) -> PlayerArrays:
        """Return the player's arrays, for learners on boards."""
        from inarow.search.perfect import Perfect, compiled_perfect  # loads the solver

        if is_unchanged(self.player, Perfect):
            return compiled_perfect(self.game, self.player.choice)
        if not has_compiled_form(self.player):
            raise InputError(
                f"{self.name} cannot play in compiled loops, so nothing learns from it"
            )
        return compiled_form(self.player, tables)

    def policies(self, graph: Graph) -> list[Policy]:
        """Return the player's policies, for learners on graphs; a Python player is asked."""
        return known_policies(self.player, graph)[0]

    def bind(self, stream: Stream) -> Player:
        """Return the player as learners in plain Python ask it."""
        return bind_player(self.player, self.game, stream)


def opponent_of(against: str | AnyPlayer | None, game: Game) -> RuleList | Opponent | None:
    """Return whom a learner plays, from a name or a player; rule players as their rules."""
    if against is None:
        return None
    found = player(against)
    check_plays(found, game)
    rules = rule_list(found)
    return rules if rules is not None else Opponent(found, game)


class Run(HasReport):
    """A learner on a game, against someone or itself, from a seed: a function of these.

    `games` is the number of games that the run is to have, for schedules that fall over as many.
    Of networks on one kind of processor: see `lab.machine`.
    """

    def __init__(
        self,
        game: str | Game,
        learner: str | Learner,
        options: Config | None = None,
        against: str | AnyPlayer | None = None,
        seed: int = 0,
        games: int | None = None,
    ) -> None:
        self.game, self.seed = game_of(game), whole_number(seed, "a seed")
        self.learner = learner_with(learner, options, games)
        self.learner_name = self.learner.name
        self.learner.check(self.game, against is not None)
        self.against = against if against is None or isinstance(against, str) else name_of(against)
        place = ", all that this machine has"
        check_size(self.learner, self.game, seed, machine_bytes(), place)
        self.training: Training = self.learner.begin(
            self.game, opponent_of(against, self.game), seed
        )
        self.resumable = True  # False once read from a file that only holds an agent
        self.recording: Recorder | None = None  # its evaluations on the way, if it was recorded

    @property
    def games(self) -> int:
        """Games played so far."""
        return self.training.games

    @property
    def agent(self) -> LearnedAgent:
        """The player learned so far."""
        agent = self.training.agent()
        agent.header = replace(self.header, resumable=False)
        return agent

    @property
    def header(self) -> Header:
        """What a file says of the run."""
        return Header(
            self.game.name,
            self.learner_name,
            options_of(self.learner),
            self.against,
            self.seed,
            self.games,
            inarow.__version__,
            self.resumable,
        )

    def save(self, path: str | Path) -> None:
        """Write all that it takes to play with the agent, or to go on training."""
        write_agent(Path(path), self.header, self._arrays(self.resumable))

    def export(self, path: str | Path, small: bool = False) -> None:
        """Write only what it takes to play with the agent, if asked for with weights of 8 bits."""
        arrays = self._arrays(False)
        if small:
            arrays = {
                name: to_small(array) if array.dtype.kind == "f" else array
                for name, array in arrays.items()
            }
        write_agent(Path(path), replace(self.header, resumable=False), arrays)

    def state(self) -> bytes:
        """Return what `save` writes, as bytes."""
        return pack(self.header, self._arrays(self.resumable))

    def plot(self, metric: str | None = None, log: str = "x") -> Plot:
        """Plot the learning curve of a recorded run."""
        from inarow.lab.plots.plot import plot

        return plot(self, metric=metric, log=log)

    def curves(self) -> DataFrame:
        """Return what was measured of a recorded run, as a pandas table: by games and metric."""
        from inarow.lab.studies.frames import curves_of

        if self.recording is None:
            raise InputError("nothing was measured on the way: train with record=True")
        return curves_of(self.recording.measurements)

    def report(self) -> Report:
        """Return the report."""
        games, wins, draws, losses, _ = (f"{int(count):,}" for count in self.training.counts)
        whom = f"against {self.against}" if self.against else "against itself, as first"
        rows = [(whom, games, wins, draws, losses)]
        title = f"{self.learner_name} in {self.game.name}, seed {self.seed}"
        return Report(title, ("training", "games", "won", "drawn", "lost"), rows)

    @property
    def _drawn(self) -> Plot | None:
        """The learning curve, if the run was recorded."""
        if self.recording is None or not self.recording.measurements:
            return None
        return self.plot() if len({m.games for m in self.recording.measurements}) > 1 else None

    def __repr__(self) -> str:
        return "\n".join(str(part) for part in (self.report(), self._drawn) if part is not None)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the report and the curve."""
        curve = self._drawn
        return self.report().html() + ("" if curve is None else f"\n{curve.svg_element()}")

    def check_resumable(self) -> None:
        """Raise InputError if the file holds an agent without its training state."""
        if not self.resumable:
            raise InputError(
                "this agent cannot be trained on: its file holds what it plays with, not the state "
                "of its training; train one from the start, as its header or model card says"
            )

    def _arrays(self, whole: bool) -> Arrays:
        """Return all arrays, or those that the agent plays with."""
        arrays = self.training.arrays
        names = () if whole else self.learner.arrays_to_play(self.games)
        return {name: arrays[name] for name in names or arrays}


def load_run(path: str | Path) -> Run:
    """Return the run that a file holds."""
    return _restored(*read_agent(Path(path)), str(path))


def run_from(state: bytes, name: str = "the state") -> Run:
    """Return the run that bytes hold."""
    return _restored(*unpack(state, name), name)


def _restored(header: Header, arrays: Arrays, name: str) -> Run:
    try:
        # Before anything is made of it.
        names = check_fits(learner_of(header.learner, header.options), header, arrays)
        run = Run(header.game, header.learner, header.options, header.against, header.seed)
        run.training.restore(arrays, names, small=not header.resumable)
        run.resumable = header.resumable
    except InputError as error:
        raise InputError(f"{name} cannot be used: {error}") from None
    return run


@dataclass(frozen=True)
class RunSpec:
    """What a training run is a function of."""

    game: str | Game
    learner: str | Learner
    options: Config = field(default_factory=dict)
    against: str | None = None
    seed: int = 0
    games: int | None = None  # that it is planned for

    def begin(self) -> Run:
        """Return the run before its first game."""
        return Run(self.game, self.learner, self.options, self.against, self.seed, self.games)

    def resume(self, state: bytes) -> Run:
        """Return the run where its state was taken; the state of another run is refused."""
        run = run_from(state)
        learner = learner_with(self.learner, self.options, self.games)
        same = (run.game, run.learner, run.against, run.seed)
        if same != (game_of(self.game), learner, self.against, self.seed) or not run.resumable:
            raise InputError("the state is that of another run")
        return run


@dataclass(frozen=True)
class Stop:
    """Ends training early: none of the last `games` games was lost, looked at every so often."""

    games: int = 0  # 0: never
    check_every: int = 10_000

    def holds(self, run: Run) -> bool:
        """Return whether training ends now."""
        return bool(self.holds_after(run.games, int(run.training.counts[LAST_LOSS])))

    def holds_after(self, games: Any, last_loss: Any) -> Any:
        """Return whether it holds after so many games: of one run, or arrays of many."""
        if not self.games:
            return games < 0  # of none
        quiet = (games >= self.games) & (games - last_loss >= self.games)
        return quiet & (games % self.check_every == 0)

    def next_check(self, games: int) -> int:
        """Return the number of games after which the rule is looked at next."""
        return games + self.check_every - games % self.check_every if self.games else MAX_GAMES


def learner_with(
    learner: str | Learner | type, options: Config | None, games: int | None = None
) -> Learner:
    """Return a learner by name, one that somebody has made, or of a class; it is registered.

    With `games`, the options that follow the number of games are that number.
    """
    made: Learner
    if isinstance(learner, str):
        made = learner_of(learner, options)
    elif isinstance(learner, type):
        made = with_options(register(learner), options or {})
    elif is_plain(type(learner)):
        kind = type(learner).__name__
        raise InputError(f"give the class and its options: train(game, {kind}, alpha=...)")
    elif isinstance(learner, Learner):
        register(type(learner))
        made = with_options(type(learner), {**options_of(learner), **(options or {})})
    else:
        raise InputError(f"{learner!r} is not a learner: give a name, or an instance of one")
    planned = {} if games is None else planned_options(made, games)
    return with_options(type(made), {**options_of(made), **planned}) if planned else made


def train(
    game: str | Game,
    learner: str | Learner,
    against: str | AnyPlayer | None = None,
    games: int = 100_000,
    seed: int = 0,
    stop: Stop | None = None,
    record: bool | str | Path = False,
    evaluations: Sequence[str] = (),
    log: str | Sequence[str] = (),
    callback: Callback | Sequence[Callback] = (),
    **options: object,
) -> Run:
    """Train a learner for a number of games; `run.agent` is then the player.

    Without `against` it plays itself where it can, else an opponent that suits it.

    The learner is a name, a learner object, or the address of a class: `module:Class`. With
    `record` the agent is evaluated while it learns (`run.plot()` draws that), by `evaluations` if
    they are given; a file stores the measurements as a study, which may collect several seeds.
    `log` writes them to `csv:FILE`, `jsonl:FILE` or `tensorboard:DIR`. A `callback` is told of
    every chunk of games and every measurement (`lab.training.driver.Callback`).
    `continue_training` reports progress.
    """
    from inarow.lab.training.driver import OnChunk, Plan, Trainer  # which build on runs

    callbacks = _callbacks(callback)

    games = check_games(games)
    if isinstance(learner, str) and is_address(learner):
        learner = register_address(learner).name
    made = learner_with(learner, options)
    if against is None and ITSELF not in made.opponents:
        against = made.suggested_opponent
    run = Run(game, made, None, against, seed, games)
    plan = Plan(games, stop or Stop())
    if record is not False or evaluations or log:
        from inarow.lab.training.driver import Recorder  # loads databases and statistics
        from inarow.lab.training.loggers import loggers_of

        path = None if isinstance(record, bool) else record
        run.recording = Recorder(run, games, stop, evaluations, path)
        plan = run.recording.plan
        callbacks = [run.recording, *loggers_of(run, log), *callbacks]
    with shown(None, f"training {run.learner_name}", games, steps=True) as show:
        return Trainer(run, plan, [*callbacks, OnChunk(show)]).train()


def _callbacks(given: Callback | Sequence[Callback]) -> list[Callback]:
    """Return one or several callbacks as a list."""
    from inarow.lab.training.driver import Callback

    found = [given] if isinstance(given, Callback) else given
    wrong = [found] if not isinstance(found, list | tuple) else found
    for each in wrong:
        if not isinstance(each, Callback):
            raise InputError(
                f"{each!r} is not a callback: derive one from inarow.lab.training.driver.Callback"
            )
    return list(found)


def check_games(games: int) -> int:
    """Return a number of games to train for; raise InputError if it is none."""
    games = whole_number(games, "the number of games")
    if not 1 <= games <= MAX_GAMES:
        raise InputError(f"the number of games must be between 1 and {MAX_GAMES:,}, not {games:,}")
    return games


def continue_training(
    run: Run, games: int, stop: Stop | None = None, progress: Progress = mute
) -> None:
    """Train on until so many games have been played in all, or the stop rule holds.

    Compiled code plays in chunks of about a tenth of a second, so that it can be interrupted.
    After each chunk `progress` is told the games just played.
    """
    from inarow.lab.training.driver import OnChunk, Plan, Trainer

    run.check_resumable()
    Trainer(run, Plan(check_games(games), stop or Stop()), [OnChunk(progress)]).train()
