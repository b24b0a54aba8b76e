"""Files read whole, and written whole or not at all; the memory of the machine."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from inarow.game.errors import InputError

MODE = 0o644  # of a new file
LARGEST = 2**30 + 2**24  # bytes of a file that is read, where nothing else is said


def read_whole(path: Path, most: int = LARGEST) -> bytes:
    """Return what a file holds; InputError in one line where it cannot be read.

    A file may say that it is larger than any memory and take no room on the disk.
    """
    try:
        _check_kind(path)
        if (size := path.stat().st_size) > most:
            raise OSError(f"it has {size:,} bytes, and the limit is {most:,}")
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None


def write_whole(path: Path, content: bytes) -> None:
    """Write a file aside and rename it, so that nobody ever sees half of it.

    When this returns, the file is on the disk and not only on its way there.
    """
    target = Path(os.path.realpath(path))  # through a link, which stays one
    aside = _begin(path, target)
    try:
        with aside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # or a power cut may leave the new name and none of the bytes
        aside.chmod(stat.S_IMODE(target.stat().st_mode) if target.exists() else MODE)
        aside.replace(target)
        _sync_folder(target.parent)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        aside.unlink(missing_ok=True)  # gone if all went well


def check_writable(path: Path) -> None:
    """Raise InputError now if `write_whole` would fail there; change nothing."""
    _begin(path, Path(os.path.realpath(path))).unlink()


def _begin(path: Path, target: Path) -> Path:
    """Make an empty file beside the target."""
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


def _sync_folder(folder: Path) -> None:
    """Make a new name in a folder outlast a power cut, where the system can."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # not every system opens folders, and a name may be written and not read
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some file systems have no such thing
            raise
    finally:
        os.close(handle)


def _check_kind(path: Path) -> None:
    """Raise OSError for what is not a file: a pipe would wait, a device must stay."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError("it is not a file")


# How much memory there is, for people and for programs.

UNKNOWN = 2**32  # bytes of a machine that does not say how much memory it has
CONTAINER = Path("/sys/fs/cgroup/memory.max")  # where Linux says what a container may take


def machine_bytes() -> int:
    """The memory of this machine, or of the container that this runs in."""
    known = UNKNOWN
    with suppress(AttributeError, ValueError, OSError):  # not every system tells
        known = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(ValueError, OSError):
        known = min(known, int(CONTAINER.read_text()))
    return known


def bytes_text(size: int) -> str:
    """A number of bytes for people, of any size."""
    for unit, word in ((2**40, "TB"), (2**30, "GB")):
        if size >= unit:
            # A whole number of hundreds of digits has no quotient that is a float.
            return f"{size // unit:,} {word}" if size < 1000 * unit else f"over 1,000 {word}"
    return f"{max(1, size // 2**20):,} MB"
