"""Printed lines, run as printed: what each changes."""

from __future__ import annotations

import pytest

from inarow.game import Position
from inarow.game import game as game_of
from inarow.plain.as_printed import MinimaxAsPrinted, QPlayerAsPrinted, TDPlayerAsPrinted
from inarow.plain.connect_four import Minimax
from inarow.plain.max_min import QPlayer, TDPlayer
from inarow.plain.random_stream import RandomStream

TICTACTOE = game_of("tictactoe")


def stream() -> RandomStream:
    return RandomStream([1, 2, 3, 4])


def test_bars_of_line_16_only_ever_raise_a_value() -> None:
    """The older of the last two pairs, if it is player 1's: after a loss it should fall."""
    for kind, expected in ((QPlayer, -0.4), (QPlayerAsPrinted, 0.6)):
        player = kind(TICTACTOE, stream(), alpha=0.5)
        player.Q_1[(1,)], player.Q_2[(2,)] = 0.2, 0.2
        player.end([(player.Q_1, (1,)), (player.Q_2, (2,))], -1.0)
        assert player.Q_1[(1,)] == pytest.approx(0.8 if kind is QPlayerAsPrinted else expected)
        assert player.Q_2[(2,)] == pytest.approx(-0.4)
        player.end([(player.Q_2, (2,)), (player.Q_1, (1,))], -1.0)  # lines 19 and 20 have brackets
        assert player.Q_1[(1,)] < 0


def test_values_read_inside_the_loop_are_those_that_the_loop_has_changed() -> None:
    """By hand, alpha 0.5, lambda 0.5: s moves from 0 to 0.5, and then half of the error is left."""
    meant = {"s": 0.5, "before": 0.25}
    printed = {"s": 0.5, "before": 0.125}
    for kind, expected in ((TDPlayer, meant), (TDPlayerAsPrinted, printed)):
        player = kind(TICTACTOE, stream(), alpha=0.5)
        before, s = (1,), (2,)
        player.update({before: 0.5, s: 1.0}, 1.0)
        assert {"s": player.V[s], "before": player.V[before]} == expected
    both = [kind(TICTACTOE, stream()) for kind in (TDPlayer, TDPlayerAsPrinted)]
    for player in both:
        player.train(20)
    assert both[0].V.values != both[1].V.values


class Counts:
    """Counts the positions that a search visits."""

    visited = 0

    def maxval(self, *given: object) -> tuple[int, int]:
        self.visited += 1
        return super().maxval(*given)  # type: ignore[misc, no-any-return]

    def minval(self, *given: object) -> tuple[int, int]:
        self.visited += 1
        return super().minval(*given)  # type: ignore[misc, no-any-return]


class Meant(Counts, Minimax):
    """As it is meant."""


class Printed(Counts, MinimaxAsPrinted):
    """As it is printed."""


def test_printed_minimax_cuts_nothing_and_plays_the_first_action() -> None:
    position = game_of("connect4:4x4").position("4 1 4 1 4")
    meant, printed = Meant(4), Printed(4)
    value, move = meant.search(position)
    assert printed.search(position) == (value, position.legal_moves[0])
    assert move != position.legal_moves[0]
    assert printed.visited == positions_within(position, 4) > meant.visited


def positions_within(position: Position, depth: int) -> int:
    """Count a position and all that come of it in some moves."""
    if depth == 0 or position.outcome is not None:
        return 1
    found = 1
    for move in position.legal_moves:
        position.push(move)
        found += positions_within(position, depth - 1)
        position.pop()
    return found
