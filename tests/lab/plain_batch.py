"""A batch in plain Python: a Position for each game, and a bound opponent in each."""

import numpy as np

from inarow.engine.streams import SECOND
from inarow.game import Position
from inarow.lab.players.names import BoundPlayer, player
from inarow.lab.players.protocols import ask, bind_player


class PlainBatch:
    """What `lab.matches.batch.Batch` does, one game after the other."""

    def __init__(self, game, n, opponent=None, side="first", seed=0, rewards="result"):
        self.game, self.n, self.side, self.per_line = game, n, side, rewards == "lines"
        source = np.random.SeedSequence(seed, spawn_key=(SECOND,))
        streams = list(source.generate_state(4 * n, np.uint64).reshape(n, 4))
        self.bound_players = None
        if opponent is not None:
            self.bound_players = [bind_player(player(opponent), game, stream) for stream in streams]
        self.numbers = [0] * n  # games begun before
        self.positions, self.ended = [Position(game)] * n, [None] * n
        for i in range(n):
            self._begin(i)

    def own_side(self, i):
        return {"first": 0, "second": 1, "alternating": (i + self.numbers[i]) % 2}[self.side]

    def step(self, actions):
        rewards, done = np.zeros(self.n, np.float32), np.zeros(self.n, bool)
        for i, action in enumerate(actions):
            position = self.positions[i]
            mover, before = position.to_move, position.score
            position.push(int(action))
            if self.bound_players is not None and position.outcome is None:
                position.push(ask(self.bound_players[i], position))
            self.ended[i] = position
            if self.per_line:
                gained = np.subtract(position.score, before)
                rewards[i] = gained[mover - 1] - gained[2 - mover]
            if position.outcome is not None:
                winner = position.outcome.winner
                if not self.per_line:
                    rewards[i] = 0 if winner is None else 1 if winner == mover else -1
                done[i] = True
                self.numbers[i] += 1
                self._begin(i)
        return self.observations, rewards, done, self.action_masks, self.to_move

    def _begin(self, i):
        self.positions[i] = Position(self.game)
        if self.bound_players is None:
            return
        if isinstance(self.bound_players[i], BoundPlayer):
            self.bound_players[i].begin()
        if self.own_side(i) == 1:
            self.positions[i].push(ask(self.bound_players[i], self.positions[i]))

    @property
    def observations(self):
        return np.stack([planes(p, p.to_move) for p in self.positions])

    @property
    def action_masks(self):
        masks = np.zeros((self.n, self.game.columns), bool)
        for row, position in zip(masks, self.positions, strict=True):
            row[position.legal_moves] = True
        return masks

    @property
    def to_move(self):
        return np.array([position.to_move - 1 for position in self.positions])


def planes(position, own):
    """The stones of a player and those of the other."""
    stones = np.array(position.stones).reshape(position.game.shape)
    return np.stack([stones == own, stones == 3 - own]).astype(np.int8)
