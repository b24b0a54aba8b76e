"""All learners compared: which one to take for a game and a second of CPU time, or ten.

A study of our own, described as the papers are. `study` says how agents are judged and what is
run, `claims` how runs are compared; here is what is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from inarow.lab.plots.plot import BLUE, GREEN, GREY, STYLES, VERMILION, Style
from inarow.papers.figures import Draw, Figure
from inarow.papers.learners import claims
from inarow.papers.learners.study import (
    BUDGETS,
    FILTER_GAMES,
    FILTERS,
    LEARNERS,
    LONG,
    PARTS,
    PUBLISHED,
    RATES,
    SCORINGS,
    default_of,
)
from inarow.papers.measures import Data, from_values
from inarow.papers.paper import Paper
from inarow.papers.speed import SPEED
from inarow.papers.study import PAPER as PAPER_SCALE
from inarow.papers.tables import Made, PaperTable, Table, games_text, list_text
from inarow.papers.verdicts import TOO_FEW

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

NEAR_THE_END = 0.995  # of a scale that ends at 1: learners above it are hardly told apart
FILTER_WORDS: dict[object, str] = {  # by the default of the option
    None: "none", "none": "none", "win": "win", "block": "win, block",
    "safe": "win, block, safe", True: "win, block, safe", False: "none",
}  # fmt: skip

# Tables


def runs_table(data: Data) -> Table | None:
    """Return which runs there are, and the smallest difference that they can detect."""
    lines = []
    for game, judge in SCORINGS.items():
        able = sum(base.plays(game) for base in LEARNERS)
        cells = []
        for part in BUDGETS:
            field = claims.entrants(data, game, part)
            if BUDGETS[part] > 10 and game not in LONG:
                cells += ["not planned", ""]
            elif not field:
                cells += [f"0 of {able} learners", ""]
            else:
                runs, least = claims.detectable(field)
                most = max(len(one.merit) for one in field)
                several = f"{runs}" if runs == most else f"{runs} to {most}"
                cells += [f"{len(field)} of {able} learners, {several} runs", f"{100 * least:.1f}"]
        lines.append((judge.title, *cells))
    heads = [head for part in BUDGETS for head in (part, "detectable difference, points")]
    return Table(("game", *heads), tuple(lines), texts=(0, 1, 3, 5)) if data.parts else None


def rates(data: Data) -> Table | None:
    """Return training games per CPU-second."""
    lines = tuple(
        (
            claims.code(base.name),
            *(
                games_text(RATES[game][base.name]) if base.name in RATES[game] else ""
                for game in SCORINGS
            ),
        )
        for base in LEARNERS
    )
    return Table(("learner", *SCORINGS), lines) if data.parts else None


def of_game(game: str) -> Made:
    """Return a line for each learner: the measure after each budget, and who cannot be beaten."""

    def make(data: Data) -> Table | None:
        parts = claims.budgets(data, game)
        judge = SCORINGS[game]
        lines = []
        for base in LEARNERS:
            cells = [claims.code(base.name)]
            for part in parts:
                row = claims.find(data, game, part, base.name)
                cells.append("" if row is None else claims.mean_text(game, row))
                if judge.beaten is not None:
                    proven = None if row is None else claims.unbeatable(game, row)
                    cells.append("" if proven is None else claims.estimate_text(proven, 0))
            if any(cells[1:]):
                lines.append(tuple(cells))
        heads = []
        for part in parts:
            heads += [f"{judge.measure}, {part}"]
            heads += [f"unbeatable, {part}"] if judge.beaten is not None else []
        title = f"{judge.title[0].upper()}{judge.title[1:]}: % (95% interval)"
        if not lines:  # said, rather than left out
            return Table(("learner", judge.measure), (("not run", ""),), title)
        return Table(("learner", *heads), tuple(lines), title)

    return Made(make)


def of_question(part: str) -> Made:
    """Return a line for each comparison."""

    def line(effect: claims.Effect) -> tuple[str, ...]:
        gain, better = effect.gain, effect.better
        return (
            SCORINGS[effect.game].title, claims.code(effect.variant), claims.code(effect.base),
            effect.what, f"{gain.value:+.1f} ({gain.low:+.1f} to {gain.high:+.1f})",
            f"{100 * better.value:.0f}% ({100 * better.low:.0f}-{100 * better.high:.0f})",
            str(effect.runs), f"{effect.least:.1f}" if effect.least else "identical runs",
            effect.verdict,
        )  # fmt: skip

    def make(data: Data) -> Table | None:
        lines = tuple(map(line, claims.effects(data, part)))
        heads = ("game", "variant", "baseline", "change", "gain, points",
                 "probability of improvement", "runs", "detectable", "verdict")  # fmt: skip
        return Table(heads, lines, texts=(0, 1, 2, 3, 8)) if lines else None

    return Made(make, part)


def defaults(data: Data) -> Table | None:
    """Return what differs between learners by default: filter, trainer, random games."""
    lines = tuple(
        (
            claims.code(base.name),
            FILTER_WORDS[default_of(base.name, "shield")],
            base.against or "itself",
            "" if base.against is None else str(default_of(base.name, "random_games") or "none"),
        )
        for base in LEARNERS
    )
    heads = ("learner", "tactical filter", "trained against", "trainer's random games")
    return Table(heads, lines, texts=(0, 1, 2, 3)) if data.parts else None


def of_filter(part: str) -> Made:
    """Return a line for each learner: the measure of each game with all filters off, or on.

    With filters off all learners stand in it, with filters on those that can have one.
    """

    def make(data: Data) -> Table | None:
        shown = list(FILTERS[part]) if part == "filter-on" else [base.name for base in LEARNERS]
        lines = []
        for name in shown:
            rows = [claims.filter_row(data, game, part, name) for game in FILTER_GAMES]
            cells = [
                "" if row is None else claims.mean_text(game, row)
                for game, row in zip(FILTER_GAMES, rows, strict=True)
            ]
            if any(cells):
                runs = min(row["runs"] for row in rows if row is not None)
                lines.append((claims.code(name), *cells, str(runs)))
        heads = [f"{SCORINGS[game].title}: {SCORINGS[game].measure}" for game in FILTER_GAMES]
        title = f"Tactical {part.replace('-', ' ')} for all: % (95% interval)"
        return Table(("learner", *heads, "runs"), tuple(lines), title) if lines else None

    return Made(make, part)


def saturated(data: Data) -> str:
    """Name the games where the best learner reaches the end of the scale."""
    found = [
        judge.title
        for game, judge in SCORINGS.items()
        if (part := claims.longest(data, game)) is not None
        and any(one.merit.mean() > NEAR_THE_END for one in claims.entrants(data, game, part))
    ]
    return list_text(found)


def findings(data: Data) -> list[str]:
    """Return three sentences: who is best where, and what two changes give."""
    best: dict[str, list[str]] = {}
    for game, judge in SCORINGS.items():
        if (advice := claims.advise(data, game)) is not None:
            for name in (advice.best.name, *advice.as_good):
                best.setdefault(name, []).append(judge.title)
    order = sorted(best, key=lambda name: -len(best[name]))
    where = "; ".join(f"{claims.code(name)} in {list_text(best[name])}" for name in order)
    said = [f"The best mean, with default options and the longest budget: {where}."] if best else []
    for part, change in (("hybrid", "Random games of a trainer"), ("symmetry", "Sharing")):
        found = [effect.verdict for effect in claims.effects(data, part)]
        tried = len(found) - found.count(TOO_FEW)
        if tried:
            said.append(
                f"{change} helped in {found.count('helps')} and hurt in {found.count('hurts')} of "
                f"{tried} comparisons of learners; in the others no effect was seen."
            )
    return said


def processor(data: Data) -> str:
    """Return the processor on which rates were measured."""
    results = data.results("speed")
    return "a machine" if results is None else results.made_with["processor"]


def speed_ratio(data: Data) -> str:
    """Return how far a second measurement of speeds was from the first, at the most.

    Budgets follow from the first.
    """
    speeds = [row["finals"][SPEED] for row in data.rows(part="speed")]
    ratios = [max(found) / min(found) for found in speeds if len(found) > 1]
    if not ratios:
        return ""
    return (
        f" A second measurement differed from the first by a factor of {np.median(ratios):.2f} in "
        f"the median and {max(ratios):.1f} at most."
    )


TABLES: dict[str, PaperTable] = {
    "there": Made(runs_table),
    "rates": Made(rates),
    **{game: of_game(game) for game in SCORINGS},
    **{part: of_question(part) for part in claims.PAIRS},
    "defaults": Made(defaults),
    **{part: of_filter(part) for part in FILTERS},
}
VALUES: dict[str, Callable[[Data], object]] = {
    "games": lambda data: list(SCORINGS),
    "processor": processor,
    "speed-ratio": speed_ratio,
    "findings": findings,
    "saturated": saturated,
    "filter-effects": claims.filter_effects,
    "fewest": lambda data: min(part.runs[PAPER_SCALE] for part in PARTS if part.name in BUDGETS),
    "least-improvement": lambda data: f"{100 * claims.least_improvement(10):.0f}%",
    **{f"advice-{game}": partial(claims.advice_text, game=game) for game in SCORINGS},
    **{f"answer-{part}": partial(claims.answer, part=part) for part in claims.PAIRS},
}


# Figures: performance profiles, means over budgets, probabilities of improvement

NAMES = tuple(base.name for base in LEARNERS)
NINTH: Style = ("#882255", (0, (8, 2)))  # there are eight styles and nine learners
STYLE_OF = dict(zip(NAMES, (*STYLES, NINTH), strict=True))
MARKS = ((BLUE, "o"), (VERMILION, "s"), (GREEN, "^"))  # of the budgets
COLUMNS = 4
THRESHOLDS = np.linspace(0, 1, 201)


def panels(canvas: Canvas, draw: Callable[[Axes, str], str], xlabel: str) -> Axes:
    """Draw a panel for each game, which `draw` fills and names; what is left is for the legend."""
    rows = -(-(len(SCORINGS) + 1) // COLUMNS)
    every: list[Axes] = list(canvas.subplots(rows, COLUMNS, sharex=True, sharey=True).flat)
    for axes, game in zip(every, SCORINGS, strict=False):
        axes.set_title(draw(axes, game), loc="left", fontsize=10)
        if not axes.lines:
            axes.text(0.5, 0.3, "not run", transform=axes.transAxes, ha="center", color=GREY)
        axes.tick_params(labelbottom=True)
        axes.set_xlabel(xlabel)
        axes.set_xlim(-0.03, 1.03)
        axes.xaxis.set_major_formatter(percent)
    for axes in every[len(SCORINGS) :]:
        axes.set_axis_off()
    return every[-1]


def percent(value: float, _: object) -> str:
    """Write the ticks of an axis of shares."""
    return f"{100 * value:.0f}%"


def profiles(canvas: Canvas, data: Data) -> None:
    """Draw the share of a learner's runs above each level, by game, with its longest budget."""

    def draw(axes: Axes, game: str) -> str:
        part = claims.longest(data, game)
        for one in claims.entrants(data, game, part) if part else ():
            colour, dashes = STYLE_OF[one.name]
            above = (one.merit[:, None] > THRESHOLDS[None, :]).mean(axis=0)
            axes.plot(THRESHOLDS, above, color=colour, linestyle=dashes, linewidth=1.6)
        axes.set_ylim(-0.03, 1.03)
        axes.yaxis.set_major_formatter(percent)
        return f"{SCORINGS[game].title}, {part or 'not run'}"

    rest = panels(canvas, draw, "level; 100% is best")
    canvas.supylabel("runs above the level", fontsize=10)
    for name, (colour, dashes) in STYLE_OF.items():
        rest.plot([], [], color=colour, linestyle=dashes, label=name)
    rest.legend(loc="center", handlelength=3.6)


def means(canvas: Canvas, data: Data) -> None:
    """Draw a mean and its 95% interval for each learner and budget."""

    def draw(axes: Axes, game: str) -> str:
        for number, part in enumerate(BUDGETS):
            for one in claims.entrants(data, game, part):
                found = from_values(tuple(one.merit))
                alike = len({*found.values}) == 1  # an interval of the mean says nothing then
                low, high = (None if alike else found.interval) or (found.mean, found.mean)
                height = NAMES.index(one.name) + 0.22 * (number - 1)
                colour, shape = MARKS[number]
                axes.plot([max(low, 0), min(high, 1)], [height, height], color=colour, lw=1.4)
                axes.plot(found.mean, height, color=colour, marker=shape, ls="", ms=4)
        for height, base in enumerate(LEARNERS):
            if not base.plays(game):
                axes.text(0.5, height, "too large for a table", ha="center", va="center",
                          color=GREY, fontsize=7)  # fmt: skip
        axes.set_yticks(range(len(NAMES)), NAMES)
        axes.set_ylim(len(NAMES) - 0.5, -0.5)
        return SCORINGS[game].title

    rest = panels(canvas, draw, "mean of runs; 100% is best")
    for (colour, shape), part in zip(MARKS, BUDGETS, strict=True):
        if part in data.parts:
            rest.plot([], [], color=colour, marker=shape, ms=4, label=claims.budget_text(part))
    rest.legend(loc="center")


def matrix(canvas: Canvas, data: Data) -> None:
    """Draw how likely a run of the row's learner is above one of the column's."""
    from matplotlib.ticker import FuncFormatter

    found = claims.improvements(data)
    shades = np.full((len(NAMES), len(NAMES)), np.nan)
    for (ours, theirs), (estimate, _) in found.items():
        shades[NAMES.index(ours), NAMES.index(theirs)] = estimate.value
    axes = canvas.subplots()
    image = axes.imshow(shades, cmap="PuOr_r", vmin=0, vmax=1)
    key = canvas.colorbar(image, ax=axes, shrink=0.75, format=FuncFormatter(percent))
    key.set_label("probability")
    axes.set_xlabel("than a run of this one")
    axes.set_ylabel("a run of this learner is better")
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.set_xticks(range(len(NAMES)), NAMES, rotation=35, ha="right")
    axes.set_yticks(range(len(NAMES)), NAMES)
    for (ours, theirs), (estimate, games) in found.items():
        x, y = NAMES.index(theirs), NAMES.index(ours)
        apart = not estimate.low <= 0.5 <= estimate.high
        colour = "white" if abs(estimate.value - 0.5) > 0.28 else "black"
        for text, align, size, weight in (
            (f"{100 * estimate.value:.0f}%", "bottom", 10, "bold" if apart else "normal"),
            (f"{games} game{'s' * (games > 1)}", "top", 7, "normal"),
        ):
            axes.text(
                x, y, text, ha="center", va=align, fontsize=size, fontweight=weight, color=colour
            )


def figure(name: str, caption: str, draw: Draw, size: tuple[float, float] = (10.0, 5.2)) -> Figure:
    """Return a figure that is drawn as soon as anything has run."""
    return Figure(
        name, caption, draw, lambda data: any(claims.longest(data, g) for g in SCORINGS), size
    )


BEST = "100% is an agent that cannot be exploited, makes no mistake, or wins every game"
FIGURES = (
    figure("means", f"Means over runs with 95% intervals; {BEST}", means),
    figure(
        "profiles",
        "Performance profiles for the longest budget of each game: the share of runs above each "
        f"level; {BEST}",
        profiles,
    ),
    figure(
        "improvement",
        "Probability of improvement for the longest budget of each game: how likely a run of the "
        "row's learner is to be better than one of the column's, averaged over the games that both "
        "have run (their number is printed below it); bold if the 95% interval excludes 50%",
        matrix,
        (7.4, 5.6),
    ),
)

PAPER = Paper("learners", PUBLISHED, PARTS, tables=TABLES, figures=FIGURES, values=VALUES)
