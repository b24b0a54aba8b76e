"""Requests of the application's own pages: runs, arenas and agent files of one visitor, packages.

A visitor is whoever the signed cookie names. What a page listens to comes as server-sent events:
a line of JSON whenever something has changed.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Callable
from functools import cache, partial
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import Field

from inarow.game import Game, InputError
from inarow.lab.players.protocols import Player
from inarow.learn.saved import SUFFIX
from inarow.ui.server import arena_views, packages, run_views
from inarow.ui.server.arena_files import Find
from inarow.ui.server.arena_jobs import ArenaJob
from inarow.ui.server.curve_export import KINDS, export
from inarow.ui.server.forms import describe_builder, describe_players, list_opponents
from inarow.ui.server.learned import describe_learned, describe_look
from inarow.ui.server.models import Question
from inarow.ui.server.orders import order_of, saved_order, saved_run
from inarow.ui.server.paper_conditions import trainable
from inarow.ui.server.players import check_game, find_player
from inarow.ui.server.run_jobs import TrainingJob
from inarow.ui.server.runs import MOST_RUNS
from inarow.ui.server.site import Site, Visitor
from inarow.web.describe import describe
from inarow.web.opponents import catalogue
from inarow.web.package import Package

EVERY = 0.5  # seconds between two looks at what a page listens to
ALIVE = 15.0  # seconds after which a silent stream says that it is there
FOREVER = "public, max-age=31536000, immutable"
FILE_TYPE = "application/octet-stream"
ACTIONS = ("stop", "resume", "more", "certify", "save", "remove")

Text = Field(default="", max_length=200)


class RunQuestion(Question):
    """A training run that is to begin: as many as `runs`, of seeds one after another."""

    game: str = Field(max_length=200)
    learner: str = Field(max_length=60)
    against: str = Text
    tester: str = Text
    games: int = 100_000
    seed: int = 1
    runs: int = 1
    options: dict[str, bool | int | float | str] = Field(default_factory=dict, max_length=60)


class ResumeQuestion(Question):
    """A saved agent that is to be trained further, until so many games."""

    agent: str = Field(max_length=200)
    games: int


class ArenaQuestion(Question):
    """A round robin."""

    game: str = Field(max_length=200)
    players: list[str] = Field(max_length=40)
    games: int = 100
    seed: int = 1


def identity_of(request: Request) -> str:
    """The id of the visitor in the signed cookie; a new one if there is none."""
    return str(request.session.setdefault("id", str(uuid.uuid4())))


def visitor_of(request: Request, site: Site) -> Visitor:
    """Whoever asks."""
    return site.visitors.find(identity_of(request))


def finder(request: Request, site: Site) -> Find:
    """How players are found for whoever asks; programs without a cookie have no files here."""
    if request.scope.get("session", {}).get("id"):
        return visitor_of(request, site).player

    def find(name: str, game: Game) -> Player:
        return find_player(name, game, site.folder)

    return find


def add_to(api: FastAPI, site: Site) -> None:
    """Adds the requests, outside the schema for programs."""
    get = partial(api.get, include_in_schema=False, response_model=None)
    post = partial(api.post, include_in_schema=False, response_model=None)
    _add_packages(get, site)
    _add_runs(get, post, site)
    _add_arenas(get, post, site)
    _add_uploads(post, site)

    @get("/papers/{name}/conditions")
    async def conditions(name: str) -> list[dict[str, str]]:
        found = await site.pools.quick.ask(trainable, name)
        return [one._asdict() for one in found]


@cache
def catalogue_json() -> bytes:
    """The games to choose from, and against whom, as JSON."""
    return json.dumps(catalogue(), ensure_ascii=False).encode()


Route = Callable[..., Callable[..., Any]]


def _add_packages(get: Route, site: Site) -> None:
    quick = site.pools.quick

    @get("/package")
    async def package(
        request: Request,
        game: str,
        player: str = "",
        file: str = "package.json",
        solver: bool = False,
        v: str = "",
    ) -> Response:
        find = finder(request, site)
        return _file(await quick.ask(packages.find, game, player, solver, find), file, v)

    @get("/lesson")
    async def lesson(game: str, learner: str, file: str = "package.json", v: str = "") -> Response:
        return _file(await quick.ask(packages.find_lesson, game, learner), file, v)

    @get("/proof")
    async def proof(game: str, file: str = "package.json", v: str = "") -> Response:
        return _file(await quick.ask(packages.find_proof, game), file, v)

    @get("/board")
    async def board(game: str) -> dict[str, object]:
        return dict(await quick.ask(lambda: describe(check_game(game))))

    @get("/builder")
    async def builder(request: Request) -> dict[str, object]:
        return await quick.ask(describe_builder, dict(request.query_params))

    @get("/catalogue")
    async def games() -> Response:
        content = await quick.ask(catalogue_json)
        return Response(
            content, media_type="application/json", headers={"Cache-Control": "no-cache"}
        )

    @get("/opponents")
    async def opponents(request: Request, game: str) -> dict[str, object]:
        known = request.scope.get("session", {}).get("id")
        visitor = visitor_of(request, site) if known else None
        return await quick.ask(list_opponents, game, site.folder, visitor)


def _add_runs(get: Route, post: Route, site: Site) -> None:
    def job_of(request: Request, number: int) -> TrainingJob:
        job = visitor_of(request, site).runs.jobs.get(number)
        if job is None:
            raise InputError(f"there is no run {number}")
        return job

    @get("/players-to-train")
    async def players_to_train(game: str, learner: str) -> dict[str, object]:
        return await site.pools.quick.ask(describe_players, game, learner)

    @post("/runs")
    async def start(question: RunQuestion, request: Request) -> dict[str, object]:
        visitor = visitor_of(request, site)
        return {"runs": await asyncio.to_thread(_start, visitor, question)}

    @post("/runs/resume")
    async def resume(question: ResumeQuestion, request: Request) -> dict[str, object]:
        visitor = visitor_of(request, site)
        return {"runs": await asyncio.to_thread(_resume, visitor, question)}

    @get("/runs/events")
    async def events(request: Request) -> Response:
        visitor = visitor_of(request, site)
        runs = await asyncio.to_thread(lambda: visitor.runs)
        return _stream(run_views.Watcher(runs, site.folder).changes, visitor)

    @get("/runs/curves.{kind}")
    async def curves(request: Request, kind: str) -> Response:
        if kind not in KINDS:
            raise InputError(f"curves come as {', '.join(KINDS)}, not as {kind!r:.20}")
        jobs = list(visitor_of(request, site).runs.jobs.values())
        content = await asyncio.to_thread(export, jobs, kind)
        return _download(content, f"runs.{kind}")

    @get("/runs/{number}/learned")
    async def learned(request: Request, number: int, moves: str = "") -> dict[str, object]:
        return await site.pools.runs.ask(describe_learned, job_of(request, number), moves)

    @get("/runs/{number}/looks/{look}")
    async def look(request: Request, number: int, look: int, moves: str = "") -> dict[str, object]:
        pool = site.pools.runs if moves else site.pools.quick  # which may train for seconds
        return await pool.ask(describe_look, job_of(request, number), look, moves)

    @get("/runs/{number}/agent")
    async def agent(request: Request, number: int) -> Response:
        name, content = await asyncio.to_thread(job_of(request, number).download)
        return _download(content, f"{name}{SUFFIX}")

    @post("/runs/{number}/{action}")
    async def change(request: Request, number: int, action: str) -> dict[str, object]:
        if action not in ACTIONS:
            raise InputError(f"a run can be told to {', '.join(ACTIONS)}, not to {action!r:.20}")
        job, runs = job_of(request, number), visitor_of(request, site).runs
        return await asyncio.to_thread(run_views.act, runs, job, action, site.folder)

    @get("/agents/{name}")
    async def saved(request: Request, name: str) -> Response:
        if not name.endswith(SUFFIX):
            raise InputError(f"{name!r:.80} is not an agent file")
        path, _ = await asyncio.to_thread(visitor_of(request, site).agent_file, name)
        return _download(await asyncio.to_thread(path.read_bytes), name)


def _start(visitor: Visitor, question: RunQuestion) -> list[int]:
    """Starts one run for each seed: all of them, or none."""
    runs = visitor.runs
    if not 1 <= question.runs <= MOST_RUNS:
        raise InputError(f"start 1 to {MOST_RUNS} runs, not {question.runs}")
    if question.runs + len(runs.jobs) > MOST_RUNS:
        raise InputError(
            f"{MOST_RUNS} runs at once are the most, and {len(runs.jobs)} are here: "
            "remove some, or start fewer"
        )
    given = question.model_dump(exclude={"runs", "seed"})
    seeds = range(question.seed, question.seed + question.runs)
    orders = [order_of(**given, seed=seed) for seed in seeds]
    return [runs.start(order).number for order in orders]


def _resume(visitor: Visitor, question: ResumeQuestion) -> list[int]:
    """Continues a saved agent, or one of the visitor's own."""
    path, _ = visitor.agent_file(question.agent)
    order = saved_order(path, question.agent, question.games)
    return [visitor.runs.start(order, saved_run(path, question.agent)).number]


def _add_arenas(get: Route, post: Route, site: Site) -> None:
    @post("/arena")
    async def begin(question: ArenaQuestion, request: Request) -> dict[str, object]:
        visitor = visitor_of(request, site)
        await asyncio.to_thread(_begin_arena, visitor, question)
        return {}

    @post("/arena/stop")
    async def stop(request: Request) -> dict[str, object]:
        job = visitor_of(request, site).arenas.job
        if job is not None:
            job.stop()
        return {}

    @get("/arena/events")
    async def events(request: Request) -> Response:
        visitor = visitor_of(request, site)
        kept = await asyncio.to_thread(lambda: visitor.arenas)
        return _stream(arena_views.Watcher(kept).changes, visitor)

    @get("/arena/game")
    async def game(request: Request, one: str, other: str, number: int) -> dict[str, object]:
        job = visitor_of(request, site).arenas.job
        if job is None:
            raise InputError("there is no arena")
        return await asyncio.to_thread(arena_views.describe_game, job, one, other, number)


def _begin_arena(visitor: Visitor, question: ArenaQuestion) -> None:
    game = check_game(question.game)
    players = [visitor.player(name, game) for name in question.players]
    visitor.arenas.start(ArenaJob(game, players, question.games, question.seed))


def _add_uploads(post: Route, site: Site) -> None:
    @post("/uploads")
    async def upload(request: Request, name: str) -> dict[str, object]:
        visitor = visitor_of(request, site)
        content = await request.body()
        uploads = await asyncio.to_thread(lambda: visitor.uploads)
        name = await site.pools.uploads.ask(uploads.add, packages.file_name(name), content)
        return {"name": name, "game": uploads.games[name]}


# Answers


def _file(package: Package, file: str, version: str) -> Response:
    """A file of a package: for ever, if it is asked for by its version."""
    content = packages.content_of(package, file)
    fixed = bool(version) and version == packages.versions_of(package).get(file)
    kinds = {"package.json": "application/json", "image.bin": FILE_TYPE}
    headers = {"Cache-Control": FOREVER if fixed else "no-cache"}
    return Response(content, media_type=kinds.get(file, "application/wasm"), headers=headers)


def _stream(changes: Callable[[], Any], visitor: Visitor) -> StreamingResponse:
    """Server-sent events: whatever `changes` returns that is not None, one line each."""
    site = visitor.site

    async def events() -> AsyncIterator[str]:
        visitor.streams += 1
        silent = 0.0
        try:
            while not site.closing:
                changed = changes()
                silent = 0.0 if changed is not None else silent + EVERY
                if changed is not None:
                    yield f"data: {json.dumps(changed, separators=(',', ':'))}\n\n"
                elif silent >= ALIVE:
                    silent = 0.0
                    yield ": here\n\n"
                await asyncio.sleep(EVERY)
        finally:
            visitor.streams -= 1

    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(events(), media_type="text/event-stream", headers=headers)


def _download(content: bytes, name: str) -> Response:
    how = f"attachment; filename*=UTF-8''{quote(name)}"
    headers = {"Content-Disposition": how, "Cache-Control": "no-store"}
    return Response(content, media_type=FILE_TYPE, headers=headers)
