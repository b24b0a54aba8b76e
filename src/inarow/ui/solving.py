"""The command `solve`: the exact value of a position."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from inarow.game import game as game_of
from inarow.game.notation import move_text
from inarow.game.text import SYMBOLS
from inarow.ui.terminal import AsJson, GameName, console, print_json, progress_bar

if TYPE_CHECKING:
    from inarow.game import Position
    from inarow.search.decided import Decided
    from inarow.search.solver import Solution


def solve(
    game: GameName,
    moves: Annotated[str, typer.Argument(help="the moves so far, as in 4453")] = "",
    as_json: AsJson = False,
) -> None:
    """Solves a position: its exact score, and each move's."""
    from inarow.search.decided import Decided
    from inarow.search.perfect import solve_or_decide
    from inarow.search.solver import solver_for

    position = game_of(game).position(moves)
    solver = solver_for(position.game)
    with progress_bar("solving", None) as (bar, task):
        solver.progress = lambda nodes: bar.update(task, description=f"{nodes:,} nodes")
        solution = solve_or_decide(position)
        solver.progress = None
    if isinstance(solution, Decided):
        _show_decided(position, solution, as_json)
        return
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
    best = ", ".join(move for move, score in scores.items() if score == solution.score)
    out = console()
    out.print(f"{_said(position, solution, best)} (score {_sign(solution.score)})")
    out.print("  ".join(f"{move}: {_sign(score)}" for move, score in scores.items()))
    out.print(f"{solution.nodes:,} nodes.")


def _said(position: Position, solution: Solution, best: str) -> str:
    """What the score means for the side to move."""
    from inarow.lab.move_values import from_score

    mover = SYMBOLS[position.to_move]
    end = from_score(solution.score, position.game.cells - position.ply, position.game.misere)
    if end.value < 0:
        return f"{mover} loses in {end.stones} at best; longest resistance: {best}"
    return f"{mover} wins in {end.stones}: {best}" if end.value else f"A draw: {best}"


def _show_decided(position: Position, decided: Decided, as_json: bool) -> None:
    """Who wins, where the exact score is not known."""
    moves = [move_text(position.game, move) for move in decided.moves]
    if as_json:
        answer = {"game": position.game.name, "position": position.notation, "score": None}
        print_json(answer | {"value": decided.value, "best": moves, "basis": decided.basis})
        return
    winner = "first" if (position.to_move == 1) == (decided.value == 1) else "second"
    how = f" with {', '.join(moves)}" if decided.value == 1 else ""
    print(f"{position}\n")
    print(f"The {winner} player wins{how}, by {decided.basis}. How fast is not known.")


def _sign(score: int) -> str:
    return f"{score:+d}" if score else "0"
