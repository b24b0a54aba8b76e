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
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from inarow.game import InputError
from inarow.game.errors import printable
from inarow.game.files import read_whole

ROOT, SECRET = ".visitors", "secret"
KEPT_SECONDS = 14 * 24 * 3600.0  # as long as a browser keeps the cookie
MOST = 2000  # visitors of whom something is kept
MOST_BYTES = 512 * 2**20  # of a file that is read
IDENTITY = re.compile(r"[0-9a-f-]{36}")

M = TypeVar("M", bound=BaseModel)

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
            return read_whole(self.place / name, MOST_BYTES)
        except InputError:
            return None

    def read_as(self, name: str, kind: type[M]) -> M | None:
        """The same for JSON, as `kept_models` says what it holds; nothing if it holds no such."""
        content = self.read(name)
        if content is None:
            return None
        try:
            return kind.model_validate_json(content)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"]))
            said = printable(f"{where} {first['msg']}"[:200].strip())
            log.warning("a visitor's %s cannot be used: %s", printable(name), said)
            return None

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
        with suppress(InputError):
            kept = read_whole(path, MOST_BYTES).strip()
            if re.fullmatch(rb"[0-9a-f]{64}", kept):
                return kept.decode()
        made = secrets.token_hex(32)
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            with os.fdopen(
                os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w"
            ) as file:
                file.write(made)
        except OSError as error:
            log.warning("nothing will be kept over a restart: %s", error.strerror)
        return made
