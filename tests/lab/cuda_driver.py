"""Studies on Numba's simulated GPU, compared with threads. A process of its own runs it.

Called as `python -m tests.lab.cuda_driver [FOLDER]` with NUMBA_ENABLE_CUDASIM=1: with a folder
for studies of tables, without one for value networks.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from inarow.cuda import networks
from inarow.cuda.kernels import SIMULATED, new_stream
from inarow.engine.streams import SECOND, make_stream
from inarow.game import InputError
from inarow.lab.matches.match import match
from inarow.lab.players.names import player
from inarow.lab.studies.runner import run_study
from inarow.lab.studies.store import Key, Store
from inarow.lab.studies.study import Study, grid
from inarow.lab.training.run import Run

TESTS = ["games:random:20:second", "sides:attack:5", "exact"]
TABLES = Study(
    "tables",
    grid(
        game="mnk:2x3x2", learner="td", against=["attack", "combined"], games=60, record=20,
        evaluate_at=[[30]], evaluations=[TESTS], alpha="0.3*0.99", side="both",
    ),
)  # fmt: skip


def run_and_kill(study: Study, folder: Path) -> None:
    """On threads, on the GPU, and on the GPU again with a kill at every stored slice."""
    run_study(study, folder / "threads.db", 3, on="threads")
    run_study(study, folder / "cuda.db", 3, on="cuda")
    stored, kills = 0, 0

    def kill(share: float) -> None:
        nonlocal stored
        if share > stored:
            stored = share
            raise ConnectionAbortedError

    while stored < 1:
        try:
            run_study(study, folder / "killed.db", 3, 4, "cuda", kill, seconds=0.0)
        except ConnectionAbortedError:
            kills += 1
    run_study(study, folder / "killed.db", 3, 4, "cuda")
    assert kills > 3, kills


def diverge(path: Path) -> None:
    """A run whose weights are no numbers any more fails, and names itself; the others are kept."""
    study = Study(
        "diverges",
        grid(game="mnk:2x3x2", learner="mlp", against="attack", network="4", games=4,
             evaluate_every=2, alpha=["0.1", "1e300"]),
    )  # fmt: skip
    said = ""
    try:
        run_study(study, path, 2, on="cuda")
    except InputError as error:
        said = str(error)
    assert said.startswith("config 1 "), said
    assert "training diverged: after " in said, said
    with Store.open(path) as store:
        going = {key for key, share in store.begun().items() if share > 0} | store.ended()
    assert going == {Key(0, 0), Key(0, 1)}, going


def compare_networks() -> None:
    """Runs and games of value networks: the same games, weights but for rounding."""
    rules = player("attack").rules
    for network, against in (("lines:2,8", None), ("8,8", "attack")):
        options = {"network": network, "epsilon": "0.3", "alpha": "0.1"}
        here, there = (
            [Run("tictactoe", "mlp", options, against, seed).training for seed in range(2)]
            for _ in range(2)
        )
        stream = new_stream()
        batch = networks.MLPRuns(there, stream)
        batch.launch(np.array([2, 1]), beside=2)
        assert batch.collect()[0][:, 0].tolist() == [2, 1]
        batch.download([0, 1])
        for one, other, games in zip(here, there, (2, 1), strict=True):
            before = one.arrays["weights"].copy()
            one.play(games)
            for name in ("counts", "learner", "opponent"):
                assert (one.arrays[name] == other.arrays[name]).all(), name
            weights = one.arrays["weights"]
            assert np.abs(weights - before).max() > 1e-3
            np.testing.assert_allclose(other.arrays["weights"], weights, rtol=0, atol=1e-6)
        agents = [training.agent() for training in here]
        streams = [make_stream(5, SECOND, 0, 0), make_stream(6, SECOND, 0, 0)]
        played = networks.NetworkGames(agents, rules, 1, 0, streams, stream)
        played.launch()
        for agent, seed, ends in zip(agents, (5, 6), played.counts().tolist(), strict=True):
            tally = match("tictactoe", agent, "attack", 1, seed, side="first").total
            assert ends == [tally.wins, tally.draws, tally.losses]


if __name__ == "__main__":
    assert SIMULATED
    if sys.argv[1:]:
        run_and_kill(TABLES, Path(sys.argv[1]))
        diverge(Path(sys.argv[1]) / "diverges.db")
    else:
        compare_networks()
