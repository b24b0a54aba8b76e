"""The command `solve`: the exact value of a position, or what a budget finds out of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from inarow.game import game as game_of
from inarow.game.notation import move_text
from inarow.game.text import SYMBOLS
from inarow.ui import compiling
from inarow.ui.terminal import AsJson, GameName, console, print_json, progress_bar

if TYPE_CHECKING:
    from inarow.game import Game, Position
    from inarow.lab.bounds import Budget, MoveBounds
    from inarow.search.decided import Decided
    from inarow.search.solution import Solution


def solve(
    game: GameName,
    moves: Annotated[str, typer.Argument(help="the moves so far, as in 4453")] = "",
    seconds: Annotated[
        float | None, typer.Option(help="stop after this long, and say what is known")
    ] = None,
    nodes: Annotated[
        int | None, typer.Option(help="the same, after this many search nodes")
    ] = None,
    workers: Annotated[
        int, typer.Option(help="number of threads, for boards like Connect Four")
    ] = 1,
    as_json: AsJson = False,
) -> None:
    """Solves a position: its exact score, and each move's.

    With --seconds or --nodes it stops in time, and says what it has found by
    then: who wins, or who at least draws.
    """
    compiling.expect()
    from inarow.lab.bounds import Budget
    from inarow.search.decided import Decided

    position = game_of(game).position(moves)
    with _working_together(position.game, workers):
        if seconds is not None or nodes is not None:
            _solve_within(position, Budget(seconds, nodes), as_json)
            return
        solution = _solve(position)
    if isinstance(solution, Decided):
        _show_decided(position, solution, as_json)
    else:
        _show_solved(position, solution, as_json)


@contextmanager
def _working_together(game: Game, workers: int) -> Iterator[None]:
    """Gives the solver that others share so many threads for a while."""
    from inarow.search.solver import solver_for

    if workers == 1:  # also where there is no solver
        yield
        return
    solver = solver_for(game)
    solver.workers = workers
    try:
        yield
    finally:
        solver.workers = 1


def _solve(position: Position) -> Solution | Decided:
    """Solves a position, with the number of nodes shown meanwhile."""
    from inarow.search.perfect import solve_or_decide
    from inarow.search.solution import NotSolved
    from inarow.search.solver import solver_for

    solver = solver_for(position.game)
    with progress_bar("solving", None) as (bar, task):
        solver.progress = lambda nodes: bar.update(task, description=f"{nodes:,} nodes")
        try:
            return solve_or_decide(position)
        except NotSolved as given_up:
            raise NotSolved(
                f"{given_up}; --seconds or --nodes says what is known by then"
            ) from None
        finally:
            solver.progress = None


def _show_solved(position: Position, solution: Solution, as_json: bool) -> None:
    """The exact score, and each move's."""
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


def _solve_within(position: Position, budget: Budget, as_json: bool) -> None:
    """What a budget finds out of a position and of its moves."""
    from inarow.lab.bounds import bound_moves

    with progress_bar("solving", None):
        known = bound_moves(position, budget)
    found, name = known.position, position.game
    best = [move_text(name, move) for move in known.best]
    if as_json:
        answer = {"game": name.name, "position": position.notation}
        moves = {move_text(name, move): bounds.as_json() for move, bounds in known.moves.items()}
        print_json(
            answer | found.as_json() | {"best": best, "moves": moves, "basis": list(known.by)}
        )
        return
    print(f"{position}\n")
    out = console()
    out.print(_said_of_bounds(position, known, best))
    texts = {move_text(name, move): str(bounds) for move, bounds in known.moves.items()}
    for text in dict.fromkeys(texts.values()):
        out.print(f"  {text}: {' '.join(move for move, t in texts.items() if t == text)}")
    if known.by:
        out.print(f"By {', '.join(known.by)}.")


def _said_of_bounds(position: Position, known: MoveBounds, best: list[str]) -> str:
    """What is known of a position, for the side to move."""
    mover, other = SYMBOLS[position.to_move], SYMBOLS[3 - position.to_move]
    found = known.position
    if found.exact:
        moves = f": {', '.join(best)}" if best else ""
        if found.low < 0:
            return f"{mover} {found}."
        return f"{mover} {found}{moves}." if found.low else f"A draw{moves}."
    if found.low == 0:
        return f"Not solved in time, but {mover} at least draws."
    if found.high == 0:
        return f"Not solved in time, but {other} at least draws."
    return "Not solved in time: nothing is known of who wins."


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
