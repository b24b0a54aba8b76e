"""What visitors have, on the disk: a restart of the server, however it ended, comes back to it.

Each visitor has a folder in `.visitors` of the server's folder, named by the id in the browser's
signed cookie; the key that signs it lies beside. Files are written aside and renamed before
anything is told to a page, so what a visitor has seen is there after a `kill -9`. They are not
forced onto the disk: after a power cut the last seconds may be missing.
"""

from __future__ import annotations

import json
import logging
import os
import re
import secrets
import shutil
import threading
import time
from contextlib import suppress
from pathlib import Path

ROOT, SECRET = ".visitors", "secret"
KEPT_SECONDS = 14 * 24 * 3600.0  # as long as a browser keeps the cookie
MOST = 2000  # visitors of whom something is kept
IDENTITY = re.compile(r"[0-9a-f-]{36}")

log = logging.getLogger("inarow")


class VisitorFiles:
    """The folder of one visitor; without a place, nothing is kept."""

    def __init__(self, place: Path | None = None) -> None:
        self.place = place
        self._lock = threading.Lock()

    def write(self, name: str, content: bytes) -> None:
        """Keeps a file, in place of one of the same name."""
        with self._lock:
            if self.place is None:
                return
            try:
                self.place.mkdir(parents=True, exist_ok=True)
                aside = self.place / f"{name}.new"
                aside.write_bytes(content)
                aside.replace(self.place / name)
            except OSError as error:
                log.warning("a visitor's %s is not kept: %s", name, error.strerror)

    def write_json(self, name: str, content: object) -> None:
        """The same for what JSON can say."""
        self.write(name, json.dumps(content).encode())

    def read(self, name: str) -> bytes | None:
        """What was kept, if anything was."""
        if self.place is None:
            return None
        try:
            return (self.place / name).read_bytes()
        except OSError:
            return None

    def read_json(self, name: str) -> dict[str, object]:
        """The same for what JSON says; nothing if it cannot be read."""
        with suppress(ValueError):
            found = json.loads(self.read(name) or b"{}")
            if isinstance(found, dict):
                return found
        return {}

    def names(self, pattern: str) -> list[str]:
        """The files that are kept, of a pattern."""
        return sorted(path.name for path in self.place.glob(pattern)) if self.place else []

    def bytes_of_all(self, pattern: str) -> int:
        """What the files of a pattern take, those of all visitors together."""
        found = 0
        for path in self.place.parent.glob(f"*/{pattern}") if self.place else ():
            with suppress(OSError):
                found += path.stat().st_size
        return found

    def remove(self, name: str) -> None:
        """Forgets a file."""
        with self._lock, suppress(OSError):
            if self.place is not None:
                (self.place / name).unlink(missing_ok=True)

    def end(self) -> None:
        """Writes nothing any more."""
        with self._lock:
            self.place = None


class VisitorStore:
    """The folders of all visitors of a server."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / ROOT

    def files_of(self, identity: str) -> VisitorFiles:
        """A visitor's own."""
        known = IDENTITY.fullmatch(identity)  # whatever else a cookie says is no name of a folder
        return VisitorFiles(self.root / identity if known else None)

    def identities(self) -> list[str]:
        """Whoever has something here; what nobody has come back to for weeks is removed."""
        found = []
        for place in self.root.glob("*-*"):
            with suppress(OSError):
                if IDENTITY.fullmatch(place.name):
                    found.append((place.stat().st_mtime, place.name))
        kept = [entry for entry in sorted(found)[-MOST:] if time.time() - entry[0] < KEPT_SECONDS]
        for entry in set(found) - set(kept):
            shutil.rmtree(self.root / entry[1], ignore_errors=True)
        return [name for _, name in kept]

    def secret(self) -> str:
        """The key that signs cookies: the same after a restart, and nobody else's to read."""
        path = self.root / SECRET
        with suppress(OSError):
            if kept := path.read_text("ascii").strip():
                return kept
        made = secrets.token_hex(32)
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
                file.write(made)
        except OSError as error:
            log.warning("nothing will be kept over a restart: %s", error.strerror)
        return made
