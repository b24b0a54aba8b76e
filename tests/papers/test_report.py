"""The report of a paper: all tables and figures in order, nothing from elsewhere, nothing twice."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest

from inarow.game import InputError
from inarow.papers.measures import Data
from inarow.papers.page import blocks, claims_by_section
from inarow.papers.paper import Finding, names, paper_of
from inarow.papers.report import (
    Report,
    anchor,
    findings,
    page_html,
    page_markdown,
    pages_folder,
    report_html,
    report_of,
    rest_command,
    stored_report,
    stored_reports,
    why,
)
from inarow.papers.summary import summary_lines
from inarow.papers.tables import claim_text, number_text
from inarow.papers.verdicts import CLAIM, NOT_RUN, NUMBER, OURS, Judged, Row, counts

RESULTS = Path(__file__).parents[2] / "docs" / "results"
DOCUMENTS = [name for name in names() if not paper_of(name).own]


@cache
def report(name: str) -> Report:
    paper = paper_of(name)
    return report_of(paper, paper.data(RESULTS), beyond=False)


@cache
def page(name: str) -> str:
    return page_html(report(name))


class Page(HTMLParser):
    """What a page has: ids, links, what a browser would fetch, open elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids, self.links, self.fetched = list[str](), list[str](), list[str]()
        self.open = list[str]()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given["href"]] if tag == "a" else []
        fetches = tag in ("script", "link", "img", "iframe", "object", "source")
        self.fetched += [tag] if fetches else []
        if tag not in ("meta", "col", "br", "hr", "img"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            while self.open.pop() != tag:
                pass


def test_the_five_documents_have_nine_tables_and_35_figures() -> None:
    """As `published.toml` counts them; a report has each of them, drawn or as numbers."""
    assert len(DOCUMENTS) == 5
    counted = Counter[str]()
    for name in DOCUMENTS:
        about = paper_of(name).published.paper
        for kind in ("tables", "figures"):
            counted[kind] += len(about[kind])
        assert {*about.get("illustrations", ())} <= {*about["figures"]}
        found = report(name)
        assert [place.name for place in (*found.tables, *found.figures)] == [
            *about["tables"], *about["figures"],
        ]  # fmt: skip
        for place in found.tables:
            assert place.numbers or place.printed, place.name
        for place in found.figures:
            assert place.pictures, place.name
            assert all("<svg" in picture.html or "<table" in picture.html
                       for picture in place.pictures)  # fmt: skip
    assert counted == {"tables": 9, "figures": 35}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_page_is_one_file_that_needs_nothing_else(name: str) -> None:
    text = page(name)
    found = Page(text)
    assert not found.fetched
    assert not re.search(r"(url\(\s*[\"']?http|@import|<script)", text)
    assert not found.open
    assert max(Counter(found.ids).values()) == 1
    assert {link for link in found.links if link != ""} <= {f"#{one}" for one in found.ids}
    assert len(text.encode()) < 600_000
    for place in (*report(name).tables, *report(name).figures):
        assert place.anchor in found.ids
    order = [text.index(f'id="{place.anchor}"') for place in report(name).figures]
    assert order == sorted(order)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_published_values_stand_beside_ours(name: str) -> None:
    html, text = page(name), page_markdown(report(name))
    for row in report(name).rows:
        if row.kind not in (NUMBER, CLAIM):
            continue
        assert f'id="{anchor(row)}"' in html, row.name
        if row.kind == NUMBER:
            line = html.partition(f'id="{anchor(row)}"')[2].partition("</tr>")[0]
            assert number_text(row.published, row.digits) in line
        else:
            assert row.text.replace("|", r"\|") in text
    for place in (*report(name).tables, *report(name).figures):
        assert f"### {place.name}\n" in text
    for drawn in re.findall(r"\]\(figures/([^)]+)\)", text):
        assert (pages_folder() / "figures" / drawn).is_file()


@pytest.mark.parametrize("name", names())
def test_no_interval_leaves_its_range(name: str) -> None:
    for row in report(name).rows:
        low, high = row.judged.low, row.judged.high
        difference = row.kind != NUMBER and (row.judged.note or row.unit == "points")
        if low is None or high is None or difference:
            continue
        if row.unit.startswith("%"):
            assert low >= 0, row
            assert high <= 100, row
        if row.unit in ("games", "s", "GB", "minutes", "weights") and row.kind == NUMBER:
            assert low >= 0, row


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_quick_look_says_so_and_names_the_command_of_the_rest(name: str) -> None:
    paper, data = paper_of(name), report(name).data
    parts = {part: replace(results, scale="tiny") for part, results in data.parts.items()}
    short = Data(parts, data.first, [*parts], data.shown_with)
    found = report_of(paper, short, beyond=False)
    assert "quick look" in found.findings[0]
    assert found.rest.startswith(f"inarow reproduce {name} ")
    assert found.rest.endswith("--scale paper")
    assert found.rest in page_html(found)
    for row in found.rows:
        assert row.verdict != NOT_RUN or row.judged.ours is None


def test_findings_hang_on_verdicts() -> None:
    paper = paper_of("hybrid")
    data = report("hybrid").data
    rows = paper.rows(data)
    said = findings(paper, data, rows)
    assert len(said) == 3
    assert "97,290" in said[0]
    changed = [
        replace(row, judged=replace(row.judged, verdict="undecided"))
        if row.name == "fewest-games-tictactoe" else row for row in rows
    ]  # fmt: skip
    assert not any("the paper reproduces" in text for text in findings(paper, data, changed))
    for name in names():
        by_name = {row.name for row in report(name).rows}
        for finding in paper_of(name).findings:
            assert isinstance(finding, Finding)
            assert {*finding.needs} <= by_name
            asked = re.findall(r"\{([^}|]+)", finding.text)
            assert {*asked} <= by_name


@pytest.mark.parametrize("name", DOCUMENTS)
def test_findings_count_as_all_views_do(name: str) -> None:
    found = counts(report(name).rows)
    said = " ".join(report(name).findings)
    for kind, what in ((NUMBER, "published numbers"), (CLAIM, "claims that runs can decide")):
        if kind in found and f" {what}" in said:
            number, verdicts = re.findall(rf"[Oo]f (\d+) {what}\W*(.*?)[.;]", said)[0]
            assert int(number) == sum(found[kind].values())
            assert sorted(map(int, re.findall(r"\d+", verdicts))) == sorted(found[kind].values())
    assert "claims that runs can decide" in said or CLAIM not in found


def test_what_decides_beside_an_interval_is_said() -> None:
    rows = {row.name: row for row in report("n-dimensional").rows}
    assert why(rows["transfer-undefeated-second"]) == (
        "alone it differs, but not with Holm's correction for 39 tests, which makes the interval "
        "0.8 to 3.8"
    )
    assert "for 2 comparisons, which makes the interval -21.4 to 0.4" in why(rows["epsilon-decay"])
    for name in DOCUMENTS:
        for row in report(name).rows:
            assert "reaches both" not in why(row) or not row.judged.p or row.judged.p >= 0.05


def test_one_game_alone_is_judged() -> None:
    paper = paper_of("hybrid")
    found = report_of(paper, report("hybrid").data, "tictactoe", beyond=False)
    assert {row.game for row in found.rows} == {"tictactoe"}
    assert not any(row.text.startswith(("Connect-4", "4x4")) for row in found.rows)
    everything = report("hybrid").rows
    assert 0 < len(found.rows) < len(everything)


def test_claims_stand_in_the_order_of_the_text() -> None:
    found = claims_by_section([row for row in report("hybrid").rows if row.kind == CLAIM])
    assert [*found] == sorted(found, key=lambda section: (section != "Abstract", section))
    cube = [*report("cube").claims]
    assert cube.index("Section IV") < cube.index("Section V-B") < cube.index("Section V-C")


@pytest.mark.parametrize("name", names())
def test_the_terminal_shows_it_in_short(name: str) -> None:
    lines = summary_lines(report(name))
    assert len(lines) <= 44  # and the report's path
    assert max(map(len, lines)) <= 80
    assert any(line.startswith(" 1. ") for line in lines) or paper_of(name).own
    kinds = r" +\d+ (numbers|claims|claims of ours|not by runs)  "
    counted = [line for line in lines if re.match(kinds, line)]
    assert sum(int(line.split()[0]) for line in counted) == sum(
        row.kind in (NUMBER, CLAIM, OURS) for row in report(name).rows
    )


def test_all_of_a_document_is_judged_by_the_stored_results() -> None:
    for name in DOCUMENTS:
        assert rest_command(paper_of(name), report(name).data, report(name).rows) == ""


def test_stored_reports() -> None:
    assert stored_reports() == DOCUMENTS
    for name in DOCUMENTS:
        text = stored_report(name)
        assert text.startswith('<div class="report"')
        assert text.rstrip().endswith("</div>")
    for name in ("learners", "nobody", "../hybrid"):
        with pytest.raises(InputError, match="no stored report"):
            stored_report(name)


def test_a_report_of_a_folder(tmp_path: Path) -> None:
    for path in RESULTS.glob("max-min-*.json"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    whole, content = (report_html("max-min", tmp_path, whole=whole) for whole in (True, False))
    assert whole.startswith("<!doctype html>")
    assert content.startswith('<div class="report"')
    assert "Max-min" in content


def test_nothing_was_run(tmp_path: Path) -> None:
    """A report of no results at all is one, too."""
    for name in DOCUMENTS:
        text = report_html(name, tmp_path)
        assert "not run" in text or name == "max-min"


def test_folded_tables_stay_folded() -> None:
    text = '<details markdown="1">\n<summary>All of *them*</summary>\n\nOne.\n\n</details>'
    assert str(blocks(text)).split("\n") == [
        "<details><summary>All of <em>them</em></summary>", "<p>One.</p>", "</details>",
    ]  # fmt: skip
    for name in DOCUMENTS:
        assert "&lt;details" not in page(name)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_names_of_curves_stand_below_the_plot_too(name: str) -> None:
    """Where there is no room beside it: on a phone, and on paper."""
    plots = page(name).split('<svg class="plot"')[1:]
    for plot in plots:
        beside, _, below = plot.partition('<ul class="legend">')
        below = below.partition("</ul>")[0]
        labels = re.findall(r'<text class="label"[^>]*>([^<]*)', beside)
        assert re.findall(r"</svg> ([^<]*) <span", below) == labels


def share(ours: float, low: float, high: float, unit: str = "% of runs") -> str:
    judged = Judged("matches", ours, low, high, 10)
    return claim_text(Row("x", CLAIM, "all", "x", "Section 1", {}, None, judged, unit))


def test_a_share_of_all_runs_or_of_none_has_one_open_end() -> None:
    assert share(100, 72, 100) == "100% of runs (95%: at least 72%)"
    assert share(0, 0, 28) == "0% of runs (95%: at most 28%)"
    assert share(50, 24, 76) == "50% of runs (24 to 76)"
    assert share(0, -1, 1, "points") == "0 points (-1 to 1)"


def test_what_came_out_hangs_on_verdicts() -> None:
    for name in DOCUMENTS:
        paper, rows = paper_of(name), report(name).rows
        assert paper.outcome_text({row.name: row.verdict for row in rows}), name
        assert paper.outcome_text({}) == ""
        assert {row for one in paper.outcome for row in one.needs} <= {row.name for row in rows}
