"""Players from outside the package: installed ones, and code that a person names.

An installed package adds players by entry points of the group `inarow.players`. `module:Class`,
`module:function` and `cmd:PROGRAM` run code, so such a name alone makes nobody: it is looked up
among those that the person at the command line has named (`allow`). A page, a link, a saved agent
or a database may hold such a name too, and finds nobody by it.
"""

from __future__ import annotations

import inspect
import os
import re
import select
import shlex
import signal
import subprocess
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from functools import partial
from importlib.metadata import EntryPoint

from inarow.engine.players import note_class
from inarow.engine.streams import Stream
from inarow.game import Game, InputError, Position
from inarow.game.errors import visible
from inarow.game.plugins import installed, load_address
from inarow.game.position import move_text
from inarow.lab.players.protocols import StoppedBySignal

GROUP = "inarow.players"
BEST_RESPONSE = "best-response:"  # before the name of another player
_NAMED = re.compile(
    r"(?!minimax:|ntuple:|mcts:|level:|strength:|shipped:)[A-Za-z_][\w.]*:[A-Za-z_]\w*"
)  # not mistyped depths, nor games
# What an installed player may be called: nothing that is read as another player's name.
_OFFERED = re.compile(r"(?!minimax|mcts|(?:perfect|best|ntuple)$)[\w.-]+")
_allowed: dict[str, Callable[[], object]] = {}  # what makes each player that has been named


class FunctionPlayer:
    """A function of a position that gives the move."""

    def __init__(self, function: Callable[[Position], int | str]) -> None:
        self.function, self.name = function, function.__name__
        self.deterministic = getattr(function, "deterministic", False)

    def move(self, position: Position) -> int | str:
        """What the function says."""
        return self.function(position)


def runs_code(name: str) -> bool:
    """Return whether a name stands for code to be run: `module:Class` or `cmd:PROGRAM`."""
    return bool(PREFIX.match(name) or _NAMED.fullmatch(name))


def allow(name: str) -> None:
    """Let a name that runs code be used from now on; other names need no leave.

    Only for names that the person at the command line has written, or has asked to be read from
    a file that they named.
    """
    # Another player stands before the one, and behind the other.
    name = name.strip().removeprefix(BEST_RESPONSE).partition("+endgame:")[0]
    name = name.removesuffix("+strategy")
    if name not in _allowed and runs_code(name):
        is_program = PREFIX.match(name)
        make = partial(ProgramPlayer, name) if is_program else _maker(name, load_address(name))
        _checked(name, make)  # says now what is wrong with it
        _allowed[name] = make
        if is_program:
            end_with_signals()


def allowed_player(name: str) -> object:
    """The player that a name which runs code stands for, made anew, if it has been allowed."""
    if name not in _allowed:
        raise InputError(
            f"{name} runs code, so it plays only where the command line names it: "
            "as a player of match, arena, play, certify or train, or by serve --player"
        )
    return _checked(name, _allowed[name])


def installed_player(name: str) -> object | None:
    """Return the player that an installed package calls so, made anew; None if no package does."""
    if name not in _installed():
        return None
    try:
        found = _installed()[name].load()
    except (Exception, SystemExit) as error:
        kind = type(error).__name__
        raise InputError(f"player {name} cannot be loaded: {kind}: {error}") from error
    return _checked(name, _maker(name, found))


def outside_players() -> dict[str, str]:
    """Return the players from outside that can be named now, and what to say of each."""
    installed = {
        name: f"from the package {entry.dist.name if entry.dist else entry.module}"
        for name, entry in _installed().items()
    }
    return installed | dict.fromkeys(_allowed, "named when this program was started")


def _installed() -> dict[str, EntryPoint]:
    """Return what packages offer, without importing them; none takes the name of one of ours."""
    from inarow.lab.players.names import RULE_PLAYERS  # which looks in here, too

    return {
        name: entry
        for name, entry in installed(GROUP).items()
        if _OFFERED.fullmatch(name) and name not in RULE_PLAYERS
    }


def _maker(name: str, found: object) -> Callable[[], object]:
    """Return what makes the player: a class called without arguments, or a function."""
    if isinstance(found, type):
        try:
            inspect.signature(found).bind()
        except (TypeError, ValueError) as error:
            raise InputError(f"{name} cannot be made without arguments: {error}") from None
        return found
    if hasattr(found, "move") or hasattr(found, "compiled"):
        return lambda: found
    if callable(found):
        return lambda: FunctionPlayer(found)
    raise InputError(f"{name} is not a player: name a class, a function, or an object that moves")


def _checked(name: str, make: Callable[[], object]) -> object:
    """Return the player, under the name that it was asked for by."""
    try:
        made = make()
    except InputError:
        raise
    except (Exception, SystemExit) as error:  # whatever code of others does
        kind = type(error).__name__
        raise InputError(f"player {name} cannot be made: {kind}: {error}") from error
    if not (hasattr(made, "move") or hasattr(made, "compiled")):
        raise InputError(f"{name} is not a player: it needs a method move(position)")
    with suppress(AttributeError):  # it may take no other name than its own
        made.name = name  # type: ignore[attr-defined]
    return made


# A player in any language: `cmd:./engine --depth 4`, a program that answers lines with lines.
#
#     we write                                     it answers
#     game connect4:6x7 6x7 4 8675309 gravity      ready
#     move X ............X................. 1 2 3  3
#
# First the game: its name, the sides of its board, how many in a row, a seed, and its other rules
# (`gravity`, `scoring`, `misere`, `wrap=AXIS`). Then for each move the side to move, all cells (X,
# O or a dot) in the order of `Game`, and the legal moves, one of which is the answer. At the end of
# its input it should end; it is ended in any case. `cmd/2s:./engine` gives it two seconds a move.
# docs/how-to/players.md says more.

PREFIX = re.compile(r"cmd(?:/([0-9]{1,6}(?:\.[0-9]{1,6})?)s)?:")
SECONDS = 10.0  # for a move, where the name gives no other
START_SECONDS = 10.0  # until it is ready
LAST_SECONDS = 0.2  # to end by itself when its input has ended
LONGEST_LINE = 1000  # characters of an answer
STONES = ".XO"


@note_class
class ProgramPlayer:
    """A program as a player. It is started when it is first asked, and kept for further games."""

    def __init__(self, name: str, seed: int = 0) -> None:
        form = PREFIX.match(name)
        self.name, self.seed = name, seed
        try:
            self.arguments = shlex.split(name[form.end() :]) if form else []
        except ValueError as error:
            raise InputError(f"{name}: {error}") from None
        if form is None or not self.arguments:
            raise InputError(f"{name!r} names no program: write cmd:PROGRAM or cmd/2s:PROGRAM")
        self.seconds = float(form[1] or SECONDS)
        if not self.seconds > 0:
            raise InputError(f"{name}: a limit of {form[1]} s leaves no time for a move")
        self._game: Game | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._said = b""  # what it has written and nobody has read

    def bind(self, game: Game, stream: Stream) -> ProgramPlayer:  # noqa: ARG002 - any game will do
        """Return the program as a process of its own, with a seed from the stream."""
        return ProgramPlayer(self.name, int(stream[0]) >> 33)

    def move(self, position: Position) -> str:
        """Return the legal move that the program answers."""
        game = position.game
        if self._process is None or game != self._game:
            self._start(game)
        stones = "".join(STONES[stone] for stone in position.stones)
        legal = [move_text(game, move) for move in position.legal_moves]
        side = STONES[position.to_move]
        answer = self._ask(f"move {side} {stones} {' '.join(legal)}", self.seconds)
        if answer not in legal:
            listed = f"{' '.join(legal[:12])}{' ...' if len(legal) > 12 else ''}"
            raise self._failed(f"answered {_short(answer)}, none of the legal moves {listed}")
        return answer

    def close(self) -> None:
        """End the program."""
        if self._process is not None:
            self._process, self._said = None, b""
            self._finalizer()

    def _start(self, game: Game) -> None:
        self.close()
        if os.name != "posix":
            raise InputError(f"{self.name}: programs play on Linux and macOS only")
        try:
            process = subprocess.Popen(
                self.arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,  # what it starts is ended with it
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"{self.name} cannot be started: {reason}") from None
        # Also when this program ends, however it does short of being killed.
        self._finalizer = weakref.finalize(self, _end, process)
        self._process, self._game = process, game
        rules = [field.name for field in fields(game) if getattr(game, field.name) is True]
        rules += [f"wrap={axis}" for axis in game.wrap]
        about = [game.name, game.shape_text, str(game.k), str(self.seed), *rules]
        answer = self._ask(f"game {' '.join(about)}", START_SECONDS)
        if answer != "ready":
            raise self._failed(f"answered {_short(answer)} where ready was expected")

    def _ask(self, line: str, seconds: float) -> str:
        """Return the program's answer to a line."""
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        until = time.monotonic() + seconds
        sink, source = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(sink, False)
        try:
            if not self._said and select.select([source], [], [], 0)[0]:
                self._read(source)
            if self._said:
                raise self._failed(f"wrote {_short(self._said.decode(errors='replace'))} unasked")
            rest = f"{line}\n".encode()
            while rest:
                if not select.select([], [sink], [], max(0.0, until - time.monotonic()))[1]:
                    raise self._failed(f"read nothing for {seconds:g} s")
                rest = rest[os.write(sink, rest) :]
            while b"\n" not in self._said:
                if not select.select([source], [], [], max(0.0, until - time.monotonic()))[0]:
                    raise self._failed(
                        f"gave no answer within {seconds:g} s; does it end each answer with a line "
                        "break, and flush it (in Python: print(..., flush=True))?"
                    )
                self._read(source)
        except BrokenPipeError:
            raise self._ended() from None
        except KeyboardInterrupt:
            self.close()
            raise
        answer, _, self._said = self._said.partition(b"\n")
        return answer.decode(errors="backslashreplace").strip()

    def _read(self, source: int) -> None:
        found = os.read(source, 4096)
        if not found:
            raise self._ended()
        self._said += found
        if len(self._said) > LONGEST_LINE:
            raise self._failed(f"wrote more than {LONGEST_LINE:,} characters for an answer")

    def _ended(self) -> InputError:
        process = self._process
        assert process is not None
        self.close()
        status = process.returncode
        how = f"by signal {-status}" if status < 0 else f"with exit status {status}"
        return InputError(f"player {self.name} ended {how} instead of answering")

    def _failed(self, what: str) -> InputError:
        self.close()
        return InputError(f"player {self.name} {what}")

    def __repr__(self) -> str:
        return f"<player {self.name}>"


def end_with_signals() -> None:
    """Let SIGTERM and SIGHUP end this program as an exit does, with the programs it started."""
    if threading.current_thread() is threading.main_thread() and os.name == "posix":
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _stop)


def _stop(number: int, _: object) -> None:
    raise StoppedBySignal(128 + number)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program and all that it has started."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    if process.returncode is None:
        # Its output ends with it. It is not waited for before the group is ended: its number
        # could be another's by then.
        until = time.monotonic() + LAST_SECONDS
        while select.select([process.stdout], [], [], max(0.0, until - time.monotonic()))[0]:
            if not os.read(process.stdout.fileno(), 4096):
                break
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            process.kill()
    process.stdout.close()
    process.wait()


def _short(text: str) -> str:
    """Return a program's words in an error, however many they are."""
    text = visible(text.strip())
    return repr(text if len(text) <= 40 else f"{text[:40]}...")
