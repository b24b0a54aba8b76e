"""Positions as pictures: well-formed, complete, and marked where they should be."""

import random
import re
import xml.etree.ElementTree as ElementTree
from xml.etree.ElementTree import Element

import pytest

from inarow.game import Position, game
from inarow.game.svg import STONE_STYLES, WIDEST, find_completed_lines

NAMESPACE = "{http://www.w3.org/2000/svg}"
NAMES = [
    "tictactoe",
    "connect4:6x7",
    "cube",
    "qubic",
    "mnk:15x15x5",
    "ntictactoe:3^3",
    "ntictactoe:3^4",
    "ntictactoe:2^5",
    "board:7,k=3",
    "board:5,gravity",
    "board:1x5",
    "board:5x1,gravity",
    "board:2x3x4,k=3,gravity",
    "board:2x2x3x3,gravity",
]


def play_at_random(name: str, moves: int, seed: int = 1) -> Position:
    position, generator = game(name).position(), random.Random(seed)
    while position.ply < moves and position.outcome is None:
        position.push(generator.choice(position.legal_moves))
    return position


def parse(position: Position) -> Element:
    return ElementTree.fromstring(position.svg())


def with_class(picture: Element, name: str) -> list[Element]:
    return [e for e in picture.iter() if name in e.get("class", "").split()]


def points(element: Element) -> list[tuple[float, float]]:
    """The places that a path names outright, which all drawings here begin with."""
    found = re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", element.get("d", ""))
    return [(float(x), float(y)) for x, y in found]


def box(element: Element) -> tuple[float, float, float, float]:
    xs, ys = zip(*points(element), strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def middle(element: Element) -> tuple[float, float]:
    left, top, right, bottom = box(element)
    return (left + right) / 2, (top + bottom) / 2


@pytest.mark.parametrize("name", NAMES)
def test_every_stone_is_drawn_once_in_its_players_group(name: str) -> None:
    for moves in (0, 1, game(name).cells // 2, game(name).cells):
        position = play_at_random(name, moves)
        picture = parse(position)
        assert len(with_class(picture, "stone")) == position.ply
        for player, style in STONE_STYLES.items():
            (group,) = [e for e in with_class(picture, style.name) if e.tag == f"{NAMESPACE}g"]
            stones = with_class(group, "stone")
            assert len(stones) == position.stones.count(player)
            assert len({ElementTree.tostring(stone) for stone in stones}) == len(stones)


@pytest.mark.parametrize("name", NAMES)
def test_last_stone_stands_in_brackets(name: str) -> None:
    assert with_class(parse(game(name).position()), "last") == []
    position = game(name).position()
    for _ in range(2):
        position.push(position.legal_moves[-1])
        picture = parse(position)
        (brackets,) = with_class(picture, "last")
        style = STONE_STYLES[3 - position.to_move]
        group = next(e for e in with_class(picture, style.name) if e.tag == f"{NAMESPACE}g")
        (stone,) = with_class(group, "stone")
        mark = stone if stone.get("d") else list(stone)[-1]
        start = points(mark)[0]
        left, top, right, bottom = box(brackets)
        assert left < start[0] < right
        assert top < start[1] < bottom


def test_stones_that_fall_are_drawn_from_the_bottom_up() -> None:
    heights = []
    for moves in ("4", "44", "444"):
        (brackets,) = with_class(parse(game("connect4:6x7").position(moves)), "last")
        heights.append(middle(brackets))
    assert heights[0][0] == heights[1][0] == heights[2][0]
    assert heights[0][1] > heights[1][1] > heights[2][1]


def test_bottom_level_of_the_cube_is_at_the_bottom() -> None:
    first, second = (parse(game("cube").position(moves)) for moves in ("11", "11 11"))
    assert middle(with_class(first, "last")[0])[1] > middle(with_class(second, "last")[0])[1]
    heights = {e.text: float(e.get("y", "")) for e in first.iter(f"{NAMESPACE}text")}
    assert heights["level 1"] > heights["level 2"] > heights["level 3"] > heights["level 4"]


def test_winning_line_is_tinted_and_drawn_through() -> None:
    picture = parse(game("tictactoe").position("11 21 12 22 13"))
    tint, stroke = with_class(picture, "completed")
    assert {tint.get("class"), stroke.get("class")} == {"completed first"}
    assert len(points(tint)) == 3 * 4
    (from_x, from_y), (to_x, to_y) = points(stroke)
    left, top, right, bottom = box(tint)
    assert left < from_x < to_x < right
    assert top < from_y == to_y < bottom
    left, top, right, bottom = box(with_class(picture, "last")[0])
    assert left < to_x < right
    assert top < to_y < bottom


def test_nothing_is_tinted_before_a_line_is_complete() -> None:
    assert with_class(parse(game("tictactoe").position("11 21 12 22")), "completed") == []


def test_both_players_lines_are_tinted_in_four_dimensions() -> None:
    moves = "1111 1211 1112 1212 1113 1213 1123"
    first, second = with_class(parse(game("ntictactoe:3^4").position(moves)), "completed")
    assert (first.get("class"), second.get("class")) == ("completed first", "completed second")
    assert len(points(first)) == len(points(second)) == 3 * 4


@pytest.mark.parametrize("name", ["ntictactoe:3^3", "ntictactoe:3^4", "cube", "tictactoe"])
def test_completed_lines_are_those_that_the_score_counts(name: str) -> None:
    for seed in range(5):
        position = play_at_random(name, 60, seed)
        lines = find_completed_lines(position).tolist()
        owners = [{position.stones[cell] for cell in line} for line in lines]
        assert (owners.count({1}), owners.count({2})) == position.score
        assert len(owners) == sum(position.score)


@pytest.mark.parametrize("name", NAMES)
def test_picture_has_a_title_and_nothing_from_outside(name: str) -> None:
    position = play_at_random(name, 3)
    picture = parse(position)
    assert next(iter(picture)).tag == f"{NAMESPACE}title"
    title = f"{game(name)} after {position.ply} moves: {_last_line(position)}"
    assert next(iter(picture)).text == title
    assert [e.text for e in with_class(picture, "status")] == [_last_line(position)]
    assert not {e.tag for e in picture.iter()} & {f"{NAMESPACE}script", f"{NAMESPACE}image"}
    assert not any("href" in key or key == "id" for e in picture.iter() for key in e.attrib)


@pytest.mark.parametrize("name", NAMES)
def test_everything_lies_within_the_view(name: str) -> None:
    picture = parse(play_at_random(name, 6))
    left, top, width, height = map(float, picture.get("viewBox", "").split())
    places = [p for e in picture.iter(f"{NAMESPACE}path") for p in points(e)]
    places += [(float(e.get("x", "")), float(e.get("y", ""))) for e in _texts(picture)]
    assert all(left <= x <= left + width and top <= y <= top + height for x, y in places)
    assert float(picture.get("width", "")) <= WIDEST


def test_coordinates_are_those_of_the_notation() -> None:
    free = [e.text for e in _texts(parse(game("board:2x3").position()))]
    assert free == ["1", "2", "3", "1", "2", "X to move"]
    falling = _texts(parse(game("connect4:4x5").position()))
    assert [e.text for e in falling] == ["1", "2", "3", "4", "5", "X to move"]
    (holes,) = with_class(parse(game("connect4:4x5").position()), "holes")
    assert all(float(label.get("y", "")) > box(holes)[3] for label in falling)
    headings = [e.text for e in _texts(parse(game("ntictactoe:2^4").position()))][::5]
    assert headings[:4] == ["1,1,_,_", "1,2,_,_", "2,1,_,_", "2,2,_,_"]


@pytest.mark.parametrize("name", ["ntictactoe:3^7", "mnk:64x64x9", "board:16x16x16,k=4"])
def test_huge_boards_stay_small_files(name: str) -> None:
    position = play_at_random(name, 2000)
    text = position.svg()
    assert len(text) < 2_000_000
    assert len(with_class(ElementTree.fromstring(text), "stone")) == position.ply


def test_notebooks_show_the_picture() -> None:
    position = game("cube").position("11 22")
    assert position._repr_svg_() == position.svg()
    assert position.svg().startswith("<svg")
    assert "after 1 move:" in game("cube").position("11").svg()


def _texts(picture: Element) -> list[Element]:
    return list(picture.iter(f"{NAMESPACE}text"))


def _last_line(position: Position) -> str:
    return str(position).splitlines()[-1]


def strokes(name, moves):
    """The ends of the strokes through the completed lines of the first player."""
    drawn = game(name).position(moves).svg()
    (path,) = re.findall(r'<path class="completed first"[^>]* d="([^"]*)" stroke=', drawn)
    return [
        [tuple(map(float, point.split())) for point in stroke.split("L")]
        for stroke in path.split("M")[1:]
    ]


def test_a_line_over_the_edge_is_drawn_to_one_edge_and_from_the_other():
    """One stroke from its first cell to its last would cross cells that are not in it."""
    (whole,) = strokes("connect4:6x7,wrap", "4455667")
    assert whole[0][1] == whole[1][1]
    first, second = sorted(strokes("connect4:6x7,wrap", "1122667"))
    assert [x for x, _ in (*first, *second)] == sorted(x for x, _ in (*first, *second))
    assert second[0][0] - first[1][0] > 2 * 40  # columns 3 to 5 stay free
    (left, _), (right, _) = first[0], second[1]
    assert left < 20  # half a cell beyond the middle of column 1: its edge
    assert right > 7 * 40 - 20


def test_a_line_around_two_rows_crosses_no_cell_of_the_other_side():
    """It goes down from row 1 over the lower edge, and comes in again above row 1."""
    down, again = strokes("board:2x3,k=3,wrap=0", "11 12 22 21 13")
    (left, above), (beyond, below) = down
    assert (beyond - left, below - above) == (60, 60)  # a step and a half, along the diagonal
    (before, outside), (right, row) = again
    assert (right - left, row) == (80, above)
    assert (right - before, row - outside) == (20, 20)  # the other half of the second step
