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
from inarow.papers.results import Report, Results, Verdict


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


def run_one_game(study: Callable[..., Results], request: Request) -> Results:
    """Runs the study of a paper that has but one."""
    if request.game is not None:
        raise InputError("this study has one game: it has no --game")
    return study(
        request.folder, request.report, request.scale, request.runs, request.workers, request.on
    )


def _connect_four_minimax() -> Part:
    from inarow.papers import connect_four, connect_four_report

    def study(request: Request) -> Results:
        if request.runs is not None or request.game is not None:
            raise InputError("this study plays one game on each board: it has no --runs, no --game")
        return connect_four.study(request.scale, request.report)

    return Part(
        tuple(connect_four.SCALES),
        study,
        lambda results: [row.as_json() for row in connect_four_report.verdicts(results)],
        connect_four_report.tables,
        lambda results: [
            *reason_lines(connect_four_report.verdicts(results)),
            *connect_four_report.notes(results),
        ],
        connect_four_report.figures,
    )


def _connect_four_tdl() -> Part:
    from inarow.papers import connect_four_pair_work, connect_four_tdl_report

    return Part(
        tuple(connect_four_pair_work.SCALES),
        lambda request: run_one_game(connect_four_pair_work.study, request),
        lambda results: [row.as_json() for row in connect_four_tdl_report.verdicts(results)],
        connect_four_tdl_report.tables,
        lambda results: [
            *reason_lines(connect_four_tdl_report.verdicts(results)),
            *connect_four_tdl_report.notes(results),
        ],
        connect_four_tdl_report.figures,
    )


def reason_lines(verdicts: Sequence[Verdict]) -> list[str]:
    """Why ours differs, each reason once."""
    metrics: dict[str, list[str]] = {}
    for verdict in verdicts:
        if verdict.reason:
            metrics.setdefault(verdict.reason, []).append(verdict.published.metric)
    return [f"{', '.join(names)}: {reason}." for reason, names in metrics.items()]


# Paper: part: how it is made.
PAPERS: dict[str, dict[str, Callable[[], Part]]] = {
    "connect-four": {"minimax": _connect_four_minimax, "tdl": _connect_four_tdl},
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
