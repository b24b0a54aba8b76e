"""The theme of the pages: the frame with its links, colours, and what makes it fit a phone."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from nicegui import ui
from nicegui.element import Element

from inarow.lab.plot_style import BLUE, ORANGE

PAGES = {
    "Play": "/",
    "Boards": "/boards",
    "Train": "/train",
    "Papers": "/papers",
    "Arena": "/arena",
    "API": "/api",
}
OWN_HEADING = ("Papers",)  # pages that have a heading of the first level themselves

# Three in a row, the last one of the other colour.
ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" '
    f'rx="6" fill="#fff"/><circle cx="7" cy="25" r="5" fill="{BLUE}"/>'
    f'<circle cx="16" cy="16" r="5" fill="{BLUE}"/><circle cx="25" cy="7" r="3.6" fill="none" '
    f'stroke="{ORANGE}" stroke-width="3"/></svg>'
)

# Colours have names, so that a dark page is a second list of them. Boards stay as they are: on
# both, a stone is told from its cell.
STYLE = """
:root { --ink: #20252B; --quiet: #424a54; --bad: #7f1d1d; --bad-back: #fee2e2; --rule: #c5cbd3;
  --card: #fff; --soft: #f4f5f7; --chosen: #dbe9f3; --x: #005688; --o: #8a4a00; --link: #005a8d; }
body.body--dark { --ink: #e8eaed; --quiet: #b9c1cb; --bad: #fecaca; --bad-back: #5f1d1d;
  --rule: #4a525c; --card: #1d1d1d; --soft: #2a2d31; --chosen: #1b3f58; --x: #7cc4f0; --o: #f2b84b;
  --link: #7cc4f0; }
body { color: var(--ink); }
.nicegui-content { padding: 0; }
.nicegui-content .break-words { overflow-wrap: anywhere; max-width: 100%; }
.nicegui-content :is(.q-card, [id]) { scroll-margin-top: 4rem; }
.nicegui-content a:not(.q-btn) { color: var(--link); text-decoration: underline; }
.nicegui-content .quiet { color: var(--quiet); }
.nicegui-content .bad { color: var(--bad); }
.nicegui-content .bad-box { color: var(--bad); background: var(--bad-back); border-radius: 4px; }
.q-header .q-focus-helper { display: none; }
.q-header a:focus-visible { outline: 3px solid #fff; outline-offset: 2px; }
.q-radio, .q-checkbox, .q-toggle { min-height: 28px; }
@layer theme {  /* the first layer: only from there can an !important of Quasar's be overruled */
  body.body--dark :is(.q-btn, .q-badge, .q-spinner).text-primary { color: var(--link) !important; }
  .q-btn.bg-primary > .q-focus-helper { color: #000 !important; }  /* darker, not paler */
}
.drawing svg { background: #fff; border-radius: 6px; }
#esm-fallback { font-size: 0; animation-delay: 0.3s !important; }
#esm-fallback::after { content: "Loading ..."; font-size: 1rem; }
@media (max-width: 640px) { .nicegui-content .q-card { padding: 10px; } }
"""

# The bar with its links is there, and works, before the scripts are: on a slow network they take
# seconds. It is gone when the page itself is drawn.
SHELL = """<style>
#shell { position: fixed; inset: 0 0 auto; z-index: 1; display: flex; gap: 20px; color: #fff;
  align-items: center; min-height: 47px; padding: 0 16px; background: %s; font: 14px sans-serif; }
#shell b { font-size: 20px; }
#shell a { color: #fff; text-decoration: none; }
#shell:has(~ #app > *) { display: none; }
@media (max-width: 767px) { #shell { gap: 12px; } }
</style>
<nav id="shell" aria-label="pages"><b>inarow</b>%s</nav>"""


def add_page(path: str, name: str, build: Callable[[], None]) -> None:
    """A page at a path, inside the frame."""

    @ui.page(path, title=f"{name} - inarow")
    def page() -> None:
        frame(name)
        with ui.column().classes("w-full max-w-screen-xl mx-auto px-3 py-3 gap-4"):
            if name not in OWN_HEADING:
                heading(name, 1).classes("sr-only")
            build()


def frame(name: str) -> None:
    """The bar with the links, and the colours; the page of that name is the one that is open."""
    ui.colors(primary=BLUE)
    ui.add_css(STYLE)
    links = "".join(f'<a href="{path}">{text}</a>' for text, path in PAGES.items())
    ui.add_body_html(SHELL % (BLUE, links))
    with ui.header().classes("items-center gap-x-3 md:gap-x-5 px-4 py-2"):
        ui.label("inarow").classes("text-xl font-bold")
        for text, path in PAGES.items():
            here = text == name
            link = ui.link(text, path).classes("text-white no-underline py-1")
            link.props('aria-current="page"' if here else "").props(
                f'data-testid="to-{text.lower()}"'
            )
            if here:
                link.classes("border-b-2 border-white")


def heading(text: str, level: int = 2) -> ui.html:
    """A heading that is one to every reader."""
    made = ui.html(escape(text), sanitize=False, tag=f"h{level}")
    return made.classes({1: "text-2xl font-bold"}.get(level, "text-base font-semibold"))


def scroll_to(element: Element) -> None:
    """Brings an element into sight.

    By its own client: what was pressed may be gone by now, as a cell of a table that was redrawn.
    """
    element.client.run_javascript(
        f"getHtmlElement({element.id}).scrollIntoView({{block: 'nearest'}})"
    )


def not_found(path: str) -> None:
    """The page for an address that leads nowhere."""
    frame("")
    with ui.column().classes("w-full max-w-screen-xl mx-auto px-3 py-6 gap-3"):
        heading("There is no such page", 1)
        ui.label(f"Nothing is at {path[:200]}.").classes("quiet break-words")
        with ui.row().classes("gap-4"):
            for text, there in PAGES.items():
                ui.link(text, there)
