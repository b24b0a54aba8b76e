"""The page of the shipped agents and the card of `ntuple`, from stored results.

`cards.md` and `card.md` are their texts; this fills in numbers.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from inarow.agents.making import train_command
from inarow.agents.measuring import CHOOSING_SEED, field_of
from inarow.game import EXAMPLES
from inarow.game import game as game_of
from inarow.lab.certificates.by_solver import LateRate
from inarow.lab.matches.games import RANDOM_MOVES
from inarow.lab.players.shipped import (
    ALL,
    CONNECT_FOUR,
    SHIPPED,
    SMALL,
    ShippedAgent,
    shipped_agent,
)
from inarow.lab.statistics import probability_of_improvement, share_text, summary
from inarow.lab.values.move_values import default_opponent
from inarow.learn.saved import Header

FOLDER = Path(__file__).parent
AGENT, SMALL_CARD = "agent-ntuple.json", "agent-ntuple-small.json"
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
        json.loads((results / name).read_text(encoding="utf-8")) for name in (AGENT, SMALL_CARD)
    )
    studies = {
        board: conditions(results / file, board)
        for board, file in STUDIES.items()
        if (results / file).is_file()
    }
    header = Header(**found["header"])
    small["command"], small["player"] = train_command(Header(**small["header"])), SMALL.name
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


RESULTS = "agents.json"
FACTS = Path(__file__).with_name("facts.json")
FEWEST = 10  # games from which on anything is said
TOO_FEW = "has too few games against"
TITLES = {example.name: example.title for example in EXAMPLES}

Found = dict[str, Any]  # what is stored of an agent
Row = dict[str, object]  # what the page says of it


def cards(results: Path) -> str:
    """The page as Markdown."""
    stored = json.loads((results / RESULTS).read_text(encoding="utf-8"))["games"]
    if CONNECT_FOUR in stored:  # whose proof is stored for a card of its own
        sides = json.loads((results / AGENT).read_text(encoding="utf-8"))["sides"]
        stored[CONNECT_FOUR]["proof"] = {"kind": "anyone", "sides": {"first": sides["first"]}}
    rows = [row(game, stored[game]) for game in SHIPPED if game in stored]
    total = sum(found["bytes"] for found in stored.values())
    return (
        environment()
        .get_template("cards.md")
        .render(
            rows=rows,
            total_kb=f"{total / 1000:,.0f}",
            random_moves=RANDOM_MOVES,
            fewest=FEWEST,
            seeds=seeds_text(stored),
        )
    )


def facts(results: Path) -> dict[str, Found]:
    """What is proved or measured of each file, in lines; each is tied to the file's digest."""
    stored = json.loads((results / RESULTS).read_text(encoding="utf-8"))["games"]
    found = dict[str, Found]()
    for name in (AGENT, SMALL_CARD):
        known = json.loads((results / name).read_text(encoding="utf-8"))
        lines = proof_lines({"kind": "anyone", "sides": {"first": known["sides"]["first"]}})
        agent = shipped_agent(CONNECT_FOUR if name == AGENT else SMALL.key)
        found[agent.key] = {"sha256": known["sha256"], "facts": lines}
    for game, known in stored.items():
        field = [{**match, "verdict": verdict(match)} for match in known.get("field", {}).values()]
        lines = [*proof_lines(known.get("proof")), *([field_line(field)] if field else [])]
        before = found.get(game, {"sha256": known["sha256"], "facts": []})
        found[game] = {**before, "facts": [*before["facts"], *lines]}
    return {key: found[key] for key in ALL if key in found}


@lru_cache(maxsize=1)
def stored_facts() -> dict[str, Found]:
    """The same, as they come with the package."""
    found: dict[str, Found] = json.loads(FACTS.read_text(encoding="utf-8"))
    return found


def seeds_text(stored: dict[str, Found]) -> str:
    """Which openings the agents were chosen by, and whether any match here has those."""
    text = f"The trials that selected the agents used openings of seed {CHOOSING_SEED}"
    chosen = [
        f"`{game}` against `{match['against']}`"
        for game, found in stored.items()
        for match in found.get("field", {}).values()
        if match["seed"] == CHOOSING_SEED
    ]
    if chosen:
        return f"{text}, and so did these matches: {', '.join(chosen)}."
    return (
        f"{text}: no match on this page uses them, so none of these measurements influenced the "
        "selection."
    )


def row(game: str, found: Found) -> Row:
    """What the page says of an agent."""
    proof, played = proof_lines(found.get("proof")), found.get("field", {}).values()
    field = [{**match, "verdict": verdict(match)} for match in played]
    seconds = found.get("seconds")
    return {
        "game": game,
        "title": TITLES.get(game, game),
        "anchor": anchor(TITLES.get(game, game)),
        "strongest": "`perfect`" if default_opponent(game_of(game)) == "perfect" else "this agent",
        "learner": f"`{SHIPPED[game].learner}`",
        "kb": f"{found['bytes'] / 1000:,.0f}",
        "summary": "; ".join([*proof, *([field_line(field)] if field else [])]),
        "command": found["command"],
        "train_command": found["train_command"],
        "player": found["player"],
        "how": found["how"],
        "corrected": corrected_text(SHIPPED[game]),
        "seconds": seconds and time_text(seconds["mean"]),
        "proof": proof,
        "field": [{**match, "text": score_text(match)} for match in field],
        "conclusion": conclusion(field, game) if field else "",
        "earlier": [earlier_text(match) for row in field for match in row.get("earlier", [])],
        "endings": endings(found.get("endings")),
    }


def anchor(title: str) -> str:
    """The address of a heading within its page."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower())


def time_text(seconds: float) -> str:
    """How long a move takes."""
    shown = f"{1000 * seconds:.0f}" if seconds >= 0.001 else "less than 1"
    return f"{shown} ms of CPU time on average"


def corrected_text(shipped: ShippedAgent) -> str:
    """What is done after training."""
    if not shipped.corrected:
        return ""
    sides = " and as ".join(shipped.corrected)
    before = "" if shipped.stones is None else f" before {shipped.stones} stones"
    return f", then corrects its weights until it makes no mistake{before} as {sides} player"


def proof_lines(proof: Found | None) -> list[str]:
    """What is proved, a line for each side."""
    if proof is None:
        return []
    if proof["kind"] == "strategy":
        return [
            "as first player it follows the stored strategy, which `inarow book check` proves to "
            "win every game"
        ]
    if proof["kind"] == "graph":
        word = "proved unbeatable as both players" if proof["unbeatable"] else "can be beaten"
        wrong = "no move" if proof["mistakes"] == 0 else f"{proof['mistakes']} moves"
        return [
            f"{word}: in the {proof['met']:,} positions that it can reach, {wrong} gives anything "
            f"away (exploitability {proof['exploitability']:g})"
        ]
    return [
        f"proved as {side} player: {found['result']}, against anyone "
        f"({found['positions']:,} positions enumerated)"
        for side, found in proof["sides"].items()
    ]


def verdict(match: Found) -> str:
    """What the games say: "beats" only where the interval excludes one half, of games enough."""
    low, high = match["interval"]
    if match["games"] < FEWEST:
        return TOO_FEW
    return "beats" if low > 0.5 else "loses to" if high < 0.5 else "not told apart from"


def score_text(match: Found) -> str:
    """The score with its interval."""
    return share_text(match["score"], match["interval"])


def earlier_text(match: Found) -> str:
    """A shorter match that a longer one replaced."""
    ends = "-".join(str(match[end]) for end in ("wins", "draws", "losses"))
    return f"`{match['against']}` {ends} (seed {match['seed']})"


def field_line(field: list[Found]) -> str:
    """How it does against all baselines, in a line: the one that it does worst against is named."""
    beaten = sum(match["verdict"] == "beats" for match in field)
    hardest = min(field, key=lambda match: match["score"])
    return (
        f"beats {beaten} of {len(field)} baselines; lowest score {score_text(hardest)}, "
        f"against `{hardest['against']}`"
    )


def conclusion(field: list[Found], game: str) -> str:
    """Which baselines it is not shown to beat, and which it has not played."""
    played = {match["against"] for match in field}
    left = [f"`{name}`" for name in field_of(game_of(game)) if name not in played]
    found = []
    for word in ("not told apart from", "loses to", TOO_FEW):
        names = ", ".join(f"`{match['against']}`" for match in field if match["verdict"] == word)
        if names:
            found.append(f"It {'is ' if word.startswith('not') else ''}{word} {names}.")
    text = " ".join(found) or "It beats every baseline of this table."
    return f"{text} Not played: {', '.join(left)}." if left else text


def endings(found: Found | None) -> Row | None:
    """Mistakes late in the game."""
    if found is None:
        return None
    rates = [
        LateRate(*(rate[name] for name in ("stones", "positions", "judged", "mistakes", "example")))
        for rate in found["mistakes"]
    ]
    return {
        "player": found["player"],
        "seed": found["seed"],
        "games": found["games"],
        "from_stones": found["from_stones"],
        "judged": f"{100 * found['judged']:.0f}%",
        "rates": [rate.texts for rate in rates],
    }
