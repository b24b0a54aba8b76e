"""What measured times depend on: versions, and the machine."""

from __future__ import annotations

import platform
from importlib.metadata import version
from pathlib import Path

import inarow


def made_with(on: str = "threads") -> dict[str, str]:
    """The versions and the machine that timings depend on, with the GPU where it was used."""
    gpu = {}
    if on == "cuda":
        from inarow.engine.cuda import gpu_name

        gpu = {"gpu": gpu_name()}
    return {
        "inarow": inarow.__version__,
        "numba": version("numba"),
        "python": platform.python_version(),
        "system": platform.system(),
        "processor": _processor(),
        **gpu,
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
