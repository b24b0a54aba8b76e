"""Files read whole, and written whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from inarow.game.errors import InputError

MODE = 0o644  # of a new file


def read_whole(path: Path) -> bytes:
    """What a file holds, or a line that says why it cannot be read."""
    try:
        _check_kind(path)
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file aside and renames it: nobody ever sees half of it, whatever happens."""
    target = Path(os.path.realpath(path))  # through a link, which stays one
    aside = _begin(path, target)
    try:
        aside.write_bytes(content)
        aside.chmod(stat.S_IMODE(target.stat().st_mode) if target.exists() else MODE)
        aside.replace(target)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        aside.unlink(missing_ok=True)  # gone if all went well


def check_writable(path: Path) -> None:
    """Says so now if `write_whole` would not work there, and leaves alone what is there."""
    _begin(path, Path(os.path.realpath(path))).unlink()


def _begin(path: Path, target: Path) -> Path:
    """An empty file beside the target."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists():
            _check_kind(target)
            if not os.access(target, os.W_OK):
                raise PermissionError(13, os.strerror(13))
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None
    os.close(handle)
    return Path(name)


def _check_kind(path: Path) -> None:
    """Only what is a file: reading a pipe would wait, and a device is not to be replaced."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError("it is no file")
