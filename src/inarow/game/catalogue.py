"""The one list of named games: how each is written, what it is, and natural examples of it.

The parser (`names`), the command line, the browser, the API and the benchmarks all read it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from inarow.game.errors import InputError
from inarow.game.spec import MAX_CELLS, Game

Value = Literal["first", "second", "draw"]


@dataclass(frozen=True)
class Example:
    """A game that people play, with what is known of it."""

    name: str
    title: str  # for people
    value: Value | None = None  # first, second or draw under perfect play, where it is solved here
    opening: str | None = None  # moves into the game, past every book; None where none is needed
    elsewhere: dict[str, str] = field(default_factory=dict)  # its name in other libraries


@dataclass(frozen=True)
class NamedGame:
    """A family of games that share the first word of their names."""

    word: str
    form: str  # how a name is written: capitals stand for numbers, brackets for what may be absent
    about: str  # in a few words
    pattern: str  # of what follows the word; N is a number
    expected: str  # the form with an example, for whoever wrote something else
    make: Callable[..., Game]  # of the numbers
    examples: tuple[Example, ...]


def _connect4(rows: int = 6, columns: int = 7) -> Game:
    if max(rows, columns) < 4:
        raise InputError(
            f"connect4:{rows}x{columns} has no room for four in a row: a side must be 4 or more"
        )
    return Game((rows, columns), 4, gravity=True)


def _mnk(rows: int, columns: int, k: int) -> Game:
    return Game((rows, columns), k)


def _ntictactoe(k: int, n: int) -> Game:
    if n > 12 or k**n > MAX_CELLS:
        raise InputError(
            f"ntictactoe:{k}^{n} is too large: K^N must be at most {MAX_CELLS} cells, N at most 12"
        )
    return Game((k,) * n, k, scoring=n >= 3)


def _board(*sides: int) -> Game:
    return Game(sides, max(sides))


TICTACTOE = Game((3, 3), 3)
CUBE = Game((4, 4, 4), 4, gravity=True)
QUBIC = Game((4, 4, 4), 4)

OPEN_SPIEL, PGX, PETTINGZOO = "OpenSpiel", "Pgx", "PettingZoo"

CATALOGUE = (
    NamedGame(
        "tictactoe", "tictactoe", "three in a row on 3x3", "", "write just tictactoe",
        lambda: TICTACTOE,
        (
            Example(
                "tictactoe", "Tic-tac-toe", "draw", "",
                {OPEN_SPIEL: "tic_tac_toe", PGX: "tic_tac_toe", PETTINGZOO: "tictactoe_v3"},
            ),
            Example("tictactoe,misere", "Tic-tac-toe, three in a row loses", "draw"),
            Example("tictactoe,wrap", "Tic-tac-toe on a torus", "first"),
        ),
    ),
    NamedGame(
        "connect4", "connect4[:ROWSxCOLS]", "four in a row, stones fall; 6x7 unless said otherwise",
        "(:NxN)?", "expected connect4:ROWSxCOLS, as in connect4:6x7", _connect4,
        (
            Example(
                "connect4:6x7", "Connect-4 (6x7)", "first", "44444352622617",
                {OPEN_SPIEL: "connect_four", PGX: "connect_four", PETTINGZOO: "connect_four_v3"},
            ),
            Example("connect4:4x4", "Connect-4 (4x4)", "draw"),
            Example("connect4:4x5", "Connect-4 (4x5)", "draw"),
            Example("connect4:4x5,wrap", "Connect-4 on a cylinder (4x5)", "draw"),
        ),
    ),
    NamedGame(
        "cube", "cube", "Tic-Tac-Toe 3D: 4x4x4, stones fall", "", "write just cube", lambda: CUBE,
        (Example("cube", "Cube: 4x4x4, stones fall", opening="11 22 33"),),
    ),
    NamedGame(
        "qubic", "qubic", "4x4x4 without gravity", "", "write just qubic", lambda: QUBIC,
        (Example("qubic", "Qubic: 4x4x4", "first", None,
                 {OPEN_SPIEL: "gomoku(size=4,dims=3,connect=4)"}),),
    ),
    NamedGame(
        "mnk", "mnk:MxNxK", "K in a row on M rows of N, as in mnk:15x15x5",
        ":N[x,]N[x,]N", "expected mnk:MxNxK, as in mnk:15x15x5", _mnk,
        (
            Example("mnk:4x4x4", "Four in a row on 4x4", "draw"),
            Example("mnk:5x5x4", "Four in a row on 5x5", "draw"),
            Example("mnk:9x9x5", "Five in a row on 9x9"),
            Example("mnk:15x15x5", "Five in a row on 15x15"),
        ),
    ),
    NamedGame(
        "ntictactoe", "ntictactoe:K^N",
        "side K in N dimensions; lines are counted from three dimensions on",
        r":N\^N", "expected ntictactoe:K^N, as in ntictactoe:3^4", _ntictactoe,
        (
            Example("ntictactoe:3^3", "3x3x3, lines are counted"),
            Example("ntictactoe:3^4", "Four dimensions: 3^4"),
            Example("ntictactoe:3^5", "Five dimensions: 3^5"),
            Example("ntictactoe:3^7", "Seven dimensions: 3^7"),
        ),
    ),
    NamedGame(
        "board", "board:SIDES[,k=K][,gravity][,scoring]",
        "any other, as in board:2x3x4,k=3,gravity", ":N(xN){0,15}",
        "expected board:SIDES[,k=K][,gravity][,scoring], as in board:2x3x4,k=3,gravity", _board,
        (Example("board:3x3x3,gravity", "Three in a row on 3x3x3, stones fall", "first"),),
    ),
)  # fmt: skip

# What a name may end with after a comma, whatever the game.
VARIANTS = {
    "wrap": "every axis wraps around, but for the height where stones fall",
    "wrap=AXIS": "that axis wraps around, counted from 0; may be given for several axes",
    "misere": "whoever completes a line loses",
}

FORMS = {entry.form: entry.about for entry in CATALOGUE}
EXAMPLES = tuple(example for entry in CATALOGUE for example in entry.examples)
