"""The model card of `ntuple`, from stored results: `card.md` is its text, this fills in numbers."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from inarow.agents.making import train_command
from inarow.lab.statistics import probability_of_improvement, summary
from inarow.learn.saved import Header

FOLDER = Path(__file__).parent
AGENT, SMALL = "agent-ntuple.json", "agent-ntuple-small.json"
STUDIES = {"6x7": "random-moves-6x7.csv", "4x6": "random-moves-4x6.csv"}
# The share of what any opponent can bring about that is not won: of positions with 22 stones,
# and of the endings of games.
NOT_WON = {
    "6x7": (("no longer won with 22 stones",), ("reached with 22 stones",)),
    "4x6": (("drawn", "lost"), ("won", "drawn", "lost")),
}
CONDITIONS = {
    (opening, epsilon): f"{name}, {with_opening}"
    for opening, with_opening in (("0", "no random opening"), ("8", "up to 8 random moves first"))
    for epsilon, name in (
        ("0.1*0.99999946352083979>0.02", "epsilon 0.1, falling"),
        ("0.3", "epsilon 0.3"),
    )
}


def card(results: Path) -> str:
    """The card as Markdown."""
    found, small = (
        json.loads((results / name).read_text(encoding="utf-8")) for name in (AGENT, SMALL)
    )
    studies = {
        board: conditions(results / file, board)
        for board, file in STUDIES.items()
        if (results / file).is_file()
    }
    header = Header(**found["header"])
    small["command"] = train_command(Header(**small["header"]))
    return (
        environment()
        .get_template("card.md")
        .render(
            found, header=header, train_command=train_command(header), studies=studies, small=small
        )
    )


def environment() -> Environment:
    """What the templates of this folder are filled in with."""
    made = Environment(
        loader=FileSystemLoader(FOLDER),
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    made.filters["whole"] = lambda number: f"{number:,.0f}"
    made.filters["per_mille"] = lambda share: f"{1000 * share:.2f}"
    return made


def shares(path: Path, board: str) -> dict[str, list[float]]:
    """For each condition of a study the share of each run that is not won, by seed."""
    side = "first" if board == "6x7" else "second"
    values: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            name = row["metric"].removesuffix(f" as {side} against anyone")
            condition = values.setdefault((row["opening"], row["epsilon"]), {})
            if name != row["metric"]:
                condition.setdefault(row["seed"], {})[name] = float(row["value"])
    parts, wholes = NOT_WON[board]
    return {
        text: [
            sum(run[part] for part in parts) / sum(run[whole] for whole in wholes)
            for _, run in sorted(values[key].items())
        ]
        for key, text in CONDITIONS.items()
        if key in values
    }


def conditions(path: Path, board: str) -> list[dict[str, str | float]]:
    """A row for each condition: its mean, and how it compares with the first one, seed by seed."""
    by_condition = shares(path, board)
    base = next(iter(by_condition.values()))
    return [
        {"condition": text, "runs": len(found), **compared(found, base)}
        for text, found in by_condition.items()
    ]


def _answer(low: float, high: float) -> str:
    """What the interval of a difference says: less that is not won is better."""
    if high < 0:
        return "helps"
    return "hurts" if low > 0 else "no difference seen"


def compared(found: Sequence[float], base: Sequence[float]) -> dict[str, str | float]:
    """Mean and interval; difference from the base on the same seeds; chance of being lower."""
    own, row = summary(found), dict[str, str | float]()
    row["mean"], row["low"], row["high"] = own.mean, own.low, own.high
    if list(found) != list(base):
        difference = summary(np.subtract(found, base))
        lower = probability_of_improvement(base, found)
        row["difference"] = difference.mean
        row["difference_low"], row["difference_high"] = difference.low, difference.high
        row["lower"] = lower.value
        row["answer"] = _answer(difference.low, difference.high)
    return row
