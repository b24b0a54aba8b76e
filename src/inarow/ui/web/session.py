"""A visitor at play: the table, what the visitor wants to see, and whose move is being computed.

A player's move comes first; only when a person is to move, or looks at a position of the game
before, are the moves valued. Pages listen and draw anew when something changed,
so the game goes on while a page is reloaded, and two pages of one visitor show the same. What
was played is on the disk before a page shows it, and comes back after a restart of the server.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from inarow.game import Game, InputError, Position
from inarow.lab.move_values import default_opponent
from inarow.lab.player_protocols import Player
from inarow.ui.game_in_play import GameInPlay
from inarow.ui.web.agents import check_game, find_player, is_uploaded
from inarow.ui.web.cells import Insight
from inarow.ui.web.executors import Executors
from inarow.ui.web.insights import Insights, Question
from inarow.ui.web.kept_models import KeptGame
from inarow.ui.web.review_jobs import ReviewJob, begin_review
from inarow.ui.web.settings import PERSON, Setting
from inarow.ui.web.uploads import Uploads
from inarow.ui.web.visitor_files import VisitorFiles

KEPT = "play.json"

log = logging.getLogger(__name__)


class Session:
    """What one visitor has of the Play page."""

    def __init__(
        self, executors: Executors, folder: Path, files: VisitorFiles | None = None
    ) -> None:
        self.executors, self.folder = executors, folder
        self.files = files or VisitorFiles()
        self._kept: dict[str, object] = {}  # what the disk has of it
        self.uploads = Uploads(self.files)
        self.hints = False  # best moves are marked
        self.values = "off"  # moves are coloured by their "exact" value or by "estimate"
        self._wishes = self._granted = 0  # new tables asked for, and the last that is settled
        self.problem = ""  # what went wrong with the other side's move
        self.ply: int | None = None  # of the position that is looked at; None for the game itself
        self.review: ReviewJob | None = None  # of the game on the table, if somebody asked for it
        self.listeners: set[Callable[[], None]] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._turn = asyncio.Lock()  # one move at a time
        self.insights = Insights(executors, self._question, self._tell)
        self.choice = ("tictactoe", "perfect", "first")  # game, opponent, side
        self.table = self._set_table(Setting(*self.choice))

    async def begin(self, setting: Setting) -> None:
        """A new table, against a strong player if none is named; nothing changes if it fails."""
        await self._fulfil(self._wish(), setting)

    def _wish(self) -> int:
        """Says that a new table is asked for: from now on nobody plays at the one before."""
        self._wishes += 1
        self._tell()
        return self._wishes

    async def _fulfil(self, wish: int, setting: Setting) -> None:
        try:
            if not setting.against:
                setting = replace(setting, against=default_opponent(check_game(setting.game)))
            from_file = setting.against in self.uploads
            lane = self.executors.of_files if from_file else self.executors.soon
            table = await lane(self._set_table, setting)
        finally:
            self._granted = max(self._granted, wish)
            self._tell()
        if wish != self._wishes:
            return  # something else has been wished for meanwhile
        self.table, self.choice = table, (table.game.name, setting.against, setting.side)
        self._turn = asyncio.Lock()  # a thought at the table before holds nobody up
        self.changed()

    @property
    def preparing(self) -> bool:
        """Whether a new table is being set."""
        return self._granted < self._wishes

    def begin_soon(self, setting: Setting) -> None:
        """The same for whoever does not wait: what does not work is the session's problem."""
        wish = self._wish()

        async def work() -> None:
            with self._explaining("this game could not begin: something went wrong in it"):
                await self._fulfil(wish, setting)
            self._tell()

        self._start(work())

    def come_back(self) -> None:
        """Goes on with the game that is on the disk, after a restart of the server.

        Where the opponent is gone, the position stays.
        """
        kept = self.files.read_as(KEPT, KeptGame)
        if kept is None:
            return
        setting = Setting(**kept.model_dump(exclude={"hints", "values"}))
        self.hints, self.values = kept.hints, kept.values
        wish = self._wish()

        async def work() -> None:
            for opponent in (setting.against, PERSON):
                with self._explaining("the game before the restart could not be set up"):
                    await self._fulfil(wish, replace(setting, against=opponent))
                    break
            if opponent != setting.against:
                self.problem = f"{setting.against} is no longer here: the position is as it was"
            self._tell()

        self._start(work())

    def act(self, action: Callable[[], None]) -> None:
        """Does something at the table, as `table.undo`, and lets the game go on."""
        action()
        self.changed()

    def complain(self, line: str) -> None:
        """Says what does not work, in the one place for it, until something changes."""
        self.problem = line
        self._tell()

    def show(self, hints: bool | None = None, values: str | None = None) -> None:
        """What the visitor wants to see."""
        self.hints = self.hints if hints is None else hints
        self.values = self.values if values is None else values
        self._tell()
        self._start(self.insights.refresh())

    # The game, looked at

    @property
    def shown(self) -> Position:
        """The position that is looked at."""
        position = self.table.position.copy()
        while self.ply is not None and position.ply > self.ply:
            position.pop()
        return position

    def show_ply(self, ply: int) -> None:
        """Shows the position after so many stones; from the last on, the game itself."""
        ply = max(ply, self.table.start.ply)
        self.ply = None if ply >= self.table.position.ply else ply
        self.insights.forget()
        self._tell()
        self._start(self.insights.refresh())

    def begin_review(self) -> None:
        """Analyses the game on the table, move by move."""
        loop, table = asyncio.get_running_loop(), self.table

        def tell() -> None:
            with suppress(RuntimeError):  # the server has ended meanwhile
                loop.call_soon_threadsafe(self._tell)

        job = ReviewJob(table.position, table.start.ply, tell)
        begin_review(self.executors.reviews, job)
        self._end_review()
        self.review = job
        self._tell()

    def _end_review(self) -> None:
        if self.review is not None:
            self.review.stop()
            self.review = None

    @property
    def insight(self) -> Insight:
        """What is known of the moves of the position that is looked at."""
        return self.insights.found

    def _question(self) -> Question | None:
        """Of which position the moves are to be valued, if any."""
        table = self.table
        if (not self.hints and self.values == "off") or not self.values_moves:
            return None
        return Question(self.shown, table.opponent, (table, table.version, self.ply))

    @property
    def values_moves(self) -> bool:
        """Whether the moves of the position that is looked at are a person's to choose."""
        return self.ply is not None or self.table.waits_for_person

    # What a visitor brings

    async def upload(self, name: str, content: bytes) -> str:
        """Keeps an agent from a visitor's file; the name that it has from now on."""
        return await self.executors.of_files(self.uploads.add, Path(name).name, content)

    def close(self) -> None:
        """Nobody waits any more."""
        self._end_review()
        for task in self._tasks:
            task.cancel()

    def changed(self) -> None:
        """After anything at the table: pages draw it, then players and advisers think."""
        self.problem = ""
        self._moved()
        self._start(self._let_play())

    def _moved(self) -> None:
        """There is another position: the game itself is shown, and nothing is known of it yet."""
        self.ply = None
        self.insights.forget()
        table = self.table
        if self.review is not None and not self.review.is_of(table.position, table.start.ply):
            self._end_review()
        self._tell()

    def _set_table(self, setting: Setting) -> GameInPlay:
        return setting.table(self._find)

    @staticmethod
    def _is_from_file(table: GameInPlay) -> bool:
        """Whether the opponent is an agent from a visitor's file."""
        return table.opponent is not None and is_uploaded(table.opponent)

    def _find(self, name: str, game: Game) -> Player:
        if name in self.uploads:
            return self.uploads[name]
        return find_player(name, game, self.folder)

    # Thoughts

    async def _let_play(self) -> None:
        """The other side's move, if it is its turn; then the values of the person's moves."""
        async with self._turn:
            table, version = self.table, self.table.version
            if table.waits_for_player:
                played = table.reply(await self._thought(table, version), version)
                if played and table is self.table:
                    self._moved()
        await self.insights.refresh()

    async def _thought(self, table: GameInPlay, version: int) -> int | None:
        lane = self.executors.of_files if self._is_from_file(table) else self.executors.soon
        move: int | None = None
        with self._explaining("the other side could not move: something went wrong in it"):
            move = await lane(table.think, version)
        if self.problem:
            self._tell()
        return move

    @contextmanager
    def _explaining(self, failure: str) -> Iterator[None]:
        """What goes wrong inside becomes the session's problem, in a line."""
        try:
            yield
        except InputError as error:
            self.problem = str(error)
        except Exception:
            log.exception(failure)
            self.problem = failure

    def _start(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _keep(self) -> None:
        """Writes down what there is, if it is something else than before."""
        shown = {"hints": self.hints, "values": self.values}
        now = Setting.of(self.table, *self.choice).as_json() | shown
        if now != self._kept and not self.preparing:
            self._kept = now
            self.files.write_json(KEPT, now)

    def _tell(self) -> None:
        self._keep()
        for listener in tuple(self.listeners):
            listener()
