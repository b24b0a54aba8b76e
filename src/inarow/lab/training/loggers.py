"""Loggers: callbacks that write what is measured of a run to CSV, JSON lines or TensorBoard.

`csv:FILE`, `jsonl:FILE` and `tensorboard:DIR` name them, for `train --log` and `inarow.train`.
A run that is resumed, or made again, adds only what its log does not have yet.
"""

from __future__ import annotations

import csv
import importlib
import io
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

from inarow.game import InputError
from inarow.game.errors import suggestion
from inarow.game.files import check_writable, write_whole
from inarow.lab.studies.study import Config as Row
from inarow.lab.studies.study import Measurement
from inarow.lab.training.driver import Callback, Trainer
from inarow.lab.training.run import Run


def about_run(run: Run) -> Row:
    """Return what a run is a function of, as the rows of its log say it."""
    header = run.header
    return {
        "game": header.game,
        "learner": header.learner,
        "against": header.against,
        "options": header.options,
        "seed": header.seed,
    }


class Logger(Callback, ABC):
    """Writes each measurement once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: set[tuple[int, str]] = set()  # what the log has of this run

    @abstractmethod
    def check(self, run: Run) -> None:
        """Raise InputError if the log cannot be written for a run; change nothing."""

    @abstractmethod
    def read(self, run: Run) -> Iterable[tuple[int, str]]:
        """Yield numbers of games and metrics that the log has of a run already."""

    @abstractmethod
    def write(self, run: Run, measured: Sequence[Measurement]) -> None:
        """Append measurements."""

    def on_begin(self, trainer: Trainer) -> None:
        """Look at what the log has of this run."""
        self._known = set(self.read(trainer.run))

    def on_point(self, trainer: Trainer, measured: list[Measurement]) -> None:
        """Write what the log does not have yet."""
        new = [found for found in measured if (found.games, found.metric) not in self._known]
        if new:
            self.write(trainer.run, new)
            self._known |= {(found.games, found.metric) for found in new}


class LineLogger(Logger):
    """A text file of a line for each measurement, to which several runs may be added."""

    head: ClassVar[bytes] = b""  # the first line
    form: ClassVar[str]  # what such a file is called

    @staticmethod
    @abstractmethod
    def line(row: Row) -> str:
        """Return a row as a line."""

    @staticmethod
    @abstractmethod
    def rows(text: str) -> Iterable[Row]:
        """Return the rows of a file, as `line` was given them."""

    def check(self, run: Run) -> None:
        """Raise InputError if another file is there, or none can be written."""
        if self.path.is_file():
            list(self.read(run))
        check_writable(self.path)

    def read(self, run: Run) -> Iterable[tuple[int, str]]:
        """Return what whole lines of the file say of the run."""
        about, content = about_run(run), self._content()
        whole = content[: content.rfind(b"\n") + 1]
        try:
            if content and not content.startswith(self.head):
                raise ValueError
            rows = list(self.rows(whole.decode()))
            return [
                (int(row["games"]), str(row["metric"]))
                for row in rows
                if all(row[name] == value for name, value in about.items())
            ]
        except (ValueError, KeyError, TypeError):
            raise InputError(
                f"{self.path} is there and is not a log of runs as {self.form}: name another file"
            ) from None

    def write(self, run: Run, measured: Sequence[Measurement]) -> None:
        """Append lines; they are in the file when this returns."""
        about = about_run(run)
        lines = [self.line({**about, **found._asdict()}) for found in measured]
        with self.path.open("ab") as file:
            file.write(("" if file.tell() else self.head.decode()).encode())
            file.write("".join(lines).encode())

    def on_begin(self, trainer: Trainer) -> None:
        """Look at what the file has; half a line, of a run that was killed, is taken away."""
        super().on_begin(trainer)
        content = self._content()
        if content and not content.endswith(b"\n"):
            write_whole(self.path, content[: content.rfind(b"\n") + 1])

    def _content(self) -> bytes:
        return self.path.read_bytes() if self.path.is_file() else b""


class JsonLinesLogger(LineLogger):
    """A JSON object for each measurement."""

    form = "JSON lines"

    @staticmethod
    def line(row: Row) -> str:
        """Return a row as JSON."""
        return json.dumps(row) + "\n"

    @staticmethod
    def rows(text: str) -> Iterable[Row]:
        """Return the objects."""
        return [json.loads(line) for line in text.splitlines()]


class CSVLogger(LineLogger):
    """A row for each measurement; the options of the learner are one column, as JSON."""

    form = "CSV"
    columns = ("game", "learner", "against", "options", "seed", "games", "metric", "value")
    head = (",".join(columns) + "\n").encode()

    @classmethod
    def line(cls, row: Row) -> str:
        """Return a row with commas."""
        texts = {**row, "options": json.dumps(row["options"]), "value": repr(row["value"])}
        file = io.StringIO()
        csv.writer(file, lineterminator="\n").writerow([texts[name] for name in cls.columns])
        return file.getvalue()

    @staticmethod
    def rows(text: str) -> Iterable[Row]:
        """Return the rows, with options and seeds as they were."""
        return [
            {
                **row,
                "against": row["against"] or None,
                "options": json.loads(row["options"]),
                "seed": int(row["seed"]),
            }
            for row in csv.DictReader(io.StringIO(text))
        ]


class TensorBoardLogger(Logger):
    """Event files that TensorBoard reads, with the number of games as the step.

    A folder is a run there, so it holds one run; what made it is in `run.json`.
    """

    ABOUT = "run.json"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._writer: Any = None
        try:
            root = "tensorboard"
            importlib.import_module(root)
        except ImportError:
            raise InputError(
                "TensorBoard is not installed: pip install 'inarow[tensorboard]' adds it (in a "
                "checkout '.[tensorboard]'); csv:FILE and jsonl:FILE need nothing"
            ) from None
        self._events = importlib.import_module(f"{root}.compat.proto.event_pb2")
        self._summaries = importlib.import_module(f"{root}.compat.proto.summary_pb2")
        self._files = importlib.import_module(f"{root}.summary.writer.event_file_writer")
        self._reader = importlib.import_module(f"{root}.backend.event_processing.event_accumulator")

    def check(self, run: Run) -> None:
        """Raise InputError if the folder holds another run, or cannot be written."""
        check_writable(self.path / self.ABOUT)
        if any(self.path.glob("events.out.*")) and self._about() != about_run(run):
            raise InputError(f"{self.path} holds another run: a folder of TensorBoard is one run")

    def _about(self) -> object:
        with suppress(OSError, ValueError):
            return json.loads((self.path / self.ABOUT).read_text(encoding="utf-8"))
        return None

    def read(self, run: Run) -> Iterable[tuple[int, str]]:  # noqa: ARG002 - it is the only one
        """Return the steps of each tag."""
        if not any(self.path.glob("events.out.*")):
            return []
        events = self._reader.EventAccumulator(str(self.path), {"scalars": 0})
        events.Reload()
        tags = events.Tags()["scalars"]
        return [(event.step, tag) for tag in tags for event in events.Scalars(tag)]

    def on_begin(self, trainer: Trainer) -> None:
        """Look at what the folder has, and begin another file there."""
        super().on_begin(trainer)
        about = json.dumps(about_run(trainer.run), indent=1) + "\n"
        write_whole(self.path / self.ABOUT, about.encode())
        self._writer = self._files.EventFileWriter(str(self.path))

    def write(self, run: Run, measured: Sequence[Measurement]) -> None:  # noqa: ARG002
        """Add a scalar for each measurement."""
        for games, metric, value in measured:
            scalar = self._summaries.Summary.Value(tag=metric, simple_value=value)
            summary = self._summaries.Summary(value=[scalar])
            self._writer.add_event(self._events.Event(step=games, summary=summary))
        self._writer.flush()

    def on_end(self, trainer: Trainer) -> None:  # noqa: ARG002
        """Close the file."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None


LOGGERS: dict[str, tuple[type[Logger], str]] = {
    "csv": (CSVLogger, "FILE"),
    "jsonl": (JsonLinesLogger, "FILE"),
    "tensorboard": (TensorBoardLogger, "DIR"),
}
FORMS = ", ".join(f"{name}:{place}" for name, (_, place) in LOGGERS.items())


def loggers_of(run: Run, texts: str | Sequence[str]) -> list[Logger]:
    """Return the loggers that texts name, each checked before anything is trained."""
    found = [_logger(text) for text in ([texts] if isinstance(texts, str) else texts)]
    places = [os.path.realpath(logger.path) for logger in found]
    if len(set(places)) < len(places):
        raise InputError("two logs cannot be one file")
    for logger in found:
        logger.check(run)
    return found


def _logger(text: str) -> Logger:
    name, _, place = str(text).partition(":")
    if name not in LOGGERS or not place:
        raise InputError(f"cannot log to {text!r}{suggestion(name, LOGGERS)}: there is {FORMS}")
    return LOGGERS[name][0](Path(place))
