"""A player as a page runs it: a description, the modules that its code is in, and their memory.

    python -m inarow.web.package FOLDER connect4:6x7 minimax:6    # one, without a player for two
    python -m inarow.web.package FOLDER                           # every game of the catalogue

write packages into a folder of packages, where the element finds them by game and player; the
second also writes the element's files and a page that plays them all.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from inarow.engine.board import Board, Tables, tables_of
from inarow.engine.players import CompiledPlayer, compiled_form
from inarow.game import Game, InputError
from inarow.game import game as game_of
from inarow.game.files import write_whole
from inarow.lab.players.names import player as player_named
from inarow.lab.players.protocols import name_of
from inarow.lab.values.move_values import default_opponent
from inarow.web.describe import Description, describe
from inarow.web.entries import (
    GIVEN,
    PLAYER,
    RULES,
    SOLVER,
    Arguments,
    Entry,
    Solving,
    arguments_for,
    entries_of,
    is_solvable,
)
from inarow.web.image import FORMAT, Image
from inarow.web.modules import STATIC, build_for, find_module, layout_digest, read_module
from inarow.web.opponents import ADVISER, catalogue
from inarow.web.players import as_compiled
from inarow.web.shorten import shortened
from inarow.web.start import start_page

BEST = "best"  # stands for another player in each game
View = npt.NDArray[np.generic]
KINDS_OF_VIEW = {
    "bool": "Uint8Array",
    "int8": "Int8Array",
    "uint8": "Uint8Array",
    "int16": "Int16Array",
    "int32": "Int32Array",
    "uint32": "Uint32Array",
    "int64": "BigInt64Array",
    "uint64": "BigUint64Array",
    "float64": "Float64Array",
}


@dataclass(frozen=True)
class Package:
    """What is sent to a page."""

    game: Description
    player: dict[str, object] | None  # None: two people play
    engine: dict[str, object]
    modules: dict[str, bytes]  # by the names that the engine has for them
    image: bytes
    more: Mapping[str, object] = field(default_factory=dict)  # what only some pages know of

    def as_json(self) -> str:
        """All but modules and image."""
        parts = {"format": FORMAT, "game": self.game, "player": self.player, "engine": self.engine}
        return json.dumps({**parts, **self.more}, separators=(",", ":"), ensure_ascii=False)

    def write(self, folder: Path) -> None:
        """Writes it into a folder, which a page's element names as its source."""
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / "package.json", self.as_json().encode())
        write_whole(folder / "image.bin", self.image)
        for name, module in self.modules.items():
            write_whole(folder / f"{name}.wasm", module)


def package(
    game: Game | str, name: str | None = None, seed: int = 0, solver: bool = False
) -> Package:
    """A game and a player by name; without one, a board for two people.

    Players that only a server can ask are refused in one line. With `solver`, one comes with it
    where there is one for the game.
    """
    game = game_of(game)
    name = default_opponent(game) if name == BEST else name
    found = None if name is None else as_compiled(player_named(name), game)
    return pack(game, found, name, seed, solver)


def pack(
    game: Game,
    player: CompiledPlayer | None,
    name: str | None = None,
    seed: int = 0,
    solver: bool = False,
) -> Package:
    """The same of a player at hand; a module can be built for it only if its name is given."""
    description = describe(game)
    arrays = None if player is None else compiled_form(player, tables_of(game))
    with_solver = solver and is_solvable(game)
    arguments = arguments_for(game, arrays, seed, with_solver)
    parts = [RULES, *([PLAYER] if player else []), *([SOLVER] if with_solver else [])]
    told: dict[str, object] | None = (
        None if player is None else {"name": name, "title": name_of(player)}
    )
    entries = {part: entries_of(part, arguments) for part in parts}
    modules = {part: _module_for(game, layout_digest(arguments, part), name) for part in parts}
    return assemble(description, arguments, entries, modules, _views(arguments), told)


def assemble(
    description: Description,
    arguments: Arguments,
    entries: Mapping[str, Mapping[str, Entry]],
    modules: Mapping[str, bytes],
    views: Mapping[str, View],
    player: dict[str, object] | None = None,
    more: Mapping[str, object] | None = None,
) -> Package:
    """A package of modules, their entries and arguments, and the arrays that a page sees."""
    image = Image()
    taken = {n for part in modules for known in entries[part].values() for n in known.arguments}
    engine: dict[str, object] = {
        "columns": len(description["moves"]),
        "modules": {part: {"layout": layout_digest(arguments, part)} for part in modules},
        "arguments": {
            name: image.arguments(value)
            for name, value in arguments.items()
            if name in taken and name not in GIVEN
        },
        "entries": {
            entry: {"module": part, "arguments": list(known.arguments)}
            for part in modules
            for entry, known in entries[part].items()
        },
        "views": {
            name: [KINDS_OF_VIEW[str(array.dtype)], image.address(array), array.size]
            for name, array in views.items()
        },
    }
    engine["pages"] = image.pages
    memory = image.packed()
    files = {"image.bin": memory} | {f"{part}.wasm": code for part, code in modules.items()}
    engine["versions"] = {
        file: hashlib.sha256(content).hexdigest()[:8] for file, content in files.items()
    }
    return Package(description, player, engine, dict(modules), memory, more or {})


def _module_for(game: Game, digest: str, name: str | None) -> bytes:
    """The module that comes with the package, or one that is built now."""
    kind = find_module(digest)
    if kind is not None:
        return read_module(kind)
    if name is None:
        raise InputError("no module comes with the package for this player: give it by name")
    return build_for(game, name)


def views_of_board(arguments: Arguments) -> dict[str, View]:
    """The arrays of the board that is played on."""
    board, tables = arguments["board"], arguments["tables"]
    assert isinstance(board, Board)
    assert isinstance(tables, Tables)
    given = arguments["input"]
    assert isinstance(given, np.ndarray)
    return {
        "stones": board.stones,
        "lines": board.lines,
        "open": board.open_cells,
        "counters": board.counters,
        "history": board.history,
        "input": given,
        "lineStart": tables.line_start,
        "lineAt": tables.line_at,
    }


def _views(arguments: Arguments) -> dict[str, View]:
    """The arrays that a page reads and writes: of the board, of a player, of a solver."""
    seen = views_of_board(arguments)
    second, solving = arguments.get("second"), arguments.get("solving")
    if isinstance(second, Board):
        seen["valued"] = second.open_cells
        for name in ("numbers", "stream"):
            array = arguments[name]
            assert isinstance(array, np.ndarray)
            seen[name] = array
    if isinstance(solving, Solving):
        seen |= {"found": solving.solver.batch.scores, "search": solving.solver.stack.state}
    return seen


def folder_of(game: str, player: str | None) -> str:
    """Where the package of a game and a player lies among others: as `board.js` looks for it."""
    return re.sub(r"[^A-Za-z0-9_./]", "-", f"{game}/{player or 'two'}")


def write_catalogue(folder: Path, links: Mapping[str, str] | None = None) -> list[str]:
    """The start page with every game of the catalogue that a page can show; returns their names.

    `links` are the addresses of further pages, as `start_page` takes them.
    """
    shutil.copytree(
        STATIC,
        folder,
        dirs_exist_ok=True,
        ignore=shutil.ignore_patterns("modules", "start.html", "page.*", "notebook.js"),
    )
    for file in (*folder.glob("*.js"), *folder.glob("*.css")):
        write_whole(file, shortened(file.read_text("utf-8")).encode())
    index = catalogue()
    for entry in index:
        game = game_of(entry["name"])
        for name in (*entry["players"], None):
            target = folder / "packages" / folder_of(game.name, name)
            package(game, name, solver=name == ADVISER).write(target)
    write_whole(folder / "games.json", json.dumps(index, ensure_ascii=False).encode())
    write_whole(folder / "index.html", start_page(links or {}).encode())
    return [entry["name"] for entry in index]


def main(arguments: Sequence[str]) -> int:
    """Writes packages."""
    try:
        if len(arguments) == 1:
            write_catalogue(Path(arguments[0]))
        else:
            folder, game, *players = arguments
            name = players[0] if players else None
            target = Path(folder) / folder_of(game_of(game).name, name)
            package(game, name).write(target)
            print(target)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
