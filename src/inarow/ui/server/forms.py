"""What forms offer: games, players, learners with their options, and boards put together."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from inarow.game import EXAMPLES, Game, InputError
from inarow.game import game as game_of
from inarow.game.spec import MAX_SIDES
from inarow.lab.players.shipped import LEVELS, share_of, strongest
from inarow.lab.values.move_values import default_opponent
from inarow.learn.options import options_of_type
from inarow.learn.registry import learner_type, learners, text_of
from inarow.ui.server.curves import possible_testers
from inarow.ui.server.orders import trainers_for
from inarow.ui.server.paper_pages import page_names
from inarow.ui.server.players import check_fits, check_game, fits_page, players_for, saved_agents
from inarow.web.describe import rules_of
from inarow.web.opponents import name_of

if TYPE_CHECKING:
    from inarow.ui.server.site import Visitor

FLAGS = ("gravity", "scoring", "misere")
VALUES = {"first": "the first player wins", "second": "the second player wins", "draw": "a draw"}


@lru_cache(maxsize=1)
def game_titles() -> dict[str, str]:
    """The games of the catalogue that a page can show, by name."""
    return {e.name: e.title for e in EXAMPLES if fits_page(game_of(e.name))}


def describe_learners() -> dict[str, object]:
    """Every learner with its options, as a form shows them."""
    found = dict[str, object]()
    for name, kind in learners().items():
        text, about = text_of(kind), kind.about()
        title = text.title or name
        found[name] = {
            "title": about if about.startswith(title) else f"{title}: {about}",
            "rule": text.update_rule.replace("`", ""),
            "paper": text.paper if text.paper in page_names() else "",
            "suits": {game: {k: str(v) for k, v in o.items()} for game, o in kind.suits.items()},
            "options": {
                key: {
                    "default": option.default,
                    "hint": option.hint,
                    "choices": list(option.allowed.choices),
                    "main": option.main,
                }
                for key, option in options_of_type(kind).items()
            },
        }
    return found


def learner_title(name: str) -> str:
    """A learner's name for people; its own name where no other is known."""
    kind = learners().get(name)
    return (kind and text_of(kind).title) or name


def describe_players(game: str, learner: str) -> dict[str, object]:
    """Whom a learner can play in a game, and who can test it: names, and names for people."""
    known = check_game(game)
    learner_type(learner)
    return {
        "game": known.name,
        "against": [(one, name_of(one)) for one in trainers_for(learner, known)],
        "tester": [(one, name_of(one)) for one in possible_testers(known)],
    }


def list_opponents(name: str, folder: Path, visitor: Visitor | None) -> dict[str, object]:
    """Who can play a game, the strongest first, with what is to be said of each."""
    game = check_game(name)
    found = dict[str, tuple[str, str]]()
    if visitor is not None:
        for file, played in visitor.uploads.games.items():
            if played == game.name:
                found[file] = (name_of(file), "from your file")
    for file, header in saved_agents(folder).items():
        if header.game == game.name:
            about = f"{learner_title(header.learner)}, {header.games:,} games"
            found.setdefault(file, (name_of(file), about))
    for player, about in players_for(game).items():
        found[player] = (name_of(player), about)
    strong = name_of(strongest(game))
    for number in LEVELS:
        share = share_of(game, number)
        said = {0.0: "plays at random", 1.0: f"plays as {strong}"}
        about = said.get(share, f"plays as {strong} in {share:.0%} of its moves, else at random")
        found[f"level:{number}"] = (f"Level {number} of {LEVELS[-1]}", about)
    return {
        "name": game.name,
        "title": game_titles().get(game.name, game.name),
        "usual": default_opponent(game),
        "opponents": [
            {"player": player, "title": title, "about": about}
            for player, (title, about) in found.items()
        ],
    }


# Boards put together


def describe_builder(asked: Mapping[str, str]) -> dict[str, object]:
    """A game by its name, or by its parts, with all that the builder's page shows of it."""
    game = check_game(asked["name"].strip()) if asked.get("name") else _game_of_parts(asked)
    check_fits(game)
    names = [f"Side {axis + 1}" for axis in range(len(game.shape))]
    if 2 <= len(names) <= 3:
        names[-2:] = ["Rows", "Columns"]
    if game.gravity:
        names[0] = "Height"
    return {
        "name": game.name,
        "title": f"{game.name}: {rules_of(game)}",
        "facts": facts_of(game),
        "shape": list(game.shape),
        "sides": names,
        "k": game.k,
        "wrap": list(game.wrap),
        "flags": {flag: bool(getattr(game, flag)) for flag in FLAGS},
    }


def _game_of_parts(asked: Mapping[str, str]) -> Game:
    shape = [_whole("a side", side) for side in asked.get("shape", "").split(",")[: MAX_SIDES + 1]]
    wrap = [_whole("an axis", axis) for axis in asked.get("wrap", "").split(",") if axis]
    flags = {flag: asked.get(flag) == "true" for flag in FLAGS}
    return Game(tuple(shape), _whole("In a row", asked.get("k", "")), wrap=tuple(wrap), **flags)


def _whole(what: str, text: str) -> int:
    """A whole number from a field that may hold anything."""
    text = text.strip()
    if not (text.lstrip("-").isascii() and text.lstrip("-").isdigit() and len(text) < 10):
        raise InputError(
            f"{what} must be a whole number" + (f", not {text[:30]!r}" if text else "")
        )
    return int(text)


def facts_of(game: Game) -> str:
    """What follows from the description of a game."""
    through = np.diff(game.lines_by_cell[0])
    least, most, lines = int(through.min()), int(through.max()), len(game.lines)
    each = f"a cell is on {least} to {most} lines" if least != most else f"every cell is on {most}"
    facts = f"{game.cells:,} cells, {lines:,} line{'s'[: lines != 1]} of {game.k}; {each}."
    known = next((e.value for e in EXAMPLES if e.name == game.name and e.value), None)
    return f"{facts} Under perfect play: {VALUES[known]}." if known else facts
