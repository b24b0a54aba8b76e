"""Where compiled code is kept: a private folder that carries a digest of the package's sources.

Numba's own cache looks only at the file of the function itself, so a change in a helper that
another file calls would go unseen, and so would one of a constant or of the order of fields, which
compiled code freezes wherever they stand. Here whatever changes makes another folder, and nothing
stale is loaded. Functions of other people's modules are kept there too, by a digest of all of
theirs that they import. The folder is the first that can be written, and that nobody else can
write to, of NUMBA_CACHE_DIR, the package's own, the user's cache; with none, functions are
compiled anew in each process. Nothing is imported for it that takes long: a command asks, before
it loads the compiler, whether a person will have to wait for it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from enum import Enum
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

PACKAGE = Path(__file__).resolve().parent.parent
# Folders of the package that no compiled function imports anything from.
NOT_COMPILED = ("__pycache__", "adapters", "ui")
STANDARD = Path(os.__file__).resolve().parent  # the modules that come with Python
BEGUN = time.time()
OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


def source_digest() -> str:
    """Return a digest of every source that compiled functions may read."""
    compiler = f"{sys.implementation.cache_tag} {version('numba')} {version('numpy')}"
    digest = hashlib.sha256(compiler.encode())
    for path in sorted(_sources(str(PACKAGE))):
        source = Path(path).read_bytes()
        name = path.removeprefix(str(PACKAGE)).replace(os.sep, "/")
        digest.update(f"{name} {len(source)} ".encode() + source)
    return digest.hexdigest()[:16]


def _sources(folder: str) -> Iterator[str]:
    """Return the files of the package's digest."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                yield entry.path
            elif entry.name not in NOT_COMPILED and entry.is_dir():
                yield from _sources(entry.path)


def find_cache_folder() -> str | None:
    """A private folder for compiled code, or None where there is none."""
    user = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    given = os.environ.get("NUMBA_CACHE_DIR")
    parents = [Path(given)] if given else [PACKAGE / "__pycache__", Path(user)]
    name = f"inarow-{source_digest()}"
    for parent in parents:
        folder = private_folder(parent / name)
        if folder is None:
            continue
        if parent == PACKAGE / "__pycache__":
            _drop_stale(parent, folder)
        return str(folder)
    return None


def _drop_stale(parent: Path, current: Path) -> None:
    """Remove compiled code of earlier sources of this same installation.

    What was used within a day is left: a process that began with those sources may still run.
    """
    for folder in parent.glob("inarow-*"):
        with suppress(OSError):
            if folder != current and folder.stat().st_mtime < time.time() - 86_400:
                shutil.rmtree(folder, ignore_errors=True)


def private_folder(folder: Path) -> Path | None:
    """The folder, made if need be; None where it cannot be written, or others could write there."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not is_private(folder):
            return None
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return None


def is_private(folder: Path) -> bool:
    """Return whether a folder is its user's alone, and nobody else can replace it."""
    if not hasattr(os, "getuid"):
        return True  # Windows keeps the folders of users apart by other means
    user, own = os.getuid(), folder.lstat()
    if not stat.S_ISDIR(own.st_mode) or own.st_uid != user or stat.S_IMODE(own.st_mode) & 0o077:
        return False
    for above in folder.resolve().parents:
        status = above.stat()
        theirs = status.st_mode & OTHERS_MAY_WRITE and not status.st_mode & stat.S_ISVTX
        if status.st_uid not in (0, user) or theirs:
            return False
    return True


# Code outside the package


class ImportingError(Exception):
    """It cannot be said which sources a function depends on."""


class _Source(NamedTuple):
    """The file of a module."""

    digest: bytes
    imports: tuple[tuple[int, str], ...]  # dots before the name, and the name
    used: frozenset[str]  # names that stand in its functions


def digest_of_imports(module: str) -> str:
    """A digest of a module outside the package, and of all that it imports and what these import.

    Installed packages count by their names and versions. What a module has read from elsewhere, as
    a number of a file, counts by its value if a function may freeze it. ImportingError where such a
    value cannot be told, and where something is imported by a name that no source says, has no
    source, or was changed while this process ran.
    """
    digest = hashlib.sha256(_installed().encode())
    if module not in sys.modules:
        raise ImportingError(module)
    own, found, left = module.partition(".")[0], set[str](), [module]
    read = dict[str, _Source]()
    while left:
        name = left.pop()
        if name in found:
            continue
        found.add(name)
        left.append(name.rpartition(".")[0])  # the name may be that of a constant in a module
        path = _file_of(name) if name in sys.modules else None  # others had no part in it so far
        if path is None or (_is_installed(path) and name.partition(".")[0] != own):
            continue
        source = read[name] = _read(path)
        package = (getattr(sys.modules[name], "__package__", None) or "").split(".")
        for dots, imported in source.imports:
            above = package[: len(package) + 1 - dots] if dots else []
            left.append(".".join([*above, imported]).strip("."))
        digest.update(f"{name} ".encode() + source.digest)
    used = frozenset[str]().union(*(source.used for source in read.values()))
    homes = set[str]()
    for name in sorted(read):
        for variable, value in sorted(vars(sys.modules[name]).items()):
            if variable in used:
                digest.update(f"{name}.{variable} {_frozen(value, homes)!r} ".encode())
    for home in homes - found:
        path = _file_of(home) if home in sys.modules else None
        if home not in sys.modules or (path is not None and not _is_installed(path)):
            raise ImportingError(home)  # its source is none of those in the digest
    return digest.hexdigest()


LITERALS = (bool, int, float, complex, str, bytes, type(None), type(...))
# What hints and compilers are told of types; the types themselves count by their fields.
OF_TYPES = ("__future__", "numba.core.types", "numpy.dtypes", "types", "typing")


def _frozen(value: Any, homes: set[str]) -> object:
    """What compiled code may have of a value: numbers, texts, arrays, fields, functions.

    `homes` gets the modules in which functions stand. ImportingError for a value of which compiled
    code may have something that is not known here.
    """
    kind = type(value)
    if kind in LITERALS:
        return value
    if isinstance(value, Enum):
        return _frozen(kind, homes), value.name
    if isinstance(value, tuple | list):
        return getattr(kind, "_fields", ()), [_frozen(part, homes) for part in value]
    if isinstance(value, set | frozenset):
        return sorted(repr(_frozen(part, homes)) for part in value)
    if isinstance(value, type):
        members = getattr(value, "__members__", {}) if issubclass(value, Enum) else {}
        listed = [(name, _frozen(member.value, homes)) for name, member in members.items()]
        return value.__module__, value.__qualname__, getattr(value, "_fields", ()), listed
    if hasattr(kind, "dtype"):  # an array or a number of NumPy's
        return str(value.dtype), value.shape, value.tobytes()
    if isinstance(value, ModuleType):
        homes.add(value.__name__)
        return value.__name__
    if any(f"{kind.__module__}.".startswith(f"{module}.") for module in OF_TYPES):
        return _text(value)
    if callable(value) and hasattr(value, "__qualname__"):
        return _frozen_function(value, homes)
    import numba

    try:
        numba.typeof(value)
    except ValueError:
        return ""  # the compiler takes no such value
    raise ImportingError(kind)


def _frozen_function(function: Any, homes: set[str]) -> object:
    """What compiled code may have of a function, besides the source that it stands in."""
    from inspect import unwrap

    plain = function.py_func if hasattr(function, "py_func") else unwrap(function)
    if plain is not function and getattr(plain, "__closure__", None):
        raise ImportingError(plain)
    if plain.__module__ is not None:
        homes.add(plain.__module__)
    options = [  # of how it is compiled
        (name, _text(sorted(option) if isinstance(option, set | frozenset) else option))
        for name, option in sorted(getattr(function, "targetoptions", {}).items())
    ]
    defaults = _frozen(getattr(plain, "__defaults__", None), homes)
    code = _frozen_code(getattr(plain, "__code__", None), homes)
    return plain.__module__, plain.__qualname__, options, defaults, code


def _text(value: object) -> str:
    """A value as it is written, where that is so in each process."""
    text = repr(value)
    if " at 0x" in text:
        raise ImportingError(type(value))
    return text


def _frozen_code(code: CodeType | None, homes: set[str]) -> object:
    """What tells functions of one name apart, as two lambdas in a line."""
    if code is None:
        return None
    parts = [
        _frozen_code(part, homes) if isinstance(part, CodeType) else _frozen(part, homes)
        for part in code.co_consts
    ]
    return code.co_firstlineno, code.co_code, code.co_names, parts


def _file_of(module: str) -> Path | None:
    """The source of a module; None if it is Python's or the package's, or there is no code."""
    loaded = sys.modules[module]
    given = getattr(loaded, "__file__", None)
    if given is None:
        if module in sys.builtin_module_names or hasattr(loaded, "__path__"):
            return None
        raise ImportingError(module)
    path = Path(given).resolve()
    pythons = path.is_relative_to(STANDARD) and not _is_installed(path)
    return None if pythons or str(path) in _own_sources() else path


@lru_cache(maxsize=1)
def _own_sources() -> frozenset[str]:
    return frozenset(_sources(str(PACKAGE)))


def _is_installed(path: Path) -> bool:
    return not {"site-packages", "dist-packages"}.isdisjoint(path.parts)


@lru_cache(maxsize=1)
def _installed() -> str:
    """The names and versions of all installed packages."""
    folders = [path for path in map(Path, sys.path) if _is_installed(path) and path.is_dir()]
    return repr(sorted(path.name for folder in folders for path in folder.glob("*.dist-info")))


BY_NAME = {"__import__", "import_module", "exec_module", "run_module", "run_path", "exec", "eval"}


@lru_cache(maxsize=1000)
def _read(path: Path) -> _Source:
    """Return the source at a path."""
    import ast

    imports, used = list[tuple[int, str]](), set[str]()
    try:
        content = path.read_bytes()
        if path.suffix != ".py" or path.stat().st_mtime > BEGUN:
            raise ImportingError(path)
        for node in ast.walk(ast.parse(content)):
            if isinstance(node, ast.Import):
                imports += [(0, alias.name) for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                base = node.module or ""
                imports += [(node.level, f"{base}.{alias.name}".strip(".")) for alias in node.names]
            elif {getattr(node, "id", ""), getattr(node, "attr", "")} & BY_NAME:
                raise ImportingError(path)
            elif isinstance(node, ast.FunctionDef | ast.Lambda):
                inside = list(ast.walk(node))
                used |= {part.id for part in inside if isinstance(part, ast.Name)}
                used |= {part.attr for part in inside if isinstance(part, ast.Attribute)}
    except (OSError, SyntaxError, ValueError):
        raise ImportingError(path) from None
    return _Source(hashlib.sha256(content).digest(), tuple(imports), frozenset(used))


CACHE_FOLDER = find_cache_folder()


# Who is told when functions begin to be compiled, and when all of them are.
#
# It imports nothing, so that a command can ask to be told before it knows whether it needs Numba.

# Called with True when a compilation begins, with False when it ends. There is one at a time.
watchers: list[Callable[[bool], None]] = []
