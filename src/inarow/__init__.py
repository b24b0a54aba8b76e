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
    from inarow.lab.certify import certify
    from inarow.lab.exact import exact_odds
    from inarow.lab.match import match
    from inarow.lab.players import player
    from inarow.lab.training import train
    from inarow.search.perfect import solve

__version__ = "0.2.0"

# What needs compiled code is imported when it is first asked for: positions start at once.
_LATER = {
    "analyse": "inarow.lab.analysis",
    "arena": "inarow.lab.arena",
    "batch": "inarow.lab.batch",
    "certify": "inarow.lab.certify",
    "certify_against_anyone": "inarow.lab.anyone",
    "exact_odds": "inarow.lab.exact",
    "graph_of": "inarow.graph.graph",
    "match": "inarow.lab.match",
    "player": "inarow.lab.players",
    "solve": "inarow.search.perfect",
    "train": "inarow.lab.training",
}

__all__ = [
    "Game",
    "InputError",
    "Outcome",
    "Position",
    "Record",
    "__version__",
    "analyse",
    "arena",
    "batch",
    "certify",
    "certify_against_anyone",
    "exact_odds",
    "game",
    "graph_of",
    "match",
    "player",
    "read_records",
    "solve",
    "train",
    "write_records",
]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'inarow' has no attribute '{name}'")
