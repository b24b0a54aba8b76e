"""Where the files of the fuzzer lie, and agents as they are saved."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from tests.small_runs import small_run


@cache
def folder() -> Path:
    """For the files of this process."""
    return Path(mkdtemp(prefix="inarow-fuzz-"))


@cache
def agent_files(name: str) -> tuple[bytes, ...]:
    """A run as it is saved, and as it is exported to be played with."""
    run = small_run(name)
    path = folder() / "export.safetensors"
    run.export(path, small=True)
    return run.state(), path.read_bytes()
