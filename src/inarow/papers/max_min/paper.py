"""The max-min document: the number of games after which neither side can be beaten.

The algorithms are `learn/tabular/q.py`, `learn/tabular/td_lambda.py` and `learn/monte_carlo`. The
document names no numbers and publishes no results, so the study is ours: each algorithm as
intended, as printed, and with the changes that were found to matter, evaluated by an exact walk
over the game; the deep player in Connect Four by games against the win/block player.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from inarow.engine.board import Int64s
from inarow.game.position import SIDES
from inarow.lab.statistics import Floats
from inarow.lab.studies.study import Config
from inarow.papers.claims import below
from inarow.papers.figures import Curves, Figure, Line, Panel, averaged, counted
from inarow.papers.measures import (
    Data,
    Measure,
    Measured,
    ResultRow,
    curve,
    exactly,
    mean_and_error,
    of_row,
    share_curve,
)
from inarow.papers.paper import Finding, Paper
from inarow.papers.published import Published
from inarow.papers.study import PAPER as PAPER_SCALE
from inarow.papers.study import QUICK, TINY, Condition, Part, Runs, shorter
from inarow.papers.tables import Grid, Made, PaperTable, Table, games_text, list_text, percent_text
from inarow.papers.variants import Variant, read_variants
from inarow.papers.verdicts import MATCHES

PUBLISHED = Published(__file__)
TICTACTOE, CONNECT4, CONNECT_FOUR = "tictactoe", "connect4:4x4", "connect4:6x7"
TITLES = {TICTACTOE: "Tic-tac-toe", CONNECT4: "Connect-4 on 4x4", CONNECT_FOUR: "Connect Four"}
PRINTED = "Q, remark as printed"
OPPONENT, TEST_GAMES = "attack-defense", 2_000  # games on each side at each evaluation

# What is run: the tabular players

VARIANTS = read_variants(PUBLISHED.folder / "variants.toml")
TABULAR = VARIANTS["tabular"]
ON_4X4 = ("Q, skip", "Q, skip, symmetric", "TD(0.5)", "TD(0.5), cut, symmetric, 0.3")
LENGTHS = {  # games of a run, every how many it is evaluated, and every how many before the first
    TICTACTOE: (200_000, 5_000, 500),
    CONNECT4: (5_000_000, 500_000, 100_000),
}
SHOWN = {
    TICTACTOE: (5_000, 10_000, 50_000, 100_000, 200_000),
    CONNECT4: (500_000, 1_000_000, 2_000_000, 5_000_000),
    CONNECT_FOUR: (100_000, 200_000, 500_000, 1_000_000),
}


def tabular(game: str, variant: Variant) -> Condition:
    """A variant in a game, with an exact certificate at each evaluation."""
    games, every, first = LENGTHS[game]
    parameters = {
        "game": game,
        **variant.changes,
        "games": games,
        "evaluate_every": every,
        "evaluate_at": list(range(first, every, first)),
        "evaluations": ["certificate"],
    }
    runs = {QUICK: 1, PAPER_SCALE: 20} if game == CONNECT4 else {}
    return Condition({"game": game, "variant": variant.name}, parameters, runs=runs)


def short_tabular(condition: Condition) -> Config | None:
    """Cut training to 10,000 games, and on the larger board to 400."""
    return shorter(10_000 if condition.game == TICTACTOE else 400)(condition)


# What is run: the deep player

DEEP_VARIANTS = {TICTACTOE: VARIANTS["deep-tictactoe"], CONNECT_FOUR: VARIANTS["deep-connect4"]}
DEEP_GAMES = {"no shield": 1_000_000, "win/block shield": 500_000}


def deep(game: str, variant: Variant) -> Condition:
    """A variant of the deep player in a game."""
    tests = ["certificate"] if game == TICTACTOE else [f"sides:{OPPONENT}:{TEST_GAMES}"]
    every = 10_000 if game == TICTACTOE else 100_000
    parameters = {
        "game": game,
        "learner": "monte_carlo",
        **variant.changes,
        "games": DEEP_GAMES.get(variant.name, 200_000),
        "evaluate_every": every,
        "evaluations": tests,
    }
    runs = {QUICK: 2, PAPER_SCALE: 10} if game == CONNECT_FOUR else {}
    return Condition({"game": game, "variant": variant.name}, parameters, runs=runs)


# How runs are read

Found = Mapping[str, Floats]  # by metric: [runs, points], 0 or 1


def read_proven(runs: Runs) -> ResultRow:
    """Count runs that are unbeatable, and value-perfect, by number of games; and since when."""
    names = [f"{what} as {side}" for what in ("unbeatable", "converts") for side in SIDES]
    curves = {name: runs.curve(name) for name in names}
    games = curves[names[0]][0]
    return summarise(games, {name: values for name, (_, values) in curves.items()})


def summarise(games: Int64s, found: Found) -> ResultRow:
    """Count the runs of which it was proven; both sides must hold in the same run."""
    first, second = (found[f"unbeatable as {side}"] > 0 for side in SIDES)
    perfect = (found["converts as first"] > 0) & (found["converts as second"] > 0)
    both = first & second
    counted = {"first": first, "second": second, "both": both, "perfect": perfect}
    return {
        "games": games.tolist(),
        "unbeatable": {name: runs.sum(axis=0).tolist() for name, runs in counted.items()},
        "for_good": [for_good(games, run) for run in both],
        "perfect_for_good": [for_good(games, run) for run in perfect],
    }


def read_deep(runs: Runs) -> ResultRow:
    """Read certificates where there are some; else per cent of games won, mean and error."""
    if runs.condition.game == TICTACTOE:
        return read_proven(runs)
    tests = int(runs.condition.parameters["evaluations"][0].rpartition(":")[2])
    found: ResultRow = {"won": {}}
    for side in SIDES:
        games, values = runs.curve(f"won as {side} against {OPPONENT}")
        found["games"] = games.tolist()
        found["won"][side] = mean_and_error(100 * values / tests)
    return found


def for_good(games: Int64s, holds: npt.NDArray[np.bool_]) -> int | None:
    """Return from how many games on it held at every evaluation; None if not at last."""
    failures = np.flatnonzero(~holds)
    if not len(failures):
        return int(games[0])
    return int(games[failures[-1] + 1]) if failures[-1] + 1 < len(games) else None


PARTS = (
    Part(
        "tabular",
        "Algorithms 1 and 2: after how many games they are unbeatable",
        [
            *(tabular(TICTACTOE, variant) for variant in TABULAR),
            *(tabular(CONNECT4, variant) for variant in TABULAR if variant.name in ON_4X4),
        ],
        {TINY: 3, QUICK: 20, PAPER_SCALE: 200},
        read_proven,
        tiny=short_tabular,
    ),
    Part(
        "deep",
        "Algorithm 3 in tic-tac-toe and Connect Four",
        [deep(game, variant) for game, several in DEEP_VARIANTS.items() for variant in several],
        {TINY: 2, QUICK: 10, PAPER_SCALE: 100},
        read_deep,
        tiny=shorter(200),
    ),
)


# What is measured, and a claim of ours about the printed text


def median_of(since: Sequence[int | None]) -> float:
    """Return after how many games half of the runs were there for good; infinite if never."""
    reached = sorted(number for number in since if number is not None)
    half = -(-len(since) // 2)
    return reached[half - 1] if len(reached) >= half else math.inf


def median_games(since: str) -> Measure:
    """Return the median number of games of a condition after which runs were there for good."""
    return of_row(lambda row: exactly(median_of(row[since])))


SECOND = share_curve("unbeatable.second", game=TICTACTOE, variant=PRINTED)
CLAIMS = {"minimiser-acts-on-q1": below(SECOND.at(200_000), 5)}


# Tables


def median_text(measured: Measured, most: int) -> str:
    """Write a number of games, or that it was not reached."""
    reached = math.isfinite(measured.mean)
    return f"{measured.mean:,.0f}" if reached else f">{games_text(most)}"


def share_grid(game: str, what: str, title: str) -> Grid:
    """Per cent of runs over the numbers of games, and by when half of them were there for good."""
    since = "for_good" if what == "both" else "perfect_for_good"
    columns = {games_text(n): share_curve(f"unbeatable.{what}").at(n) for n in SHOWN[game]}
    return Grid(
        f"{TITLES[game]}: {title} on both sides, % of runs",
        "variant",
        {v.name: {"game": game, "variant": v.name} for v in TABULAR},
        {**columns, "median": median_games(since)},
        percent_text,
        {"median": partial(median_text, most=LENGTHS[game][0])},
    )


def side_grid(game: str) -> Grid:
    """Each side alone, on the way and at the end."""
    return Grid(
        f"{TITLES[game]}: unbeatable as first and as second, % of runs",
        "variant",
        {v.name: {"game": game, "variant": v.name} for v in TABULAR},
        {
            f"{short} {games_text(n)}": share_curve(f"unbeatable.{side}").at(n)
            for n in SHOWN[game][-3:]
            for short, side in (("1st", "first"), ("2nd", "second"))
        },
        percent_text,
    )


def deep_grid(game: str, shown: tuple[int, ...]) -> Grid:
    """As first and as second at the numbers of games that are shown."""
    kind, path = (share_curve, "unbeatable") if game == TICTACTOE else (curve, "won")
    what = "runs proven unbeatable" if game == TICTACTOE else f"games won against {OPPONENT}"
    return Grid(
        f"{TITLES[game]}, the deep player: {what}, %",
        "variant",
        {v.name: {"part": "deep", "game": game, "variant": v.name} for v in DEEP_VARIANTS[game]},
        {
            f"{short} {games_text(n)}": kind(f"{path}.{side}").at(n)
            for n in shown
            for short, side in (("1st", "first"), ("2nd", "second"))
        },
        percent_text,
        part="deep",
    )


def about(title: str, variants: tuple[Variant, ...], part: str = "") -> Made:
    """Return a table of what each variant is."""
    lines = tuple((variant.name, variant.about) for variant in variants)
    made = Table(("variant", "what it is"), lines, title, texts=(0, 1))
    return Made(lambda data: made if data.parts else None, part)


TABLES: dict[str, PaperTable] = {
    "variants": about("Variants of Algorithms 1 and 2", TABULAR),
    **{f"unbeatable-{game}": share_grid(game, "both", "unbeatable") for game in LENGTHS},
    **{f"perfect-{game}": share_grid(game, "perfect", "value-perfect") for game in LENGTHS},
    **{f"sides-{game}": side_grid(game) for game in LENGTHS},
    "deep-variants": about(
        "Variants of Algorithm 3", (*DEEP_VARIANTS[TICTACTOE], *DEEP_VARIANTS[CONNECT_FOUR]), "deep"
    ),
    f"deep-{TICTACTOE}": deep_grid(TICTACTOE, (20_000, 100_000, 200_000)),
    f"deep-{CONNECT_FOUR}": deep_grid(CONNECT_FOUR, SHOWN[CONNECT_FOUR]),
}


def curves(game: str) -> Curves:
    """Shares of runs over training games, with 95% bands where runs are many."""
    panels = {"both": "unbeatable on both sides", "perfect": "value-perfect on both sides"}
    return Curves(
        tuple(
            Panel(
                title,
                tuple(
                    Line(v.name, counted(f"unbeatable.{what}", game=game, variant=v.name))
                    for v in TABULAR
                    if game == TICTACTOE or v.name in ON_4X4
                ),
            )
            for what, title in panels.items()
        ),
        "share of runs",
        percent=True,
    )


def deep_curves(game: str) -> Curves:
    """The same of the deep player, by side."""

    def line(variant: Variant, side: str) -> Line:
        labels = {"part": "deep", "game": game, "variant": variant.name}
        if game == TICTACTOE:
            return Line(variant.name, counted(f"unbeatable.{side}", **labels))
        return Line(variant.name, averaged(lambda row: row["won"][side], **labels))

    return Curves(
        tuple(
            Panel(f"as {side}", tuple(line(variant, side) for variant in DEEP_VARIANTS[game]))
            for side in SIDES
        ),
        "share of runs proven unbeatable"
        if game == TICTACTOE
        else f"share of games won against {OPPONENT}",
        percent=True,
        log_x=False,
    )


def figure(name: str, caption: str, draw: Curves, part: str) -> Figure:
    """Wide enough for two panels."""
    return Figure(name, caption, draw, draw.has, (9.0, 4.2), part)


FIGURES = (
    *(
        figure(
            f"tabular-{game.replace(':', '-')}",
            f"{TITLES[game]}: share of runs by number of training games",
            curves(game),
            "tabular",
        )
        for game in LENGTHS
    ),
    *(
        figure(
            f"deep-{game.replace(':', '-')}",
            f"{TITLES[game]}: the deep player by number of training games",
            deep_curves(game),
            "deep",
        )
        for game in DEEP_VARIANTS
    ),
)


# What the prose asks for


def first_there(data: Data, game: str, since: str) -> ResultRow:
    """Return the variant that is there first, and those that are not."""
    found = {row["variant"]: median_of(row[since]) for row in data.rows(game=game)}
    there = {name: games for name, games in found.items() if math.isfinite(games)}
    best = min(there, key=lambda name: there[name]) if there else ""
    missing = [f"“{v.name}”" for v in TABULAR if v.name in found and v.name not in there]
    return {"best": best, "games": there.get(best), "missing": list_text(missing)}


VALUES: dict[str, Callable[[Data], object]] = {
    "fewest": lambda data: {
        game: {since: first_there(data, game, since) for since in ("for_good", "perfect_for_good")}
        for game in LENGTHS
    },
    "printed": lambda data: data.row(game=TICTACTOE, variant=PRINTED),
}
FINDINGS = (
    Finding(
        "**As printed, Algorithm 1 does not learn the second side**: after 200,000 games "
        "{minimiser-acts-on-q1} are unbeatable as second. As meant, the second player acts on its "
        "own table, and all three algorithms learn.",
        {"minimiser-acts-on-q1": MATCHES},
    ),
    Finding(
        "**The document publishes no results**, so every table and figure here is ours: after how "
        "many games an agent is proven unbeatable on both sides.",
    ),
)
OUTCOME = (
    Finding(
        "as printed, Algorithm 1 does not learn the second side; as meant, it does",
        {"minimiser-acts-on-q1": MATCHES},
    ),
)
PAPER = Paper(
    "max-min", PUBLISHED, PARTS, claims=CLAIMS, tables=TABLES, figures=FIGURES, values=VALUES,
    findings=FINDINGS, outcome=OUTCOME,
)  # fmt: skip
