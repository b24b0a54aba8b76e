"""The hybrid paper: the tabular TD agent and its hybrid training (sections 2.3 to 2.5)."""

from __future__ import annotations

from fractions import Fraction

from inarow.game import Game, Outcome, Position
from inarow.plain.random_stream import RandomStream
from inarow.plain.rule_trainers import RuleTrainer
from inarow.plain.table import Key, Table, any_of, greedy


class HybridAgent:
    """The tabular TD agent (hybrid paper, sections 2.3 to 2.5, Listing 1).

    Learns the utilities U of positions by playing a trainer, which moves first.
    """

    alpha, discount = 0.25, 1.0  # ALPHA and DF of Listing 1
    won, tied, lost = 1.0, 0.2, -1.0
    random_games = Fraction(1, 7)  # the trainer plays one game in seven at random
    random_opening, ties = True, "random"

    def __init__(
        self, game: Game, stream: RandomStream, trainer: RuleTrainer, side: int = 2
    ) -> None:
        self.game, self.stream, self.trainer, self.side = game, stream, trainer, side
        self.U, self.games = Table(game), 0

    def train(self, games: int) -> None:
        """Play games against the trainer."""
        for _ in range(games):
            self.train_single_game()

    def train_single_game(self) -> Outcome:
        """Play one game, and learn from it when it is over."""
        share = self.random_games
        random_game = int((self.games + 1) * share) > int(self.games * share)  # spread evenly
        self.trainer.begin()
        position = Position(self.game)
        seq = [self.U.of_position(position)]
        while position.outcome is None:
            if position.to_move == self.side:
                move = self.choose(position)
            else:
                move = self.trainer_move(position, random_game)
            position.push(move)
            seq.append(self.U.of_position(position))
        self.learn(seq, position.outcome)
        self.games += 1
        return position.outcome

    def choose(self, position: Position) -> int:
        """Return the move to the position of the highest utility; the agent never explores."""
        return greedy(
            position.legal_moves, lambda move: self.U.after(position, move), self.stream, self.ties
        )

    def trainer_move(self, position: Position, random_game: bool) -> int:
        """Return the trainer's move. Its first one is always random."""
        if random_game or (self.random_opening and position.ply < 2):
            return any_of(position.legal_moves, self.trainer.stream)
        return self.trainer.choose(position)

    def learn(self, seq: list[Key], outcome: Outcome) -> None:
        """Listing 1: from the last position of a finished game back to the first."""
        U, current_state = self.U, seq[-1]
        if outcome.winner == self.side:
            U[current_state] = self.won
        elif outcome.winner is not None:
            U[current_state] = self.lost
        else:
            U[current_state] = self.tied
        for state in reversed(seq[:-1]):
            U[state] += self.alpha * (self.discount * U[current_state] - U[state])
            current_state = state
