"""What only the hybrid paper needs: seconds, crossings, counts of games, exact answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inarow.engine.board import FIRST_WON, SECOND_WON
from inarow.game import game as game_of
from inarow.graph.graph import graph_of
from inarow.graph.values import values_of
from inarow.lab.speed import SPEED
from inarow.lab.statistics import Floats
from inarow.papers.measures import Data, Label, Measure, Measured, exactly, from_values
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
        return "nor do they cross in a window of 1,000 games"
    return f"in a window of {SHORT_WINDOW:,} games, shorter than the published, after {found:,}"


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


def _means(points: Sequence[CurvePoint]) -> Floats:
    """The means of a curve, whether it has errors or not."""
    return np.array([point[0] if isinstance(point, list) else point for point in points])


def positions(game: str) -> int:
    """How many can be reached."""
    return graph_of(game_of(game)).positions


def game_value(game: str) -> int:
    """1 if the first player wins against perfect play, -1 if it loses, 0 for a draw."""
    return int(values_of(graph_of(game_of(game))).value[0])


def won_ratio() -> float:
    """Final positions of tic-tac-toe that the first player wins, for one that the second wins."""
    state = graph_of(game_of("tictactoe")).state
    return float((state == FIRST_WON).sum() / (state == SECOND_WON).sum())


# The table of exact answers


def exact_counts(row: Stored, most: int) -> dict[str, float]:
    """What the sampled tests cannot see of a condition's runs."""
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
    columns = ("trainer", "perfect", "unbeatable", "lost", "exactly", "early", "unseen")
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
