"""How shipped agents are made, by their descriptions (`lab.shipped`): `inarow agents make GAME`.

An agent plays against itself. Where sides are to be corrected, its weights are rounded to 8 bits
and corrected until it makes no mistake before it searches to the end (`correcting`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from inarow.agents.correcting import Round, correct
from inarow.game import InputError
from inarow.game import game as game_of
from inarow.lab.anyone import SIDES
from inarow.lab.shipped import ShippedAgent
from inarow.lab.training import Run, continue_training, load_run
from inarow.learn.arrays import to_small
from inarow.learn.learner import options_of
from inarow.learn.ntuple.agent import NTupleAgent
from inarow.learn.registry import learner
from inarow.learn.saved import Header, read_agent, write_agent

Report = Callable[[str], None]


def make(
    shipped: ShippedAgent,
    path: Path | None = None,
    out: Path | None = None,
    stones: int | None = None,
    report: Report = print,
) -> Path:
    """Makes an agent from a run, or from nothing, and writes what it plays with.

    With `stones` it searches to the end from another number of stones on than the shipped one.
    """
    if path is None:
        report(f"playing {shipped.games:,} games against itself")
        run = Run(shipped.game, shipped.learner, dict(shipped.options), None, shipped.seed)
        continue_training(run, shipped.games)
    else:
        run = load_run(path)
    if run.learner_name != shipped.learner or run.game != game_of(shipped.game):
        raise InputError(f"{path} is not a run of {shipped.learner} on {shipped.game}")
    out = out or shipped.path
    run.export(out, small=shipped.learner == "ntuple")
    if shipped.corrected:
        _correct(run, shipped, out, stones, report)
    return out


def _correct(
    run: Run, shipped: ShippedAgent, out: Path, stones: int | None, report: Report
) -> None:
    """Corrects the weights in a file, and writes it again."""

    def tell(found: Round) -> None:
        report("{positions:,} positions, {mistakes:,} mistakes, {steps:,} steps".format(**found))

    assert isinstance(run.agent, NTupleAgent)
    sides = tuple(SIDES.index(side) for side in shipped.corrected)
    number = stones or shipped.stones or run.game.cells
    corrections, rounds = correct(run.agent, number, tell, sides)
    header, arrays = read_agent(out)
    (name,) = (name for name in arrays if name != "counts")
    write_agent(out, header, {**arrays, name: to_small(corrections.weights)})
    report(f"{len(rounds)} rounds: {out}")


def train_command(header: Header) -> str:
    """The command that makes the run of an agent."""
    usual, given = learner(header.learner), header.options
    changed = {n: given[n] for n, value in options_of(usual).items() if given[n] != value}
    settings = "".join(f" --set '{name}={value}'" for name, value in changed.items())
    return (
        f"inarow train {header.game} {header.learner} --games {header.games} --seed {header.seed}"
        f"{settings} --out run.safetensors"
    )
