"""Players by name: the one table that every part of the project looks in.

Anything else with a method `move(position)` is a player too.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from inarow.engine.board import Board, new_board
from inarow.engine.contest import begin_game, choose_in
from inarow.engine.rules import Rule, RuleList, Scan
from inarow.engine.streams import Stream
from inarow.engine.tables import Tables, tables_of
from inarow.game import Game, InputError, Position


@runtime_checkable
class Player(Protocol):
    """Anything that chooses a move: its number or its text."""

    def move(self, position: Position) -> int | str:
        """The move to play in a position that goes on."""


@runtime_checkable
class CompiledPlayer(Protocol):
    """A player that compiled loops can play."""

    def compiled(self, tables: Tables) -> Any:
        """A tuple of arrays of a type known to `engine.contest`, one for each loop."""


class Entry(NamedTuple):
    """A rule player and what to say of it."""

    rules: RuleList
    about: str


WIN, BLOCK, SAFE, GREEDY = Rule.WIN, Rule.BLOCK, Rule.SAFE, Rule.GREEDY
ATTACK, DEFENSE, ATTACK_DEFENSE, DEFENSE_ATTACK = (WIN,), (BLOCK,), (WIN, BLOCK), (BLOCK, WIN)

RULE_PLAYERS = {
    "random": Entry(RuleList(((),)), "any move"),
    "attack": Entry(RuleList((ATTACK,), Scan.LINES), "wins if it can (hybrid paper)"),
    "defense": Entry(RuleList((DEFENSE,), Scan.LINES), "blocks if it must (hybrid)"),
    "attack-defense": Entry(RuleList((ATTACK_DEFENSE,), Scan.LINES), "wins, else blocks (hybrid)"),
    "defense-attack": Entry(RuleList((DEFENSE_ATTACK,), Scan.LINES), "blocks, else wins (hybrid)"),
    "combined": Entry(
        RuleList((ATTACK, DEFENSE, ATTACK_DEFENSE, DEFENSE_ATTACK), Scan.LINES),
        "one of the four above, drawn for each game (hybrid)",
    ),
    "benchmark": Entry(
        RuleList(((WIN, BLOCK, SAFE),)), "wins, blocks, lets nobody win on top (cube paper)"
    ),
    "advanced": Entry(RuleList(((WIN, BLOCK),)), "scores, else blocks (n-dimensional paper)"),
    "greedy-lines": Entry(
        RuleList(((GREEDY,),)), "completes most lines, then takes the cell on most lines"
    ),
}

SCANS = {
    "random": "any of several equal cells",
    "game": "by an order drawn for each game",
    "lines": "by the first line: rows, columns, diagonals",
    "cells": "the lowest cell or column",
}


class RulePlayerByName:
    """A rule player, for compiled loops and for Python alike."""

    def __init__(self, name: str, rules: RuleList) -> None:
        self.name, self.rules = name, rules

    def compiled(self, tables: Tables) -> Any:
        """The player as arrays."""
        return self.rules.compiled(tables)

    def __repr__(self) -> str:
        return f"<player {self.name}>"


class Seated:
    """A compiled player at a board in Python, with random numbers of its own."""

    def __init__(self, player: CompiledPlayer, game: Game, stream: Stream) -> None:
        self.tables: Tables = tables_of(game)
        self.board: Board = new_board(self.tables)
        self.arrays = player.compiled(self.tables)
        self.stream = stream

    def begin(self) -> None:
        """Before each game."""
        begin_game(self.arrays, self.stream)

    def move(self, position: Position) -> int:
        """The move that the player chooses."""
        stones = np.array(position.stones, dtype=np.int8)
        return int(choose_in(self.tables, self.board, stones, self.arrays, self.stream))


def player(name: str | Any) -> Any:
    """The player of that name, as in `attack` or `attack@random`; an object comes back as it is.

    What stands behind the @ is the order in which the player looks at equal cells.
    """
    if not isinstance(name, str):
        if isinstance(name, Player | CompiledPlayer):
            return name
        raise InputError(f"{name!r} is no player: it needs a method move(position)")
    head, at, scan = name.strip().partition("@")
    if head not in RULE_PLAYERS:
        raise InputError(f"unknown player '{name}': the players are {', '.join(RULE_PLAYERS)}")
    rules = RULE_PLAYERS[head].rules
    if at:
        if scan not in SCANS:
            raise InputError(
                f"unknown order '@{scan}' in '{name}': it is one of {', '.join(SCANS)}"
            )
        rules = RuleList(rules.variants, Scan[scan.upper()])
    return RulePlayerByName(name.strip(), rules)


def name_of(some_player: Any) -> str:
    """What to call a player: its name if it has one, else its type's."""
    return str(getattr(some_player, "name", type(some_player).__name__))
