"""Checksums of a study's rows: what a disk or a copy changed is noticed before it is believed.

Each row carries the CRC-32 of its other columns, so any damage of up to 32 bits in a row is found,
and any other but for one in four thousand million.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from zlib import crc32

from inarow.game import InputError

# The columns of each table that its checksum covers; the first ones name the row.
COVERED = {
    "study": ("name", "work", "version", "configs"),
    "configs": ("config", "parameters"),
    "units": ("config", "seed", "points", "share", "finished", "state"),
    "measurements": ("config", "seed", "games", "metric", "value"),
}


def row_checksum(*values: object) -> int:
    """The checksum of a row, of values as SQLite gives them back."""
    total = 0
    for value in values:
        if isinstance(value, bytes):
            total = crc32(value, crc32(b"%d " % len(value), total))
        else:
            # 0.0 and -0.0 are one key of a cache, and two texts.
            content = _content.__wrapped__(value) if value == 0 else _content(value)
            total = crc32(content, total)
    return total


@lru_cache(maxsize=2**16, typed=True)
def _content(value: object) -> bytes:
    """What the checksum covers of a value: rows of a study have most of theirs in common."""
    content = repr(value).encode()
    return b"%d %s" % (len(content), content)


def find_damage(connection: sqlite3.Connection) -> str | None:
    """What is wrong with a study's database, if anything is; the first thing found."""
    connection.create_function("row_checksum", -1, row_checksum, deterministic=True)
    for (problem,) in connection.execute("PRAGMA quick_check(1)"):
        if problem != "ok":
            return str(problem)
    for table, columns in COVERED.items():
        names = ", ".join(columns)
        found = connection.execute(
            f"SELECT {names} FROM {table} WHERE checksum IS NOT row_checksum({names}) LIMIT 1"
        ).fetchone()
        if found is not None:
            shown = zip(columns, found, strict=True)
            row = ", ".join(f"{name} {value!r}" for name, value in shown if name != "state")
            return f"the row of {table} with {row} is not as it was written"
    studies = connection.execute("SELECT configs FROM study").fetchall()
    if len(studies) != 1:
        return "it does not say which study it holds"
    configs = int(studies[0][0])
    if connection.execute("SELECT COUNT(*), MAX(config) FROM configs").fetchone() != (
        configs,
        configs - 1,
    ):
        return "some of its configs are missing"
    for table in ("units", "measurements"):
        question = (
            f"SELECT config FROM {table} WHERE config NOT IN (SELECT config FROM configs) LIMIT 1"
        )
        if connection.execute(question).fetchone() is not None:
            return f"there are {table} of a config that it does not have"
    return None


@contextmanager
def clearly(path: Path, purpose: str) -> Iterator[None]:
    """What SQLite has to complain of, in one line that names the file."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is damaged: {error}") from None
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", None)
        if code == sqlite3.SQLITE_NOTADB:
            raise InputError(f"{path} is not a database of a study") from None
        if code == sqlite3.SQLITE_CORRUPT or isinstance(error, sqlite3.DataError):
            raise InputError(f"{path} is damaged: {error}") from None
        raise InputError(f"cannot {purpose} {path}: {error}") from None
