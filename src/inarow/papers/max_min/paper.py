"""The max-min document: the number of games after which neither side can be beaten.

The algorithms are `learn/tabular/q.py`, `learn/tabular/td_lambda.py` and `learn/monte_carlo`. Here
is what is shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

from inarow.game.position import SIDES
from inarow.papers.claims import below
from inarow.papers.figures import Curves, Figure, Line, Panel, averaged, counted
from inarow.papers.max_min.study import (
    CONNECT_FOUR,
    DEEP_VARIANTS,
    LENGTHS,
    ON_4X4,
    OPPONENT,
    PARTS,
    PRINTED,
    PUBLISHED,
    SHOWN,
    TABULAR,
    TICTACTOE,
    TITLES,
)
from inarow.papers.measures import (
    Data,
    Measure,
    Measured,
    ResultRow,
    curve,
    exactly,
    of_row,
    share_curve,
)
from inarow.papers.paper import Finding, Paper
from inarow.papers.tables import Grid, Made, PaperTable, Table, games_text, list_text, percent_text
from inarow.papers.variants import Variant
from inarow.papers.verdicts import MATCHES

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


def about(variants: tuple[Variant, ...], part: str = "") -> Made:
    """Return a table of what each variant is."""
    lines = tuple((variant.name, variant.about) for variant in variants)
    made = Table(("variant", "what it is"), lines, texts=(0, 1))
    return Made(lambda data: made if data.parts else None, part)


TABLES: dict[str, PaperTable] = {
    "variants": about(TABULAR),
    **{f"unbeatable-{game}": share_grid(game, "both", "unbeatable") for game in LENGTHS},
    **{f"perfect-{game}": share_grid(game, "perfect", "value-perfect") for game in LENGTHS},
    **{f"sides-{game}": side_grid(game) for game in LENGTHS},
    "deep-variants": about((*DEEP_VARIANTS[TICTACTOE], *DEEP_VARIANTS[CONNECT_FOUR]), "deep"),
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
PAPER = Paper(
    "max-min", PUBLISHED, PARTS, claims=CLAIMS, tables=TABLES, figures=FIGURES, values=VALUES,
    findings=FINDINGS,
)  # fmt: skip
