"""The commands `games`, `perft` and `count`: what a game is, in numbers."""

from __future__ import annotations

from typing import Annotated

import typer

from inarow.game import EXAMPLES, FORMS, Game
from inarow.game import game as game_of
from inarow.game.names import VARIANTS
from inarow.ui.play_words import rules
from inarow.ui.terminal import AsJson, GameName, console, marked, print_json, progress_bar, table
from inarow.ui.waiting import wait_for

VALUES = {"first": "first wins", "second": "second wins", "draw": "draw", None: ""}


def games(
    game: Annotated[str | None, typer.Argument(metavar="GAME", help="one game, in detail")] = None,
    as_json: AsJson = False,
) -> None:
    """Lists the games, or shows one."""
    if game is not None:
        _show(game_of(game), as_json)
    elif as_json:
        examples = [
            {**_facts(game_of(e.name)), "title": e.title, "value": e.value} for e in EXAMPLES
        ]
        print_json({"forms": FORMS, "variants": VARIANTS, "examples": examples})
    else:
        out = console()
        forms = table("name", "what it is")
        forms.columns[1].justify = "left"
        for form, about in FORMS.items():
            forms.add_row(form, about)
        forms.add_section()
        for variant, about in VARIANTS.items():
            forms.add_row(f"...,{variant}", about)
        out.print(forms)
        some = table("for example", "cells", "lines", "symmetries", "perfect play")
        for example in EXAMPLES:
            facts = _facts(game_of(example.name))
            some.add_row(
                example.name,
                f"{facts['cells']:,}",
                f"{facts['lines']:,}",
                f"{facts['symmetries']:,}",
                VALUES[example.value],
            )
        out.print(some)


def _facts(game: Game) -> dict[str, object]:
    return {
        "game": game.name,
        "shape": list(game.shape),
        "k": game.k,
        "gravity": game.gravity,
        "scoring": game.scoring,
        "wrap": list(game.wrap),
        "misere": game.misere,
        "cells": game.cells,
        "moves": game.columns,
        "lines": game.line_count,
        "symmetries": game.symmetry_group.order,
    }


def _show(game: Game, as_json: bool) -> None:
    facts = _facts(game)
    if as_json:
        print_json(facts)
        return
    out = console()
    out.print(marked(f"{rules(game)} The board is {game.shape_text}.", game.name))
    out.print(
        f"{facts['cells']:,} cells, {facts['lines']:,} lines, {facts['symmetries']:,} symmetries"
    )
    if game.cells <= 1000:
        print(f"\n{game.position()}")


def perft(
    game: GameName,
    depth: Annotated[int, typer.Argument(help="moves to look ahead")],
    as_json: AsJson = False,
) -> None:
    """Counts the sequences of moves, by depth."""
    from inarow.graph import counting as counting

    chosen = game_of(game)
    with progress_bar("counting", 1.0) as (bar, task):

        def show(share: float) -> None:
            bar.update(task, completed=share)

        nodes = wait_for(lambda: counting.perft(chosen, depth, show), None, lambda: None)
    if as_json:
        print_json({"game": chosen.name, "depth": len(nodes), "nodes": nodes})
        return
    counts = table("moves", "sequences", title=chosen.name)
    for ply, number in enumerate(nodes, start=1):
        counts.add_row(str(ply), f"{number:,}")
    console().print(counts)


def count(
    game: GameName,
    plies: Annotated[int | None, typer.Option(help="stop after this many moves")] = None,
    as_json: AsJson = False,
) -> None:
    """Counts the positions of a game, and says who wins."""
    from inarow.graph.counting import count_positions

    chosen = game_of(game)
    with progress_bar("counting", chosen.cells if plies is None else plies) as (bar, task):
        result = count_positions(
            chosen, plies, lambda ply, _: bar.update(task, completed=ply, description=f"ply {ply}")
        )
    answer = result.as_json()
    if as_json:
        print_json(answer)
        return
    counts = table("stones", "positions", "up to symmetry", title=chosen.name)
    rows = zip(result.by_ply, result.up_to_symmetry_by_ply, strict=True)
    for ply, (raw, classes) in enumerate(rows):
        counts.add_row(str(ply), f"{raw:,}", f"{classes:,}")
    counts.add_section()
    counts.add_row("all", f"{answer['positions']:,}", f"{answer['up_to_symmetry']:,}")
    unfinished = f"{result.unfinished:,}", f"{result.unfinished_up_to_symmetry:,}"
    counts.add_row("unfinished", *unfinished)
    out = console()
    out.print(counts)
    if result.values:
        first, draw, second = (f"{result.values[name]:,}" for name in ("first", "draw", "second"))
        out.print(
            f" Perfect play: first wins {first}, draw {draw}, second wins {second} positions."
        )
        known = {"first": "a first-player win", "second": "a second-player win", "draw": "a draw"}
        out.print(f" The game is {known[result.value or 'draw']}.")
    if result.games:
        first, draw, second = (f"{result.games[name]:,}" for name in ("first", "draw", "second"))
        total = f"{result.games['total']:,}"
        out.print(f" Games: {total} (first wins {first}, draw {draw}, second wins {second}).")
