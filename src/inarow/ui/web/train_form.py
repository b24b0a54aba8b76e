"""The form for a training run: game, learner and its options, trainer, games, seeds.

It may be filled in by the page's address, with what a config of a study says, as in
`/train?game=tictactoe&learner=td&against=attack-defense&games=100000&seed=1&alpha=0.5`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from nicegui import ui

from inarow.game import InputError
from inarow.learn.learner import Learner
from inarow.learn.options import Option, options_of_type
from inarow.learn.registry import learner_type, learners
from inarow.learn.texts import text_of
from inarow.ui.web.agents import check_game
from inarow.ui.web.curves import possible_testers
from inarow.ui.web.fields import number_field, whole
from inarow.ui.web.paper_pages import page_names
from inarow.ui.web.play_form import GAMES, OTHER
from inarow.ui.web.theme import heading
from inarow.ui.web.training_orders import Order, trainers_for
from inarow.ui.web.training_runs import MOST_RUNS, TrainingRuns

# What the form says to whoever comes for the first time.
FIRST = {
    "game": "tictactoe",
    "game_text": "",
    "learner": "td",
    "trainer": "",
    "tester": "",
    "games": "100000",
    "seed": "1",
    "runs": "2",
}


# What an address may say beside options, and what that is called in the form.
ASKED = {name: name for name in FIRST if name != "game_text"} | {"against": "trainer"}


def _asked(address: Mapping[str, str]) -> dict[str, object]:
    """The form that an address asks for."""
    said = {ASKED[name]: value for name, value in address.items() if name in ASKED}
    options = {name: value for name, value in address.items() if name not in ASKED}
    return {"runs": "1", **said, "options": options}


class TrainForm:
    """Says what to train; `start` is told the orders, one for each seed.

    What `runs` remembers of the last time is there again, and what is typed is told to it;
    `asked` is what the page's address says.
    """

    def __init__(
        self,
        runs: TrainingRuns,
        start: Callable[[list[Order]], None],
        asked: Mapping[str, str],
    ) -> None:
        self.runs, self.start, self.ready = runs, start, False
        form = _asked(asked) if asked else runs.form
        kept = {**FIRST, **{key: str(value) for key, value in form.items() if key in FIRST}}
        wrong = kept["learner"] not in learners()
        if wrong:
            kept = dict(FIRST)
        self.options: dict[str, Any] = {}  # the fields of the learner's options, by name
        with ui.card().classes("w-full gap-3"):
            heading("A new run")
            game = kept["game"] if kept["game"] in GAMES else OTHER
            self.game = _select("Game", "train-game", GAMES, game, self._fill)
            typed = kept["game_text"] if kept["game"] in GAMES else kept["game"]
            self.game_text = _input("Name of the game", "train-game-text", self._fill, typed)
            self.game_text.bind_visibility_from(self.game, "value", lambda value: value == OTHER)
            known = {name: f"{name}: {kind.about()}" for name, kind in learners().items()}
            self.learner = _select(
                "Learner", "learner", known, kept["learner"], self._learner_chosen
            )
            self.about = ui.column().classes("w-full gap-0 text-xs px-3")
            self.about.props('data-testid="about-learner"')
            self.trainer = _select("Plays against", "trainer", {"": ""}, "", None)
            self.main_place = ui.column().classes("w-full p-0 gap-0")
            self.tester = _select("Tested against", "tester", {"": ""}, "", None)
            self.games = number_field("Games", "games", kept["games"])
            with ui.row().classes("w-full no-wrap gap-2"):
                self.seed = number_field("First seed", "seed", kept["seed"])
                self.count = number_field("Runs", "runs", kept["runs"])
            with ui.expansion("Options of the learner").classes("w-full") as self.expansion:
                # At once: a press on what is still moving would miss it.
                self.expansion.props('dense duration="0" data-testid="options"')
                self.option_place = ui.column().classes("w-full gap-2")
            button = ui.button("Train", icon="model_training", on_click=self._start)
            button.props('no-caps data-testid="train"')
            self.message = ui.label().classes("text-sm bad break-words")
            self.message.props('data-testid="train-message" role="status"')
        self._show_options(form.get("options"))
        self._fill_players(kept["trainer"], kept["tester"])
        for field in self._fields.values():
            field.on_value_change(self._keep)
        self.ready = True
        if asked:
            self._keep()
            self._complain(asked, wrong)

    def _complain(self, asked: Mapping[str, str], wrong: bool) -> None:
        """Says what of the address means nothing."""
        known = {*ASKED, *self.options}
        if wrong:
            self.message.text = f"there is no learner {asked['learner'][:40]!r} here"
        elif unknown := [name for name in asked if name not in known]:
            self.message.text = f"{self.learner.value} has no option {unknown[0][:40]!r}"

    @property
    def _fields(self) -> dict[str, Any]:
        """The fields of every learner, by what they are called where they are kept."""
        return {
            "game": self.game,
            "game_text": self.game_text,
            "learner": self.learner,
            "trainer": self.trainer,
            "tester": self.tester,
            "games": self.games,
            "seed": self.seed,
            "runs": self.count,
        }

    def _keep(self) -> None:
        """Remembers what the form says."""
        if self.ready:
            form = {name: str(field.value or "") for name, field in self._fields.items()}
            options = {name: field.value for name, field in self.options.items()}
            self.runs.keep_form({**form, "options": options})

    def _learner_chosen(self) -> None:
        """Another learner has other options, and another trainer suits it."""
        if self.ready:
            self._show_options({})
            self._fill_players("", str(self.tester.value))
            self._suit()

    def _show_options(self, kept: object) -> None:
        """What the learner is, and its options, each as it was left or with its default."""
        self._explain()
        self.options = {}
        self.option_place.clear()
        self.main_place.clear()
        values = kept if isinstance(kept, dict) else {}
        for name, option in options_of_type(self._kind).items():
            with self.main_place if option.main else self.option_place:
                self.options[name] = _option(option, values.get(name, option.default))
                self.options[name].on_value_change(self._keep)

    def _explain(self) -> None:
        """How it learns, and where that comes from."""
        text = text_of(self._kind)
        self.about.clear()
        with self.about:
            ui.label(text.update_rule.replace("`", "")).classes("quiet")
            if text.paper in page_names():
                where = f"/papers?paper={text.paper}"
                ui.link("The paper, and what came of it here", where).classes("py-1")

    @property
    def _kind(self) -> type[Learner]:
        return learner_type(str(self.learner.value))

    def _fill(self) -> None:
        """Another game: who can play it stays, and the learner's options are those that suit it."""
        if self.ready:
            self._fill_players(str(self.trainer.value), str(self.tester.value))
            self._suit()

    def _fill_players(self, trainer: str, tester: str) -> None:
        """Whom the learner can play in the game, and who can evaluate it; else the usual ones."""
        try:
            game = check_game(self._chosen_game)
        except InputError as error:
            self.message.text = str(error) if self._chosen_game else ""
            return
        self.message.text = ""
        for select, wanted, known in (
            (self.trainer, trainer, trainers_for(str(self.learner.value), game)),
            (self.tester, tester, possible_testers(game)),
        ):
            select.set_options(known, value=wanted if wanted in known else known[0])

    def _suit(self) -> None:
        """Options that are known to suit the game."""
        with suppress(InputError):
            suits = self._kind.suits.get(check_game(self._chosen_game).name, {})
            for name, value in suits.items():
                self.options[name].value = str(value)

    @property
    def _chosen_game(self) -> str:
        return str(self.game.value or self.game_text.value or "").strip()

    def _changed_options(self) -> dict[str, Any]:
        """The options that are not as they are by default."""
        given = {
            name: field.value if isinstance(field.value, bool) else str(field.value or "").strip()
            for name, field in self.options.items()
        }
        known = options_of_type(self._kind)
        return {name: v for name, v in given.items() if str(v) != str(known[name].default)}

    def _start(self) -> None:
        try:
            runs = whole(self.count)
            if not 1 <= runs <= MOST_RUNS:
                raise InputError(f"start 1 to {MOST_RUNS} runs, not {runs}")
            seed = whole(self.seed)
            game = check_game(self._chosen_game)
            self.start(
                [
                    Order(
                        game,
                        str(self.learner.value),
                        self._changed_options(),
                        str(self.trainer.value),
                        whole(self.games),
                        number,
                        str(self.tester.value),
                    ).checked()
                    for number in range(seed, seed + runs)
                ]
            )
            self.message.text = ""
        except InputError as error:
            self.message.text = str(error)


def _select(
    label: str, mark: str, options: dict[str, str], value: str, changed: Callable[[], None] | None
) -> Any:
    select = ui.select(options, label=label, value=value, on_change=changed)
    return select.props(f'dense outlined options-dense data-testid="{mark}"').classes("w-full")


def _input(
    label: str, mark: str, changed: Callable[[], None] | None = None, value: str = ""
) -> Any:
    # A value that is set later would be set once more when the page connects, and then replace
    # what somebody has typed by that time.
    field = ui.input(label, value=value, on_change=changed)
    return field.props(f'dense outlined data-testid="{mark}"').classes("w-full")


def _option(option: Option, value: object) -> Any:
    """A field for an option, with what it is below."""
    label, mark = option.name, f"option-{option.name}"
    with ui.column().classes("w-full gap-0"):
        if isinstance(option.default, bool):
            field: Any = ui.checkbox(label, value=str(value).lower() in ("true", "yes"))
            field.props(f'dense data-testid="{mark}"')
        elif option.allowed.choices:
            words = {choice: choice for choice in option.allowed.choices}
            usual = str(value) if str(value) in words else str(option.default)
            field = _select(label, mark, words, usual, None)
        else:
            field = _input(label, mark, value=str(value))
        ui.label(option.hint).classes("text-xs quiet px-3")
    return field
