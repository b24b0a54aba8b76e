"""The page Papers: what was published and what was found, from stored results."""

from __future__ import annotations

from nicegui import app, ui

from inarow.game import InputError
from inarow.ui.web.handlers import in_thread
from inarow.ui.web.paper_conditions import Trainable, trainable
from inarow.ui.web.paper_pages import (
    FIGURES,
    SIGNS,
    PaperPage,
    page_names,
    pages_folder,
    read_page,
)
from inarow.ui.web.site import Site
from inarow.ui.web.theme import heading

STYLE = """
.paper { max-width: 56rem; min-width: 0; overflow-wrap: anywhere; line-height: 1.5; }
.paper h2 { font-size: 1.35rem; line-height: 1.8rem; font-weight: 700; margin: 1.8rem 0 0.5rem; }
.paper h3 { font-size: 1.1rem; line-height: 1.5rem; font-weight: 700; margin: 1.4rem 0 0.4rem; }
.paper p, .paper ol, .paper ul, .paper pre, .paper .scroll { margin: 0 0 0.8rem; }
.paper ol { list-style: decimal; padding-left: 1.6rem; }
.paper ul { list-style: disc; padding-left: 1.6rem; }
.paper img { max-width: 100%; height: auto; background: #fff; }
.paper pre { background: var(--soft); padding: 0.6rem 0.8rem; overflow-x: auto; }
.paper pre { font-size: 0.85rem; }
.paper code { font-size: 0.9em; }
.paper summary { cursor: pointer; font-weight: 600; padding: 4px 0; }
.paper .scroll { overflow-x: auto; overflow-wrap: normal; }
.paper table { border-collapse: collapse; font-size: 0.9rem; }
.paper th { border-bottom: 2px solid var(--quiet); font-weight: 600; }
.paper th, .paper td { padding: 3px 9px; vertical-align: top; }
.paper tbody tr:nth-child(even) { background: var(--soft); }
.verdict { display: inline-block; padding: 0 8px; border-radius: 9px; white-space: nowrap;
  color: #111; border: 1px solid; }
.verdict.matches { background: #d3ecf9; border-color: #0072B2; }
.verdict.differs { background: #fbe3cf; border-color: #D55E00; font-weight: 600; }
.verdict.less { background: #e5f3ec; border-color: #009E73; }
.verdict.open { background: #eee; border-color: #777; }
.contents a { color: inherit; text-decoration: none; display: block; padding: 4px 8px; }
.contents a:hover, .contents a:focus-visible { background: var(--soft); }
.contents .level-3 { padding-left: 1.6rem; font-size: 0.9em; }
@media (min-width: 1024px) { .narrow { display: none; } }
@media (max-width: 1023px) { .wide { display: none; } }
@media (max-width: 640px) {
  .paper table { font-size: 0.8rem; }
  .paper th, .paper td { padding: 3px 4px; }
  .paper .verdict { padding: 0 4px; }
}
"""


def add_figures() -> None:
    """Lets the server hand out the figures."""
    folder = pages_folder() / "figures"
    if folder.is_dir():
        app.add_static_files(FIGURES, folder)


def build(site: Site) -> None:  # noqa: ARG001 - the same pages for every site
    """Fills the page: all papers, or the one that the address asks for."""
    ui.add_css(STYLE)
    name = ui.context.client.request.query_params.get("paper", "")
    if name:
        try:
            _show_paper(read_page(name))
            return
        except InputError as error:
            ui.label(str(error)).classes("bad").props('data-testid="papers-message"')
    _show_all()


def _show_all() -> None:
    heading("Papers reproduced", 1)
    ui.label(
        "Every published number and claim has ours beside it and a verdict: it matches, differs "
        "with the reason found, or is undecided where the study is too small to tell. Tables and "
        "figures are made by a command from stored results."
    ).classes("max-w-3xl")
    if not page_names():
        ui.label("The pages are not installed.").props('data-testid="papers-message"')
    with ui.row().classes("w-full items-stretch gap-4"):
        for name in page_names():
            _card(read_page(name))


def _card(page: PaperPage) -> None:
    with ui.card().classes("w-full md:w-[calc(50%-0.5rem)] gap-2"):
        link = ui.link(page.title, f"/papers?paper={page.name}")
        link.classes("text-lg font-semibold").props(f'data-testid="paper-{page.name}"')
        ui.label(page.lead).classes("text-sm quiet")
        ui.space()
        _verdicts(page)


def _verdicts(page: PaperPage) -> None:
    with ui.column().classes("gap-1 text-sm").props('data-testid="verdicts"'):
        if not page.verdicts:
            ui.label("No verdicts are stored.")
        for kind, counts in page.verdicts.items():
            with ui.row().classes("items-center gap-2"):
                ui.label(f"{kind}:")
                for verdict, number in counts.items():
                    sign, style = SIGNS[verdict]
                    ui.label(f"{sign} {number} {verdict}").classes(f"verdict {style}")


def _show_paper(page: PaperPage) -> None:
    with ui.row().classes("w-full items-start gap-6 no-wrap"):
        with ui.column().classes("wide w-64 shrink-0 gap-0 sticky top-16"):
            _others(page)
            with ui.element("nav").classes("contents text-sm overflow-y-auto max-h-[75vh]"):
                _contents(page)
        with ui.column().classes("paper gap-2 grow"):
            with ui.column().classes("narrow w-full gap-1"):
                _others(page)
                with ui.expansion("Contents", icon="toc").classes("w-full") as short:
                    short.props('dense data-testid="contents"')
                    with ui.element("nav").classes("contents"):
                        _contents(page)
            ui.label(page.title).classes("text-2xl font-bold leading-8").props(
                'data-testid="paper-title" role="heading" aria-level="1"'
            )
            _verdicts(page)
            TrainThis(page.name)
            ui.html(page.html, sanitize=False).classes("w-full min-w-0")


class TrainThis:
    """Leads from a condition of the paper's study to the page Train, its form filled in."""

    def __init__(self, paper: str) -> None:
        self.paper, self.found = paper, dict[str, Trainable]()
        title = "Train a condition of the study yourself"
        with ui.expansion(title, icon="model_training", on_value_change=self._fill) as place:
            place.props('dense duration="0" data-testid="train-this"').classes("w-full")
            self.select = ui.select({}, label="Condition", with_input=True, on_change=self._chosen)
            self.select.props('dense outlined options-dense data-testid="condition"')
            self.select.classes("w-full")
            self.about = ui.label("Reading the conditions ...").classes("text-sm quiet")
            self.link = ui.link("Train this: fill in the form", "/train").classes("py-1")
            self.link.props('data-testid="to-condition"')
            self.link.visible = False

    async def _fill(self) -> None:
        """Only when somebody asks: the specification of a paper takes a moment to read."""
        if not self.found:
            conditions = await in_thread(self.select, trainable, self.paper)
            self.found = {one.address: one for one in conditions}
            options = {one.address: f"{one.label} ({one.part})" for one in conditions}
            self.select.set_options(options, value=next(iter(options), None))
            if not options:
                self.about.text = "None of them is a training run that works on a page."

    def _chosen(self) -> None:
        chosen = self.found.get(str(self.select.value))
        self.link.visible, self.about.visible = chosen is not None, chosen is None
        if chosen is not None:
            self.link.props["href"] = chosen.address


def _others(page: PaperPage) -> None:
    with ui.row().classes("gap-x-4 gap-y-1 text-sm pb-2 px-2"):
        ui.link("All papers", "/papers")
        for name in page_names():
            if name != page.name:
                ui.link(name, f"/papers?paper={name}")


def _contents(page: PaperPage) -> None:
    for part in page.contents:
        ui.link(part.text, f"#{part.anchor}").classes(f"level-{part.level}")
