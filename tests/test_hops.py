"""The way from a command to its work is short, and nothing on it only forwards."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).parents[1] / "tools" / "hops.py"
FUNCTIONS = 15  # in a row from the command to the loop that trains
MODULES = 60  # of the package, that come with the driver of training runs


def test_training_is_near_and_loads_little() -> None:
    command = [sys.executable, str(TOOL), "train", "--driver"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = re.search(r"train: (\d+) functions in a row .*, (\d+) only forward;", said)
    imported = re.search(r"imported with \S+: (\d+)", said)
    assert found is not None
    assert imported is not None
    assert 4 <= int(found[1]) <= FUNCTIONS
    assert int(found[2]) == 0
    assert int(imported[1]) <= MODULES
