"""The page Train: start runs, watch their curves grow, then play the agents or prove them."""

from __future__ import annotations

from nicegui import ui

from inarow.game import InputError
from inarow.lab.plot_style import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION
from inarow.ui.web.curves import Point
from inarow.ui.web.run_card import RunCard
from inarow.ui.web.site import Site
from inarow.ui.web.train_form import TrainForm
from inarow.ui.web.training_jobs import MOST_RUNS, Order, TrainingJob, TrainingRuns

EVERY = 0.5  # seconds between two looks at the runs
MEASURES = {
    "score": "Score",
    "won": "Won",
    "drawn": "Drawn",
    "lost": "Lost",
    "training": "Lost in training",
}
COLOURS = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, BLACK)
DASHES = ("solid", "dashed", "dotted")


def build(site: Site) -> None:
    """Fills the page."""
    TrainPage(site)


class TrainPage:
    """The page of one visitor in one window."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.runs = site.visitor().one(TrainingRuns, lambda: TrainingRuns(site.training))
        self.cards: dict[int, RunCard] = {}
        self.drawn: dict[int, tuple[int, int]] | None = None  # what the chart shows
        with ui.row().classes("w-full items-start gap-4"):
            with ui.column().classes("basis-72 grow md:grow-0 md:w-80 min-w-0"):
                TrainForm(self._start)
            with ui.column().classes("grow basis-96 min-w-0 gap-3"):
                self._build_chart()
                self.place = ui.column().classes("w-full gap-3").props('data-testid="run-list"')
        self._look()
        ui.timer(EVERY, self._look)

    def _build_chart(self) -> None:
        with ui.card().classes("w-full gap-1") as self.chart_card:
            self.empty = ui.label(
                "No runs yet. Press Train: the curves of your runs grow here while they learn, "
                "and go on if you leave the page."
            ).props('data-testid="no-runs"')
            with ui.column().classes("w-full gap-1") as self.full:
                self.measure = ui.toggle(MEASURES, value="score", on_change=self._draw)
                self.measure.props('no-caps dense unelevated data-testid="measure"')
                self.measure.classes("flex-wrap")
                self.chart = ui.echart(_chart_options(), renderer="svg")
                self.chart.props('data-testid="curves" role="img"').classes("w-full h-72 md:h-96")

    def _start(self, orders: list[Order]) -> None:
        if len(orders) + len(self.runs.jobs) > MOST_RUNS:
            raise InputError(
                f"{MOST_RUNS} runs at once are the most, and {len(self.runs.jobs)} are here: "
                "remove some, or start fewer"
            )
        for order in orders:
            self.runs.start(order)
        self._look()
        # On a phone the curves are below the form.
        ui.run_javascript(
            f"getHtmlElement({self.chart_card.id}).scrollIntoView({{block: 'nearest'}})"
        )

    def _remove(self, job: TrainingJob) -> None:
        self.runs.remove(job.number)
        self._look()

    def _look(self) -> None:
        """Brings the page up to date: the runs may have been started in another window."""
        jobs = self.runs.jobs
        for number in [n for n in self.cards if n not in jobs]:
            self.cards.pop(number).delete()
        for number, job in list(jobs.items()):
            if number not in self.cards:
                with self.place:
                    self.cards[number] = RunCard(job, self.site, self._remove, _look_of(number))
                    self.cards[number].place.move(target_index=0)  # the newest on top
            self.cards[number].show()
        self.empty.visible, self.full.visible = not jobs, bool(jobs)
        shown = {number: (job.order.games, len(job.points)) for number, job in jobs.items()}
        if shown != self.drawn:
            self.drawn = shown
            self._draw()

    def _draw(self) -> None:
        measure, jobs = str(self.measure.value), list(self.runs.jobs.values())
        options = self.chart.options
        options["series"] = [_series(job, measure) for job in jobs]
        options["xAxis"]["max"] = max(map(_width, jobs), default=1)
        options["yAxis"]["name"] = f"{MEASURES[measure]}, %"
        lost = measure in ("lost", "training")
        options["yAxis"]["max"] = None if lost else 100
        self.chart.props(f'aria-label="{MEASURES[measure]} of {len(jobs)} runs, in percent"')
        self.chart.update()


def _look_of(number: int) -> tuple[str, str]:
    """Colour and dashes of a run."""
    place = number - 1
    return COLOURS[place % len(COLOURS)], DASHES[place // len(COLOURS) % len(DASHES)]


def _width(job: TrainingJob) -> int:
    """The games that the chart has room for: all, or four times as many as a long run has had."""
    return min(job.order.games, max(1, 4 * job.points[-1].games)) if job.points else 1


def _height(point: Point, measure: str) -> float | None:
    if measure == "training":
        return point.training_lost
    return float(getattr(point.marks, measure))


def _series(job: TrainingJob, measure: str) -> dict[str, object]:
    colour, dash = _look_of(job.number)
    heights = [(point.games, _height(point, measure)) for point in list(job.points)]
    return {
        "id": job.number,
        "name": f"run {job.number}",
        "type": "line",
        "showSymbol": False,
        "data": [[games, round(100 * h, 3)] for games, h in heights if h is not None],
        "lineStyle": {"color": colour, "type": dash, "width": 2},
        "itemStyle": {"color": colour},
    }


def _chart_options() -> dict[str, object]:
    return {
        "animation": False,
        "grid": {"left": 48, "right": 20, "top": 34, "bottom": 64},
        "legend": {"bottom": 0, "type": "scroll"},
        "tooltip": {"trigger": "axis", "confine": True},
        "xAxis": {
            "type": "value",
            "min": 0,
            "name": "games of training",
            "nameLocation": "middle",
            "nameGap": 24,
            "axisLabel": {"hideOverlap": True},
        },
        "yAxis": {
            "type": "value",
            "min": 0,
            "nameTextStyle": {"align": "left", "padding": [0, 0, 0, -30]},
        },
        "series": [],
    }
