"""The bound from answering above every stone, against brute force."""

from __future__ import annotations

import numpy as np
import pytest

from inarow.game import game
from inarow.search import bitboard
from inarow.search.search_stack import UNKNOWN
from inarow.search.solver import Solver
from inarow.search.zugzwang import follow_up_bound
from tests.search.brute import brute_moves, random_positions


def bounds_of(name: str, moves: str) -> dict[int, int]:
    """The bound that answers each question, where there is one."""
    solver = Solver(name)
    layout = bitboard.layout_of(solver.game)
    own, mask = (np.uint64(word) for word in solver.pack(moves))
    threats = np.uint64(bitboard.completing(layout, own ^ mask)) & layout.board & ~mask
    left = solver.game.cells - int(np.bitwise_count(mask))
    bounds = {
        alpha: follow_up_bound(layout, own, mask, threats, left, alpha) for alpha in range(-8, 9)
    }
    return {alpha: bound for alpha, bound in bounds.items() if bound != UNKNOWN}


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("connect4:5x4", 9),
        ("connect4:4x5", 9),
        ("connect4:5x5", 9),
        ("board:1x9,k=4,gravity", 6),
        ("board:63x1,k=4,gravity", 8),
        ("board:7x8,k=5,gravity", 8),
    ],
)
def test_no_score_is_above_the_bound(name: str, left: int) -> None:
    found = set[int]()
    for less in range(3):
        cells = game(name).cells - left + less
        for position in random_positions(game(name), cells, 20, seed=left):
            score = max(brute_moves(position, {}).values())
            for alpha, bound in bounds_of(name, position.notation).items():
                assert score <= bound <= alpha, position
                found.add(bound)
    assert found, "no position tested the bound"
