"""The commands `solve` and `certify`: exact answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from inarow.game import InputError
from inarow.game import game as game_of
from inarow.game.notation import move_text
from inarow.ui.terminal import (
    AsJson,
    GameName,
    Seed,
    console,
    marked,
    print_json,
    progress_bar,
    table,
)

if TYPE_CHECKING:
    from inarow.game import Position
    from inarow.lab.certify import GraphCertificate
    from inarow.search.decided import Decided

PlayerName = Annotated[str, typer.Argument(metavar="PLAYER", help="a player's name")]
VALUES = {1: "wins", 0: "draws", -1: "loses"}
WALKED = {  # by how it is known what the player may choose
    "stated": "Exactly",
    "declared": "If it is deterministic, as its author declares",
    "observed": "As observed, not proven",
}


def solve(
    game: GameName,
    moves: Annotated[str, typer.Argument(help="the moves so far, as in 4453")] = "",
    as_json: AsJson = False,
) -> None:
    """Solves a position: its exact score, and each move's."""
    from inarow.search.decided import Decided
    from inarow.search.perfect import solve_or_decide
    from inarow.search.solver import solver_for

    position = game_of(game).position(moves)
    solver = solver_for(position.game)
    with progress_bar("solving", None) as (bar, task):
        solver.progress = lambda nodes: bar.update(task, description=f"{nodes:,} nodes")
        solution = solve_or_decide(position)
        solver.progress = None
    if isinstance(solution, Decided):
        _show_decided(position, solution, as_json)
        return
    scores = {move_text(position.game, move): score for move, score in solution.moves.items()}
    if as_json:
        print_json(
            {
                "game": position.game.name,
                "position": position.notation,
                "score": solution.score,
                "value": solution.value,
                "moves": scores,
                "nodes": solution.nodes,
            }
        )
        return
    print(f"{position}\n")
    best = " ".join(move for move, score in scores.items() if score == solution.score)
    out = console()
    out.print(
        f"The side to move {VALUES[solution.value]} (score {_sign(solution.score)}) with {best}."
    )
    out.print("  ".join(f"{move}: {_sign(score)}" for move, score in scores.items()))
    out.print(f"{solution.nodes:,} nodes.")


def _show_decided(position: Position, decided: Decided, as_json: bool) -> None:
    """Who wins, where the exact score is not known."""
    moves = [move_text(position.game, move) for move in decided.moves]
    if as_json:
        answer = {"game": position.game.name, "position": position.notation, "score": None}
        print_json(answer | {"value": decided.value, "best": moves, "basis": decided.basis})
        return
    winner = "first" if (position.to_move == 1) == (decided.value == 1) else "second"
    how = f" with {' '.join(moves)}" if decided.value == 1 else ""
    print(f"{position}\n")
    print(f"The {winner} player wins{how}, by {decided.basis}. How fast is not known.")


def _sign(score: int) -> str:
    return f"{score:+d}" if score else "0"


def certify(
    player: PlayerName,
    game: Annotated[
        str | None, typer.Argument(metavar="[GAME]", help="a game; a saved agent knows its own")
    ] = None,
    positions: Annotated[
        int, typer.Option(help="positions of each number of stones, where the solver judges")
    ] = 20,
    games: Annotated[int, typer.Option(help="games against perfect play, where it judges")] = 40,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="anyone",
            help="anyone: enumerate every game against every opponent, on boards of up to 64 cells",
        ),
    ] = None,
    side: Annotated[
        str, typer.Option(help="with --against anyone: first, second or both")
    ] = "both",
    count_all: Annotated[
        bool,
        typer.Option("--all", help="with --against anyone: count all games of a beaten player"),
    ] = False,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Proves what can be proven of a player: unbeatable, or a line that beats it."""
    if against is not None:
        _certify_against_anyone(player, game, against, side, count_all, as_json)
        return
    from inarow.lab.certify import GraphCertificate
    from inarow.lab.certify import certify as prove

    with progress_bar("proving", 1.0) as (bar, task):
        certificate = prove(
            player, game, positions, games, seed, lambda share: bar.update(task, completed=share)
        )
    answer = certificate.as_json()
    if as_json:
        print_json(answer)
    elif isinstance(certificate, GraphCertificate):
        _show_proof(certificate)
    elif answer["measured"] == "solver":
        _show_measured(answer)
    else:
        _show_refutations(answer)


def _certify_against_anyone(
    player: str, game: str | None, against: str, side: str, count_all: bool, as_json: bool
) -> None:
    from inarow.lab.anyone import SIDES, certify_against_anyone

    if against != "anyone":
        raise InputError(f"--against {against}: certificates are against anyone, or without it")
    if side not in (*SIDES, "both"):
        raise InputError(f"--side {side} must be first, second or both")
    sides = SIDES if side == "both" else (side,)
    with progress_bar("enumerating", None) as (bar, task):
        certificate = certify_against_anyone(
            player,
            game,
            sides,
            progress=lambda name, positions: bar.update(
                task, description=f"as {name}: {positions:,} positions"
            ),
            count_all=count_all,
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


def _show_proof(certificate: GraphCertificate) -> None:
    out, answer = console(), certificate.as_json()
    text = f"{answer['player']} in {answer['game']}: {certificate.basis.text}"
    out.print(marked(text, answer["player"]))
    for name, seat in certificate.seats.items():
        out.print(f" As {name}: {certificate.seat_text(name)}")
        won = f"{seat.won_met:,} won positions"
        kept = (
            f"wins all {won}" if seat.converts else f"may throw away {seat.thrown_away:,} of {won}"
        )
        subject = "It" if certificate.proven else "As observed, it"
        out.print(f"   {subject} {kept} that its play can meet;")
        out.print(
            f"   it gives value away in {seat.mistakes_met:,} of {seat.met:,} positions"
            f" met, {seat.mistakes:,} of all {seat.positions:,}."
        )
        if seat.mistakes:
            out.print(f"   The first such position is after {seat.mistake or 'no move'}.")
    if not certificate.proven:
        out.print(" If it always answers as observed, it wins, draws and loses:")
    rows = table("against", "first: win", "draw", "loss", "second: win", "draw", "loss")
    rows.columns[0].no_wrap = True
    for opponent, seats in answer["odds"].items():
        shares = [
            seats[seat][end] for seat in ("first", "second") for end in ("win", "draw", "loss")
        ]
        rows.add_row(opponent, *(f"{100 * share:.1f}%" for share in shares))
    out.print(rows)


def _show_measured(answer: dict[str, Any]) -> None:
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
    for seat, result in answer["against_perfect"].items():
        tally = result["sampled"]
        low, high = tally["intervals"]["score"]
        out.print(
            f" As {seat} against perfect play, {tally['games']} games: {tally['wins']} won,"
            f" {tally['draws']} drawn, {tally['losses']} lost (score {100 * tally['score']:.0f}%,"
            f" {100 * low:.0f}-{100 * high:.0f})."
        )
        for walk in result["exact"]:
            which = {"best": "of the best distance", "value": "that keeps the value"}
            replies = which[walk["replies"]]
            if walk["worst"] is None:
                out.print(
                    f"   Every reply {replies}: given up after {walk['positions']:,} positions."
                )
            else:
                how = WALKED[walk["basis"]["kind"]]
                out.print(f"   {how}, every reply {replies}: a {walk['worst']} at worst,")
                out.print(f"   {walk['line']}")


def _show_refutations(answer: dict[str, Any]) -> None:
    out = console()
    player, game = answer["player"], answer["game"]
    out.print(marked(f"{player} in {game}: not provable here.", player))
    for seat, line in answer["refutations"].items():
        if line is None:
            out.print(
                f" As {seat}: no minimax player beat it in the games tried, which proves nothing."
            )
        else:
            out.print(f" As {seat}: it lost {line}")
    out.print(f" {answer['games_tried']} games tried, seed {answer['seed']}.")
