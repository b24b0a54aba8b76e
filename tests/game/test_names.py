"""Names of games: every game has one that gives it back, and a wrong one is told what is right."""

import contextlib
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inarow.game import FORMS, Game, InputError, game
from inarow.game.spec import MAX_CELLS
from tests.oracle import GAMES

CALM = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


@st.composite
def games(draw: st.DrawFn) -> Game:
    sides = st.lists(st.integers(1, 12), min_size=1, max_size=12)
    shape = tuple(draw(sides.filter(lambda sides: math.prod(sides) <= MAX_CELLS)))
    k = draw(st.integers(1, max(shape)))
    gravity, scoring = draw(st.booleans()), draw(st.booleans())
    axes = range(1 if gravity else 0, len(shape))
    wrap = tuple(axis for axis in axes if draw(st.integers(0, 2)) == 0)
    return Game(shape, k, gravity, scoring, wrap, not scoring and draw(st.booleans()))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tictactoe", Game((3, 3), 3)),
        ("connect4", Game((6, 7), 4, gravity=True)),
        ("connect4:6x7", Game((6, 7), 4, gravity=True)),
        ("connect4:9x12", Game((9, 12), 4, gravity=True)),
        ("connect4:1x4", Game((1, 4), 4, gravity=True)),
        ("cube", Game((4, 4, 4), 4, gravity=True)),
        ("qubic", Game((4, 4, 4), 4)),
        ("mnk:15x15x5", Game((15, 15), 5)),
        ("mnk:5x4x3", Game((5, 4), 3)),
        ("ntictactoe:3^2", Game((3, 3), 3)),
        ("ntictactoe:3^3", Game((3, 3, 3), 3, scoring=True)),
        ("ntictactoe:3^7", Game((3,) * 7, 3, scoring=True)),
        ("ntictactoe:2^12", Game((2,) * 12, 2, scoring=True)),
        ("ntictactoe:5^1", Game((5,), 5)),
        ("board:2x3x4,k=3,gravity", Game((2, 3, 4), 3, gravity=True)),
        ("board:4x4,scoring,gravity,k=3", Game((4, 4), 3, gravity=True, scoring=True)),
        ("board:3x5", Game((3, 5), 5)),
        ("board:7,k=4", Game((7,), 4)),
        (" tictactoe\n", Game((3, 3), 3)),
        ("tictactoe,misere", Game((3, 3), 3, misere=True)),
        ("tictactoe,wrap", Game((3, 3), 3, wrap=(0, 1))),
        ("mnk:15,15,5,wrap=1,misere", Game((15, 15), 5, wrap=(1,), misere=True)),
        ("connect4,wrap", Game((6, 7), 4, gravity=True, wrap=(1,))),
        ("cube,misere,wrap=2,wrap=1", Game((4, 4, 4), 4, True, wrap=(1, 2), misere=True)),
        ("board:3x4,wrap,k=3,gravity", Game((3, 4), 3, gravity=True, wrap=(1,))),
        ("board:3x1x4,k=2,wrap", Game((3, 1, 4), 2, wrap=(0, 1, 2))),
        ("ntictactoe:3^3,wrap=0", Game((3, 3, 3), 3, scoring=True, wrap=(0,))),
    ],
)
def test_a_name_says_what_it_should(name, expected):
    assert game(name) == expected
    assert hash(game(name)) == hash(expected)


@pytest.mark.parametrize("name", GAMES)
def test_every_name_comes_back(name):
    this = game(name)
    assert game(this.name) == this
    assert game(this.name).name == this.name == str(this)
    assert game(this) is this


@given(games())
@settings(CALM, max_examples=200)
def test_the_name_of_any_game_gives_it_back(this):
    assert game(this.name) == this
    assert game(this.name).name == this.name


@given(games(), games())
@settings(CALM, max_examples=100)
def test_different_games_have_different_names(one, other):
    assert (one == other) == (one.name == other.name)


@pytest.mark.parametrize(
    ("this", "name"),
    [
        (Game((3, 3), 3), "tictactoe"),
        (Game((6, 7), 4, gravity=True), "connect4:6x7"),
        (Game((4, 4, 4), 4, gravity=True), "cube"),
        (Game((4, 4, 4), 4), "qubic"),
        (Game((4, 4, 4), 4, scoring=True), "ntictactoe:4^3"),
        (Game((3, 3, 3), 3), "board:3x3x3"),
        (Game((3, 3), 3, scoring=True), "board:3x3,scoring"),
        (Game((5, 5), 3, gravity=True), "board:5x5,k=3,gravity"),
        (Game((7, 3), 5), "mnk:7x3x5"),
        (Game((3, 3), 3, misere=True), "tictactoe,misere"),
        (Game((3, 3), 3, wrap=(1, 0)), "tictactoe,wrap"),
        (Game((6, 7), 4, gravity=True, wrap=(1,)), "connect4:6x7,wrap"),
        (Game((4, 4, 4), 4, wrap=(2, 0), misere=True), "qubic,wrap=0,wrap=2,misere"),
        (Game((3, 1, 4), 2, wrap=(0, 1, 2)), "board:3x1x4,k=2,wrap"),
        (Game((3, 3, 3), 3, misere=True), "board:3x3x3,misere"),
    ],
)
def test_the_name_is_the_one_people_use(this, name):
    assert this.name == name


def test_the_forms_are_those_the_parser_knows():
    examples = {
        "tictactoe": "tictactoe",
        "connect4[:ROWSxCOLS]": "connect4:5x4",
        "cube": "cube",
        "qubic": "qubic",
        "mnk:MxNxK": "mnk:3x3x3",
        "ntictactoe:K^N": "ntictactoe:3^4",
        "board:SIDES[,k=K][,gravity][,scoring]": "board:2x3,k=2,gravity,scoring",
    }
    assert set(examples) == set(FORMS)
    for example in examples.values():
        assert isinstance(game(example), Game)


WRONG = [  # what a person might type, and what the answer must name
    ("", "tictactoe"),
    ("   ", "tictactoe"),
    ("chess", "connect4[:ROWSxCOLS]"),
    ("Tictactoe", "tictactoe"),
    (":", "tictactoe"),
    ("6x7", "board:SIDES"),
    ("tictactoe:", "tictactoe"),
    ("tictactoe:3", "write just tictactoe"),
    ("cube:4", "write just cube"),
    ("qubic:4x4x4", "write just qubic"),
    ("connect4:", "connect4[:ROWSxCOLS]"),
    ("connect4:6", "connect4:6x7"),
    ("connect4:6x", "connect4:6x7"),
    ("connect4:6X7", "connect4:6x7"),
    ("connect4:6x7x8", "connect4:6x7"),
    ("connect4:-6x7", "connect4:6x7"),
    ("connect4:6.0x7", "connect4:6x7"),
    ("connect4:6x 7", "connect4:6x7"),
    ("connect4::6x7", "connect4:6x7"),
    ("connect4:3x3", "4 or more"),
    ("connect4:0x7", "at least 1"),
    ("connect4:6x0", "at least 1"),
    ("connect4:1000x1000", "4096"),
    ("connect4:65x64", "4096"),
    ("connect4:99999999999999999999x7", "4096"),
    ("mnk:3x3", "mnk:15x15x5"),
    ("mnk:3x3x-1", "mnk:15x15x5"),
    ("mnk:3x3x4", "between 1 and the longest side, 3"),
    ("mnk:3x3x0", "between 1 and the longest side, 3"),
    ("mnk:0x3x3", "at least 1"),
    ("mnk:99999x99999x5", "4096"),
    ("mnk:1000000x3x3", "4096"),
    ("ntictactoe:3", "ntictactoe:3^4"),
    ("ntictactoe:3x4", "ntictactoe:3^4"),
    ("ntictactoe:-3^4", "ntictactoe:3^4"),
    ("ntictactoe:0^3", "at least 1"),
    ("ntictactoe:3^0", "at least 1"),
    ("ntictactoe:3^8", "4096"),
    ("ntictactoe:3^99", "4096"),
    ("ntictactoe:1^99", "at most 12"),
    ("ntictactoe:99999^99999", "4096"),
    ("ntictactoe:9" + "9" * 5000 + "^2", "4096"),
    ("board:", "board:SIDES"),
    ("board:x", "board:2x3x4"),
    ("board:-3x3", "board:2x3x4"),
    ("board:0", "at least 1"),
    ("board:3x0x3", "at least 1"),
    ("board:3x3,", "board:2x3x4"),
    ("board:3x3,k=", "board:2x3x4"),
    ("board:3x3,k=-1", "board:2x3x4"),
    ("board:3x3,k=0", "between 1 and the longest side, 3"),
    ("board:3x3,k=4", "between 1 and the longest side, 3"),
    ("board:3x3,wind", "board:2x3x4"),
    ("board:3x3,gravity=1", "board:2x3x4"),
    ("board:99999x99999x99999", "4096"),
    ("board:4097,k=2", "4096"),
    ("ntictactoe:²^2", "ntictactoe:3^4"),
    ("tictactoe,", ",misere"),
    ("tictactoe,foo", ",wrap=AXIS"),
    ("tictactoe,k=2", "not an option of tictactoe"),
    ("tictactoe,gravity", "not an option of tictactoe"),
    ("tictactoe,wrap=", "not an option"),
    ("tictactoe,wrap=2", "0 to 1"),
    ("tictactoe,wrap=99999", "0 to 1"),
    ("connect4:6x7,wrap=0", "along which stones fall"),
    ("connect4:3x3,wrap", "4 or more"),
    ("board:5,k=3,gravity,wrap", "no axis that can wrap"),
    ("ntictactoe:3^3,misere", "do not go together"),
    ("board:3x3,scoring,misere", "do not go together"),
    ("mnk:3x3,misere", "mnk:15x15x5"),
]


@pytest.mark.parametrize(("name", "right"), WRONG, ids=[name[:30] for name, _ in WRONG])
def test_a_wrong_name_gets_one_line_that_says_what_is_right(name, right):
    with pytest.raises(InputError) as caught:
        game(name)
    message = str(caught.value)
    assert right in message
    assert len(message.splitlines()) == 1


@pytest.mark.parametrize("name", ["tic\ntactoe", "connect4:6\nx7", "board:3x3,a\nb", "mnk:\r3x3x3"])
def test_a_name_with_a_line_break_still_gets_one_line(name):
    with pytest.raises(InputError) as caught:
        game(name)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    "name",
    [
        "connect4:6x\N{FULLWIDTH DIGIT SEVEN}",
        "mnk:3x\N{ARABIC-INDIC DIGIT THREE}x3",
        "ntictactoe:\N{DEVANAGARI DIGIT THREE}^3",
        "board:3,k=\N{FULLWIDTH DIGIT THREE}",
    ],
)
def test_digits_of_other_scripts_are_no_numbers(name):
    with pytest.raises(InputError):
        game(name)


@given(st.text(max_size=30))
@settings(CALM, max_examples=200)
def test_any_text_is_a_game_or_an_input_error(name):
    with contextlib.suppress(InputError):
        assert isinstance(game(name), Game)


@given(
    st.sampled_from(["tictactoe", "connect4", "cube", "mnk", "ntictactoe", "board"]),
    st.text(alphabet="0123456789x^,k=-: gravitysconnwpme", max_size=25),
)
@settings(CALM, max_examples=300)
def test_text_much_like_a_game_is_one_or_an_input_error(head, rest):
    message = ""
    try:
        this = game(f"{head}:{rest}")
        assert this.cells <= MAX_CELLS
    except InputError as error:
        message = str(error)
    else:
        assert game(this.name) == this
    assert len(message.splitlines()) <= 1


@pytest.mark.parametrize(
    ("shape", "k"),
    [((), 1), ((0,), 1), ((-3, -3), 1), ((3, 3), 4), ((3, 3), 0), ((3, 3), -1), ((65, 64), 3)],
)
def test_a_game_that_cannot_be_is_refused(shape, k):
    with pytest.raises(InputError) as caught:
        Game(shape, k)
    assert len(str(caught.value).splitlines()) == 1


def test_a_board_of_many_sides_comes_back():
    this = Game((2, *(1,) * 15), 2)
    assert game(this.name) == this


def test_a_board_of_too_many_sides_is_refused():
    with pytest.raises(InputError, match="at most 16"):
        Game((2, *(1,) * 16), 2)


@pytest.mark.parametrize("wrap", [True, 1, "01", (0.5,), (-1,), (2,), (None,)])
def test_axes_that_wrap_are_numbers_of_axes(wrap):
    with pytest.raises(InputError, match="wrap"):
        Game((3, 3), 3, wrap=wrap)


def test_an_axis_of_a_single_cell_does_not_wrap():
    this = Game((3, 1, 4), 2, wrap=(0, 1, 2))
    assert this.wrap == (0, 2)
    assert this == Game((3, 1, 4), 2, wrap=(0, 2))
    assert game("board:3x1x4,k=2,wrap=1") == game("board:3x1x4,k=2")


def test_a_game_has_no_subclasses():
    """One that changed its lines was taken for the flat board by everything that is fast."""
    with pytest.raises(TypeError, match="no subclasses"):
        type("Other", (Game,), {})


@pytest.mark.parametrize(("shape", "k"), [((3, 3), 2.0), ((3, 3), 2.5), ((3.7, 3), 3)])
def test_a_game_takes_whole_numbers_only(shape, k):
    with pytest.raises((InputError, TypeError)):
        Game(shape, k)
