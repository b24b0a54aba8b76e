"""What only the cube paper has: win rates of tests, peaks and ends, variants that share trials."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inarow.lab.studies.runner import run_study
from inarow.lab.studies.store import Store
from inarow.lab.studies.study import Measurement, Study, config_key
from inarow.papers.cube import claims, exact, readings, study
from inarow.papers.cube.claims import TABLE_2, TABLE_3
from inarow.papers.cube.paper import PAPER
from inarow.papers.cube.study import (
    BY_NAME,
    LEARNERS,
    PUBLISHED,
    reading_conditions,
    variant_conditions,
)
from inarow.papers.measures import Data, final
from inarow.papers.study import Condition, Request, Results, Runs, run_part
from inarow.papers.variants import Variants
from inarow.papers.verdicts import DIFFERS, MATCHES, NOT_RUN, UNDECIDED
from tests.papers.test_verdicts import runs

NETWORKS = tuple(PUBLISHED.entries["table-1"].numbers)
REGIMES = {"self-play": TABLE_2, "benchmark training": TABLE_3}


# What is run


def variant_parameters() -> dict[tuple[str, str, str], Any]:
    return {
        (c.labels["variant"], c.labels["regime"], c.labels["network"]): c.parameters
        for slowest in (False, True)
        for c in variant_conditions("paper", slowest)
    }


def test_variants_share_trials_where_only_the_test_differs() -> None:
    found = variant_parameters()
    networks = {network for _, _, network in found}
    assert networks == set(NETWORKS)
    for network in networks:
        for name in ("order per move", "sides alternate", "per move, alternate"):
            for regime, shared in (("self-play", True), ("benchmark training", False)):
                keys = {config_key(found[one, regime, network]) for one in ("base", name)}
                assert (len(keys) == 1) is shared
    trial = found["per move, alternate", "benchmark training", "deep-structured"]
    assert (trial["against"], trial["side"]) == ("benchmark@random", "both")
    assert trial["evaluations"] == ["sides:benchmark@random:1000"]
    trial = found["no biases, other tests", "self-play", "wide-unstructured"]
    assert (trial["against"], trial["bias"], "side" in trial) == (None, False, False)
    assert ("no biases, other tests", "benchmark training", "deep-structured") not in found
    assert ("rate 0.01", "self-play", "deep-structured") not in found


def test_learners_are_tested_by_the_stronger_player() -> None:
    found: Any = PAPER.part("best").conditions
    for condition, learner in zip(found("paper"), LEARNERS.all, strict=True):
        assert condition.parameters["evaluations"] == ["games:benchmark@random:1000"]
        assert learner.changes.items() <= condition.parameters.items()
        assert "against" not in condition.parameters  # it plays against itself


def test_endings_are_of_learners_trained_in_the_same_way() -> None:
    """Training draws nothing from evaluations, so what is judged are the agents of the table."""
    parts: Any = [PAPER.part(name).conditions for name in ("best", "endings")]
    best, endings = ({c.labels["learner"]: c for c in found("paper")} for found in parts)
    assert endings.keys() < best.keys()
    for learner, condition in endings.items():
        trained = {**best[learner].parameters, "evaluations": ["endings:20:32"]}
        assert condition.parameters == {**trained, "evaluate_every": trained["games"]}
        assert condition.labels == best[learner].labels


# How it is read


class Scripted:
    """A work that measures given numbers: three tests, by seed."""

    def __init__(self, seed: int, point: int = 0) -> None:
        self.seed, self.point = seed, point

    @classmethod
    def begin(cls, config: dict[str, Any], seed: int) -> Scripted:  # noqa: ARG003
        return cls(seed)

    @classmethod
    def resume(cls, config: dict[str, Any], seed: int, state: bytes) -> Scripted:  # noqa: ARG003
        return cls(seed, int(state))

    def advance(self) -> list[Measurement]:
        self.point += 1
        won = float(10 * self.point + self.seed)
        ends = {"won": won, "drawn": 4.0, "lost": 96.0 - won}
        return [
            Measurement(self.point, f"{end} as {side} against x", value * (1 + (side == "second")))
            for end, value in ends.items()
            for side in ("first", "second")
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
        two, alone = (Runs(store, 0, number, Condition({}, {})) for number in (2, 1))
        games, rates = study.win_rates(two, ["as first against x"])
        both = study.win_rates(two, ["as first against x", "as second against x"])[1]
        one = study.win_rates(alone, ["as first against x"])[1]
    assert games.tolist() == [1, 2, 3]
    assert rates.tolist() == [[12, 22, 32], [13, 23, 33]]
    assert np.allclose(both, rates)  # twice as many games of the same kind
    assert one.tolist() == rates[:1].tolist()


def test_peak_and_end() -> None:
    rates = np.arange(200, dtype=float).reshape(2, 100)
    rates[0, 3] = 150.0
    found = study.peak_and_end(rates, 0.4)
    assert found == {"peak": [150.0, 199.0], "end": [79.5, 179.5]}  # the last 40 of 100
    assert study.peak_and_end(rates[:, :1], 0.4)["end"] == [0.0, 100.0]


def test_every_variant_is_read_from_its_own_tests() -> None:
    """The metrics that are read are among those that the trial's tests give."""
    asked = list[str]()

    class Asked:
        def curve(self, config: int, metric: str) -> tuple[Any, Any]:  # noqa: ARG002
            asked.append(metric)
            return np.array([1]), np.ones((1, 1))

    for condition in variant_conditions("quick", False) + variant_conditions("quick", True):
        asked.clear()
        store: Any = Asked()
        PAPER.part("variants").read(Runs(store, 0, 1, condition))
        given = {one.split(":")[1] for one in condition.parameters["evaluations"]}
        changes = BY_NAME[condition.labels["variant"]].changes
        sides = changes.get("sides", ("first",))
        against = changes.get("against", "benchmark@game")
        assert against in given
        assert {m for m in asked if m.startswith("won ")} == {
            f"won as {side} against {against}" for side in sides
        }


# How it is judged


def as_published(**moved: float) -> Data:
    """The published numbers as if they were ours; some networks' ends moved in self-play."""
    rows = list[dict[str, Any]]()
    for regime, column in REGIMES.items():
        for network in NETWORKS:
            numbers = {what: column.entry.numbers[what][network] for what in ("peak", "end")}
            away = moved.get(network.replace("-", "_"), 0.0) * (regime == "self-play")
            finals = {
                what: runs(n["mean"] + away * (what == "end"), n["deviation"], 10)
                for what, n in numbers.items()
            }
            end = numbers["end"]["mean"]
            won = [[2.0, 0.1], [0.3 * end, 0.1], [0.6 * end, 0.1], [0.99 * end, 0.1], [end, 0.1]]
            rows.append(
                {"regime": regime, "network": network, "runs": 10, "finals": finals, "won": won}
                | {"games": [10_000, 100_000, 200_000, 400_000, 1_000_000]}
            )
    return Data({"all": Results("cube", "all", "paper", rows)}, "all")


def verdicts(data: Data) -> dict[str, str]:
    return {row.name: row.verdict for row in PAPER.rows(data)}


def test_what_the_papers_own_numbers_support() -> None:
    """With its means and deviations no claim is refuted; these cannot be told with ten trials."""
    found = verdicts(as_published())
    assert {name for name, verdict in found.items() if verdict == NOT_RUN} == {
        "states", "four-detectors", "target", "more-detectors",
    }  # fmt: skip
    assert {name for name, verdict in found.items() if verdict == UNDECIDED} == {
        "above-half", "small-structured-above-deep", "clearly-distinguished",
        "small-alike-peak", "small-alike-end",
        "improve-longer",  # all curves are made up alike
    }  # fmt: skip
    assert DIFFERS not in found.values()


def test_a_network_that_falls_short_is_seen() -> None:
    found = verdicts(as_published(small_structured=-17.3, deep_structured=-20.0))
    assert found["table-2/end/small-structured"] == DIFFERS  # 12.1 is not 29.4
    assert found["table-2/end/joint"] == DIFFERS
    assert found["small-structured-above-deep"] == UNDECIDED  # p 0.001, among 53 tests
    lower = verdicts(as_published(small_structured=-22.0))
    assert lower["small-structured-above-deep"] == DIFFERS
    assert found["above-half"] == DIFFERS
    assert found["poorest"] != MATCHES


@pytest.mark.parametrize(
    ("eight", "deviation", "four_detectors", "more_detectors"),
    [
        (50.0, 3.0, MATCHES, UNDECIDED),
        (47.0, 2.0, MATCHES, DIFFERS),
        (53.0, 2.0, MATCHES, MATCHES),  # higher, but by less than the paper could see
        (56.0, 3.0, UNDECIDED, MATCHES),
        (60.0, 2.0, DIFFERS, MATCHES),
        (50.0, 20.0, UNDECIDED, UNDECIDED),  # too wide to say anything
    ],
)
def test_more_detectors(
    eight: float, deviation: float, four_detectors: str, more_detectors: str
) -> None:
    rows = [
        {"detectors": number, "runs": 10, "finals": {"end": runs(mean, deviation, 10)}}
        for number, mean in ((4, 50.0), (8, eight))
    ]
    found = verdicts(Data({"detectors": Results("cube", "detectors", "paper", rows)}, "all"))
    assert (found["four-detectors"], found["more-detectors"]) == (four_detectors, more_detectors)


def test_detectors_are_compared_in_whole_trials() -> None:
    whole, more = (PAPER.part(name).conditions for name in ("all", "detectors"))
    assert callable(whole)
    assert callable(more)
    lengths = {c.parameters["games"] for c in (*whole("paper"), *more("paper"))}
    assert lengths == {1_000_000}


def test_the_papers_t_tests_come_out_as_it_says() -> None:
    from scipy.stats import ttest_ind_from_stats

    def p(column: Any, what: str, one: str, other: str) -> float:
        first, second = (column.entry.numbers[what][name] for name in (one, other))
        found = ttest_ind_from_stats(*first.values(), 10, *second.values(), 10)
        least = claims.detectable(column.entry, what, one, other)
        assert (abs(first["mean"] - second["mean"]) > least) == (found.pvalue < 0.05)
        return float(found.pvalue)

    deep, deep_u, wide = "deep-structured", "deep-unstructured", "wide-unstructured"
    assert p(TABLE_2, "end", deep, wide) < 0.05
    assert p(TABLE_3, "peak", deep, deep_u) < 0.01
    assert p(TABLE_3, "end", deep, deep_u) < 0.05
    for what in ("peak", "end"):
        assert p(TABLE_3, what, deep_u, wide) < 0.05
        assert p(TABLE_3, what, "small-structured", "small-unstructured") > 0.05


def test_gaps_and_extremes_of_the_networks() -> None:
    data, end = as_published(), final("end", regime="self-play")
    lowest, highest = end.lowest(network=NETWORKS)(data), end.highest(network=NETWORKS)(data)
    gap = end.among(claims.smallest_gap, network=NETWORKS)(data)
    assert lowest is not None
    assert highest is not None
    assert gap is not None
    assert (round(lowest.mean, 1), round(highest.mean, 1)) == (20.2, 52.7)
    assert gap.mean == pytest.approx(29.4 - 24.8)
    data.parts["all"].rows.pop(0)
    assert end.lowest(network=NETWORKS)(data) is None  # one of five was not run


def test_distance_and_lines() -> None:
    distance = claims.distance(TABLE_2)(as_published(wide_unstructured=-5.0))
    assert distance is not None
    assert distance.mean == pytest.approx(5 / 10)
    assert [exact.lines_across(n) for n in (1, 2, 3)] == [48, 24, 4]
    assert exact.layers("deep-unstructured") == "64-95-51-1"


def test_base_is_first() -> None:
    assert isinstance(PAPER.variants, Variants)
    assert PAPER.variants.base == "base"
    assert not PAPER.variants.all[0].changes
    assert isinstance(variant_conditions("quick", slowest=False)[0], Condition)


# How many states there are


def test_fillings_are_counted_and_drawn_alike() -> None:
    """One empty cube, 16 with a stone, and with two stones a colour each for every pair."""
    assert exact.fillings()[:3] == [1, 16, 2 * (16 * 15 // 2 + 16)]
    boards = exact.draw(300, np.random.default_rng(1))
    filled = boards > 0
    assert not (filled[:, :, 1:] & ~filled[:, :, :-1]).any()  # nothing floats
    first, second = ((boards == side).sum(axis=(1, 2)) for side in (1, 2))
    assert {*(first - second).tolist()} <= {0, 1}
    stones = filled.sum(axis=(1, 2))
    expected = np.average(range(65), weights=np.array(exact.fillings(), dtype=float))
    assert stones.mean() == pytest.approx(expected, abs=4 * stones.std() / 300**0.5)


def test_a_state_has_no_line_and_an_order() -> None:
    boards = np.zeros((3, 16, 4), dtype=np.int8)
    boards[0, :4, 0], boards[0, 4:7, 0] = 1, 2  # a row of the lowest layer
    boards[1, 0, :2], boards[1, 1, 0] = (2, 1), 1  # laid 1, 2, 1: the second column first
    boards[2, 0, :2] = (2, 1)  # the second player cannot begin
    assert exact.without_lines(boards).tolist() == [False, True, True]
    random = np.random.default_rng(0)
    assert [exact.can_be_laid(board, random) for board in boards[1:]] == [True, False]


def test_the_estimate_is_a_share_of_all_fillings() -> None:
    found = exact.estimate(400, seed=3)
    assert 0 < found["states"] <= found["without_lines"] < found["samples"] == 400
    data = Data({"states": Results("cube", "states", "quick", [], found)}, "all")
    measured = claims.states_at_least(data)
    assert measured is not None
    assert measured.mean == pytest.approx(found["fillings"] * found["states"] / 400)
    assert claims.states_at_least(Data({}, "all")) is None


# Readings of the text


def with_reading(reading: readings.Reading, trials: int, **moved: float) -> Data:
    """The published numbers as the base's, and other trials of a reading, some ends moved."""
    data = as_published(deep_unstructured=60.0)
    rows = [
        {**row, **reading.labels, "runs": trials}
        | {"finals": {what: values[:trials] for what, values in row["finals"].items()}}
        for row in as_published(**moved).parts["all"].rows
    ]
    parts = {**data.parts, "readings": Results("cube", "readings", "paper", rows)}
    return Data(parts, "all")


def test_claims_are_judged_under_the_most_literal_reading_with_enough_trials() -> None:
    name, (literal, by_reward, _, base) = "strongest-self-play-end", readings.READINGS
    assert verdicts(as_published(deep_unstructured=60.0))[name] == DIFFERS
    for reading in (literal, by_reward):
        data = with_reading(reading, 10)
        assert readings.claims_reading(data) is reading
        rows = {row.name: row for row in PAPER.rows(data)}
        assert rows[name].verdict == MATCHES
        assert rows[name].judged.note.endswith(f"; reading: {reading.name}")
        assert rows["table-2/end/deep-unstructured"].verdict == DIFFERS  # levels: of the base
    few = with_reading(literal, 9)
    assert readings.claims_reading(few) is base
    assert verdicts(few)[name] == DIFFERS
    missing = with_reading(literal, 10)
    missing.parts["readings"].rows.pop()
    assert readings.claims_reading(missing) is base
    assert readings.trials(missing, literal) == (0, 10)
    short = with_reading(literal, 10)
    short = Data(short.parts, "all", ["readings"])
    assert readings.claims_reading(short) is base
    assert "literal" not in {row.name: row.reason for row in PAPER.rows(short)}[name]
    assert readings.verdict_counts(short, PAPER.rows, [name])["literal"] == {"too short": 1}


def test_a_reading_without_the_papers_trials_has_no_verdict() -> None:
    name, literal = "strongest-self-play-end", readings.READINGS[0]
    for trials, verdict in ((10, MATCHES), (9, readings.NO_VERDICT), (3, readings.NO_VERDICT)):
        data = with_reading(literal, trials)
        counts = readings.verdict_counts(data, PAPER.rows, [name])
        assert counts == {"literal": {verdict: 1}, "base": {DIFFERS: 1}}
        table = readings.claims_table(data, PAPER.rows)
        assert table is not None
        assert table.columns == ("claim", "literal", "base")
        line = next(line for line in table.rows if "strongest at the end" in line[0])
        assert ("no verdict" in line[1]) == (verdict != MATCHES)
        assert f"{trials} trials" in line[1]
        assert line[2].startswith("differs: ")
        assert (" to " in line[1]) == (trials >= 5)  # an interval of three says nothing
        levels = readings.levels_table(data, PAPER.rows)
        assert levels is not None
        assert ("(9)" in str(levels.rows)) == (trials == 9)


def test_a_reason_says_what_a_claim_is_under_the_other_readings() -> None:
    data = with_reading(readings.READINGS[0], 3)
    found = {row.name: row.reason for row in PAPER.rows(data)}
    said = found["strongest-self-play-end"]
    assert said == ("under “literal” it is +16.9 points (3 trials, fewer than 10: no verdict)")


def test_the_reading_nearest_to_the_levels_is_found() -> None:
    away = [claims.distance(column) for column in REGIMES.values()]
    literal, base = readings.READINGS[0], readings.BASE
    assert readings.nearest_reading(with_reading(literal, 10), away) is literal
    assert readings.nearest_reading(with_reading(literal, 9), away) is base
    assert readings.nearest_reading(with_reading(literal, 10, wide_unstructured=99.0), away) is base


def test_every_reading_but_the_base_is_run() -> None:
    found = reading_conditions("paper")
    for reading in readings.READINGS[:-1]:
        mine = [c for c in found if reading.labels.items() <= c.labels.items()]
        assert len(mine) == 2 * len(NETWORKS)


def test_readings_begin_with_the_most_literal_one() -> None:
    found = reading_conditions("paper")
    assert len({str(c.labels) for c in found}) == len(found) == 10 * 4 * 10
    for condition in found[:10]:
        given = condition.parameters
        assert (given["shield"], given["bias"], given["slope"]) == ("none", False, "exact")
        assert given["end"] == "both"  # the target of a terminal state is the final reward
        if condition.labels["regime"] == "benchmark training":
            assert given["against"] == "benchmark@random"
            assert given["evaluations"] == ["games:benchmark@random:1000:first"]
    trials = {(c.group, config_key(dict(c.parameters))) for c in found}
    assert len(trials) == 10 * 5 + 10 * 4 * 5  # self-play is trained once, and tested in four ways


def test_a_reading_is_read_from_the_tests_that_count(tmp_path: Path) -> None:
    request = Request("tiny", tmp_path)
    part = PAPER.part("readings")
    cut = part.conditions_at("tiny")
    chosen = [c for c in cut if c.labels["network"] == "small-structured"]
    rows = run_part("cube", replace(part, conditions=chosen), request).rows
    assert len(rows) == len(chosen)
    by = {(r["wins"], r["regime"], r["order"], r["side"]): r["finals"]["end"] for r in rows}
    assert len(by) == len(rows)
    assert all(0 <= value <= 100 for values in by.values() for value in values)
