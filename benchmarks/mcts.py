"""Monte Carlo tree search here and in OpenSpiel (C++): simulations a CPU-second, and strength.

    python benchmarks/mcts.py [--only connect4:6x7] [--simulations 1000] [--games 100] [--json]

Speed: whole searches of the empty board, one random game a simulation, by both in turn, with the
same number of simulations; wins and losses that are certain are backed up by both (OpenSpiel's
`solve`). A ratio is taken in each round, as in `playouts`.

Strength: games at equal simulations, with a new tree for every move, since OpenSpiel keeps none.
Each game begins with a few random moves and is played twice from there, with sides exchanged. Both
rules of the game are held against each other in every position. Of the constants of UCT, OpenSpiel
plays with its documentation's and with ours; the worse score for us counts.

Without OpenSpiel only our own speed is measured, in a line that says so.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from inarow.engine.board import new_board, tables_of
from inarow.engine.players import BoundPlayer
from inarow.engine.streams import EVALUATION, FIRST, Stream, below, make_stream
from inarow.game import Game, Position
from inarow.game import game as game_of
from inarow.lab.statistics import wilson
from inarow.search.mcts import EXPLORATION, Mcts, search_in
from inarow.search.mcts_tree import VISITS

if __name__ == "__main__":  # as a script, only the folder of this file is on the path
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.playouts import OPEN_SPIEL, installed

GAMES = ("connect4:6x7", "qubic")
TARGET = 10  # times as many simulations a CPU-second
DOCUMENTED = 2.0  # the constant of UCT in OpenSpiel's example
OPENING = 4  # random moves at most, before a pair of games
Search = Callable[[], int]  # one search; how many simulations it made


def our_search(game: Game, simulations: int) -> Search:
    tables, stream = tables_of(game), make_stream(1)
    player, board = Mcts(simulations).compiled(tables), new_board(tables)
    empty = np.zeros(game.cells, dtype=np.int8)

    def run() -> int:
        player.memory[:] = 0
        search_in(tables, board, empty, player, stream, simulations, True)
        return int(player.tree.nodes[0, VISITS])

    return run


def open_spiel_bot(game: Game, simulations: int, exploration: float, seed: int) -> Any:
    import pyspiel

    loaded = pyspiel.load_game(OPEN_SPIEL[game.name])
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    return loaded, pyspiel.MCTSBot(
        loaded, evaluator, exploration, simulations, 1000, True, seed, False
    )


def open_spiel_search(game: Game, simulations: int) -> Search:
    loaded, bot = open_spiel_bot(game, simulations, DOCUMENTED, 1)
    state = loaded.new_initial_state()
    return lambda: int(bot.mcts_search(state).explore_count)


def rate(search: Search, seconds: float) -> float:
    """Simulations a CPU-second."""
    done, start = 0, time.process_time()
    while True:
        done += search()
        took = time.process_time() - start
        if took >= seconds:
            return done / took


def measure_speed(game: Game, options: argparse.Namespace) -> dict[str, Any]:
    """Both in turn; the order changes from round to round."""
    searches = {"ours": our_search(game, options.simulations)}
    if options.peer:
        searches["open_spiel"] = open_spiel_search(game, options.simulations)
    rates: dict[str, list[float]] = {name: [] for name in searches}
    for search in searches.values():
        search()  # compiles
    for turn in range(options.rounds):
        for name in list(searches)[:: -1 if turn % 2 else 1]:
            rates[name].append(rate(searches[name], options.seconds))
    row: dict[str, Any] = {"game": game.name, "simulations": options.simulations}
    row |= {f"{name}_per_cpu_second": statistics.median(found) for name, found in rates.items()}
    if options.peer:
        ratios = [a / b for a, b in zip(rates["ours"], rates["open_spiel"], strict=True)]
        row |= {"ratio": statistics.median(ratios)}
        row |= {"ratio_lowest": min(ratios), "ratio_highest": max(ratios)}
    return row


def opening(game: Game, stream: Stream) -> list[int]:
    """A few random moves after which the game goes on."""
    while True:
        position = Position(game)
        for _ in range(below(stream, OPENING + 1)):
            if position.outcome is None:
                position.push(position.legal_moves[below(stream, len(position.legal_moves))])
        if position.outcome is None:
            return list(position.moves)


def play(game: Game, ours: BoundPlayer, theirs: Any, moves: list[int], side: int) -> float:
    """One game, ours on a side: 1 won, 0.5 drawn, 0 lost."""
    loaded, bot = theirs
    position, state = Position(game), loaded.new_initial_state()
    for move in moves:
        position.push(move)
        state.apply_action(move)
    while position.outcome is None:
        assert not state.is_terminal(), f"{position.notation}: over in OpenSpiel, not here"
        if position.ply % 2 == side:
            ours.begin()  # without the tree of the move before
            move = ours.move(position)
        else:
            move = bot.step(state)
        position.push(move)
        state.apply_action(move)
    winner = position.outcome.winner
    returns = 0.0 if winner is None else 3.0 - 2 * winner
    assert state.is_terminal(), f"{position.notation}: over here, not in OpenSpiel"
    assert state.returns()[0] == returns, position.notation
    return 0.5 if winner is None else float(winner == side + 1)


def measure_strength(game: Game, exploration: float, options: argparse.Namespace) -> dict[str, Any]:
    """Pairs of games from random openings."""
    stream, score = make_stream(options.seed, EVALUATION), 0.0
    ours = BoundPlayer(Mcts(options.simulations), game, make_stream(options.seed, FIRST))
    theirs = open_spiel_bot(game, options.simulations, exploration, options.seed + 1)
    for _ in range(options.games // 2):
        moves = opening(game, stream)
        score += sum(play(game, ours, theirs, moves, side) for side in range(2))
    games = 2 * (options.games // 2)
    low, high = wilson(score, games)
    row: dict[str, Any] = {"game": game.name, "simulations": options.simulations}
    row |= {"open_spiel_c": exploration, "games": games, "score": score / games}
    return row | {"lowest": low, "highest": high}


def judge(speed: list[dict[str, Any]], strength: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each target: whether it is met."""
    targets = [
        {"game": row["game"], "target": f"at least {TARGET}x the simulations a CPU-second",
         "measured": row["ratio"], "met": row["ratio"] >= TARGET}
        for row in speed if "ratio" in row
    ]  # fmt: skip
    for name in dict.fromkeys(row["game"] for row in strength):
        worst = min((row for row in strength if row["game"] == name), key=lambda row: row["score"])
        target = "score at equal simulations not below one half beyond its interval"
        targets.append(
            {"game": name, "target": target, "measured": worst["score"],
             "met": worst["highest"] >= 0.5}
        )  # fmt: skip
    return targets


def show(result: dict[str, Any]) -> None:
    """Prints all for a person."""
    print(", ".join(f"{name} {number}" for name, number in result["versions"].items()))
    if result["left_out"]:
        print(result["left_out"])
    for row in result["speed"]:
        line = f"{row['game']:<14}{row['ours_per_cpu_second']:>12,.0f} simulations a CPU-second"
        if "ratio" in row:
            line += f", OpenSpiel {row['open_spiel_per_cpu_second']:,.0f}: {row['ratio']:.1f}x"
            line += f" ({row['ratio_lowest']:.1f}-{row['ratio_highest']:.1f})"
        print(line)
    for row in result["strength"]:
        print(
            f"{row['game']:<14}{100 * row['score']:>5.1f}% of {row['games']} games against "
            f"OpenSpiel with c = {row['open_spiel_c']:g} "
            f"({100 * row['lowest']:.1f}-{100 * row['highest']:.1f})"
        )
    for target in result["targets"]:
        print(
            f"{target['game']:<14}{target['target']}: {'pass' if target['met'] else 'FALLS SHORT'}"
        )


def main(arguments: list[str] | None = None) -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description="Tree search here and in OpenSpiel.")
    parser.add_argument("--only", nargs="+", choices=GAMES, default=list(GAMES), metavar="GAME")
    parser.add_argument("--simulations", type=int, default=1000, help="of a search")
    parser.add_argument("--rounds", type=int, default=9, help="how often both take their turn")
    parser.add_argument("--seconds", type=float, default=0.5, help="CPU time of a turn")
    parser.add_argument("--games", type=int, default=120, help="at equal simulations")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print for a program")
    options = parser.parse_args(arguments)
    if options.rounds < 1 or options.games < 2 or not 0 < options.seconds <= 60:
        parser.error("take at least 1 round of at most 60 seconds, and 2 games")
    left_out = ""
    try:
        import pyspiel  # noqa: F401
    except ImportError as error:
        left_out = f"OpenSpiel: left out ({error})"
    options.peer = not left_out
    games = [game_of(name) for name in options.only]
    speed = [measure_speed(game, options) for game in games]
    strength = [
        measure_strength(game, exploration, options)
        for game in games
        for exploration in (EXPLORATION, DOCUMENTED)
        if options.peer
    ]
    result = {"versions": installed(), "left_out": left_out, "speed": speed}
    result |= {"strength": strength, "targets": judge(speed, strength)}
    print(json.dumps(result)) if options.json else show(result)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
