"""The start page: a board one can move on at once, and cards that lead to everything else.

The page is one text with places for what differs from one place to the next: where files and
packages lie, and which further pages there are. Application and site fill it in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from html import escape
from string import Template
from typing import NamedTuple
from urllib.parse import urlencode

from inarow.game import game as game_of
from inarow.game.drawing import labels_stand_below
from inarow.game.position import Position
from inarow.game.svg import _draw_lines, _draw_stones
from inarow.web.describe import FALLS, FLAT, PEGS, backdrop, frame_of, title_of
from inarow.web.lozenges import lozenge_stones
from inarow.web.modules import STATIC

EASY = "strength:1"  # whom one meets first


class Card(NamedTuple):
    """A game on the start page."""

    game: str
    about: str
    moves: str  # of the position in its picture
    window: tuple[float, float, float, float] = (0, 0, 1, 1)  # the part shown: left, top, sides


CARDS = (
    Card("connect4:6x7", "four in a row, stones fall", "443533245"),
    Card("tictactoe", "three in a row", "22 11 13 31 21 23"),
    Card("cube", "4x4x4, stones fall on pegs", "22 33 23 32 22 44"),
    Card(
        "qubic",
        "4x4x4, four in a row anywhere",
        "122 133 134 113 242 221 224",
        (0, 0.0, 1, 0.52),
    ),
    Card(
        "mnk:15x15x5",
        "on a board of 15x15",
        "8,8 7,8 7,7 9,9 6,6 5,5 9,7 8,6 6,8 6,9",
        (0.22, 0.24, 0.54, 0.42),
    ),
    Card("ntictactoe:3^4", "lines are counted", "2222 1111 3333 2211", (0, 0, 1, 0.72)),
)

# Pages beside the board: the link's name, a title, what is there.
PANELS = (
    ("learn", "Watch it learn", "A table learns while you look: see the values spread."),
    ("proof", "Check the proof", "Qubic is won by whoever begins. Your browser can verify it."),
    ("builder", "Build a board", "Any shape, any k, with gravity, wrapping edges or none."),
    ("documents", "The five documents", "Five papers, each number repeated and compared."),
    ("researchers", "For researchers", "Train, compare and prove agents: from Python or a shell."),
)
CURRENT = ' aria-current="page"'
# Of every page beside the boards, in this order: the link's name and its text.
NAVIGATION = (
    ("home", "Play"),
    ("builder", "Boards"),
    ("train", "Train"),
    ("learn", "Learn"),
    ("proof", "Proof"),
    ("arena", "Arena"),
    ("papers", "Papers"),
    ("api", "API"),
    ("docs", "Docs"),
)


def start_page(
    links: Mapping[str, str],
    packages: str = "packages",
    games: str = "games.json",
    static: str = "",
    server: str = "",
    head: str = "",
) -> str:
    """The page as text; an entry without its link is left out.

    `static` begins the addresses of scripts and styles, `server` is the address of an API that is
    asked for the moves of players which no page can run, `head` is put into the page's head.
    """
    navigation = "".join(
        f'<a href="{escape(links[name])}"{CURRENT * (name == "home")}>{title}</a>'
        for name, title in NAVIGATION
        if name in links
    )
    panels = "\n".join(
        f'<a href="{escape(links[name])}"><b>{title}</b><span>{about}</span></a>'
        for name, title, about in PANELS
        if name in links
    )
    return Template((STATIC / "start.html").read_text("utf-8")).substitute(
        static=escape(static),
        head=head,
        home=escape(links.get("home", "./")),
        navigation=navigation,
        packages=escape(packages),
        games=escape(games),
        server=f' data-server="{escape(server)}"' if server else "",
        cards="\n".join([*map(_card, CARDS), *_other_cards(links)]),
        panels=f'<h2>More than playing</h2>\n<div class="panels">\n{panels}\n</div>'
        if panels
        else "",
    )


def picture(position: Position, window: tuple[float, float, float, float] = (0, 0, 1, 1)) -> str:
    """A position as a small picture that takes the page's colours, or a part of it."""
    frame = frame_of(position.game)
    bottom = (window[1] + window[3]) * frame.height
    frame = replace(frame, corners=[one for one in frame.corners if one[1] < bottom])
    stones = lozenge_stones if frame.leaning else _draw_stones
    behind = backdrop(position.game, frame)
    parts = [behind, *_draw_lines(position, frame), *stones(position, frame)]
    style = PEGS if frame.leaning else FALLS if labels_stand_below(position.game) else FLAT
    sides = (frame.width, frame.height, frame.width, frame.height)
    box = " ".join(str(round(part * side)) for part, side in zip(window, sides, strict=True))
    return f'<svg class="{style}" viewBox="{box}" aria-hidden="true">{"".join(parts)}</svg>'


def _card(card: Card) -> str:
    game = game_of(card.game)
    drawn = picture(game.position(card.moves), card.window)
    address = escape(f"?{urlencode({'game': card.game, 'against': EASY})}")
    text = f"<b>{title_of(game)}</b><span>{card.about}</span>"
    return f'<li><a data-play href="{address}">{drawn}{text}</a></li>'


def _other_cards(links: Mapping[str, str]) -> list[str]:
    """Two people at one board, and a board of one's own where there is a page for it."""
    people = picture(game_of("connect4:4x5").position("233"))
    address = escape(f"?{urlencode({'game': 'connect4:6x7', 'against': 'human'})}")
    text = "<b>Two people</b><span>at one board</span>"
    cards = [f'<li><a data-play href="{address}">{people}{text}</a></li>']
    if "builder" in links:
        own = picture(game_of("mnk:4x6x4").position(""))
        text = "<b>Your own board</b><span>shape, k, gravity, edges</span>"
        cards.append(f'<li><a href="{escape(links["builder"])}">{own}{text}</a></li>')
    return cards
