"""What is to be trained: said by a form, checked, and written down as JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from inarow.game import Game, InputError
from inarow.lab.players.names import rule_players_for
from inarow.lab.training.run import Run, load_run
from inarow.lab.values.move_values import default_opponent
from inarow.learn.learner import ITSELF, PLAYER, Learner
from inarow.learn.options import options_of_type, planned_options
from inarow.learn.registry import learner as learner_of
from inarow.learn.registry import learner_type
from inarow.learn.saved import read_header
from inarow.ui.server.curves import possible_testers
from inarow.ui.server.kept import MOST_GAMES, KeptOrder
from inarow.ui.server.players import check_depth, check_game, check_memory

T = TypeVar("T")


def trainers_for(learner: str, game: Game) -> list[str]:
    """Whom a learner can play in a game, the most useful first."""
    kind = learner_type(learner)
    found = [ITSELF] if ITSELF in kind.opponents else []
    if PLAYER in kind.opponents:
        found += sorted(rule_players_for(game), key=lambda name: name != "attack-defense")
        if kind.needs_graph and default_opponent(game) == "perfect" and game.cells <= 16:
            found.append("perfect")  # as a policy
    return found


@dataclass(frozen=True)
class Order:
    """What is to be trained."""

    game: Game
    learner: str
    options: dict[str, Any]
    against: str  # a trainer, or itself
    games: int
    seed: int
    tester: str

    @property
    def learner_object(self) -> Learner:
        """The learner with its options."""
        return learner_of(self.learner, self.options)

    @property
    def side(self) -> str:
        """Where it learns to play: both, unless it has one side against a trainer."""
        return (
            "both" if self.against == ITSELF else str(getattr(self.learner_object, "side", "both"))
        )

    def checked(self) -> Order:
        """Itself, if it can be trained; what is wrong else."""
        if not 1 <= self.games <= MOST_GAMES:
            raise InputError(
                f"the number of games must be between 1 and {MOST_GAMES:,}, not {self.games:,}"
            )
        if not 0 <= self.seed < 2**63:
            raise InputError(f"the seed must be a whole number from 0, not {self.seed}")
        check_memory(self.learner_object, self.game, self.seed)
        for name, known in (
            (self.against, trainers_for(self.learner, self.game)),
            (self.tester, possible_testers(self.game)),
        ):
            if name not in known:
                raise InputError(f"{name!r} is not possible here: take one of {', '.join(known)}")
        self.learner_object.check(self.game, self.against != ITSELF)
        check_depth(getattr(self.learner_object, "depth", 1), self.game)
        planned = planned_options(self.learner_object, self.games)
        return replace(self, options={**self.options, **planned})


def order_json(order: Order) -> dict[str, Any]:
    """An order as JSON says it."""
    return {**vars(order), "game": order.game.name}


def order_of(
    game: str,
    learner: str,
    against: str,
    tester: str,
    games: int,
    seed: int,
    options: dict[str, Any],
) -> Order:
    """The order that a form describes, checked; the usual players where it names none."""
    known = check_game(game)
    learner_type(learner)
    against = against or trainers_for(learner, known)[0]
    tester = tester or possible_testers(known)[0]
    return Order(known, learner, options, against, games, seed, tester).checked()


def order_from(kept: KeptOrder) -> Order:
    """The order that was written down, checked as any other."""
    return Order(**{**kept.model_dump(), "game": check_game(kept.game)}).checked()


def saved_order(path: Path, name: str, games: int) -> Order:
    """The order to continue a saved agent until so many games, as `train --resume` does."""
    header = _without_folder(path, name, read_header)
    kind, game = learner_type(header.learner), check_game(header.game)
    if not header.resumable:
        raise InputError(f"{name} cannot be trained on: it holds what the agent plays with only")
    if games <= header.games:
        raise InputError(
            f"{name} is already trained for {header.games:,} games: give a larger total"
        )
    options = {
        option.name: value
        for option in options_of_type(kind).values()
        if (value := header.options.get(option.name, option.default)) != option.default
        or option.planned
    }
    against = header.against or ITSELF
    tester = possible_testers(game)[0]
    return Order(game, header.learner, options, against, games, header.seed, tester).checked()


def saved_run(path: Path, name: str) -> Run:
    """The run that a file holds, once its order was found possible."""
    run = _without_folder(path, name, load_run)
    run.check_resumable()
    return run


def _without_folder(path: Path, name: str, read: Callable[[Path], T]) -> T:
    """What is read from a file; no message names the folder, which is nobody's business."""
    try:
        return read(path)
    except InputError as error:
        raise InputError(str(error).replace(str(path), name)) from None
