"""Studies on a Ray cluster: the rows that threads give, also when a worker is killed."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from inarow.game import InputError
from inarow.lab.studies.ray import HEAD_WAIT
from inarow.lab.studies.runner import run_study
from inarow.lab.studies.study import Study, grid
from tests.lab.counting_work import NAME
from tests.lab.test_runner import ROOT, rows_of

ray = pytest.importorskip("ray")
STUDY = Study("clustered", grid(points=20, step=[1, 5, 40]), NAME)
RUNS, SECONDS, PAUSE = 4, 0.04, 0.01  # slices of some four points


@pytest.fixture(scope="module")
def by_threads(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("threads") / "study.db"
    run_study(STUDY, path, RUNS)
    return rows_of(path)


@pytest.fixture(scope="module")
def variables(
    tmp_path_factory: pytest.TempPathFactory, by_threads: Any
) -> Iterator[dict[str, Path]]:
    """What the nodes are told through their environment: the log to write, and to die once."""
    assert by_threads  # before this process is told so too
    folder = tmp_path_factory.mktemp("ray")
    files = {"COUNTING_LOG": folder / "log", "COUNTING_KILL": folder / "killed"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("PYTHONPATH", str(ROOT))
        patch.setenv("COUNTING_PAUSE", str(PAUSE))
        for name, path in files.items():
            patch.setenv(name, str(path))
        yield files


@pytest.fixture(scope="module")
def _cluster(variables: dict[str, Path]) -> Iterator[None]:
    """Two nodes with one processor each, on this machine."""
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    made.add_node(num_cpus=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_ADDRESS", made.address)
        yield
    made.shutdown()
    assert variables["COUNTING_LOG"].exists()  # or the nodes were told nothing


@pytest.mark.usefixtures("_cluster")
def test_two_nodes_and_a_killed_worker_give_the_rows_of_threads(
    tmp_path: Path, by_threads: Any, variables: dict[str, Path]
) -> None:
    shares: list[float] = []
    path = tmp_path / "study.db"
    run_study(STUDY, path, RUNS, on="ray", progress=shares.append, seconds=SECONDS)
    assert rows_of(path) == by_threads
    assert not ray.is_initialized()
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0, 1)

    assert variables["COUNTING_KILL"].exists()  # a worker killed itself on its way
    lines = variables["COUNTING_LOG"].read_text().splitlines()
    done = Counter(line.rsplit(" ", 1)[0] for line in lines)  # by config, seed and point
    assert len(done) == 3 * RUNS * 20
    again = [point for point, times in done.items() if times > 1]
    assert 1 <= len(again) <= SECONDS / PAUSE + 1  # only the points of the unfinished slice
    assert len({tuple(point.split()[:2]) for point in again}) == 1
    assert len({line.rsplit(" ", 1)[1] for line in lines}) >= 3  # two workers and another


@pytest.mark.usefixtures("_cluster")
def test_what_fails_there_is_named_here(tmp_path: Path) -> None:
    study = Study("failing", grid(points=5, step=1, fails_at=[3]), NAME)
    with pytest.raises(
        InputError, match=r"^config 0 .* with seed 0 failed: weights are not finite$"
    ):
        run_study(study, tmp_path / "study.db", 1, on="ray")


def test_an_address_where_nobody_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(InputError, match=r"no Ray cluster answers at 127\.0\.0\.1:1"):
        run_study(STUDY, tmp_path / "study.db", 1, on="ray")
    assert os.environ[HEAD_WAIT] == "20"  # by itself Ray waits for a minute


@pytest.fixture
def _no_cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """None is named, and none is known from the files that one leaves."""
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with TemporaryDirectory(ignore_cleanup_errors=True) as short:  # as sockets' paths must be
        monkeypatch.setenv("RAY_TMPDIR", short)
        yield


@pytest.mark.usefixtures("variables", "_no_cluster")
def test_without_a_cluster_one_is_started_and_ended(tmp_path: Path, by_threads: Any) -> None:
    before = children()
    run_study(STUDY, tmp_path / "study.db", RUNS, workers=2, on="ray")
    assert rows_of(tmp_path / "study.db") == by_threads
    assert not ray.is_initialized()
    for _ in range(200):  # its workers end when they notice that it has
        if children() <= before:
            break
        time.sleep(0.1)
    assert children() <= before


def children() -> set[str]:
    """The processes that this one, or init in its place, has started for Ray."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            name = (folder / "comm").read_text().strip()
            if name in {"raylet", "gcs_server"} or name.startswith("ray::"):
                parent = (folder / "stat").read_text().rsplit(")", 1)[1].split()[1]
                if parent in {str(os.getpid()), "1"}:
                    found.add(folder.name)
    return found
