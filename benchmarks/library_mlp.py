"""The cube paper's learner as a person would write it with a library, a call for each move.

The games are kept in NumPy. The library answers for all moves of a turn at once, and learns one
position at a time. Structured layers are dense ones with a mask. The doubled slope is left to whom
it matters: it costs no time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.playouts import Play
from inarow.game import game as game_of
from inarow.learn.mlp.learner import MLP
from inarow.learn.mlp.network import matrices

ALPHA, EPSILON = 0.005, 0.1
COLUMNS, HEIGHT = 16, 4

Values = Callable[[Any], Any]  # of boards, a row each
Step = Callable[[Any, float], None]  # learns a board's target


def first_layers(network: str) -> list[tuple[Any, Any]]:
    """Weights, 0 where there is no connection, and biases before the first game."""
    source = MLP(network=network).begin(game_of("cube"), None, 1)
    return matrices(source.network, source.arrays["weights"])


def jax_games(network: str) -> Play:
    """With JAX: both calls are compiled."""
    import jax

    jax.config.update("jax_platforms", "cpu")
    jnp, layers = jax.numpy, first_layers(network)
    masks = [jnp.asarray(weights != 0) for weights, _ in layers]

    def value(parameters: Any, boards: Any) -> Any:
        for (weights, biases), mask in zip(parameters, masks, strict=True):
            boards = jnp.tanh((boards @ (weights * mask) + biases) / 2)
        return boards[..., 0]

    def loss(parameters: Any, board: Any, target: Any) -> Any:
        return (value(parameters, board) - target) ** 2

    @jax.jit  # type: ignore[untyped-decorator]
    def learned(parameters: Any, board: Any, target: Any) -> Any:
        slopes = jax.grad(loss)(parameters, board, target)
        return jax.tree.map(lambda weight, slope: weight - ALPHA * slope, parameters, slopes)

    compiled = jax.jit(value)
    state = [[(jnp.asarray(weights), jnp.asarray(biases)) for weights, biases in layers]]

    def values(boards: Any) -> Any:
        filled = np.zeros((COLUMNS, boards.shape[1]), np.float32)  # one shape: compiled once
        filled[: len(boards)] = boards
        return np.asarray(compiled(state[0], filled))[: len(boards)]

    def step(board: Any, target: float) -> None:
        state[0] = learned(state[0], board, target)

    return _games(values, step)


def torch_games(network: str) -> Play:
    """With PyTorch, on one thread: more only cost time with layers as small as these."""
    import torch

    torch.set_num_threads(1)
    layers = first_layers(network)
    masks = [torch.tensor(weights != 0) for weights, _ in layers]
    parameters = [torch.tensor(numbers, requires_grad=True) for pair in layers for numbers in pair]
    descent = torch.optim.SGD(parameters, lr=ALPHA)

    def value(boards: Any) -> Any:
        for weights, biases, mask in zip(parameters[::2], parameters[1::2], masks, strict=True):
            boards = torch.tanh((boards @ (weights * mask) + biases) / 2)
        return boards[..., 0]

    def values(boards: Any) -> Any:
        with torch.no_grad():
            return value(torch.from_numpy(boards)).numpy()

    def step(board: Any, target: float) -> None:
        descent.zero_grad()
        ((value(torch.from_numpy(board)) - target) ** 2).backward()
        descent.step()

    return _games(values, step)


def _games(values: Values, step: Step) -> Play:
    """Self-play with learning: a win at once is taken, else the move of the highest value."""
    game = game_of("cube")
    incidence = np.zeros((game.cells, len(game.lines)), dtype=np.float32)
    for number, line in enumerate(game.lines):
        incidence[line, number] = 1
    draw = np.random.default_rng(1)

    def play_one() -> None:
        heights, board, side = np.zeros(COLUMNS, np.int64), np.zeros(game.cells, np.float32), 0
        before: list[Any] = [None, None]
        while True:
            open_columns = np.flatnonzero(heights < HEIGHT)
            cells = heights[open_columns] * COLUMNS + open_columns
            after = np.repeat((board if side == 0 else -board)[None], len(cells), axis=0)
            after[np.arange(len(cells)), cells] = 1
            wins = ((after @ incidence) == HEIGHT).any(axis=1)
            estimates = values(after)
            chosen = int(np.argmax(wins * 2 + estimates))
            if draw.random() < EPSILON:
                chosen = int(draw.integers(len(cells)))
            won, full = bool(wins[chosen]), heights.sum() == game.cells - 1
            target = 1.0 if won else (0.0 if full else float(estimates[chosen]))
            if before[side] is not None:
                step(before[side], target)
            before[side] = after[chosen]
            if won or full:
                step(before[side], float(won))
                if before[1 - side] is not None:
                    step(before[1 - side], -float(won))
                return
            board[cells[chosen]] = 1 - 2 * side
            heights[open_columns[chosen]] += 1
            side = 1 - side

    def play(games: int) -> int:
        for _ in range(games):
            play_one()
        return games

    return play
