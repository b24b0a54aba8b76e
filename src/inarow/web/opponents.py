"""Whom people can choose to play in a game: names for people, from easy to the best there is."""

from __future__ import annotations

import re
from typing import TypedDict

from inarow.game import Game, InputError
from inarow.game import game as game_of
from inarow.game.names import EXAMPLES
from inarow.lab.players.names import player
from inarow.lab.players.shipped import SHIPPED, SMALL
from inarow.lab.values.move_values import default_opponent
from inarow.learn.saved import SUFFIX
from inarow.web.describe import is_drawable, rules_of, title_of
from inarow.web.players import as_compiled
from inarow.web.start import CARDS

# Levels for people: which strength each is. Steps of three strengths are about equal, the last is
# what is left (`docs/make_strengths.py`). What stands above them differs from game to game.
LEVELS = {"Easy": 1, "Medium": 4, "Hard": 7, "Expert": 8}
ADVISER = "strength:8"  # whose estimates a page shows where nobody else has any
# Agents that nobody can beat on the side for which they were corrected: small ones, for pages.
PROVED = {SMALL.game: SMALL}
# Kinds of players by the beginning of their names: what people call them.
PLAYER_KINDS = {
    "perfect": "Perfect play",
    "best": "The best there is",
    "shipped": "Learned agent",
    "ntuple": "Learned agent",
    "mcts": "Tree search",
    "random": "Random moves",
}


class Opponent(TypedDict):
    """A player as a page offers it."""

    player: str  # its name in the package
    title: str
    about: str


def opponents_of(game: Game) -> list[Opponent]:
    """Players of a game that a page can run, weakest first; none is named twice."""
    strengths = f"looks ahead, but misjudges moves: strength {{}} of {ADVISER[-1]}"
    levels = [strengths.format(number) for number in LEVELS.values()]
    levels[-1] = "the strongest of its kind: it looks farthest ahead and hardly misjudges"
    found = [
        Opponent(player=f"strength:{number}", title=title, about=text)
        for (title, number), text in zip(LEVELS.items(), levels, strict=True)
    ]
    best = default_opponent(game)
    if best == "perfect" and is_playable(best, game):
        about = "never gives anything away: solved, and played from the solution"
        found.append(Opponent(player=best, title="Perfect", about=about))
    shipped = PROVED.get(game.name, SHIPPED.get(game.name))
    if shipped is not None and is_playable(shipped.name, game):
        about = f"learned by playing: {shipped.how}"
        if shipped is PROVED.get(game.name):
            side = " or ".join(shipped.corrected)
            about = f"nobody can beat it when it moves {side}: every game was checked; {about}"
        if shipped.strategy:
            about = f"when it moves first it wins, by a stored strategy; else it {about}"
        is_proved = shipped.strategy or shipped is PROVED.get(game.name)
        title = "Proved" if is_proved else "Learned"
        found.append(Opponent(player=shipped.name, title=title, about=about))
    return found


def name_of(player: str) -> str:
    """A player's name for people, as `nameOf` of the pages gives it; as it is where it has none."""
    if player in ("", "human"):
        return "Another person"
    if player.endswith(SUFFIX):
        return f"Your agent {player.removesuffix(SUFFIX)}"
    kind, _, rest = player.partition(":")
    number = re.match(r"(\d+)(?![\d.]*s)", rest)
    many = int(number[1]) if number else 0
    if kind in ("strength", "level") and many:
        return f"Level {many}"
    if kind == "minimax" and many:
        return f"Minimax, {_count(many, 'move')} ahead"
    if kind == "ntuple" and many:
        return f"Learned agent, {_count(many, 'move')} ahead"
    if kind == "mcts" and many:
        return f"Tree search, {_count(many, 'game')} a move"
    if kind in PLAYER_KINDS:
        return PLAYER_KINDS[kind]
    if re.fullmatch(r"[a-z]+([_-][a-z]+)*", player):
        return player[0].upper() + re.sub("[_-]", " ", player[1:])
    return player


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'s'[: number != 1]}"


def is_playable(name: str, game: Game) -> bool:
    """Whether a page can run a player of this game."""
    try:
        as_compiled(player(name), game)
    except InputError:
        return False
    return True


class Entry(TypedDict):
    """A game in the index that pages choose from."""

    name: str
    title: str
    about: str
    players: list[str]  # those that have a package beside the index
    opponents: list[Opponent]


def entry_of(game: Game) -> Entry:
    """What the index says of a game."""
    opponents = opponents_of(game)
    return Entry(
        name=game.name,
        title=title_of(game),
        about=rules_of(game),
        players=[one["player"] for one in opponents],
        opponents=opponents,
    )


def catalogue() -> list[Entry]:
    """Every game of the catalogue that a page can show, those of the start page first."""
    first = [card.game for card in CARDS]
    examples = [example for example in EXAMPLES if is_drawable(game_of(example.name))]
    examples.sort(key=lambda one: first.index(one.name) if one.name in first else len(first))
    return [entry_of(game_of(one.name)) for one in examples]
