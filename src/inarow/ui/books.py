"""The command `book`: makes and checks opening books."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from inarow.game import InputError
from inarow.game import game as game_of
from inarow.game.errors import visible
from inarow.ui.terminal import AsJson, GameName, Seed, print_json, progress_bar

book = typer.Typer(help="Makes and checks opening books.", rich_markup_mode=None)


@book.command("make")
def make(
    game: GameName = "connect4:6x7",
    ply: Annotated[int, typer.Option(help="the most stones of a position in the book")] = 9,
    out: Annotated[Path | None, typer.Option(help="the book's file")] = None,
    threads: Annotated[int | None, typer.Option(help="all cores unless said otherwise")] = None,
    as_json: AsJson = False,
) -> None:
    """Solves all positions with few stones. Stopped, it goes on where it was."""
    from inarow.search.book import make_book, save_book

    chosen = game_of(game)
    path = out or Path(f"{chosen.name.replace(':', '-')}.book")
    work = path.with_suffix(f".{ply}.partial")
    with progress_bar("solving", None) as (bar, task):
        made = make_book(
            chosen, ply, work, threads, lambda n, total: bar.update(task, completed=n, total=total)
        )
    save_book(made, path)
    work.unlink()
    answer = {"game": chosen.name, "ply": ply, "positions": len(made.keys), "file": str(path)}
    if as_json:
        print_json(answer)
    else:
        print(f"{visible(str(path))}: {len(made.keys):,} positions of at most {ply} stones.")


@book.command("replies")
def replies(
    game: GameName = "connect4:6x7",
    ply: Annotated[int, typer.Option(help="the most stones of a position")] = 13,
    out: Annotated[Path | None, typer.Option(help="the file; what it holds is kept")] = None,
    processes: Annotated[int | None, typer.Option(help="all cores unless said otherwise")] = None,
    as_json: AsJson = False,
) -> None:
    """Solves the positions just past the shipped book that perfect play can meet."""
    from inarow.search.book import shipped_book
    from inarow.search.build_replies import make_replies
    from inarow.search.replies import load_replies, save_replies

    chosen = game_of(game)
    opened = shipped_book(chosen)
    if opened is None:
        raise InputError(f"no book is shipped for {chosen.name}: replies begin where a book ends")
    path, number = out or Path(f"{chosen.name.replace(':', '-')}.replies"), 0
    known = load_replies(path) if path.exists() else None
    with progress_bar("solving", None) as (bar, task):

        def report(stones: int, done: int, total: int) -> None:
            text = f"{stones} stones"
            bar.update(task, description=text, completed=done, total=total)

        workers = processes or os.cpu_count() or 1
        for made in make_replies(opened, ply, workers, report, known):
            save_replies(made, path)  # again and again: what is stopped goes on from there
            number = len(made.keys)
    answer = {"game": chosen.name, "ply": ply, "positions": number, "file": str(path)}
    if as_json:
        print_json(answer)
    else:
        print(f"{visible(str(path))}: the best moves of {number:,} positions.")


@book.command("check")
def check(
    game: Annotated[str | None, typer.Argument(metavar="[GAME]", help="whose shipped book")] = None,
    file: Annotated[Path | None, typer.Option(help="a book; the shipped one if not given")] = None,
    sample: Annotated[int, typer.Option(help="how many positions to solve again")] = 50,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Solves a random sample of a book again, without the book."""
    from inarow.search.book import check_book, load_book, shipped_book

    chosen = game_of(game or "connect4:6x7")
    opened = load_book(file) if file is not None else shipped_book(chosen)
    if opened is None:
        raise InputError(f"no book is shipped for {chosen.name}: name one with --file")
    if game is not None and opened.game != chosen:
        raise InputError(f"{file} is a book of {opened.game.name}, not of {chosen.name}")
    with progress_bar("solving", sample) as (bar, task):
        wrong = check_book(opened, sample, seed, lambda: bar.advance(task))
    answer = {"game": opened.game.name, "positions": len(opened.keys), "ply": opened.ply}
    answer |= {"checked": sample, "wrong": wrong}
    if as_json:
        print_json(answer)
    else:
        print(f"{sample} of {len(opened.keys):,} positions solved again: {wrong} wrong.")
    if wrong:
        raise typer.Exit(1)
