"""What a run has learned so far: values of a position's moves, a line of play, a first mistake."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from inarow.engine.streams import make_stream
from inarow.game import Game, InputError, Position
from inarow.game.drawing import SYMBOLS
from inarow.game.position import move_text, moves_text
from inarow.lab.players.policies import Observer, moves_of
from inarow.lab.players.protocols import ask, bind_player
from inarow.lab.values.analysis import (
    MistakeSearch,
    exact_at_once,
    first_mistake,
    has_exact_values,
    learned_to_move,
    principal_variation,
)
from inarow.lab.values.move_values import Exact
from inarow.learn.agent import LearnedAgent
from inarow.ui.server.earlier import agent_at
from inarow.ui.server.kept import KeptLook

if TYPE_CHECKING:
    from inarow.ui.server.orders import Order
    from inarow.ui.server.run_jobs import TrainingJob

MOST_CELLS = 64  # of a board whose values can still be read, several side by side


class Snapshot(NamedTuple):
    """What a run has learned, at a moment."""

    games: int
    side: str  # where it learns
    values: dict[int, float]  # of the position's moves; none where it does not learn to move
    chosen: list[int]  # the moves that it may play
    variation: list[int]
    proven: Exact | None
    search: MistakeSearch | None  # None where there are no exact values


def usual_position(game: Game, side: str) -> Position:
    """A position where a run learns to move: after a first move, if it is second only."""
    position = Position(game)
    if side == "second":
        position.push(game.columns // 2)
    return position


def take_look(agent: LearnedAgent, games: int, order: Order) -> list[KeptLook]:
    """What is kept of an agent at a point of its curve, to be looked at again later."""
    if order.game.cells > MOST_CELLS:
        return []
    position = usual_position(order.game, order.side)
    values = {move_text(order.game, m): float(v) for m, v in agent.values(position).items()}
    players = [bind_player(agent, order.game, make_stream(order.seed, side)) for side in (0, 1)]
    played = Position(order.game)
    while played.outcome is None:
        played.push(ask(players[played.to_move - 1], played))
    return [KeptLook(games=games, values=values, game=played.notation)]


def take_snapshot(agent: LearnedAgent, games: int, side: str, position: Position) -> Snapshot:
    """Return an agent's values, moves and first mistake after so many games."""
    game = position.game
    asked = moves_of(agent, game)
    chooses = asked.moves if isinstance(asked, Observer) else asked
    learns = learned_to_move(position, side)
    return Snapshot(
        games,
        side,
        agent.values(position) if learns else {},
        chooses(position) if learns else [],
        principal_variation(agent, position, side),
        exact_at_once(position),
        first_mistake(game, chooses, side) if has_exact_values(game) else None,
    )


def describe_learned(job: TrainingJob, moves: str) -> dict[str, object]:
    """What a page shows of a run as it is now."""
    position = asked_position(job.order, moves)
    agent, games = job.agent_now()
    return describe_agent(agent, games, job.order.side, position)


def asked_position(order: Order, moves: str) -> Position:
    """The position after some moves; without any, one where the run learns to move."""
    game = order.game
    if game.cells > MOST_CELLS:
        raise InputError(f"{game.name} has {game.cells} cells: values are shown up to {MOST_CELLS}")
    position = game.position(moves) if moves.strip() else usual_position(game, order.side)
    if position.outcome is not None:
        raise InputError("the game is over in this position: there is no move to value")
    return position


def describe_agent(
    agent: LearnedAgent, games: int, side: str, position: Position
) -> dict[str, object]:
    """What a page shows of an agent in a position, after so many games of training."""
    seen = take_snapshot(agent, games, side, position)
    game, found = position.game, seen.search and seen.search.mistake
    return {
        "games": seen.games,
        "title": title_of(position),
        **show_position(position, seen.values),
        "chosen": [
            position.cell_of(move) for move in seen.chosen if len(seen.chosen) < len(seen.values)
        ],
        "verdict": verdict(position, seen),
        "variation": variation_text(position, seen.variation),
        "mistake": mistake_text(game, seen.search),
        "mistake_moves": moves_text(game, found.moves) if found else "",
    }


def describe_look(job: TrainingJob, number: int, moves: str = "") -> dict[str, object]:
    """What a page shows of a moment of the past: as recorded, elsewhere of the agent of then."""
    if not 0 <= number < len(job.looks):
        raise InputError(f"there is no such moment: this run has {len(job.looks)}")
    look, order = job.looks[number], job.order
    position = asked_position(order, moves)
    played = order.game.position(look.game)
    if position.moves == usual_position(order.game, order.side).moves:
        known = {move_text(order.game, move): move for move in position.legal_moves}
        values = {known[text]: value for text, value in look.values.items() if text in known}
        seen = {
            "games": look.games,
            "title": title_of(position),
            **show_position(position, values),
        }
    else:
        agent = agent_at(order, look.games, job.seconds * look.games / max(1, job.games))
        seen = describe_agent(agent, look.games, order.side, position)
    return {
        **seen,
        "game": show_game(played),
        "end": f"Its game against itself: {played.outcome}." if played.outcome else "",
    }


def title_of(position: Position) -> str:
    """Which position is shown, and who is to move."""
    return f"After {position.notation or 'no move'}: {SYMBOLS[position.to_move]} to move."


def show_position(position: Position, values: dict[int, float]) -> dict[str, object]:
    """Stones of a position, and a text and a share from -1 to 1 for the cell of each value."""
    scale = max([1.0, *(abs(value) for value in values.values())])
    return {
        "stones": list(position.stones),
        "values": [
            [position.cell_of(move), f"{round(value, 2) + 0.0:+.2f}", round(value / scale, 3)]
            for move, value in values.items()
        ],
    }


def show_game(played: Position) -> dict[str, object]:
    """A game to step through: its cells in order, and the lines that each move completed."""
    game, position = played.game, Position(played.game)
    cells, lines = list[int](), list[tuple[int, int, list[int]]]()
    for ply, move in enumerate(played.moves, 1):
        cell = position.cell_of(move)
        position.push(move)
        cells.append(cell)
        side = position.stones[cell]
        lines += [
            (ply, side, [int(one) for one in line])
            for line in game.lines[(game.lines == cell).any(axis=1)]
            if all(position.stones[one] == side for one in line)
        ]
    texts = [move_text(game, move) for move in played.moves]
    return {"cells": cells, "moves": texts, "lines": lines, "notation": played.notation}


def verdict(position: Position, seen: Snapshot) -> str:
    """The move that the agent plays, and whether that gives anything away."""
    if not seen.chosen:
        return f"It learns as {seen.side} only: it has no values here."
    moves = " or ".join(move_text(position.game, move) for move in seen.chosen)
    said = f"Plays {moves}" if len(seen.chosen) <= 4 else f"Plays any of {len(seen.chosen)} moves"
    if seen.proven is None:
        return f"{said}."
    values = seen.proven.moves
    highest = max(one.value for one in values.values())
    worst = min((values[move] for move in seen.chosen), key=lambda one: one.rank)
    mistake = "a mistake" if worst.value < highest else "no mistake"
    return f"{said}: {mistake} ({worst}, exactly)."


def variation_text(position: Position, variation: list[int]) -> str:
    """The principal variation, and how it ends."""
    if not variation:
        return "No principal variation yet: all moves have the same value."
    end = position.copy()
    for move in variation:
        end.push(move)
    how = f" ({end.outcome})" if end.outcome is not None else " ..."
    return f"Principal variation: {moves_text(position.game, variation)}{how}"


def mistake_text(game: Game, search: MistakeSearch | None) -> str:
    """The first mistake, or how far there is none."""
    if search is None:
        return ""
    if search.mistake is None and search.plies is None:
        return "No mistake against perfect play, in any line."
    if search.mistake is None:
        return f"No mistake against perfect play in the first {search.plies} moves."
    found = search.mistake
    better = ", ".join(move_text(game, move) for move in found.better[:4])
    better += " ..." if len(found.better) > 4 else ""
    kept = {1: "wins", 0: "draws", -1: "loses"}[found.best.value]
    if len(found.better) > 1:
        kept = kept.removesuffix("s")
    return (
        f"First mistake: after {moves_text(game, found.moves) or 'no move'} it may play "
        f"{move_text(game, found.move)}, which {found.value}; {better} {kept}."
    )
