"""A table where games are played: chairs, a prompt and its commands, in plain lines of text."""

from __future__ import annotations

import sys
import textwrap
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from inarow.engine.streams import FIRST, SECOND, make_stream
from inarow.game import Game, InputError, Position
from inarow.game.files import write_whole
from inarow.game.notation import move_text, parse_moves
from inarow.game.records import Record, read_records, record, records_text, write_records
from inarow.game.text import SYMBOLS
from inarow.lab.opinions import exact, hint, opinion
from inarow.lab.players import SeatedPlayer, ask, check_plays, name_of, take_seat
from inarow.learn.saved import SUFFIX
from inarow.search.perfect import Perfect
from inarow.search.solver import solver_for
from inarow.ui import play_words as words
from inarow.ui.play_board import completed_lines, draw
from inarow.ui.waiting import R, wait_for

PAUSE = 0.8  # seconds between the moves of a game that is watched
PATIENCE = 1.0  # seconds after which a person is told that somebody is thinking
LONGEST_LINE = 1000  # characters of what is typed


@dataclass(frozen=True)
class Chair:
    """Who sits on one side."""

    name: str = words.YOU
    player: Any = None  # None for a person
    seat: Any = None  # the player, with random numbers of its own

    @classmethod
    def taken(cls, game: Game, some_player: Any, number: int, seed: int) -> Chair:
        """The chair 0 or 1, taken by a player or, if None, by a person."""
        if some_player is None:
            return cls()
        name = name_of(some_player)
        check_plays(some_player, game)
        if isinstance(some_player, Perfect):
            solver_for(game)  # says now, and not after a move, that it is out of reach
        stream = make_stream(seed, (FIRST, SECOND)[number])
        short = Path(name).name if name.endswith(SUFFIX) else name
        return cls(short, some_player, take_seat(some_player, game, stream))


class Table:
    """A session: one game after another in the same chairs."""

    def __init__(
        self, game: Game, chairs: list[Chair], out: Console, seed: int, keep: Path | None = None
    ) -> None:
        self.game, self.chairs, self.out, self.seed, self.keep = game, chairs, out, seed, keep
        self.names = [chair.name for chair in chairs]
        self.people = [number for number, chair in enumerate(chairs) if chair.player is None]
        self.position = Position(game)
        self.resigned: int | None = None  # who gave up
        self.finished: list[Record] = []  # the games before this one
        self.saved: set[Path] = set()  # files that `save` wrote
        self.kept = b""  # what was in the file of `--save` already
        self.leaving = False

    def run(self) -> None:
        """Plays until somebody leaves: by a word, by the end of the input or by Ctrl-C."""
        if self.keep is not None:
            self.kept = _games_in(self.keep)
        self._keep()
        self.say(words.rules(self.game), "bold")
        self.say(words.seating(self.names, self.seed))
        if self.people:
            self.say(f"A move is {words.move_form(self.game)}. help lists the commands.")
        self.out.print()
        try:
            self._begin()
            while not self.leaving:
                self._go_on()
        except EOFError:
            self.say("Goodbye.")
        except KeyboardInterrupt:
            self.out.print()
            self.say("Stopped. Goodbye.")
            sys.exit(130)

    def say(self, text: str, style: str | None = None) -> None:
        """A sentence, broken between words."""
        whole = textwrap.fill(text, self.out.width, replace_whitespace=False)
        self.out.print(whole, style=style, markup=False, soft_wrap=True)

    @property
    def over(self) -> bool:
        """Whether the game has ended, on the board or because somebody gave up."""
        return self.position.outcome is not None or self.resigned is not None

    @property
    def _chair(self) -> Chair:
        return self.chairs[self.position.to_move - 1]

    @property
    def _opponent(self) -> Any:
        """The player that a person plays; None if that is a person too."""
        return next((chair.player for chair in self.chairs if chair.player is not None), None)

    # The course of a game

    def _begin(self) -> None:
        self.position, self.resigned = Position(self.game), None
        for chair in self.chairs:
            if isinstance(chair.seat, SeatedPlayer):
                chair.seat.begin()
        if self._chair.player is None:
            self._show()

    def _go_on(self) -> None:
        """A move of a player, or a line from a person."""
        if self.over:
            self._obey(self._read("again, undo, save FILE or quit? ") or "quit")
        elif self._chair.player is not None:
            self._let_play()
        else:
            symbol = SYMBOLS[self.position.to_move]
            prompt = f"Your move ({symbol}): " if len(self.people) == 1 else f"{symbol} to move: "
            self._obey(self._read(prompt))

    def _let_play(self) -> None:
        chair, symbol = self._chair, SYMBOLS[self.position.to_move]
        move = self._wait(f"{chair.name} is thinking", lambda: ask(chair.seat, self.position))
        self._push(move)
        if self.people:
            self.out.print()
        self.say(f"{chair.name} ({symbol}) plays {move_text(self.game, move)}.")
        self._show()
        if not self.people:
            self.leaving = self.over
            if self.out.is_terminal and not self.over:
                time.sleep(PAUSE)

    def _push(self, move: int) -> None:
        self.position.push(move)
        self._keep()

    def _show(self) -> None:
        """The board, and what there is to do: a result or the legal moves."""
        self.out.print(draw(self.position, self.out.width), soft_wrap=True)
        if self.game.scoring:
            first, second = self.position.score
            made = len(completed_lines(self.position))
            new = f" ({made} with the last stone)" if made else ""
            self.say(f"  Lines: {SYMBOLS[1]} {first}, {SYMBOLS[2]} {second}{new}")
        self.out.print()
        if self.over:
            self.say(words.result(self.position, self.names, self.resigned), "bold")
        elif self._chair.player is None:
            self.say(words.legal_moves(self.position, self.out.width), "dim")

    # What a person types

    def _read(self, prompt: str) -> str:
        """A line of input. What comes through a pipe is shown, as if it had been typed."""
        # Not by `input`, which loses a Ctrl-C that comes between its prompt and its reading.
        print(prompt, end="", flush=True)
        line = sys.stdin.readline()
        if not sys.stdin.isatty():
            room = self.out.width - len(prompt)
            print(textwrap.shorten(line, room, placeholder=" ..."), flush=True)
        elif not line:
            print()
        if not line:
            raise EOFError
        return line.strip()

    def _wait(self, what: str, work: Callable[[], R]) -> R:
        """What some work finds; on a terminal it is said what takes so long."""
        patience = PATIENCE if self.out.is_terminal else None
        return wait_for(work, patience, lambda: self.say(f"({what} ...)", "dim"))

    def _obey(self, line: str) -> None:
        """Plays a move or does as a command says; what is wrong with it is said in a line."""
        try:
            if len(line) > LONGEST_LINE:
                raise InputError(f"{len(line):,} characters are too many for one line")
            word, _, rest = line.partition(" ")
            if word[:1].isdigit() or word[:1] == ",":
                self._move(line)
            elif word:
                self._command(word.lower(), rest.strip())
        except InputError as error:
            message = " ".join(str(error).split())
            end = "" if message.endswith((".", "?")) else "."
            self.say(f"{message[:1].upper()}{message[1:]}{end}")

    def _move(self, text: str) -> None:
        if self.over:
            raise InputError("the game is over: undo takes a move back, again begins a new game")
        moves = parse_moves(self.game, text) if len(text) <= 60 else []
        if len(moves) != 1:
            raise InputError(f"one move at a time, please: {words.move_form(self.game)}")
        self._push(moves[0])
        if self.over or self._chair.player is None:
            self._show()  # else when the reply has come

    def _command(self, word: str, rest: str) -> None:
        commands: dict[str, Callable[[], None]] = {
            "hint": self._hint,
            "values": self._values,
            "moves": self._moves,
            "board": self._show,
            "undo": self._undo,
            "save": lambda: self._save(rest),
            "resign": self._resign,
            "again": self._again,
            "help": self._help,
            "?": self._help,
            "quit": self._quit,
            "exit": self._quit,
        }
        if word not in commands:
            raise InputError(
                f"{word[:40]!r} is neither a move ({words.move_form(self.game)}) "
                "nor a command (help lists them)"
            )
        if rest and word != "save":
            raise InputError(f"{word} stands alone: what is {rest[:40]!r}?")
        if self.over and word in ("hint", "values", "moves", "resign"):
            raise InputError(f"the game is over: there is nothing for {word} to say")
        commands[word]()

    # Commands

    def _hint(self) -> None:
        found = self._wait("looking", lambda: hint(self.position, self._opponent))
        self.say(words.advice(self.game, found))

    def _values(self) -> None:
        proven = self._wait("looking", lambda: exact(self.position))
        held = self._wait("looking", lambda: opinion(self._opponent, self.position))
        for line in words.values(self.position, proven, held, self.out.width):
            self.say(line)

    def _moves(self) -> None:
        moves = [move_text(self.game, move) for move in self.position.legal_moves]
        self.say(f"{len(moves)} legal moves: {' '.join(moves)}")

    def _undo(self) -> None:
        if self.resigned is not None:
            self.resigned = None  # that is what is taken back
            self._keep()
        else:
            back = 1
            if len(self.people) == 1:  # down to the person's own last move
                back += (self.position.ply - 1 - self.people[0]) % 2
            if self.position.ply < back:
                raise InputError("there is no move of yours to take back")
            for _ in range(back):
                self.position.pop()
            self._keep()
        self._show()

    def _save(self, name: str) -> None:
        if not name or "\0" in name:
            raise InputError("save where? Write save FILE")
        try:
            path = Path(name).expanduser()
        except RuntimeError as error:
            raise InputError(f"cannot write {name}: {error}") from None
        if path.exists() and path not in self.saved:
            raise InputError(f"{path} is already there: choose another name")
        write_records(path, [self._record()])
        self.saved.add(path)
        self.out.print(f"{self.position.ply} moves in {path}.", markup=False, soft_wrap=True)

    def _keep(self) -> None:
        """Writes all games so far to where `--save` wants them, so that nothing gets lost."""
        if self.keep is not None:
            games = [*self.finished, *([self._record()] if self.position.ply else [])]
            write_whole(self.keep, self.kept + records_text(games).encode())

    def _record(self) -> Record:
        """The game as it is written down."""
        first, second = ("human" if name == words.YOU else name for name in self.names)
        return record(self.position, first, second, self.seed, self.resigned)

    def _resign(self) -> None:
        self.resigned = self.position.to_move
        self._keep()
        self.say(words.result(self.position, self.names, self.resigned), "bold")

    def _again(self) -> None:
        if not self.over:
            raise InputError("this game is not over: resign ends it")
        self.finished.append(self._record())
        self._begin()

    def _help(self) -> None:
        for line in words.help_lines(self.game):
            self.say(line)

    def _quit(self) -> None:
        self.leaving = True
        self.say("Goodbye.")


def _games_in(path: Path) -> bytes:
    """What a file of games holds; another file is left alone."""
    if not path.exists():
        return b""
    try:
        games = read_records(path)
    except InputError as error:
        raise InputError(f"cannot add games to {path}: {error}") from None
    return f"{records_text(games)}\n".encode() if games else b""
