"""The Connect Four paper's scaling study held against the paper: verdicts and tables.

Abegg and Buhite, "Exploring Minimax and Temporal Difference Learning for Connect Four". Every
value that its minimax part states is in `PUBLISHED`; the others are only drawn, in Figures 2 and
3, without numbers. `connect_four_page` says in words what differs, and why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from inarow.game import Game
from inarow.game.notation import parse_moves
from inarow.papers import connect_four_figures
from inarow.papers.connect_four import DEPTH, NAIVE, OURS, Run, runs_of
from inarow.papers.page import Table, bytes_text, ratio_text, seconds_text
from inarow.papers.results import Published, Results, Verdict, judge

SMALLEST, LARGEST = "6x7", "30x31"
_METHOD = (
    "another method and another machine: line counts follow each stone, so that a leaf costs no "
    "scan of the board, and likely good moves are looked at first; the moves chosen stay those of "
    "the naive program"
)
_MEMORY = (
    "the paper counts all that was ever allocated, which grows with the positions visited; ours "
    "allocates before the first move and then only hands the position over"
)
_FIGURE_1 = (
    "which agents play in Figure 1 is not said, nor their depth and order among equal moves; no "
    "pair of ours ends so"
)

Measure = Callable[[Sequence[Run]], float | str | None]


def _at(board: str, quantity: Callable[[Run], float | str]) -> Measure:
    """A quantity of our game on a board, at the paper's depth."""

    def measured(runs: Sequence[Run]) -> float | str | None:
        found = [quantity(run) for run in paper_runs(runs) if run.board == board]
        return found[0] if found else None

    return measured


def _growth(quantity: Callable[[Run], float]) -> Measure:
    """How many times the largest board's quantity is the smallest's."""

    def measured(runs: Sequence[Run]) -> float | None:
        by_board = {run.board: quantity(run) for run in paper_runs(runs)}
        if not {SMALLEST, LARGEST} <= set(by_board):
            return None
        return by_board[LARGEST] / by_board[SMALLEST]

    return measured


def growth_exponent(runs: Sequence[Run], program: str = NAIVE) -> float | None:
    """The x of columns^x that fits the positions a move best; None with fewer than four boards."""
    games = paper_runs(runs, program)
    if len(games) < 4:
        return None
    across = np.log([run.columns for run in games])
    slope, _ = np.polyfit(across, np.log([run.positions_a_move for run in games]), 1)
    return float(slope)


# What the paper states, and how ours is read off the games.
PUBLISHED: tuple[tuple[Published, Measure], ...] = (
    (
        Published(
            "time of a game", LARGEST, "roughly 19 minutes", "section IV-C",
            19 * 60.0, 18.5 * 60, 19.5 * 60, "s", _METHOD,
        ),
        _at(LARGEST, lambda run: run.seconds),
    ),
    (
        Published(
            "heap in all", LARGEST, "roughly 1.1 GB", "section IV-C",
            1.1e9, 1.05e9, 1.15e9, "bytes", _MEMORY,
        ),
        _at(LARGEST, lambda run: run.allocated_bytes),
    ),
    (
        Published(
            "time grows", LARGEST, "increases sharply", "section IV-C, Figure 2",
            None, low=1, unit=f"times {SMALLEST}'s",
        ),
        _growth(lambda run: run.seconds),
    ),
    (
        Published(
            "memory grows", LARGEST, "increases sharply", "section IV-C, Figure 3",
            None, low=1, unit=f"times {SMALLEST}'s",
        ),
        _growth(lambda run: run.allocated_bytes),
    ),
    (
        Published(
            "growth exponent", "naive", "d/2 to d, so 3 to 6", "section III-A.2",
            None, DEPTH / 2, DEPTH, "of columns", "the boards and games are too few for a fit",
        ),
        growth_exponent,
    ),
    (
        Published("Figure 1: moves", SMALLEST, "38", "Figure 1", 38, 38, 38, "moves", _FIGURE_1),
        _at(SMALLEST, lambda run: run.moves),
    ),
    (
        Published("Figure 1: winner", SMALLEST, "second", "Figure 1", "second", reason=_FIGURE_1),
        _at(SMALLEST, lambda run: run.outcome),
    ),
)  # fmt: skip


def paper_runs(runs: Iterable[Run], program: str = OURS) -> list[Run]:
    """A program's games at the paper's depth that were played to their end."""
    return [run for run in runs if (run.program, run.depth) == (program, DEPTH) and run.finished]


def verdicts(
    results: Results, published: Iterable[tuple[Published, Measure]] = PUBLISHED
) -> list[Verdict]:
    """Everything that the paper states, with ours beside it."""
    runs = runs_of(results)
    return [judge(stated, measure(runs)) for stated, measure in published]


def figures(results: Results, folder: Path) -> list[Path]:
    """Draws Figures 2 and 3, and time over depth."""
    return connect_four_figures.figures(results, [stated for stated, _ in PUBLISHED], folder)


def tables(results: Results) -> list[Table]:
    """All tables, as the command prints them."""
    runs = runs_of(results)
    return [
        board_table(runs),
        verdict_table(verdicts(results)),
        naive_table(runs),
        depth_table(runs),
        length_table(runs),
    ]


def notes(results: Results) -> list[str]:
    """What the tables cannot say."""
    looked = results.facts["figure_1"]
    found = (
        f"{looked['same_end']} of {looked['games']} games between agents of depth 1 to "
        f"{looked['deepest']} end in Figure 1's board; {looked['same_length_and_winner']} have its "
        "length and winner."
    )
    return [found]


def board_table(runs: Sequence[Run]) -> Table:
    """The paper's experiment: a row a board."""
    rows = [
        (
            run.board, run.outcome, str(run.moves), f"{run.seconds:.3f}", f"{run.ms_a_move:.2f}",
            f"{run.nodes:,}", bytes_text(run.held_bytes), bytes_text(run.allocated_bytes),
        )
        for run in paper_runs(runs)
    ]  # fmt: skip
    columns = ("board", "winner", "moves", "CPU s", "ms/move", "nodes", "held", "in all")
    title = f"Two minimax agents, {DEPTH} moves deep"
    return Table(columns, tuple(rows), title, texts=(0, 1))


def verdict_table(found: Sequence[Verdict]) -> Table:
    """Ours against theirs."""
    rows = [
        (v.published.metric, v.published.board, v.published.said, ours_text(v), v.verdict)
        for v in found
    ]
    columns = ("metric", "board", "published", "ours", "verdict")
    return Table(columns, tuple(rows), "The paper's figures and ours", texts=(0, 1, 2, 4))


def ours_text(verdict: Verdict) -> str:
    """Our value in the unit that reads best."""
    ours, unit = verdict.ours, verdict.published.unit
    if ours is None or isinstance(ours, str):
        return ours or "-"
    if unit == "s":
        return seconds_text(ours)
    if unit == "bytes":
        return bytes_text(ours)
    if unit.startswith("times"):
        return ratio_text(ours)
    return f"{ours:.1f}" if unit == "of columns" else f"{ours:.0f}"


def naive_table(runs: Sequence[Run]) -> Table:
    """The naive program beside ours, by the move: a game may be unfinished."""
    ours = {run.board: run for run in paper_runs(runs)}
    rows = []
    for run in runs:
        if run.program != NAIVE or run.board not in ours:
            continue
        own = ours[run.board]
        played = f"{run.moves} of {own.moves}" if not run.finished else str(run.moves)
        rows.append(
            (
                run.board, played, f"{run.seconds:.2f}", f"{run.ms_a_move:,.1f}",
                f"{own.ms_a_move:.2f}", ratio_text(run.ms_a_move / own.ms_a_move),
                f"{run.positions_a_move:,.0f}", f"{own.positions_a_move:,.0f}",
                "yes" if is_same_game(run, own) else "no",
            )
        )  # fmt: skip
    columns = (
        "board", "moves", "naive s", "ms/move", "ours", "ratio", "visits/move", "ours", "same",
    )  # fmt: skip
    return Table(columns, tuple(rows), "The naive program, which scans the board at every leaf")


def is_same_game(naive: Run, ours: Run) -> bool:
    """Whether both chose the same moves, as far as the naive game went."""
    game = Game((ours.rows, ours.columns), 4, gravity=True)
    return parse_moves(game, ours.game)[: naive.moves] == parse_moves(game, naive.game)


def depth_table(runs: Sequence[Run]) -> Table:
    """CPU milliseconds a move by board and depth."""
    return _by_depth(runs, lambda run: f"{run.ms_a_move:.2f}", "CPU milliseconds a move, by depth")


def length_table(runs: Sequence[Run]) -> Table:
    """Moves and winner by board and depth."""
    signs = {"first": "+", "second": "-", "draw": "="}
    title = "Moves of the game, by depth; the first wins +, the second -, draw ="
    return _by_depth(runs, lambda run: f"{run.moves} {signs.get(run.outcome, '?')}", title)


def _by_depth(runs: Sequence[Run], text: Callable[[Run], str], title: str) -> Table:
    own = [run for run in runs if run.program == OURS]
    depths = sorted({run.depth for run in own})
    cells = {(run.board, run.depth): text(run) for run in own}
    boards = dict.fromkeys(run.board for run in own)
    rows = [(board, *(cells.get((board, depth), "-") for depth in depths)) for board in boards]
    return Table(("board", *(str(depth) for depth in depths)), tuple(rows), title)
