"""The conditions of a paper's study that can be trained on the page Train."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from inarow.game import InputError
from inarow.lab.studies.study import work_of
from inarow.lab.training.driver import KNOWN, TrainingWork, options_in
from inarow.learn.learner import ITSELF
from inarow.ui.server.curves import possible_testers
from inarow.ui.server.orders import Order
from inarow.ui.server.players import check_game

if TYPE_CHECKING:
    from inarow.papers.study import Condition


class Trainable(NamedTuple):
    """A condition, and where the form of the page Train is filled in with it."""

    part: str  # of the study
    label: str
    address: str


@lru_cache(maxsize=16)
def trainable(paper: str) -> tuple[Trainable, ...]:
    """The conditions of a paper that a visitor can train; of those that are alike, the first."""
    from inarow.papers.paper import paper_of  # no server waits for it to be loaded

    found = dict[str, Trainable]()
    for part in paper_of(paper).parts:
        for condition in part.conditions_at(part.scales[-1]):
            order = _order(condition, part.seed)
            if order is not None:
                labels = ", ".join(str(value) for value in condition.labels.values())
                address = train_address(order)
                found.setdefault(address, Trainable(part.about, labels, address))
    return tuple(found.values())


def train_address(order: Order) -> str:
    """The page Train with its form filled in: what is said here is what a study's config says."""
    said = {
        "game": order.game.name,
        "learner": order.learner,
        "against": order.against,
        "games": order.games,
        "seed": order.seed,
        **order.options,
    }
    return f"/train?{urlencode(said)}"


def _order(condition: Condition, seed: int) -> Order | None:
    """What is trained in a condition, if it is a training run, and one that works here."""
    work, given = work_of(condition.work), {**KNOWN, **condition.parameters}
    own = [one for one in work.__mro__ if issubclass(one, TrainingWork) and "begin" in vars(one)]
    if own[:1] != [TrainingWork]:  # another work, or a run that begins in another way
        return None
    try:
        game = check_game(given["game"])
        return Order(
            game,
            given["learner"],
            options_in(condition.parameters),
            given["against"] or ITSELF,
            int(given["games"]),
            seed,
            possible_testers(game)[0],
        ).checked()
    except InputError:
        return None
