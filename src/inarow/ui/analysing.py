"""The command `analyse`: every move of a game with its value, the mistakes and what was better."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from inarow.game import InputError, Position
from inarow.game import game as game_of
from inarow.game.errors import visible
from inarow.game.records import Record, read_records
from inarow.ui.terminal import AsJson, BookFile, console, print_json, progress_bar, use_book_of


def analyse(
    game: Annotated[str, typer.Argument(metavar="GAME", help="a game, or a file of game records")],
    moves: Annotated[
        str | None, typer.Argument(metavar="MOVES", help="the moves of the game, as in 4453")
    ] = None,
    seconds: Annotated[float, typer.Option(help="time limit for one position")] = 5.0,
    number: Annotated[
        int | None, typer.Option(metavar="N", help="only game N of the file, counted from 1")
    ] = None,
    book: BookFile = None,
    as_json: AsJson = False,
) -> None:
    """Analyses a game: every move's value, the mistakes.

    A game is given by its moves, or by a file that `play --save` wrote. Each
    mistake is shown with what it costs and what was better.

    `?` marks a mistake and `??` a win that becomes a loss. `?!` keeps the
    value, but wins later or loses sooner.
    """
    from inarow.lab.values.analysis import analyse as analyse_game

    given = _given(game, moves, number)
    use_book_of(given[0].game, book)
    lengths = [len(g.moves) + 1 for g in given]
    with progress_bar("analysing", sum(lengths)) as (bar, task):
        found = [analyse_game(g, "", seconds, lambda n: bar.advance(task, n)) for g in given]
    if as_json:
        answers = [analysis.as_json() for analysis in found]
        print_json(answers[0] if moves is not None else answers)
        return
    out = console()
    for place, analysis in enumerate(found):
        text = Text(visible(analysis.text(out.width)))
        text.highlight_regex(r"(?m)^ *\d+  [XO]  \S+ \?[?!]?(?= |$)", "bold red")
        text.highlight_regex(r"#", "green")
        if place:
            out.print()
        out.print(text, soft_wrap=True)


def _given(game: str, moves: str | None, number: int | None) -> list[Position | Record]:
    """The games to analyse: one by its moves, or those of a file."""
    if moves is not None:
        if number is not None:
            raise InputError("--number chooses a game of a file: it goes without MOVES")
        return [game_of(game).position(moves)]
    if not Path(game).is_file():
        raise InputError(
            f"{game} is not a file of game records: give one, or a game and its moves, "
            'as in: inarow analyse tictactoe "22 12 21"'
        )
    records = read_records(game)
    if not records:
        raise InputError(f"{game} holds no games")
    if number is None:
        return list(records)
    if not 1 <= number <= len(records):
        raise InputError(f"--number must be between 1 and {len(records)}, not {number}")
    return [records[number - 1]]
