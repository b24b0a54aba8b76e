"""What visitors cost the server: fifteen at play, and many who only look.

    python benchmarks/serve.py [--visitors 15] [--seconds 60] [--pause 2] [--looks 800] [--json]

A server is started as its own process, and a Chromium without a screen opens its pages. Moves are
computed in the pages, so the server should have nothing to do. Measured are, with the targets that
the project set itself:

- the share of a core that the server takes while all visitors play (2%), and its memory (250 MB);
- how long a page waits for the answer of its opponent, in the page (for comparison);
- how much memory the server keeps after so many requests without a cookie (5 MB).

The pages run on the same cores as the server: run it on a machine with nothing else to do.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
from playwright.async_api import Browser, Page, async_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PATIENCE = 120_000  # milliseconds
MOST_SHARE, MOST_MEMORY, MOST_KEPT = 0.02, 250.0, 5.0  # of a core; MB; MB
WARM = 200  # requests before memory is measured for the first time
SETTLED = 15.0  # seconds without work after which a server is ready

# What is played: games and opponents of the start page.
MEETINGS = (
    ("connect4:6x7", "strength:1"),
    ("tictactoe", "perfect"),
    ("cube", "strength:4"),
    ("mnk:15x15x5", "strength:1"),
    ("connect4:6x7", "perfect"),
)
READY = "inarow-board[data-ready]"
# Plays a move of any that are open, or begins anew; resolves with the milliseconds until the
# answer lies on the board, or with null where there was none.
PLAY = """chance => new Promise(resolve => {
  const board = document.querySelector('inarow-board'), began = performance.now();
  if (board.game.end) { board.game.restart(); return resolve(null); }
  if (!board.game.waits) return resolve(null);
  const { open } = board.game.state, before = board.game.moves.length;
  board.press(open[Math.floor(chance * open.length)]);
  const look = () => {
    if (board.game.moves.length >= before + 2) return resolve(performance.now() - began);
    if (board.game.end || performance.now() - began > 30000) return resolve(null);
    setTimeout(look, 5);
  };
  look();
})"""


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
    def memory(self) -> float:
        """Resident MB; 0 where the system does not say."""
        path = Path(f"/proc/{self.process.pid}/status")
        found = re.search(r"VmRSS:\s+(\d+)", path.read_text()) if path.is_file() else None
        return int(found[1]) / 1024 if found else 0.0

    def settle(self) -> None:
        """Waits until the server has compiled what it needs and rests."""
        quiet, before = 0.0, self.cpu
        while quiet < SETTLED:
            time.sleep(1)
            now = self.cpu
            quiet, before = (quiet + 1 if now - before < 0.05 else 0.0), now


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


async def visit(browser: Browser, address: str, game: str, against: str) -> Page:
    """The page of a new visitor with a board that can be moved on."""
    context = await browser.new_context(base_url=address, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    page = await context.new_page()
    await page.goto("/?" + urlencode({"game": game, "against": against}))
    await page.wait_for_selector(READY)
    return page


async def play(page: Page, until: float, pause: float, chance: random.Random) -> list[float]:
    """The waits for answers, in milliseconds, of one visitor until a time."""
    waits = list[float]()
    while time.monotonic() < until:
        wait = await page.evaluate(PLAY, chance.random())
        if wait is not None:
            waits.append(wait)
        await asyncio.sleep(pause * (0.5 + chance.random()))
    return waits


async def together(server: Server, visitors: int, seconds: float, pause: float) -> dict[str, Any]:
    """All visitors at play."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        pages = [
            await visit(browser, server.address, *MEETINGS[number % len(MEETINGS)])
            for number in range(visitors)
        ]
        before, begun = server.cpu, time.monotonic()
        found = await asyncio.gather(
            *(
                play(page, begun + seconds, pause, random.Random(number))
                for number, page in enumerate(pages)
            )
        )
        share = (server.cpu - before) / (time.monotonic() - begun)
        memory = server.memory
        await browser.close()
    waits = sorted(wait for those in found for wait in those)
    return {
        "visitors": visitors,
        "answers": len(waits),
        "median ms": waits[len(waits) // 2] if waits else None,
        "most ms": waits[-1] if waits else None,
        "share of a core": share,
        "MB": memory,
    }


def look_around(server: Server, looks: int) -> float:
    """The MB that are kept of so many requests without a cookie."""
    paths = ("/", "/train", "/arena", "/papers", "/api", "/static/start.js")

    def ask(number: int) -> None:
        httpx.get(f"{server.address}{paths[number % len(paths)]}", timeout=60).raise_for_status()

    for number in range(WARM):  # whatever is made once is there by then
        ask(number)
    before = server.memory
    for number in range(looks):
        ask(number)
    return server.memory - before


@dataclass(frozen=True)
class Row:
    """A figure with its target."""

    what: str
    value: float
    target: float

    @property
    def passes(self) -> bool:
        """Whether it is within."""
        return self.value <= self.target


def measure(options: argparse.Namespace) -> tuple[list[Row], dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as server:
        httpx.get(f"{server.address}/api/catalogue", timeout=300)
        server.settle()
        kept = look_around(server, options.looks)
        played = asyncio.run(together(server, options.visitors, options.seconds, options.pause))
    rows = [
        Row(f"MB kept of {options.looks} looks", kept, MOST_KEPT),
        Row(f"share of a core, {options.visitors} at play", played["share of a core"], MOST_SHARE),
        Row(f"MB, {options.visitors} at play", played["MB"], MOST_MEMORY),
    ]
    return rows, played


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--visitors", type=int, default=15, help="at once")
    parser.add_argument("--seconds", type=float, default=60, help="of play")
    parser.add_argument("--pause", type=float, default=2.0, help="seconds a visitor thinks")
    parser.add_argument("--looks", type=int, default=800, help="requests without a cookie")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    options = parser.parse_args()
    if CHROMIUM is None:
        parser.error("no Chromium is installed")
    if min(options.visitors, options.seconds, options.looks) <= 0 or options.pause < 0:
        parser.error("at least 1 visitor, 1 look and some seconds, and a pause of 0 or more")
    rows, played = measure(options)
    good = all(row.passes for row in rows)
    if options.json:
        print(json.dumps({"rows": [asdict(row) for row in rows], "play": played}))
        return 0 if good else 1
    for row in rows:
        verdict = "pass" if row.passes else "FALLS SHORT"
        print(f"{row.what:38} {row.value:9.3f}  (at most {row.target:g})  {verdict}")
    print(
        f"{played['answers']} answers in the pages: median {played['median ms']:.0f} ms, "
        f"most {played['most ms']:.0f} ms; load of the machine {os.getloadavg()[0]:.1f}"
    )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
