"""Why seeds differ: tables and words from stored runs.

The runs are `connect_four_tdl`'s, in a grid: each set of tuples is trained with each seed of
play, so that the spread of scores can be shared out between the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import mean, pstdev
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import pearsonr

from inarow.engine.streams import LEARNER, make_stream
from inarow.game import game as game_of
from inarow.learn.tuples import draw_tuples
from inarow.papers.connect_four_seeds import FLAT, coverage
from inarow.papers.connect_four_tdl import GAME, MINIMAX
from inarow.papers.page import Code, Section, Table
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


def section(results: Results) -> Section:
    """The page's part on seeds."""
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
            "What does make a difference is tanh. On one set of tuples, with the same seeds, only "
            f"the output was changed: through tanh averaged weights score {_scores(same)}, with a "
            f"loss whose steps do not shrink where tanh is flat {_scores(logistic)}, and without "
            f"tanh {_scores(linear)}, though its last weights are no better. A reading that fits: "
            "weights wander, their last state scores by luck, and averaging cancels that where "
            "the average of networks is the network of the average, which tanh prevents. These "
            f"are {len(linear)} runs on one set of tuples: too few to change the defaults by.",
        ),
    )


def _scores(rows: Sequence[Row]) -> str:
    return " ".join(f"{row['figures'][SCORE]:.3f}" for row in rows)
