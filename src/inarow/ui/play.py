"""The command `play`: a person against a player or another person, or two players watched."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer
from rich.console import Console

from inarow.game import Game, InputError
from inarow.game import game as game_of
from inarow.ui import compiling
from inarow.ui.play_board import check_drawable
from inarow.ui.terminal import PlainConsole, allow_players

if TYPE_CHECKING:
    from inarow.lab.player_protocols import Player

HUMAN = "human"

NARROWEST = 40  # columns that lines are made for; a narrower terminal breaks them


ChosenGame = Annotated[
    str | None,
    typer.Argument(metavar="GAME", help="tictactoe if not given; a saved agent knows its game"),
]
Strength = Annotated[
    int | None,
    typer.Option(metavar="1-10", help="how strong your opponent is: 1 easy, 10 the strongest"),
]
Watched = Annotated[
    tuple[str, str] | None,
    typer.Option(metavar="PLAYER PLAYER", help="two players instead", callback=allow_players),
]


def play(
    game: ChosenGame = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="PLAYER",
            help="a player; `human` for two people; `best` if not given",
            callback=allow_players,
        ),
    ] = None,
    level: Strength = None,
    moves: Annotated[
        str, typer.Option(metavar="MOVES", help="start after these moves, as in 4453")
    ] = "",
    first: Annotated[bool, typer.Option("--first/--second", help="which side is yours")] = True,
    watch: Watched = None,
    seed: Annotated[
        int | None, typer.Option(help="for the players' random choices; random if not given")
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="append the games to this file, as docs/records.md says"),
    ] = None,
) -> None:
    """Plays a game in the terminal, or shows one.

    At the prompt, `?` lists the commands: hint, values, undo, save, quit.
    `inarow players` lists the players, `inarow games` the games.
    """
    compiling.expect()
    from inarow.lab.move_values import default_opponent
    from inarow.ui.game_in_play import GameInPlay
    from inarow.ui.play_terminal import TerminalPlay

    against = _opponent(against, level, watch)
    names = list(watch) if watch is not None else [against]
    players = [_player(name, watch is not None) for name in names]
    chosen = _game(game, players)
    check_drawable(chosen)
    if watch is None and against is None:
        players = [_player(default_opponent(chosen), False)]
    if watch is None:
        players.insert(0 if first else 1, None)
    seed = secrets.randbelow(1_000_000) if seed is None else seed
    start = chosen.position(moves)
    if start.outcome is not None:
        raise InputError(f"the game is over after these moves ({start.outcome})")
    table = GameInPlay(chosen, players, seed, start)
    _prepare_streams()
    compiling.notice.hide()
    TerminalPlay(table, _console(), save).run()


def _opponent(against: str | None, level: int | None, watch: object) -> str | None:
    """The name of a person's opponent, if one was chosen."""
    from inarow.lab.levels import Level

    if watch is not None and against is not None:
        raise InputError("--watch shows two players, --against lets you play one: give only one")
    if level is None:
        return against
    if watch is not None or against is not None:
        raise InputError("--level chooses your opponent: give no --against and no --watch")
    return str(Level(level).name)


def _player(name: str | None, watched: bool) -> Player | None:
    """The player of a name; None for a person."""
    from inarow.lab.players import player

    if name is None or name.strip() != HUMAN:
        return None if name is None else cast("Player", player(name))
    if watched:
        raise InputError("a person cannot be watched: --against human is for two people")
    return None


def _game(name: str | None, players: Sequence[Player | None]) -> Game:
    """The game of that name, else the one that a saved agent plays."""
    known = [game for player in players if isinstance(game := getattr(player, "game", None), Game)]
    return game_of(name or (known[0] if known else "tictactoe"))


def _prepare_streams() -> None:
    """Odd bytes in what is typed, or in the name of a file, are shown and do no harm."""
    for stream in (sys.stdin, sys.stdout):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _console() -> Console:
    """Colour on a terminal, unless NO_COLOR is set; 80 columns where there is none."""
    width = max(NARROWEST, PlainConsole().width) if sys.stdout.isatty() else 80
    return PlainConsole(width, coloured=not os.environ.get("NO_COLOR"))
