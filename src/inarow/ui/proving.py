"""The commands `solve`, `certify` and `book`: exact answers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inarow.game import InputError
from inarow.game import game as game_of
from inarow.game.errors import visible
from inarow.game.notation import move_text
from inarow.ui.terminal import (
    AsJson,
    GameName,
    Seed,
    console,
    marked,
    print_json,
    progress_bar,
    table,
)

if TYPE_CHECKING:
    from inarow.lab.certify import GraphCertificate

PlayerName = Annotated[str, typer.Argument(metavar="PLAYER", help="a player's name")]
VALUES = {1: "wins", 0: "draws", -1: "loses"}
WALKED = {  # by how it is known what the player may choose
    "stated": "Exactly",
    "declared": "If it is deterministic, as its author declares",
    "observed": "As observed, not proven",
}


def solve(
    game: GameName,
    moves: Annotated[str, typer.Argument(help="the moves so far, as in 4453")] = "",
    as_json: AsJson = False,
) -> None:
    """Solves a position: its exact score, and each move's."""
    from inarow.search.perfect import solve as solve_position
    from inarow.search.solver import solver_for

    position = game_of(game).position(moves)
    solver = solver_for(position.game)
    with progress_bar("solving", None) as (bar, task):
        solver.progress = lambda nodes: bar.update(task, description=f"{nodes:,} nodes")
        solution = solve_position(position)
        solver.progress = None
    scores = {move_text(position.game, move): score for move, score in solution.moves.items()}
    if as_json:
        print_json(
            {
                "game": position.game.name,
                "position": position.notation,
                "score": solution.score,
                "value": solution.value,
                "moves": scores,
                "nodes": solution.nodes,
            }
        )
        return
    print(f"{position}\n")
    best = " ".join(move for move, score in scores.items() if score == solution.score)
    out = console()
    out.print(
        f"The side to move {VALUES[solution.value]} (score {_sign(solution.score)}) with {best}."
    )
    out.print("  ".join(f"{move}: {_sign(score)}" for move, score in scores.items()))
    out.print(f"{solution.nodes:,} nodes.")


def _sign(score: int) -> str:
    return f"{score:+d}" if score else "0"


def certify(
    player: PlayerName,
    game: Annotated[
        str | None, typer.Argument(metavar="[GAME]", help="a game; a saved agent knows its own")
    ] = None,
    positions: Annotated[
        int, typer.Option(help="positions of each number of stones, where the solver judges")
    ] = 20,
    games: Annotated[int, typer.Option(help="games against perfect play, where it judges")] = 40,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="anyone",
            help="anyone: enumerate every game against every opponent, on boards of up to 64 cells",
        ),
    ] = None,
    side: Annotated[
        str, typer.Option(help="with --against anyone: first, second or both")
    ] = "both",
    count_all: Annotated[
        bool,
        typer.Option("--all", help="with --against anyone: count all games of a beaten player"),
    ] = False,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Proves what can be proven of a player: unbeatable, or a line that beats it."""
    if against is not None:
        _certify_against_anyone(player, game, against, side, count_all, as_json)
        return
    from inarow.lab.certify import GraphCertificate
    from inarow.lab.certify import certify as prove

    with progress_bar("proving", 1.0) as (bar, task):
        certificate = prove(
            player, game, positions, games, seed, lambda share: bar.update(task, completed=share)
        )
    answer = certificate.as_json()
    if as_json:
        print_json(answer)
    elif isinstance(certificate, GraphCertificate):
        _show_proof(certificate)
    elif answer["measured"] == "solver":
        _show_measured(answer)
    else:
        _show_refutations(answer)


def _certify_against_anyone(
    player: str, game: str | None, against: str, side: str, count_all: bool, as_json: bool
) -> None:
    from inarow.lab.anyone import SIDES, certify_against_anyone

    if against != "anyone":
        raise InputError(f"--against {against}: certificates are against anyone, or without it")
    if side not in (*SIDES, "both"):
        raise InputError(f"--side {side} must be first, second or both")
    sides = SIDES if side == "both" else (side,)
    with progress_bar("enumerating", None) as (bar, task):
        certificate = certify_against_anyone(
            player,
            game,
            sides,
            progress=lambda name, positions: bar.update(
                task, description=f"as {name}: {positions:,} positions"
            ),
            count_all=count_all,
        )
    if as_json:
        print_json(certificate.as_json())
        return
    out = console()
    for name, found in certificate.sides.items():
        where = f"{certificate.game.name}, {name} player, against anyone"
        out.print(marked(f"{certificate.player} in {where}:", certificate.player))
        out.print(f"  {found.text}")
        for end, line in found.counterexamples.items():
            out.print(f"  A game that is {end}: {line}")


def _show_proof(certificate: GraphCertificate) -> None:
    out = console()
    text = f"{certificate.player} in {certificate.game.name}: {certificate.basis.text}"
    out.print(marked(text, certificate.player))
    for name, side in certificate.sides.items():
        out.print(f" As {name}: {certificate.side_text(name)}")
        won = f"{side.won_met:,} won positions"
        kept = (
            f"wins all {won}" if side.converts else f"may throw away {side.thrown_away:,} of {won}"
        )
        subject = "It" if certificate.proven else "As observed, it"
        out.print(f"   {subject} {kept} that its play can meet;")
        out.print(
            f"   it gives value away in {side.mistakes_met:,} of {side.met:,} positions"
            f" met, {side.mistakes:,} of all {side.positions:,}."
        )
        if side.mistakes:
            out.print(f"   The first such position is after {side.mistake or 'no move'}.")
    if not certificate.proven:
        out.print(" If it always answers as observed, it wins, draws and loses:")
    rows = table("against", "first: win", "draw", "loss", "second: win", "draw", "loss")
    rows.columns[0].no_wrap = True
    for opponent, sides in certificate.own_odds.items():
        shares = [
            sides[side][end] for side in ("first", "second") for end in ("win", "draw", "loss")
        ]
        rows.add_row(opponent, *(f"{100 * share:.1f}%" for share in shares))
    out.print(rows)


def _show_measured(answer: dict[str, Any]) -> None:
    out = console()
    player, game = answer["player"], answer["game"]
    out.print(
        marked(
            f"{player} in {game}: too large to prove whole;"
            f" judged by the solver, seed {answer['seed']}.",
            player,
        )
    )
    rates = table("stones", "positions", "mistakes", "rate (95%)", "for example after")
    for rate in answer["mistakes"]:
        low, high = rate["interval"]
        share = f"{100 * rate['rate']:.0f}% ({100 * low:.0f}-{100 * high:.0f})"
        example = rate["example"] if rate["example"] != "" else "no move"
        rates.add_row(
            str(rate["stones"]), str(rate["positions"]), str(rate["mistakes"]), share, example or ""
        )
    out.print(rates)
    for side, result in answer["against_perfect"].items():
        tally = result["sampled"]
        low, high = tally["intervals"]["score"]
        out.print(
            f" As {side} against perfect play, {tally['games']} games: {tally['wins']} won,"
            f" {tally['draws']} drawn, {tally['losses']} lost (score {100 * tally['score']:.0f}%,"
            f" {100 * low:.0f}-{100 * high:.0f})."
        )
        for walk in result["exact"]:
            which = {"best": "of the best distance", "value": "that keeps the value"}
            replies = which[walk["replies"]]
            if walk["worst"] is None:
                out.print(
                    f"   Every reply {replies}: given up after {walk['positions']:,} positions."
                )
            else:
                how = WALKED[walk["basis"]["kind"]]
                out.print(f"   {how}, every reply {replies}: a {walk['worst']} at worst,")
                out.print(f"   {walk['line']}")


def _show_refutations(answer: dict[str, Any]) -> None:
    out = console()
    player, game = answer["player"], answer["game"]
    out.print(marked(f"{player} in {game}: not provable here.", player))
    for side, line in answer["refutations"].items():
        if line is None:
            out.print(
                f" As {side}: no minimax player beat it in the games tried, which proves nothing."
            )
        else:
            out.print(f" As {side}: it lost {line}")
    out.print(f" {answer['games_tried']} games tried, seed {answer['seed']}.")


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
