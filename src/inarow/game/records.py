"""Games written down: headers and moves as plain text, in the manner of PGN.

    [Game "connect4:6x7"]
    [First "human"]
    [Second "ntuple"]
    [Date "2026.11.16"]
    [Seed "7"]
    [Result "0-1"]

    1. 4 4 2. 4 4 3. 1 5 4. 2 3 0-1

docs/reference/records.md says what each part means. A file holds any number of games, one after
the other.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from inarow.game.errors import InputError, visible
from inarow.game.files import read_whole, write_whole
from inarow.game.names import game as game_of
from inarow.game.position import Outcome, Position, move_text, parse_moves
from inarow.game.spec import Game

WIDTH = 80
LONGEST = 1_000  # characters of a header's value
RESULTS = {Outcome.FIRST: "1-0", Outcome.SECOND: "0-1", Outcome.DRAW: "1/2-1/2", None: "*"}
KNOWN = ("Game", "First", "Second", "Date", "Seed", "Result")

_HEADER = re.compile(r'\[([A-Za-z][A-Za-z0-9_]*)\s+"((?:[^"\\]|\\["\\])*)"\]')


@dataclass(frozen=True)
class Record:
    """A game that was played, finished or not."""

    game: Game
    moves: tuple[int, ...]
    first: str = "?"
    second: str = "?"
    result: str = "*"
    seed: int | None = None
    date: str = "????.??.??"
    others: dict[str, str] = field(default_factory=dict)  # further headers, as they stand

    @property
    def set_up(self) -> int:
        """How many of the first moves set up a position and were not played."""
        text = self.others.get("SetUp", "")
        return min(int(text), len(self.moves)) if re.fullmatch("[0-9]{1,4}", text) else 0

    @property
    def position(self) -> Position:
        """The last position of the game."""
        position = Position(self.game)
        for move in self.moves:
            position.push(move)
        return position

    def __str__(self) -> str:
        headers = {"Game": self.game.name, "First": self.first, "Second": self.second}
        headers["Date"] = self.date
        if self.seed is not None:
            headers["Seed"] = str(self.seed)
        headers |= {"Result": self.result} | self.others
        lines = [f'[{name} "{_quoted(value)}"]' for name, value in headers.items()]
        texts = [move_text(self.game, move) for move in self.moves]
        pairs = [
            f"{ply // 2 + 1}. {' '.join(texts[ply : ply + 2])}" for ply in range(0, len(texts), 2)
        ]
        moves = textwrap.wrap(" ".join([*pairs, self.result]), WIDTH, break_on_hyphens=False)
        return "\n".join([*lines, "", *moves, ""])


def record(
    position: Position,
    first: str,
    second: str,
    seed: int | None = None,
    resigned: int | None = None,
) -> Record:
    """Return what was played up to a position, today; player `resigned` gave up."""
    result, others = RESULTS[position.outcome], {}
    if resigned is not None and position.outcome is None:
        result, others = ("0-1" if resigned == 1 else "1-0"), {"Termination": "resigned"}
    date = datetime.now(UTC).strftime("%Y.%m.%d")
    names = [visible(name)[:LONGEST] for name in (first, second)]
    return Record(position.game, position.moves, names[0], names[1], result, seed, date, others)


def records_text(records: Iterable[Record]) -> str:
    """Games as text, an empty line between them."""
    return "\n".join(str(record) for record in records)


def parse_records(text: str, name: str = "the text") -> list[Record]:
    """Return the games that a text holds; errors name the number of the line."""
    records, headers, movetext, start = list[Record](), dict[str, str](), list[str](), 1
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith("["):
            if movetext:
                records.append(_make(headers, movetext, f"{name}, line {start}"))
                headers, movetext = {}, []
            if not headers:
                start = number
            found = _HEADER.fullmatch(stripped)
            if found is None or found[1] in headers or len(found[2]) > LONGEST:
                raise InputError(
                    f"{name}, line {number}: {stripped[:60]!r} is not a header, "
                    'as [First "human"], or there are two of it'
                )
            headers[found[1]] = visible(re.sub(r"\\(.)", r"\1", found[2]))
        elif stripped:
            if not headers:
                raise InputError(f"{name}, line {number}: moves need headers before them")
            movetext += stripped.split()
    if headers:
        records.append(_make(headers, movetext, f"{name}, line {start}"))
    return records


def read_records(path: str | Path) -> list[Record]:
    """The games in a file."""
    try:
        return parse_records(read_whole(Path(path)).decode(), str(path))
    except UnicodeDecodeError:
        raise InputError(f"{path} holds no games: it is not text") from None


def write_records(path: str | Path, records: Iterable[Record]) -> None:
    """Write games to a file, completely or not at all."""
    write_whole(Path(path), records_text(records).encode())


def _make(headers: dict[str, str], movetext: list[str], where: str) -> Record:
    """A record of its parts, if they agree with each other."""
    if "Game" not in headers or "Result" not in headers:
        raise InputError(f"{where}: a game needs the headers Game and Result")
    result, seed = headers["Result"], headers.get("Seed")
    if result not in RESULTS.values() or movetext[-1:] not in ([], [result]):
        raise InputError(f"{where}: the result is one of {', '.join(RESULTS.values())}, twice")
    if seed is not None and not re.fullmatch(r"[0-9]{1,40}", seed):
        raise InputError(f"{where}: Seed {seed[:40]!r} is not a whole number")
    try:
        game = game_of(headers["Game"])
        position = Position(game)
        for token in movetext[:-1]:
            if not re.fullmatch(r"[0-9]+\.", token):
                _push(position, token)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    if position.outcome is not None and result != RESULTS[position.outcome]:
        raise InputError(f"{where}: the moves end in {RESULTS[position.outcome]}, not {result}")
    if position.outcome is None and result == "1/2-1/2":
        raise InputError(f"{where}: the game is not over, so it is not drawn")
    others = {key: value for key, value in headers.items() if key not in KNOWN}
    first, second = headers.get("First", "?"), headers.get("Second", "?")
    return Record(
        game,
        position.moves,
        first,
        second,
        result,
        None if seed is None else int(seed),
        headers.get("Date", "????.??.??"),
        others,
    )


def _push(position: Position, token: str) -> None:
    moves = parse_moves(position.game, token)
    if len(moves) != 1:
        raise InputError(f"{token[:40]!r} is not one move")
    position.push(moves[0])


def _quoted(value: str) -> str:
    return visible(value).replace("\n", " ").replace("\\", "\\\\").replace('"', '\\"')
