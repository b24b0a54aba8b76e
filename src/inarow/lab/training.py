"""Training runs: a learner, whom it plays, and a seed; saved, gone on with, stopped, recorded."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import inarow
from inarow.engine.contest import PlayerArrays
from inarow.engine.rules import RuleList
from inarow.engine.tables import Tables
from inarow.game import Game, InputError
from inarow.game import game as game_of
from inarow.game.errors import whole_number
from inarow.game.memory import machine_bytes
from inarow.game.report import Report, Reported
from inarow.graph.graph import Graph
from inarow.graph.odds import Policy
from inarow.lab.certify import known_policies
from inarow.lab.player_protocols import AnyPlayer, check_plays, name_of
from inarow.lab.players import CompiledPlayer, RulePlayerByName, player
from inarow.lab.progress import shown
from inarow.lab.study import Config
from inarow.learn.agent import LearnedAgent
from inarow.learn.arrays import MAX_GAMES, Arrays, to_small
from inarow.learn.learner import Learner, check_fits, check_size, options_of
from inarow.learn.options import with_options
from inarow.learn.registry import is_address, register, register_address
from inarow.learn.registry import learner as learner_of
from inarow.learn.saved import Header, pack, read_agent, unpack, write_agent
from inarow.learn.training import LAST_LOSS, Training
from inarow.search.perfect import Perfect

if TYPE_CHECKING:
    from inarow.lab.plot import Plot
    from inarow.lab.recording import Recording

CHUNK_SECONDS = 0.1
Progress = Callable[[int], None]  # called with the number of games just played


class Opponent:
    """A player as learners want it: compiled for boards, as policies for graphs."""

    def __init__(self, some_player: AnyPlayer, game: Game) -> None:
        self.player, self.name, self.game = some_player, name_of(some_player), game

    def compiled(self, tables: Tables) -> PlayerArrays:
        """For learners on boards."""
        if isinstance(self.player, Perfect):
            from inarow.search.perfect_play import compiled_perfect  # loads the solver

            return compiled_perfect(self.game, self.player.choice)
        if not isinstance(self.player, CompiledPlayer):
            raise InputError(
                f"{self.name} cannot play in compiled loops, so nothing learns from it"
            )
        return self.player.compiled(tables)

    def policies(self, graph: Graph) -> list[Policy]:
        """For learners on graphs. A Python player is what it answers when it is asked."""
        return known_policies(self.player, graph)[0]


def opponent_of(against: str | AnyPlayer | None, game: Game) -> RuleList | Opponent | None:
    """Whom a learner plays, from a name or a player; rule players as their rules."""
    if against is None:
        return None
    found = player(against)
    check_plays(found, game)
    return found.rules if isinstance(found, RulePlayerByName) else Opponent(found, game)


class Run(Reported):
    """A learner on a game, against someone or itself, from a seed: a function of these.

    Of networks on one kind of processor: see `lab.machine`.
    """

    def __init__(
        self,
        game: str | Game,
        learner: str | Learner,
        options: Config | None = None,
        against: str | AnyPlayer | None = None,
        seed: int = 0,
    ) -> None:
        self.game, self.seed = game_of(game), whole_number(seed, "a seed")
        self.learner = learner_with(learner, options)
        self.learner_name = self.learner.name
        self.learner.check(self.game, against is not None)
        self.against = against if against is None or isinstance(against, str) else name_of(against)
        place = ", all that this machine has"
        check_size(self.learner, self.game, seed, machine_bytes(), place)
        self.training: Training = self.learner.begin(
            self.game, opponent_of(against, self.game), seed
        )
        self.resumable = True  # False once read from a file that only holds an agent
        self.recording: Recording | None = None  # its evaluations on the way, if it was recorded

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
        """What a file says of it."""
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
        """Writes all that it takes to play with it, or to go on."""
        write_agent(Path(path), self.header, self._arrays(self.resumable))

    def export(self, path: str | Path, small: bool = False) -> None:
        """Writes only what it takes to play with it, if asked for with weights of 8 bits."""
        arrays = self._arrays(False)
        if small:
            arrays = {
                name: to_small(array) if array.dtype.kind == "f" else array
                for name, array in arrays.items()
            }
        write_agent(Path(path), replace(self.header, resumable=False), arrays)

    def state(self) -> bytes:
        """What `save` writes, as bytes."""
        return pack(self.header, self._arrays(self.resumable))

    def plot(self, metric: str | None = None, log: str = "x") -> Plot:
        """Its learning curve, if it was recorded."""
        from inarow.lab.plot import plot

        return plot(self, metric=metric, log=log)

    def report(self) -> Report:
        """What is shown of it."""
        games, wins, draws, losses, _ = (f"{int(count):,}" for count in self.training.counts)
        whom = f"against {self.against}" if self.against else "against itself, as first"
        rows = [(whom, games, wins, draws, losses)]
        title = f"{self.learner_name} in {self.game.name}, seed {self.seed}"
        return Report(title, ("training", "games", "won", "drawn", "lost"), rows)

    @property
    def _drawn(self) -> Plot | None:
        """Its curve, if it has one."""
        if self.recording is None or not self.recording.measurements:
            return None
        return self.plot() if len({m.games for m in self.recording.measurements}) > 1 else None

    def __repr__(self) -> str:
        return "\n".join(str(part) for part in (self.report(), self._drawn) if part is not None)

    def _repr_html_(self) -> str:
        """What a notebook shows: with its curve."""
        curve = self._drawn
        return self.report().html() + ("" if curve is None else f"\n{curve.svg_element()}")

    def check_resumable(self) -> None:
        """Says so if it cannot go on."""
        if not self.resumable:
            raise InputError(
                "this agent cannot be trained on: its file holds what it plays with, not the state "
                "of its training; train one from the start, as its header or model card says"
            )

    def _arrays(self, whole: bool) -> Arrays:
        """All arrays, or those that the agent plays with."""
        arrays = self.training.arrays
        names = () if whole else self.learner.arrays_to_play(self.games)
        return {name: arrays[name] for name in names or arrays}


def load_run(path: str | Path) -> Run:
    """The run that a file holds."""
    return _restored(*read_agent(Path(path)), str(path))


def run_from(state: bytes, name: str = "the state") -> Run:
    """The run that bytes hold."""
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
class Stop:
    """Ends training early: none of the last `games` games was lost, looked at every so often."""

    games: int = 0  # 0: never
    check_every: int = 10_000

    def holds(self, run: Run) -> bool:
        """Whether training ends now."""
        return bool(self.holds_after(run.games, int(run.training.counts[LAST_LOSS])))

    def holds_after(self, games: Any, last_loss: Any) -> Any:
        """The same after so many games, the last of them lost: of one run, or arrays of many."""
        if not self.games:
            return games < 0  # of none
        quiet = (games >= self.games) & (games - last_loss >= self.games)
        return quiet & (games % self.check_every == 0)

    def next_check(self, games: int) -> int:
        """The number of games after which the rule is looked at next."""
        return games + self.check_every - games % self.check_every if self.games else MAX_GAMES


def learner_with(learner: str | Learner, options: Config | None) -> Learner:
    """A learner by name, or one that somebody has made; it is then known by its name, too."""
    if isinstance(learner, str):
        return learner_of(learner, options)
    if not isinstance(learner, Learner):
        raise InputError(f"{learner!r} is not a learner: give a name, or an instance of one")
    register(type(learner))
    made: Learner = with_options(type(learner), {**options_of(learner), **(options or {})})
    return made


def train(
    game: str | Game,
    learner: str | Learner,
    against: str | AnyPlayer | None = None,
    games: int = 100_000,
    seed: int = 0,
    stop: Stop | None = None,
    record: bool | str | Path = False,
    evaluations: Sequence[str] = (),
    **options: object,
) -> Run:
    """Trains a learner for a number of games; `run.agent` is then the player.

    The learner is a name, a learner object, or the address of a class: `module:Class`. With
    `record` the agent is evaluated while it learns (`run.plot()` draws that), by `evaluations` if
    they are given; a file stores the measurements as a study, which may collect several seeds.
    `continue_training` reports progress.
    """
    games = check_games(games)
    if isinstance(learner, str) and is_address(learner):
        learner = register_address(learner).name
    run = Run(game, learner, options, against, seed)
    with shown(None, f"training {run.learner_name}", games, steps=True) as show:
        if record is False and not evaluations:
            continue_training(run, games, stop, show)
            return run
        from inarow.lab.recording import Recording

        path = None if isinstance(record, bool) else record
        run.recording = Recording(run, games, stop, evaluations, path)
        run.recording.train(show)
    return run


def check_games(games: int) -> int:
    """A number of games to train for."""
    games = whole_number(games, "the number of games")
    if not 1 <= games <= MAX_GAMES:
        raise InputError(f"the number of games must be between 1 and {MAX_GAMES:,}, not {games:,}")
    return games


def continue_training(
    run: Run, games: int, stop: Stop | None = None, progress: Progress = lambda games: None
) -> None:
    """Trains on until so many games have been played in all, or the stop rule holds.

    Compiled code plays in chunks of about a tenth of a second, so that it can be interrupted.
    """
    games = check_games(games)
    run.check_resumable()
    stop, size = stop or Stop(), 64
    while run.games < games and not stop.holds(run):
        number = min(size, games - run.games, stop.next_check(run.games) - run.games)
        before = time.perf_counter()
        run.training.play(number)
        run.training.check_finite()
        if number == size and time.perf_counter() - before < CHUNK_SECONDS:
            size *= 2
        progress(number)
