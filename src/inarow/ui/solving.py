"""The command `solve`: the exact value of a position, or what a budget finds out of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from inarow.game import game as game_of
from inarow.game.drawing import SYMBOLS
from inarow.game.names import Published, published_value
from inarow.game.position import move_text
from inarow.ui import compiling
from inarow.ui.terminal import (
    AsJson,
    BookFile,
    GameName,
    console,
    number_option,
    print_json,
    progress_bar,
    use_book_of,
)

if TYPE_CHECKING:
    from inarow.game import Game, Position
    from inarow.lab.values.move_values import Budget, MoveBounds
    from inarow.search.decided import ProvenResult
    from inarow.search.solver import NotSolved, Solution


FIRST_NODES = 3_000_000  # before it is asked who wins: a few seconds
FIRST_SECONDS, LAST_SECONDS = 3.0, 5.0  # of asking what is known
LINE, LINE_SECONDS = 8, 0.2  # moves of a likely line, and the time for each


class Unfinished(NamedTuple):
    """What is known of a position whose search was given up, or stopped by a person."""

    known: MoveBounds
    published: Published | None
    line: tuple[str, ...]  # that a search of some moves ahead would play
    reason: NotSolved | None  # None: somebody pressed Ctrl-C


def solve(
    game: GameName,
    moves: Annotated[str, typer.Argument(help="the moves so far, as in 4453")] = "",
    seconds: Annotated[
        float | None, typer.Option(help="stop after this long, and say what is known")
    ] = None,
    nodes: Annotated[int | None, number_option("the same, after this many search nodes")] = None,
    workers: Annotated[
        int, typer.Option(help="number of threads, for boards like Connect Four")
    ] = 1,
    book: BookFile = None,
    as_json: AsJson = False,
) -> None:
    """Solves a position: its exact score, and each move's.

    With --seconds or --nodes it stops in time, and says what it has found by
    then: who wins, or who at least draws. So it does where it gives up, and
    after Ctrl-C.
    """
    compiling.expect()
    from inarow.lab.values.move_values import Budget
    from inarow.search.decided import ProvenResult

    position = game_of(game).position(moves)
    use_book_of(position.game, book)
    with _working_together(position.game, workers):
        if seconds is not None or nodes is not None:
            _solve_within(position, Budget(seconds, nodes), as_json)
            return
        solution = _solve(position)
    if isinstance(solution, Unfinished):
        _show_unfinished(position, solution, as_json)
    elif isinstance(solution, ProvenResult):
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


def _solve(position: Position) -> Solution | ProvenResult | Unfinished:
    """Solve a position; if it is given up or stopped, return what is known by then.

    What takes longer than some seconds is first asked who wins, so that there is something to
    show meanwhile, and in the end if it is not solved.
    """
    from inarow.search.perfect import solve_or_decide
    from inarow.search.solver import NotSolved, solver_for

    solver, known = solver_for(position.game), None
    published = None if position.ply else published_value(position.game)
    limit, told = solver.limit, [published.text] if published is not None else []
    with progress_bar("solving", None) as (bar, task):

        def show(nodes: float) -> None:
            bar.update(task, description=" ".join([f"{nodes:,} nodes.", *told]))

        solver.progress = show
        show(0)
        try:
            solver.limit = min(FIRST_NODES, limit)
            with suppress(NotSolved):
                return solve_or_decide(position)
            known = _known_within(position, FIRST_SECONDS)
            told.insert(0, _said_of_bounds(position, known))
            solver.limit = limit
            return solve_or_decide(position)
        except NotSolved as given_up:
            more = _known_within(position, LAST_SECONDS)
            return Unfinished(more, published, _likely_line(position), given_up)
        except KeyboardInterrupt:
            if known is None:
                raise
            return Unfinished(known, published, (), None)
        finally:
            solver.progress, solver.limit = None, limit


def _known_within(position: Position, seconds: float) -> MoveBounds:
    from inarow.lab.values.move_values import Budget, bound_moves

    return bound_moves(position, Budget(seconds))


def _likely_line(position: Position) -> tuple[str, ...]:
    """How a search of some moves ahead would go on: nothing of it is proven."""
    from inarow.lab.values.move_values import quick_depth
    from inarow.search.minimax import search

    place = position.copy()
    while place.outcome is None and place.ply - position.ply < LINE:
        place.push(search(place, quick_depth(place.game), "central", LINE_SECONDS).move)
    return tuple(move_text(place.game, move) for move in place.moves[position.ply :])


def _show_unfinished(position: Position, found: Unfinished, as_json: bool) -> None:
    """What is known of a position that could not be solved, then why there is no more."""
    more: dict[str, object] = {"line": list(found.line)}
    if found.published is not None:
        more["published"] = found.published._asdict()
    _show_bounds(position, found.known, as_json, more)
    if not as_json:
        out = console()
        if found.line:
            out.print(f"Perhaps, by a search that looks a few moves ahead: {' '.join(found.line)}")
        if found.published is not None:
            out.print(found.published.text)
    if found.reason is not None:
        raise found.reason
    raise typer.Exit(130)


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
    from inarow.lab.values.move_values import bound_moves

    with progress_bar("solving", None):
        known = bound_moves(position, budget)
    published = None if position.ply else published_value(position.game)
    if known.position.exact:
        published = None
    more: dict[str, object] = {} if published is None else {"published": published._asdict()}
    _show_bounds(position, known, as_json, more)
    if published is not None and not as_json:
        console().print(published.text)


def _show_bounds(
    position: Position, known: MoveBounds, as_json: bool, more: dict[str, object]
) -> None:
    """What is known of a position and of its moves; for programs with more beside it."""
    found, name = known.position, position.game
    best = [move_text(name, move) for move in known.best]
    if as_json:
        answer = {"game": name.name, "position": position.notation}
        moves = {move_text(name, move): bounds.as_json() for move, bounds in known.moves.items()}
        print_json(
            answer
            | found.as_json()
            | {"best": best, "moves": moves, "basis": list(known.by)}
            | more
        )
        return
    print(f"{position}\n")
    out = console()
    out.print(_said_of_bounds(position, known))
    texts = {move_text(name, move): str(bounds) for move, bounds in known.moves.items()}
    for text in dict.fromkeys(texts.values()):
        out.print(f"  {text}: {' '.join(move for move, t in texts.items() if t == text)}")
    if known.by:
        out.print(f"By {', '.join(known.by)}.")


def _said_of_bounds(position: Position, known: MoveBounds) -> str:
    """What is known of a position, for the side to move."""
    best = [move_text(position.game, move) for move in known.best]
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
    from inarow.lab.values.move_values import from_score

    mover = SYMBOLS[position.to_move]
    end = from_score(solution.score, position.game.cells - position.ply, position.game.misere)
    if end.value < 0:
        return f"{mover} loses in {end.stones} at best; longest resistance: {best}"
    return f"{mover} wins in {end.stones}: {best}" if end.value else f"A draw: {best}"


def _show_decided(position: Position, decided: ProvenResult, as_json: bool) -> None:
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
