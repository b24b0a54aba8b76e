"""Evaluation by perfect play: replies as the perfect player's, and what is counted."""

from __future__ import annotations

from typing import Any

import pytest

from inarow.engine.streams import make_stream
from inarow.game import InputError, Position
from inarow.game import game as game_of
from inarow.lab.evaluation import Guide, against_perfect, evaluate, play_perfect
from inarow.search.perfect import perfect_moves, solve
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


@pytest.mark.parametrize("replies", ["best", "value"])
@pytest.mark.parametrize(("name", "least"), [("connect4:6x7", 0), ("connect4:4x5", 0)])
def test_replies_are_those_of_perfect_play(name: str, least: int, replies: str) -> None:
    guide = Guide(game_of(name), replies)
    for seed in range(30):
        plies = seed % 7 if name == "connect4:6x7" and seed % 2 else 14 + seed % 6
        position = random_position(name, seed, max(plies, least))
        if position.outcome is not None:
            continue
        assert sorted(guide.moves(position)) == sorted(perfect_moves(position, replies))
        assert guide.score(position) == solve(position).score


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
