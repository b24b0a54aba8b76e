"""The page Arena: choose players, see the crosstable fill, replay any game."""

from __future__ import annotations

from nicegui import ui

from inarow.game import InputError
from inarow.ui.web.agents import check_game, players_for, saved_agents
from inarow.ui.web.arena_files import ArenaFiles
from inarow.ui.web.arena_jobs import ArenaJob, Arenas
from inarow.ui.web.browser_sessions import BrowserSession
from inarow.ui.web.crosstable import Crosstable
from inarow.ui.web.fields import number_field, whole
from inarow.ui.web.handlers import in_thread
from inarow.ui.web.job_queue import GOING_ON, State
from inarow.ui.web.play_form import GameField
from inarow.ui.web.replay_card import ReplayCard
from inarow.ui.web.site import Site
from inarow.ui.web.theme import heading, scroll_to

EVERY = 0.4  # seconds between two looks at the arena
WORDS = {
    State.WAITING: "In line: another arena is being played first.",
    State.RUNNING: "Playing (the first games of a player are compiled: up to a minute).",
    State.STOPPED: "Stopped.",
    State.DONE: "Done. Press a result to see its games.",
}

# A chosen player, by its name alone: what is said of it stands in the list.
CHOSEN = '<span class="chosen">{{ props.opt.label.split(/: | \\(/)[0] }}</span>'
STYLE = '.chosen:has(+ .chosen)::after { content: ",\\00a0"; }'


def build(site: Site) -> None:
    """Fills the page."""
    ui.add_css(STYLE)
    ArenaPage(site)


def arenas_of(site: Site, visitor: BrowserSession) -> Arenas:
    """The arena of a visitor: the one that is here, or else on the disk."""
    kept = ArenaFiles(visitor.files, site.folder)
    return visitor.one(Arenas, lambda: Arenas(site.arenas, kept, site.player))


def continue_arenas(site: Site) -> None:
    """After a restart: arenas go on that nobody has stopped, before anybody comes to look."""
    for identity in site.store.identities():
        told = ArenaFiles(site.store.files_of(identity)).read()
        if told is not None and told.state in GOING_ON:
            arenas_of(site, site.sessions.of(identity))


class ArenaPage:
    """The page of one visitor in one window."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.arenas = arenas_of(site, site.visitor())
        self.shown: tuple[ArenaJob, int] | None = None  # what the table shows
        with ui.row().classes("w-full items-start gap-4"):
            with ui.column().classes("basis-72 grow md:grow-0 md:w-80 min-w-0"):
                self._build_form()
            with ui.column().classes("grow basis-96 min-w-0 gap-4"):
                self._build_table()
                self.replay = ReplayCard()
        self._look()
        ui.timer(EVERY, self._look)

    def _build_form(self) -> None:
        job = self.arenas.job
        name = job.game.name if job else "tictactoe"
        with ui.card().classes("w-full gap-3"):
            heading("A new arena")
            self.game = GameField("arena-game", name, self._fill)
            self.players = ui.select({}, label="Players", multiple=True, value=[])
            self.players.add_slot("selected-item", CHOSEN)
            self.players.props('dense outlined options-dense data-testid="players"')
            self.players.classes("w-full")
            with ui.row().classes("w-full no-wrap gap-2"):
                games, seed = (job.games, job.seed) if job else (100, 1)
                self.games = number_field("Games per pair", "arena-games", games)
                self.seed = number_field("Seed", "arena-seed", seed)
            button = ui.button("Begin", icon="emoji_events", on_click=self._begin)
            button.props('no-caps data-testid="begin-arena"')
            self.message = ui.label().classes("text-sm bad break-words")
            self.message.props('data-testid="arena-message" role="status"')
        self.game.show(name)
        self._fill()
        if job:
            self.players.value = [one for one in job.names if one in self.players.options]

    def _build_table(self) -> None:
        with ui.card().classes("w-full gap-2") as self.card:
            self.title = heading("").classes("break-words")
            self.bar = ui.linear_progress(0, show_value=False, size="6px")
            self.bar.props('aria-label="share of the games played"')
            with ui.row().classes("w-full items-center gap-3"):
                self.state = ui.label().classes("text-sm grow")
                self.state.props('data-testid="arena-state" role="status"')
                self.stop = ui.button("Stop", icon="stop", on_click=self._stop)
                self.stop.props('no-caps outline dense data-testid="stop-arena"').classes("px-2")
            self.table = Crosstable(self._open)
        self.empty = ui.label(
            "Choose a game and players, and press Begin: everybody plays everybody, and every "
            "game can be replayed."
        ).props('data-testid="no-arena"')

    def _fill(self) -> None:
        """Who can play the game."""
        game = self.game.check(self.message.set_text)
        if game is None:
            return
        known = players_for(game)
        options = {
            name: f"{name} ({header.learner}, {header.games:,} games)"
            for name, header in saved_agents(self.site.folder).items()
            if header.game == game.name
        }
        options.update({name: f"{name}: {about}" for name, about in known.items()})
        kept = [name for name in self.players.value or [] if name in options]
        usual = [next(iter(known)), "attack-defense", "attack", "random"]
        self.players.set_options(options, value=kept if len(kept) > 1 else usual)

    async def _begin(self) -> None:
        try:
            self.message.text = ""
            game, names = check_game(self.game.name), [str(n) for n in self.players.value or []]
            games, seed = whole(self.games), whole(self.seed)
            players = await in_thread(self.card, lambda: [self.site.player(n, game) for n in names])
            job = ArenaJob(game, players, games, seed)
        except InputError as error:
            self.message.text = str(error)
            return
        self.arenas.start(job)
        self.replay.hide()
        self._look()
        scroll_to(self.card)

    def _stop(self) -> None:
        if self.arenas.job is not None:
            self.arenas.job.stop()

    def _look(self) -> None:
        """Brings the page up to date."""
        job = self.arenas.job
        self.card.visible, self.empty.visible = job is not None, job is None
        if job is None:
            return
        self.title.content = f"{job.game.name}, {job.games:,} games per pair, seed {job.seed}"
        self.bar.value = job.played / job.total
        words = job.error if job.state is State.FAILED else WORDS[job.state]
        self.state.text = f"{job.played:,} of {job.total:,} games. {words}"
        self.stop.visible = job.going_on
        now = (job, len(job.matches))
        if now != self.shown:
            self.shown = now
            self.table.show(job)

    async def _open(self, one: str, other: str) -> None:
        if self.arenas.job is not None:
            await self.replay.open(self.arenas.job, one, other)
