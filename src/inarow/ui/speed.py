"""The command `bench`: how fast this machine plays."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Annotated

import typer

from inarow.game import CATALOGUE, Game, InputError, Position
from inarow.game import game as game_of
from inarow.ui.terminal import AsJson, console, print_json, table

DEFAULT = [entry.examples[0].name for entry in CATALOGUE]


def bench(
    games: Annotated[
        list[str] | None, typer.Argument(metavar="GAME", help="one of each kind if none")
    ] = None,
    seconds: Annotated[float, typer.Option(help="CPU time for each measurement")] = 0.5,
    as_json: AsJson = False,
) -> None:
    """Measures random games: compiled, and move by move in Python."""
    if not 0.01 <= seconds <= 60:
        raise InputError(f"seconds must be between 0.01 and 60, not {seconds}")
    rows = [_measure(game_of(name), seconds) for name in games or DEFAULT]
    if as_json:
        print_json(rows)
        return
    results = table("random games", "games/s", "ns/move", "in Python", "ratio")
    for row in rows:
        results.add_row(
            str(row["game"]),
            f"{row['games_per_second']:,.0f}",
            f"{row['nanoseconds_per_move']:,.1f}",
            f"{row['python_games_per_second']:,.1f}",
            f"{row['ratio']:,.0f}x",
        )
    console().print(results)


def _measure(game: Game, seconds: float) -> dict[str, float | str]:
    from inarow.engine.play_games import play_random_games

    play_random_games(game, 1)  # compiles, or loads what was compiled before
    plies = play_random_games(game, 100).plies / 100
    compiled = _rate(lambda number: play_random_games(game, number), seconds)
    python = _rate(lambda number: _play_in_python(game, number), seconds)
    return {
        "game": game.name,
        "games_per_second": compiled,
        "nanoseconds_per_move": 1e9 / compiled / plies,
        "python_games_per_second": python,
        "ratio": compiled / python,
    }


def _rate(play: Callable[[int], object], seconds: float) -> float:
    """Games in a CPU-second: the best of batches that grow until they fill a fifth of the time."""
    number, best, spent = 1, 0.0, 0.0
    while spent < seconds:
        start = time.process_time()
        play(number)
        took = time.process_time() - start
        spent += took
        if took > 0:
            best = max(best, number / took)
        if took < seconds / 5:
            number *= 2
    return best


def _play_in_python(game: Game, number: int) -> None:
    for _ in range(number):
        position = Position(game)
        while position.outcome is None:
            position.push(random.choice(position.legal_moves))
