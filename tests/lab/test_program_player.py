"""Programs as players: what they are told, what they answer, and that they end."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import inarow
from inarow.engine.streams import make_stream
from inarow.game import InputError
from inarow.lab.players.outside import ProgramPlayer
from inarow.lab.players.protocols import ask, bind_player

ENGINE = Path(__file__).parents[2] / "examples" / "engine.c"
TICTACTOE = inarow.game("tictactoe")
FIRST_MOVE = 'while read word side board move rest; do echo "$move"; done'

pytestmark = pytest.mark.skipif(os.name != "posix", reason="programs play on Unix only")


@pytest.fixture
def program(tmp_path):
    """Makes players of shell scripts, bound to a game."""

    def make(script, limit="", game=TICTACTOE):
        path = tmp_path / "engine.sh"
        path.write_text(f'#!/bin/sh\necho $$ > "{tmp_path}/pid"\n{script}\n')
        path.chmod(0o755)
        return bind_player(ProgramPlayer(f"cmd{limit}:{path}"), game, make_stream(1))

    make.pid = lambda: int((tmp_path / "pid").read_text())
    return make


def has_ended(pid):
    """Whether there is no such process, soon."""
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def test_what_a_program_is_told(program, tmp_path):
    told = tmp_path / "told"
    script = f'while read line; do echo "$line" >> "{told}"\n'
    script += 'case "$line" in game*) echo ready;; *) echo 2;; esac; done'
    bound = program(script, game=inarow.game("connect4:4x5"))
    position = inarow.game("connect4:4x5").position("1122335")
    assert ask(bound, position) == 1
    assert ask(bound, position) == 1  # the same process answers again
    first, second, third = told.read_text().splitlines()
    name, seed = "game connect4:4x5 4x5 4", first.split()[4]
    assert first == f"{name} {seed} gravity"
    assert 0 <= int(seed) < 2**31
    assert second == third == "move O XXX.XOOO............ 1 2 3 4 5"
    pid = program.pid()
    del bound
    assert has_ended(pid)
    told.unlink()
    game = inarow.game("board:3x3x3,gravity,wrap=2,misere")
    with pytest.raises(InputError, match="answered '2', none of the legal moves 11 12"):
        program(script, game=game).move(game.position())
    assert told.read_text().split()[5:8] == ["gravity", "misere", "wrap=2"]


def test_a_program_in_c_wins_and_blocks(tmp_path):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler is installed: the example is not compiled")
    engine = tmp_path / "engine"
    subprocess.run([compiler, "-Wall", "-Werror", "-o", engine, ENGINE], check=True)
    four = inarow.game("connect4:6x7")
    player = ProgramPlayer(f"cmd:{engine}")
    for game, moves, answer in (
        (four, "112233", "4"),
        (four, "1122337", "4"),
        (TICTACTOE, "11 22 12", "13"),
        (inarow.game("mnk:12x12x3"), "10,3 9,2 11,4 7,7", "12,5"),
    ):
        assert player.move(game.position(moves)) == answer
    result = inarow.match(four, player, "random", games=10, seed=1)
    assert result.total.wins == 10
    with pytest.raises(InputError, match="answered 'sorry, only boards in a plane'"):
        player.move(inarow.game("cube").position())


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("exit 3", "ended with exit status 3 instead of answering"),
        ("read line; echo hello", "answered 'hello' where ready was expected"),
        ("read line; echo ready; read line; exit 0", "ended with exit status 0 instead"),
        ("read line; echo ready; read line; kill -9 $$", "ended by signal 9 instead"),
        (f"read line; printf 'ready\\nmore\\n'; {FIRST_MOVE}", "wrote 'more' unasked"),
        ("read line; echo ready; read line; echo 22 33", "answered '22 33', none of the legal"),
        ("read line; echo ready; read line; echo 11", "answered '11', none of the legal moves 12"),
        ("read line; echo ready; read line; echo", "answered '', none of the legal moves"),
        (r"read line; echo ready; read line; printf '\377\033\n'", "answered '"),
        ("read line; echo ready; read line; sleep 1000", "gave no answer within 0.3 s"),
        ("read line; echo ready; read line; exec yes | tr -d '\\n'", "wrote more than 1,000"),
    ],
)
def test_a_program_that_fails_is_said_in_a_line_and_ended(program, script, message):
    bound = program(script, limit="/0.3s")
    with pytest.raises(InputError) as error:
        ask(bound, TICTACTOE.position("11"))
    text = str(error.value)
    assert text.startswith(f"player {bound.name} ")
    assert message in text
    assert text.isprintable()
    assert has_ended(program.pid())


def test_a_program_that_is_not_there(tmp_path):
    for name in (f"cmd:{tmp_path}/nowhere", f"cmd:{tmp_path}"):
        with pytest.raises(InputError, match="cannot be started: "):
            ProgramPlayer(name).move(TICTACTOE.position())


def test_what_a_program_starts_ends_with_it(program, tmp_path):
    child = tmp_path / "child"
    script = f'sleep 1000 & echo $! > "{child}"; read line; echo ready; {FIRST_MOVE}'
    bound = program(script)
    assert bound.move(TICTACTOE.position()) == "11"
    bound.close()
    assert has_ended(int(child.read_text()))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_with_the_command(number, program, tmp_path):
    name = program("read line; echo ready; read line; sleep 1000").name
    started = subprocess.Popen(
        [sys.executable, "-m", "inarow", "match", "tictactoe", f"cmd/900s:{name[4:]}", "random"],
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (tmp_path / "pid").exists() and started.poll() is None:
        time.sleep(0.05)
    time.sleep(0.3)
    started.send_signal(number)
    _, said = started.communicate(timeout=60)
    assert started.returncode == 128 + number
    assert "Traceback" not in said
    assert has_ended(program.pid())
