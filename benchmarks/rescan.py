"""Advanced against advanced without a threat table: the reference that `playouts` measures against.

It keeps nothing from move to move but the stones, and looks at all lines again before each move:
the plain way to write such a player, in the form that was fastest. It is for games that count
lines and have no gravity. `agreement` sees to it that both ways play alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from inarow.engine.board import Int32s, Int64s, new_board, tables_of
from inarow.engine.jit import jit
from inarow.engine.play_games import DRAWS, FIRST_WINS, SECOND_WINS, Pairing, play_games
from inarow.engine.streams import FIRST, SECOND, Stream, below, make_stream
from inarow.game import game as game_of
from inarow.lab.players.names import RULE_PLAYERS

Count = Callable[[int], Int64s]  # plays so many games: won by the first, by the second, drawn


def count_by_table(game_name: str, seed: int) -> Count:
    """Advanced against advanced, by the engine."""
    tables = tables_of(game_of(game_name))
    board, rules = new_board(tables), RULE_PLAYERS["advanced"].rules
    players = rules.compiled(tables), rules.compiled(tables)
    streams = make_stream(seed, FIRST), make_stream(seed, SECOND)

    def count(games: int) -> Int64s:
        counts = np.zeros(8, dtype=np.int64)
        play_games(tables, board, Pairing(*players, *streams), games, counts)
        return counts[[FIRST_WINS, SECOND_WINS, DRAWS]]

    return count


def count_by_rescan(game_name: str, seed: int) -> Count:
    """The same by the reference."""
    game = game_of(game_name)
    lines, stones = (game.lines, *game.lines_by_cell), np.zeros(game.cells, dtype=np.int8)
    scratch = np.zeros((2, game.cells), dtype=np.int8), np.zeros((2, game.cells), dtype=np.int32)
    streams = np.stack([make_stream(seed, FIRST), make_stream(seed, SECOND)])

    def count(games: int) -> Int64s:
        counts = np.zeros(3, dtype=np.int64)
        play_by_rescan(*lines, stones, *scratch, streams, games, counts)
        return counts

    return count


@jit
def play_by_rescan(
    lines: Int32s,  # [lines, k]
    line_start: Int32s,  # the lines through each cell, as in `Tables`
    line_at: Int32s,
    stones: npt.NDArray[np.int8],  # [cells] 0 empty, 1 first, k + 1 second: see below
    seen: npt.NDArray[np.int8],  # [2, cells] scratch: whether a cell is in `found`
    found: Int32s,  # [2, cells] scratch: the cells to win on, the cells to block
    streams: Stream,  # [2, 4]
    games: int,
    counts: Int64s,
) -> None:
    """Advanced against advanced without any table that lasts from move to move.

    Stones weigh 1 and k + 1, so the sum over a line says how many of each lie on it, without
    a branch for each cell (measured: about half the time of leaving a line at its second
    empty cell).
    """
    cells, k = len(stones), lines.shape[1]
    for _ in range(games):
        stones[:] = 0
        lead = 0
        for ply in range(cells):
            side = ply & 1
            own, other = (1, k + 1) if side == 0 else (k + 1, 1)
            seen[:] = 0
            wins, blocks, count = 0, 0, 0
            for line in range(len(lines)):
                total = 0
                for i in range(k):
                    total += stones[lines[line, i]]
                if total == (k - 1) * own or total == (k - 1) * other:
                    cell = lines[line, 0]
                    for i in range(1, k):
                        if stones[lines[line, i]] == 0:
                            cell = lines[line, i]
                    if total == (k - 1) * own and seen[0, cell] == 0:
                        seen[0, cell] = 1
                        found[0, wins] = cell
                        wins += 1
                    elif total == (k - 1) * other and seen[1, cell] == 0:
                        seen[1, cell] = 1
                        found[1, blocks] = cell
                        blocks += 1
            if wins > 0:
                cell = found[0, below(streams[side], wins)]
            elif blocks > 0:
                cell = found[1, below(streams[side], blocks)]
            else:
                for empty in range(cells):
                    if stones[empty] == 0:
                        found[0, count] = empty
                        count += 1
                cell = found[0, below(streams[side], count)]
            stones[cell] = own
            for at in range(line_start[cell], line_start[cell + 1]):
                total = 0
                for i in range(k):
                    total += stones[lines[line_at[at], i]]
                if total == k * own:
                    lead += 1 - 2 * side
        counts[0 if lead > 0 else 1 if lead < 0 else 2] += 1


def agreement(game_name: str, games: int) -> dict[str, Any]:
    """Whether table and rescan play alike: how often each outcome, and the difference in sigmas."""
    ways = count_by_table(game_name, 2), count_by_rescan(game_name, 3)
    shares = np.array([count(games) for count in ways]) / games
    pooled = shares.mean(axis=0)
    sigma = np.sqrt(np.maximum(pooled * (1 - pooled), 1 / games) * 2 / games)
    return {
        "game": game_name,
        "games": games,
        "table": shares[0].tolist(),
        "rescan": shares[1].tolist(),
        "sigmas": float(np.max(np.abs(shares[0] - shares[1]) / sigma)),
    }
