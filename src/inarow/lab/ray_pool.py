"""Slices of a study as tasks of a Ray cluster: the one that is running, or one on this machine.

The nodes need inarow installed, in the same version. A task that is lost with its worker or its
node is done again elsewhere: it depends on nothing but its arguments.
"""

from __future__ import annotations

import importlib
import os
import socket
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import cache
from typing import Any

import inarow
from inarow.game import InputError
from inarow.lab.study import Slice, run_slice

RETRIES = 5  # of a slice whose worker or node dies; what fails in the work itself is no case
LOOK_AGAIN = 5.0  # seconds between looks at how large the cluster is


@cache
def _version() -> str:
    return inarow.__version__


def run_slice_there(expected: str, *arguments: Any) -> Slice:
    """`run_slice` on a node that must have the driver's version, or the bits may differ."""
    if _version() != expected:
        raise InputError(f"a node of the cluster has inarow {_version()}, here it is {expected}")
    return run_slice(*arguments)


class RayPool:
    """A cluster, as the runner sees it."""

    def __init__(self, ray: Any, workers: int | None) -> None:
        self.ray, self.workers = ray, workers
        self.task = ray.remote(max_retries=RETRIES, retry_exceptions=False)(run_slice_there)
        self.size, self.looked = 1, float("-inf")

    def capacity(self) -> int:
        """Two slices a processor; nodes may come and go."""
        if self.workers is not None:
            return self.workers
        if time.monotonic() - self.looked > LOOK_AGAIN:
            self.size = 2 * max(1, int(self.ray.cluster_resources().get("CPU", 0)))
            self.looked = time.monotonic()
        return self.size

    def submit(
        self, work: str, cell: dict[str, Any], seed: int, state: bytes | None, seconds: float
    ) -> Future[Slice]:
        """Hands out a slice; the future fails with what went wrong there, not with Ray's wrap."""
        result: Future[Slice] = Future()
        task = self.task.remote(_version(), work, cell, seed, state, seconds).future()

        def pass_on(ended: Future[Slice]) -> None:
            if error := ended.exception():
                result.set_exception(getattr(error, "cause", None) or error)
            else:
                result.set_result(ended.result())

        task.add_done_callback(pass_on)
        return result

    def withdraw(self, future: Future[Slice]) -> None:
        """Not worth it: a slice takes seconds."""


@contextmanager
def ray_pool(workers: int | None) -> Iterator[RayPool]:
    """Joins the cluster that RAY_ADDRESS names or `ray start` made here, else starts one."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        ray = importlib.import_module("ray")
    except ImportError:
        raise InputError(
            "Ray is not installed: pip install 'inarow[ray]' adds it, and threads need none"
        ) from None
    if ray.is_initialized():  # by whoever calls: it is theirs to shut down
        yield RayPool(ray, workers)
        return
    _join_or_start(ray)
    try:
        yield RayPool(ray, workers)
    finally:
        ray.shutdown()


def _join_or_start(ray: Any) -> None:
    address = os.environ.get("RAY_ADDRESS", "")
    if address and not _answers(address):
        raise InputError(f"no Ray cluster answers at {address}, which RAY_ADDRESS names")
    try:
        ray.init(include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    except (ConnectionError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
        raise InputError(f"cannot reach or start Ray: {error}") from error


def _answers(address: str) -> bool:
    """Whether anybody listens there: Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not (host and port.isdecimal()):
        return True  # no address of the usual form: Ray knows best
    try:
        socket.create_connection((host.strip("[]"), int(port)), 5.0).close()
    except (OSError, OverflowError):
        return False
    return True
