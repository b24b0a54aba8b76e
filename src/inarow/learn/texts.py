"""What is said of the package's learners beside what their classes say: `learners.toml`."""

from __future__ import annotations

import inspect
import tomllib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from inarow.learn.learner import Learner


class LearnerText(NamedTuple):
    """For pages that explain a learner."""

    update_rule: str  # in words
    paper: str  # the reproduced paper that it comes from, or is compared in; empty without one
    code: tuple[str, ...] = ()  # where the update rule stands, as FILE:FUNCTION of inarow/learn
    figure: tuple[str, ...] = ()  # of it at work: a file of docs/papers/figures, and what it shows
    differences: tuple[str, ...] = ()  # from its paper: how the entries of its page begin


def text_of(kind: type[Learner]) -> LearnerText:
    """The text of a learner; of one from elsewhere, the rest of its docstring."""
    told = _texts().get(kind.name)
    if told is None:
        return LearnerText(" ".join((inspect.getdoc(kind) or "").split("\n")[1:]).strip(), "")
    lists = (tuple(told.get(key, ())) for key in ("rule", "figure", "differences"))
    return LearnerText(told["about"], told.get("paper", ""), *lists)


@cache
def _texts() -> dict[str, dict[str, str]]:
    return tomllib.loads((files("inarow.learn") / "learners.toml").read_text(encoding="utf-8"))
