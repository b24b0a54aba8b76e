"""Seeded random numbers inside compiled loops: xoshiro256++ (Blackman and Vigna), four words.

A stream is named by a seed and a path of whole numbers, through `numpy.random.SeedSequence`, so
that learner, opponent, environment and evaluation never share one, and a chunk of work draws the
same numbers wherever and whenever it runs.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from inarow.engine.jit import inline
from inarow.game import InputError
from inarow.game.errors import whole_number

Stream = npt.NDArray[np.uint64]  # four words, changed by every draw

# The first step of a stream's path: what the numbers are for.
FIRST, SECOND, LEARNER, EVALUATION = range(4)


def make_stream(seed: int, *path: int) -> Stream:
    """The stream of that seed and path."""
    seed = whole_number(seed, "a seed")
    if seed < 0:
        raise InputError(f"seed {seed} is negative: a seed is a whole number from 0")
    return np.asarray(
        np.random.SeedSequence(seed, spawn_key=path).generate_state(4, np.uint64), dtype=np.uint64
    )


@inline
def next_word(stream: Stream) -> np.uint64:
    """The next 64 random bits."""
    s0, s1, s2, s3 = stream[0], stream[1], stream[2], stream[3]
    total = s0 + s3
    result = ((total << np.uint64(23)) | (total >> np.uint64(41))) + s0
    shifted = s1 << np.uint64(17)
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    s3 = (s3 << np.uint64(45)) | (s3 >> np.uint64(19))
    stream[0], stream[1], stream[2], stream[3] = s0, s1, s2, s3
    return result


@inline
def below(stream: Stream, limit: int) -> int:
    """Return a whole number from 0 to limit - 1, even to one part in 2^32 / limit."""
    return int(((next_word(stream) >> np.uint64(32)) * np.uint64(limit)) >> np.uint64(32))


@inline
def uniform(stream: Stream) -> float:
    """A number from 0 up to but not including 1, with 53 random bits."""
    return float(next_word(stream) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@inline
def mix(word: np.uint64) -> np.uint64:
    """A hash of one word (the finaliser of splitmix64)."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))
