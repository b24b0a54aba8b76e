"""How much memory a run takes is known before anything is made, for every learner."""

import tracemalloc

import pytest

from inarow.game import InputError, game
from inarow.graph.graph import graph_of
from inarow.lab.training import Run
from inarow.learn import sizes
from inarow.learn.names import LEARNERS, learner
from inarow.learn.sizes import bytes_needed, check_size, most_positions

# Of every learner a run that takes some megabytes, and against whom.
RUNS = {
    "td": ("connect4:3x4", {}, "random"),
    "q": ("connect4:3x4", {}, None),
    "td_lambda": ("connect4:3x4", {}, None),
    "sarsa": ("connect4:3x4", {}, "random"),
    "ntuple": ("qubic", {"tuples": 40, "length": 8}, None),
    "mlp": ("mnk:10x10x5", {"network": "2000"}, None),
    "line_td": ("mnk:15x15x5", {"phases": 200}, None),
    "monte_carlo": ("mnk:15x15x5", {"hidden": 2000}, None),
    "reinforce": ("mnk:15x15x5", {"hidden": 2000}, None),
}


def test_every_learner_says_how_much_memory_it_takes():
    assert sizes.SIZES.keys() == LEARNERS.keys() == RUNS.keys()


@pytest.mark.parametrize("name", LEARNERS)
def test_the_estimate_is_near_what_is_taken(name):
    """At least the arrays; and no more than a few times what was taken while it was built."""
    played, options, against = RUNS[name]
    Run("tictactoe", name, against=against)  # compiles
    graph_of.cache_clear()
    tracemalloc.start()
    run = Run(played, name, options, against)
    run.agent  # noqa: B018 - it may copy the weights
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    estimate = bytes_needed(name, run.learner, game(played))
    assert estimate >= sum(array.nbytes for array in run.training.arrays.values())
    assert 0.7 * peak < estimate < 4 * peak


@pytest.mark.parametrize(
    ("played", "name", "options"),
    [
        ("qubic", "ntuple", {"tuples": 40_000, "length": 8}),
        ("board:32x31,k=5", "ntuple", {"tuples": 1057, "length": 992}),
        ("mnk:9x9x5", "ntuple", {"cells": " ".join([",".join(map(str, range(14)))] * 300)}),
        ("mnk:31x31x5", "mlp", {"network": "100000,100000"}),
        ("mnk:31x31x5", "reinforce", {"hidden": 10**9}),
        ("mnk:31x31x5", "monte_carlo", {"hidden": 10**9}),
        ("mnk:31x31x5", "reinforce", {"version": "paper", "replay": 10**12}),
    ],
)
def test_what_is_more_than_the_machine_has_is_said_at_once(played, name, options, monkeypatch):
    monkeypatch.setattr("inarow.lab.training.machine_bytes", lambda: 8 * 2**30)
    with pytest.raises(InputError, match=r"of memory on .*: at most 8 GB work, all that this"):
        Run(played, name, options)


def test_a_limit_is_named():
    line = r"^mlp with these options takes 1 MB of memory on tictactoe: at most 1 MB work here"
    with pytest.raises(InputError, match=line):
        check_size("mlp", learner("mlp"), game("tictactoe"), 10, " here")
    check_size("mlp", learner("mlp"), game("tictactoe"), 2**20)


@pytest.mark.parametrize("name", ["tictactoe", "connect4:4x4", "mnk:3x4x3"])
def test_no_game_has_more_positions_than_its_bound(name):
    assert graph_of(game(name)).positions <= most_positions(game(name))
    assert most_positions(game("tictactoe")) == 6046  # known: all boards with balanced stones
