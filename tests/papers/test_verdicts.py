"""The verdict rules, on made-up results whose answer is known."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from inarow.lab.statistics import smallest_difference
from inarow.papers.claims import (
    Claim,
    Column,
    Costs,
    Exactly,
    Means,
    Shares,
    above,
    always,
    below,
    between,
    equal,
    joint,
)
from inarow.papers.measures import (
    Data,
    Measure,
    Measured,
    curve,
    exactly,
    final,
    from_count,
    from_summary,
    from_values,
    share,
    share_curve,
    subtract,
)
from inarow.papers.published import Entry
from inarow.papers.study import Results
from inarow.papers.verdicts import (
    DIFFERS,
    FASTER,
    JOINT,
    MATCHES,
    NO_SPREAD,
    NOT_RUN,
    NUMBER,
    OURS,
    SMALLER,
    TOO_FEW,
    UNDECIDED,
    Judged,
    Row,
    corrected,
    counts,
)

CLAIM = Entry("claim", "Section 1", text="a claim", value=50)


def data(rows: list[dict[str, Any]], **facts: Any) -> Data:
    return Data({"all": Results("tiny", "all", "paper", rows, facts)}, "all")


def runs(mean: float, deviation: float, number: int) -> list[float]:
    """Runs with exactly this mean and standard deviation."""
    values = np.linspace(-1, 1, number)
    return [float(v) for v in mean + deviation * (values - values.mean()) / values.std(ddof=1)]


def verdict_of(published: Any, ours: Measured, test: Any, span: float = 100.0) -> str:
    return str(test(published, ours, span).verdict)


# Measures


def test_a_difference_by_hand() -> None:
    """Standard errors 3 and 4: 5 together; Welch's degrees of freedom 625 / (81/9 + 256/9)."""
    one, other = from_summary(10, 3, 10), from_summary(4, 4, 10)
    found = subtract(one, other)
    assert (found.mean, found.stderr) == (6, 5)
    assert found.freedom == pytest.approx(625 / (81 / 9 + 256 / 9))
    assert found.low == pytest.approx(6 - 2.1197 * 5, rel=0.01)
    assert subtract(one, exactly(1)).stderr == 3
    assert subtract(exactly(3), exactly(1)) == exactly(2)


def test_a_difference_of_shares_is_agresti_and_caffos() -> None:
    found = subtract(from_count(8, 10), from_count(3, 10))
    one, other = 9 / 12, 4 / 12
    error = 100 * math.sqrt(one * (1 - one) / 12 + other * (1 - other) / 12)
    assert found.mean == pytest.approx(50)
    assert found.high == pytest.approx(100 * (one - other) + 1.95996 * error)


def test_a_mean_whose_spread_is_not_stored_has_no_interval() -> None:
    assert from_summary(5, None, 100).interval is None
    assert from_values([5.0]).interval is None
    assert exactly(5).interval == (5, 5)


def test_measures_find_their_row() -> None:
    rows = [
        {"t": "a", "runs": 4, "finals": {"x": [1.0, 2.0, 3.0, 2.0]}, "games": [10, 20],
         "won": {"first": [[5.0, 1.0], [8.0, 2.0]]}, "sure": [1, 3]},
        {"t": "b", "runs": 4, "finals": {"x": [4.0, 4.0, 4.0, 4.0]}, "games": [10]},
    ]  # fmt: skip
    found = data(rows)
    assert final("x", t="a")(found) == from_values([1, 2, 3, 2])
    assert final("x")(found, t="b") == from_values([4] * 4)
    assert final("x", t="c")(found) is None
    assert final("y", t="a")(found) is None
    assert share("x", lambda x: x > 1, t="a")(found) == from_count(3, 4)
    assert share_curve("sure", t="a").at(20)(found) == from_count(3, 4)
    assert share_curve("sure", t="a").at(30)(found) is None
    assert curve("won.first", t="a").at(20)(found) == from_summary(8, 2, 4)
    both = (final("x", t="b") - final("x", t="a"))(found)
    assert both is not None
    assert both.mean == 2
    times = (final("x", t="b") / final("x", t="a"))(found)
    assert times is not None
    assert times.mean == 2
    with pytest.raises(LookupError, match="2 rows"):
        final("x")(found)


# Numbers


def test_a_mean_that_could_have_failed_matches() -> None:
    test = Means(100)
    assert verdict_of(50, from_values(runs(51, 10, 100)), test) == MATCHES
    assert verdict_of(60, from_values(runs(51, 10, 100)), test) == DIFFERS
    # The interval of ten wild runs holds half of the column: no test at all.
    assert verdict_of(50, from_values(runs(51, 100, 10)), test) == UNDECIDED
    assert verdict_of(50, from_values(runs(51, 10, 4)), test) == TOO_FEW
    assert verdict_of(50, from_summary(51, None, 100), test) == UNDECIDED
    assert test(50, from_summary(51, None, 100), 100).note == NO_SPREAD


@pytest.mark.parametrize("enough", [False, True])
def test_five_runs_are_the_fewest_for_a_verdict(enough: bool) -> None:
    number = 5 if enough else 4
    found = [
        verdict_of(50, from_values(runs(51, 10, number)), Means(100)),
        verdict_of(50, from_count(2, number), Shares(100)),
        judged(above(given(from_summary(99, 1, number)))),
        judged(always(given(from_count(number, number)))),
    ]
    assert [verdict != TOO_FEW for verdict in found] == [enough] * len(found)


def test_the_margin_decides_what_a_test_must_see() -> None:
    ours = from_values(runs(51, 10, 100))  # 90% of the difference: 1 and 2.3 to each side
    assert verdict_of(50, ours, Means(100, margin=4)) == MATCHES
    assert verdict_of(50, ours, Means(100, margin=3)) == UNDECIDED
    found = Means(100)(50, ours, 100.0)  # without deviation in the paper, its runs spread as ours
    assert found.margin == pytest.approx(smallest_difference(10, 100))
    assert found.power is not None
    assert found.power > 0.5


def test_the_cube_papers_12_is_not_29() -> None:
    """12.1 +- 1.3 over ten trials where the paper has 29.4 +- 8.8 over ten."""
    test, ours = Means(10), from_values(runs(12.1, 1.3, 10))
    assert verdict_of({"mean": 29.4, "deviation": 8.8}, ours, test) == DIFFERS
    near = from_values(runs(27.0, 3.0, 10))
    assert verdict_of({"mean": 29.4, "deviation": 8.8}, near, test, span=60) == MATCHES


def test_welchs_test_is_scipys() -> None:
    from scipy.stats import ttest_ind_from_stats

    ours = from_values(runs(34.7, 3.2, 10))
    found = Means(10)({"mean": 37.0, "deviation": 4.9}, ours, 40.0)
    expected = ttest_ind_from_stats(34.7, 3.2, 10, 37.0, 4.9, 10, equal_var=False).pvalue
    assert found.p == pytest.approx(expected)
    assert found.sign == -1


def test_runs_that_are_all_alike_may_have_hidden_a_rare_one() -> None:
    """No run of 100 lost a game: in another 100 up to 3.69 in 50 may."""
    test = Means(100, least=0)
    found = test(0.01, from_values([0.0] * 100), 0.05)
    assert (found.low, found.high) == (0, pytest.approx(3.69 / 50))
    assert found.verdict == UNDECIDED
    assert verdict_of(2e6, from_values([2e6] * 100), Means(100, most=2e6), 1e6) == MATCHES
    assert verdict_of(1.5e6, from_values([2e6] * 100), Means(100, most=2e6), 1e6) == DIFFERS


def test_shares_of_runs_by_fishers_test() -> None:
    """27 of 100 against n of 100 passes 5% for n from 15 to 41."""
    found = Shares(100)(10, from_count(27, 100), 100)
    assert (found.low, found.high, found.verdict) == (15, 41, DIFFERS)
    assert verdict_of(23, from_count(27, 100), Shares(100)) == MATCHES
    assert verdict_of(20, from_count(27, 100), Shares(100)) == UNDECIDED
    assert verdict_of(20, from_count(27, 100), Shares(100, margin=18)) == MATCHES


def test_times_are_faster_not_different() -> None:
    assert verdict_of(13.84, exactly(0.23), Costs()) == FASTER
    assert verdict_of(1.1e9, exactly(493_000), Costs(SMALLER)) == SMALLER
    assert verdict_of(0.1, exactly(0.23), Costs()) == DIFFERS


def test_counted_numbers() -> None:
    assert verdict_of(5478, exactly(5478), Exactly()) == MATCHES
    assert verdict_of(6038, exactly(6046), Exactly()) == DIFFERS
    assert verdict_of(0.0175, exactly(0.017578), Exactly(4)) == DIFFERS


def test_a_column_is_judged_as_a_whole() -> None:
    """Six numbers, none of which alone is far off, but all on one side."""

    def one(p: float, sign: int) -> Judged:
        return Judged(MATCHES, runs=100, p=p, sign=sign)

    assert joint([one(0.1, 1)] * 6).verdict == DIFFERS
    assert joint([one(0.1, 1), one(0.1, -1)]).verdict == MATCHES
    assert joint([one(0.5, sign) for sign in (1, -1) * 3]).verdict == MATCHES
    assert joint([one(1e-5, 1), *[one(0.9, -1)] * 5]).verdict == DIFFERS
    assert joint([Judged(UNDECIDED, runs=100, p=0.5, sign=1)] * 6).verdict == UNDECIDED
    assert joint([Judged(NOT_RUN)] * 6).verdict == NOT_RUN
    assert joint([Judged(TOO_FEW, 1.0)] * 6).verdict == TOO_FEW


def test_matching_numbers_are_rejected_about_as_often_as_the_level_says() -> None:
    """Columns of six, ours and the paper's drawn alike."""
    generator, singles, columns = np.random.default_rng(1), 0, 0
    for _ in range(150):
        judged = [
            Means(20)(
                float(generator.normal(0, 1, 20).mean()),
                from_values(generator.normal(0, 1, 20).tolist()),
                10.0,
            )
            for _ in range(6)
        ]
        singles += sum(one.verdict == DIFFERS for one in judged)
        columns += joint(judged).verdict == DIFFERS
    assert 15 <= singles <= 80  # 45 are expected
    assert columns <= 18  # 7.5 are


def test_an_interval_at_a_bound_is_as_long_as_it_is() -> None:
    """Nothing lost in ten runs: up to 40% of the column may have been missed."""
    found = Means(100, least=0)(0, from_values([0.0] * 10), 20_000.0)
    assert found.high == pytest.approx(20_000 * 3.69 * 0.11)
    assert found.verdict == UNDECIDED
    assert verdict_of(0, from_values([0.0] * 100), Means(100, least=0), 20_000) == MATCHES
    assert verdict_of(100, from_count(10, 10), Shares(100)) == UNDECIDED


# Claims


def judged(test: Any, found: Data | None = None, entry: Entry = CLAIM) -> str:
    return str(test(found or data([]), entry).verdict)


def given(measured: Measured | None) -> Any:
    return Measure(lambda data, **labels: measured)


def test_a_gain_below_zero_is_no_improvement() -> None:
    """The policy gradient's gains in 3-D: -1.3 and -1.9, with intervals that reach above 0."""
    for mean in (-1.3, -1.9):
        gain = given(from_summary(mean, 1.5, 10))
        assert judged(above(gain, 0)) == UNDECIDED
    assert judged(above(given(from_summary(-1.9, 0.5, 10)), 0)) == DIFFERS


def test_38_per_cent_is_not_more_than_half() -> None:
    assert judged(above(given(from_summary(38.7, 6.0, 10)))) == UNDECIDED
    assert judged(above(given(from_summary(38.7, 3.0, 10)))) == DIFFERS
    assert judged(above(given(from_summary(81.7, 3.0, 10)))) == MATCHES


def test_regions() -> None:
    assert judged(below(given(exactly(49)))) == MATCHES
    assert judged(below(given(exactly(50)))) == DIFFERS
    assert judged(between(given(from_summary(50, 1, 10)), 45, 55)) == MATCHES
    assert judged(between(given(from_summary(50, 1, 10)), 49, 51)) == UNDECIDED
    assert judged(between(given(from_summary(50, 1, 10)), 60, 70)) == DIFFERS
    assert judged(above(given(from_summary(99, 1, 4)))) == TOO_FEW
    assert judged(above(given(None))) == NOT_RUN
    assert judged(above(given(from_summary(99, None, 50)))) == UNDECIDED
    assert judged(equal(given(exactly(50)))) == MATCHES


def test_one_run_refutes_what_holds_always() -> None:
    assert judged(always(given(from_count(99, 100)))) == DIFFERS
    assert judged(always(given(from_count(100, 100)))) == MATCHES
    assert judged(always(given(from_count(20, 20)))) == UNDECIDED
    assert judged(always(given(from_count(4, 4)))) == TOO_FEW


def trainers(**values: list[float]) -> Data:
    rows = [{"t": name, "runs": len(v), "finals": {"x": v}} for name, v in values.items()]
    return data(rows)


def test_an_order_needs_every_comparison() -> None:
    def test(higher: Any, lower: Any) -> Any:
        return final("x").apart(by="t", higher=higher, lower=lower)

    found = trainers(a=runs(1, 1, 30), b=runs(5, 1, 30), c=runs(1.2, 1, 30))
    assert judged(test(("b",), ("a",)), found) == MATCHES
    assert judged(test(("b", "c"), ("a",)), found) == UNDECIDED
    assert judged(test(("a",), ("b",)), found) == DIFFERS
    assert judged(test(("a", "b"), ("d",)), found) == NOT_RUN
    assert test(("b", "c"), ("a",))(found, CLAIM).note == "c minus a"
    few = trainers(a=runs(1, 1, 3), b=runs(5, 1, 3))
    assert judged(test(("b",), ("a",)), few) == TOO_FEW


# Rows


def column() -> Column:
    numbers = {"one": {"a": 10.0, "b": 50.0}, "two": {"a": 10.0, "b": 50.0}}
    entry = Entry("table", "Table 1", title="a table", numbers=numbers)
    return Column(entry, ("g", "t"), final("x"), Means(20))


def test_a_column_gives_a_row_a_number_and_one_a_group() -> None:
    rows = [
        {"g": "one", "t": "a", "runs": 20, "finals": {"x": runs(10, 1, 20)}},
        {"g": "one", "t": "b", "runs": 20, "finals": {"x": runs(30, 1, 20)}},
    ]
    found = column().rows(data(rows))
    assert [(row.name, row.kind, row.verdict) for row in found] == [
        ("table/one/a", NUMBER, MATCHES),
        ("table/one/b", NUMBER, DIFFERS),
        ("table/two/a", NUMBER, NOT_RUN),
        ("table/two/b", NUMBER, NOT_RUN),
        ("table/one/joint", JOINT, DIFFERS),
        ("table/two/joint", JOINT, NOT_RUN),
    ]
    assert counts(found) == {
        "number": {MATCHES: 1, DIFFERS: 1, NOT_RUN: 2},
        "joint": {DIFFERS: 1, NOT_RUN: 1},
    }
    first = json.loads(json.dumps(found[0].as_json(), allow_nan=False))
    assert (first["g"], first["t"], first["published"], first["runs"]) == ("one", "a", 10, 20)
    sides = (first["high"] - first["ours"], first["ours"] - first["low"])
    assert first["detectable"] == pytest.approx(max(sides), rel=1e-7)


def test_a_claim_gives_its_reason_only_where_it_differs() -> None:
    for value, reason in ((1.0, "because"), (99.0, "")):
        claim = Claim(replace(CLAIM, reason="because"), above(given(exactly(value))))
        row = claim.row(data([]))
        assert row.reason == reason
    claim = Claim(CLAIM, above(given(exactly(1))), reason=lambda found: f"in {len(found.parts)}")
    assert claim.row(data([])).reason == "in 1"


# All tests of a paper together


def row(p: float, verdict: str = DIFFERS, kind: str = "claim", **changes: Any) -> Row:
    equivalent = changes.pop("equivalent", None)
    judged = Judged(verdict, 1.0, runs=10, p=p, equivalent=equivalent)
    return Row("name", kind, "all", "text", "Table 1", {}, None, judged, **changes)


def test_a_difference_must_stand_among_all_tests_of_a_paper() -> None:
    others = [row(1.0, MATCHES) for _ in range(9)]
    strong, weak = row(0.001, reason="a reason"), row(0.02, reason="a reason")
    found = corrected([strong, weak, *others])
    assert [one.verdict for one in found[:2]] == [DIFFERS, UNDECIDED]
    assert [one.reason for one in found[:2]] == ["a reason", ""]
    assert found[1].judged.note == "p 0.020, and 0.200 among 11 tests"
    assert corrected([weak])[0].verdict == DIFFERS  # alone it stands
    equivalent = row(0.02, kind=NUMBER, equivalent=0.01)
    assert corrected([equivalent, *others])[0].verdict == MATCHES


def test_what_no_run_measures_is_neither_corrected_nor_counted_with_the_rest() -> None:
    apart_from_tests = [
        row(0.02, class_="arithmetic"), row(0.02, kind=OURS), row(0.02, repeats="other"),
    ]  # fmt: skip
    others = [row(1.0, MATCHES) for _ in range(9)]
    found = corrected([*apart_from_tests, *others])
    assert [one.verdict for one in found[:3]] == [DIFFERS] * 3
    assert counts(found) == {
        "claim": {MATCHES: 9}, "repeated": {DIFFERS: 1}, "arithmetic": {DIFFERS: 1},
        "ours": {DIFFERS: 1},
    }  # fmt: skip


def test_a_number_in_per_cent_outside_a_region_has_the_p_value_of_its_runs() -> None:
    from scipy.stats import binomtest

    found = above(given(from_count(30, 100)))(data([]), CLAIM)
    assert found.p == pytest.approx(binomtest(30, 100, 0.5).pvalue)
    assert above(given(exactly(49)))(data([]), CLAIM).p == 0
    assert above(given(exactly(51)))(data([]), CLAIM).p == 1
