"""Slices of a study as tasks of a Ray cluster: the one that is running, or one on this machine.

The nodes need inarow installed, in the same version. A task that is lost with its worker or its
node is done again elsewhere: it depends on nothing but its arguments. Ray supervises itself: after
a kill of this program its helpers may live a minute.
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
from pathlib import Path
from types import ModuleType

import inarow
from inarow.game import InputError
from inarow.game.plugins import folders, look_in
from inarow.lab.studies.runner import Executor
from inarow.lab.studies.study import Config, Slice, run_slice
from inarow.learn.registry import register_address, registered_addresses

RETRIES = 5  # of a slice whose worker or node dies; what fails in the work itself is no case
LOOK_AGAIN = 5.0  # seconds between looks at how large the cluster is
HEAD_WAIT = "RAY_gcs_rpc_server_reconnect_timeout_s"  # how long Ray waits for it


@cache
def _version() -> str:
    return inarow.__version__


def run_slice_there(
    expected: str,
    learners: list[str],
    places: list[str],
    work: str,
    config: Config,
    seed: int,
    state: bytes | None,
    seconds: float,
) -> Slice:
    """Run a slice on a node that must have the driver's version, or the bits may differ.

    Learners that were named on the driver's command line are made known here, too, and modules
    are looked for in the same folders.
    """
    if _version() != expected:
        raise InputError(f"a node of the cluster has inarow {_version()}, here it is {expected}")
    for place in places:
        look_in(place)
    for address in learners:
        register_address(address)
    return run_slice(work, config, seed, state, seconds)


class RayPool:
    """A cluster, as the runner sees it."""

    def __init__(self, ray: ModuleType, workers: int | None) -> None:
        self.ray, self.workers = ray, workers
        self.task = ray.remote(max_retries=RETRIES, retry_exceptions=False)(run_slice_there)
        self.size, self.looked = 1, float("-inf")

    def keeps(self, config: Config, seed: int) -> bool:  # noqa: ARG002
        """Return False: a worker keeps nothing."""
        return False

    def capacity(self) -> int:
        """Return two slices a processor; nodes may come and go."""
        if self.workers is not None:
            return self.workers
        if time.monotonic() - self.looked > LOOK_AGAIN:
            self.size = 2 * max(1, int(self.ray.cluster_resources().get("CPU", 0)))
            self.looked = time.monotonic()
        return self.size

    def submit(
        self, work: str, config: Config, seed: int, state: bytes | None, seconds: float
    ) -> Future[Slice]:
        """Hand out a slice; its future fails with what went wrong there, not with Ray's wrap."""
        result: Future[Slice] = Future()
        known = registered_addresses()
        about = (_version(), known, [str(Path.cwd()), *folders()])
        task = self.task.remote(*about, work, config, seed, state, seconds).future()

        def pass_on(ended: Future[Slice]) -> None:
            if error := ended.exception():
                result.set_exception(getattr(error, "cause", None) or error)
            else:
                result.set_result(ended.result())

        task.add_done_callback(pass_on)
        return result

    def start(self) -> None:
        """Do nothing: Ray has begun."""

    def withdraw(self, future: Future[Slice]) -> None:
        """Do nothing: a slice takes seconds."""


@contextmanager
def ray_pool(workers: int | None) -> Iterator[RayPool]:
    """Join the cluster that RAY_ADDRESS names or `ray start` made here, else start one."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault(HEAD_WAIT, "20")  # not a minute: a study loses nothing by its end
    try:
        ray = importlib.import_module("ray")
    except ImportError:
        raise InputError(
            "Ray is not installed: pip install 'inarow[ray]' adds it (in a checkout '.[ray]'), and "
            "threads need none"
        ) from None
    joined = ray.is_initialized()  # then whoever has done that ends it
    if not joined:
        _join_or_start(ray)
    try:
        yield RayPool(ray, workers)
    finally:
        if not joined:
            ray.shutdown()


def _join_or_start(ray: ModuleType) -> None:
    address = os.environ.get("RAY_ADDRESS", "")
    if address and not _answers(address):
        raise InputError(f"no Ray cluster answers at {address}, which RAY_ADDRESS names")
    try:
        ray.init(include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    except (ConnectionError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
        raise InputError(f"cannot reach or start Ray: {error}") from error


def _answers(address: str) -> bool:
    """Return whether anybody listens there: Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not (host and port.isdecimal()):
        return True  # no address of the usual form: Ray knows best
    try:
        socket.create_connection((host.strip("[]"), int(port)), 5.0).close()
    except (OSError, OverflowError):
        return False
    return True


RAY = Executor(ray_pool)
