"""How something sound is made unsound: in its bytes, its header, its arrays, its text."""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Callable
from typing import Any

import numpy as np
from safetensors.numpy import load, save

from inarow.learn.saved import KEY, digest_of_agent

NESTED = '{"a":' * 3000 + "1" + "}" * 3000
NAMES = [
    "tictactoe", "connect4:4x4", "connect4:6x7", "qubic", "cube", "mnk:64x64x5", "mnk:4x4x4",
    "ntictactoe:3^3", "ntictactoe:2^12", "board:32x31,k=5", "board:1x1,k=1", "board:2x2,k=1",
    "board:4096,k=1", "board:3x3x3,k=2,gravity,scoring", "chess", "", ":", "mnk:0x0x0",
    "connect4:99999x9", "mnk:3x3x2", "../../etc/passwd.safetensors", "random", "perfect",
    "minimax:9999", "minimax:3/0s", "ntuple:99", "td", "mlp", "reinforce", "attack@lines",
]  # fmt: skip
TEXTS = [
    "x", "[/b]", "[red]", "\x1b[31m", "\x1b]0;x\x07", "\u202e", "\ud800", "\0", "a" * 5000,
    "0.5*0.9/" + "9" * 400, "0.5*0/1", "1e999", "-1", "nan", "0.1>9", "lines:4,32", "lines:99999",
    "100000,100000", "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", "0,1,2", "0,0", "0,1,2,3,4,5,6,7,8",
    ",".join(map(str, range(64))), "double", "paper", "yes", "no", "first", "1/0", "1/7", NESTED,
    "9" * 5000, "[" * 5000, "[" * 500 + "]" * 500,
]  # fmt: skip
NUMBERS: list[Any] = [
    0, -1, 1, 2, 3, 5, 17, 64, 65, 992, 1057, 40_000, 10**6, 2**31 - 1, 2**31, 2**32, 2**53,
    2**63 - 1, 2**63, 2**64, 10**400, -(10**9), -(2**63), 0.5, 1.5, -0.5, 1e-320, 1e30, 1e308,
    -1e308, float("nan"), float("inf"), float("-inf"), True, False, None,
]  # fmt: skip
DTYPES = (np.int8, np.uint8, np.int16, np.int64, np.uint64, np.float16, np.float32, np.float64)


def odd(chance: random.Random) -> Any:
    """A value that somebody might put into a file, and nobody should."""
    choices: list[Callable[[], Any]] = [
        lambda: chance.choice(NUMBERS),
        lambda: chance.choice(NUMBERS),
        lambda: chance.choice(TEXTS),
        lambda: chance.choice(NAMES),
        lambda: chance.randrange(-(2**66), 2**66),
        lambda: chance.uniform(-2, 2),
        list, dict,
        lambda: [chance.choice(NUMBERS)] * 3,
        lambda: {chance.choice(TEXTS[:9]): chance.choice(NUMBERS)},
    ]  # fmt: skip
    return chance.choice(choices)()


def bent_bytes(content: bytes, chance: random.Random, header: int = 0) -> bytes:
    """Some bytes changed, cut out or put in; more often among the first ones of a header."""
    changed = bytearray(content)
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        size = len(changed) if chance.random() < 0.4 or not header else min(header, len(changed))
        if not size:
            break
        place = chance.randrange(size)
        match chance.randrange(6):
            case 0 | 1:
                changed[place] ^= 1 << chance.randrange(8)
            case 2:
                changed[place] = chance.choice((0, 255, chance.randrange(256)))
            case 3:
                del changed[place : place + chance.choice((1, 4, 100, 10**6))]
            case 4:
                changed[place:place] = bytes(chance.choices(range(256), k=chance.choice((1, 9))))
            case _:
                other = chance.randrange(size)
                changed[place : place + 8] = changed[other : other + 8]
    return bytes(changed)


def bent_text(text: str, chance: random.Random) -> str:
    """The same for a text, with texts of our own put in: a character here, a word there."""
    for _ in range(chance.choice((0, 1, 1, 2, 4))):
        place = chance.randrange(len(text) + 1)
        length = chance.choice((0, 1, 1, 2, 30))
        near = text[max(0, place - 9) : place + 9] or "1"
        put = chance.choice(
            (
                "", " ", "1", chance.choice(near), chance.choice(near),
                chr(chance.randrange(1, 0x2FF)), str(chance.choice(NUMBERS)),
                chance.choice(TEXTS), chance.choice(NAMES),
            )
        )  # fmt: skip
        text = text[:place] + put + text[place + length :]
    return text


def bent_json(content: bytes, chance: random.Random) -> bytes:
    """JSON with other values in some places, with parts less or more; or damaged, or nested."""
    if chance.random() < 0.2:
        return bent_bytes(content, chance)
    whole: Any = [json.loads(content)]
    for _ in range(chance.choice((0, 1, 1, 2))):
        place, key = whole, 0
        while isinstance(place[key], dict | list) and place[key] and chance.random() < 0.9:
            place = place[key]
            key = chance.choice(list(place) if isinstance(place, dict) else range(len(place)))
        match chance.randrange(6):
            case 0 if place is not whole:
                del place[key]
            case 1 if isinstance(place, dict):
                place[chance.choice(TEXTS[:8])] = odd(chance)
            case 2 if isinstance(place, list) and place is not whole:
                place += [place[key]] * chance.choice((1, 20))
            case 3 if isinstance(place[key], str):
                place[key] = bent_text(place[key], chance)
            case _:
                place[key] = odd(chance)
    text = json.dumps(whole[0])
    if chance.random() < 0.05:
        text = text.replace("1", NESTED, 1)
    return text.encode()


def bent_agent(content: bytes, chance: random.Random) -> bytes:
    """A saved agent, damaged or crafted."""
    length = int.from_bytes(content[:8], "little")
    if chance.random() < 0.25:
        return bent_bytes(content, chance, 8 + length)
    arrays = {name: array.copy() for name, array in load(content).items()}
    metadata = json.loads(content[8 : 8 + length])["__metadata__"]
    for _ in range(chance.choice((1, 1, 2, 3))):
        if chance.random() < 0.5:
            metadata = _bent_header(metadata, chance)
        else:
            arrays = _bent_arrays(arrays, chance)
    try:
        return save(arrays, metadata=signed(metadata, arrays, chance))
    except (ValueError, TypeError, UnicodeEncodeError):
        return bent_bytes(content, chance, 8 + length)


def signed(
    metadata: dict[str, str], arrays: dict[str, Any], chance: random.Random
) -> dict[str, str]:
    """Mostly with the digest of the agent as it is, so that more than that is put to test."""
    with contextlib.suppress(ValueError, TypeError, AttributeError, RecursionError):
        header = json.loads(metadata[KEY])
        if isinstance(header, dict) and chance.random() < 0.9:
            parts = {key: header[key] for key in header if key not in ("format", "digest")}
            return {KEY: json.dumps({**header, "digest": digest_of_agent(parts, arrays)})}
    return metadata


def _bent_header(metadata: dict[str, str], chance: random.Random) -> dict[str, str]:
    try:
        header = json.loads(metadata[KEY])
        options = header["options"]
        match chance.randrange(10):
            case 0:
                header.pop(chance.choice(list(header)))
            case 1 | 2:
                header[chance.choice(list(header))] = odd(chance)
            case 3:
                header["game"] = chance.choice(NAMES)
            case 4:
                return {KEY: chance.choice((NESTED, "null", "[]", "{}", '"x"', "1", "{"))}
            case 5:
                options[chance.choice(TEXTS[:8])] = odd(chance)
            case 6:
                options.pop(chance.choice(list(options)))
            case _:
                options[chance.choice(list(options))] = odd(chance)
        return {KEY: json.dumps(header)}
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        return metadata  # bent before


def _bent_arrays(arrays: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    if not arrays:
        return {"counts": np.zeros(5, dtype=np.int64)}
    # Indices and counts more often than weights: these are what a loop goes astray with.
    whole = [name for name, array in arrays.items() if array.dtype.kind == "i"]
    name = chance.choice([*arrays, *whole, *whole])
    array = arrays[name]
    match chance.randrange(12):
        case 0:
            arrays[name] = array.reshape(-1)[: chance.randrange(array.size + 1)].copy()
        case 1:
            arrays[name] = np.zeros(array.shape, dtype=chance.choice(DTYPES))
        case 2:
            arrays[chance.choice(TEXTS[:9])] = arrays.pop(name)
        case 3:
            arrays.pop(name)
        case _ if array.size:
            flat = array.reshape(-1)
            limits = np.iinfo(array.dtype) if array.dtype.kind in "iu" else np.finfo(array.dtype)
            values = [limits.min, limits.max, 0, 1, flat[0]]
            if array.dtype.kind == "f":
                values += [np.nan, np.inf, -np.inf, limits.tiny, limits.max / 2]
            else:
                values += [limits.max // 2, limits.max - 1, array.size]
                values += [-1, -(10**9), -(10**12), 10**12] if limits.min < -(10**12) else [9]
            with np.errstate(all="ignore"):
                value = np.array(chance.choice(values)).astype(array.dtype)
            flat[chance.choice((0, -1, slice(None), slice(0, None, 3)))] = value
            arrays[name] = flat.reshape(array.shape)
    return arrays
