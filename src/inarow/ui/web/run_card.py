"""A training run on the page: how far it is, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from nicegui import ui

from inarow.game import InputError
from inarow.lab.certify import GraphCertificate
from inarow.ui.web.handlers import in_thread
from inarow.ui.web.job_queue import State
from inarow.ui.web.kept_models import MOST_GAMES
from inarow.ui.web.site import Site
from inarow.ui.web.theme import heading
from inarow.ui.web.training_jobs import TrainingJob

WORDS = {
    State.WAITING: "in line",
    State.RUNNING: "training",
    State.STOPPED: "stopped",
    State.DONE: "done",
    State.FAILED: "failed",
}


class RunCard:
    """One run."""

    def __init__(
        self,
        job: TrainingJob,
        site: Site,
        remove: Callable[[TrainingJob], None],
        plot_style: tuple[str, str],
    ) -> None:
        self.job, self.site = job, site
        self.proven: GraphCertificate | None = None  # what is shown
        with ui.card().classes("w-full gap-2") as self.place:
            self.place.props(f'data-testid="run-{job.number}"')
            with ui.row().classes("w-full items-center gap-2 no-wrap"):
                colour, dash = plot_style
                ui.element("div").style(f"width: 26px; border-top: 4px {dash} {colour}")
                heading(f"Run {job.number}").classes("whitespace-nowrap")
                self.state = ui.badge("").props('outline data-testid="run-state"')
                ui.space()
                _button("Remove", "delete", lambda: remove(job)).props("flat dense")
            ui.label(job.name).classes("text-sm quiet break-words")
            self.bar = ui.linear_progress(0, show_value=False, size="6px")
            self.bar.props('aria-label="share of the games played"')
            self.progress = ui.label().classes("text-sm").props('data-testid="run-progress"')
            self.marks = ui.label().classes("text-sm").props('data-testid="run-marks"')
            self._build_buttons()
            self.message = ui.label().classes("text-sm break-words")
            self.message.props('data-testid="run-message" role="status"')
            self.certificate = ui.column().classes("w-full gap-1")
            self.certificate.props('data-testid="run-certificate"')

    def _build_buttons(self) -> None:
        with ui.row().classes("items-center gap-2"):
            self.stop = _button("Stop", "stop", self.job.stop)
            self.resume = _button("Resume", "play_arrow", self._resume)
            self.more = _button("Twice the games", "fast_forward", self._more)
            self.play = _button("Play it", "sports_esports", self._play)
            self.certify = _button("Certify", "verified", self._certify)
            self.save = _button("Save", "save", self._save)

    def show(self) -> None:
        """Brings the card up to date."""
        job, order = self.job, self.job.order
        stopping = job.stopping and job.going_on
        self.state.text = "stopping" if stopping else WORDS[job.state]
        self.bar.value = job.games / order.games
        rate = f", {job.games / job.seconds:,.0f} a second" if job.seconds > 0.05 else ""
        self.progress.text = f"{job.games:,} of {order.games:,} games{rate}{_time_left(job)}"
        if not job.games and job.going_on:
            self.progress.text += " (a first run of its kind is compiled: up to a minute)"
        if job.points:
            self.marks.text = _marks_text(job)
        if job.error:
            self._say(job.error, bad=True)
        begun = job.games > 0 and job.state is not State.FAILED
        self.stop.visible = job.going_on and not stopping
        self.resume.visible = job.state is State.STOPPED
        self.more.visible = job.state is State.DONE
        for button in (self.play, self.certify, self.save):
            button.visible = begun
        self.certify.visible = begun and job.can_certify
        if job.certificate is not self.proven:  # it is new, or the agent has learned since
            self.proven = job.certificate
            self.certificate.clear()
            if self.proven is not None:
                with self.certificate:
                    _show_certificate(self.proven, order.side)

    def delete(self) -> None:
        """Takes the card off the page."""
        self.place.delete()

    def _resume(self) -> None:
        self._say("")
        self.job.queue.begin(self.job)
        self.show()

    async def _more(self) -> None:
        try:
            await in_thread(self.place, self.job.more, min(MOST_GAMES, 2 * self.job.games))
        except InputError as error:
            self._say(str(error), bad=True)
        self.show()

    async def _save(self) -> str | None:
        """Into the server's folder; the name of the file, unless that fails."""
        try:
            name = await in_thread(self.place, self.job.save, self.site.folder)
        except InputError as error:
            self._say(str(error), bad=True)
            return None
        self._say(f"Saved as {name}: it can be chosen on the pages Play and Arena.")
        return name

    async def _play(self) -> None:
        name = await self._save()
        if name is None:
            return
        side = "second" if self.job.order.side == "first" else "first"
        asked = {"game": self.job.order.game.name, "against": name, "side": side}
        ui.navigate.to(f"/?{urlencode(asked)}")

    async def _certify(self) -> None:
        self._say("Looking at every position ...")
        try:
            await in_thread(self.place, self.job.certify)
        except InputError as error:
            self._say(str(error), bad=True)
            return
        self._say("")
        self.show()

    def _say(self, text: str, bad: bool = False) -> None:
        self.message.text = text
        self.message.classes(
            add="bad" if bad else "quiet",
            remove="quiet" if bad else "bad",
        )


def _time_left(job: TrainingJob) -> str:
    """How long a run will take from now, at its pace so far; nothing where that is not known."""
    if not (job.going_on and job.games and job.seconds > 1):
        return ""
    left = job.seconds * (job.order.games - job.games) / job.games
    for size, unit in ((86_400, "days"), (3600, "hours"), (60, "minutes")):
        if left > 2 * size:
            return f", about {left / size:.0f} {unit} left"
    return f", about {left:.0f} seconds left"


def _marks_text(job: TrainingJob) -> str:
    point = job.points[-1]
    marks = point.marks
    how = f"in {marks.sampled:,} games" if marks.sampled else "exactly"
    side = "on both sides" if job.order.side == "both" else f"as {job.order.side}"
    return (
        f"After {point.games:,} games, {side} against {job.order.tester}: "
        f"won {marks.won:.1%}, drawn {marks.drawn:.1%}, lost {marks.lost:.1%} ({how})"
    )


def _show_certificate(certificate: GraphCertificate, trained: str) -> None:
    """The proof in words, and a game that beats the agent where there is one."""
    ui.label(f"In {certificate.game.name}: {certificate.basis.text}").classes("text-sm")
    for side in sorted(certificate.sides, key=lambda side: side != trained):
        found, learned = certificate.sides[side], trained in (side, "both")
        text = f"As {side}{'' if learned else ', where it never trained'}: "
        text += certificate.side_text(side)
        if found.unbeatable and found.converts:
            text += " It wins every won position that it can meet."
        ui.label(text).classes("text-sm break-words" + " font-semibold" * learned)
        if found.refutation is not None and learned:
            svg = certificate.game.position(found.refutation).svg()
            ui.html(svg, sanitize=False).classes("max-w-full overflow-x-auto drawing")


def _button(text: str, icon: str, pressed: Any) -> Any:
    mark = text.lower().replace(" ", "-")
    button = ui.button(text, icon=icon, on_click=pressed)
    return button.props(f'no-caps outline dense data-testid="{mark}"').classes("px-2")
