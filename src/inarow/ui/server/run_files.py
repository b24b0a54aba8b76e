"""A training run on the disk: what was told of it, and now and then the state of its training.

A run is a pure function of its order and seed. So what lies between the last state and a kill is
trained again, and comes out as it was told.
"""

from __future__ import annotations

import logging
import re
import threading
import time

from inarow.game import Game, InputError
from inarow.lab.training.run import Run, run_from
from inarow.ui.server.kept import KeptState
from inarow.ui.server.visitor_files import VisitorFiles

LARGEST = 256 * 2**20  # bytes of a state that is kept; a larger run begins anew after a restart
SECONDS = 2.0  # between two states, at least
SHARE = 4  # and so many times as long as writing the last one took

log = logging.getLogger("inarow")


class RunFiles:
    """The two files of one run."""

    def __init__(self, number: int, files: VisitorFiles) -> None:
        self.files, self.stem = files, f"run-{number}"
        self._due = 0.0  # when the next state is written
        self._removed = False
        self._lock = threading.Lock()

    @property
    def games(self) -> int:
        """Games of the state that is kept; 0 without one."""
        kept = self.files.read_as(f"{self.stem}.state.json", KeptState)
        return 0 if kept is None else kept.games

    def write(self, told: dict[str, object]) -> None:
        """What a page may show."""
        with self._lock:
            if not self._removed:
                self.files.write_json(f"{self.stem}.json", told)

    def write_state(self, run: Run, at_once: bool) -> None:
        """What it takes to go on."""
        before = time.monotonic()
        if before < self._due and not at_once:
            return
        content = run.state()
        with self._lock:
            if self._removed or len(content) > LARGEST:
                return
            self.files.write(f"{self.stem}.safetensors", content)
            self.files.write_json(f"{self.stem}.state.json", {"games": run.games})
        now = time.monotonic()
        self._due = now + max(SECONDS, SHARE * (now - before))

    def read_run(self, game: Game, learner: str, against: str | None, seed: int) -> Run | None:
        """The run as it was written last, if it was."""
        content = self.files.read(f"{self.stem}.safetensors")
        if content is None:
            return None
        try:
            run = run_from(content, self.stem)
            same = (run.game, run.learner_name, run.against, run.seed)
            if same != (game, learner, against, seed) or not run.resumable:
                raise InputError(f"{self.stem} holds another run")
            return run
        except InputError as error:
            log.warning("a run begins anew: %s", error)
            return None

    def remove(self) -> None:
        """Delete the run's files and ignore later writes."""
        with self._lock:
            self._removed = True
            for name in ("json", "state.json", "safetensors"):
                self.files.remove(f"{self.stem}.{name}")


def run_numbers(files: VisitorFiles) -> list[int]:
    """The numbers of the runs that are kept."""
    found = (re.fullmatch(r"run-(\d+)\.json", name) for name in files.names("run-*.json"))
    return sorted(int(match[1]) for match in found if match)
