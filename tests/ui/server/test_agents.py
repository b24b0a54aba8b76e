"""Whom visitors may play: no file outside the folder, nobody who would think for minutes."""

import gc
from dataclasses import replace

import pytest

from inarow.game import InputError
from inarow.game import game as game_of
from inarow.lab.training.run import Run, train
from inarow.learn.saved import pack, read_agent, read_header, write_agent
from inarow.ui.server import players as agents_of_visitors
from inarow.ui.server.players import (
    MOST_BYTES,
    agent_from,
    check_depth,
    check_game,
    find_player,
    players_for,
    saved_agents,
)

TICTACTOE = game_of("tictactoe")


@pytest.fixture(scope="module")
def agents(tmp_path_factory):
    folder = tmp_path_factory.mktemp("agents")
    train("tictactoe", "td", against="random", games=50, seed=1).save(folder / "a.safetensors")
    (folder / "broken.safetensors").write_bytes(b"\x08\0\0\0\0\0\0\0nonsense")
    (folder / "short.safetensors").write_bytes(b"\x01")
    return folder


def test_the_folder_shows_what_can_be_read(agents):
    found = saved_agents(agents)
    assert "a.safetensors" in found
    assert not {"broken.safetensors", "short.safetensors"} & set(found)
    assert (found["a.safetensors"].game, found["a.safetensors"].games) == ("tictactoe", 50)
    assert saved_agents(agents / "nowhere") == {}


def test_one_bad_file_spoils_nothing_and_is_said_once(agents, tmp_path, caplog):
    content = (agents / "a.safetensors").read_bytes()
    header, arrays = read_agent(agents / "a.safetensors")
    (tmp_path / "good.safetensors").write_bytes(content)
    nested = b'{"__metadata__":{"inarow":"x"},"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    bad = {
        "nested": len(nested).to_bytes(8, "little") + nested,
        "null": b"\x15\0\0\0\0\0\0\0" + b'{"__metadata__": null}',
        "list": b"\x13\0\0\0\0\0\0\0" + b'{"__metadata__": []}',
        "deep": pack(header, arrays).replace(b'"games', b"[" * 9 + b'"games'),
        "chess": pack(replace(header, game="chess"), arrays),
        "huge": pack(replace(header, games=10**400), arrays),
        "below": pack(replace(header, games=-1), arrays),
        "\x1b[31mred[b]": b"nonsense",
    }
    for name, damaged in bad.items():
        (tmp_path / f"{name}.safetensors").write_bytes(damaged)
    (tmp_path / "nowhere.safetensors").symlink_to(tmp_path / "none")
    for _ in range(2):
        assert saved_agents(tmp_path).keys() == {"good.safetensors"}
    assert len(caplog.messages) == len(bad) + 1
    assert all("is skipped: " in message for message in caplog.messages)
    assert all(message.isprintable() for message in caplog.messages)
    for name in bad:
        with pytest.raises(InputError):
            find_player(f"{name}.safetensors", TICTACTOE, tmp_path)


def test_an_agent_of_the_folder_plays(agents):
    found = find_player("a.safetensors", TICTACTOE, agents)
    assert find_player("a.safetensors", TICTACTOE, agents) is found  # not read again
    assert found.name == "a.safetensors"
    with pytest.raises(InputError, match=r"plays tictactoe, not connect4:6x7"):
        find_player("a.safetensors", game_of("connect4:6x7"), agents)


@pytest.mark.parametrize(
    "name", ["../a.safetensors", "/etc/a.safetensors", "sub/a.safetensors", "\0.safetensors"]
)
def test_no_file_outside_the_folder(agents, name):
    (agents / "sub").mkdir(exist_ok=True)
    (agents / "sub" / "a.safetensors").write_bytes((agents / "a.safetensors").read_bytes())
    with pytest.raises(InputError):
        find_player(name, TICTACTOE, agents / "sub" if name.startswith("..") else agents)


@pytest.mark.parametrize(
    "name",
    ["/etc/x.safetensors+endgame:20", "random+endgame:20", "best-response:random"],
)
def test_no_path_is_opened_behind_another_player(name, tmp_path):
    with pytest.raises(InputError, match="is not offered here"):
        find_player(name, game_of("connect4:6x7"), tmp_path)


def test_the_shipped_agent_is_found_and_its_depth_is_limited(tmp_path):
    game = game_of("connect4:6x7")
    assert find_player("ntuple:4", game, tmp_path).name == "ntuple:4"
    with pytest.raises(InputError, match="the depth is at most"):
        find_player("ntuple:30", game, tmp_path)


def test_whom_an_agent_learned_from_is_not_looked_up(agents):
    header, arrays = read_agent(agents / "a.safetensors")
    for number, named in enumerate(("minimax:30", "/etc/a.safetensors", "nobody")):
        name, crafted = f"crafted{number}.safetensors", replace(header, against=named)
        write_agent(agents / name, crafted, arrays)
        assert find_player(name, TICTACTOE, agents).game == TICTACTOE
        assert agent_from(pack(crafted, arrays), name).game == TICTACTOE


def test_no_game_is_written_out_that_is_too_large(agents):
    header, arrays = read_agent(agents / "a.safetensors")
    crafted = replace(header, game="mnk:6x6x4")
    write_agent(agents / "large.safetensors", crafted, arrays)
    with pytest.raises(InputError, match="td keeps every position of the game"):
        find_player("large.safetensors", game_of("mnk:6x6x4"), agents)
    with pytest.raises(InputError, match="td keeps every position of the game"):
        agent_from(pack(crafted, arrays), "large")
    other_name = replace(crafted, learner="td-lambda", options={})
    with pytest.raises(InputError, match="td_lambda keeps every position of the game"):
        agent_from(pack(other_name, arrays), "large")
    with pytest.raises(InputError, match="too many for a page"):
        agent_from(pack(replace(header, game="mnk:60x60x5"), arrays), "larger")
    with pytest.raises(InputError, match="too large: the limit is 32 MiB"):
        agent_from(bytes(MOST_BYTES + 1), "longest")


def test_no_agent_looks_further_ahead_than_it_can_in_an_instant(agents):
    deep = train("connect4:6x7", "ntuple", games=2, tuples=2, length=2, depth=20)
    deep.save(agents / "deep.safetensors")
    for ask in (
        lambda: find_player("deep.safetensors", game_of("connect4:6x7"), agents),
        lambda: agent_from(deep.state(), "deep"),
        lambda: check_depth(5, game_of("mnk:15x15x5")),
    ):
        with pytest.raises(InputError, match="takes too long in"):
            ask()
    check_depth(6, game_of("connect4:6x7"))


def test_a_broken_file_is_named_without_its_folder(agents):
    with pytest.raises(InputError, match=r"^broken.safetensors is not a saved agent") as caught:
        find_player("broken.safetensors", TICTACTOE, agents)
    assert str(agents) not in str(caught.value)
    with pytest.raises(InputError, match="not a saved agent"):
        read_header(agents / "broken.safetensors")


@pytest.mark.parametrize(
    ("name", "game"),
    [
        ("perfect", "cube"),
        ("perfect@value", "connect4:8x8"),
        ("minimax:20", "mnk:15x15x5"),
        ("mcts:100000", "connect4:6x7"),
        ("mcts:5000000/1s", "connect4:6x7"),
        ("mcts:10/60s", "connect4:6x7"),
        ("ntuple+mcts:100000", "connect4:6x7"),
        ("minimax:20/60s", "mnk:15x15x5"),
        ("ntuple:20", "connect4:6x7"),
    ],
)
def test_nobody_thinks_for_minutes(name, game, tmp_path):
    with pytest.raises(InputError, match="too long"):
        find_player(name, game_of(game), tmp_path)


@pytest.mark.parametrize("game", ["tictactoe", "connect4:6x7", "cube", "ntictactoe:3^4"])
def test_all_who_are_offered_are_found(game, tmp_path):
    offered = players_for(game_of(game))
    for name in offered:
        find_player(name, game_of(game), tmp_path)
    assert ("perfect" in offered) == (game in ("tictactoe", "connect4:6x7"))


def test_perfect_is_for_games_that_a_line_wins(tmp_path):
    with pytest.raises(InputError, match=r"does not play ntictactoe:2\^3: there lines are counted"):
        find_player("perfect", game_of("ntictactoe:2^3"), tmp_path)


def test_oversize_boards_are_refused_with_the_limit():
    assert check_game("mnk:15x15x5").cells == 225
    for name in ("mnk:60x60x5", "ntictactoe:3^7", "mnk:1x40x3"):
        with pytest.raises(InputError, match="at most 1000 cells, 32 side by side"):
            check_game(name)
    with pytest.raises(InputError, match="too many for the name"):
        check_game("x" * 10_000)


def test_what_would_take_too_much_memory_is_not_begun(monkeypatch):
    """A file of 7.6 kB took the server to 11 GB and beyond."""
    run = Run("qubic", "ntuple", {"tuples": 20, "length": 2, "average": 0, "symmetric": False})
    options = {**run.header.options, "tuples": 40_000, "length": 8, "symmetric": True}
    content = pack(replace(run.header, options=options), run.training.arrays)
    assert len(content) < 8_000
    monkeypatch.setattr("inarow.learn.ntuple.learner.draw_tuples", None)  # nothing of it is made
    with pytest.raises(InputError, match=r"takes 8 GB of memory on qubic: at most 512 MB work"):
        agent_from(content, "small")


def test_all_loaded_agents_together_have_a_limit(monkeypatch):
    content = Run("connect4:6x7", "ntuple", {"tuples": 20, "length": 4}).state()
    first = agent_from(content, "first")
    taken = agents_of_visitors._uploaded[first]
    others = sum(agents_of_visitors._uploaded.values()) - taken
    monkeypatch.setattr(agents_of_visitors, "machine_bytes", lambda: 4 * (others + 2 * taken))
    second = agent_from(content, "second")
    with pytest.raises(InputError, match=r"try again when some of them have left"):
        agent_from(content, "third")
    del first, second
    gc.collect()
    assert agent_from(content, "third").game == game_of("connect4:6x7")


def test_an_agent_that_takes_too_long_for_a_move(monkeypatch):
    content = Run("connect4:6x7", "ntuple", {"tuples": 20, "length": 4}).state()
    monkeypatch.setattr(agents_of_visitors, "MOST_SECONDS", 0.0)
    with pytest.raises(InputError, match=r"^slow takes too long: at most 0 s a move here"):
        agent_from(content, "slow")
