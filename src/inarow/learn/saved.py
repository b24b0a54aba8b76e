"""Saved agents: one safetensors file, the arrays of a run and a header that says what they are.

A file holds all that a run needs to go on or, if its header says so, only what its agent plays
with.

Reading such a file runs no code of it: safetensors holds numbers and text only, and every part of
the header is checked before anything is made from it. The header has a digest of itself and of the
arrays, so that a damaged file is not taken for another agent.
"""

from __future__ import annotations

import hashlib
import json
import math
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.game import InputError
from inarow.game.errors import InputWarning
from inarow.game.files import read_whole, write_whole
from inarow.learn.options import OptionValue

FORMAT = "inarow agent 2"  # changes when a file means something else than before
EARLIER = ("inarow agent 1",)  # options had other names
KEY = "inarow"  # of the header among the metadata of the file
SHIPPED = Path(__file__).resolve().parent / "agents"  # an installer has checked these files
SUFFIX = ".safetensors"
LONGEST_HEADER = 1_000_000  # bytes; what is longer is something else
LONGEST_TEXT = 1000  # characters of a name
# What reading JSON that anybody may have written ends in, where it is none or not what was meant.
DAMAGED = "damaged, or something else"
DAMAGES = (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError)


@dataclass(frozen=True)
class Header:
    """What made the arrays of a file: game, learner, options, opponent, seed and games."""

    game: str
    learner: str
    options: dict[str, OptionValue]
    against: str | None  # the trainer's name; None where the learner played itself
    seed: int
    games: int
    version: str  # of inarow
    resumable: bool = True  # False where the file holds an agent to play with and no more


def pack(header: Header, arrays: Arrays) -> bytes:
    """Return a run as the content of a file."""
    from safetensors.numpy import save

    # One entry: the order of several would differ from run to run, and with it the bits.
    parts = asdict(header)
    text = json.dumps({"format": FORMAT, **parts, "digest": digest_of_agent(parts, arrays)})
    return save(arrays, metadata={KEY: text})


def digest_of_agent(parts: dict[str, Any], arrays: Arrays) -> str:
    """A digest of the parts of a header and of the arrays that they made."""
    text = json.dumps(parts, sort_keys=True) + digest_of(arrays)
    return hashlib.sha256(text.encode()).hexdigest()


def digest_of(arrays: Arrays) -> str:
    """Return a digest of arrays: their names, types, shapes and values."""
    digest = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        stored = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        about = [name, array.dtype.kind, array.dtype.itemsize, array.shape]
        digest.update(json.dumps(about).encode())
        digest.update(stored.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def unpack(content: bytes, name: str) -> tuple[Header, Arrays]:
    """Return the header and arrays that `pack` packed; `name` is what a complaint calls it."""
    header, arrays, _ = _checked(content, name)
    return header, arrays


def _checked(content: bytes, name: str) -> tuple[Header, Arrays, bool]:
    """Return what `pack` packed, and whether there was a digest that says so."""
    what = f"{name} is not a saved agent: it is"
    try:
        text = _metadata(content[: 8 + LONGEST_HEADER]).get(KEY)
    except DAMAGES:
        raise InputError(f"{what} {DAMAGED if content else 'empty'}") from None
    if text is None:
        raise InputError(f"{name} is not an agent of this program: it has no header of inarow's")
    header, digest = _header(text, name)
    arrays = read_arrays(content, what.removesuffix(" is"))
    # For a short time the digest was of the arrays alone.
    if digest not in (None, digest_of_agent(asdict(header), arrays), digest_of(arrays)):
        raise InputError(f"{name} is damaged: it is not what was saved")
    return header, arrays, digest is not None


def read_arrays(content: bytes, name: str) -> Arrays:
    """Return the arrays of a file without a header of ours, such as a state in a study."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        found: Arrays = load(content)
    except (SafetensorError, *DAMAGES):
        raise InputError(f"{name} is {DAMAGED}") from None
    return found


def write_agent(path: Path, header: Header, arrays: Arrays) -> None:
    """Store a run in a file."""
    write_whole(path, pack(header, arrays))


def read_agent(path: Path) -> tuple[Header, Arrays]:
    """Return the run that a file holds; one of an earlier version without a digest is noted."""
    header, arrays, checked = _checked(read_whole(path), str(path))
    if not checked and path.resolve().parent != SHIPPED:
        text = f"{path} has no digest, so damage to it would not be noticed: save it again"
        warnings.warn(text, InputWarning, stacklevel=2)
    return header, arrays


def read_header(path: Path) -> Header:
    """Read a file's header without its arrays."""
    try:
        if not path.exists():
            raise InputError(f"there is no file {path}")
        if not path.is_file():
            raise ValueError
        with path.open("rb") as file:
            text = _metadata(file.read(8 + LONGEST_HEADER))[KEY]
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    except InputError:
        raise
    except DAMAGES:
        raise InputError(f"{path} is not a saved agent") from None
    return _header(text, str(path))[0]


def _metadata(content: bytes) -> Any:
    """Return what a safetensors file says of itself, by the bytes that it begins with."""
    length = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + length]).get("__metadata__") or {}


def _header(text: str, name: str) -> tuple[Header, str | None]:
    """Return the header and its digest of the arrays, if every part is there and of its kind."""
    kinds: dict[str, Any] = {
        "game": str,
        "learner": str,
        "options": dict,
        "against": str | None,
        "seed": int,
        "games": int,
        "version": str,
        "resumable": bool,
    }
    assert kinds.keys() == {field.name for field in fields(Header)}
    try:
        given = json.loads(text)
        if not isinstance(given, dict):
            raise TypeError("it is not a JSON object")
        found = given.pop("format", None)
        if found in EARLIER:
            raise TypeError("it is of an earlier version of inarow, so train the agent again")
        if found != FORMAT:
            raise TypeError(f"its format is not {FORMAT!r}")
        digest = given.pop("digest", None)
        if not isinstance(digest, str | None):
            raise TypeError(f"its digest is {digest!r}")
        for part, kind in kinds.items():
            if part not in given:
                raise TypeError(f"it has no {part}")
            value = given[part]
            if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
                raise TypeError(f"its {part} is {value!r}")
            if isinstance(value, str) and len(value) > LONGEST_TEXT:
                raise TypeError(f"its {part} has {len(value):,} characters")
        if not 0 <= given["games"] <= MAX_GAMES:
            raise TypeError(f"its games must be between 0 and {MAX_GAMES}")
        if given.keys() != kinds.keys():
            raise TypeError(f"{min(given.keys() - kinds.keys())!r} is none of its parts")
        return Header(**given), digest
    except DAMAGES as error:
        why = "it is nested too deep" if isinstance(error, RecursionError) else error
        raise InputError(f"the header of {name} cannot be used: {why}") from None


# What the arrays of a run may hold: shapes, types and ranges, declared before any is made.
#
# Compiled code has no bounds checks, so an index, a count or a size that comes from a file must be
# in its range before a loop sees it. A learner says of each array that it saves what shape it has,
# of which type it is and what its values are between; files are checked against that alone. An
# array of whole numbers without a range cannot be declared.

Numbers = npt.NDArray[Any]  # of any type
Arrays = dict[str, Numbers]

MAX_BYTES = 2**30  # of all arrays of a run
MAX_GAMES = 10**12  # of a run
SMALL_UNITS = 256  # of a weight that is stored with 8 bits: whole numbers from -127 to 127
LARGEST_WORD = 2**64 - 1


def to_small(weights: Numbers) -> npt.NDArray[np.int8]:
    """Return weights as whole numbers of 8 bits, for agents that only play.

    Sums of such numbers are exact in any order, and with them the moves: the same everywhere.
    """
    return np.clip(np.rint(weights * SMALL_UNITS), -127, 127).astype(np.int8)


def from_small(numbers: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
    """Return the weights that whole numbers of 8 bits stand for."""
    return numbers.astype(np.float32) / np.float32(SMALL_UNITS)


class Field(NamedTuple):
    """One array of a run."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    low: float  # the least value, and for real numbers finite ones only
    high: float  # the greatest
    zero: bool = True  # whether all of it may be 0
    shorter: bool = False  # whether it may have fewer numbers, in one dimension


Layout = dict[str, Field]


def whole(shape: tuple[int, ...], low: int, high: int, kind: npt.DTypeLike = np.int64) -> Field:
    """Declare an array of whole numbers: indices, counts, states."""
    limits, dtype = np.iinfo(kind), np.dtype(kind)
    if not limits.min <= low <= high <= limits.max:
        raise TypeError(f"whole numbers between {low} and {high} are not of type {dtype}")
    return Field(shape, dtype, low, high)


def real(shape: tuple[int, ...], kind: npt.DTypeLike = np.float64, low: float = -math.inf) -> Field:
    """Declare an array of finite numbers: values and weights."""
    if np.dtype(kind).kind != "f":
        raise TypeError(f"{np.dtype(kind)} holds whole numbers: say their range")
    return Field(shape, np.dtype(kind), low, math.inf)


def random_stream() -> Field:
    """Return the four words of a random stream; of all others, four zeros would stay zeros."""
    return Field((4,), np.dtype(np.uint64), 0, LARGEST_WORD, zero=False)


def bytes_up_to(most: int) -> Field:
    """Declare an array of bytes that has as many as are needed, up to a limit."""
    return Field((most,), np.dtype(np.uint8), 0, 255, shorter=True)


def game_counts() -> Field:
    """Declare the array `counts` of a run."""
    return whole((5,), 0, MAX_GAMES)


def bytes_of(layout: Layout) -> int:
    """Return the bytes that arrays of a layout take."""
    return sum(math.prod(field.shape) * field.dtype.itemsize for field in layout.values())


def check_bytes(layout: Layout) -> None:
    """Raise InputError if the arrays take more memory than those of a run may."""
    size = bytes_of(layout)
    if size > MAX_BYTES:
        raise InputError(
            f"its arrays would take {size / 2**30:,.1f} GiB: the limit is {MAX_BYTES / 2**30:g} GiB"
        )


def check_arrays(
    layout: Layout, arrays: Mapping[str, Numbers], names: Iterable[str], small: bool = False
) -> None:
    """Raise InputError if arrays from elsewhere do not fit their layout.

    They must be those of `names`, and hold what the layout says; with `small`, real numbers may be
    whole ones of 8 bits (`to_small`).
    """
    wanted = sorted(names)
    if sorted(arrays) != wanted:
        raise InputError(f"the arrays are {', '.join(sorted(arrays))}, not {', '.join(wanted)}")
    for name in wanted:
        given, field = arrays[name], layout[name]
        shrunk = small and field.dtype.kind == "f" and given.dtype == np.int8
        fits = given.shape == field.shape
        if field.shorter:
            fits = given.ndim == 1 and given.size <= field.shape[0]
        if not fits or not (given.dtype == field.dtype or shrunk):
            raise InputError(
                f"array {name} is {given.dtype}{list(given.shape)}, "
                f"not {field.dtype}{list(field.shape)}"
            )
        _check_values(name, given, field)


def _check_values(name: str, given: Numbers, field: Field) -> None:
    if not given.size:
        return
    if field.dtype.kind == "f" and not np.isfinite(given).all():
        raise InputError(f"array {name} holds values that are not finite numbers")
    least, greatest = given.min().item(), given.max().item()
    if least < field.low or greatest > field.high:
        value = least if least < field.low else greatest
        limits = f"between {field.low} and {field.high}"
        if math.isinf(field.high):
            limits = f"{field.low} or more"
        raise InputError(f"array {name} holds {value}: its values must be {limits}")
    if not field.zero and not given.any():
        raise InputError(f"array {name} holds zeros only: no random stream does")
