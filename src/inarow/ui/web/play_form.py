"""The form for another game: which, against whom, in which side; and agents from files."""

from __future__ import annotations

import logging
import re
import weakref
from collections.abc import Callable

from nicegui import events, ui

from inarow.game import EXAMPLES, Game, InputError
from inarow.game import game as game_of
from inarow.lab.levels import LEVELS, share_of, strongest
from inarow.lab.move_values import default_opponent
from inarow.ui.web.agents import MOST_BYTES, check_game, fits_page, players_for, saved_agents
from inarow.ui.web.session import Session
from inarow.ui.web.settings import PERSON, Setting
from inarow.ui.web.site import Site
from inarow.ui.web.theme import heading

log = logging.getLogger(__name__)

OTHER = ""  # what is typed instead of chosen
LEVEL = "level"  # one of ten strengths, chosen beside
GAMES = {e.name: e.title for e in EXAMPLES if fits_page(game_of(e.name))}
GAMES[OTHER] = "Another game ..."
USUAL_LEVEL = 5


class GameField:
    """Which game: one of a list, or any other by its name."""

    def __init__(self, mark: str, name: str, changed: Callable[[], None]) -> None:
        self.select = ui.select(GAMES, label="Game", value=OTHER, on_change=changed)
        # The text is given now: one set later would be set once more when the page connects, and
        # then replace what somebody has typed by that time.
        self.text = ui.input(
            "Name of the game", placeholder="mnk:5x5x4", value=name, on_change=changed
        )
        self.text.bind_visibility_from(self.select, "value", lambda value: value == OTHER)
        self.select.props(f'dense outlined options-dense data-testid="{mark}"').classes("w-full")
        self.text.props(f'dense outlined data-testid="{mark}-text"').classes("w-full")

    def show(self, name: str) -> None:
        """Shows a game as the one that is chosen."""
        self.text.value = name
        self.select.value = name if name in GAMES else OTHER

    @property
    def name(self) -> str:
        """The game that is chosen, or what has been typed of its name."""
        return str(self.select.value or self.text.value or "").strip()

    def check(self, say: Callable[[str], object]) -> Game | None:
        """The game, if a page can show it; what is wrong is said, but nothing of an empty name."""
        try:
            game = check_game(self.name)
        except InputError as error:
            say(str(error) if self.name else "")
            return None
        say("")
        return game


class Form:
    """Chooses the next game; nothing happens before Start."""

    def __init__(self, session: Session, site: Site) -> None:
        self.session, self.site = session, site
        game, against, _ = session.choice
        named = against in self._opponents(check_game(game))
        with ui.card().classes("w-full gap-2"):
            heading("Another game")
            self.game = GameField("game", game, self._fill_opponents)
            ui.link("Build a board", "/boards").classes("text-sm").props('data-testid="to-builder"')
            self.opponent = ui.select({OTHER: ""}, label="Against", value=OTHER).classes("w-full")
            self.opponent.props('dense outlined options-dense data-testid="against"')
            self.opponent_text = ui.input(
                "Name of the player",
                placeholder="minimax:4, attack@random",
                value="" if named else against,
            ).props('dense outlined data-testid="opponent-text"')
            self.opponent_text.classes("w-full").bind_visibility_from(
                self.opponent, "value", lambda value: value == OTHER
            )
            self._build_level()
            self.side = ui.radio(
                {"first": "I move first (X)", "second": "I move second (O)"}, value="first"
            ).props('inline dense data-testid="side" role="radiogroup" aria-label="your side"')
            with ui.row().classes("items-center gap-2"):
                start = ui.button("Start", icon="play_arrow", on_click=self._start)
                start.props('no-caps data-testid="start"')
                self._build_upload()
            self.message = ui.label().classes("text-sm break-words")
            self.message.props('data-testid="message" role="status"')
        self.followed: tuple[str, str, str] | None = None
        self.follow()

    def _build_level(self) -> None:
        with ui.column().classes("w-full gap-0 px-2") as place:
            self.level = ui.slider(
                min=LEVELS[0], max=LEVELS[-1], value=USUAL_LEVEL, on_change=self._say_level
            )
            self.level.props('markers snap data-testid="level" aria-label="level"')
            self.about_level = ui.label().classes("text-sm").props('data-testid="about-level"')
        place.bind_visibility_from(self.opponent, "value", lambda value: value == LEVEL)

    def _say_level(self) -> None:
        """What the level means in the game that is chosen."""
        game, number = self.game.check(lambda _: None), int(self.level.value)
        if game is not None:
            strong, share = strongest(game), share_of(game, number)
            mixed = f"plays as {strong} in {share:.0%} of its moves, else at random"
            said = {0.0: "plays at random", 1.0: f"plays as {strong}"}.get(share, mixed)
            self.about_level.text = f"Level {number} of {LEVELS[-1]}: {said}."

    def follow(self) -> None:
        """Shows the choice that the game on the table came from, if it is another than before."""
        if self.session.choice == self.followed:
            return
        game, against, side = self.followed = self.session.choice
        self.game.show(game)
        self._fill_opponents()
        level = re.fullmatch(r"level:(\d+)", against)
        if level:
            against, self.level.value = LEVEL, int(level[1])
        named = against in self.opponent.options
        self.opponent.value = against if named else OTHER
        self.opponent_text.value = "" if named else against
        self.side.value = side

    def _build_upload(self) -> None:
        # FastAPI remembers the address of an upload, and with it all that this leads to, long after
        # the page is gone: so it leads here only weakly.
        here = weakref.ref(self)

        async def loaded(event: events.UploadEventArguments) -> None:
            if (form := here()) is not None:
                await form._upload(event)

        def rejected() -> None:
            if (form := here()) is not None:
                form._say(
                    f"That file is too large: the limit is {MOST_BYTES // 2**20} MiB.", bad=True
                )

        upload = self.upload = ui.upload(
            auto_upload=True, max_file_size=MOST_BYTES, on_upload=loaded, on_rejected=rejected
        ).classes("hidden")
        button = ui.button("Load an agent file", icon="upload_file").props("flat no-caps")
        button.props('data-testid="upload"')
        # In the browser: it opens a window for files only right after a click.
        button.on("click", js_handler=f"() => getElement({upload.id}).$refs.qRef.pickFiles()")

    def _fill_opponents(self) -> None:
        """Who can play the game; the one chosen stays if it can, else a strong one is chosen."""
        game = self.game.check(lambda text: self._say(text, bad=bool(text)))
        if game is None:
            return
        options, kept = self._opponents(game), self.opponent.value
        strong = default_opponent(game)
        self.opponent.set_options(
            options, value=kept if kept in options and kept != OTHER else strong
        )
        self._say_level()

    def _opponents(self, game: Game) -> dict[str, str]:
        """Who can play a game, with what is to be said of each."""
        options = {PERSON: "two players, this screen"}
        for name, played in self.session.uploads.games.items():
            if played == game.name:
                options[name] = f"{name} (your file)"
        for name, header in saved_agents(self.site.folder).items():
            if header.game == game.name:
                options.setdefault(name, f"{name} ({header.learner}, {header.games:,} games)")
        options.update({name: f"{name}: {about}" for name, about in players_for(game).items()})
        options[LEVEL] = f"a level from {LEVELS[0]} to {LEVELS[-1]} ..."
        options[OTHER] = "another player ..."
        return options

    async def _start(self) -> None:
        against = str(self.opponent.value or self.opponent_text.value or "").strip()
        if against == LEVEL:
            against = f"level:{self.level.value:g}"
        try:
            self._say("")
            await self.session.begin(Setting(self.game.name, against, str(self.side.value)))
        except InputError as error:
            self._say(str(error), bad=True)

    async def _upload(self, event: events.UploadEventArguments) -> None:
        """An agent from the visitor's own machine; what is wrong with it is said in a line."""
        name = event.file.name
        try:
            content = await event.file.read()
            name = await self.session.upload(name, content)
        except InputError as error:
            self._say(" ".join(str(error).split()), bad=True)
            return
        except Exception:
            log.exception("an agent file failed")
            self._say(f"{name} is not a saved agent: nothing can be loaded from it.", bad=True)
            return
        finally:
            self.upload.reset()
        game = self.session.uploads.games[name]
        self.game.show(game)
        self._fill_opponents()
        self.opponent.value = name
        self._say(f"{name} plays {game}. Press Start to play it.")

    def _say(self, text: str, bad: bool = False) -> None:
        self.message.text = text
        self.message.classes(
            add="bad" if bad else "quiet",
            remove="quiet" if bad else "bad",
        )
