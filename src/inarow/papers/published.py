"""What a paper publishes: every number and claim once, with its place, from `published.toml`.

A section of the file is an *entry*: a claim (`text`, and `value` where it has a number), or a table
of numbers (`title`, and the numbers by their labels: nested tables). Each says its `source`. What a
spec takes is recorded, so that a test can ask whether everything is used, and once.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inarow.game import InputError

ABOUT = ("source", "title", "text", "value", "unit", "headline", "quote")
# A number, a text, several numbers, or a mean with its deviation: what a paper prints.
PublishedValue = Any
Leaf = tuple[tuple[str, ...], PublishedValue]  # of a table: its labels, and what stands there

PAPER = "paper"  # the section that is no entry: title, reference, runs


@dataclass(frozen=True)
class Entry:
    """A claim or a table of a paper."""

    name: str
    source: str
    title: str = ""  # of a table: what its numbers are
    text: str = ""  # of a claim: what is claimed, in short
    quote: str = ""  # as the paper says it
    value: PublishedValue = None  # the number in a claim, or several
    unit: str = ""
    headline: bool = False  # the abstract or the conclusion says it
    numbers: Mapping[str, PublishedValue] = field(default_factory=dict)

    def leaves(self) -> Iterator[Leaf]:
        """The labels of every number of a table, and the number."""
        yield from _leaves(self.numbers, ())


def _leaves(numbers: Mapping[str, PublishedValue], path: tuple[str, ...]) -> Iterator[Leaf]:
    for label, value in numbers.items():
        if isinstance(value, Mapping) and "mean" not in value:
            yield from _leaves(value, (*path, label))
        else:
            yield (*path, label), value


class Published:
    """The entries of a file."""

    def __init__(self, path: Path) -> None:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
        self.paper: dict[str, PublishedValue] = said.pop(PAPER)
        self.entries = {name: _entry(path, name, section) for name, section in said.items()}
        self.used: list[str] = []

    def take(self, name: str) -> Entry:
        """An entry, for a spec."""
        if name not in self.entries:
            raise InputError(f"the paper's published.toml has no {name!r}")
        self.used.append(name)
        return self.entries[name]

    def value(self, name: str) -> PublishedValue:
        """The number of an entry, for a spec."""
        return self.take(name).value


def _entry(path: Path, name: str, section: Mapping[str, PublishedValue]) -> Entry:
    if not section.get("source"):
        raise InputError(f"{path}: {name} does not say where in the paper it stands")
    about = {key: section[key] for key in ABOUT if key in section}
    numbers = {key: value for key, value in section.items() if key not in ABOUT}
    return Entry(name, **about, numbers=numbers)
