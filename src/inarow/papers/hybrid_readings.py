"""Other readings of the hybrid paper: what its text leaves open, one option changed at a time.

The paper does not say in which order a player looks for a line to block, how often the stop rule
is looked at, and more. Each reading here changes one such thing against the base, the reading
whose results `hybrid` holds against the tables, and is judged by the same tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from inarow.lab.runner import run_study
from inarow.lab.store import Store
from inarow.lab.study import Study
from inarow.papers.grids import games_of
from inarow.papers.hybrid import (
    GAMES,
    PAPER_RUNS,
    STATED,
    STRATEGIES,
    TEST_GAMES,
    cell,
    read_finals,
)
from inarow.papers.hybrid_verdicts import BASE, JUDGED, judge_runs, matching_numbers
from inarow.papers.page import Table
from inarow.papers.results import MATCHES, Report, Results, made_with

NO_RULES = ("random",)  # trainers that a change of the rules cannot touch
NO_BLOCKS = ("random", "attack")  # any winning move ends the game alike: only blocks are scanned


@dataclass(frozen=True)
class Reading:
    """One option of the base changed."""

    name: str
    about: str  # what the paper leaves open, and how it is read here
    changes: dict[str, Any] = field(default_factory=dict)
    scan: str = ""  # after the trainer's name
    without: tuple[str, ...] = ()  # trainers for which it cannot matter


READINGS = (
    Reading(BASE, "the base, which the results above are made with"),
    Reading(
        "scan by cells",
        "of several cells to block the lowest; base: the first line in the order rows, columns, "
        "diagonals",
        scan="@cells",
        without=NO_BLOCKS,
    ),
    Reading("scan at random", "of several cells to block any", scan="@random", without=NO_BLOCKS),
    Reading("tie worth 0", "a tie ends with utility 0; base, as stated: 0.2", {"tie": 0.0}),
    Reading("tie worth 0.5", "a tie ends with utility 0.5", {"tie": 0.5}),
    Reading(
        "first equal move",
        "of moves with equal utility the agent takes the first; base: any of them",
        {"ties": "first"},
    ),
    Reading(
        "stop check 100",
        "the stop rule is looked at every 100 games; base: every 10,000",
        {"check_every": 100},
    ),
    Reading("stop check 50,000", "every 50,000 games", {"check_every": 50_000}),
    Reading(
        "own states",
        "only positions after the agent's own moves are updated; base, as in Listing 1: all",
        {"update": "own"},
    ),
    Reading("no random games", "base, as stated: 1 of 7", {"random_games": "0"}, without=NO_RULES),
    Reading(
        "11 of 35 random",
        "1/7 + 6/7 x 1/5: as if the combined player drew from five players, random one of them",
        {"random_games": "11/35"},
        without=NO_RULES,
    ),
    Reading(
        "opening by rules",
        "the trainer's first move by its rules; base, as stated: random",
        {"random_opening": False},
    ),
)


@dataclass(frozen=True)
class Scale:
    """How much is run."""

    games: tuple[str, ...]
    strategies: tuple[str, ...]
    runs: int


SCALES = {
    "quick": Scale(("tictactoe",), ("attack-defense", "defense", "combined"), 4),
    "paper": Scale(tuple(GAMES), STRATEGIES, 40),
}


@dataclass(frozen=True)
class Place:
    """A cell of the study: which game, trainer and reading it is."""

    game: str
    strategy: str
    reading: Reading

    def cell(self) -> dict[str, Any]:
        """Without the curves that the base has."""
        return cell(
            self.game,
            f"{self.strategy}{self.reading.scan}",
            record=0,
            examinations=[f"games:random:{TEST_GAMES}:second", "expert"],
            **self.reading.changes,
        )


def places(scale: str, game: str | None = None) -> list[Place]:
    """All cells, the readings of a trainer together."""
    wanted = SCALES[scale]
    return [
        Place(name, strategy, reading)
        for name in ([*wanted.games] if game is None else games_of(GAMES, game))
        for strategy in wanted.strategies
        for reading in READINGS
        if strategy not in reading.without
    ]


def study(
    folder: Path,
    report: Report,
    scale: str = "quick",
    runs: int | None = None,
    game: str | None = None,
    workers: int | None = None,
    on: str = "threads",
) -> Results:
    """Runs the study, or what is missing of it, in a database in the folder, and reads it."""
    cells, wanted = places(scale, game), runs or SCALES[scale].runs
    name = " ".join(("hybrid readings", scale, *([game] if game else [])))
    path = folder / f"{name.replace(' ', '-').replace(':', '-')}.db"
    definition = Study(name, tuple(place.cell() for place in cells))
    run_study(definition, path, wanted, workers, on, lambda share: report("readings", share))
    with Store.open(path) as store:
        rows = [
            {
                "game": place.game,
                "strategy": place.strategy,
                "reading": place.reading.name,
                "runs": wanted,
                "finals": read_finals(store, number, wanted),
            }
            for number, place in enumerate(cells)
        ]
    return Results("hybrid", "readings", scale, rows, {}, made_with(), runs)


def judged(results: Results) -> list[dict[str, Any]]:
    """Each number under each reading, with ours beside it."""
    return [
        {
            "game": row["game"],
            "strategy": row["strategy"],
            "reading": row["reading"],
            "metric": metric.name,
            "published": float(getattr(STATED[row["game"]][row["strategy"]], metric.stated)),
            **judge_runs(metric, STATED[row["game"]][row["strategy"]], row["finals"][metric.final]),
        }
        for row in results.rows
        for metric in JUDGED
    ]


def with_readings(results: Results, readings: Results | None) -> Results:
    """The base's results, with what other readings gave: reasons are found there."""
    if readings is None:
        return results
    return replace(results, facts={**results.facts, "readings": judged(readings)})


def tables(results: Results) -> list[Table]:
    """How many numbers match under each reading, then trainer by trainer."""
    found = judged(results)
    games = [game for game in GAMES if any(row["game"] == game for row in found)]
    return [
        *(summary_table(found, game) for game in games),
        *(
            reading_table(found, game, strategy)
            for game in games
            for strategy in STRATEGIES
            if any((row["game"], row["strategy"]) == (game, strategy) for row in found)
        ),
    ]


def summary_table(found: Sequence[Mapping[str, Any]], game: str) -> Table:
    """A game's numbers that match under each reading, by published table and in all."""
    here = [row for row in found if row["game"] == game]
    by_metric = [
        matching_numbers([row for row in here if row["metric"] == metric.name]) for metric in JUDGED
    ]
    lines = tuple(
        (
            reading,
            *(f"{counts[reading][0]} of {counts[reading][1]}" for counts in by_metric),
            f"{matching} of {numbers}",
        )
        for reading, (matching, numbers) in matching_numbers(here).items()
    )
    columns = ("reading", *(f"Table {metric.table}" for metric in JUDGED), "in all")
    return Table(columns, lines, f"{GAMES[game]}: published numbers that match, by reading")


def reading_table(found: Sequence[Mapping[str, Any]], game: str, strategy: str) -> Table:
    """Mean and standard error under each reading; a star where the published number is outside."""
    here: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in found:
        if (row["game"], row["strategy"]) == (game, strategy):
            here.setdefault(row["reading"], {})[row["metric"]] = row
    stated = [getattr(STATED[game][strategy], metric.stated) for metric in JUDGED]
    lines = [
        (
            "the paper",
            *(_short(value, place) for place, value in enumerate(stated)),
            f"of {len(JUDGED)}",
        )
    ]
    for reading, by_metric in here.items():
        rows = [by_metric[metric.name] for metric in JUDGED]
        cells = [
            f"{_short(row['mean'], place)}±{_short(row['stderr'], place)}"
            f"{'' if row['verdict'] == MATCHES else '*'}"
            for place, row in enumerate(rows)
        ]
        lines.append((reading, *cells, str(sum(row["verdict"] == MATCHES for row in rows))))
    return Table(
        ("reading", "games, k", "perfect, %", "lost, random", "expert", "match"),
        tuple(lines),
        f"{GAMES[game]}, {strategy}: by reading",
    )


def _short(value: float, place: int) -> str:
    """A number of one of the judged metrics in few characters."""
    if JUDGED[place].stated == "games":
        return f"{value / 1000:,.0f}"
    return f"{value:,.{2 if JUDGED[place].stated == 'lost_expert' else 0}f}"


def notes(results: Results) -> list[str]:
    """What to say below the tables."""
    runs = results.rows[0]["runs"]
    said = [
        f"Mean ± standard error of {runs} runs each; games in thousands; lost to random, of a "
        "million, and to the expert. A star: the published number lies outside the 95% interval.",
    ]
    found = judged(results)
    for game in GAMES:
        counts = matching_numbers([row for row in found if row["game"] == game])
        if counts:
            most = max(matching for matching, _ in counts.values())
            best = [f"“{reading}”" for reading, (n, _) in counts.items() if n == most]
            numbers = next(iter(counts.values()))[1]
            said.append(f"{GAMES[game]}: most match, {most} of {numbers}, with {', '.join(best)}.")
    runs = min(row["runs"] for row in results.rows)
    if runs < PAPER_RUNS:
        said.append(
            f"With {runs} runs an interval is wide: one reading may match more numbers than "
            "another by chance."
        )
    return said
