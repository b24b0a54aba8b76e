"""An arena as a page shows it: the crosstable, how far it is, and its games to step through."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from inarow.lab.matches.match import Tally
from inarow.ui.server.arena_jobs import ArenaJob, Arenas
from inarow.ui.server.forms import game_titles
from inarow.ui.server.jobs import State
from inarow.ui.server.learned import show_game
from inarow.web.opponents import name_of

WORDS = {
    State.WAITING: "In line: another arena is being played first.",
    State.RUNNING: "Playing (the first games of a player are compiled: up to a minute).",
    State.STOPPED: "Stopped.",
    State.DONE: "Done. Choose a result to see its games.",
}
RATING_NOTE = (
    "Rating: on the scale of Elo, 0 the mean of the field, with its 95% interval. "
    "Score: wins and half the draws; below it wins, draws, losses."
)


class Watcher:
    """What one page has been told of the arena."""

    def __init__(self, kept: Arenas) -> None:
        self.kept = kept
        self._told: dict[str, object] | None = None

    def changes(self) -> dict[str, object] | None:
        """The arena, if it is another than before."""
        shown = describe_arena(self.kept.job)
        if shown == self._told:
            return None
        self._told = shown
        return shown


def titles_of(names: Iterable[str]) -> dict[str, str]:
    """Names for people, by name; players that would have the same keep their own in brackets."""
    titles = {name: name_of(name) for name in names}
    counted = Counter(titles.values())
    return {n: title if counted[title] == 1 else f"{title} ({n})" for n, title in titles.items()}


def describe_arena(job: ArenaJob | None) -> dict[str, object]:
    """All that the page shows of an arena; nothing without one."""
    if job is None:
        return {}
    words = job.error if job.state is State.FAILED else WORDS[job.state]
    result = job.result
    names = result.ranking if result else job.names
    titles, title = titles_of(names), game_titles().get(job.game.name, job.game.name)
    repeated = [
        f"{titles[one]} - {titles[other]}"
        for (one, other), match in job.matches.items()
        if match.repeated
    ]
    return {
        "id": id(job),
        "game": job.game.name,
        "names": job.names,
        "games": job.games,
        "seed": job.seed,
        "title": f"{title}, {job.games:,} games per pair, seed {job.seed}",
        "share": job.played / job.total,
        "state": f"{job.played:,} of {job.total:,} games. {words}",
        "active": job.is_active,
        "rows": [{**_row(job, name, names), "title": titles[name]} for name in names],
        "notes": RATING_NOTE
        + (f" Always the same game: {', '.join(repeated)}." if repeated else ""),
    }


def _row(job: ArenaJob, name: str, names: list[str]) -> Mapping[str, object]:
    result = job.result
    total = result.total(name) if result else Tally()
    cells = list[object]()
    row = {"name": name, "rating": "", "interval": "", "score": "", "cells": cells}
    if result is not None and total.games:
        rating = result.ratings[name]
        row["rating"] = f"{rating.rating:+.0f}"
        row["interval"] = f"{rating.low:+.0f} to {rating.high:+.0f}"
        row["score"] = f"{total.score:.1%}"
    for other in names:
        tally = result.tally(name, other) if result else Tally()
        cells.append(
            [f"{tally.score:.0%}", f"{tally.wins}-{tally.draws}-{tally.losses}", tally.score]
            if name != other and tally.games
            else None
        )
    return row


def describe_game(job: ArenaJob, one: str, other: str, number: int) -> dict[str, object]:
    """A game of a match, its number counted from 1."""
    pair = (one, other) if (one, other) in job.matches else (other, one)
    position = job.game_of(*pair, number - 1)
    swapped = number > job.matches[pair].as_first.games
    first, second = reversed(pair) if swapped else pair
    winner = position.outcome.winner if position.outcome else None
    titles = titles_of(job.names)
    end = "a draw" if winner is None else f"{titles[(first, second)[winner - 1]]} wins"
    return {
        **show_game(position),
        "title": f"{titles[pair[0]]} - {titles[pair[1]]}",
        "sides": f"of {job.games:,}. X {titles[first]}, O {titles[second]}: {end}",
        "game": job.game.name,
        "of": job.games,
    }
