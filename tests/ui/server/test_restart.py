"""A server that is killed, and started again: what visitors had seen is there."""

import re
import socket
import time
from pathlib import Path

import httpx

from tests.ui.server.test_lab_routes import ask, follow

SLOW = """
import time
from pathlib import Path
from inarow.lab.players.names import player

class Slow:
    name = "slow"

    def compiled(self, tables):
        return player("attack").compiled(tables)
"""
MANY = 1_000_000_000  # the most that may be asked for: minutes
ARENA = {"game": "tictactoe", "players": ["random", "attack", "slow:Slow"], "games": 4, "seed": 1}


def over(told):
    return told.get("state", "").endswith("games.")


def end(process, address):
    """Ends a server that somebody has sent half a request; what it has complained of."""
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as half:
        half.sendall(b"POST /api/move HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
        time.sleep(0.5)
        process.terminate()
        process.wait()
    return process.stderr.read()


def test_nothing_is_lost_by_a_kill(server_process, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "slow.py").write_text(SLOW)
    options = ("--player", "slow:Slow")
    process, address = server_process(tmp_path, options)
    with httpx.Client(timeout=300) as client:
        client.base_url = address
        client.get("/train")
        ask(client, "arena", ARENA)
        table = follow(client, "arena/events", over)
        run = {"game": "tictactoe", "learner": "td", "games": MANY, "seed": 7, "runs": 2}
        assert ask(client, "runs", run) == {"runs": [1, 2]}
        follow(client, "runs/events", lambda runs: all(one["games"] for one in runs.values()))
        ask(client, "runs/2/stop", {})
        told = follow(
            client,
            "runs/events",
            lambda runs: runs[2]["state"] == "stopped" and runs[1]["points"][-1][0] > 0,
        )
        process.kill()
        process.wait()
        assert "Traceback" not in process.stderr.read()

        process, address = server_process(tmp_path, options)
        client.base_url = address
        again = follow(
            client, "runs/events", lambda runs: runs and runs[1]["points"] > told[1]["points"]
        )
        assert again[2]["state"] == "stopped"
        assert again[2]["games"] == told[2]["games"]
        assert re.match(f"{told[2]['games']:,} of {MANY:,}", again[2]["progress"])
        known = len(told[1]["points"])
        assert again[1]["points"][:known] == told[1]["points"]
        ask(client, "runs/1/remove", {})
        assert not list(Path(tmp_path).glob(".visitors/*/run-1*"))
        kept = follow(client, "arena/events", over)
        assert kept["rows"] == table["rows"]
        game = ask(client, "arena/game", one="random", other="slow:Slow", number=2)
        assert game["cells"]
    assert "Traceback" not in end(process, address)


def test_a_folder_of_an_earlier_version_opens(server_process, tmp_path):
    """Files that are no longer written, a game and a form, do no harm."""
    visitor = "0f8fad5b-d9cb-469f-a165-70867728950e"
    place = tmp_path / ".visitors" / visitor
    place.mkdir(parents=True)
    (place / "play.json").write_text('{"game": "cube", "against": "random"}')
    (place / "train.json").write_text('{"games": "12"}')
    (place / "run-3.json").write_text(
        '{"order": {"game": "tictactoe", "learner": "td", "options": {}, "against": "attack",'
        '"games": 100, "seed": 1, "tester": "random"}, "points": [[0.5, 0.25, 0.25, 0, 10, null]],'
        '"plan": [100], "counted": [10, 1], "seconds": 0.5, "state": "waiting", "error": ""}'
    )
    process, _ = server_process(tmp_path, ("--port", "0"))
    deadline = time.monotonic() + 300
    while '"state": "done"' not in (place / "run-3.json").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.2)
    process.terminate()
    process.wait()
    assert "Traceback" not in process.stderr.read()
