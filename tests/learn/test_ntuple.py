"""The n-tuple learner: its rules by hand, runs that can be cut, agents that play and search."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inarow.engine.streams import make_stream
from inarow.game import InputError, Position
from inarow.game import game as game_of
from inarow.lab.matches.match import match
from inarow.lab.players.protocols import bind_player
from inarow.lab.training.run import Run, load_run
from inarow.learn.ntuple.agent import NTupleAgent
from inarow.learn.ntuple.learner import NTuple, average_share, coherent_share, lambda_return
from inarow.learn.registry import learner as learner_of
from tests.learn.test_tuples import random_position

SMALL = {"tuples": 8, "length": 5, "epsilon": "0.2"}


@pytest.fixture(scope="module")
def trained() -> NTupleAgent:
    training = NTuple(**SMALL).begin(game_of("connect4:4x5"), None, 1)  # type: ignore[arg-type]
    training.play(3000)
    return training.agent()


def test_rules_by_hand() -> None:
    assert lambda_return(1.0, 0.0, 0.4, 1.0) == 0.4
    assert lambda_return(1.0, 1.0, 0.4, 1.0) == 1.0
    assert lambda_return(0.5, 0.25, 0.4, 0.8) == pytest.approx(0.5 * (0.75 * 0.4 + 0.25 * 0.8))
    assert coherent_share(np.float32(0), np.float32(0)) == 1
    assert coherent_share(np.float32(-3), np.float32(4)) == 0.75


def test_averages_by_hand() -> None:
    """With power p, the k-th weight of n counts about as k^p."""
    for power, wanted in ((0.0, 2.0), (1.0, (1 + 2 * 2 + 3 * 3) / 6)):
        mean = 0.0
        for number, weight in enumerate((1.0, 2.0, 3.0), start=1):
            mean += average_share(power, number) * (weight - mean)
        assert mean == pytest.approx(wanted)


def test_one_update_by_hand() -> None:
    """Two cells, a game of two moves each way: errors go to the weights in equal shares."""
    game = game_of("mnk:1x2x1")  # the first stone wins
    training = NTuple(cells="0 1", symmetric=False, shield=False).begin(game, None, 0)
    training.play(5)
    assert not training.arrays["weights"].any()  # nothing comes before the end
    assert training.counts.tolist() == [5, 5, 0, 0, 0]


@pytest.mark.parametrize("options", [{}, {"tcl": True, "average": 1.0, "average_every": 7}])
def test_runs_can_be_cut(options: dict[str, Any]) -> None:
    game, learner = game_of("connect4:4x5"), NTuple(**{**SMALL, **options})  # type: ignore[arg-type]
    whole, cut = learner.begin(game, None, 5), learner.begin(game, None, 5)
    whole.play(60)
    for part in (1, 12, 20):
        cut.play(part)
    resumed = learner.begin(game, None, 5)
    resumed.restore({name: array.copy() for name, array in cut.arrays.items()})
    resumed.play(27)
    for name, array in whole.arrays.items():
        assert np.array_equal(array, resumed.arrays[name]), name


def test_seeds_and_tuple_seeds() -> None:
    game = game_of("connect4:4x5")
    one, two = (NTuple(tuples=3).begin(game, None, seed) for seed in (1, 2))
    assert one.tuples != two.tuples
    one, two = (NTuple(tuples=3, tuple_seed=9).begin(game, None, seed) for seed in (1, 2))
    assert one.tuples == two.tuples
    assert one.arrays["learner"].tolist() != two.arrays["learner"].tolist()


def test_saved_and_loaded(tmp_path: Path) -> None:
    run = Run("connect4:4x5", "ntuple", {**SMALL, "average": 2.0, "average_every": 10}, None, 3)
    run.training.play(25)
    run.save(tmp_path / "agent.safetensors")
    again = load_run(tmp_path / "agent.safetensors")
    run.training.play(10)
    again.training.play(10)
    assert np.array_equal(run.training.arrays["weights"], again.training.arrays["weights"])
    position = Position(run.game)
    assert run.agent.values(position) == again.agent.values(position)


def test_an_agent_does_not_change_when_training_goes_on() -> None:
    training = NTuple(**SMALL).begin(game_of("connect4:4x5"), None, 2)  # type: ignore[arg-type]
    training.play(50)
    agent = training.agent()
    before = agent.values(Position(agent.game))
    training.play(50)
    assert agent.values(Position(agent.game)) == before


def test_values_of_mirror_images_agree(trained: NTupleAgent) -> None:
    for seed in range(20):
        position = random_position("connect4:4x5", seed, 6)
        if position.outcome is not None:
            continue
        image = Position(position.game)
        for move in position.moves:
            image.push(4 - move)
        mirrored = {4 - move: value for move, value in trained.values(image).items()}
        assert trained.values(position) == pytest.approx(mirrored, abs=1e-5)


def test_the_agent_plays_its_best_move(trained: NTupleAgent) -> None:
    plain = NTupleAgent(trained.game, trained.features, trained.weights, shield=False)
    player = bind_player(plain, trained.game, make_stream(0))
    for seed in range(30):
        position = random_position("connect4:4x5", seed, seed % 12)
        if position.outcome is None:
            values = plain.values(position)
            assert values[player.move(position)] == max(values.values())


def test_the_shield_wins_and_blocks(trained: NTupleAgent) -> None:
    game = game_of("connect4:6x7")
    nothing = NTuple(tuples=2).begin(game, None, 0).agent()  # knows nothing at all
    player = bind_player(nothing, game, make_stream(0))
    for moves, wanted in (("112233", 3), ("121314", 0), ("11223", 3)):
        assert player.move(game.position(moves)) == wanted
    assert trained.shield


def negamax(agent: NTupleAgent, position: Position, depth: int) -> float:
    """The plain search: the network's values at the horizon, and ends before it."""
    best = -math.inf
    values = agent.values(position)
    for move in position.legal_moves:
        position.push(move)
        if position.outcome is not None:
            value = 0.0 if position.outcome.winner is None else 2.0
        elif depth == 1:
            value = values[move]
        else:
            value = -negamax(agent, position, depth - 1)
        position.pop()
        best = max(best, value)
    return best


@pytest.mark.parametrize("depth", [2, 3])
def test_search_finds_what_the_plain_search_finds(trained: NTupleAgent, depth: int) -> None:
    plain = NTupleAgent(trained.game, trained.features, trained.weights, shield=False)
    player = bind_player(plain.searching(depth), trained.game, make_stream(0))
    checked = 0
    for seed in range(40):
        position = random_position("connect4:4x5", seed, seed % 17)
        if position.outcome is not None:
            continue
        best = negamax(plain, position, depth)
        position.push(player.move(position))
        over = position.outcome
        if over is not None:
            value = 0.0 if over.winner is None else 2.0
        else:
            value = -negamax(plain, position, depth - 1)
        assert value == pytest.approx(best, abs=1e-5)
        checked += 1
    assert checked > 20


def test_it_learns_tic_tac_toe() -> None:
    lines = "0,1,2 0,4,8 3,4,5 0,1,2,3,4,5,6,7,8"
    training = NTuple(cells=lines, epsilon="0.2").begin(game_of("tictactoe"), None, 1)
    training.play(20_000)
    result = match("tictactoe", training.agent(), "perfect", 40, 1)
    assert result.total.losses == 0
    against_random = match("tictactoe", training.agent(), "random", 2000, 1)
    assert against_random.total.losses < 20


def test_a_trainer_and_a_linear_output() -> None:
    run = Run("cube", "ntuple", {"tuples": 3, "length": 4, "output": "linear"}, "benchmark", 1)
    run.training.play(20)
    assert int(run.training.counts[1:4].sum()) == 20
    run.training.check_finite()


@pytest.mark.parametrize(
    "options",
    [
        {"output": "relu"}, {"loss_function": "no"}, {"explored": "x"}, {"side": "third"},
        {"trace_decay": 1.5}, {"gamma": -0.1}, {"average": -1.0}, {"average_every": 0},
        {"depth": 0}, {"opening": -1}, {"states": 2}, {"tuples": 0}, {"alpha": "fast"},
    ],
)  # fmt: skip
def test_what_does_not_work_is_said(options: dict[str, Any]) -> None:
    opponent = make_opponent() if "side" in options else None
    with pytest.raises(InputError):
        learner_of("ntuple", options).begin(game_of("tictactoe"), opponent, 0)


def make_opponent() -> Any:
    from inarow.engine.rules import RuleList

    return RuleList(((),))


def test_another_game_is_refused(trained: NTupleAgent) -> None:
    with pytest.raises(InputError, match="plays connect4:4x5, not connect4:5x5"):
        bind_player(trained, game_of("connect4:5x5"), make_stream(0))
