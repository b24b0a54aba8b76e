"""Files written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from inarow.game.errors import InputError


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file aside and renames it: nobody ever sees half of it, whatever happens."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
    aside = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        aside.chmod(0o644)
        aside.replace(path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
    finally:
        aside.unlink(missing_ok=True)  # gone if all went well
