"""What the commands share: options, output for programs, tables and progress for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from inarow.game import Game, InputError
from inarow.game.errors import visible

Names = str | Sequence[str] | None


def known_game(context: typer.Context, given: str | None) -> str | None:
    """The name of a game as it is; what stands in its place by mistake is said."""
    from inarow.ui.examples import EXAMPLES
    from inarow.ui.meant import check_game

    if given is not None:
        command = context.command_path.partition("inarow ")[2].removeprefix("-m ")
        check_game(given, EXAMPLES.get(command, f"{command} tictactoe"))
    return given


GameName = Annotated[
    str,
    typer.Argument(
        metavar="GAME", help="a game, as `inarow games` lists them", callback=known_game
    ),
]
PLAYER = "a player's name, module:Class, or cmd:PROGRAM"


def allow_players(given: Names) -> Names:
    """What the person has typed as a player may run code: nowhere else is it allowed."""
    names = [given] if isinstance(given, str) else given or []
    if any(":" in name for name in names):  # else nothing is imported for it
        from inarow.lab.players.outside import allow

        for name in names:
            allow(name)
    return given


PlayerName = Annotated[str, typer.Argument(metavar="PLAYER", help=PLAYER, callback=allow_players)]


def whole(given: str | int) -> int:
    """Read a whole number; 1e6 and 1_000_000 are a million."""
    with suppress(ValueError, OverflowError):
        return int(given)
    with suppress(ValueError, OverflowError):
        if (number := float(given)).is_integer():
            return int(number)
    raise InputError(f"{given!r} must be a whole number, as in 20000 or 2e4")


def number_option(about: str, *names: str) -> Any:
    """An option that is a number of things."""
    return typer.Option(*names, help=about, parser=whole, metavar="NUMBER")


BookFile = Annotated[
    Path | None,
    typer.Option("--book", metavar="FILE", help="an opening book that `inarow book make` wrote"),
]


def use_book_of(game: Game, path: Path | None) -> None:
    """Takes a book into use, if one was named."""
    if path is not None:
        from inarow.search.opening_book import use_book

        if not path.exists():
            raise InputError(f"there is no file {path}")
        use_book(path, game)


AsJson = Annotated[bool, typer.Option("--json", help="print JSON for a program")]
Seed = Annotated[int, number_option("the same seed gives the same numbers")]


class PlainConsole(Console):
    """Shows texts as they are, for anybody may have chosen a name in them.

    No markup is read in a text, and no control character in it reaches the terminal.
    """

    def __init__(
        self, width: int | None = None, stderr: bool = False, coloured: bool = True
    ) -> None:
        super().__init__(
            width=width,
            stderr=stderr,
            color_system="auto" if coloured else None,
            markup=False,
            emoji=False,
            highlight=False,
        )

    def render_str(self, text: str, **options: Any) -> Text:
        """A text of a line, a cell of a table or a title."""
        return super().render_str(visible(text), **options)


def console() -> Console:
    """For people: 80 columns where there is no terminal."""
    return PlainConsole(width=None if sys.stdout.isatty() else 80)


def marked(text: str, *words: str) -> Text:
    """A text with some of its words in bold."""
    shown = Text(visible(text))
    shown.highlight_words([visible(word) for word in words if word], "bold")
    return shown


def print_json(answer: object) -> None:
    """For programs: one line."""
    print(json.dumps(answer))


def table(*columns: str, title: str | None = None) -> Table:
    """An empty table: the first column is text, the others are numbers."""
    result = Table(box=SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")
    for number, column in enumerate(columns):
        result.add_column(column, justify="left" if number == 0 else "right")
    return result


bar_in_use: Progress | None = None  # on this terminal, which has room for one
before_bar: list[Callable[[], None]] = []  # who makes room for it


@contextmanager
def progress_bar(text: str, total: float | None) -> Iterator[tuple[Progress, TaskID]]:
    """A bar with the time left, on the error output of a terminal; gone when the work is done."""
    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=PlainConsole(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    global bar_in_use
    for make_room in before_bar:
        make_room()
    with bar:
        bar_in_use = None if bar.disable else bar
        try:
            yield bar, bar.add_task(visible(text), total=total)
        finally:
            bar_in_use = None
