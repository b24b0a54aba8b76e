"""What studies keep, written on purpose: databases, states, work on books."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import cache
from typing import Any

from inarow.game import game as game_of
from inarow.lab.plots.plot import plot
from inarow.lab.studies.results import export_csv, final_rows
from inarow.lab.studies.store import Key, Store
from inarow.lab.studies.study import Measurement, Slice, Study, check_configs, grid, work_of
from inarow.search.opening_book import make_book
from tests.fuzz.files import folder
from tests.fuzz.mutate import bent_agent, bent_bytes, bent_json, bent_text, odd

COLUMNS = {
    "study": ("name", "work", "version", "configs"),
    "configs": ("config", "parameters"),
    "units": ("config", "seed", "points", "share", "finished", "state"),
    "measurements": ("config", "seed", "games", "metric", "value"),
}
SCHEMAS = (
    "DROP TABLE {0}",
    "ALTER TABLE {0} ADD COLUMN more",
    "CREATE TRIGGER some AFTER INSERT ON {0} BEGIN DELETE FROM study; END",
    "CREATE INDEX some ON {0}(config)",
    "CREATE VIEW some AS SELECT 1",
    "DROP TABLE {0}; CREATE VIEW {0} AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1"
    " FROM r) SELECT 0 config, n seed, n games, 'x' metric, 1.0 value, 0 points, 1 share,"
    " 1 finished, NULL state, 'x' name, 'x' work, 'x' version, 1 configs, '{}' parameters"
    " FROM r",
)


def _recorded(path: Any) -> None:
    with Store.create(path, Study("fuzz", grid(game="tictactoe", learner=["q", "td"]))) as store:
        for seed in range(4):
            measured = [Measurement(games, "lost", games / 7 + seed) for games in (10, 20, 30)]
            state = b"x" if seed == 3 else None
            store.commit([(Key(seed % 2, seed), 0, Slice(3, measured, state, seed != 3, 1.0))])


@cache
def _sound_database() -> bytes:
    path = folder() / "recorded.db"
    _recorded(path)
    return path.read_bytes()


def crafted_databases(chance: random.Random) -> None:
    """Rows of any types, whatever the tables allow; other tables; drawn and exported."""
    path = folder() / "crafted.db"
    for other in path.parent.glob("crafted.db*"):
        other.unlink()
    path.write_bytes(_sound_database())
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        if chance.random() < 0.8:
            database.execute("PRAGMA ignore_check_constraints = ON")
        for _ in range(chance.choice((0, 1, 1, 2))):
            table = chance.choice(list(COLUMNS))
            column = chance.choice(COLUMNS[table])
            value = odd(chance)
            if column == "parameters":
                value = bent_json(b'{"game": "tictactoe", "learner": "q"}', chance)
                value = value.decode("utf-8", "replace") if chance.random() < 0.8 else value
            try:
                if chance.random() < 0.2:
                    database.executescript(chance.choice(SCHEMAS).replace("{0}", table))
                    continue
                first = COLUMNS[table][0]
                some = chance.choice(("", f" WHERE {first} = (SELECT MAX({first}) FROM {table})"))
                database.execute(f"UPDATE {table} SET {column} = ?{some}", (value,))
            except (sqlite3.Error, OverflowError, UnicodeEncodeError, TypeError):
                continue
    with Store.open(path) as store:
        final_rows(store)
        export_csv(store, folder() / "crafted.csv")
        for config in range(len(store.configs())):
            store.unit(Key(config, 3))
            store.begun()
    drawn = plot(path)
    drawn.text()
    drawn.as_json()


WORKS: dict[str, tuple[str, dict[str, Any]]] = {
    "minimax": (
        "inarow.papers.connect_four.minimax:GameWork",
        {"program": "naive", "board": [4, 4], "depth": 2},
    ),
    "pair": (
        "inarow.papers.connect_four.tdl:PairWork",
        {
            "game": "connect4:4x4", "network": {"tuples": 3, "length": 3}, "games": 50,
            "every": 10, "evaluated": 2, "referee": None, "target": 0.9, "below": False,
            "perfect_games": 0,
        },
    ),
    "ntuple": (
        "inarow.papers.connect_four.tdl:TDLWork",
        {"game": "connect4:4x4", "learner": "ntuple", "tuples": 3, "length": 3, "games": 1000},
    ),
}  # fmt: skip


@cache
def _work_state(name: str) -> bytes:
    work, config = WORKS[name]
    unit = work_of(work).begin(config, 1)
    unit.advance()
    return unit.state()


def work_states(chance: random.Random) -> None:
    """A study of another work than training goes on from a state."""
    name = chance.choice(list(WORKS))
    (work, config), state = WORKS[name], _work_state(name)
    if name == "minimax":
        state = bent_json(state, chance)
    elif name == "ntuple" and chance.random() < 0.7:
        state = state[:8] + bent_agent(state[8:], chance)
    else:
        state = bent_bytes(state, chance, 500)
    unit = work_of(work).resume(config, 1, state)
    if not unit.finished and name != "ntuple":
        unit.advance()
    unit.state()


def configs(chance: random.Random) -> None:
    """Parameters of a study, of any work: refused before anything runs, or possible."""
    work, config = WORKS[chance.choice(list(WORKS))]
    changed = {**config, **chance.choice(({}, {"evaluations": ["exact"]}, {"start": config}))}
    changed[chance.choice(list(changed))] = odd(chance)
    study = Study("some", (changed,), work)
    check_configs(study)


@cache
def _book_work() -> bytes:
    path = folder() / "sound.work"
    make_book(game_of("connect4:4x4"), 2, path, threads=1)
    return path.read_bytes()


def book_works(chance: random.Random) -> None:
    """The making of a book goes on from what was solved before."""
    path = folder() / "some.work"
    for other in path.parent.glob("some.work*"):
        shutil.rmtree(other) if other.is_dir() else other.unlink()
    path.write_bytes(_book_work())
    if chance.random() < 0.5:
        path.write_bytes(bent_bytes(_book_work(), chance, 4096))
    else:
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            try:
                table, column = chance.choice(
                    (("score", "score"), ("score", "key"), ("book", "game"), ("book", "ply"))
                )
                value = odd(chance) if chance.random() < 0.7 else bent_text("connect4:4x4", chance)
                database.execute(f"UPDATE {table} SET {column} = ?", (value,))
                if chance.random() < 0.2:
                    database.execute("DROP TABLE " + chance.choice(("score", "book")))
            except (sqlite3.Error, OverflowError, UnicodeEncodeError):
                pass
    make_book(game_of("connect4:4x4"), 2, path, threads=1)


TARGETS: dict[str, Callable[[random.Random], None]] = {
    "crafted databases": crafted_databases,
    "work states": work_states,
    "configs": configs,
    "book works": book_works,
}
