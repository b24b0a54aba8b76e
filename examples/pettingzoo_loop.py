"""Both sides of Connect Four in PettingZoo's loop, by random legal moves.

Install: pip install inarow[pettingzoo]
"""

import sys

from inarow.adapters.pettingzoo import env


def main(game: str = "connect4:6x7", seed: int = 1) -> dict[str, float]:
    """Plays a game and returns what each agent got."""
    environment = env(game, render_mode="ansi")
    environment.reset(seed=seed)
    for number, agent in enumerate(environment.agents):
        environment.action_space(agent).seed(seed + number)
    total = dict.fromkeys(environment.possible_agents, 0.0)
    for agent in environment.agent_iter():
        observation, reward, termination, truncation, _ = environment.last()
        total[agent] += reward
        if termination or truncation:
            environment.step(None)
        else:
            environment.step(environment.action_space(agent).sample(observation["action_mask"]))
    print(environment.render())
    print(total)
    return total


if __name__ == "__main__":
    main(*sys.argv[1:2])
