"""See it learn: the values of a position's moves to each run, side by side, while they train."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from nicegui import ui

from inarow.game import Game, InputError, Position
from inarow.game.notation import move_text
from inarow.game.text import SYMBOLS
from inarow.lab.move_values import Estimate, Exact, exact
from inarow.ui.web.boards import Board
from inarow.ui.web.cells import Cell, Insight, describe_position, value_of
from inarow.ui.web.learning_chart import line_style
from inarow.ui.web.theme import heading
from inarow.ui.web.training_jobs import TrainingJob

MOST_CELLS = 64  # of a board whose values can still be read, several side by side
ABOUT = (
    "What each run estimates the moves at, now; \u2605 is the move it would play. "
    "Blue is good for the side to move, orange is bad."
)


class LearningBoard:
    """The card; `jobs` are the runs of the page, the newest last."""

    def __init__(self, jobs: Callable[[], list[TrainingJob]]) -> None:
        self.jobs = jobs
        self.views: dict[int, View] = {}
        self.busy = False
        with ui.card().classes("w-full gap-2").props('data-testid="learning"') as self.place:
            heading("What they have learned")
            ui.label(ABOUT).classes("text-sm quiet")
            self.moves = ui.input("Moves that lead to the position")
            self.moves.props('dense outlined data-testid="learning-moves"').classes("w-64")
            self.title = ui.label().classes("text-sm").props('data-testid="learning-title"')
            self.message = ui.label().classes("text-sm bad break-words")
            self.message.props('data-testid="learning-message" role="status"')
            self.boards = ui.row().classes("w-full items-start gap-4")

    @property
    def game(self) -> Game | None:
        """The game of the newest run, if its board can be read."""
        jobs = [job for job in self.jobs() if job.order.game.cells <= MOST_CELLS]
        return jobs[-1].order.game if jobs else None

    async def look(self) -> None:
        """Brings the boards up to date; what is still being looked at is left alone."""
        game = self.game
        self.place.visible = game is not None
        if self.busy or game is None:
            return
        self.busy = True
        try:
            position = game.position(str(self.moves.value or "") or self._usual(game))
            if position.outcome is not None:
                raise InputError("the game is over in this position: there is no move to value")
            self.message.text = ""
            who = f"{SYMBOLS[position.to_move]} to move"
            self.title.text = f"After {position.notation or 'no move'}: {who}."
            await self._show(position)
        except InputError as error:
            self.message.text = str(error)
        finally:
            self.busy = False

    def _usual(self, game: Game) -> str:
        """A position where the newest run learns to move: as second, after a first move."""
        second = [job for job in self.jobs() if job.order.game == game][-1].order.side == "second"
        return move_text(game, game.columns // 2) if second else ""

    async def _show(self, position: Position) -> None:
        jobs = {job.number: job for job in self.jobs() if job.order.game == position.game}
        for number in [number for number in self.views if number not in jobs]:
            self.views.pop(number).place.delete()
        for number, job in jobs.items():
            if job.games == 0:
                continue
            if number not in self.views:
                with self.boards:
                    self.views[number] = View(job, position)
            await self.views[number].look(position)


class View:
    """One run's board."""

    def __init__(self, job: TrainingJob, position: Position) -> None:
        self.job = job
        self.seen: tuple[int, str] | None = None  # games and position that are shown
        colour, dash = line_style(job.number)
        with (
            ui.column()
            .classes("gap-1")
            .style("width: min(230px, 46%); min-width: 140px") as self.place
        ):
            self.place.props(f'data-testid="learning-{job.number}"')
            with ui.row().classes("items-center gap-2 no-wrap"):
                ui.element("div").style(f"width: 26px; border-top: 4px {dash} {colour}")
                self.title = ui.label().classes("text-sm font-semibold")
            self.board = Board(lambda _: None)
            self.board.show(position.game, describe_position(position), position.to_move)
            self.verdict = ui.label().classes("text-sm").props('data-testid="learning-verdict"')

    async def look(self, position: Position) -> None:
        """Shows what the run knows now, if that is something new."""
        now = (self.job.games, position.notation)
        if now == self.seen:
            return
        values = await asyncio.to_thread(self.job.values, position)
        proven = await asyncio.to_thread(exact, position) if position.game.cells <= 16 else None
        self.seen = now
        self.title.text = f"Run {self.job.number}: {self.job.order.learner}, {now[0]:,} games"
        self.board.show(position.game, learned_cells(position, values), position.to_move)
        self.verdict.text = verdict(position, values, proven)


def learned_cells(position: Position, values: dict[int, float]) -> list[Cell]:
    """A position with the value of each move in its cell, and a star on the best."""
    cells = describe_position(position)
    if values:
        texts = {move: f"{value:+.2f}" for move, value in values.items()}
        held = Estimate("", values, texts)
        for move in values:
            cell = cells[position.cell_of(move)]
            shown = value_of(move, Insight(estimate=held), "estimate")
            cell.update(shown)  # type: ignore[typeddict-item]
            if move in held.best and len(held.best) < len(values):
                cell["best"] = True
    return cells


def verdict(position: Position, values: dict[int, float], proven: Exact | None) -> str:
    """The move that the agent would play, and whether that gives anything away."""
    if not values:
        return ""
    best = [move for move in values if values[move] == max(values.values())]
    said = f"Plays {' or '.join(move_text(position.game, move) for move in best[:4])}"
    if len(best) > 4:
        said = f"{len(best)} moves look alike"
    if proven is None:
        return f"{said}."
    highest = max(one.value for one in proven.moves.values())
    worst = min((proven.moves[move] for move in best), key=lambda one: one.rank)
    mistake = "a mistake" if worst.value < highest else "no mistake"
    return f"{said}: {mistake} ({worst}, exactly)."
