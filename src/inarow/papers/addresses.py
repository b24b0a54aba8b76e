"""The settings of a paper by name: every condition has an address, as `cube:self-play/small`.

An address is the paper, the part of its study (which the first part leaves out) and the labels of
the condition. It names what the study runs at the paper's own scale, so what trains as in an
address is what the study trains, bit for bit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from inarow.game import InputError
from inarow.lab.studies.study import Config
from inarow.lab.training.driver import KNOWN, options_in
from inarow.learn.options import options_of_type
from inarow.learn.registry import learner, learner_type
from inarow.papers.paper import Paper, paper_of
from inarow.papers.study import PAPER, Condition, Part

LITERAL = "literal"  # instead of a part: what the text says word by word, where the study differs
TRAINING = ("game", "learner", "against", "games", "stop_games", "check_every")  # and its options


@dataclass(frozen=True)
class Address:
    """A condition of a paper by name."""

    paper: Paper
    part: Part
    condition: Condition
    text: str

    @property
    def parameters(self) -> Config:
        """Return the parameters as a study file has them."""
        if not self.condition.trains:
            part = self.part.name
            raise InputError(
                f"{self.text} is not a training run of one learner: "
                f"`inarow reproduce {self.paper.address} --part {part}` runs it"
            )
        return self.condition.training

    def said(self) -> Iterator[tuple[str, object, str]]:
        """Yield what training sets, and where the paper says so; nothing where we chose it."""
        given = {name: value for name, value in self.parameters.items() if name in TRAINING}
        kind = {**KNOWN, **given}["learner"]
        for name, value in {**given, **options_in(self.parameters)}.items():
            if value is not None:
                yield name, value, _place(self.paper, kind, name, value)

    def defaults(self) -> dict[str, object]:
        """Return the options of the learner that are left as they are by default."""
        options = options_in(self.parameters)
        kind = {**KNOWN, **self.parameters}["learner"]
        made = learner(kind, options)
        return {
            name: getattr(made, name)
            for name in options_of_type(learner_type(kind))
            if name not in options
        }


def _place(paper: Paper, learner: str, name: str, value: object) -> str:
    """Return the place of a setting among what the paper publishes."""
    for entry in paper.published.entries.values():
        of, _, option = entry.sets.rpartition(".")
        known = None
        if entry.sets == learner and isinstance(entry.value, Mapping):
            known = entry.value.get(name)
        elif option == name and of in ("", learner):
            known = entry.value
        if known is not None and _begins_with(value, known):
            return entry.source
    return ""


def _begins_with(value: object, published: object) -> bool:
    """Tell whether a value is the published one, or a schedule that begins with it."""
    if isinstance(value, str) and isinstance(published, int | float):
        begin = re.match(r"[\d.]+(?=\*)", value)
        return begin is not None and float(begin[0]) == published
    return value == published


def shown_value(value: object) -> str:
    """Write a setting: whole numbers in groups of three, others without digits that say nothing."""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return re.sub(r"\d+\.\d{9,}", lambda found: f"{float(found[0]):.9g}", str(value))


def addresses(name: str) -> list[Address]:
    """Return all conditions of a paper."""
    return list(_addresses(name).values())


@cache  # a paper's definition is loaded once, and some have thousands of conditions
def _addresses(name: str) -> dict[str, Address]:
    """Return the conditions of a paper by what stands after its name."""
    paper = paper_of(name)
    typed = paper.address
    found: dict[str, Address] = {}
    for number, part in enumerate(paper.parts):
        for condition in part.conditions_at(PAPER):
            labels = "/".join(_word(str(label)) for label in condition.labels.values())
            named = labels if number == 0 else f"{part.name.lower()}/{labels}"
            found[named] = Address(paper, part, condition, f"{typed}:{named}")
    for condition in paper.literal:
        labels = "/".join(_word(str(label)) for label in condition.labels.values())
        named = f"{LITERAL}/{labels}"
        found[named] = Address(paper, paper.parts[0], condition, f"{typed}:{named}")
    return found


def _word(label: str) -> str:
    """Return a label without blanks, which a shell would take apart."""
    return re.sub(r"[^A-Za-z0-9.:^+*_-]+", "-", label).strip("-").lower()


def address(text: str) -> Address:
    """Return the condition that an address names."""
    name, colon, labels = text.partition(":")
    if not (colon and labels):
        raise InputError(
            f"{text!r} is not the address of a paper's settings, as cube:self-play/deep-structured"
        )
    found = _addresses(name)
    if labels.lower() not in found:
        there = f"`inarow reproduce {name} --conditions` lists them"
        raise InputError(f"{name} has no settings {labels!r}: {there}")
    return found[labels.lower()]


def settings(text: str) -> Config:
    """Return the paper's settings that an address names, as parameters of a study's config.

    They have `game`, `learner`, `against`, `games`, options of the learner, and what the study
    evaluates: `inarow.papers.settings("cube:self-play/deep-structured")`.
    """
    return address(text).parameters
