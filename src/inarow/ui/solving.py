"""The command `solve`: the exact value of a position."""

from __future__ import annotations

from typing import Annotated

import typer

from inarow.game import game as game_of
from inarow.game.notation import move_text
from inarow.ui.terminal import AsJson, GameName, console, print_json, progress_bar

VALUES = {1: "wins", 0: "draws", -1: "loses"}


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
