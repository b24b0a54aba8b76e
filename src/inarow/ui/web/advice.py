"""What is said beside a board of the values of moves: in words, and as a table."""

from __future__ import annotations

from html import escape

from inarow.game import Position
from inarow.game.notation import move_text, moves_text
from inarow.game.text import SYMBOLS
from inarow.ui.game_in_play import GameInPlay
from inarow.ui.play_words import NOTHING_EXACT
from inarow.ui.web.agents import trained_side
from inarow.ui.web.cells import Insight, hinted, value_of
from inarow.ui.web.insights import untrained
from inarow.ui.web.session import Session

MOST_ROWS = 40  # of the table of values
LEGEND = "W5 wins with the fifth stone from now, L4 loses with the fourth, D draws."


def advice(session: Session) -> str:
    """What is being looked for, found or out of reach."""
    insight, table = session.insight, session.table
    if session.values == "off" and not session.hints:
        return "Hints mark the best moves; values colour every move."
    if not session.values_moves:
        return "The game is over." if table.over else ""
    if not insight.hint:
        return "Looking ..."
    position = session.shown
    said = []
    if session.hints:
        best = " ".join(move_text(table.game, move) for move in hinted(insight)[:8])
        said.append(f"Best: {best} ({insight.hint.text}, by {insight.hint.by}).")
    if session.values != "off":
        exact = f"Exact values by {insight.exact.by}." if insight.exact else NOTHING_EXACT
        said.append(exact)
        if insight.exact and session.values == "exact":
            said.append(LEGEND)
        if untrained(table.opponent, position):
            side = trained_side(table.opponent)
            said.append(
                f"{name_of_opponent(table)} learned as {side} only: it has no estimate of "
                f"the moves of {SYMBOLS[position.to_move]}."
            )
        if insight.estimate:
            said.append(f"Estimate of {insight.estimate.by}, the higher the better.")
    return " ".join(said)


def best_line_text(position: Position, insight: Insight) -> str:
    """The line of perfect play, and how it ends where it gets so far."""
    if not insight.line:
        return ""
    end = position.copy()
    for move in insight.line:
        end.push(move)
    text, outcome = moves_text(position.game, insight.line), end.outcome
    if outcome is None:
        return f"Best line: {text} ..."
    winner = outcome.winner
    return f"Best line: {text}, {'a draw' if winner is None else f'{SYMBOLS[winner]} wins'}."


def values_table(session: Session) -> str:
    """Every move with its exact value and the estimate of it, the best first."""
    insight, game = session.insight, session.table.game
    if not session.values_moves or not (insight.exact or insight.estimate):
        return ""

    def rank(move: int) -> tuple[tuple[int, int], float]:
        exact = insight.exact.moves[move].rank if insight.exact else (0, 0)
        held = insight.estimate.values.get(move, -1e9) if insight.estimate else 0.0
        return exact, held

    moves = sorted(session.shown.legal_moves, key=rank, reverse=True)
    rows = []
    for move in moves[:MOST_ROWS]:
        values = [value_of(move, insight, by) for by in ("exact", "estimate")]
        fields = "".join(
            f'<td><span class="shade" style="background:{value["heat"]}"></span>'
            f"{escape(value['value'])}</td>"
            if value
            else "<td>-</td>"
            for value in values
        )
        rows.append(f"<tr><td>{move_text(game, move)}</td>{fields}</tr>")
    more = len(moves) - MOST_ROWS
    if more > 0:
        rows.append(f'<tr><td colspan="3">and {more} more</td></tr>')
    head = "<tr><th>Move</th><th>Exact</th><th>Estimate</th></tr>"
    return f'<table class="values-table">{head}{"".join(rows)}</table>'


def name_of_opponent(table: GameInPlay) -> str:
    """The opponent, as it is called on the board."""
    return next(side.name for side in table.sides if side.player is not None)


def last_move(table: GameInPlay) -> str:
    """What was played last, and by whom: "perfect played 22. "."""
    if table.position.ply == table.start.ply:
        return ""
    moved = 2 - table.position.ply % 2
    person, symbol = moved - 1 in table.people, SYMBOLS[moved]
    who = symbol if person else f"{table.names[moved - 1]} ({symbol})"
    return f"{who} played {table.moves[-1]}. "
