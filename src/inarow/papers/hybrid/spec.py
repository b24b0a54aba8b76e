"""The hybrid paper: one tabular TD agent, six trainers, two games.

The agent is `learn/tabular/td.py`, the trainers are rule players. `runs` says what is run,
`claims` what is compared; here is what is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from inarow.lab.plot_style import BLACK, BLUE, GREEN, ORANGE, SKY, VERMILION, plain_number
from inarow.papers.hybrid import extra, pictures
from inarow.papers.hybrid.claims import CLAIMS, COLUMNS, HEADS, SAMPLED, TABLE_NAMES
from inarow.papers.hybrid.runs import (
    BEST,
    C4,
    FOLDER,
    GAMES,
    MOST,
    PARTS,
    PUBLISHED,
    T3,
    TRAINERS,
    VARIANTS,
    WINDOW,
)
from inarow.papers.measures import Data, Measured, exactly, final
from inarow.papers.paper import Of, Paper, TableMaker, of_column
from inarow.papers.plots import CurvePoint, Curves, Figure, Line, Panel, Style, averaged
from inarow.papers.results import Stored
from inarow.papers.tables import Grid, Table, plus_minus
from inarow.papers.verdicts import Row


def paper_games(data: Data, trainer: str) -> Measured:
    """Of Table 1, in Connect-4."""
    del data
    return exactly(COLUMNS[0].entry.numbers[C4][trainer])


TIES = Grid(
    "Connect-4 on 4x4: training games", "trainer",
    {trainer: {"trainer": trainer} for trainer in TRAINERS},
    {
        "paper": paper_games,
        "random among best": final("games", game=C4),
        "literal": final("games", game=C4, part="ties"),
    },
    partial(plus_minus, digits=0),
)  # fmt: skip


def tables() -> dict[str, TableMaker | Of]:
    """By name."""
    made: dict[str, TableMaker | Of] = {}
    for game, title in GAMES.items():
        for name, (table, _) in TABLE_NAMES.items():
            maker = of_column(name, "trainer", f"{title}, {table}", game=game)
            made[f"{name}-{game}"] = Of("speed", maker) if "seconds" in name else maker
        made[f"exact-{game}"] = partial(extra.exact_table, game=game, title=title, most=MOST)
    made["ties"] = Of("ties", TIES)
    made["variants"] = Of("variants", _variants)
    for game in GAMES:
        made[f"summary-{game}"] = Of("variants", partial(_summary, game=game))
        for trainer in TRAINERS:
            made[f"{trainer}-{game}"] = Of(
                "variants", partial(_details, game=game, trainer=trainer)
            )
    return made


def _variants(data: Data, rows: Sequence[Row]) -> Table | None:
    del rows
    return VARIANTS.table() if data.results(VARIANTS.part) else None


def _summary(data: Data, rows: Sequence[Row], game: str) -> Table | None:
    del rows
    return VARIANTS.summary(data, SAMPLED, HEADS, game=game)


def _details(data: Data, rows: Sequence[Row], game: str, trainer: str) -> Table | None:
    del rows
    return VARIANTS.details(data, SAMPLED, HEADS, game=game, trainer=trainer)


STYLES: dict[str, Style] = {
    "attack-defense": (BLUE, "-"),
    "random": (BLACK, ":"),
    "defense-attack": (SKY, (0, (5, 1.5))),
    "attack": (VERMILION, (0, (6, 2, 1, 2))),
    "defense": (ORANGE, (0, (3, 1.5))),
    "combined": (GREEN, (0, (4, 1.5, 1, 1.5, 1, 1.5))),
}


Heights = Callable[[Stored], Sequence[CurvePoint]]


def panel(game: str, title: str, heights: Heights) -> Panel:
    """A line for each trainer."""
    lines = (
        Line(trainer, averaged(heights, "curve.games", game=game, trainer=trainer), STYLES[trainer])
        for trainer in TRAINERS
    )
    return Panel(title, tuple(lines))


def curves(game: str, what: str, ylabel: str, xlim: tuple[int, int]) -> Curves:
    """One panel of them."""
    return Curves(
        (panel(game, "", lambda row: row["curve"][what]),), ylabel, xlim=xlim, beside=True
    )


def ratios(game: str) -> Curves:
    """In the published window, and in a shorter one, which has no step where it becomes full."""
    panels = (
        panel(game, f"of the last {WINDOW:,} games", lambda row: row["curve"]["ratio"]),
        panel(game, f"of the last {extra.SHORT_WINDOW:,} games", extra.short_ratio),
    )
    return Curves(
        panels, "games lost", xlim=(100, 1_000_000), log_y=True, ylim=(1e-5, 1), ytext=percent,
        finish=pictures.mark_windows,
    )  # fmt: skip


def percent(share: float, _: object = None) -> str:
    """For an axis of shares."""
    return f"{100 * share:.6g}%"


def figures() -> tuple[Figure, ...]:
    """Figures 3 to 14."""
    lost = f"games lost, of the last {WINDOW:,}"
    made = [*pictures.small_pictures(T3, BEST, WINDOW)]
    for game, first in ((T3, 5), (C4, 10)):
        drawn = (
            ("loss-ratio", "Share of games lost in training, in two window sizes", ratios(game)),
            ("loss-ratio-enlarged", "The same after 100,000 games, below 0.1% on a linear scale",
             replace(curves(game, "ratio", lost, (100_000, 1_000_000)), log_x=False,
                     ytext=percent, finish=pictures.with_zero)),
            ("games-lost", "Games lost so far",
             replace(curves(game, "lost", "games lost so far", (100, MOST)), log_y=True,
                     ytext=plain_number)),
        )  # fmt: skip
        made += [
            Figure(
                f"figure-{number}-{name}",
                f"Figure {number}. {caption}",
                draw,
                draw.has,
                (9.0, 4.6) if len(draw.panels) > 1 else (8.0, 4.0),
            )
            for number, (name, caption, draw) in enumerate(drawn, start=first)
        ]
        made += pictures.bars(game, first + 3, TRAINERS)
    return tuple(made)


PAPER = Paper(
    "hybrid", FOLDER, PUBLISHED, PARTS, COLUMNS, CLAIMS, VARIANTS, tables(), figures(),
    extra.values(T3, C4, COLUMNS[0].entry, MOST, TRAINERS),
)  # fmt: skip
