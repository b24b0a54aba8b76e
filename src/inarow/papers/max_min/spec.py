"""The max-min document: after how many games can neither side be beaten?

It names no numbers and publishes no results, so the study is ours: each algorithm as intended, as
printed, and with the changes that were found to matter, evaluated by an exact walk over the game;
the deep player in Connect Four by games against the win/block player.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from inarow.papers.claims import Claim, above, below, equal
from inarow.papers.max_min import extra
from inarow.papers.measures import computed, curve_at, share_at
from inarow.papers.number_tests import Exactly
from inarow.papers.paper import Of, Paper, TableMaker
from inarow.papers.plots import Curves, Figure, Line, Panel, averaged, counted
from inarow.papers.published import Published
from inarow.papers.study import PAPER as PAPER_SCALE
from inarow.papers.study import QUICK, Condition, Part
from inarow.papers.tables import Grid, Table, games_text, percent_text
from inarow.papers.variants import Variant, read_variants

FOLDER = Path(__file__).parent
PUBLISHED = Published(FOLDER / "published.toml")
T3, C4, C67 = "tictactoe", "connect4:4x4", "connect4:6x7"
TITLES = {T3: "Tic-tac-toe", C4: "Connect-4 on 4x4", C67: "Connect Four"}
SIDES = ("first", "second")
PRINTED = "Q, remark as printed"
OPPONENT, TEST_GAMES = "attack-defense", 2_000  # games on each side at each evaluation

# What is run: the tabular players

VARIANTS = read_variants(FOLDER / "variants.toml")
TABULAR = VARIANTS["tabular"]
ON_4X4 = ("Q, skip", "Q, skip, symmetric", "TD(0.5)", "TD(0.5), cut, symmetric, 0.3")
LENGTHS = {  # games of a run, every how many it is evaluated, and every how many before the first
    T3: (200_000, 5_000, 500),
    C4: (5_000_000, 500_000, 100_000),
}
SHOWN = {
    T3: (5_000, 10_000, 50_000, 100_000, 200_000),
    C4: (500_000, 1_000_000, 2_000_000, 5_000_000),
    C67: (100_000, 200_000, 500_000, 1_000_000),
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
    runs = {QUICK: 1, PAPER_SCALE: 20} if game == C4 else None
    return Condition({"game": game, "variant": variant.name}, parameters, runs=runs)


# What is run: the deep player

DEEP_VARIANTS = {T3: VARIANTS["deep-tictactoe"], C67: VARIANTS["deep-connect4"]}
DEEP_GAMES = {"no shield": 1_000_000, "win/block shield": 500_000}


def deep(game: str, variant: Variant) -> Condition:
    """A variant of the deep player in a game."""
    tests = ["certificate"] if game == T3 else [f"sides:{OPPONENT}:{TEST_GAMES}"]
    every = 10_000 if game == T3 else 100_000
    parameters = {
        "game": game,
        "learner": "monte_carlo",
        **variant.changes,
        "games": DEEP_GAMES.get(variant.name, 200_000),
        "evaluate_every": every,
        "evaluations": tests,
    }
    runs = {QUICK: 2, PAPER_SCALE: 10} if game == C67 else None
    return Condition({"game": game, "variant": variant.name}, parameters, runs=runs)


PARTS = (
    Part(
        "tabular",
        "Algorithms 1 and 2: after how many games they are unbeatable",
        [
            *(tabular(T3, variant) for variant in TABULAR),
            *(tabular(C4, variant) for variant in TABULAR if variant.name in ON_4X4),
        ],
        {QUICK: 20, PAPER_SCALE: 200},
        extra.read_proven,
    ),
    Part(
        "deep",
        "Algorithm 3 in tic-tac-toe and Connect Four",
        [deep(game, variant) for game, several in DEEP_VARIANTS.items() for variant in several],
        {QUICK: 10, PAPER_SCALE: 100},
        partial(extra.read_deep, opponent=OPPONENT, tests=TEST_GAMES),
    ),
)

# What is compared

CLAIMS = (
    Claim(
        PUBLISHED.take("minimiser-acts-on-q1"),
        above(share_at("unbeatable.second", 200_000, game=T3, variant=PRINTED), 5),
        "% of runs unbeatable as second",
        1,
        "Q1 is written only where player 1 is to move, so player 2 goes on moving at random; "
        "when it acts on Q2, it learns",
    ),
    Claim(
        PUBLISHED.take("bars"),
        below(computed(extra.value_with_bars)),
        "after 50 lost games",
        0,
        "with bars the value keeps rising; brackets are meant",
    ),
    Claim(
        PUBLISHED.take("difference-in-the-loop"),
        equal(computed(extra.deviation_in_loop), Exactly(6)),
        "in V",
        3,
        "V(s) is itself updated in the loop; the difference must be computed once, before it",
    ),
)

# What is shown


def share_grid(game: str, what: str, title: str) -> Grid:
    """Per cent of runs over the numbers of games, and by when half of them were there for good."""
    since = "for_good" if what == "both" else "perfect_for_good"
    columns = {games_text(n): share_at(f"unbeatable.{what}", n) for n in SHOWN[game]}
    return Grid(
        f"{TITLES[game]}: {title} on both sides, % of runs",
        "variant",
        {v.name: {"game": game, "variant": v.name} for v in TABULAR},
        {**columns, "median": extra.median_games(since)},
        percent_text,
        {"median": partial(extra.median_text, most=LENGTHS[game][0])},
    )


def side_grid(game: str) -> Grid:
    """Each side alone, on the way and at the end."""
    return Grid(
        f"{TITLES[game]}: unbeatable as first and as second, % of runs",
        "variant",
        {v.name: {"game": game, "variant": v.name} for v in TABULAR},
        {
            f"{short} {games_text(n)}": share_at(f"unbeatable.{side}", n)
            for n in SHOWN[game][-3:]
            for short, side in (("1st", "first"), ("2nd", "second"))
        },
        percent_text,
    )


def deep_grid(game: str, shown: tuple[int, ...]) -> Grid:
    """As first and as second at the numbers of games that are shown."""
    at, path = (share_at, "unbeatable") if game == T3 else (curve_at, "won")
    what = "runs proven unbeatable" if game == T3 else f"games won against {OPPONENT}"
    return Grid(
        f"{TITLES[game]}, the deep player: {what}, %",
        "variant",
        {v.name: {"part": "deep", "game": game, "variant": v.name} for v in DEEP_VARIANTS[game]},
        {
            f"{short} {games_text(n)}": at(f"{path}.{side}", n)
            for n in shown
            for short, side in (("1st", "first"), ("2nd", "second"))
        },
        percent_text,
    )


def about(variants: tuple[Variant, ...]) -> TableMaker:
    """What each variant is."""
    lines = tuple((variant.name, variant.about) for variant in variants)
    made = Table(("variant", "what it is"), lines, texts=(0, 1))
    return lambda data, rows: made if data.parts or rows else None


TABLES: dict[str, TableMaker | Of] = {
    "variants": about(TABULAR),
    **{f"unbeatable-{game}": share_grid(game, "both", "unbeatable") for game in LENGTHS},
    **{f"perfect-{game}": share_grid(game, "perfect", "value-perfect") for game in LENGTHS},
    **{f"sides-{game}": side_grid(game) for game in LENGTHS},
    "deep-variants": Of("deep", about((*DEEP_VARIANTS[T3], *DEEP_VARIANTS[C67]))),
    f"deep-{T3}": Of("deep", deep_grid(T3, (20_000, 100_000, 200_000))),
    f"deep-{C67}": Of("deep", deep_grid(C67, SHOWN[C67])),
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
                    if game == T3 or v.name in ON_4X4
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
        if game == T3:
            return Line(variant.name, counted(f"unbeatable.{side}", **labels))
        return Line(variant.name, averaged(lambda row: row["won"][side], **labels))

    return Curves(
        tuple(
            Panel(f"as {side}", tuple(line(variant, side) for variant in DEEP_VARIANTS[game]))
            for side in SIDES
        ),
        "share of runs proven unbeatable"
        if game == T3
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
VALUES = extra.values(TABULAR, LENGTHS, T3, PRINTED)
PAPER = Paper("max-min", FOLDER, PUBLISHED, PARTS, (), CLAIMS, None, TABLES, FIGURES, VALUES)
