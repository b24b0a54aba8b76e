"""The solver for any board of at most 64 cells: against anchors and brute force."""

from __future__ import annotations

import numpy as np
import pytest

from inarow.game import InputError, game
from inarow.graph.graph import image_of
from inarow.search import general_solver, masks, solver_loop
from inarow.search.perfect import solve
from inarow.search.solver import EVERY_SCORE, NotSolved, Solver
from inarow.search.solver_loop import new_stack
from tests.search.brute import brute_moves, random_positions

BRUTE = [  # a game, and with how many empty cells brute force is still quick
    ("tictactoe", 9),
    ("mnk:4x4x4", 8),
    ("mnk:4x4x3", 8),
    ("mnk:3x5x4", 8),
    ("mnk:5x5x4", 7),
    ("mnk:1x9x3", 8),
    ("mnk:8x8x5", 6),  # 64 cells
    ("board:7,k=3", 7),
    ("board:2x3x3,k=3", 8),
    ("board:3x3x3,gravity", 8),
    ("board:2x3x4,k=3,gravity", 9),
    ("board:2x2x3x2,k=3,gravity", 9),
    ("tictactoe,wrap", 9),
    ("tictactoe,misere", 9),
    ("mnk:4x4x3,wrap", 8),
    ("mnk:4x4x3,misere", 8),
    ("mnk:4x4x4,wrap=1,misere", 8),
    ("mnk:3x5x3,misere", 8),
    ("connect4:4x5,wrap", 9),
    ("connect4:4x5,misere", 9),
    ("connect4:5x4,wrap,misere", 9),
    ("board:9,k=3,wrap,misere", 9),
    ("board:2x3x4,k=3,gravity,wrap", 9),
    ("board:2x3x4,k=3,gravity,misere", 9),
    ("board:3x3,k=1,misere", 9),
]


@pytest.mark.parametrize(("name", "most"), BRUTE)
def test_agrees_with_brute_force(name: str, most: int) -> None:
    solver = Solver(name)
    cells, tried = solver.game.cells, 0
    for left in range(most - 2, most + 1):
        for position in random_positions(solver.game, cells - left, 6, seed=1):
            tried += 1
            solution = solver.solve(position)
            expected = brute_moves(position, {})
            assert solution.moves == expected, position
            assert solution.score == max(expected.values()) == solver.score(position)
    assert tried >= 1


def test_agrees_with_the_solver_for_falling_stones() -> None:
    connect4 = game("connect4:4x5")
    lines, solver = masks.lines_of(connect4), Solver(connect4)
    positions = random_positions(connect4, 6, 30, seed=2)
    stones = np.array([position.stones for position in positions])
    bits = np.uint64(1) << np.arange(20, dtype=np.uint64)
    owns, every = (stones == 1) @ bits, (stones != 0) @ bits  # after six stones, first is to move
    batch = solver_loop.Batch(owns, every, np.zeros(len(positions), dtype=np.int64))
    stack = new_stack(general_solver.ROW)
    assert solver_loop.solve_many(
        lines, general_solver.new_table(16), stack, batch, EVERY_SCORE, solver_loop.NO_STOP
    )
    assert batch.scores.tolist() == [solver.score(position) for position in positions]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mnk:3x3x3", 0),
        ("mnk:4x4x4", 0),
        ("mnk:5x5x4", 0),
        ("mnk:4x3x3", 1),
        ("mnk:4x4x3", 1),
        ("mnk:6x5x4", 1),
    ],
)
def test_values_of_empty_boards(name: str, value: int) -> None:
    assert np.sign(Solver(name).score("")) == value


@pytest.mark.parametrize(("name", "ply"), [("board:3x3x3", 7), ("board:3x3x3,gravity", 9)])
def test_when_the_cube_of_three_is_won(name: str, ply: int) -> None:
    owned, used = 14, (ply + 1) // 2
    assert Solver(name).score("") == owned + 1 - used


def test_every_move_of_tic_tac_toe() -> None:
    tictactoe = game("tictactoe")
    assert solve(tictactoe.position()).moves == dict.fromkeys(range(9), 0)
    corner = solve(tictactoe.position("11"))  # only the centre holds
    assert [move for move, score in corner.moves.items() if score == 0] == [4]
    assert corner.value == 0
    assert solve(tictactoe.position("11 12")).value == 1
    assert solve(tictactoe.position("11 22 12 33")).moves[2] == 3  # completes the row


def test_images_score_alike() -> None:
    solver = Solver("mnk:4x4x4")
    for position in random_positions(solver.game, 5, 4, seed=3):
        scores = {
            solver.score(position.transformed(symmetry))
            for symmetry in range(len(solver.game.symmetries))
        }
        assert len(scores) == 1


def test_a_table_entry_is_the_whole_position() -> None:
    lines, memory = masks.lines_of(game("qubic")), general_solver.new_table(8)
    stack = new_stack(general_solver.ROW)
    zero = np.uint64(0)
    general_solver.write_key(lines, stack, zero, 3)
    assert (
        general_solver.find(memory, stack, zero) == 0
    )  # an empty table knows nothing of the empty board
    general_solver.remember(lines, memory, stack, zero, 3, 131)
    assert general_solver.find(memory, stack, zero) == 131
    for word in (general_solver.OWN, general_solver.OTHER):
        for bit in range(64):
            stack.words[:] = 0
            stack.words[word] = np.uint64(1) << np.uint64(bit)
            general_solver.write_key(lines, stack, zero, 3)
            assert general_solver.find(memory, stack, zero) == 0


def test_images_of_words_are_those_of_the_game() -> None:
    qubic = game("qubic")
    lines = masks.lines_of(qubic)
    cells = np.array([0, 5, 21, 42, 63])
    word = np.bitwise_or.reduce(np.uint64(1) << cells.astype(np.uint64))
    for symmetry in range(0, len(lines.images), 7):
        moved = qubic.symmetries[symmetry, cells].astype(np.uint64)
        expected = np.bitwise_or.reduce(np.uint64(1) << moved)
        assert image_of(lines.images, symmetry, word) == expected


def test_large_boards_are_given_up_cleanly() -> None:
    with pytest.raises(NotSolved, match="not solved within 5,000 nodes"):
        Solver("qubic", limit=5_000).score("")
    assert issubclass(NotSolved, InputError)


def test_finished_and_impossible_positions_are_refused() -> None:
    with pytest.raises(InputError, match=r"the game is over \(first player wins\)"):
        solve(game("tictactoe").position("11 21 12 22 13"))
    with pytest.raises(InputError, match="cannot be played"):
        Solver("tictactoe").scores(["11 11"])
    with pytest.raises(InputError, match="cannot arise"):
        Solver("board:3x3x3,gravity").score_words(
            np.array([0], np.uint64), np.array([1 << 9], np.uint64)
        )


def test_a_board_with_too_many_symmetries_to_list_is_solved_without_them():
    solver = Solver("board:2x2x2x2x2x2,k=2")
    assert solver.solve("").value == 1  # any two cells side by side are a line
    assert len(masks.lines_of(solver.game).images) == 1
