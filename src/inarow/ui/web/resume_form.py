"""The form to go on with a saved agent: which, and until how many games."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from nicegui import ui

from inarow.game import InputError
from inarow.lab.training import Run
from inarow.ui.web.agents import saved_agents
from inarow.ui.web.fields import number_field, whole
from inarow.ui.web.handlers import in_thread
from inarow.ui.web.site import Site
from inarow.ui.web.theme import heading
from inarow.ui.web.training_orders import Order, saved_order, saved_run

NONE = "No agent of the folder can be trained on yet: save one, and it is offered here."


class ResumeForm:
    """Says what to go on with; `start` is told the order and the run."""

    def __init__(self, site: Site, start: Callable[[Order, Run], None]) -> None:
        self.site, self.start = site, start
        self.changed = 0  # when the folder was, as it is shown
        self.trained: dict[str, int] = {}  # games of each agent
        with ui.card().classes("w-full gap-3"):
            heading("Go on with a saved agent")
            self.agent = ui.select({}, label="Agent", on_change=self._chosen).classes("w-full")
            self.agent.props('dense outlined options-dense data-testid="saved-agent"')
            self.none = ui.label(NONE).classes("text-sm quiet")
            self.games = number_field("Games in all", "resume-games", "")
            button = ui.button("Train on", icon="fast_forward", on_click=self._resume)
            button.props('no-caps outline data-testid="train-on"')
            self.message = ui.label().classes("text-sm bad break-words")
            self.message.props('data-testid="resume-message" role="status"')
        self.refresh()

    def refresh(self) -> None:
        """Offers the agents that can be trained on, the newest first, if there may be others."""
        with suppress(OSError):
            if (changed := self.site.folder.stat().st_mtime_ns) != self.changed:
                self.changed = changed
                self._fill()

    def _fill(self) -> None:
        known = {name: h for name, h in saved_agents(self.site.folder).items() if h.resumable}
        self.trained = {name: header.games for name, header in known.items()}
        options = {
            name: f"{name} ({header.learner} in {header.game}, {header.games:,} games)"
            for name, header in known.items()
        }
        chosen = self.agent.value if self.agent.value in options else None
        self.agent.set_options(options, value=chosen)
        self.none.visible = not options

    def _chosen(self) -> None:
        self.games.value = str(2 * self.trained.get(str(self.agent.value), 0) or "")

    async def _resume(self) -> None:
        self.message.text = ""
        name, folder = str(self.agent.value or ""), self.site.folder
        try:
            if not name:
                raise InputError("choose an agent")
            order = await in_thread(self.agent, saved_order, name, folder, whole(self.games))
            self.start(order, await in_thread(self.agent, saved_run, name, folder))
        except InputError as error:
            self.message.text = str(error)
