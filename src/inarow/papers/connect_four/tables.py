"""The tables of the Connect Four paper's page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from statistics import mean, median, pstdev

from inarow.lab.minimax_work import KEEPING, NAIVE, OURS
from inarow.lab.ntuple_work import AGAINST_MINIMAX, CPU, LAST, MINIMAX, PERFECT_GAMES, SCORE
from inarow.papers.connect_four import extra, runs
from inarow.papers.connect_four.claims import ours, pairs
from inarow.papers.connect_four.extra import a_move, chosen, one, pooled
from inarow.papers.measures import Data, Label, Labels, Measure, Measured, final, ratio, share
from inarow.papers.paper import Of, TableMaker, of_column
from inarow.papers.tables import Grid, bytes_text, ratio_text

Columns = Mapping[str, tuple[Measure, Callable[[Measured], str] | int]]
naive = {"program": NAIVE, "depth": runs.DEPTH}
keeping = {"program": KEEPING, "depth": runs.DEPTH}
LISTS = extra.lists_of_moves(1.0, runs.BOARDS, **keeping)
SCANS = extra.scanning(**keeping)
SLOWER = ratio(a_move("seconds", **naive), a_move("seconds", **ours))


def grid(title: str, head: str, rows: Mapping[str, Labels], columns: Columns) -> Of:
    """A table of which each column has its own text, or number of digits after the point."""
    part = next(iter(rows.values())).get("part", runs.PARTS[0].name)
    measures = {name: measure for name, (measure, _) in columns.items()}
    texts = {n: partial(rounded, t) if isinstance(t, int) else t for n, (_, t) in columns.items()}
    return Of(str(part), Grid(title, head, rows, measures, str, texts))


def rounded(digits: int, measured: Measured) -> str:
    """Rounded to some digits after the point."""
    return f"{measured.mean:,.{digits}f}"


def interval(digits: int) -> Callable[[Measured], str]:
    """The mean and its 95% interval."""
    return lambda m: f"{m.mean:.{digits}f} ({m.low:.{digits}f} to {m.high:.{digits}f})"


def values_text(measured: Measured) -> str:
    """Of all runs."""
    return " ".join(f"{number:.3f}" for number in measured.values)


def size(measured: Measured) -> str:
    """Bytes."""
    return bytes_text(measured.mean)


def spread(measured: Measured) -> str:
    """Of all runs."""
    return f"{pstdev(measured.values):.3f}"


def of_part(name: str, label: str, names: Iterable[Label]) -> dict[str, dict[str, Label]]:
    """The conditions of a part, by their label."""
    return {str(one): {"part": name, label: one} for one in names}


def than_tanh(data: Data, **labels: Label) -> Measured | None:
    """By how much a network is better than the one with tanh, seed by seed."""
    tanh = {**labels, "output": "tanh"}
    return None if labels == tanh else extra.better(SCORE, labels, tanh)(data)


BY_BOARD = {board: {"board": board} for board in runs.BOARDS}
LOWEST = chosen(SCORE, min)
KINDS = of_part("seeds", "network", (runs.PLAIN, runs.DISCOUNTED, runs.LOGISTIC, runs.LINEAR))
TABLES: dict[str, TableMaker | Of] = {
    "boards": grid(
        f"Two minimax agents, {runs.DEPTH} moves deep", "board",
        {board: {"board": board, **ours} for board in runs.BOARDS},
        {
            "winner": (one("winner"), lambda m: ("draw", "first", "second")[int(m.mean)]),
            "moves": (one("moves"), 0), "CPU s": (one("seconds"), 3),
            "ms/move": (a_move("seconds", 1000), 2), "nodes": (one("nodes"), 0),
            "held": (one("held bytes"), size), "total": (one("allocated bytes"), size),
        },
    ),
    "time": of_column("time", "board", "Run time per game, minutes"),
    "heap": of_column("heap", "board", "Total heap allocated, GB"),
    "naive": grid(
        "The naive program, which scans the board at every leaf", "board", BY_BOARD,
        {
            "moves": (one("moves", **keeping), 0), "naive s": (one("seconds", **naive), 2),
            "ms/move": (a_move("seconds", 1000, **naive), 1),
            "ours": (a_move("seconds", 1000, **ours), 2),
            "ratio": (SLOWER, lambda m: ratio_text(m.mean)),
            "visits/move": (extra.visits(**keeping), 0), "our visits": (extra.visits(**ours), 0),
            "scans, s": (SCANS, 1), "lists": (LISTS, size),
            "same": (extra.same_game((), (OURS, KEEPING), runs.DEPTH),
                     lambda m: "yes" if m.mean else "no"),
        },
    ),
    "depths": grid(
        "CPU milliseconds per move, by depth", "board", BY_BOARD,
        {str(d): (a_move("seconds", 1000, program=OURS, depth=d), 2) for d in runs.DEPTHS},
    ),
    "lengths": grid(
        "Game length in moves, by depth; + first player wins, - second player wins, = draw",
        "board", BY_BOARD,
        {
            str(depth): (extra.ending(program=OURS, depth=depth),
                         lambda m: f"{m.mean:.0f} {'=+-'[int(m.values[1])]}")
            for depth in runs.DEPTHS
        },
    ),
    "rules": grid(
        "Training games until the rule ends training", "score vs. previous two",
        {rule: {**pairs, "rule": rule} for rule in runs.RULES},
        {
            "ended": (share("done"), lambda m: f"{m.count} of {m.runs}"),
            **{
                head: (extra.among_ended("games", choose), 0)
                for head, choose in (("fewest games", min), ("median", median), ("most", max))
            },
            "perfect play": (extra.among_ended("perfect score", mean), 3),
            "best": (extra.among_ended("perfect score", max), 3),
        },
    ),
    **{
        f"pairs-{rule}": Of("tdl", extra.by_seed(
            f"Training ends at a score {rule} the previous two",
            {
                "games": "{games:,.0f}",
                "ended by rule": lambda run: "yes" if run["done"] else "no",
                "last score": "{score:g}", "CPU s": "{seconds:.0f}",
                "+ / = / -": "{wins:.0f} / {draws:.0f} / {losses:.0f}",
            },
            1, part="tdl", referee=runs.OTHER, rule=rule,
        ))
        for rule in runs.RULES
    },
    "referees": grid(
        "Referees", "referee",
        {name: {**pairs, "referee": name} for name in runs.REFEREES},
        {
            "ended by rule": (share("done"), lambda m: f"{m.count} of {m.runs}"),
            "mean games": (final("games"), 0), "mean last score": (final("score"), 1),
            "highest": (chosen("highest score", max), 1),
            "perfect play": (final("perfect score"), 3), "best": (chosen("perfect score", max), 3),
        },
    ),
    "sweep": grid(
        "Sweep: scores against perfect play", "network",
        of_part("sweep", "network", runs.SWEEP),
        {
            "seeds": (final(SCORE), values_text), "mean": (final(SCORE), 3), "lowest": (LOWEST, 3),
        },
    ),
    "ten-seeds": Of("ten-seeds", extra.by_seed(
        "Scores on ten new seeds",
        {
            "score": f"{{{SCORE}:.4f}}", "won": "{averaged wins:.0f}",
            "lost": "{averaged losses:.0f}", "last weights": f"{{{LAST}:.4f}}",
            "CPU s": f"{{{CPU}:.0f}}",
        },
        11, part="ten-seeds", network=runs.CHOSEN,
    )),
    "trainers": grid(
        "Trainers", "trainer", of_part("trainers", "trainer", runs.TRAINERS),
        {
            "perfect play": (final(SCORE), interval(4)), "lowest": (LOWEST, 4),
            "lost": (chosen("averaged losses", sum), 0),
            MINIMAX: (final(AGAINST_MINIMAX), interval(3)), "CPU s per run": (final(CPU), 1),
        },
    ),
    "seeds": grid(
        "Scores of averaged and last weights, and sources of variance", "network", KINDS,
        {
            "runs": (pooled(SCORE), lambda m: str(m.runs)),
            "mean": (pooled(SCORE), 3), "spread": (pooled(SCORE), spread),
            "lowest": (pooled(SCORE), lambda m: f"{min(m.values):.3f}"),
            "last: mean": (pooled(LAST), 3), "last: spread": (pooled(LAST), spread),
            **{
                head: (extra.component(place, PERFECT_GAMES), lambda m: f"{m.mean:.0f}%")
                for place, head in enumerate(("tuples", "play seed", "both", "measuring"))
            },
        },
    ),
    "coverage": grid(
        "What the tuples cover, and mean scores", "tuple seed",
        of_part("seeds", "tuples", runs.TUPLE_SEEDS),
        {
            **{
                head: (extra.seen(place, runs.GAME, runs.SMALL["tuples"]), digits)
                for place, (head, digits) in enumerate(
                    (("lines covered", 2), ("tuples per line", 1), ("least covered cell", 0))
                )
            },
            **{name: (final(SCORE, network=name), 3) for name in (runs.PLAIN, runs.DISCOUNTED)},
        },
    ),
    "own-games": grid(
        "Self-play games", "network", KINDS,
        {
            **{
                name: (pooled(f"own games: {name}"), 1 if name == "length" else 3)
                for name in ("slowest loss", "win kept", "flat", "length")
            },
            MINIMAX: (pooled(AGAINST_MINIMAX), 3),
            "correlation of score, win kept": (
                extra.correlation("own games: win kept", SCORE), interval(2)
            ),
        },
    ),
    "outputs": grid(
        "With and without tanh", "network",
        {
            f"gamma {gamma:g}, {output}": {"part": "outputs", "gamma": gamma, "output": output}
            for gamma, output in runs.ON_OTHER_TUPLES
        },
        {
            "mean": (final(SCORE), interval(3)), "lowest": (LOWEST, 3),
            "gain over tanh": (than_tanh, interval(3)),
        },
    ),
}  # fmt: skip
