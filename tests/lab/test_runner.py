"""The study runner: the same rows however the work is cut, scheduled, stopped or killed."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import sqlite3
import sys
import threading
import time
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from inarow.game import InputError
from inarow.lab.studies.runner import EXECUTORS, Executor, Stopped, run_study
from inarow.lab.studies.store import Key, Store
from inarow.lab.studies.study import Measurement, Study, grid, run_slice
from tests.lab.counting_work import NAME, CountingWork

ROOT = Path(__file__).parents[2]
SMALL = Study("small", grid(points=[3, 8], step=[1, 20]), NAME)
LONG = Study("long", grid(points=30, step=[1, 5, 40]), NAME)


def rows_of(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables as they lie there, every number to its last bit."""
    with sqlite3.connect(path) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master ORDER BY name").fetchall()
        rows = {
            table: [
                tuple(value.hex() if isinstance(value, float) else value for value in row)
                for row in connection.execute(f"SELECT * FROM {table}")
            ]
            for (table,) in tables
        }
    connection.close()
    assert set(rows) == {"study", "configs", "units", "measurements"}
    return rows


def test_every_unit_is_run_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    run_study(SMALL, path, runs=3)
    rows = rows_of(path)
    assert len(rows["units"]) == 4 * 3
    for config, _, points, share, finished, state in rows["units"]:
        assert points == SMALL.configs[config]["points"]
        assert (share, finished, state) == ((1.0).hex(), 1, None)
    assert len(rows["measurements"]) == 3 * 2 * (3 + 1 + 8 + 1)
    whole = run_slice(NAME, SMALL.configs[3], 2, None, 60.0)
    with Store.open(path) as store:
        assert store.final(3, "total")[2] == whole.measurements[-2].value
    assert [file.name for file in tmp_path.iterdir()] == ["study.db"]  # nothing left beside it


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("seconds", [0.0, 0.002, 60.0])
def test_the_rows_do_not_depend_on_workers_or_slices(
    tmp_path: Path, workers: int, seconds: float
) -> None:
    one, other = tmp_path / "one.db", tmp_path / "other.db"
    run_study(SMALL, one, 4, workers=1)
    run_study(SMALL, other, 4, workers=workers, seconds=seconds)
    assert rows_of(one) == rows_of(other)


def test_more_runs_are_added(tmp_path: Path) -> None:
    grown, whole = tmp_path / "grown.db", tmp_path / "whole.db"
    run_study(SMALL, grown, 2)
    run_study(SMALL, grown, 5)
    run_study(SMALL, grown, 3)  # all there: nothing to do
    run_study(SMALL, whole, 5)
    assert rows_of(grown) == rows_of(whole)
    run_study(SMALL, grown, 1, seed=9)
    with Store.open(grown) as store:
        assert store.finished(0) == [0, 1, 2, 3, 4, 9]


def test_what_is_finished_is_not_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"
    monkeypatch.setenv("COUNTING_LOG", str(log))
    run_study(SMALL, tmp_path / "study.db", 2)
    before = log.read_text()
    assert len(before.splitlines()) == 2 * 2 * (3 + 8)
    run_study(SMALL, tmp_path / "study.db", 2)
    assert log.read_text() == before


def run_in_child(path: str, runs: int, workers: int, pause: str) -> None:
    os.environ["COUNTING_PAUSE"] = pause
    run_study(LONG, Path(path), runs, workers=workers, seconds=0.03)


@pytest.mark.parametrize("workers", [1, 2])
def test_killed_ten_times_it_ends_with_the_same_rows(tmp_path: Path, workers: int) -> None:
    alone, killed = tmp_path / "alone.db", tmp_path / "killed.db"
    runs, pause = 4 * workers, 0.01  # 3.6 seconds of work a worker, and 3 at most until all kills
    run_study(LONG, alone, runs)
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["tests.lab.test_runner"])
    first = processes.Process(target=int)  # children are forked from a process that has imported
    first.start()
    first.join()
    moments, half_done, measurements = random.Random(workers), 0, []
    for _ in range(10):
        child = processes.Process(
            target=run_in_child, args=(str(killed), runs, workers, str(pause))
        )
        child.start()
        child.join(moments.uniform(0.02, 0.3))
        assert child.exitcode is None  # the study was under way
        child.kill()
        child.join()
        assert child.exitcode == -signal.SIGKILL
        with sqlite3.connect(killed) as connection:
            units = "SELECT count(*) FROM sqlite_master WHERE name = 'units'"
            if connection.execute(units).fetchone()[0]:
                states = "SELECT count(*) FROM units WHERE state IS NOT NULL"
                half_done += connection.execute(states).fetchone()[0]
                count = "SELECT count(*) FROM measurements"
                measurements.append(connection.execute(count).fetchone()[0])
        connection.close()
    assert half_done >= 5
    assert len(set(measurements)) >= 5
    assert measurements == sorted(measurements)
    assert measurements[-1] < 3 * runs * 31
    run_study(LONG, killed, runs, workers=workers)
    assert rows_of(killed) == rows_of(alone)


def test_two_processes_at_once_do_no_harm(tmp_path: Path) -> None:
    """They write the same rows, and neither undoes what the other has done."""
    alone, shared = tmp_path / "alone.db", tmp_path / "shared.db"
    run_study(LONG, alone, 3)
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["tests.lab.test_runner"])
    children = [
        processes.Process(target=run_in_child, args=(str(shared), 3, 2, "0.003")) for _ in range(3)
    ]
    for child in children:
        child.start()
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [0, 0, 0]
    assert rows_of(shared) == rows_of(alone)
    assert {file.name for file in tmp_path.iterdir()} == {"alone.db", "shared.db"}


class Keeping:
    """A pool that keeps its units in memory, as a processor with memory of its own does.

    Before the second slice of a unit is handed out, another process stores one more point.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.kept = dict[tuple[int, int], bytes | None]()
        self.given = list[bool]()  # whether a state came with a slice, in turn

    def __enter__(self) -> Keeping:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def capacity(self) -> int:
        return 1

    def keeps(self, config: dict[str, Any], seed: int) -> bool:
        number = SMALL.configs.index(config)
        if (number, seed) in self.kept and len(self.given) == 1:
            with Store.create(self.path, SMALL) as store:
                before = store.unit(Key(number, seed))
                piece = self.slice_of(number, seed, before.state)
                store.commit([(Key(number, seed), before.points, piece)])
        return (number, seed) in self.kept

    def slice_of(self, number: int, seed: int, state: bytes | None) -> Any:
        return run_slice(NAME, SMALL.configs[number], seed, state, 0.0)

    def submit(
        self, work: str, config: dict[str, Any], seed: int, state: bytes | None, seconds: float
    ) -> Future[Any]:
        del work, seconds
        number = SMALL.configs.index(config)
        self.given.append(state is not None)
        piece = self.slice_of(number, seed, state or self.kept.get((number, seed)))
        self.kept[number, seed] = piece.state
        future = Future[Any]()
        future.set_result(piece)
        return future

    def start(self) -> None:
        pass

    def withdraw(self, future: Future[Any]) -> None:
        future.cancel()


def test_a_pool_that_keeps_units_is_told_what_another_process_has_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone, shared = tmp_path / "alone.db", tmp_path / "shared.db"
    run_study(SMALL, alone, 1)
    pool = Keeping(shared)
    monkeypatch.setitem(EXECUTORS, "keeping", lambda: Executor(lambda workers: pool))
    run_study(SMALL, shared, 1, on="keeping")
    assert pool.given[:3] == [False, True, False]  # it was behind once, and told so
    assert not any(pool.given[2:])
    with Store.open(shared) as store:
        for config in range(4):
            unit = store.unit(Key(config, 0))
            assert unit.points == SMALL.configs[config]["points"]
    assert rows_of(shared) == rows_of(alone)


def tell_after(points: int, log: Path, number: int) -> threading.Thread:
    """Sends this process a signal when so many points are in the log: the study is under way."""

    def wait_and_tell() -> None:
        while not log.exists() or len(log.read_text().splitlines()) < points:
            time.sleep(0.005)
        os.kill(os.getpid(), number)

    teller = threading.Thread(target=wait_and_tell, daemon=True)
    teller.start()
    return teller


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_told_to_stop_it_stores_what_is_under_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    path, alone = tmp_path / "study.db", tmp_path / "alone.db"
    log = tmp_path / "log"
    run_study(LONG, alone, 2)
    monkeypatch.setenv("COUNTING_LOG", str(log))
    monkeypatch.setenv("COUNTING_PAUSE", "0.02")
    before = signal.getsignal(number)
    teller = tell_after(20, log, number)
    with pytest.raises(Stopped, match=r"^stopped: \d of 6 runs are finished.*the same command"):
        run_study(LONG, path, 2, workers=2, seconds=0.1)
    teller.join()
    assert signal.getsignal(number) == before
    with Store.open(path) as store:
        begun = store.begun()
        stored = sum(
            store.unit(Key(config, seed)).points for config in range(3) for seed in range(2)
        )
    assert begun
    assert len(log.read_text().splitlines()) == stored < 6 * 30  # nothing was done in vain
    monkeypatch.delenv("COUNTING_PAUSE")
    run_study(LONG, path, 2)
    assert rows_of(path) == rows_of(alone)


def test_told_to_stop_it_begins_nothing_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even what was in line for the one worker."""
    log = tmp_path / "log"
    monkeypatch.setenv("COUNTING_LOG", str(log))
    monkeypatch.setenv("COUNTING_PAUSE", "0.02")
    teller = tell_after(1, log, signal.SIGINT)
    with pytest.raises(Stopped):
        run_study(LONG, tmp_path / "study.db", 2, workers=1, seconds=0.4)
    teller.join()
    with Store.open(tmp_path / "study.db") as store:
        assert set(store.begun()) == {(0, 0)}


def test_it_runs_in_a_thread_too(tmp_path: Path) -> None:
    """Only the main thread can be told of signals."""
    thread = threading.Thread(target=run_study, args=(SMALL, tmp_path / "study.db", 1))
    thread.start()
    thread.join()
    assert len(rows_of(tmp_path / "study.db")["units"]) == 4


def test_a_failure_names_its_unit_and_keeps_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    study = Study("failing", grid(points=6, step=1, fails_at=[99, 4]), NAME)
    with pytest.raises(InputError) as failed:
        run_study(study, path, 3, workers=1, seconds=0.0)
    assert str(failed.value) == (
        'config 1 {"points": 6, "step": 1, "fails_at": 4} with seed 0 failed: '
        "weights are not finite"
    )
    with Store.open(path) as store:
        assert store.unit(Key(1, 0)).points == 4
        assert store.unit(Key(0, 0)).points > 0


def test_a_mistake_in_a_work_is_one_line_too(tmp_path: Path) -> None:
    study = Study("mistaken", ({"points": 2},), NAME)
    with pytest.raises(InputError, match=r"config 0 .* seed 0 failed: KeyError: 'step'") as failed:
        run_study(study, tmp_path / "study.db", 1)
    assert isinstance(failed.value.__cause__, KeyError)  # whoever looks for it finds where


@pytest.mark.parametrize("seconds", [0.0, 60.0])
def test_progress_goes_from_0_to_1(tmp_path: Path, seconds: float) -> None:
    shares: list[float] = []
    run_study(LONG, tmp_path / "study.db", 2, progress=shares.append, seconds=seconds)
    assert (shares[0], shares[-1]) == (0, 1)
    assert shares == sorted(shares)
    assert len(set(shares)) > (50 if seconds == 0 else 3)
    shares.clear()
    run_study(LONG, tmp_path / "study.db", 4, progress=shares.append)
    assert (shares[0], shares[-1]) == (0.5, 1)  # half of it is there


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"runs": 0}, "runs must be between 1 and .*, not 0"),
        ({"seed": -1}, "seed -1 must be"),
        ({"seed": 2**63}, "must be a whole number"),
        ({"workers": 0}, "workers must be 1 or more, not 0"),
        ({"on": "slurm"}, "cannot run on 'slurm': there is threads, ray, cuda"),
        ({"study": Study("x", ({},), "no.such:Work")}, "no.such:Work: there is no module no here"),
        ({"study": Study("x", ({},), "json:Work")}, "json has no Work"),
        ({"study": Study("x", ({},), "json:dumps")}, "'json:dumps' is not a work: it has no begin"),
        ({"study": Study("x", ({},), "json")}, "'json' names nothing: write module:Class"),
    ],
)
def test_bad_input_is_said_before_anything_is_written(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    given = {"study": SMALL, "path": tmp_path / "study.db", "runs": 1, **changes}
    with pytest.raises(InputError, match=message):
        run_study(**given)
    assert list(tmp_path.iterdir()) == []


def test_without_ray_it_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InputError, match=r"pip install 'inarow\[ray\]'"):
        run_study(SMALL, tmp_path / "study.db", 1, on="ray")


def test_figures_must_be_numbers() -> None:
    with pytest.raises(InputError, match="total after 1 games is nan, which is not a number"):
        run_slice(f"{__name__}:Unmeasurable", {"points": 2, "step": 1}, 0, None, 1.0)


class Unmeasurable(CountingWork):
    """A work that measures what is no number."""

    def advance(self) -> list[Measurement]:
        """As ever, but for the value."""
        return [measurement._replace(value=float("nan")) for measurement in super().advance()]
