"""How soon the server answers: at the page in a real browser, for twenty visitors, after losses.

    python benchmarks/serve.py [--moves 60] [--visitors 20] [--pause 1] [--json]

A server is started as its own process, with freshly trained agents in its folder, and a Chromium
without a screen plays its pages. Three questions, each with the target that the project set itself:

- From the click to the stone that answers it, both on the page as the browser drew it: against a
  table, networks and the perfect player. The person's moves are half random and half those of the
  strong `ntuple`, so that games are of all lengths. Target: 200 ms.
- The same while twenty visitors play at once, each a page of its own with a game of its own, with
  a pause to think after each answer. The twenty pages run on the same cores as the server, so
  this says too much rather than too little. Target: a second for each move.
- Visitors who vanish: pages closed and browsers killed in the middle of a move, programs that
  hang up before the answer. Then the server must answer as before, with no more threads.

Waits are wall-clock times, since somebody waits: run it on a machine with nothing else to do. The
CPU time of the server for a move, all that it does meanwhile included, stands beside them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx
import numpy as np
from playwright.async_api import Browser, Page, Playwright, async_playwright

import inarow

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ALONE_BAR, TOGETHER_BAR = 0.2, 1.0  # seconds
PATIENCE = 60_000  # milliseconds
TABLE, NETWORK = "table.safetensors", "network.safetensors"

# What is played, by what each stands for.
MEETINGS = {
    "table": ("tictactoe", TABLE),
    "network": ("connect4:6x7", NETWORK),
    "n-tuple network": ("connect4:6x7", "ntuple"),
    "perfect, with book": ("connect4:6x7", "perfect"),
}

# Presses a cell, and again where a second later no stone lies there, as a person does; resolves
# with the milliseconds from the first press until the answer lies on the board, or with null
# where the game ended before one. It watches the page itself, so nothing else is measured.
PLAY = """cell => new Promise(resolve => {
  const stones = () => document.querySelectorAll('button.cell:not([data-stone=""])').length;
  const over = () => !/Your move|thinking|Setting/.test(
    document.querySelector('[data-testid=status]').innerText);
  const before = stones(), began = performance.now();
  const watch = new MutationObserver(look);
  function look() {
    const answered = stones() >= before + 2;
    if (!answered && !(stones() > before && over())) return;
    watch.disconnect();
    clearInterval(again);
    resolve(answered ? performance.now() - began : null);
  }
  watch.observe(document.body,
    {subtree: true, childList: true, attributes: true, characterData: true});
  const press = () => document.querySelector(`[data-testid="cell-${cell}"]`).click();
  const again = setInterval(() => { if (stones() === before) press(); }, 1000);
  press();
})"""
OPEN_CELLS = """() => [...document.querySelectorAll('button.cell[aria-disabled="false"]')]
  .map(cell => Number(cell.dataset.testid.slice(5)))"""
MY_MOVE = """() => document.querySelector('button.cell[aria-disabled="false"]') !== null"""
MOVES = """() => [...document.querySelectorAll('[data-testid=moves] .X, [data-testid=moves] .O')]
  .map(move => move.innerText.slice(2)).join(' ')"""


@dataclass(frozen=True)
class Row:
    """The waits of one kind, in seconds."""

    what: str
    moves: int
    median: float
    most: float
    cpu: float  # of the server, for a move
    target: float

    @property
    def passes(self) -> bool:
        """Whether every move came in time."""
        return self.most < self.target


def row_of(what: str, waits: list[float], cpu: float, target: float) -> Row:
    return Row(what, len(waits), float(np.median(waits)), max(waits), cpu, target)


@dataclass(frozen=True)
class Server:
    """A server that runs."""

    address: str
    process: subprocess.Popen[str]

    @property
    def cpu(self) -> float:
        """CPU seconds so far; 0 where the system does not say."""
        path = Path(f"/proc/{self.process.pid}/stat")
        if not path.is_file():
            return 0.0
        user, system = path.read_text().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    @property
    def threads(self) -> int:
        """How many threads it has; 0 where the system does not say."""
        tasks = Path(f"/proc/{self.process.pid}/task")
        return len(list(tasks.iterdir())) if tasks.is_dir() else 0


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """A server of its own on a free port."""
    command = [sys.executable, "-m", "inarow", "serve", "--port", "0", "--folder", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        if found is None:
            raise SystemExit("the server did not start")
        try:
            yield Server(found[0], process)
        finally:
            process.terminate()


def train_agents(folder: Path) -> None:
    """A table and a network, of a little training."""
    inarow.train("tictactoe", "td", against="attack-defense", games=20_000, seed=1).save(
        folder / TABLE
    )
    inarow.train("connect4:6x7", "mlp", games=300, seed=1).save(folder / NETWORK)


def make_ready(address: str) -> None:
    """Waits until the server has compiled what it needs."""
    with httpx.Client(base_url=f"{address}/api", timeout=300) as client:
        for game, player in MEETINGS.values():
            for moves in ("", "4444435262") if game.startswith("connect4") else ("",):
                question = {"game": game, "moves": moves, "player": player}
                client.post("move", json=question).raise_for_status()


async def launch(playwright: Playwright) -> Browser:
    return await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])


async def visit(browser: Browser, address: str, game: str, against: str) -> Page:
    """The page of a new visitor with a game begun."""
    context = await browser.new_context(base_url=address)
    context.set_default_timeout(PATIENCE)
    page = await context.new_page()
    await page.goto("/?" + urlencode({"game": game, "against": against, "seed": 1}))
    await page.wait_for_function(
        "name => document.querySelector('[data-testid=title]')?.innerText.includes(name)",
        arg=Path(against).name,
    )
    await page.wait_for_function(MY_MOVE)
    return page


async def choose(page: Page, address: str, game: str, chance: random.Random) -> int:
    """A cell to press: any open one, or in Connect-4 every other time that of a strong player."""
    cells: list[int] = await page.evaluate(OPEN_CELLS)
    if game != "connect4:6x7" or chance.random() < 0.5:
        return chance.choice(cells)
    question = {"game": game, "moves": await page.evaluate(MOVES), "player": "ntuple"}
    async with httpx.AsyncClient(timeout=60) as client:
        answer = await client.post(f"{address}/api/move", json=question)
    return int(answer.json()["cell"])


async def play(
    page: Page, address: str, game: str, moves: int, chance: random.Random, pause: float = 0.0
) -> list[float]:
    """The waits for so many answers, in seconds; a new game is begun whenever one ends."""
    waits: list[float] = []
    while len(waits) < moves:
        wait = await page.evaluate(PLAY, await choose(page, address, game, chance))
        if wait is not None:
            waits.append(wait / 1000)
        await asyncio.sleep(pause * (0.5 + chance.random()))
        if not await page.evaluate(MY_MOVE):
            await page.get_by_test_id("new-game").click()
            await page.wait_for_function(MY_MOVE)
    return waits


async def alone(browser: Browser, server: Server, name: str, moves: int, what: str) -> Row:
    """One visitor."""
    game, against = MEETINGS[name]
    page, before = await visit(browser, server.address, game, against), server.cpu
    waits = await play(page, server.address, game, moves, random.Random(name))
    cpu = (server.cpu - before) / len(waits)
    await page.context.close()
    return row_of(what, waits, cpu, ALONE_BAR)


async def together(
    browser: Browser, server: Server, visitors: int, moves: int, pause: float
) -> list[Row]:
    """All visitors at once, by what they play."""
    names = [list(MEETINGS)[number % len(MEETINGS)] for number in range(visitors)]
    pages = [await visit(browser, server.address, *MEETINGS[name]) for name in names]
    before = server.cpu
    found = await asyncio.gather(
        *(
            play(page, server.address, MEETINGS[name][0], moves, random.Random(number), pause)
            for number, (page, name) in enumerate(zip(pages, names, strict=True))
        )
    )
    cpu = (server.cpu - before) / sum(map(len, found))
    for page in pages:
        await page.context.close()
    waits = {name: list[float]() for name in names}
    for name, those in zip(names, found, strict=True):
        waits[name] += those
    return [
        row_of(f"{name}, {visitors} visitors", those, cpu, TOGETHER_BAR)
        for name, those in waits.items()
    ]


async def vanish(playwright: Playwright, address: str) -> None:
    """Visitors and programs that are gone before they are answered."""
    browser = await launch(playwright)
    for number in range(10):
        page = await visit(browser, address, "connect4:6x7", "perfect")
        await page.evaluate("() => document.querySelector('button.cell').click()")
        await (page.close() if number % 2 else page.context.close())
    left = await visit(browser, address, "connect4:6x7", "perfect")
    await left.evaluate("() => document.querySelector('button.cell').click()")
    await browser.close()
    body = json.dumps({"game": "connect4:6x7", "moves": "4444435", "player": "perfect"}).encode()
    head = f"POST /api/move HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n"
    for size in (0, 10, len(body)) * 10:
        place = urlsplit(address)
        with socket.create_connection((place.hostname, place.port)) as connection:
            connection.sendall(f"{head}Content-Type: application/json\r\n\r\n".encode())
            connection.sendall(body[:size])


def say(text: str) -> None:
    """What goes on, for whoever waits."""
    print(f"{text} ...", file=sys.stderr, flush=True)


async def measure(options: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        say("training agents")
        train_agents(Path(folder))
        with serving(Path(folder)) as server:
            say("getting the server ready")
            make_ready(server.address)
            async with async_playwright() as playwright:
                browser = await launch(playwright)
                say("one visitor after another")
                rows = [
                    await alone(browser, server, name, options.moves, name) for name in MEETINGS
                ]
                say("all at once")
                rows += await together(
                    browser, server, options.visitors, options.moves // 4, options.pause
                )
                say("visitors vanish")
                await vanish(playwright, server.address)
                before = server.threads  # now that every pool has had its threads
                await vanish(playwright, server.address)
                what = "table, after visitors vanished"
                rows.append(await alone(browser, server, "table", 20, what))
                await browser.close()
            more = server.threads - before
            alive = server.process.poll() is None
    return {"rows": rows, "alive": alive, "threads more": more, "load": os.getloadavg()[0]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moves", type=int, default=60, help="answers to wait for, each kind")
    parser.add_argument("--visitors", type=int, default=20, help="at once")
    parser.add_argument("--pause", type=float, default=1.0, help="seconds a visitor thinks")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    options = parser.parse_args()
    if CHROMIUM is None:
        parser.error("no Chromium is installed")
    if options.moves < 4 or options.visitors < 1 or options.pause < 0:
        parser.error("at least 4 moves and 1 visitor, and a pause of 0 or more")
    found = asyncio.run(measure(options))
    rows: list[Row] = found["rows"]
    good = found["alive"] and found["threads more"] <= 2 and all(row.passes for row in rows)
    if options.json:
        print(json.dumps(found | {"rows": [asdict(row) for row in rows]}))
        return 0 if good else 1
    print(f"{'from click to answer':34} moves  median ms  most ms  CPU ms  target ms")
    for row in rows:
        numbers = f"{row.moves:5}  {row.median * 1000:9.0f}  {row.most * 1000:7.0f}"
        numbers += f"  {row.cpu * 1000:6.0f}"
        verdict = "pass" if row.passes else "FALLS SHORT"
        print(f"{row.what:34} {numbers}  {row.target * 1000:9.0f}  {verdict}")
    print(f"the server {'still runs' if found['alive'] else 'HAS ENDED'}, ", end="")
    print(f"{found['threads more']} more threads; load of the machine {found['load']:.1f}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
