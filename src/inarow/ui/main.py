"""The command line: verbs, one line for bad input, JSON where a program may read the answer."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, NoReturn, TextIO

import typer

from inarow import __version__
from inarow.game import InputError
from inarow.game.errors import InputWarning, printable
from inarow.game.plugins import is_address
from inarow.ui import (
    agents,
    analysing,
    books,
    certifying,
    compiling,
    contests,
    counting,
    export,
    listing,
    play,
    plotting,
    reproduce,
    serve,
    solving,
    speed,
    studies,
    training,
)
from inarow.ui.examples import add_examples
from inarow.ui.meant import is_learner, learners_first, of_unknown_option
from inarow.ui.own_code import frames_of_own_code

app = typer.Typer(
    name="inarow",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

STOPPED = 130  # the exit status after Ctrl-C
COMPLETION = "_INAROW_COMPLETE"  # set where a shell asks for completions; the answer is an exit
# A negative number must reach the command as a number, not as an unknown option.
_NUMBERS = {"ignore_unknown_options": True}


def _say_version(wanted: bool) -> None:
    if wanted:
        print(f"inarow {__version__}")
        raise typer.Exit


@app.callback()
def known(
    learner: Annotated[
        list[str] | None,
        typer.Option(metavar="MODULE:CLASS", help="makes a learner of your own known; repeatable"),
    ] = None,
    version: Annotated[  # noqa: ARG001 - its callback answers
        bool,
        typer.Option(
            "--version", callback=_say_version, is_eager=True, help="show the version and exit"
        ),
    ] = False,
) -> None:
    """A laboratory for learning to play k-in-a-row games.

    GAME comes first: `inarow games` lists games, `inarow players` players,
    `inarow learners` learners. `inarow COMMAND -h` has an example of each.

    `inarow reproduce NAME` reproduces a document: connect-four, cube, hybrid,
    max-min or n-dimensional.
    """
    if learner:
        from inarow.learn.registry import register_address

        for address in learner:
            if not is_address(address) and is_learner(address):
                raise InputError(
                    f"--learner makes a class of your own known, as module:Class; {address} is "
                    f"known: inarow train tictactoe {address}"
                )
            register_address(address)


# A command is called as its function is; in the order of the help text.
COMMANDS: tuple[Callable[..., None], ...] = (
    counting.games, counting.perft, counting.count, listing.players, play.play, training.train,
    listing.learners, plotting.plot, export.export, contests.match, contests.arena, solving.solve,
    analysing.analyse, certifying.certify, reproduce.reproduce, speed.bench, serve.serve,
)  # fmt: skip
for command in COMMANDS:
    settings = _NUMBERS if command is counting.perft else None
    app.command(command.__name__, context_settings=settings)(command)
app.add_typer(agents.agents, name="agents")
app.add_typer(books.book, name="book")
app.add_typer(studies.study, name="study")
add_examples(app)


# Typer carries a copy of click of its own in some versions: its errors are found through it.
_USAGE_ERROR: type[Any] = typer.BadParameter.__bases__[0]


def main() -> None:
    """Runs a command. Bad input is one line on the error output and exit status 2."""
    command = typer.main.get_command(app)
    compiling.announce()
    try:
        try:
            with _notes_in_one_line():
                arguments = learners_first(sys.argv[1:])
                status = command.main(arguments or ["--help"], standalone_mode=False)
        finally:
            compiling.notice.hide()
        sys.stdout.flush()
    except InputError as error:
        failure = getattr(error, "failure", None)  # of code, where a match has kept its games
        if failure is None:
            _fail(str(error))
        _fail_in_code(failure)
    except SystemExit as error:  # of code that a person has named: a command of ours only fails so
        if not error.code and COMPLETION not in os.environ:
            _fail("code that was named here ended the program by sys.exit")
        raise
    except _USAGE_ERROR as error:
        context = getattr(error, "ctx", None)
        where = context.command_path.replace("python -m inarow", "inarow") if context else "inarow"
        option = getattr(error, "option_name", None)
        meant = of_unknown_option(where, option, sys.argv[1:]) if option else None
        if meant is not None:
            _fail(f"{where} has no option {option}: write {meant}")
        _fail(f"{error.format_message()} ({where} --help says more)")
    except (KeyboardInterrupt, typer.Abort):
        print("stopped", file=sys.stderr)
        sys.exit(STOPPED)
    except BrokenPipeError:
        # Whoever read the output has gone; Python must not complain about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except Exception as error:
        if _is_of_numba(error):
            _fail(f"code of your own cannot be compiled: {error}")
        _fail_in_code(error)
    if status == STOPPED:  # what Typer makes of Ctrl-C
        print("stopped", file=sys.stderr)
    sys.exit(status or 0)


@contextmanager
def _notes_in_one_line() -> Iterator[None]:
    """Shows what is noted of input without the place in the code."""
    with warnings.catch_warnings():
        shown = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if issubclass(category, InputWarning):
                print(f"note: {printable(str(message))}", file=sys.stderr)
            else:
                shown(message, category, filename, lineno, file, line)

        warnings.showwarning = show
        yield


def _is_of_numba(error: Exception) -> bool:
    """Whether Numba has refused a function, without loading it where nothing was compiled."""
    numba = sys.modules.get("numba")
    return numba is not None and isinstance(error, numba.NumbaError)


def _fail_in_code(error: Exception) -> NoReturn:
    if (own := frames_of_own_code(error)) is None:
        raise error
    print(own, file=sys.stderr)
    sys.exit(1)


def _fail(message: str) -> NoReturn:
    print(f"error: {printable(message)}", file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    main()
