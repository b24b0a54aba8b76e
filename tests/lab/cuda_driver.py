"""Studies on Numba's simulated GPU, compared with threads. A process of its own runs it.

Called as `python -m tests.lab.cuda_driver FOLDER` with NUMBA_ENABLE_CUDASIM=1.
"""

from __future__ import annotations

import sys
from pathlib import Path

from inarow.engine.cuda import SIMULATED
from inarow.lab.runner import run_study
from inarow.lab.study import Study, grid

TESTS = ["games:random:20:second", "sides:attack:5", "exact"]
TABLES = Study(
    "tables",
    grid(
        game="tictactoe", learner="td", against=["attack", "combined"], games=60, record=20,
        evaluate_at=[[30]], evaluations=[TESTS], alpha="0.3*0.99", side="both",
    ),
)  # fmt: skip


def run_and_kill(study: Study, folder: Path) -> None:
    """On threads, on the GPU, and on the GPU again with a kill at every stored slice."""
    run_study(study, folder / "threads.db", 3, on="threads")
    run_study(study, folder / "cuda.db", 3, on="cuda")
    stored, kills = 0, 0

    def kill(share: float) -> None:
        nonlocal stored
        if share > stored:
            stored = share
            raise ConnectionAbortedError

    while stored < 1:
        try:
            run_study(study, folder / "killed.db", 3, 4, "cuda", kill, seconds=0.0)
        except ConnectionAbortedError:
            kills += 1
    run_study(study, folder / "killed.db", 3, 4, "cuda")
    assert kills > 3, kills


if __name__ == "__main__":
    assert SIMULATED
    run_and_kill(TABLES, Path(sys.argv[1]))
