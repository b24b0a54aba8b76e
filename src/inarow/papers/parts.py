"""The papers that can be reproduced, and their parts: one table.

A part is what one command runs. The modules of a part are imported when they are needed, since
they load compiled code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from inarow.game import InputError
from inarow.papers.page import Table
from inarow.papers.results import Report, Results, Verdict


@dataclass(frozen=True)
class Part:
    """A study of a paper, and what is made of its results."""

    scales: tuple[str, ...]
    study: Callable[[str, Report], Results]  # runs it at a scale
    verdicts: Callable[[Results], Sequence[Verdict]]
    tables: Callable[[Results], Sequence[Table]]
    notes: Callable[[Results], Sequence[str]]
    figures: Callable[[Results, Path], Sequence[Path]]


def _connect_four_minimax() -> Part:
    from inarow.papers import connect_four, connect_four_report

    return Part(
        tuple(connect_four.SCALES),
        connect_four.study,
        connect_four_report.verdicts,
        connect_four_report.tables,
        connect_four_report.notes,
        connect_four_report.figures,
    )


# Paper: part: how it is made.
PAPERS: dict[str, dict[str, Callable[[], Part]]] = {
    "connect-four": {"minimax": _connect_four_minimax},
}


def part_of(paper: str, part: str | None = None) -> tuple[str, Part]:
    """A part of a paper by name; where a paper has one part only, it needs no name."""
    if paper not in PAPERS:
        raise InputError(f"unknown paper {paper!r}: there is {', '.join(PAPERS)}")
    parts = PAPERS[paper]
    if part is None and len(parts) > 1:
        raise InputError(f"which part of {paper}? There is {', '.join(parts)}")
    name = next(iter(parts)) if part is None else part
    if name not in parts:
        raise InputError(f"unknown part {name!r} of {paper}: there is {', '.join(parts)}")
    return name, parts[name]()
