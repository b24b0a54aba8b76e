"""The command `certify`: what can be proven of a player."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inarow.game import InputError
from inarow.game import game as game_of
from inarow.game.position import SIDES
from inarow.ui.options import grouped
from inarow.ui.terminal import (
    AsJson,
    Seed,
    allow_players,
    console,
    marked,
    number_option,
    print_json,
    progress_bar,
    table,
)

if TYPE_CHECKING:
    from inarow.lab.certificates.by_solver import LateMistakes
    from inarow.lab.certificates.certify import Certificate, GraphCertificate

TRAVERSED_HOW = {  # by how it is known what the player may choose
    "stated": "Exactly",
    "declared": "If it is deterministic, as its author declares",
    "observed": "As observed, not proven",
}


@dataclass(frozen=True)
class EveryGame:
    """The options of certificates against anyone."""

    against: Annotated[
        str | None,
        typer.Option(
            metavar="anyone",
            help="anyone: enumerate every game against every opponent, on boards of up to 64 cells",
        ),
    ] = None
    side: Annotated[
        str, typer.Option(help="what is shown; with --against anyone, what is enumerated")
    ] = "both"
    count_all: Annotated[
        bool,
        typer.Option("--all", help="with --against anyone: count all games of a beaten player"),
    ] = False

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides that were asked for."""
        return SIDES if self.side == "both" else (self.side,)


@grouped
def certify(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="[GAME] PLAYER",
            help="a saved agent knows its game; `inarow players` lists players",
            callback=allow_players,
        ),
    ],
    positions: Annotated[
        int, number_option("positions per number of stones, if the solver judges")
    ] = 20,
    games: Annotated[int, number_option("games against perfect play, if the solver judges")] = 40,
    from_stones: Annotated[
        int | None,
        typer.Option(help="judge only moves from this many stones on, in games against itself"),
    ] = None,
    *,
    every_game: EveryGame,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Proves that a player is unbeatable, or how to beat it.

    Where a game is too large to prove that, it measures the player's mistakes.
    """
    game, player = _game_and_player(names)
    if every_game.side not in (*SIDES, "both"):
        raise InputError(f"--side {every_game.side} must be first, second or both")
    if every_game.against is not None:
        _certify_against_anyone(player, game, every_game, as_json)
        return
    from inarow.lab.certificates.certify import certify as prove

    with progress_bar("proving", 1.0) as (bar, task):
        certificate = prove(
            player,
            game,
            positions,
            games,
            seed,
            lambda share: bar.update(task, completed=share),
            from_stones,
        )
    if as_json:
        print_json(certificate.as_json())
    else:
        _show(certificate, every_game.sides)


def _show(certificate: Certificate, shown: Sequence[str]) -> None:
    """What was proven or measured of some sides, for people."""
    from inarow.lab.certificates.by_solver import LateMistakes, SolverCertificate, endings_reached
    from inarow.lab.certificates.certify import GraphCertificate

    if isinstance(certificate, GraphCertificate):
        _show_proof(certificate, shown)
    elif isinstance(certificate, SolverCertificate):
        _show_measured(certificate.as_json(), shown)
    elif isinstance(certificate, LateMistakes):
        out = console()
        out.print(marked(f"{certificate.player} in {certificate.game.name}", certificate.player))
        _show_endings(certificate)
    else:
        _show_refutations(certificate.as_json(), shown)
        reached = endings_reached(certificate.game)
        if reached is not None:
            console().print(
                f" With --from-stones {reached} the solver judges its moves from there."
            )


def _game_and_player(names: list[str]) -> tuple[str | None, str]:
    """What is a game of one or two names, and what a player: the game may stand behind, too."""
    if len(names) > 2:
        raise InputError(f"certify takes a game and a player, not {len(names)} names")
    if len(names) == 1:
        return None, names[0]
    try:
        game_of(names[0])
    except InputError:
        return names[1], names[0]
    return names[0], names[1]


def _certify_against_anyone(
    player: str, game: str | None, options: EveryGame, as_json: bool
) -> None:
    from inarow.lab.certificates.anyone import certify_against_anyone

    if options.against != "anyone":
        raise InputError(
            f"--against {options.against}: certificates are against anyone, or without it"
        )
    with progress_bar("enumerating", None) as (bar, task):
        certificate = certify_against_anyone(
            player,
            game,
            options.sides,
            progress=lambda name, positions: bar.update(
                task, description=f"as {name}: {positions:,} positions"
            ),
            count_all=options.count_all,
        )
    if as_json:
        print_json(certificate.as_json())
        return
    out = console()
    for name, found in certificate.sides.items():
        where = f"{certificate.game.name}, {name} player, against anyone"
        out.print(marked(f"{certificate.player} in {where}:", certificate.player))
        out.print(f"  {found.text}")
        for end, line in found.counterexamples.items():
            out.print(f"  A game that is {end}: {line}")


def _show_proof(certificate: GraphCertificate, shown: Sequence[str]) -> None:
    out = console()
    text = f"{certificate.player} in {certificate.game.name}: {certificate.basis.text}"
    out.print(marked(text, certificate.player))
    for name in certificate.sides:
        if name not in shown:
            continue
        out.print(f" As {name}: {certificate.side_text(name)}")
        for line in certificate.side_details(name):
            out.print(f"   {line}")
    if certificate.exploitability_text and len(shown) > 1:
        out.print(f" {certificate.exploitability_text}")
    if not certificate.proven:
        out.print(" If it always answers as observed, it wins, draws and loses:")
    heads = [head for side in shown for head in (f"{side}: win", "draw", "loss")]
    rows = table("against", *heads)
    rows.columns[0].no_wrap = True
    for opponent, sides in certificate.own_odds.items():
        shares = [sides[side][end] for side in shown for end in ("win", "draw", "loss")]
        rows.add_row(opponent, *(f"{100 * share:.1f}%" for share in shares))
    out.print(rows)


def _show_measured(answer: dict[str, Any], shown: Sequence[str]) -> None:
    out = console()
    player, game = answer["player"], answer["game"]
    out.print(
        marked(
            f"{player} in {game}: too large to prove whole;"
            f" judged by the solver, seed {answer['seed']}.",
            player,
        )
    )
    rates = table("stones", "positions", "mistakes", "rate (95%)", "for example after")
    for rate in answer["mistakes"]:
        low, high = rate["interval"]
        share = f"{100 * rate['rate']:.0f}% ({100 * low:.0f}-{100 * high:.0f})"
        example = rate["example"] if rate["example"] != "" else "no move"
        rates.add_row(
            str(rate["stones"]), str(rate["positions"]), str(rate["mistakes"]), share, example or ""
        )
    out.print(rates)
    for side, result in answer["against_perfect"].items():
        if side not in shown:
            continue
        tally = result["sampled"]
        low, high = tally["intervals"]["score"]
        out.print(
            f" As {side} against perfect play, {tally['games']} games: {tally['wins']} won,"
            f" {tally['draws']} drawn, {tally['losses']} lost (score {100 * tally['score']:.0f}%,"
            f" {100 * low:.0f}-{100 * high:.0f})."
        )
        for traversal in result["exact"]:
            which = {"best": "of the best distance", "value": "that keeps the value"}
            replies = which[traversal["replies"]]
            if traversal["worst"] is None:
                met = f"{traversal['positions']:,} positions"
                out.print(f"   Every reply {replies}: given up after {met}.")
            else:
                how = TRAVERSED_HOW[traversal["basis"]["kind"]]
                out.print(f"   {how}, every reply {replies}: a {traversal['worst']} at worst,")
                out.print(f"   {traversal['line']}")


def _show_refutations(answer: dict[str, Any], shown: Sequence[str]) -> None:
    out = console()
    player, game = answer["player"], answer["game"]
    out.print(marked(f"{player} in {game}: not provable here.", player))
    for side, line in answer["refutations"].items():
        if side not in shown:
            continue
        if line is None:
            out.print(
                f" As {side}: no minimax player beat it in the games tried, which proves nothing."
            )
        else:
            out.print(f" As {side}: it lost {line}")
    out.print(f" {answer['games_tried']} games tried, seed {answer['seed']}.")


def _show_endings(endings: LateMistakes) -> None:
    rows = table("stones", "positions", "judged", "mistakes", "rate (95%)", "for example after")
    for rate in endings.rates:
        rows.add_row(*rate.texts, rate.example or "")
    console().print(rows)
    console().print(f" {endings.text}")
