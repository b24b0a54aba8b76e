"""What all pages share: the folder of saved agents, the threads that think, and the visitors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from inarow.game import Game
from inarow.lab.player_protocols import Player
from inarow.ui.web.agents import find_player
from inarow.ui.web.browser_sessions import BrowserSession, BrowserSessions
from inarow.ui.web.executors import Executors
from inarow.ui.web.job_queue import JobQueue
from inarow.ui.web.visitor_files import VisitorStore


@dataclass
class Site:
    """One server."""

    folder: Path  # of saved agents
    executors: Executors = field(default_factory=Executors)
    sessions: BrowserSessions = field(init=False)
    store: VisitorStore = field(init=False)  # what they have, on the disk
    training: JobQueue = field(default_factory=JobQueue)
    arenas: JobQueue = field(
        default_factory=lambda: JobQueue(1)
    )  # a match uses all cores by itself
    at_end: list[Callable[[], None]] = field(default_factory=list)  # what else is to be ended

    def __post_init__(self) -> None:
        self.store = VisitorStore(self.folder)
        self.sessions = BrowserSessions(files_of=self.store.files_of)

    def player(self, name: str, game: Game) -> Player:
        """The player of a name, or an agent of the folder, if it plays that game and soon."""
        return find_player(name, game, self.folder)

    def visitor(self) -> BrowserSession:
        """Whoever looks at the page that is being built, and stays while it is open."""
        from nicegui import app, ui

        visitor, client = self.sessions.of(str(app.storage.browser["id"])), ui.context.client
        client.on_connect(lambda: self.sessions.come(visitor, client.id))
        client.on_delete(lambda: self.sessions.leave(visitor, client.id))
        return visitor

    def close(self) -> None:
        """Ends all work."""
        self.sessions.close()
        self.training.close()
        self.arenas.close()
        self.executors.close()
        for end in self.at_end:
            end()
