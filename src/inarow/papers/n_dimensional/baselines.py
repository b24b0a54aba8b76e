"""Players that learned nothing, in the tests of the n-dimensional paper's policy gradient."""

from __future__ import annotations

import time

from inarow.game import Game
from inarow.game import game as game_of
from inarow.graph.graph import graph_of
from inarow.graph.odds import odds
from inarow.lab.certify import policies_of
from inarow.lab.match import match
from inarow.lab.players import AnyPlayer, player
from inarow.lab.study import Config
from inarow.lab.training import Run
from inarow.learn.reinforce.agent import MOST_LINES, most_lines
from inarow.papers.n_dimensional.exact import ENDS, OPENINGS
from inarow.papers.results import Stored

PLAYERS = ("random", "advanced", MOST_LINES, "greedy-lines")
SEVEN = "ntictactoe:3^7"


def rows(name: str, opponents: tuple[str, ...], games: int) -> list[Stored]:
    """Per cent of games against each opponent, and lines ahead; exact in two dimensions.

    On larger boards fewer games are played, as many moves.
    """
    game, found = game_of(name), list[Stored]()
    number = max(200, games * 9 // game.cells)
    for who in PLAYERS:
        playing = most_lines(game) if who == MOST_LINES else player(who)
        for opponent in opponents:
            row: Stored = {"game": name, "player": who, "opponent": opponent}
            if game.cells == 9:
                shares = exact_shares(game, playing, player(opponent))
                row |= {"games": 0, "lines": None}
            else:
                total = match(game, playing, opponent, number, 1).total
                shares = [100 * n / number for n in (total.wins, total.draws, total.losses)]
                row |= {"games": number, "lines": (total.lines_for - total.lines_against) / number}
            found.append({**row, **dict(zip(ENDS, shares, strict=True))})
    return found


def exact_shares(game: Game, who: AnyPlayer, opponent: AnyPlayer) -> list[float]:
    """Per cent won, drawn and lost over both sides, on the graph of the game."""
    graph = graph_of(game)
    (own,), (other,) = policies_of(who, graph), policies_of(opponent, graph)
    one, two = odds(graph, own, other), odds(graph, other, own)
    pairs = ((one.first, two.second), (one.draw, two.draw), (one.second, two.first))
    return [50 * float(as_first + as_second) for as_first, as_second in pairs]


def seven_dimensions() -> Stored:
    """What a move costs on 3^7, with the score of both sides kept."""
    game, games = game_of(SEVEN), 16
    match(game, "random", "random", 2)  # compiles
    start = time.process_time()
    match(game, "random", "random", games)
    seconds = float(f"{(time.process_time() - start) / (games * game.cells):.2g}")
    return {"cells": game.cells, "lines": len(game.lines), "seconds_a_move": seconds}


def openings(trainer: str, runs: int, episodes: int, options: Config) -> Stored:
    """How many trained SARSA agents begin in a corner, on an edge, in the centre."""
    found = dict.fromkeys(OPENINGS, 0)
    game = game_of("tictactoe")
    kinds = {cell: "corner" if cell in (0, 2, 6, 8) else "edge" for cell in range(game.cells)}
    kinds[OPENINGS["centre"]] = "centre"
    for seed in range(runs):
        run = Run(game.name, "sarsa", {**options, "episodes": episodes}, trainer, seed)
        run.training.play(episodes)
        values = run.agent.values(game.position())
        found[kinds[max(values, key=lambda move: values[move])]] += 1  # images have one value
    return {"trainer": trainer, "runs": runs, **found}


def untrained(runs: int, options: Config) -> list[float]:
    """Per cent that policies win against random before their first game, exactly; by seed."""
    game, opponent = game_of("tictactoe"), player("random")
    agents = (Run(game.name, "reinforce", options, "random", seed).agent for seed in range(runs))
    return [round(exact_shares(game, agent, opponent)[0], 6) for agent in agents]
