"""Threat sequences against the plain definition, and against brute force."""

from __future__ import annotations

import pytest

from inarow.game import Game, Position, game
from inarow.search.bitboard import Word
from inarow.search.masks import lines_of
from inarow.search.threats import FOUND, GIVEN_UP, LENGTH, NONE, Threats, find_sequence, new_threats
from tests.search.brute import brute_score, random_positions

UNLIMITED = 1 << 40
THREATS = dict[
    Game, Threats
]()  # one for all positions of a game, as in a search: none must harm another


def completing(lines: list[set[int]], own: set[int], other: set[int]) -> set[int]:
    """The empty cells that give a side a line, by the definition."""
    return {min(row - own) for row in lines if len(row - own) == 1 and not row & other}


def has_sequence(lines: list[set[int]], own: set[int], other: set[int]) -> bool:
    """Every move that leaves the other side a cell to play or lose, and all that follows."""
    forced = completing(lines, other, own)
    if len(forced) > 1:
        return False
    for attack in forced or set().union(*lines) - own - other:
        after = own | {attack}
        replies = completing(lines, after, other)
        if len(replies) > 1:
            return True
        if replies and has_sequence(lines, after, other | replies):
            return True
    return False


def sets_of(position: Position) -> tuple[list[set[int]], set[int], set[int]]:
    """The lines, the stones of the side to move, and those of the other."""
    stones = position.stones
    own, other = (
        {cell for cell, stone in enumerate(stones) if stone == player}
        for player in (position.to_move, 3 - position.to_move)
    )
    return [set(line) for line in position.game.lines.tolist()], own, other


def word(cells: set[int]) -> Word:
    return Word(sum(1 << cell for cell in cells))


def search(position: Position, limit: int = UNLIMITED) -> int:
    lines, own, other = sets_of(position)
    masks, forced = lines_of(position.game), completing(lines, other, own)
    threats = THREATS.setdefault(position.game, new_threats(8))
    return find_sequence(masks, threats, word(own), word(other), word(forced), limit)


QUIET = [  # a game, and with how many stones
    ("mnk:4x4x3", 3),
    ("mnk:5x5x4", 9),
    ("board:3x3x3", 4),
    ("board:2x3x4,k=3", 5),
    ("mnk:8x8x5", 24),
    ("qubic", 18),
]


@pytest.mark.parametrize(("name", "stones"), QUIET)
def test_agrees_with_the_definition(name: str, stones: int) -> None:
    found = []
    for position in random_positions(game(name), stones, 60, seed=1):
        lines, own, other = sets_of(position)
        if completing(lines, own, other):
            continue  # nothing to search for
        expected = has_sequence(lines, own, other)
        assert search(position) == (FOUND if expected else NONE), position.notation
        found.append(expected)
        if expected:
            follow(THREATS[position.game], lines, own, other)
    assert any(found)


def follow(threats: Threats, lines: list[set[int]], own: set[int], other: set[int]) -> None:
    """Plays the sequence found last: every attack is legal, forces, and the last one wins."""
    length = int(threats.state[LENGTH])
    for number, attack in enumerate(threats.sequence[:length].tolist()):
        cell = attack.bit_length() - 1
        assert cell not in own | other
        assert completing(lines, other, own) <= {cell}
        own = own | {cell}
        replies = completing(lines, own, other)
        assert len(replies) == 1 if number < length - 1 else len(replies) > 1
        other = other | {min(replies)}
    assert completing(lines, own, other)


@pytest.mark.parametrize(("name", "stones"), [("mnk:4x4x3", 6), ("mnk:5x5x4", 16)])
def test_a_sequence_wins(name: str, stones: int) -> None:
    wins = 0
    for position in random_positions(game(name), stones, 40, seed=2):
        if not completing(*sets_of(position)) and search(position) == FOUND:
            assert brute_score(position, {}) > 0
            wins += 1
    assert wins > 2


def test_a_search_is_given_up_at_its_limit() -> None:
    long = [p for p in random_positions(game("qubic"), 18, 60, seed=1) if search(p, 3) == GIVEN_UP]
    assert long
    assert {search(position, 1) for position in long} <= {GIVEN_UP, NONE}
