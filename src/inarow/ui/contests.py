"""The commands `match` and `arena`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from inarow.game import InputError, Position
from inarow.game import game as game_of
from inarow.game.files import check_writable
from inarow.game.position import SIDES
from inarow.game.records import Record, write_records
from inarow.ui import compiling
from inarow.ui.examples import EXAMPLES
from inarow.ui.options import grouped
from inarow.ui.terminal import (
    PLAYER,
    AsJson,
    BookFile,
    PlayerName,
    Seed,
    allow_players,
    console,
    number_option,
    print_json,
    progress_bar,
    table,
    use_book_of,
)

if TYPE_CHECKING:
    from inarow.game import Game
    from inarow.lab.matches.arena import ArenaResult
    from inarow.lab.matches.games import Openings
    from inarow.lab.matches.match import MatchResult

Result = TypeVar("Result")
RecordFile = Annotated[
    Path | None,
    typer.Option(
        "--record", help="write all games to this file, as docs/reference/records.md says"
    ),
]
# None if not given: exact odds take neither.
MatchGames = Annotated[
    int | None, number_option("number of games, half on each side  [default: 1000]")
]
MatchSeed = Annotated[
    int | None, number_option("the same seed gives the same numbers  [default: 0]")
]


OpeningsOption = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER|FILE",
        help="begin with up to so many random moves (0: never), or with the openings of a file; "
        "by default 4 where both players would repeat one game",
    ),
]


def _openings(text: str | None, game: Game) -> Openings | None:
    """How games begin: as asked for, else from openings where players repeat themselves."""
    from inarow.lab.matches.games import Openings, openings_named

    return Openings(if_repeated=True) if text is None else openings_named(text, game)


@dataclass(frozen=True)
class MatchOptions:
    """How a match is played."""

    games: MatchGames = None
    seed: MatchSeed = None
    side: Annotated[
        str, typer.Option(metavar="SIDE", help="PLAYER's side: first, second or both in turn")
    ] = "both"
    openings: OpeningsOption = None
    exact: Annotated[
        bool, typer.Option("--exact", help="exact odds, if the game is small enough")
    ] = False
    record: RecordFile = None
    book: BookFile = None


USUAL = MatchOptions()


@grouped
def match(
    game: Annotated[
        str, typer.Argument(metavar="[GAME]", help="a game; a saved agent knows its own")
    ],
    one: PlayerName,
    other: Annotated[
        str | None, typer.Argument(metavar="PLAYER", help=PLAYER, callback=allow_players)
    ] = None,
    options: MatchOptions = USUAL,
    as_json: AsJson = False,
) -> None:
    """Plays a match: a million games, or exact odds."""
    game, (one, other) = _seated("match", [game, one, *([] if other is None else [other])])
    use_book_of(game_of(game), options.book)
    side, record = options.side, options.record
    if side not in (*SIDES, "both"):
        raise InputError(f"--side {side} must be first, second or both")
    if options.exact:
        named = (("--games", options.games), ("--seed", options.seed), ("--record", record))
        for name, given in named:
            if given is not None:
                raise InputError(f"--exact plays no games, so it takes no {name}")
        _print_odds(game, one, other, SIDES if side == "both" else (side,), as_json)
        return
    if side != "both" and options.openings is not None:
        raise InputError("from openings each player has both sides: give no --side")
    began = _openings(options.openings, game_of(game)) if side == "both" else None
    games, seed = 1000 if options.games is None else options.games, options.seed or 0
    compiling.expect()
    from inarow.lab.matches.games import match_with
    from inarow.lab.matches.match import match as play
    from inarow.lab.players.names import player

    seen: list[Position] = []
    watch = _watch(record, games, seen)
    with progress_bar("playing", games) as (bar, task):

        def show(number: float) -> None:
            bar.advance(task, number)

        result, failure = _finished(
            lambda: (
                play(game, one, other, games, seed, show, side, watch)
                if side != "both"
                else match_with(
                    began, game_of(game), player(one), player(other), games, seed, show, watch
                )
            )
        )
    if record is not None:
        _write(record, [(result, one, other)], seen)
    if as_json:
        print_json(result.as_json())
    else:
        _show_match(result, one, other)
    if failure is not None:
        raise failure


def _seated(command: str, words: list[str]) -> tuple[str, list[str]]:
    """The game and the players of a contest, whose game a saved agent may say."""
    from inarow.ui.meant import check_game, game_of_players, is_game, is_player

    example = EXAMPLES[command]
    if is_game(words[0]):
        players = words[1:]
        if command == "match" and len(players) != 2:
            raise InputError(f"a match takes two players, as in: inarow {example}")
        for place, name in enumerate(players):
            if is_game(name) and not is_player(name):
                raise InputError(f"{name!r} is a game, not player {place + 1}, as in: {example}")
        return words[0], players
    allow_players(words[:1])
    if any(is_game(word) for word in words) or not is_player(words[0]):
        check_game(words[0], example)
    if command == "match" and len(words) != 2:
        check_game(words[0], example)
    return game_of_players(words, example), words


def _finished(contest: Callable[[], Result]) -> tuple[Result, InputError | None]:
    """The result of a contest, or that of its finished games, and why there are no more."""
    from inarow.lab.matches.match import Unfinished

    try:
        return contest(), None
    except Unfinished as error:
        return error.result, error


def _show_match(result: MatchResult, one: str, other: str) -> None:
    """Wins, draws and losses on each side, and what else there is to know of the games."""
    counted, title = ("games", "wins", "draws", "losses", "score (95%)"), f"{one} against {other}"
    rows = table(f"{one}'s games", *counted, title=f"{result.game.name}: {title}")
    if result.as_first.games and result.as_second.games:
        rows.add_row("as first", *result.as_first.texts)
        rows.add_row("as second", *result.as_second.texts)
        rows.add_section()
    both = result.as_first.games and result.as_second.games
    together = "together" if both else "as second" if result.as_second.games else "as first"
    rows.add_row(together if both or result.total.games > 1 else "together", *result.texts)
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
    if result.openings:
        out.print(f" {result.openings_text}")
    for side, tally in (("first", result.as_first), ("second", result.as_second)):
        if tally.repeated:
            out.print(f" As {side}, all {tally.games:,} games were one and the same.")
    if result.unproven_text:
        out.print(f" {result.unproven_text}")


def _print_odds(game: str, one: str, other: str, shown: Sequence[str], as_json: bool) -> None:
    from inarow.graph.odds import is_short, share_text
    from inarow.lab.certificates.best_response import exact_odds

    leading, following = exact_odds(game, one, other), exact_odds(game, other, one)
    sides = {
        "as first": {"win": leading.first, "draw": leading.draw, "loss": leading.second},
        "as second": {"win": following.second, "draw": following.draw, "loss": following.first},
    }
    sides = {name: sides[name] for name in sides if name.removeprefix("as ") in shown}
    name = game_of(game).name
    if as_json:
        exact = {
            side.replace(" ", "_"): {end: share_text(chance) for end, chance in chances.items()}
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
        if all(is_short(chance, 13) for chance in chances.values()):
            ends = ", ".join(f"{end} {chance}" for end, chance in chances.items())
            fractions.append(f" {side.capitalize()}: {ends}.")
    out = console()
    out.print(rows)
    for line in fractions:
        out.print(line)


def arena(
    game: Annotated[
        str, typer.Argument(metavar="[GAME]", help="a game; a saved agent knows its own")
    ],
    players: Annotated[
        list[str] | None,
        typer.Argument(metavar="PLAYER", help="all rule players if none", callback=allow_players),
    ] = None,
    games: Annotated[int, number_option("games between every two players")] = 1000,
    seed: Seed = 0,
    openings: OpeningsOption = None,
    record: RecordFile = None,
    book: BookFile = None,
    as_json: AsJson = False,
) -> None:
    """Plays a round robin, and rates the players."""
    compiling.expect()
    from inarow.lab.matches.arena import rounds
    from inarow.lab.players.names import rule_players_for

    game, named = _seated("arena", [game, *(players or [])])
    entrants = named or list(rule_players_for(game_of(game)))
    use_book_of(game_of(game), book)
    pairings = len(entrants) * (len(entrants) - 1) // 2
    seen: list[Position] = []
    watch = _watch(record, pairings * games, seen)
    began = _openings(openings, game_of(game))
    with progress_bar("playing", pairings * games) as (bar, task):

        def show(number: float) -> None:
            bar.advance(task, number)

        result, failure = _finished(
            lambda: [*rounds(game, entrants, games, seed, show, watch, openings=began)][-1]
        )
    if record is not None:
        _write(record, [(found, *pair) for pair, found in result.matches.items()], seen)
    if as_json:
        print_json(result.as_json())
    else:
        _show_arena(result)
    if failure is not None:
        raise failure


def _show_arena(result: ArenaResult) -> None:
    """Ratings and the crosstable."""
    ranking = result.ranking
    numbers = [str(number) for number in range(1, len(ranking) + 1)]
    title = f"{result.game.name}: {result.games:,} games per pair, seed {result.seed}"
    rows = table("", "player", "rating", "95%", "score", *numbers, title=title)
    rows.columns[1].justify = "left"
    rows.padding = (0, 1, 0, 0)
    for number, name in enumerate(ranking):
        rating = result.ratings[name]
        half = (rating.high - rating.low) / 2
        against = (
            f"{100 * met.score:.0f}" if met.games else ""
            for met in (result.tally(name, other) for other in ranking)
        )
        total = result.total(name)
        score = f"{100 * total.score:.1f}%" if total.games else ""
        rows.add_row(
            str(number + 1), name, f"{rating.rating:+.0f}", f"±{half:.0f}", score, *against
        )
    out = console()
    out.print(rows)
    begun = {found.openings: None for found in result.matches.values() if found.openings}
    number = sum(bool(found.openings) for found in result.matches.values())
    if begun:
        out.print(f" {number} of {len(result.matches)} matches began {', '.join(begun)}.")
    out.print(" Ratings: Bradley-Terry, Elo scale, mean 0. Right: score against each, in %.")
    for note in result.all_notes:
        out.print(f" {note}")


def _watch(path: Path | None, games: int, seen: list[Position]) -> Callable[[Position], None]:
    """Keeps the games that a match shows, if there is a file to write them to."""
    from inarow.lab.matches.games import check_number

    if path is None:
        return lambda position: None
    check_number(games)
    check_writable(path)
    return seen.append


def _write(path: Path, matches: list[tuple[MatchResult, str, str]], seen: list[Position]) -> None:
    """Writes the games of matches; of those seen, each match takes as many as it showed."""
    from inarow.lab.matches.games import records_of
    from inarow.lab.players.names import player
    from inarow.lab.players.protocols import states_policy

    written: list[Record] = []
    place = 0
    for result, one, other in matches:
        needs_python = bool(result.openings) or not all(
            states_policy(player(p)) for p in (one, other)
        )
        number = result.total.games if needs_python else 0
        written += records_of(result, one, other, seen[place : place + number])
        place += number
    write_records(path, written)
