"""The memory that a module of WebAssembly starts with: arrays as Numba passes them, and as bytes.

    0          constants of a module
    64 KiB     slots for the result of a call and for its exception
    1 MiB      stack, from 2 MiB downwards
    2 MiB      arrays, each at a multiple of 64 bytes

A file of it is packed with deflate and holds blocks of `u32 address, u32 bytes, u32 coding` and
data. Memory is zero before, so zeros are not stored, and neither is what an array holds that is
always written to before it is read (`SCRATCH`). Codings: the bytes as they are, little-endian;
weights made of 8 bits as a scale and these (`learn.saved.to_small`); logarithms of 1, 2, 3 ... as
what each differs, in the last place, from what follows from the one before (`logarithm_steps`);
long arrays of whole numbers as the lowest byte of each, then the next, where that packs better.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from inarow.game import InputError
from inarow.learn.saved import SMALL_UNITS

FORMAT = 1  # of images and of what modules expect of their arguments
FIRST = 2 << 20  # the address of the first array
LINE = 64
PAGE = 1 << 16
MAX_BYTES = 1 << 30  # of a page's memory
RAW, EIGHT_BITS, LOGARITHMS, PLANES_8, PLANES_4 = range(5)  # codings of a block
LONG = 512  # numbers from which on their bytes are taken apart
TERMS = 20  # of the series by which a logarithm is found from the one before

# Arrays whose content means nothing when a player is made, by named tuple and field.
SCRATCH = {("Tree", "nodes"), ("Tree", "values")}

Numbers = npt.NDArray[np.generic]
Floats = npt.NDArray[np.float64]
Argument = list[str | int]  # its kind, then what it is: see `Image.arguments`


class Image:
    """Arrays in the memory of a module, each once."""

    def __init__(self) -> None:
        self._top = FIRST
        self._places: dict[tuple[int, str, int], int] = {}
        self._blocks: list[tuple[int, Numbers]] = []
        self._kept: list[Numbers] = []  # so that no other array gets the address of one of them

    @property
    def pages(self) -> int:
        """How many pages of memory a module needs."""
        return -(-self._top // PAGE)

    def arguments(self, value: object) -> list[Argument]:
        """A value flattened as compiled functions take it.

        `["a", address, item size, sides ...]` an array; `["n", "12"]` a whole number of 64 bits, as
        text since JSON's numbers are rounded above 2^53; `["i", 12]` one of fewer bits; `["f",
        "0.5"]` a float.
        """
        return list(self._flatten(value, ("", "")))

    def address(self, array: Numbers, is_scratch: bool = False) -> int:
        """Where an array lies."""
        key = array.ctypes.data, array.dtype.str, array.nbytes  # of whatever shape
        if key not in self._places:
            if not array.flags.c_contiguous:
                raise InputError("an array that is not contiguous cannot go into a page's memory")
            self._places[key] = self._top
            self._kept.append(array)
            if not is_scratch and array.any():
                self._blocks.append((self._top, array))
            self._top += -(-max(array.nbytes, 1) // LINE) * LINE
            if self._top > MAX_BYTES:
                raise InputError(
                    f"this player needs over {MAX_BYTES >> 20:,} MiB of memory: too much for a page"
                )
        return self._places[key]

    def packed(self) -> bytes:
        """The image as a file: equal bytes for equal arrays."""
        parts = list[bytes]()
        for address, array in self._blocks:
            coding, data = _coded(array)
            head = np.array([address, len(data), coding], dtype="<u4").tobytes()
            parts += [head, data]
        return deflated(b"".join(parts))

    def _flatten(self, value: object, name: tuple[str, str]) -> Iterable[Argument]:
        if isinstance(value, np.ndarray):
            shape = [int(side) for side in value.shape]
            yield ["a", self.address(value, name in SCRATCH), value.itemsize, *shape]
        elif isinstance(value, tuple):
            for field, part in zip(_fields(value), value, strict=True):
                yield from self._flatten(part, (type(value).__name__, field))
        elif value is None:
            yield ["i", 0]
        elif isinstance(value, bool | np.bool_):
            yield ["i", int(value)]
        elif isinstance(value, float | np.floating):
            yield ["f", repr(float(value)).replace("inf", "Infinity")]
        elif isinstance(value, int) or (isinstance(value, np.integer) and value.itemsize == 8):
            yield ["n", str(int(value))]
        elif isinstance(value, np.integer):
            yield ["i", int(value)]
        else:
            raise _no_argument(value)


def deflated(content: bytes) -> bytes:
    """Bytes as a page unpacks them."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(content) + packer.flush()


def layout_of(value: object) -> str:
    """The types of a value as text, as far as compiled code depends on them."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype.str.lstrip('<|')}[{value.ndim}]"
    if isinstance(value, tuple):
        inner = ",".join(map(layout_of, value))
        return f"{type(value).__name__ if hasattr(value, '_fields') else ''}({inner})"
    if isinstance(value, np.generic):
        return value.dtype.str.lstrip("<|")
    if value is None:
        return "none"
    for kind, name in ((bool, "b1"), (int, "i8"), (float, "f8")):
        if isinstance(value, kind):
            return name
    raise _no_argument(value)


def digest_of(layout: str) -> str:
    """A short name of a layout: module and image must agree in it."""
    return hashlib.sha256(f"{FORMAT} {layout}".encode()).hexdigest()[:16]


def _fields(value: tuple[object, ...]) -> tuple[str, ...]:
    found: tuple[str, ...] = getattr(value, "_fields", ("",) * len(value))
    return found


def logarithm_steps(count: int) -> Floats:
    """What the logarithm grows by from 1 to 2, 2 to 3 and so on, to the last place or two.

    By the series of ln((1 + z) / (1 - z)) with z = 1 / (2 n + 1), in additions, products and
    divisions alone: these give the same bits in every browser, as logarithms do not.
    """
    z = 1.0 / (2.0 * np.arange(1, count) + 1.0)
    square, total = z * z, np.zeros(count - 1)
    for odd in range(2 * TERMS - 1, 0, -2):
        total = total * square + 1.0 / odd
    return 2.0 * z * total


def _coded(array: Numbers) -> tuple[int, bytes]:
    """The bytes of an array in the coding that fits: see above."""
    if array.dtype == np.float32 and np.isfinite(array).all():
        small = array.astype(np.float32).ravel() * np.float32(SMALL_UNITS)
        exact = (np.abs(small) <= 127) & (small == np.rint(small))
        if (exact & ~(np.signbit(small) & (small == 0))).all():
            unit = np.float32(1 / SMALL_UNITS)
            return EIGHT_BITS, unit.tobytes() + small.astype(np.int8).tobytes()
    if array.dtype == np.float64 and array.ndim == 1 and array.size > 1 and array[0] == 0:
        found = array.astype(np.float64)
        expected = found[:-1] + logarithm_steps(len(found))
        rest = found[1:].view(np.int64) - expected.view(np.int64)
        if (np.abs(rest) <= 127).all():
            return LOGARITHMS, rest.astype(np.int8).tobytes()
    size = array.itemsize
    if array.dtype.kind in "iu" and size in (4, 8) and array.size >= LONG:
        whole = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        planes = np.ascontiguousarray(whole.view(np.uint8).reshape(-1, size).T).tobytes()
        if len(deflated(planes)) < len(deflated(whole.tobytes())):
            return PLANES_8 if size == 8 else PLANES_4, planes
    return RAW, np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).tobytes()


def _no_argument(value: object) -> InputError:
    return InputError(f"a {type(value).__name__} cannot be handed to a module in a page")
