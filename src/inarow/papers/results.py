"""What a study found, and where it is kept."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import inarow
from inarow.game import InputError

Report = Callable[[str, float], None]  # what is being done now, and the share that is done


@dataclass(frozen=True)
class Results:
    """All that one run of a study found."""

    paper: str
    part: str
    scale: str
    rows: list[dict[str, Any]]  # one for each thing measured
    facts: dict[str, Any] = field(default_factory=dict)  # what is no row
    made_with: dict[str, str] = field(default_factory=dict)  # versions and machine
    runs: int | None = None  # seeds for each condition, where they were not those of the scale
    seed: int | None = None  # the first of them, where it was not the study's

    @property
    def name(self) -> str:
        """Of the file that holds them."""
        return f"{self.paper}-{self.part}.json"

    @property
    def command(self) -> str:
        """The command that makes them."""
        chosen = f" --runs {self.runs}" if self.runs else ""
        chosen += "" if self.seed is None else f" --seed {self.seed}"
        return f"inarow reproduce {self.paper} --part {self.part} --scale {self.scale}{chosen}"


def save(results: Results, folder: Path) -> Path:
    """Stores results, whole or not at all: written aside, then renamed."""
    path = folder / results.name
    aside = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        aside.write_text(json.dumps(asdict(results), indent=1) + "\n", encoding="utf-8")
        aside.replace(path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
    finally:
        with suppress(OSError):
            aside.unlink()  # gone if all went well
    return path


def load(path: Path) -> Results:
    """The results that `save` stored."""
    try:
        return Results(**json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, TypeError) as error:
        raise InputError(f"{path} holds no results: {error}") from None


def made_with() -> dict[str, str]:
    """The versions and the machine that timings depend on."""
    return {
        "inarow": inarow.__version__,
        "numba": version("numba"),
        "python": platform.python_version(),
        "system": platform.system(),
        "processor": _processor(),
    }


def _processor() -> str:
    """The processor's name where Linux tells it, else its kind."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
