"""The list of papers, with the counts of verdicts that their pages show."""

from __future__ import annotations

import json
from pathlib import Path

from pieces import page as page_of
from pieces import table

PAPERS = Path(__file__).parent.parent / "papers"
VERDICTS = ("matches", "differs", "undecided")


def page() -> str:
    """All papers whose verdicts are stored."""
    rows = []
    for path in sorted(PAPERS.glob("*.json")):
        stored = json.loads(path.read_text(encoding="utf-8"))
        counts = [stored["counts"].get(kind, {}) for kind in ("number", "claim")]
        judged = sum(sum(each.values()) for each in counts)
        if not judged:
            continue  # a study of our own: nothing is published that could be judged
        numbers = [sum(each.get(verdict, 0) for each in counts) for verdict in VERDICTS]
        title = f"[{stored['title']}]({path.stem}.md)"
        rows.append((title, *map(str, numbers), str(judged - sum(numbers)), str(judged)))
    return page_of(
        "# Papers",
        "Five studies of learning k-in-a-row games, run again and judged claim by claim. Each page "
        "is a report: three sentences of what was found, then the paper's tables and figures in "
        "its order with ours beside them, its claims in the order of the text, differences and "
        "errata. Sweeps and studies of our own stand on pages beyond the papers.",
        table(("paper", *VERDICTS, "other", "in all"), rows, range(1, 6)),
        "[All learners compared](learners.md) brings the five together: every learner on every "
        "game that it can play, with equal CPU time, and what one paper's idea does for the "
        "learners of another.",
        "The table counts published numbers and claims. *Matches*: a test that could have failed "
        "did not. *Differs*: it failed. *Undecided*: the data allow both agreement and "
        "disagreement. *Other*: times and memory, too few runs, not run. [Statistics and verdicts]"
        "(../explanations/statistics.md) explains the tests, and [add a paper]"
        "(../how-to/add-a-paper.md) shows how to describe another paper.",
    )
