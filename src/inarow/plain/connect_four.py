"""The Connect Four paper: utility and minimax, the n-tuple network, the TDL agent and its training.

Minimax is alpha-beta pruning as it is meant (section III-A). As printed, the comparison that sets
bestMove in MAXVAL never holds, because maxV is raised before it, and both functions test a >= b
only once, behind the loop, where nothing is left to prune.

Weights and sums of a network have 32 bits, and sums are added up in four parts, as in the compiled
network, so that both have the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from inarow.game import Game, Outcome, Position
from inarow.plain.random_stream import RandomStream
from inarow.plain.table import any_of

WIN = 9_999_999
THREE, TWO = 1_000, 100  # with one cell empty, and with two
LINE = 10_000  # ours: a whole line, where lines are counted


def utility(position: Position, agent: int, distance: int) -> int:
    """Return the value of a position for the agent, so many moves ahead (UTILITY)."""
    if position.outcome is not None:
        if position.outcome.winner is None:
            return 0
        return WIN - distance if position.outcome.winner == agent else distance - WIN
    own, other = (_alignments(position, side) for side in (agent, 3 - agent))
    return other - own if position.game.misere else own - other


def _alignments(position: Position, side: int) -> int:
    """Count the side's alignments that lack one stone or two, each on an empty cell."""
    game, stones = position.game, position.stones
    value = {(game.k - 1, 1): THREE, (game.k - 2, 2): TWO}
    value[game.k, 0] = LINE if game.scoring else 0
    total = 0
    for line in _lines(game):
        on_line = [stones[cell] for cell in line]
        total += value.get((on_line.count(side), on_line.count(0)), 0)
    return total


@cache
def _lines(game: Game) -> list[list[int]]:
    lines: list[list[int]] = game.lines.tolist()
    return lines


INFINITE = 10**12


class Minimax:
    """Looks so many moves ahead, tries actions in a fixed order and takes the first of the best."""

    def __init__(self, depth: int = 6, order: Sequence[int] | None = None) -> None:
        self.depth, self.order = depth, order

    def choose(self, position: Position) -> int:
        """Return the best move (MINIMAX)."""
        return self.search(position)[1]

    def search(self, position: Position) -> tuple[int, int]:
        """Return the value of a position for the side to move, and the best move."""
        self.agent, self.ply = position.to_move, position.ply
        return self.maxval(position, -INFINITE, INFINITE, self.depth)

    def maxval(self, position: Position, a: int, b: int, d: int) -> tuple[int, int]:
        """Return the highest value that the agent can reach, and the move there (MAXVAL)."""
        if d == 0 or position.outcome is not None:
            return utility(position, self.agent, position.ply - self.ply), -1
        maxv, best_move = -INFINITE, -1
        for move in self.valid_actions(position):
            position.push(move)
            v, _ = self.minval(position, a, b, d - 1)
            position.pop()
            if v > maxv:
                maxv, best_move = v, move
            a = max(a, maxv)
            if a >= b:
                break
        return maxv, best_move

    def minval(self, position: Position, a: int, b: int, d: int) -> tuple[int, int]:
        """Return the lowest value that the opponent can force, and the move there (MINVAL)."""
        if d == 0 or position.outcome is not None:
            return utility(position, self.agent, position.ply - self.ply), -1
        minv, best_move = INFINITE, -1
        for move in self.valid_actions(position):
            position.push(move)
            v, _ = self.maxval(position, a, b, d - 1)
            position.pop()
            if v < minv:
                minv, best_move = v, move
            b = min(b, minv)
            if a >= b:
                break
        return minv, best_move

    def valid_actions(self, position: Position) -> list[int]:
        """Return the legal moves, in order (VALIDACTIONS)."""
        legal = position.legal_moves
        return legal if self.order is None else [move for move in self.order if move in legal]


ZERO = np.float32(0)
Stones = tuple[int, ...]


def states_of(game: Game, stones: Stones, cells: Sequence[int], states: int = 4) -> tuple[int, ...]:
    """Return for each cell 0 if empty, 1 if empty and playable, 2 or 3 if it has a stone."""
    found = []
    for cell in cells:
        below = cell - game.columns
        if stones[cell]:
            found.append(stones[cell] + 1)
        else:
            found.append(int(states == 3 or not game.gravity or below < 0 or stones[below] > 0))
    return tuple(found)


def sum_in_four(numbers: list[np.float32]) -> np.float32:
    """Add every fourth number to each of the first four; then the first two, the last two."""
    parts = [ZERO] * 4
    for place, number in enumerate(numbers):
        parts[place % 4] = np.float32(parts[place % 4] + number)
    return np.float32(np.float32(parts[0] + parts[1]) + np.float32(parts[2] + parts[3]))


Key = tuple[int, int, tuple[int, ...]]  # table, tuple, the states of its cells


class NTupleNetwork:
    """The value of a position, for the first side, is a sum of one weight for each tuple.

    With `symmetric`, each tuple is also laid in all images of the board; with `by_side`, there is
    a table of weights for either side to move. The paper has neither.
    """

    def __init__(
        self,
        game: Game,
        tuples: Sequence[Sequence[int]],
        symmetric: bool = False,
        by_side: bool = False,
        states: int = 4,
    ) -> None:
        self.game, self.by_side, self.states = game, by_side, states
        images: list[list[int]] = game.symmetries[: None if symmetric else 1].tolist()
        self.features = [
            (number, [image[cell] for cell in cells])
            for number, cells in enumerate(tuples)
            for image in images
        ]
        self.weights: dict[Key, np.float32] = {}

    def keys(self, stones: Stones, table: int | None = None) -> list[Key]:
        """Return the places of a position's weights, in its own table or another."""
        table = self.table_of(stones) if table is None else table
        return [
            (table, number, states_of(self.game, stones, cells, self.states))
            for number, cells in self.features
        ]

    def table_of(self, stones: Stones) -> int:
        """Return which table holds the weights of a position."""
        return sum(map(bool, stones)) % 2 if self.by_side else 0

    def total(self, stones: Stones) -> np.float32:
        """Return the sum of the weights of a position."""
        return self.sum_of(self.keys(stones))

    def total_after(self, position: Position, move: int) -> float:
        """Return the sum after a move: the sum before it, and what the stone changes.

        Without bound if the move makes a line that ends the game.
        """
        if position.completes(move) and not position.game.scoring:
            return -math.inf if (position.to_move == 1) == position.game.misere else math.inf
        stones, placed = position.stones, list(position.stones)
        placed[position.cell_of(move)] = position.to_move
        after = tuple(placed)
        old, new = self.keys(stones, self.table_of(after)), self.keys(after)
        changes = [
            np.float32(self.weights.get(now, ZERO) - self.weights.get(before, ZERO))
            for now, before in zip(new, old, strict=True)
            if now != before
        ]
        return float(np.float32(self.sum_of(old) + sum_in_four(changes)))

    def add(self, keys: list[Key], change: float) -> None:
        """Change some weights."""
        for key in keys:
            self.weights[key] = np.float32(self.weights.get(key, ZERO) + np.float32(change))

    def sum_of(self, keys: list[Key]) -> np.float32:
        """Return the sum of some weights."""
        return sum_in_four([self.weights.get(key, ZERO) for key in keys])


RESULTS: dict[Outcome | None, float] = {Outcome.FIRST: 1.0, Outcome.SECOND: -1.0, Outcome.DRAW: 0.0}


class TDLAgent:
    """TD learning with an n-tuple network (Connect Four paper, section III-B).

    Learns V after a game, from the positions that it has seen and the moves that it made.
    """

    alpha, epsilon, gamma = 0.28, 0.1, 1.0  # alpha is shared by the weights of a position
    start = Position  # what a game begins with

    def __init__(self, game: Game, network: NTupleNetwork, stream: RandomStream) -> None:
        self.game, self.network, self.stream = game, network, stream

    def train(self, games: int) -> None:
        """Play games against itself."""
        for _ in range(games):
            position = self.start(self.game)
            self.begin(position)
            while position.outcome is None:
                position.push(self.choose(position, self.epsilon))
                self.see(position)
            self.learn(position)

    def begin(self, position: Position) -> None:
        """Begin to record a game: its positions, V of each, and V of a move that was passed by."""
        self.path, self.values = [position.stones], dict[int, float]()
        self.passed = dict[int, float]()  # by ply: V of the best move, where a random one was made

    def choose(self, position: Position, epsilon: float) -> int:
        """Return a random move with probability epsilon, else one of those with the best V."""
        moves, ply = self.moves(position), position.ply
        if len(moves) == 1:
            return moves[0]
        sign = 1 if position.to_move == 1 else -1
        totals = [self.network.total_after(position, move) for move in moves]
        highest = max(sign * total for total in totals)
        best = any_of([i for i, total in enumerate(totals) if sign * total == highest], self.stream)
        taken = best
        if epsilon > 0 and self.stream.uniform() < epsilon:
            taken = self.stream.below(len(moves))
        if taken != best:
            self.passed[ply] = self.value(totals[best])
        self.values[ply + 1] = self.value(totals[taken])
        return moves[taken]

    def see(self, position: Position) -> None:
        """Record the position after a move, one's own or the other's."""
        self.path.append(position.stones)
        self.values.setdefault(position.ply, self.value(self.network.total(position.stones)))

    def learn(self, position: Position) -> None:
        """Move V of each position towards what came after it, the last one first."""
        self.values[position.ply] = RESULTS[position.outcome]
        for t in range(position.ply - 1, 0, -1):
            target = self.target(t)
            if target is not None:
                self.update(self.path[t], target)

    def target(self, t: int) -> float | None:
        """Return r_(t+1) + gamma V(s_(t+1)); V of the end is r. After a random move: nothing."""
        return None if t in self.passed else self.gamma * self.values[t + 1]

    def update(self, stones: Stones, target: float) -> None:
        """V(s_t) <- V(s_t) + alpha [r_(t+1) + gamma V(s_(t+1)) - V(s_t)], shared by its weights."""
        keys = self.network.keys(stones)
        error = target - self.value(self.network.sum_of(keys))
        self.network.add(keys, self.alpha / len(keys) * error)

    def value(self, total: float | np.float32) -> float:
        """Return V for a sum of weights; a won game, without bound, has 1."""
        return math.tanh(total) if math.isinf(total) else float(total)

    def moves(self, position: Position) -> Sequence[int]:
        """Return the moves to choose from."""
        return position.legal_moves


Save = Callable[[TDLAgent], None]
SCORES = {Outcome.FIRST: 1.0, Outcome.SECOND: 0.0, Outcome.DRAW: 0.5}


class TDLPair:
    """Training of two agents by each other (Connect Four paper, III-B-1 and IV-D).

    Two agents. The first always moves first; both learn from every game.
    """

    eval_checkpoint, evaluated, target = 20_000, 100, 80.0
    save_every = 1_000_000
    decay = 1.0  # of alpha and of epsilon, after each game

    def __init__(
        self, agent1: TDLAgent, agent2: TDLAgent, evaluation: tuple[RandomStream, RandomStream]
    ) -> None:
        self.agents, self.evaluation, self.games = (agent1, agent2), evaluation, 0

    def train_until_done(self, save: Save) -> list[float]:
        """TRAINTDL: train until a score is the target at least, and not above the two before it."""
        scores = list[float]()
        while True:
            for _ in range(self.eval_checkpoint):
                self.train_single_game()
                if self.games % self.save_every == 0:
                    self.save(save)
            scores.append(self.evaluate(self.evaluated))
            if scores[-1] >= self.target and len(scores) > 2 and scores[-1] <= min(scores[-3:-1]):
                self.save(save)
                return scores

    def train_single_game(self) -> Outcome:
        """Play a game; both agents learn from all of its positions, each with its own network."""
        position, outcome = self.play()
        self.games += 1
        for agent in self.agents:
            agent.learn(position)
            self.new_alpha(agent)
        return outcome

    def new_alpha(self, agent: TDLAgent) -> None:
        """NEWALPHA: decrease the learning rate and the exploration factor."""
        agent.alpha, agent.epsilon = agent.alpha * self.decay, agent.epsilon * self.decay

    def evaluate(self, games: int) -> float:
        """AGENTEVAL: the score of the first agent, 1 a win and 0.5 a tie. Nobody learns."""
        training = [agent.stream for agent in self.agents]
        for agent, stream in zip(self.agents, self.evaluation, strict=True):
            agent.stream = stream
        score = sum(SCORES[self.play()[1]] for _ in range(games))
        for agent, stream in zip(self.agents, training, strict=True):
            agent.stream = stream
        return score

    def play(self) -> tuple[Position, Outcome]:
        """PLAYGAME: one game, recorded by both agents."""
        position = self.agents[0].start(self.agents[0].game)
        for agent in self.agents:
            agent.begin(position)
        while position.outcome is None:
            agent = self.agents[position.to_move - 1]
            position.push(agent.choose(position, agent.epsilon))
            for agent in self.agents:
                agent.see(position)
        return position, position.outcome

    def save(self, save: Save) -> None:
        """SAVEAGENT, for both."""
        for agent in self.agents:
            save(agent)
