"""Walks through all games against perfect play, beside a reference that follows them one by one."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from inarow.engine.streams import make_stream
from inarow.game import Position
from inarow.game import game as game_of
from inarow.lab.certificates.by_solver import traverse_all, traverse_plainly
from inarow.lab.certificates.perfect_traversal import (
    RESULTS,
    TooManyError,
    Traverser,
    ask_player,
    reaches,
)
from inarow.lab.players.protocols import bind_player
from inarow.lab.training.run import Run
from inarow.search.perfect import perfect_moves
from inarow.search.solver import Solver

ASKED = 100  # times with other random numbers: no move among 4 stays unseen


@cache
def learned(board: str, games: int) -> Any:
    options = {"tuples": 8, "length": 4, "average": 2.0, "average_every": 10}
    run = Run(board, "ntuple", options, None, 3)
    if games:
        run.training.play(games)
    return run.agent


class Reference:
    """The chances of all results and mistakes, in plain words: a dictionary for each ply."""

    def __init__(self, player: Any, board: str, side: int, replies: str) -> None:
        self.game, self.side, self.replies = game_of(board), side, replies
        self.solver = Solver(self.game)
        self.bound = [bind_player(player, self.game, make_stream(n)) for n in range(ASKED)]
        self.chances = [Fraction(0)] * 3
        self.mistakes: dict[tuple[Any, ...], Fraction] = defaultdict(Fraction)
        self.values: dict[tuple[int, ...], int] = {}
        self.met = 0
        met = {(0,) * self.game.cells: (Position(self.game), Fraction(1))}
        while met:
            self.met += len(met)
            after: dict[Any, Any] = {}
            for position, chance in met.values():
                self.step(position, chance, after)
            met = after

    def step(self, position: Position, chance: Fraction, after: dict[Any, Any]) -> None:
        own, stones = position.ply % 2 == self.side, position.stones
        moves = self.own_moves(position) if own else perfect_moves(position, self.replies)
        share = chance / len(moves)
        for move in moves:
            child = position.copy()
            child.push(move)
            if own and self.value(position) > self.value(child):
                self.mistakes[stones, move] += share
            if child.outcome is None:
                before = after.get(child.stones, (child, Fraction(0)))[1]
                after[child.stones] = child, before + share
            else:
                self.chances[1 - self.value(child)] += share

    def own_moves(self, position: Position) -> list[int]:
        return sorted({bound.move(position) for bound in self.bound})

    def value(self, position: Position) -> int:
        """For the player: 1, 0 or -1."""
        if position.outcome is not None:
            winner = position.outcome.winner
            return 0 if winner is None else 1 if winner == self.side + 1 else -1
        if position.stones not in self.values:
            sign = 1 if position.ply % 2 == self.side else -1
            self.values[position.stones] = sign * self.solver.solve(position).value
        return self.values[position.stones]


@pytest.mark.parametrize("replies", ["best", "value"])
@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize(
    ("board", "games"),
    [("connect4:4x4", 300), ("board:4x3,k=3,gravity", 0), ("board:4x4,k=3,gravity", 40)],
)
def test_all_games_as_a_twin_follows_them(board: str, games: int, side: int, replies: str) -> None:
    """An agent that has not learned draws among equal moves; one that has, hardly ever."""
    agent = learned(board, games)
    reference = Reference(agent, board, side, replies)
    traversal = Traverser(game_of(board), replies).traverse(agent, side)
    assert traversal.chances == pytest.approx([float(chance) for chance in reference.chances])
    assert sum(traversal.chances) == pytest.approx(1)
    assert traversal.positions == reference.met
    found: dict[tuple[Any, ...], float] = defaultdict(float)
    for mistake in traversal.mistakes:
        position = Position(game_of(board))
        for move in mistake.moves:
            position.push(move)
        found[position.stones, mistake.move] += mistake.chance
        assert mistake.before == reference.value(position)
        position.push(mistake.move)
        assert mistake.after == reference.value(position)
    assert found == pytest.approx(
        {key: float(chance) for key, chance in reference.mistakes.items()}
    )
    for result, line in enumerate(traversal.games):
        assert (line is None) == (reference.chances[result] == 0)
    assert [m.chance for m in traversal.mistakes] == sorted(m.chance for m in traversal.mistakes)[
        ::-1
    ]


@pytest.mark.parametrize("side", [0, 1])
def test_the_fast_walk_says_what_the_plain_one_says(side: int) -> None:
    board, agent = game_of("connect4:4x5"), learned("connect4:4x5", 300)
    fast, plain = (
        traversal(agent, board, side, "best") for traversal in (traverse_all, traverse_plainly)
    )
    assert fast.worst == plain.worst
    assert fast.positions >= plain.positions  # which looks no further than a loss
    winner = board.position(fast.line).outcome.winner
    assert fast.worst == RESULTS[1 if winner is None else 0 if winner == side + 1 else 2]


@pytest.mark.parametrize("scale", [5e-324, 2.0**1023])
def test_only_shares_of_weights_count(monkeypatch: pytest.MonkeyPatch, scale: float) -> None:
    board, agent = "board:4x3,k=3,gravity", learned("board:4x3,k=3,gravity", 0)
    plainly = Traverser(game_of(board)).traverse(agent)

    def ask_scaled(*given: Any) -> None:
        ask_player(*given)
        given[-1][:] *= scale

    monkeypatch.setattr("inarow.lab.certificates.perfect_traversal.ask_player", ask_scaled)
    assert Traverser(game_of(board)).traverse(agent) == plainly


def test_a_walk_beyond_its_limit_is_given_up() -> None:
    seen = list[int]()
    with pytest.raises(TooManyError, match="given up after") as caught:
        Traverser(game_of("connect4:4x4")).traverse(learned("connect4:4x4", 0), 0, 50, seen.append)
    assert 0 < caught.value.positions <= 50
    assert seen[-1] == caught.value.positions


def test_where_perfect_play_is_compiled() -> None:
    assert reaches(game_of("connect4:6x7"))
    assert reaches(game_of("connect4:5x6"))
    assert not reaches(game_of("connect4:6x8"))
    assert not reaches(game_of("tictactoe"))
