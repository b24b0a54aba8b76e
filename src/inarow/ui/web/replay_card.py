"""A game of an arena, move by move."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from urllib.parse import urlencode

from nicegui import ui

from inarow.game import InputError, Position
from inarow.game.notation import move_text
from inarow.ui.web.arena_jobs import ArenaJob
from inarow.ui.web.handlers import in_thread
from inarow.ui.web.settings import PERSON
from inarow.ui.web.theme import heading, scroll_to

SECONDS = 0.7  # between two moves that show themselves


class ReplayCard:
    """Shows one game of a match; another one by its number."""

    def __init__(self) -> None:
        self.job: ArenaJob | None = None
        self.pair = ("", "")
        self.position: Position | None = None  # the last one of the game
        with ui.card().classes("w-full gap-2").props('data-testid="replay"') as self.place:
            self.title = heading("").classes("break-words")
            with ui.row().classes("items-center gap-2"):
                _button("previous-game", "skip_previous", lambda: self._step_game(-1))
                self.number = ui.number("Game", value=1, min=1, precision=0, on_change=self._load)
                self.number.props('dense outlined data-testid="game-number"').classes("w-28")
                _button("next-game", "skip_next", lambda: self._step_game(1))
                self.sides = ui.label().classes("text-sm").props('data-testid="replay-sides"')
            self.board = ui.html("", sanitize=False).classes("w-full max-w-md drawing replay-board")
            self.board.props('data-testid="replay-board"')
            with ui.row().classes("items-center gap-1 w-full max-w-md no-wrap"):
                _button("to-start", "first_page", lambda: self._go(0))
                _button("back", "chevron_left", lambda: self._go(self._ply - 1))
                self.slider = ui.slider(min=0, max=1, value=0, on_change=self._draw)
                self.slider.props('aria-label="move of the game" data-testid="ply"')
                _button("forward", "chevron_right", lambda: self._go(self._ply + 1))
                _button("to-end", "last_page", lambda: self._go(10**6))
                _button("run", "play_arrow", self._run)
            self.link = ui.link("Open this position in Play", "/").classes("text-sm")
            self.link.props('data-testid="open-in-play"')
            self.moves = ui.label().classes("text-sm break-words")
            self.moves.props('data-testid="replay-moves"')
            self.timer = ui.timer(SECONDS, self._tick, active=False)
        ui.add_css(".replay-board svg { max-width: 100%; height: auto; }")
        self.hide()

    def hide(self) -> None:
        """Nothing is chosen."""
        self.place.visible = False

    async def open(self, job: ArenaJob, one: str, other: str) -> None:
        """The games of a match, from the first on."""
        pair = (one, other) if (one, other) in job.matches else (other, one)
        self.job, self.pair = job, pair
        self.title.content = escape(f"{pair[0]} - {pair[1]}")
        self.number.max = job.games
        self.place.visible = True
        if self.number.value == 1:
            await self._load()
        else:
            self.number.value = 1
        scroll_to(self.place)

    @property
    def _ply(self) -> int:
        return int(self.slider.value or 0)

    def _step_game(self, step: int) -> None:
        if self.job is not None:
            number = int(self.number.value or 1) + step
            self.number.value = min(max(1, number), self.job.games)

    async def _load(self) -> None:
        """Fetches the game of that number."""
        job, (one, other) = self.job, self.pair
        if job is None or not 1 <= (self.number.value or 0) <= job.games:
            return
        number = int(self.number.value)
        self.sides.text = f"of {job.games:,}. Loading the game ..."
        self.position, self.board.content, self.moves.text = None, "", ""
        self.timer.active = False
        try:
            position = await in_thread(self.place, job.game_of, one, other, number - 1)
        except InputError as error:
            self.sides.text = str(error)
            return
        if (job, (one, other), number) != (self.job, self.pair, int(self.number.value or 0)):
            return  # somebody was quicker
        swapped = number > job.matches[one, other].as_first.games
        first, second = (other, one) if swapped else (one, other)
        winner = position.outcome.winner if position.outcome else None
        end = "draw" if winner is None else f"{(first, second)[winner - 1]} wins"
        self.sides.text = f"of {job.games:,}. X {first}, O {second}: {end}"
        self.position = position
        self.timer.active = False
        self.slider.props(f"max={position.ply}")
        self.slider.value = position.ply
        self._draw()

    def _go(self, ply: int) -> None:
        if self.position is not None:
            self.timer.active = False
            self.slider.value = min(max(0, ply), self.position.ply)

    def _run(self) -> None:
        """Shows the moves one after the other, from the start if the end is shown."""
        if self.position is None:
            return
        if self.timer.active:
            self.timer.active = False
            return
        if self._ply >= self.position.ply:
            self.slider.value = 0
        self.timer.active = True

    def _tick(self) -> None:
        if self.position is None or self._ply >= self.position.ply:
            self.timer.active = False
        else:
            self.slider.value = self._ply + 1

    def _draw(self) -> None:
        if self.position is None:
            return
        game, moves = self.position.game, self.position.moves
        shown = Position(game)
        for move in moves[: self._ply]:
            shown.push(move)
        self.board.content = shown.svg()
        asked = {"game": game.name, "against": PERSON, "moves": shown.notation}
        self.link.props["href"] = f"/?{urlencode(asked)}"
        last = f", {move_text(game, moves[self._ply - 1])}" if self._ply else ""
        self.moves.text = f"Move {self._ply} of {len(moves)}{last}. Moves: {self.position.notation}"


def _button(mark: str, icon: str, pressed: Callable[[], None]) -> ui.button:
    button = ui.button(icon=icon, on_click=pressed).props("flat dense round")
    return button.props(f'data-testid="{mark}" aria-label="{mark.replace("-", " ")}"')
