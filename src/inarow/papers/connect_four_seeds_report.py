"""Why seeds differ: tables and words from stored runs.

The runs are `connect_four_tdl`'s, in a grid: each set of tuples is trained with each seed of
play, so that the spread of scores can be shared out between the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import mean, pstdev
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import pearsonr

from inarow.engine.streams import LEARNER, make_stream
from inarow.game import game as game_of
from inarow.lab.statistics import Summary, summary
from inarow.learn.tuples import draw_tuples
from inarow.papers.connect_four_seeds import FLAT, coverage
from inarow.papers.connect_four_tdl import GAME, MINIMAX
from inarow.papers.page import Code, Part, Section, Table, list_text
from inarow.papers.results import Results

SCORE = "averaged score"
Floats = npt.NDArray[np.float64]
Row = dict[str, Any]


class Shares(NamedTuple):
    """The variance of scores shared out, as parts of their sum."""

    tuples: float
    play: float  # what a seed of play has in common over all tuples
    both: float  # what is left: how the games of just this run went
    examined: float  # of that, what so few games of examination explain


def share_out(scores: Floats, examined: Floats) -> Shares:
    """Two-way analysis of variance, one run for each set of tuples (rows) and seed (columns).

    Components by the method of moments, none below 0. `examined` is the variance that each
    run's score has from the games that measured it.
    """
    rows, columns = scores.shape
    total = scores.mean()
    by_row, by_column = scores.mean(axis=1), scores.mean(axis=0)
    rest = scores - by_row[:, None] - by_column[None, :] + total
    square = (rest**2).sum() / ((rows - 1) * (columns - 1))
    of_rows = max(((by_row - total) ** 2).sum() / (rows - 1) - square / columns, 0.0)
    of_columns = max(((by_column - total) ** 2).sum() / (columns - 1) - square / rows, 0.0)
    every = of_rows + of_columns + square
    if every == 0:
        return Shares(0.0, 0.0, 0.0, 0.0)
    measured = min(float(examined.mean()), square)
    return Shares(*(float(part / every) for part in (of_rows, of_columns, square, measured)))


def kinds_of(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The runs by what their cells have beside the tuples' seed: gamma, loss and output."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        cell = row["cell"]
        kind = f"gamma {cell['gamma']:g}"
        kind += "".join(f", {name} {cell[name]}" for name in ("loss", "output") if name in cell)
        found.setdefault(kind, []).append(row)
    return found


def grid_of(rows: Sequence[Row], games: int) -> tuple[Floats, Floats]:
    """Scores by tuples (rows) and seeds (columns), and what their examinations vary by."""
    tuples = sorted({row["cell"]["tuple_seed"] for row in rows})
    seeds = sorted({row["seed"] for row in rows})
    scores = np.full((len(tuples), len(seeds)), np.nan)
    varied = np.zeros_like(scores)
    for row in rows:
        place = tuples.index(row["cell"]["tuple_seed"]), seeds.index(row["seed"])
        figures = row["figures"]
        scores[place] = figures[SCORE]
        won, lost = figures["averaged wins"] / games, figures["averaged losses"] / games
        squares = won + (1 - won - lost) / 4
        varied[place] = (squares - figures[SCORE] ** 2) / games
    return scores, varied


def seeds_table(results: Results) -> Table:
    """Scores of averaged and of last weights, and how the variance of the former is shared out."""
    games, rows = results.facts["games against perfect play"], list[tuple[str, ...]]()
    for kind, runs in kinds_of(results.rows).items():
        scores, varied = grid_of(runs, games)
        last = [run["figures"]["last score"] for run in runs]
        shares = share_out(scores, varied) if len(scores) > 1 else ()
        rows.append(
            (
                kind, str(scores.size),
                *(f"{v:.3f}" for v in (scores.mean(), scores.std(), scores.min())),
                *(f"{v:.3f}" for v in (mean(last), pstdev(last))),
                *(f"{100 * part:.0f}%" for part in shares), *("-" for _ in range(4 - len(shares))),
            )
        )  # fmt: skip
    columns = (
        "cell", "runs", "mean", "spread", "lowest", "last weights: mean", "spread",
        "due to tuples", "play seed", "both", "of it measuring",
    )  # fmt: skip
    return Table(columns, tuple(rows), "Why seeds differ", texts=(0,))


def own_games_table(results: Results) -> Table:
    """What networks play against themselves, and how far it goes with their score."""
    names = ("slowest loss", "win kept", "flat", "length")
    rows = []
    for kind, runs in kinds_of(results.rows).items():
        values = [[run["figures"][f"own games: {name}"] for run in runs] for name in names]
        scores = [run["figures"][SCORE] for run in runs]
        minimax = mean(run["figures"][f"score against {MINIMAX}"] for run in runs)
        texts = [
            f"{mean(v):.1f}" if name == "length" else f"{mean(v):.3f}"
            for name, v in zip(names, values, strict=True)
        ]
        linked = correlation(values[1], scores)
        rows.append((kind, *texts, f"{minimax:.3f}", linked))
    columns = (
        "runs", "slowest loss", "win kept", "flat", "length", f"against {MINIMAX}",
        "score and win kept",
    )  # fmt: skip
    return Table(columns, tuple(rows), "Games against itself", texts=(0,))


def coverage_table(results: Results) -> Table:
    """What each set of tuples sees, and its mean score with either discount."""
    kinds = {kind: runs for kind, runs in kinds_of(results.rows).items() if "," not in kind}
    seeds = sorted({row["cell"]["tuple_seed"] for row in results.rows})
    rows = []
    for seed in seeds:
        seen = coverage_of(results.rows[0]["cell"], seed)
        scores = [
            mean(r["figures"][SCORE] for r in runs if r["cell"]["tuple_seed"] == seed)
            for runs in kinds.values()
        ]
        rows.append(
            (
                str(seed), f"{seen['lines seen whole']:.2f}", f"{seen['tuples a line']:.1f}",
                f"{seen['tuples of the cell seen least']:.0f}", *(f"{s:.3f}" for s in scores),
            )
        )  # fmt: skip
    columns = ("tuples drawn with", "lines seen whole", "tuples a line", "least seen cell", *kinds)
    return Table(columns, tuple(rows), "What tuples see", texts=())


def coverage_of(cell: Mapping[str, Any], seed: int) -> dict[str, float]:
    """What the tuples of a run see."""
    game, stream = game_of(GAME), make_stream(seed, LEARNER, 1)
    tuples = draw_tuples(game, cell["tuples"], cell.get("length", 8), stream)
    return coverage(game, tuples.tolist())


def correlation(some: Sequence[float], other: Sequence[float]) -> str:
    """Pearson's, with its 95% interval; - where one of them does not vary."""
    if len(some) < 4 or pstdev(some) == 0 or pstdev(other) == 0:
        return "-"
    found = pearsonr(some, other)
    low, high = found.confidence_interval()
    return f"{found.statistic:.2f} ({low:.2f} to {high:.2f})"


def outputs_table(rows: Iterable[Row]) -> Table:
    """With tanh and without, on the same seeds: scores, and by how much they differ."""
    lines = []
    for gamma, outputs in by_output(rows).items():
        plain = outputs.get("tanh", {})
        for output, runs in outputs.items():
            scores = summary(list(runs.values()))
            differs = differences(runs, plain) if output != "tanh" else []
            lines.append(
                (
                    f"gamma {gamma:g}", output, str(len(runs)), _interval(scores),
                    f"{min(runs.values()):.3f}", _interval(summary(differs)) if differs else "-",
                )
            )  # fmt: skip
    columns = ("runs", "output", "seeds", "mean", "lowest", "better than tanh by")
    return Table(columns, tuple(lines), "With tanh and without", texts=(0, 1))


def by_output(rows: Iterable[Row]) -> dict[float, dict[str, dict[int, float]]]:
    """Scores by discount, output and seed, tanh first."""
    found: dict[float, dict[str, dict[int, float]]] = {}
    for row in sorted(rows, key=lambda row: row["cell"].get("output", "tanh") != "tanh"):
        cell = row["cell"]
        outputs = found.setdefault(cell["gamma"], {})
        outputs.setdefault(cell.get("output", "tanh"), {})[row["seed"]] = row["figures"][SCORE]
    return dict(sorted(found.items(), reverse=True))


def differences(some: Mapping[int, float], other: Mapping[int, float]) -> list[float]:
    """By how much scores are higher, seed by seed, where both have it."""
    return [score - other[seed] for seed, score in some.items() if seed in other]


def _interval(found: Summary) -> str:
    return f"{found.mean:.3f} ({found.low:.3f} to {found.high:.3f})"


def _outputs_parts(rows: Sequence[Row]) -> tuple[Part, ...]:
    """Whether what one set of tuples suggested holds on others."""
    if not rows:
        return ()
    held, fell, games = list[str](), list[str](), rows[0]["cell"]["games"]
    for gamma, outputs in by_output(rows).items():
        differs = differences(outputs.get("linear", {}), outputs.get("tanh", {}))
        if differs:
            (held if summary(differs).low > 0 else fell).append(f"{gamma:g}")
    words = []
    if fell:
        words.append(
            f"With gamma {list_text(fell)} the hint does not hold up: networks without tanh are "
            "not better there by more than chance."
        )
    if held:
        words.append(f"With gamma {list_text(held)} it does: the interval lies above 0.")
    return (
        "So the same was asked on other sets of tuples, each drawn with the seed of its run, "
        "which chose nothing (means with their 95% intervals):",
        outputs_table(rows),
        f"{' '.join(words) or 'No runs with tanh have the same seeds.'} All of this is at "
        f"{rows[0]['cell']['tuples']} tuples and {games:,} games. The defaults, with more of both, "
        "were not compared so, and stay.",
    )


def section(results: Results) -> Section:
    """The page's part on seeds: a grid of tuples and seeds, and outputs on tuples of their own."""
    other = [row for row in results.rows if "tuple_seed" not in row["cell"]]
    grid = replace(results, rows=[row for row in results.rows if "tuple_seed" in row["cell"]])
    found = _grid_section(grid)
    return replace(found, parts=(*found.parts, *_outputs_parts(other)))


def _grid_section(results: Results) -> Section:
    first, kinds = results.rows[0]["cell"], kinds_of(results.rows)
    flat = max(row["figures"]["own games: flat"] for row in results.rows)
    plain, linear = kinds["gamma 1"], kinds["gamma 1, output linear"]
    same = [row for row in plain if row["cell"]["tuple_seed"] == linear[0]["cell"]["tuple_seed"]]
    logistic = kinds["gamma 1, loss logistic"]
    return Section(
        "Why seeds differ",
        (
            f"Sets of {first['tuples']} tuples, each trained with each of several seeds of play, "
            f"{first['games']:,} games. An analysis of variance shares out what scores against "
            "perfect play vary by: what a set of tuples has in common, what a seed of play has, "
            "and what only this run has; part of the last is that few games were measured.",
            Code((results.facts["command"],)),
            seeds_table(results),
            "Tuples explain the lesser part, and a discount does not narrow the spread at this "
            "size. Sets that see more lines whole are not better either. A line is seen whole if "
            "one tuple, or its mirror image, holds it:",
            coverage_table(results),
            "Nor do better runs play other games against themselves, after a few random moves and "
            "held against perfect play: how often a lost side resists longest, how often a win is "
            f"kept. Values beyond {FLAT}, where tanh is flat and learns little, are rare (at most "
            f"{100 * flat:.0f}% of positions in any run):",
            own_games_table(results),
            "What may make a difference is tanh. On one set of tuples, with the same seeds, only "
            f"the output was changed: through tanh averaged weights score {_scores(same)}, with a "
            f"loss whose steps do not shrink where tanh is flat {_scores(logistic)}, and without "
            f"tanh {_scores(linear)}, though its last weights are no better. A reading that fits: "
            "weights wander, their last state scores by luck, and averaging cancels that where "
            "the average of networks is the network of the average, which tanh prevents. These "
            f"are {len(linear)} runs on one set of tuples.",
        ),
    )


def _scores(rows: Sequence[Row]) -> str:
    return " ".join(f"{row['figures'][SCORE]:.3f}" for row in rows)
