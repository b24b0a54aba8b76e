"""inarow: a laboratory for learning to play k-in-a-row games."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from inarow.game import Game, InputError, Outcome, Position, game
from inarow.game.records import Record, read_records, write_records

if TYPE_CHECKING:
    from inarow.graph.graph import graph_of
    from inarow.lab.certificates.anyone import certify_against_anyone
    from inarow.lab.certificates.best_response import best_response, exact_odds, exploitability
    from inarow.lab.certificates.certify import certify
    from inarow.lab.evaluation import evaluation
    from inarow.lab.matches.arena import arena
    from inarow.lab.matches.batch import batch
    from inarow.lab.matches.match import match
    from inarow.lab.players.names import player
    from inarow.lab.plots.plot import plot
    from inarow.lab.studies.results import StudyResults, compare
    from inarow.lab.studies.runner import run_study
    from inarow.lab.studies.study import Study, grid
    from inarow.lab.training.run import train
    from inarow.lab.values.analysis import analyse
    from inarow.search.perfect import score
    from inarow.search.perfect import solve_or_decide as solve

__version__ = "0.2.0"

# What needs compiled code is imported when it is first asked for: positions start at once.
_LATER = {
    "Study": "inarow.lab.studies.study",
    "StudyResults": "inarow.lab.studies.results",
    "analyse": "inarow.lab.values.analysis",
    "arena": "inarow.lab.matches.arena",
    "batch": "inarow.lab.matches.batch",
    "best_response": "inarow.lab.certificates.best_response",
    "certify": "inarow.lab.certificates.certify",
    "certify_against_anyone": "inarow.lab.certificates.anyone",
    "compare": "inarow.lab.studies.results",
    "evaluation": "inarow.lab.evaluation",
    "exact_odds": "inarow.lab.certificates.best_response",
    "exploitability": "inarow.lab.certificates.best_response",
    "graph_of": "inarow.graph.graph",
    "grid": "inarow.lab.studies.study",
    "match": "inarow.lab.matches.match",
    "player": "inarow.lab.players.names",
    "plot": "inarow.lab.plots.plot",
    "run_study": "inarow.lab.studies.runner",
    "score": "inarow.search.perfect",
    "solve": "inarow.search.perfect:solve_or_decide",
    "train": "inarow.lab.training.run",
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
    "evaluation",
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
    "score",
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
