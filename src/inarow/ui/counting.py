"""The commands `games`, `perft` and `count`: what a game is, in numbers."""

from __future__ import annotations

from typing import Annotated

import typer

from inarow.game import FORMS, Game
from inarow.game import game as game_of
from inarow.ui.terminal import AsJson, GameName, console, marked, print_json, progress_bar, table

EXAMPLES = [
    "tictactoe",
    "connect4:6x7",
    "connect4:4x4",
    "cube",
    "qubic",
    "mnk:15x15x5",
    "ntictactoe:3^3",
    "ntictactoe:3^4",
    "ntictactoe:3^7",
]


def games(
    game: Annotated[str | None, typer.Argument(metavar="[GAME]", help="one game, whole")] = None,
    as_json: AsJson = False,
) -> None:
    """Lists the games, or shows one."""
    if game is not None:
        _show(game_of(game), as_json)
    elif as_json:
        print_json({"forms": FORMS, "examples": [_facts(game_of(name)) for name in EXAMPLES]})
    else:
        out = console()
        forms = table("name", "what it is")
        forms.columns[1].justify = "left"
        for form, about in FORMS.items():
            forms.add_row(form.replace("[", r"\["), about)
        out.print(forms)
        some = table("for example", "board", "k", "falls", "cells", "lines", "symmetries")
        for name in EXAMPLES:
            facts = _facts(game_of(name))
            sides = game_of(name).shape
            cubic = len(sides) > 3 and len(set(sides)) == 1
            some.add_row(
                name,
                f"{sides[0]}^{len(sides)}" if cubic else "x".join(map(str, sides)),
                str(facts["k"]),
                "yes" if facts["gravity"] else "no",
                f"{facts['cells']:,}",
                f"{facts['lines']:,}",
                f"{facts['symmetries']:,}",
            )
        out.print(some)


def _facts(game: Game) -> dict[str, object]:
    return {
        "game": game.name,
        "shape": list(game.shape),
        "k": game.k,
        "gravity": game.gravity,
        "scoring": game.scoring,
        "cells": game.cells,
        "moves": game.columns,
        "lines": len(game.lines),
        "symmetries": game.symmetry_group.order,
    }


def _show(game: Game, as_json: bool) -> None:
    facts = _facts(game)
    if as_json:
        print_json(facts)
        return
    out = console()
    ends = "lines are counted until the board is full" if game.scoring else "the first line wins"
    falls = "; stones fall" if game.gravity else ""
    out.print(
        marked(f"{game.name}: {game.k} in a row on {game.shape_text}{falls}; {ends}", game.name)
    )
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
    from inarow.engine import perft as counting

    chosen = game_of(game)
    with progress_bar("counting", 1.0) as (bar, task):
        nodes = counting.perft(chosen, depth, lambda share: bar.update(task, completed=share))
    if as_json:
        print_json({"game": chosen.name, "depth": len(nodes), "nodes": nodes})
        return
    counts = table("moves", "sequences", title=chosen.name)
    for ply, number in enumerate(nodes, start=1):
        counts.add_row(str(ply), f"{number:,}")
    console().print(counts)


def count(
    game: GameName,
    plies: Annotated[int | None, typer.Option(help="stop after so many moves")] = None,
    as_json: AsJson = False,
) -> None:
    """Counts the positions that play can reach, and what they are worth."""
    from inarow.graph.count import count_positions

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
