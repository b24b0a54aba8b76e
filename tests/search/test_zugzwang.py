"""The bound from answering above every stone, against brute force."""

from __future__ import annotations

import numpy as np
import pytest

from inarow.game import Position, game
from inarow.search import bitboard, masks
from inarow.search.solver import is_planar
from inarow.search.solver_loop import UNKNOWN
from inarow.search.zugzwang import Board, follow_up_bound
from tests.search.brute import brute_moves, random_positions


def words_of(position: Position, height: int) -> tuple[np.uint64, np.uint64]:
    """The stones of each side, that of the mover first; `height` 1: a cell is its own bit."""
    words, columns = {1: 0, 2: 0}, position.game.columns
    for cell, stone in enumerate(position.stones):
        bit = cell if height == 1 else (cell % columns) * height + cell // columns
        if stone:
            words[stone] |= 1 << bit
    return np.uint64(words[position.to_move]), np.uint64(words[3 - position.to_move])


def bounds(position: Position, as_masks: bool) -> dict[int, int]:
    """The bound that answers each question, where there is one."""
    if as_masks:
        lines = masks.lines_of(position.game)
        own, other = words_of(position, 1)
        threats = np.uint64(masks.completing(lines, other, own))
        board: Board = lines
    else:
        layout = board = bitboard.layout_of(position.game)
        own, other = words_of(position, position.game.shape[0] + 1)
        threats = np.uint64(bitboard.completing(layout, other)) & layout.board & ~(own | other)
    left, mask = position.game.cells - position.ply, own | other
    found = {}
    for alpha in range(-8, 9):
        bound = follow_up_bound(board, own, mask, threats, left, alpha)
        if bound != UNKNOWN:
            found[alpha] = bound
    return found


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("connect4:5x4", 9),
        ("connect4:4x5", 9),
        ("connect4:5x5", 9),
        ("board:1x9,k=4,gravity", 6),
        ("board:63x1,k=4,gravity", 8),
        ("board:7x8,k=5,gravity", 8),
        ("board:4x2x3,k=4,gravity", 9),
    ],
)
def test_no_score_is_above_the_bound(name: str, left: int) -> None:
    found = set[int]()
    planar = is_planar(game(name))
    for less in range(3):
        stones = game(name).cells - left + less
        for position in random_positions(game(name), stones, 20, seed=left):
            score = max(brute_moves(position, {}).values())
            bounded = bounds(position, as_masks=True)
            assert not planar or bounds(position, as_masks=False) == bounded
            for alpha, bound in bounded.items():
                assert score <= bound <= alpha, position
                found.add(bound)
    assert found, "no position tested the bound"
