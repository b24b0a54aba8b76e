"""Where a study is kept: one SQLite file, with all that was measured and where to go on.

A slice of work is one transaction: what it measured and the state to resume from are stored
together or not at all, so a process may be killed at any moment. When a file is opened, its tables
must be those declared here, whole, and every value one that its column can hold. A flipped bit
that turns a stored number into another one is not noticed: that is the business of the disk. No
row says when or where it was made, and tables are kept in the order of their natural keys: the
same study has the same rows in the same order, however its work was cut, scheduled or interrupted.
"""

from __future__ import annotations

import json
import math
import re
import sqlite3
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

import inarow
from inarow.game import InputError
from inarow.lab.studies.study import Config, Measurement, Slice, Study, config_key, config_text

LARGEST = sys.float_info.max
VALUES = {  # what the columns of each table hold: SQLite takes any value in any column
    "study": """typeof(name) = 'text' AND typeof(work) = 'text' AND typeof(version) = 'text'
      AND typeof(configs) = 'integer'""",
    "configs": "typeof(config) = 'integer' AND typeof(parameters) = 'text'",
    "units": f"""typeof(config) = 'integer' AND typeof(seed) = 'integer'
      AND typeof(points) = 'integer' AND typeof(share) = 'real'
      AND share BETWEEN {-LARGEST!r} AND {LARGEST!r}
      AND typeof(finished) = 'integer' AND typeof(state) IN ('blob', 'null')""",
    "measurements": f"""typeof(config) = 'integer' AND typeof(seed) = 'integer'
      AND typeof(games) = 'integer' AND typeof(metric) = 'text' AND typeof(value) = 'real'
      AND value BETWEEN {-LARGEST!r} AND {LARGEST!r}""",
}
TABLES = {
    "study": f"""CREATE TABLE study (
      name TEXT NOT NULL PRIMARY KEY,
      work TEXT NOT NULL,
      version TEXT NOT NULL,          -- of inarow, which the measurements depend on
      configs INTEGER NOT NULL,       -- how many
      CONSTRAINT possible CHECK ({VALUES["study"]})
    ) WITHOUT ROWID""",
    "configs": f"""CREATE TABLE configs (
      config INTEGER NOT NULL PRIMARY KEY,
      parameters TEXT NOT NULL,       -- JSON
      CONSTRAINT possible CHECK ({VALUES["configs"]})
    ) WITHOUT ROWID""",
    "units": f"""CREATE TABLE units (  -- a config with a seed, once some of its work is stored
      config INTEGER NOT NULL,
      seed INTEGER NOT NULL,
      points INTEGER NOT NULL,        -- how many points it went on
      share REAL NOT NULL,            -- of its work that is done
      finished INTEGER NOT NULL,
      state BLOB,                     -- where to resume; NULL when finished
      PRIMARY KEY (config, seed),
      CONSTRAINT possible CHECK ({VALUES["units"]})
    ) WITHOUT ROWID""",
    "measurements": f"""CREATE TABLE measurements (
      config INTEGER NOT NULL,
      seed INTEGER NOT NULL,
      games INTEGER NOT NULL,
      metric TEXT NOT NULL,
      value REAL NOT NULL,
      PRIMARY KEY (config, metric, seed, games),
      CONSTRAINT possible CHECK ({VALUES["measurements"]})
    ) WITHOUT ROWID""",
}
TABLES_3 = {  # the tables of layout 3: with a checksum of each row, which is no longer read
    "study": """CREATE TABLE study (
      name TEXT NOT NULL PRIMARY KEY, work TEXT NOT NULL, version TEXT NOT NULL,
      configs INTEGER NOT NULL, checksum INTEGER NOT NULL ) WITHOUT ROWID""",
    "configs": """CREATE TABLE configs (
      config INTEGER NOT NULL PRIMARY KEY, parameters TEXT NOT NULL,
      checksum INTEGER NOT NULL ) WITHOUT ROWID""",
    "units": """CREATE TABLE units (
      config INTEGER NOT NULL, seed INTEGER NOT NULL, points INTEGER NOT NULL,
      share REAL NOT NULL, finished INTEGER NOT NULL, state BLOB, checksum INTEGER NOT NULL,
      PRIMARY KEY (config, seed) ) WITHOUT ROWID""",
    "measurements": """CREATE TABLE measurements (
      config INTEGER NOT NULL, seed INTEGER NOT NULL, games INTEGER NOT NULL,
      metric TEXT NOT NULL, value REAL NOT NULL, checksum INTEGER NOT NULL,
      PRIMARY KEY (config, metric, seed, games) ) WITHOUT ROWID""",
}
LAYOUT = 4  # of the tables that are made; the number of a file that another layout wrote is another
LAYOUTS = {3: TABLES_3, LAYOUT: TABLES}  # that are opened and go on


def find_damage(connection: sqlite3.Connection, layout: int) -> str | None:
    """Return the first thing that is wrong with a study's database, or None."""
    if not _has_our_tables(connection, LAYOUTS[layout]):
        return "its tables are not those of a study"
    for (problem,) in connection.execute("PRAGMA quick_check(1)"):
        if problem != "ok":
            return str(problem)
    # Layout 3 has no constraints, and SQLite does not read those of a file opened to read only.
    for table, possible in VALUES.items():
        wrong = f"SELECT 1 FROM {table} WHERE NOT ({possible}) LIMIT 1"
        if connection.execute(wrong).fetchone() is not None:
            return f"CHECK constraint failed in {table}"
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


def _has_our_tables(connection: sqlite3.Connection, tables: dict[str, str]) -> bool:
    """Return whether the file has the tables of a layout, and nothing beside them."""
    found = connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    wanted = {("table", name, _meaning(statement)) for name, statement in tables.items()}
    return {(kind, name, _meaning(str(sql))) for kind, name, sql in found} == wanted


def _meaning(statement: str) -> str:
    """Return a statement without its comments, in one line."""
    return " ".join(re.sub(r"--[^\n]*", " ", statement).split())


@contextmanager
def clearly(path: Path, purpose: str) -> Iterator[None]:
    """Raise what SQLite complains of as InputError in one line that names the file."""
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


# What a study's database answers: its configs, and what was measured in the runs of each.

Value = str | float | bytes | None  # what a database holds


class Key(NamedTuple):
    """The name of a unit: its config's number and its seed."""

    config: int
    seed: int


class StudyReader:
    """A connection to a study's database, and questions to it; `Store` opens and writes it."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self._connection = path, connection
        self.seeds: range | None = None  # only these are read; None: all

    def _rows(self, question: str, *values: Value) -> list[tuple[Any, ...]]:
        with clearly(self.path, "read"):
            return self._connection.execute(question, values).fetchall()

    @property
    def study(self) -> Study:
        """The study that is kept here."""
        name, work = self._rows("SELECT name, work FROM study")[0]
        return Study(name, tuple(self.configs()), work)

    @property
    def version(self) -> str:
        """Version of inarow that ran the study."""
        return str(self._rows("SELECT version FROM study")[0][0])

    def configs(self) -> list[Config]:
        """Return the parameters of each config, by its number."""
        texts = self._rows("SELECT parameters FROM configs ORDER BY config")
        return [_config(text) for (text,) in texts]

    def begun(self) -> dict[Key, float]:
        """Return how much is done of each unit that is not finished."""
        found = self._rows("SELECT config, seed, share FROM units WHERE NOT finished")
        return {Key(config, seed): share for config, seed, share in found}

    def finished(self, config: int) -> list[int]:
        """Return the seeds with which a config has run to its end."""
        found = self._rows(
            "SELECT seed FROM units WHERE config = ? AND finished ORDER BY seed", config
        )
        return [seed for (seed,) in found if self.seeds is None or seed in self.seeds]

    def metrics(self, config: int) -> list[str]:
        """Return the metrics that were measured in a config."""
        found = self._rows(
            "SELECT DISTINCT metric FROM measurements WHERE config = ? ORDER BY metric", config
        )
        return [metric for (metric,) in found]

    def final(self, config: int, metric: str) -> npt.NDArray[np.float64]:
        """The last value of a metric in each finished run, by seed; nan where it has none."""
        found = self._rows(
            "SELECT seed, MAX(games), value FROM measurements"
            " WHERE config = ? AND metric = ? GROUP BY seed",
            *(config, metric),
        )
        values = {seed: value for seed, _, value in found}
        return np.array([values.get(seed, np.nan) for seed in self.finished(config)], np.float64)

    def curve(
        self, config: int, metric: str, unfinished: bool = False
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """A metric over the games played, and its value in each finished run: [seeds, games].

        It is nan where a run did not measure it, as when runs end at different lengths. If asked
        for, those that go on follow.
        """
        found = self._rows(
            "SELECT seed, games, value FROM measurements WHERE config = ? AND metric = ?",
            config,
            metric,
        )
        seeds = self.finished(config)
        if unfinished:
            going = sorted(key.seed for key in self.begun() if key.config == config)
            seeds += [seed for seed in going if self.seeds is None or seed in self.seeds]
        rows = {seed: row for row, seed in enumerate(seeds)}
        found = [point for point in found if point[0] in rows]
        games = np.unique(np.array([point[1] for point in found], np.int64))
        values = np.full((len(rows), len(games)), np.nan)
        if found:
            places = np.searchsorted(games, [point[1] for point in found])
            values[[rows[point[0]] for point in found], places] = [point[2] for point in found]
        return games, values

    def measurements(self) -> Iterator[tuple[Key, Measurement]]:
        """Yield all that was measured, also in runs that go on, in the order of the keys."""
        question = (
            "SELECT config, seed, games, metric, value FROM measurements"
            " ORDER BY config, metric, seed, games"
        )
        with clearly(self.path, "read"):
            for config, seed, games, metric, value in self._connection.execute(question):
                yield Key(config, seed), Measurement(games, metric, value)


def _config(text: str) -> Config:
    """Return the parameters that JSON says, which anybody may have written."""
    try:
        found = json.loads(text)
        if not isinstance(found, dict):
            raise TypeError
    except (ValueError, TypeError, RecursionError):
        raise InputError(f"{text[:40]!r} says no parameters of a config") from None
    return found


# The store.

APPLICATION = 0x1A40  # says in the file's header that it is ours
PATIENCE = 60.0  # seconds to wait for another process that is writing


class Unit(NamedTuple):
    """Progress of one unit: a config with a seed."""

    points: int
    share: float
    finished: bool
    state: bytes | None


NOTHING_DONE = Unit(0, 0.0, False, None)


class Store(StudyReader):
    """A study's database, opened with `Store.open` to read and `Store.create` to run it."""

    layout = LAYOUT  # of its tables

    @classmethod
    def open(cls, path: Path, seeds: range | None = None, known: bool = False) -> Self:
        """Open a study that is kept there, to read; or only its runs with some seeds.

        One that this process has just read or written is known to be whole.
        """
        if not path.is_file():
            raise InputError(f"there is no study at {path}")
        with clearly(path, "read"):
            store = cls(path, _connect(path, "ro"))
            try:
                store._check()
                if not known:
                    store.check()
            except BaseException:
                store._connection.close()
                raise
        store.seeds = seeds
        return store

    @classmethod
    def create(cls, path: Path, study: Study) -> Self:
        """Open the study to run it: the same study, if it is kept there, or a new file for it."""
        with clearly(path, "write"):
            store = cls(path, _connect(path, "rwc"))
            try:
                store._begin(study)
                store._connection.execute("PRAGMA synchronous = NORMAL")
                with suppress(sqlite3.OperationalError):  # another process is in the way: slower
                    store._connection.execute("PRAGMA journal_mode = WAL")
            except BaseException:
                store._connection.close()
                raise
        return store

    @classmethod
    def in_memory(cls, study: Study) -> Self:
        """Return a new store that lasts as long as the program uses it."""
        connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        store = cls(Path(":memory:"), connection)
        store._begin(study)
        return store

    def _begin(self, study: Study) -> None:
        """Write the study into an empty file; raise InputError if a file holds another one."""
        with self._transaction():
            if not self._rows("SELECT name FROM sqlite_master LIMIT 1"):
                for statement in TABLES.values():
                    self._connection.execute(statement)
                self._describe(study)
                self._connection.execute(f"PRAGMA application_id = {APPLICATION}")
                self._connection.execute(f"PRAGMA user_version = {LAYOUT}")
                return
        self._check()
        self.check()
        stored, other = self.study, "choose another file"
        if stored != study:
            with self._transaction():
                if not self._rows("SELECT config FROM units LIMIT 1"):
                    # Nothing came of it: it was perhaps mistyped, and this is what was meant.
                    self._connection.execute("DELETE FROM study")
                    self._connection.execute("DELETE FROM configs")
                    self._describe(study)
                    return
        if (stored.name, stored.work) != (study.name, study.work):
            raise InputError(
                f"{self.path} holds the study {stored.name!r} of {stored.work}: {other}"
            )
        if [*map(config_key, stored.configs)] != [*map(config_key, study.configs)]:
            raise InputError(f"{self.path} holds {stored.name!r} with other configs: {other}")
        if self.version != inarow.__version__:
            raise InputError(
                f"{self.path} was begun with inarow {self.version}, this is {inarow.__version__},"
                f" and measurements of the two do not mix: {other}"
            )

    def grow(self, study: Study) -> None:
        """Add configs: those that are kept here are the first ones of the study."""
        kept = self.study
        if replace(study, configs=study.configs[: len(kept.configs)]) != kept:
            raise InputError(f"{self.path} holds {kept.name!r} with other configs")
        with clearly(self.path, "write"), self._transaction():
            self._connection.execute("DELETE FROM study")
            self._connection.execute("DELETE FROM configs")
            self._describe(study)

    def _describe(self, study: Study) -> None:
        """Write the rows that describe the study."""
        about = (study.name, study.work, inarow.__version__, len(study.configs))
        self._write("INSERT INTO study", about)
        for row in enumerate(map(config_text, study.configs)):
            self._write("INSERT INTO configs", row)

    def _check(self) -> None:
        """Raise InputError if this is no study's file, or of a layout that is not known here."""
        application = self._rows("PRAGMA application_id")[0][0]
        self.layout = self._rows("PRAGMA user_version")[0][0]
        if application != APPLICATION:
            raise InputError(f"{self.path} is a database, but not of a study")
        if self.layout not in LAYOUTS:
            again = "; run it again, or read it with the inarow that ran it"
            raise InputError(
                f"{self.path} has layout {self.layout}: this inarow reads layout "
                f"{' and '.join(map(str, LAYOUTS))}{again if self.layout < LAYOUT else ''}"
            )

    def check(self) -> None:
        """Raise InputError if the database is damaged."""
        with clearly(self.path, "read"):
            damage = find_damage(self._connection, self.layout)
        if damage is not None:
            raise InputError(f"{self.path} is damaged: {damage}")
        try:
            _ = self.study
        except InputError as error:
            raise InputError(f"{self.path} is damaged: {error}") from None

    def close(self) -> None:
        """Close it, and leave one whole file that any tool can read."""
        with suppress(sqlite3.Error):  # read only, or another process still runs the study
            self._connection.execute("PRAGMA busy_timeout = 0")
            self._connection.execute("PRAGMA journal_mode = DELETE")
            pages, unused = (self._rows(f"PRAGMA {n}_count")[0][0] for n in ("page", "freelist"))
            if 2 * unused > pages:  # states were there
                self._connection.execute("VACUUM")
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _write(self, statement: str, *rows: tuple[Value, ...], clash: str = "") -> int:
        """Write rows into a table; return how many were written."""
        places = ["?"] * len(rows[0]) + ["0"] * (self.layout == 3)  # a column of checksums
        statement = f"{statement} VALUES ({', '.join(places)})"
        if clash:
            statement += f" ON CONFLICT {clash}"
        return self._connection.executemany(statement, rows).rowcount

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    # Running

    def ended(self) -> set[Key]:
        """Return the units that are finished."""
        return {Key(*row) for row in self._rows("SELECT config, seed FROM units WHERE finished")}

    def unit(self, key: Key, whole: bool = True) -> Unit:
        """Return the progress of a unit, and, if asked for, where to go on."""
        wanted = "points, share, finished" + (", state" if whole else ", NULL")
        found = self._rows(f"SELECT {wanted} FROM units WHERE config = ? AND seed = ?", *key)
        if not found:
            return NOTHING_DONE
        points, share, finished, state = found[0]
        return Unit(points, share, bool(finished), state)

    def commit(self, slices: Iterable[tuple[Key, int, Slice]]) -> None:
        """Store slices with the number of points before each: every one whole, or none.

        Another process may run the same study: where its work is ahead, it stays as it is.
        """
        with clearly(self.path, "write"), self._transaction():
            for key, points, piece in slices:
                points += piece.points
                stored = self._rows(
                    "SELECT points, share, finished FROM units WHERE config = ? AND seed = ?", *key
                )
                if stored and (stored[0][2] or stored[0][:2] >= (points, float(piece.share))):
                    continue
                self._insert(key, piece)
                row = (*key, points, float(piece.share), int(piece.finished), piece.state)
                self._write("INSERT OR REPLACE INTO units", row)

    def _insert(self, key: Key, piece: Slice) -> None:
        rows = [(*key, games, metric, float(value)) for games, metric, value in piece.measurements]
        for _, _, games, metric, value in rows:
            if not math.isfinite(value):
                raise InputError(
                    f"config {key.config}, seed {key.seed}: {metric} after {games} games is "
                    f"{value!r}, which is not a number"
                )
        statement = "INSERT INTO measurements"
        if not rows or self._write(statement, *rows, clash="DO NOTHING") == len(rows):
            return
        for config, seed, games, metric, value in rows:  # the same as before, or a mistake
            stored = self._rows(
                "SELECT value FROM measurements"
                " WHERE config = ? AND seed = ? AND games = ? AND metric = ?",
                *(config, seed, games, metric),
            )[0][0]
            if stored != value:
                raise InputError(
                    f"config {config}, seed {seed}: {metric} after {games} games was measured "
                    f"twice, as {stored!r} and as {value!r}"
                )


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    if mode == "rwc" and not path.absolute().parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {path.parent}")
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}", timeout=PATIENCE, isolation_level=None, uri=True
    )
