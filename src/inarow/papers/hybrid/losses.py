"""How the hybrid paper's study is read: final values, curves of losses, the games of Figure 3."""

from __future__ import annotations

import numpy as np

from inarow.engine.tables import Int64s
from inarow.game import game as game_of
from inarow.graph.graph import graph_of
from inarow.graph.policies import expert_policy
from inarow.lab.statistics import Floats
from inarow.lab.store import Store
from inarow.lab.training import Stop, train
from inarow.papers.measures import mean_and_error
from inarow.papers.results import Stored
from inarow.papers.study import Condition, Request

RECORD = [[100, 10_000], [1_000, 100_000], [10_000, 0]]  # a 10,000-game window anywhere it matters
HISTOGRAM_GAMES = (100, 500, 1_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000)
OPENINGS = {"corner": 0, "edge": 1, "centre": 4}  # the three games of Figure 3


def read(
    store: Store, config: int, runs: int, condition: Condition, most: int, window: int
) -> Stored:
    """Values at the end of each run, the curve of losses, and Figure 4's ratios."""
    games, lost = losses(store, config, runs, most)
    ratios = window_losses(games, lost, window)
    found = {
        **read_finals(store, config, runs, condition),
        "curve": {
            "games": games.tolist(),
            "lost": mean_and_error(lost),
            "ratio": mean_and_error(ratios),
        },
    }
    if dict(condition.labels) == {"game": "tictactoe", "trainer": "attack-defense"}:
        found["histograms"] = {
            str(number): np.round(ratios[:, np.searchsorted(games, number)], 6).tolist()
            for number in HISTOGRAM_GAMES
            if number in games
        }
    return found


def read_finals(store: Store, config: int, runs: int, condition: Condition) -> Stored:
    """What was measured at the end; perfect is 1 where no test game was lost."""
    del condition
    finals = {
        metric: store.final(config, metric)[:runs].tolist()
        for metric in store.metrics(config)
        if metric != "lost"
    }
    lost = (finals["lost against random"], finals["lost against expert"])
    finals["perfect"] = [float(not any(both)) for both in zip(*lost, strict=True)]
    return {"finals": finals}


def losses(store: Store, config: int, runs: int, most: int) -> tuple[Int64s, Floats]:
    """Games lost so far in each run, [runs, points], at the numbers of games of `RECORD`.

    A run that has ended early loses no more: that is what ended it.
    """
    measured, lost = store.curve(config, "lost")
    limits = [0, *(until or most for _, until in RECORD)]
    pieces = zip(limits, limits[1:], RECORD, strict=False)
    games = np.concatenate(
        [np.arange(start + every, until + 1, every) for start, until, (every, _) in pieces]
    )
    games = games[games <= most]
    found = np.empty((runs, len(games)))
    for run, values in zip(found, lost[:runs], strict=True):
        known = np.flatnonzero(~np.isnan(values))
        run[:] = values[known][np.searchsorted(measured[known], games, side="right") - 1]
    return games, found


def window_losses(games: Int64s, lost: Floats, window: int) -> Floats:
    """The share of the last `window` games lost at each point (of all games, if fewer)."""
    before = games - window
    earlier = np.where(before > 0, np.searchsorted(games, before), -1)
    lost_before = np.where(earlier >= 0, lost[:, earlier], 0.0)
    return (lost - lost_before) / np.minimum(games, window)


def facts(request: Request, most: int, stop: int) -> Stored:
    """The three games of Figure 3."""
    if request.game not in (None, "tictactoe"):
        return {}
    return {"example_games": example_games(most, stop, request.seed or 0)}


def example_games(most: int, stop: int, seed: int) -> Stored:
    """Three games of an agent trained by attack-defense, with its estimates of its moves.

    The trainer opens in a corner, on an edge, in the centre, and goes on as the expert does. Of
    each board on which the agent has to move: the stones (1 the opponent's, 2 its own), the
    utility of every empty cell, and its move.
    """
    game = game_of("tictactoe")
    graph = graph_of(game)
    trained = train(game, "td", against="attack-defense", games=most, seed=seed, stop=Stop(stop))
    agent, expert, games = trained.agent, expert_policy(graph), {}
    for name, opening in OPENINGS.items():
        position, boards = game.position(), list[Stored]()
        position.push(opening)
        while position.outcome is None:
            values = agent.values(position)
            move = max(values, key=lambda move: (values[move], -move))
            utilities = [round(values[c], 4) if c in values else None for c in range(game.cells)]
            stones = [int(stone) for stone in position.stones]
            boards.append({"stones": stones, "utilities": utilities, "move": move})
            position.push(move)
            if position.outcome is None:
                number, _ = graph.find(position)
                edges = range(int(graph.edge_start[number]), int(graph.edge_start[number + 1]))
                position.push(int(graph.move[max(edges, key=lambda edge: expert[edge])]))
        games[name] = {"boards": boards, "outcome": position.outcome.value}
    return {"seed": seed, "training_games": trained.games, "games": games}
