"""The moves of the shipped agent in many random positions, for comparing processors.

    NUMBA_CPU_NAME=generic python -m tests.lab.moves 1000000

prints a digest of them: the same number of positions gives the same digest everywhere.
"""

from __future__ import annotations

import hashlib
import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from inarow.engine.board import OPEN, STATE, clear, new_board, place, tables_of
from inarow.engine.jit import jit
from inarow.engine.players import write_policy
from inarow.engine.streams import EVALUATION, below, make_stream
from inarow.game import game as game_of
from inarow.lab.players.names import player


@jit
def _write(tables: Any, board: Any, agent: Any, stream: Any, weights: Any, moves: Any) -> None:
    """In random games, the moves that the agent may choose as bits, game after game."""
    number = 0
    while number < len(moves):
        clear(tables, board)
        while board.counters[STATE] == 0 and number < len(moves):
            weights[:] = 0
            write_policy(tables, board, agent, weights)
            for move in range(tables.columns):
                if weights[move] > 0:
                    moves[number] |= np.uint8(1) << np.uint8(move)
            number += 1
            cell = board.open_cells[below(stream, board.counters[OPEN])]
            place(tables, board, cell)


def moves_of_network(number: int) -> npt.NDArray[np.uint8]:
    """What the shipped agent may choose in so many positions of random games."""
    tables = tables_of(game_of("connect4:6x7"))
    moves = np.zeros(number, dtype=np.uint8)
    agent, stream = player("ntuple").compiled(tables), make_stream(11, EVALUATION)
    _write(tables, new_board(tables), agent, stream, np.zeros(tables.columns), moves)
    return moves


if __name__ == "__main__":
    print(hashlib.sha256(moves_of_network(int(sys.argv[1])).tobytes()).hexdigest())
