"""The n-dimensional paper's policy gradient, in two, three and four dimensions.

Figures 9 to 13: how often the agent wins, draws and loses over its training games. Two versions
are trained: *as described*, which is the paper's as far as it says (`learn.reinforce_paper`), and
*sound* (`learn.reinforce`). Beside them stand learners of other kinds, and players that learned
nothing. In two dimensions all shares are exact; from three on they are sampled.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from inarow.engine.tables import tables_of
from inarow.game import Game
from inarow.game import game as game_of
from inarow.graph.graph import graph_of
from inarow.graph.odds import odds
from inarow.lab.certify import policies_of
from inarow.lab.match import match
from inarow.lab.players import player
from inarow.lab.statistics import summary
from inarow.lab.store import Store
from inarow.lab.study import Study
from inarow.lab.training import Run
from inarow.learn.policy_agent import PolicyAgent
from inarow.learn.policy_network import shape_of
from inarow.papers.grids import games_of, run_games
from inarow.papers.n_dimensional_exact import ceilings, counts
from inarow.papers.results import Report, Results, made_with

BOARDS = {
    "tictactoe": "2-D",
    "ntictactoe:3^3": "3-D",
    "ntictactoe:3^4": "4-D",
    "ntictactoe:3^5": "5-D",
}
PLANE, CUBE, FOUR, FIVE = BOARDS
SEVEN = "ntictactoe:3^7"
OPPONENTS = ("random", "advanced", "greedy-lines")
ENDS = ("won", "drawn", "lost")
SCALES = {"quick": 2, "paper": 10}  # runs of each cell
SLOW_RUNS = {"quick": 2, "paper": 10}  # of the paper's version, from three dimensions on
TEST_GAMES = {"quick": 500, "paper": 1_000}  # against each opponent at each look
YARDSTICK_GAMES = {"quick": 1_000, "paper": 20_000}
DESCRIBED, SOUND, LINE_TD, SARSA = "as described", "sound", "line TD", "SARSA"
SLOW = "-as-described"
ALONE = ", factor 0"  # nothing is propagated: a move is rewarded for what it did at once
MOST_LINES = "most-lines"
YARDSTICKS = ("random", "advanced", MOST_LINES, "greedy-lines")
TIMED_SECONDS = 0.3  # a learner is timed for at least so long


@dataclass(frozen=True)
class Cell:
    """A learner on a board against a trainer, for so many games."""

    variant: str
    board: str
    trainer: str
    learner: str
    games: Mapping[str, int]  # by scale
    options: dict[str, Any] = field(default_factory=dict)

    def looks(self, scale: str) -> list[int]:
        """The numbers of games after which the agent is tested: 1, 2 and 5 times powers of ten."""
        games = self.games[scale]
        if self.learner == "sarsa":  # its schedules end with the run
            return [games]
        found = [digit * 10**power for power in range(2, 9) for digit in (1, 2, 5)]
        return [look for look in found if games / 1000 <= look < games] + [games]


def _games(quick: int, paper: int) -> dict[str, int]:
    return {"quick": quick, "paper": paper}


AS_PRINTED = {"version": "paper"}
CELLS = (
    Cell(DESCRIBED, PLANE, "random", "reinforce", _games(2_000, 20_000), AS_PRINTED),
    Cell(SOUND, PLANE, "random", "reinforce", _games(20_000, 200_000)),
    Cell(SARSA, PLANE, "random", "sarsa", _games(20_000, 20_000), {"episodes": 20_000}),
    Cell(DESCRIBED, CUBE, "advanced", "reinforce", _games(1_000, 20_000), AS_PRINTED),
    Cell(SOUND, CUBE, "advanced", "reinforce", _games(50_000, 500_000)),
    Cell(
        DESCRIBED + ALONE, CUBE, "advanced", "reinforce", _games(1_000, 20_000),
        {**AS_PRINTED, "propagation": 0.0},
    ),
    Cell(
        SOUND + ALONE, CUBE, "advanced", "reinforce", _games(20_000, 20_000),
        {"propagation": 0.0},
    ),
    Cell(LINE_TD, CUBE, "advanced", "line_td", _games(5_000, 20_000)),
    Cell(DESCRIBED, FOUR, "advanced", "reinforce", _games(500, 100_000), AS_PRINTED),
    Cell(SOUND, FOUR, "advanced", "reinforce", _games(5_000, 100_000)),
    Cell(LINE_TD, FOUR, "advanced", "line_td", _games(2_000, 20_000)),
    Cell(LINE_TD, FIVE, "greedy-lines", "line_td", _games(200, 2_000)),
)  # fmt: skip

Values = npt.NDArray[np.float64]


def groups_of(boards: Sequence[str]) -> dict[str, list[Cell]]:
    """The cells of some boards, those that take long by themselves; each group is a study."""
    groups = dict[str, list[Cell]]()
    for cell in CELLS:
        if cell.board in boards:
            slow = cell.variant.startswith(DESCRIBED) and cell.board != PLANE
            groups.setdefault(f"{cell.board}{SLOW if slow else ''}", []).append(cell)
    return groups


def test_games(board: str, scale: str) -> int:
    """Games against each opponent at each look: fewer where a game takes some milliseconds."""
    return TEST_GAMES[scale] // (5 if board == FIVE else 1)


def definition(group: str, scale: str) -> Study:
    """The study of one group of cells."""
    board = group.removesuffix(SLOW)
    if board == PLANE:
        looks = [f"exact:{opponent}" for opponent in OPPONENTS]
    else:
        looks = [f"games:{opponent}:{test_games(board, scale)}" for opponent in OPPONENTS]
    cells = [
        {
            "game": board,
            "learner": cell.learner,
            "against": cell.trainer,
            **cell.options,
            "games": cell.games[scale],
            "examine_at": cell.looks(scale),
            "examinations": looks,
        }
        for cell in groups_of([board])[group]
    ]
    return Study(f"n-dimensional policy gradient {scale} {group}", tuple(cells))


def study(
    folder: Path,
    report: Report,
    scale: str = "quick",
    runs: int | None = None,
    game: str | None = None,
    workers: int | None = None,
    on: str = "threads",
) -> Results:
    """Runs the study, or what is missing of it, in databases in the folder, and reads them."""
    boards = games_of(BOARDS, game)
    groups, rows = groups_of(boards), list[dict[str, Any]]()
    wanted = {name: runs or (SLOW_RUNS if SLOW in name else SCALES)[scale] for name in groups}
    titles = {name: BOARDS[cells[0].board] for name, cells in groups.items()}
    stem = folder / f"n-dimensional-policy-gradient-{scale}"
    studies = run_games(
        stem, titles, wanted, lambda group: definition(group, scale), report, workers, on
    )
    for group, store in studies:
        for number, cell in enumerate(groups[group]):
            tested = 1 if cell.board == PLANE else test_games(cell.board, scale)
            rows.append(
                {
                    "board": cell.board,
                    "variant": cell.variant,
                    "trainer": cell.trainer,
                    "runs": wanted[group],
                    **read(store, number, wanted[group], tested),
                }
            )
    order = [(cell.board, cell.variant) for cell in CELLS]
    rows.sort(key=lambda row: order.index((row["board"], row["variant"])))
    facts = {
        "yardsticks": [row for board in boards for row in yardsticks(board, scale)],
        "seconds": [time_of(cell) for cells in groups.values() for cell in cells],
        "ceilings": ceilings(),
        "counts": counts(),
        "seven": seven_dimensions(),
    }
    return Results("n-dimensional", "policy-gradient", scale, rows, facts, made_with(), runs)


def read(store: Store, cell: int, runs: int, tested: int) -> dict[str, Any]:
    """Per cent of games by opponent and end, and lines ahead a game, at each look.

    Each as [mean, standard error, low, high] over the runs.
    """
    found: dict[str, Any] = {"games": [], "shares": {}, "lines": {}}
    metrics = store.metrics(cell)
    for opponent in OPPONENTS:
        found["shares"][opponent] = {}
        for end in ENDS:
            if f"{end} against {opponent}" in metrics:
                games, values = store.curve(cell, f"{end} against {opponent}")
            else:  # exact, in each seat
                names = (
                    f"chance {end} as {seat} against {opponent}" for seat in ("first", "second")
                )
                (games, first), (_, second) = (store.curve(cell, name) for name in names)
                values = (first + second) / 2
            found["games"] = games.tolist()
            found["shares"][opponent][end] = spreads(100 * values[:runs] / tested)
        if f"lines ahead against {opponent}" in metrics:
            _, lines = store.curve(cell, f"lines ahead against {opponent}")
            found["lines"][opponent] = spreads(lines[:runs] / tested)
    return found


def spreads(values: Values) -> list[list[float]]:
    """[mean, standard error, low, high] of each column."""
    return [[round(float(number), 4) for number in summary(column)[:4]] for column in values.T]


def most_lines(game: Game) -> PolicyAgent:
    """Takes the cell that most lines cross, whatever lies on the board.

    A policy network whose weights are all 0 but for the biases of its outputs: what the paper's
    network can learn without looking.
    """
    tables, shape = tables_of(game), shape_of(game.cells, 1)
    weights = np.zeros(shape.size, dtype=np.float32)
    lines = np.diff(tables.line_start)
    weights[shape.output_bias :] = lines - np.arange(game.cells) / (2 * game.cells)  # ties: lowest
    return PolicyAgent(MOST_LINES, game, shape, weights, draws=False)


def yardsticks(board: str, scale: str) -> list[dict[str, Any]]:
    """Players that learned nothing, against each opponent: per cent of games, and lines ahead."""
    game, rows = game_of(board), list[dict[str, Any]]()
    games = max(200, YARDSTICK_GAMES[scale] * 9 // game.cells)
    for name in YARDSTICKS:
        who = most_lines(game) if name == MOST_LINES else player(name)
        for opponent in OPPONENTS:
            row: dict[str, Any] = {"board": board, "player": name, "opponent": opponent}
            if board == PLANE:
                shares, row["games"], row["lines"] = exact_shares(game, who, opponent), 0, None
            else:
                total = match(game, who, opponent, games, 1).total
                shares = [100 * n / games for n in (total.wins, total.draws, total.losses)]
                row["games"] = games
                row["lines"] = (total.lines_for - total.lines_against) / games
            rows.append({**row, **dict(zip(ENDS, shares, strict=True))})
    return rows


def exact_shares(game: Game, who: Any, opponent: str) -> list[float]:
    """Per cent won, drawn and lost over both seats, on the graph of the game."""
    graph = graph_of(game)
    (own,), (other,) = policies_of(who, graph), policies_of(player(opponent), graph)
    first, second = odds(graph, own, other), odds(graph, other, own)
    pairs = ((first.first, second.second), (first.draw, second.draw), (first.second, second.first))
    return [50 * (float(one) + float(two)) for one, two in pairs]


def time_of(cell: Cell) -> dict[str, Any]:
    """CPU-seconds for a thousand games of training, on one core."""
    run, games, seconds = Run(cell.board, cell.learner, cell.options, cell.trainer), 8, 0.0
    run.training.play(games)
    while seconds < TIMED_SECONDS:
        games *= 2
        start = time.thread_time()
        run.training.play(games)
        seconds = time.thread_time() - start
    return {
        "board": cell.board,
        "variant": cell.variant,
        "seconds_for_1000": float(f"{1000 * seconds / games:.3g}"),
    }


def seven_dimensions() -> dict[str, Any]:
    """What a move costs on 3^7, with the score of both sides kept."""
    game, games = game_of(SEVEN), 16
    match(game, "random", "random", 2)
    start = time.process_time()
    match(game, "random", "random", games)
    seconds = (time.process_time() - start) / (games * game.cells)
    return {
        "cells": game.cells,
        "lines": len(game.lines),
        "seconds_a_move": float(f"{seconds:.2g}"),
    }


def row_of(results: Results, board: str, variant: str) -> Mapping[str, Any] | None:
    """What was found in a cell, if it was run."""
    for row in results.rows:
        if (row["board"], row["variant"]) == (board, variant):
            return row
    return None


def seconds_of(results: Results, board: str, variant: str, games: int) -> float | None:
    """CPU-seconds of so many games of training, at the rate that was measured."""
    for row in results.facts["seconds"]:
        if (row["board"], row["variant"]) == (board, variant):
            return float(row["seconds_for_1000"]) * games / 1000
    return None
