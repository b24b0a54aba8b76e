"""One game of a batch at a time, whatever the size of its board."""

from __future__ import annotations

import numpy as np

from inarow.engine.batch_arrays import Batch
from inarow.engine.jit import inline
from inarow.engine.tables import Int64s, Words
from inarow.engine.vectors import count_subsets, spread_bits

U64 = np.uint64
ZERO, ONE = U64(0), U64(1)
GOES_ON = np.float32(2)  # what `play` returns of a game that is not over


@inline
def step_each(batch: Batch, actions: Int64s) -> None:
    """A legal move in each game."""
    for game in range(batch.n):
        reward = play(batch, game, actions[game])
        save_stones(batch, game, False)
        settle(batch, game, reward)
        write_view(batch, game)


@inline
def restart_each(batch: Batch) -> None:
    """All games from the empty board."""
    for game in range(batch.n):
        clear(batch, game)
        batch.done[game], batch.rewards[game], batch.last_ply[game] = 0, 0, 0
        write_view(batch, game)


@inline
def is_legal(batch: Batch, game: int, action: int) -> bool:
    """Whether an action is a legal move of a game."""
    return (
        action >= 0 and action < batch.columns and batch.legal[game * batch.move_room + action] != 0
    )


@inline
def play(batch: Batch, game: int, move: int) -> np.float32:
    """Plays a legal move: its player's reward if it ends the game, else GOES_ON."""
    at, cell = game * batch.words, move
    while batch.gravity and is_taken(batch, at, cell):
        cell += batch.columns
    batch.own[at + (cell >> 6)] |= ONE << U64(cell & 63)
    if batch.recording:
        batch.history[game * batch.cells + batch.ply[game]] = move
    lead = batch.lead[game] + _lines_through(batch, at, cell)
    for word in range(at, at + batch.words):
        batch.own[word], batch.other[word] = batch.other[word], batch.own[word]
    batch.lead[game] = -lead
    batch.ply[game] += 1
    if not batch.gravity or cell + batch.columns >= batch.cells:
        batch.legal[game * batch.move_room + move] = 0
    if batch.ply[game] == batch.cells or (lead > 0 and not batch.scoring):
        reward = np.float32(np.sign(lead))
        return -reward if batch.misere else reward
    return GOES_ON


@inline
def is_taken(batch: Batch, at: int, cell: int) -> bool:
    """Whether a stone of either side lies on a cell of the game whose words begin there."""
    word = at + (cell >> 6)
    return ((batch.own[word] | batch.other[word]) >> U64(cell & 63)) & ONE != ZERO


@inline
def _lines_through(batch: Batch, at: int, cell: int) -> int:
    """How many lines through a cell are full of stones of the side to move."""
    if batch.words == 1:
        return int(completed_lines(batch.masks, U64(batch.width), U64(cell), batch.own[at]))
    completed, k = 0, batch.line_cells.shape[1]
    for place in range(batch.line_start[cell], batch.line_start[cell + 1]):
        line, full = batch.line_at[place], 0
        while full < k and _is_own(batch, at, batch.line_cells[line, full]):
            full += 1
        completed += full == k
    return completed


@inline
def _is_own(batch: Batch, at: int, cell: int) -> bool:
    return (batch.own[at + (cell >> 6)] >> U64(cell & 63)) & ONE != ZERO


@inline
def settle(batch: Batch, game: int, reward: np.float32) -> None:
    """Pays out a game that ended, keeps its moves and clears it; else nothing is paid."""
    over = reward != GOES_ON
    batch.done[game], batch.rewards[game] = over, reward if over else 0
    if over:
        if batch.recording:
            keep_moves(batch, game, batch.ply[game])
        clear(batch, game)
    batch.to_move[game] = batch.ply[game] & 1


@inline
def save_stones(batch: Batch, game: int, swapped: bool) -> None:
    """Keeps the stones for a last observation, those of the other side first if swapped."""
    for word in range(game * batch.words, (game + 1) * batch.words):
        own, other = batch.own[word], batch.other[word]
        batch.last_own[word] = other if swapped else own
        batch.last_other[word] = own if swapped else other


@inline
def clear(batch: Batch, game: int) -> None:
    """Takes all stones off."""
    for word in range(game * batch.words, (game + 1) * batch.words):
        batch.own[word], batch.other[word] = ZERO, ZERO
    for move in range(batch.columns):
        batch.legal[game * batch.move_room + move] = 1
    batch.ply[game], batch.lead[game], batch.to_move[game] = 0, 0, 0


@inline
def write_view(batch: Batch, game: int) -> None:
    """The observation of one game: own stones, other stones."""
    for word in range(batch.words):
        own, other = batch.own[game * batch.words + word], batch.other[game * batch.words + word]
        start = game * 2 * batch.room + 64 * word
        if batch.room >= 64:
            spread_bits(batch.views, U64(start), own, 64)
            spread_bits(batch.views, U64(start + batch.room), other, 64)
            continue
        for bit in range(batch.room):
            batch.views[start + bit] = (own >> U64(bit)) & ONE
            batch.views[start + batch.room + bit] = (other >> U64(bit)) & ONE


@inline
def keep_moves(batch: Batch, game: int, moves: int) -> None:
    """Keeps the moves of a game that ended."""
    start = game * batch.cells
    batch.last_ply[game] = moves
    for ply in range(start, start + moves):
        batch.last_history[ply] = batch.history[ply]


@inline
def completed_lines(
    masks: Words, width: np.uint64, cell: np.uint64, stones: np.uint64
) -> np.uint64:
    """How many lines through a cell are full of these stones."""
    if width == U64(4):
        return count_subsets(masks, cell * U64(4), stones, 4)
    found, place = ZERO, cell * width
    while place < (cell + ONE) * width:
        found += count_subsets(masks, place, stones, 8)
        place += U64(8)
    return found
