"""The command `play`: a person against a player or another person, or two players watched."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer
from rich.console import Console

from inarow.game import Game, InputError, Position
from inarow.game import game as game_of
from inarow.ui import compiling
from inarow.ui.examples import EXAMPLES
from inarow.ui.options import grouped
from inarow.ui.play_board import check_drawable
from inarow.ui.terminal import BookFile, PlainConsole, allow_players, use_book_of

if TYPE_CHECKING:
    from inarow.lab.players.protocols import Player

HUMAN = "human"
WATCH_SECONDS = 2.0  # in which perfect play has to find the first move of a game that is watched

NARROWEST = 40  # columns that lines are made for; a narrower terminal breaks them


ChosenGame = Annotated[
    str | None,
    typer.Argument(metavar="GAME", help="tictactoe if not given; a saved agent knows its game"),
]
ChosenPlayer = Annotated[
    str | None,
    typer.Argument(
        metavar="PLAYER", help="your opponent, as with --against", callback=allow_players
    ),
]
Strength = Annotated[
    int | None,
    typer.Option(metavar="1-10", help="how strong your opponent is: 1 easy, 10 the strongest"),
]
Watched = Annotated[
    tuple[str, str] | None,
    typer.Option(metavar="PLAYER PLAYER", help="two players instead", callback=allow_players),
]


@dataclass(frozen=True)
class PlayOptions:
    """What a game in the terminal uses and leaves."""

    seed: Annotated[
        int | None, typer.Option(help="for the players' random choices; random if not given")
    ] = None
    book: BookFile = None
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="append the games to this file, as docs/reference/records.md says"
        ),
    ] = None


USUAL = PlayOptions()


@grouped
def play(
    game: ChosenGame = None,
    opponent: ChosenPlayer = None,
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
    options: PlayOptions = USUAL,
) -> None:
    """Plays a game in the terminal, or shows one.

    At the prompt, `?` lists the commands: hint, values, undo, save, quit.
    `inarow players` lists the players, `inarow games` the games.
    """
    compiling.expect()
    from inarow.lab.values.move_values import default_opponent
    from inarow.ui.game_in_play import GameInPlay
    from inarow.ui.play_terminal import TerminalPlay

    game, opponent = _seated(game, opponent)
    if opponent is not None and against is not None:
        raise InputError(f"{opponent} or --against {against}: name one opponent")
    against = _opponent(against or opponent, level, watch)
    names = list(watch) if watch is not None else [against]
    players = [_player(name, watch is not None) for name in names]
    chosen = _game(game, players)
    check_drawable(chosen)
    use_book_of(chosen, options.book)
    if watch is None and against is None:
        players = [_player(default_opponent(chosen), False)]
    if watch is None:
        players.insert(0 if first else 1, None)
    seed = secrets.randbelow(1_000_000) if options.seed is None else options.seed
    start = chosen.position(moves)
    if start.outcome is not None:
        raise InputError(f"the game is over after these moves ({start.outcome})")
    if watch is not None:
        _check_answers_soon(start, players)
    table = GameInPlay(chosen, players, seed, start)
    _prepare_streams()
    compiling.notice.hide()
    TerminalPlay(table, _console(), options.save).run()


def _seated(game: str | None, opponent: str | None) -> tuple[str | None, str | None]:
    """The game and the opponent, where a player stands first: a saved agent knows its game."""
    from inarow.ui.meant import check_game, is_game, is_player

    if game is None or is_game(game):
        return game, opponent
    if opponent is not None and not is_game(opponent):
        check_game(game, EXAMPLES["play"])
    allow_players(game)
    if game.strip() != HUMAN and not is_player(game):
        check_game(game, EXAMPLES["play"])
    return opponent, game


def _opponent(against: str | None, level: int | None, watch: object) -> str | None:
    """The name of a person's opponent, if one was chosen."""
    from inarow.lab.players.shipped import Level

    if watch is not None and against is not None:
        raise InputError("--watch shows two players, --against lets you play one: give only one")
    if level is None:
        return against
    if watch is not None or against is not None:
        raise InputError("--level chooses your opponent: give no --against and no --watch")
    return str(Level(level).name)


def _check_answers_soon(start: Position, players: Sequence[Player | None]) -> None:
    """Raise InputError for perfect play where it would not even find its first move soon."""
    from inarow.engine.players import is_unchanged
    from inarow.lab.players.protocols import name_of
    from inarow.lab.values.move_values import Budget, bound_moves
    from inarow.search.perfect import Perfect
    from inarow.search.proof_number import is_provable
    from inarow.search.solver import solver_for

    perfect = [player for player in players if is_unchanged(player, Perfect)]
    if not perfect or is_provable(start.game):  # which has stored answers
        return
    solver_for(start.game)  # refuses what it does not reach at all
    found = bound_moves(start, Budget(WATCH_SECONDS)).position
    if not found.exact or (found.low and found.stones is None):
        raise InputError(
            f"{name_of(perfect[0])} finds no move of {start.game.name} soon: watch another "
            "player, such as minimax:8, or begin later in the game with --moves"
        )


def _player(name: str | None, watched: bool) -> Player | None:
    """The player of a name; None for a person."""
    from inarow.lab.players.names import player

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
