"""An agent as one file for Kaggle's ConnectX, and a game of it against a player of ours.

The file plays without inarow. With `pip install kaggle-environments` the same file runs there:

    from kaggle_environments import make
    make("connectx").run(["submission.py", "negamax"])
"""

import runpy
import sys
from pathlib import Path

import numpy as np

import inarow
from inarow.adapters.kaggle import agent, export_agent


def main(path: str = "submission.py", opponent: str = "attack-defense") -> str:
    """Writes the file, plays it first against a player, and returns the result."""
    export_agent("ntuple", Path(path))
    players = runpy.run_path(path)["agent"], agent(opponent)
    position = inarow.game("connect4:6x7").position()
    configuration = {"rows": 6, "columns": 7, "inarow": 4}
    while position.outcome is None:
        board = np.array(position.stones).reshape(6, 7)[::-1].ravel().tolist()
        observation = {"board": board, "mark": position.to_move}
        position.push(players[position.ply % 2](observation, configuration))
    print(position)
    return str(position.outcome)


if __name__ == "__main__":
    main(*sys.argv[1:2])
