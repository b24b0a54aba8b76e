"""Beyond the cube paper: which self-play learner plays Tic-Tac-Toe 3D best.

The measure is not the paper's, as `cube` reads it: the share won, draws as half, against the
benchmark player that draws its order for each move, with the learner first and second in turn. The
first contender is the paper's best network as it was trained there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inarow.lab.runner import run_study
from inarow.lab.statistics import summary
from inarow.lab.store import Store
from inarow.lab.study import Study
from inarow.learn.schedule import falling
from inarow.papers.cube import (
    END,
    PAPER_TRIALS,
    PEAK,
    PUBLISHED,
    SELF_PLAY,
    TEST_GAMES,
    WORK,
    database,
    peak_and_end,
    win_rates,
)
from inarow.papers.cube_verdicts import is_whole, spread
from inarow.papers.page import Table
from inarow.papers.results import Report, Results, made_with

OPPONENT = "benchmark@random"
BAR = 80.0  # per cent: what the project asks of its best learner at the end


@dataclass(frozen=True)
class Contender:
    """A learner with its options, trained by self-play."""

    name: str
    about: str
    options: dict[str, Any] = field(default_factory=dict)
    learner: str = "mlp"
    games: int = 100_000


# The contenders: networks of the paper and beyond it, and n-tuple networks with one thing left out
# at a time. The games are such that most trials take about as long, half a minute or less.
SAFE = {"shield": "safe"}
N_TUPLE_GAMES = 80_000


def n_tuple(name: str, about: str, games: int = N_TUPLE_GAMES, **changes: Any) -> Contender:
    """An n-tuple network with the learner's defaults for all that is not said here."""
    options = {
        "tuples": 60,
        "length": 7,
        "alpha": str(falling(0.6, 0.06, games)),
        "epsilon": str(falling(0.1, 0.02, games)),
        "average_every": games // 200,
    }
    return Contender(name, about, {**options, **changes}, "ntuple", games)


CONTENDERS = (
    Contender("paper's best", "the deep structured network as in the tables", games=200_000),
    Contender("safe shield", "the same behind all of the benchmark's rules", SAFE),
    Contender(
        "two structured layers",
        "and a second structured layer",
        {**SAFE, "network": "lines:4,lines:2,32"},
        games=50_000,
    ),
    Contender(
        "shared weights",
        "the first again, its weights shared by the cube's eight symmetries",
        {**SAFE, "sharing": "equivariant"},
        games=20_000,
    ),
    n_tuple("n-tuples", "60 tuples of 7 cells with symmetries, lambda, averages, safe shield"),
    n_tuple("no shield", "n-tuples, wins and threats not told", shield=False),
    n_tuple("no symmetry", "n-tuples, each laid in one image only", symmetric=False),
    n_tuple("no lambda", "n-tuples, lambda 0", trace=0.0),
    n_tuple("no discount", "n-tuples, gamma 1", gamma=1.0),
    n_tuple("no schedules", "n-tuples, constant rates", alpha="0.2", epsilon="0.1"),
    n_tuple("last weights", "n-tuples, no averages", average=0.0),
    n_tuple("longer", "n-tuples, three times the games", 3 * N_TUPLE_GAMES),
)


@dataclass(frozen=True)
class Scale:
    """How much is run."""

    share: float  # of each contender's games
    tests: int
    trials: int


SCALES = {"quick": Scale(0.01, 4, 1), "paper": Scale(1.0, 25, PAPER_TRIALS)}


def study(scale: str = "paper") -> Study:
    """A cell for each contender, tested on its way."""
    cells, size = [], SCALES[scale]
    for contender in CONTENDERS:
        games = round(contender.games * size.share)
        cells.append(
            {
                "game": "cube",
                "learner": contender.learner,
                "games": games,
                "examine_every": games // size.tests,
                "examinations": [f"games:{OPPONENT}:{TEST_GAMES}"],
                **contender.options,
            }
        )
    return Study(f"cube best {scale}", tuple(cells), WORK)


def run(
    folder: Path,
    report: Report,
    scale: str = "quick",
    runs: int | None = None,
    workers: int | None = None,
    on: str = "threads",
) -> Results:
    """Runs the study, or what is missing of it, in a database in the folder, and reads it."""
    definition = study(scale)
    path, trials = database(folder, "best", scale), runs or SCALES[scale].trials
    run_study(definition, path, trials, workers, on, lambda share: report("best", share))
    with Store.open(path) as store:
        rows = [
            {
                "name": contender.name,
                "about": contender.about,
                "learner": contender.learner,
                "options": contender.options,
                "games": definition.cells[number]["games"],
                "trials": trials,
                **peak_and_end(win_rates(store, number, trials, [f"against {OPPONENT}"])[1]),
            }
            for number, contender in enumerate(CONTENDERS)
        ]
    return Results("cube", "best", scale, rows, {}, made_with(), runs)


def judged(results: Results) -> list[dict[str, Any]]:
    """Each contender's end and peak, with the 95% interval of the mean end."""
    found = []
    for row in results.rows:
        end = summary(row[END])
        found.append(
            {
                "name": row["name"],
                "learner": row["learner"],
                "options": row["options"],
                "games": row["games"],
                "trials": row["trials"],
                "peak": summary(row[PEAK]).mean,
                "end": end.mean,
                "deviation": spread(row[END]),
                "low": end.low,
                "high": end.high,
                "bar": BAR,
                "met": end.mean >= BAR if is_whole(results) else None,
            }
        )
    return found


MET = {True: "reached", False: "missed", None: "not run"}  # shorter trials are not judged


def table(results: Results) -> Table:
    """All contenders, the best first."""
    ranked = sorted(judged(results), key=lambda row: -row["end"])
    return Table(
        ("learner", "games", "trials", "peak", "end", "95%", f"{BAR:.0f}%"),
        tuple(
            (
                row["name"],
                f"{row['games']:,}",
                str(row["trials"]),
                f"{row['peak']:.1f}",
                f"{row['end']:.1f} ± {row['deviation']:.1f}",
                f"{row['low']:.1f}-{row['high']:.1f}",
                MET[row["met"]],
            )
            for row in ranked
        ),
        f"Self-play learners against {OPPONENT}, seats in turn: win %",
        (0, 6),
    )


def notes(results: Results) -> list[str]:
    """What to say below the table."""
    if not is_whole(results):
        return ["Short trials are shown, not judged: the whole ones are `--scale paper`."]
    best = max(judged(results), key=lambda row: row["end"])
    published = max(end.mean for _, end in PUBLISHED[SELF_PLAY].values())
    return [
        f"Best: {best['name']}, {best['end']:.1f}% (95% {best['low']:.1f}-{best['high']:.1f}) at "
        f"the end over {best['trials']} trials. The paper's best is {published}% in its own test: "
        "by our default reading, always first, and against an order kept for a game."
    ]
