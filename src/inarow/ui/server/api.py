"""The API for programs, under /api: JSON in, JSON out, every error one line.

What its schema lists changes nothing on the server and writes no file. The requests of the own
pages, for runs and arenas of the visitor whom a cookie names, are in `lab_routes`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException as StarletteHTTPException

import inarow
from inarow.game import InputError
from inarow.ui.server import answers, lab_routes, models, packages, pages
from inarow.ui.server.lab_routes import finder
from inarow.ui.server.pools import FullError, LateError
from inarow.ui.server.site import Site

MAX_LINE = 400  # characters of an error
# What programs ask, as the schema lists it; pages of allowed origins may ask for it, too.
PROGRAM_PATHS = frozenset(
    {
        *("/api", "/api/", "/api/openapi.json", "/api/games", "/api/game", "/api/players"),
        *("/api/position", "/api/values", "/api/solve", "/api/analyse", "/api/move"),
    }
)
ABOUT = (
    "Positions of k-in-a-row games in, values and moves out. Every answer is JSON; every error is "
    "one line under `error`. Nothing is kept between two calls."
)

_REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"model": models.Error, "description": "not JSON"},
    413: {"model": models.Error, "description": "too long"},
    422: {"model": models.Error, "description": "understood, but not possible"},
    429: {"model": models.Error, "description": "too many questions at once"},
    503: {"model": models.Error, "description": "no answer in time"},
}
_NOT_THERE: dict[int | str, dict[str, Any]] = {
    404: {"model": models.Error, "description": "no such saved agent"}
}


def add_to(app: FastAPI, site: Site) -> None:
    """Adds the paths under /api."""
    api = make_api(site)

    @app.get("/api", include_in_schema=False)  # a mount answers to /api/ alone
    async def page(request: Request) -> Response:
        return _page(api, request)

    app.mount("/api", api)


def make_api(site: Site) -> FastAPI:
    """The API as an application of its own, with its own schema and its own errors."""
    api = FastAPI(
        title="inarow",
        version=inarow.__version__,
        description=ABOUT,
        docs_url=None,  # they would load code from elsewhere: GET / is a plain page instead
        redoc_url=None,
    )
    _add_errors(api)
    _add_questions(api, site)
    lab_routes.add_to(api, site)

    @api.get("/", include_in_schema=False)
    async def page(request: Request) -> Response:
        return _page(api, request)

    return api


def _add_questions(api: FastAPI, site: Site) -> None:
    quick = site.pools.quick

    @api.get("/games", summary="How games are named, and how large they may be")
    async def games() -> models.Games:
        return answers.list_games()

    @api.get("/game", summary="Cells, lines and moves of a game", responses=_REFUSALS)
    async def game(name: models.GameName) -> models.GameDescription:
        return await quick.ask(answers.describe_game, name)

    @api.get("/players", summary="Players by name, and the saved agents of this server")
    async def players() -> models.Players:
        return await quick.ask(answers.list_players, site.folder)

    @api.post("/position", summary="Stones, legal moves and outcome", responses=_REFUSALS)
    async def position(question: models.PositionQuestion) -> models.PositionDescription:
        return await quick.ask(answers.describe_position, question)

    @api.post(
        "/values",
        summary="The exact value of every move where it is quick, and a player's estimate",
        responses=_REFUSALS | _NOT_THERE,
    )
    async def values(question: models.ValuesQuestion, request: Request) -> models.Values:
        find = finder(request, site)
        return await site.pools.values.ask(answers.find_values, question, find)

    @api.post(
        "/solve",
        summary="What is proven of a position and of each of its moves within the time",
        responses=_REFUSALS,
    )
    async def solve(question: models.SearchQuestion) -> models.Solved:
        return await site.pools.values.ask(answers.solve_position, question)

    @api.post(
        "/analyse",
        summary="Every move of a game with its value, the mistakes and what was better",
        responses=_REFUSALS,
    )
    async def analyse(question: models.SearchQuestion) -> models.Analysed:
        return await site.pools.values.ask(answers.analyse_game, question)

    @api.post("/move", summary="The move of a player", responses=_REFUSALS | _NOT_THERE)
    async def move(question: models.MoveQuestion, request: Request) -> models.ChosenMove:
        find = finder(request, site)
        return await site.pools.moves.ask(answers.choose_move, question, find)


# Errors: one line, whatever happens


def _add_errors(api: FastAPI) -> None:
    @api.exception_handler(InputError)
    async def refused(_: Request, error: InputError) -> JSONResponse:
        if isinstance(error, packages.ServerOnlyError):
            return _say(409, str(error))
        return _say(404 if isinstance(error, answers.NotThereError) else 422, str(error))

    @api.exception_handler(FullError)
    async def full(_: Request, error: FullError) -> JSONResponse:
        return _say(429, str(error), {"Retry-After": "1"})

    @api.exception_handler(LateError)
    async def late(_: Request, error: LateError) -> JSONResponse:
        return _say(503, str(error))

    @api.exception_handler(RequestValidationError)
    async def misunderstood(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        if first["type"] == "model_attributes_type" and isinstance(first["input"], bytes):
            return _say(
                400, "the question is not JSON: it says so with Content-Type: application/json"
            )
        return _say(400 if first["type"] == "json_invalid" else 422, _explain(first))

    @api.exception_handler(StarletteHTTPException)
    async def not_served(request: Request, error: StarletteHTTPException) -> JSONResponse:
        detail = error.detail
        if error.status_code in (404, 405):
            detail = f"{request.method} {request.url.path} is nothing here: GET /api lists what is"
        return _say(error.status_code, detail, error.headers)

    @api.exception_handler(Exception)
    async def failed(_: Request, error: Exception) -> JSONResponse:
        return _say(500, f"the server failed at this ({type(error).__name__}): its log says more")


def _say(status: int, text: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    line = " ".join(text.split()).encode("ascii", "backslashreplace").decode()
    line = line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]}..."
    return JSONResponse({"error": line}, status, dict(headers or {}))


def _explain(error: Mapping[str, Any]) -> str:
    """What a program got wrong, by the place and the rule."""
    place = ".".join(str(part) for part in error["loc"][1:])
    if error["type"] == "json_invalid":
        return f"the question is not JSON: {error.get('ctx', {}).get('error', error['msg'])}"
    if error["type"] == "string_pattern_mismatch" and place in ("game", "name"):
        return _unknown_game(error["input"])
    if error["type"] == "string_pattern_mismatch":
        return f"{place} {error['input']!r:.80} is not written as it should: {_RULES.get(place)}"
    return f"{place or 'the question'}: {error['msg']}"


_RULES = {
    "moves": "digits, commas and spaces, as in 4453, 22 13 or 10,3 4,11",
    "player": "as in random, minimax:6, perfect, or the name of a file that GET /players lists",
}


def _unknown_game(name: str) -> str:
    try:
        answers.find_game(name)
    except InputError as error:
        return str(error)
    return f"{name!r} is not written as a game's name: no spaces, no empty parts"


# The page that says what there is


def _page(api: FastAPI, request: Request) -> Response:
    """The requests of the schema: a page, or JSON for whoever asks for that."""
    schema = api.openapi()
    requests = [
        {"request": f"{method.upper()} /api{path}", "about": operation["summary"]}
        for path, operations in schema["paths"].items()
        for method, operation in operations.items()
    ]
    if "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"about": ABOUT, "schema": "/api/openapi.json", "requests": requests})
    address = f"{request.url.scheme}://{request.url.netloc}/api"
    about = ABOUT.replace("`", "")
    return pages.show("api.html", "API", about=about, requests=requests, address=address)
