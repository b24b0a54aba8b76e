"""PPO with action masks learns tic-tac-toe against attack-defense, and is certified.

Install: pip install inarow[gymnasium] sb3-contrib
"""

import sys
from typing import Any

import gymnasium
from sb3_contrib import MaskablePPO

import inarow
import inarow.adapters.gymnasium  # registers the environments
from inarow.adapters.views import action_mask, planes


class Learned:
    """A trained model as one of our players: the likeliest legal move."""

    name, deterministic = "ppo", True

    def __init__(self, model: MaskablePPO) -> None:
        self.model = model

    def move(self, position: inarow.Position) -> int:
        """The move that the model likes best."""
        observation = planes(position, position.to_move)
        action, _ = self.model.predict(
            observation, action_masks=action_mask(position), deterministic=True
        )
        return int(action)


def main(steps: int = 400_000, seed: int = 1) -> Any:
    """Trains, plays 1,000 games and asks whether anybody can beat the result."""
    environment = gymnasium.make(
        "inarow/TicTacToe-v0", opponent="attack-defense", side="alternating"
    )
    model = MaskablePPO(
        "MlpPolicy", environment, n_steps=1024, batch_size=256, ent_coef=0.01, gamma=1.0,
        learning_rate=lambda left: 1e-3 * left, seed=seed, device="cpu",
    )  # fmt: skip
    model.learn(steps)
    agent = Learned(model)
    result = inarow.match("tictactoe", agent, "attack-defense", games=1000, seed=seed)
    total = result.total
    print(f"{total.wins} won, {total.draws} drawn, {total.losses} lost of {total.games}")
    certificate = inarow.certify(agent, "tictactoe")
    for side, found in certificate.sides.items():
        words = {True: "unbeatable", False: "can be beaten", None: "not proven"}
        print(f"as {side} player: {words[found.unbeatable]}")
    return certificate


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
