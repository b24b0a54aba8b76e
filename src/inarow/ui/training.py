"""The command `train`."""

from __future__ import annotations

import re
import shlex
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from inarow.game import InputError
from inarow.game.files import check_writable
from inarow.ui.options import grouped
from inarow.ui.rescue import rescue, save_meanwhile, save_or_say
from inarow.ui.terminal import AsJson, allow_players, console, marked, print_json, progress_bar

if TYPE_CHECKING:
    from inarow.lab.training import Run, Stop

_OTHER = {"first": "second", "second": "first"}
SAVE_SECONDS = 30  # a long run is saved this often, so that a power cut costs no more


@dataclass(frozen=True)
class TrainingOptions:
    """What `train` does and where it saves."""

    against: Annotated[
        str | None,
        typer.Option(
            metavar="PLAYER", help="its opponent; itself if not given", callback=allow_players
        ),
    ] = None
    games: Annotated[int, typer.Option(help="total number of games")] = 100_000
    seed: Annotated[
        int | None, typer.Option(help="the same seed gives the same numbers  [default: 0]")
    ] = None
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="an option of the learner; repeatable"),
    ] = None
    stop_games: Annotated[
        int, typer.Option(help="stop after this many games in a row without a loss; 0 never")
    ] = 0
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="where the agent is saved")] = (
        None
    )
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

    def check(self) -> None:
        """Says what is wrong with the numbers."""
        from inarow.learn.arrays import MAX_GAMES

        if not 1 <= self.games <= MAX_GAMES:
            raise InputError(f"--games must be between 1 and {MAX_GAMES:,}, not {self.games}")
        if self.evaluations and self.record is None:
            raise InputError("--evaluate says what is recorded: give --record FILE, too")
        if self.stop_games < 0:
            raise InputError(
                f"--stop-games must be 0 (never stop early) or more, not {self.stop_games}"
            )


@grouped
def train(
    game: Annotated[
        str | None, typer.Argument(metavar="[GAME]", help="a game, as `inarow games` lists them")
    ] = None,
    learner: Annotated[
        str | None,
        typer.Argument(metavar="[LEARNER]", help="a learner, as `inarow learners` lists them"),
    ] = None,
    *,
    options: TrainingOptions,
    as_json: AsJson = False,
) -> None:
    """Trains an agent and saves it. Ctrl-C or SIGTERM saves what has been learned so far."""
    from inarow.lab.training import Run, Stop

    options.check()
    if options.resume is not None:
        if game or learner or options.settings:
            raise InputError("a saved agent has its game, learner and options: give only --games")
        run = _resumed(options.resume, options)
    else:
        if game is None or learner is None:
            raise InputError("say a game and a learner, as in: inarow train tictactoe td")
        settings = _options(options.settings or [])
        run = Run(game, named(learner), settings, options.against, options.seed or 0)
    name = f"{run.learner_name}-{_plain(run.game.name)}-{run.seed}.safetensors"
    path = options.out or options.resume or Path(name)
    stop = Stop(options.stop_games)
    if options.record is not None:
        from inarow.lab.recording import Recording

        names = options.evaluations or ()
        run.recording = Recording(run, options.games, stop, names, options.record)
    is_new = not path.exists()
    _prepare(run, path)
    begun = path.stat().st_mtime_ns
    try:
        seconds, signal_number = _play(run, options.games, stop, path)
    except Exception:
        if is_new and path.stat().st_mtime_ns == begun:  # nothing has been learned in it
            path.unlink()
        raise
    _tell(run, path, seconds, signal_number > 0, as_json)
    if signal_number:
        sys.exit(128 + signal_number)


def _resumed(path: Path, options: TrainingOptions) -> Run:
    """The run that a file holds. A player that runs code plays on only if it is named again."""
    from inarow.lab.training import load_run
    from inarow.learn.saved import read_header

    if options.against is not None and options.against != read_header(path).against:
        raise InputError("a saved agent has its game, learner and options: give only --games")
    run = load_run(path)
    run.check_resumable()
    if options.seed not in (None, run.seed):
        raise InputError(f"{path} goes on with its own random numbers, of seed {run.seed}")
    if run.games >= options.games:
        raise InputError(
            f"{path} is already trained for {run.games:,} games: give --games a larger total"
        )
    return run


def _prepare(run: Run, path: Path) -> None:
    """Says before minutes of work, not after, that the agent cannot be saved there."""
    if path.suffix != ".safetensors":
        raise InputError(f"{path} must end in .safetensors, as saved agents do")
    if path.exists():
        check_writable(path)  # what it holds stays until there is something to replace it
    else:
        run.save(path)


class _Stopped(Exception):  # noqa: N818 - no error: somebody pressed Ctrl-C
    """Ends training between two chunks, where a run can be gone on with bit by bit."""


def _play(run: Run, games: int, stop: Stop, path: Path) -> tuple[float, int]:
    """Trains on and saves; how long it took, and the signal that ended it, or 0."""
    from inarow.lab.stopping import stop_signals
    from inarow.lab.training import continue_training

    started = saved = time.monotonic()
    with stop_signals() as told:
        with progress_bar("training", games) as (bar, task):
            bar.update(task, completed=run.games)

            def show(number: int) -> None:
                nonlocal saved
                bar.advance(task, number)
                if told.is_set():
                    raise _Stopped
                if time.monotonic() - saved > SAVE_SECONDS:
                    save_meanwhile(run, path)
                    saved = time.monotonic()

            with suppress(_Stopped):
                if run.recording is None:
                    continue_training(run, games, stop, show)
                else:
                    run.recording.train(show)
        seconds = time.monotonic() - started
        problem = save_or_say(run, path)
    if problem:  # no signal is held back while it waits for room
        rescue(run, path, problem)
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
    from inarow.lab.outside_players import runs_code
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
    if run.recording is not None and run.recording.path is not None:
        record = shlex.quote(str(run.recording.path))
        shown.print(f"   {program} plot {record}", soft_wrap=True)


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


def named(learner: str) -> str:
    """The name of a learner; one of the person's own is imported, and known from now on."""
    from inarow.learn.registry import is_address, register_address

    return register_address(learner).name if is_address(learner) else learner
