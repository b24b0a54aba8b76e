"""Tuples: random walks, and numbers for all that can lie on their cells and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarow.engine.streams import make_stream
from inarow.game import InputError, Position
from inarow.game import game as game_of
from inarow.learn.ntuple.network import (
    contributions,
    draw_tuples,
    find_features,
    neighbours,
    parse_tuples,
)
from inarow.papers.connect_four.exact import coverage
from inarow.plain.connect_four import states_of
from inarow.plain.random_stream import RandomStream

GAMES = ["connect4:6x7", "connect4:4x4", "tictactoe", "cube", "ntictactoe:3^3"]


def random_position(name: str, seed: int, plies: int) -> Position:
    position, stream = Position(game_of(name)), RandomStream(make_stream(seed))
    while position.outcome is None and position.ply < plies:
        moves = position.legal_moves
        position.push(moves[stream.below(len(moves))])
    return position


@pytest.mark.parametrize("name", GAMES)
def test_walks_go_from_cell_to_neighbour(name: str) -> None:
    game = game_of(name)
    tuples = draw_tuples(game, 50, 5, make_stream(1))
    assert tuples.shape == (50, 5)
    near = neighbours(game)
    for cells in tuples.tolist():
        assert len(set(cells)) == 5
        for place, cell in enumerate(cells[1:], start=1):  # a walk may have come back
            assert any(cell in near[earlier] for earlier in cells[:place])
    assert np.array_equal(tuples, draw_tuples(game, 50, 5, make_stream(1)))
    assert len({tuple(cells) for cells in tuples.tolist()}) > 25


def test_neighbours() -> None:
    near = neighbours(game_of("connect4:6x7"))
    assert near[0] == [1, 7, 8]
    assert len(near[8]) == 8
    assert max(map(len, neighbours(game_of("cube")))) == 26


@pytest.mark.parametrize(
    ("cells", "states", "indices"),
    [
        ([0], 4, 3),  # on the ground: playable or a stone
        ([7], 4, 4),
        ([0, 7], 4, 7),  # 1 while the ground is free, 2 * 3 after
        ([7, 0], 4, 7),
        ([7, 14], 4, 8),
        ([0, 14], 4, 9),  # 1, or 2 * 4: there is a cell between
        ([0, 7, 14, 21, 28, 35], 4, 2**7 - 1),  # a column: what has been played in it
        ([0, 7, 14, 21, 28, 35], 3, 2**7 - 1),
        ([7, 8], 4, 16),
        ([7, 14, 8, 15, 9, 16, 10, 17], 4, 8**4),
        ([7, 14], 3, 7),
    ],
)
def test_numbers_of_states(cells: list[int], states: int, indices: int) -> None:
    assert contributions(game_of("connect4:6x7"), cells, states)[1] == indices


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(GAMES), st.integers(0, 10**6), st.integers(0, 40), st.sampled_from([3, 4]))
def test_indices_tell_apart_what_differs(name: str, seed: int, plies: int, states: int) -> None:
    game = game_of(name)
    cells = draw_tuples(game, 1, 5, make_stream(seed))[0].tolist()
    adds, indices = contributions(game, cells, states)
    seen: dict[int, tuple[int, ...]] = {}
    for number in range(20):
        stones = random_position(name, seed + number, plies + number).stones
        found = states_of(game, stones, cells, states)
        index = sum(int(adds[place, state]) for place, state in enumerate(found))
        assert 0 <= index < indices
        assert seen.setdefault(index, found) == found


@pytest.mark.parametrize("name", ["connect4:4x4", "tictactoe"])
def test_every_number_is_used(name: str) -> None:
    game, cells = game_of(name), [0, 1, 4, 5]
    adds, indices = contributions(game, cells, 4)
    reached = set()
    for seed in range(4000):
        stones = random_position(name, seed, seed % 17).stones
        found = states_of(game, stones, cells, 4)
        reached.add(sum(int(adds[place, state]) for place, state in enumerate(found)))
    assert reached == set(range(indices))


def test_features_of_images_share_weights() -> None:
    game = game_of("connect4:6x7")
    one, weights = find_features(game, [[0, 1, 7]], 4, game.symmetries[:1])
    two, same = find_features(game, [[0, 1, 7]], 4, game.symmetries)
    assert (one.number, two.number) == (1, 2)
    assert weights == same == 1 + 7 * 3
    assert len(two.start) == 4
    assert two.start[0] == two.start[1] == one.start[0]
    assert list(two.start[2:]) == [0, 0]


def test_given_tuples() -> None:
    game = game_of("tictactoe")
    assert parse_tuples(game, "0,1,2  4,8") == [[0, 1, 2], [4, 8]]
    for wrong in ("0,x", "0,9", "0,0", "0,-1"):
        with pytest.raises(InputError):
            parse_tuples(game, wrong)


def test_what_does_not_work_is_said() -> None:
    game = game_of("tictactoe")
    for number, length in ((0, 3), (1, 0), (1, 10)):
        with pytest.raises(InputError, match="tuples"):
            draw_tuples(game, number, length, make_stream(0))
    with pytest.raises(InputError, match="states"):
        find_features(game, [[0]], 5, game.symmetries)


def test_too_many_tuples_are_refused_before_they_are_drawn() -> None:
    with pytest.raises(InputError, match="1,000,000 tuples of 8 cells are more than"):
        draw_tuples(game_of("cube"), 1_000_000, 8, make_stream(0))


def test_what_tuples_see() -> None:
    game = game_of("connect4:4x5")
    whole, a_line, least = coverage(game, [[0, 1, 2, 3]])  # and its image 1, 2, 3, 4
    assert whole == a_line == pytest.approx(2 / len(game.lines))
    assert least == 0
    whole, _, least = coverage(game, [list(range(20))])
    assert (whole, least) == (1, 2)
