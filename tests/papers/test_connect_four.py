"""What only the Connect Four paper has: its games of minimax, growth, and Figure 1."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inarow.engine.board import tables_of
from inarow.game import Game
from inarow.papers.connect_four import claims
from inarow.papers.connect_four.exact import games_like
from inarow.papers.connect_four.minimax import KEEPING, NAIVE, OURS, GameWork
from inarow.papers.connect_four.paper import PAPER
from inarow.papers.connect_four.study import DEPTH, FIGURE_1, NAIVE_BOARDS, games
from inarow.papers.measures import Data
from inarow.papers.study import Results
from inarow.papers.verdicts import NOT_RUN
from inarow.search.minimax import Searcher

DOCS = Path(__file__).parents[2] / "docs"


def test_keeping_the_utility_visits_what_scanning_visits() -> None:
    stored = PAPER.data(DOCS / "results")
    for board in NAIVE_BOARDS:
        one, other = (
            stored.rows(program=program, board=board, depth=DEPTH)[0]
            for program in (NAIVE, KEEPING)
        )
        for name in ("nodes", "leaves", "moves"):
            assert one["finals"][name] == other["finals"][name]
        assert one["game"] == other["game"]
    row = stored.row(program=KEEPING, board="30x31", depth=DEPTH)
    assert row is not None
    lists = claims.lists_of_moves(1.0, program=KEEPING)(stored, board="30x31")
    assert lists is not None
    assert lists.mean == 4 * 31 * row["finals"]["nodes"][0]


def test_the_stored_games_are_what_is_played_now() -> None:
    """Moves and positions visited do not depend on the machine."""
    stored = PAPER.data(DOCS / "results")
    for made in games("paper"):
        board = made.parameters["board"]
        if made.labels["program"] == OURS and made.labels["depth"] <= DEPTH and board[0] <= 12:
            row = stored.row(**made.labels)
            assert row is not None
            work = GameWork.begin(dict(made.parameters), 0)
            while not work.finished:
                work.advance()
            assert " ".join(str(move + 1) for move in work.position.moves) == row["game"]
            assert row["finals"]["nodes"] == [work.program.counts[0]]


def test_the_stored_study_is_whole() -> None:
    stored = PAPER.data(DOCS / "results")
    for part in PAPER.parts:
        given: Any = part.conditions
        rows = stored.rows(part=part.name)
        assert [tuple(c.labels.values()) for c in given("paper")] == [
            tuple(row[name] for name in c.labels)
            for row, c in zip(rows, given("paper"), strict=True)
        ]
        assert {row["runs"] for row in rows} == {part.runs["paper"]}
    assert not any(row.verdict == NOT_RUN for row in PAPER.rows(stored))


# Measures


def law(exponent: float, noise: float = 0.0) -> Data:
    rows = [
        {"board": str(size), "runs": 1,
         "finals": {"seconds": [3 * size**exponent * (1 + noise * (-1) ** size)]}}
        for size in range(6, 14)
    ]  # fmt: skip
    return Data({"minimax": Results("connect-four", "minimax", "paper", rows)}, "minimax")


def test_growth_of_a_known_law() -> None:
    sizes = {str(size): float(size) for size in range(6, 14)}
    measure = claims.growth(claims.of_game("seconds"), sizes)
    found = measure(law(4))
    assert found is not None
    assert (found.mean, found.runs) == (pytest.approx(4), 8)
    noisy = measure(law(4, 0.2))
    assert noisy is not None
    assert noisy.low is not None
    assert noisy.high is not None
    assert noisy.low < 4 < noisy.high
    assert noisy.high - noisy.low > 0.3
    assert claims.growth(claims.of_game("seconds"), {"6": 6.0, "7": 7.0})(law(4)) is None
    slope = np.polyfit(np.log(list(sizes.values())), np.log(np.array(list(sizes.values())) ** 4), 1)
    assert slope[0] == pytest.approx(found.mean)


def test_variance_shared_out_by_hand() -> None:
    nothing = np.zeros((2, 2))
    assert claims.variance_shares(np.full((2, 2), 0.5), nothing) == (0, 0, 0, 0)
    rows = np.array([[0.2, 0.2], [0.6, 0.6]])
    assert claims.variance_shares(rows, nothing) == pytest.approx((1, 0, 0, 0))
    assert claims.variance_shares(rows.T, nothing) == pytest.approx((0, 1, 0, 0))
    # Means of rows 2 and 4, of columns 2.5 and 3.5; the rest is 0.5 each way: its square is 1.
    mixed = np.array([[2.0, 2.0], [3.0, 5.0]])
    of_rows, of_columns = 2 - 1 / 2, max(0.5 - 1 / 2, 0)
    expected = np.array([of_rows, of_columns, 1.0, 0.25]) / (of_rows + of_columns + 1)
    assert claims.variance_shares(mixed, np.full((2, 2), 0.25)) == pytest.approx(tuple(expected))


def test_a_power_law_and_its_error() -> None:
    sizes = np.arange(6.0, 14.0)
    assert claims.power_law(sizes, 3 * sizes**4) == pytest.approx((4, 0), abs=1e-9)
    from scipy.stats import linregress

    noisy = 3 * sizes**4 * (1 + 0.2 * (-1) ** np.arange(8))
    expected = linregress(np.log(sizes), np.log(noisy))
    assert claims.power_law(sizes, noisy) == pytest.approx((expected.slope, expected.stderr))


# Figure 1


def test_figure_1_is_won_by_the_second_on_its_last_move() -> None:
    stones = [[int(cell) for cell in row.replace(".", "0")] for row in reversed(FIGURE_1.value)]
    cells = np.array(stones).ravel()
    lines = Game((6, 7), 4, gravity=True).lines
    assert [int((cells == side).sum()) for side in (1, 2)] == [19, 19]
    assert not (cells[lines] == 1).all(axis=1).any()
    won = lines[(cells[lines] == 2).all(axis=1)]
    assert won.shape[0] == 1
    assert 7 in won[0]  # the upper stone of the left column: the others may lie on it


def test_figure_1_s_loser_did_not_take_the_first_best_move() -> None:
    """Unless he was about to lose in columns 1 and 5 alike, he would have had to block column 1."""
    game = Game((6, 7), 4, gravity=True)
    cells = np.array([[int(c) for c in row.replace(".", "0")] for row in reversed(FIGURE_1.value)])
    cells[1, 0] = 0  # the last move
    searcher = Searcher(tables_of(game), 2)
    chosen = {}
    for column in range(1, 7):
        if cells[5, column] == 1:  # the one before may have been here
            before = cells.copy()
            before[5, column] = 0
            values = searcher.run(before.ravel().astype(np.int8), all_moves=True).values
            assert values is not None
            chosen[column] = values[0] - values[column]
    assert {column for column, gain in chosen.items() if gain <= 0} == {4}
    assert chosen[4] == 0


def test_figure_1_s_game_is_looked_for() -> None:
    expected = {"deepest": 1, "orders": 3, "games": 9, "same_end": 0, "same_length_and_winner": 0}
    assert games_like(FIGURE_1.value, 1) == expected
    game = Game((6, 7), 4, gravity=True)
    position, agent = game.position(), Searcher(tables_of(game), 1)
    while position.outcome is None:
        position.push(agent.run(np.array(position.stones, dtype=np.int8)).move)
    stones = np.reshape(position.stones, (6, 7))
    for end in (stones, np.fliplr(stones)):  # one that some pair does end in, and its mirror image
        shown = ["".join(".12"[stone] for stone in row) for row in reversed(end)]
        assert games_like(shown, 1)["same_end"] >= 1
