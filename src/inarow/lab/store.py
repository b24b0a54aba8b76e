"""Where a study is kept: one SQLite file, with all that was measured and where to go on.

A slice of work is one transaction: what it measured and the state to resume from are stored
together or not at all, so a process may be killed at any moment. Every row has a checksum, which
is looked at when a file is opened: what was damaged since is not believed. No row says when or
where it was made, and tables are kept in the order of their natural keys: the same study has the
same rows in the same order, however its work was cut, scheduled or interrupted.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import inarow
from inarow.game import InputError
from inarow.lab.checksums import TABLES, clearly, find_damage, row_checksum
from inarow.lab.store_reading import Key as Key
from inarow.lab.store_reading import StudyReader, Value
from inarow.lab.study import Slice, Study, config_key, config_text

APPLICATION = 0x1A40  # says in the file's header that it is ours
LAYOUT = 3  # of the tables; the number of a file that another layout wrote is another
PATIENCE = 60.0  # seconds to wait for another process that is writing


class Unit(NamedTuple):
    """How far a unit is."""

    points: int
    share: float
    finished: bool
    state: bytes | None


NOTHING_DONE = Unit(0, 0.0, False, None)


class Store(StudyReader):
    """A study's database, opened with `Store.open` to read and `Store.create` to run it."""

    @classmethod
    def open(cls, path: Path, seeds: range | None = None, known: bool = False) -> Self:
        """A study that is kept there, to read; or only its runs with some seeds.

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
        """The same study, if it is kept there, or a new file for it: to run."""
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

    def _begin(self, study: Study) -> None:
        """Writes the study into an empty file; makes sure that any other file holds this one."""
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

    def _describe(self, study: Study) -> None:
        """Writes what the study is."""
        about = (study.name, study.work, inarow.__version__, len(study.configs))
        self._write("INSERT INTO study", about)
        for row in enumerate(map(config_text, study.configs)):
            self._write("INSERT INTO configs", row)

    def _check(self) -> None:
        """That this is a study's file at all, of the layout that is known here."""
        application = self._rows("PRAGMA application_id")[0][0]
        layout = self._rows("PRAGMA user_version")[0][0]
        if application != APPLICATION:
            raise InputError(f"{self.path} is a database, but not of a study")
        if layout != LAYOUT:
            again = (
                "; run it again, or read it with the inarow that ran it" if layout < LAYOUT else ""
            )
            raise InputError(
                f"{self.path} has layout {layout}: this inarow reads layout {LAYOUT}{again}"
            )

    def check(self) -> None:
        """Says so if anything in it is not as it was written."""
        with clearly(self.path, "read"):
            damage = find_damage(self._connection)
        if damage is not None:
            raise InputError(f"{self.path} is damaged: {damage}")
        try:
            _ = self.study
        except InputError as error:
            raise InputError(f"{self.path} is damaged: {error}") from None

    def close(self) -> None:
        """Leaves one whole file that any tool can read, also where nothing can be written."""
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

    def _write(self, statement: str, row: tuple[Value, ...]) -> int:
        """Writes a row with its checksum; how many were written."""
        places = ", ".join("?" * (len(row) + 1))
        cursor = self._connection.execute(
            f"{statement} VALUES ({places})", (*row, row_checksum(*row))
        )
        return cursor.rowcount

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
        """The units that are finished."""
        return {Key(*row) for row in self._rows("SELECT config, seed FROM units WHERE finished")}

    def unit(self, key: Key, whole: bool = True) -> Unit:
        """How far a unit is, and, if asked for, where to go on."""
        wanted = "*" if whole else "points, share, finished"
        found = self._rows(f"SELECT {wanted} FROM units WHERE config = ? AND seed = ?", *key)
        if not found:
            return NOTHING_DONE
        if not whole:
            points, share, finished = found[0]
            return Unit(points, share, bool(finished), None)
        *row, checksum = found[0]
        if row_checksum(*row) != checksum:
            raise InputError(f"{self.path} is damaged: the state of {key} is not as it was written")
        points, share, finished, state = row[2:]
        return Unit(points, share, bool(finished), state)

    def commit(self, slices: Iterable[tuple[Key, int, Slice]]) -> None:
        """Stores slices with the number of points before each: every one whole, or none.

        Another process may run the same study: where its work is ahead, it stays as it is.
        """
        with clearly(self.path, "write"), self._transaction():
            for key, points, piece in slices:
                points += piece.points
                stored = self._rows(
                    "SELECT points, finished FROM units WHERE config = ? AND seed = ?", *key
                )
                if stored and (stored[0][1] or stored[0][0] >= points):
                    continue
                self._insert(key, piece)
                row = (*key, points, float(piece.share), int(piece.finished), piece.state)
                self._write("INSERT OR REPLACE INTO units", row)

    def _insert(self, key: Key, piece: Slice) -> None:
        rows = [(*key, games, metric, float(value)) for games, metric, value in piece.measurements]
        statement = "INSERT OR IGNORE INTO measurements VALUES (?, ?, ?, ?, ?, ?)"
        written = self._connection.executemany(
            statement, [(*row, row_checksum(*row)) for row in rows]
        )
        if written.rowcount == len(rows):
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
