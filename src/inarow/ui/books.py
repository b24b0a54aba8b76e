"""The commands `book make`, `book replies` and `book check`: what perfect play has stored."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from inarow.game import InputError
from inarow.game import game as game_of
from inarow.game.errors import visible
from inarow.ui.terminal import AsJson, GameName, Seed, print_json, progress_bar

if TYPE_CHECKING:
    from inarow.game import Game

SAMPLE = 50  # positions of a book that are solved again, if nobody says how many

book = typer.Typer(
    help="Makes and checks opening books and stored strategies.", rich_markup_mode=None
)


@book.command("make")
def make(
    game: GameName = "connect4:6x7",
    ply: Annotated[int, typer.Option(help="the most stones of a position in the book")] = 9,
    out: Annotated[Path | None, typer.Option(help="the book's file")] = None,
    workers: Annotated[
        int | None, typer.Option(help="number of workers; all cores if not given")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Solves all positions with few stones. Stopped, it goes on where it was.

    Where stones do not fall: proves that the first player wins and stores how.
    """
    from inarow.search.opening_book import make_book, save_book
    from inarow.search.proof_number import is_provable

    chosen = game_of(game)
    if is_provable(chosen):
        _make_strategy(chosen, out, as_json)
        return
    path = out or Path(f"{chosen.name.replace(':', '-')}.book")
    work = path.with_suffix(f".{ply}.partial")
    with progress_bar("solving", None) as (bar, task):
        made = make_book(
            chosen, ply, work, workers, lambda n, total: bar.update(task, completed=n, total=total)
        )
    save_book(made, path)
    work.unlink()
    answer = {"game": chosen.name, "ply": ply, "positions": len(made.keys), "file": str(path)}
    if as_json:
        print_json(answer)
    else:
        print(f"{visible(str(path))}: {len(made.keys):,} positions of at most {ply} stones.")


def _make_strategy(game: Game, out: Path | None, as_json: bool) -> None:
    from inarow.search.strategy import build_strategy, save_strategy

    path, began = out or Path(f"{game.name.replace(':', '-')}.strategy"), time.process_time()
    with progress_bar("proving", None) as (bar, task):
        built = build_strategy(game, lambda text: bar.update(task, description=text))
    size, positions = save_strategy(built.strategy, path), len(built.strategy.moves)
    answer = {"game": game.name, "positions": positions, "bytes": size}
    answer |= {"visits": built.visits, "threat_nodes": built.threat_nodes}
    answer |= {"cpu_seconds": round(time.process_time() - began, 1), "file": str(path)}
    if as_json:
        print_json(answer)
        return
    print(
        f"The first player wins {game.name}: proven with {built.visits:,} visits and"
        f" {built.threat_nodes:,} nodes of threat search."
    )
    print(
        f"{visible(str(path))}: moves for {positions:,} positions, {size:,} bytes;"
        f" {answer['cpu_seconds']} CPU-seconds."
    )


@book.command("replies")
def replies(
    game: GameName = "connect4:6x7",
    ply: Annotated[int, typer.Option(help="the most stones of a position")] = 13,
    out: Annotated[Path | None, typer.Option(help="the file; rows already in it are kept")] = None,
    workers: Annotated[
        int | None, typer.Option(help="number of workers; all cores if not given")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Solves the positions just past the shipped book.

    Those, that is, which perfect play can meet.
    """
    from inarow.search.opening_book import shipped_book
    from inarow.search.replies import load_replies, make_replies, save_replies

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

        number_at_once = workers or os.cpu_count() or 1
        for made in make_replies(opened, ply, number_at_once, report, known):
            save_replies(made, path)  # again and again: what is stopped goes on from there
            number = len(made.keys)
    answer = {"game": chosen.name, "ply": ply, "positions": number, "file": str(path)}
    if as_json:
        print_json(answer)
    else:
        print(f"{visible(str(path))}: the best moves of {number:,} positions.")


@book.command("check")
def check(
    game: Annotated[
        str | None,
        typer.Argument(metavar="GAME|FILE", help="the game of a shipped book, or a book's file"),
    ] = None,
    file: Annotated[Path | None, typer.Option(help="a book; the shipped one if not given")] = None,
    sample: Annotated[
        int | None,
        typer.Option(help="how many positions to solve again  [default: 50, or all of fewer]"),
    ] = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Solves a random sample of a book again, without the book.

    A stored strategy is proven whole, by a program that shares no code with what made it.
    """
    from inarow.search.opening_book import check_book, load_book, shipped_book
    from inarow.search.proof_number import is_provable

    if game is not None and file is None and Path(game).is_file():
        file, game = Path(game), None
    if file is not None and game is None:
        game = _game_in(file)
    chosen = game_of(game or "connect4:6x7")
    if is_provable(chosen):
        _check_strategy(chosen, file, as_json)
        return
    opened = load_book(file) if file is not None else shipped_book(chosen)
    if opened is None:
        raise InputError(f"no book is shipped for {chosen.name}: name one with --file")
    if game is not None and opened.game != chosen:
        raise InputError(f"{file} is a book of {opened.game.name}, not of {chosen.name}")
    sample = min(SAMPLE, len(opened.keys)) if sample is None else sample
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


def _game_in(file: Path) -> str:
    """The game of a book or of a strategy, whichever a file is."""
    from inarow.search.opening_book import load_book
    from inarow.search.strategy import load_strategy

    try:
        return load_book(file).game.name
    except InputError:
        with suppress(InputError):
            return load_strategy(file).game.name
        raise


def _check_strategy(game: Game, file: Path | None, as_json: bool) -> None:
    from inarow.search.check_strategy import check_strategy
    from inarow.search.strategy import load_strategy, shipped_strategy

    stored = load_strategy(file) if file is not None else shipped_strategy(game)
    if stored is None:
        raise InputError(f"no strategy is shipped for {game.name}: name one with --file")
    if stored.game != game:
        raise InputError(f"{file} is a strategy for {stored.game.name}, not for {game.name}")
    began = time.process_time()
    found = check_strategy(game, stored.firsts, stored.seconds, stored.moves)
    answer = {"game": game.name, "proven": True, **found._asdict()}
    answer["cpu_seconds"] = round(time.process_time() - began, 1)
    if as_json:
        print_json(answer)
        return
    print("\n".join(found.sentences(game)))
    print(f"{answer['cpu_seconds']} CPU-seconds.")
