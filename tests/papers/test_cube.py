"""The cube paper's studies: what is run, how it is read, and what it is held against."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inarow.game import InputError
from inarow.lab.runner import run_study
from inarow.lab.store import Store
from inarow.lab.study import Figure, Study
from inarow.papers import cube, cube_best, cube_readings
from inarow.papers.cube import (
    BENCHMARK_TRAINING,
    PEAK,
    PUBLISHED,
    SELF_PLAY,
    TABLE_I,
    WAYS,
    Scale,
    Win,
    peak_and_end,
    win_rates,
)
from inarow.papers.cube_claims import PAIRS, claims, comparisons
from inarow.papers.cube_readings import BASE, BOTH, GAME, MOVE, NETWORKS, READINGS, places
from inarow.papers.cube_verdicts import (
    OUTSIDE,
    WITHIN,
    are_apart,
    counts,
    judge_trials,
    judged_readings,
    likeness,
    reason_of,
    rows,
    with_readings,
)
from inarow.papers.parts import Request, part_of
from inarow.papers.results import DIFFERS, MATCHES, NOT_RUN, Results, load, save

MADE = dict.fromkeys(("inarow", "python", "numba", "system", "processor"), "1")


def trials(stated: Win, number: int, shift: float = 0.0) -> list[float]:
    """Around a published mean, with its deviation, moved by so many of these."""
    steps = np.linspace(-1, 1, number) if number > 1 else np.zeros(1)
    scale = stated.deviation / (np.std(steps, ddof=1) if number > 1 else 1)
    return (stated.mean + stated.deviation * shift + scale * steps).tolist()


def synthetic(scale: str = "paper", number: int = 10, shift: float = 0.0) -> Results:
    """The published figures as if they were ours; the small structured network's moved."""
    found, games = list[dict[str, Any]](), [10_000, 400_000, 1_000_000]
    for way, network in cube.PLACES:
        away = shift if network == "small-structured" else 0.0
        peak, end = (trials(stated, number, away) for stated in PUBLISHED[way][network])
        mean = float(np.mean(end))
        curve = {"games": games, "mean": [2.0, 0.98 * mean, mean]}
        found.append(
            {"way": way, "network": network, "trials": number, "peak": peak, "end": end}
            | {"curve": curve}
        )
    return Results("cube", "all", scale, found, {"networks": cube.networks()}, MADE)


def synthetic_readings(number: int = 5) -> Results:
    """The base four deviations too low for the small structured network; some readings higher."""
    shifts = {"rate 0.01": 0.0, "no biases": -3.0}
    found = list[dict[str, Any]]()
    for place in places("paper")[0]:
        stated = PUBLISHED[place.way][place.network]
        away = shifts.get(place.reading.name, -4.0) * (place.network == "small-structured")
        peak, end = (trials(win, number, away) for win in stated)
        found.append(
            {"reading": place.reading.name, "way": place.way, "network": place.network}
            | {"trials": number, "peak": peak, "end": end}
        )
    return Results("cube", "readings", "paper", found, {}, MADE)


# What is run


def test_the_ten_cells() -> None:
    cells = cube.study().cells
    assert len(cells) == 10
    assert [cell["against"] for cell in cells] == [None] * 5 + ["benchmark@game"] * 5
    assert {cell["network"] for cell in cells} == set(TABLE_I)
    for cell in cells:
        assert (cell["games"], cell["examine_every"]) == (1_000_000, 10_000)
        assert cell["examinations"] == ["games:benchmark@game:1000:first"]
    with pytest.raises(InputError, match="unknown scale 'huge'"):
        cube.study("huge")


def test_table_one_is_counted() -> None:
    ours = cube.networks()
    assert {name: (n["layers"], n["weights"]) for name, n in ours.items()} == TABLE_I
    assert ours["deep-structured"]["biases"] == 304 + 32 + 1


def test_readings_share_trials_where_only_the_test_differs() -> None:
    found, study = places("paper")
    number = {(p.reading.name, p.way, p.network): p.number for p in found}
    for network in NETWORKS:
        base = number[BASE, SELF_PLAY, network]
        for name in ("order per move", "seats alternate", "per move, alternate"):
            assert number[name, SELF_PLAY, network] == base
            assert number[name, BENCHMARK_TRAINING, network] != base
    assert len({place.number for place in found}) == len(study.cells) < len(found)
    cell = study.cells[number["per move, alternate", BENCHMARK_TRAINING, "deep-structured"]]
    assert (cell["against"], cell["seat"]) == (MOVE, "both")
    assert cell["examinations"] == ["seats:benchmark@random:1000"]
    cell = study.cells[number["no biases, other tests", SELF_PLAY, "wide-unstructured"]]
    assert cell["bias"] is False
    assert cell["against"] is None


def test_every_reading_is_measured_by_its_own_test() -> None:
    """The figures that a reading reads are among those that its cell's examinations give."""
    found, study = places("quick")
    for place in found:
        given = {
            f"as {seat} against {examination.split(':')[1]}"
            for examination in study.cells[place.number]["examinations"]
            for seat in BOTH
        }
        assert set(place.reading.tests) <= given
    by_name = {reading.name: reading for reading in READINGS}
    assert by_name[BASE].tests == [f"as first against {GAME}"]
    assert len(by_name["seats alternate"].tests) == 2
    assert len(by_name) == len(READINGS)


def test_contenders_are_cells() -> None:
    study = cube_best.study("quick")
    assert len(study.cells) == len(cube_best.CONTENDERS)
    for cell, contender in zip(study.cells, cube_best.CONTENDERS, strict=True):
        assert cell["learner"] == contender.learner
        assert cell["examinations"] == ["games:benchmark@random:1000"]
        assert contender.options.items() <= cell.items()
        assert "against" not in cell


# How it is read


class Scripted:
    """A work that measures given numbers: three tests, by seed."""

    def __init__(self, seed: int, point: int = 0) -> None:
        self.seed, self.point = seed, point

    @classmethod
    def begin(cls, cell: dict[str, Any], seed: int) -> Scripted:  # noqa: ARG003
        return cls(seed)

    @classmethod
    def resume(cls, cell: dict[str, Any], seed: int, state: bytes) -> Scripted:  # noqa: ARG003
        return cls(seed, int(state))

    def advance(self) -> list[Figure]:
        self.point += 1
        won = float(10 * self.point + self.seed)
        ends = {"won": won, "drawn": 4.0, "lost": 96.0 - won}
        return [
            Figure(self.point, f"{end} as {seat} against x", value * (1 + (seat == "second")))
            for end, value in ends.items()
            for seat in BOTH
        ]

    @property
    def finished(self) -> bool:
        return self.point >= 3

    @property
    def share(self) -> float:
        return self.point / 3

    def state(self) -> bytes:
        return str(self.point).encode()


def test_win_rates_count_draws_half(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    run_study(Study("scripted", ({"a": 1},), f"{__name__}:Scripted"), path, 2, 1)
    with Store.open(path) as store:
        games, rates = win_rates(store, 0, 2, ["as first against x"])
        both = win_rates(store, 0, 2, ["as first against x", "as second against x"])[1]
        one = win_rates(store, 0, 1, ["as first against x"])[1]
    assert games.tolist() == [1, 2, 3]
    assert rates.tolist() == [[12, 22, 32], [13, 23, 33]]
    assert np.allclose(both, rates)  # twice as many games of the same kind
    assert one.tolist() == rates[:1].tolist()


def test_peak_and_end() -> None:
    rates = np.arange(200, dtype=float).reshape(2, 100)
    rates[0, 3] = 150.0
    found = peak_and_end(rates)
    assert found == {"peak": [150.0, 199.0], "end": [79.5, 179.5]}  # the last 40 of 100
    assert peak_and_end(rates[:, :1])["end"] == [0.0, 100.0]


def test_a_small_study_runs_and_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it once, with tiny trials; a second call finds everything there."""
    monkeypatch.setitem(cube.SCALES, "quick", Scale(20, 10, 1))
    monkeypatch.setitem(cube_best.SCALES, "quick", cube_best.Scale(1e-4, 2, 1))
    monkeypatch.setattr(cube_best, "CONTENDERS", cube_best.CONTENDERS[:2])
    shares = list[float]()
    request = Request("quick", tmp_path, lambda text, share: shares.append(share), None)
    for name in ("all", "best"):
        _, part = part_of("cube", name)
        results = part.study(request)
        assert results == part.study(request)
        assert load(save(results, tmp_path)) == results
        assert json.dumps(part.rows(results))
        assert part.tables(results)
        assert part.notes(results)
    assert results.rows[0]["games"] == 20
    assert shares[-1] == 1
    with pytest.raises(InputError, match="no --game"):
        part.study(Request("quick", tmp_path, lambda text, share: None, None, "cube"))


# Verdicts


def test_two_deviations_and_the_interval() -> None:
    stated = Win(50.0, 5.0)
    near = judge_trials(stated, trials(stated, 10, 0.5))
    assert (near["two_deviations"], near["verdict"]) == (WITHIN, MATCHES)
    assert near["mean"] == pytest.approx(52.5)
    assert near["deviation"] == pytest.approx(5.0)
    assert near["low"] < 52.5 < near["high"]
    apart = judge_trials(stated, trials(stated, 10, 1.9))
    assert (apart["two_deviations"], apart["verdict"]) == (WITHIN, DIFFERS)
    far = judge_trials(stated, trials(stated, 10, -2.1))
    assert (far["two_deviations"], far["verdict"]) == (OUTSIDE, DIFFERS)
    short = judge_trials(stated, trials(stated, 10), whole=False)
    assert (short["two_deviations"], short["verdict"]) == (NOT_RUN, NOT_RUN)


def test_likeness_by_hand() -> None:
    """Two samples of ten with deviation 5 and means 5 apart: t = 5 / sqrt(5), 18 degrees."""
    stated = Win(50.0, 5.0)
    assert likeness(stated, trials(stated, 10, 1.0)) == pytest.approx(0.0382, abs=1e-4)
    # One trial, a deviation away: t = 1 / sqrt(1.1), 9 degrees.
    assert likeness(stated, [55.0]) == pytest.approx(0.3653, abs=1e-4)


def test_every_published_figure_has_a_row() -> None:
    found = rows(synthetic())
    assert len(found) == 20
    assert counts(found) == (20, 20)
    assert {(row.way, row.table) for row in found} == {(SELF_PLAY, "II"), (WAYS[1], "III")}
    wanted = {"published", "published_deviation", "mean", "deviation", "low", "high", "verdict"}
    assert wanted <= set(json.loads(json.dumps(found[0].as_json())))
    low = rows(synthetic(shift=-3.0))
    assert counts(low) == (16, 16)
    assert {row.network for row in low if row.verdict == DIFFERS} == {"small-structured"}
    assert {row.verdict for row in rows(synthetic("quick"))} == {NOT_RUN}


def test_t_tests() -> None:
    found = {
        (test.pair.one, test.pair.way, test.pair.measure): test for test in comparisons(synthetic())
    }
    assert len(found) == len(PAIRS)
    peak = found["deep-structured", BENCHMARK_TRAINING, PEAK]
    # 0.6 / sqrt((0.3^2 + 0.5^2) / 10) = 3.254 with 18 degrees of freedom
    assert peak.paper_p == pytest.approx(0.00440, abs=1e-5)
    assert peak.p == pytest.approx(peak.paper_p)
    assert peak.difference == pytest.approx(0.6)
    assert {test.verdict for test in found.values()} == {MATCHES}
    single = comparisons(synthetic(number=1))
    assert {(test.p, test.verdict) for test in single} == {(None, NOT_RUN)}


def test_t_tests_that_differ() -> None:
    results = synthetic()
    for row in results.rows:
        if (row["network"], row["way"]) == ("deep-unstructured", BENCHMARK_TRAINING):
            row["peak"] = trials(Win(99.5, 0.3), 10)  # better than structured, significantly
        if (row["network"], row["way"]) == ("small-structured", BENCHMARK_TRAINING):
            row["end"] = trials(Win(60.0, 1.0), 10)  # a difference where none was found
    verdicts = [test.verdict for test in comparisons(results)]
    assert [verdicts[0], verdicts[5]] == [DIFFERS, DIFFERS]
    assert verdicts.count(DIFFERS) == 2


def test_claims() -> None:
    assert {claim.verdict for claim in claims(synthetic())} == {MATCHES}
    assert {claim.verdict for claim in claims(synthetic("quick"))} == {NOT_RUN}
    low = {claim.said.split(",")[0]: claim for claim in claims(synthetic(shift=-3.0))}
    assert low["self-play"].verdict == DIFFERS
    assert low["self-play"].ours.endswith("small unstructured, small structured")
    results = synthetic()
    for row in results.rows:
        row["end"] = [51.0] * 10
        row["curve"]["mean"] = [20.0, 50.0, 90.0]
    verdicts = [claim.verdict for claim in claims(results)]
    assert verdicts == [DIFFERS] * 4 + [DIFFERS] * 2


# Readings


def test_reasons_come_from_readings() -> None:
    results = synthetic(shift=-4.0)
    place = (SELF_PLAY, "small-structured", PEAK)
    assert reason_of(*place, []) == "no other reading was tried for it"
    found = rows(with_readings(results, synthetic_readings()))
    differing = [row for row in found if row.verdict == DIFFERS]
    assert len(differing) == 4
    for row in differing:
        assert "“rate 0.01” (" in row.reason
        assert "would explain it" in row.reason
    others = [r for r in judged_readings(synthetic_readings()) if r["reading"] != "rate 0.01"]
    words = reason_of(*place, others)
    assert "brings it there by more than chance; the nearest is “no biases”" in words


def test_readings_apart() -> None:
    one = {"mean": 50.0, "deviation": 2.0, "trials": 5}
    assert are_apart(one, {**one, "mean": 55.0})
    assert not are_apart(one, {**one, "mean": 52.0})
    assert not are_apart(one, one)
    alike = {"mean": 50.0, "deviation": 0.0, "trials": 5}
    assert are_apart(alike, {**alike, "mean": 50.1})


def test_a_small_study_of_readings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cube_readings.SCALES, "quick", Scale(4, 2, 1))
    monkeypatch.setattr(cube_readings, "NETWORKS", ("small-unstructured",))
    _, part = part_of("cube", "readings")
    results = part.study(Request("quick", tmp_path, lambda text, share: None, None))
    assert {row["reading"] for row in results.rows} == {reading.name for reading in READINGS}
    assert len(results.rows) == len(places("quick")[0])
    assert {row["verdict"] for row in part.rows(results)} == {NOT_RUN}
    assert "say nothing of readings" in part.notes(results)[0]
    shown = [cell for table in part.tables(results) for row in table.rows for cell in row]
    assert not any("*" in cell or " of " in cell for cell in shown)  # nothing is judged
