"""Agents from a visitor's own files: in memory while they are used, on the disk over a restart."""

from __future__ import annotations

import threading
from pathlib import Path

from inarow.game import InputError
from inarow.learn.agent import LearnedAgent
from inarow.learn.saved import SUFFIX
from inarow.ui.server.kept import KeptUploads
from inarow.ui.server.players import agent_from
from inarow.ui.server.visitor_files import VisitorFiles

MOST_UPLOADS = 2  # agent files of a visitor that are kept
MOST_KEPT = 2 * 2**30  # bytes on the disk, of all visitors
LIST = "uploads.json"


class Uploads:
    """The last few agents of a visitor, by the names of their files, the oldest first."""

    def __init__(self, files: VisitorFiles) -> None:
        self.files = files
        self.games: dict[str, str] = {}  # what each plays
        self._agents: dict[str, LearnedAgent] = {}  # those that have been read
        self._places: dict[str, int] = {}  # the numbers of those that are on the disk
        self._lock = threading.Lock()
        kept = files.read_as(LIST, KeptUploads)
        for name, (game, place) in kept.root.items() if kept else ():
            if place < MOST_UPLOADS and place not in self._places.values():
                self.games[name], self._places[name] = game, place

    def __len__(self) -> int:
        return len(self.games)

    def __contains__(self, name: str) -> bool:
        return name in self.games

    def __getitem__(self, name: str) -> LearnedAgent:
        """An agent, read from the disk the first time after a restart: not for the event loop."""
        with self._lock:
            if name not in self._agents:
                content = self.files.read(_file(self._places.get(name)))
                if content is None:
                    raise InputError(f"{name} is no longer here: load it again")
                self._agents[name] = _read(content, name)
            return self._agents[name]

    def add(self, name: str, content: bytes) -> str:
        """Keeps one more, and lets the oldest go; the name that it has from now on."""
        agent = _read(content, name)
        name = str(agent.name)
        with self._lock:
            self._drop(name)
            while len(self.games) >= MOST_UPLOADS:
                self._drop(next(iter(self.games)))
            self.games[name], self._agents[name] = agent.game.name, agent
            if self.files.bytes_of_all("upload-*") + len(content) <= MOST_KEPT:
                free = set(range(MOST_UPLOADS)) - set(self._places.values())
                self._places[name] = min(free)
                self.files.write(_file(min(free)), content)
            self._write_list()
        return name

    def path_of(self, name: str) -> Path | None:
        """Where an agent is on the disk, if it is one of these and was kept there."""
        place = self.files.place
        if name not in self._places or place is None:
            return None
        return place / _file(self._places[name])

    def _drop(self, name: str) -> None:
        if name in self.games:
            del self.games[name]
            self._agents.pop(name, None)
            if name in self._places:
                self.files.remove(_file(self._places.pop(name)))

    def _write_list(self) -> None:
        kept = {name: [self.games[name], number] for name, number in self._places.items()}
        self.files.write_json(LIST, kept)


def _file(number: int | None) -> str:
    """A file of the visitor's folder: its name has nothing of what the visitor calls it."""
    return f"upload-{number}.bin"


def _read(content: bytes, name: str) -> LearnedAgent:
    agent = agent_from(content, name)
    agent.name = name if name.endswith(SUFFIX) else name + SUFFIX
    return agent
