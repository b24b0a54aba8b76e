"""Whoever starts the server names the code that it runs: no visitor, link, file or program does."""

import asyncio
import socket
from dataclasses import replace
from uuid import uuid4

import httpx
import pytest
from fastapi import FastAPI

import inarow
from inarow.game import InputError
from inarow.lab.players.outside import allow
from inarow.learn.saved import pack, unpack
from inarow.ui.server import api, app
from inarow.ui.server.players import players_for
from inarow.ui.server.run_jobs import Order
from inarow.ui.server.site import Site

TICTACTOE = inarow.game("tictactoe")
MINE = "planted:Mine"


@pytest.fixture
def site(tmp_path):
    site = Site(tmp_path)
    yield site
    site.close()


def ask_api(site, *questions):
    """The answers to some questions, asked as a program does."""

    async def ask():
        application = FastAPI()
        api.add_to(application, site)
        transport = httpx.ASGITransport(app=application)
        async with httpx.AsyncClient(transport=transport, base_url="http://here/api") as client:
            return [await client.request(*first, **rest) for *first, rest in questions]

    return asyncio.run(ask())


def the_move(name):
    return ("POST", "/move", {"json": {"game": "tictactoe", "moves": "", "player": name}})


def test_the_api_runs_nothing(planted, site):
    for name in planted.names:
        values = {"json": {"game": "tictactoe", "moves": "", "player": name}}
        for answer in ask_api(site, the_move(name), ("POST", "/values", values)):
            assert answer.status_code == 422
    assert not planted.ran


def test_pages_and_links_run_nothing(planted, site):
    visitor = site.visitors.find(str(uuid4()))
    for name in planted.names:
        for answer in ask_api(
            site,
            ("GET", "/package", {"params": {"game": "tictactoe", "player": name}}),
            ("GET", "/opponents", {"params": {"game": name}}),
        ):
            assert answer.status_code == 422
        with pytest.raises(InputError):
            visitor.player(name, TICTACTOE)  # what the arena does
        with pytest.raises(InputError):
            Order(TICTACTOE, "td", {}, name, 10, 1, "random").checked()
        with pytest.raises(InputError):
            Order(TICTACTOE, "td", {}, "random", 10, 1, name).checked()
    assert not planted.ran


def test_files_run_nothing(planted, site):
    state = inarow.train("tictactoe", "td", against="random", games=20, seed=1).state()
    header, arrays = unpack(state, "agent")
    visitor = site.visitors.find(str(uuid4()))
    for name in planted.names:
        content = pack(replace(header, against=name), arrays)
        assert visitor.uploads.add("agent.safetensors", content) == "agent.safetensors"
        (site.folder / "mine.safetensors").write_bytes(content)
        assert visitor.player("mine.safetensors", TICTACTOE).game == TICTACTOE
        for part in ("game", "learner"):
            with pytest.raises(InputError):
                visitor.uploads.add("x", pack(replace(header, **{part: name}), arrays))
    assert not planted.ran


@pytest.mark.usefixtures("planted")
def test_what_the_server_was_started_with_is_offered(site, run, monkeypatch):
    monkeypatch.setattr(app, "run_server", lambda folder, listener, *_, **__: listener.close())
    status, _, err = run("serve", "--port", "0", "--folder", str(site.folder), "--player", MINE)
    assert (status, err) == (0, "")
    assert MINE in players_for(TICTACTOE)
    listed, move, other = ask_api(
        site, ("GET", "/players", {}), the_move(MINE), the_move("planted:lowest")
    )
    assert MINE in {form["form"] for form in listed.json()["forms"]}
    assert (move.status_code, move.json()["move"]) == (200, "33")
    assert (other.status_code, "runs code" in other.json()["error"]) == (422, True)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("cmd:./planted.sh", "no program is served"),
        ("random", "must be module:Class; other players are offered anyway"),
        ("planted:Nobody", "the module planted has no Nobody"),
    ],
)
def test_what_cannot_be_served_is_said_at_once(planted, run, name, message):
    with socket.create_server(("127.0.0.1", 0)) as taken:  # or it would serve
        port = str(taken.getsockname()[1])
        status, out, err = run("serve", "--port", port, "--player", name)
    assert (status, out) == (2, "")
    assert message in err
    assert not (planted.folder / "ran").exists() or name.startswith("planted")


def test_the_mark_is_left_by_what_runs(planted):
    """Or nothing above would show anything."""
    allow(MINE)
    assert planted.ran
