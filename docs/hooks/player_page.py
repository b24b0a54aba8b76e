"""The page of players: the names that every command and function takes."""

from __future__ import annotations

from pieces import page as page_of
from pieces import table

from inarow.lab.players.names import LEARNED_PLAYERS, RULE_PLAYERS, SCANS, SEARCH_PLAYERS


def page() -> str:
    """Players by kind."""
    rules = [
        (f"`{name}`", entry.about, _rules(entry.rules.variants), entry.rules.scan.name.lower())
        for name, entry in RULE_PLAYERS.items()
    ]
    return page_of(
        "# Players",
        "Every player has a name, which is the same in commands, studies, pages and Python. A "
        "saved agent is named by its file (`results/best.safetensors`). In Python any object with "
        "a method `move(position)` is a player, too: see "
        "[your own player](../tutorials/player.md). `module:Class` and `cmd:PROGRAM` name "
        "[players of your own](../how-to/players.md).",
        "## Rule players",
        "A rule player is a list of rules. The first rule that finds a cell decides; if none does, "
        "the move is random.",
        table(("name", "what it does", "rules", "ties"), rules),
        "*combined* picks one of four lists at random for each game. The part after an `@` says "
        "how a rule breaks ties between cells, as in `attack@random`:",
        table(("ties", "which cell"), [(f"`@{name}`", about) for name, about in SCANS.items()]),
        "## Searching players",
        table(("name", "what it does"), _named(SEARCH_PLAYERS)),
        "`minimax:20/0.5s` searches deeper until half a second has passed. Its moves depend on the "
        "machine, so nothing is ever proven about it. `mcts:1000` is "
        "[a tree search](../explanations/mcts.md).",
        "## The strongest, and the shipped agents",
        table(("name", "what it does"), _named(LEARNED_PLAYERS)),
        "[Their cards](../agents/index.md) say how they were made, and what is proven or measured "
        "about them.",
    )


def _named(entries: dict[str, str]) -> list[tuple[str, str]]:
    return [(f"`{name}`", about) for name, about in entries.items()]


def _rules(variants: tuple[tuple[object, ...], ...]) -> str:
    lists = (", ".join(rule.name.lower() for rule in rules) or "none" for rules in variants)  # type: ignore[attr-defined]
    return "; ".join(lists)
