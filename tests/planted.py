"""Code lying in wait: it leaves a mark when it runs, so that a test sees that nothing ran it."""

import sys

MODULE = """
from pathlib import Path
Path(__file__).with_name("ran").touch()

class Mine:
    def move(self, position):
        return position.legal_moves[-1]

def lowest(position):
    return position.legal_moves[0]

ready_made, number = Mine(), 7

class NoPlayer:
    pass

class Failing:
    def __init__(self):
        raise OSError("no engine")
    def move(self, position):
        return 0

class Deep:
    def __init__(self, depth):
        self.depth = depth
"""

PROGRAM = """#!/bin/sh
touch "$(dirname "$0")/ran"
read line; echo ready
while read word side board move rest; do echo "$move"; done
"""


class Planted:
    """Where it lies, and by which names it could be run."""

    def __init__(self, folder):
        self.folder, self.mark = folder, folder / "ran"
        program = folder / "planted.sh"
        self.names = ["planted:Mine", "planted:lowest", "planted:ready_made", " planted:Mine "]
        self.names += ["cmd:./planted.sh", f"cmd:{program}", "cmd/1s:./planted.sh"]

    @property
    def ran(self):
        return self.mark.exists() or "planted" in sys.modules
