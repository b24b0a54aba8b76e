"""A word to whoever waits while functions are compiled: seconds, after an installation only.

It stands on the error output of a terminal, beneath a progress bar if there is one, and goes when
there is nothing more to wait for. Programs that read the output never see it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rich.progress import Progress, SpinnerColumn, TaskID, TextColumn

from inarow.engine.code_folder import watchers
from inarow.ui import terminal

TEXT = "compiling (first use only)"


class Notice:
    """Shown while something is compiled."""

    def __init__(self) -> None:
        self._bar: Progress | None = None  # in which it is shown now
        self._own = False  # whether there was no other
        self._task = TaskID(0)

    @property
    def shown(self) -> bool:
        """Whether it can be seen now."""
        return self._bar is not None

    def __call__(self, begins: bool) -> None:
        """For `engine.code_folder`."""
        if not begins:
            self.hide()
        elif self._bar is None and sys.stderr.isatty():
            self._show()

    def _show(self) -> None:
        self._own = terminal.bar_in_use is None
        self._bar = terminal.bar_in_use or Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            console=terminal.PlainConsole(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task(TEXT, total=None)
        if self._own:
            self._bar.start()

    def hide(self) -> None:
        """Takes it away, if it is there."""
        if self._bar is not None and self._own:
            self._bar.stop()
        elif self._bar is not None:
            self._bar.remove_task(self._task)
        self._bar = None


notice = Notice()


def announce() -> None:
    """From now on whoever waits for a compilation is told."""
    if notice not in watchers:
        watchers.append(notice)
        terminal.before_bar.append(notice.hide)


def expect() -> None:
    """For commands that need compiled code: where there is none yet, that is said at once.

    The compiler itself takes a while to load.
    """
    from inarow.engine.code_folder import CACHE_FOLDER

    if CACHE_FOLDER is None or not any(Path(CACHE_FOLDER).iterdir()):
        notice(True)
