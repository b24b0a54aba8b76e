"""What only the hybrid paper needs: seconds, crossings, counts of games, exact answers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from inarow.game import game as game_of
from inarow.graph.graph import graph_of
from inarow.graph.values import values_of
from inarow.lab.speed import SPEED
from inarow.lab.statistics import Floats
from inarow.papers.measures import (
    Data,
    Label,
    Measure,
    Measured,
    exactly,
    from_summary,
    from_values,
    subtract,
)
from inarow.papers.plots import CurvePoint
from inarow.papers.published import Entry
from inarow.papers.results import Stored
from inarow.papers.tables import Table, list_text
from inarow.papers.verdicts import Row

SHORT_WINDOW = 1_000  # beside the published one

# Measures


def training_seconds(data: Data, **labels: Label) -> Measured | None:
    """CPU-seconds of training a mean run, at the speed measured on one core."""
    speed, run = data.row(part="speed", **labels), data.row(**labels)
    if speed is None or run is None:
        return None
    rate = from_values(speed["finals"][SPEED]).mean
    return exactly(from_values(run["finals"]["games"]).mean / rate)


def crossing(window: int) -> Measure:
    """After how many games attack-defense loses less than random in tic-tac-toe, in a window."""

    def measure(data: Data, **labels: Label) -> Measured | None:
        del labels
        found = crossing_of(data, "tictactoe", window)
        return None if found is None else exactly(found)

    return measure


def crossing_reason(data: Data) -> str:
    """What a shorter window says."""
    found = crossing_of(data, "tictactoe", SHORT_WINDOW)
    if found is None:
        return "nor do the curves cross with a window of 1,000 games"
    return (
        f"with a window of {SHORT_WINDOW:,} games, shorter than the paper's, they cross after "
        f"{found:,}"
    )


def crossing_of(data: Data, game: str, window: int) -> int | None:
    """The same; before the window is full, all games so far count. None if they do not cross."""
    rows = [data.row(game=game, trainer=trainer) for trainer in ("attack-defense", "random")]
    if rows[0] is None or rows[1] is None:
        return None
    games = np.array(rows[0]["curve"]["games"])
    before = np.searchsorted(games, games - window, side="right")
    ours, theirs = (
        lost - np.concatenate([[0.0], lost])[before]
        for lost in (_means(row["curve"]["lost"]) for row in rows if row)
    )
    fewer = np.flatnonzero(ours < theirs)
    return int(games[fewer[0]]) if len(fewer) else None


def lost_between(row: Stored, start: int, end: int) -> Measured | None:
    """Of the games from one number of Figure 4 to the next, the share lost; by run.

    Up to 10,000 games Figure 4's ratio is that of all games so far, so both give it.
    """
    shares = row.get("histograms", {})
    if not {str(start), str(end)} <= {*shares}:
        return None
    if start == 10_000:  # the window itself
        return from_values(shares[str(end)])
    before = np.array(shares[str(start)])
    return from_values((end * np.array(shares[str(end)]) - start * before) / (end - start))


# The numbers of Figure 4 on both sides of 5,000 games, from 500 to 20,000.
PIECES = ((500, 1_000), (1_000, 5_000), (5_000, 10_000), (10_000, 20_000))


def steepness(data: Data) -> Measured | None:
    """How much steeper the log curve of losses falls between 500 and 5,000 games than after.

    In decades of the ratio a decade of games; games of a piece are taken at its geometric mean.
    """
    row = data.row(game="tictactoe", trainer="attack-defense")
    found = [row and lost_between(row, *piece) for piece in PIECES]
    rates = [rate for rate in found if rate and rate.mean > 0]
    if len(rates) < len(PIECES):
        return None
    places = [math.log10(start * end) / 2 for start, end in PIECES]
    logs = np.log10([rate.mean for rate in rates])
    errors = np.array([(rate.stderr or 0.0) / rate.mean / math.log(10) for rate in rates])
    weights = np.array([1.0, -1.0, -1.0, 1.0])
    weights[:2] /= places[1] - places[0]
    weights[2:] /= places[3] - places[2]
    error = float(np.sqrt(((weights * errors) ** 2).sum()))
    return from_summary(float(weights @ logs), error, rates[0].runs)


def _ranked(
    measure: Measure, trainers: Sequence[str], data: Data, labels: Stored
) -> list[Measured]:
    """The trainers, the lowest first; nothing if one was not run."""
    found = [measure(data, trainer=trainer, **labels) for trainer in trainers]
    known = [ours for ours in found if ours is not None]
    return sorted(known, key=lambda ours: ours.mean) if len(known) == len(found) else []


def lowest(measure: Measure, trainers: Sequence[str], **labels: Label) -> Measure:
    """Of some trainers."""
    return lambda data: next(iter(_ranked(measure, trainers, data, labels)), None)


def spread(measure: Measure, trainers: Sequence[str], **labels: Label) -> Measure:
    """How much higher the highest of some trainers is than the lowest."""

    def between(data: Data) -> Measured | None:
        found = _ranked(measure, trainers, data, labels)
        return subtract(found[-1], found[0]) if found else None

    return between


def boards_out_of_order(data: Data) -> Measured | None:
    """Of Figure 3: a move that loses has as high a utility as one that holds the draw."""
    example = data.fact("example_games")
    if example is None:
        return None
    game = game_of("tictactoe")
    graph = graph_of(game)
    value = values_of(graph).value
    wrong = 0
    for board in (b for one in example["games"].values() for b in one["boards"]):
        stones = np.array(board["stones"])
        first, second = (sum(1 << int(c) for c in np.flatnonzero(stones == s)) for s in (1, 2))
        (number,) = np.flatnonzero((graph.first == first) & (graph.second == second))
        edges = range(int(graph.edge_start[number]), int(graph.edge_start[number + 1]))
        moves = [(int(value[graph.child[e]]), board["utilities"][graph.move[e]]) for e in edges]
        losing = [utility for value, utility in moves if value > 0]
        holding = [utility for value, utility in moves if value <= 0]
        wrong += bool(losing and holding) and max(losing) >= min(holding)
    return exactly(wrong)


def short_ratio(row: Stored) -> list[CurvePoint]:
    """The share of games lost in the last 1,000; of all so far before, and where losses were
    counted less often (from 100,000 games on) since the last count.
    """
    games, lost = np.array(row["curve"]["games"]), _means(row["curve"]["lost"])
    before = np.searchsorted(games, games - SHORT_WINDOW, side="right") - 1
    before = np.minimum(before, np.arange(len(games)) - 1)
    games_before = np.where(before >= 0, games[before], 0)
    lost_before = np.where(before >= 0, lost[before], 0.0)
    return [float(share) for share in (lost - lost_before) / (games - games_before)]


def _means(points: Sequence[CurvePoint]) -> Floats:
    """The means of a curve, whether it has errors or not."""
    return np.array([point[0] if isinstance(point, list) else point for point in points])


# The table of exact answers


def exact_counts(row: Stored, most: int) -> dict[str, float]:
    """What the sampled tests miss in a condition's runs."""
    finals = {name: np.array(values) for name, values in row["finals"].items()}
    proven, early = finals["unbeatable as second"] > 0, finals["games"] < most
    return {
        "runs": len(proven),
        "perfect": int((finals["perfect"] > 0).sum()),
        "unbeatable": int(proven.sum()),
        "lost": float(finals["lost against random"].mean()),
        "expected": 1e6 * float(finals["chance lost as second against random"].mean()),
        "early": int(early.sum()),
        "early beatable": int((early & ~proven).sum()),
        "unseen": int((~proven & (finals["lost against expert"] == 0)).sum()),
    }


def exact_table(data: Data, rows: Sequence[Row], game: str, title: str, most: int) -> Table | None:
    """What the sampled tests say beside what is proven of the same agents."""
    del rows
    lines = []
    for row in data.rows(game=game):
        found = exact_counts(row, most)
        runs = found["runs"]
        lines.append(
            (
                row["trainer"], f"{found['perfect']}/{runs}", f"{found['unbeatable']}/{runs}",
                f"{found['lost']:,.1f}", f"{found['expected']:,.1f}",
                f"{found['early beatable']}/{found['early']}",
                f"{found['unseen']}/{runs - found['unbeatable']}",
            )
        )  # fmt: skip
    columns = ("trainer", "perfect", "unbeatable", "lost", "exact", "early", "missed")
    return Table(columns, tuple(lines), f"{title}: sampled and exact") if lines else None


def exact_sums(data: Data, game: str, most: int) -> dict[str, float]:
    """Over all trainers."""
    found = [exact_counts(row, most) for row in data.rows(game=game)]
    return {name: sum(one[name] for one in found) for name in found[0]} if found else {}


def values(small: str, large: str, games: Entry, most: int, trainers: Sequence[str]) -> Stored:
    """What the prose asks for."""
    below = [n for by in games.numbers.values() for n in by.values() if n < most]
    return {
        "exact": lambda data: {game: exact_sums(data, game, most) for game in (small, large)},
        "crossing": lambda data: {
            game: [crossing_of(data, game, window) for window in (10_000, SHORT_WINDOW)]
            for game in (small, large)
        },
        "lost": lambda data: {
            game: list_text(
                [
                    f"{_means(row['curve']['lost'])[-1]:,.0f} ({row['trainer']})"
                    for row in data.rows(game=game)
                    if row["trainer"] in trainers
                ]
            )
            for game in (small, large)
        },
        "ratios": lambda data: {
            game: sorted(n / by["attack-defense"] for n in by.values() if data)[1:]
            for game, by in games.numbers.items()
        },
        "published_games": lambda data: games.numbers if data else {},
        "example": lambda data: data.fact("example_games"),
        "published_below": lambda data: len(below) if data else 0,
        "all_multiples_of_100": lambda data: bool(data) and not any(n % 100 for n in below),
        "correlations": lambda data: {game: correlations(data, game) for game in (small, large)},
    }


def correlations(data: Data, game: str) -> dict[str, float]:
    """Rank correlation of ours and the published numbers over trainers, by table."""
    from scipy.stats import spearmanr

    from inarow.papers.hybrid.claims import SAMPLED

    found = {}
    for column in SAMPLED:
        pairs = [
            (number, ours.mean)
            for (one, trainer), number in column.entry.leaves()
            if one == game and (ours := column.measure(data, game=game, trainer=trainer))
        ]
        if pairs and all(len(set(side)) > 1 for side in zip(*pairs, strict=True)):
            found[column.entry.title] = float(spearmanr(*zip(*pairs, strict=True)).statistic)
    return found
