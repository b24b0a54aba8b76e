"""The moves of a game: a list to click through, a link to any of its positions, its record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from html import escape

from nicegui import ui
from nicegui.events import GenericEventArguments

from inarow.game.records import record, records_text
from inarow.ui.play_words import YOU
from inarow.ui.web.session import Session
from inarow.ui.web.settings import PERSON, Setting
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
    """The card."""

    def __init__(self, session: Session) -> None:
        self.session = session
        with ui.card().classes("w-full gap-1 max-md:order-first"):
            heading("Moves")
            self.list = ui.html("", sanitize=False).classes("max-h-40 overflow-y-auto w-full")
            self.list.classes("move-list").on("click", self._pressed, js_handler=PRESSED)
            self.list.props('data-testid="moves" tabindex="0" role="region" aria-label="moves"')
            with ui.row().classes("items-center gap-1"):
                _button("to the start", "first_page", lambda: session.show_ply(0))
                _button("one move back", "chevron_left", lambda: session.show_ply(self._place - 1))
                _button("one move on", "chevron_right", lambda: session.show_ply(self._place + 1))
                _button("to the game", "last_page", lambda: session.show_ply(self._last))
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
    def status(self) -> str:
        """What is looked at, where that is not the game itself."""
        ply = self.session.ply
        return "" if ply is None else f"After move {ply} of {self._last}" if ply else "The start"

    @property
    def setting(self) -> Setting:
        """What a link to the position that is shown asks for."""
        setting = Setting.of(self.session.table, *self.session.choice)
        return replace(setting, moves=self.session.shown.notation, resigned=None)

    def draw(self, marks: Mapping[int, str]) -> None:
        """Shows the moves, each with what a review has marked it with."""
        table = self.session.table
        self.from_here.visible = self.session.ply is not None
        now = (*table.moves, table.start.ply, self._place, tuple(marks.items()))
        if now == self._drawn:
            return
        self._drawn = now
        set_up, parts = table.start.ply, list[str]()
        if set_up:
            parts.append(f"<span>{set_up} stones set up.</span>")
        for start in range(set_up - set_up % 2, len(table.moves), 2):
            numbers = range(max(start, set_up) + 1, min(start + 2, len(table.moves)) + 1)
            if not numbers:  # the last stone that was set up is an X, and O has not moved yet
                continue
            buttons = " ".join(self._button(number, marks.get(number, "")) for number in numbers)
            parts.append(f"<span>{start // 2 + 1}. {buttons}</span>")
        self.list.content = " ".join(parts) or "None yet."

    def _button(self, number: int, mark: str) -> str:
        text, symbol = self.session.table.moves[number - 1], "OX"[number % 2]
        here = ' aria-current="true"' if number == self._place else ""
        return (
            f'<button type="button" class="{symbol}" data-ply="{number}" '
            f'data-testid="move-{number}"{here}>{symbol} {escape(text)}'
            f"{f'<b>{mark}</b>' if mark else ''}</button>"
        )

    def _pressed(self, event: GenericEventArguments) -> None:
        if isinstance(event.args, int):  # a browser may send anything
            self.session.show_ply(event.args)

    @property
    def _last(self) -> int:
        return self.session.table.position.ply

    @property
    def _place(self) -> int:
        return self._last if self.session.ply is None else self.session.ply

    async def _play_from_here(self) -> None:
        await self.session.begin(self.setting)

    def _copy(self) -> None:
        ui.run_javascript(f"({COPY})({self.setting.link!r})")

    def _download(self) -> None:
        table = self.session.table
        first, second = (PERSON if name == YOU else name for name in table.names)
        written = record(table.position, first, second, table.seed, resigned=table.resigned)
        if table.start.ply:
            written = replace(written, others=written.others | {"SetUp": str(table.start.ply)})
        ui.download.content(records_text([written]), "game.txt", "text/plain")


def _button(text: str, icon: str, pressed: Callable[[], None]) -> None:
    button = ui.button(icon=icon, on_click=pressed).props("flat dense round")
    button.props(f'aria-label="{text}" data-testid="{text.replace(" ", "-")}"')
