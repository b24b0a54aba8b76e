"""Games by name: the strings that every part of the project takes."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

from inarow.game.catalogue import CATALOGUE, CUBE, FORMS, QUBIC, TICTACTOE, VARIANTS, NamedGame
from inarow.game.errors import InputError
from inarow.game.spec import MAX_CELLS, Game

# Names as a regular expression, for the API; whether there is such a game only `game` says.
_PATTERNS = "|".join(entry.word + entry.pattern for entry in CATALOGUE)
_OPTIONS = r",k=N|,gravity|,scoring|,wrap(=N)?|,misere"
NAME_PATTERN = f"^({_PATTERNS})({_OPTIONS}){{0,20}}$".replace("N", "[0-9]{1,5}")


def game(name: str | Game) -> Game:
    """The game with this name; a Game is returned as it is."""
    return name if isinstance(name, Game) else _named(str(name).strip())


@lru_cache(maxsize=256)  # what follows from a game's description is worked out once
def _named(name: str) -> Game:
    """The same, of a name."""
    head, *options = re.split(",(?=[a-z])", name)
    word, colon, text = head.partition(":")
    for entry in CATALOGUE:
        if entry.word == word and (text or not colon):
            made = entry.make(*_numbers(entry, colon + text))
            return _with_options(made, entry, options)
    raise InputError(
        f"unknown game {name!r}: the games are {', '.join(FORMS)}, "
        f"each also followed by {_variants()}"
    )


def name_of(game: Game) -> str:
    """The shortest name of a game."""
    name = _plain_name(replace(game, wrap=(), misere=False))
    if game.wrap:
        whole = replace(game, wrap=_all_axes(game))
        name += ",wrap" if game == whole else "".join(f",wrap={axis}" for axis in game.wrap)
    return name + ",misere" * game.misere


def _plain_name(game: Game) -> str:
    """Of a game that neither wraps nor is misère."""
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
