"""What a stored study says: final values summed up, and everything as CSV."""

from __future__ import annotations

import csv
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import TypedDict

import numpy as np

from inarow.game import InputError
from inarow.lab.statistics import summary
from inarow.lab.store import Store
from inarow.lab.study import Config

COLUMNS = ("config", "seed", "games", "metric", "value")


class FinalRow(TypedDict):
    """What the finished runs of a config say of a metric."""

    config: int
    parameters: Config
    metric: str
    mean: float
    stderr: float | None  # None, as the interval, for a single run: it says nothing of the spread
    low: float | None
    high: float | None
    runs: int


def final_rows(store: Store) -> list[FinalRow]:
    """For each config and metric: the values at the end of the finished runs, summed up."""
    rows = list[FinalRow]()
    for config, parameters in enumerate(store.configs()):
        for metric in store.metrics(config):
            values = store.final(config, metric)
            values = values[~np.isnan(values)]  # a run may end without having measured it
            if len(values):
                found, several = summary(values), len(values) > 1
                rows.append(
                    FinalRow(
                        config=config,
                        parameters=parameters,
                        metric=metric,
                        mean=found.mean,
                        stderr=found.stderr if several else None,
                        low=found.low if several else None,
                        high=found.high if several else None,
                        runs=found.runs,
                    )
                )
    return rows


def export_csv(store: Store, path: Path) -> int:
    """Writes a row for each measurement, with its config's parameters as columns; how many rows.

    Also of runs that go on. Whole or not at all: written aside, then renamed. A parameter with
    the name of another column, as `games`, is called `config.games`.
    """
    configs = store.configs()
    parameters = list(dict.fromkeys(name for config in configs for name in config))
    texts = [
        [_text(config[name]) if name in config else "" for name in parameters] for config in configs
    ]
    titles = [f"config.{name}" if name in COLUMNS else name for name in parameters]
    aside, rows = path.with_name(f"{path.name}.{os.getpid()}.part"), 0
    try:
        with aside.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["config", *titles, *COLUMNS[1:]])
            for (config, seed), (games, metric, value) in store.measurements():
                writer.writerow([config, *texts[config], seed, games, metric, repr(value)])
                rows += 1
        aside.replace(path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
    finally:
        with suppress(OSError):
            aside.unlink()  # gone if all went well
    return rows


def _text(value: object) -> str:
    """Text as it is, all else as JSON."""
    return value if isinstance(value, str) else json.dumps(value)
