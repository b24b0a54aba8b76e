"""The agent of the package: made by corrections, proved by a walk through all its games."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inarow.game import InputError, Position
from inarow.game import game as game_of
from inarow.lab.against_perfect_walk import Mistake, Walker
from inarow.lab.training import Run
from inarow.learn.ntuple_correct import Correction
from inarow.papers import connect_four_agent as agent_of_package
from inarow.papers import connect_four_agent_make as making
from inarow.papers.results import load
from tests.papers.test_connect_four import DOCS

STORED = DOCS / "results" / "connect-four-tdl-agent.json"
BOARD = "connect4:4x5"


def small(games: int) -> Any:
    options = {"tuples": 20, "length": 6, "average": 2.0, "average_every": 10}
    run = Run(BOARD, "ntuple", options, None, 3)
    run.training.play(games)
    return run.agent


def test_corrections_leave_no_mistake() -> None:
    """4x5 is a draw: what is kept is the draw."""
    said, agent = list[str](), small(300)
    correction, rounds = making.correct(agent, (1, 2), said.append)
    assert rounds[0]["mistakes"]["1"] > 0
    assert rounds[0]["mistakes"]["2"] > 0
    assert rounds[-1]["corrections"] == 0
    assert set(rounds[-1]["mistakes"].values()) == {0}
    assert len(said) == len(rounds)
    for depth in (1, 2):
        walk = Walker(game_of(BOARD)).walk(correction.agent(depth))
        assert not walk.mistakes
        assert walk.chances[2] == 0
    again, twice = making.correct(small(300), (1, 2), said.append)
    assert twice == rounds
    assert np.array_equal(again.weights, correction.weights)


def test_corrections_may_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "put_right", lambda *_: False)
    with pytest.raises(InputError, match="mistakes are left"):
        making.correct(small(300), (1,), lambda _: None)


def test_one_mistake_is_put_right() -> None:
    agent = small(300)
    correction = Correction(agent)
    mistake = Walker(game_of(BOARD)).walk(correction.agent()).mistakes[0]
    assert isinstance(mistake, Mistake)
    assert making.put_right(correction, 1, mistake, 0.02)
    position = Position(game_of(BOARD))
    for move in mistake.moves:
        position.push(move)
    values = correction.agent().values(position)
    assert values[mistake.move] < max(values.values())


def test_the_proof_that_is_stored() -> None:
    results = load(STORED)
    exact, rounds = results.facts["exact"], results.facts["rounds"]
    assert [row["player"] for row in exact][:2] == ["ntuple", "ntuple:2"]
    for row in exact:
        assert (row["worst"], row["mistakes"], row["replies"]) == ("win", 0, "best")
        assert (row["chances"]["draw"], row["chances"]["loss"]) == (0, 0)
        assert row["chances"]["win"] == pytest.approx(1)
        position = game_of(agent_of_package.GAME).position(row["games"]["win"])
        assert position.outcome is not None
        assert position.outcome.winner == 1
    assert set(rounds[-1]["mistakes"].values()) == {0}
    assert list(rounds[-1]["mistakes"]) == [str(depth) for depth in agent_of_package.DEPTHS]


def test_the_proof_can_be_had_again() -> None:
    assert agent_of_package.prove((1,)) == load(STORED).facts["exact"][:1]


def test_only_the_run_that_is_described_is_taken(tmp_path: Any) -> None:
    run = Run(agent_of_package.GAME, "ntuple", {"tuples": 3}, None, 1)
    run.training.play(2)
    run.save(tmp_path / "run.safetensors")
    with pytest.raises(InputError, match="is not what `inarow train connect4:6x7 ntuple --games 4"):
        agent_of_package.make(tmp_path / "run.safetensors")


def test_a_card_with_a_game_that_is_not_won() -> None:
    exact = load(STORED).facts["exact"][:2]
    exact[0] = {**exact[0], "worst": "draw"}
    assert "`ntuple:2` wins every one" in agent_of_package._exact_words(exact)
