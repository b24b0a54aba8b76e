"""Evaluation by perfect play: replies as the perfect player's, and what is counted."""

from __future__ import annotations

from typing import Any

import pytest

from inarow.engine.streams import make_stream
from inarow.game import InputError, Position
from inarow.game import game as game_of
from inarow.lab.evaluation import against_perfect, evaluate, play_perfect, replies_in_order
from inarow.search.perfect import kept_moves, perfect_moves, perfect_oracle, solve
from tests.learn.test_tuples import random_position


class Scripted:
    """An agent that takes the moves a function names."""

    name = "scripted"

    def __init__(self, game: str, choose: Any) -> None:
        self.game, self.choose = game_of(game), choose

    def move(self, position: Position) -> int:
        return int(self.choose(position))

    def begin(self) -> None:
        """Nothing to prepare."""


def perfectly(position: Position) -> int:
    return perfect_moves(position, "first")[0]


def badly(position: Position) -> int:
    moves = solve(position).moves
    return min(moves, key=lambda move: moves[move])


def mirrored(position: Position) -> Position:
    """The mirror image of a position, move by move."""
    image = Position(position.game)
    for move in position.moves:
        image.push(position.game.columns - 1 - move)
    return image


def some_positions(name: str) -> list[Position]:
    """Positions that go on: of 6x7 within the book, and late enough to be solved at once."""
    found = list[Position]()
    for seed in range(200 if name == "connect4:4x5" else 60):
        book = name == "connect4:6x7" and seed % 2
        position = random_position(name, seed, seed % 8 if book else 12 + seed % 8)
        if position.outcome is None:
            found += [position, mirrored(position)]
    return found


@pytest.mark.parametrize("replies", ["best", "value"])
@pytest.mark.parametrize("name", ["connect4:6x7", "connect4:4x5", "connect4:5x5"])
def test_the_order_in_which_replies_are_drawn(name: str, replies: str) -> None:
    """Stored scores depend on it: each is that of the lower image's move, turned back singly."""
    oracle, seen = perfect_oracle(game_of(name), replies), 0
    for position in some_positions(name):
        image = mirrored(position)
        lower = min(position, image, key=lambda one: one.stones)
        kept = kept_moves(solve(lower).moves, replies)
        turned = image.stones < position.stones
        columns = position.game.columns
        order = tuple(columns - 1 - move if turned else move for move in kept)
        assert replies_in_order(oracle, position) == order
        assert perfect_moves(position, replies) == sorted(order)
        seen += turned and len(order) > 1
    assert seen > 10


@pytest.mark.parametrize("name", ["connect4:6x7", "connect4:4x5", "tictactoe"])
def test_scores_are_those_of_the_solver(name: str) -> None:
    for position in some_positions(name):
        found = solve(position)
        assert perfect_oracle(game_of(name), "best").find(position).score == found.score
        assert perfect_oracle(game_of(name), "value").find(position).score == found.value


def test_perfect_play_makes_no_mistake() -> None:
    tally, mistakes = play_perfect(Scripted("connect4:4x5", perfectly), 3, 0, 1)
    assert (tally.games, tally.draws) == (3, 3)
    assert sum(wrong for _, wrong in mistakes.values()) == 0
    assert sum(asked for asked, _ in mistakes.values()) == tally.plies / 2


def test_mistakes_are_counted_once() -> None:
    tally, mistakes = play_perfect(Scripted("connect4:4x5", badly), 4, 1, 1)
    assert tally.losses == 4
    assert sum(wrong for _, wrong in mistakes.values()) == 4  # after it there is nothing to lose


def test_figures_and_seeds() -> None:
    agent = Scripted("connect4:4x5", perfectly)
    figures = against_perfect(agent, 7, 5, "second")
    assert figures["score as second against perfect"] == 0.5
    assert figures["drawn as second against perfect"] == 5
    assert figures == against_perfect(agent, 7, 5, "second")
    for wrong in ("0", "x", "²", "5:third", "5:first:worst", "5:first:best:7"):
        with pytest.raises(InputError):
            evaluate(agent, f"perfect:{wrong}", 7)


def test_a_stream_of_its_own() -> None:
    """Fresh seeds give other games where perfect play has a choice."""
    agent = Scripted("connect4:4x5", lambda position: position.legal_moves[0])
    plies = {play_perfect(agent, 4, 0, seed)[0].plies for seed in range(6)}
    assert len(plies) > 1
    assert make_stream(1).tolist() != make_stream(2).tolist()
