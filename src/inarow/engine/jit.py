"""The one decorator for compiled functions: Numba, cached on disk where a folder can be written.

Numba's own cache looks only at the file of the function itself, so a change in a helper that
another file calls would go unseen. Here the cache folder carries a digest of the whole package's
source: whatever changes, nothing stale is loaded. The folder is the first that can be written of
NUMBA_CACHE_DIR, the package's own, the user's cache; with none, functions are compiled anew in
each process.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import config

Function = TypeVar("Function", bound=Callable[..., Any])

PACKAGE = Path(__file__).resolve().parent.parent


def source_digest() -> str:
    """A digest of every source file of the package, and of what compiles it."""
    digest = hashlib.sha256(f"{numba.__version__} {config.CPU_NAME}".encode())
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(path.relative_to(PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def find_cache_folder() -> str | None:
    """A folder for compiled code, or None where none can be written."""
    user = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    given = os.environ.get("NUMBA_CACHE_DIR")
    parents = [Path(given)] if given else [PACKAGE / "__pycache__", Path(user)]
    for parent in parents:
        folder = parent / f"inarow-{source_digest()}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError:
            continue
        if parent == PACKAGE / "__pycache__":
            _drop_stale(parent, folder)
        return str(folder)
    return None


def _drop_stale(parent: Path, current: Path) -> None:
    """Removes compiled code of earlier sources of this same installation."""
    for folder in parent.glob("inarow-*"):
        if folder != current:
            shutil.rmtree(folder, ignore_errors=True)


CACHE_FOLDER = find_cache_folder()


def jit(function: Function) -> Function:
    """Compiles a function on its first call. It runs without Python and without its lock."""
    before = config.CACHE_DIR
    config.CACHE_DIR = CACHE_FOLDER or ""
    try:
        compiled = numba.njit(cache=CACHE_FOLDER is not None, nogil=True, error_model="numpy")(
            function
        )
    finally:
        config.CACHE_DIR = before
    return cast(Function, compiled)
