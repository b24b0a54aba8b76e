"""What is known of how a player moves, and how it is known: said, declared, or only observed.

A proof needs every move that a player may choose. Compiled players and perfect play say them all.
A Python object with a method `move(position)` answers one question at a time, and nobody can see
from outside whether it would answer alike again. So it is asked more than once, and either its
author has declared it deterministic (`deterministic = True`), which every answer is held against,
or what was seen is called an observation and proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt

from inarow.engine.board import GOING_ON, tables_of
from inarow.engine.players import compiled_form, is_unchanged
from inarow.engine.streams import EVALUATION, make_stream
from inarow.game import Game, InputError, Position
from inarow.game.position import move_text, moves_text
from inarow.game.progress import Progress, mute
from inarow.graph.graph import Graph
from inarow.graph.odds import Policy, check_policy
from inarow.graph.policies import compiled_policy, rule_policies
from inarow.lab.players.names import BoundPlayer, player, rule_list
from inarow.lab.players.protocols import (
    AnyPlayer,
    ask,
    bind_player,
    check_plays,
    declares_deterministic,
    gives_policies,
    kept_running,
    name_of,
    states_policy,
)
from inarow.learn.tabular.table import TabularAgent

ASKED = 2  # times in each position
STATED, DECLARED, OBSERVED = "stated", "declared", "observed"


@dataclass(frozen=True)
class Basis:
    """How it is known what a player may choose."""

    kind: str  # stated by the player, declared deterministic by its author, or observed
    positions: int = 0  # in which the player was asked; 0: it had not to be
    alike: int = 0  # of these, the ones in which it always answered alike

    @property
    def proven(self) -> bool:
        """Whether what follows from it is proven."""
        return self.kind != OBSERVED

    @property
    def text(self) -> str:
        """How it is known, in words."""
        if not self.positions:
            return "proven on all positions."
        asked = f"Asked twice in each of {self.positions:,} positions, it"
        if self.kind == STATED:
            return f"proven on all positions of the policy that it states. {asked} followed it."
        if self.kind == DECLARED:
            return (
                "proven on all positions if it is deterministic, as its author declares. "
                f"{asked} answered alike."
            )
        return (
            "observed, not proven: it did not say that it is deterministic. "
            f"{asked} answered alike in {self.alike:,}."
        )

    def as_json(self) -> dict[str, object]:
        """Return the result as JSON data."""
        asked = ASKED if self.positions else 0
        return {"proven": self.proven, "basis": {**asdict(self), "asked": asked}}


class Observer:
    """Asks a player and remembers what it answered, position by position."""

    def __init__(self, some_player: AnyPlayer, game: Game) -> None:
        self.game, self.name = game, name_of(some_player)
        self.bound = bind_player(some_player, game, make_stream(0, EVALUATION))
        self.declared = declares_deterministic(some_player)
        self.answers: dict[tuple[int, ...], list[int]] = {}

    def ask(self, position: Position) -> int:
        """Ask once more. A player declared deterministic must not contradict itself."""
        answer = ask(self.bound, position.copy())  # what it does to its copy changes nothing here
        before = self.answers.setdefault(position.stones, [])
        if self.declared and before and before[0] != answer:
            raise InputError(
                f"player {self.name} is declared deterministic, but after "
                f"{moves_text(self.game, position.moves) or 'no move'} it chose "
                f"{move_text(self.game, before[0])}, then {move_text(self.game, answer)}"
            )
        before.append(answer)
        return answer

    def moves(self, position: Position) -> list[int]:
        """Return all answers in a position, asked until it was asked often enough."""
        known = self.answers.setdefault(position.stones, [])
        while len(known) < ASKED:
            self.ask(position)
        return sorted(set(known))

    @property
    def basis(self) -> Basis:
        """What the answers so far show."""
        alike = sum(len(set(answers)) == 1 for answers in self.answers.values())
        return Basis(DECLARED if self.declared else OBSERVED, len(self.answers), alike)


def moves_of(some_player: AnyPlayer, game: Game) -> Callable[[Position], list[int]] | Observer:
    """Return a function that finds every move a player may choose: it says so, or is asked."""
    from inarow.search.perfect import Perfect  # loads the solver

    if states_policy(some_player):
        return BoundPlayer(some_player, game, make_stream(0, EVALUATION)).moves
    return some_player.moves if is_unchanged(some_player, Perfect) else Observer(some_player, game)


def observe(
    some_player: AnyPlayer, graph: Graph, progress: Progress = mute
) -> tuple[Policy, Basis]:
    """Return a player as far as its answers show, in every position of a graph.

    Each is asked about twice, and comes about by other moves the second time where there are
    any: a player that follows the moves and not the position contradicts itself.
    """
    observer, policy, done = Observer(some_player, graph.game), np.zeros(graph.edges), 0
    total = ASKED * int(np.count_nonzero(graph.state == GOING_ON))
    for order in (1, -1):
        for number, position in _positions(graph, order):
            edges = slice(int(graph.edge_start[number]), int(graph.edge_start[number + 1]))
            policy[edges][graph.move[edges] == observer.ask(position)] = 1.0
            done += 1
            progress(done / total)
    return policy, observer.basis


def _positions(graph: Graph, order: int) -> Iterator[tuple[int, Position]]:
    """Yield every position that goes on, once; depth first, the last moves first at -1."""
    seen, position = np.zeros(graph.positions, dtype=bool), Position(graph.game)

    def visit(number: int) -> Iterator[tuple[int, Position]]:
        seen[number] = True
        if graph.state[number] != GOING_ON:
            return
        yield number, position
        edges = range(int(graph.edge_start[number]), int(graph.edge_start[number + 1]))
        for edge in edges[::order]:
            if not seen[graph.child[edge]]:
                position.push(int(graph.move[edge]))
                yield from visit(int(graph.child[edge]))
                position.pop()

    return visit(0)


def as_policy(weights: npt.ArrayLike, name: str) -> Policy:
    """The weights that a player states as doubles; refused where doubles would be other numbers."""
    stated = weights if isinstance(weights, np.ndarray) else np.array(weights, dtype=object)
    if stated.dtype == np.float64:
        return stated
    with suppress(OverflowError, TypeError, ValueError):
        policy = stated.astype(np.float64)
        pairs = zip(policy.tolist(), stated.tolist(), strict=True)
        if all(double == number or double != double for double, number in pairs):
            return policy  # whether they are weights at all is said later
    raise InputError(f"the policies of player {name} are not numbers that doubles hold exactly")


def check_stated(
    some_player: AnyPlayer, graph: Graph, policies: list[Policy], progress: Progress
) -> Basis:
    """Check the policies that a Python player states against what it answers."""
    for policy in policies:
        check_policy(graph, policy)
    answered, basis = observe(some_player, graph, progress)
    stated = np.any(np.array(policies) > 0, axis=0)
    wrong = np.flatnonzero((answered > 0) & ~stated)
    if len(wrong):
        move = move_text(graph.game, int(graph.move[wrong[0]]))
        raise InputError(
            f"player {name_of(some_player)} chose {move} where the policies that it states do not"
        )
    return Basis(STATED, basis.positions, basis.alike)


def unproven(game: Game, player: str, measured: str, seed: int) -> dict[str, object]:
    """Return how JSON begins where nothing is proven: whose it is, and what was measured."""
    return {
        "game": game.name,
        "player": player,
        "proven": False,
        "measured": measured,
        "seed": seed,
    }


def known_policies(
    some_player: AnyPlayer, graph: Graph, progress: Progress = mute
) -> tuple[list[Policy], Basis]:
    """Return a player as policies of a graph, and how they are known.

    Compiled players and perfect play say every move they may choose and how likely it is. What a
    Python object says of itself, or what it answers, is held against its answers.
    """
    from inarow.search.perfect import Perfect  # loads the solver

    if (rules := rule_list(some_player)) is not None:
        return rule_policies(graph, rules), Basis(STATED)
    if is_unchanged(some_player, TabularAgent) or is_unchanged(some_player, Perfect):
        return some_player.policies(graph), Basis(STATED)
    if states_policy(some_player):
        arrays = compiled_form(some_player, tables_of(graph.game))
        return [compiled_policy(graph, arrays, progress)], Basis(STATED)
    if gives_policies(some_player):
        name = name_of(some_player)
        with kept_running(some_player):
            stated: object = some_player.policies(graph)
            listed = list(stated) if isinstance(stated, Iterable) else []
        if not listed:
            what = "none" if isinstance(stated, Iterable) else repr(stated)
            raise InputError(f"player {name} must state a list of policies, not {what}")
        policies = [as_policy(policy, name) for policy in listed]
        return policies, check_stated(some_player, graph, policies, progress)
    policy, basis = observe(some_player, graph, progress)
    return [policy], basis


def policies_of(some_player: AnyPlayer, graph: Graph) -> list[Policy]:
    """Return a player as policies of a graph; refuse one that was only observed."""
    policies, basis = known_policies(some_player, graph)
    if not basis.proven:
        raise InputError(
            f"{name_of(some_player)} says neither its policy nor that it is deterministic: "
            "nothing exact follows from its answers"
        )
    return policies


def exact_policies(some_player: str | AnyPlayer, graph: Graph) -> list[Policy]:
    """Return a player as policies of a graph, if they are known for certain."""
    found = player(some_player)
    check_plays(found, graph.game)
    return policies_of(found, graph)
