"""The page of players: the names that every command and function takes."""

from __future__ import annotations

from pieces import page as page_of
from pieces import table

from inarow.lab.players import LEARNED_PLAYERS, RULE_PLAYERS, SCANS, SEARCH_PLAYERS


def page() -> str:
    """Players by kind."""
    rules = [
        (f"`{name}`", entry.about, _rules(entry.rules.variants), entry.rules.scan.name.lower())
        for name, entry in RULE_PLAYERS.items()
    ]
    return page_of(
        "# Players",
        "A player has a name, and commands, studies, pages and Python take the same names. A saved "
        "agent is named by its file (`results/best.safetensors`). In Python any object with a "
        "method `move(position)` is a player, too: see [your own player](../tutorials/player.md). "
        "`module:Class` and `cmd:PROGRAM` name [players of your own](../players.md).",
        "## Rule players",
        "A rule player is a list of rules. The first rule that finds a cell decides; where none "
        "does, the move is random.",
        table(("name", "what it does", "rules", "ties"), rules),
        "*combined* draws one of four lists for each game. What stands behind an `@` says which "
        "of several equal cells a rule takes, as in `attack@random`:",
        table(("ties", "which cell"), [(f"`@{name}`", about) for name, about in SCANS.items()]),
        "## Searching players",
        table(("name", "what it does"), _named(SEARCH_PLAYERS)),
        "`minimax:20/0.5s` deepens until half a second has passed. Its moves depend on the "
        "machine, so nothing is ever proven of it. `mcts:1000` is [a tree search](../mcts.md).",
        "## The strongest, and the shipped agents",
        table(("name", "what it does"), _named(LEARNED_PLAYERS)),
        "How they were made, and what is proven or measured of them: "
        "[their cards](../agents/index.md).",
    )


def _named(entries: dict[str, str]) -> list[tuple[str, str]]:
    return [(f"`{name}`", about) for name, about in entries.items()]


def _rules(variants: tuple[tuple[object, ...], ...]) -> str:
    lists = (", ".join(rule.name.lower() for rule in rules) or "none" for rules in variants)  # type: ignore[attr-defined]
    return "; ".join(lists)
