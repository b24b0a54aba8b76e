"""Compiled functions on a GPU: the same source, compiled for CUDA by Numba.

A kernel that calls a function of `engine.jit` has Numba compile that function's Python source, and
all that it calls, for the GPU. So rules, sums, updates and random streams are written once. What
is written for a GPU alone is how runs are spread over its threads.

Only modules that are imported for `--on cuda` import this one. With NUMBA_ENABLE_CUDASIM=1 Numba's
simulator takes the place of a GPU: a kernel is then Python, and the functions that it calls are
those compiled for the processor.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from inarow.game import InputError

if not hasattr(np, "row_stack"):  # some versions of numba-cuda still ask NumPy for it
    setattr(np, "row_stack", np.vstack)  # noqa: B010

# Queues to the GPU, which reads it once: launches that share one wait for each other (it has 8).
os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "32")
# To free memory is to wait for all launches, so it is done rarely.
os.environ.setdefault("NUMBA_CUDA_MAX_PENDING_DEALLOCS_COUNT", "100000")
os.environ.setdefault("NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS", "0")  # a study may have few runs

try:
    from numba import cuda
except ImportError:
    raise InputError(
        "CUDA is not installed: pip install 'inarow[cuda]' adds it (in a checkout '.[cuda]'), and "
        "threads need none"
    ) from None

SIMULATED = bool(numba.config.ENABLE_CUDASIM)
SIMULATED_BYTES = 2**28  # what the simulated GPU has
WARPS = 24  # of a multiprocessor that take turns
MOST_THREADS = 64  # of a block, where each goes its own way
LOOK_SECONDS = 0.001  # between two looks at whether a launch has ended
Array = npt.NDArray[Any]
Flags = npt.NDArray[np.bool_]
Kernel = Any  # a compiled one, called as kernel[blocks, threads, queue](...)
Sent = Any  # an array on the GPU
Queue = Any  # of launches and copies: a stream of CUDA's


def require_gpu() -> None:
    """Raise InputError if there is no GPU to run on."""
    if not SIMULATED and not _found():
        raise InputError("no GPU that CUDA can use was found: run on threads instead")


def _found() -> bool:
    try:
        return bool(cuda.is_available() and len(cuda.gpus) > 0)
    except Exception:  # whatever a driver that is half installed has to say
        return False


def kernel(
    function: Callable[..., None], rounded: bool = False, registers: int | None = None
) -> Kernel:
    """Compile a kernel at its first launch, if asked for with so many registers a thread.

    With `rounded` each product is rounded before it is added to something, as a processor does:
    then double precision gives the same bits on both. Otherwise both are one operation, which is
    quicker and more exact.
    """
    if SIMULATED:
        return Launched(cuda.jit(function))
    if rounded:
        return Launched(cuda.jit(function, lto=False), True)  # else the linker would fuse them
    return Launched(cuda.jit(function, max_registers=registers))


def device(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function that the threads of a block go through together: for kernels alone.

    It is always written into its caller: else each thread would copy every array descriptor.
    """
    options = {} if SIMULATED else {"forceinline": True}
    compiled: Callable[..., Any] = cuda.jit(device=True, **options)(function)
    return compiled


class Launched:
    """A kernel that threads launch: the first one compiles it, others wait that want it too.

    Numba would compile it for each of them. With `rounded` that is without fused operations, for
    which it has no option of its own. The simulator runs one kernel at a time.
    """

    def __init__(self, made: Kernel, rounded: bool = False) -> None:
        self.made, self.rounded, self.compiled = made, rounded, False
        self.lock = _simulating if SIMULATED else threading.Lock()

    def __getitem__(self, shape: tuple[object, ...]) -> Callable[..., None]:
        def launch(*arguments: object) -> None:
            with nullcontext() if self.compiled else self.lock:
                _rounding.on = self.rounded
                try:
                    self.made[shape](*arguments)
                finally:
                    _rounding.on = False
                self.compiled = not SIMULATED

        return launch


class _Rounding(threading.local):
    """Whether this thread compiles without fused operations."""

    on = False


_rounding, _simulating = _Rounding(), threading.Lock()


def _compile_rounded() -> None:
    """Let Numba ask what the thread that compiles wants."""
    from numba.cuda.cudadrv import nvvm

    compile_ir = nvvm.compile_ir

    def compile_here(code: object, **options: object) -> object:
        return compile_ir(code, **{**options, **({"fma": 0} if _rounding.on else {})})

    nvvm.compile_ir = compile_here


if not SIMULATED:
    _compile_rounded()


def to_device(tree: Any, stream: Queue) -> Any:
    """Return tuples with all their arrays on the GPU; named ones, within each other, too.

    The simulator would wrap arrays in its own, which compiled functions do not take: within
    tuples it leaves them alone. So kernels take their arrays in tuples.
    """
    if isinstance(tree, np.ndarray):
        if SIMULATED:
            return np.array(tree)
        return cuda.to_device(np.ascontiguousarray(tree), stream=stream)
    if isinstance(tree, tuple):
        parts = [to_device(part, stream) for part in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return tree


def empty(shape: tuple[int, ...], kind: npt.DTypeLike, stream: Queue) -> Sent:
    """Return an array on the GPU that holds anything."""
    if SIMULATED:
        return np.empty(shape, dtype=kind)
    return cuda.device_array(shape, dtype=kind, stream=stream)


def to_host(array: Sent, stream: Queue) -> Array:
    """Return a copy here, after what was launched in a stream."""
    if SIMULATED:
        return np.array(array)
    wait(stream)
    copy: Array = array.copy_to_host(stream=stream)
    stream.synchronize()
    return copy


def wait(stream: Queue) -> None:
    """Wait until all that was launched in a stream has ended; other threads go on meanwhile.

    The waits of CUDA's Python packages keep Python's lock, which would have all launches of a
    study come one after the other.
    """
    if not SIMULATED:
        event = cuda.event(timing=False)
        event.record(stream)
        while not event.query():
            time.sleep(LOOK_SECONDS)


def send(array: Sent, given: Array, stream: Queue) -> None:
    """Write an array of the GPU's, after what was launched in a stream."""
    if SIMULATED:
        array[...] = given
    else:
        array.copy_to_device(np.ascontiguousarray(given), stream=stream)


def new_stream() -> Queue:
    """Return a stream: launches and copies in one come one after the other.

    The stream that Numba takes by default waits for all others, so everything here names one.
    """
    return 0 if SIMULATED else cuda.stream()


def block_size(threads: int) -> int:
    """Return the threads of a block, where each goes its own way.

    Threads of a warp that take different branches wait for each other, so few of them share one
    until every multiprocessor has some warps to choose from.
    """
    if SIMULATED:
        return 4
    processors = cuda.get_current_device().MULTIPROCESSOR_COUNT
    each = max(-(-threads // (processors * WARPS)), 1)
    return each if each <= MOST_THREADS // 4 else MOST_THREADS


def gpu_name() -> str:
    """Return the name of the GPU, as its driver says it."""
    return "simulated" if SIMULATED else str(cuda.get_current_device().name)


def free_bytes() -> int:
    """Return the memory of the GPU that nobody uses."""
    return SIMULATED_BYTES if SIMULATED else int(cuda.current_context().get_memory_info()[0])
