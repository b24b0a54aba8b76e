"""Networks by name, agents in matches and files, and the default precision."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import inarow
from inarow.engine.board import tables_of
from inarow.game import InputError
from inarow.game import game as game_of
from inarow.lab.matches.match import match
from inarow.lab.training.run import Run, load_run, train
from inarow.learn.layers import activate
from inarow.learn.mlp.learner import MLP, MLPAgent
from inarow.learn.mlp.network import NETWORKS, matrices, network_of
from inarow.learn.saved import read_agent, write_agent
from inarow.papers.cube.study import PUBLISHED, conditions
from inarow.plain.cube import Perceptron


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_have_the_published_number_of_weights(name: str) -> None:
    layers, weights = (PUBLISHED.entries[t].numbers[name] for t in ("table-1-layers", "table-1"))
    network = network_of(game_of("cube"), name)
    assert network.weights == weights
    sizes = [len(biases) for _, biases in matrices(network, np.ones(network.size))]
    assert "-".join(map(str, [64, *sizes])) == layers
    assert int(network.biases.sum()) == sum(sizes)
    connected = sum(int((w != 0).sum()) for w, _ in matrices(network, np.ones(network.size)))
    assert connected == weights


@pytest.mark.parametrize(
    "text", ["", "lines", "lines:0", "4-5", "32,lines:4", "5," * 20 + "5", "x"]
)
def test_texts_that_are_no_network(text: str) -> None:
    with pytest.raises(InputError, match=r"network|layers"):
        network_of(game_of("cube"), text)


def test_logistic_to_the_last_place() -> None:
    sums = np.concatenate([np.linspace(-60, 60, 4001), np.logspace(-300, 2, 303), [0.0, 1e300]])
    for kind, bound in ((np.float64, 3e-16), (np.float32, 2e-7)):
        given = np.clip(sums, -1e30, 1e30).astype(kind)
        active = np.zeros_like(given)
        activate(given, active, 0, len(given))
        np.testing.assert_allclose(active, np.tanh(given.astype(float) / 2), rtol=0, atol=bound)


def test_agents_play_matches_and_say_values(tmp_path: Path) -> None:
    run = train("cube", "mlp", games=300, seed=2, network="lines:2,8")
    agent = run.agent
    result = match("cube", agent, "random", games=200, seed=1)
    assert result.total.wins > 140
    position = inarow.game("cube").position("")
    for move in (0, 5, 5, 3):
        position.push(move)
    values = agent.values(position)
    network = Perceptron(matrices(agent.network, agent.weights.astype(float)))
    inputs = np.array([0.0, 1.0, -1.0])[np.array(position.stones)]
    for move in position.legal_moves:
        after = inputs.copy()
        after[position.cell_of(move)] = 1
        assert values[move] == pytest.approx(network.value(after), abs=1e-5)
    run.save(tmp_path / "agent.safetensors")
    again = load_run(tmp_path / "agent.safetensors")
    assert again.agent.values(position) == values
    run.training.play(10)
    again.training.play(10)
    assert (run.training.arrays["weights"] == again.training.arrays["weights"]).all()
    assert agent.values(position) == values  # what was handed out does not learn on


def test_small_games_are_certified() -> None:
    run = train("tictactoe", "mlp", games=200, seed=1, network="lines:2")
    assert inarow.certify(run.agent) is not None


def test_networks_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    run = Run("cube", "mlp", {"network": "lines:2"})
    path = tmp_path / "agent.safetensors"
    run.save(path)
    header, arrays = read_agent(path)
    for changed in (
        replace(header, game="connect4:6x7"),
        replace(header, options={**header.options, "network": "lines:3"}),
        replace(header, options={**header.options, "precision": "double"}),
    ):
        write_agent(path, changed, arrays)
        with pytest.raises(InputError, match=r"array weights is|there is room for"):
            load_run(path)
    arrays["weights"][3] = np.inf
    write_agent(path, header, arrays)
    with pytest.raises(InputError, match="not finite"):
        load_run(path)
    with pytest.raises(InputError, match="do not fit the network on cube"):
        MLPAgent("mlp", run.training.network, np.zeros(7, dtype=np.float32))
    with pytest.raises(InputError, match="plays cube only"):
        run.agent.compiled(tables_of(game_of("connect4:6x7")))
    with pytest.raises(InputError, match="plays cube, not tictactoe"):
        run.agent.values(game_of("tictactoe").position(""))


def test_single_precision_stays_near_to_double() -> None:
    game = game_of("cube")
    runs = [MLP(precision=kind).begin(game, None, 1) for kind in ("single", "double")]
    for run in runs:
        run.play(1)
    first, second = (run.arrays["weights"] for run in runs)
    assert np.abs(first - second).max() < 1e-5


def test_the_study_has_the_papers_ten_cells() -> None:
    configs = [condition.parameters for condition in conditions("paper")]
    assert len(configs) == 10
    assert (
        {config["network"] for config in configs}
        == set(NETWORKS)
        == set(PUBLISHED.entries["table-1"].numbers)
    )
    assert {config["games"] // config["evaluate_every"] for config in configs} == {100}
