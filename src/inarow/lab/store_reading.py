"""What a study's database answers: its configs, and what was measured in the runs of each."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.game import InputError
from inarow.lab.checksums import clearly
from inarow.lab.study import Config, Measurement, Study

Value = str | float | bytes | None  # what a database holds


class Key(NamedTuple):
    """Names a unit."""

    config: int
    seed: int


class StudyReader:
    """A connection to a study's database, and questions to it; `Store` opens and writes it."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self._connection = path, connection
        self.seeds: range | None = None  # only these are read; None: all

    def _rows(self, question: str, *values: Value) -> list[tuple[Any, ...]]:
        with clearly(self.path, "read"):
            return self._connection.execute(question, values).fetchall()

    @property
    def study(self) -> Study:
        """What is kept here."""
        name, work = self._rows("SELECT name, work FROM study")[0]
        return Study(name, tuple(self.configs()), work)

    @property
    def version(self) -> str:
        """Of the inarow that ran it."""
        return str(self._rows("SELECT version FROM study")[0][0])

    def configs(self) -> list[Config]:
        """The parameters of each config, by its number."""
        texts = self._rows("SELECT parameters FROM configs ORDER BY config")
        return [_config(text) for (text,) in texts]

    def begun(self) -> dict[Key, float]:
        """How much is done of each unit that is not finished."""
        found = self._rows("SELECT config, seed, share FROM units WHERE NOT finished")
        return {Key(config, seed): share for config, seed, share in found}

    def finished(self, config: int) -> list[int]:
        """The seeds with which a config has run to its end."""
        found = self._rows(
            "SELECT seed FROM units WHERE config = ? AND finished ORDER BY seed", config
        )
        return [seed for (seed,) in found if self.seeds is None or seed in self.seeds]

    def metrics(self, config: int) -> list[str]:
        """What was measured in a config."""
        found = self._rows(
            "SELECT DISTINCT metric FROM measurements WHERE config = ? ORDER BY metric", config
        )
        return [metric for (metric,) in found]

    def final(self, config: int, metric: str) -> npt.NDArray[np.float64]:
        """The last value of a metric in each finished run, by seed; nan where it has none."""
        found = self._rows(
            "SELECT seed, MAX(games), value FROM measurements"
            " WHERE config = ? AND metric = ? GROUP BY seed",
            *(config, metric),
        )
        values = {seed: value for seed, _, value in found}
        return np.array([values.get(seed, np.nan) for seed in self.finished(config)], np.float64)

    def curve(
        self, config: int, metric: str, unfinished: bool = False
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """A metric over the games played, and its value in each finished run: [seeds, games].

        It is nan where a run did not measure it, as when runs end at different lengths. If asked
        for, those that go on follow.
        """
        found = self._rows(
            "SELECT seed, games, value FROM measurements WHERE config = ? AND metric = ?",
            config,
            metric,
        )
        seeds = self.finished(config)
        if unfinished:
            going = sorted(key.seed for key in self.begun() if key.config == config)
            seeds += [seed for seed in going if self.seeds is None or seed in self.seeds]
        rows = {seed: row for row, seed in enumerate(seeds)}
        found = [point for point in found if point[0] in rows]
        games = np.unique(np.array([point[1] for point in found], np.int64))
        values = np.full((len(rows), len(games)), np.nan)
        if found:
            places = np.searchsorted(games, [point[1] for point in found])
            values[[rows[point[0]] for point in found], places] = [point[2] for point in found]
        return games, values

    def measurements(self) -> Iterator[tuple[Key, Measurement]]:
        """All that was measured, also in runs that go on, in the order of the keys."""
        question = (
            "SELECT config, seed, games, metric, value FROM measurements"
            " ORDER BY config, metric, seed, games"
        )
        with clearly(self.path, "read"):
            for config, seed, games, metric, value in self._connection.execute(question):
                yield Key(config, seed), Measurement(games, metric, value)


def _config(text: str) -> Config:
    """The parameters that JSON says, which anybody may have written."""
    try:
        found = json.loads(text)
        if not isinstance(found, dict):
            raise TypeError
    except (ValueError, TypeError, RecursionError):
        raise InputError(f"{text[:40]!r} says no parameters of a config") from None
    return found
