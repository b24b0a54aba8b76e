"""The max-min document's deep player: how well it plays after so many games.

Algorithm 3 (`learn.monte_carlo`) learns tic-tac-toe and Connect Four from games against itself.
The document names no network, no numbers and no results. So the study is ours: tic-tac-toe is
examined by an exact walk over the game, Connect Four by games against the win/block player in
each seat, learned and played with and without a shield of the same two rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from inarow.lab.store import Store
from inarow.lab.study import Study
from inarow.papers.grids import games_of, run_games
from inarow.papers.max_min import SEATS, read_points, share_at, summarise
from inarow.papers.max_min_report import games_text, percent
from inarow.papers.page import Code, Part, Picture, Section, Table
from inarow.papers.results import Report, Results, made_with

GAMES = {"tictactoe": "Tic-tac-toe", "connect4:6x7": "Connect Four"}
SCALES = {
    "quick": {"tictactoe": 10, "connect4:6x7": 2},
    "paper": {"tictactoe": 100, "connect4:6x7": 10},
}
OPPONENT, TEST_GAMES = "attack-defense", 2_000  # games in each seat at each look


@dataclass(frozen=True)
class Variant:
    """A reading of the algorithm: what the document leaves open."""

    name: str
    game: str
    about: str
    games: int
    every: int
    options: dict[str, Any] = field(default_factory=dict)
    prototype: dict[int, str] = field(default_factory=dict)  # as first / as second, by games


LITERAL = {"encoding": "sides"}
PRINTED = {**LITERAL, "alpha": "0.5", "epsilon": "0.1", "gamma": 1.0}
DEEP = {"hidden": 128}
VARIANTS = (
    Variant(
        "own stones",
        "tictactoe",
        "the defaults: 64 units that see own stones and the other's, alpha from 0.2 falling to "
        "0.02, epsilon 0.3, gamma 0.9",
        200_000,
        10_000,
    ),
    Variant(
        "first and second",
        "tictactoe",
        "the same, units see the stones of the first and of the second player",
        200_000,
        10_000,
        LITERAL,
    ),
    Variant(
        "nothing falls",
        "tictactoe",
        "as the one before with alpha 0.5, epsilon 0.1, gamma 1 throughout",
        200_000,
        10_000,
        PRINTED,
        {200_000: "6 of 6 / ?"},
    ),
    Variant(
        "no shield",
        "connect4:6x7",
        "128 units, all moves by the network",
        1_000_000,
        100_000,
        DEEP,
        {200_000: "28 / 18", 1_000_000: "48 / 41"},
    ),
    Variant(
        "win/block shield",
        "connect4:6x7",
        "the same; in training and play a win is taken, then a win of the other blocked",
        500_000,
        100_000,
        {**DEEP, "shield": "block"},
        {500_000: "91 / 92"},
    ),
)
SHOWN = {
    "tictactoe": (10_000, 20_000, 50_000, 100_000, 200_000),
    "connect4:6x7": (100_000, 200_000, 500_000, 1_000_000),
}


def definition(game: str) -> Study:
    """The study of one game: a cell for each variant."""
    looks = ["certificate"] if game == "tictactoe" else [f"seats:{OPPONENT}:{TEST_GAMES}"]
    cells = [
        {
            "game": game,
            "learner": "monte_carlo",
            **variant.options,
            "games": variant.games,
            "examine_every": variant.every,
            "examinations": looks,
        }
        for variant in variants_of(game)
    ]
    return Study(f"max-min deep {game}", tuple(cells))


def variants_of(game: str) -> list[Variant]:
    """Those of a game."""
    return [variant for variant in VARIANTS if variant.game == game]


def study(
    folder: Path,
    report: Report,
    scale: str = "quick",
    runs: int | None = None,
    game: str | None = None,
    workers: int | None = None,
    on: str = "threads",
) -> Results:
    """Runs the study, or what is missing of it, in databases in the folder, and reads them."""
    rows = list[dict[str, Any]]()
    wanted = {name: runs or SCALES[scale][name] for name in games_of(GAMES, game)}
    studies = run_games(folder / "max-min-deep", GAMES, wanted, definition, report, workers, on)
    for name, store in studies:
        read = read_proven if name == "tictactoe" else read_won
        for cell, variant in enumerate(variants_of(name)):
            found = read(store, cell, wanted[name])
            rows.append({"game": name, "variant": variant.name, **found})
    return Results("max-min", "deep", scale, rows, {}, made_with(), runs)


def read_proven(store: Store, cell: int, runs: int) -> dict[str, Any]:
    """Of how many runs it was proven that they cannot be beaten."""
    return summarise(*read_points(store, [cell], runs))


def read_won(store: Store, cell: int, runs: int) -> dict[str, Any]:
    """Per cent of games won in each seat: mean and standard deviation over the runs."""
    found: dict[str, Any] = {"runs": runs, "won": {}, "spread": {}}
    for seat in SEATS:
        games, values = store.curve(cell, f"won as {seat} against {OPPONENT}")
        shares = 100 * values[:runs] / TEST_GAMES
        found["games"], found["runs"] = games.tolist(), len(shares)
        found["won"][seat] = shares.mean(axis=0).tolist()
        spread = shares.std(axis=0, ddof=1) if len(shares) > 1 else np.zeros(len(games))
        found["spread"][seat] = spread.tolist()
    return found


def rows(results: Results) -> list[dict[str, Any]]:
    """Every figure in the tables, for programs; the document publishes none."""
    found = []
    for row in results.rows:
        for games in SHOWN[row["game"]]:
            for seat in SEATS:
                said = figure_of(row, seat, games)
                if said is not None:
                    found.append(
                        {
                            "game": row["game"],
                            "variant": row["variant"],
                            "metric": f"{METRICS[row['game']]} as {seat}, %",
                            "games": games,
                            "published": None,
                            "prototype": _variant(row).prototype.get(games),
                            "mean": said[0],
                            "spread": said[1],
                            "runs": row["runs"],
                        }
                    )
    return found


METRICS = {"tictactoe": "runs unbeatable", "connect4:6x7": f"won against {OPPONENT}"}


def _variant(row: Mapping[str, Any]) -> Variant:
    return next(v for v in VARIANTS if (v.game, v.name) == (row["game"], row["variant"]))


def figure_of(
    row: Mapping[str, Any], seat: str, games: int
) -> tuple[float | None, float | None] | None:
    """A figure in per cent and its spread over runs, where it has one; None if nobody looked."""
    if games not in row["games"]:
        return None
    if "unbeatable" in row:
        return share_at(row, seat, games), None
    place = row["games"].index(games)
    return row["won"][seat][place], row["spread"][seat][place]


def tables(results: Results) -> list[Table]:
    """For each game: as first and as second at the numbers of games that are shown."""
    return [
        table
        for game in GAMES
        if (cells := [row for row in results.rows if row["game"] == game])
        for table in (_table(game, cells),)
    ]


def _table(game: str, cells: Sequence[Mapping[str, Any]]) -> Table:
    shown = SHOWN[game]
    title = {
        "tictactoe": "proven unbeatable as first / as second, % of {} runs",
        "connect4:6x7": "won as first / second against " + OPPONENT + ", %, mean of {} runs",
    }[game]
    body = []
    for cell in cells:
        said = [[figure_of(cell, seat, games) for seat in SEATS] for games in shown]
        words = [" / ".join(percent(pair[0]) for pair in pairs if pair) for pairs in said]
        body.append((cell["variant"], *words))
    return Table(
        ("variant", *map(games_text, shown)),
        tuple(body),
        f"{GAMES[game]}: {title.format(cells[0]['runs'])}",
    )


def notes(results: Results) -> list[str]:
    """What to say below the tables."""
    said = ["The document publishes no results."]
    for row in results.rows:
        last = row["games"][-1]
        figures = [figure_of(row, seat, last) for seat in SEATS]
        if "won" in row:
            spreads = [percent(figure[1]) for figure in figures if figure]
            said.append(
                f"{GAMES[row['game']]}, {row['variant']}: standard deviation over runs after "
                f"{games_text(last)} games {' / '.join(spreads)}."
            )
        for games, prototype in _variant(row).prototype.items():
            said.append(
                f"{GAMES[row['game']]}, {row['variant']}, {games_text(games)} games: a prototype "
                f"had {prototype} (as first / as second), by settings that are not known."
            )
    return said


def figure_name(results: Results, game: str) -> str:
    """Of the file with a game's figure."""
    return f"{results.paper}-{results.part}-{game.replace(':', '-')}"


def section(results: Results, figures: str = "figures") -> Section:
    """What stands on the document's page; `figures` is their folder, seen from it."""
    named = tuple((GAMES[v.game], v.name, v.about) for v in VARIANTS)
    shown = list[Part]()
    for game in GAMES:
        cells = [row for row in results.rows if row["game"] == game]
        if cells:
            table, caption = _table(game, cells), f"{GAMES[game]}: the deep player over its games"
            picture = Picture(f"{figures}/{figure_name(results, game)}.svg", caption)
            shown += [f"**{table.title}**", table, picture, f"*{caption}, in each seat.*"]
    return Section(
        "The deep player",
        (
            "Algorithm 3 is `src/inarow/learn/monte_carlo.py`: after each game, from its last "
            "position to the empty board, v moves towards (gamma^(T-t) r + 1) / 2. In tic-tac-toe "
            "an exact walk says whether the agent can be beaten; in Connect Four it plays "
            f"{TEST_GAMES:,} games in each seat against {OPPONENT}, which wins where it can, else "
            "blocks, else moves at random.",
            Code((results.command,)),
            Table(("game", "variant", "what it is"), named, texts=(0, 1, 2)),
            *shown,
            " ".join(notes(results)),
        ),
    )
