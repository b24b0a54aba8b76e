"""The theme of the pages: the frame with its links, colours, and what makes it fit a phone."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from inarow.lab.plot_style import BLUE, ORANGE

PAGES = {"Play": "/", "Train": "/train", "Papers": "/papers", "Arena": "/arena"}

# Three in a row, the last one of the other colour.
ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" '
    f'rx="6" fill="#fff"/><circle cx="7" cy="25" r="5" fill="{BLUE}"/>'
    f'<circle cx="16" cy="16" r="5" fill="{BLUE}"/><circle cx="25" cy="7" r="3.6" fill="none" '
    f'stroke="{ORANGE}" stroke-width="3"/></svg>'
)


STYLE = """
.nicegui-content { padding: 0; }
.nicegui-content .break-words { overflow-wrap: anywhere; max-width: 100%; }
.nicegui-content :is(.q-card, [id]) { scroll-margin-top: 4rem; }
@media (max-width: 640px) { .nicegui-content .q-card { padding: 10px; } }
"""


def add_page(path: str, name: str, build: Callable[[], None]) -> None:
    """A page at a path, inside the frame."""

    @ui.page(path, title=f"{name} - inarow")
    def page() -> None:
        _frame(name)
        with ui.column().classes("w-full max-w-screen-xl mx-auto px-3 py-3 gap-4"):
            build()


def _frame(name: str) -> None:
    ui.colors(primary=BLUE)
    ui.add_css(STYLE)
    with ui.header().classes("items-center gap-x-5 px-4 py-2"):
        ui.label("inarow").classes("text-xl font-bold")
        for text, path in PAGES.items():
            here = text == name
            link = ui.link(text, path).classes("text-white no-underline py-1")
            link.props('aria-current="page"' if here else "").props(
                f'data-testid="to-{text.lower()}"'
            )
            if here:
                link.classes("border-b-2 border-white")
