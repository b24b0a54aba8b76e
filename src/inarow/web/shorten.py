"""Scripts and styles as they are sent: without comments and indentation, line by line."""

from __future__ import annotations

import re

_BLOCK = r"/\*(?:(?!\*/).)*\*/"  # a comment of several lines, or within one
_COMMENTS = re.compile(
    rf"^[ \t]*//[^\n]*\n|^[ \t]*{_BLOCK}[ \t]*\n|/\*\*(?:(?!\*/).)*\*/ ?", re.M | re.S
)


def shortened(text: str) -> str:
    """The text of a script or a style without what only readers of its source need."""
    lines = (line.strip() for line in _COMMENTS.sub("", text).splitlines())
    return "".join(f"{line}\n" for line in lines if line)
