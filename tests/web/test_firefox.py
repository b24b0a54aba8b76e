"""A page in one file opens in Firefox, too, which WebDriver BiDi drives through a socket."""

from __future__ import annotations

import asyncio
import json
import shutil
import socket as socketlib
import subprocess
from typing import Any

import pytest

from inarow.agents.one_file import export_page

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
websockets = pytest.importorskip("websockets")
pytestmark = pytest.mark.skipif(FIREFOX is None, reason="there is no Firefox")

PLAYED = """(async () => {
  const board = document.querySelector("inarow-board");
  const soon = () => new Promise((go) => setTimeout(go, 20));
  const until = async (holds) => { while (!holds()) await soon(); };
  await until(() => board.dataset.ready || board.dataset.failed);
  const turn = () => board.game.waits || board.game.end;
  for (await until(turn); !board.game.end; await until(turn)) board.press(board.game.state.open[0]);
  return JSON.stringify([board.game.moves.length, board.game.end]);
})()"""


def socket_of() -> socketlib.socket:
    """A socket on a free port."""
    free = socketlib.socket()
    free.bind(("127.0.0.1", 0))
    return free


class Firefox:
    """A Firefox without a screen, asked through its socket."""

    def __init__(self, socket: Any) -> None:
        self.socket, self.number = socket, 0

    async def ask(self, method: str, **parameters: object) -> Any:
        """The answer to a command."""
        self.number += 1
        question = {"id": self.number, "method": method, "params": parameters}
        await self.socket.send(json.dumps(question))
        while (answer := json.loads(await self.socket.recv())).get("id") != self.number:
            pass
        assert answer["type"] == "success", answer
        return answer["result"]


async def play(address: str, port: int) -> list[int]:
    """Plays the page's game to its end: how many moves it had, and who has won."""
    for _ in range(100):
        try:
            socket = await websockets.connect(f"ws://127.0.0.1:{port}/session", max_size=2**26)
            break
        except OSError:
            await asyncio.sleep(0.2)
    async with socket:
        firefox = Firefox(socket)
        await firefox.ask("session.new", capabilities={})
        tree = await firefox.ask("browsingContext.getTree")
        context = tree["contexts"][0]["context"]
        await firefox.ask("browsingContext.navigate", context=context, url=address, wait="complete")
        target = {"context": context}
        found = await firefox.ask(
            "script.evaluate", expression=PLAYED, target=target, awaitPromise=True
        )
        result: list[int] = json.loads(found["result"]["value"])
        return result


def test_the_proved_agent_wins_in_firefox(tmp_path):
    with socket_of() as free:
        port = free.getsockname()[1]
    path = tmp_path / "small.html"
    export_page("shipped:connect4:6x7:small", None, path, "second")
    options = ["--headless", "--no-remote", "--profile", str(tmp_path / "profile")]
    (tmp_path / "profile").mkdir()
    process = subprocess.Popen(
        [str(FIREFOX), *options, "--remote-debugging-port", str(port), "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        moves, end = asyncio.run(asyncio.wait_for(play(path.as_uri(), port), timeout=60))
    finally:
        process.terminate()
        process.wait(timeout=20)
    assert (moves % 2, end) == (1, 1)
