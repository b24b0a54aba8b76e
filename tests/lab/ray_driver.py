"""A study on a Ray cluster of its own, for tests to kill: `python -m tests.lab.ray_driver FILE`."""

import subprocess
import sys
from pathlib import Path

from inarow.lab.runner import run_study
from inarow.lab.study import Study, grid
from tests.lab.counting_work import NAME

if __name__ == "__main__":
    subprocess.Popen(["sleep", "300"])  # a process of its own, not Ray's
    endless = Study("endless", grid(points=10**6, step=[1, 5]), NAME)
    run_study(endless, Path(sys.argv[1]), 1, on="ray", seconds=0.2)
