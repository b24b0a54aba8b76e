"""The page of the shipped agents, from stored results: `cards.md` is its text."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from inarow.agents.card import AGENT, environment
from inarow.agents.measuring import CHOOSING_SEED, field_of
from inarow.game import EXAMPLES
from inarow.game import game as game_of
from inarow.lab.late_mistakes import LateRate
from inarow.lab.move_values import default_opponent
from inarow.lab.opening_match import RANDOM_MOVES
from inarow.lab.shipped import CONNECT_FOUR, SHIPPED, ShippedAgent
from inarow.lab.statistics import share_text

RESULTS = "agents.json"
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
