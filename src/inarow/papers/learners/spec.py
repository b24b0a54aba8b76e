"""All learners compared: which one to take for a game and a second of CPU time, or ten.

A study of our own, described as the papers are. `games` says how agents are judged, `runs` what is
run, `compare` how runs are compared; the rest is what is shown.
"""

from __future__ import annotations

from inarow.papers.learners.figures import FIGURES
from inarow.papers.learners.runs import FOLDER, PARTS, PUBLISHED
from inarow.papers.learners.tables import TABLES, VALUES
from inarow.papers.paper import Paper

PAPER = Paper(
    "learners", FOLDER, PUBLISHED, PARTS, tables=TABLES, figures=FIGURES, values=VALUES
)  # fmt: skip
