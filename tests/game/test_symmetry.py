"""Symmetries: as many as are known, each one real, and the group as a whole a group."""

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from inarow.game import Game, InputError
from inarow.game import game as make_game
from inarow.game.symmetry import MAX_LISTED, SymmetryGroup, orbits_of
from tests.oracle import GAMES, count_symmetries, is_symmetry

game = cache(make_game)  # so that each group is searched for once

CALM = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
COUNTED = [  # games that the oracle's own search can count
    name for name in GAMES if game(name).cells <= 27 and game(name).symmetry_group.order <= 1000
]


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("tictactoe", 8),
        ("connect4:6x7", 2),
        ("connect4:4x4", 2),
        ("cube", 8),
        ("board:3x3x3,gravity", 8),
        ("qubic", 192),
        ("mnk:4x4x4", 32),
        ("mnk:15x15x5", 8),
        ("mnk:5x4x3", 4),
        ("ntictactoe:3^3", 48),
        ("ntictactoe:3^4", 384),
        ("ntictactoe:3^5", 3840),
        ("ntictactoe:3^7", 645_120),
        ("board:2x2x2x2,k=2", math.factorial(16)),
        ("board:3x3,k=1", math.factorial(9)),
        ("board:12x12x2,k=4", 8 * 8 * 2),  # no line joins the two layers
        ("board:7x1,k=3,gravity", 1),
        ("board:1x1,k=1", 1),
        ("tictactoe,misere", 8),
        ("tictactoe,wrap", 432),  # of the affine plane of order 3
        ("ntictactoe:3^3,wrap", 303_264),  # of its affine space
        ("connect4:6x7,wrap", 14),
        ("mnk:5x4x3,wrap=1", 16),
        ("mnk:10x3x3,wrap=0", 40),
        ("board:7,k=4,wrap", 14),
        ("board:7,k=7,wrap", 5040),  # all cells are one line
        ("qubic,wrap", 8**3 * 6),
    ],
)
def test_order_is_the_known_one(name, order):
    group = game(name).symmetry_group
    assert group.complete
    assert group.order == order


@pytest.mark.parametrize("name", COUNTED)
def test_order_is_what_the_oracle_counts(name):
    assert game(name).symmetry_group.order == count_symmetries(game(name))


@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.booleans(), st.data())
@settings(CALM, max_examples=40)
def test_order_of_any_small_box_is_what_the_oracle_counts(shape, gravity, data):
    assume(max(shape) >= 2 and math.prod(shape) <= 24)
    k = data.draw(st.integers(2, max(shape)))
    axes = range(1 if gravity else 0, len(shape))
    wrap = tuple(axis for axis in axes if data.draw(st.booleans()))
    this = Game(tuple(shape), k, gravity, wrap=wrap)
    assert this.symmetry_group.order % this.symmetry_group.box_order == 0
    if this.symmetry_group.box_order <= 400:
        boxes = SymmetryGroup(
            this.cells,
            this.symmetry_group.box_order,
            this.symmetry_group.box_generators,
            1,
            (),
            True,
        )
        assert len(boxes.elements) == this.symmetry_group.box_order
    if this.symmetry_group.order <= 200:
        assert this.symmetry_group.order == count_symmetries(this)
    for generator in this.symmetry_group.generators:
        assert is_symmetry(generator.tolist(), this)


@pytest.mark.parametrize("name", GAMES)
def test_every_listed_symmetry_is_one(name):
    this = game(name)
    step = max(1, len(this.symmetries) * len(this.lines) // 400_000)
    for element in this.symmetries[::step]:
        assert is_symmetry(element.tolist(), this)
    for generator in [*this.symmetry_group.generators, *this.symmetry_group.box_generators]:
        assert is_symmetry(generator.tolist(), this)


@pytest.mark.parametrize("name", GAMES)
def test_listed_once_each_with_the_identity_first(name):
    this = game(name)
    group = this.symmetry_group
    assert this.symmetries[0].tolist() == list(range(this.cells))
    listed = {element.tobytes() for element in this.symmetries}
    assert len(listed) == len(this.symmetries)
    assert len(this.symmetries) == (group.order if group.order <= MAX_LISTED else group.box_order)
    assert group.order % group.box_order == 0


@pytest.mark.parametrize("name", GAMES)
def test_closed_under_composition_and_inverse(name):
    elements = game(name).symmetries
    listed = {element.tobytes() for element in elements}
    for one in elements[:: max(1, len(elements) ** 2 // 40_000)]:
        assert {product.tobytes() for product in elements[:, one]} == listed
        assert np.argsort(one).astype(np.int32).tobytes() in listed


@pytest.mark.parametrize("name", GAMES)
def test_orbits_are_what_the_listed_symmetries_connect(name):
    this = game(name)
    orbits = this.symmetry_group.orbits
    if this.symmetry_group.order == len(this.symmetries):
        assert orbits.tolist() == this.symmetries.min(axis=0).tolist()
    for element in this.symmetries:
        assert (orbits[element] == orbits).all()


def test_orbits_of_tictactoe_and_qubic():
    assert game("tictactoe").symmetry_group.orbits.tolist() == [0, 1, 0, 1, 4, 1, 0, 1, 0]
    assert len(set(game("qubic").symmetry_group.orbits.tolist())) == 2
    assert game("connect4:4x4").symmetry_group.orbits.tolist()[:4] == [0, 1, 1, 0]


@given(st.lists(st.permutations(range(12)), max_size=4))
@settings(CALM, max_examples=60)
def test_orbits_of_any_permutations(permutations):
    expected = list(range(12))
    for _ in range(12):  # a label moves at most 11 steps
        for permutation in permutations:
            for source, target in enumerate(permutation):
                lowest = min(expected[source], expected[target])
                expected[source] = expected[target] = lowest
    generators = [np.array(permutation, dtype=np.int32) for permutation in permutations]
    assert orbits_of(generators, 12).tolist() == expected


@pytest.mark.parametrize("name", [name for name in GAMES if game(name).gravity])
def test_moves_go_where_their_columns_go(name):
    this = game(name)
    assert this.move_permutations.shape == (len(this.symmetries), this.columns)
    for moves, cells in zip(this.move_permutations, this.symmetries, strict=True):
        for cell in range(this.cells):
            height, column = divmod(cell, this.columns)
            assert cells[cell] == height * this.columns + moves[column]


@pytest.mark.parametrize("name", [name for name in GAMES if not game(name).gravity])
def test_moves_are_cells_without_gravity(name):
    assert np.array_equal(game(name).move_permutations, game(name).symmetries)


def test_gravity_leaves_no_way_up_or_down():
    falling, free = game("cube"), game("qubic")
    assert np.array_equal(np.sort(falling.lines, axis=1), np.sort(free.lines, axis=1))
    floor = falling.symmetries[:, :16]
    assert floor.max() == 15
    assert free.symmetries[:, :16].max() == 63


def test_too_many_symmetries_of_the_lines_list_those_of_the_box():
    group = game("board:2x2x2x2,k=2").symmetry_group
    assert group.order == 20_922_789_888_000
    assert len(group.elements) == group.box_order == 384


def test_far_too_many_symmetries_are_counted_but_not_listed():
    this = game("ntictactoe:3^7")
    assert this.symmetry_group.order == 645_120
    assert len(set(this.symmetry_group.orbits.tolist())) == 8  # by number of middle coordinates
    for listing in (lambda: this.symmetries, lambda: this.move_permutations):
        with pytest.raises(InputError, match="645120 symmetries") as caught:
            listing()
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "box_order"), [("board:100,k=100", 2), ("ntictactoe:64^1", 2), ("mnk:20x20x1", 8)]
)
def test_search_that_grows_too_long_falls_back_to_the_box(name, box_order):
    this = game(name)
    group = this.symmetry_group
    assert not group.complete
    assert group.order == group.box_order == len(this.symmetries) == box_order
    for element in this.symmetries:
        assert is_symmetry(element.tolist(), this)


@pytest.mark.parametrize("name", ["mnk:2x500x2", "mnk:64x64x64", "board:2x2x500,k=2"])
def test_the_search_gives_up_where_it_would_take_long(name):
    assert not game(name).symmetry_group.complete
