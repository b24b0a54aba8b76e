"""Contests that fail on the way: what is said, when, and what is kept of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import inarow
from inarow.game import InputError, Position
from inarow.game.records import read_records
from inarow.lab.matches.arena import rounds
from inarow.lab.matches.games import Openings, match_with
from inarow.lab.matches.match import Unfinished
from inarow.learn import registry
from inarow.search.perfect import Perfect

SOURCES = Path(inarow.__file__).parent
MODULE = """
import sys

class AtOnce:
    def move(self, position):
        sys.exit(0)

class Later:
    asked = 0

    def move(self, position):
        Later.asked += 1
        if Later.asked > 12:
            sys.exit(0)
        return position.legal_moves[0]

class Making:
    def __init__(self):
        sys.exit(0)

    def move(self, position):
        return 0

class Late:
    deterministic = True
    asked = 0

    def move(self, position):
        type(self).asked += 1
        if self.asked > 40:
            raise ValueError("tired")
        return position.legal_moves[0]

class LateFromOpenings(Late):
    asked = 0

class Valuing(AtOnce):
    def policies(self, graph):
        sys.exit(0)
"""


class Leaver:
    """Ends the program in its move number `last`, as if all were well."""

    def __init__(self, last: int) -> None:
        self.name, self.left = "leaver", last

    def move(self, position: Position) -> int:
        """The lowest."""
        self.left -= 1
        if self.left < 0:
            sys.exit(0)
        return position.legal_moves[0]


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A module of players, in the current folder."""
    (tmp_path / "leaving.py").write_text(MODULE)
    (tmp_path / "leaving_at_import.py").write_text("import sys\nsys.exit(0)\n")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name in ("leaving", "leaving_at_import"):
        sys.modules.pop(name, None)
    sys.path[:] = [place for place in sys.path if place != str(tmp_path)]


@pytest.mark.parametrize(
    "contest",
    [
        lambda p: inarow.certify(p, "tictactoe"),
        lambda p: inarow.certify(p, "connect4:5x5", positions=1, games=2),
        lambda p: inarow.certify(p, "cube", positions=1, games=2),
        lambda p: inarow.match("tictactoe", "random", p, 2),
        lambda p: inarow.arena("tictactoe", ["random", p], 2),
        lambda p: inarow.batch("tictactoe", 1, p, side="second"),
        lambda p: inarow.train("tictactoe", "td", p, 10),
    ],
)
def test_a_player_that_exits_is_named(contest):
    with pytest.raises(InputError, match=r"player leaver ended the program: sys.exit\(0\)"):
        contest(Leaver(0))


@pytest.mark.parametrize(
    "command",
    [
        "certify leaving:AtOnce tictactoe",
        "certify leaving:Making tictactoe",
        "certify leaving:Valuing tictactoe",
        "certify leaving_at_import:Any tictactoe",
        "match tictactoe leaving:AtOnce random",
        "match tictactoe leaving:AtOnce random --exact",
        "arena tictactoe leaving:AtOnce random",
        "play tictactoe --watch leaving:AtOnce random",
        "train tictactoe td --against leaving:AtOnce --games 10",
    ],
)
def test_every_command_fails_with_one_line(command, run, own):  # noqa: ARG001
    status, _, err = run(*command.split())
    assert status == 2
    assert "sys.exit(0)" in err or "SystemExit" in err
    assert err.count("\n") == 1


def test_a_match_that_fails_keeps_its_finished_games(run, own):
    with pytest.raises(Unfinished) as caught:
        inarow.match("tictactoe", Leaver(12), "random", 20, 3)
    kept, asked = caught.value.result, []
    whole = inarow.match("tictactoe", Leaver(1000), "random", 20, 3, watch=asked.append)
    assert whole.total.games == 20
    moves = [(game.ply + 1) // 2 for game in asked]
    number = max(n for n in range(10) if sum(moves[:n]) <= 12)
    assert kept.total.games == number > 0
    assert f"after {number} of 20 games" in str(caught.value)
    assert kept.as_first.plies == sum(game.ply for game in asked[:number])
    assert kept.report()

    command = "match tictactoe leaving:Later random --games 20 --record games.txt --json"
    status, out, err = run(*command.split())
    assert status == 2
    assert err.startswith("error: player leaving:Later ended the program: sys.exit(0) (after ")
    played = json.loads(out)["games"]
    assert 0 < played < 20
    assert len(list(read_records(own / "games.txt"))) == played


def test_an_arena_that_fails_keeps_its_finished_games(run, own):  # noqa: ARG001
    with pytest.raises(Unfinished) as caught:
        inarow.arena("tictactoe", ["attack", "random", Leaver(0)], 4)
    kept = caught.value.result
    assert kept.tally("attack", "random").games == 4
    assert kept.tally("attack", "leaver").games == 0
    assert "attack" in str(kept)
    assert kept.as_json()["crosstable"]["leaver"] == {}
    status, out, err = run(
        "arena", "tictactoe", "attack", "random", "leaving:AtOnce", "--games", "4"
    )
    assert (status, err.count("\n")) == (2, 1)
    assert "leaving:AtOnce" in out
    assert "attack" in out


class Tired(Leaver):
    """Fails in its move number `last`."""

    deterministic = True

    def move(self, position: Position) -> int:
        """The lowest."""
        self.left -= 1
        if self.left < 0:
            raise ZeroDivisionError("tired")
        return position.legal_moves[0]


@pytest.mark.parametrize("openings", [None, Openings(), Openings(if_repeated=True)])
@pytest.mark.parametrize(("last", "which"), [(28, "Tired"), (12, "Leaver"), (30, "Tired")])
def test_whatever_ends_a_match_its_finished_games_are_kept(openings, last, which):
    def play(number):
        asked, game = [], inarow.game("tictactoe")
        one, other = {"Tired": Tired, "Leaver": Leaver}[which](number), inarow.player("attack")
        both = (one, other, 20, 3, lambda games: None, asked.append)
        return match_with(openings, game, *both), asked

    with pytest.raises(Unfinished) as caught:
        play(last)
    kept = caught.value.result
    whole, asked = play(1000)
    assert 0 < kept.total.games < whole.total.games == len(asked) == 20
    assert kept.as_first.plies <= sum(position.ply for position in asked[:10])
    assert f"(after {kept.total.games} of 20 games)" in str(caught.value)
    if which == "Tired":
        assert isinstance(caught.value.failure, ZeroDivisionError)
        assert "ZeroDivisionError: tired" in str(caught.value)
    assert kept.report()
    assert kept.as_json()


def test_an_arena_keeps_its_games_whatever_ends_it():
    with pytest.raises(Unfinished) as caught:
        inarow.arena("tictactoe", ["attack", "random", Tired(0)], 4)
    assert caught.value.result.tally("attack", "random").games == 4
    assert isinstance(caught.value.failure, ZeroDivisionError)
    with pytest.raises(ZeroDivisionError):
        inarow.arena("tictactoe", [Tired(0), "random"], 4)


@pytest.mark.parametrize("openings", [None, Openings()])
def test_an_error_of_who_watches_is_no_failed_match(openings):
    def stop(games):
        if stop.games:
            raise KeyError("enough")
        stop.games = games

    stop.games = 0
    game, players = inarow.game("tictactoe"), [inarow.player("random"), Leaver(1000)]
    with pytest.raises(KeyError):
        match_with(openings, game, *players, 20, 3, stop, lambda position: None)
    stop.games = 0
    with pytest.raises(KeyError):
        list(rounds(game, players, 20, 3, stop))


@pytest.mark.parametrize("players", ["leaving:Late", "leaving:LateFromOpenings --openings 2"])
def test_the_lines_of_own_code_are_shown_with_the_games_before(run, own, players):
    command = f"match tictactoe attack {players} --games 20 --record games.txt --json"
    status, out, err = run(*command.split())
    assert status == 1
    assert err.startswith("error: in code of your own: ValueError: tired\n")
    assert "leaving.py" in err
    assert "Traceback" not in err
    played = json.loads(out)["games"]
    assert 0 < played < 20
    assert len(list(read_records(own / "games.txt"))) == played


@pytest.mark.parametrize(
    "players", [(Perfect(), "minimax:2"), ("minimax:2", Perfect("first"))], ids=["one", "other"]
)
def test_perfect_play_says_before_the_first_game_that_it_has_no_answer(players, monkeypatch):
    monkeypatch.setattr("inarow.lab.matches.match.play_one", lambda *_: pytest.fail("a game began"))
    with pytest.raises(InputError, match=r"perfect has no answer to .* in qubic"):
        inarow.match("qubic", *players, 1000)


def test_perfect_play_meets_those_it_can_answer():
    first = inarow.match("qubic", "perfect", "minimax:2", 1, side="first")
    assert (first.total.wins, first.unproven) == (1, (0, 0))
    assert inarow.match("qubic", Perfect(), Perfect("first"), 2).total.games == 2


def test_code_that_ends_the_program_is_not_a_success(run, own, monkeypatch):
    monkeypatch.setattr(registry, "_named", {})
    (own / "learner.py").write_text(
        "import sys\n"
        "from inarow.learn.tabular.td import TD\n"
        "class Mine(TD):\n"
        "    name = 'leaving'\n"
        "    def begin(self, *given):\n"
        "        sys.exit(0)\n"
    )
    status, _, err = run("train", "tictactoe", "learner:Mine", "--games", "10")
    assert status == 2
    assert err.startswith("error: ")
    assert err.count("\n") == 1


def test_compiled_code_that_is_switched_off_is_one_line():
    found = subprocess.run(
        [sys.executable, "-m", "inarow", "match", "tictactoe", "random", "perfect"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(SOURCES.parent)},
    )
    assert found.returncode == 2
    assert found.stderr == "error: inarow plays in compiled code: unset NUMBA_DISABLE_JIT\n"
