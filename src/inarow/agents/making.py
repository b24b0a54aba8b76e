"""How `inarow agents make GAME` makes shipped agents, by what `lab.players.shipped` says of them.

An agent plays against itself. Where sides are to be corrected, its weights are rounded to 8 bits
and corrected until it gives nothing away before it searches to the end, whoever its opponent is.

To correct it, all positions that it can meet against anyone, up to the number of stones from which
it searches to the end, are gone through; an exact judge finds every move that gives the value away
(`search.endgame`). These moves are corrected in the weights, and then all is gone through again,
since other moves lead to other positions. It ends when nothing is left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from inarow.engine.board import Int64s, load, new_board, tables_of
from inarow.engine.jit import inline, jit
from inarow.game import InputError
from inarow.game import game as game_of
from inarow.game.position import SIDES
from inarow.graph.all_games import play_all_games
from inarow.lab.players.shipped import ShippedAgent
from inarow.lab.training.run import Run, continue_training, load_run
from inarow.learn.learner import options_of
from inarow.learn.ntuple.agent import NTupleAgent, look_at
from inarow.learn.ntuple.network import Sums, Weights, new_accumulator, table_for
from inarow.learn.registry import learner
from inarow.learn.saved import SMALL_UNITS, Header, from_small, read_agent, to_small, write_agent
from inarow.search.endgame import JudgedPlayer, judged, judged_next, kept_moves, stones_of

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
    against = f" --against {header.against}" if header.against else ""
    return (
        f"inarow train {header.game} {header.learner}{against} --games {header.games} "
        f"--seed {header.seed}{settings} --out run.safetensors"
    )


MOST_ROUNDS = 200


class Round(TypedDict):
    """What was found and corrected once through all games."""

    positions: int
    mistakes: int
    steps: int


def correct(
    agent: NTupleAgent,
    stones: int,
    report: Callable[[Round], None] = lambda found: None,
    sides: tuple[int, ...] = (0,),
) -> tuple[Corrections, list[Round]]:
    """Corrects an agent on its sides until it makes no mistake before so many stones.

    Returns it, and for each round the positions gone through, the mistakes found in them and the
    steps that corrected these.
    """
    corrections, rounds = Corrections(agent), list[Round]()
    judge: JudgedPlayer | None = None
    seen = set[tuple[int, int]]()
    for _ in range(MOST_ROUNDS):
        now = corrections.agent()
        judge = judged(now, agent.game) if judge is None else judged_next(judge, now, agent.game)
        positions = 0
        for side in sides:
            traversal = play_all_games(agent.game, judge, side, stones=stones)
            positions += traversal.positions
        if judge.noted[0] > len(judge.notes):
            raise InputError(f"{judge.noted[0]:,} mistakes are too many to be corrected")
        noted = np.unique(judge.notes[: judge.noted[0]], axis=0)
        for own, mask in noted.tolist():
            if (own, mask) not in seen:
                seen.add((own, mask))
                _add(corrections, judge, own, mask)
        steps = corrections.settle() if len(noted) else 0
        rounds.append({"positions": positions, "mistakes": len(noted), "steps": steps})
        report(rounds[-1])
        if not len(noted):
            return corrections, rounds
    raise InputError(f"{rounds[-1]['mistakes']} mistakes are left after {MOST_ROUNDS} rounds")


def _add(corrections: Corrections, judge: JudgedPlayer, own: int, mask: int) -> None:
    """Of the moves that keep the value, the one that the network first liked best is the right."""
    game = corrections.network.game
    stones = np.array(stones_of(game, own, mask), dtype=np.int8)
    mover = 1 + mask.bit_count() % 2
    kept, after = kept_moves(judge, own, mask), dict[int, Stones]()
    for move in range(game.columns):
        column = stones[move :: game.columns]
        if (column == 0).any():
            after[move] = stones.copy()
            after[move][int(np.argmin(column != 0)) * game.columns + move] = mover
    sign = 3 - 2 * mover
    right = max(kept, key=lambda move: sign * corrections.first_value(after[move]))
    corrections.add(after[right], [after[move] for move in after if move not in kept])


# Corrections of an n-tuple network: in some positions one move gets a higher value than others.
#
# Where a network chose a move that it should not have chosen, its weights change by the least that
# puts things right with a margin: the passive-aggressive step (Crammer et al. 2006). What was
# corrected once is kept and looked at again after every other correction, until all of it holds at
# once (after DAgger, Ross et al. 2011). It must hold for the weights as they are stored, rounded to
# 8 bits: sums of those are exact, so every processor plays the corrected moves.

MARGIN = 0.02  # by which the right move is preferred
MOST_SWEEPS = 1_000  # through all corrections

Stones = npt.NDArray[np.int8]  # [cells] of a position after a move


class Corrections:
    """A network's weights while they are corrected, and what was corrected so far."""

    def __init__(self, agent: NTupleAgent, margin: float = MARGIN) -> None:
        self.network, self.margin = agent, margin
        self.weights = agent.weights.astype(np.float32)
        self._tables = tables_of(agent.game)
        self._board = new_board(self._tables)
        self._accumulator = new_accumulator(self._tables, agent.features, False)
        self._starts, self._places, self._counts = [0], list[Int64s](), list[Sums]()

    def __len__(self) -> int:
        return len(self._places)

    @property
    def rounded(self) -> Weights:
        """The weights as they are stored."""
        return from_small(to_small(self.weights))

    def agent(self) -> NTupleAgent:
        """The network as it is by now."""
        net = self.network
        return NTupleAgent(net.game, net.features, self.rounded, net.shield, net.squash)

    def first_value(self, stones: Stones) -> float:
        """The network's value of a position before any correction, for the first side."""
        return float(self.network.weights.reshape(-1)[self._indices(stones)].sum())

    def add(self, right: Stones, wrong: Sequence[Stones]) -> None:
        """From now on the position `right` looks better to the side that moved than any `wrong`."""
        sign = 1 if np.count_nonzero(right) & 1 else -1
        for other in wrong:
            both = [self._indices(right), self._indices(other)]
            signs = np.repeat(np.array([sign, -sign]), [len(indices) for indices in both])
            places, inverse = np.unique(np.concatenate(both), return_inverse=True)
            counts = np.zeros(len(places), dtype=np.float32)
            np.add.at(counts, inverse, signs)
            self._places.append(places[counts != 0])
            self._counts.append(counts[counts != 0])
            self._starts.append(self._starts[-1] + len(self._places[-1]))

    def settle(self) -> int:
        """Corrects until all corrections hold; returns how many steps that took."""
        if not self._places:
            return 0
        places, counts = np.concatenate(self._places), np.concatenate(self._counts)
        starts, total = np.array(self._starts, dtype=np.int64), 0
        for _ in range(MOST_SWEEPS):
            flat = self.weights.reshape(-1)
            steps = int(_sweep(flat, starts, places, counts, np.float32(self.margin)))
            total += steps
            if steps == 0:
                break
        return total

    def _indices(self, stones: Stones) -> Int64s:
        """The weights of a position, in all tables one after another."""
        load(self._tables, self._board, stones)
        look_at(self._tables, self._board, self._accumulator, self.weights)
        table = table_for(self.weights, int(np.count_nonzero(stones)))
        found = self._accumulator.indices[: self.network.features.number].astype(np.int64)
        return found + table * self.weights.shape[1]


@inline
def _stored(weight: np.float32) -> np.float32:
    """A weight as it is rounded when it is stored."""
    whole = np.rint(weight * np.float32(SMALL_UNITS))
    return min(max(whole, np.float32(-127)), np.float32(127)) / np.float32(SMALL_UNITS)


@jit
def _sweep(weights: Sums, starts: Int64s, places: Int64s, counts: Sums, margin: np.float32) -> int:
    """One step for each correction that does not hold; returns how many these were."""
    steps = 0
    for number in range(len(starts) - 1):
        ahead, norm = np.float32(0), np.float32(0)
        for i in range(starts[number], starts[number + 1]):
            ahead += counts[i] * _stored(weights[places[i]])
            norm += counts[i] * counts[i]
        if ahead < margin and norm > 0:
            step = (margin - ahead) / norm
            for i in range(starts[number], starts[number + 1]):
                weights[places[i]] += step * counts[i]
            steps += 1
    return steps
