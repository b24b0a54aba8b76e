"""Saved agents: one safetensors file, the arrays of a run and a header that says what they are.

A file holds all that a run needs to go on or, if its header says so, only what its agent plays
with.

Reading such a file runs no code of it: safetensors holds numbers and text only, and every part of
the header is checked before anything is made from it.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from inarow.game import InputError
from inarow.game.files import read_whole, write_whole
from inarow.learn.arrays import MAX_GAMES, Arrays
from inarow.learn.options import OptionValue

FORMAT = "inarow agent 2"  # changes when a file means something else than before
EARLIER = ("inarow agent 1",)  # options had other names
KEY = "inarow"  # of the header among the metadata of the file
SUFFIX = ".safetensors"
LONGEST_HEADER = 1_000_000  # bytes; what is longer is something else
LONGEST_TEXT = 1000  # characters of a name
# What reading JSON that anybody may have written ends in, where it is none or not what was meant.
DAMAGED = "damaged, or something else"
DAMAGES = (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError)


@dataclass(frozen=True)
class Header:
    """What made the arrays."""

    game: str
    learner: str
    options: dict[str, OptionValue]
    against: str | None  # the trainer's name; None where the learner played itself
    seed: int
    games: int
    version: str  # of inarow
    resumable: bool = True  # False where the file holds an agent to play with and no more


def pack(header: Header, arrays: Arrays) -> bytes:
    """A run as the content of a file."""
    from safetensors.numpy import save

    # One entry: the order of several would differ from run to run, and with it the bits.
    text = json.dumps({"format": FORMAT, **asdict(header)})
    return save(arrays, metadata={KEY: text})


def unpack(content: bytes, name: str) -> tuple[Header, Arrays]:
    """What `pack` packed; `name` is what a complaint calls it."""
    what = f"{name} is not a saved agent: it is"
    try:
        text = _metadata(content[: 8 + LONGEST_HEADER]).get(KEY)
    except DAMAGES:
        raise InputError(f"{what} {DAMAGED if content else 'empty'}") from None
    if text is None:
        raise InputError(f"{name} is not an agent of this program: it has no header of inarow's")
    return _header(text, name), read_arrays(content, what.removesuffix(" is"))


def read_arrays(content: bytes, name: str) -> Arrays:
    """The arrays of a file without a header of ours, such as a state in a study."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        found: Arrays = load(content)
    except (SafetensorError, *DAMAGES):
        raise InputError(f"{name} is {DAMAGED}") from None
    return found


def write_agent(path: Path, header: Header, arrays: Arrays) -> None:
    """Stores a run in a file."""
    write_whole(path, pack(header, arrays))


def read_agent(path: Path) -> tuple[Header, Arrays]:
    """The run that a file holds."""
    return unpack(read_whole(path), str(path))


def read_header(path: Path) -> Header:
    """What made the arrays of a file, without reading them."""
    try:
        if not path.is_file():
            raise ValueError
        with path.open("rb") as file:
            text = _metadata(file.read(8 + LONGEST_HEADER))[KEY]
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    except DAMAGES:
        raise InputError(f"{path} is not a saved agent") from None
    return _header(text, str(path))


def _metadata(content: bytes) -> Any:
    """What a safetensors file says of itself, by the bytes that it begins with."""
    length = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + length]).get("__metadata__") or {}


def _header(text: str, name: str) -> Header:
    """The header, if every part is there and of its kind."""
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
        return Header(**given)
    except DAMAGES as error:
        why = "it is nested too deep" if isinstance(error, RecursionError) else error
        raise InputError(f"the header of {name} cannot be used: {why}") from None
