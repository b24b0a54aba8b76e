"""The n-dimensional paper: modified SARSA for the 3x3 grid, a policy gradient for any grid.

The agents are `learn/tabular/sarsa.py` and `learn/reinforce`. `runs` says what is run, `claims`
what is compared; here is what is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product

from inarow.lab.plot_style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILION
from inarow.learn.reinforce.agent import MOST_LINES
from inarow.papers.measures import Measure, Measured
from inarow.papers.n_dimensional import extra, runs
from inarow.papers.n_dimensional.baselines import PLAYERS
from inarow.papers.n_dimensional.claims import CLAIMS
from inarow.papers.n_dimensional.exact import OPPONENTS, SIDES
from inarow.papers.n_dimensional.extra import at_end, baseline, over_episodes, runs_that, share
from inarow.papers.n_dimensional.runs import CUBE, DESCRIBED, FOUR, GAMES, LEARNERS, PLANE, SOUND
from inarow.papers.n_dimensional.shares import NEVER_LOSES, OPTIMAL, UNBEATABLE
from inarow.papers.paper import Of, Paper, TableMaker
from inarow.papers.plots import Curves, Figure, Level, Line, Panel, Style, averaged
from inarow.papers.study import PAPER as PAPER_SCALE
from inarow.papers.tables import Grid
from inarow.papers.variants import Variants

POLICY_VARIANTS = Variants(runs.POLICY_VARIANTS, runs.VARIED)
# The paper's figures: trainer and opponent, as first and then as second; board and opponent
SARSA_FIGURES = {3: ("random", "random"), 5: ("advanced", "advanced"), 7: ("random", "advanced")}
POLICY_FIGURES = {
    9: (PLANE, "random"), 10: (CUBE, "random"), 11: (CUBE, "advanced"), 12: (FOUR, "random"),
    13: (FOUR, "advanced"),
}  # fmt: skip
CERTAIN = (NEVER_LOSES, UNBEATABLE, OPTIMAL)

# Figures

DOTTED = (0, (1, 2))
END_STYLES: dict[str, Style] = {
    "won": (BLUE, "-"), "drawn": (GREY, (0, (5, 1.5))), "lost": (VERMILION, (0, (6, 2, 1, 2))),
}  # fmt: skip
PLAYER_STYLES: dict[str, Style] = {
    "random": (GREY, (0, (1, 3))), "advanced": (GREEN, (0, (1, 1))),
    MOST_LINES: (ORANGE, (0, (3, 1, 1, 1))), "greedy-lines": (PURPLE, (0, (4, 1.5))),
}  # fmt: skip
LEARNER_STYLES: dict[str, Style] = {
    DESCRIBED: (VERMILION, (0, (6, 2, 1, 2))), SOUND: (BLUE, "-"), runs.LINE_TD: (BLACK, "-"),
}  # fmt: skip


def level(label: str, measure: Measure, style: Style, on_line: bool = True) -> Level:
    """Of a measure."""
    return Level(label, lambda data: extra.mean(measure(data)), style, on_line)


def sarsa_panel(number: int, trainer: str, opponent: str, side: str) -> Panel:
    """One of Figures 3 to 8, with what the paper's rewards make best as level lines."""
    said = {"drawn": "the same, for optimal play by the paper's rewards"}  # "_": in no legend
    lines, levels = list[Line](), list[Level]()
    for end, style in END_STYLES.items():
        measure = share(f"{end} as {side} against {opponent}")
        best = extra.best(opponent, side, end)
        lines.append(Line(end, over_episodes(measure, trainer=trainer), style))
        levels.append(level(said.get(end, "_"), best, (style[0], DOTTED), on_line=False))
    return Panel(f"Figure {number}: the agent plays {side}", tuple(lines), tuple(levels))


def players(what: str, opponent: str, game: str, said: str, names: tuple[str, ...]) -> list[Level]:
    """What players that learned nothing do, as level lines."""
    measures = {name: baseline(what, opponent, game=game, player=name) for name in names}
    return [level(name + said, m, PLAYER_STYLES[name]) for name, m in measures.items()]


def policy_panel(game: str, opponent: str, variant: str) -> Panel:
    """One of Figures 9 to 13 for a version; level lines are what others win."""
    labels = {"part": runs.POLICY, "game": game, "variant": variant}
    lines = (
        Line(end, averaged(f"shares.{opponent}.{end}", **labels), style)
        for end, style in END_STYLES.items()
    )
    levels = players("won", opponent, game, " wins", PLAYERS[:3])  # the last is like the third
    if game == PLANE:
        levels.append(level("most wins", extra.most_wins, (BLACK, DOTTED)))
    return Panel(variant, tuple(lines), tuple(levels))


def lines_curves(game: str) -> Curves:
    """Lines ahead of advanced over training, of three learners and the baselines."""
    labels = {"part": runs.POLICY, "game": game}
    lines = tuple(
        Line(name, averaged("lines.advanced", variant=name, **labels), style)
        for name, style in LEARNER_STYLES.items()
    )
    panel = Panel("", lines, tuple(players("lines", "advanced", game, "", PLAYERS)))
    return Curves((panel,), "lines ahead of advanced per game", beside=True)


def run_panel(title: str, lines: dict[str, tuple[Measure, dict[str, str]]]) -> Panel:
    """Per cent of runs over episodes: measures, and of which condition."""
    made = (Line(name, over_episodes(measure, **at)) for name, (measure, at) in lines.items())
    return Panel(title, tuple(made))


def by_episodes(panels: Sequence[Panel], ylabel: str = "share of runs") -> Curves:
    """Over training episodes, in per cent."""
    return Curves(tuple(panels), ylabel, "training episodes", percent=True)


def figures() -> dict[str, tuple[str, Curves, str]]:
    """By name: caption, drawing, and part."""
    made: dict[str, tuple[str, Curves, str]] = {}
    for n, (trainer, other) in SARSA_FIGURES.items():
        caption = f"Figures {n} and {n + 1}. Trained on {trainer}, tested against {other}; "
        panels = [sarsa_panel(n + place, trainer, other, s) for place, s in enumerate(SIDES)]
        draw = by_episodes(panels, f"share of games against {other}")
        made[f"figures-{n}-{n + 1}"] = f"{caption}bands are 95% intervals", draw, ""
    for trainer in OPPONENTS:
        at = {"trainer": trainer}
        panels = [run_panel(f"as {s}", {k: (runs_that(k, s), at) for k in CERTAIN}) for s in SIDES]
        caption = f"Percentage of runs that never lose or play best, trained on {trainer}"
        made[f"never-lose-{trainer}"] = caption, by_episodes(panels), ""
    names = [v.name for v in runs.LONG_RUN]
    for side in SIDES:
        never = runs_that(NEVER_LOSES, side)
        panels = [
            run_panel(f"trained on {o}", {n: (never, {"trainer": o, "variant": n}) for n in names})
            for o in OPPONENTS
        ]
        caption = f"Percentage of runs that never lose to their trainer as {side}, by variant"
        made[f"variants-{side}"] = caption, by_episodes(panels), ""
    for n, (game, other) in POLICY_FIGURES.items():
        trainer = "random" if game == PLANE else "advanced"
        caption = f"Figure {n}. {GAMES[game]}, trained on {trainer}, tested against {other}; "
        shown = tuple(policy_panel(game, other, version) for version in (DESCRIBED, SOUND))
        draw = Curves(shown, f"share of games against {other}", percent=True)
        name = f"figure-{n}-{GAMES[game]}-{other}"
        made[name] = f"{caption}horizontal lines are baseline players", draw, runs.POLICY
    for game in (CUBE, FOUR):
        caption = f"{GAMES[game]}: lines ahead of advanced per game, over training"
        made[f"lines-ahead-{GAMES[game]}"] = caption, lines_curves(game), runs.POLICY
    return made


FIGURES = tuple(
    Figure(name, caption, draw, draw.has, (9.0, 4.2), part)
    for name, (caption, draw, part) in figures().items()
)
# Tables


Texts = dict[str, Callable[[Measured], str]]
LEARNER_ROWS = {
    f"{GAMES[one.game]}, {one.variant}": {"game": one.game, "variant": one.variant}
    for one in LEARNERS
}
SPECIAL: Texts = {"lines": lambda m: f"{m.mean:+.1f}", "games": lambda m: f"{m.mean:,.0f}"}


def one_digit(measured: Measured) -> str:
    """As most shares are shown."""
    return f"{measured.mean:.1f}"


def figure_tables() -> dict[str, TableMaker | Of]:
    """What each panel of a figure shows, as numbers."""
    return {
        f"{figure.name}-{place}": Of(
            figure.part or "sarsa", figure.draw.as_table(place, f"{name}: {panel.title}")
        )
        for figure in FIGURES
        if isinstance(figure.draw, Curves)
        for name in [figure.caption.partition(";")[0]]
        for place, panel in enumerate(figure.draw.panels)
        if panel.title
    }


def early() -> Grid:
    """All variants of SARSA after a short training."""
    return Grid(
        "SARSA: percentage of runs that never lose to their trainer after 4,000 episodes",
        "variant",
        {v.name: {"variant": v.name, "episodes": 4_000} for v in runs.VARIANTS.all},
        {
            f"{trainer}, as {side}": partial(runs_that(NEVER_LOSES, side), trainer=trainer)
            for trainer, side in product(OPPONENTS, SIDES)
        },
        one_digit,
    )


def search_grid(episodes: int) -> Grid:
    """The search for alpha and epsilon, at one training length."""
    return Grid(
        f"SARSA: percentage of runs that never lose to random as first after {episodes:,} "
        "episodes, by alpha (rows) and epsilon (columns)",
        "alpha",
        {f"`{one}`": {"alpha": one, "episodes": episodes} for one in runs.ALPHAS},
        {f"`{one}`": partial(extra.in_grid, epsilon=one) for one in runs.EPSILONS},
        one_digit,
    )


def policy_variants() -> Grid:
    """What each variant of the policy gradient wins."""
    return Grid(
        f"3-D, after {runs.VARIED_GAMES[PAPER_SCALE]:,} games: games won, %, with 95% intervals",
        "variant",
        {v.name: {"variant": v.name} for v in runs.POLICY_VARIANTS},
        {opponent: extra.varied(f"shares.{opponent}.won") for opponent in runs.TESTED},
        lambda m: f"{m.mean:.1f} ({max(m.low or 0.0, 0.0):.1f} to {m.high or 0.0:.1f})",
    )


def learners_at_end() -> Grid:
    """All learners after their last game."""
    return Grid(
        "After training: games won, %, against each opponent; lines ahead of advanced",
        "learner",
        LEARNER_ROWS,
        {
            "games": extra.games_played,
            **{opponent: at_end(f"shares.{opponent}.won") for opponent in runs.TESTED},
            "lines": at_end("lines.advanced"),
        },
        one_digit,
        SPECIAL,
    )


def baseline_players() -> Grid:
    """The same of players that learned nothing."""
    return Grid(
        "Baseline players: games won, %, against each opponent; lines ahead of advanced",
        "player",
        {f"{GAMES[g]}, {p}": {"game": g, "player": p} for g, p in product(GAMES, PLAYERS)},
        {
            **{opponent: baseline("won", opponent) for opponent in runs.TESTED},
            "lines": baseline("lines", "advanced"),
        },
        one_digit,
        SPECIAL,
    )


def speed() -> Grid:
    """What training costs."""
    return Grid(
        "CPU-seconds of training on one core",
        "learner",
        LEARNER_ROWS,
        {"1,000 games": extra.seconds(1_000)},
        lambda m: f"{m.mean:.3g}",
    )


TABLES: dict[str, TableMaker | Of] = {
    **figure_tables(),
    "ceilings": extra.ceiling_table,
    "variants": lambda *_: runs.VARIANTS.table(),
    "early": early(),
    **{f"grid-{n}": Of(runs.SEARCH, search_grid(n)) for n in runs.SEARCH_EPISODES},
    "policy-variants": Of(runs.VARIED, policy_variants()),
    "policy-variants-about": Of(runs.VARIED, lambda *_: POLICY_VARIANTS.table()),
    "end": Of(runs.POLICY, learners_at_end()),
    "baselines": Of(runs.POLICY, baseline_players()),
    "speed": Of(runs.SPEED, speed()),
}
PAPER = Paper(
    "n-dimensional", runs.FOLDER, runs.PUBLISHED, runs.PARTS, (), CLAIMS, None, TABLES, FIGURES,
    extra.VALUES,
)  # fmt: skip
