"""Writes the pages of papers, agents and GPUs from stored results: `make pages`.

A document has its report, and a second page of what is beyond it; beside them its verdicts as JSON.
"""

import json
import runpy
from pathlib import Path

from inarow.agents.cards import AGENT, FACTS, card, cards, facts
from inarow.agents.cards import RESULTS as AGENTS
from inarow.papers.page import page_of
from inarow.papers.paper import names, paper_of
from inarow.papers.report import report_of, stored_page

FOLDER = Path(__file__).parent
RESULTS, PAPERS = FOLDER / "results", FOLDER / "papers"


def pages(results: Path = RESULTS) -> dict[Path, str]:
    """The text of every file whose results are there: pages, and verdicts."""
    found = dict[Path, str]()
    for name in names():
        paper = paper_of(name)
        data = paper.data(results)
        if data.results() is not None:
            if paper.own:
                found[PAPERS / f"{name}.md"] = page_of(paper, data)
            else:
                report = report_of(paper, data, beyond=False)
                found[PAPERS / f"{name}.md"] = stored_page(report)
                found[PAPERS / f"{name}-beyond.md"] = page_of(paper, data)
            verdicts = json.dumps(paper.as_json(data), indent=1, ensure_ascii=False)
            found[PAPERS / f"{name}.json"] = f"{verdicts}\n"
    if (results / AGENT).is_file():
        found[FOLDER / "agents" / "ntuple-6x7.md"] = card(results)
    if (results / AGENTS).is_file():
        found[FOLDER / "agents" / "index.md"] = cards(results)
        lines = json.dumps(facts(results), indent=1, ensure_ascii=False)
        found[FACTS] = f"{lines}\n"
    if (results / "gpu.json").is_file():
        measured = runpy.run_path(str(FOLDER / "make_gpu.py"))
        found[measured["PAGE"]] = measured["page"](results)
    return found


def main() -> None:
    """Writes pages, verdicts and figures."""
    for path, text in pages().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for name in names():
        paper = paper_of(name)
        paper.draw(paper.data(RESULTS), PAPERS / "figures")


if __name__ == "__main__":
    main()
