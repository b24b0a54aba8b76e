"""A player in any language: `cmd:./engine --depth 4`, a program that answers lines with lines.

    we write                                     it answers
    game connect4:6x7 6x7 4 8675309 gravity      ready
    move X ............X................. 1 2 3  3

First the game: its name, the sides of its board, how many in a row, a seed, and its other rules
(`gravity`, `scoring`, `misere`, `wrap=AXIS`). Then for each move the side to move, all cells (X, O
or a dot) in the order of `Game`, and the legal moves, one of which is the answer. At the end of its
input it should end; it is ended in any case. `cmd/2s:./engine` gives it two seconds a move.
docs/players.md says more.
"""

from __future__ import annotations

import os
import re
import select
import shlex
import signal
import subprocess
import sys
import threading
import time
import weakref
from dataclasses import fields

from inarow.engine.streams import Stream
from inarow.game import Game, InputError, Position
from inarow.game.errors import visible
from inarow.game.notation import move_text

PREFIX = re.compile(r"cmd(?:/([0-9]{1,6}(?:\.[0-9]{1,6})?)s)?:")
SECONDS = 10.0  # for a move, where the name gives no other
START_SECONDS = 10.0  # until it is ready
LAST_SECONDS = 0.2  # to end by itself when its input has ended
LONGEST_LINE = 1000  # characters of an answer
STONES = ".XO"


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
        """The same program as a process of its own, with a seed from the stream."""
        return ProgramPlayer(self.name, int(stream[0]) >> 33)

    def move(self, position: Position) -> str:
        """The legal move that the program answers."""
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
        """Ends the program."""
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
        """The program's answer to a line."""
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
                    raise self._failed(f"gave no answer within {seconds:g} s")
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
    """SIGTERM and SIGHUP end this program as an exit does, and with it the programs it started."""
    if threading.current_thread() is threading.main_thread() and os.name == "posix":
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, lambda number, _: sys.exit(128 + number))


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends a program and all that it has started."""
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
    """A program's words in an error, however many they are."""
    text = visible(text.strip())
    return repr(text if len(text) <= 40 else f"{text[:40]}...")
