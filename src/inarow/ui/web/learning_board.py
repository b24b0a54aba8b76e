"""See it learn: what each run has learned so far, side by side, while they train.

The values of a position's moves, the principal variation by them, and the first mistake that the
agent still makes against perfect play.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from nicegui import ui

from inarow.engine.bound_player import BoundPlayer
from inarow.engine.streams import EVALUATION, make_stream
from inarow.game import Game, InputError, Position
from inarow.game.notation import move_text, moves_text
from inarow.game.text import SYMBOLS
from inarow.lab.learned import (
    MistakeSearch,
    exact_at_once,
    first_mistake,
    has_exact_values,
    learned_to_move,
    principal_variation,
)
from inarow.lab.move_values import Estimate, Exact
from inarow.ui.web.boards import Board
from inarow.ui.web.cells import Cell, Insight, describe_position, value_of
from inarow.ui.web.executors import Executors
from inarow.ui.web.learning_chart import line_style
from inarow.ui.web.theme import heading
from inarow.ui.web.training_jobs import TrainingJob

MOST_CELLS = 64  # of a board whose values can still be read, several side by side
ABOUT = (
    "What each run estimates the moves at, now; \u2605 is the move it plays. "
    "Blue is good for the side to move, orange is bad. Below: its principal variation, "
    "and on boards with exact values the first mistake it still makes against perfect play."
)


class Seen(NamedTuple):
    """What a run has learned, at a moment."""

    games: int
    side: str  # where it learns
    values: dict[int, float]  # of the position's moves; none where it does not learn to move
    chosen: list[int]  # the moves that it may play
    variation: list[int]
    proven: Exact | None
    search: MistakeSearch | None  # None where there are no exact values


def look_at(job: TrainingJob, position: Position) -> Seen:
    """What the run makes of a position now, and of the game."""
    agent, games = job.agent_now()
    game, side = position.game, job.order.side
    chooses = BoundPlayer(agent, game, make_stream(0, EVALUATION)).moves
    learns = learned_to_move(position, side)
    return Seen(
        games,
        side,
        agent.values(position) if learns else {},
        chooses(position) if learns else [],
        principal_variation(agent, position, side),
        exact_at_once(position),
        first_mistake(game, chooses, side) if has_exact_values(game) else None,
    )


class LearningBoard:
    """The card; `jobs` are the runs of the page, the newest last."""

    def __init__(self, jobs: Callable[[], list[TrainingJob]], executors: Executors) -> None:
        self.jobs, self.executors = jobs, executors
        self.views: dict[int, View] = {}
        self.busy = False
        with ui.card().classes("w-full gap-2").props('data-testid="learning"') as self.place:
            heading("What they have learned")
            ui.label(ABOUT).classes("text-sm quiet")
            with ui.row().classes("items-center gap-2"):
                self.choice = ui.select({}, label="Game", on_change=self._another_game)
                self.choice.props('dense outlined options-dense data-testid="learning-game"')
                self.choice.classes("w-48")
                self.moves = ui.input("Moves that lead to the position")
                self.moves.props('dense outlined clearable data-testid="learning-moves"')
                self.moves.classes("w-64")
            self.title = ui.label().classes("text-sm").props('data-testid="learning-title"')
            self.message = ui.label().classes("text-sm bad break-words")
            self.message.props('data-testid="learning-message" role="status"')
            self.boards = ui.row().classes("w-full items-start gap-4")

    def _game(self) -> Game | None:
        """The game that is chosen, of those whose boards can be read; that of a new run is."""
        games = {job.order.game.name: job.order.game for job in self.jobs()}
        games = {name: game for name, game in games.items() if game.cells <= MOST_CELLS}
        names = list(games)
        if names != list(self.choice.options):
            new = [name for name in names if name not in self.choice.options]
            kept = [name for name in names if name == self.choice.value] or names[-1:]
            self.choice.set_options(names, value=next(iter([*new[-1:], *kept]), None))
        self.choice.visible = len(names) > 1
        return games.get(str(self.choice.value))

    def _another_game(self) -> None:
        self.moves.value = ""

    async def refresh(self) -> None:
        """Brings the boards up to date; what is still being looked at is left alone."""
        game = self._game()
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

    def _go(self, moves: str) -> None:
        self.moves.value = moves

    def _usual(self, game: Game) -> str:
        """A position where the runs learn to move: after a first move, if some are second only."""
        sides = {job.order.side for job in self.jobs() if job.order.game == game}
        second = "second" in sides and "first" not in sides
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
                    self.views[number] = View(job, position, self._go)
            view = self.views[number]
            if view.shown != (job.games, position.notation):
                seen = await self.executors.of_runs(look_at, job, position)
                if self.place.is_deleted or number not in self.views:
                    return  # the page was left, or the run removed
                view.show(position, seen)


class View:
    """One run's board; `go` is told the moves of a position to look at instead."""

    def __init__(self, job: TrainingJob, position: Position, go: Callable[[str], object]) -> None:
        self.job = job
        self.shown: tuple[int, str] | None = None  # games and position
        self.mistake = ""  # the moves to the one that is shown
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
            self.variation = ui.label().classes("text-sm break-words")
            self.variation.props('data-testid="learning-variation"')
            self.first = ui.label().classes("text-sm break-words")
            self.first.props('data-testid="learning-mistake"')
            self.go = ui.button("Show the mistake", on_click=lambda: go(self.mistake))
            self.go.props('flat dense no-caps size="sm" data-testid="show-mistake"')
            self.go.visible = False

    def show(self, position: Position, seen: Seen) -> None:
        """Shows what the run knows now."""
        self.shown = (seen.games, position.notation)
        self.title.text = f"Run {self.job.number}: {self.job.order.learner}, {seen.games:,} games"
        self.board.show(position.game, learned_cells(position, seen), position.to_move)
        self.verdict.text = verdict(position, seen)
        self.variation.text = variation_text(position, seen.variation)
        self.first.text = mistake_text(position.game, seen.search)
        found = seen.search and seen.search.mistake
        self.mistake = moves_text(position.game, found.moves) if found else ""
        self.go.visible = bool(self.mistake) and self.mistake != position.notation


def learned_cells(position: Position, seen: Seen) -> list[Cell]:
    """A position with the value of each move in its cell, and a star on those it may play."""
    cells, values = describe_position(position), seen.values
    texts = {move: f"{round(value, 2) + 0.0:+.2f}" for move, value in values.items()}  # no -0.00
    held = Estimate("", values, texts)
    for move in values:
        cell = cells[position.cell_of(move)]
        shown = value_of(move, Insight(estimate=held), "estimate")
        cell.update(shown)  # type: ignore[typeddict-item]
        if move in seen.chosen and len(seen.chosen) < len(values):
            cell["best"] = True
    return cells


def verdict(position: Position, seen: Seen) -> str:
    """The move that the agent plays, and whether that gives anything away."""
    if not seen.chosen:
        return f"It learns as {seen.side} only: it has no values here."
    moves = " or ".join(move_text(position.game, move) for move in seen.chosen)
    said = f"Plays {moves}" if len(seen.chosen) <= 4 else f"Plays any of {len(seen.chosen)} moves"
    if seen.proven is None:
        return f"{said}."
    values = seen.proven.moves
    highest = max(one.value for one in values.values())
    worst = min((values[move] for move in seen.chosen), key=lambda one: one.rank)
    mistake = "a mistake" if worst.value < highest else "no mistake"
    return f"{said}: {mistake} ({worst}, exactly)."


def variation_text(position: Position, variation: list[int]) -> str:
    """The principal variation, and how it ends."""
    if not variation:
        return "No principal variation yet: all moves have the same value."
    end = position.copy()
    for move in variation:
        end.push(move)
    how = f" ({end.outcome})" if end.outcome is not None else " ..."
    return f"Principal variation: {moves_text(position.game, variation)}{how}"


def mistake_text(game: Game, search: MistakeSearch | None) -> str:
    """The first mistake, or how far there is none."""
    if search is None:
        return ""
    if search.mistake is None and search.plies is None:
        return "No mistake against perfect play, in any line."
    if search.mistake is None:
        return f"No mistake against perfect play in the first {search.plies} moves."
    found = search.mistake
    better = ", ".join(move_text(game, move) for move in found.better[:4])
    better += " ..." if len(found.better) > 4 else ""
    kept = {1: "wins", 0: "draws", -1: "loses"}[found.best.value]
    if len(found.better) > 1:
        kept = kept.removesuffix("s")
    return (
        f"First mistake: after {moves_text(game, found.moves) or 'no move'} it may play "
        f"{move_text(game, found.move)}, which {found.value}; {better} {kept}."
    )
