"""inarow: a laboratory for learning to play k-in-a-row games."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from inarow.game import Game, InputError, Outcome, Position, game
from inarow.game.records import Record, read_records, write_records

if TYPE_CHECKING:
    from inarow.graph.graph import graph_of
    from inarow.lab.analysis import analyse
    from inarow.lab.anyone import certify_against_anyone
    from inarow.lab.arena import arena
    from inarow.lab.batch import batch
    from inarow.lab.best_response import best_response, exploitability
    from inarow.lab.certify import certify
    from inarow.lab.exact import exact_odds
    from inarow.lab.match import match
    from inarow.lab.players import player
    from inarow.lab.plot import plot
    from inarow.lab.results import StudyResults, compare
    from inarow.lab.runner import run_study
    from inarow.lab.study import Study, grid
    from inarow.lab.training import train
    from inarow.search.perfect import solve_or_decide as solve

__version__ = "0.2.0"

# What needs compiled code is imported when it is first asked for: positions start at once.
_LATER = {
    "Study": "inarow.lab.study",
    "StudyResults": "inarow.lab.results",
    "analyse": "inarow.lab.analysis",
    "arena": "inarow.lab.arena",
    "batch": "inarow.lab.batch",
    "best_response": "inarow.lab.best_response",
    "certify": "inarow.lab.certify",
    "certify_against_anyone": "inarow.lab.anyone",
    "compare": "inarow.lab.results",
    "exact_odds": "inarow.lab.exact",
    "exploitability": "inarow.lab.best_response",
    "graph_of": "inarow.graph.graph",
    "grid": "inarow.lab.study",
    "match": "inarow.lab.match",
    "player": "inarow.lab.players",
    "plot": "inarow.lab.plot",
    "run_study": "inarow.lab.runner",
    "solve": "inarow.search.perfect:solve_or_decide",
    "train": "inarow.lab.training",
}

__all__ = [
    "Game",
    "InputError",
    "Outcome",
    "Position",
    "Record",
    "Study",
    "StudyResults",
    "__version__",
    "analyse",
    "arena",
    "batch",
    "best_response",
    "certify",
    "certify_against_anyone",
    "compare",
    "exact_odds",
    "exploitability",
    "game",
    "graph_of",
    "grid",
    "match",
    "player",
    "plot",
    "read_records",
    "run_study",
    "solve",
    "train",
    "write_records",
]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    if name in _LATER:
        module, _, attribute = _LATER[name].partition(":")
        globals()[name] = found = getattr(import_module(module), attribute or name)
        return found
    raise AttributeError(f"module 'inarow' has no attribute '{name}'")
