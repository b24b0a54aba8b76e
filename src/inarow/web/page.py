"""A player as one file: a page that holds its board, its code and its memory, and loads nothing.

The scripts are modules, which browsers do not load from a folder; so they are put together into
one script: in the order of their imports, without these. No name may stand twice at their top
level, which tests look after. The worker starts from its text.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

from inarow.game import InputError
from inarow.game import game as game_of
from inarow.web.image import deflated
from inarow.web.modules import STATIC
from inarow.web.package import Package
from inarow.web.shorten import shortened

ENTRY = "board.js"
STYLES = ("pages.css", "board.css", "page.css")
IMPORT = re.compile(r'^import\s(?:\s*\{([^}]*)\}\s*from\s*)?"\./([\w-]+\.js)";\n', re.MULTILINE)
LATER = re.compile(
    r'const \{ ([\w, ]+) \} = await import\("\./([\w-]+\.js)"\);'
)  # when it is needed
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let)\b)", re.MULTILINE)
NOTHING = re.compile(r"^export \{\s*\};\n", re.MULTILINE)
TOP_LEVEL = re.compile(
    r"^(?:export )?(?:async )?(?:function\*?|class|const|let) (\w+|[\[{][^=]*[\]}])", re.MULTILINE
)


@dataclass(frozen=True)
class About:
    """What the page says of its player; nothing that the package does not say."""

    title: str
    facts: Sequence[str]  # what is proved or measured
    made: Sequence[str]  # by whom, and how to make it again


def names_of(script: str) -> list[str]:
    """The names at the top level of a script."""
    found = list[str]()
    for name in TOP_LEVEL.findall(script):
        parts = name.strip("[]{} ").split(",")
        found += [part.split(":")[-1].split("=")[0].strip() for part in parts]
    return [name for name in found if name]


def scripts_in_order(entry: str = ENTRY, folder: Path = STATIC) -> list[str]:
    """The modules that one needs, each after those that it needs itself, and it last."""
    found = list[str]()

    def visit(name: str, on_the_way: tuple[str, ...]) -> None:
        if name in on_the_way:
            raise ValueError(f"{name} imports itself")
        text = (folder / name).read_text(encoding="utf-8")
        for _, other in (*IMPORT.findall(text), *LATER.findall(text)):
            visit(other, (*on_the_way, name))
        if name not in found:
            found.append(name)

    visit(entry, ())
    return found


def one_script(entry: str = ENTRY, folder: Path = STATIC) -> str:
    """All modules as one script, whose names are its own."""
    parts, owners = list[str](), dict[str, str]()
    for name in scripts_in_order(entry, folder):
        text = (folder / name).read_text(encoding="utf-8")
        for own in names_of(text):
            if own in owners:
                raise ValueError(f"{own} stands in {owners[own]} and in {name}")
            owners[own] = name
        text = LATER.sub("", NOTHING.sub("", EXPORT.sub("", IMPORT.sub("", text))))
        text = text.replace("import.meta.url", "document.baseURI")  # where there is a text instead
        if left := re.search(r"^(?:import|export)\b.*", text, re.MULTILINE):
            raise ValueError(f"{name} cannot be part of one script: {left[0]}")
        parts.append(shortened(text))
    return "(() => {\n" + "".join(parts) + "})();\n"


def notebook_script() -> str:
    """The module that a notebook's widget is made of."""
    return one_script() + shortened((STATIC / "notebook.js").read_text(encoding="utf-8"))


def styles() -> str:
    """The styles of a board outside the application."""
    return "".join(shortened((STATIC / name).read_text(encoding="utf-8")) for name in STYLES)


def worker_text() -> str:
    """The worker's script."""
    return shortened((STATIC / "worker.js").read_text(encoding="utf-8"))


def embedded(package: Package) -> str:
    """A package as JSON with its files in base64, as it can stand in an element of a page.

    Modules are packed as the image is.
    """
    parts = {
        "package": json.loads(package.as_json()),
        "modules": {name: _base64(deflated(code)) for name, code in package.modules.items()},
        "image": _base64(package.image),
    }
    text = json.dumps(parts, separators=(",", ":"), ensure_ascii=False)
    return text.replace("</", "<\\/")


def page_of(package: Package, about: About, side: str = "first") -> str:
    """The whole file."""
    game = game_of(package.game["name"])
    attributes = {"src": "#inarow-package", "side": side, "game": game.name}
    if package.player is not None:
        attributes["player"] = str(package.player["name"])
    places = {
        "title": html.escape(about.title),
        "rules": html.escape(package.game["rules"]),
        "styles": styles(),
        "attributes": " ".join(f'{k}="{html.escape(v)}"' for k, v in attributes.items()),
        "picture": game.position().svg(),
        "facts": _listed(about.facts),
        "made": _listed(about.made),
        "package": embedded(package),
        "worker": _within_script(worker_text()),
        "script": _within_script(one_script()),
    }
    return Template((STATIC / "page.html").read_text(encoding="utf-8")).substitute(places)


def _listed(lines: Sequence[str]) -> str:
    return "".join(f"<li>{html.escape(line)}</li>" for line in lines)


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _within_script(text: str) -> str:
    """A script as it may stand in a page: nothing in it may look like its end."""
    if "</script" in text.lower() or "<!--" in text:
        raise InputError("a script of this page holds what would end it")
    return text
