"""Proof-number search against the general solver and brute force."""

from __future__ import annotations

import numpy as np
import pytest

from inarow.game import Game, InputError, Position, game
from inarow.search.proof_number import VISITS, Prover, begin, prove
from inarow.search.solver import Solver
from tests.search.brute import brute_score, random_positions

UNLIMITED = 1 << 40
SMALL = [  # a game, and with how many empty cells the solver is quick
    ("tictactoe", 9),
    ("mnk:4x4x3", 13),
    ("mnk:5x5x4", 15),
    ("board:2x3x4,k=3", 20),
    ("board:3x3x3", 21),
    ("mnk:8x8x5", 12),
    ("qubic", 14),
    ("mnk:1x9x3", 9),
]


def stones_of(position: Position) -> tuple[int, int]:
    """The first and the second player's stones: cell c is bit c."""
    first, second = (
        sum(1 << cell for cell, stone in enumerate(position.stones) if stone == player)
        for player in (1, 2)
    )
    return first, second


def winner(prover: Prover, position: Position) -> int | None:
    """Who is found to win: 1 or 2, 0 for nobody, None if that was not found out."""
    mover, found = position.to_move - 1, []
    for attacker in (0, 1):
        wins = prover.wins(stones_of(position), mover, attacker, UNLIMITED)
        if wins:
            return attacker + 1
        found.append(wins)
    return 0 if found == [False, False] else None


def true_winner(solver: Solver, position: Position) -> int:
    score = solver.score(position)
    return 0 if score == 0 else position.to_move if score > 0 else 3 - position.to_move


@pytest.mark.parametrize(("name", "left"), SMALL)
def test_agrees_with_the_general_solver(name: str, left: int) -> None:
    the_game = game(name)
    solver, whole, narrow = Solver(the_game), Prover(the_game, 12, 64), Prover(the_game, 12, 3)
    seen = set()
    for stones in (the_game.cells - left, the_game.cells - left + 3):
        for position in random_positions(the_game, stones, 25, seed=3):
            expected = true_winner(solver, position)
            assert winner(whole, position) == expected, position.notation
            assert winner(narrow, position) in (None, expected), position.notation
            seen.add(expected)
    assert len(seen) > 1


def test_agrees_with_brute_force() -> None:
    small = game("mnk:3x4x3")
    prover, seen = Prover(small, 12, 64), dict[tuple[int, ...], int]()
    for position in random_positions(small, 2, 40, seed=4):
        score = brute_score(position, seen)
        assert winner(prover, position) == (0 if score == 0 else 1 if score > 0 else 2)


def test_the_winning_move_wins() -> None:
    the_game = game("mnk:5x5x4")
    solver, prover, moves = Solver(the_game), Prover(the_game, 12, 5), 0
    for position in random_positions(the_game, 10, 150, seed=5):
        if prover.wins(stones_of(position), 0, 0, UNLIMITED):
            move = prover.winning_move()
            if move is not None:
                moves += 1
                position.push(move)
                assert position.outcome is not None or solver.score(position) < 0
    assert moves > 3


def test_a_proof_in_steps_is_the_same_proof() -> None:
    the_game, visits = game("mnk:6x5x4"), list[int]()
    for step in (1, 7, UNLIMITED):
        prover = Prover(the_game, 12)
        begin(prover.lines, prover.proof, np.uint64(0), np.uint64(0), 0, 0)
        while not prove(prover.lines, prover.proof, prover.visits + step):
            pass
        visits.append(int(prover.proof.state[VISITS]))
    assert len(set(visits)) == 1
    assert visits[0] > 100


def test_an_image_of_a_position_is_known() -> None:
    the_game = game("mnk:6x5x4")
    prover, stones = Prover(the_game, 12), stones_of(the_game.position("33"))
    assert prover.wins(stones, 1, 0, UNLIMITED)
    before = prover.visits
    for symmetry in the_game.symmetries.tolist():
        assert prover.wins((_image(symmetry, stones[0]), 0), 1, 0, UNLIMITED)
    assert prover.visits - before == len(the_game.symmetries)  # a look at each, nothing else


def _image(symmetry: list[int], word: int) -> int:
    return sum(1 << goes_to for cell, goes_to in enumerate(symmetry) if word >> cell & 1)


def test_a_proof_is_given_up_at_its_limit() -> None:
    prover = Prover(game("qubic"), 12)
    assert prover.wins((0, 0), 0, 0, 500) is None
    assert prover.visits == 500


@pytest.mark.parametrize("other", [Game((6, 7), 4, gravity=True), Game((15, 15), 5)])
def test_other_boards_are_refused(other: Game) -> None:
    with pytest.raises(InputError, match=r"is out of reach: threat sequences are for boards"):
        Prover(other)
