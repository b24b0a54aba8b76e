"""The page Play: a board, what is known of its moves, and the choice of another game."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from inarow.game import InputError
from inarow.ui.play_words import rules
from inarow.ui.web.advice import advice, best_line_text, last_move, values_table
from inarow.ui.web.boards import STYLE, BoardArea
from inarow.ui.web.cells import Cell, describe_cells, describe_looked_at, hinted
from inarow.ui.web.moves_card import MovesCard
from inarow.ui.web.play_form import Form
from inarow.ui.web.review_card import ReviewCard
from inarow.ui.web.session import Session
from inarow.ui.web.set_up import SetUp
from inarow.ui.web.settings import Setting
from inarow.ui.web.site import Site
from inarow.ui.web.theme import heading
from inarow.ui.web.visitor_files import VisitorFiles

VALUES = {"off": "Off", "exact": "Exact", "estimate": "Estimate"}


def build(site: Site) -> None:
    """Fills the page."""
    visitor = site.visitor()
    session = visitor.one(Session, lambda: _come_back(site, visitor.files))
    ui.add_css(STYLE)
    PlayPage(session, site).draw()


def _come_back(site: Site, files: VisitorFiles) -> Session:
    session = Session(site.executors, site.folder, files)
    session.come_back()
    return session


class PlayPage:
    """The page of one visitor in one window."""

    def __init__(self, session: Session, site: Site) -> None:
        self.session = session
        self._begin_as_asked()
        with ui.row().classes("w-full items-start gap-4"):
            with ui.column().classes("grow basis-96 min-w-0 gap-3"):
                self._build_board()
                self.review = ReviewCard(session)
            with ui.column().classes("basis-72 grow md:grow-0 md:w-80 min-w-0 gap-3"):
                self.form = Form(session, site)
                self._build_lists()
        client = ui.context.client
        session.listeners.add(self.draw)
        client.on_delete(lambda: session.listeners.discard(self.draw))

    def _begin_as_asked(self) -> None:
        """A link may name a game, an opponent and moves."""
        asked = ui.context.client.request.query_params
        if not any(part in asked for part in ("game", "against")):
            return
        self.session.begin_soon(Setting.from_link(asked))
        # A reload must come back to the game, not begin another.
        ui.run_javascript("history.replaceState(history.state, '', location.pathname)")

    def _build_board(self) -> None:
        with ui.card().classes("w-full items-center gap-2"):
            self.title = ui.label().classes("text-sm quiet text-center break-words")
            self.title.props('data-testid="title"')
            self.status = ui.label().classes("text-xl font-semibold text-center w-full status-bar")
            self.status.props('data-testid="status"')
            self.spoken = ui.label().classes("sr-only")  # for whoever does not see the stones
            self.spoken.props('data-testid="spoken" role="status" aria-live="polite"')
            self.score = ui.label().classes("text-base").props('data-testid="score"')
            self.problem = ui.label().classes("text-base bad-box px-2 break-words")
            self.problem.props('data-testid="problem" role="alert"')
            self.area = BoardArea(self._press)
            self.comment = ui.label().classes("text-base text-center break-words")
            self.comment.props('data-testid="comment"')
            with ui.column().classes("items-center w-full gap-2") as self.playing:
                with ui.row().classes("justify-center gap-2"):
                    table = self._table_action
                    self.undo = _button("Undo", "undo", table("undo"))
                    self.resign = _button("Resign", "flag", table("resign"))
                    self.again = _button("New game", "refresh", table("again"))
                    self.ask_review = _button("Review", "troubleshoot", self._review)
                    _button("Set up", "grid_on", lambda: self.set_up.begin())
                self._build_wishes()
            self.set_up = SetUp(self.session, self.draw)

    def _build_wishes(self) -> None:
        """What to see of the values of moves."""
        session = self.session
        with ui.row().classes("items-center justify-center gap-x-4 gap-y-1"):
            self.hints = ui.switch(
                "Hints",
                value=session.hints,
                on_change=lambda event: session.show(hints=bool(event.value)),
            ).props('data-testid="hints"')
            with ui.row().classes("items-center gap-2"):
                ui.label("Values")
                self.values = (
                    ui.toggle(
                        VALUES,
                        value=session.values,
                        on_change=lambda event: session.show(values=str(event.value)),
                    )
                    .props('no-caps padding="2px 10px" data-testid="values"')
                    .props('aria-label="values of moves"')
                )
        self.advice = ui.label().classes("text-sm text-center break-words")
        self.advice.props('data-testid="advice"')
        self.line = ui.label().classes("text-sm text-center break-words")
        self.line.props('data-testid="best-line"')

    def _build_lists(self) -> None:
        with ui.card().classes("w-full gap-1") as self.values_card:
            heading("Values")
            self.table = ui.html("", sanitize=False).classes("w-full max-h-80 overflow-y-auto")
            self.table.props('data-testid="values-table" tabindex="0" role="region"')
            self.table.props('aria-label="values of the moves"')
        self.moves = MovesCard(self.session)

    # What a visitor does

    def _press(self, move: int) -> None:
        if self.set_up.active:
            self.set_up.press(move)
        elif self.session.ply is None:
            self._do(lambda: self.session.table.play(move))

    def _review(self) -> None:
        try:
            self.session.begin_review()
        except InputError as error:
            self.session.complain(str(error))

    def _table_action(self, name: str) -> Callable[[], None]:
        return lambda: self._do(lambda: getattr(self.session.table, name)())

    def _do(self, action: Callable[[], None]) -> None:
        try:
            self.session.act(action)
        except InputError as error:
            self.session.complain(str(error))

    # What a visitor sees

    def draw(self) -> None:
        """Shows everything as it is now."""
        session, table, set_up = self.session, self.session.table, self.set_up
        names = table.names
        who = f"X {names[0]}, O {names[1]}." if names[0] != names[1] else "Two people at one board."
        self.title.text = f"{rules(table.game)} {who}"
        status = "Setting up the board ..." if session.preparing else table.status
        self.status.text = set_up.status if set_up.active else self.moves.status or status
        self.spoken.text = f"{last_move(table)}{status}"
        first, second = session.shown.score
        self.score.text = f"Lines: X {first}, O {second}"
        self.score.set_visibility(table.game.scoring and not set_up.active)
        self.problem.text = "" if set_up.active else session.problem
        self.problem.set_visibility(bool(self.problem.text))
        self.playing.visible = not set_up.active
        set_up.draw()
        self.review.draw()
        self.moves.draw(self.review.marks())
        self.area.draw(table.game, self._cells(), self._to_put())
        self.comment.text = "" if set_up.active else self.review.comment()
        self.comment.set_visibility(bool(self.comment.text))
        self.form.follow()
        self._draw_wishes()

    def _draw_wishes(self) -> None:
        """Shows what may be done, and what is known of the moves."""
        session, table = self.session, self.session.table
        self.undo.set_enabled(table.can_undo)
        self.resign.set_enabled(not table.over)
        played = table.position.ply > table.start.ply
        self.ask_review.set_enabled(played and session.review is None)
        outline = {"remove" if table.over else "add": "outline"}  # it stands out after the end
        self.ask_review.props(**outline)
        self.hints.value, self.values.value = session.hints, session.values
        self.advice.text = advice(session)
        self.line.text = best_line_text(session.shown, session.insight)
        self.line.set_visibility(bool(self.line.text))
        self.table.content = values_table(session) if session.values != "off" else ""
        self.values_card.set_visibility(bool(self.table.content))

    def _cells(self) -> list[Cell]:
        session, table = self.session, self.session.table
        if self.set_up.active:
            return self.set_up.cells
        if session.ply is None:
            return describe_cells(
                table, session.insight, session.hints, session.values, session.preparing
            )
        best = self.review.best() or (hinted(session.insight) if session.hints else [])
        following = table.position.moves[session.ply]
        return describe_looked_at(session.shown, session.insight, session.values, best, following)

    def _to_put(self) -> int:
        return self.set_up.to_put if self.set_up.active else self.session.shown.to_move


def _button(text: str, icon: str, on_click: Callable[[], None]) -> ui.button:
    button = ui.button(text, icon=icon, on_click=on_click).props(
        "outline no-caps padding='4px 12px'"
    )
    return button.props(f'data-testid="{text.lower().replace(" ", "-")}"')
