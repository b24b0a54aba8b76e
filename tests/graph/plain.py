"""Plain answers about small games: recursions over `Position`, for graphs to compare with."""

from __future__ import annotations

from inarow.game import Game, Outcome, Position

VALUES = {Outcome.FIRST: 1, Outcome.DRAW: 0, Outcome.SECOND: -1}

SMALL_GAMES = [
    "tictactoe",
    "board:3x3,gravity",
    "board:3x3,gravity,scoring",
    "board:2x2x2,k=2,scoring",
    "board:2x2x2,k=2",
    "board:2x2x2,gravity,scoring",
    "board:3x3,k=2",
    "board:3x3,k=1",
    "board:1x1,k=1",
    "board:1x7,k=3",
    "board:7x1,k=3,gravity",
    "board:4,k=2",
    "board:2x4,k=3,gravity",
    "board:2x4,k=2,scoring",
    "board:3x2,k=2,gravity,scoring",
    "connect4:4x2",
    "tictactoe,wrap",
    "tictactoe,misere",
    "tictactoe,wrap,misere",
    "board:3x3,gravity,wrap,misere",
    "board:2x4,k=3,gravity,wrap",
    "board:2x4,k=2,scoring,wrap=1",
    "board:7,k=3,wrap,misere",
]
"""Games whose every position Python can visit."""


def plain_values(game: Game) -> dict[tuple[int, ...], tuple[int, int]]:
    """(value, distance) of every position that play can reach, by its stones.

    The value is 1 where the first player wins, -1 where the second does, 0 for a draw; the
    distance is how many moves remain when winners hurry and everybody else takes their time.
    """
    known: dict[tuple[int, ...], tuple[int, int]] = {}
    position = Position(game)

    def visit() -> tuple[int, int]:
        stones = position.stones
        if stones in known:
            return known[stones]
        if position.outcome is not None:
            known[stones] = VALUES[position.outcome], 0
            return known[stones]
        sign = 1 if position.to_move == 1 else -1
        answers = []
        for move in position.legal_moves:
            position.push(move)
            answers.append(visit())
            position.pop()
        best = max(sign * value for value, _ in answers)
        distances = [distance for value, distance in answers if sign * value == best]
        known[stones] = sign * best, 1 + (min(distances) if best > 0 else max(distances))
        return known[stones]

    visit()
    return known


def stones_of(graph, number: int) -> tuple[int, ...]:
    """What lies on each cell of a position in a graph."""
    first, second = int(graph.first[number]), int(graph.second[number])
    return tuple((first >> c & 1) + 2 * (second >> c & 1) for c in range(graph.game.cells))


def within(count: int, games: int, chance: float) -> bool:
    """Whether a count of so many games is within five standard deviations of its chance."""
    return abs(count - games * chance) <= 5 * (games * chance * (1 - chance)) ** 0.5 + 1e-9
