"""A game in play at a terminal: a prompt and its commands, in plain lines of text."""

from __future__ import annotations

import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from inarow.game import InputError
from inarow.game.drawing import SYMBOLS
from inarow.game.files import write_whole
from inarow.game.position import move_text, parse_moves
from inarow.game.records import Record, read_records, record, records_text, write_records
from inarow.lab.values.move_values import estimate, exact, hint
from inarow.ui import compiling
from inarow.ui import play_words as words
from inarow.ui.game_in_play import GameInPlay
from inarow.ui.play_board import completed_lines, draw
from inarow.ui.waiting import R, wait_for

PAUSE = 0.8  # seconds between the moves of a game that is watched
PATIENCE = 1.0  # seconds after which a person is told that somebody is thinking
LONGEST_LINE = 1000  # characters of what is typed


class TerminalPlay:
    """A session: one game after another between the same two."""

    def __init__(self, table: GameInPlay, out: Console, keep: Path | None = None) -> None:
        self.table, self.game, self.out, self.keep = table, table.game, out, keep
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
        self.say(words.seating(self.table.names, self.table.seed))
        if self.table.people:
            self.say(f"A move is {words.move_form(self.game)}. help lists the commands.")
        self.out.print()
        try:
            self._show_if_asked()
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

    # The course of a game

    def _go_on(self) -> None:
        """A move of a player, or a line from a person."""
        if self.table.over:
            self._obey(self._read("again, undo, save FILE or quit? ") or "quit")
        elif self.table.waits_for_player:
            self._let_play()
        else:
            symbol, alone = SYMBOLS[self.table.position.to_move], len(self.table.people) == 1
            self._obey(self._read(f"Your move ({symbol}): " if alone else f"{symbol} to move: "))

    def _let_play(self) -> None:
        table, side = self.table, self.table.position.to_move
        name, version = table.names[side - 1], table.version
        move = self._wait(f"{name} is thinking", lambda: table.think(version))
        table.reply(move, version)
        self._keep()
        if table.people:
            self.out.print()
        how = ", the strongest reply known (not proven)" if table.is_last_unproven else ""
        self.say(f"{name} ({SYMBOLS[side]}) plays {table.moves[-1]}{how}.")
        self._show()
        if not table.people:
            self.leaving = table.over
            if self.out.is_terminal and not table.over:
                time.sleep(PAUSE)

    def _show_if_asked(self) -> None:
        """The board, where it is a person's turn; else it is shown when the reply has come."""
        if not self.table.waits_for_player:
            self._show()

    def _show(self) -> None:
        """The board, and what there is to do: a result or the legal moves."""
        position = self.table.position
        self.out.print(draw(position, self.out.width), soft_wrap=True)
        if self.game.scoring:
            first, second = position.score
            made = len(completed_lines(position))
            new = f" ({made} with the last stone)" if made else ""
            self.say(f"  Lines: {SYMBOLS[1]} {first}, {SYMBOLS[2]} {second}{new}")
        self.out.print()
        if self.table.over:
            self._say_result()
        elif self.table.waits_for_person:
            self.say(words.legal_moves(position, self.out.width), "dim")

    def _say_result(self) -> None:
        how = " with more lines" if self.game.scoring else " with the line marked ( )"
        if self.game.misere:
            how = ": the line marked ( ) loses"
        self.say(f"{self.table.result(how)}.", "bold")

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
        return wait_for(work, patience, lambda: self._explain(what))

    def _explain(self, what: str) -> None:
        """What takes so long, unless that is said already."""
        if not compiling.notice.shown:
            self.say(f"({what} ...)", "dim")

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
        moves = parse_moves(self.game, text) if len(text) <= 60 else []
        if len(moves) != 1:
            raise InputError(f"one move at a time, please: {words.move_form(self.game)}")
        self.table.play(moves[0])
        self._keep()
        self._show_if_asked()

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
            "q": self._quit,
            "exit": self._quit,
        }
        if word not in commands:
            raise InputError(
                f"{word[:40]!r} is neither a move ({words.move_form(self.game)}) "
                "nor a command (help lists them)"
            )
        if rest and word != "save":
            raise InputError(f"{word} stands alone: what is {rest[:40]!r}?")
        if self.table.over and word in ("hint", "values", "moves", "resign"):
            raise InputError(f"the game is over: there is nothing for {word} to say")
        commands[word]()

    # Commands

    def _hint(self) -> None:
        table = self.table
        found = self._wait("looking", lambda: hint(table.position, table.opponent))
        self.say(words.advice(self.game, found))

    def _values(self) -> None:
        table = self.table
        proven = self._wait("looking", lambda: exact(table.position))
        opponent = table.opponent
        held = None
        if opponent is not None:
            held = self._wait("looking", lambda: estimate(opponent, table.position))
        for line in words.values(table.position, proven, held, self.out.width):
            self.say(line)

    def _moves(self) -> None:
        moves = [move_text(self.game, move) for move in self.table.position.legal_moves]
        self.say(f"{len(moves)} legal moves: {' '.join(moves)}")

    def _undo(self) -> None:
        self.table.undo()
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
        self.out.print(f"{self.table.position.ply} moves in {path}.", markup=False, soft_wrap=True)

    def _keep(self) -> None:
        """Writes all games so far to where `--save` wants them, so that nothing gets lost."""
        if self.keep is not None:
            games = [*self.finished, *([self._record()] if self.table.position.ply else [])]
            write_whole(self.keep, self.kept + records_text(games).encode())

    def _record(self) -> Record:
        """The game as it is written down."""
        table = self.table
        first, second = ("human" if name == words.YOU else name for name in table.names)
        return record(table.position, first, second, table.seed, table.resigned)

    def _resign(self) -> None:
        self.table.resign()
        self._keep()
        self._say_result()

    def _again(self) -> None:
        if not self.table.over:
            raise InputError("this game is not over: resign ends it")
        self.finished.append(self._record())
        self.table.again()
        self._show_if_asked()

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
    if path.is_dir():
        raise InputError(f"cannot write games to {path}: it is a folder, give the name of a file")
    try:
        games = read_records(path)
    except InputError as error:
        raise InputError(f"cannot add games to {path}: {error}") from None
    return f"{records_text(games)}\n".encode() if games else b""
