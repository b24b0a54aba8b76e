"""Terminal play: through a pseudo-terminal as a person does, and through a pipe."""

import io
import os
import re
import select
import subprocess
import sys
import time

import numpy as np
import pytest

import inarow
from inarow.game import Outcome, Position
from inarow.game.drawing import find_slices, last_cell
from inarow.game.records import read_records
from inarow.lab.players import names
from inarow.ui.play_board import completed_lines, draw

pty = pytest.importorskip("pty")

# Where functions are compiled for the first time, a notice comes and goes.
NOTICE = re.compile(r"\x1b\[\?25l.*?\x1b\[\?25h(?:\s*\x1b\[1A\x1b\[2K)?", re.DOTALL)
STARTED = [sys.executable, "-m", "inarow", "play"]
# The same with the terminal as its own, so that Ctrl-C comes from there.
AT_A_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
OVER = "again, undo, save FILE or quit? "


class Terminal:
    """A person at a terminal of 80 columns: types lines, and waits for what should appear."""

    def __init__(self, *arguments: str, **settings: str) -> None:
        known = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        here, there = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", AT_A_TERMINAL, *STARTED, *arguments],
            stdin=there,
            stdout=there,
            stderr=there,
            start_new_session=True,
            env={**known, "TERM": "xterm-256color", "COLUMNS": "80", **settings},
        )
        os.close(there)
        self.screen, self.raw, self.seen = here, "", 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.screen)

    def type(self, text: str, *wait_for: str) -> str:
        """Types something; what appears until one of these does, without colour."""
        os.write(self.screen, text.encode())
        return self.wait(*wait_for)

    def wait(self, *wait_for: str) -> str:
        deadline = time.monotonic() + 120
        while not any(text in self.text[self.seen :] for text in wait_for):
            assert time.monotonic() < deadline, f"no {wait_for} in: {self.text[self.seen :]}"
            if select.select([self.screen], [], [], 1)[0]:
                self.raw += os.read(self.screen, 65536).decode()
        start, unread = self.seen, self.text[self.seen :]
        self.seen += min(unread.index(text) + len(text) for text in wait_for if text in unread)
        return self.text[start : self.seen]

    def play_hints(self) -> str:
        """Follows every hint until the game is over; what appeared last."""
        shown = ""
        while OVER not in shown:
            self.type("hint\n", "Hint: ")
            advice = self.wait("Your move (X): ", "Your move (O): ")
            shown = self.type(f"{advice.split()[0]}\n", OVER, "Your move (X): ", "Your move (O): ")
        return shown

    @property
    def text(self) -> str:
        return re.sub(r"\x1b\[[0-9;]*m", "", self.raw).replace("\r\n", "\n")


@pytest.fixture
def piped(run, monkeypatch):
    """Plays with lines from a pipe, in this process: what is shown."""

    def call(*arguments: str, lines: str = "") -> str:
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        status, out, err = run("play", *arguments)
        assert (status, err) == (0, "")
        assert all(len(line) <= 80 for line in out.splitlines())
        assert "\x1b" not in out
        return out

    return call


# At a terminal


def test_a_person_draws_and_loses(tmp_path):
    with Terminal("--against", "perfect@first", "--save", str(tmp_path / "games.txt")) as terminal:
        terminal.wait("Your move (X): ")
        assert "A draw." in terminal.play_hints()
        terminal.type("again\n", "Your move (X): ")
        assert "perfect@first (O) plays" in terminal.type("12\n", "Your move (X): ")
        shown = ""
        for move in ("31", "32", "33", "23", "13", "21"):
            if OVER not in shown:
                shown = terminal.type(f"{move}\n", OVER, "Your move (X): ")
        assert "You lose: perfect@first (O) wins with the line marked ( )." in shown
        terminal.type("\x04", "Goodbye.")
        assert terminal.process.wait(10) == 0
        assert "\x1b[1;38;5;208mX" in terminal.raw  # in colour
        assert all(len(line) <= 80 for line in terminal.text.splitlines())
    drawn, lost = read_records(tmp_path / "games.txt")
    assert (drawn.first, drawn.second, drawn.result) == ("human", "perfect@first", "1/2-1/2")
    assert drawn.position.outcome is Outcome.DRAW
    assert lost.position.outcome.winner == 2


def test_a_person_wins_without_colour():
    with Terminal("--against", "random", "--seed", "3", "--second", NO_COLOR="1") as terminal:
        assert "random (X) plays" in terminal.wait("Your move (O): ")
        shown = terminal.play_hints()
        assert "You win with the line marked ( )." in shown
        assert shown.count("(O)") == 2
        assert shown.count("[O]") == 1
        assert "\x1b" not in NOTICE.sub("", terminal.raw)
        terminal.type("undo\n", "Your move (O): ")
        terminal.type("\x03", "Stopped. Goodbye.")
        assert terminal.process.wait(10) == 130


def test_two_players_are_watched_at_a_terminal():
    with Terminal("mnk:2x2x2", "--watch", "random", "attack", "--seed", "1") as terminal:
        before = time.monotonic()
        terminal.wait("random (X) wins with the line marked ( ).")
        assert terminal.process.wait(10) == 0
        assert time.monotonic() - before > 1.6  # two pauses


# Through a pipe


def test_piped_input_as_a_program():
    done = subprocess.run(
        [*STARTED, "--seed", "1"], input=b"22\n\xff\xfe\n", capture_output=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, b"")
    out = done.stdout.decode()
    assert "Your move (X): 22\n\nperfect (O) plays" in out
    assert r"'\\xff\\xfe' is neither a move" in out
    assert out.endswith("Goodbye.\n")


def test_commands(piped, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = "11 22 12 33 values hint moves undo save=game.txt resign undo resign quit "
    lines = lines.replace(" ", "\n").replace("=", " ")
    out = piped("--against", "human", lines=lines)
    assert "Two people at one board" in out
    assert "   *13   wins in 1\n" in out
    assert "Exact values by the solver; * is best. In 3: with the third stone from now." in out
    assert "Hint: 13 wins in 1, exactly (by the solver)." in out
    assert "5 legal moves: 13 21 23 31 32" in out
    assert "3 moves in game.txt." in out
    assert [game.position.notation for game in read_records("game.txt")] == ["11 22 12"]
    assert out.count("O resigns: X wins.") == 2


def test_undo_takes_back_the_reply_too(piped, tmp_path):
    kept = tmp_path / "kept.txt"
    options = ("--against", "minimax:1", "--second", "--save", str(kept))
    out = piped(*options, lines="undo\n11\n31\nundo\nundo\nundo\n33\n")
    assert out.count("There is no move of yours to take back.") == 2
    opening, own, reply = read_records(kept)[0].position.notation.split()
    assert own == "33"
    assert f"minimax:1 (X) plays {opening}." in out
    assert out.count(f"minimax:1 (X) plays {reply}.") >= 1


def test_games_are_added_to_those_kept_before(piped, tmp_path):
    kept = tmp_path / "kept.txt"
    piped("--against", "human", "--save", str(kept), lines="11\n22\nresign\nagain\n33\n")
    before = read_records(kept)
    assert [game.position.notation for game in before] == ["11 22", "33"]
    assert [game.result for game in before] == ["0-1", "*"]
    assert before[0].others == {"Termination": "resigned"}
    piped("--against", "human", "--save", str(kept), lines="quit\n")
    assert read_records(kept) == before
    piped("--against", "human", "--seed", "5", "--save", str(kept), lines="12\n21\n")
    *kept_before, new = read_records(kept)
    assert kept_before == before
    assert (new.position.notation, new.seed) == ("12 21", 5)


def test_no_other_file_is_written_over(piped, run, tmp_path, monkeypatch):
    other = tmp_path / "agent.safetensors"
    other.write_bytes(b"\x08\0\0 weights")
    status, _, err = run("play", "--save", str(other))
    assert status == 2
    assert "cannot add games to" in err
    monkeypatch.chdir(tmp_path)
    lines = "11\nsave agent.safetensors\nsave mine.txt\n22\nsave mine.txt\n"
    out = piped("--against", "human", lines=lines)
    assert "Agent.safetensors is already there: choose another name." in out
    games = read_records(tmp_path / "mine.txt")  # its own may be written again
    assert [game.position.notation for game in games] == ["11 22"]
    assert other.read_bytes() == b"\x08\0\0 weights"


def test_a_terminal_of_a_few_columns():
    with Terminal("mnk:4x4x4", "--against", "human", COLUMNS="12") as terminal:
        terminal.wait("X to move: ")
        terminal.type("11\n", "O to move: ")


def test_ctrl_c_ends_a_long_thought():
    """Though compiled code does not see it."""
    with Terminal("mnk:15x15x5", "--against", "minimax:16", "--second") as terminal:
        terminal.wait("minimax:16 is thinking")
        terminal.type("\x03", "Stopped. Goodbye.")
        assert terminal.process.wait(20) == 130


def test_a_lost_game_can_be_taken_back(piped):
    lines = "11\n21\n12\n22\n13\nundo\n31\n"
    out = piped("--against", "human", lines=lines)
    assert "X wins with the line marked ( )." in out
    assert "(X)(X)[X]" in out
    assert f"{OVER}undo" in out
    assert "X to move: 31" in out


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("99", "'99' is not a move of tictactoe: write a cell from 11 to 33, counted from 1."),
        ("1", "'1' is not a move of tictactoe: write a cell from 11 to 33, counted from 1."),
        ("1122", "One move at a time, please: row and column, as 22."),
        ("1" * 500, "One move at a time, please: row and column, as 22."),
        ("foo", "'foo' is neither a move (row and column, as 22) nor a command (help lists them)."),
        ("save", "Save where? Write save FILE."),
        ("save /proc/nowhere/x", "Cannot write /proc/nowhere/x: No such file or directory."),
        ("again", "This game is not over: resign ends it."),
        ("undo now", "Undo stands alone: what is 'now'?"),
        ("[bold]", "'[bold]' is neither a move"),
        ("x" * 5000, "5,000 characters are too many for one line."),
        ("", "Your move (X): \nGoodbye."),
    ],
)
def test_bad_input_is_answered_in_a_line(piped, line, answer):
    assert answer in piped("--seed", "1", lines=f"{line}\n")


def test_a_taken_cell(piped):
    out = piped("--against", "human", lines="22\n22\n")
    assert "Cell 22 is taken: free are 11 12 13 21 23 31 32 33." in out


def test_connect_four(piped):
    out = piped("connect4", "--seed", "1", lines="4\nvalues\nhint\n")
    assert "four in a row, stones fall." in out
    assert "perfect (O) plays 4." in out
    assert "   | .  .  . [O] .  .  . |\n   | .  .  .  X  .  .  . |\n   +-----" in out
    assert "Moves: 1 2 3 4 5 6 7\n" in out
    assert "    *4   wins in 39\n" in out
    assert "Exact values by the book" in out


def test_the_cube(piped):
    out = piped("cube", "--against", "minimax:2", lines="23\nvalues\nhint\nhelp\n")
    assert "A move is row and column" in out
    assert "level 1         level 2         level 3         level 4" in out
    assert "Moves: 11 12 13 14 21" in out
    assert "  2  +  +  X  +   2  .  .  +  .   2" in out
    assert "No exact values: this position is too large to solve in a few seconds." in out
    assert "by minimax:2." in out
    assert "+ is where a stone would fall." in " ".join(out.split())


def test_three_dimensions_with_lines_counted(piped):
    out = piped("ntictactoe:3^3", "--against", "human", lines="111\n333\n112\n332\n113\n")
    assert "    1,_,_        2,_,_        3,_,_\n     1  2  3      1  2  3 " in out
    assert "  1 (X)(X)[X]  1  .  .  .   1  .  .  .\n" in out
    assert "Lines: X 1, O 0 (1 with the last stone)" in out
    assert "(moves lists all 27)" in out
    moves = [f"{a}{b}{c}" for a in "123" for b in "123" for c in "123"]
    out = piped("ntictactoe:3^3", "--against", "human", lines="\n".join([*moves[:20], "values"]))
    assert "Exact values by a search to the end; * is best." in out
    out = piped("ntictactoe:3^3", "--against", "human", lines="\n".join(moves))
    assert re.search(r"[XO] wins with more lines\.|A draw\.", out)


def test_coordinates_with_commas(piped):
    out = piped("mnk:15x15x5", "--against", "human", lines="10,3\n4,11\n")
    assert "with commas, as 8,8" in out
    assert "10  .  . [X]" in out
    assert "   4  .  .  .  .  .  .  .  .  .  . [O]" in out


def test_an_agent_knows_its_game_and_says_what_it_thinks(piped, run, tmp_path):
    file = tmp_path / "agent.safetensors"
    agent = inarow.train("connect4:4x4", "td", against="random", games=500, seed=1)
    agent.save(file)
    out = piped("--against", str(file), "--seed", "1", lines="1\nvalues\n")
    assert "connect4:4x4: four in a row" in out
    assert "agent.safetensors is O" in out
    assert re.search(r"move +exact +agent\.safetensors", out)
    assert re.search(r"\*\d +draws +[+-]\d\.\d{3}", out)
    status, _, err = run("play", "tictactoe", "--against", str(file))
    assert status == 2
    assert "plays connect4:4x4, not tictactoe" in err


def test_watching_through_a_pipe(piped):
    out = piped("--watch", "perfect", "random", "--seed", "3")
    assert out.startswith("tictactoe: three in a row.\nperfect is X, random is O (seed 3).\n")
    assert out == piped("tictactoe", "--watch", "perfect", "random", "--seed", "3")
    assert "to move" not in out
    assert "Moves:" not in out
    assert out.splitlines()[-1] in ("perfect (X) wins with the line marked ( ).", "A draw.")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chess"], "unknown game 'chess'"),
        (["--against", "nobody"], "unknown player 'nobody'"),
        (["--against", "missing.safetensors"], "there is no file missing.safetensors"),
        (["--watch", "random", "human"], "a person cannot be watched"),
        (["--watch", "random", "random", "--against", "random"], "give only one"),
        (["--seed", "-1"], "seed -1 is negative"),
        (["ntictactoe:3^3", "--against", "perfect"], "out of reach"),
        (["mnk:36x30x5"], "1080 cells in a slice, 30 side by side: too many to draw in a terminal"),
        (["mnk:2x40x2"], "80 cells in a slice, 40 side by side: too many"),
        (["--save", "/proc/nowhere/x"], "cannot write /proc/nowhere/x"),
    ],
)
def test_what_cannot_be_played_is_said_at_once(run, arguments, message):
    status, out, err = run("play", *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert message in err
    assert len(err.splitlines()) == 1


# Boards


def test_every_board_fits_into_eighty_columns():
    names = ["tictactoe", "connect4", "cube", "qubic", "ntictactoe:3^5", "ntictactoe:4^4"]
    names += ["mnk:19x19x5", "mnk:25x36x5", "board:9", "board:4,gravity", "board:2x3x3x3,gravity"]
    for name in names:
        game = inarow.game(name)
        position = Position(game)
        for move in range(0, game.columns, max(1, game.columns // 9)):
            if position.outcome is None:
                position.push(move)
        drawn = draw(position).plain
        assert all(len(line) <= 80 for line in drawn.splitlines()), name
        assert all(line == line.rstrip() for line in drawn.splitlines())
        cells = re.sub(r"level|\d|_|,", "", drawn)
        assert cells.count("X") == sum(stone == 1 for stone in position.stones)
        assert cells.count("[") == 1


@pytest.mark.parametrize("name", ["ntictactoe:3^7", "ntictactoe:4^6", "board:4x9x9x9,k=4,gravity"])
def test_large_boards_are_shown_in_slices(name):
    """The slice of the last stone and its neighbours, each as on the whole board."""
    game = inarow.game(name)
    position = Position(game)
    for move in (game.columns // 2, 0, game.columns - 1):
        *lines, empty, note = draw(position).plain.splitlines()
        assert not empty
        assert all(len(line) <= 80 for line in lines)
        last, leading = last_cell(position), game.shape[:-2]
        centre = np.unravel_index(game.cells // 2 if last is None else last, game.shape)[:-2]
        near = [
            slice_
            for at, slice_ in zip(np.ndindex(leading), find_slices(game), strict=True)
            if np.abs(np.subtract(at, centre)).sum() <= 1
        ]
        where = "in the middle" if last is None else "with the last stone"
        total = len(find_slices(game))
        assert note.strip() == (
            f"{len(near)} of {total} slices: the one {where} and those next to it"
        )
        drawn = " ".join(lines)
        assert all(slice_.heading in drawn for slice_ in near)
        assert drawn.count("_,_") == len(near)
        assert drawn.count("[") == (last is not None)
        position.push(move)


def test_watching_seven_dimensions(run):
    status, out, _ = run("play", "ntictactoe:2^10", "--watch", "random", "random", "--seed", "1")
    assert status == 0
    assert out.splitlines()[-1].endswith("wins with more lines.") or "draw" in out
    assert max(map(len, out.splitlines())) <= 80


def test_marks_on_a_crowded_board():
    position = inarow.game("mnk:2x30x3").position("1,1 2,1 1,2 2,2 1,3")
    assert draw(position).plain.splitlines()[2] == "  1 (X(X[X]." + " ." * 26
    assert completed_lines(position) == [[0, 1, 2]]
    assert completed_lines(Position(position.game)) == []


def test_a_reply_that_is_not_proven_is_called_one(run, monkeypatch):
    quick = inarow.player("greedy-lines@cells")  # in place of the strongest player known of Qubic
    monkeypatch.setattr(names, "_shipped", lambda game: quick)
    monkeypatch.setattr(sys, "stdin", io.StringIO("112\nq\n"))
    status, out, err = run("play", "qubic", "--against", "perfect", "--seed", "1")
    assert (status, err) == (0, "")
    assert ", the strongest reply known (not proven)." in " ".join(out.split())
    monkeypatch.setattr(sys, "stdin", io.StringIO("112\nq\n"))
    status, out, _ = run("play", "qubic", "--against", "perfect", "--second", "--seed", "1")
    assert status == 0
    assert "perfect (X) plays" in out
    assert "not proven" not in out
