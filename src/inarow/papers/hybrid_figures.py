"""Figures."""

from __future__ import annotations

from pathlib import Path

from inarow.papers.results import Results


def figures(results: Results, folder: Path) -> list[Path]:  # noqa: ARG001
    """None yet."""
    return []
