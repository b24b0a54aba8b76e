"""Browsers that ask packages what Node asks them: Chromium by Playwright, Firefox by its socket."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import http.server
import json
import shutil
import socket as socketlib
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.web.node import HERE, ask_packages, scripts

Question = dict[str, Any]
Ask = Callable[[list[Question]], list[Any]]  # the answers to questions about packages of a folder
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
READY = "(async () => { while (!window.answer) await new Promise((go) => setTimeout(go, 20)); })()"
LONGEST = 3 * 3600  # seconds of a question


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A static server that writes no log."""

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a folder on a static server."""
    handler = functools.partial(Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@contextlib.contextmanager
def node_asks(folder: Path) -> Iterator[Ask]:
    """Asks in Node."""
    yield lambda questions: ask_packages(
        folder, [{**one, "folder": str(folder / one["folder"])} for one in questions], LONGEST
    )


@contextlib.contextmanager
def chromium_asks(folder: Path) -> Iterator[Ask]:
    """Asks in Debian's Chromium, without a screen."""
    from playwright.sync_api import sync_playwright

    put_page(folder)
    with served(folder) as address, sync_playwright() as playwright:
        options = ["--no-sandbox"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        page = browser.new_page()
        page.goto(f"{address}/compare.html")
        page.evaluate(READY)
        yield lambda questions: [
            json.loads(page.evaluate("async (q) => JSON.stringify(await answer(q))", one))
            for one in questions
        ]
        browser.close()


@contextlib.contextmanager
def firefox_asks(folder: Path) -> Iterator[Ask]:
    """Asks in Firefox, without a screen."""
    put_page(folder)

    def ask(questions: list[Question]) -> list[Any]:
        asked = json.dumps(questions)
        program = (
            f"(async () => {{ await {READY}; const found = [];"
            f" for (const one of {asked}) found.push(await answer(one));"
            " return JSON.stringify(found); })()"
        )
        with served(folder) as address:
            found: list[Any] = json.loads(in_firefox(f"{address}/compare.html", program, LONGEST))
        return found

    yield ask


ENGINES = {"node": node_asks, "chromium": chromium_asks, "firefox": firefox_asks}


def put_page(folder: Path) -> None:
    """The page that asks, and its scripts."""
    scripts(folder)
    shutil.copy(HERE / "compare.html", folder)


class Firefox:
    """A Firefox without a screen, asked through its socket by WebDriver BiDi."""

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


async def _evaluate(address: str, port: int, program: str) -> str:
    """The text that a program gives on a page."""
    import websockets

    for _ in range(500):  # it starts slowly on a machine that is busy
        with contextlib.suppress(OSError):
            socket = await websockets.connect(
                f"ws://127.0.0.1:{port}/session", max_size=None, ping_interval=None
            )
            break
        await asyncio.sleep(0.2)
    else:
        raise AssertionError("Firefox does not start")
    async with socket:
        firefox = Firefox(socket)
        await firefox.ask("session.new", capabilities={})
        tree = await firefox.ask("browsingContext.getTree")
        context = tree["contexts"][0]["context"]
        await firefox.ask("browsingContext.navigate", context=context, url=address, wait="complete")
        found = await firefox.ask(
            "script.evaluate", expression=program, target={"context": context}, awaitPromise=True
        )
        text: str = found["result"]["value"]
        return text


def in_firefox(address: str, program: str, seconds: float = 300) -> str:
    """The text that a program gives on a page in a Firefox of its own."""
    with socketlib.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = ["--headless", "--no-remote", "--profile", profile]
        process = subprocess.Popen(
            [str(FIREFOX), *options, "--remote-debugging-port", str(port), "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            return asyncio.run(asyncio.wait_for(_evaluate(address, port, program), seconds))
        finally:
            process.terminate()
            process.wait(timeout=60)
