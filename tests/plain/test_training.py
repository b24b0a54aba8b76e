"""What plain players do by themselves, as a reader would run them."""

from __future__ import annotations

import doctest

import numpy as np
import pytest

import inarow.plain
from inarow.game import Game
from inarow.game import game as game_of
from inarow.papers.connect_four.tdl import is_done
from inarow.plain.connect_four import NTupleNetwork, TDLAgent, TDLPair
from inarow.plain.cube import CubePlayer, Perceptron, draw_layers
from inarow.plain.hybrid import HybridAgent
from inarow.plain.max_min import DeepPlayer, QPlayer, TDPlayer, draw_theta
from inarow.plain.n_dimensional import ModifiedSarsa, PolicyNetwork, Reinforce, ReinforceAsPrinted
from inarow.plain.random_stream import RandomStream
from inarow.plain.rule_trainers import RuleTrainer

TICTACTOE = game_of("tictactoe")


def stream(number: int = 1) -> RandomStream:
    return RandomStream([number, 2, 3, 4])


def test_the_example_of_the_package() -> None:
    assert doctest.testmod(inarow.plain).failed == 0


def test_tabular_players_learn() -> None:
    q, td = QPlayer(TICTACTOE, stream()), TDPlayer(TICTACTOE, stream())
    agent = HybridAgent(TICTACTOE, stream(), RuleTrainer("combined", stream(5)))
    for player in (q, td, agent):
        player.train(30)
    sarsa = ModifiedSarsa(TICTACTOE, stream(), RuleTrainer("advanced", stream(5)), episodes=30)
    sarsa.train()
    for table in (q.Q_1, q.Q_2, td.V, agent.U, sarsa.Q):
        assert any(table.values.values())


def test_network_players_learn() -> None:
    theta = draw_theta(9, 8, stream())
    deep = DeepPlayer(TICTACTOE, theta, stream())
    deep.train(5, n=2, b=0.5, c=0.5)
    assert (deep.alpha, deep.epsilon) == (0.125, 0.025)
    assert not np.array_equal(deep.theta, theta)
    layers = draw_layers(TICTACTOE, "small-structured", stream())
    cube = CubePlayer(TICTACTOE, Perceptron(layers), stream(), RuleTrainer("benchmark", stream(5)))
    cube.train(3)
    assert not np.array_equal(cube.network.layers[0][0], layers[0][0])
    weights = np.full(2 * 9 * 4 + 4 + 9, 0.1)
    for kind in (Reinforce, ReinforceAsPrinted):
        network = PolicyNetwork(9, weights)
        player = kind(TICTACTOE, network, stream(), RuleTrainer("random", stream(5)))
        player.batch = player.replay_batch = 5  # one of them has an effect
        player.train(4)
        assert not np.array_equal(network.weights, weights)


class Scripted(TDLPair):
    """Has scores that are written down, and nearly no games."""

    eval_checkpoint, save_every = 2, 4

    def __init__(self, scores: list[float]) -> None:
        game = Game((4, 4), 4, gravity=True)
        agents = [TDLAgent(game, NTupleNetwork(game, [[0, 1]]), stream(n)) for n in (1, 2)]
        super().__init__(*agents, (stream(3), stream(4)))
        self.scores = iter(scores)

    def evaluate(self, games: int) -> float:
        assert games == 100
        return next(self.scores)


@pytest.mark.parametrize("scores", [[90.0, 85, 80, 1], [70, 90, 95, 94, 94], [85, 81, 82, 81.0]])
def test_training_ends_by_the_papers_rule(scores: list[float]) -> None:
    pair, saved = Scripted(scores), list[TDLAgent]()
    done = pair.train_until_done(saved.append)
    ends = [n for n in range(1, len(scores) + 1) if is_done(scores[:n], 80, False)]
    assert len(done) == ends[0]
    assert pair.games == 2 * len(done)
    assert len(saved) == 2 * (pair.games // 4) + 2
