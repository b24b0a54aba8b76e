"""The report of a paper: one page that a person opens, as HTML and as Markdown.

The paper stands in its own order: its tables and figures, each with the published values beside
ours, then its claims in the order of the text, what was run, differences and errata. One template
serves every paper, the site and the application; every number comes from stored results.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup, escape

from inarow.game import InputError
from inarow.lab.numbers import short_number
from inarow.papers import drawing
from inarow.papers.agents import KeptAgent
from inarow.papers.claims import Column, Costs, mean_of
from inarow.papers.figures import Curves, Figure, inline_svg
from inarow.papers.measures import Data
from inarow.papers.page import (
    ABOUT,
    CHOSEN,
    DIFFERENCES,
    ERRATA,
    MADE_BY,
    blocks,
    claims_by_section,
    inline,
    section,
)
from inarow.papers.paper import FOLDER, Paper, paper_of
from inarow.papers.published import Entry
from inarow.papers.study import PAPER as PAPER_SCALE
from inarow.papers.study import Part, Results
from inarow.papers.tables import (
    NumberTable,
    PaperTable,
    Table,
    claim_text,
    interval_text,
    list_text,
    markdown_of,
    number_table,
    number_text,
    ours_text,
    places,
    significant,
    value_text,
)
from inarow.papers.verdicts import (
    ALIKE,
    CLAIM,
    DIFFERS,
    FASTER,
    JOINT,
    MATCHES,
    NOT_RUN,
    NUMBER,
    OURS,
    SMALLER,
    TOO_FEW,
    TOO_SHORT,
    UNDECIDED,
    UNJUDGED,
    Row,
)

GLYPHS = {
    MATCHES: "●", DIFFERS: "◆", UNDECIDED: "○", TOO_FEW: "·", FASTER: "-", SMALLER: "-",
    TOO_SHORT: "·", NOT_RUN: "-",
}  # fmt: skip
ORDER = (MATCHES, DIFFERS, UNDECIDED, TOO_FEW, TOO_SHORT, FASTER, SMALLER, NOT_RUN)
WORDS = {  # what a verdict means, for the report's legend
    MATCHES: "A published number is equivalent to ours within a margin that was fixed before. A "
    "claim: our 95% interval lies entirely where the claim is true.",
    DIFFERS: "A test of no difference fails, corrected for the number of tests of the paper. A "
    "claim: our interval lies entirely where it is false.",
    UNDECIDED: "Too little power: our runs are compatible with both.",
    TOO_FEW: "Fewer than five runs.",
    TOO_SHORT: "The runs are much shorter than the paper's: our value is shown and not judged.",
    FASTER: "Only that: ours is another program on another machine.",
    SMALLER: "Only that: ours is another program.",
    NOT_RUN: "No run of this part is stored.",
}
FINDINGS = 3
REPORT_BEGINS = '<div class="report"'


# What is shown


class Group(NamedTuple):
    """Rows of a published table that are judged together, on one scale."""

    title: str
    rows: Sequence[Row]
    joint: Row | None
    scale: drawing.Scale


@dataclass(frozen=True)
class Numbers:
    """The numbers of a published table, with ours."""

    entry: Entry
    head: str  # what a line is
    groups: Sequence[Group]
    costs: bool  # shown, and not judged

    @property
    def alike(self) -> bool:
        """Whether all runs of a number are alike, so that its interval has another meaning."""
        return any(ALIKE in row.judged.note for group in self.groups for row in group.rows)


@dataclass(frozen=True)
class Picture:
    """A figure as it stands in a report."""

    html: str
    file: str  # of the drawing, for Markdown
    caption: str


@dataclass(frozen=True)
class Place:
    """A table or figure of the paper, and what stands there."""

    name: str  # as Table 1
    numbers: Sequence[Numbers]
    pictures: Sequence[Picture]
    printed: Sequence[Entry]  # entries of claims that print something, as lines of cells
    claims: Sequence[Row]
    illustration: bool

    @property
    def anchor(self) -> str:
        """Return the name of the place in addresses."""
        return slug(self.name)


class Ran(NamedTuple):
    """A part of the study, and how it was run."""

    name: str
    about: str
    scale: str
    conditions: int
    runs: str
    command: str
    made_with: Mapping[str, str]


@dataclass(frozen=True)
class Report:
    """Everything that a report shows; the template lays it out."""

    paper: Paper
    data: Data
    rows: Sequence[Row]
    tables: Sequence[Place]
    figures: Sequence[Place]
    claims: Mapping[str, Sequence[Row]]  # by section
    also: Sequence[tuple[str, object]]  # kind and content of what else was measured
    beyond: Sequence[tuple[str, object]]
    ran: Sequence[Ran]
    agents: Sequence[KeptAgent] = ()

    @property
    def findings(self) -> list[str]:
        """Return three sentences of what was found."""
        return findings(self.paper, self.data, self.rows)

    def counted(self, kind: str, given: bool = False) -> dict[str, int]:
        """Return how often each verdict was given to rows of a kind: measured, or given."""
        return counted(self.rows, kind, given)

    @property
    def differing(self) -> list[Row]:
        """Return the published numbers that differ."""
        return [row for row in self.rows if row.kind == NUMBER and row.verdict == DIFFERS]

    @property
    def rest(self) -> str:
        """Return the command that judges what these results do not; nothing if they judge all."""
        return rest_command(self.paper, self.data, self.rows)

    @property
    def words(self) -> dict[str, str]:
        """Return the verdicts that occur, with their meaning."""
        found = {row.verdict for row in self.rows}
        return {verdict: WORDS[verdict] for verdict in ORDER if verdict in found}

    @property
    def own(self) -> list[Row]:
        """Return the claims of ours that were run."""
        return [row for row in self.rows if row.kind == OURS and row.judged.ours is not None]


def report_of(
    paper: Paper,
    data: Data,
    game: str | None = None,
    beyond: bool = True,
    agents: Sequence[KeptAgent] = (),
) -> Report:
    """Collect what a report shows; of one game only, if it is named."""
    rows = [row for row in paper.rows(data) if game is None or row.game in ("", game)]
    tables, figures = (
        paper.published.paper.get("tables", ()),
        paper.published.paper.get("figures", ()),
    )
    shown = {place: _place(paper, data, rows, place) for place in (*tables, *figures)}
    own = {part.name for part in paper.parts if part.own}
    others = list(_others(paper, data, rows, () if beyond else own))
    return Report(
        paper,
        data,
        rows,
        [shown[place] for place in tables],
        [shown[place] for place in figures],
        claims_by_section(paper.claims_in_order(rows)),
        [(kind, made) for part, kind, made in others if part not in own],
        [(kind, made) for part, kind, made in others if part in own] if beyond else [],
        [_ran(paper, data, part) for part in data.parts if beyond or part not in own],
        agents,
    )


def _place(paper: Paper, data: Data, rows: Sequence[Row], place: str) -> Place:
    numbers = [
        made
        for column in paper.numbers
        if place in places(column.entry.source)
        for made in [_numbers(column, rows)]
        if made.groups
    ]
    pictures = [
        picture
        for figure in paper.figures
        if place in places(figure.caption.partition(".")[0]) and figure.has(data)
        for picture in _pictures(paper, figure, data, place)
    ]
    printed = [
        claim.entry
        for claim in paper.tested
        if claim.entry.numbers and place in places(claim.entry.source)
    ]
    claims = [row for row in rows if row.kind == CLAIM and place in places(row.source)]
    illustrations = paper.published.paper.get("illustrations", ())
    return Place(place, numbers, pictures, printed, claims, place in illustrations)


def _numbers(column: Column, rows: Sequence[Row]) -> Numbers:
    of_entry = [row for row in rows if row.name.split("/")[0] == column.entry.name]
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in of_entry:
        if row.kind != JOINT:
            outer = tuple(row.labels[label] for label in column.labels[:-1])
            found.setdefault(outer, []).append(row)
    joint = {tuple(row.labels.values()): row for row in of_entry if row.kind == JOINT}
    groups = [
        Group(", ".join(map(title_of, outer)), group, joint.get(outer), _scale(group))
        for outer, group in found.items()
    ]
    return Numbers(column.entry, column.labels[-1], groups, isinstance(column.test, Costs))


def _scale(rows: Sequence[Row]) -> drawing.Scale:
    known = [
        number
        for row in rows
        for number in (_published(row), row.judged.ours, row.judged.low, row.judged.high)
        if number is not None
    ]
    return drawing.scale_of(known, rows[0].unit == "%")


def _published(row: Row) -> float | None:
    return None if isinstance(row.published, str) else mean_of(row.published)[0]


def _pictures(paper: Paper, figure: Figure, data: Data, place: str = "") -> list[Picture]:
    """Draw a figure; of one that shows several of the paper's, the panel of this one."""
    named = places(figure.caption.partition(".")[0])
    file = f"{figure.file(paper.name)}.svg"
    if figure.html is not None:
        return [Picture(figure.html(data), file, figure.captioned)]
    if not isinstance(figure.draw, Curves):
        return [Picture(_role(inline_svg(figure, data), figure.captioned), file, figure.captioned)]
    only = place if len(named) > 1 else ""
    drawn = drawing.panels_html(figure.draw, data, only)
    return [Picture(drawn, file, figure.captioned)]


def _role(svg: str, caption: str) -> str:
    return Markup('<div role="img" aria-label="{}">{}</div>').format(caption, Markup(svg))


def _others(
    paper: Paper, data: Data, rows: Sequence[Row], without: Collection[str]
) -> Iterable[tuple[str, str, object]]:
    """Yield part, kind and content of tables and figures that are none of the paper's."""
    first, there = paper.parts[0].name, {*data.parts} - {*without}
    for name, table in paper.tables.items():
        if (table.part or first) in there and not _is_published(paper, table):
            made = table.make(data, rows)
            if made is not None and made.rows:
                yield table.part or first, "table", replace(made, title=made.title or name)
    listed = {*paper.published.paper.get("figures", ())}
    for figure in paper.figures:
        named = places(figure.caption.partition(".")[0])
        if not named & listed and (figure.part or first) in there and figure.has(data):
            for picture in _pictures(paper, figure, data):
                yield figure.part or first, "figure", picture


def _is_published(paper: Paper, table: PaperTable) -> bool:
    """Tell whether a table shows numbers that the paper publishes: they stand where it has them."""
    return isinstance(table, NumberTable) and table.entry.name in paper.published.entries


def _ran(paper: Paper, data: Data, part: str) -> Ran:
    results = data.parts[part]
    runs = sorted({int(row["runs"]) for row in results.rows if "runs" in row})
    told = (
        ""
        if not runs
        else f"{runs[0]:,}"
        if len(set(runs)) == 1
        else f"{runs[0]:,} to {runs[-1]:,}"
    )
    command = results.command(paper.address)
    about = paper.part(part).about
    return Ran(part, about, results.scale, len(results.rows), told, command, results.made_with)


# Words


def slug(name: str) -> str:
    """Return a name as an address within a page."""
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-")


def anchor(row: Row) -> str:
    """Return the address of a number or claim within a report."""
    return f"item-{slug(row.name)}"


def title_of(label: str) -> str:
    """Return a label for a heading: games have titles of their own."""
    titles = {"tictactoe": "Tic-tac-toe", "connect4:4x4": "Connect-4 on 4x4"}
    return titles.get(label, label)


def range_text(row: Row) -> str:
    """Return the interval of a sampled value; nothing for one that is counted."""
    return interval_text(row) if row.judged.low != row.judged.high else ""


def why(row: Row) -> str:
    """Return why a row has its verdict, where that is not plain."""
    if row.verdict == DIFFERS:
        return row.reason
    if row.verdict != UNDECIDED:
        return ""
    if row.judged.why:
        return row.judged.why + _deciding_text(row)
    if row.judged.p is not None and row.judged.p < 0.05 and row.kind == NUMBER:
        return "alone it differs, but not when the number of tests is considered"
    if row.kind == NUMBER:
        return "the interval is too wide for a difference to be excluded"
    return "our interval reaches both where the claim is true and where it is false"


def _deciding_text(row: Row) -> str:
    if row.judged.decides is None:
        return ""
    low, high = (significant(number, row.digits) for number in row.judged.decides)
    return f", which makes the interval {low} to {high}"


# Findings: sentences that hang on verdicts, so that they cannot be stale


def findings(paper: Paper, data: Data, rows: Sequence[Row]) -> list[str]:
    """Return three sentences: those that the verdicts allow, then how many verdicts there are."""
    by_name = {row.name: row for row in rows}
    verdicts = {row.name: row.verdict for row in rows}
    full = not quick_parts(paper, data)
    said = [] if full else [_quick_look(paper, data)]
    counted = [
        text
        for kind, what in ((NUMBER, "published numbers"), (CLAIM, "claims that runs can decide"))
        if (text := _count_sentence(rows, kind, what))
    ]
    room = FINDINGS - len(said) - min(len(counted), 1)
    for finding in paper.findings:
        if finding.holds(verdicts) and room > 0 and (text := _filled(finding.text, by_name)):
            said.append(text)
            room -= 1
    if len(counted) == 2 and FINDINGS - len(said) < 2:
        counted = [_joined_counts(rows)]
    return [*said, *counted][:FINDINGS]


def _filled(text: str, rows: Mapping[str, Row]) -> str:
    """Fill in numbers; nothing if one was not measured."""
    missing = False

    def number(found: re.Match[str]) -> str:
        nonlocal missing
        name, _, what = found[1].partition("|")
        row = rows.get(name)
        if row is None or row.judged.ours is None:
            missing = True
            return ""
        if what == "published":
            return number_text(row.published, row.digits)
        if what == "ours":
            return value_text(row)
        if what == "number":
            return f"{ours_text(row)} {interval_text(row, '({})')}".rstrip()
        return claim_text(row)

    made = re.sub(r"\{([^}]+)\}", number, text)
    return "" if missing else made


def quick_parts(paper: Paper, data: Data) -> list[str]:
    """Return the parts of the document that ran with fewer or shorter runs than the paper's."""
    return [
        part.name
        for part in paper.parts
        if not part.own and part.name in data.parts and not _whole(part, data.parts[part.name])
    ]


def _whole(part: Part, results: Results) -> bool:
    """Tell whether results are of the paper's own scale, or of one that is no smaller."""
    scale = results.scale
    if scale == PAPER_SCALE:
        return True
    return part.runs.get(scale) == part.runs.get(PAPER_SCALE) and (
        scale in part.judged and part.conditions_at(scale) == part.conditions_at(PAPER_SCALE)
    )


def _quick_look(paper: Paper, data: Data) -> str:
    short = quick_parts(paper, data)
    there = [part.name for part in paper.parts if not part.own and part.name in data.parts]
    if short == there:
        return (
            "**This is a quick look, not the whole study**: fewer or shorter runs than the paper's."
        )
    done = ", ".join(name for name in there if name not in short)
    left = ", ".join(short)
    return f"**In part a quick look**: {done} ran at the paper's own scale, {left} did not."


ONE = {"are": "is", "have": "has", "were": "was"}


def counted(rows: Iterable[Row], kind: str, given: bool = False) -> dict[str, int]:
    """Return how often each verdict was given to numbers or claims, in the report's order.

    Those of a kind that runs decide are counted as that kind; `given` are all others of it, as
    arithmetic, or what is so by construction.
    """
    found = [row.verdict for row in rows if row.kind == kind and (row.counted_as == kind) != given]
    return {verdict: found.count(verdict) for verdict in ORDER if verdict in found}


def _verdicts_text(found: Mapping[str, int]) -> str:
    words = {
        MATCHES: "match", DIFFERS: "differ", UNDECIDED: "are undecided",
        TOO_FEW: "have too few runs", TOO_SHORT: "ran too short to be judged",
        FASTER: "are times, where ours are lower", SMALLER: "are sizes, where ours are lower",
        NOT_RUN: "were not run",
    }  # fmt: skip
    single = {
        MATCHES: "matches", DIFFERS: "differs",
        FASTER: "is a time, where ours is lower", SMALLER: "is a size, where ours is lower",
    }  # fmt: skip
    said = [
        f"{number} {single.get(verdict, words[verdict]) if number == 1 else words[verdict]}"
        for verdict, number in found.items()
    ]
    said = [re.sub(r"^1 (are|have|were) ", lambda m: f"1 {ONE[m[1]]} ", text) for text in said]
    return list_text(said)


def _count_sentence(rows: Sequence[Row], kind: str, what: str) -> str:
    found = counted(rows, kind)
    return f"**Of {sum(found.values())} {what}**, {_verdicts_text(found)}." if found else ""


def _joined_counts(rows: Sequence[Row]) -> str:
    parts = [
        f"of {sum(found.values())} {what} {_verdicts_text(found)}"
        for kind, what in ((NUMBER, "published numbers"), (CLAIM, "claims that runs can decide"))
        if (found := counted(rows, kind))
    ]
    return f"**In all**, {'; '.join(parts)}."


def rest_command(paper: Paper, data: Data, rows: Sequence[Row]) -> str:
    """Return the command that judges what the results do not; nothing if they judge all."""
    left = [row for row in rows if row.kind in (NUMBER, CLAIM) and row.verdict in UNJUDGED]
    short = quick_parts(paper, data)
    parts = {row.part for row in left} | set(short)
    parts = {name for name in parts if not paper.part(name).own}
    if not parts or (not left and not short):
        return ""
    chosen = f" --part {parts.pop()}" if len(parts) == 1 and len(paper.parts) > 1 else ""
    return f"inarow reproduce {paper.address}{chosen} --scale {PAPER_SCALE}"


# As HTML


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(FOLDER), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    made.filters |= {
        "slug": slug, "anchor": anchor, "inline": inline, "blocks": blocks, "sentence": sentence,
    }  # fmt: skip
    made.globals |= {
        "verdict": lambda row: row.verdict, "glyph": lambda row: GLYPHS[row.verdict],
        "glyphs": GLYPHS, "mark": drawing.mark, "axis": drawing.axis, "published": _published,
        "kind_of": lambda row: slug(row.verdict), "number_text": number_text,
        "ours_text": ours_text, "interval_text": interval_text, "value_text": value_text,
        "range_text": range_text, "why": why, "tick_text": tick_text, "title_of": title_of,
        "significant": significant,
    }  # fmt: skip
    return made


def sentence(text: str) -> str:
    """Begin a text with a capital letter."""
    return text[:1].upper() + text[1:]


def tick_text(value: float) -> str:
    """Write a tick below marks."""
    return short_number(value) if abs(value) >= 1e4 else f"{value:,.6g}"


def html_of(report: Report, beyond: str = "") -> str:
    """Return the report's content, which any page can hold; `beyond` is a page of additions."""
    paper, data = report.paper, report.data
    html = (
        _environment()
        .get_template("report.html.j2")
        .render(
            report=report,
            sections={
                title: text
                for title in (ABOUT, CHOSEN, DIFFERENCES, ERRATA)
                if (text := section(paper, data, title))
            },
            beyond=beyond,
        )
    )
    return re.sub(r"\n\s*\n+", "\n", html)


def report_style() -> str:
    """Return the style of reports: all of it holds within a report only."""
    return (FOLDER / "report.css").read_text(encoding="utf-8")


def shared_style() -> str:
    """Return what the style of all pages begins with: colours and type, which reports share."""
    text = (FOLDER.parent / "web" / "static" / "pages.css").read_text(encoding="utf-8")
    return text.partition("\nbody.inarow")[0]


def page_html(report: Report) -> str:
    """Return the report as one file that needs nothing else."""
    title = escape(report.paper.title)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>Reproduced: {title}</title>\n"
        f"<style>{shared_style()}{PAGE_STYLE}{report_style()}</style>\n</head>\n"
        f'<body class="report-page">\n{html_of(report)}</body>\n</html>\n'
    )


PAGE_STYLE = (
    "body.report-page{margin:0;background:var(--paper)}"
    "@media print{body.report-page{background:#fff}}\n"
)


def report_html(name: str, folder: Path, whole: bool = True) -> str:
    """Return the report of a paper from the results in a folder: a whole page, or its content."""
    paper = paper_of(name)
    report = report_of(paper, paper.data(folder))
    return page_html(report) if whole else html_of(report)


def pages_folder() -> Path:
    """Return where the pages of papers lie: in the package, else in the checkout around it."""
    packaged = FOLDER / "pages"
    return packaged if packaged.is_dir() else FOLDER.parents[2] / "docs" / "papers"


def stored_page(report: Report) -> str:
    """Return the report as a page of the site, from which `stored_report` reads it."""
    title = report.paper.title.replace('"', "'")
    content = html_of(report, f"{report.paper.name}-beyond.html")
    return (
        f'---\ntitle: "{title}"\n---\n\n{MADE_BY}\n\n<style>{report_style()}</style>\n\n{content}'
    )


def stored_reports() -> list[str]:
    """Return the names of the papers whose reports are stored."""
    return sorted(
        path.stem
        for path in pages_folder().glob("*.md")
        if REPORT_BEGINS in path.read_text(encoding="utf-8")
    )


def stored_report(name: str) -> str:
    """Return the report of a paper's stored full results, to stand in any page."""
    path = pages_folder() / f"{name}.md"
    text = path.read_text(encoding="utf-8") if name in stored_reports() else ""
    if not text:
        there = ", ".join(stored_reports()) or "none"
        raise InputError(f"there is no stored report of {name!r}: there is {there}")
    return text[text.index(REPORT_BEGINS) :]


# As Markdown


def page_markdown(report: Report, figures: str = "figures") -> str:
    """Return the report as Markdown; `figures` is the folder of the figures, seen from it."""
    paper = report.paper
    parts = [f"# {paper.title}", f"{paper.published.paper['reference']}."]
    parts += [f"{n}. {text}" for n, text in enumerate(report.findings, start=1)]
    if report.rest:
        parts.append(f"What these results do not judge: `{report.rest}`")
    for title, shown in (("Tables", report.tables), ("Figures", report.figures)):
        if shown:
            parts.append(f"## {title}")
        for place in shown:
            parts += _place_markdown(place, figures)
    if report.claims:
        parts.append("## Claims, in the order of the text")
    for name, rows in report.claims.items():
        parts += [f"### {name}", _claims_markdown(rows)]
    if report.own:
        parts += ["## Claims of ours", _claims_markdown(report.own)]
    for title, more in (("Also measured", report.also), ("Beyond the paper", report.beyond)):
        if more:
            parts.append(f"## {title}")
        parts += [_other_markdown(made, figures) for _, made in more]
    parts += ["## What was run", *map(_ran_markdown, report.ran)]
    if report.agents:
        lines = tuple(
            (
                " ".join(map(str, one.labels.values())),
                one.rank,
                f"{one.value:,.4g}",
                f"`{one.file}`",
            )
            for one in report.agents
        )
        heads = ("condition", "rank", "value", "file")
        parts += ["## The agents", markdown_of(Table(heads, lines, "", (0, 1, 3)))]
    for title in (CHOSEN, DIFFERENCES, ERRATA):
        if text := section(paper, report.data, title):
            parts += [f"## {title}", text]
    return "\n\n".join(parts) + "\n"


def _place_markdown(place: Place, figures: str) -> list[str]:
    parts = [f"### {place.name}"]
    for numbers in place.numbers:
        unit = f", {numbers.entry.unit}" if numbers.entry.unit else ""
        for group in numbers.groups:
            title = ", ".join(filter(None, (numbers.entry.title, group.title)))
            parts += [f"**{title}{unit}**", _numbers_markdown(numbers.head, group)]
    for entry in place.printed:
        lines = tuple((labels[-1], str(value)) for labels, value in entry.leaves())
        parts.append(markdown_of(Table(("", entry.title), lines, texts=(0, 1))))
    parts += [f"![{p.caption}]({figures}/{p.file})\n\n*{p.caption}.*" for p in place.pictures]
    if place.claims:
        parts.append(_claims_markdown(place.claims))
    if not (place.numbers or place.pictures or place.printed):
        parts.append("Nothing of it was run.")
    return parts


def _numbers_markdown(head: str, group: Group) -> str:
    joint = [group.joint] if group.joint is not None and group.joint.judged.note else []
    made = number_table([*group.rows, *joint], head)
    return "" if made is None else markdown_of(made)


def _claims_markdown(rows: Sequence[Row]) -> str:
    lines = tuple(
        (row.verdict, row.text, claim_text(row) or row.judged.note, why(row)) for row in rows
    )
    return markdown_of(Table(("verdict", "claim", "ours", "why"), lines, "", (0, 1, 2, 3)))


def _other_markdown(made: object, figures: str) -> str:
    if isinstance(made, Table):
        return f"**{made.title}**\n\n{markdown_of(made)}"
    assert isinstance(made, Picture)
    return f"![{made.caption}]({figures}/{made.file})\n\n*{made.caption}.*"


def _ran_markdown(ran: Ran) -> str:
    runs = f", {ran.runs} runs of each" if ran.runs else ""
    several = "condition" if ran.conditions == 1 else "conditions"
    conditions = f"{ran.conditions} {several}{runs}; " if ran.conditions else ""
    return f"- **{ran.name}**: {ran.about}; {conditions}scale {ran.scale}. `{ran.command}`"
