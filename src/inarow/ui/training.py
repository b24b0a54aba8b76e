"""The command `train`."""

from __future__ import annotations

import re
import shlex
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from inarow.game import InputError
from inarow.game.errors import nearest
from inarow.game.files import check_writable
from inarow.ui.options import grouped
from inarow.ui.rescue import rescue, save_meanwhile, save_or_say
from inarow.ui.terminal import (
    AsJson,
    allow_players,
    console,
    known_game,
    marked,
    number_option,
    print_json,
    progress_bar,
)

if TYPE_CHECKING:
    from inarow.lab.training.driver import Callback
    from inarow.lab.training.run import Run, Stop
    from inarow.learn.learner import Learner
    from inarow.learn.saved import Header
    from inarow.papers.addresses import Address

GAMES = 100_000  # unless something else is asked for
_OTHER = {"first": "second", "second": "first"}
SAVE_SECONDS = 30  # a long run is saved this often, so that a power cut costs no more


@dataclass(frozen=True)
class TrainingOptions:
    """What `train` does and where it saves."""

    against: Annotated[
        str | None,
        typer.Option(
            metavar="PLAYER",
            help="its opponent; by default itself, or one that suits the learner",
            callback=allow_players,
        ),
    ] = None
    games: Annotated[int | None, number_option("total number of games  [default: 100000]")] = None
    seed: Annotated[
        int | None, number_option("the same seed gives the same numbers  [default: 0]")
    ] = None
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="an option of the learner; repeatable"),
    ] = None
    as_in: Annotated[
        str | None,
        typer.Option(
            "--as-in",
            metavar="PAPER:NAME",
            help="the settings of a paper, as `inarow reproduce PAPER --conditions` lists them",
        ),
    ] = None
    stop_games: Annotated[
        int | None,
        number_option("stop after this many games in a row without a loss; 0 never  [default: 0]"),
    ] = None
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="where the agent is saved")] = (
        None
    )
    force: Annotated[bool, typer.Option("--force", help="replace another agent at --out")] = False
    resume: Annotated[
        Path | None, typer.Option(metavar="FILE", help="continue training a saved agent")
    ] = None
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="evaluate it while it learns, for `inarow plot FILE`"),
    ] = None
    evaluations: Annotated[
        list[str] | None,
        typer.Option("--evaluate", metavar="NAME", help="what is recorded; repeatable"),
    ] = None
    log: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND:PLACE",
            help="evaluate it while it learns, and write csv:FILE, jsonl:FILE or tensorboard:DIR; "
            "repeatable",
        ),
    ] = None

    def check(self) -> None:
        """Says what is wrong with the numbers."""
        from inarow.learn.saved import MAX_GAMES

        if self.games is not None and not 1 <= self.games <= MAX_GAMES:
            raise InputError(f"--games must be between 1 and {MAX_GAMES:,}, not {self.games}")
        if self.evaluations and self.record is None and not self.log:
            raise InputError("--evaluate says what is recorded: give --record FILE or --log, too")
        if self.stop_games is not None and self.stop_games < 0:
            raise InputError(
                f"--stop-games must be 0 (never stop early) or more, not {self.stop_games}"
            )


@grouped
def train(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="GAME", help="a game, as `inarow games` lists them", callback=known_game
        ),
    ] = None,
    learner: Annotated[
        str | None,
        typer.Argument(metavar="LEARNER", help="a learner, as `inarow learners` lists them"),
    ] = None,
    *,
    options: TrainingOptions,
    as_json: AsJson = False,
) -> None:
    """Trains an agent and saves it. Ctrl-C or SIGTERM saves what has been learned so far."""
    from inarow.lab.training.run import Run, Stop

    options.check()
    games, stop = options.games or GAMES, Stop(options.stop_games or 0)
    if options.resume is not None:
        if game or learner or options.settings or options.as_in:
            raise InputError("a saved agent has its game, learner and options: give only --games")
        run = _resumed(options.resume, options, games)
    elif options.as_in is not None:
        run, games, stop = _as_in(options.as_in, game, learner, options, as_json)
    else:
        if game is None or learner is None:
            raise InputError("say a game and a learner, as in: inarow train tictactoe td")
        settings, name = _options(options.settings or []), named(learner)
        _check_not_own(settings, name)
        against = options.against or _opponent_needed(name, as_json)
        run = Run(game, name, settings, against, options.seed or 0, games)
    name = f"{run.learner_name}-{_plain(run.game.name)}-{run.seed}.safetensors"
    path = options.out or options.resume or Path(name)
    callbacks: list[Callback] = []
    if options.record is not None or options.log:
        from inarow.lab.training.driver import Recorder
        from inarow.lab.training.loggers import loggers_of

        names = options.evaluations or ()
        run.recording = Recorder(run, games, stop, names, options.record)
        callbacks = [run.recording, *loggers_of(run, options.log or ())]
    if not options.force and path != options.resume:
        _check_not_another(run, games, path)
    is_new = not path.exists()
    _prepare(run, path)
    begun = path.stat().st_mtime_ns
    try:
        seconds, signal_number = _play(run, games, stop, path, callbacks)
    except Exception:
        if is_new and path.stat().st_mtime_ns == begun:  # nothing has been learned in it
            path.unlink()
        raise
    _tell(run, path, seconds, signal_number > 0, as_json)
    if signal_number:
        sys.exit(128 + signal_number)


def _as_in(
    text: str, game: str | None, learner: str | None, options: TrainingOptions, as_json: bool
) -> tuple[Run, int, Stop]:
    """The run that a paper's study makes of a condition, but for what is given beside its name."""
    from inarow.lab.training.driver import KNOWN, options_in
    from inarow.lab.training.run import Run, Stop
    from inarow.papers.addresses import address

    found = address(text)
    given = {**KNOWN, **found.parameters}
    for what, said in (("game", game), ("learner", learner)):
        if said is not None and said != given[what]:
            raise InputError(f"{found.text} is of the {what} {given[what]}, not {said}")
    if not as_json:
        _print_settings(found)
    own = {**options_in(found.parameters), **_options(options.settings or [])}
    against = options.against or given["against"]
    games = options.games or given["games"]
    run = Run(given["game"], given["learner"], own, against, options.seed or 0, games)
    stop_games = given["stop_games"] if options.stop_games is None else options.stop_games
    return run, games, Stop(stop_games, given["check_every"])


def _print_settings(found: Address) -> None:
    """Print what a paper's settings set, and where the paper says so."""
    from inarow.papers.addresses import shown_value

    shown = console()
    shown.print(f" As in {found.text} ({found.part.name}: {found.part.about}):", soft_wrap=True)
    for name, value, place in found.said():
        said = f"  ({place})" if place else ""
        shown.print(f"   {name} = {shown_value(value)}{said}", soft_wrap=True, markup=False)
    others = ", ".join(f"{name} {shown_value(value)}" for name, value in found.defaults().items())
    shown.print(f"   as by default: {others}", markup=False)
    shown.print(" In brackets: where the text gives this number.")


def _opponent_needed(learner: str, as_json: bool) -> str | None:
    """Whom a learner plays that cannot play itself, if nobody is named; said to the person."""
    from inarow.learn.learner import ITSELF
    from inarow.learn.registry import command_with, learner_type

    kind = learner_type(learner)
    if ITSELF in kind.opponents:
        return None
    if not as_json:
        console().print(
            f" {kind.name} learns from another player: here {kind.suggested_opponent}. "
            f"--against names another; `{command_with(learner)} players` lists them."
        )
    return kind.suggested_opponent


def _resumed(path: Path, options: TrainingOptions, games: int) -> Run:
    """The run that a file holds. A player that runs code plays on only if it is named again."""
    from inarow.lab.training.run import load_run
    from inarow.learn.saved import read_header

    if options.against is not None and options.against != read_header(path).against:
        raise InputError("a saved agent has its game, learner and options: give only --games")
    run = load_run(path)
    run.check_resumable()
    if options.seed not in (None, run.seed):
        raise InputError(f"{path} goes on with its own random numbers, of seed {run.seed}")
    if run.games >= games:
        raise InputError(
            f"{path} is already trained for {run.games:,} games: give --games a larger total"
        )
    return run


def _check_not_another(run: Run, games: int, path: Path) -> None:
    """Raise InputError if a file there holds an agent of another run, or something else."""
    from inarow.learn.saved import SUFFIX, read_header

    if not path.is_file() or path.suffix != SUFFIX:
        return
    try:
        there = read_header(path)
    except InputError:
        raise InputError(f"{path} is there already: --force replaces it") from None
    differs = _differing(run, there)
    if differs is None and there.games > games:
        differs = f"trained for {there.games:,} games"
    if differs is not None:
        raise InputError(
            f"{path} is another agent ({differs}): --out names another file, --force replaces it"
        )


def _differing(run: Run, there: Header) -> str | None:
    """In what a saved agent is of another run; None if training would only make it again."""
    own = run.header
    for name in ("game", "learner", "against", "seed"):
        if getattr(own, name) != getattr(there, name):
            return f"{name} {getattr(there, name)}"
    for name, value in own.options.items():
        if there.options.get(name, value) != value:
            return f"{name} {there.options[name]}"
    return None


def _prepare(run: Run, path: Path) -> None:
    """Says before minutes of work, not after, that the agent cannot be saved there."""
    if path.suffix != ".safetensors":
        raise InputError(f"{path} must end in .safetensors, as saved agents do")
    if path.exists():
        check_writable(path)  # what it holds stays until there is something to replace it
    else:
        run.save(path)


def _play(
    run: Run, games: int, stop: Stop, path: Path, callbacks: list[Callback]
) -> tuple[float, int]:
    """Trains on and saves; how long it took, and the signal that ended it, or 0."""
    from inarow.lab.stop_signals import stop_signals
    from inarow.lab.training.driver import Callback, CallbackError, Plan, Trainer

    class _ShowAndSave(Callback):
        """Moves the bar, saves now and then, and ends training at a signal."""

        saved = time.monotonic()

        def on_chunk(self, trainer: Trainer, games: int) -> None:
            bar.advance(task, games)
            if told.is_set():
                trainer.stop()
            elif time.monotonic() - self.saved > SAVE_SECONDS:
                save_meanwhile(trainer.run, path)
                self.saved = time.monotonic()

    started, failed = time.monotonic(), None
    with stop_signals() as told:
        with progress_bar("training", games) as (bar, task):
            bar.update(task, completed=run.games)
            plan, recorder = Plan(games, stop), run.recording
            if recorder is not None:
                plan = recorder.plan
            try:
                Trainer(run, plan, [*callbacks, _ShowAndSave()]).train()
            except CallbackError as error:
                failed = error
        seconds = time.monotonic() - started
        problem = save_or_say(run, path)
    if problem:  # no signal is held back while it waits for room
        rescue(run, path, problem)
    if failed is not None:
        raise InputError(f"{failed}; what was learned is saved as {path}") from failed
    return seconds, told.number


def _tell(run: Run, path: Path, seconds: float, stopped: bool, as_json: bool) -> None:
    number, wins, draws, losses, _ = (int(count) for count in run.training.counts)
    if as_json:
        print_json(
            {
                "file": str(path),
                "game": run.game.name,
                "learner": run.learner_name,
                "against": run.against,
                "options": run.header.options,
                "seed": run.seed,
                "games": number,
                "wins": wins,
                "draws": draws,
                "losses": losses,
                "interrupted": stopped,
            }
        )
        return
    from inarow.lab.players.outside import runs_code
    from inarow.learn.registry import command_with

    shown = console()
    whom = f"against {run.against}" if run.against else "against itself (seen from the first)"
    shown.print(
        marked(
            f"{run.learner_name} in {run.game.name}, {whom}: {number:,} games, {wins:,} won, "
            f"{draws:,} drawn, {losses:,} lost; {seconds:.1f} s.",
            run.learner_name,
        )
    )
    side = getattr(run.learner, "side", "both")
    if run.against and side != "both":
        shown.print(f" It has learned to play {side}, and never played {_OTHER[side]}.")
    program, file = command_with(run.learner_name), shlex.quote(str(path))
    if stopped:
        against = run.against or ""
        again = f" --against {shlex.quote(against)}" if runs_code(against) else ""
        line = f" Stopped. To go on: {program} train --resume {file}{again} --games ..."
        shown.print(line, soft_wrap=True)
    shown.print(f" Saved as {path}. Now, for example:", soft_wrap=True)
    shown.print(f"   {program} certify {file}", soft_wrap=True)
    shown.print(f"   {program} match {shlex.quote(run.game.name)} {file} random", soft_wrap=True)
    own, lesson = run.header.options, run.learner.lessons.get(run.game.name, {})
    if any(own[option] != value for option, value in lesson.items()):
        settings = lesson_settings(type(run.learner), run.game.name)
        shown.print(f" For a lesson, with a file of a few kilobytes: {settings}")
    if run.recording is not None and run.recording.path is not None:
        record = shlex.quote(str(run.recording.path))
        shown.print(f"   {program} plot {record}", soft_wrap=True)


def lesson_settings(kind: type[Learner], game: str) -> str:
    """Return a learner's options for a first lesson on a game, as the command takes them."""
    return " ".join(f"--set {name}={value}" for name, value in kind.lessons[game].items())


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _options(settings: list[str]) -> dict[str, str]:
    """Texts as NAME=VALUE."""
    options = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name:
            raise InputError(f"--set {setting!r} must be NAME=VALUE, as in --set alpha=0.1")
        options[name.strip()] = value.strip()
    return options


def _check_not_own(settings: dict[str, str], learner: str) -> None:
    """Raise InputError for an option of the command that is given as one of the learner."""
    from inarow.learn.options import options_of_type
    from inarow.learn.registry import learner_type
    from inarow.ui.meant import TRAINING

    known = options_of_type(learner_type(learner))
    for name, value in settings.items():
        near = nearest(name, [*known, *TRAINING])
        if name not in known and near in TRAINING:
            raise InputError(f"{learner} has no option {name!r}: write --{near} {value}")


def named(learner: str) -> str:
    """The name of a learner; one of the person's own is imported, and known from now on."""
    from inarow.game.plugins import is_address
    from inarow.learn.registry import register_address

    return register_address(learner).name if is_address(learner) else learner
