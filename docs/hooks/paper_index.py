"""The list of papers, with the counts of verdicts that their pages show."""

from __future__ import annotations

import json
from pathlib import Path

from pieces import page as page_of
from pieces import table

PAPERS = Path(__file__).parent.parent / "papers"
KINDS = {"number": "published numbers", "claim": "claims"}
VERDICTS = ("matches", "differs", "undecided", "faster", "smaller", "too few runs", "not run")


def page() -> str:
    """All papers whose verdicts are stored."""
    rows = []
    for path in sorted(PAPERS.glob("*.json")):
        stored = json.loads(path.read_text(encoding="utf-8"))
        for kind, title in KINDS.items():
            counts = stored["counts"].get(kind)
            if counts:
                name = f"[{stored['title']}]({path.stem}.md)"
                numbers = [str(counts.get(verdict, 0)) for verdict in VERDICTS]
                rows.append((name, title, *numbers, str(sum(counts.values()))))
    return page_of(
        "# Papers",
        "Five studies of learning k-in-a-row games, run again and judged claim by claim. Each page "
        "opens with the paper's headline claims and our answer to each, whether it is yes or no.",
        table(("paper", "what", *VERDICTS, "in all"), rows, range(2, 10)),
        "*Matches*: a test that could have failed did not. *Differs*: it failed. *Undecided*: the "
        "data hold both agreement and its opposite. [Statistics and verdicts]"
        "(../explanations/statistics.md) says how each is tested, and [add a paper]"
        "(../add-a-paper.md) how a sixth is described.",
    )
