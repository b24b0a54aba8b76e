"""Positions with values on them: where they stand, what is taken for values, what is refused."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from fractions import Fraction

import numpy as np
import pytest

import inarow
from inarow.game import InputError
from inarow.game.svg import _make_frame

NAMESPACE = "{http://www.w3.org/2000/svg}"


def texts(picture: str) -> dict[str, tuple[float, float]]:
    """The values in a picture, and where they stand."""
    root = ElementTree.fromstring(picture)
    (group,) = [g for g in root.iter(f"{NAMESPACE}g") if g.get("class") == "values"]
    return {str(t.text): (float(t.get("x", 0)), float(t.get("y", 0))) for t in group}


@pytest.mark.parametrize(
    ("name", "moves"),
    [("connect4:6x7", "4453"), ("tictactoe", "22"), ("cube", "11 11"), ("ntictactoe:3^4", "")],
)
def test_a_value_stands_where_the_stone_would_lie(name: str, moves: str) -> None:
    position = inarow.game(name).position(moves)
    values = {move: f"v{move}" for move in position.legal_moves}
    found = texts(position.show(values)._repr_svg_())
    centres = _make_frame(position.game).centres
    assert list(found) == list(values.values())
    for move, text in values.items():
        x, y = centres[position.cell_of(move)]
        assert found[text][0] == pytest.approx(x, abs=0.1)
        assert abs(found[text][1] - y) < 8


def test_without_values_it_is_the_picture_of_the_position() -> None:
    position = inarow.game("tictactoe").position("22 11")
    assert position.show()._repr_svg_() == position.svg()
    assert str(position.show()) == str(position)


def test_it_stays_as_it_was() -> None:
    position = inarow.game("tictactoe").position("22 11")
    shown, before = position.show({"12": 1}), str(position)
    position.push("12")
    assert str(shown) == repr(shown) == f"{before}\n12: +1"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2, "+2"),
        (-2, "-2"),
        (0, "0"),
        (np.int64(3), "+3"),
        (0.314, "+0.31"),
        (np.float32(-1.0), "-1.00"),
        (Fraction(1, 3), "+0.33"),
        (float("-inf"), "-inf"),
        ("wins", "wins"),
    ],
)
def test_values_are_written_shortly(value: object, text: str) -> None:
    assert inarow.game("tictactoe").position().show({"22": value}).values == {4: text}


def test_what_has_values_of_moves() -> None:
    position = inarow.game("connect4:6x7").position()
    solution = inarow.solve(position)
    assert position.show(solution).values[3] == "+1"
    assert position.show({3: "<&>"}).svg().count("&lt;&amp;&gt;") == 1
    agent = inarow.player("shipped:tictactoe")
    board = inarow.game("tictactoe").position("22")
    assert list(board.show(agent).values) == board.legal_moves


@pytest.mark.parametrize("values", ["perfect", 3, [1, 2], object()])
def test_what_has_none(values: object) -> None:
    with pytest.raises(InputError, match="has no values of moves"):
        inarow.game("tictactoe").position().show(values)


@pytest.mark.parametrize("move", [9, -1, 4, "22", "99", "x", None, 1.5])
def test_a_value_of_no_move(move: object) -> None:
    with pytest.raises(InputError):
        inarow.game("tictactoe").position("22").show({move: 1})


def test_nothing_is_asked_of_a_game_that_is_over() -> None:
    over = inarow.game("tictactoe").position("11 21 12 22 13")
    assert over.show(inarow.player("shipped:tictactoe")).values == {}
