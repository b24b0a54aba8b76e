"""What is measured of seeds: shares of variance by hand, coverage, own games; and trainers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inarow.game import game as game_of
from inarow.lab.training import train
from inarow.papers import connect_four_seeds_report as report
from inarow.papers import connect_four_trainers
from inarow.papers.connect_four_seeds import coverage, play_itself
from inarow.papers.results import Results

BOARD = "connect4:4x5"


def test_variance_shared_out_by_hand() -> None:
    nothing = np.zeros((2, 2))
    assert report.share_out(np.full((2, 2), 0.5), nothing) == (0, 0, 0, 0)
    rows = np.array([[0.2, 0.2], [0.6, 0.6]])
    assert report.share_out(rows, nothing) == pytest.approx((1, 0, 0, 0))
    assert report.share_out(rows.T, nothing) == pytest.approx((0, 1, 0, 0))
    # Means of rows 2 and 4, of columns 2.5 and 3.5; the rest is 0.5 each way: its square is 1.
    mixed = np.array([[2.0, 2.0], [3.0, 5.0]])
    of_rows, of_columns = 2 - 1 / 2, max(0.5 - 1 / 2, 0)
    expected = np.array([of_rows, of_columns, 1.0, 0.25]) / (of_rows + of_columns + 1)
    assert report.share_out(mixed, np.full((2, 2), 0.25)) == pytest.approx(tuple(expected))


def test_what_tuples_see() -> None:
    game = game_of(BOARD)
    seen = coverage(game, [[0, 1, 2, 3]])  # and its mirror image 1, 2, 3, 4
    assert seen["lines seen whole"] == pytest.approx(2 / len(game.lines))
    assert seen["tuples a line"] == pytest.approx(2 / len(game.lines))
    assert seen["tuples of the cell seen least"] == 0
    every = coverage(game, [list(range(20))])
    assert (every["lines seen whole"], every["tuples of the cell seen least"]) == (1, 2)


def test_games_against_itself() -> None:
    few = train(BOARD, "ntuple", games=2, seed=1, tuples=4, length=4, shield=False).agent
    many = train(BOARD, "ntuple", games=20_000, seed=1, tuples=20, length=6).agent
    found = [play_itself(agent, 30, 1) for agent in (few, many)]
    for name in ("win kept", "slowest loss", "flat"):
        assert all(0 <= figures[f"own games: {name}"] <= 1 for figures in found)
    assert found[1]["own games: win kept"] > found[0]["own games: win kept"]
    assert found[1]["own games: length"] > found[0]["own games: length"]
    assert play_itself(many, 30, 1) == found[1]


def row(score: float, seed: int, **cell: Any) -> dict[str, Any]:
    own = {"slowest loss": 0.5, "win kept": score / 2, "flat": 0.0, "length": 30.0}
    figures = {
        "averaged score": score, "last score": score / 2,
        "averaged wins": 200 * score, "averaged losses": 200 - 200 * score,
        "score against minimax:6": 0.5, "training CPU-seconds": 10.0,
        **{f"own games: {name}": value for name, value in own.items()},
    }  # fmt: skip
    return {"cell": {"games": 10, "tuples": 7, **cell}, "seed": seed, "figures": figures}


def test_tables_of_seeds() -> None:
    rows = [
        row(0.1 * seed + 0.2 * (tuples - 1), seed, gamma=1.0, tuple_seed=tuples)
        for tuples in (1, 2)
        for seed in (1, 2, 3)
    ]
    rows += [row(0.3, seed, gamma=1.0, tuple_seed=1, output="linear") for seed in (1, 2, 3)]
    rows += [row(0.2, seed, gamma=1.0, tuple_seed=1, loss="logistic") for seed in (1, 2, 3)]
    facts = {"games against perfect play": 200, "command": "x"}
    seeds = Results("connect-four", "tdl-seeds", "paper", rows, facts)
    plain, linear, _ = report.seeds_table(seeds).rows
    assert plain[:3] == ("gamma 1", "6", "0.300")
    assert plain[4:6] == ("0.100", "0.150")
    assert plain[7:10] == ("67%", "33%", "0%")  # by hand: 0.02 of tuples, 0.01 of seeds
    assert linear[0] == "gamma 1, output linear"
    assert linear[7:] == ("-",) * 4
    assert [len(line) for line in report.coverage_table(seeds).rows] == [5, 5]
    assert report.own_games_table(seeds).rows[0][-1].startswith("1.00")
    section = report.section(seeds)
    assert section.heading == "Why seeds differ"
    assert "0.100 0.200 0.300" in str(section.parts[-1])


def test_outputs_on_tuples_of_their_own() -> None:
    """Paired by seed: linear is better by 0.19 and 0.21 with gamma 1, by 0.1 and -0.1 else."""
    rows = [row(0.5, seed, gamma=gamma) for gamma in (0.99, 1.0) for seed in (1, 2)]
    rows += [row(0.67 + 0.02 * seed, seed, gamma=1.0, output="linear") for seed in (1, 2)]
    rows += [row(0.8 - 0.2 * seed, seed, gamma=0.99, output="linear") for seed in (1, 2)]
    table = report.outputs_table(rows)
    assert [line[:3] for line in table.rows] == [
        ("gamma 1", "tanh", "2"),
        ("gamma 1", "linear", "2"),
        ("gamma 0.99", "tanh", "2"),
        ("gamma 0.99", "linear", "2"),
    ]
    assert table.rows[1][3].startswith("0.700")
    assert [line[5][:5] for line in table.rows] == ["-", "0.200", "-", "0.000"]
    _, _, said = report._outputs_parts(rows)
    assert "With gamma 0.99 the hint does not hold up" in str(said)
    assert "With gamma 1 it does" in str(said)
    alone = [line for line in rows if "output" in line["cell"]]
    assert "No runs with tanh" in str(report._outputs_parts(alone)[2])
    assert report._outputs_parts([]) == ()


def test_trainers_teach_the_same_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connect_four_trainers, "EXAMINED", 4)
    options = {"tuples": 5, "length": 4, "average_every": 10, "output": "linear", "gamma": 1.0}
    run = train(BOARD, "ntuple", games=30, seed=2, **options)
    results = connect_four_trainers.study(run, (1, 2), 20)
    trainers = ["none"] * 2 + ["itself"] * 2 + ["minimax:6"] * 2 + ["perfect"] * 2
    assert [row["trainer"] for row in results.rows] == trainers
    assert all(row["wins"] + row["draws"] + row["losses"] == 4 for row in results.rows)
    table = connect_four_trainers.trainers_table(results)
    assert [line[:2] for line in table.rows] == [(name, "2") for name in dict.fromkeys(trainers)]
    # Memory of perfect play changes no game: alone, a run ends with the same weights.
    alone = connect_four_trainers.train_on(run, "perfect", 2, 20)
    assert alone.training.tuples == run.training.tuples
    shared = connect_four_trainers.train_on(run, "perfect", 2, 20)
    other = connect_four_trainers.train_on(run, "perfect", 1, 20)
    other.training.play(20)
    shared.training.opponent = other.training.opponent
    for trained in (alone, shared):
        trained.training.play(20)
    weights = [trained.training.arrays["weights"] for trained in (alone, shared)]
    assert np.array_equal(*weights)
    assert not np.array_equal(weights[0], other.training.arrays["weights"])
