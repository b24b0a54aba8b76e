"""What a study found, where it is kept, and how it is held against what a paper published."""

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

MATCHES, DIFFERS, NOT_RUN = "matches", "differs", "not run at this scale"

Report = Callable[[str, float], None]  # what is being done now, and the share that is done


@dataclass(frozen=True)
class Published:
    """Something that a paper states, or shows, and the range in which ours agrees with it."""

    metric: str
    board: str
    said: str  # as the paper puts it
    source: str  # where in the paper
    value: float | str | None  # None where only a range or a tendency is stated
    low: float = float("-inf")  # what the rounding in the paper's words allows
    high: float = float("inf")
    unit: str = ""
    reason: str = ""  # what we found where ours differs


@dataclass(frozen=True)
class Verdict:
    """A published value with ours beside it."""

    published: Published
    ours: float | str | None
    verdict: str
    reason: str

    def as_json(self) -> dict[str, Any]:
        """The row for programs."""
        stated = self.published
        return {
            "metric": stated.metric,
            "board": stated.board,
            "published": stated.said if stated.value is None else stated.value,
            "ours": self.ours,
            "unit": stated.unit,
            "verdict": self.verdict,
            "reason": self.reason,
            "source": stated.source,
        }


def judge(published: Published, ours: float | str | None) -> Verdict:
    """Whether ours agrees with a published value; None where it was not measured."""
    if ours is None:
        return Verdict(published, ours, NOT_RUN, "")
    if isinstance(ours, str):
        agrees = ours == published.value
    else:
        agrees = published.low <= ours <= published.high
    if agrees:
        return Verdict(published, ours, MATCHES, "")
    return Verdict(published, ours, DIFFERS, published.reason or "no reason found yet")


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
