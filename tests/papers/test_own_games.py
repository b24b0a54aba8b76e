"""Games of an agent against itself."""

from __future__ import annotations

from inarow.lab.training.run import train
from inarow.papers.connect_four.tdl import play_itself

BOARD = "connect4:4x5"


def test_games_against_itself() -> None:
    few = train(BOARD, "ntuple", games=2, seed=1, tuples=4, length=4, shield=False).agent
    many = train(BOARD, "ntuple", games=20_000, seed=1, tuples=20, length=6).agent
    found = [play_itself(agent, 30, 1) for agent in (few, many)]
    for name in ("win kept", "slowest loss", "flat"):
        assert all(0 <= figures[f"own games: {name}"] <= 1 for figures in found)
    assert found[1]["own games: win kept"] > found[0]["own games: win kept"]
    assert found[1]["own games: length"] > found[0]["own games: length"]
    assert play_itself(many, 30, 1) == found[1]
