"""OpenSpiel's Monte Carlo tree search against the agent that comes with inarow.

Install: pip install inarow[openspiel]
"""

import pyspiel

import inarow
from inarow.adapters.open_spiel import BotPlayer
from inarow.lab.matches.match import MatchResult


def main(simulations: int = 1000, games: int = 10) -> MatchResult:
    """Plays a match: the bot searches OpenSpiel's own Connect Four, which is written in C++."""
    game = pyspiel.load_game("connect_four")
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, simulations, 100, True, 1, False)
    mcts = BotPlayer(bot, game, f"mcts:{simulations}")
    result = inarow.match("connect4:6x7", "ntuple", mcts, games=games, seed=1)
    for side, tally in (("first", result.as_first), ("second", result.as_second)):
        print(f"ntuple as {side}: {tally.wins} won, {tally.draws} drawn, {tally.losses} lost")
    return result


if __name__ == "__main__":
    main()
