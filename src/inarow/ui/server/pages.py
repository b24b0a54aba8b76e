"""The pages: HTML written by templates, its scripts and styles beside the element's own."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.staticfiles import StaticFiles

from inarow.game import InputError
from inarow.game.names import FORMS, VARIANTS
from inarow.game.spec import MAX_SIDES
from inarow.lab.plots.plot import BLUE, ORANGE
from inarow.ui.server import curve_export
from inarow.ui.server.forms import describe_learners, game_titles
from inarow.ui.server.lab_routes import identity_of
from inarow.ui.server.paper_pages import FIGURES, SIGNS, page_names, pages_folder, read_page
from inarow.web.learning import TRAINERS
from inarow.web.modules import KINDS
from inarow.web.start import NAVIGATION, start_page

START_LINKS = {
    "home": "/",
    "train": "/train",
    "arena": "/arena",
    "papers": "/papers",
    "learn": "/learn",
    "proof": "/proof",
    "builder": "/boards",
    "documents": "/papers",
    "researchers": "/api",
    "api": "/api",
}
LINKS = {START_LINKS[name]: text for name, text in NAVIGATION if name in START_LINKS}
OWN_AGENTS = '<script type="module" src="/static/own-agents.js"></script>'
# The learners whose tables learn in a page, with whom they play.
LESSONS = {
    name: f"{name}: against {TRAINERS.get(name, 'itself')}"
    for name in (kind.removeprefix("learn-") for kind in KINDS if kind.startswith("learn-"))
}
FRESH = "no-cache"  # a page asks whether a file has changed
# Three in a row, the last one of the other colour.
ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" '
    f'rx="6" fill="#fff"/><circle cx="7" cy="25" r="5" fill="{BLUE}"/>'
    f'<circle cx="16" cy="16" r="5" fill="{BLUE}"/><circle cx="25" cy="7" r="3.6" fill="none" '
    f'stroke="{ORANGE}" stroke-width="3"/></svg>'
)


@cache
def _templates() -> Environment:
    loader = FileSystemLoader(Path(__file__).with_name("templates"))
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)


def show(template: str, name: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A page; `name` is the one of its link."""
    values = {"name": name, "title": name, "links": LINKS, **values}
    text = _templates().get_template(template).render(**values)
    return HTMLResponse(text, status, {"Cache-Control": FRESH})


def show_missing(request: Request, status: int) -> HTMLResponse:
    """The page for an address that leads nowhere."""
    return show("missing.html", "", status, title="Not found", path=request.url.path[:200])


def add_to(app: FastAPI) -> None:
    """Adds the pages and their files."""
    if (figures := pages_folder() / "figures").is_dir():
        app.mount(FIGURES, StaticFiles(directory=figures), name="figures")

    @app.get("/icon.svg")
    async def icon() -> Response:
        return Response(
            ICON, media_type="image/svg+xml", headers={"Cache-Control": "max-age=86400"}
        )

    @app.get("/")
    async def play(request: Request) -> Response:
        identity_of(request)
        text = start_page(
            START_LINKS,
            "/api/package?",
            "/api/catalogue",
            "/static/",
            server="/api",
            head=OWN_AGENTS,
        )
        return HTMLResponse(text, headers={"Cache-Control": FRESH})

    @app.get("/boards")
    async def boards() -> Response:
        names = {**FORMS, **{f",{end}": about for end, about in VARIANTS.items()}}
        return show("boards.html", "Boards", games=game_titles(), forms=names, most=MAX_SIDES)

    @app.get("/train")
    async def train(request: Request) -> Response:
        identity_of(request)
        learners = describe_learners()
        return show(
            "train.html",
            "Train",
            games=game_titles(),
            learners=learners,
            data=as_script({"learners": learners}),
            kinds=curve_export.KINDS,
        )

    @app.get("/arena")
    async def arena(request: Request) -> Response:
        identity_of(request)
        return show("arena.html", "Arena", games=game_titles())

    @app.get("/papers")
    async def papers(paper: str = "") -> Response:
        problem = ""
        if paper:
            try:
                page = read_page(paper)
            except InputError as error:
                problem = str(error)
            else:
                return show(
                    "paper.html",
                    "Papers",
                    page=page,
                    html=Markup(page.html),
                    others=[name for name in page_names() if name != paper],
                    signs=SIGNS,
                )
        shown = [read_page(name) for name in page_names()]
        status = 404 if problem else 200
        return show("papers.html", "Papers", status, pages=shown, signs=SIGNS, problem=problem)

    @app.get("/learn")
    async def learn(game: str = "tictactoe", learner: str = "td") -> Response:
        asked = {"game": game, "learner": learner}
        return show("learn.html", "Learn", title="Watch it learn", asked=asked, choices=LESSONS)

    @app.get("/proof")
    async def proof() -> Response:
        return show("proof.html", "Proof", title="Check the proof")


def as_script(value: object) -> Markup:
    """JSON that stands inside a script element of a page."""
    text = json.dumps(value, separators=(",", ":"))
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c"))
