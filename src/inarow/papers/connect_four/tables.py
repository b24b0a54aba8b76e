"""The tables of the Connect Four paper's page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import pstdev
from typing import Any

from inarow.lab.minimax_work import NAIVE, OURS
from inarow.lab.ntuple_work import (
    AGAINST_MINIMAX,
    CPU,
    EXAMINED,
    LAST,
    MINIMAX,
    SCORE,
)
from inarow.papers.connect_four import extra, runs
from inarow.papers.connect_four.claims import ours
from inarow.papers.connect_four.extra import a_move, chosen, one, pooled
from inarow.papers.measures import Data, Measure, Measured, final, ratio, share
from inarow.papers.paper import Of, of_column
from inarow.papers.tables import Grid, bytes_text, ratio_text

Text = Callable[[Measured], str]
naive = {"program": NAIVE, "depth": runs.DEPTH}
SLOWER = ratio(a_move("seconds", **naive), a_move("seconds", **ours))


def grid(
    title: str,
    head: str,
    rows: Mapping[str, Mapping[str, Any]],
    columns: Mapping[str, tuple[Measure, Text]],
) -> Grid:
    """A table of which each column is written in its own way."""
    measures = {name: measure for name, (measure, _) in columns.items()}
    return Grid(
        title, head, rows, measures, str, {name: text for name, (_, text) in columns.items()}
    )


def digits(number: int) -> Text:
    """With so many digits after the point."""
    return lambda measured: f"{measured.mean:,.{number}f}"


def interval(number: int) -> Text:
    """The mean and its 95% interval."""
    return lambda m: f"{m.mean:.{number}f} ({m.low:.{number}f} to {m.high:.{number}f})"


def values_text(measured: Measured) -> str:
    """Of all runs."""
    return " ".join(f"{number:.3f}" for number in measured.values)


def size(measured: Measured) -> str:
    """Bytes."""
    return bytes_text(measured.mean)


def of(text: Callable[[Any], str]) -> Text:
    """Something other than the mean of the runs."""
    return lambda measured: text(measured.values)


def part(name: str, label: str, names: Any) -> dict[str, dict[str, Any]]:
    """The conditions of a part, by their label."""
    return {str(one): {"part": name, label: one} for one in names}


def than_tanh(data: Data, **labels: Any) -> Measured | None:
    """By how much a network is better than the one with tanh, seed by seed."""
    if labels["output"] == "tanh":
        return None
    return extra.better(SCORE, labels, {**labels, "output": "tanh"})(data)


BY_BOARD = {board: {"board": board} for board in runs.BOARDS}
LOWEST = (chosen(SCORE, min), digits(3))
KINDS = part("seeds", "network", (runs.PLAIN, runs.DISCOUNTED, runs.LOGISTIC, runs.LINEAR))
TABLES: dict[str, Any] = {
    "boards": grid(
        f"Two minimax agents, {runs.DEPTH} moves deep", "board",
        {board: {"board": board, **ours} for board in runs.BOARDS},
        {
            "winner": (one("winner"), lambda m: ("draw", "first", "second")[int(m.mean)]),
            "moves": (one("moves"), digits(0)), "CPU s": (one("seconds"), digits(3)),
            "ms/move": (a_move("seconds", 1000), digits(2)), "nodes": (one("nodes"), digits(0)),
            "held": (one("held bytes"), size), "in all": (one("allocated bytes"), size),
        },
    ),
    "time": of_column("time", "board", "Run time of a game, minutes"),
    "heap": of_column("heap", "board", "Heap allocated in all, GB"),
    "naive": grid(
        "The naive program, which scans the board at every leaf", "board",
        {board: {"board": board} for board in runs.NAIVE_BOARDS},
        {
            "moves": (one("moves", **naive), digits(0)),
            "naive s": (one("seconds", **naive), digits(2)),
            "ms/move": (a_move("seconds", 1000, **naive), digits(1)),
            "ours": (a_move("seconds", 1000, **ours), digits(2)),
            "ratio": (SLOWER, lambda m: ratio_text(m.mean)),
            "visits/move": (extra.visits(**naive), digits(0)),
            "our visits": (extra.visits(**ours), digits(0)),
            "same": (
                extra.same_game((), (OURS, NAIVE), runs.DEPTH), lambda m: "yes" if m.mean else "no",
            ),
        },
    ),
    "depths": grid(
        "CPU milliseconds a move, by depth", "board", BY_BOARD,
        {
            str(depth): (a_move("seconds", 1000, program=OURS, depth=depth), digits(2))
            for depth in runs.DEPTHS
        },
    ),
    "lengths": grid(
        "Moves of the game, by depth; the first wins +, the second -, draw =", "board", BY_BOARD,
        {
            str(depth): (
                extra.ending(program=OURS, depth=depth),
                lambda m: f"{m.mean:.0f} {'=+-'[int(m.values[1])]}",
            )
            for depth in runs.DEPTHS
        },
    ),
    "pairs": Of(
        "tdl",
        extra.by_seed(
            {
                "games": lambda run: f"{run['games']:,.0f}",
                "by the rule": lambda run: "yes" if run["done"] else "no",
                "last score": lambda run: f"{run['score']:g}",
                "CPU s": lambda run: f"{run['seconds']:.0f}",
                "+ / = / -": lambda run: "{wins:.0f} / {draws:.0f} / {losses:.0f}".format(**run),
            },
            1, "Two TDL agents that train each other; + / = / -: against perfect play",
            part="tdl", referee=runs.OTHER,
        ),
    ),
    "referees": Of(
        "tdl",
        grid(
            "Referees", "referee", part("tdl", "referee", runs.REFEREES),
            {
                "ended by the rule": (share("done"), lambda m: f"{m.count} of {m.runs}"),
                "mean games": (final("games"), digits(0)),
                "mean last score": (final("score"), digits(1)),
                "highest": (chosen("highest score", max), digits(1)),
                "perfect play": (final("perfect score"), digits(3)),
                "best": (chosen("perfect score", max), digits(3)),
            },
        ),
    ),
    "sweep": Of(
        "sweep",
        grid(
            "The sweep: scores against perfect play", "network",
            part("sweep", "network", runs.SWEEP),
            {
                "seeds": (final(SCORE), values_text), "mean": (final(SCORE), digits(3)),
                "lowest": LOWEST,
            },
        ),
    ),
    "ten-seeds": Of(
        "ten-seeds",
        extra.by_seed(
            {
                "score": lambda run: f"{run[SCORE]:.4f}",
                "won": lambda run: f"{run['averaged wins']:.0f}",
                "lost": lambda run: f"{run['averaged losses']:.0f}",
                "last weights": lambda run: f"{run[LAST]:.4f}",
                "CPU s": lambda run: f"{run[CPU]:.0f}",
            },
            11, "Ten seeds", part="ten-seeds", network=runs.CHOSEN,
        ),
    ),
    "trainers": Of(
        "trainers",
        grid(
            "Trainers", "trainer", part("trainers", "trainer", runs.TRAINERS),
            {
                "perfect play": (final(SCORE), interval(4)),
                "lowest": (chosen(SCORE, min), digits(4)),
                "lost": (chosen("averaged losses", sum), digits(0)),
                MINIMAX: (final(AGAINST_MINIMAX), interval(3)),
                "CPU s a run": (final(CPU), digits(1)),
            },
        ),
    ),
    "seeds": Of(
        "seeds",
        grid(
            "Scores of averaged and of last weights, and what they vary by", "network", KINDS,
            {
                "runs": (pooled(SCORE), of(lambda values: str(len(values)))),
                "mean": (pooled(SCORE), digits(3)),
                "spread": (pooled(SCORE), of(lambda values: f"{pstdev(values):.3f}")),
                "lowest": (pooled(SCORE), of(lambda values: f"{min(values):.3f}")),
                "last: mean": (pooled(LAST), digits(3)),
                "last: spread": (pooled(LAST), of(lambda values: f"{pstdev(values):.3f}")),
                **{
                    head: (extra.component(place, EXAMINED), lambda m: f"{m.mean:.0f}%")
                    for place, head in enumerate(("tuples", "play seed", "both", "measuring"))
                },
            },
        ),
    ),
    "coverage": Of(
        "seeds",
        grid(
            "What tuples see, and mean scores", "tuples drawn with",
            part("seeds", "tuples", runs.TUPLE_SEEDS),
            {
                "lines seen whole": (extra.seen(0, runs.GAME, runs.SMALL["tuples"]), digits(2)),
                "tuples a line": (extra.seen(1, runs.GAME, runs.SMALL["tuples"]), digits(1)),
                "least seen cell": (extra.seen(2, runs.GAME, runs.SMALL["tuples"]), digits(0)),
                **{n: (final(SCORE, network=n), digits(3)) for n in (runs.PLAIN, runs.DISCOUNTED)},
            },
        ),
    ),
    "own-games": Of(
        "seeds",
        grid(
            "Games against itself", "network", KINDS,
            {
                **{
                    name: (pooled(f"own games: {name}"), digits(3 - 2 * (name == "length")))
                    for name in ("slowest loss", "win kept", "flat", "length")
                },
                MINIMAX: (pooled(AGAINST_MINIMAX), digits(3)),
                "score and win kept": (
                    extra.correlation("own games: win kept", SCORE), interval(2),
                ),
            },
        ),
    ),
    "outputs": Of(
        "outputs",
        grid(
            "With tanh and without", "network",
            {
                f"gamma {gamma:g}, {output}": {"part": "outputs", "gamma": gamma, "output": output}
                for gamma, output in runs.ON_OTHER_TUPLES
            },
            {
                "mean": (final(SCORE), interval(3)), "lowest": LOWEST,
                "better than tanh by": (than_tanh, interval(3)),
            },
        ),
    ),
}  # fmt: skip
