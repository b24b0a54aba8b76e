"""Games by name: the strings that every part of the project takes."""

from __future__ import annotations

import re
from collections.abc import Callable

from inarow.game.errors import InputError
from inarow.game.spec import MAX_CELLS, Game

FORMS = {
    "tictactoe": "three in a row on 3x3",
    "connect4[:ROWSxCOLS]": "four in a row, stones fall; 6x7 unless said otherwise",
    "cube": "Tic-Tac-Toe 3D: 4x4x4, stones fall",
    "qubic": "4x4x4 without gravity",
    "mnk:MxNxK": "K in a row on M rows of N, as in mnk:15x15x5",
    "ntictactoe:K^N": "side K in N dimensions; lines are counted from three dimensions on",
    "board:SIDES[,k=K][,gravity][,scoring]": "any other, as in board:2x3x4,k=3,gravity",
}


def _connect4(text: str) -> Game:
    rows, columns = _numbers(
        text or "6x7", r"([0-9]+)x([0-9]+)", "connect4:ROWSxCOLS, as in connect4:6x7"
    )
    if max(rows, columns) < 4:
        raise InputError(f"connect4:{text} has no room for four in a row: a side must be 4 or more")
    return Game((rows, columns), 4, gravity=True)


def _mnk(text: str) -> Game:
    m, n, k = _numbers(text, r"([0-9]+)[x,]([0-9]+)[x,]([0-9]+)", "mnk:MxNxK, as in mnk:15x15x5")
    return Game((m, n), k)


def _ntictactoe(text: str) -> Game:
    k, n = _numbers(text, r"([0-9]+)\^([0-9]+)", "ntictactoe:K^N, as in ntictactoe:3^4")
    if n > 12 or k**n > 4096:
        raise InputError(f"ntictactoe:{text} is too large: K^N is at most 4096 cells, N at most 12")
    return Game((k,) * n, k, scoring=n >= 3)


def _board(text: str) -> Game:
    expected = "board:SIDES[,k=K][,gravity][,scoring], as in board:2x3x4,k=3,gravity"
    sides, *options = text.split(",")
    if not re.fullmatch(r"[0-9]{1,5}(x[0-9]{1,5}){0,15}", sides):
        raise InputError(f"{text!r} is not a board: expected {expected}")
    shape = tuple(map(int, sides.split("x")))
    k, gravity, scoring = max(shape), False, False
    for option in options:
        if match := re.fullmatch(r"k=([0-9]{1,5})", option):
            k = int(match[1])
        elif option == "gravity":
            gravity = True
        elif option == "scoring":
            scoring = True
        else:
            raise InputError(f"{option!r} is no option of a board: expected {expected}")
    return Game(shape, k, gravity, scoring)


def _fixed(name: str, game: Game) -> Callable[[str], Game]:
    def make(text: str) -> Game:
        if text:
            raise InputError(f"{name} takes nothing after a colon: write just {name}")
        return game

    return make


TICTACTOE = Game((3, 3), 3)
CUBE = Game((4, 4, 4), 4, gravity=True)
QUBIC = Game((4, 4, 4), 4)

_MAKERS: dict[str, Callable[[str], Game]] = {
    "tictactoe": _fixed("tictactoe", TICTACTOE),
    "connect4": _connect4,
    "cube": _fixed("cube", CUBE),
    "qubic": _fixed("qubic", QUBIC),
    "mnk": _mnk,
    "ntictactoe": _ntictactoe,
    "board": _board,
}


def game(name: str | Game) -> Game:
    """The game of that name; a Game comes back as it is."""
    if isinstance(name, Game):
        return name
    head, colon, rest = str(name).strip().partition(":")
    if head not in _MAKERS or (colon and not rest):
        raise InputError(f"unknown game {name!r}: the games are {', '.join(FORMS)}")
    return _MAKERS[head](rest)


def name_of(game: Game) -> str:
    """The shortest name of a game."""
    for name, fixed in (("tictactoe", TICTACTOE), ("cube", CUBE), ("qubic", QUBIC)):
        if game == fixed:
            return name
    if len(game.shape) == 2 and not game.scoring:
        if game.gravity and game.k == 4:
            return f"connect4:{game.shape_text}"
        if not game.gravity:
            return f"mnk:{game.shape_text}x{game.k}"
    cubic = len(set(game.shape)) == 1 and game.k == game.shape[0] and not game.gravity
    if cubic and len(game.shape) <= 12 and game.scoring == (len(game.shape) >= 3):
        return f"ntictactoe:{game.k}^{len(game.shape)}"
    options = [f"k={game.k}"] * (game.k != max(game.shape))
    options += ["gravity"] * game.gravity + ["scoring"] * game.scoring
    return ",".join([f"board:{game.shape_text}", *options])


def _numbers(text: str, pattern: str, expected: str) -> list[int]:
    match = re.fullmatch(pattern, text)
    if match is None:
        raise InputError(f"{text!r} does not fit: expected {expected}")
    if any(len(group) > 5 for group in match.groups()):
        raise InputError(f"{text[:40]!r} is too large: at most {MAX_CELLS} cells work")
    return [int(group) for group in match.groups()]
