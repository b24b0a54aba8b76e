"""The commands `match` and `arena`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from inarow.game import InputError, Position
from inarow.game import game as game_of
from inarow.game.files import check_writable
from inarow.game.records import Record, write_records
from inarow.ui import compiling
from inarow.ui.terminal import (
    AsJson,
    GameName,
    PlayerName,
    Seed,
    allow_players,
    console,
    print_json,
    progress_bar,
    table,
)

if TYPE_CHECKING:
    from inarow.lab.match_result import MatchResult

RecordFile = Annotated[
    Path | None,
    typer.Option("--record", help="write all games to this file, as docs/records.md says"),
]
# None if not given: exact odds take neither.
MatchGames = Annotated[
    int | None, typer.Option(help="number of games, half on each side  [default: 1000]")
]
MatchSeed = Annotated[
    int | None, typer.Option(help="the same seed gives the same numbers  [default: 0]")
]


def match(
    game: GameName,
    one: PlayerName,
    other: PlayerName,
    games: MatchGames = None,
    seed: MatchSeed = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="exact odds, if the game is small enough")
    ] = False,
    record: RecordFile = None,
    as_json: AsJson = False,
) -> None:
    """Plays a match: a million games, or exact odds."""
    if exact:
        for name, given in (("--games", games), ("--seed", seed), ("--record", record)):
            if given is not None:
                raise InputError(f"--exact plays no games, so it takes no {name}")
        _print_odds(game, one, other, as_json)
        return
    games, seed = 1000 if games is None else games, seed or 0
    compiling.expect()
    from inarow.lab.match import match as play

    seen: list[Position] = []
    watch = _watch(record, games, seen)
    with progress_bar("playing", games) as (bar, task):
        result = play(game, one, other, games, seed, lambda n: bar.advance(task, n), watch=watch)
    if record is not None:
        _write(record, [(result, one, other)], seen)
    if as_json:
        print_json(result.as_json())
    else:
        _show_match(result, one, other)


def _show_match(result: MatchResult, one: str, other: str) -> None:
    """Wins, draws and losses on each side, and what else there is to know of the games."""
    counted, title = ("games", "wins", "draws", "losses", "score (95%)"), f"{one} against {other}"
    rows = table(f"{one}'s games", *counted, title=f"{result.game.name}: {title}")
    if result.as_second.games:
        rows.add_row("as first", *result.as_first.texts)
        rows.add_row("as second", *result.as_second.texts)
        rows.add_section()
    rows.add_row("together", *result.total.texts)
    out = console()
    out.print(rows)
    total = result.total
    lines = (
        f", {total.lines_for / total.games:.2f} lines to {total.lines_against / total.games:.2f}"
    )
    out.print(
        f" {total.plies / total.games:.2f} moves a game{lines if result.game.scoring else ''};"
        f" seed {result.seed}."
    )
    for side, tally in (("first", result.as_first), ("second", result.as_second)):
        if tally.repeated:
            out.print(f" As {side}, all {tally.games:,} games were one and the same.")


def _print_odds(game: str, one: str, other: str, as_json: bool) -> None:
    from inarow.lab.exact import exact_odds

    leading, following = exact_odds(game, one, other), exact_odds(game, other, one)
    sides = {
        "as first": {"win": leading.first, "draw": leading.draw, "loss": leading.second},
        "as second": {"win": following.second, "draw": following.draw, "loss": following.first},
    }
    name = game_of(game).name
    if as_json:
        exact = {
            side.replace(" ", "_"): {end: str(chance) for end, chance in chances.items()}
            for side, chances in sides.items()
        }
        print_json({"game": name, "players": [one, other], **exact})
        return
    title = f"{name}: {one} against {other}, exactly"
    rows = table(f"{one}'s games", "win", "draw", "loss", "score", title=title)
    fractions = []
    for side, chances in sides.items():
        score = float(chances["win"] + chances["draw"] / 2)
        rows.add_row(
            side, *(f"{100 * float(c):.4f}%" for c in chances.values()), f"{100 * score:.4f}%"
        )
        if max(len(str(chance)) for chance in chances.values()) <= 13:
            ends = ", ".join(f"{end} {chance}" for end, chance in chances.items())
            fractions.append(f" {side.capitalize()}: {ends}.")
    out = console()
    out.print(rows)
    for line in fractions:
        out.print(line)


def arena(
    game: GameName,
    players: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PLAYER]...", help="all rule players if none", callback=allow_players
        ),
    ] = None,
    games: Annotated[int, typer.Option(help="games between every two players")] = 1000,
    seed: Seed = 0,
    record: RecordFile = None,
    as_json: AsJson = False,
) -> None:
    """Plays a round robin, and rates the players."""
    compiling.expect()
    from inarow.lab.arena import rounds
    from inarow.lab.players import rule_players_for

    entrants = players or list(rule_players_for(game_of(game)))
    pairings = len(entrants) * (len(entrants) - 1) // 2
    seen: list[Position] = []
    watch = _watch(record, pairings * games, seen)
    with progress_bar("playing", pairings * games) as (bar, task):
        *_, result = rounds(game, entrants, games, seed, lambda n: bar.advance(task, n), watch)
    if record is not None:
        _write(record, [(found, *pair) for pair, found in result.matches.items()], seen)
    if as_json:
        print_json(result.as_json())
        return
    ranking = result.ranking
    numbers = [str(number) for number in range(1, len(ranking) + 1)]
    title = f"{result.game.name}: {games:,} games per pair, seed {seed}"
    rows = table("", "player", "rating", "95%", "score", *numbers, title=title)
    rows.columns[1].justify = "left"
    rows.padding = (0, 1, 0, 0)
    for number, name in enumerate(ranking):
        rating = result.ratings[name]
        half = (rating.high - rating.low) / 2
        against = (
            "" if other == name else f"{100 * result.tally(name, other).score:.0f}"
            for other in ranking
        )
        score = f"{100 * result.total(name).score:.1f}%"
        rows.add_row(
            str(number + 1), name, f"{rating.rating:+.0f}", f"±{half:.0f}", score, *against
        )
    out = console()
    out.print(rows)
    out.print(" Ratings: Bradley-Terry, Elo scale, mean 0. Right: score against each, in %.")


def _watch(path: Path | None, games: int, seen: list[Position]) -> Callable[[Position], None]:
    """Keeps the games that a match shows, if there is a file to write them to."""
    from inarow.lab.match_records import check_number

    if path is None:
        return lambda position: None
    check_number(games)
    check_writable(path)
    return seen.append


def _write(path: Path, matches: list[tuple[MatchResult, str, str]], seen: list[Position]) -> None:
    """Writes the games of matches; of those seen, each match takes as many as it showed."""
    from inarow.lab.match_records import records_of
    from inarow.lab.player_protocols import states_policy
    from inarow.lab.players import player

    written: list[Record] = []
    place = 0
    for result, one, other in matches:
        needs_python = not all(states_policy(player(p)) for p in (one, other))
        number = result.total.games if needs_python else 0
        written += records_of(result, one, other, seen[place : place + number])
        place += number
    write_records(path, written)
