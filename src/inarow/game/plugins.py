"""Code from outside the package: installed packages, and what a person names `module:Class`."""

from __future__ import annotations

import ast
import importlib
import sys
from contextlib import suppress
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from inarow.game.errors import InputError, suggestion
from inarow.game.files import read_whole


@cache
def installed(group: str) -> dict[str, EntryPoint]:
    """Return what installed packages offer in a group of entry points; nothing is imported."""
    return {point.name: point for point in entry_points(group=group)}


def is_address(text: str) -> bool:
    """Return whether a text is written as `module:attribute`, both perhaps with dots."""
    module, colon, attribute = text.strip().partition(":")
    parts = [*module.split("."), *attribute.split(".")]
    return bool(colon) and all(part.isidentifier() for part in parts)


_folders: list[str] = []  # of files that a person has named, besides the current folder


def look_in(folder: str | Path) -> None:
    """Find modules in a folder, too, after all that is installed: that of a study file."""
    place = str(Path(folder).resolve())
    if place not in _folders:
        _folders.append(place)


def folders() -> list[str]:
    """The folders to look in, for other processes of the same person."""
    return list(_folders)


def load_address(address: str) -> Any:
    """Import what an address names, from an installed package or the current folder.

    Or from a folder of `look_in`. Folders come last among the places of modules: nothing installed
    is hidden by them. Whatever goes wrong, also in the code of the module, is an InputError of one
    line.
    """
    address = address.strip()
    if not is_address(address):
        raise InputError(f"{address!r} names nothing: write module:Class")
    module, _, attribute = address.partition(":")
    if module.endswith(".py") and Path(module).is_file():
        check_not_python(address, "class")
    for here in (str(Path.cwd()), *_folders):
        if here not in sys.path:
            sys.path.append(here)
    importlib.invalidate_caches()
    try:
        loaded = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module}.".startswith(f"{error.name}."):
            missing = f"there is no module {error.name} here, nor installed"
            raise InputError(f"{address}: {missing}") from None
        raise InputError(f"{address}: ModuleNotFoundError: {error}") from error
    except SystemExit as error:
        raise InputError(f"{address} ended the program: sys.exit({error.code!r})") from error
    except SyntaxError as error:
        where = f"({error.filename}, line {error.lineno})"
        raise InputError(f"{address}: {error.msg} {where}") from None
    except Exception as error:  # whatever code of others does
        raise InputError(f"{address}: {type(error).__name__}: {error}") from error
    _check_is_the_file(module, loaded)
    found: Any = loaded
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise InputError(
                f"{address}: the module {module} has no {attribute}{_has(loaded, attribute)}"
            )
        found = getattr(found, part)
    return found


def _has(loaded: ModuleType, wanted: str) -> str:
    """Return what was meant by a name that a module has not, as it follows that sentence."""
    own = [n for n, v in vars(loaded).items() if getattr(v, "__module__", "") == loaded.__name__]
    return suggestion(wanted, own) or (f"; it has {', '.join(own)}" if own else "")


def _check_is_the_file(module: str, loaded: ModuleType) -> None:
    """Raise InputError if a file of the current folder is meant and another module has its name."""
    here = Path.cwd().joinpath(*module.split(".")).with_suffix(".py")
    if here.exists() and not (loaded.__file__ and here.samefile(loaded.__file__)):
        raise InputError(f"another module is called {module} too: give {here.name} another name")


LARGEST = 2**20  # bytes of a file that is looked at


def check_not_python(name: str, what: str) -> None:
    """Raise InputError for the name of a Python file: what is in it is meant, as mine:Class.

    The file is read, not run.
    """
    file, _, own = name.partition(":")
    if own and file.endswith(".py"):  # ./mine.py:Mine
        place = "" if Path(file).parent == Path() else f", in the folder {Path(file).parent}"
        raise InputError(f"{name}: write {Path(file).stem}:{own}{place}")
    module, dot, own = name.rpartition(".")
    dotted = dot and module.isidentifier() and own.isidentifier() and own != "py"
    if dotted and Path(f"{module}.py").is_file():  # mine.Mine
        raise InputError(f"{name}: write {module}:{own}, with a colon")
    if not name.endswith(".py"):
        return
    path, found = Path(name), list[str]()
    with suppress(InputError, ValueError, SyntaxError, RecursionError):
        for node in ast.parse(read_whole(path, LARGEST)).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                found.append(node.name)
    if not found:
        raise InputError(f"{name} is a Python file: name a {what} in it, as in {path.stem}:Class")
    forms = " or ".join(f"{path.stem}:{own}" for own in found[:4])
    place = "" if path.parent == Path() else f", in the folder {path.parent}"
    raise InputError(f"{name} is a Python file: name a {what} in it: {forms}{place}")
