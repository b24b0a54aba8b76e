"""Lines: as many as the literature says, each once, in the order of a person's scan."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inarow.game import Game, InputError, game
from inarow.game.spec import count_lines, find_lines
from tests.oracle import GAMES, lines_of

CALM = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
SHAPES = st.lists(st.integers(1, 6), min_size=1, max_size=4).filter(lambda s: math.prod(s) <= 120)


def as_set(lines: np.ndarray) -> set[tuple[int, ...]]:
    return {tuple(sorted(line)) for line in lines.tolist()}


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("tictactoe", 8),
        ("ntictactoe:3^3", 49),
        ("ntictactoe:3^4", 272),
        ("ntictactoe:4^3", 76),
        ("ntictactoe:4^4", 520),
        ("ntictactoe:3^7", 37_969),
        ("connect4:6x7", 69),
        ("cube", 76),
        ("qubic", 76),
        ("tictactoe,wrap", 12),  # the affine plane of order 3
        ("ntictactoe:3^3,wrap", 117),  # the affine space: 27 * 26 / 6
        ("ntictactoe:3^4,wrap", 1080),  # 81 * 80 / 6, the lines of the card game SET
    ],
)
def test_counts_of_the_literature(name, count):
    assert len(game(name).lines) == count
    assert game(name).line_count == count


@given(st.integers(2, 6), st.integers(1, 5))
@settings(CALM, max_examples=40)
def test_closed_form_of_a_cube(k, dimensions):
    closed_form = ((k + 2) ** dimensions - k**dimensions) // 2
    assert count_lines((k,) * dimensions, k, ()) == closed_form
    if k**dimensions <= 4096:
        assert len(find_lines((k,) * dimensions, k, ())) == closed_form


@pytest.mark.parametrize("name", GAMES)
def test_lines_are_those_of_the_oracle(name):
    this = game(name)
    expected = lines_of(this.shape, this.k, this.wrap)
    assert this.lines.shape == (len(expected), this.k)
    assert sorted(as_set(this.lines)) == expected
    assert this.line_count == len(expected)


@given(SHAPES, st.data())
@settings(CALM, max_examples=60)
def test_lines_of_any_box_are_those_of_the_oracle(shape, data):
    k = data.draw(st.integers(1, max(shape)))
    wrap = tuple(data.draw(st.sets(st.integers(0, len(shape) - 1))))
    lines = find_lines(tuple(shape), k, wrap)
    expected = lines_of(shape, k, wrap)
    assert len(lines) == len(expected) == count_lines(tuple(shape), k, wrap)
    assert sorted(as_set(lines)) == expected


@given(SHAPES, st.data())
@settings(CALM, max_examples=40)
def test_the_order_of_axes_does_not_change_the_count(shape, data):
    k = data.draw(st.integers(1, max(shape)))
    other = data.draw(st.permutations(shape))
    assert count_lines(tuple(shape), k, ()) == count_lines(tuple(other), k, ())


def test_no_line_where_k_fits_no_side():
    assert count_lines((3, 3), 4, ()) == 0
    assert find_lines((3, 3), 4, ()).shape == (0, 4)


def test_lines_go_on_over_the_edge_of_an_axis_that_wraps():
    assert find_lines((4,), 3, (0,)).tolist() == [[0, 1, 2], [1, 2, 3], [2, 3, 0], [3, 0, 1]]
    ring = find_lines((4,), 4, (0,))
    assert ring.tolist() == [[0, 1, 2, 3]]  # once, wherever it starts
    cylinder = find_lines((2, 3), 2, (1,)).tolist()
    assert [2, 0] in cylinder
    assert [2, 3] in cylinder  # down and over the edge
    assert [3, 0] not in cylinder[3:6]
    assert find_lines((2, 2), 2, (0, 1)).tolist() == find_lines((2, 2), 2, ()).tolist()
    # Around a side of 2, a line of 3 comes back to its first cell unless another axis moves.
    assert all(len(set(line)) == 3 for line in find_lines((2, 5), 3, (0, 1)).tolist())


def test_too_many_wrapped_lines_are_refused_in_one_line():
    this = game("board:3x3x3x3x50,k=50,wrap")
    with pytest.raises(InputError, match="too many lines"):
        _ = this.lines


def test_tictactoe_is_scanned_by_rows_then_columns_then_diagonals():
    assert game("tictactoe").lines.tolist() == [
        [0, 1, 2],
        [3, 4, 5],
        [6, 7, 8],
        [0, 3, 6],
        [1, 4, 7],
        [2, 5, 8],
        [0, 4, 8],
        [2, 4, 6],
    ]


def test_a_longer_board_is_scanned_from_the_lowest_cell_on():
    assert find_lines((2, 4), 2, ()).tolist() == [
        [0, 1],
        [1, 2],
        [2, 3],
        [4, 5],
        [5, 6],
        [6, 7],
        [0, 4],
        [1, 5],
        [2, 6],
        [3, 7],
        [0, 5],
        [1, 6],
        [2, 7],
        [1, 4],
        [2, 5],
        [3, 6],
    ]


@pytest.mark.parametrize("name", ["qubic", "ntictactoe:3^4", "mnk:5x4x3"])
def test_scan_order_is_by_number_of_axes_the_last_axis_first(name):
    this = game(name)
    places = [np.array(np.unravel_index(line, this.shape)) for line in this.lines]
    moving = [tuple(np.flatnonzero(place[:, 0] != place[:, 1]).tolist()) for place in places]
    assert [len(axes) for axes in moving] == sorted(len(axes) for axes in moving)
    single = [axes[0] for axes in moving if len(axes) == 1]
    assert single == sorted(single, reverse=True)
    courses = [tuple((place[:, 1] - place[:, 0]).tolist()) for place in places]
    groups = [(course, len(list(group))) for course, group in itertools.groupby(courses)]
    assert len(groups) == len(set(courses))  # parallel lines stand together
    assert len([axes for axes, _ in itertools.groupby(moving)]) == len(set(moving))
    start = 0
    for _, size in groups:
        first_cells = this.lines[start : start + size, 0].tolist()
        assert first_cells == sorted(first_cells)
        start += size


@pytest.mark.parametrize("name", GAMES)
def test_lines_run_straight(name):
    this = game(name)
    for line in this.lines[:: max(1, len(this.lines) // 100)]:
        place = np.array(np.unravel_index(line, this.shape))
        steps = np.diff(place, axis=1)
        for axis in this.wrap:  # over the edge is one step, too; by 2 places both ways are one
            side = this.shape[axis]
            steps[axis] = (steps[axis] + side // 2) % side - side // 2
            steps[axis] = np.abs(steps[axis]) if side == 2 else steps[axis]
        assert (steps == steps[:, :1]).all()
        assert (np.abs(steps) <= 1).all()


@pytest.mark.parametrize("name", GAMES)
def test_lines_by_cell_say_the_same(name):
    this = game(name)
    start, line = this.lines_by_cell
    assert len(start) == this.cells + 1
    assert start[0] == 0
    assert start[-1] == len(line) == len(this.lines) * this.k
    through = [[] for _ in range(this.cells)]
    for number, cells in enumerate(this.lines.tolist()):
        for cell in cells:
            through[cell].append(number)
    for cell in range(this.cells):
        assert line[start[cell] : start[cell + 1]].tolist() == through[cell]


def test_a_cell_without_lines_has_none():
    start, line = Game((1, 3), 3, gravity=True).lines_by_cell
    assert start.tolist() == [0, 1, 2, 3]
    assert line.tolist() == [0, 0, 0]
    start, _ = Game((4, 4, 4), 4).lines_by_cell
    assert sorted(set(np.diff(start).tolist())) == [4, 7]  # edges and faces 4, corners and core 7
    start, line = Game((2, 3), 3).lines_by_cell
    assert start.tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert line.tolist() == [0, 0, 0, 1, 1, 1]
