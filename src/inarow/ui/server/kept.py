"""What the files of visitors hold, in types and ranges: a file that holds anything else is none.

The server wrote these files, but a disk, a copy or another program may have changed them since,
and they are read when the server starts. So what comes from them is checked here alone, and as
strictly as what a program asks.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, RootModel, model_validator

from inarow.lab.matches.match import Tally
from inarow.ui.server.jobs import State

MOST_GAMES = 1_000_000_000  # of a run
MOST_PLAYERS = 10  # of an arena
LONGEST = 100_000  # characters of a text

Text = Annotated[str, Field(max_length=LONGEST)]
Games = Annotated[int, Field(ge=0, le=MOST_GAMES)]
Count = Annotated[int, Field(ge=0, le=10**12)]
Number = Annotated[int, Field(ge=-(2**63), le=2**64)]
Share = Annotated[float, Field(ge=-1e-9, le=1 + 1e-9)]  # sums of exact odds are rounded
Option = bool | Number | float | Text
Marked = tuple[Share, Share, Share, Count, Games, Share | None]
TALLY = len(fields(Tally))
Counts = Annotated[list[Count], Field(min_length=TALLY, max_length=TALLY)]


class Kept(BaseModel):
    """Something that was written down: nothing unknown in it, and every part of its type."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class KeptOrder(Kept):
    """What is to be trained; whether it can be is found out later."""

    game: Text
    learner: Text
    options: dict[str, Option]
    against: Text
    games: Games
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)]
    tester: Text


class KeptLook(Kept):
    """What a run knew at one of its evaluations: values of a position, and a game it played."""

    games: Games
    values: dict[Text, float]  # by move, as it is written
    game: Text  # its moves


class KeptRun(Kept):
    """A training run."""

    order: KeptOrder
    points: list[Marked]  # shares won, drawn and lost, games sampled, of training, lost in training
    plan: list[Games]  # when the agent is evaluated from now on
    counted: tuple[Count, Count]  # games and losses of training at the last point
    seconds: Annotated[float, Field(ge=0)]
    state: State
    error: Text
    looks: list[KeptLook] = Field(default_factory=list)


class KeptState(Kept):
    """The state of a training run beside it."""

    games: Games


class KeptArena(Kept):
    """An arena."""

    game: Text
    names: Annotated[list[Text], Field(max_length=MOST_PLAYERS)]
    games: Games
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)]
    changed: dict[str, Number | None]  # when the files of the players were, if any
    state: State
    error: Text
    matches: list[tuple[Annotated[int, Field(ge=0, le=2**64)], Counts, Counts]]  # that are over
    version: Text

    @model_validator(mode="after")
    def _counts_all_games(self) -> KeptArena:
        for _, first, second in self.matches:
            tallies = Tally(*first), Tally(*second)
            whole = all(one.games == one.wins + one.draws + one.losses for one in tallies)
            if not whole or sum(one.games for one in tallies) != self.games:
                raise ValueError("a match has other games than its arena")
        return self


class KeptUploads(RootModel[dict[Text, tuple[Text, Games]]]):
    """The agents from a visitor's files: what each plays, and its place."""

    model_config = ConfigDict(strict=True)
