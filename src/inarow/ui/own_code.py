"""Errors in code of the person's own: a player, a learner, the work of a study."""

from __future__ import annotations

import sys
import sysconfig
import traceback
from pathlib import Path

from inarow.game.errors import printable, visible

PACKAGE = Path(__file__).resolve().parents[1]
INSTALLED = tuple(Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib", "platlib"))


def frames_of_own_code(error: BaseException) -> str | None:
    """The error with the lines of the person's code that led to it; None if none did."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [number for number, frame in enumerate(frames) if _is_ours(frame)]
    own = [frame for frame in frames[inside[0] if inside else 0 :] if _is_own(frame)]
    if not own:
        return None
    said = printable(f"{type(error).__name__}: {error}")
    lines = visible("".join(traceback.format_list(own)).rstrip())
    return f"error: in code of your own: {said}\n{lines}"


def _is_ours(frame: traceback.FrameSummary) -> bool:
    return Path(frame.filename).is_relative_to(PACKAGE)


def _is_own(frame: traceback.FrameSummary) -> bool:
    """Whether a frame is neither of this package, nor installed, nor of Python itself."""
    path = Path(frame.filename)
    if frame.filename.startswith("<") or _is_ours(frame):
        return False
    places = (*INSTALLED, Path(sys.base_prefix))
    return not any(path.is_relative_to(place) for place in places)
