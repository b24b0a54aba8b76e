"""What games an agent plays against itself, which is what it learns from: held to perfect play."""

from __future__ import annotations

from inarow.engine.streams import EVALUATION, make_stream
from inarow.lab.evaluate_perfect import guide_to
from inarow.lab.opening_match import opened
from inarow.lab.player_protocols import bind_player
from inarow.learn.agent import LearnedAgent

OPENING = 4  # random moves at the start of each game
FLAT = 0.99  # a value beyond which tanh leaves less than a fiftieth of an error to learn from


def play_itself(agent: LearnedAgent, games: int, seed: int) -> dict[str, float]:
    """Games of an agent against itself, each move held against perfect play.

    Of lost positions: how often the move resists as long as possible, which is what perfect play
    does. Of won ones: how often it keeps the win. Of all: how often the value is nearly 1 or -1.
    """
    game, guide = agent.game, guide_to(agent.game, "best")
    player = bind_player(agent, game, make_stream(seed, EVALUATION, 2))
    stream = make_stream(seed, EVALUATION, 3)
    lost, slowest, won, kept, seen, flat, plies = 0, 0, 0, 0, 0, 0, 0
    for _ in range(games):
        position = opened(game, OPENING, stream)
        while position.outcome is None:
            score, best = guide.score(position), guide.moves(position)
            values = agent.values(position)
            seen += 1
            flat += FLAT < abs(max(values.values())) < 1
            move = player.move(position)
            position.push(move)
            if score < 0:
                lost += 1
                slowest += move in best
            elif score > 0:
                won += 1
                kept += position.outcome is not None or guide.score(position) < 0
        plies += position.ply
    return {
        "own games: slowest loss": slowest / max(lost, 1),
        "own games: win kept": kept / max(won, 1),
        "own games: flat": flat / seen,
        "own games: length": plies / games,
    }
