"""The moves of a game: a list to click through, a link to any of its positions, its record."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from urllib.parse import urlencode

from nicegui import ui
from nicegui.events import GenericEventArguments

from inarow.game import Position
from inarow.game.records import record, records_text
from inarow.ui.game_in_play import YOU
from inarow.ui.web.session import PERSON, Session
from inarow.ui.web.theme import heading

# Without a secure address a page may not write to the clipboard: then the link is selected.
COPY = """(path) => {
    const link = location.origin + path;
    const field = document.querySelector('[data-testid=link]');
    field.value = link;
    field.hidden = false;
    field.select();
    if (navigator.clipboard) navigator.clipboard.writeText(link).catch(() => 0);
}"""

PRESSED = """(event) => {
    const button = event.target.closest('[data-ply]');
    if (button) emit(+button.dataset.ply);
}"""


class MovesCard:
    """The card; `redraw` is told when another position is to be shown."""

    def __init__(self, session: Session, redraw: Callable[[], None]) -> None:
        self.session, self.redraw = session, redraw
        self.ply: int | None = None  # of the position that is looked at; None for the game itself
        self._seen = (session.table, session.table.version)
        with ui.card().classes("w-full gap-1"):
            heading("Moves")
            self.list = ui.html("", sanitize=False).classes("max-h-40 overflow-y-auto w-full")
            self.list.classes("move-list").on("click", self._pressed, js_handler=PRESSED)
            self.list.props('data-testid="moves" tabindex="0" role="region" aria-label="moves"')
            with ui.row().classes("items-center gap-1"):
                _button("to the start", "first_page", lambda: self._go(0))
                _button("one move back", "chevron_left", lambda: self._go(self._place - 1))
                _button("one move on", "chevron_right", lambda: self._go(self._place + 1))
                _button("to the game", "last_page", lambda: self._go(10**6))
                self.from_here = ui.button("Play from here", on_click=self._play_from_here)
                self.from_here.props('flat dense no-caps data-testid="from-here"')
            with ui.row().classes("items-center gap-1"):
                copy = ui.button("Copy link", icon="link", on_click=self._copy)
                copy.props('flat dense no-caps data-testid="copy-link"')
                save = ui.button("Download", icon="download", on_click=self._download)
                save.props('flat dense no-caps data-testid="download"')
            ui.html(
                '<input data-testid="link" aria-label="link to this position" readonly hidden '
                'class="w-full text-sm">',
                sanitize=False,
            ).classes("w-full")
        self._drawn: tuple[object, ...] | None = None

    @property
    def now(self) -> bool:
        """Whether the game itself is shown."""
        return self.ply is None

    @property
    def shown(self) -> Position | None:
        """The position that is looked at; None for the game itself."""
        if self.ply is None:
            return None
        position = Position(self.session.table.game)
        for move in self.session.table.position.moves[: self.ply]:
            position.push(move)
        return position

    @property
    def status(self) -> str:
        """What is looked at, where that is not the game itself."""
        return "" if self.ply is None else f"After move {self.ply} of {self._last}"

    @property
    def link(self) -> str:
        """The address of the position that is shown."""
        game, against, side = self.session.choice
        position = self.shown or self.session.table.position
        asked = {"game": game, "against": against, "side": side, "moves": position.notation}
        return f"/?{urlencode(asked)}"

    def draw(self) -> None:
        """Shows the moves; after another one, the game itself is shown."""
        table = self.session.table
        if (table, table.version) != self._seen:
            self._seen, self.ply = (table, table.version), None
        self.from_here.visible = self.ply is not None
        now = (*table.moves, self._place)
        if now == self._drawn:
            return
        self._drawn = now
        pairs = []
        for start in range(0, len(table.moves), 2):
            texts = enumerate(table.moves[start : start + 2], start + 1)
            buttons = " ".join(self._button(number, text) for number, text in texts)
            pairs.append(f"<span>{start // 2 + 1}. {buttons}</span>")
        self.list.content = " ".join(pairs) or "None yet."

    def _button(self, number: int, text: str) -> str:
        symbol, here = "OX"[number % 2], ' aria-current="true"' if number == self._place else ""
        return (
            f'<button type="button" class="{symbol}" data-ply="{number}" '
            f'data-testid="move-{number}"{here}>{symbol} {escape(text)}</button>'
        )

    def _pressed(self, event: GenericEventArguments) -> None:
        if isinstance(event.args, int):  # a browser may send anything
            self._go(event.args)

    @property
    def _last(self) -> int:
        return self.session.table.position.ply

    @property
    def _place(self) -> int:
        return self._last if self.ply is None else self.ply

    def _go(self, ply: int) -> None:
        self.ply = None if ply >= self._last else max(0, ply)
        self.redraw()

    async def _play_from_here(self) -> None:
        position, (game, against, side) = self.shown, self.session.choice
        if position is not None:
            seed = self.session.table.seed
            await self.session.begin(game, against, side, seed, position.notation)

    def _copy(self) -> None:
        ui.run_javascript(f"({COPY})({self.link!r})")

    def _download(self) -> None:
        table = self.session.table
        first, second = (PERSON if name == YOU else name for name in table.names)
        text = records_text(
            [record(table.position, first, second, table.seed, resigned=table.resigned)]
        )
        ui.download.content(text, "game.txt", "text/plain")


def _button(text: str, icon: str, pressed: Callable[[], None]) -> None:
    button = ui.button(icon=icon, on_click=pressed).props("flat dense round")
    button.props(f'aria-label="{text}" data-testid="{text.replace(" ", "-")}"')
