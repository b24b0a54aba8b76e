"""The commands `train` and `learners`."""

from __future__ import annotations

import re
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from inarow.game import InputError
from inarow.game.files import check_writable
from inarow.ui.rescue import rescue, save_meanwhile, save_or_say
from inarow.ui.terminal import AsJson, Seed, console, marked, print_json, progress_bar, table

SAVE_SECONDS = 30  # a long run is saved this often, so that a power cut costs no more


def train(
    game: Annotated[
        str | None, typer.Argument(metavar="[GAME]", help="a game, as `inarow games` lists them")
    ] = None,
    learner: Annotated[
        str | None,
        typer.Argument(
            metavar="[LEARNER]", help="a learner, as `inarow learners` lists them; or module:Class"
        ),
    ] = None,
    against: Annotated[
        str | None, typer.Option(metavar="PLAYER", help="whom it plays; itself if not given")
    ] = None,
    games: Annotated[int, typer.Option(help="how many games in all")] = 100_000,
    seed: Seed = 0,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="an option of the learner; repeatable"),
    ] = None,
    stop_games: Annotated[
        int, typer.Option(help="end when so many games went by without a loss; 0 never")
    ] = 0,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="where the agent is saved")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="FILE", help="go on with a saved agent")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Trains an agent and saves it. Ctrl-C or SIGTERM saves what has been learned so far."""
    from inarow.lab.training import Run, Stop, load_run
    from inarow.learn.arrays import MAX_GAMES

    if not 1 <= games <= MAX_GAMES:
        raise InputError(f"{games} games do not work: play 1 to {MAX_GAMES}")
    if stop_games < 0:
        raise InputError(f"--stop-games {stop_games} does not work: 0 never stops early")
    if resume is not None:
        if game or learner or against or settings:
            raise InputError("a saved agent has its game, learner and options: give only --games")
        run = load_run(resume)
        run.check_resumable()
        if run.games >= games:
            raise InputError(f"{resume} has played {run.games:,} games already: --games says more")
    else:
        if game is None or learner is None:
            raise InputError("say a game and a learner, as in: inarow train tictactoe td")
        run = Run(game, named(learner), _options(settings or []), against, seed)
    path = (
        out or resume or Path(f"{run.learner_name}-{_plain(run.game.name)}-{run.seed}.safetensors")
    )
    _prepare(run, path)
    seconds, signal_number = _play(run, games, Stop(stop_games), path)
    _tell(run, path, seconds, signal_number > 0, as_json)
    if signal_number:
        sys.exit(128 + signal_number)


def _prepare(run: Any, path: Path) -> None:
    """Says before minutes of work, not after, that the agent cannot be saved there."""
    if path.suffix != ".safetensors":
        raise InputError(f"{path} is no name for a saved agent: it ends in .safetensors")
    if path.exists():
        check_writable(path)  # what it holds stays until there is something to replace it
    else:
        run.save(path)


class _Stopped(Exception):  # noqa: N818 - no error: somebody pressed Ctrl-C
    """Ends training between two chunks, where a run can be gone on with bit by bit."""


def _play(run: Any, games: int, stop: Any, path: Path) -> tuple[float, int]:
    """Trains on and saves; how long it took, and the signal that ended it, or 0."""
    from inarow.lab.stopping import stop_signals
    from inarow.lab.training import go_on

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
                go_on(run, games, stop, show)
        seconds = time.monotonic() - started
        problem = save_or_say(run, path)
    if problem:  # no signal is held back while it waits for room
        rescue(run, path, problem)
    return seconds, told.number


def _tell(run: Any, path: Path, seconds: float, stopped: bool, as_json: bool) -> None:
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
    program = command_with(run.learner_name)
    if stopped:
        shown.print(f" Stopped. To go on: {program} train --resume {path} --games ...")
    shown.print(f" Saved as {path}. Now, for example:", soft_wrap=True)
    shown.print(f"   {program} certify {path}", soft_wrap=True)
    shown.print(f"   {program} match {run.game.name} {path} random", soft_wrap=True)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _options(settings: list[str]) -> dict[str, str]:
    """Texts as NAME=VALUE."""
    options = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name:
            raise InputError(f"--set {setting!r} does not work: write NAME=VALUE, as alpha=0.1")
        options[name.strip()] = value.strip()
    return options


def learners(
    name: Annotated[
        str | None, typer.Argument(metavar="[LEARNER]", help="one of them, with its options")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Lists the learners, or what one says of itself, with its options."""
    from inarow.learn.options import options_of_type
    from inarow.learn.registry import learner_type
    from inarow.learn.registry import learners as all_learners

    if name is None:
        found = all_learners()
        if as_json:
            print_json({key: kind.about() for key, kind in found.items()})
            return
        rows = table("learner", "what it is")
        for key, kind in found.items():
            rows.add_row(key, kind.about())
        rows.columns[1].justify = "left"
        console().print(rows)
        return
    kind = learner_type(named(name))
    options = options_of_type(kind)
    if as_json:
        print_json({key: option.as_json() for key, option in options.items()})
        return
    rows = table("option", "default", "what it is", title=f"{kind.name}: {kind.about()}")
    for key, option in options.items():
        rows.add_row(key, str(option.default), option.hint)
    rows.columns[2].justify = "left"
    shown = console()
    shown.print(rows)
    shown.print(f" It plays against {' or '.join(kind.opponents)}.", soft_wrap=True)
    for game, given in kind.suits.items():
        settings = "".join(f" --set {key}={value}" for key, value in given.items())
        shown.print(f" It suits {game}{settings}.", soft_wrap=True)


def named(learner: str) -> str:
    """The name of a learner; one of the person's own is imported, and known from now on."""
    from inarow.learn.registry import is_address, register_address

    return register_address(learner).name if is_address(learner) else learner
