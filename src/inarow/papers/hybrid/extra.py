"""What only the hybrid paper needs: its curves, exact answers, and unusual figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from inarow.engine.board import FIRST_WON, SECOND_WON
from inarow.game import game as game_of
from inarow.graph.graph import graph_of
from inarow.graph.policies import expert_policy
from inarow.graph.values import values_of
from inarow.lab.look import GREY
from inarow.lab.store import Store
from inarow.lab.training import Stop, train
from inarow.papers.hybrid import pictures
from inarow.papers.measures import Data, Measure, Measured, exactly, from_values
from inarow.papers.plots import Figure
from inarow.papers.published import Entry
from inarow.papers.speed import SPEED
from inarow.papers.study import Condition, Request
from inarow.papers.tables import Table, list_text

RECORD = [[100, 10_000], [1_000, 100_000], [10_000, 0]]  # a 10,000-game window anywhere it matters
HISTOGRAM_GAMES = (100, 500, 1_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000)
OPENINGS = {"corner": 0, "edge": 1, "centre": 4}  # the three games of Figure 3
SHORT_WINDOW = 1_000  # beside the published one

# Reading a study


def read(
    store: Store, cell: int, runs: int, condition: Condition, most: int, window: int
) -> dict[str, Any]:
    """Values at the end of each run, the curve of losses, and Figure 4's ratios."""
    games, lost = losses(store, cell, runs, most)
    ratios = window_losses(games, lost, window)
    found = {
        **read_finals(store, cell, runs, condition),
        "curve": {
            "games": games.tolist(),
            "lost": mean_and_error(lost),
            "ratio": mean_and_error(ratios),
        },
    }
    if dict(condition.labels) == {"game": "tictactoe", "trainer": "attack-defense"}:
        found["histograms"] = {
            str(number): np.round(ratios[:, np.searchsorted(games, number)], 6).tolist()
            for number in HISTOGRAM_GAMES
            if number in games
        }
    return found


def read_finals(store: Store, cell: int, runs: int, condition: Condition) -> dict[str, Any]:
    """What was measured at the end; perfect is 1 where no test game was lost."""
    del condition
    finals = {
        metric: store.final(cell, metric)[:runs].tolist()
        for metric in store.metrics(cell)
        if metric != "lost"
    }
    lost = (finals["lost against random"], finals["lost against expert"])
    finals["perfect"] = [float(not any(both)) for both in zip(*lost, strict=True)]
    return {"finals": finals}


def losses(store: Store, cell: int, runs: int, most: int) -> tuple[Any, Any]:
    """Games lost so far in each run, [runs, points], at the numbers of games of `RECORD`.

    A run that has ended early loses no more: that is what ended it.
    """
    measured, lost = store.curve(cell, "lost")
    limits = [0, *(until or most for _, until in RECORD)]
    pieces = zip(limits, limits[1:], RECORD, strict=False)
    games = np.concatenate(
        [np.arange(start + every, until + 1, every) for start, until, (every, _) in pieces]
    )
    games = games[games <= most]
    found = np.empty((runs, len(games)))
    for run, values in zip(found, lost[:runs], strict=True):
        known = np.flatnonzero(~np.isnan(values))
        run[:] = values[known][np.searchsorted(measured[known], games, side="right") - 1]
    return games, found


def window_losses(games: Any, lost: Any, window: int) -> Any:
    """The share of games lost in the last so many (or all so far, before) at each point."""
    before = games - window
    earlier = np.where(before > 0, np.searchsorted(games, before), -1)
    lost_before = np.where(earlier >= 0, lost[:, earlier], 0.0)
    return (lost - lost_before) / np.minimum(games, window)


def mean_and_error(values: Any) -> list[list[float]]:
    """At each point."""
    error = values.std(axis=0, ddof=1) / len(values) ** 0.5 if len(values) > 1 else 0 * values[0]
    return [
        [float(f"{number:.7g}") for number in pair]
        for pair in zip(values.mean(axis=0), error, strict=True)
    ]


def facts(request: Request, most: int, stop: int) -> dict[str, Any]:
    """The three games of Figure 3."""
    if request.game not in (None, "tictactoe"):
        return {}
    return {"example_games": example_games(most, stop, request.seed or 0)}


def example_games(most: int, stop: int, seed: int) -> dict[str, Any]:
    """Three games of an agent trained by attack-defense, with its estimates of its moves.

    The trainer opens in a corner, on an edge, in the centre, and goes on as the expert does. Of
    each board on which the agent has to move: the stones (1 the opponent's, 2 its own), the
    utility of every empty cell, and its move.
    """
    game = game_of("tictactoe")
    graph = graph_of(game)
    trained = train(game, "td", against="attack-defense", games=most, seed=seed, stop=Stop(stop))
    agent, expert, games = trained.agent, expert_policy(graph), {}
    for name, opening in OPENINGS.items():
        position, boards = game.position(), list[dict[str, Any]]()
        position.push(opening)
        while position.outcome is None:
            values = agent.values(position)
            move = max(values, key=lambda move: (values[move], -move))
            utilities = [round(values[c], 4) if c in values else None for c in range(game.cells)]
            stones = [int(stone) for stone in position.stones]
            boards.append({"stones": stones, "utilities": utilities, "move": move})
            position.push(move)
            if position.outcome is None:
                number, _ = graph.find(position)
                edges = range(int(graph.edge_start[number]), int(graph.edge_start[number + 1]))
                position.push(int(graph.move[max(edges, key=lambda edge: expert[edge])]))
        games[name] = {"boards": boards, "outcome": position.outcome.value}
    return {"seed": seed, "training_games": trained.games, "games": games}


# Measures


def training_seconds(data: Data, **labels: Any) -> Measured | None:
    """CPU-seconds of training a mean run, at the speed measured on one core."""
    speed, run = data.row(part="speed", **labels), data.row(**labels)
    if speed is None or run is None:
        return None
    rate = from_values(speed["finals"][SPEED]).mean
    return exactly(from_values(run["finals"]["games"]).mean / rate)


def crossing(window: int) -> Measure:
    """After how many games attack-defense loses less than random in tic-tac-toe, in a window."""

    def measure(data: Data, **labels: Any) -> Measured | None:
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


def _means(points: Sequence[Any]) -> Any:
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


def exact_counts(row: Mapping[str, Any], most: int) -> dict[str, float]:
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


def exact_table(data: Data, rows: Any, game: str, title: str, most: int) -> Table | None:
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


def values(
    small: str, large: str, games: Entry, most: int, trainers: Sequence[str]
) -> dict[str, Any]:
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


# Figures


def mark_window(axes: Any, window: int) -> None:
    """Where the window of the loss ratio becomes full."""
    axes.axvline(window, color=GREY, linewidth=0.8)
    axes.annotate(
        "before: of all games so far", (window, 0), xycoords=("data", "axes fraction"),
        xytext=(-5, 6), textcoords="offset points", ha="right", color=GREY, fontsize=9,
    )  # fmt: skip


def small_pictures(game: str, trainer: str, window: int) -> list[Figure]:
    """Figure 3, the boards, and Figure 4, the histograms."""

    def histograms(data: Data) -> Any:
        return (data.row(game=game, trainer=trainer) or {}).get("histograms")

    return [
        Figure(
            "figure-3-utilities",
            "Figure 3. Learned utilities in three games",
            lambda canvas, data: pictures.draw_boards(canvas, data.fact("example_games")),
            lambda data: data.fact("example_games") is not None,
            (8.0, 6.1),
        ),
        Figure(
            "figure-4-histograms",
            "Figure 4. Loss ratio of the runs after so many games, attack-defense",
            lambda canvas, data: pictures.draw_histograms(canvas, histograms(data), window),
            lambda data: bool(histograms(data)),
            (8.0, 6.4),
        ),
    ]


def bars(game: str, number: int, trainers: Sequence[str]) -> list[Figure]:
    """How the games of the two tests end, by trainer."""

    def draw(canvas: Any, data: Data, player: str) -> None:
        finals = {row["trainer"]: row["finals"] for row in data.rows(game=game)}
        pictures.draw_bars(canvas, finals, [t for t in trainers if t in finals], player)

    captions = {
        "random": "A million test games against the random player",
        "expert": "Test games against the expert",
    }
    return [
        Figure(
            f"figure-{place}-against-{player}",
            f"Figure {place}. {caption}",
            partial(draw, player=player),
            lambda data: bool(data.rows(game=game)),
            (8.0, 2.9),
        )
        for place, (player, caption) in enumerate(captions.items(), start=number)
    ]
