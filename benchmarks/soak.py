"""Whether a server is the same after an hour of visitors: memory, descriptors and threads.

    python benchmarks/soak.py [--minutes 60] [--visitors 20] [--seed 1] [--json]

A server is started as its own process. Visitors, each with a cookie of its own, open its pages,
fetch players, start training and arenas and listen to their events, load agent files good and bad,
ask the API, and vanish in the middle of anything; some send half a request.
Beside it a second server is killed again and again, and started anew on the same folder.

It passes if no answer was an error of the server's, if the second server came back each time with
every file whole, and if the first takes, when all have left, no more than it took after the first
visitors had left: memory within a tenth and 64 MB, descriptors within 8, threads within 4.
"""

from __future__ import annotations

import argparse
import asyncio
import atexit
import json
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from inarow.lab.training.run import Run, load_run
from inarow.learn.saved import pack

GAMES = {
    "tictactoe": ("perfect", "random", "td.safetensors"),
    "connect4:6x7": ("ntuple", "perfect", "minimax:4@central"),
    "cube": ("benchmark", "minimax:3@central"),
    "ntictactoe:3^3": ("advanced", "greedy-lines"),
    "mnk:9x9x5": ("minimax:3@central", "benchmark"),
}
PATIENCE = 60.0  # seconds for whatever a visitor does
LEAVING = 50.0  # seconds after which a server has forgotten the pages of who left
FIRST_SHARE = 0.2  # of the time, after which it is measured for the first time
MEMORY_SHARE, MEMORY, DESCRIPTORS, THREADS = 0.1, 64.0, 8, 4  # by which it may have grown


@dataclass(frozen=True)
class Figures:
    """What a server takes."""

    memory: float  # MB
    descriptors: int
    threads: int


@dataclass
class Server:
    """A server that runs."""

    process: subprocess.Popen[str]
    address: str

    @classmethod
    async def start(cls, folder: Path) -> Server:
        """On a free port."""
        command = [sys.executable, "-m", "inarow", "serve", "--port", "0", "--folder", str(folder)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        atexit.register(process.kill)  # whatever happens here
        assert process.stdout is not None
        found = re.search(r"http://\S+", await asyncio.to_thread(process.stdout.readline))
        if found is None:
            raise SystemExit("the server did not start")
        return cls(process, found[0])

    def figures(self) -> Figures:
        """As the system says."""
        folder = Path(f"/proc/{self.process.pid}")
        status = (folder / "status").read_text()
        memory = re.search(r"VmRSS:\s+(\d+)", status)
        assert memory is not None
        counts = [len(list((folder / part).iterdir())) for part in ("fd", "task")]
        return Figures(int(memory[1]) / 1024, *counts)

    async def end(self, number: int) -> float:
        """Sends a signal; the seconds until it has ended."""
        began = time.monotonic()
        self.process.send_signal(number)
        await asyncio.to_thread(self.process.wait, 60)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return time.monotonic() - began


def make_files(folder: Path) -> tuple[list[bytes], list[bytes]]:
    """Trained agents in the folder, and the content of good and of bad files."""
    table = Run("tictactoe", "td", against="attack-defense", seed=1)
    table.training.play(20_000)
    table.save(folder / "td.safetensors")
    tuples = Run("connect4:6x7", "ntuple", {"tuples": 20, "length": 6})
    tuples.training.play(50)
    good = [table.state(), tuples.state()]
    greedy = Run("qubic", "ntuple", {"tuples": 20, "length": 2, "average": 0})
    options = {**greedy.header.options, "tuples": 40_000, "length": 8}
    bad = [
        b"",
        b"\x08\0\0\0\0\0\0\0nonsense",
        good[0][: len(good[0]) // 2],
        pack(replace(greedy.header, options=options), greedy.training.arrays),
        pack(replace(table.header, game="mnk:30x30x5"), table.training.arrays),
        pack(replace(table.header, learner="nobody"), table.training.arrays),
    ]
    return good, bad


class Visitor:
    """Somebody with a cookie who comes and goes."""

    def __init__(self, number: int, server: Server, seed: int, files: Any, done: Counter[str]):
        self.chance = random.Random(f"{seed}/{number}")
        self.address, self.done = server.address, done
        self.good, self.bad = files
        self.client = httpx.AsyncClient(base_url=server.address, timeout=120)

    async def ask(self, method: str, path: str, **named: Any) -> httpx.Response:
        """A request; an error of the server's is counted."""
        response = await self.client.request(method, path, **named)
        self.done["requests"] += 1
        if response.status_code >= 500:
            self.done["errors of the server"] += 1
            print(f"{method} {path}: {response.status_code} {response.text[:200]}", file=sys.stderr)
        return response

    async def stay(self, until: float) -> None:
        """One thing after another until a time."""
        things: list[Callable[[], Awaitable[None]]] = [
            self.play, self.play, self.play, self.question, self.question, self.load, self.load,
            self.train, self.meet, self.hang_up, self.send_half,
        ]  # fmt: skip
        while time.monotonic() < until:
            thing = self.chance.choice(things)
            try:
                async with asyncio.timeout(PATIENCE):
                    await thing()
                self.done[thing.__name__] += 1
            except TimeoutError:
                self.done[f"too long: {thing.__name__}"] += 1
            except (httpx.TransportError, OSError) as error:
                self.done[f"lost connections ({type(error).__name__})"] += 1
            await asyncio.sleep(self.chance.uniform(0.1, 2))

    async def play(self) -> None:
        """A page with a player, whose files it fetches."""
        game = self.chance.choice(list(GAMES))
        player = self.chance.choice(GAMES[game])
        await self.ask("GET", "/", params={"game": game, "against": player})
        for file in ("package.json", "image.bin", "rules.wasm", "player.wasm"):
            asked = {"game": game, "player": player, "file": file}
            await self.ask("GET", "/api/package", params=asked)

    async def load(self) -> None:
        """An agent file, good or bad; then a move of it."""
        await self.ask("GET", "/")
        content = self.chance.choice(self.good if self.chance.random() < 0.5 else self.bad)
        loaded = await self.ask("POST", "/api/uploads", params={"name": "mine"}, content=content)
        if loaded.status_code == 200:
            told = loaded.json()
            question = {"game": told["game"], "moves": "", "player": told["name"]}
            await self.ask("POST", "/api/move", json=question)

    async def train(self) -> None:
        """Two short runs, as the form is; a visitor has eight at most."""
        await self.ask("GET", "/train")
        question = {"game": "tictactoe", "learner": "td", "games": 100_000, "runs": 2}
        begun = await self.ask("POST", "/api/runs", json=question)
        self.done["runs begun"] += begun.status_code == 200
        await self.listen("/api/runs/events")
        if self.chance.random() < 0.5:
            number = self.chance.randint(1, 8)
            action = self.chance.choice(["stop", "resume", "remove", "certify"])
            await self.ask("POST", f"/api/runs/{number}/{action}", json={})

    async def meet(self) -> None:
        """An arena of some players."""
        await self.ask("GET", "/arena")
        players = self.chance.sample(["random", "attack", "perfect", "td.safetensors"], 3)
        question = {"game": "tictactoe", "players": players, "games": 20, "seed": 1}
        await self.ask("POST", "/api/arena", json=question)
        await self.listen("/api/arena/events")

    async def listen(self, path: str) -> None:
        """Hears some events, and leaves without a word."""
        end = time.monotonic() + self.chance.uniform(1, 4)
        async with self.client.stream("GET", path) as stream:
            async for line in stream.aiter_lines():
                self.done["events"] += line.startswith("data: ")
                if time.monotonic() > end:
                    return

    async def question(self) -> None:
        """To the API, some of them wrong."""
        game = self.chance.choice([*GAMES, "nonsense"])
        player = self.chance.choice([*GAMES.get(game, ("random",)), "nobody", "x.safetensors"])
        question = {"game": game, "moves": self.chance.choice(["", "", "9"]), "player": player}
        await self.ask("POST", f"/api/{self.chance.choice(['move', 'values'])}", json=question)
        await self.ask("GET", self.chance.choice(["/api/players", "/api/games", "/papers", "/x"]))

    async def hang_up(self) -> None:
        """Before the answer comes."""
        question = {"game": "connect4:6x7", "moves": "44444", "player": "perfect"}
        with suppress(TimeoutError, asyncio.TimeoutError):
            await asyncio.wait_for(self.client.post("/api/values", json=question), 0.05)

    async def send_half(self) -> None:
        """Of a request; the server closes the connection."""
        place = urlsplit(self.address)
        reader, writer = await asyncio.open_connection(place.hostname, place.port)
        writer.write(b"POST /api/move HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{")
        await asyncio.wait_for(reader.read(), 60)
        writer.close()


async def kill_again_and_again(
    folder: Path, until: float, seed: int, files: Any, done: Counter[str]
) -> None:
    """A second server, killed in the middle of visits, and started anew."""
    chance = random.Random(f"{seed}/kills")
    while time.monotonic() < until:
        server = await Server.start(folder)
        visitors = [Visitor(1000 + n, server, chance.random(), files, Counter()) for n in range(2)]
        end = min(until, time.monotonic() + chance.uniform(15, 45))
        async with asyncio.timeout(120):
            while True:  # it has come back when it answers
                with suppress(httpx.TransportError):
                    if (await visitors[0].client.get("/api/games")).status_code == 200:
                        break
        stays = [asyncio.create_task(visitor.stay(end + 60)) for visitor in visitors]
        await asyncio.sleep(max(0.0, end - time.monotonic()))
        number = chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM])
        seconds = await server.end(number)
        done[f"ended by {number.name}"] += 1
        done["slow ends"] += seconds > 20
        for stay in stays:
            stay.cancel()
        await asyncio.gather(*stays, return_exceptions=True)
        for visitor in visitors:
            await visitor.client.aclose()
        for path in folder.iterdir():
            if path.suffix == ".safetensors":
                load_run(path)  # whole, or this fails


async def soak(options: argparse.Namespace) -> dict[str, Any]:
    done: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        files = make_files(Path(first))
        make_files(Path(second))
        server = await Server.start(Path(first))
        visitors = [Visitor(n, server, options.seed, files, done) for n in range(options.visitors)]
        begun = time.monotonic()
        end = begun + 60 * options.minutes

        async def all_stay(until: float) -> Figures:
            await asyncio.gather(*(visitor.stay(until) for visitor in visitors))
            await asyncio.sleep(LEAVING)
            print(f"{time.monotonic() - begun:5.0f} s  {server.figures()}", file=sys.stderr)
            return server.figures()

        kills = asyncio.create_task(
            kill_again_and_again(Path(second), end, options.seed, files, done)
        )
        before = await all_stay(begun + 60 * options.minutes * FIRST_SHARE)
        after = await all_stay(end)
        await kills
        for visitor in visitors:
            await visitor.client.aclose()
        seconds = await server.end(signal.SIGTERM)
    return {"before": before, "after": after, "done": dict(done), "seconds to end": seconds}


def passes(found: dict[str, Any]) -> bool:
    """Whether it is as it was."""
    before, after, done = found["before"], found["after"], found["done"]
    return (
        after.memory < before.memory * (1 + MEMORY_SHARE) + MEMORY
        and after.descriptors <= before.descriptors + DESCRIPTORS
        and after.threads <= before.threads + THREADS
        and not done.get("errors of the server")
        and not done.get("slow ends")
        and not any(what.startswith("too long") for what in done)
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--visitors", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    options = parser.parse_args()
    if not (options.minutes > 0 and options.visitors > 0):
        parser.error("some minutes, and at least one visitor")
    found = asyncio.run(soak(options))
    good = passes(found)
    if options.json:
        figures = {name: asdict(found[name]) for name in ("before", "after")}
        print(json.dumps(found | figures | {"passes": good}))
        return 0 if good else 1
    for name in ("before", "after"):
        figures = found[name]
        print(
            f"{name:6}  {figures.memory:6.0f} MB  {figures.descriptors:4} descriptors  "
            f"{figures.threads:4} threads"
        )
    for what, number in sorted(found["done"].items()):
        print(f"{number:7,}  {what}")
    print(f"it ended {found['seconds to end']:.1f} s after SIGTERM; {'pass' if good else 'FAILS'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
