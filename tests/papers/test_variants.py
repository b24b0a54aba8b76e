"""What variants explain, and what they do not."""

from __future__ import annotations

from typing import Any

from inarow.papers.claims import Column, Means
from inarow.papers.measures import Data, final
from inarow.papers.published import Entry
from inarow.papers.study import Results
from inarow.papers.variants import NOT_TRIED, Variant, Variants
from tests.papers.test_verdicts import runs

ENTRY = Entry("table", "Table 1", title="a table", numbers={"a": 10.0, "b": 100.0})
COLUMN = Column(ENTRY, ("t",), final("x"), Means(20))
VARIANTS = Variants(
    (
        Variant("base", "as it is"),
        Variant("near", "one thing changed"),
        Variant("far", "another", without=("b",)),
    )
)


def found(**means: float) -> Data:
    """The base has 40 where the paper has 10; variants as given."""

    def row(mean: float, **labels: str) -> dict[str, Any]:
        return {**labels, "runs": 20, "finals": {"x": runs(mean, 5, 20)}}

    base = [row(40, t="a"), row(100, t="b")]
    tried = [row(40, t="a", variant="base"), row(100, t="b", variant="base")]
    tried += [row(mean, t="a", variant=name) for name, mean in means.items()]
    parts = {"all": Results("tiny", "all", "paper", base)}
    if means:
        parts["variants"] = Results("tiny", "variants", "paper", tried)
    return Data(parts, "all")


def reason(data: Data) -> str:
    rows = [VARIANTS.explained(data, row, COLUMN) for row in COLUMN.rows(data)]
    assert [bool(row.reason) for row in rows[:2]] == [True, False]
    return rows[0].reason


def test_a_variant_that_matches_explains() -> None:
    said = reason(found(near=11, far=45))
    assert said == "of 2 variants (20 runs each), “near” (11±1) would explain it; the base has 40±1"


def test_none_is_near_enough() -> None:
    assert reason(found(near=35, far=45)) == (
        "none of 2 variants (20 runs each) closes the gap of 30; their standard errors are up to "
        "1; the closest is “near” (35±1), the base has 40±1"
    )


def test_no_variant_was_tried() -> None:
    assert reason(found()) == NOT_TRIED


def test_the_summary_counts_what_differs() -> None:
    table = VARIANTS.summary(found(near=11, far=45), [COLUMN], ["games"])
    assert table is not None
    assert table.rows == (
        ("base", "1 of 2", "1 of 2"),
        ("near", "0 of 1", "0 of 1"),
        ("far", "1 of 2", "1 of 2"),  # for b it cannot matter: the base counts
    )
    details = VARIANTS.details(found(near=11, far=45), [COLUMN], ["a", "b"])
    assert details is not None
    assert details.rows[:3] == (
        ("published", "10", "100"),
        ("base", "40±1*", "100±1"),
        ("near", "11±1", ""),
    )
    assert VARIANTS.summary(found(), [COLUMN], ["games"]) is None


def test_runs_too_short_for_verdicts_explain_nothing() -> None:
    data = found(near=11, far=45)
    short = Data(data.parts, "all", ["variants"])
    assert reason(short) == NOT_TRIED
    assert VARIANTS.summary(short, [COLUMN], ["games"]) is None
    details = VARIANTS.details(short, [COLUMN], ["a", "b"])
    assert details is not None
    assert not any("*" in cell for line in details.rows for cell in line)  # shown, not judged


def test_too_few_runs_do_not_speak_for_a_variant() -> None:
    data = found(near=11, far=45)
    for row in data.parts["variants"].rows:
        row["finals"]["x"] = row["finals"]["x"][:3]
    few = "the runs of 2 variants (3 runs each) are too few for a verdict; the closest"
    assert reason(data).startswith(few)
    assert VARIANTS.summary(data, [COLUMN], ["games"]) is None


def test_a_number_that_no_variant_was_tried_on_has_no_column() -> None:
    data = found(near=11, far=45)
    data.parts["variants"].rows[:] = [row for row in data.rows(part="variants") if row["t"] == "a"]
    details = VARIANTS.details(data, [COLUMN], ["a", "b"])
    assert details is not None
    assert details.columns == ("variant", "a")
    assert all(len(line) == 2 for line in details.rows)


def test_a_part_joins_another_if_both_can_be_judged_or_neither() -> None:
    whole = found(near=11, far=45)
    rows = whole.parts["variants"].rows
    parts = {
        **whole.parts,
        "variants": Results("tiny", "variants", "paper", rows[:2]),
        "more": Results("tiny", "more", "paper", rows[2:]),
    }
    others = {"more": "variants"}
    assert reason(Data(parts, "all", shown_with=others)) == reason(whole)
    for short in ["more"], ["variants"]:
        data = Data(parts, "all", short, others)
        assert reason(data) == NOT_TRIED
        assert data.rows(part="variants") == rows[:2]
        assert data.rows(part="more") == rows[2:]
