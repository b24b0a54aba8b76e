"""Try the package with the versions of its dependencies that it admits.

    python tools/versions.py                     (`make versions`)
    python tools/versions.py --pythons 3.11 --numba 0.61 0.68
    python tools/versions.py --lowest            without the newest, and without the row of Numbas

For each Python a wheel is installed into environments outside of the checkout, without the pinned
versions of constraints.txt: with the lowest version of each dependency that pyproject.toml admits,
with the newest, and then, in the environment of the newest, with each minor version of Numba from
the lowest on. In each one agent is trained, certified, matched, and a position is solved, once
compiled and once from the cache; with the lowest and the newest also without Numba's inside
(INAROW_PLAIN_NUMBA), for equal results, a server is started and stopped, and a figure is drawn.

`uv` resolves, since pip knows no lowest versions, and finds or downloads each Python; it is
installed into an environment of its own. What cannot be had is said in one line and skipped.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
import urllib.request
import venv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.13")
PATIENCE = 1800  # seconds for a command: the first of them compiles
AGENTS = ("td", "mlp", "ntuple")
TRAINED = "--against random --games 300 --seed 1"
COMMANDS = (  # what is printed is compared: compiled, from the cache, and with plain Numba
    *(
        f"train tictactoe {name} --against random --games 300 --seed 1 --out {name}.safetensors"
        for name in AGENTS
    ),
    *(f"certify {name}.safetensors" for name in AGENTS),
    "match tictactoe td.safetensors random --games 200 --seed 1",
    "match tictactoe minimax:2 mlp.safetensors --games 20 --seed 1",
    "match tictactoe attack defense --games 200 --seed 1",
    "solve connect4:5x5 1",
    "solve mnk:4x4x4 11",
)
# Recursive functions: Numba has failed to read such code from a cache.
RECURSIVE = """
import numpy as np
from inarow.search.check_strategy import answers_all
lines = [0b111, 0b111000, 0b111000000, 0b1001001, 0b10010010, 0b100100100, 0b100010001, 0b1010100]
lines, counts = np.array(lines, dtype=np.uint64), np.zeros(5, dtype=np.int64)
stored, failed = (np.zeros((rows, 2), dtype=np.uint64) for rows in (1, 1 << 20))
for x, o in ((17, 2), (1, 0), (16, 1), (273, 6)):
    words = np.uint64(511), lines, stored, failed, np.uint64(x), np.uint64(o)
    print(bool(answers_all(*words, counts)), counts)
"""


class FailureError(Exception):
    """Something does not work, in one line."""


class Tried(NamedTuple):
    """One environment, and what came of it."""

    name: str
    versions: str
    problem: str  # empty if it works


class Tool:
    """`uv` in an environment of its own."""

    def __init__(self, folder: Path) -> None:
        place = folder / "uv"
        venv.create(place, with_pip=True)
        call([place / "bin" / "python", "-m", "pip", "-q", "install", "uv"], folder)
        self._uv, self._folder = place / "bin" / "uv", folder

    def environment(self, python: str, name: str) -> Path:
        """Return the Python of a new environment."""
        place = self._folder / name
        call([self._uv, "venv", "-q", "--python", python, place], self._folder)
        return place / "bin" / "python"

    def install(self, python: Path, *wanted: str | Path) -> None:
        """Install packages."""
        call([self._uv, "pip", "install", "-q", "--python", python, *wanted], self._folder)


def main() -> int:
    """Try all versions; the status is 1 if some do not work."""
    parser = argparse.ArgumentParser(description="Tries every admitted version of dependencies.")
    parser.add_argument("--pythons", nargs="+", default=PYTHONS, metavar="VERSION")
    parser.add_argument("--lowest", action="store_true", help="the lowest versions alone")
    parser.add_argument("--numba", nargs="*", metavar="MINOR", help="only these of Numba")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tool, wheel = Tool(folder), build(folder)
        tried = []
        for python in given.pythons:
            for found in versions_with(tool, folder, wheel, python, given):
                print(f"{found.name}: {found.problem or 'works'} ({found.versions})", flush=True)
                tried.append(found)
    wrong = [found for found in tried if found.problem]
    print(f"{len(tried) - len(wrong)} of {len(tried)} environments work")
    return int(bool(wrong) or not tried)


def versions_with(
    tool: Tool, folder: Path, wheel: Path, python: str, given: argparse.Namespace
) -> Iterator[Tried]:
    """Try the environments of one Python."""
    kinds = ["lowest-direct"] if given.lowest else ["lowest-direct", "highest"]
    for kind in kinds:
        name = f"python{python}-{kind.partition('-')[0]}"
        try:
            inside = tool.environment(python, name)
        except FailureError as problem:
            print(f"Python {python} cannot be had and is skipped: {problem}")
            return
        try:
            tool.install(inside, "--resolution", kind, *dependencies(), wheel)
        except FailureError as problem:
            yield Tried(name, "nothing is installed", str(problem))
            continue
        yield attempt(name, inside, folder, whole=True)
    if given.lowest:
        return
    for minor in given.numba if given.numba is not None else minors():
        try:
            tool.install(inside, f"numba=={minor}.*", "scipy", wheel)
        except FailureError as problem:
            print(f"Numba {minor} cannot be had for Python {python} and is skipped: {problem}")
            continue
        yield attempt(f"python{python}-numba{minor}", inside, folder, whole=False)


def dependencies() -> list[str]:
    """Return what the package needs, as pyproject.toml says it."""
    described = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return list(described["project"]["dependencies"])


def minors() -> list[str]:
    """Return the minor versions of Numba that pyproject.toml admits, from the lowest on."""
    (needed,) = (need for need in dependencies() if need.startswith("numba"))
    lowest = [int(part) for part in re.findall(r"\d+", needed)[:2]]
    asked = subprocess.run(
        [sys.executable, "-m", "pip", "index", "versions", "numba"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    found = {(int(a), int(b)) for a, b in re.findall(r"\b(\d+)\.(\d+)\.\d+\b", asked.stdout)}
    return [f"{a}.{b}" for a, b in sorted(found) if [a, b] >= lowest]


def attempt(name: str, python: Path, folder: Path, whole: bool) -> Tried:
    """Try one environment: compiled, from the cache, and as a whole also on the plain path."""
    listed = "numba", "llvmlite", "numpy", "scipy", "typer", "matplotlib", "fastapi"
    code = (
        f"from importlib.metadata import version as v; print(*(n + ' ' + v(n) for n in {listed}))"
    )
    problem = ""
    try:
        versions = call([python, "-c", code], folder).strip()
        here = folder / f"{name}-files"
        here.mkdir()
        ways = {"compiled": {}, "from the cache": {}}
        if whole:
            ways |= {"plain": {"INAROW_PLAIN_NUMBA": "1"}}
            ways |= {"plain, from the cache": {"INAROW_PLAIN_NUMBA": "1"}}
        said = {way: commands(python, here, more) for way, more in ways.items()}
        for way, found in said.items():
            for command, text in found.items():
                if text != said["compiled"][command]:
                    raise FailureError(f"{command}: another result {way}")
        if whole:
            draw(python, here)
            serve(python, here)
    except FailureError as failure:
        problem = str(failure)
    return Tried(name, versions, problem)


def commands(python: Path, here: Path, more: dict[str, str]) -> dict[str, str]:
    """Return what the commands print, and the digests of the agents that they train."""
    given = {**os.environ, "NUMBA_CACHE_DIR": str(here / "cache"), **more}
    found = {"recursion": call([python, "-c", RECURSIVE], here, given)}
    for command in ("--help", *COMMANDS):
        said = call([python, "-m", "inarow", *command.split()], here, given)
        if not command.startswith("train"):  # it says how long it took: its weights are compared
            found[command] = said
    for name in AGENTS:
        code = (
            "from safetensors.numpy import load_file as f; import hashlib; h = hashlib.sha256()\n"
        )
        code += f"for n, a in sorted(f('{name}.safetensors').items()): h.update(a.tobytes())\n"
        found[f"weights of {name}"] = call([python, "-c", f"{code}print(h.hexdigest())"], here)
    return found


def draw(python: Path, here: Path) -> None:
    """Draw a learning curve as a figure."""
    record = "train tictactoe td --against random --games 2000 --record curve.db"
    record += " --evaluate games:random:100"
    for command in (record, "study plot curve.db --out curve.svg"):
        call([python, "-m", "inarow", *command.split()], here)


def serve(python: Path, here: Path) -> None:
    """Start a server, ask it for a page and its games, and stop it."""
    command = [str(python), "-m", "inarow", "serve", "--port", "0", "--no-open"]
    with (here / "server.txt").open("w+") as said:
        server = subprocess.Popen(command, cwd=here, stdout=said, stderr=said)
        try:
            address = None
            for _ in range(600):
                time.sleep(0.2)
                address = re.search(r"http://\S+?:\d+", (here / "server.txt").read_text())
                if address or server.poll() is not None:
                    break
            if not address:
                raise FailureError(f"serve: {last_line((here / 'server.txt').read_text())}")
            for page in ("", "api/games"):
                with urllib.request.urlopen(f"{address[0]}/{page}", timeout=60) as answer:
                    if answer.status != 200:
                        raise FailureError(f"serve: /{page} answers {answer.status}")
        except OSError as error:
            raise FailureError(f"serve: {error}") from error
        finally:
            server.terminate()
            server.wait(60)


def build(folder: Path) -> Path:
    """Return a wheel of the checkout as it stands."""
    command = [sys.executable, "-m", "pip", "-q", "wheel", "--no-deps", ROOT, "-w", folder]
    call(command, folder)
    (wheel,) = folder.glob("*.whl")
    return wheel


def call(
    command: Sequence[str | Path], folder: Path, environment: dict[str, str] | None = None
) -> str:
    """Return what a command prints; FailureError with its last line if it fails."""
    words = [str(word) for word in command]
    try:
        ended = subprocess.run(
            words, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        raise FailureError(f"{' '.join(words[1:4])}: longer than {PATIENCE} seconds") from None
    if ended.returncode:
        raise FailureError(f"{' '.join(words[1:6])[:80]}: {last_line(ended.stderr + ended.stdout)}")
    return ended.stdout


def last_line(text: str) -> str:
    """Return the last line of a text that says something, cut to a readable length."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:160] if lines else "nothing is said"


if __name__ == "__main__":
    sys.exit(main())
