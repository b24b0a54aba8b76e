"""The wheel, tried in an environment of its own and outside the checkout.

    python -m tests.wheel            (`make wheel`)

builds it, installs it as `inarow` and as `inarow[all]`, tries the commands, and stores the sizes
in docs/results/wheel.json, from which the site's page *Install* is made.

    PYTHON -m tests.wheel --installed

tries the commands and the pages with what is installed in the environment of PYTHON, on any
system, and stores nothing: a release is tried so.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
import urllib.request
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from inarow.game.files import write_whole
from inarow.lab.machine import made_with

ROOT = Path(__file__).resolve().parents[1]
RESULT = ROOT / "docs" / "results" / "wheel.json"
COMMANDS = (
    "--help",
    "play --watch perfect random tictactoe --seed 1",
    "solve connect4:6x7 4453",
    "solve qubic",
    "train tictactoe q --games 200000 --seed 1 --out best.safetensors",
    "certify best.safetensors",
    "match connect4:6x7 ntuple random --games 20 --seed 1",
    "reproduce hybrid --list",
    "book check qubic",
)
PAGES = ("", "train", "arena", "papers", "papers?paper=hybrid", "papers?paper=cube", "api/games")


def main() -> None:
    """Builds, installs, tries and measures; or tries what is installed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--installed", action="store_true", help="try what this Python has")
    if parser.parse_args().installed:
        with tempfile.TemporaryDirectory() as name:
            attempt(Path(sys.executable), Path(name))
            serve(Path(sys.executable), Path(name))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sizes: dict[str, Any] = {}
        wheel = build(folder)
        for extra in ("", "[all]"):
            python = install(folder, wheel, extra)
            sizes[f"inarow{extra}"] = megabytes(python.parents[1]) - megabytes(bare(folder))
            attempt(python, folder)
            serve(python, folder)
        stored = {
            "command": "make wheel",
            "date": datetime.now(UTC).date().isoformat(),
            "made_with": made_with(),
            "wheel_megabytes": round(wheel.stat().st_size / 1e6, 1),
            "installed_megabytes": {name: round(size) for name, size in sizes.items()},
        }
    write_whole(RESULT, f"{json.dumps(stored, indent=1)}\n".encode())
    print(json.dumps(stored, indent=1))


def build(folder: Path) -> Path:
    """A wheel of what git knows, built away from the checkout."""
    run(["git", "clone", "-q", str(ROOT), "source"], folder)
    run([*pip(sys.executable), "wheel", "--no-deps", "./source", "-w", "wheels"], folder)
    (wheel,) = (folder / "wheels").glob("*.whl")
    return wheel


def bare(folder: Path) -> Path:
    """An environment with pip and nothing else, to compare sizes with."""
    place = folder / "bare"
    if not place.exists():
        venv.create(place, with_pip=True)
    return place


def install(folder: Path, wheel: Path, extra: str) -> Path:
    """The Python of a new environment with the wheel in it."""
    place = folder / f"environment{len(extra)}"
    venv.create(place, with_pip=True)
    python = place / "bin" / "python"
    run([*pip(python), "install", "--no-compile", f"{wheel}{extra}"], folder)
    return python


def pip(python: str | Path) -> list[str]:
    """How pip is called."""
    return [str(python), "-m", "pip", "--disable-pip-version-check", "-q"]


def attempt(python: Path, folder: Path) -> None:
    """Every command, in an empty folder."""
    here = folder / f"try-{python.parents[1].name}"
    here.mkdir()
    for command in COMMANDS:
        print(f"inarow {command}", flush=True)
        run([str(python.with_name("inarow")), *command.split()], here, stdout=subprocess.DEVNULL)


def serve(python: Path, folder: Path) -> None:
    """Every page of a server."""
    with serving(python, folder) as address:
        for page in PAGES:
            with urllib.request.urlopen(f"{address}/{page}", timeout=60) as answer:
                print(f"/{page}: {answer.status}, {len(answer.read()):,} bytes", flush=True)


@contextmanager
def serving(python: Path, folder: Path, environment: dict[str, str] | None = None) -> Iterator[str]:
    """The address of a server, which is stopped afterwards."""
    command = [str(python.with_name("inarow")), "serve", "--port", "0", "--no-open"]
    with (folder / "serve.txt").open("w+") as said:
        server = subprocess.Popen(command, cwd=folder, env=environment, stdout=said, stderr=said)
        try:
            yield wait_for_address(folder / "serve.txt")
        finally:
            server.terminate()
            server.wait()


def wait_for_address(said: Path) -> str:
    """The address that a server has printed, once it has."""
    for _ in range(600):
        for word in said.read_text().split():
            if word.startswith("http://"):
                return word.rstrip("/.")
        time.sleep(0.2)
    raise SystemExit(f"no server: {said.read_text()}")


def megabytes(place: Path) -> float:
    """What a folder takes, links not followed, without compiled caches of Python."""
    files = (path for path in place.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_size for path in files if "__pycache__" not in path.parts) / 1e6


def run(command: list[str], folder: Path, **options: Any) -> None:
    """Runs a command, and ends where it fails."""
    subprocess.run(command, cwd=folder, check=True, **options)


if __name__ == "__main__":
    main()
