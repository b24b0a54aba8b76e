"""The page Play: a board, what is known of its moves, and the choice of another game."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from nicegui import ui

from inarow.game import InputError
from inarow.game.notation import move_text
from inarow.game.text import SYMBOLS
from inarow.ui.game_in_play import GameInPlay
from inarow.ui.play_words import NOTHING_EXACT, rules
from inarow.ui.web.agents import trained_side
from inarow.ui.web.boards import STYLE, BoardArea
from inarow.ui.web.cells import hinted, value_of
from inarow.ui.web.moves_card import MovesCard
from inarow.ui.web.play_form import Form
from inarow.ui.web.session import Session, untrained
from inarow.ui.web.site import Site
from inarow.ui.web.theme import heading
from inarow.ui.web.visitor_files import VisitorFiles

MOST_ROWS = 40  # of the table of values
LEGEND = "W5 wins with the fifth stone from now, L4 loses with the fourth, D draws."
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
            with ui.column().classes("basis-72 grow md:grow-0 md:w-80 min-w-0 gap-3"):
                self.form = Form(session, site)
                self._build_lists()
        client = ui.context.client
        session.listeners.add(self.draw)
        client.on_delete(lambda: session.listeners.discard(self.draw))

    def _begin_as_asked(self) -> None:
        """A link may name a game, as in /?game=cube&against=random&side=second&seed=1&moves=11."""
        asked = ui.context.client.request.query_params
        if not any(part in asked for part in ("game", "against")):
            return
        seed = asked.get("seed", "")
        self.session.begin_soon(
            asked.get("game", "tictactoe"),
            asked.get("against", ""),
            asked.get("side", "first"),
            int(seed) if seed.isdecimal() and len(seed) < 10 else None,
            asked.get("moves", ""),
        )
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
            self.area = BoardArea(self.session, self._play)
            with ui.row().classes("justify-center gap-2"):
                table = self._table_action
                self.undo = _button("Undo", "undo", table("undo"))
                self.resign = _button("Resign", "flag", table("resign"))
                self.again = _button("New game", "refresh", table("again"))
            self._build_wishes()

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

    def _build_lists(self) -> None:
        with ui.card().classes("w-full gap-1") as self.values_card:
            heading("Values")
            self.table = ui.html("", sanitize=False).classes("w-full max-h-80 overflow-y-auto")
            self.table.props('data-testid="values-table" tabindex="0" role="region"')
            self.table.props('aria-label="values of the moves"')
        self.moves = MovesCard(self.session, self.draw)

    # What a visitor does

    def _play(self, move: int) -> None:
        if self.moves.now:
            self._do(lambda: self.session.table.play(move))

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
        session, table = self.session, self.session.table
        names = table.names
        who = f"X {names[0]}, O {names[1]}." if names[0] != names[1] else "Two people at one board."
        self.title.text = f"{rules(table.game)} {who}"
        status = "Setting up the board ..." if session.preparing else table.status
        self.status.text = self.moves.status or status
        self.spoken.text = f"{_last_move(table)}{status}"
        first, second = table.position.score
        self.score.text = f"Lines: X {first}, O {second}"
        self.score.set_visibility(table.game.scoring)
        self.problem.text = session.problem
        self.problem.set_visibility(bool(session.problem))
        self.moves.draw()
        self.area.draw(self.moves.shown)
        self.form.follow()
        self.undo.set_enabled(table.can_undo)
        self.resign.set_enabled(not table.over)
        self.hints.value, self.values.value = session.hints, session.values
        self.advice.text = self._advice()
        self.table.content = self._values_table() if session.values != "off" else ""
        self.values_card.set_visibility(bool(self.table.content))

    def _advice(self) -> str:
        """What is being looked for, found or out of reach."""
        session = self.session
        insight, table = session.insight, session.table
        if session.values == "off" and not session.hints:
            return "Hints mark the best moves; values colour every move."
        if not table.waits_for_person:
            return "The game is over." if table.over else ""
        if not insight.complete:
            return "Looking ..."
        said = []
        if session.hints and insight.hint:
            best = " ".join(move_text(table.game, move) for move in hinted(insight)[:8])
            said.append(f"Best: {best} ({insight.hint.text}, by {insight.hint.by}).")
        if session.values != "off":
            exact = f"Exact values by {insight.exact.by}." if insight.exact else NOTHING_EXACT
            said.append(exact)
            if insight.exact and session.values == "exact":
                said.append(LEGEND)
            if untrained(table):
                side = trained_side(table.opponent)
                said.append(
                    f"{name_of_opponent(table)} learned as {side} only: it has no estimate of "
                    f"the moves of {SYMBOLS[table.position.to_move]}."
                )
            if insight.estimate:
                said.append(f"Estimate of {insight.estimate.by}, the higher the better.")
        return " ".join(said)

    def _values_table(self) -> str:
        """Every move with its exact value and the estimate of it, the best first."""
        session = self.session
        insight, table = session.insight, session.table
        if not table.waits_for_person or not (insight.exact or insight.estimate):
            return ""

        def rank(move: int) -> tuple[tuple[int, int], float]:
            exact = insight.exact.moves[move].rank if insight.exact else (0, 0)
            held = insight.estimate.values.get(move, -1e9) if insight.estimate else 0.0
            return exact, held

        moves = sorted(table.position.legal_moves, key=rank, reverse=True)
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
            rows.append(f"<tr><td>{move_text(table.game, move)}</td>{fields}</tr>")
        more = len(moves) - MOST_ROWS
        if more > 0:
            rows.append(f'<tr><td colspan="3">and {more} more</td></tr>')
        head = "<tr><th>Move</th><th>Exact</th><th>Estimate</th></tr>"
        return f'<table class="values-table">{head}{"".join(rows)}</table>'


def name_of_opponent(table: GameInPlay) -> str:
    """The opponent, as it is called on the board."""
    return next(side.name for side in table.sides if side.player is not None)


def _last_move(table: GameInPlay) -> str:
    """What was played last, and by whom: "perfect played 22. "."""
    if not table.moves:
        return ""
    moved = 2 - table.position.ply % 2
    person, symbol = moved - 1 in table.people, SYMBOLS[moved]
    who = symbol if person else f"{table.names[moved - 1]} ({symbol})"
    return f"{who} played {table.moves[-1]}. "


def _button(text: str, icon: str, on_click: Callable[[], None]) -> ui.button:
    button = ui.button(text, icon=icon, on_click=on_click).props(
        "outline no-caps padding='4px 12px'"
    )
    return button.props(f'data-testid="{text.lower().replace(" ", "-")}"')
