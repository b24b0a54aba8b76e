"""Random numbers as compiled loops draw them: xoshiro256++ (Blackman and Vigna), four words."""

from __future__ import annotations

from collections.abc import Iterable

WORD = 2**64 - 1


def _rotate(word: int, by: int) -> int:
    return (word << by | word >> (64 - by)) & WORD


class RandomStream:
    """A stream of random numbers, in whole numbers cut to 64 bits."""

    def __init__(self, words: Iterable[int]) -> None:
        self.words = [int(word) for word in words]

    def next_word(self) -> int:
        """Return the next 64 random bits."""
        s = self.words
        result = (_rotate((s[0] + s[3]) & WORD, 23) + s[0]) & WORD
        shifted = (s[1] << 17) & WORD
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = _rotate(s[3], 45)
        return result

    def below(self, limit: int) -> int:
        """Return a whole number from 0 to limit - 1, by the upper half of a word."""
        return (self.next_word() // 2**32) * limit // 2**32

    def uniform(self) -> float:
        """Return a number from 0 up to 1, by the upper 53 bits of a word."""
        return (self.next_word() // 2**11) / 2**53
