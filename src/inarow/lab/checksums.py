"""Tables of a study, and checksums of their rows: what changed since is noticed, not believed.

Each row carries the CRC-32 of its other columns, so any damage of up to 32 bits in a row is found,
and any other but for one in four thousand million. Whoever writes a file on purpose writes its
checksums too. So the tables must be those that are declared here, which leaves no room for views
that never end, and every value of the type that its column says, which SQLite does not ask for.
"""

from __future__ import annotations

import re
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from zlib import crc32

from inarow.game import InputError

TABLES = {
    "study": """CREATE TABLE study (
      name TEXT NOT NULL PRIMARY KEY,
      work TEXT NOT NULL,
      version TEXT NOT NULL,          -- of inarow, which the measurements depend on
      configs INTEGER NOT NULL,         -- how many
      checksum INTEGER NOT NULL       -- of the columns before it, as in every table
    ) WITHOUT ROWID""",
    "configs": """CREATE TABLE configs (
      config INTEGER NOT NULL PRIMARY KEY,
      parameters TEXT NOT NULL,       -- JSON
      checksum INTEGER NOT NULL
    ) WITHOUT ROWID""",
    "units": """CREATE TABLE units (    -- a config with a seed, once some of its work is stored
      config INTEGER NOT NULL,
      seed INTEGER NOT NULL,
      points INTEGER NOT NULL,        -- how many points it went on
      share REAL NOT NULL,            -- of its work that is done
      finished INTEGER NOT NULL,
      state BLOB,                     -- where to resume; NULL when finished
      checksum INTEGER NOT NULL,
      PRIMARY KEY (config, seed)
    ) WITHOUT ROWID""",
    "measurements": """CREATE TABLE measurements (
      config INTEGER NOT NULL,
      seed INTEGER NOT NULL,
      games INTEGER NOT NULL,
      metric TEXT NOT NULL,
      value REAL NOT NULL,
      checksum INTEGER NOT NULL,
      PRIMARY KEY (config, metric, seed, games)
    ) WITHOUT ROWID""",
}
LARGEST = sys.float_info.max


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
    if not _has_our_tables(connection):
        return "its tables are not those of a study"
    for (problem,) in connection.execute("PRAGMA quick_check(1)"):
        if problem != "ok":
            return str(problem)
    connection.create_function("row_checksum", -1, row_checksum, deterministic=True)
    for table in TABLES:
        *about, _ = connection.execute(f"PRAGMA table_info({table})").fetchall()
        columns = [name for _, name, *_ in about]
        names = ", ".join(columns)
        for wrong, what in (
            (f"checksum IS NOT row_checksum({names})", "is not as it was written"),
            (" OR ".join(_is_wrong(*column[1:4]) for column in about), "holds what it cannot"),
        ):
            found = connection.execute(
                f"SELECT {names} FROM {table} WHERE {wrong} LIMIT 1"
            ).fetchone()
            if found is not None:
                shown = zip(columns, found, strict=True)
                row = ", ".join(f"{name} {value!r}" for name, value in shown if name != "state")
                return f"the row of {table} with {row} {what}"
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


def _has_our_tables(connection: sqlite3.Connection) -> bool:
    """Whether the file has the tables that are declared here, and nothing beside them."""
    found = connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    wanted = {("table", name, _meaning(statement)) for name, statement in TABLES.items()}
    return {(kind, name, _meaning(sql or "")) for kind, name, sql in found} == wanted


def _meaning(statement: str) -> str:
    """A statement without its comments, in one line."""
    return " ".join(re.sub(r"--[^\n]*", " ", statement).split())


def _is_wrong(name: str, declared: str, required: int) -> str:
    """SQL for: a column holds a value of another type than it declares, or no finite number."""
    wrong = f"typeof({name}) <> '{declared.lower()}'"
    if declared == "REAL":
        wrong += f" OR {name} NOT BETWEEN {-LARGEST!r} AND {LARGEST!r}"
    return f"({wrong})" if required else f"({name} IS NOT NULL AND {wrong})"


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
