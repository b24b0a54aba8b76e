"""A visitor at play: the table, what the visitor wants to see, and who thinks when.

A player's move comes first; only when a person is to move are the moves valued, and what is found
for a position that has been left is dropped. Pages listen and draw anew when something changed,
so the game goes on while a page is reloaded, and two pages of one visitor show the same. What
was played is on the disk before a page shows it, and comes back after a restart of the server.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path

from inarow.game import Game, InputError
from inarow.lab.move_values import Estimate, default_opponent, estimate, exact, hint, quick_depth
from inarow.lab.players import Player, player
from inarow.ui.game_in_play import GameInPlay
from inarow.ui.web.agents import check_game, find_player, is_uploaded, trained_side
from inarow.ui.web.cells import Insight
from inarow.ui.web.executors import Executors
from inarow.ui.web.uploads import Uploads
from inarow.ui.web.visitor_files import VisitorFiles

PERSON = "human"
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
        self.insight = Insight()
        self.listeners: set[Callable[[], None]] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._turn, self._look = asyncio.Lock(), asyncio.Lock()  # one thought of each kind
        self.choice = ("tictactoe", "perfect", "first")  # game, opponent, side
        self.table = self._set_table(*self.choice)

    async def begin(
        self, game: str, against: str, side: str, seed: int | None = None, moves: str = ""
    ) -> None:
        """A new table, against a strong player if none is named; nothing changes if it fails."""
        await self._fulfil(self._wish(), game, against, side, seed, moves)

    def _wish(self) -> int:
        """Says that a new table is asked for: from now on nobody plays at the one before."""
        self._wishes += 1
        self._tell()
        return self._wishes

    async def _fulfil(
        self,
        wish: int,
        game: str,
        against: str,
        side: str,
        seed: int | None,
        moves: str,
        resigned: int | None = None,
    ) -> None:
        try:
            against = against or default_opponent(check_game(game))
            lane = self.executors.of_files if against in self.uploads else self.executors.soon
            table = await lane(self._set_table, game, against, side, seed, moves)
            table.resigned = resigned
        finally:
            self._granted = max(self._granted, wish)
            self._tell()
        if wish != self._wishes:
            return  # something else has been wished for meanwhile
        self.table, self.choice = table, (table.game.name, against, side)
        self._turn = asyncio.Lock()  # a thought at the table before holds nobody up
        self.changed()

    @property
    def preparing(self) -> bool:
        """Whether a new table is being set."""
        return self._granted < self._wishes

    def begin_soon(
        self, game: str, against: str, side: str, seed: int | None, moves: str = ""
    ) -> None:
        """The same for whoever does not wait: what does not work is the session's problem."""
        wish = self._wish()

        async def work() -> None:
            with self._explaining("this game could not begin: something went wrong in it"):
                await self._fulfil(wish, game, against, side, seed, moves)
            self._tell()

        self._start(work())

    def come_back(self) -> None:
        """Goes on with the game that is on the disk, after a restart of the server.

        Where the opponent is gone, the position stays.
        """
        kept = self.files.read_json(KEPT)
        game, against, side = (str(kept.get(key, "")) for key in ("game", "against", "side"))
        seed, resigned, moves = kept.get("seed"), kept.get("resigned"), str(kept.get("moves", ""))
        if not game:
            return
        self.hints, self.values = kept.get("hints") is True, str(kept.get("values", "off"))
        wish = self._wish()

        async def work() -> None:
            for opponent in (against, PERSON):
                with self._explaining("the game before the restart could not be set up"):
                    await self._fulfil(
                        wish,
                        game,
                        opponent,
                        side,
                        seed if isinstance(seed, int) else None,
                        moves,
                        resigned if resigned in (1, 2) else None,
                    )
                    break
            if opponent != against:
                self.problem = f"{against} is no longer here: the position is as it was"
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
        self._start(self._value_moves())

    async def upload(self, name: str, content: bytes) -> str:
        """Keeps an agent from a visitor's file; the name that it has from now on."""
        return await self.executors.of_files(self.uploads.add, Path(name).name, content)

    def close(self) -> None:
        """Nobody waits any more."""
        for task in self._tasks:
            task.cancel()

    def changed(self) -> None:
        """After anything at the table: pages draw it, then players and advisers think."""
        self.insight, self.problem = Insight(), ""
        self._tell()
        self._start(self._let_play())

    def _set_table(
        self, game: str, against: str, side: str, seed: int | None = None, moves: str = ""
    ) -> GameInPlay:
        spec = check_game(game)
        opponent = None if against == PERSON else self._find(against, spec)
        if side not in ("first", "second"):
            raise InputError(f"there is no side {side!r}: it is first or second")
        players = [None, opponent] if side == "first" else [opponent, None]
        position = spec.position(moves)
        seed = secrets.randbelow(1_000_000) if seed is None else seed
        table = GameInPlay(spec, players, seed)
        table.position = position
        return table

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
                    self._tell()
        await self._value_moves()

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

    async def _value_moves(self) -> None:
        """Estimate first, which comes at once, then the exact values and a hint."""
        if not self.hints and self.values == "off":
            return
        async with self._look:
            table, version = self.table, self.table.version

            def stale() -> bool:
                return table is not self.table or version != table.version

            def opine() -> Insight:
                return Insight() if stale() else Insight(estimate=_estimate(table))

            def prove() -> Insight:
                return Insight() if stale() else _whole(table, self.insight)

            lane = self.executors.of_files if self._is_from_file(table) else self.executors.aside
            for look in (opine, prove):
                if self.insight.complete or not table.waits_for_person or stale():
                    return
                try:
                    found = await lane(look)
                except Exception:
                    log.exception("no values")
                    found = Insight(complete=True)
                if not stale():
                    self.insight = found
                    self._tell()

    def _start(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _keep(self) -> None:
        """Writes down what there is, if it is something else than before."""
        table, (game, against, side) = self.table, self.choice
        now: dict[str, object] = {
            "game": game,
            "against": against,
            "side": side,
            "seed": table.seed,
            "moves": table.position.notation,
            "resigned": table.resigned,
            "hints": self.hints,
            "values": self.values,
        }
        if now != self._kept and not self.preparing:
            self._kept = now
            self.files.write_json(KEPT, now)

    def _tell(self) -> None:
        self._keep()
        for listener in tuple(self.listeners):
            listener()


def untrained(table: GameInPlay) -> bool:
    """Whether the opponent never learned to play the side that is to move."""
    own = "first" if table.position.to_move == 1 else "second"
    return table.opponent is not None and trained_side(table.opponent) not in (own, "both")


def _estimate(table: GameInPlay) -> Estimate | None:
    """The opponent's estimate; where it holds none, that of a player who does."""
    position = table.position.copy()
    held = None
    if table.opponent is not None and not untrained(table):
        held = estimate(table.opponent, position)
    return held or estimate(player(f"minimax:{quick_depth(table.game)}@central"), position)


def _whole(table: GameInPlay, so_far: Insight) -> Insight:
    position = table.position.copy()
    return Insight(
        exact=exact(position),
        estimate=so_far.estimate,
        hint=hint(position, None if untrained(table) else table.opponent),
        complete=True,
    )
