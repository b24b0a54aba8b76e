"""The form for a training run: game, learner and its options, trainer, games, seeds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from inarow.game import InputError
from inarow.learn.learner import Learner
from inarow.learn.options import Option, options_of_type
from inarow.learn.registry import learner_type, learners
from inarow.ui.web.agents import check_game
from inarow.ui.web.curves import possible_testers
from inarow.ui.web.fields import number_field, whole
from inarow.ui.web.play_form import GAMES, OTHER
from inarow.ui.web.training_jobs import MOST_RUNS, Order, trainers_for


class TrainForm:
    """Says what to train; `start` is told the orders, one for each seed."""

    def __init__(self, start: Callable[[list[Order]], None]) -> None:
        self.start = start
        self.options: dict[str, Any] = {}  # the fields of the learner's options, by name
        with ui.card().classes("w-full gap-3"):
            ui.label("A new run").classes("text-base font-semibold")
            self.game = _select("Game", "train-game", GAMES, "tictactoe", self._fill)
            self.game_text = _input("Name of the game", "train-game-text", self._fill)
            self.game_text.bind_visibility_from(self.game, "value", lambda value: value == OTHER)
            known = {name: f"{name}: {kind.about()}" for name, kind in learners().items()}
            self.learner = _select("Learner", "learner", known, "td", self._learner_chosen)
            self.trainer = _select("Plays against", "trainer", {"": ""}, "", None)
            self.main_place = ui.column().classes("w-full p-0 gap-0")
            self.tester = _select("Tested against", "tester", {"": ""}, "", None)
            self.games = number_field("Games", "games", 100_000)
            with ui.row().classes("w-full no-wrap gap-2"):
                self.seed = number_field("First seed", "seed", 1)
                self.runs = number_field("Runs", "runs", 2)
            with ui.expansion("Options of the learner").classes("w-full") as self.expansion:
                # At once: a press on what is still moving would miss it.
                self.expansion.props('dense duration="0" data-testid="options"')
                self.option_place = ui.column().classes("w-full gap-2")
            button = ui.button("Train", icon="model_training", on_click=self._start)
            button.props('no-caps data-testid="train"')
            self.message = ui.label().classes("text-sm text-red-900 break-words")
            self.message.props('data-testid="train-message" role="status"')
        self._learner_chosen()

    def _learner_chosen(self) -> None:
        """Shows the options of the learner, each with its default."""
        self.options = {}
        self.option_place.clear()
        self.main_place.clear()
        for name, option in options_of_type(self._kind).items():
            with self.main_place if option.main else self.option_place:
                self.options[name] = _option(option)
        self._fill()

    @property
    def _kind(self) -> type[Learner]:
        return learner_type(str(self.learner.value))

    def _fill(self) -> None:
        """Whom the learner can play in the game, and who can evaluate it."""
        try:
            game = check_game(self._chosen_game)
        except InputError as error:
            self.message.text = str(error) if self._chosen_game else ""
            return
        self.message.text = ""
        for select, known in (
            (self.trainer, trainers_for(str(self.learner.value), game)),
            (self.tester, possible_testers(game)),
        ):
            kept = select.value if select.value in known else known[0]
            select.set_options(known, value=kept)
        for name, value in self._kind.suits.get(game.name, {}).items():
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
            runs = whole(self.runs)
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


def _option(option: Option) -> Any:
    """A field for an option, with what it is below."""
    label, mark, default = option.name, f"option-{option.name}", option.default
    with ui.column().classes("w-full gap-0"):
        if isinstance(default, bool):
            field: Any = ui.checkbox(label, value=default).props(f'dense data-testid="{mark}"')
        elif option.allowed.choices:
            words = {choice: choice for choice in option.allowed.choices}
            field = _select(label, mark, words, str(default), None)
        else:
            field = _input(label, mark, value=str(default))
        ui.label(option.hint).classes("text-xs text-gray-700 px-3")
    return field
