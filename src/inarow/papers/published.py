"""What a paper publishes: every number and claim once, with its place, from `published.toml`.

A section of the file is an *entry*: a claim (`text`, and `value` where it has a number), a table of
numbers (`title`, and the numbers by their labels: nested tables), or a setting of the study
(`setting = true`). Each says its `source`. What is written in none of the known words is refused.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inarow.game import InputError
from inarow.game.files import read_whole

# A number, a text, several numbers, or a mean with its deviation: what a paper prints.
PublishedValue = Any
Leaf = tuple[tuple[str, ...], PublishedValue]  # of a table: its labels, and what stands there

FILE = "published.toml"
PAPER = "paper"  # the section that is no entry
ABOUT_PAPER = ("title", "reference", "learned", "own", "tables", "figures", "illustrations")
TEXTS = (
    "source", "title", "text", "quote", "unit", "reason", "part", "class", "repeats", "game",
    "sets",
)  # fmt: skip
ABOUT = {**dict.fromkeys(TEXTS, str), "headline": bool, "setting": bool, "digits": int}
VALUE = "value"
MEASURED, ARITHMETIC = "measured", "arithmetic"  # by runs; by counting, or from printed numbers
BY_CONSTRUCTION = "by construction"  # as we built it
LITERATURE = "literature"  # said of others' work
OWN = "own"  # a claim of ours
CLASSES = (MEASURED, ARITHMETIC, BY_CONSTRUCTION, LITERATURE, OWN)


@dataclass(frozen=True)
class Entry:
    """A claim, a table or a setting of a paper."""

    name: str
    source: str
    title: str = ""  # of a table: what its numbers are
    text: str = ""  # of a claim: what is claimed, in short
    quote: str = ""  # as the paper says it
    value: PublishedValue = None  # the number in a claim, or several
    unit: str = ""
    digits: int = 0  # after the point, of our values
    reason: str = ""  # what was found, by a test, where ours differs
    part: str = ""  # of the study, where it is not the first
    headline: bool = False  # the abstract or the conclusion says it
    setting: bool = False  # how the study was run: it is used, not tested
    sets: str = ""  # of a setting: what it sets in training, as games, mlp.alpha, or all of sarsa
    class_: str = MEASURED  # what kind of evidence there is: one of CLASSES
    repeats: str = ""  # an entry whose statistic this one judges again
    game: str = ""  # that it is about, where only one of the paper's; `both`: neither alone
    numbers: Mapping[str, PublishedValue] = field(default_factory=dict)

    def leaves(self) -> Iterator[Leaf]:
        """Yield the labels of every number of a table, and the number."""
        yield from _leaves(self.numbers, ())


def _leaves(numbers: Mapping[str, PublishedValue], path: tuple[str, ...]) -> Iterator[Leaf]:
    for label, value in numbers.items():
        if isinstance(value, Mapping) and "mean" not in value:
            yield from _leaves(value, (*path, label))
        else:
            yield (*path, label), value


class Published:
    """The entries of the `published.toml` beside a file of the paper."""

    def __init__(self, beside: Path | str) -> None:
        self.folder = Path(beside).parent
        path = self.folder / FILE
        said = _read(path)
        about = said.pop(PAPER, None)
        if not isinstance(about, dict) or not {"title", "reference"} <= about.keys():
            raise InputError(f"{path} has no section [paper] with title and reference")
        _refuse_unknown(f"{path}: [paper]", about, ABOUT_PAPER)
        self.paper: dict[str, PublishedValue] = about
        self.entries = {name: _entry(f"{path}: {name}", name, said[name]) for name in said}
        self.asked: set[str] = set()

    def __getitem__(self, name: str) -> Entry:
        """Return an entry."""
        if name not in self.entries:
            raise InputError(f"{self.folder / FILE} has no {name!r}")
        self.asked.add(name)
        return self.entries[name]

    def value(self, name: str) -> PublishedValue:
        """Return the number of an entry, or the numbers."""
        return self[name].value


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_whole(path).decode("utf-8"))
    except ValueError as error:  # no TOML, or no text
        raise InputError(f"{path} is not TOML: {error}") from None


def _entry(where: str, name: str, section: PublishedValue) -> Entry:
    if not isinstance(section, dict):
        raise InputError(f"{where} stands in no section")
    about = {key: section[key] for key in ABOUT if key in section}
    for key, value in about.items():
        if type(value) is not ABOUT[key]:
            kind = {str: "a text", bool: "true or false", int: "a whole number"}[ABOUT[key]]
            raise InputError(f"{where}: {key} is {kind}, not {value!r}")
    if not about.get("source"):
        raise InputError(f"{where} does not say where in the paper it stands (source)")
    if about.get("sets") and not about.get("setting"):
        raise InputError(f"{where} sets something, and is no setting (setting = true)")
    if not (about.get("title") or about.get("text")):
        raise InputError(f"{where} has neither text nor title")
    class_ = about.pop("class", MEASURED)
    if class_ not in CLASSES:
        raise InputError(f"{where}: unknown class {class_!r}: there is {', '.join(CLASSES)}")
    numbers = {key: value for key, value in section.items() if key not in (*ABOUT, VALUE)}
    if "title" not in about:  # no table: nothing is a label
        _refuse_unknown(where, section, (*ABOUT, VALUE))
    entry = Entry(name, **about, class_=class_, value=section.get(VALUE), numbers=numbers)
    _check_numbers(where, entry)
    return entry


def _check_numbers(where: str, entry: Entry) -> None:
    """Refuse a table whose labels are not all as deep, or whose numbers are of several kinds."""
    leaves = list(entry.leaves())
    if entry.title and not leaves:
        raise InputError(f"{where} is a table without numbers")
    for path, value in leaves:
        if isinstance(value, Mapping):
            _refuse_unknown(f"{where}: {'.'.join(path)}", value, ("mean", "deviation"))
        first_path, first = leaves[0]
        if len(path) != len(first_path) or isinstance(value, str) != isinstance(first, str):
            raise InputError(
                f"{where}: {'.'.join(path)} = {value!r} is not like {'.'.join(first_path)}"
            )


def _refuse_unknown(where: str, given: Mapping[str, object], known: tuple[str, ...]) -> None:
    for key in given:
        if key not in known:
            raise InputError(f"{where}: unknown {key!r}: there is {', '.join(known)}")
