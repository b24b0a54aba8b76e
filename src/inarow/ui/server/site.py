"""What all pages share: the folder of saved agents, the queues of work, and the visitors.

A visitor is known by the id that the server gave the browser in a signed cookie, so nobody can
name another's. Looking at pages leaves nothing here: a visitor is remembered from the first run,
arena or agent file on, or while a page listens for events.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

from inarow.game import Game
from inarow.lab.players.protocols import Player, check_plays
from inarow.ui.server.arena_files import ArenaFiles
from inarow.ui.server.arena_jobs import Arenas
from inarow.ui.server.jobs import ACTIVE, JobQueue
from inarow.ui.server.kept import KeptRun
from inarow.ui.server.players import find_file, find_player
from inarow.ui.server.pools import Pools
from inarow.ui.server.run_files import run_numbers
from inarow.ui.server.runs import TrainingRuns
from inarow.ui.server.uploads import Uploads
from inarow.ui.server.visitor_files import VisitorFiles, VisitorStore

MOST_VISITORS = 300  # of more, those without an open page are forgotten, the longest away first
IDLE_SECONDS = 12 * 3600.0  # without a request after which a visitor is forgotten


class Visitor:
    """One browser: its runs, its arena and its agent files, read from the disk when asked for."""

    def __init__(self, identity: str, files: VisitorFiles, site: Site) -> None:
        self.identity, self.files, self.site = identity, files, site
        self.seen = 0.0
        self.streams = 0  # of events, that pages of the browser listen to
        self._lock = threading.RLock()
        self._runs: TrainingRuns | None = None
        self._arenas: Arenas | None = None
        self._uploads: Uploads | None = None

    @property
    def runs(self) -> TrainingRuns:
        """The visitor's training runs: those that are here, or else on the disk."""
        with self._lock:
            if self._runs is None:
                self._runs = TrainingRuns(self.site.training, self.files)
            return self._runs

    @property
    def arenas(self) -> Arenas:
        """The visitor's arena: the one that is here, or else on the disk."""
        with self._lock:
            if self._arenas is None:
                kept = ArenaFiles(self.files, self.agent_file)
                self._arenas = Arenas(self.site.arenas, kept, self.player)
            return self._arenas

    @property
    def uploads(self) -> Uploads:
        """The agents from the visitor's own files."""
        with self._lock:
            if self._uploads is None:
                self._uploads = Uploads(self.files)
            return self._uploads

    def player(self, name: str, game: Game) -> Player:
        """The player of a name: the visitor's own file, or whom anybody may name."""
        if name in self.uploads:
            agent = self.uploads[name]
            check_plays(agent, game)
            return agent
        return find_player(name, game, self.site.folder)

    def agent_file(self, name: str) -> tuple[Path, int]:
        """The file of an agent, and when it was changed: the visitor's own, or a saved one."""
        own = self.uploads.path_of(name)
        return find_file(name, self.site.folder) if own is None else (own, own.stat().st_mtime_ns)

    @property
    def busy(self) -> bool:
        """Whether the visitor is here, or work goes on for them."""
        things = (self._runs, self._arenas)
        return self.streams > 0 or any(thing is not None and thing.busy for thing in things)

    def close(self) -> None:
        """Ends what can be ended; what is on the disk stays there, for a visitor who comes back."""
        self.files.end()
        for thing in (self._runs, self._arenas):
            if thing is not None:
                thing.close()


class Visitors:
    """All of them, at most `most`."""

    def __init__(
        self,
        make: Callable[[str], Visitor],
        most: int = MOST_VISITORS,
        idle: float = IDLE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.make, self.most, self.idle, self.clock = make, most, idle, clock
        self._known: dict[str, Visitor] = {}  # the one who was away longest first
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._known)

    def find(self, identity: str) -> Visitor:
        """The visitor of an id, who is here now."""
        with self._lock:
            visitor = self._known.pop(identity, None) or self.make(identity)
            visitor.seen = self.clock()
            self._known[identity] = visitor
            gone = self._forget()
        for old in gone:
            old.close()
        return visitor

    def _forget(self) -> list[Visitor]:
        """Who was away too long, and those for whom there is no room."""
        gone = list[Visitor]()
        for visitor in list(self._known.values())[:-1]:
            late = self.clock() - visitor.seen > self.idle
            if (late or len(self._known) > self.most) and not visitor.busy:
                gone.append(self._known.pop(visitor.identity))
        return gone

    def close(self) -> None:
        """When the server ends."""
        with self._lock:
            for visitor in self._known.values():
                visitor.close()
            self._known.clear()


class Site:
    """One server."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder  # of saved agents
        self.store = VisitorStore(folder)
        self.training = JobQueue()
        self.arenas = JobQueue(1)  # a match uses all cores by itself
        self.pools = Pools()
        self.visitors = Visitors(lambda name: Visitor(name, self.store.files_of(name), self))
        self.closing = False  # streams of events end

    def continue_work(self) -> None:
        """After a restart: goes on with runs and arenas that nobody has stopped."""
        for identity in self.store.identities():
            files = self.store.files_of(identity)
            told = [files.read_as(f"run-{number}.json", KeptRun) for number in run_numbers(files)]
            if any(one is not None and one.state in ACTIVE for one in told):
                _ = self.visitors.find(identity).runs
            arena = ArenaFiles(files).read()
            if arena is not None and arena.state in ACTIVE:
                _ = self.visitors.find(identity).arenas

    def close(self) -> None:
        """Ends all work."""
        self.closing = True
        self.visitors.close()
        self.training.close()
        self.arenas.close()
        self.pools.close()
