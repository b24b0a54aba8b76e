"""Measurements as tables of pandas, and as Parquet: for the extra `inarow[tables]`."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from inarow.game import InputError
from inarow.lab.studies.results import all_rows, export_csv
from inarow.lab.studies.store import Store
from inarow.lab.studies.study import Measurement

if TYPE_CHECKING:
    from pandas import DataFrame


def needed(name: str) -> ModuleType:
    """Import a library of the extra, or say how it is installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise InputError(
            f"{name} is not installed: pip install 'inarow[tables]' adds it (in a checkout "
            "'.[tables]'); CSV needs nothing"
        ) from None


def frame_of(store: Store) -> DataFrame:
    """Return a row for each measurement of a study, with its config's parameters."""
    titles, rows = all_rows(store)
    return needed("pandas").DataFrame(rows, columns=titles)


def curves_of(measured: Sequence[Measurement]) -> DataFrame:
    """Return measurements by number of games, with a column for each metric."""
    pandas = needed("pandas")
    table = pandas.DataFrame(measured, columns=Measurement._fields)
    return table.pivot(index="games", columns="metric", values="value")


def export_parquet(store: Store, path: Path) -> int:
    """Write a row for each measurement as Parquet, whole or not at all; return how many rows."""
    needed("pyarrow")
    table = frame_of(store)
    aside = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        table.to_parquet(aside, engine="pyarrow", index=False)
        aside.replace(path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        aside.unlink(missing_ok=True)
    return len(table)


EXPORTS: dict[str, Callable[[Store, Path], int]] = {
    ".csv": export_csv,
    ".parquet": export_parquet,
}


def export(store: Store, path: Path) -> int:
    """Write all measurements in the format that the file's suffix says; return how many rows."""
    if path.suffix.lower() not in EXPORTS:
        raise InputError(f"{path} must end in {' or '.join(EXPORTS)}: that says the format")
    return EXPORTS[path.suffix.lower()](store, path)
