"""The page Train: start runs, watch their curves grow, then play the agents or prove them."""

from __future__ import annotations

from nicegui import ui

from inarow.game import InputError
from inarow.lab.training import Run
from inarow.ui.web.boards import STYLE
from inarow.ui.web.browser_sessions import BrowserSession
from inarow.ui.web.curves_card import CurvesCard
from inarow.ui.web.job_queue import GOING_ON
from inarow.ui.web.kept_models import KeptRun
from inarow.ui.web.learning_board import LearningBoard
from inarow.ui.web.learning_chart import line_style
from inarow.ui.web.resume_form import ResumeForm
from inarow.ui.web.run_card import RunCard
from inarow.ui.web.run_files import run_numbers
from inarow.ui.web.site import Site
from inarow.ui.web.theme import scroll_to
from inarow.ui.web.train_form import TrainForm
from inarow.ui.web.training_jobs import TrainingJob
from inarow.ui.web.training_orders import Order
from inarow.ui.web.training_runs import MOST_RUNS, TrainingRuns

EVERY = 0.5  # seconds between two looks at the runs


def build(site: Site) -> None:
    """Fills the page."""
    ui.add_css(STYLE)
    TrainPage(site)


def runs_of(site: Site, visitor: BrowserSession) -> TrainingRuns:
    """The runs of a visitor: those that are here, or else on the disk."""
    return visitor.one(TrainingRuns, lambda: TrainingRuns(site.training, visitor.files))


def continue_training(site: Site) -> None:
    """After a restart: runs go on that nobody has stopped, before anybody comes to look."""
    for identity in site.store.identities():
        files = site.store.files_of(identity)
        told = [files.read_as(f"run-{number}.json", KeptRun) for number in run_numbers(files)]
        if any(one is not None and one.state in GOING_ON for one in told):
            runs_of(site, site.sessions.of(identity))


class TrainPage:
    """The page of one visitor in one window."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.runs = runs_of(site, site.visitor())
        self.cards: dict[int, RunCard] = {}
        asked = dict(ui.context.client.request.query_params)
        if asked:  # a reload must come back to the form as it is by then
            ui.run_javascript("history.replaceState(history.state, '', location.pathname)")
        with ui.row().classes("w-full items-start gap-4"):
            with ui.column().classes("basis-72 grow md:grow-0 md:w-80 min-w-0 gap-3"):
                TrainForm(self.runs, self._start, asked)
                self.saved = ResumeForm(site, self._resume)
            with ui.column().classes("grow basis-96 min-w-0 gap-3"):
                self.curves = CurvesCard(self._jobs)
                self.learning = LearningBoard(self._jobs, site.executors)
                self.place = ui.column().classes("w-full gap-3").props('data-testid="run-list"')
        self._look()
        ui.timer(EVERY, self._look)
        ui.timer(2 * EVERY, self.learning.refresh)

    def _jobs(self) -> list[TrainingJob]:
        return list(self.runs.jobs.values())

    def _start(self, orders: list[Order]) -> None:
        if len(orders) + len(self.runs.jobs) > MOST_RUNS:
            raise InputError(
                f"{MOST_RUNS} runs at once are the most, and {len(self.runs.jobs)} are here: "
                "remove some, or start fewer"
            )
        for order in orders:
            self.runs.start(order)
        self._show_curves()

    def _resume(self, order: Order, run: Run) -> None:
        self.runs.start(order, run)
        self._show_curves()

    def _show_curves(self) -> None:
        self._look()
        scroll_to(self.curves.place)  # on a phone they are below the form

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
                    self.cards[number] = RunCard(job, self.site, self._remove, line_style(number))
                    self.cards[number].place.move(target_index=0)  # the newest on top
            self.cards[number].show()
        self.curves.refresh()
        self.saved.refresh()
