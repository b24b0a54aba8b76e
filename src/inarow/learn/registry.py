"""Learners by name: the one table that commands, studies and saved agents look in."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from inarow.game import InputError
from inarow.learn.learner import with_options


class Entry(NamedTuple):
    """Where a learner is, and what to say of it."""

    module: str  # imported when it is asked for: each compiles code of its own
    kind: str
    about: str


LEARNERS = {
    "td": Entry("tabular.td", "TD", "backward TD against a trainer (hybrid paper)"),
    "q": Entry("tabular.q", "Q", "interleaved Q-learning against itself (max-min paper)"),
    "td_lambda": Entry(
        "tabular.td_lambda", "TDLambda", "TD(lambda) against itself (max-min paper)"
    ),
    "sarsa": Entry(
        "tabular.sarsa", "Sarsa", "modified SARSA against a trainer (n-dimensional paper)"
    ),
    "ntuple": Entry(
        "ntuple.learner", "NTuple", "n-tuple networks against themselves (Connect Four paper)"
    ),
    "mlp": Entry("mlp.learner", "MLP", "afterstate TD with a value network (cube paper)"),
    "line_td": Entry(
        "line_td.learner", "LineTD", "afterstate TD on shared line features, any dimension"
    ),
    "monte_carlo": Entry("monte_carlo.learner", "MonteCarlo", "deep Monte Carlo (max-min paper)"),
    "reinforce": Entry("reinforce.learner", "Reinforce", "policy gradient (n-dimensional paper)"),
}


def learner_type(name: str) -> Any:
    """The learner of that name, without options."""
    entry = LEARNERS.get(str(name).strip().replace("-", "_"))
    if entry is None:
        raise InputError(f"unknown learner {name!r}: the learners are {', '.join(LEARNERS)}")
    return getattr(import_module(f"inarow.learn.{entry.module}"), entry.kind)


def learner(name: str, options: dict[str, Any] | None = None) -> Any:
    """The learner of that name, with the options given and the others as they are by default."""
    kind = learner_type(name)
    try:
        return with_options(kind, options or {})
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
