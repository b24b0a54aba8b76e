"""Saved agents: one safetensors file, the arrays of a run and a header that says what they are.

Reading such a file runs no code of it: safetensors holds numbers and text only, and every part of
the header is checked before anything is made from it.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from inarow.game import InputError
from inarow.game.files import write_whole
from inarow.learn.learner import Arrays

FORMAT = "inarow agent 1"  # changes when a file means something else than before
SUFFIX = ".safetensors"


@dataclass(frozen=True)
class Header:
    """What made the arrays."""

    game: str
    learner: str
    options: dict[str, Any]
    against: str | None  # the trainer's name; None where the learner played itself
    seed: int
    games: int
    version: str  # of inarow


def pack(header: Header, arrays: Arrays) -> bytes:
    """A run as the content of a file."""
    from safetensors.numpy import save

    text = json.dumps(asdict(header), sort_keys=True)
    return save(arrays, metadata={"format": FORMAT, "header": text})


def unpack(content: bytes, name: str) -> tuple[Header, Arrays]:
    """What `pack` packed; `name` is what a complaint calls it."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        arrays = load(content)
        length = int.from_bytes(content[:8], "little")
        metadata = json.loads(content[8 : 8 + length]).get("__metadata__", {})
    except (SafetensorError, ValueError, KeyError) as error:
        raise InputError(f"{name} is no saved agent: {error}") from None
    if metadata.get("format") != FORMAT:
        raise InputError(
            f"{name} is no agent of this program: its format is {metadata.get('format')!r}, "
            f"not {FORMAT!r}"
        )
    return _header(metadata.get("header", ""), name), arrays


def write_agent(path: Path, header: Header, arrays: Arrays) -> None:
    """Stores a run in a file."""
    write_whole(path, pack(header, arrays))


def read_agent(path: Path) -> tuple[Header, Arrays]:
    """The run that a file holds."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    return unpack(content, str(path))


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
    }
    assert kinds.keys() == {field.name for field in fields(Header)}
    try:
        given = json.loads(text)
        for part, kind in kinds.items():
            if not isinstance(given[part], kind):
                raise TypeError(f"its {part} is {given[part]!r}")
        return Header(**given)
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"the header of {name} does not work: {error}") from None
