"""What a paper says of itself is checked before anything is run, each fault in one line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from inarow.game import InputError
from inarow.papers.claims import Claim, ClaimTest, Column, Means, above, below, between, equal
from inarow.papers.hybrid.claims import CLAIMS
from inarow.papers.hybrid.study import OTHERS, PUBLISHED
from inarow.papers.measures import Data, exactly, final
from inarow.papers.page import ERRATA, NOT_MEASURED, page_of, section
from inarow.papers.paper import Paper, paper_of
from inarow.papers.published import Entry, Published
from inarow.papers.study import Part, Results
from inarow.papers.verdicts import MATCHES, UNDECIDED

HEAD = """
[paper]
title = "Small steps"
reference = "A. Nobody, 2026"
tables = ["Table 1"]
"""
TABLE = """
[table-1]
source = "Table 1"
title = "games lost"
small = 4.1
large = { mean = 9.8, deviation = 2.1 }
"""
CLAIM = """
[under-five]
source = "Section 3"
text = "less than 5% of games are lost"
value = 5
"""
LOST = final("lost")


def published(folder: Path, *sections: str) -> Published:
    (folder / "published.toml").write_text("\n".join((HEAD, *sections)), encoding="utf-8")
    return Published(folder / "paper.py")


def paper(found: Published, tested: bool = True, **claims: ClaimTest | Claim) -> Paper:
    numbers = (Column(found["table-1"], ("step",), LOST, Means(20)),) if tested else ()
    return Paper("small-steps", found, (Part("all", "two", (), {"quick": 1}),), numbers, claims)


def test_what_is_whole_is_taken(tmp_path: Path) -> None:
    found = published(tmp_path, TABLE, CLAIM, "[runs]\nsource='x'\ntext='x'\nsetting=true\nvalue=3")
    assert found.value("runs") == 3
    made = paper(found, **{"under-five": below(LOST)})
    assert list(made.tables) == ["table-1"]  # it comes with its numbers
    rows = [
        {"step": name, "runs": 2, "finals": {"lost": [4.0, 4.2]}} for name in ("small", "large")
    ]
    data = Data({"all": Results("small-steps", "all", "quick", rows)}, "all")
    table = made.table("table-1", data, made.numbers[0].rows(data))
    assert table is not None
    assert [row[:3] for row in table.rows[:2]] == [("small", "4", "4"), ("large", "10 ± 2", "4")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (CLAIM.replace("value", "valeu"), "under-five: unknown 'valeu': there is source, title"),
        (TABLE + 'uint = "%"', r"table-1: uint = '%' is not like small"),
        (TABLE + "[table-1.more]\nother = 3", "more.other = 3 is not like small"),
        (TABLE.replace("deviation", "deviatoin"), "table-1: large: unknown 'deviatoin'"),
        (CLAIM + "digits = true", "under-five: digits is a whole number, not True"),
        (CLAIM + 'class = "proven"', "unknown class 'proven': there is measured, arithmetic"),
        ("[x]\ntext = 'x'", "x does not say where in the paper it stands"),
        ("[x]\nsource = 'x'", "x has neither text nor title"),
        ("[x]\nsource = 'x'\ntitle = 'x'", "x is a table without numbers"),
        ("x = 3", r"\[paper\]: unknown 'x'"),
        ("[x", "published.toml is not TOML: "),
    ],
)
def test_a_misspelled_word_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        published(tmp_path, text)
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there_or_says_nothing_of_the_paper_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no file .*published.toml"):
        Published(tmp_path / "paper.py")
    (tmp_path / "published.toml").write_text(CLAIM)
    with pytest.raises(InputError, match=r"has no section \[paper\] with title and reference"):
        Published(tmp_path / "paper.py")


def test_what_nobody_tests_is_refused(tmp_path: Path) -> None:
    found = published(tmp_path, TABLE, CLAIM)
    with pytest.raises(InputError, match="nobody tests under-five"):
        paper(found)
    with pytest.raises(InputError, match="nobody tests table-1"):
        paper(found, tested=False, **{"under-five": below(LOST)})
    with pytest.raises(InputError, match="has no 'above-five'"):
        paper(found, **{"under-five": below(LOST), "above-five": above(LOST, 5)})
    other = Claim(Entry("other", "Section 4", text="no claim of the paper"), above(LOST, 5))
    with pytest.raises(InputError, match="has no 'other', which is tested"):
        paper(found, **{"under-five": below(LOST), "other": other})
    with pytest.raises(InputError, match="table-1 is tested twice"):
        paper(found, **{"under-five": below(LOST), "table-1": above(LOST, 5)})


def test_a_setting_is_used_and_not_tested(tmp_path: Path) -> None:
    setting = CLAIM + "setting = true"
    with pytest.raises(InputError, match="the setting under-five is used nowhere"):
        paper(published(tmp_path, TABLE, setting))
    with pytest.raises(InputError, match="under-five is a setting, and tested"):
        paper(published(tmp_path, TABLE, setting), **{"under-five": below(LOST)})


def test_a_test_without_bounds_is_refused(tmp_path: Path) -> None:
    without = published(tmp_path, TABLE, CLAIM.replace("value = 5", ""))
    for test, message in (
        (between(LOST), "the test of under-five needs two numbers as value"),
        (above(LOST), "needs a number as value"),
        (below(LOST), "needs a number as value"),
        (equal(LOST), "needs a value"),
    ):
        with pytest.raises(InputError, match=message):
            paper(without, **{"under-five": test})
    with pytest.raises(InputError, match="between has two bounds or none"):
        between(LOST, low=3)
    both = published(tmp_path, TABLE, CLAIM.replace("value = 5", "value = [1, 5]"))
    assert paper(both, **{"under-five": between(LOST)}).tested


def test_a_table_whose_labels_are_deeper_than_those_that_are_named_is_refused(
    tmp_path: Path,
) -> None:
    found = published(tmp_path, TABLE)
    with pytest.raises(
        InputError, match=r"small of table-1 has 1 labels, and not 2 \(step, game\)"
    ):
        Column(found["table-1"], ("step", "game"), LOST, Means(20))


@pytest.mark.parametrize(
    "asked", ['table("x")', 'figure("x")', 'row("x")', "value.x", 'quote("x")']
)
def test_a_page_that_asks_for_what_is_not_there_is_refused(tmp_path: Path, asked: str) -> None:
    made = paper(published(tmp_path, TABLE))
    (tmp_path / "page.md").write_text(f"{{{{ {asked} }}}}")
    with pytest.raises(InputError, match=r"the page of small-steps: .*'x'") as error:
        page_of(made, Data({}, "all"))
    assert "\n" not in str(error.value)
    (tmp_path / "page.md").write_text(f"## Errata\n\n1. One.\n2. {{{{ {asked} }}}}")
    with pytest.raises(InputError, match=r"the page of small-steps: .*'x'"):
        section(made, Data({}, "all"), ERRATA)


PAGE = """
{% set outside = 3 %}
{% set twice = outside * 2 %}

## Errata

1. First {{ twice }}. It is {{ value.missing.mean }} here. Last, {{ outside }}.
{% if has("all") %}
2. Only with results.
{% endif %}
3. {{ value.missing.mean }} alone.
{% set later = "set in the section" %}
4. It was {{ later }}.
"""


def test_a_section_knows_what_the_page_sets_and_leaves_out_what_was_not_measured(
    tmp_path: Path,
) -> None:
    made = replace(paper(published(tmp_path, TABLE)), values={"missing": lambda data: None})
    (tmp_path / "page.md").write_text(PAGE)
    assert section(made, Data({}, "all"), ERRATA).splitlines() == [
        "1. First 6. Last, 3.", f"3. {NOT_MEASURED}", "4. It was set in the section.",
    ]  # fmt: skip
    (tmp_path / "page.md").write_text(PAGE.replace("{{ outside }}", "{{ outsied }}"))
    with pytest.raises(InputError, match="unknown name outsied"):
        section(made, Data({}, "all"), ERRATA)


def test_every_other_trainer_is_asked_whether_its_agents_lose_to_the_expert() -> None:
    """One whose agents never lose refutes the claim, whoever it is."""
    for spared in (None, *OTHERS):
        rows = [
            {
                "game": "tictactoe", "trainer": name, "runs": 8,
                "finals": {"lost against expert": [0.0] * 8 if name == spared else [1.0, 2.0] * 4},
            }
            for name in OTHERS
        ]  # fmt: skip
        data = Data({"all": Results("hybrid", "all", "paper", rows)}, "all")
        test = CLAIMS["others-lose-to-expert"]
        assert isinstance(test, ClaimTest)
        verdict = test(data, PUBLISHED["others-lose-to-expert"]).verdict
        assert (verdict == MATCHES) == (spared is None), spared


def test_the_published_value_is_what_is_tested() -> None:
    """A value that changes in published.toml changes the test."""
    claims = {claim.entry.name: claim for claim in paper_of("cube").tested}
    half = claims["above-half"]
    rows = [
        {"regime": "self-play", "network": "deep-structured", "runs": 6,
         "finals": {"end": [51.0, 52.0, 53.0] * 2}}
    ]  # fmt: skip
    data = Data({"all": Results("cube", "all", "paper", rows)}, "all")
    assert half.row(data).verdict == MATCHES
    assert exactly(half.entry.value) == exactly(50)
    assert half.test(data, Entry("x", "x", text="x", value=52)).verdict == UNDECIDED
