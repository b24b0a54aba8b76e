"""Players from outside the package: named by a person, installed, and never run by anybody else."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

import inarow
from inarow.game import InputError, plugins
from inarow.lab.evaluation import evaluate
from inarow.lab.players import outside
from inarow.lab.players.names import player
from inarow.lab.players.outside import allow, runs_code
from inarow.lab.training.driver import TrainingWork
from inarow.lab.training.run import load_run, run_from
from inarow.learn.saved import pack, read_agent, write_agent

TICTACTOE = inarow.game("tictactoe")


def test_a_name_alone_runs_nothing(planted):
    for name in planted.names:
        with pytest.raises(InputError, match="plays only where the command line names it") as error:
            player(name)
        assert len(str(error.value).splitlines()) == 1
        with pytest.raises(InputError):
            inarow.match("tictactoe", name, "random", games=2)
        for inside in (f"{name}+endgame:5", f"{name}@lines", f"{name}/1s"):
            with pytest.raises(InputError):
                player(inside)
    assert not planted.ran


def test_what_a_person_names_runs_and_keeps_its_name(planted):
    for name in planted.names:
        allow(name)
        assert player(name).name == name.strip()
    assert planted.ran  # the mark works
    result = inarow.match("tictactoe", "planted:Mine", "planted:lowest", games=4)
    assert result.players == ("planted:Mine", "planted:lowest")
    assert (result.as_first.losses, result.as_second.wins) == (0, 0)
    assert inarow.player("planted:Mine").move(TICTACTOE.position()) == 8
    table = inarow.arena("tictactoe", planted.names[:3], games=2)
    assert table.players == tuple(planted.names[:3])
    assert (
        inarow.match("tictactoe", "cmd:./planted.sh", "planted:lowest", games=2).repeated is False
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("planted:Nobody", "planted:Nobody: the module planted has no Nobody"),
        ("nowhere:Mine", "nowhere:Mine: there is no module nowhere here, nor installed"),
        ("planted.deeper:Mine", "planted.deeper:Mine: there is no module planted.deeper"),
        ("planted:Deep", "planted:Deep cannot be made without arguments: missing a required"),
        ("planted:number", "planted:number is not a player: name a class, a function, or"),
        ("planted:NoPlayer", "planted:NoPlayer is not a player: it needs a method move"),
        ("broken:Mine", "broken:Mine: expected ':' ("),
        ("json:Mine", "another module is called json too: give json.py another name"),
        ("cmd:", "'cmd:' names no program: write cmd:PROGRAM"),
        ("cmd:'./x", "cmd:'./x: No closing quotation"),
        ("cmd/0s:./x", "cmd/0s:./x: a limit of 0 s leaves no time for a move"),
    ],
)
def test_what_is_wrong_with_a_name_is_said_in_a_line(planted, name, message):
    (planted.folder / "broken.py").write_text("class Mine\n")
    (planted.folder / "json.py").write_text("Mine = print\n")
    with pytest.raises(InputError) as error:
        allow(name)
    assert str(error.value).startswith(message)
    assert len(str(error.value).splitlines()) == 1
    with pytest.raises(InputError, match="runs code"):
        player(name)  # it is not allowed by halves


def test_names_of_players_are_told_from_code():
    code = ("a:b", "a.b:C", "_a:B1", "cmd:x", "cmd/2.5s:x y")
    names = ("minimax:6", "minimax:x", "ntuple:4", "perfect@first", "a/b:c", "x:y.safetensors")
    assert [name for name in (*code, *names) if runs_code(name)] == list(code)


def test_an_installed_package_adds_players(planted, monkeypatch):
    about = planted.folder / "planted-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: planted\nVersion: 1.0\n")
    points = "[inarow.players]\nhighest = planted:Mine\nrandom = planted:Mine\nbad = planted:none\n"
    points += "minimax:3 = planted:Mine\nfailing = planted:Failing\n"
    (about / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(planted.folder)
    plugins.installed.cache_clear()
    try:
        assert outside.outside_players()["highest"] == "from the package planted"
        assert outside.outside_players().keys() == {"highest", "bad", "failing"}
        assert player("random").name == "random"
        assert not planted.ran  # it is listed, and no built-in name is taken
        assert player("highest").move(TICTACTOE.position()) == 8
        assert inarow.match("tictactoe", "highest", "random", games=2).players[0] == "highest"
        with pytest.raises(InputError, match="player bad cannot be loaded: AttributeError"):
            player("bad")
        with pytest.raises(InputError, match="player failing cannot be made: OSError: no engine"):
            player("failing")
        with pytest.raises(InputError, match=r"unknown player 'lowest': .* highest, "):
            player("lowest")
    finally:
        plugins.installed.cache_clear()


def test_a_saved_agent_names_nobody_that_runs(planted):
    run = inarow.train("tictactoe", "td", against="random", games=50)
    path = planted.folder / "agent.safetensors"
    run.save(path)
    header, arrays = read_agent(path)
    config = {"learner": "td", "against": "random", "games": 60}
    for name in planted.names:
        crafted = replace(header, against=name)
        write_agent(path, crafted, arrays)
        assert player(str(path)).game == TICTACTOE
        assert player(path).move(TICTACTOE.position()) in range(9)
        with pytest.raises(InputError, match="runs code"):
            load_run(path)
        with pytest.raises(InputError, match="runs code"):
            run_from(pack(crafted, arrays))
        with pytest.raises(InputError, match="runs code"):  # a state from a study's database
            TrainingWork.resume(config, 0, pack(crafted, arrays))
        with pytest.raises(InputError):
            TrainingWork.begin({**config, "against": name}, 0)
        with pytest.raises(InputError):
            evaluate(run.agent, f"games:{name}:10", 0)
    assert not planted.ran


# Everybody moves


def test_every_player_and_agent_has_move(tmp_path):
    position = TICTACTOE.position("11 22 12")
    for name in ("random", "combined", "attack-defense", "minimax:2", "perfect", "minimax:2/1s"):
        assert player(name).move(position) in position.legal_moves
    assert player("attack-defense").move(position) == player("perfect").move(position) == 2
    run = inarow.train("tictactoe", "td", against="random", games=200, seed=1)
    run.save(tmp_path / "td.safetensors")
    loaded = player(tmp_path / "td.safetensors")
    values = loaded.values(position)
    for agent in (loaded, run.agent):
        assert values[agent.move(position)] == max(values.values())
    with pytest.raises(InputError, match="the game is over"):
        player("random").move(TICTACTOE.position("11 21 12 22 13"))
    with pytest.raises(InputError, match="plays tictactoe"):
        loaded.move(inarow.game("mnk:3x4x3").position())
    with pytest.raises(InputError, match="there is no file"):
        player(Path("nowhere.safetensors"))


def test_moves_that_are_drawn_differ():
    random = player("random")
    assert len({random.move(TICTACTOE.position()) for _ in range(60)}) == 9
    assert "planted" not in sys.modules
