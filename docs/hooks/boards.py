"""Boards, learners and proofs in pages of the site: what a page mounts, and the files for it.

A page writes an element whose `src` begins with `play:`; here that becomes an address, and the
scripts that the elements of a page need are added to it. Without JavaScript what is inside an
element stays: a picture, or a sentence.
"""

from __future__ import annotations

import html
import re
import shutil
from pathlib import Path

from inarow.game import Game
from inarow.game import game as game_of
from inarow.web.lessons import learning_package, proof_package
from inarow.web.modules import KINDS
from inarow.web.opponents import ADVISER, opponents_of
from inarow.web.package import Package, folder_of, package, write_catalogue
from inarow.web.start import start_page

PLAY = "play"  # the folder of scripts, styles and packages
SCRIPTS = {  # of each element, with its styles
    "inarow-board": ("board.js", ("pages.css", "board.css")),
    "inarow-learn": ("learn.js", ("curves.css", "learn.css")),
    "inarow-proof": ("proof.js", ("learn.css",)),
}
TABULAR = [kind.removeprefix("learn-") for kind in KINDS if kind.startswith("learn-")]
LEARNED = "tictactoe"  # the game that learners learn on their pages
LARGER = "connect4:4x4"  # on a click
START = "connect4:6x7"  # the game of the start page
# What others show of a link to the start page.
PREVIEW = '<meta property="og:image" content="screens/play-won-desktop.png">'
LINKS = {  # from the start page
    "home": "index.html",
    "learn": "learners/td.html",
    "proof": "explanations/qubic.html",
    "documents": "papers/index.html",
    "researchers": "tutorials/study.html",
    "papers": "papers/index.html",
    "docs": "overview.html",
}
BEST = ("Proved", "Perfect", "Learned")  # of the opponents of a game, the best first
_wanted = set[tuple[str, str]]()  # games and players of boards


def board(game: Game, inside: str) -> str:
    """A board against the best player that a page can run, with a picture in it."""
    player, title, side = best_player(game)
    _wanted.add((game.name, player))
    attributes = {
        "game": game.name,
        "player": player,
        "side": side,
        "packages": "play:packages",
        "controls": "few",
        "home": "play:play.html",
    }
    text = " ".join(f'{name}="{html.escape(value)}"' for name, value in attributes.items())
    return (
        f'<div class="board">\n<inarow-board {text}>\n{inside}\n</inarow-board>\n'
        f"<p><em>Against {html.escape(title)}; its code runs in this page.</em></p>\n</div>"
    )


def best_player(game: Game) -> tuple[str, str, str]:
    """The best player that a page can run: its name, what is said of it, and the visitor's side.

    One that is proved as first player begins.
    """
    found = {each["title"]: each for each in opponents_of(game)}
    title = next((title for title in BEST if title in found), list(found)[-1])
    side = "second" if title == "Proved" else "first"
    return found[title]["player"], f"{title}: {found[title]['about']}", side


def learner(name: str) -> str:
    """A learner that a page can watch; nothing for others."""
    if name not in TABULAR:
        return ""
    return (
        f'<div>\n<inarow-learn src="play:learn/{LEARNED}-{name}" '
        f'larger="play:learn/{folder_of(LARGER, name)}" more="Connect Four on 4x4: 2 MB">\n'
        "<p>With JavaScript, a table learns here while you look.</p>\n</inarow-learn>\n</div>"
    )


def with_scripts(page: str, to_root: str) -> str:
    """A page with the addresses and scripts of its elements."""
    names = [name for name in SCRIPTS if f"<{name}" in page]
    if not names:
        return page
    folder = f"{to_root}{PLAY}/"
    page = re.sub(r'(src|packages|home|games|larger)="play:', rf'\1="{folder}', page)
    styles = dict.fromkeys(style for name in names for style in SCRIPTS[name][1])
    head = "".join(f'<link rel="stylesheet" href="{folder}{style}">' for style in styles)
    tail = "".join(
        f'<script type="module" src="{folder}{SCRIPTS[name][0]}"></script>' for name in names
    )
    return page.replace("</head>", f"{head}</head>", 1).replace("</body>", f"{tail}</body>", 1)


def write(site: Path) -> None:
    """The start page, the scripts, and the packages of all elements."""
    folder = site / PLAY
    write_catalogue(folder)
    overview = site / LINKS["docs"]
    shutil.move(site / "index.html", overview)
    start = start_page(LINKS, f"{PLAY}/packages", f"{PLAY}/games.json", f"{PLAY}/", head=PREVIEW)
    picture = game_of(START).position().svg()
    (site / "index.html").write_text(
        start.replace("<noscript>", f"{picture}<noscript>", 1), "utf-8"
    )
    for name, player in sorted(_wanted):
        _write(folder / "packages" / folder_of(name, player), package(name, player, solver=True))
        adviser = folder / "packages" / folder_of(name, ADVISER)
        _write(adviser, package(name, ADVISER, solver=True))
    for name in TABULAR:
        _write(folder / "learn" / f"{LEARNED}-{name}", learning_package(LEARNED, name))
        _write(folder / "learn" / folder_of(LARGER, name), learning_package(LARGER, name))
    _write(folder / "proof" / "qubic", proof_package("qubic"))


def _write(folder: Path, made: Package) -> None:
    if not (folder / "package.json").exists():
        made.write(folder)
