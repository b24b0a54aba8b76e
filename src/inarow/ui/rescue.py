"""Runs that cannot be saved where they should be: hours of work do not end with a full disk."""

from __future__ import annotations

import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from inarow.game import InputError

if TYPE_CHECKING:
    from inarow.lab.training.run import Run

RESCUE_SECONDS = 600.0  # for which a run is held that can be saved nowhere
RETRY_SECONDS = 5.0  # between two tries to save it


def save_meanwhile(run: Run, path: Path) -> None:
    """Saves on the way; a disk that is full now may have room later, so training goes on."""
    if problem := save_or_say(run, path):
        print(f"warning: {problem}; training goes on, and saves again later", file=sys.stderr)


def save_or_say(run: Run, path: Path) -> InputError | None:
    """Saves a run; what went wrong, if anything did."""
    try:
        run.save(path)
    except InputError as error:
        return error
    return None


def rescue(run: Run, path: Path, problem: InputError) -> None:
    """Saves a run elsewhere, or waits until there is room.

    That it lies elsewhere is an error: whoever goes on looks for the file at `path`.
    """
    end, warned = time.monotonic() + RESCUE_SECONDS, False
    while True:
        for kept in _other_places(run, path):
            if save_or_say(run, kept) is None:
                raise InputError(f"{problem}; the agent is saved as {kept} instead")
        if time.monotonic() > end:
            raise InputError(f"{problem}; no other place has room either, and the run is lost")
        if not warned:
            print(
                f"warning: {problem}, and no other place has room: make some. Saving is tried "
                f"again for {RESCUE_SECONDS / 60:.0f} minutes; Ctrl-C gives the run up",
                file=sys.stderr,
                flush=True,
            )
            warned = True
        time.sleep(RETRY_SECONDS)
        if save_or_say(run, path) is None:
            return


def _other_places(run: Run, path: Path) -> list[Path]:
    """Files that are not there yet, in folders that may lie on other disks."""
    folders = [path.absolute().parent, Path.cwd(), Path(tempfile.gettempdir())]
    with suppress(RuntimeError):  # nobody has to have a home
        folders.insert(2, Path.home())
    places = (folder / f"{path.stem}-{run.games}-rescued{path.suffix}" for folder in folders)
    return [place for place in places if not place.exists()]
