"""The curves of a visitor's runs: what to see of them, a chart for each game, files of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from nicegui import ui

from inarow.game import Game, InputError
from inarow.ui.web.curve_export import KINDS, export
from inarow.ui.web.handlers import in_thread
from inarow.ui.web.learning_chart import MEASURES, Wishes, chart_options
from inarow.ui.web.theme import heading
from inarow.ui.web.training_jobs import TrainingJob

MOST_SMOOTHING = 0.95


class CurvesCard:
    """The card; `jobs` are the runs of the page, the newest last."""

    def __init__(self, jobs: Callable[[], list[TrainingJob]]) -> None:
        self.jobs = jobs
        self.charts: dict[Game, GameChart] = {}  # a page without runs does not load what draws
        self.drawn: object = None  # what the charts show
        with ui.card().classes("w-full gap-1") as self.place:
            self.empty = ui.label(
                "No runs yet. Press Train: the curves of your runs grow here while they learn, "
                "and go on if you leave the page."
            ).props('data-testid="no-runs"')
            with ui.column().classes("w-full gap-1") as self.full:
                self.measure = ui.toggle(MEASURES, value="score", on_change=self._draw)
                self.measure.props('no-caps dense unelevated data-testid="measure"')
                self.measure.classes("flex-wrap")
                with ui.row().classes("items-center gap-x-4 gap-y-1"):
                    self.log_axis = ui.switch("Logarithmic", on_change=self._draw)
                    self.log_axis.props('dense data-testid="log-axis"')
                    self.by_seed = ui.switch("Mean and range over seeds", on_change=self._draw)
                    self.by_seed.props('dense data-testid="by-seed"')
                    with ui.row().classes("items-center gap-4 no-wrap"):
                        ui.label("Smoothing")
                        self.smoothing = ui.slider(
                            min=0, max=MOST_SMOOTHING, step=0.05, value=0, on_change=self._draw
                        ).classes("w-28")
                        self.smoothing.props('aria-label="smoothing" data-testid="smoothing"')
                self.charts_place = ui.column().classes("w-full gap-1")
                self._build_files()

    def _build_files(self) -> None:
        with ui.row().classes("items-center gap-1"):
            ui.label("Download the curves:").classes("text-sm quiet")
            for kind, name in KINDS.items():
                button = ui.button(name, on_click=partial(self._export, kind))
                button.props(f'flat dense no-caps size="sm" data-testid="export-{kind}"')
            self.message = ui.label().classes("text-sm bad break-words")
            self.message.props('data-testid="export-message" role="status"')

    def refresh(self) -> None:
        """Draws what is new."""
        jobs = self.jobs()
        self.empty.visible, self.full.visible = not jobs, bool(jobs)
        shown = [(job.number, job.order.games, len(job.points)) for job in jobs]
        if shown != self.drawn:
            self.drawn = shown
            self._draw()

    def _draw(self) -> None:
        jobs = self.jobs()
        wishes = Wishes(
            str(self.measure.value),
            bool(self.log_axis.value),
            bool(self.by_seed.value),
            min(float(self.smoothing.value or 0), MOST_SMOOTHING),
        )
        games = dict.fromkeys(job.order.game for job in jobs)
        for game in [game for game in self.charts if game not in games]:
            self.charts.pop(game).place.delete()
        for game in games:
            if game not in self.charts:
                with self.charts_place:
                    self.charts[game] = GameChart(game)
            here = [job for job in jobs if job.order.game == game]
            self.charts[game].draw(here, wishes, named=len(games) > 1)

    async def _export(self, kind: str) -> None:
        try:
            content = await in_thread(self.place, export, self.jobs(), kind)
        except InputError as error:
            self.message.text = str(error)
            return
        self.message.text = ""
        ui.download.content(content, f"runs.{kind}")


class GameChart:
    """The chart of one game."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.chart: ui.echart | None = None
        self.lines: list[object] = []  # that it has
        with ui.column().classes("w-full gap-0") as self.place:
            self.title = heading(game.name, 3)

    def draw(self, jobs: list[TrainingJob], wishes: Wishes, named: bool) -> None:
        """Draws the curves of the runs; the name of the game only beside others."""
        self.title.visible = named
        options = chart_options(jobs, wishes)
        lines = [one["id"] for one in options["series"]]  # type: ignore[attr-defined]
        if self.chart is not None and lines != self.lines:
            self.chart.delete()  # else it would keep lines that are gone
            self.chart = None
        if self.chart is None:
            with self.place:
                self.chart = ui.echart(options, renderer="svg").classes("w-full h-72 md:h-96")
            self.chart.props('data-testid="curves" role="img"')
        self.lines = lines
        self.chart.options.clear()
        self.chart.options.update(options)
        what = f"{MEASURES[wishes.measure]} of {len(jobs)} runs in {self.game.name}, in percent"
        self.chart.props["aria-label"] = what
        self.chart.update()
