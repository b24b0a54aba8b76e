"""The Connect Four paper: minimax with alpha-beta on thirteen boards, and n-tuple TDL.

Here is what is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from statistics import mean, median, pstdev
from typing import TYPE_CHECKING

from inarow.game import game as game_of
from inarow.lab.plots.plot import BLACK, BLUE, GREEN, ORANGE, VERMILION, plain_number
from inarow.papers.claims import Column
from inarow.papers.connect_four.claims import (
    CHANCE,
    CLAIMS,
    HEAP_COLUMN,
    OUR_PROGRAM,
    PAIRED,
    TIME_COLUMN,
    WIDTHS,
    among_finished,
    better,
    component,
    correlation,
    ending,
    growth,
    lists_of_moves,
    naive_bytes,
    of_finished_pairs,
    of_game,
    per_move,
    pooled,
    same_game,
    scanning,
    statistic_of,
    tuple_coverage,
    visits,
)
from inarow.papers.connect_four.minimax import KEEPING, NAIVE, OURS
from inarow.papers.connect_four.study import (
    ALPHA,
    BOARDS,
    CHOSEN,
    DEPTH,
    DEPTHS,
    DISCOUNTED,
    EPSILON,
    EVALUATED,
    EVERY,
    FALL,
    FIGURE_1,
    GAME,
    LARGEST,
    LINEAR,
    LOGISTIC,
    MORE_GAMES,
    MOST_GAMES,
    NAIVE_BOARDS,
    NETWORK,
    ON_OTHER_TUPLES,
    OTHER,
    PAIRS,
    PARTS,
    PLAIN,
    PUBLISHED,
    REFEREE_GAMES,
    REFEREES,
    RULES,
    SMALL,
    START,
    START_SEED,
    SWEEP,
    TARGET,
    TRAINERS,
    TUPLE_SEEDS,
)
from inarow.papers.connect_four.tdl import (
    AGAINST_MINIMAX,
    CPU,
    FLAT,
    LAST,
    MINIMAX,
    PERFECT_GAMES,
    SCORE,
)
from inarow.papers.figures import (
    Curves,
    Figure,
    Level,
    Line,
    Panel,
    Point,
    Points,
    Style,
    always,
    draw_rows,
    measured_points,
)
from inarow.papers.measures import (
    Data,
    Label,
    Labels,
    Measure,
    Measured,
    ResultRow,
    final,
    share,
)
from inarow.papers.paper import Finding, Paper
from inarow.papers.tables import Grid, Made, NumberTable, PaperTable, Table, bytes_text, ratio_text
from inarow.papers.verdicts import DIFFERS, MATCHES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Tables

Columns = Mapping[str, tuple[Measure, Callable[[Measured], str] | int]]
NAIVE_PROGRAM = {"program": NAIVE, "depth": DEPTH}
KEEPING_PROGRAM = {"program": KEEPING, "depth": DEPTH}
LISTS = lists_of_moves(1.0, **KEEPING_PROGRAM)
SCANS = scanning(**KEEPING_PROGRAM)
SLOWER = per_move("seconds", **NAIVE_PROGRAM) / per_move("seconds", **OUR_PROGRAM)


def grid(title: str, head: str, rows: Mapping[str, Labels], columns: Columns) -> Grid:
    """Return a table of which each column has its own text, or number of digits after the point."""
    part = next(iter(rows.values())).get("part", "")
    measures = {name: measure for name, (measure, _) in columns.items()}
    texts = {n: partial(rounded, t) if isinstance(t, int) else t for n, (_, t) in columns.items()}
    return Grid(title, head, rows, measures, str, texts, str(part))


def rounded(digits: int, measured: Measured) -> str:
    """Round to some digits after the point."""
    return f"{measured.mean:,.{digits}f}"


def interval(digits: int, least: float = 0.0, most: float = 1.0) -> Callable[[Measured], str]:
    """Return a function that writes the mean and its 95% interval; one run has none.

    No value is below `least` or above `most`: a score is from 0 to 1.
    """

    def text(measured: Measured) -> str:
        mean = f"{measured.mean:.{digits}f}"
        if measured.interval is None:
            return mean
        low, high = max(measured.interval[0], least), min(measured.interval[1], most)
        return f"{mean} ({low:.{digits}f} to {high:.{digits}f})"

    return text


def values_text(measured: Measured) -> str:
    """List all values."""
    return " ".join(f"{number:.3f}" for number in measured.values)


def size(measured: Measured) -> str:
    """Write a number of bytes."""
    return bytes_text(measured.mean)


def spread(measured: Measured) -> str:
    """Write the standard deviation of all values."""
    return f"{pstdev(measured.values):.3f}"


def of_part(name: str, label: str, names: Iterable[Label]) -> dict[str, dict[str, Label]]:
    """Return the conditions of a part, by their label."""
    return {str(one): {"part": name, label: one} for one in names}


@Measure
def than_tanh(data: Data, **labels: Label) -> Measured | None:
    """Return by how much a network is better than the one with tanh, seed by seed."""
    tanh = {**labels, "output": "tanh"}
    return None if labels == tanh else better(SCORE, labels, tanh)(data)


def by_seed(
    title: str,
    columns: Mapping[str, str | Callable[[dict[str, float]], str]],
    first: int,
    part: str,
    **at: Label,
) -> Made:
    """Return a table with a line for each seed of a condition; columns are formats."""

    def make(data: Data) -> Table | None:
        row, results = data.row(part=part, **at), data.results(part)
        if row is None or results is None:
            return None
        seed = first if results.seed is None else results.seed
        finals = [{n: v[run] for n, v in row["finals"].items()} for run in range(row["runs"])]
        lines = (
            (str(seed + n), *(t(run) if callable(t) else t.format(**run) for t in columns.values()))
            for n, run in enumerate(finals)
        )
        return Table(("seed", *columns), tuple(lines), title, texts=())

    return Made(make, part)


BY_BOARD = {board: {"board": board} for board in BOARDS}
LOWEST = statistic_of(SCORE, min)
KINDS = of_part("seeds", "network", (PLAIN, DISCOUNTED, LOGISTIC, LINEAR))
TABLES: dict[str, PaperTable] = {
    "boards": grid(
        f"Two minimax agents, {DEPTH} moves deep", "board",
        {board: {"board": board, **OUR_PROGRAM} for board in BOARDS},
        {
            "winner": (of_game("winner"), lambda m: ("draw", "first", "second")[int(m.mean)]),
            "moves": (of_game("moves"), 0), "CPU s": (of_game("seconds"), 3),
            "ms/move": (per_move("seconds", 1000), 2), "nodes": (of_game("nodes"), 0),
            "held": (of_game("held bytes"), size), "total": (of_game("allocated bytes"), size),
        },
    ),
    "time": NumberTable(TIME_COLUMN.entry, "board", "Run time per game, minutes"),
    "heap": NumberTable(HEAP_COLUMN.entry, "board", "Total heap allocated, GB"),
    "naive": grid(
        "The naive program, which scans the board at every leaf", "board", BY_BOARD,
        {
            "moves": (of_game("moves", **KEEPING_PROGRAM), 0),
            "naive s": (of_game("seconds", **NAIVE_PROGRAM), 2),
            "ms/move": (per_move("seconds", 1000, **NAIVE_PROGRAM), 1),
            "ours": (per_move("seconds", 1000, **OUR_PROGRAM), 2),
            "ratio": (SLOWER, lambda m: ratio_text(m.mean)),
            "visits/move": (visits(**KEEPING_PROGRAM), 0), "our visits": (visits(**OUR_PROGRAM), 0),
            "scans, s": (SCANS, 1), "lists": (LISTS, size),
            "same": (same_game(),
                     lambda m: "yes" if m.mean else "no"),
        },
    ),
    "depths": grid(
        "CPU milliseconds per move, by depth", "board", BY_BOARD,
        {str(d): (per_move("seconds", 1000, program=OURS, depth=d), 2) for d in DEPTHS},
    ),
    "lengths": grid(
        "Game length in moves, by depth; + first player wins, - second player wins, = draw",
        "board", BY_BOARD,
        {
            str(depth): (ending(program=OURS, depth=depth),
                         lambda m: f"{m.mean:.0f} {'=+-'[int(m.values[1])]}")
            for depth in DEPTHS
        },
    ),
    "rules": grid(
        "Training games until the rule ends training", "score vs. previous two",
        {rule: {**PAIRED, "rule": rule} for rule in RULES},
        {
            "ended": (share("done"), lambda m: f"{m.count} of {m.runs}"),
            **{
                head: (among_finished("games", choose), 0)
                for head, choose in (("fewest games", min), ("median", median), ("most", max))
            },
            "perfect play": (among_finished("perfect score", mean), 3),
            "best": (among_finished("perfect score", max), 3),
        },
    ),
    **{
        f"pairs-{rule}": by_seed(
            f"Training ends at a score {rule} the previous two",
            {
                "games": "{games:,.0f}",
                "ended by rule": lambda run: "yes" if run["done"] else "no",
                "last score": "{score:g}", "CPU s": "{seconds:.0f}",
                "+ / = / -": "{wins:.0f} / {draws:.0f} / {losses:.0f}",
            },
            1, part="tdl", referee=OTHER, rule=rule,
        )
        for rule in RULES
    },
    "referees": grid(
        "Referees", "referee",
        {name: {**PAIRED, "referee": name} for name in REFEREES},
        {
            "ended by rule": (share("done"), lambda m: f"{m.count} of {m.runs}"),
            "mean games": (final("games"), 0), "mean last score": (final("score"), 1),
            "highest": (statistic_of("highest score", max), 1),
            "perfect play": (final("perfect score"), 3),
            "best": (statistic_of("perfect score", max), 3),
        },
    ),
    "sweep": grid(
        "Sweep: scores against perfect play", "network",
        of_part("sweep", "network", SWEEP),
        {
            "seeds": (final(SCORE), values_text), "mean": (final(SCORE), 3), "lowest": (LOWEST, 3),
        },
    ),
    "ten-seeds": by_seed(
        "Scores on ten new seeds",
        {
            "score": f"{{{SCORE}:.4f}}", "won": "{averaged wins:.0f}",
            "lost": "{averaged losses:.0f}", "last weights": f"{{{LAST}:.4f}}",
            "CPU s": f"{{{CPU}:.0f}}",
        },
        11, part="ten-seeds", network=CHOSEN,
    ),
    "trainers": grid(
        "Trainers", "trainer", of_part("trainers", "trainer", TRAINERS),
        {
            "perfect play": (final(SCORE), interval(4)), "lowest": (LOWEST, 4),
            "lost": (statistic_of("averaged losses", sum), 0),
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
                head: (component(place, PERFECT_GAMES), lambda m: f"{m.mean:.0f}%")
                for place, head in enumerate(("tuples", "play seed", "both", "measuring"))
            },
        },
    ),
    "coverage": grid(
        "What the tuples cover, and mean scores", "tuple seed",
        of_part("seeds", "tuples", TUPLE_SEEDS),
        {
            **{
                head: (tuple_coverage(place), digits)
                for place, (head, digits) in enumerate(
                    (("lines covered", 2), ("tuples per line", 1), ("least covered cell", 0))
                )
            },
            **{name: (final(SCORE, network=name), 3) for name in (PLAIN, DISCOUNTED)},
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
                correlation("own games: win kept", SCORE), interval(2, least=-1)
            ),
        },
    ),
    "outputs": grid(
        "With and without tanh", "network",
        {
            f"gamma {gamma:g}, {output}": {"part": "outputs", "gamma": gamma, "output": output}
            for gamma, output in ON_OTHER_TUPLES
        },
        {
            "mean": (final(SCORE), interval(3)), "lowest": (LOWEST, 3),
            "gain over tanh": (than_tanh, interval(3, least=-1)),
        },
    ),
}  # fmt: skip


# Figures

FIRST_STYLE: Style = (BLUE, "-")
SECOND_STYLE: Style = (VERMILION, (0, (5, 1.5)))
PUBLISHED_STYLE: Style = (BLACK, "none")

# Figures 2 and 3, and depths


AT_DEPTHS = {depth: float(depth) for depth in DEPTHS}


def over_boards(quantity: Measure, **labels: Label) -> Points:
    """Return the points of a quantity by board."""
    return measured_points(quantity, "board", WIDTHS, **labels)


def over_depths(quantity: Measure, **labels: Label) -> Points:
    """Return the points of a quantity by depth."""
    return measured_points(quantity, "depth", AT_DEPTHS, **labels)


def published_point(column: Column, factor: float) -> Line:
    """Return the only number that the paper gives for a figure."""
    number, unit = column.entry.numbers[LARGEST], column.entry.unit
    point: Point = (WIDTHS[LARGEST], factor * number, None, None)
    label = f"the paper: {number:g} {unit}"
    return Line(label, lambda data: [point] if data.rows() else [], PUBLISHED_STYLE)


def name_boards(axes: Axes) -> None:
    """Write every other board below the axis, as in the paper."""
    axes.set_xticks(list(WIDTHS.values())[::2], list(BOARDS)[::2], rotation=45)


def boards_figure(ylabel: str, panels: tuple[Panel, ...]) -> Curves:
    """Return curves over the boards, heights logarithmic."""
    return Curves(
        panels, ylabel, "board, rows x columns", log_x=False, log_y=True, ytext=plain_number,
        xlim=(6, 32), finish=name_boards, xticks=tuple(WIDTHS.values())[::2],
        xtext=lambda width: next(board for board, at in WIDTHS.items() if at == width),
    )  # fmt: skip


def both_programs(quantity: Measure, *more: Line) -> tuple[Line, ...]:
    """Return lines of our program and the naive one."""
    return (
        Line("inarow", over_boards(quantity, **OUR_PROGRAM), FIRST_STYLE),
        Line("naive", over_boards(quantity, **NAIVE_PROGRAM), SECOND_STYLE),
        *more,
    )


THIRD: Style = (GREEN, (0, (3, 1.5)))
SCANNING = Line("naive, leaf scans only", over_boards(SCANS), THIRD)
TIME = boards_figure("CPU seconds", (
    Panel("per game", both_programs(
        of_game("seconds"), SCANNING, published_point(TIME_COLUMN, 60))),
    Panel("per move", both_programs(per_move("seconds"))),
))  # fmt: skip
FOURTH: Style = (ORANGE, (0, (1, 1)))
MEMORY = boards_figure("megabytes", (Panel("", (
    Line(
        "inarow, total",
        over_boards(of_game("allocated bytes", 1e-6), **OUR_PROGRAM), FIRST_STYLE,
    ),
    Line(
        "naive, total",
        over_boards(naive_bytes(1e-6)), SECOND_STYLE,
    ),
    Line(
        "inarow, held at one time",
        over_boards(of_game("held bytes", 1e-6), **OUR_PROGRAM), THIRD,
    ),
    Line(
        "naive, with lists of moves",
        over_boards(lists_of_moves(1e-6, **KEEPING_PROGRAM)), FOURTH,
    ),
    published_point(HEAP_COLUMN, 1000),
)),))  # fmt: skip
PER_MOVE = per_move("seconds", 1000, program=OURS)
SHOWN = ("6x7", "14x15", "22x23", LARGEST)
DEPTH_CURVES = Curves(
    (Panel("", tuple(Line(b, over_depths(PER_MOVE, board=b)) for b in SHOWN)),),
    "CPU milliseconds per move", "search depth, in moves", log_x=False, log_y=True,
    xlim=(1.8, 8.2), ytext=plain_number,
)  # fmt: skip

# Figure 4


def scores(rule: str, number: int | None) -> Points:
    """Return the scores of a pair; of None those of the first that ended by the rule."""

    def points(data: Data) -> list[Point]:
        row = data.row(**{**PAIRED, "rule": rule})
        if row is None:
            return []
        ended = [run for run, done in enumerate(row["finals"]["done"]) if done]
        shown = ended[:1] if number is None else range(row["runs"])[number : number + 1]
        return [
            (EVERY * (n + 1), score, None, None)
            for run in shown
            for n, score in enumerate(row["scores"][run])
        ]

    return points


SHOWN_GAMES = 2_000_000  # all ten million would be a solid area
PALE_STYLE: Style = ("#00000022", "-")
TARGET_LEVEL = Level("the paper's target", lambda data: TARGET, (ORANGE, "--"))


def panel_of(rule: str) -> Panel:
    """Return a panel of all pairs that train until a rule holds, and the first of which it does."""
    pale = (Line("_", scores(rule, number), PALE_STYLE) for number in range(PAIRS))
    ended = Line("first pair ended by it", scores(rule, None), FIRST_STYLE)
    return Panel(f"until {rule} the previous two", (*pale, ended), (TARGET_LEVEL,))


FOUR = Curves(
    tuple(map(panel_of, RULES)), f"score of {EVALUATED} games", log_x=False,
    xlim=(0, SHOWN_GAMES), ylim=(0, EVALUATED),
)  # fmt: skip


def ended(rule: str) -> Points:
    """Return the per cent of pairs that a rule has ended, over games: a step for each."""

    def points(data: Data) -> list[Point]:
        both = {one: data.row(**{**PAIRED, "rule": one}) for one in RULES}
        row = both[rule]
        if row is None:
            return []
        longest = max(
            games for other in both.values() if other for games in other["finals"]["games"]
        )
        found: list[Point] = [(EVERY, 0.0, None, None)]
        for games in sorted(of_finished_pairs(row, "games")):
            height = found[-1][1]
            found.append((games, height, None, None))
            found.append((games, height + 100 / row["runs"], None, None))
        return [*found, (longest, found[-1][1], None, None)]

    return points


ENDS = Curves(
    (Panel("", tuple(Line(f"score {rule} the previous two", ended(rule)) for rule in RULES)),),
    "pairs whose training has ended", percent=True,
)  # fmt: skip
FIGURES = (
    Figure(
        "figure-1-board",
        "Figure 1. The board that the paper prints at the end of a game between two agents",
        lambda canvas, data: draw_rows(canvas, FIGURE_1.value), always, (3.6, 3.1),
    ),
    Figure("figure-2-time", "Figure 2. Time by board", TIME, TIME.has, (9.0, 4.4)),
    Figure("figure-3-memory", "Figure 3. Memory by board", MEMORY, MEMORY.has, (8.0, 4.2)),
    Figure("depths", "Time by search depth", DEPTH_CURVES, DEPTH_CURVES.has),
    Figure(
        "figure-4-scores",
        f"Figure 4. Scores over the first {SHOWN_GAMES:,} training games",
        FOUR,
        FOUR.has,
        (9.0, 4.0),
        "tdl",
    ),
    Figure("ends", "Pairs whose training has ended, by rule", ENDS, ENDS.has, part="tdl"),
)  # fmt: skip

# What the prose asks for


def about_games(data: Data) -> ResultRow:
    """Return numbers of the paper's experiment."""

    def all_of(measure: Measure, **labels: Label) -> list[float]:
        found = [measure(data, board=board, **labels) for board in BOARDS]
        return [measured.mean for measured in found if measured]

    deep = over_depths(visits(), program=OURS, board=LARGEST)(data)
    steps = deep[-1][0] - deep[0][0] if deep else 0
    own = growth(visits(), WIDTHS, **OUR_PROGRAM)(data)
    return {
        "moves": all_of(of_game("moves"), **OUR_PROGRAM), "slower": all_of(SLOWER),
        "held": all_of(of_game("held bytes", 1e-3), **OUR_PROGRAM)[-1],
        "in_all": all_of(of_game("allocated bytes", 1e-3), **OUR_PROGRAM)[-1],
        "factor": (deep[-1][1] / deep[0][1]) ** (1 / steps) if steps else None,
        "columns": WIDTHS[LARGEST], "exponent": own.mean if own else None,
        "scan_minutes": [seconds / 60 for seconds in all_of(SCANS)][-1:],
        "lists": all_of(lists_of_moves(1e-9, **KEEPING_PROGRAM))[-1:],
        "scanned_with": (data.fact("scan") or {}).get("processor"),
    }  # fmt: skip


def about_pairs(data: Data) -> ResultRow:
    """Return numbers of the pairs as the paper trains them, by rule."""
    found = {rule: data.row(**{**PAIRED, "rule": rule}) for rule in RULES}
    return {rule: about_rule(row) for rule, row in found.items() if row}


def about_rule(row: ResultRow) -> ResultRow:
    """Return numbers of the pairs that train until a rule holds."""
    finals = row["finals"]
    return {
        "runs": row["runs"], "ended": int(sum(finals["done"])), "most": max(finals["games"]),
        "seconds": max(finals["seconds"]), "score": mean(finals["perfect score"]),
        "best": max(finals["perfect score"]), "wins": int(sum(finals["wins"])),
        "games": int(sum(sum(finals[end]) for end in ("wins", "draws", "losses"))),
    }  # fmt: skip


def about_ten(data: Data) -> ResultRow:
    """Return scores of the ten test seeds, which were not used to choose settings."""
    row = data.row(part="ten-seeds")
    return {name: row["finals"][name] for name in (SCORE, LAST, CPU)} if row else {}


def on_one_set(data: Data) -> dict[str, str]:
    """Return scores with one set of tuples, only the output changed."""
    found = {
        name: final(SCORE, part="seeds", network=name, tuples=3)(data)
        for name in (PLAIN, LOGISTIC, LINEAR)
    }
    return {name: values_text(scores) for name, scores in found.items() if scores}


def weights_that_arise(seed: int = 2) -> int:
    """Count the weights of an agent: patterns that cannot lie on the board get none."""
    return int(NETWORK.begin(game_of(GAME), None, seed).arrays["weights"].size)


SETTINGS = {
    "alpha": ALPHA, "epsilon": EPSILON, "fall": FALL, "most": MOST_GAMES,
    "referee_most": REFEREE_GAMES,
    "perfect_games": PERFECT_GAMES, "flat": FLAT, "small": SMALL, "start": START,
    "start_seed": START_SEED, "more": MORE_GAMES,
    "naive_boards": len(NAIVE_BOARDS), "boards": len(BOARDS),
    "figure_1": FIGURE_1.value,
}  # fmt: skip
VALUES = {
    "set": lambda data: SETTINGS,
    "games": about_games,
    "pairs": about_pairs,
    "ten": about_ten,
    "one_set": on_one_set,
    "chance": lambda data: CHANCE,
    "minutes": lambda data: TIME_COLUMN.entry.numbers[LARGEST],
    "heap": lambda data: HEAP_COLUMN.entry.numbers[LARGEST],
    "weights": lambda data: weights_that_arise(),
    "figure_1": lambda data: data.fact("figure_1"),
    "most_flat": lambda data: max(
        (v for row in data.rows(part="seeds") for v in row["finals"]["own games: flat"]), default=0
    ),
}
FINDINGS = (
    Finding(
        "**Minimax reproduces in time.** As the paper says, run time grows faster than the board: "
        "with the number of cells to the power of {time-grows|number}. Memory grows with the "
        "number of columns to the power of {space-complexity|number}; that follows from how our "
        "program is written, and says nothing of the paper's.",
        {"time-grows": MATCHES, "space-complexity": DIFFERS},
    ),
    Finding(
        "**Two agents that train each other** end their training by the paper's rule in "
        "{completed}. Scores change by {fluctuations} from one evaluation to the next, and an "
        "agent trained this way scores {minimax-stronger} against minimax.",
        {"completed": MATCHES, "fluctuations": MATCHES, "minimax-stronger": MATCHES},
    ),
)
OUTCOME = (
    Finding("run time grows as it says", {"time-grows": MATCHES}),
    Finding("its rule ends the training of most pairs of agents", {"completed": MATCHES}),
)
PAPER = Paper(
    "connect-four",
    PUBLISHED,
    PARTS,
    (TIME_COLUMN, HEAP_COLUMN),
    CLAIMS,
    tables=TABLES,
    figures=FIGURES,
    values=VALUES,
    findings=FINDINGS,
    outcome=OUTCOME,
)
