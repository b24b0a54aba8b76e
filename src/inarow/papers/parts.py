"""The papers that can be reproduced, and their parts: one table.

A part is what one command runs. The modules of a part are imported when they are needed, since
they load compiled code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inarow.game import InputError
from inarow.papers.page import Table
from inarow.papers.results import Report, Results, load


@dataclass(frozen=True)
class Request:
    """What is to be run, and where."""

    scale: str
    folder: Path  # for what is kept on the way
    report: Report
    runs: int | None = None  # seeds for each cell, where a study has any; None: as the scale says
    game: str | None = None  # only this one of a paper's games
    workers: int | None = None
    on: str = "threads"


@dataclass(frozen=True)
class Part:
    """A study of a paper, and what is made of its results."""

    scales: tuple[str, ...]
    study: Callable[[Request], Results]
    rows: Callable[[Results], Sequence[dict[str, Any]]]  # published and ours, for programs
    tables: Callable[[Results], Sequence[Table]]
    notes: Callable[[Results], Sequence[str]]
    figures: Callable[[Results, Path], Sequence[Path]]


def run_several_games(study: Callable[..., Results], request: Request) -> Results:
    """Runs the study of a paper that has several games."""
    return study(
        request.folder, request.report, request.scale, request.runs, request.game,
        request.workers, request.on,
    )  # fmt: skip


def run_one_game(study: Callable[..., Results], request: Request) -> Results:
    """Runs the study of a paper that has but one."""
    if request.game is not None:
        raise InputError("this study has one game: it has no --game")
    return study(
        request.folder, request.report, request.scale, request.runs, request.workers, request.on
    )


def _cube() -> Part:
    from inarow.papers import cube, cube_figures, cube_report, cube_verdicts

    def study(request: Request) -> Results:
        stored = request.folder / "cube-readings.json"  # if it is there: reasons
        results = run_one_game(cube.run, request)
        return cube_verdicts.with_readings(results, load(stored) if stored.is_file() else None)

    return Part(
        tuple(cube.SCALES),
        study,
        cube_report.as_json,
        cube_report.tables,
        cube_report.notes,
        cube_figures.figures,
    )


def _cube_readings() -> Part:
    from inarow.papers import cube_readings, cube_readings_report, cube_verdicts

    return Part(
        tuple(cube_readings.SCALES),
        lambda request: run_one_game(cube_readings.run, request),
        cube_verdicts.judged_readings,
        cube_readings_report.tables,
        cube_readings_report.notes,
        lambda results, folder: [],
    )


def _cube_best() -> Part:
    from inarow.papers import cube_best

    return Part(
        tuple(cube_best.SCALES),
        lambda request: run_one_game(cube_best.run, request),
        cube_best.judged,
        lambda results: [cube_best.table(results)],
        cube_best.notes,
        lambda results, folder: [],
    )


def _n_dimensional_sarsa() -> Part:
    from inarow.papers import (
        n_dimensional_claims,
        n_dimensional_figures,
        n_dimensional_report,
        n_dimensional_sarsa,
    )

    return Part(
        tuple(n_dimensional_sarsa.SCALES),
        lambda request: run_several_games(n_dimensional_sarsa.study, request),
        lambda results: [row.as_json() for row in n_dimensional_claims.rows(results)],
        n_dimensional_report.tables,
        n_dimensional_report.notes,
        n_dimensional_figures.figures,
    )


def _n_dimensional_policy() -> Part:
    from inarow.papers import (
        n_dimensional_policy,
        n_dimensional_policy_claims,
        n_dimensional_policy_figures,
        n_dimensional_policy_report,
    )

    return Part(
        tuple(n_dimensional_policy.SCALES),
        lambda request: run_several_games(n_dimensional_policy.study, request),
        n_dimensional_policy_claims.as_json,
        n_dimensional_policy_report.tables,
        n_dimensional_policy_report.notes,
        n_dimensional_policy_figures.figures,
    )


# Paper: part: how it is made.
PAPERS: dict[str, dict[str, Callable[[], Part]]] = {
    "cube": {"all": _cube, "readings": _cube_readings, "best": _cube_best},
    "n-dimensional": {"sarsa": _n_dimensional_sarsa, "policy-gradient": _n_dimensional_policy},
}


def part_of(paper: str, part: str | None = None) -> tuple[str, Part]:
    """A part of a paper by name; the first one if none is given."""
    if paper not in PAPERS:
        raise InputError(f"unknown paper {paper!r}: there is {', '.join(PAPERS)}")
    parts = PAPERS[paper]
    name = part or next(iter(parts))
    if name not in parts:
        raise InputError(f"unknown part {name!r} of {paper}: there is {', '.join(parts)}")
    return name, parts[name]()
