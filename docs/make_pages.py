"""Writes the pages of the papers from the results stored beside this file: `make pages`.

Beside each page its verdicts as JSON, which the page Papers of the browser reads.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from inarow.papers import (
    connect_four_agent,
    cube_page,
    n_dimensional_page,
)
from inarow.papers.catalogue import SPECS, names, paper_of
from inarow.papers.page import Page, markdown
from inarow.papers.results import load
from inarow.papers.template import page_of

FOLDER = Path(__file__).parent
RESULTS, PAPERS = FOLDER / "results", FOLDER / "papers"


class Source(NamedTuple):
    """What a page of a paper is made from that is no specification yet."""

    results: str  # the file without which there is no page
    page: Callable[..., Page]  # takes these results, then the others
    others: tuple[str, ...] = ()  # files that add to it, where they are stored


OLD_PAGES = {
    "cube": Source("cube-all.json", cube_page.page, ("cube-readings.json", "cube-best.json")),
    "n-dimensional": Source(
        "n-dimensional-sarsa.json",
        n_dimensional_page.page,
        ("n-dimensional-policy-gradient.json",),
    ),
}
AGENT = "connect-four-tdl-agent.json"


def pages(results: Path = RESULTS) -> dict[Path, str]:
    """The text of every file whose results are there: pages, and verdicts."""
    found = dict[Path, str]()
    for name in names():
        paper: Any = paper_of(name)
        data = paper.data(results)
        if not paper_has(name, data, results):
            continue
        found[PAPERS / f"{name}.md"] = text_of(name, paper, data, results)
        verdicts = json.dumps(paper.as_json(data), indent=1, ensure_ascii=False)
        found[PAPERS / f"{name}.json"] = f"{verdicts}\n"
    if (results / AGENT).is_file():
        card = connect_four_agent.card(load(results / AGENT))
        found[FOLDER / "agents" / "ntuple-6x7.md"] = markdown(card)
    return found


def paper_has(name: str, data: Any, results: Path) -> bool:
    """Whether there is enough for a page: the paper's first part."""
    if name in SPECS:
        return data.results() is not None
    return (results / OLD_PAGES[name].results).is_file()


def text_of(name: str, paper: Any, data: Any, results: Path) -> str:
    """The page as Markdown."""
    if name in SPECS:
        return page_of(paper, data)
    source = OLD_PAGES[name]
    others = [load(results / o) if (results / o).is_file() else None for o in source.others]
    return markdown(source.page(load(results / source.results), *others))


def main() -> None:
    """Writes pages, verdicts and figures."""
    for path, text in pages().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for name in names():
        paper: Any = paper_of(name)
        paper.draw(paper.data(RESULTS), PAPERS / "figures")


if __name__ == "__main__":
    main()
