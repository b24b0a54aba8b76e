"""The pages of the papers as HTML: all of them, their figures, and what stands out."""

import re
import tomllib
from pathlib import Path

import pytest

import inarow
from inarow.game import InputError
from inarow.papers.report import report_style, shared_style, stored_report, stored_reports
from inarow.ui.server import paper_pages
from inarow.ui.server.paper_pages import FIGURES, SIGNS, page_names, pages_folder, read_page

DOCS = Path(inarow.__file__).parents[2] / "docs" / "papers"


def test_every_page_is_there():
    assert pages_folder() == DOCS
    assert set(page_names()) == {path.stem for path in DOCS.glob("*.md")}
    assert len(page_names()) >= 4


WRITTEN = [name for name in page_names() if name not in stored_reports()]


@pytest.mark.parametrize("name", stored_reports())
def test_a_report_is_shown_as_it_is(name):
    page = read_page(name)
    assert page.title
    assert page.lead
    assert stored_report(name)[:200] in page.html
    assert not re.findall(r'<a [^>]*href="(?!#|https?:)', page.html)


@pytest.mark.parametrize("name", WRITTEN)
def test_a_page_says_all_that_its_file_says(name):
    page, source = read_page(name), (DOCS / f"{name}.md").read_text(encoding="utf-8")
    assert page.title
    assert page.lead
    headings = re.findall(r"^(##+) (.+)$", source, re.MULTILINE)
    assert [heading.level for heading in page.contents] == [len(marks) for marks, _ in headings]
    anchors = [heading.anchor for heading in page.contents]
    assert len(set(anchors)) == len(anchors)
    assert all(f'id="{anchor}"' in page.html for anchor in anchors)
    rows = [line for line in source.splitlines() if line.startswith("| ")]
    rules = sum(set(row) <= set("|:- ") for row in rows)
    assert page.html.count("<tr>") == len(rows) - rules
    words = "|".join(SIGNS)
    heads = {n for n, row in enumerate(rows[1:]) if set(row) <= set("|:- ")}
    body = [row for number, row in enumerate(rows) if number not in heads]
    cells = [cell for row in body for cell in re.findall(rf"\| ({words}) (?=\|)", row)]
    assert page.html.count('class="verdict') == len(cells)


@pytest.mark.parametrize("name", WRITTEN)
def test_figures_are_files_and_links_lead_somewhere(name):
    html, source = read_page(name).html, (DOCS / f"{name}.md").read_text(encoding="utf-8")
    sources = re.findall(r'<img [^>]*src="([^"]+)"', html)
    assert len(sources) == source.count("](figures/")
    for source in sources:
        assert source.startswith(f"{FIGURES}/")
        assert (DOCS / "figures" / source.removeprefix(f"{FIGURES}/")).is_file()
    assert not re.findall(r'href="(?!#|https?:)', html)
    assert html.count("<details>") == html.count("</details>") == html.count("</summary>")
    assert "<p><details" not in html
    assert "<!--" not in html


def test_reports_share_colours_and_type_with_all_pages():
    named = set(re.findall(r"var\((--[\w-]+)", report_style()))
    own, shared = (set(re.findall(r"(--[\w-]+):", one)) for one in (report_style(), shared_style()))
    assert named <= own | shared
    assert {"--ink", "--paper", "--first", "--sans"} <= named & shared
    assert shared_style().count("{") == shared_style().count("}")
    for name in stored_reports():
        assert report_style() in (DOCS / f"{name}.md").read_text(encoding="utf-8")


def test_a_page_that_changed_is_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr(paper_pages, "pages_folder", lambda: tmp_path)
    path = tmp_path / "one.md"
    path.write_text(
        "# A & B\n\nFirst.\n\n## Part\n\n| x | verdict |\n| :-- | :-- |\n| 1 | differs |\n"
    )
    page = read_page("one")
    assert (page.title, page.lead, page.verdicts) == ("A & B", "First.", {})
    assert "\u2260 differs" in page.html
    path.with_suffix(".json").write_text('{"counts": {"claim": {"differs": 3}}}')
    assert read_page("one").verdicts == {"claims": {"differs": 3}}
    path.write_text("# Another\n\nSecond.\n")
    assert read_page("one").title == "Another"


def test_a_page_that_is_not_there(tmp_path, monkeypatch):
    for name in ("nobody", "../README", ""):
        with pytest.raises(InputError, match="no page of a paper"):
            read_page(name)
    monkeypatch.setattr(paper_pages, "pages_folder", lambda: tmp_path)
    with pytest.raises(InputError, match="the pages are not installed"):
        read_page("hybrid")


def test_an_installed_package_has_its_own(tmp_path, monkeypatch):
    monkeypatch.setattr(paper_pages, "files", lambda package: tmp_path / "src" / package)
    assert pages_folder() == tmp_path / "docs" / "papers"
    packaged = tmp_path / "src" / "inarow" / "papers" / "pages"
    packaged.mkdir(parents=True)
    assert pages_folder() == packaged
    settings = tomllib.loads((DOCS.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    included = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert included["docs/papers"] == "inarow/papers/pages"
