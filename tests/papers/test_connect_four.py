"""What only the Connect Four paper has: its games of minimax, growth, and Figure 1."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inarow.engine.tables import tables_of
from inarow.game import Game
from inarow.lab.minimax_work import KEEPING, NAIVE, OURS, WORK, GameWork
from inarow.papers.connect_four import extra
from inarow.papers.connect_four.extra import games_like
from inarow.papers.connect_four.runs import DEPTH, FIGURE_1, NAIVE_BOARDS, games
from inarow.papers.connect_four.spec import PAPER
from inarow.papers.connect_four.spec import VALUES as SPEC_VALUES
from inarow.papers.measures import Data
from inarow.papers.results import Results
from inarow.papers.study import Condition, Request
from inarow.papers.verdicts import NOT_RUN
from inarow.search.minimax import Searcher

DOCS = Path(__file__).parents[2] / "docs"
BOARDS = {"4x5": (4, 5), "5x6": (5, 6), "6x7": (6, 7), "6x8": (6, 8)}


def condition(program: str, board: str, depth: int) -> Condition:
    labels = {"program": program, "board": board, "depth": depth}
    return Condition(labels, {**labels, "board": list(BOARDS[board])}, WORK)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Data:
    """Small boards, two depths of ours, and the naive program, scanning and keeping."""
    made = [condition(OURS, board, depth) for board in BOARDS for depth in (2, DEPTH)]
    made += [condition(program, board, DEPTH) for program in (NAIVE, KEEPING) for board in BOARDS]
    part = replace(PAPER.parts[0], conditions=made)
    folder = tmp_path_factory.mktemp("minimax")
    return PAPER.data(folder, PAPER.run(part, Request("quick", folder, workers=1)))


def test_every_game_is_legal_and_ends_as_it_says(tiny: Data) -> None:
    for row in tiny.rows():
        finals = {name: value for name, (value,) in row["finals"].items()}
        position = Game(BOARDS[row["board"]], 4, gravity=True).position(row["game"])
        assert position.outcome is not None
        assert (position.outcome.winner or 0, position.ply) == (finals["winner"], finals["moves"])
        assert finals["seconds"] > 0
        assert finals["nodes"] >= finals["moves"]
        assert bool(finals["leaves"]) == (row["program"] != OURS)
        cells = position.game.cells if row["program"] == OURS else 0
        assert finals["allocated bytes"] == finals["held bytes"] + cells * finals["moves"]


def test_keeping_the_utility_visits_what_scanning_visits(tiny: Data) -> None:
    stored = PAPER.data(DOCS / "results")
    for data, boards in ((tiny, BOARDS), (stored, NAIVE_BOARDS)):
        for board in boards:
            one, other = (
                data.rows(program=program, board=board, depth=DEPTH)[0]
                for program in (NAIVE, KEEPING)
            )
            for name in ("nodes", "leaves", "moves"):
                assert one["finals"][name] == other["finals"][name]
            assert one["game"] == other["game"]
    row = stored.row(program=KEEPING, board="30x31", depth=DEPTH)
    assert row is not None
    lists = extra.lists_of_moves(1.0, {"30x31": (30, 31)}, program=KEEPING)(stored, board="30x31")
    assert lists is not None
    assert lists.mean == 4 * 31 * row["finals"]["nodes"][0]


def test_both_programs_play_the_same_games(tiny: Data) -> None:
    same = extra.same_game(tuple(BOARDS), (OURS, NAIVE), DEPTH)
    found = same(tiny)
    assert found is not None
    assert found.mean == len(BOARDS)
    rows = tiny.rows(program=NAIVE, board="4x5")
    before, rows[0]["game"] = rows[0]["game"], "1"
    changed = same(tiny), same(tiny, board="4x5")
    rows[0]["game"] = before
    assert [one.mean for one in changed if one] == [len(BOARDS) - 1, 0]


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
    measure = extra.growth(extra.one("seconds"), sizes)
    found = measure(law(4))
    assert found is not None
    assert (found.mean, found.runs) == (pytest.approx(4), 8)
    noisy = measure(law(4, 0.2))
    assert noisy is not None
    assert noisy.low is not None
    assert noisy.high is not None
    assert noisy.low < 4 < noisy.high
    assert noisy.high - noisy.low > 0.3
    assert extra.growth(extra.one("seconds"), {"6": 6.0, "7": 7.0})(law(4)) is None
    slope = np.polyfit(np.log(list(sizes.values())), np.log(np.array(list(sizes.values())) ** 4), 1)
    assert slope[0] == pytest.approx(found.mean)


def test_tables_figures_and_words_of_few_boards(tiny: Data, tmp_path: Path) -> None:
    tables = {table.title: table for table in PAPER.tables_of(tiny, "minimax")}
    (line,) = tables["Two minimax agents, 6 moves deep"].rows
    assert line[:3] == ("6x7", "draw", "42")
    (line,) = tables["The naive program, which scans the board at every leaf"].rows
    assert (line[0], line[1], line[-1]) == ("6x7", "42", "yes")
    assert len(PAPER.draw(tiny, tmp_path, "minimax")) == 3
    assert SPEC_VALUES["games"](tiny)["moves"] == [42]


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
