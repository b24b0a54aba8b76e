"""A study for each of a paper's games, one after the other, each in a database of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from inarow.game import InputError
from inarow.lab.runner import run_study
from inarow.lab.store import Store
from inarow.lab.study import Study
from inarow.papers.results import Report


def games_of(titles: Mapping[str, str], name: str | None) -> list[str]:
    """One of a study's games by name, or all."""
    if name is None:
        return list(titles)
    if name not in titles:
        raise InputError(f"this study plays {' and '.join(titles)}, not {name!r}")
    return [name]


def run_games(
    stem: Path,
    titles: Mapping[str, str],
    runs: Mapping[str, int],
    definition: Callable[[str], Study],
    report: Report,
    workers: int | None,
    on: str,
) -> Iterator[tuple[str, Store]]:
    """Runs what is missing of the study of each game in `runs`, and opens it to be read.

    The databases begin with `stem`; `titles` are what the report calls the games.
    """
    for number, (name, wanted) in enumerate(runs.items()):
        plain = name.replace(":", "-").replace("^", "-")  # not every system takes these
        path = stem.with_name(f"{stem.name}-{plain}.db")

        def tell(share: float, number: int = number, name: str = name) -> None:
            report(titles[name], (number + share) / len(runs))

        run_study(definition(name), path, wanted, workers, on, tell)
        with Store.open(path) as store:
            yield name, store
