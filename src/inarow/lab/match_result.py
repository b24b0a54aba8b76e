"""What a match comes to: games counted, with intervals, from either side."""

from __future__ import annotations

from dataclasses import dataclass

from inarow.game import Game
from inarow.game.report import Report, Reported
from inarow.lab.statistics import Interval, share_text, wilson


@dataclass(frozen=True, repr=False)
class Tally(Reported):
    """Games counted from one player's side."""

    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    plies: int = 0
    lines_for: int = 0  # completed by the player: what counts in scoring games
    lines_against: int = 0
    different: int = 0  # games unlike the first of their chunk: 0 if one game was always repeated

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(a + b for a, b in zip(self._numbers(), other._numbers(), strict=True)))

    def _numbers(self) -> tuple[int, ...]:
        return tuple(vars(self).values())

    @property
    def score(self) -> float:
        """Wins and half the draws, as a share of the games."""
        return (self.wins + self.draws / 2) / self.games

    def intervals(self) -> dict[str, Interval]:
        """Wilson's 95% intervals of score, wins, draws and losses."""
        counts = {"score": self.wins + self.draws / 2, **self._ends()}
        return {name: wilson(count, self.games) for name, count in counts.items()}

    def _ends(self) -> dict[str, int]:
        return {"wins": self.wins, "draws": self.draws, "losses": self.losses}

    @property
    def texts(self) -> tuple[str, ...]:
        """Games, wins, draws, losses and the score with its interval."""
        counts = (f"{n:,}" for n in (self.games, *self._ends().values()))
        return (*counts, share_text(self.score, self.intervals()["score"]) if self.games else "")

    def report(self) -> Report:
        """What is shown of it."""
        head = ("", "games", "wins", "draws", "losses", "score (95%)")
        return Report("Games", head, [("counted", *self.texts)])

    def as_json(self) -> dict[str, object]:
        """For programs."""
        return {
            "games": self.games,
            **self._ends(),
            "score": self.score,
            "intervals": {name: list(interval) for name, interval in self.intervals().items()},
            "mean_plies": self.plies / self.games,
            "mean_lines": [self.lines_for / self.games, self.lines_against / self.games],
        }

    @property
    def repeated(self) -> bool:
        """Whether one and the same game was played over and over, of the games on one side."""
        return self.games > 1 and self.different == 0


@dataclass(frozen=True, repr=False)
class MatchResult(Reported):
    """A match, seen from the first-named player."""

    game: Game
    players: tuple[str, str]
    seed: int
    as_first: Tally
    as_second: Tally

    @property
    def total(self) -> Tally:
        """Both sides together."""
        return self.as_first + self.as_second

    @property
    def repeated(self) -> bool:
        """Whether in some side one game was played over and over."""
        return self.as_first.repeated or self.as_second.repeated

    def report(self) -> Report:
        """What is shown of it."""
        one, other = self.players
        sides = {"as first": self.as_first, "as second": self.as_second}
        rows = [(side, *tally.texts) for side, tally in sides.items() if tally.games]
        if len(rows) > 1:
            rows.append(("together", *self.total.texts))
        notes = [
            f"{side.capitalize()}, all {tally.games:,} games were one and the same."
            for side, tally in sides.items()
            if tally.repeated
        ]
        title = f"{self.game.name}: {one} against {other}, seed {self.seed}"
        head = (f"{one}'s games", "games", "wins", "draws", "losses", "score (95%)")
        return Report(title, head, rows, notes)

    def as_json(self) -> dict[str, object]:
        """For programs."""
        sides = {"as_first": self.as_first, "as_second": self.as_second}
        return {
            "game": self.game.name,
            "players": list(self.players),
            "seed": self.seed,
            **self.total.as_json(),
            "repeated": self.repeated,
            **{
                name: {**tally.as_json(), "repeated": tally.repeated}
                for name, tally in sides.items()
                if tally.games
            },
        }
