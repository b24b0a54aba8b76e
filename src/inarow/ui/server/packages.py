"""Players as pages run them: made when they are asked for, kept while they are used.

Nothing is compiled for it: a player whose kind has no module in the package is left to the server.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath

from inarow.game import InputError
from inarow.lab.players.protocols import name_of
from inarow.learn.registry import learners
from inarow.ui.server.arena_files import Find
from inarow.ui.server.players import check_game, is_uploaded
from inarow.web.lessons import learning_package, proof_package
from inarow.web.opponents import ADVISER
from inarow.web.package import Package, pack
from inarow.web.players import as_compiled

MOST_BYTES = 64 * 2**20  # of packages that are kept


class ServerOnlyError(InputError):
    """The player exists, but no page can run it: the server has to be asked for its moves."""


class _Kept:
    """The packages that were asked for last, by game and player; safe for several threads."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._found: OrderedDict[object, Package] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: object) -> Package | None:
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
            return self._found.get(key)

    def add(self, key: object, package: Package) -> None:
        with self._lock:
            self._found[key] = package
            while sum(map(_size, self._found.values())) > self.most and len(self._found) > 1:
                self._found.popitem(last=False)


_kept = _Kept(MOST_BYTES)


def find(name: str, player: str, solver: bool, find_player: Find) -> Package:
    """The package of a game and a player; without a player's name, a board for two people."""
    game = check_game(name)
    solver = solver or player == ADVISER
    found = find_player(player, game) if player else None
    # Agents from files are known by what was read: a file that changed is another agent.
    same = id(found) if found is not None and is_uploaded(found) else getattr(found, "header", "")
    key = (game.name, player, solver, repr(same))
    package = _kept.get(key)
    if package is None:
        try:
            compiled = None if found is None else as_compiled(found, game)
            package = pack(game, compiled, solver=solver)
        except InputError as error:
            raise ServerOnlyError(str(error)) if found is not None else error from None
        if found is not None:
            package = replace(package, player={"name": player, "title": name_of(found)})
        if found is None or not is_uploaded(found):
            _kept.add(key, package)
    return package


def find_lesson(game: str, learner: str) -> Package:
    """The package of a learner in a small game."""
    name = check_game(game).name
    if learner not in learners():
        raise InputError(f"there is no learner {learner!r:.60}")
    return _known(("lesson", name, learner), lambda: learning_package(name, learner))


def find_proof(game: str) -> Package:
    """The package of a game's stored strategy, and of its checker."""
    name = check_game(game).name
    return _known(("proof", name), lambda: proof_package(name))


def _known(key: object, make: Callable[[], Package]) -> Package:
    package = _kept.get(key)
    if package is None:
        package = make()
        _kept.add(key, package)
    return package


def content_of(package: Package, file: str) -> bytes:
    """One file of a package."""
    if file == "package.json":
        return package.as_json().encode()
    if file == "image.bin":
        return package.image
    module = package.modules.get(file.removesuffix(".wasm"))
    if module is None:
        raise InputError(f"a package has no file {file!r:.60}")
    return module


def versions_of(package: Package) -> dict[str, str]:
    """The digests of its files, by name."""
    versions = package.engine["versions"]
    assert isinstance(versions, dict)
    return versions


def file_name(name: str) -> str:
    """The last part of a name that a browser gives a file."""
    found = PurePath(name.replace("\\", "/")).name[:120]
    if not found or not found.isprintable():
        raise InputError("this file has no name")
    return found


def _size(package: Package) -> int:
    return len(package.image) + sum(map(len, package.modules.values()))
