"""A page for each named game: its rules from its fields, and what is known of it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import boards
from pieces import code, table
from pieces import page as page_of
from value_page import VALUES, WORDS

from inarow.game import Game, game
from inarow.game.names import FORMS, VARIANTS

DOCS = Path(__file__).parent.parent
SIGNS = {"+": "first", "-": "second", "=": "draw"}
GAMES: dict[str, Any] = tomllib.loads((DOCS / "games.toml").read_text(encoding="utf-8"))


def pages() -> dict[str, str]:
    """The list of games, then each."""
    return {"games/index.md": index(), **{f"games/{name}.md": page(name) for name in GAMES}}


def index() -> str:
    """All forms of names, and the games with a page."""
    forms = [(f"`{form}`", about) for form, about in FORMS.items()]
    games = [(f"[{text['title']}]({name}.md)", _example(text)) for name, text in GAMES.items()]
    return page_of(
        "# Games",
        "A game is data: the shape of the board, the number of stones in a row that make a line, "
        "whether stones fall, whether lines are counted, which axes wrap around, and whether a "
        "line wins or loses. Lines, symmetries, moves, drawings and notation follow from these "
        "fields; no game has code of its own. [How a game is data]"
        "(../explanations/games-as-data.md) explains this.",
        table(("game", "name"), games),
        "## Names",
        "A game is named by a string, which is the same in commands, studies, pages and Python.",
        table(("name", "meaning"), forms),
        "Any of them may be followed by variants of the rules, as in `tictactoe,misere`:",
        table(("variant", "meaning"), [(f"`,{name}`", text) for name, text in VARIANTS.items()]),
        code("inarow games board:3x4x5,k=3,gravity", "sh"),
    )


def _example(text: dict[str, Any]) -> str:
    return ", ".join(f"`{name}`" for name in text["examples"])


def page(name: str) -> str:
    """One game."""
    text = GAMES[name]
    shown, moves = text["position"]
    examples = [game(example) for example in text["examples"]]
    counts = text.get("counts", [])
    return page_of(
        f"# {text['title']}",
        boards.board(game(shown), game(shown).position(moves).svg()),
        "## Rules",
        text["about"],
        _rules(examples),
        table(
            ("name", "board", "in a row", "stones fall", "cells", "lines", "symmetries"),
            map(_row, examples),
            (4, 5, 6),
        ),
        "## Counts" if counts else "",
        table(("what", "value", "source"), counts) if counts else "",
        "## Known values",
        text.get("known", ""),
        table(("game", "with perfect play", "source"), _values(name, text["examples"])),
        "[Solved values](../reference/solved-values.md) lists all games.",
        "## Best agent",
        text["best"],
        code(f"inarow play {text['examples'][-1]}", "sh"),
    )


def _values(name: str, examples: list[str]) -> list[tuple[str, str, str]]:
    """What is known of the games of a page: its examples, and others of the table."""
    sizes, found = VALUES["connect4"], list[tuple[str, str, str]]()
    for example in examples if name == "connect4" else ():
        rows, columns = example.removeprefix("connect4:").split("x")
        value = sizes[rows].split()[sizes["widths"].index(int(columns))]
        found.append((f"`{example}`", WORDS[SIGNS[value]], sizes["source"]))
    named = [name, *GAMES[name].get("values", [])]
    return found + [
        (f"`{entry['game']}`", WORDS.get(entry["value"], "not known"), entry["source"])
        for entry in VALUES["other"]
        if entry["game"] in named or entry["game"].startswith(f"{name}:")
    ]


def _rules(games: list[Game]) -> str:
    """Each sentence once, with the games that it holds for."""
    by_rule = dict[str, list[str]]()
    for each in games:
        by_rule.setdefault(rules(each), []).append(f"`{each.name}`")
    if len(by_rule) == 1:
        return f"A move: {next(iter(by_rule))}"
    return "\n".join(f"- {', '.join(names)}: {rule}" for rule, names in by_rule.items())


def rules(game: Game) -> str:
    """The rules in one sentence, from the fields."""
    where = "in any column" if game.gravity else "on any free cell"
    falls = "; it falls to the lowest free cell" if game.gravity else ""
    end = (
        "play continues until the board is full, and whoever has completed more lines wins"
        if game.scoring
        else f"the first player to get {game.k} in a row {'loses' if game.misere else 'wins'}, and "
        "a full board is a draw"
    )
    return f"place a stone {where}{falls}; {end}."


def _row(game: Game) -> tuple[str, ...]:
    falls = "yes" if game.gravity else "no"
    symmetries = f"{game.symmetry_group.order:,}"
    sizes = (f"{game.cells:,}", f"{len(game.lines):,}", symmetries)
    return (f"`{game.name}`", game.shape_text, str(game.k), falls, *sizes)
