"""The hybrid paper's study, its verdicts, and the readings that were tried."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inarow.game import InputError
from inarow.lab.statistics import summary
from inarow.papers import hybrid, hybrid_readings, hybrid_report
from inarow.papers.hybrid import GAMES, LOST_EXPERT, LOST_RANDOM, STATED, STRATEGIES
from inarow.papers.hybrid_verdicts import (
    BASE,
    JUDGED,
    METRICS,
    few_runs,
    interval,
    judge_runs,
    judged_rows,
    matching_numbers,
    reason_of,
    rows,
)
from inarow.papers.results import DIFFERS, MATCHES, NOT_RUN, Results, load, save

GAMES_TABLE, PERFECT_TABLE, RANDOM_TABLE, EXPERT_TABLE = JUDGED


def synthetic(games: tuple[str, ...] = tuple(GAMES), runs: int = 8) -> Results:
    """Made-up results around the published numbers: some match, some do not."""
    found, random = list[dict[str, Any]](), np.random.default_rng(1)
    number = np.array([100, 500, 1_000, 2_000, 10_000, 100_000, 1_000_000, 2_000_000])
    for game in games:
        for place, (strategy, stated) in enumerate(STATED[game].items()):
            lost = np.round(stated.lost_random * random.uniform(0.8, 1.2, runs))
            expert = np.minimum(np.round(stated.lost_expert * random.uniform(0, 2, runs)), 4)
            played = np.round(stated.games * random.uniform(0.9, 1, runs), -4)
            finals = {
                "games": played,
                "won against random": 600_000 - lost,
                "drawn against random": np.full(runs, 400_000.0),
                LOST_RANDOM: lost,
                "won against expert": np.zeros(runs),
                "drawn against expert": 4 - expert,
                LOST_EXPERT: expert,
                "perfect": 100.0 * ((lost == 0) & (expert == 0)),
                "unbeatable as second": 1.0 * (lost == 0),
                "chance lost as second against random": lost / 1e6,
            }
            losses = np.cumsum(np.full(len(number), 50.0 + place))
            row = {
                "game": game,
                "strategy": strategy,
                "runs": runs,
                "finals": {name: values.tolist() for name, values in finals.items()},
                "curve": {
                    "games": number.tolist(),
                    "lost": losses.tolist(),
                    "ratio": (0.5 / (1 + np.arange(len(number)) * (1 + place))).tolist(),
                },
            }
            if (game, strategy) == hybrid.HISTOGRAM_CELL:
                row["histograms"] = {"100": [0.5, 0.6, 0.7, 0.8], "200000": [0.0, 0.0, 0.0, 0.0]}
            found.append(row)
    board = {"stones": [1] + [0] * 8, "utilities": [None, *([-0.25] * 7), 0.2], "move": 8}
    examples = {name: {"boards": [board] * 4, "outcome": "draw"} for name in hybrid.OPENINGS}
    facts = {
        "speeds": {game: dict.fromkeys(STRATEGIES, 1e6) for game in games},
        "positions": {"tictactoe": 5478, "connect4:4x4": 161_029},
        "example_games": {"seed": 0, "training_games": 80_000, "games": examples},
    }
    made = dict.fromkeys(("inarow", "python", "numba", "system", "processor"), "1")
    return Results("hybrid", "all", "quick", found, facts, made)


# Verdicts


def test_interval_of_a_share_by_hand() -> None:
    """Fisher's exact test of 27 of 100 against n of 100 passes 5% for n from 15 to 41."""
    mean, stderr, low, high = interval(np.array([100.0] * 27 + [0.0] * 73), share=True)
    assert mean == 27
    assert stderr == pytest.approx(100 * math.sqrt(0.27 * 0.73 / 99))
    assert (low, high) == (15, 41)
    assert interval(np.array([100.0] + [0.0] * 99), share=True)[2:] == (0, 7)


def test_interval_of_nothing_seen() -> None:
    """Fewer than 3.69 events in the 50 runs that two samples of 100 are worth."""
    assert interval(np.zeros(100)) == (0, 0, 0, pytest.approx(3.69 / 50))
    assert interval(np.zeros(100), event=20)[3] == pytest.approx(20 * 3.69 / 50)


def test_interval_of_a_mean() -> None:
    values = np.linspace(-1, 1, 100) + 10
    mean, stderr, low, high = interval(values)
    found = summary(values)
    wider = math.sqrt(2) * 1.98422 / 1.95996 * math.sqrt(100 / 99)
    assert low == pytest.approx(mean - wider * (mean - found.low), rel=1e-5)
    assert high == pytest.approx(mean + 1.984 * math.sqrt(2) * stderr, rel=0.01)
    assert few_runs(1) == 1
    assert few_runs(4) == pytest.approx(3.18245 / 1.95996 * math.sqrt(4 / 3), rel=1e-4)


def test_verdicts_of_runs() -> None:
    stated = STATED["tictactoe"]["combined"]  # 50% perfect, 1,425 lost: 2,850 in a run that loses
    few, many = (judge_runs(RANDOM_TABLE, stated, [0.0] * runs) for runs in (4, 40))
    assert (few["verdict"], many["verdict"]) == (MATCHES, DIFFERS)
    assert many["high"] == pytest.approx(2850 * 3.69 * (1 / 40 + 1 / 100))
    cut = judge_runs(GAMES_TABLE, stated, [2e6, 2e6, 2e6, 1e6])
    assert cut["high"] == 2_000_000
    assert (cut["mean"], cut["runs"], cut["verdict"]) == (1_750_000, 4, MATCHES)
    alike = judge_runs(GAMES_TABLE, stated, [2e6, 2e6])
    assert (alike["low"], alike["high"], alike["verdict"]) == (2e6, 2e6, DIFFERS)


def test_every_published_number_has_a_row() -> None:
    found = rows(synthetic(("tictactoe",)))
    assert len(found) == len(METRICS) * len(GAMES) * len(STRATEGIES)
    assert {row.verdict for row in found if row.game == "connect4:4x4"} == {NOT_RUN}
    assert len(judged_rows(synthetic(("tictactoe",)))) == 24
    row = next(row for row in found if row.metric == "seconds")
    assert (row.mean, row.verdict) == (pytest.approx(row.mean), DIFFERS)
    assert "another machine" in row.reason
    wanted = {"strategy", "metric", "published", "mean", "stderr", "low", "high", "runs", "verdict"}
    assert wanted <= set(json.loads(json.dumps(row.as_json())))


def tried(reading: str, mean: float, verdict: str, metric: str = "training games") -> Any:
    return {
        "game": "tictactoe", "strategy": "attack", "reading": reading, "metric": metric,
        "published": 100.0, "mean": mean, "stderr": 2.0, "runs": 40, "verdict": verdict,
    }  # fmt: skip


def test_reasons_come_from_the_readings() -> None:
    def reason(*found: Any) -> str:
        return reason_of("tictactoe", "attack", GAMES_TABLE, found)

    base = tried(BASE, 130, DIFFERS)
    assert "no other reading was tried" in reason()
    assert "no other reading was tried" in reason(base)
    far, near = tried("far", 150, DIFFERS), tried("near", 120, DIFFERS)
    assert reason(base, far, near) == (
        "none of the 2 other readings tried, 40 runs each, moves it there by more than chance; "
        "the nearest is “near” (120 ± 2), where the base has 130 ± 2"
    )
    other = [tried(name, 1, verdict, "perfect runs, %") for name, verdict in
             ((BASE, MATCHES), ("hit", DIFFERS))]  # fmt: skip
    also = [tried(name, 1, verdict, "lost to the expert") for name, verdict in
            ((BASE, MATCHES), ("hit", DIFFERS))]  # fmt: skip
    assert reason(base, far, tried("hit", 101, MATCHES), *other, *also) == (
        "of the 2 other readings tried, 40 runs each, “hit” (101 ± 2) would explain it, where the "
        "base has 130 ± 2; but of all 3 numbers of this game “hit” matches 1, the base 2"
    )


def test_a_reading_like_the_base_explains_nothing() -> None:
    """2.77 is 1.96 standard errors of a difference of two means with standard error 1 each."""
    base = {**tried(BASE, 104, MATCHES), "stderr": 1.0}
    near, apart = ({**base, "reading": "x", "mean": 104 - by} for by in (2.7, 2.8))
    found = [
        reason_of("tictactoe", "attack", GAMES_TABLE, [base, other]) for other in (near, apart)
    ]
    assert found[0].startswith("none of the 1 other readings")
    assert "“x” (101 ± 1) would explain it" in found[1]
    beyond = {**base, "reading": "x", "mean": 95.0}  # apart, but no nearer to 100
    assert "none of" in reason_of("tictactoe", "attack", GAMES_TABLE, [base, beyond])


def test_a_reading_that_was_not_run_counts_as_the_base() -> None:
    other = {**tried(BASE, 1, MATCHES), "strategy": "defense"}
    counts = matching_numbers([tried(BASE, 1, DIFFERS), other, tried("x", 1, MATCHES)])
    assert counts == {BASE: (1, 2), "x": (2, 2)}


def test_exact_counts() -> None:
    finals = {
        "perfect": [100.0, 100.0, 0.0, 0.0],
        "unbeatable as second": [1.0, 0.0, 0.0, 0.0],
        "games": [60_000.0, 70_000.0, 80_000.0, 2_000_000.0],
        LOST_EXPERT: [0.0, 0.0, 0.0, 2.0],
        LOST_RANDOM: [0.0, 0.0, 4.0, 8.0],
        "chance lost as second against random": [0.0, 1e-9, 4e-6, 8e-6],
    }
    found = hybrid_report.exactly({"finals": finals})
    assert (found.runs, found.perfect, found.unbeatable, found.beatable) == (4, 2, 1, 3)
    assert (found.early, found.early_beatable, found.unseen) == (3, 2, 2)
    assert (found.sampled, found.expected) == (3, pytest.approx(3.00025))


# The study


@pytest.fixture(scope="module", autouse=True)
def _small() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hybrid, "MOST_GAMES", 30_000)
        patch.setattr(hybrid, "TEST_GAMES", 2_000)
        patch.setattr(hybrid_readings, "TEST_GAMES", 2_000)
        yield


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("hybrid")
    return hybrid.study(folder, lambda text, share: None, runs=2, game="tictactoe")


def test_a_row_for_every_trainer(tiny: Results, tmp_path: Path) -> None:
    assert [row["strategy"] for row in tiny.rows] == list(STRATEGIES)
    for row in tiny.rows:
        finals = row["finals"]
        assert finals["games"] == [30_000, 30_000]
        assert [sum(ends) for ends in _ends(finals, "random")] == [2_000, 2_000]
        assert [sum(ends) for ends in _ends(finals, "expert")] == [9, 9]
        assert ("histograms" in row) == (row["strategy"] == "attack-defense")
    assert load(save(tiny, tmp_path)) == tiny


def _ends(finals: dict[str, list[float]], player: str) -> Any:
    return zip(*(finals[f"{end} against {player}"] for end in hybrid.ENDS), strict=True)


def test_curves_reach_from_the_first_to_the_last_game(tiny: Results) -> None:
    for row in tiny.rows:
        games, lost = row["curve"]["games"], row["curve"]["lost"]
        assert games[:3] == [100, 200, 300]
        assert games[99:102] == [10_000, 11_000, 12_000]
        assert lost == sorted(lost)
        assert lost[games.index(30_000)] == lost[-1]  # no more games, no more losses
    assert set(tiny.rows[0]["histograms"]) == {"100", "500", "1000", "5000", "10000"} | {
        "20000", "50000", "100000",
    }  # fmt: skip


def test_the_window_of_losses() -> None:
    games = np.array([100, 10_000, 20_000])
    ratios = hybrid.window_losses(games, np.array([[50.0, 100.0, 110.0]]))
    assert ratios.tolist() == [[0.5, 0.01, 0.001]]


def test_the_example_games_are_legal(tiny: Results) -> None:
    found = tiny.facts["example_games"]
    assert list(found["games"]) == ["corner", "edge", "centre"]
    for opening, game in zip(hybrid.OPENINGS.values(), found["games"].values(), strict=True):
        for ply, board in enumerate(game["boards"]):
            assert board["stones"][opening] == 1
            assert (board["stones"].count(1), board["stones"].count(2)) == (ply + 1, ply)
            empty = [c for c, stone in enumerate(board["stones"]) if stone == 0]
            assert [c for c, u in enumerate(board["utilities"]) if u is not None] == empty
            best = max(u for u in board["utilities"] if u is not None)
            assert board["utilities"][board["move"]] == best


def test_unknown_game(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match="this study plays tictactoe and connect4:4x4, not 'chess'"
    ):
        hybrid.study(tmp_path, lambda text, share: None, game="chess")


# Readings


def test_readings_change_one_thing_where_it_matters() -> None:
    cells = [place.cell() for place in hybrid_readings.places("paper")]
    assert len({json.dumps(cell, sort_keys=True) for cell in cells}) == len(cells)
    base = {(c["game"], c["against"]): c for c in cells[:1]}
    assert base[("tictactoe", "attack-defense")] == {**cells[0]}
    for cell in cells:
        changed = {
            name for name in set(cell) | set(cells[0]) if cell.get(name) != cells[0].get(name)
        }
        assert len(changed - {"game", "against"}) <= 1
        assert cell["against"] not in ("attack@cells", "random@cells", "attack@random")
    assert {"defense@cells", "combined@random"} <= {cell["against"] for cell in cells}


def test_a_small_study_of_readings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    scale = hybrid_readings.Scale(("tictactoe",), ("attack", "defense"), 2)
    monkeypatch.setitem(hybrid_readings.SCALES, "quick", scale)
    found = hybrid_readings.study(tmp_path, lambda text, share: None)
    names = [reading.name for reading in hybrid_readings.READINGS]
    assert [row["reading"] for row in found.rows if row["strategy"] == "defense"] == names
    assert len(found.rows) == 2 * len(names) - 2
    assert load(save(found, tmp_path)) == found
    assert (tmp_path / "hybrid-readings.json").is_file()
    by_name = {(row["strategy"], row["reading"]): row["finals"] for row in found.rows}
    assert by_name["defense", "opening by rules"] == by_name["defense", BASE]  # not one bit else
    assert by_name["defense", "scan by cells"] != by_name["defense", BASE]
    judged = hybrid_readings.judged(found)
    assert len(judged) == 4 * len(found.rows)
    tables = hybrid_readings.tables(found)
    assert [len(table.rows) for table in tables] == [len(names), len(names) - 1, len(names) + 1]
    explained = hybrid_readings.with_readings(synthetic(), found)
    assert explained.facts["readings"] == judged
    assert hybrid_readings.with_readings(synthetic(), None).facts.get("readings") is None
