"""inarow: a laboratory for learning to play k-in-a-row games."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from inarow.game import Game, InputError, Outcome, Position, game

if TYPE_CHECKING:
    from inarow.graph.graph import graph_of
    from inarow.lab.anyone import certify_against_anyone
    from inarow.lab.arena import arena
    from inarow.lab.certify import certify
    from inarow.lab.exact import exact_odds
    from inarow.lab.match import match
    from inarow.lab.players import player
    from inarow.lab.training import train
    from inarow.search.perfect import solve

__version__ = "0.1.0"

# What needs compiled code is imported when it is first asked for: positions start at once.
_LATER = {
    "arena": "inarow.lab.arena",
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
    "__version__",
    "arena",
    "certify",
    "certify_against_anyone",
    "exact_odds",
    "game",
    "graph_of",
    "match",
    "player",
    "solve",
    "train",
]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'inarow' has no attribute '{name}'")
