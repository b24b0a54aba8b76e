"""The database of a study: whole slices, refusals in one line, and what can be read from it."""

from __future__ import annotations

import csv
import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import inarow
from inarow.game import InputError
from inarow.lab.studies.results import export_csv, final_rows
from inarow.lab.studies.store import NOTHING_DONE, Key, Store, Unit
from inarow.lab.studies.study import Measurement, Slice, Study, grid

STUDY = Study("two", grid(game="tictactoe", games=[10, 20], options={"a": [1, 2]}), "some:Work")
HALF = Slice(2, [Measurement(5, "won", 0.5), Measurement(10, "won", 0.75)], b"state", False, 0.5)
REST = Slice(1, [Measurement(15, "won", 0.25), Measurement(15, "lost", 1.0)], None, True, 1.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "study.db"


def fill(path: Path) -> None:
    """Cell 0: seeds 0 and 2 finished, 1 under way; config 1: seed 0 finished, and shorter."""
    with Store.create(path, STUDY) as store:
        store.commit([(Key(0, 0), 0, HALF), (Key(0, 0), 2, REST), (Key(0, 1), 0, HALF)])
        store.commit([(Key(0, 2), 0, HALF._replace(measurements=[Measurement(5, "won", 0.125)]))])
        store.commit([(Key(0, 2), 2, REST._replace(measurements=[Measurement(15, "won", 3.5)]))])
        store.commit([(Key(1, 0), 0, REST)])


def test_a_slice_comes_back(path: Path) -> None:
    with Store.create(path, STUDY) as store:
        assert store.unit(Key(0, 0)) == NOTHING_DONE
        store.commit([(Key(0, 0), 0, HALF)])
        assert store.unit(Key(0, 0)) == Unit(2, 0.5, False, b"state")
        assert (store.begun(), store.ended()) == ({(0, 0): 0.5}, set())
    with Store.create(path, STUDY) as store:
        assert store.unit(Key(0, 0)) == Unit(2, 0.5, False, b"state")
        store.commit([(Key(0, 0), 2, REST)])
        assert store.unit(Key(0, 0)) == Unit(3, 1.0, True, None)
        assert (store.begun(), store.ended()) == ({}, {(0, 0)})
        assert [measurement for _, measurement in store.measurements()] == [
            REST.measurements[1], *HALF.measurements, REST.measurements[0]
        ]  # fmt: skip


def test_what_is_ahead_is_never_undone(path: Path) -> None:
    """As when another process runs the same study, and is faster or slower."""
    with Store.create(path, STUDY) as one, Store.create(path, STUDY) as other:
        one.commit([(Key(0, 0), 0, HALF)])
        other.commit([(Key(0, 0), 0, Slice(1, HALF.measurements[:1], b"early", False, 0.2))])
        assert one.unit(Key(0, 0)).state == b"state"
        other.commit(
            [(Key(0, 0), 1, Slice(2, [*HALF.measurements[1:], *REST.measurements], None, True, 1))]
        )
        one.commit([(Key(0, 0), 0, HALF)])
        assert one.unit(Key(0, 0)) == other.unit(Key(0, 0)) == Unit(3, 1.0, True, None)
        assert len(list(one.measurements())) == 4


def test_a_batch_is_stored_whole_or_not_at_all(path: Path) -> None:
    wrong = Slice(1, [Measurement(5, "won", 0.6)], b"x", False, 0.7)  # it was 0.5
    with Store.create(path, STUDY) as store:
        store.commit([(Key(0, 0), 0, HALF)])
        with pytest.raises(InputError, match=r"won after 5 games was measured twice, as 0\.5 and"):
            store.commit([(Key(1, 0), 0, REST), (Key(0, 0), 2, wrong)])
        assert store.unit(Key(1, 0)) == NOTHING_DONE
        assert store.unit(Key(0, 0)).points == 2
        assert len(list(store.measurements())) == 2


def test_final_values_by_seed(path: Path) -> None:
    fill(path)
    with Store.open(path) as store:
        assert store.study == STUDY
        assert store.configs() == list(STUDY.configs)
        assert store.metrics(0) == ["lost", "won"]
        assert store.finished(0) == [0, 2]
        assert store.final(0, "won").tolist() == [0.25, 3.5]
        np.testing.assert_array_equal(store.final(0, "lost"), [1.0, np.nan])
        assert store.final(1, "won").tolist() == [0.25]
        assert store.final(1, "drawn").tolist() != []  # one run, which did not measure it
        assert np.isnan(store.final(1, "drawn")).all()


def test_curves_by_seed(path: Path) -> None:
    fill(path)
    with Store.open(path) as store:
        games, values = store.curve(0, "won")
        assert games.tolist() == [5, 10, 15]
        np.testing.assert_array_equal(values, [[0.5, 0.75, 0.25], [0.125, np.nan, 3.5]])
        games, values = store.curve(0, "drawn")
        assert (games.shape, values.shape) == ((0,), (2, 0))


def test_summaries_of_the_final_values(path: Path) -> None:
    fill(path)
    with Store.open(path) as store:
        rows = final_rows(store)
    assert [(row["config"], row["metric"], row["mean"], row["runs"]) for row in rows] == [
        (0, "lost", 1.0, 1),
        (0, "won", 1.875, 2),
        (1, "lost", 1.0, 1),
        (1, "won", 0.25, 1),
    ]
    assert rows[1]["parameters"] == STUDY.configs[0]
    assert rows[1]["stderr"] == pytest.approx(1.625)  # half the distance of the two
    half = 12.7062 * 1.625  # Student's quantile: two runs say little
    expected = pytest.approx((0.0, 1.875 + half), rel=1e-4)  # no share is below 0
    assert (rows[1]["low"], rows[1]["high"]) == expected


def test_csv(path: Path, tmp_path: Path) -> None:
    fill(path)
    out = tmp_path / "study.csv"
    with Store.open(path) as store:
        assert export_csv(store, out) == 10
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 10
    assert rows[1] == {
        "config": "0",
        "game": "tictactoe",
        "config.games": "10",
        "options": '{"a": [1, 2]}',
        "seed": "0",
        "games": "5",
        "metric": "won",
        "value": "0.5",
    }
    assert sorted(file.name for file in tmp_path.iterdir()) == ["study.csv", "study.db"]
    with Store.open(path) as store, pytest.raises(InputError, match=r"cannot write .*no/out\.csv"):
        export_csv(store, tmp_path / "no" / "out.csv")


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (Study("three", STUDY.configs, STUDY.work), "holds the study 'two' of some:Work"),
        (Study("two", STUDY.configs, "other:Work"), "holds the study 'two' of some:Work"),
        (Study("two", STUDY.configs[:1], STUDY.work), "holds 'two' with other configs"),
        (Study("two", grid(x=[1, 2]), STUDY.work), "holds 'two' with other configs"),
    ],
)
def test_another_study_is_refused(path: Path, other: Study, message: str) -> None:
    fill(path)
    before = path.read_bytes()
    with pytest.raises(InputError, match=f"{message}: choose another file"):
        Store.create(path, other)
    assert path.read_bytes() == before


def test_the_order_of_parameters_makes_no_other_study(path: Path) -> None:
    fill(path)
    turned = tuple(dict(reversed(config.items())) for config in STUDY.configs)
    Store.create(path, Study("two", turned, STUDY.work)).close()


def test_another_version_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(path)
    monkeypatch.setattr(inarow, "__version__", "9.9")
    with pytest.raises(InputError, match=r"begun with inarow .*, this is 9\.9.*do not mix"):
        Store.create(path, STUDY)
    Store.open(path).close()  # it can be read


def test_another_layout_is_refused(path: Path) -> None:
    fill(path)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 7")
    connection.close()
    for opened in (lambda: Store.open(path), lambda: Store.create(path, STUDY)):
        with pytest.raises(InputError, match=r"has layout 7: this inarow reads layout 3 and 4$"):
            opened()


@pytest.mark.parametrize("text", ["not a database, and longer than a header of one would be" * 9])
def test_a_file_that_is_no_database_is_refused_and_kept(path: Path, text: str) -> None:
    path.write_text(text)
    for opened in (lambda: Store.open(path), lambda: Store.create(path, STUDY)):
        with pytest.raises(InputError, match=r"study\.db is not a database of a study"):
            opened()
    assert path.read_text() == text


def test_a_foreign_database_is_refused_and_kept(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    before = path.read_bytes()
    for opened in (lambda: Store.open(path), lambda: Store.create(path, STUDY)):
        with pytest.raises(InputError, match="is a database, but not of a study"):
            opened()
    assert path.read_bytes() == before


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot write .*: there is no folder"):
        Store.create(tmp_path / "no" / "study.db", STUDY)
    with pytest.raises(InputError, match=r"cannot write .*: unable to open database file"):
        Store.create(tmp_path, STUDY)
    with pytest.raises(InputError, match="there is no study at"):
        Store.open(tmp_path / "none.db")
    assert list(tmp_path.iterdir()) == []
    if os.geteuid() != 0:  # who may write everywhere
        tmp_path.chmod(0o500)
        with pytest.raises(InputError, match="cannot write"):
            Store.create(tmp_path / "study.db", STUDY)


def test_an_empty_file_becomes_a_study(path: Path) -> None:
    """As a kill right after the file was made leaves it."""
    path.touch()
    fill(path)
    with Store.open(path) as store:
        assert store.finished(0) == [0, 2]


def test_odd_names_of_files(tmp_path: Path) -> None:
    path = tmp_path / "what? 100% #1.db"
    fill(path)
    with Store.open(path) as store:
        assert store.finished(0) == [0, 2]
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_finished_study_does_not_keep_the_room_of_its_states(path: Path) -> None:
    with Store.create(path, STUDY) as store:
        store.commit([(Key(0, 0), 0, HALF._replace(state=bytes(3_000_000)))])
    assert path.stat().st_size > 3_000_000
    with Store.create(path, STUDY) as store:
        store.commit([(Key(0, 0), 2, REST)])
    assert path.stat().st_size < 100_000


def test_only_some_seeds_are_read(path: Path) -> None:
    fill(path)
    with Store.open(path) as store:
        assert store.finished(0) == [0, 2]
        assert store.final(0, "won").tolist() == [0.25, 3.5]
    with Store.open(path, range(1, 3)) as store:
        assert store.finished(0) == [2]
        assert store.final(0, "won").tolist() == [3.5]
        assert store.curve(0, "won")[1].shape[0] == 1


def test_a_single_run_has_no_interval(path: Path) -> None:
    fill(path)
    with Store.open(path, range(1)) as store:
        rows = [row for row in final_rows(store) if row["config"] == 0]
    assert {(row["runs"], row["stderr"], row["low"], row["high"]) for row in rows} == {
        (1, None, None, None)
    }


# Damage


def damaged(content: bytes, place: int, bit: int) -> bytes:
    changed = bytearray(content)
    changed[place] ^= 1 << bit
    return bytes(changed)


def read_all(path: Path) -> list[object]:
    """All that can be asked of a study."""
    with Store.open(path) as store:
        kept = [store.study, store.version, store.ended(), store.begun(), [*store.measurements()]]
        units = [store.unit(Key(config, seed)) for config in range(2) for seed in range(3)]
        store.curve(0, "won")
        return [*kept, units, final_rows(store)]


def complaint(path: Path) -> str:
    """What is said of a damaged file; nothing if it can be read."""
    try:
        read_all(path)
    except InputError as error:
        return str(error)
    return ""


def test_a_changed_bit_is_one_line_or_another_value(path: Path) -> None:
    """Nothing but a study comes back: a bit may change a number, a name or a state in it."""
    fill(path)
    content, told = path.read_bytes(), read_all(path)
    noticed, unnoticed = 0, 0
    for place in range(0, len(content), 7):
        path.write_bytes(damaged(content, place, place % 8))
        said = complaint(path)
        if said:
            assert str(path) in said
            assert len(said.splitlines()) == 1
            noticed += 1
        else:
            unnoticed += read_all(path) != told
            with Store.open(path) as store:
                measured = [one for _, one in store.measurements()]
            assert all(type(one.games) is int and np.isfinite(one.value) for one in measured)
            assert all(isinstance(one.metric, str) for one in measured)
    assert noticed > 5 * unnoticed


def test_a_changed_state_is_the_business_of_the_disk(path: Path) -> None:
    """What `study check` says: no row has a checksum."""
    fill(path)
    content = path.read_bytes()
    path.write_bytes(damaged(content, content.rindex(b"state"), 1))
    assert complaint(path) == ""


def test_a_file_that_ends_early_is_one_line(path: Path) -> None:
    fill(path)
    content = path.read_bytes()
    for length in range(1, len(content), 509):
        path.write_bytes(content[:length])
        with pytest.raises(InputError, match=re.escape(str(path))):
            read_all(path)


def test_a_figure_that_cannot_be_is_noticed(path: Path) -> None:
    fill(path)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA ignore_check_constraints = ON")
        database.execute("UPDATE measurements SET value = 9e999 WHERE value = 0.75")
    for opened in (lambda: Store.open(path), lambda: Store.create(path, STUDY)):
        with pytest.raises(InputError, match="is damaged: CHECK constraint failed in measurements"):
            opened()


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_a_figure_that_is_not_a_number_is_not_stored(path: Path, value: float) -> None:
    measured = [Measurement(5, "won", 0.5), Measurement(10, "lost", value)]
    with Store.create(path, STUDY) as store:
        with pytest.raises(InputError, match=r"seed 2: lost after 10 games is .*, which is not"):
            store.commit([(Key(1, 2), 0, HALF._replace(measurements=measured))])
        assert list(store.measurements()) == []
        assert store.unit(Key(1, 2)) == NOTHING_DONE


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("DELETE FROM configs WHERE config = 1", "some of its configs are missing"),
        ("DELETE FROM configs WHERE config = 0", "some of its configs are missing"),
        ("DELETE FROM study", "it does not say which study it holds"),
        ("UPDATE units SET config = 2 WHERE config = 1", "there are units of a config that it"),
        ("UPDATE configs SET parameters = '{'", "says no parameters of a config"),
    ],
)
def test_what_is_missing_or_changed_is_said(path: Path, change: str, message: str) -> None:
    fill(path)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(change)
    with pytest.raises(InputError, match=message):
        Store.open(path)


def test_a_file_of_an_early_layout_is_one_line(path: Path) -> None:
    fill(path)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA user_version = 1")
    with pytest.raises(InputError, match="has layout 1: this inarow reads layout 3 and 4; run"):
        Store.open(path)


# Of the layout before

EARLIER = {
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


def write_layout_3(path: Path, source: Path) -> None:
    """Writes the study of a file as layout 3 kept it; the checksums are of no row."""
    with closing(sqlite3.connect(source)) as database:
        rows = {table: database.execute(f"SELECT * FROM {table}").fetchall() for table in EARLIER}
        (application,) = database.execute("PRAGMA application_id").fetchone()
    with closing(sqlite3.connect(path)) as database, database:
        for table, statement in EARLIER.items():
            database.execute(statement)
            for row in rows[table]:
                places = ", ".join("?" * len(row))
                database.execute(f"INSERT INTO {table} VALUES ({places}, 123456789)", row)
        database.execute(f"PRAGMA application_id = {application}")
        database.execute("PRAGMA user_version = 3")


def test_a_study_of_layout_3_opens_and_goes_on(path: Path, tmp_path: Path) -> None:
    fill(path)
    earlier = tmp_path / "earlier.db"
    write_layout_3(earlier, path)
    assert read_all(earlier) == read_all(path)
    for one in (earlier, path):
        with Store.create(one, STUDY) as store:
            assert store.unit(Key(0, 1)) == Unit(2, 0.5, False, b"state")
            store.commit([(Key(0, 1), 2, REST), (Key(1, 1), 0, HALF)])
    assert read_all(earlier) == read_all(path)
    with Store.open(earlier) as store:
        assert store.finished(0) == [0, 1, 2]
        assert store.unit(Key(1, 1)) == Unit(2, 0.5, False, b"state")


def test_a_mistyped_study_of_layout_3_is_replaced(tmp_path: Path) -> None:
    """As in any layout, where nothing came of it."""
    path, earlier = tmp_path / "study.db", tmp_path / "earlier.db"
    Store.create(path, Study("typo", STUDY.configs[:1], STUDY.work)).close()
    write_layout_3(earlier, path)
    with Store.create(earlier, STUDY) as store:
        store.commit([(Key(0, 0), 0, HALF)])
    with Store.open(earlier) as store:
        assert store.study == STUDY


# Written on purpose


def craft(path: Path, *statements: str) -> None:
    """Changes a database, whatever its tables allow."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA ignore_check_constraints = ON")
        for statement in statements:
            database.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE measurements SET value = 'x'",
        "UPDATE measurements SET value = 9e999",
        "UPDATE measurements SET games = 'x' || games",
        "UPDATE measurements SET metric = x'ff' WHERE games = 10",
        "UPDATE units SET seed = 's' || seed",
        "UPDATE units SET share = 'x'",
        "UPDATE units SET state = 'x'",
        "UPDATE study SET name = x'ff'",
        "UPDATE study SET configs = 'x'",
        "UPDATE study SET version = x'00'",
        "UPDATE configs SET parameters = '[1]'",
        "UPDATE configs SET parameters = '{' WHERE config = 1",
        "UPDATE configs SET parameters = 'null' WHERE config = 1",
        "UPDATE configs SET parameters = '{\"a\": NaN}' WHERE config = 1",
        "UPDATE configs SET parameters = 5 WHERE config = 1",
        'UPDATE configs SET parameters = \'{"a": "\\ud800"}\' WHERE config = 1',
        "UPDATE configs SET parameters = replace(hex(zeroblob(50000)), '00', '{\"a\":')",
        "UPDATE configs SET parameters = '{\"a\":1' || hex(zeroblob(5000)) || '}'",
        "DROP TABLE measurements",
        "ALTER TABLE units ADD COLUMN more",
        "CREATE TRIGGER some AFTER INSERT ON units BEGIN DELETE FROM measurements; END",
    ],
)
@pytest.mark.parametrize("layout", [3, 4])
def test_rows_that_no_study_writes_are_one_line(
    path: Path, tmp_path: Path, statement: str, layout: int
) -> None:
    """SQLite takes any value in any column, unless a constraint forbids it."""
    fill(path)
    if layout == 3:
        write_layout_3(tmp_path / "earlier.db", path)
        path = tmp_path / "earlier.db"
    craft(path, statement)
    with pytest.raises(InputError, match=f"^{re.escape(str(path))} is damaged: "):
        read_all(path)
    with pytest.raises(InputError, match=f"^{re.escape(str(path))} is damaged: "):
        Store.create(path, STUDY)


def test_a_view_that_never_ends_is_not_read(path: Path) -> None:
    fill(path)
    rows = (
        "WITH RECURSIVE r(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM r) SELECT 0 AS config,"
        " n AS seed, n AS games, 'won' AS metric, 0.5 AS value FROM r"
    )
    craft(path, "DROP TABLE measurements", f"CREATE VIEW measurements AS {rows}")
    assert complaint(path) == f"{path} is damaged: its tables are not those of a study"


def test_tables_with_other_comments_are_the_same(path: Path) -> None:
    """A study that an earlier version of these sentences wrote is still one."""
    fill(path)
    told = read_all(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA writable_schema = ON")
        database.execute("UPDATE sqlite_master SET sql = replace(sql, '-- JSON', '-- as JSON')")
    assert read_all(path) == told
