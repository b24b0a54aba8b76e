"""Where compiled code is kept: a private folder that carries a digest of all compiled sources.

Numba's own cache looks only at the file of the function itself, so a change in a helper that
another file calls would go unseen. Here whatever changes makes another folder, and nothing stale
is loaded. It is the first that can be written, and that nobody else can write to, of
NUMBA_CACHE_DIR, the package's own, the user's cache; with none, functions are compiled anew in
each process. Nothing is imported for it that takes long: a command asks, before it loads the
compiler, whether a person will have to wait for it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
import tempfile
import time
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


def source_digest() -> str:
    """A digest of every source file that holds compiled functions, and of what compiles them.

    Such a file has the word jit or numba in it.
    """
    compiler = f"{sys.implementation.cache_tag} {version('numba')} {version('numpy')}"
    digest = hashlib.sha256(compiler.encode())
    for path in sorted(PACKAGE.rglob("*.py")):
        source = path.read_bytes()
        if b"jit" in source or b"numba" in source:
            digest.update(path.relative_to(PACKAGE).as_posix().encode() + source)
    return digest.hexdigest()[:16]


def find_cache_folder() -> str | None:
    """A private folder for compiled code, or None where there is none."""
    user = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    given = os.environ.get("NUMBA_CACHE_DIR")
    parents = [Path(given)] if given else [PACKAGE / "__pycache__", Path(user)]
    for parent in parents:
        folder = private_folder(parent / f"inarow-{source_digest()}")
        if folder is None:
            continue
        if parent == PACKAGE / "__pycache__":
            _drop_stale(parent, folder)
        return str(folder)
    return None


def _drop_stale(parent: Path, current: Path) -> None:
    """Removes compiled code of earlier sources of this same installation.

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
    """Whether a folder is open to its user alone, and nobody else can put another in its place."""
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


CACHE_FOLDER = find_cache_folder()
