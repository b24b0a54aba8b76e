"""What cells show, and where they are drawn."""

import json

import pytest

from inarow.game import game as game_of
from inarow.lab.move_values import Estimate, Exact, Hint, Verdict, exact
from inarow.lab.players import player
from inarow.ui.game_in_play import GameInPlay
from inarow.ui.web.cells import (
    Insight,
    describe_cells,
    describe_looked_at,
    describe_set_up,
    layout_of,
    shade,
    value_of,
)


def cells_in(layout):
    """All cell numbers of a layout, however deep."""
    if "rows" in layout:
        return [cell for row in layout["rows"] for cell in row]
    return [cell for part in layout["parts"] for cell in cells_in(part)]


@pytest.mark.parametrize(
    "name", ["tictactoe", "connect4:6x7", "cube", "ntictactoe:3^4", "ntictactoe:2^6", "board:5,k=3"]
)
def test_every_cell_is_drawn_once(name):
    game = game_of(name)
    layout = layout_of(game)
    assert sorted(cells_in(layout["tree"])) == list(range(game.cells))
    json.dumps(layout)  # it travels


def test_four_dimensions_make_a_grid_of_slices():
    tree = layout_of(game_of("ntictactoe:3^4"))["tree"]
    assert tree["across"] is False
    assert [row["across"] for row in tree["parts"]] == [True] * 3
    assert tree["parts"][1]["parts"][2]["heading"] == "2,3,_,_"


def two_people(name, moves=""):
    game = game_of(name)
    table = GameInPlay(game, [None, None], 0)
    for move in game.position(moves).moves:
        table.play(move)
    return table


def test_falling_stones_can_be_played_anywhere_in_a_column():
    cells = describe_cells(two_people("connect4:6x7", "4"), Insight(), False, "off")
    assert cells[3]["stone"] == 1
    assert cells[3]["last"]
    assert cells[3]["fresh"]
    assert all(cells[row * 7 + 3]["move"] == 3 for row in range(1, 6))
    assert [n for n, cell in enumerate(cells) if cell.get("lands")] == [0, 1, 2, 4, 5, 6, 10]


def test_nothing_can_be_played_after_the_end_or_out_of_turn():
    over = two_people("tictactoe", "11 21 12 22 13")
    cells = describe_cells(over, Insight(), False, "off")
    assert not any("move" in cell for cell in cells)
    assert [n for n, cell in enumerate(cells) if cell.get("line")] == [0, 1, 2]
    waiting = GameInPlay(game_of("tictactoe"), [player("perfect"), None], 0)
    assert not any("move" in c for c in describe_cells(waiting, Insight(), False, "off"))
    left = two_people("tictactoe", "11 21")
    cells = describe_cells(left, Insight(), False, "off", preparing=True)
    assert not any("move" in cell for cell in cells)


def test_exact_values_colour_the_cells():
    table = two_people("tictactoe", "11 21 12 22")
    insight = Insight(exact=exact(table.position), complete=True)
    cells = describe_cells(table, insight, False, "exact")
    assert (cells[2]["text"], cells[2]["value"]) == ("W1", "wins in 1")
    assert cells[2]["heat"] == shade(1 * (0.5 + 0.5 / (1 + 1 / 8)))
    assert cells[8]["value"] == "loses in 2"
    assert "text" not in cells[0]
    assert "text" not in describe_cells(table, insight, False, "off")[2]


def test_opinions_and_hints():
    table = two_people("tictactoe")
    values = {move: move / 10 for move in range(9)}
    texts = {move: f"{value:+.3f}" for move, value in values.items()}
    insight = Insight(
        estimate=Estimate("someone", values, texts), hint=Hint([8, 4], "", "someone", exact=False)
    )
    cells = describe_cells(table, insight, True, "estimate")
    assert cells[8]["text"] == "+0.800"
    assert [n for n, cell in enumerate(cells) if cell.get("best")] == [8]  # one, if not proven
    assert value_of(3, insight, "exact") == {}


def test_large_opinions_fit_a_cell():
    texts = {0: "+1,234,567", 1: "wins in 3", 2: "-800"}
    insight = Insight(estimate=Estimate("minimax", {0: 1234567.0, 1: 1e8, 2: -800.0}, texts))
    assert [value_of(move, insight, "estimate")["text"] for move in texts] == [
        "+1e+06",
        "W3",
        "-800",
    ]


def test_shades_run_from_orange_to_blue():
    assert (shade(-1), shade(0), shade(1)) == ("#f0b18a", "#f7f7f7", "#8cc0e0")
    assert shade(7) == shade(1)


def test_sooner_is_stronger():
    insight = Insight(exact=Exact("x", {0: Verdict(1, 1), 1: Verdict(1, 9), 2: Verdict(0)}))
    soon, late, draw = (value_of(move, insight, "exact")["heat"] for move in range(3))
    blue = [int(colour[1:3], 16) for colour in (soon, late, draw)]
    assert blue == sorted(blue)
    assert len(set(blue)) == 3


def test_a_board_that_is_set_up_is_pressed_where_stones_land():
    wall = describe_set_up(game_of("board:3x2,k=2,gravity"), [1, 0, 0, 0, 0, 0])
    assert [cell["move"] for cell in wall] == [0, 1, 2, 1, 2, 1]
    assert [number for number, cell in enumerate(wall) if cell.get("lands")] == [1, 2]
    levels = describe_set_up(game_of("board:2x1x2,k=2,gravity"), [2, 0, 0, 0])
    assert [cell.get("move") for cell in levels] == [0, 1, 2, None]
    flat = describe_set_up(game_of("tictactoe"), [0] * 9)
    assert [cell["move"] for cell in flat] == list(range(9))


def test_a_position_that_is_looked_at_shows_the_best_and_the_next_move():
    position = game_of("connect4:4x4").position("12")
    cells = describe_looked_at(position, Insight(exact=exact(position)), "exact", [2], 0)
    assert [number for number, cell in enumerate(cells) if cell.get("best")] == [2]
    assert [number for number, cell in enumerate(cells) if cell.get("next")] == [4]
    assert cells[2]["text"] == "D"
    assert not any("move" in cell for cell in cells)  # there is nothing to play
