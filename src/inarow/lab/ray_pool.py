"""Slices of a study as tasks of a Ray cluster: the one that is running, or one on this machine.

The nodes need inarow installed, in the same version. A task that is lost with its worker or its
node is done again elsewhere: it depends on nothing but its arguments.
"""

from __future__ import annotations

import importlib
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType

import inarow
from inarow.game import InputError
from inarow.lab.study import Config, Slice, run_slice
from inarow.learn.registry import register_address, registered_addresses

REAPER = Path(__file__).with_name("ray_reaper.py")
RETRIES = 5  # of a slice whose worker or node dies; what fails in the work itself is no case
LOOK_AGAIN = 5.0  # seconds between looks at how large the cluster is
HEAD_LOOK = 2.0  # seconds between looks whether the head answers
HEAD_WAIT = "RAY_gcs_rpc_server_reconnect_timeout_s"  # how long Ray waits for it


@cache
def _version() -> str:
    return inarow.__version__


def run_slice_there(
    expected: str,
    learners: list[str],
    work: str,
    config: Config,
    seed: int,
    state: bytes | None,
    seconds: float,
) -> Slice:
    """`run_slice` on a node that must have the driver's version, or the bits may differ.

    Learners that were named on the driver's command line are made known here, too.
    """
    if _version() != expected:
        raise InputError(f"a node of the cluster has inarow {_version()}, here it is {expected}")
    for address in learners:
        register_address(address)
    return run_slice(work, config, seed, state, seconds)


class HeadWatch:
    """Says so when the head of a cluster does not answer, from a thread of its own.

    Ray waits for the head without a word, in whatever it is asked to do, and then ends the
    program; there is no other way out of these calls.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Nobody waits for it any more."""
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        silent = 0  # looks without an answer
        while not self._ended.wait(HEAD_LOOK):
            answers = _answers(self.address)
            if answers and silent >= 2:
                _say(f"the head of the Ray cluster at {self.address} answers again")
            silent = 0 if answers else silent + 1
            if silent == 2:
                _say(
                    f"warning: the head of the Ray cluster at {self.address} does not answer. Ray "
                    f"waits for it, for {os.environ[HEAD_WAIT]} s, and then ends this program; "
                    "what is finished is stored, and the same command goes on with it"
                )


class RayPool:
    """A cluster, as the runner sees it."""

    def __init__(self, ray: ModuleType, workers: int | None) -> None:
        self.ray, self.workers = ray, workers
        self.task = ray.remote(max_retries=RETRIES, retry_exceptions=False)(run_slice_there)
        self.size, self.looked = 1, float("-inf")

    def keeps(self, config: Config, seed: int) -> bool:  # noqa: ARG002
        """A worker keeps nothing."""
        return False

    def capacity(self) -> int:
        """Two slices a processor; nodes may come and go."""
        if self.workers is not None:
            return self.workers
        if time.monotonic() - self.looked > LOOK_AGAIN:
            self.size = 2 * max(1, int(self.ray.cluster_resources().get("CPU", 0)))
            self.looked = time.monotonic()
        return self.size

    def submit(
        self, work: str, config: Config, seed: int, state: bytes | None, seconds: float
    ) -> Future[Slice]:
        """Hands out a slice; the future fails with what went wrong there, not with Ray's wrap."""
        result: Future[Slice] = Future()
        known = registered_addresses()
        task = self.task.remote(_version(), known, work, config, seed, state, seconds).future()

        def pass_on(ended: Future[Slice]) -> None:
            if error := ended.exception():
                result.set_exception(getattr(error, "cause", None) or error)
            else:
                result.set_result(ended.result())

        task.add_done_callback(pass_on)
        return result

    def start(self) -> None:
        """Ray has begun."""

    def withdraw(self, future: Future[Slice]) -> None:
        """Not needed: a slice takes seconds."""


@contextmanager
def ray_pool(workers: int | None) -> Iterator[RayPool]:
    """Joins the cluster that RAY_ADDRESS names or `ray start` made here, else starts one."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault(HEAD_WAIT, "20")  # not a minute: a study loses nothing by its end
    try:
        ray = importlib.import_module("ray")
    except ImportError:
        raise InputError(
            "Ray is not installed: pip install 'inarow[ray]' adds it, and threads need none"
        ) from None
    with ExitStack() as at_end:
        if not ray.is_initialized():  # else whoever has done that ends it
            at_end.enter_context(_nothing_left_behind(Path(ray.__path__[0])))
            _join_or_start(ray)
            at_end.callback(ray.shutdown)
        watch = HeadWatch(ray.get_runtime_context().gcs_address)
        at_end.callback(watch.close)
        yield RayPool(ray, workers)


@contextmanager
def _nothing_left_behind(ray: Path) -> Iterator[None]:
    """However this program ends: what Ray has started for it ends too."""
    if not Path("/proc/self/stat").exists():
        yield
        return
    command = [sys.executable, "-I", str(REAPER), str(os.getpid()), str(ray)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True) as reaper:
        try:
            yield
        finally:
            reaper.terminate()  # Ray has been shut down, and has ended what it started


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _join_or_start(ray: ModuleType) -> None:
    address = os.environ.get("RAY_ADDRESS", "")
    if address and not _answers(address):
        raise InputError(f"no Ray cluster answers at {address}, which RAY_ADDRESS names")
    # Of a cluster that was killed, Ray still keeps the address, and would wait for it.
    known = importlib.import_module("ray._private.utils").read_ray_address()
    place = "local" if not address and known and not _answers(known) else None
    try:
        ray.init(place, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
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
