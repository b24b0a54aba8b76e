"""The review of a game: its graph, and the mistakes to click, each with what was better."""

from __future__ import annotations

from html import escape

from nicegui import ui
from nicegui.events import GenericEventArguments

from inarow.game.notation import parse_moves
from inarow.game.text import SYMBOLS
from inarow.lab.analysis import AnalysedMove, Analysis
from inarow.lab.analysis_text import graph_svg, summary
from inarow.ui.web.job_queue import State
from inarow.ui.web.session import Session
from inarow.ui.web.theme import heading

PRESSED = """(event) => {
    const button = event.target.closest('[data-ply]');
    if (!button) return;
    emit(+button.dataset.ply);
    document.querySelector('.board-room').scrollIntoView({block: 'nearest'});
}"""
MORE_TIME = "The command inarow analyse can give them more."


class ReviewCard:
    """The card, there while the game on the table is or was reviewed."""

    def __init__(self, session: Session) -> None:
        self.session = session
        with ui.card().classes("w-full gap-2").props('data-testid="review-card"') as self.place:
            heading("Review")
            self.state = ui.label().classes("text-sm").props('data-testid="review-state"')
            self.state.props('role="status"')
            self.bar = ui.linear_progress(0, show_value=False).props("aria-label=progress")
            self.found = ui.html("", sanitize=False).classes("w-full review")
            self.found.on("click", self._pressed, js_handler=PRESSED)
            self.found.props('data-testid="review"')
        self.drawn: Analysis | None = None

    @property
    def analysis(self) -> Analysis | None:
        """What was found, when it is complete."""
        review = self.session.review
        return None if review is None else review.analysis

    def draw(self) -> None:
        """Shows how far the review is, or what it found."""
        review, found = self.session.review, self.analysis
        self.place.visible = review is not None
        if review is None:
            return
        self.bar.visible, self.bar.value = found is None, review.done / max(1, review.positions)
        self.state.text = f"Position {review.done + 1} of {review.positions} ..."
        if review.state == State.FAILED:
            self.state.text, self.bar.visible = review.error, False
        elif found is not None:
            self.state.text = " ".join(summary(found, listed=False))
            self.state.text += f" {MORE_TIME}" * bool(found.unknown)
        if found is not self.drawn:
            self.drawn = found
            self.found.content = "" if found is None else review_html(found)

    def comment(self) -> str:
        """What was played from the position that is looked at, and what it costs."""
        move = self._next_move()
        if move is None:
            return ""
        said = move.comment or f"{move.value}"
        return f"Played next: {SYMBOLS[move.player]} {move.move}{move.mark} ({said})."

    def best(self) -> list[int]:
        """The best moves of the position that is looked at, as far as the review knows them."""
        move = self._next_move()
        return [] if move is None else parse_moves(self.session.table.game, " ".join(move.best))

    def marks(self) -> dict[int, str]:
        """The marks of the moves, by their numbers."""
        return {} if self.analysis is None else {m.ply: m.mark for m in self.analysis.moves}

    def _next_move(self) -> AnalysedMove | None:
        ply, found = self.session.ply, self.analysis
        if ply is None or found is None:
            return None
        return next((move for move in found.moves if move.ply == ply + 1), None)

    def _pressed(self, event: GenericEventArguments) -> None:
        if isinstance(event.args, int):  # a browser may send anything
            self.session.show_ply(event.args)


def review_html(analysis: Analysis) -> str:
    """The graph, and a button for each mistake that shows the position before it."""
    items = "".join(
        f'<li><button type="button" data-ply="{move.ply - 1}" data-testid="mistake-{move.ply}">'
        f'<b class="{SYMBOLS[move.player]}">{move.ply}. {SYMBOLS[move.player]} {escape(move.move)}'
        f"{move.mark}</b> {escape(move.comment)}</button></li>"
        for move in analysis.mistakes
    )
    graph = (
        '<div class="review-graph" tabindex="0" role="region" '
        f'aria-label="graph of the game">{graph_svg(analysis)}</div>'
    )
    return graph + (f"<ul>{items}</ul>" if items else "")
