"""What was probably meant by words of a command that do not work as they stand."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from inarow.game import InputError
from inarow.game import game as game_of
from inarow.game.errors import nearest
from inarow.game.plugins import check_not_python

# Options of the learner stand behind --set; these are not among the command's own either.
TRAINING = ("against", "games", "seed", "out", "resume", "record", "evaluate", "stop-games")


def is_game(text: str) -> bool:
    """Whether there is a game of that name."""
    try:
        game_of(text)
    except InputError:
        return False
    return True


def is_player(text: str) -> bool:
    """Whether a name stands for a player, without running code that nobody has allowed."""
    from inarow.lab.players.names import player
    from inarow.lab.players.outside import runs_code

    if runs_code(text.strip()):
        return True
    try:
        player(text)
    except InputError:
        from inarow.learn.saved import SUFFIX

        return text.endswith(SUFFIX) and Path(text).is_file()
    return True


def is_learner(text: str) -> bool:
    """Whether a learner has that name."""
    from inarow.learn.registry import learner_type

    try:
        learner_type(text)
    except InputError:
        return False
    return True


def check_game(text: str, example: str) -> None:
    """Raise InputError for what is no game, and say so if it is a player or a learner."""
    check_not_python(text, "player")
    try:
        game_of(text)
    except InputError:
        kind = "player" if is_player(text) else "learner" if is_learner(text) else ""
        if not kind:
            raise
        raise InputError(
            f"{text!r} is a {kind}, not a game: the game comes first, as in: inarow {example}"
        ) from None


def game_of_players(names: Sequence[str], example: str) -> str:
    """The game that one of some players knows, as saved agents do."""
    from inarow.lab.players.names import player

    for name in names:
        known = getattr(player(name), "game", None)
        if known is not None:
            return str(game_of(known).name)
    raise InputError(f"say in which game, as in: inarow {example}")


def of_unknown_option(command: str, option: str, arguments: Sequence[str]) -> str | None:
    """What to write instead of an option that a command has not, if that is known."""
    name = option.lstrip("-").replace("-", "_")
    if command.split()[-1] != "train":
        return None
    if name in ("game", "learner"):
        return "game and learner without names of options, as in: inarow train tictactoe q"
    from inarow.learn.options import options_of_type
    from inarow.learn.registry import learners

    taken = {key for kind in learners().values() for key in options_of_type(kind)}
    near = nearest(name, [*taken, *TRAINING])
    if near not in taken:
        return f"--{near}" if near in TRAINING else None
    value = _value_of(option, arguments)
    return f"--set {near}={value}" if near == name else f"--set {near}={value}, perhaps"


def _value_of(option: str, arguments: Sequence[str]) -> str:
    """What stands behind an option, as it was typed."""
    for place, argument in enumerate(arguments):
        if argument.startswith(f"{option}="):
            return shlex.quote(argument.partition("=")[2])
        if argument == option and place + 1 < len(arguments):
            return shlex.quote(arguments[place + 1])
    return "..."


def learners_first(arguments: Sequence[str]) -> list[str]:
    """The arguments with `--learner` before the command, where it may also be written behind it."""
    first, rest, given = list[str](), list[str](), iter(arguments)
    for argument in given:
        if "serve" in rest[:1] or "--" in rest:  # `serve` has an option of that name
            rest.append(argument)
        elif argument == "--learner":
            first += [argument, *([value] if (value := next(given, None)) is not None else [])]
        elif argument.startswith("--learner="):
            first.append(argument)
        else:
            rest.append(argument)
    return first + rest
