"""Every part of every paper, from an empty folder, as the command runs it, at the scale `tiny`."""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from inarow.game import Game
from inarow.game import game as game_of
from inarow.papers.connect_four import claims
from inarow.papers.connect_four.minimax import KEEPING, NAIVE, OURS
from inarow.papers.connect_four.paper import VALUES
from inarow.papers.connect_four.study import BOARDS, DEPTH, SMALL_BOARD
from inarow.papers.hybrid.study import TRAINERS
from inarow.papers.measures import Data, share_curve
from inarow.papers.n_dimensional import exact
from inarow.papers.n_dimensional import study as n_dimensional
from inarow.papers.n_dimensional.study import NEVER_LOSES, UNBEATABLE
from inarow.papers.paper import Paper, names, paper_of
from inarow.papers.published import ARITHMETIC, BY_CONSTRUCTION
from inarow.papers.study import TINY, load
from inarow.papers.verdicts import NOT_RUN, TOO_SHORT
from inarow.ui.main import app

PARTS = [(name, part.name) for name in names() for part in paper_of(name).parts]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("results")


def command(name: str, part: str, out: Path, *more: str) -> Result:
    given = ["reproduce", name, "--part", part, "--scale", TINY, "--out", str(out), *more]
    found = CliRunner().invoke(app, given)
    assert found.exit_code == 0, found.output
    return found


@cache
def data_of(name: str, folder: Path) -> Data:
    """The results of all parts of a paper, run if they have not been."""
    paper = paper_of(name)
    for part in paper.parts:
        if not (folder / name / f"{name}-{part.name}.json").is_file():
            command(name, part.name, folder)
    return paper.data(folder / name)


@pytest.mark.parametrize(("name", "part"), PARTS)
def test_every_part_runs(name: str, part: str, folder: Path) -> None:
    paper = paper_of(name)
    shown = command(name, part, folder).output
    assert max(len(line) for line in shown.splitlines() if "Report:" not in line) <= 80
    assert shown.startswith(f" {part}: ")
    results = load(folder / name / f"{name}-{part}.json")
    conditions = paper.part(part).conditions_at(TINY)
    assert len(results.rows) == len(conditions)
    assert conditions or results.facts
    for row, condition in zip(results.rows, conditions, strict=True):
        assert condition.labels.items() <= row.items()
        assert row["runs"] == paper.part(part).runs[TINY]
    figures = [f for f in paper.figures if (f.part or paper.parts[0].name) == part]
    drawn = [folder / name / "figures" / f"{figure.file(name)}.svg" for figure in figures]
    data = paper.data(folder / name, results)
    assert [path.is_file() for path in drawn] == [figure.has(data) for figure in figures]


@pytest.mark.parametrize(("name", "part"), PARTS)
def test_one_finished_run_is_shown_too(name: str, part: str, folder: Path, tmp_path: Path) -> None:
    """A single run has no interval, so each table must do without."""
    data_of(name, folder)
    (copied := tmp_path / name).mkdir()
    for file in (*(folder / name).glob("*.db"), folder / name / f"{name}-{part}.json"):
        (copied / file.name).write_bytes(file.read_bytes())
    assert command(name, part, tmp_path, "--finished", "--runs", "1").output
    results = load(copied / f"{name}-{part}.json")
    assert {row["runs"] for row in results.rows} <= {1}
    assert results.facts == load(folder / name / f"{name}-{part}.json").facts


@pytest.mark.parametrize("name", names())
def test_tiny_results_give_no_verdicts(name: str, folder: Path) -> None:
    paper, data = paper_of(name), data_of(name, folder)
    assert set(data.unjudged_parts) == {part.name for part in paper.parts}
    for row in paper.rows(data):
        counted = row.class_ in (ARITHMETIC, BY_CONSTRUCTION) and not row.judged.runs
        assert row.verdict in (NOT_RUN, TOO_SHORT) or counted, row
        assert (row.verdict == NOT_RUN) == (row.judged.ours is None), row


# What each study promises of its rows


def test_hybrid_rows(folder: Path) -> None:
    data = data_of("hybrid", folder)
    rows = data.rows(game="tictactoe")
    assert [row["trainer"] for row in rows] == list(TRAINERS)
    for row in rows:
        finals = row["finals"]
        assert finals["games"] == [20_000, 20_000]
        for player, played in (("random", 1_000), ("expert", 9)):
            ends = [finals[f"{end} against {player}"] for end in ("won", "drawn", "lost")]
            assert [sum(run) for run in zip(*ends, strict=True)] == [played, played]
        assert ("histograms" in row) == (row["trainer"] == "attack-defense")
        curve = row["curve"]
        assert curve["games"][0] == 100
        assert all(len(point) == 2 for point in curve["lost"])
        assert curve["lost"][-1][0] >= curve["lost"][0][0] > 0


def test_the_games_of_hybrid_figure_3(folder: Path) -> None:
    example = data_of("hybrid", folder).fact("example_games")
    assert set(example["games"]) == {"corner", "edge", "centre"}
    for game in example["games"].values():
        assert game["outcome"] == "draw"
        for board in game["boards"]:
            empty = [stone == 0 for stone in board["stones"]]
            assert [utility is not None for utility in board["utilities"]] == empty
            assert empty[board["move"]]


def test_cube_trials(folder: Path) -> None:
    data = data_of("cube", folder)
    for part in ("all", "variants", "detectors", "best", "endings"):
        for row in data.rows(part=part):
            assert all(len(values) == row["runs"] for values in row["finals"].values())
    row = data.rows()[0]
    assert row["games"] == [10, 20]
    assert all(len(point) == 2 for point in row["won"])  # with the spread
    slowest = {"variant": "base", "network": "deep-unstructured", "regime": "self-play"}
    assert data.row(part="variants", **slowest)  # found with the part that it is shown with


def test_a_part_that_is_shown_with_another_shows_it_unjudged(folder: Path) -> None:
    data_of("cube", folder)
    part = "variants-deep-unstructured"
    alone = paper_of("cube").data(folder / "nothing", load(folder / "cube" / f"cube-{part}.json"))
    assert set(alone.unjudged_parts) == {"variants", part}


def test_max_min_rows(folder: Path) -> None:
    data = data_of("max-min", folder)

    def share(what: str, variant: str) -> float:
        measure = share_curve(f"unbeatable.{what}", game="tictactoe", variant=variant).at(10_000)
        found = measure(data)
        assert found is not None
        return found.mean

    assert data.rows()[0]["games"] == [5_000, 10_000]
    assert share("perfect", "Q, minimax, symmetric") == 100
    assert share("both", "TD(0.5), cut, symmetric, 0.3") == 100
    assert share("second", "Q, remark as printed") == 0
    assert share("both", "Q") == 0
    table = paper_of("max-min").table("unbeatable-tictactoe", data, ())
    assert table is not None
    lines = {row[0]: row[1:] for row in table.rows}
    assert lines["Q, remark as printed"] == ("0", "0", "", "", "", ">200k")


def test_max_min_deep_rows(folder: Path) -> None:
    rows = data_of("max-min", folder).rows(part="deep")
    proven, won = rows[0], rows[-1]
    assert proven["games"] == won["games"] == [100, 200]
    assert set(proven["unbeatable"]) == {"first", "second", "both", "perfect"}
    for side in ("first", "second"):
        assert all(0 <= mean <= 100 and error >= 0 for mean, error in won["won"][side])


def test_sarsa_rows(folder: Path) -> None:
    rows = data_of("n-dimensional", folder).rows()
    assert [row["episodes"] for row in rows[:6]] == list(n_dimensional.EPISODES[:6])
    for row in rows:
        for side, opponent in product(exact.SIDES, exact.OPPONENTS):
            ends = (row["shares"][f"{end} as {side} against {opponent}"] for end in exact.ENDS)
            assert sum(end[0] for end in ends) == pytest.approx(1, abs=1e-6)
        if row["trainer"] == "random":  # it plays every line some time
            assert row["certain"][NEVER_LOSES] == row["certain"][UNBEATABLE]


def test_policy_rows(folder: Path) -> None:
    data = data_of("n-dimensional", folder)
    rows = data.rows(part=n_dimensional.POLICY)
    assert len(rows) == len(n_dimensional.LEARNERS)
    for row in rows:
        for shares in row["shares"].values():
            total = sum(np.array(shares[end])[:, 0] for end in exact.ENDS)
            assert total == pytest.approx(np.full(len(row["games"]), 100), abs=1e-3)
        assert bool(row["lines"]) == (row["game"] != n_dimensional.PLANE)
    baselines = data.fact("baselines", part=n_dimensional.POLICY)
    assert {row["game"] for row in baselines} == set(n_dimensional.GAMES)


def test_minimax_games_are_legal_and_end_as_they_say(folder: Path) -> None:
    for row in data_of("connect-four", folder).rows():
        finals = {name: value for name, (value,) in row["finals"].items()}
        position = Game(BOARDS[row["board"]], 4, gravity=True).position(row["game"])
        assert position.outcome is not None
        assert (position.outcome.winner or 0, position.ply) == (finals["winner"], finals["moves"])
        assert finals["seconds"] > 0
        assert finals["nodes"] >= finals["moves"]
        assert bool(finals["leaves"]) == (row["program"] != OURS)
        cells = position.game.cells if row["program"] == OURS else 0
        assert finals["allocated bytes"] == finals["held bytes"] + cells * finals["moves"]


def test_minimax_programs_play_the_same_games(folder: Path) -> None:
    data = data_of("connect-four", folder)
    one, other = (data.row(program=p, board="6x7", depth=DEPTH) for p in (NAIVE, KEEPING))
    assert one is not None
    assert other is not None
    assert one["game"] == other["game"]
    for name in ("nodes", "leaves", "moves"):
        assert one["finals"][name] == other["finals"][name]
    boards = list(BOARDS)[:3]
    same = claims.same_game(boards)
    found = same(data)
    assert found is not None
    assert found.mean == len(boards)
    changed = Data(data.parts, data.first)
    results = changed.parts["minimax"]
    rows = [dict(row) for row in results.rows]
    changed.parts["minimax"] = type(results)(results.paper, results.part, TINY, rows)
    next(r for r in rows if r["program"] == KEEPING and r["board"] == "6x7")["game"] = "1"
    judged = same(changed), same(changed, board="6x7")
    assert [one.mean for one in judged if one] == [len(boards) - 1, 0]
    assert VALUES["games"](data)["moves"][0] == 42
    table = paper_of("connect-four").table("naive", data, ())
    assert table is not None
    assert (table.rows[0][0], table.rows[0][1], table.rows[0][-1]) == ("6x7", "42", "yes")


def test_pairs_of_agents(folder: Path) -> None:
    rows: list[Any] = data_of("connect-four", folder).rows(part="tdl")
    assert [(row["referee"], row["rule"]) for row in rows] == [
        ("the other agent", "at most"), ("the other agent", "less than"),
        ("minimax:6", "at most"), ("perfect", "at most"),
    ]  # fmt: skip
    for sooner, later in zip(*(row["scores"] for row in rows[:2]), strict=True):
        assert later[: len(sooner)] == sooner
    for row in rows:
        finals = row["finals"]
        for run, scores in enumerate(row["scores"]):
            assert finals["games"][run] == 50 * len(scores) <= 150
            assert all(0 <= score <= 100 for score in scores)
            assert (finals["score"][run], finals["highest score"][run]) == (scores[-1], max(scores))
            assert sum(finals[end][run] for end in ("wins", "draws", "losses")) == 4


def test_small_networks_are_of_a_small_board() -> None:
    """What is tried at the tiny scale is another board, so no tiny result can pass for a study."""
    paper: Paper = paper_of("connect-four")
    for part in paper.parts[1:]:
        assert {c.parameters["game"] for c in part.conditions_at(TINY)} == {SMALL_BOARD}
    assert game_of(SMALL_BOARD).cells == 20
