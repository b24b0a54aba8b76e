"""Referees say who is stronger."""

from __future__ import annotations

from typing import Any

import pytest

from inarow.engine.board import Tables
from inarow.game import game as game_of
from inarow.learn.ntuple.learner import NTuple
from inarow.papers.connect_four.tdl import referee_score
from inarow.search.minimax import Minimax
from inarow.search.perfect import compiled_perfect

BOARD = "connect4:4x5"


class CompiledPerfect:
    """Perfect play in compiled loops, as an agent."""

    def compiled(self, tables: Tables) -> Any:  # noqa: ARG002 - it plays this board only
        return compiled_perfect(game_of(BOARD))


@pytest.mark.parametrize(
    ("referee", "strong"), [("minimax:2", Minimax(8)), ("perfect", CompiledPerfect())]
)
def test_a_referee_knows_a_strong_agent_from_a_weak_one(referee: str, strong: Any) -> None:
    weak = NTuple(tuples=4, length=4, shield=False).begin(game_of(BOARD), None, 1).agent()
    strong.game = weak.game
    scores = [referee_score(referee, agent, 20, 5) for agent in (weak, strong)]
    assert 0 <= scores[0] < scores[1] <= 20
    assert scores[1] == referee_score(referee, strong, 20, 5)
    if referee == "perfect":
        assert scores[1] == 10  # between perfect players the board is drawn
