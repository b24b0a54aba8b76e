"""The API for programs, under /api: JSON in, JSON out, every error one line.

It changes nothing on the server and writes no file. Its thoughts have threads of their own and a
short queue, so programs never keep the pages waiting for a free one.
"""

from __future__ import annotations

import asyncio
import html
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar, TypeVarTuple

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.exceptions import HTTPException as StarletteHTTPException

import inarow
from inarow.game import InputError
from inarow.ui.web import api_answers as answers
from inarow.ui.web import api_models as models
from inarow.ui.web.site import Site

MOST_WAITING = 64  # questions in a queue, those being thought about included
MOST_SECONDS = 120.0  # for an answer: searches take a few at most, but the first ones compile
MAX_LINE = 400  # characters of an error
ABOUT = (
    "Positions of k-in-a-row games in, values and moves out. Every answer is JSON; every error is "
    "one line under `error`. Nothing is kept between two calls."
)

R = TypeVar("R")
Q = TypeVarTuple("Q")

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
    async def page(request: Request) -> HTMLResponse:
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
    _add_page(api)
    return api


class RequestQueue:
    """Questions that wait for a few threads, and no more of them than is sensible."""

    def __init__(self, threads: int, most: int = MOST_WAITING) -> None:
        self.most, self.waiting = most, 0
        self._threads = ThreadPoolExecutor(threads, "api")

    async def ask(self, answer: Callable[[*Q], R], *question: *Q) -> R:
        """The answer, or a refusal where too many wait."""
        if self.waiting >= self.most:
            raise HTTPException(
                429,
                f"{self.most} questions are being thought about: ask again in a second",
                {"Retry-After": "1"},
            )
        self.waiting += 1
        work = self._threads.submit(answer, *question)
        # Counted until the work itself ends: whoever hangs up early frees no place.
        loop = asyncio.get_running_loop()

        def leave() -> None:
            self.waiting -= 1

        def end(_: object) -> None:
            with suppress(RuntimeError):  # the server has ended meanwhile
                loop.call_soon_threadsafe(leave)

        work.add_done_callback(end)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(work), MOST_SECONDS)
        except TimeoutError:
            raise HTTPException(503, f"no answer after {MOST_SECONDS:g} s: ask later") from None

    def close(self) -> None:
        """Drops what has not begun."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _add_questions(api: FastAPI, site: Site) -> None:
    # What is quick waits for no move, and moves for no exact values, which take seconds.
    quick, queue, values_queue = RequestQueue(1), RequestQueue(2), RequestQueue(1)
    site.at_end += [quick.close, queue.close, values_queue.close]

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
    async def values(question: models.ValuesQuestion) -> models.Values:
        return await values_queue.ask(answers.find_values, question, site.folder)

    @api.post("/move", summary="The move of a player", responses=_REFUSALS | _NOT_THERE)
    async def move(question: models.MoveQuestion) -> models.ChosenMove:
        return await queue.ask(answers.choose_move, question, site.folder)


# Errors: one line, whatever happens


def _add_errors(api: FastAPI) -> None:
    @api.exception_handler(InputError)
    async def refused(_: Request, error: InputError) -> JSONResponse:
        return _say(404 if isinstance(error, answers.NotThereError) else 422, str(error))

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


def _add_page(api: FastAPI) -> None:
    @api.get("/", include_in_schema=False)
    async def page(request: Request) -> HTMLResponse:
        return _page(api, request)


def _page(api: FastAPI, request: Request) -> HTMLResponse:
    return HTMLResponse(_page_of(api.openapi(), f"http://{request.url.netloc}/api"))


def _page_of(schema: dict[str, Any], address: str) -> str:
    rows = [
        f"<dt><code>{method.upper()} /api{path}</code></dt>"
        f"<dd>{html.escape(operation['summary'])}</dd>"
        for path, operations in schema["paths"].items()
        for method, operation in operations.items()
    ]
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        '<meta name="color-scheme" content="light dark"><title>API - inarow</title>'
        "<style>body{font:16px/1.5 system-ui;max-width:44rem;margin:2rem auto;padding:0 1rem}"
        "dt{margin-top:1rem}pre{background:#8883;padding:.7rem;overflow-x:auto}</style>"
        '<p><a href="/">Play</a></p>'
        f"<h1>inarow for programs</h1><p>{html.escape(ABOUT.replace('`', ''))}</p>"
        f"<dl>{''.join(rows)}</dl>"
        '<p>The schema: <a href="/api/openapi.json">/api/openapi.json</a>. For example:</p>'
        f"<pre>curl -s {html.escape(address)}/move -H 'Content-Type: application/json' \\\n"
        '  -d \'{"game": "connect4:6x7", "moves": "4453", "player": "perfect"}\'</pre></html>'
    )
