"""Functions to compile, in a module all of whose imports are known: else nothing is kept."""

from __future__ import annotations

from typing import Any

from inarow.engine.jit import inline


def add_up(numbers: Any) -> int:
    """The sum of some numbers."""
    total = 0
    for number in numbers:
        total += number
    return total


def first_of(pair: Any) -> int:
    """A part of a named tuple."""
    return pair.one


@inline
def double(number: int) -> int:
    """Twice a number."""
    return 2 * number


def add_up_doubles(numbers: Any) -> int:
    """The sum of the doubles of some numbers."""
    total = 0
    for number in numbers:
        total += double(number)
    return total


def add_constants(number: int) -> int:
    """A sum of doubles, two of them of constants."""
    return double(1) + double(2) + double(number)
