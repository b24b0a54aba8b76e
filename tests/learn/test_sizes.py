"""How much memory a run takes is known before anything is made, for every learner."""

import tracemalloc

import pytest

from inarow.game import InputError, game
from inarow.graph import graph as graphs
from inarow.lab.training.run import Run
from inarow.learn.learner import COPIES, Learner, check_size
from inarow.learn.registry import BUILT_IN, learner, learner_type
from inarow.learn.saved import real
from inarow.learn.tabular.table import most_positions

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


def test_every_learner_is_here():
    assert BUILT_IN.keys() == RUNS.keys()


class Simple(Learner):
    """Says nothing but what its arrays are."""

    name = "simple"

    def layout(self, game, seed, most):  # noqa: ARG002
        return {"values": real((1000,))}

    begin = agent = None  # type: ignore[assignment]


def test_a_learner_cannot_forget_its_size():
    """It follows from the arrays, which have to be declared."""
    counts = 5 * 8
    assert check_size(Simple(), game("tictactoe"), 0, 2**20) == COPIES * (8000 + counts)
    with pytest.raises(InputError, match=r"^simple with these options takes 1 MB"):
        check_size(Simple(), game("tictactoe"), 0, COPIES * 8000)


@pytest.mark.parametrize("name", BUILT_IN)
def test_nothing_is_made_to_tell_the_size(name, monkeypatch):
    """Nor is a game written out: only a learner that says so may do that, and it says how large."""
    played, options, _ = RUNS[name]
    monkeypatch.setattr("inarow.graph.graph.next_layer", lambda *_: pytest.fail("a graph"))
    monkeypatch.setattr(learner_type(name), "begin", lambda *_: pytest.fail("a run"))
    graphs._graph_of.cache_clear()
    made = learner(name, options)
    assert check_size(made, game(played), 0, 2**40) > 2**20
    if made.needs_graph:
        assert check_size(made, game("qubic"), 0, 2**40) > 2**30


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_estimate_is_near_what_is_taken(name):
    """At least the arrays; and no more than a few times what was taken while it was built."""
    played, options, against = RUNS[name]
    Run("tictactoe", name, against=against)  # compiles
    graphs._graph_of.cache_clear()
    tracemalloc.start()
    run = Run(played, name, options, against)
    run.agent  # noqa: B018 - it may copy the weights
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    estimate = run.learner.bytes_needed(game(played), run.seed)
    assert estimate >= sum(array.nbytes for array in run.training.arrays.values())
    assert 0.7 * peak < estimate < 4 * peak


@pytest.mark.parametrize(
    ("played", "name", "options", "message"),
    [
        (
            "qubic",
            "ntuple",
            {"tuples": 40_000, "length": 8},
            "takes 8 GB of memory on qubic: at most 4 GB work, all",
        ),
        ("qubic", "ntuple", {"tuples": 400, "length": 15}, "400 tuples of 15 cells have more wei"),
        ("board:32x31,k=5", "ntuple", {"tuples": 1057, "length": 992}, "have more weights than"),
        (
            "mnk:9x9x5",
            "ntuple",
            {"cells": " ".join([",".join(map(str, range(14)))] * 300)},
            "these 300 tuples have more weights than work",
        ),
        ("mnk:31x31x5", "mlp", {"network": "100000,100000"}, "there is room for 20,000,000"),
        ("mnk:31x31x5", "reinforce", {"hidden": 10**9}, "hidden must be between 1 and 4,096"),
        ("mnk:31x31x5", "monte_carlo", {"hidden": 10**9}, "hidden must be between 1 and 4,096"),
        ("mnk:31x31x5", "reinforce", {"version": "paper", "replay": 10**12}, "replay must be betw"),
        ("mnk:31x31x5", "reinforce", {"version": "paper", "replay": 10**7}, "the limit is 1 GiB"),
    ],
)
def test_what_is_more_than_the_machine_has_is_said_at_once(
    played, name, options, message, monkeypatch
):
    monkeypatch.setattr("inarow.lab.training.run.machine_bytes", lambda: 4 * 2**30)
    monkeypatch.setattr(learner_type(name), "begin", lambda *_: pytest.fail("it began"))
    monkeypatch.setattr(
        "inarow.learn.ntuple.network.neighbours", lambda game: pytest.fail("it drew them")
    )
    with pytest.raises(InputError, match=message):
        Run(played, name, options)


@pytest.mark.parametrize("name", BUILT_IN)
def test_what_works_elsewhere_may_be_more_than_this_machine_has(name, monkeypatch):
    played, options, against = RUNS[name]
    monkeypatch.setattr("inarow.lab.training.run.machine_bytes", lambda: 2**20)
    monkeypatch.setattr(learner_type(name), "begin", lambda *_: pytest.fail("it began"))
    line = f"^{name} with these options takes .* on {played}: at most 1 MB work, all that this mac"
    with pytest.raises(InputError, match=line):
        Run(played, name, options, against)


def test_a_limit_is_named():
    line = r"^mlp with these options takes 1 MB of memory on tictactoe: at most 1 MB work here"
    with pytest.raises(InputError, match=line):
        check_size(learner("mlp"), game("tictactoe"), 0, 10, " here")
    check_size(learner("mlp"), game("tictactoe"), 0, 2**20)


@pytest.mark.parametrize("name", ["tictactoe", "connect4:4x4", "mnk:3x4x3"])
def test_no_game_has_more_positions_than_its_bound(name):
    assert graphs.graph_of(game(name)).positions <= most_positions(game(name))
    assert most_positions(game("tictactoe")) == 6046  # known: all boards with balanced stones
