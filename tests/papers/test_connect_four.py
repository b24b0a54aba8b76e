"""The Connect Four paper's study: its games, verdicts, stored results, figures and page."""

from __future__ import annotations

import json
import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from inarow.engine.tables import tables_of
from inarow.game import Game, InputError, Position
from inarow.papers import connect_four, connect_four_page, connect_four_report
from inarow.papers.connect_four import FIGURE_1, NAIVE, OURS, Run, Scale, runs_of
from inarow.papers.page import markdown
from inarow.papers.results import DIFFERS, MATCHES, NOT_RUN, Published, Results, judge, load, save
from inarow.search.minimax import Searcher

DOCS = Path(__file__).parents[2] / "docs"
STORED = DOCS / "results" / "connect-four-minimax.json"
TINY = Scale(((4, 5), (5, 6), (6, 7), (6, 8)), ((4, 5), (5, 6), (6, 7), (6, 8)), (2, 3), 2)


@pytest.fixture(scope="module")
def tiny() -> Results:
    """The whole study on small boards."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(connect_four.SCALES, "tiny", TINY)
        return connect_four.study("tiny")


@pytest.fixture(scope="module")
def stored() -> Results:
    return load(STORED)


# Running it


def test_a_row_for_every_game(tiny: Results) -> None:
    runs = runs_of(tiny)
    played = {(run.program, run.rows, run.columns, run.depth) for run in runs}
    wanted = {(OURS, *board, depth) for board in TINY.boards for depth in (2, 3, 6)}
    wanted |= {(NAIVE, *board, 6) for board in TINY.naive_boards}
    assert played == wanted
    assert len(runs) == len(wanted)


def test_every_game_is_legal_and_ends_as_it_says(tiny: Results) -> None:
    for run in runs_of(tiny):
        position = Game((run.rows, run.columns), 4, gravity=True).position(run.game)
        assert position.outcome is not None
        assert (position.outcome.value, position.ply) == (run.outcome, run.moves)
        assert run.seconds > 0
        assert run.ms_a_move == pytest.approx(1000 * run.seconds / run.moves)
        assert run.nodes >= run.moves


def test_both_programs_play_the_same_games(tiny: Results) -> None:
    runs = runs_of(tiny)
    ours = {run.board: run for run in connect_four_report.paper_runs(runs)}
    naive = connect_four_report.paper_runs(runs, NAIVE)
    assert len(naive) == len(TINY.naive_boards)
    for run in naive:
        assert run.game == ours[run.board].game
        assert connect_four_report.is_same_game(run, ours[run.board])
        assert run.leaves
        assert not connect_four_report.is_same_game(replace(run, game="1"), ours[run.board])


def test_memory_is_counted_as_said(tiny: Results) -> None:
    for run in runs_of(tiny):
        handed_over = run.rows * run.columns * run.moves if run.program == OURS else 0
        assert run.allocated_bytes == run.held_bytes + handed_over
        assert run.traced_peak_bytes is not None
        assert run.traced_peak_bytes > run.held_bytes // 2


def test_a_game_stops_when_its_time_is_over() -> None:
    run = connect_four.measure(OURS, (6, 7), 4, limit=0)
    assert (run.outcome, run.finished, run.moves) == ("unfinished", False, 0)
    assert connect_four_report.paper_runs([replace(run, depth=6)]) == []


def test_progress_grows_to_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connect_four.SCALES, "tiny", Scale(((4, 5),), ((4, 5),), (2,), 1))
    told: list[tuple[str, float]] = []
    connect_four.study("tiny", lambda text, share: told.append((text, share)))
    assert told[0] == ("compiling", 0)
    assert told[-1] == ("Figure 1's game", 1)
    assert {"inarow, 4x5, depth 2", "naive, 4x5, depth 6"} <= {text for text, _ in told}
    assert all(0 <= share <= 1 for _, share in told)


# Figure 1


def test_figure_1_is_won_by_the_second_on_its_last_move() -> None:
    stones = [[int(cell) for cell in row.replace(".", "0")] for row in reversed(FIGURE_1)]
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
    cells = np.array([[int(c) for c in row.replace(".", "0")] for row in reversed(FIGURE_1)])
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
    assert connect_four.figure_1_games(1) == {
        "deepest": 1,
        "orders": 3,
        "games": 9,
        "same_end": 0,
        "same_length_and_winner": 0,
    }


# Verdicts


def number(low: float, high: float) -> Published:
    return Published("moves", "6x7", "some", "nowhere", low, low, high, "moves", "planted")


def test_judging() -> None:
    assert judge(number(10, 12), 11).verdict == MATCHES
    assert judge(number(10, 12), 12).verdict == MATCHES
    wrong = judge(number(10, 12), 13)
    assert (wrong.verdict, wrong.reason) == (DIFFERS, "planted")
    assert judge(number(10, 12), None).verdict == NOT_RUN
    word = Published("winner", "6x7", "draw", "nowhere", "draw")
    assert judge(word, "draw").verdict == MATCHES
    assert (judge(word, "first").verdict, judge(word, "first").reason) == (
        DIFFERS,
        "no reason found yet",
    )


def test_a_planted_figure_is_found(tiny: Results) -> None:
    run = next(r for r in connect_four_report.paper_runs(runs_of(tiny)) if r.board == "6x7")
    measure = connect_four_report.PUBLISHED[-2][1]
    right, wrong = number(run.moves, run.moves), number(run.moves + 1, run.moves + 1)
    found = connect_four_report.verdicts(tiny, [(right, measure), (wrong, measure)])
    assert [verdict.verdict for verdict in found] == [MATCHES, DIFFERS]
    assert found[1].as_json() == {
        "metric": "moves",
        "board": "6x7",
        "published": run.moves + 1,
        "ours": run.moves,
        "unit": "moves",
        "verdict": DIFFERS,
        "reason": "planted",
        "source": "nowhere",
    }


def test_verdicts_without_the_large_boards(tiny: Results) -> None:
    found = {v.published.metric: v for v in connect_four_report.verdicts(tiny)}
    assert len(found) == len(connect_four_report.PUBLISHED)
    assert found["time of a game"].verdict == NOT_RUN
    assert found["heap in all"].as_json()["ours"] is None
    assert found["time grows"].as_json()["published"] == "increases sharply"
    assert found["Figure 1: moves"].ours == 42
    assert found["Figure 1: winner"].verdict == DIFFERS
    assert found["Figure 1: winner"].reason


def test_growth_exponent_of_a_known_law(tiny: Results) -> None:
    some = runs_of(tiny)[0]
    boards = [(rows, rows + 1) for rows in (6, 10, 14, 20)]
    law = [
        replace(some, program=NAIVE, depth=6, moves=1, nodes=0, rows=r, columns=c, leaves=c**4)
        for r, c in boards
    ]
    assert connect_four_report.growth_exponent(law) == pytest.approx(4)
    assert connect_four_report.growth_exponent(law[:3]) is None


# Kept results


def test_stored_and_read_again(tiny: Results, tmp_path: Path) -> None:
    path = save(tiny, tmp_path / "new" / "folder")
    assert path.name == "connect-four-minimax.json"
    assert load(path) == tiny
    assert runs_of(load(path)) == runs_of(tiny)
    assert [file.name for file in path.parent.iterdir()] == [path.name]  # nothing left aside


def test_a_failed_write_leaves_the_old_results(tiny: Results, tmp_path: Path) -> None:
    path = save(tiny, tmp_path)
    with pytest.raises(TypeError):
        save(replace(tiny, facts={"unknown": object()}), tmp_path)
    assert load(path) == tiny
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_unreadable_results(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*none.json: No such file"):
        load(tmp_path / "none.json")
    for text in ("{", "[]", "{}", '{"paper": 1}'):
        (tmp_path / "bad.json").write_text(text)
        with pytest.raises(InputError, match="holds no results"):
            load(tmp_path / "bad.json")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write"):
        save(Results("a", "b", "c", []), tmp_path / "file")
    with pytest.raises(InputError, match="no results of the minimax study"):
        runs_of(Results("a", "b", "c", [{"speed": 1}]))
    with pytest.raises(InputError, match="unknown scale 'huge': there is quick and paper"):
        connect_four.study("huge")


def test_figures_are_written_and_always_the_same(stored: Results, tmp_path: Path) -> None:
    once = connect_four_report.figures(stored, tmp_path / "once")
    again = connect_four_report.figures(stored, tmp_path / "again")
    assert [path.name for path in once] == [
        "connect-four-minimax-figure-2-time.svg",
        "connect-four-minimax-figure-3-memory.svg",
        "connect-four-minimax-depths.svg",
    ]
    for one, other in zip(once, again, strict=True):
        assert one.read_text().startswith("<?xml")
        assert one.read_bytes() == other.read_bytes()
        assert (DOCS / "papers" / "figures" / one.name).is_file()


def test_figures_of_few_boards(tiny: Results, tmp_path: Path) -> None:
    few = replace(tiny, rows=[row for row in tiny.rows if row["rows"] == 6])
    assert len(connect_four_report.figures(few, tmp_path)) == 3


# The committed study and its page


def test_the_stored_study_is_whole(stored: Results) -> None:
    runs = runs_of(stored)
    scale = connect_four.SCALES["paper"]
    assert stored.scale == "paper"
    ours = {(run.rows, run.columns, run.depth) for run in runs if run.program == OURS}
    assert ours == {(*board, depth) for board in scale.boards for depth in (*scale.depths, 6)}
    naive = [run for run in runs if run.program == NAIVE]
    assert [(run.rows, run.columns) for run in naive] == list(scale.naive_boards)
    assert all(run.finished for run in runs)
    assert not any(v.verdict == NOT_RUN for v in connect_four_report.verdicts(stored))


def test_the_stored_games_are_what_is_played_now(stored: Results) -> None:
    """Moves and positions visited do not depend on the machine."""
    for run in runs_of(stored):
        if run.program == OURS and run.depth <= 6 and run.rows <= 14:
            now = connect_four.measure(OURS, (run.rows, run.columns), run.depth)
            assert (now.game, now.nodes) == (run.game, run.nodes), (run.board, run.depth)


def test_the_page_is_made_from_the_stored_results() -> None:
    pages: dict[Path, str] = runpy.run_path(str(DOCS / "make_pages.py"))["pages"]()
    assert "connect-four.md" in {path.name for path in pages}
    for path, text in pages.items():
        assert path.read_text(encoding="utf-8") == text, "run: python docs/make_pages.py"


def test_the_page_follows_the_results(stored: Results) -> None:
    def slower(row: dict[str, object]) -> dict[str, object]:
        changed = {**row, "seconds": 1150.0} if row["rows"] == 30 and row["depth"] == 6 else row
        return dict(changed)

    changed = replace(stored, rows=[slower(row) for row in stored.rows])
    text = markdown(connect_four_page.page(changed))
    assert "| time of a game | 30x31 | roughly 19 minutes | 19 min | matches |" in text
    assert "another method and another machine" not in text


def test_the_page_can_be_made_at_any_scale(tiny: Results) -> None:
    text = markdown(connect_four_page.page(tiny))
    assert "not run at this scale" in text
    assert "--scale tiny" in text


def test_rows_are_plain_json(tiny: Results) -> None:
    row = json.loads(json.dumps(tiny.rows[0]))
    assert Run(**row) == runs_of(tiny)[0]
    assert Position(Game((row["rows"], row["columns"]), 4, gravity=True)).outcome is None
