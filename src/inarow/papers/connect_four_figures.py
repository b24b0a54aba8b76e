"""The figures of the Connect Four paper's scaling study, drawn from stored results.

Figures 2 and 3 as in the paper (time and memory over the boards), with the only two points that
the paper states, and one more for its future work: time over depth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from inarow.lab.look import BLUE, GREEN, GREY, ORANGE, VERMILION, plain_log, save_figures
from inarow.papers.connect_four import BOARDS, DEPTH, NAIVE, OURS, Run, runs_of
from inarow.papers.results import Published, Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LABELS = [f"{rows}x{columns}" for rows, columns in BOARDS]


def figures(results: Results, published: Sequence[Published], folder: Path) -> list[Path]:
    """Draws all figures and returns their files."""
    runs, stem = runs_of(results), f"{results.paper}-{results.part}"
    stated = {number.metric: number for number in published}
    drawings: dict[str, Callable[[Figure], None]] = {
        "figure-2-time": lambda figure: draw_time(figure, runs, stated.get("time of a game")),
        "figure-3-memory": lambda figure: draw_memory(figure, runs, stated.get("heap in all")),
        "depths": lambda figure: draw_depths(figure, runs),
    }
    return save_figures({f"{stem}-{name}": draw for name, draw in drawings.items()}, folder)


def draw_time(figure: Figure, runs: Sequence[Run], stated: Published | None) -> None:
    """Figure 2: CPU seconds of a game, and beside it milliseconds a move."""
    game, move = figure.subplots(1, 2)
    for axes, quantity in ((game, _seconds), (move, _ms_a_move)):
        _curve(axes, runs, OURS, quantity, "inarow", BLUE, "o-")
        _curve(axes, runs, NAIVE, quantity, "naive, re-scans the board", VERMILION, "s--")
        _boards(axes)
    if stated is not None and isinstance(stated.value, float):
        _star(game, stated.board, stated.value, f"the paper: {stated.said}")
    game.set_title("a whole game", loc="left")
    game.set_ylabel("CPU seconds")
    move.set_title("a move", loc="left")
    move.set_ylabel("CPU milliseconds")
    handles, labels = game.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3)


def draw_memory(figure: Figure, runs: Sequence[Run], stated: Published | None) -> None:
    """Figure 3: memory allocated in all, as the paper counts it, and held at a time."""
    axes = figure.subplots()
    _curve(
        axes,
        runs,
        OURS,
        lambda run: run.allocated_bytes / 1e6,
        "inarow, allocated in all",
        BLUE,
        "o-",
    )
    _curve(
        axes, runs, OURS, lambda run: run.held_bytes / 1e6, "inarow, held at a time", GREEN, "s--"
    )
    _boards(axes)
    if stated is not None and isinstance(stated.value, float):
        _star(axes, stated.board, stated.value / 1e6, f"the paper: {stated.said} in all")
    axes.set_ylabel("megabytes")
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3)


def draw_depths(figure: Figure, runs: Sequence[Run]) -> None:
    """Milliseconds a move by depth, on four boards from the smallest to the largest."""
    axes = figure.subplots()
    boards = [board for board in BOARDS if any((r.rows, r.columns) == board for r in runs)]
    last = len(boards) - 1
    picked = [boards[place] for place in sorted({0, last // 3, 2 * last // 3, last})]
    for board, colour, mark in zip(picked, (BLUE, GREEN, ORANGE, VERMILION), "os^D", strict=False):
        curve = sorted(
            (
                run
                for run in runs
                if (run.program, run.rows, run.columns, run.finished) == (OURS, *board, True)
            ),
            key=lambda run: run.depth,
        )
        depths, heights = [r.depth for r in curve], [r.ms_a_move for r in curve]
        axes.plot(depths, heights, f"{mark}-", color=colour, label=f"{board[0]}x{board[1]}")
    plain_log(axes)
    axes.set_xticks(sorted({run.depth for run in runs}))
    axes.axvline(DEPTH, color=GREY, linewidth=0.8, linestyle=":")
    axes.annotate(
        "the paper's depth", (DEPTH, 1), xycoords=("data", "axes fraction"), xytext=(-4, -2),
        textcoords="offset points", ha="right", va="top", color=GREY,
    )  # fmt: skip
    axes.set_xlabel("depth of the search, in moves")
    axes.set_ylabel("CPU milliseconds a move")
    axes.legend(title="board")


def _seconds(run: Run) -> float:
    return run.seconds


def _ms_a_move(run: Run) -> float:
    return run.ms_a_move


def _curve(
    axes: Axes,
    runs: Sequence[Run],
    program: str,
    quantity: Callable[[Run], float],
    label: str,
    colour: str,
    style: str,
) -> None:
    """A program's games at the paper's depth, over the boards; unfinished games are left out."""
    points = {
        LABELS.index(run.board): quantity(run)
        for run in runs
        if (run.program, run.depth) == (program, DEPTH) and run.finished and run.board in LABELS
    }
    axes.plot(sorted(points), [points[x] for x in sorted(points)], style, color=colour, label=label)


def _star(axes: Axes, board: str, height: float, label: str) -> None:
    axes.plot([LABELS.index(board)], [height], "*", color="black", markersize=11, label=label)


def _boards(axes: Axes) -> None:
    plain_log(axes)
    axes.set_xlim(-0.5, len(LABELS) - 0.5)
    axes.set_xticks(range(len(LABELS)), LABELS, rotation=60)
    axes.set_xlabel("board, rows x columns")
