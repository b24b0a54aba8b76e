"""What a study found, and where it is kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from inarow.game import InputError
from inarow.game.files import write_whole

# What is stored of a condition (its labels, runs, final values, curves), or beside such rows: as
# open as JSON, which gives it back.
Stored = dict[str, Any]

Report = Callable[[str, float], None]  # what is being done now, and the share that is done


@dataclass(frozen=True)
class Results:
    """All that one run of a study found."""

    paper: str
    part: str
    scale: str
    rows: list[Stored]  # one for each thing measured
    facts: Stored = field(default_factory=dict)  # what is no row
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
        chosen += " --on cuda" if "gpu" in self.made_with else ""
        return f"inarow reproduce {self.paper} --part {self.part} --scale {self.scale}{chosen}"


def save(results: Results, folder: Path) -> Path:
    """Stores results, whole or not at all."""
    path = folder / results.name
    write_whole(path, (json.dumps(asdict(results), indent=1) + "\n").encode())
    return path


def load(path: Path) -> Results:
    """The results that `save` stored."""
    try:
        return Results(**json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, TypeError) as error:
        raise InputError(f"{path} holds no results: {error}") from None
