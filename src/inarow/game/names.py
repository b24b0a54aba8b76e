"""Games by name: the catalogue of named games, and the parser of names that every part takes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from inarow.game.errors import InputError, suggestion
from inarow.game.spec import MAX_CELLS, Game

# The one list of named games: how each is written, what it is, and natural examples of it.
#
# The parser below, the command line, the browser, the API and the benchmarks all read it.

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


# Games by name: the strings that every part of the project takes.

# Names as a regular expression, for the API; whether there is such a game only `game` says.
_PATTERNS = "|".join(entry.word + entry.pattern for entry in CATALOGUE)
_OPTIONS = r",k=N|,gravity|,scoring|,wrap(=N)?|,misere"
NAME_PATTERN = f"^({_PATTERNS})({_OPTIONS}){{0,20}}$".replace("N", "[0-9]{1,5}")


def game(name: str | Game) -> Game:
    """The game with this name; a Game is returned as it is."""
    return name if isinstance(name, Game) else _named(str(name).strip())


@lru_cache(maxsize=256)  # what follows from a game's description is worked out once
def _named(name: str) -> Game:
    """Parse a name into a game; cached."""
    head, *options = re.split(",(?=[a-z])", name)
    word, colon, text = head.partition(":")
    for entry in CATALOGUE:
        if entry.word == word and (text or not colon):
            made = entry.make(*_numbers(entry, colon + text))
            return _with_options(made, entry, options)
    near = suggestion(word, [entry.word for entry in CATALOGUE])
    raise InputError(
        f"unknown game {name!r}{near}: the games are "
        f"{', '.join(FORMS)}, each also followed by {_variants()}"
    )


def name_of(game: Game) -> str:
    """The shortest name of a game."""
    name = _plain_name(replace(game, wrap=(), misere=False))
    if game.wrap:
        whole = replace(game, wrap=_all_axes(game))
        name += ",wrap" if game == whole else "".join(f",wrap={axis}" for axis in game.wrap)
    return name + ",misere" * game.misere


def _plain_name(game: Game) -> str:
    """Return the name of a game without wrap or misère."""
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


def _numbers(entry: NamedGame, text: str) -> list[int]:
    """The numbers in what follows the word of a name."""
    if re.fullmatch(entry.pattern.replace("N", "[0-9]+"), text) is None:
        raise InputError(f"{entry.word}{text} is not a game: {entry.expected}")
    numbers = re.findall("[0-9]+", text)
    if any(len(number) > 5 for number in numbers):
        raise InputError(
            f"{text[1:41]!r} is too large: a board must have at most {MAX_CELLS} cells"
        )
    return [int(number) for number in numbers]


def _with_options(game: Game, entry: NamedGame, options: list[str]) -> Game:
    """The game with what the end of its name says; k and the like only belong to a `board`."""
    fields: dict[str, Any] = {}
    axes: set[int | None] = set()  # None: all that can
    for option in options:
        if option == "misere":
            fields["misere"] = True
        elif match := re.fullmatch("wrap(?:=([0-9]{1,5}))?", option):
            axes.add(None if match[1] is None else int(match[1]))
        elif entry.word == "board" and option in ("gravity", "scoring"):
            fields[option] = True
        elif entry.word == "board" and (match := re.fullmatch("k=([0-9]{1,5})", option)):
            fields["k"] = int(match[1])
        else:
            raise InputError(
                f"{option!r} is not an option of {entry.word}: {entry.expected}; "
                f"every game may be followed by {_variants()}"
            )
    made = replace(game, **fields)
    wrap = {axis for axis in axes if axis is not None}
    if None in axes:
        if made.gravity and len(made.shape) == 1:
            raise InputError(
                f"{made.name} has no axis that can wrap: stones fall along its only one"
            )
        wrap |= set(_all_axes(made))
    return replace(made, wrap=tuple(wrap)) if wrap else made


def _variants() -> str:
    return " or ".join(f",{variant}" for variant in VARIANTS)


def _all_axes(game: Game) -> tuple[int, ...]:
    """All axes that can wrap: the height cannot where stones fall."""
    return tuple(range(1 if game.gravity else 0, len(game.shape)))


FILE = Path(__file__).parent / "known-values.toml"
SIGNS = {"+": "first", "=": "draw", "-": "second"}
WORDS = {
    "first": "the first player wins",
    "second": "the second player wins",
    "draw": "a draw",
}


class Published(NamedTuple):
    """What is known of an empty board, and who found it out."""

    value: str  # first, second or draw
    source: str

    @property
    def text(self) -> str:
        """In words."""
        return f"Published: {WORDS[self.value]} (source: {self.source})."


def published_value(game: Game) -> Published | None:
    """The published value of a game's empty board, where there is one."""
    known = _known()
    for entry in known["other"]:
        if entry["game"] == game.name and entry["value"] in WORDS:
            return Published(entry["value"], entry["source"])
    table = known["connect4"]
    plain = len(game.shape) == 2 and game.k == 4 and game.gravity
    if plain and game == Game(game.shape, 4, gravity=True):
        rows, columns = game.shape
        if str(rows) in table and columns in table["widths"]:
            sign = table[str(rows)].split()[table["widths"].index(columns)]
            return Published(SIGNS[sign], table["source"]) if sign in SIGNS else None
    return None


@cache
def _known() -> dict[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))
