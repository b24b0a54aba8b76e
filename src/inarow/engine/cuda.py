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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from inarow.game import InputError

if not hasattr(np, "row_stack"):  # some versions of numba-cuda still ask NumPy for it
    setattr(np, "row_stack", np.vstack)  # noqa: B010

# Queues to the GPU, which reads it once: launches that share one wait for each other (it has 8).
os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "32")

try:
    from numba import cuda
except ImportError:
    raise InputError(
        "CUDA is not installed: pip install 'inarow[cuda]' adds it, and threads need none"
    ) from None

numba.config.CUDA_LOW_OCCUPANCY_WARNINGS = 0  # a study may have few runs
SIMULATED = bool(numba.config.ENABLE_CUDASIM)
SIMULATED_BYTES = 2**28  # what the simulated GPU has
WARPS = 16  # of a multiprocessor that take turns
MOST_THREADS = 64  # of a block, where each goes its own way
Array = npt.NDArray[Any]
Flags = npt.NDArray[np.bool_]
Kernel = Any  # a compiled one, called as kernel[blocks, threads](...)


def require_gpu() -> None:
    """Says so, in a line, if there is no GPU to run on."""
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
    """Compiles a kernel at its first launch, if asked for with so many registers a thread.

    With `rounded` each product is rounded before it is added to something, as a processor does:
    then double precision gives the same bits on both. Otherwise both are one operation, which is
    quicker and more exact.
    """
    if SIMULATED:
        return cuda.jit(function)
    if rounded:
        return _Rounded(cuda.jit(function, lto=False))  # else the linker would fuse them
    return cuda.jit(function, max_registers=registers)


def device(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compiles a function that the threads of a block go through together: for kernels alone.

    It is always written into its caller: else each thread would copy every array descriptor.
    """
    options = {} if SIMULATED else {"forceinline": True}
    compiled: Callable[..., Any] = cuda.jit(device=True, **options)(function)
    return compiled


class _Rounded:
    """A kernel compiled without fused operations; Numba has no option of its own for that."""

    def __init__(self, made: Kernel) -> None:
        self.made = made

    def __getitem__(self, shape: tuple[object, ...]) -> Callable[..., None]:
        def launch(*arguments: object) -> None:
            with _unfused():
                self.made[shape](*arguments)

        return launch


@contextmanager
def _unfused() -> Iterator[None]:
    from numba.cuda.cudadrv import nvvm

    compile_ir = nvvm.compile_ir
    nvvm.compile_ir = lambda code, **options: compile_ir(code, **{**options, "fma": 0})
    try:
        yield
    finally:
        nvvm.compile_ir = compile_ir


def to_device(tree: Any) -> Any:
    """The same with all arrays in it on the GPU; tuples, also named ones, within each other.

    The simulator would wrap arrays in its own, which compiled functions do not take: within
    tuples it leaves them alone. So kernels take their arrays in tuples.
    """
    if isinstance(tree, np.ndarray):
        return np.array(tree) if SIMULATED else cuda.to_device(np.ascontiguousarray(tree))
    if isinstance(tree, tuple):
        parts = [to_device(part) for part in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return tree


def empty(shape: tuple[int, ...], kind: npt.DTypeLike) -> Any:
    """An array on the GPU that holds anything."""
    return np.empty(shape, dtype=kind) if SIMULATED else cuda.device_array(shape, dtype=kind)


def to_host(array: Array) -> Array:
    """A copy here."""
    return np.array(array) if SIMULATED else cuda.as_cuda_array(array).copy_to_host()


def send(array: Array, given: Array, stream: Any) -> None:
    """Writes an array of the GPU's, after what was launched in a stream, beside all else."""
    if SIMULATED:
        array[...] = given
    else:
        cuda.as_cuda_array(array).copy_to_device(np.ascontiguousarray(given), stream=stream)


def new_stream() -> Any:
    """Launches in one stream come one after the other, in several side by side."""
    return 0 if SIMULATED else cuda.stream()


def wait() -> None:
    """Until all that was launched has ended."""
    cuda.synchronize()


def block_size(threads: int) -> int:
    """Threads of a block, where each goes its own way: they are spread over all processors.

    Threads of a warp that take different branches wait for each other, so few of them share one
    until every multiprocessor has some warps to choose from.
    """
    if SIMULATED:
        return 4
    processors = cuda.get_current_device().MULTIPROCESSOR_COUNT
    each = max(-(-threads // (processors * WARPS)), 1)
    return each if each <= MOST_THREADS // 4 else MOST_THREADS


def gpu_name() -> str:
    """As its driver says it."""
    return "simulated" if SIMULATED else str(cuda.get_current_device().name)


def free_bytes() -> int:
    """Memory of the GPU that nobody uses."""
    return SIMULATED_BYTES if SIMULATED else int(cuda.current_context().get_memory_info()[0])
