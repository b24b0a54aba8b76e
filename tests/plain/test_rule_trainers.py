"""The plain rule players choose among the moves that the compiled ones may choose."""

from __future__ import annotations

import pytest

from inarow.game import game as game_of
from inarow.graph.graph import graph_of
from inarow.graph.policies import rule_policies
from inarow.lab.players.names import RULE_PLAYERS
from inarow.plain.random_stream import RandomStream
from inarow.plain.rule_trainers import HYBRID, OTHERS, RuleTrainer
from tests.learn.compiled_order import positions_of


@pytest.mark.parametrize("game", ["tictactoe", "connect4:3x4"])
@pytest.mark.parametrize("name", [*HYBRID, *OTHERS])
def test_the_same_moves_in_every_position(name: str, game: str) -> None:
    graph, trainer = graph_of(game_of(game)), RuleTrainer(name, RandomStream([1, 2, 3, 4]))
    policies = rule_policies(graph, RULE_PLAYERS[name].rules)
    assert len(policies) == len(trainer.variants)
    for number, position in positions_of(graph):
        edges = range(int(graph.edge_start[number]), int(graph.edge_start[number + 1]))
        for policy, rules in zip(policies, trainer.variants, strict=True):
            trainer.rules = rules
            allowed = [int(graph.move[edge]) for edge in edges if policy[edge] > 0]
            assert trainer.moves(position) == allowed
            assert trainer.choose(position) in allowed


def test_combined_draws_its_rules_for_each_game() -> None:
    trainer, met = RuleTrainer("combined", RandomStream([1, 2, 3, 4])), set()
    for _ in range(100):
        trainer.begin()
        met.add(trainer.rules)
    assert met == set(trainer.variants)
