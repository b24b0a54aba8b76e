"""Certificates against anyone: every game of a player, whatever its opponent does.

No graph of the game and no solver is needed, only that the player's own games are few enough to be
enumerated (`graph.all_games`): some tens of millions of positions for an agent on 6x7.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from inarow.engine.board import tables_of
from inarow.engine.players import compiled_form, has_compiled_form
from inarow.game import Game, InputError
from inarow.game.position import SIDES, moves_text
from inarow.game.report import HasReport, Report
from inarow.graph.all_games import (
    DRAWN_GAMES,
    LOST,
    MOST_POSITIONS,
    POSITIONS,
    WON,
    AllGames,
    play_all_games,
)
from inarow.lab.players.names import player
from inarow.lab.players.protocols import AnyPlayer, game_to_certify, name_of, states_policy

ENOUGH = 10_000_000  # positions of a player that can lose, unless all are wanted


@dataclass(frozen=True)
class SideCertificate:
    """What is proven of a player on one side, against anyone."""

    every_game: AllGames
    game: Game
    seconds: float  # of this processor

    def __post_init__(self) -> None:
        if not self.every_game.complete and not self.every_game.lost:
            raise ValueError("where games were left out, nothing but a lost one proves anything")

    @property
    def result(self) -> str:
        """The worst that can happen to it, in words."""
        if self.every_game.lost:
            return "can lose"
        return "never loses" if self.every_game.drawn else "wins every game"

    @property
    def text(self) -> str:
        """The certificate of the side in one sentence."""
        found = self.every_game
        together = ", mirror images together" if found.mirrored else ""
        what = self.result if found.lost else f"proven: {self.result}"
        counted = "" if found.complete else " Since it can lose, not all games were enumerated."
        return (
            f"{what}. {found.positions:,} positions enumerated{together}: {found.won:,} games end "
            f"won, {found.drawn:,} drawn, {found.lost:,} lost ({self.seconds:,.0f} s).{counted}"
        )

    @property
    def counterexamples(self) -> dict[str, str]:
        """A shortest game that is lost, and one that is drawn."""
        games = {"lost": self.every_game.lost_game, "drawn": self.every_game.drawn_game}
        return {end: moves_text(self.game, moves) for end, moves in games.items() if moves}

    def as_json(self) -> dict[str, object]:
        """Return the result as JSON data."""
        found, names = self.every_game, ("positions", "won", "drawn", "lost")
        places = (POSITIONS, WON, DRAWN_GAMES, LOST)
        return {
            "proven": None if found.lost else self.result,
            "result": self.result,
            "complete": found.complete,
            "positions": found.positions,
            "won": found.won,
            "drawn": found.drawn,
            "lost": found.lost,
            "counterexamples": self.counterexamples,
            "mirror_images_together": found.mirrored,
            "by_stones": {
                str(stones): dict(zip(names, (int(row[p]) for p in places), strict=True))
                for stones, row in enumerate(found.counts)
                if row.any()
            },
            "seconds": round(self.seconds, 1),
        }


@dataclass(frozen=True, repr=False)
class AnyoneCertificate(HasReport):
    """What is proven of a player against every opponent."""

    game: Game
    player: str
    sides: dict[str, SideCertificate]

    def report(self) -> Report:
        """Return the report."""
        notes = [f"As {name}: {side.text}" for name, side in self.sides.items()]
        return Report(f"{self.player} in {self.game.name}, against anyone", notes=notes)

    @property
    def proven(self) -> bool:
        """Whether it is proven on some side that it never loses, or wins every game."""
        return any(not side.every_game.lost for side in self.sides.values())

    def as_json(self) -> dict[str, object]:
        """Return the result as JSON data."""
        return {
            "game": self.game.name,
            "player": self.player,
            "against": "anyone",
            "proven": self.proven,
            "sides": {name: side.as_json() for name, side in self.sides.items()},
        }


def certify_against_anyone(
    some_player: str | AnyPlayer,
    game: str | Game | None = None,
    sides: tuple[str, ...] = SIDES,
    most: int = MOST_POSITIONS,
    progress: Callable[[str, int], object] = lambda side, positions: None,
    count_all: bool = False,
) -> AnyoneCertificate:
    """Enumerate every game of a player on each of the sides.

    If a lost game is found, the others are still counted unless they are too many; with
    `count_all` they always are. This works for compiled players that state every move that they
    may choose; all of these moves are followed.
    """
    found = player(some_player)
    spec = game_to_certify(found, game)
    unknown = [side for side in sides if side not in SIDES]
    if unknown or not sides:
        raise InputError(f"side {unknown[0] if sides else ''!r} must be one of {', '.join(SIDES)}")
    if not states_policy(found):
        why = "only compiled players can be asked so often"
        if has_compiled_form(found):
            why = "it does not state every move that it may choose"
        raise InputError(f"{name_of(found)} cannot be certified against anyone: {why}")
    arrays, certificates = compiled_form(found, tables_of(spec)), dict[str, SideCertificate]()
    for side in sides:
        start = time.process_time()
        every_game = play_all_games(
            spec,
            arrays,
            SIDES.index(side),
            most,
            partial(progress, side),
            enough=None if count_all else ENOUGH,
        )
        certificates[side] = SideCertificate(every_game, spec, time.process_time() - start)
    return AnyoneCertificate(spec, name_of(found), certificates)
