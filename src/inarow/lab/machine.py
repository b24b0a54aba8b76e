"""What results and measured times depend on: versions, and the machine."""

from __future__ import annotations

import platform
from importlib.metadata import version
from pathlib import Path

from llvmlite.binding import get_host_cpu_name
from numba import config

import inarow


def made_with(on: str = "threads") -> dict[str, str]:
    """The versions, and the machine: its processor, the one that code was compiled for, its GPU.

    Timings depend on all of it. Results of networks (`mlp`, `reinforce`, `monte_carlo`) do on the
    last two: their layers are added in an order that the compiler chooses for each kind of
    processor (`engine.jit.inline_sums`). All other sums have one order. What else can differ
    elsewhere are the system's powers and tanh, in schedules that fall and in n-tuple networks.
    """
    besides = {}
    if on != "threads":
        from inarow.lab.studies.runner import executor_named

        besides = executor_named(on).made_with()
    return {
        "inarow": inarow.__version__,
        "numba": version("numba"),
        "python": platform.python_version(),
        "system": platform.system(),
        "processor": _processor(),
        "compiled_for": config.CPU_NAME or get_host_cpu_name(),
        **besides,
    }


def _processor() -> str:
    """Return the processor's name where Linux tells it, else its kind."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
