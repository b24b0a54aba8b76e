"""A short run of every learner, in each of its forms: what files are made of in tests."""

from __future__ import annotations

from typing import Any, NamedTuple

from inarow.lab.training.run import Run


class Small(NamedTuple):
    """A run that takes milliseconds."""

    game: str
    learner: str
    against: str | None = None
    options: dict[str, Any] = {}  # noqa: RUF012 - nobody changes it


NETWORK = {"tuples": 4, "length": 4, "average_every": 5}
RUNS = {
    "td": Small("tictactoe", "td", "attack"),
    "td by symmetry": Small("tictactoe", "td", "combined", {"symmetric": True}),
    "q": Small("tictactoe", "q"),
    "q by symmetry": Small("tictactoe", "q", None, {"symmetric": True}),
    "td_lambda": Small("tictactoe", "td_lambda"),
    "sarsa": Small("tictactoe", "sarsa", "random"),
    "ntuple": Small("connect4:4x4", "ntuple", None, NETWORK),
    "ntuple with coherence": Small("tictactoe", "ntuple", "random", {**NETWORK, "tcl": True}),
    "ntuple of the last weights": Small("cube", "ntuple", None, {**NETWORK, "average": 0}),
    "mlp": Small("tictactoe", "mlp", None, {"network": "lines:2,8"}),
    "mlp in double precision": Small(
        "connect4:4x4", "mlp", "attack", {"network": "9", "precision": "double"}
    ),
    "line_td": Small("ntictactoe:3^3", "line_td"),
    "monte_carlo": Small("tictactoe", "monte_carlo", None, {"hidden": 8}),
    "reinforce": Small("tictactoe", "reinforce", None, {"hidden": 8, "batch": 20}),
    "reinforce of the paper": Small(
        "tictactoe",
        "reinforce",
        "random",
        {"version": "paper", "hidden": 8, "replay": 50, "replay_batch": 8},
    ),
}


def small_run(name: str, games: int = 12, seed: int = 1) -> Run:
    """One of them, after some games."""
    small = RUNS[name]
    run = Run(small.game, small.learner, small.options, small.against, seed)
    run.training.play(games)
    return run
