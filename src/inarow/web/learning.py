"""Learning in a page: a tabular learner's own loop, and what its table is judged by.

The loop of a learner is an entry as it is. What the table has come to is judged by the functions
of `inarow certify`: which moves it may choose, how fast it can lose, where it gives value away,
and what a best response gets.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import Int8s, Int16s, Int32s, new_board, tables_of
from inarow.engine.jit import jit
from inarow.engine.streams import FIRST, LEARNER
from inarow.game import Game, InputError
from inarow.graph.certificate import Marks, _find_losses, _mark
from inarow.graph.graph import GraphArrays, values_of
from inarow.graph.odds import Policy, Probabilities, Sides, _sweep
from inarow.lab.training.run import Run
from inarow.learn.tabular.table import MoveValues, TabularLearner, TabularTraining, _write_best
from inarow.learn.tabular.transitions import RANDOM, UNLESS_ALL, slots_of
from inarow.web.entries import Arguments, Entry

# Whom a learner plays that cannot play itself, as on its paper's pages.
TRAINERS = {"td": "attack-defense", "sarsa": "random"}
STREAMS = {"learner": LEARNER, "trainer": FIRST}  # of a run, and the paths that make them


class Judge(NamedTuple):
    """What an agent with a table is judged by: the graph of its game, and room for findings."""

    graph: GraphArrays
    value: Int8s  # [positions] with perfect play
    place: Int32s  # [edges] where the table holds the value of a move
    sign: Int8s  # [edges] 1, or -1 where the side to move wants a low value
    table: MoveValues  # that of the run, flat
    first_of_ties: bool
    unless_all: bool
    moves: MoveValues  # [edges] for the side to move
    policy: Policy  # [edges]
    moves_to_loss: Int16s  # [positions]
    met: Marks  # [positions]
    mistaken: Marks  # [positions]
    reached: Int8s  # [positions] by the policy and a best response
    chances: npt.NDArray[np.float64]  # [positions, 3]
    answer: Policy  # [edges]
    payoff: Probabilities  # [3] what a best response wants


@jit
def weigh(judge: Judge) -> np.int64:
    """Writes the value of every move, and which moves the agent may choose."""
    judge.policy[:] = 0.0
    for edge in range(len(judge.place)):
        judge.moves[edge] = judge.sign[edge] * judge.table[judge.place[edge]]
    start = judge.graph.edge_start
    _write_best(start, judge.moves, judge.first_of_ties, judge.unless_all, judge.policy)
    return np.int64(0)


@jit
def losses(judge: Judge, side: int) -> np.int64:
    """Writes the fewest moves in which the agent can lose; returns those from the empty board."""
    _find_losses(judge.graph, judge.policy, side, judge.moves_to_loss)
    return np.int64(judge.moves_to_loss[0])


@jit
def marks(judge: Judge, side: int) -> np.int64:
    """Marks what the agent's play can lead to, and its mistakes."""
    judge.met[:] = False
    judge.mistaken[:] = False
    _mark(judge.graph, judge.value, judge.policy, side, judge.met, judge.mistaken)
    return np.int64(0)


@jit
def respond(judge: Judge, side: int) -> np.int64:
    """Writes the chances of a best response of that side, the first in `chances` the game's."""
    judge.reached[:] = 0
    judge.answer[:] = 0.0
    sides = Sides(judge.policy, judge.policy, side, judge.payoff)
    return np.int64(_sweep(judge.graph, sides, judge.reached, judge.chances, judge.answer))


JUDGING: Mapping[str, Entry] = {
    "weigh": Entry(weigh, ("judge",)),
    "losses": Entry(losses, ("judge", "side")),
    "marks": Entry(marks, ("judge", "side")),
    "respond": Entry(respond, ("judge", "side")),
}


def run_of(game: Game | str, learner: str) -> Run:
    """A run that has not begun, against the trainer of a page if it needs one."""
    return Run(game, learner, {}, TRAINERS.get(learner), 0)


def learning_arguments(run: Run) -> Arguments:
    """What the entries are called with."""
    training = run.training
    if not isinstance(training, TabularTraining):
        raise InputError(f"{run.learner_name} has no table: a page shows how tables learn")
    training.play(0)  # which makes what is made before the first game
    tables = tables_of(run.game)
    return {
        "tables": tables,
        "board": new_board(tables),
        "input": np.zeros(run.game.cells, dtype=np.int8),
        "move": 0,
        "table": training.transitions,
        "run": training.run,
        "settings": training.settings,
        "games": 0,
        "judge": _judge(training),
        "side": 0,
        "loop": training.loop,
    }


def learning_entries(arguments: Arguments) -> Mapping[str, Entry]:
    """The learner's own loop."""
    loop = arguments["loop"]
    assert callable(loop)
    return {"learn": Entry(loop, ("table", "run", "settings", "games"))}


def _judge(training: TabularTraining) -> Judge:
    graph, learner = training.graph, training.learner
    assert isinstance(learner, TabularLearner)
    slots = slots_of(graph, learner.shares)[1 if learner.of_moves else 0]
    table = training.run.values
    # What a move's value is made of follows from a table whose values are their own places.
    numbers = np.arange(1.0, table.size + 1).reshape(table.shape)
    signed = learner.move_values(graph, numbers, slots)
    if not (np.isin(np.abs(signed), numbers)).all():
        raise InputError(f"{learner.name} makes values of moves in a way that no page knows")
    edges, positions, ties = graph.edges, graph.positions, getattr(learner, "ties", RANDOM)
    return Judge(
        graph.arrays,
        values_of(graph).value,
        (np.abs(signed) - 1).astype(np.int32),
        np.sign(signed).astype(np.int8),
        table.reshape(-1),
        ties != RANDOM,
        ties == UNLESS_ALL,
        np.zeros(edges),
        np.zeros(edges),
        np.zeros(positions, dtype=np.int16),
        np.zeros(positions, dtype=bool),
        np.zeros(positions, dtype=bool),
        np.zeros(positions, dtype=np.int8),
        np.zeros((positions, 3)),
        np.zeros(edges),
        np.zeros(3),
    )
