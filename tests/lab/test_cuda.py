"""Studies on a GPU: the kernels under Numba's simulator give the rows that threads give."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import Future
from pathlib import Path

from inarow.cuda.groups import OnGPU, Order
from inarow.game import InputError
from inarow.lab.studies.study import Slice
from tests.lab.test_runner import ROOT, rows_of

ABSENT = """
import sys
from pathlib import Path
from inarow.game import InputError
from inarow.lab.studies.runner import run_study
from inarow.lab.studies.study import Study, grid

study = Study("none", grid(game="tictactoe", learner="td", against="attack", games=10))
run_study(study, Path(sys.argv[1]) / "threads.db", 1)
assert not [name for name in sys.modules if "cuda" in name and "inarow" in name], "imported"
assert "numba.cuda.cudadrv.driver" not in sys.modules
try:
    run_study(study, Path(sys.argv[1]) / "cuda.db", 1, on="cuda")
except InputError as error:
    print(error)
"""


ONCE = """
import threading, time
from inarow.cuda.kernels import Launched

class Kernel:
    begun, compiled, early = 0, False, 0
    def __getitem__(self, shape):
        return self.launch
    def launch(self):
        self.begun += 1
        self.early += not self.compiled
        time.sleep(0.1)  # as if it compiled
        self.compiled = True

kernel = Kernel()
launched = Launched(kernel)
threads = [threading.Thread(target=lambda: launched[1, 1]()) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(kernel.begun, kernel.early)
"""


def python(*arguments: str, **settings: str) -> str:
    """What a Python program prints, in a process with these settings."""
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", **settings}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_simulated_gpu_gives_the_rows_of_threads_also_when_it_is_killed(tmp_path: Path) -> None:
    python("-m", "tests.lab.cuda_driver", str(tmp_path), NUMBA_ENABLE_CUDASIM="1")
    rows = rows_of(tmp_path / "threads.db")
    assert len(rows["units"]) == 2 * 3
    assert rows_of(tmp_path / "cuda.db") == rows
    assert rows_of(tmp_path / "killed.db") == rows


def test_networks_on_a_simulated_gpu_play_the_games_of_a_processor() -> None:
    python("-m", "tests.lab.cuda_driver", NUMBA_ENABLE_CUDASIM="1")


def test_a_run_that_fails_while_its_slice_is_stored_says_so_when_the_next_one_is_wanted() -> None:
    config = {"game": "tictactoe", "learner": "td", "against": "attack", "games": 10}
    first, second = Future[Slice](), Future[Slice]()
    run = OnGPU(Order(config, 3, None, 1.0, first))
    assert run.make()
    run.end_slice(over=False)
    assert not first.result().finished
    run.fail(InputError("training diverged"))
    assert run.here, "or it would begin anew"
    run.attach(second)
    assert str(second.exception()) == "training diverged"
    assert not run.here


def test_without_a_gpu_there_is_a_line_and_nothing_of_cuda_is_imported(tmp_path: Path) -> None:
    said = python("-c", ABSENT, str(tmp_path))
    assert said == "no GPU that CUDA can use was found: run on threads instead\n"
    assert not (tmp_path / "cuda.db").exists()


def test_threads_that_launch_a_kernel_compile_it_once() -> None:
    assert python("-c", ONCE) == "4 1\n"
