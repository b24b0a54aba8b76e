"""Stored strategies: made, proven by the checker that shares no code, read, and played."""

from __future__ import annotations

import lzma
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from inarow.game import Game, InputError, Position, game
from inarow.search import strategy as strategy_file
from inarow.search.check_strategy import check_strategy, lines_of
from inarow.search.solver import Solver
from inarow.search.strategy import (
    MAGIC,
    Strategy,
    build_strategy,
    load_strategy,
    save_strategy,
    shipped_strategy,
)
from tests.pages import DOCS

QUBIC = game("qubic")
SMALL = game("mnk:6x5x4")


@pytest.fixture(scope="module")
def small() -> Strategy:
    return build_strategy(SMALL).strategy


@pytest.fixture(scope="module")
def shipped() -> Strategy:
    found = shipped_strategy(QUBIC)
    assert found is not None
    return found


def check(strategy: Strategy) -> None:
    check_strategy(strategy.game, strategy.firsts, strategy.seconds, strategy.moves)


def without(strategy: Strategy, place: int) -> Strategy:
    kept = np.arange(len(strategy.moves)) != place
    return Strategy(
        strategy.game, strategy.firsts[kept], strategy.seconds[kept], strategy.moves[kept]
    )


def test_qubic_is_won_by_the_first_player(shipped: Strategy) -> None:
    found = check_strategy(QUBIC, shipped.firsts, shipped.seconds, shipped.moves)
    assert found.positions == len(shipped.moves)
    answered = found.completed + found.stored + found.by_threats + found.blocked
    assert answered == found.replies > 100_000
    page = (DOCS / "explanations" / "qubic.md").read_text(encoding="utf-8")
    size = Path(strategy_file.__file__).with_name("qubic.strategy").stat().st_size
    for number in (*found, size):
        assert f"{number:,}" in page


def test_the_shipped_file_is_small() -> None:
    path = Path(strategy_file.__file__).with_name("qubic.strategy")
    assert path.stat().st_size < 100_000


def test_a_strategy_is_made_and_proven(small: Strategy) -> None:
    page = (DOCS / "explanations" / "qubic.md").read_text(encoding="utf-8")
    assert f"`inarow book make {small.game.name}` finds a strategy of {len(small.moves)} " in page
    found = check_strategy(SMALL, small.firsts, small.seconds, small.moves)
    assert found.positions == len(small.moves) > 10
    assert found.stored > 0
    assert found.by_threats > 0
    assert found.blocked > 0


def test_nothing_is_stored_in_vain(small: Strategy) -> None:
    for place in range(len(small.moves)):
        with pytest.raises(InputError, match=r"is not shown to win|has no first move"):
            check(without(small, place))


def test_a_move_that_does_not_win_is_refused(small: Strategy) -> None:
    solver, refused = Solver(SMALL), 0
    for place in range(0, len(small.moves), 5):
        position = position_of(SMALL, small, place)
        if position.ply < 4:  # earlier the solver takes long
            continue
        for move, score in solver.solve(position).moves.items():
            if score <= 0:
                moves = small.moves.copy()
                moves[place] = move
                with pytest.raises(InputError, match=r"is not shown to win"):
                    check(replace(small, moves=moves))
                refused += 1
    assert refused > 20


def position_of(the_game: Game, strategy: Strategy, place: int) -> Position:
    """A stored position, by some order of its moves."""
    cells = [
        [cell for cell in range(the_game.cells) if int(words[place]) >> cell & 1]
        for words in (strategy.firsts, strategy.seconds)
    ]
    position = the_game.position()
    for pair in zip(*cells, strict=True):
        for cell in pair:
            position.push(cell)
    return position


@pytest.mark.parametrize("name", ["tictactoe", "mnk:4x4x4", "mnk:1x5x3"])
def test_what_is_not_won_is_not_proven(name: str) -> None:
    """Every position with X to move, each with every move: no choice of moves is a proof."""
    the_game = game(name)
    whole = every_position(the_game) if the_game.cells < 10 else [(0, 0)]
    for number in range(the_game.cells):
        kept = [
            (x, o, free[number % len(free)])
            for x, o in whole
            if (free := [c for c in range(the_game.cells) if not (x | o) >> c & 1])
        ]
        columns = np.array(kept, dtype=np.uint64).T
        with pytest.raises(InputError, match=r"is not shown to win"):
            check_strategy(the_game, columns[0], columns[1], columns[2].astype(np.uint8))


def every_position(the_game: Game) -> list[tuple[int, int]]:
    """All positions that go on, with the first player to move."""
    lines, found = lines_of(the_game.shape, the_game.k), []
    for stones in product((0, 1, 2), repeat=the_game.cells):
        x, o = (sum(1 << c for c, s in enumerate(stones) if s == p) for p in (1, 2))
        over = any(m & ~x == 0 or m & ~o == 0 for m in lines)
        if x.bit_count() == o.bit_count() and not over:
            found.append((x, o))
    return found


def test_the_checker_finds_the_same_lines() -> None:
    for the_game in (QUBIC, SMALL, game("board:2x3x4,k=3"), game("board:7,k=3")):
        expected = sorted(sum(1 << cell for cell in line) for line in the_game.lines.tolist())
        assert lines_of(the_game.shape, the_game.k) == expected


@pytest.mark.parametrize(
    ("x", "o", "move"),
    [
        (1, 1, 5),
        (1, 0, 5),
        (1, 2, 0),
        (1, 2, 1),
        (1 << 40, 1, 5),
        (1, 2, 40),
        (0b1111, 0b1101100000, 29),
        (0b1101100000, 0b1111, 29),
    ],
)
def test_impossible_positions_are_refused(small: Strategy, x: int, o: int, move: int) -> None:
    with pytest.raises(InputError, match=r"cannot arise$"):
        check_strategy(
            SMALL,
            np.append(np.uint64(x), small.firsts),
            np.append(np.uint64(o), small.seconds),
            np.append(np.uint8(move), small.moves),
        )


def test_written_and_read_again(small: Strategy, tmp_path: Path) -> None:
    path = tmp_path / "a.strategy"
    assert save_strategy(small, path) == path.stat().st_size
    again = load_strategy(path)
    assert again.game == SMALL
    for part in ("firsts", "seconds", "moves"):
        assert getattr(again, part).tolist() == getattr(small, part).tolist()


def swapped(strategy: Strategy) -> Strategy:
    order = np.arange(len(strategy.moves))[::-1]
    return Strategy(
        strategy.game, strategy.firsts[order], strategy.seconds[order], strategy.moves[order]
    )


def turned(strategy: Strategy) -> Strategy:
    """One position is not the smallest of its images."""
    firsts, seconds, moves = (
        strategy.firsts.copy(),
        strategy.seconds.copy(),
        strategy.moves.copy(),
    )
    cells, place = SMALL.cells, len(moves) - 1
    for words in (firsts, seconds):
        words[place] = sum(1 << (cells - 1 - c) for c in range(cells) if int(words[place]) >> c & 1)
    moves[place] = cells - 1 - moves[place]
    return Strategy(SMALL, firsts, seconds, moves)


def with_move(move: int) -> Callable[[Strategy], Strategy]:
    def change(strategy: Strategy) -> Strategy:
        moves = strategy.moves.copy()
        moves[-1] = (int(strategy.firsts[-1]) & -int(strategy.firsts[-1])).bit_length() - 1
        moves[-1] = moves[-1] if move < 0 else move
        return replace(strategy, moves=moves)

    return change


@pytest.mark.parametrize(
    "change",
    [
        swapped,
        turned,
        with_move(-1),
        with_move(30),
        with_move(255),
        lambda s: replace(s, firsts=s.firsts | np.uint64(1 << 63)),
        lambda s: replace(s, firsts=s.firsts | s.seconds),
        lambda s: replace(s, game=QUBIC),
        lambda s: replace(s, game=game("connect4:6x7")),
        lambda s: replace(s, game=game("mnk:15x15x5")),
    ],
)
def test_positions_that_cannot_be_are_refused(
    small: Strategy, tmp_path: Path, change: Callable[[Strategy], Strategy]
) -> None:
    path = tmp_path / "a.strategy"
    save_strategy(change(small), path)
    with pytest.raises(InputError, match=r"is not a strategy: `inarow book make` writes one$"):
        load_strategy(path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n",
        MAGIC + b"\n",
        MAGIC + b"\nqubic 1\n",
        MAGIC + b"\nqubic 1\n" + lzma.compress(b"x" * 18),
        MAGIC + b"\nqubic -1\n" + lzma.compress(b""),
        MAGIC + b"\nqubic 99999999999\n" + lzma.compress(b""),
        MAGIC + b"\nnothing 0\n" + lzma.compress(b""),
        MAGIC + b"\nqubic 0\n" + lzma.compress(b"") + b"more",
        b"another" + b"\nqubic 0\n" + lzma.compress(b""),
        MAGIC + b"\n\xff\xfe 0\n" + lzma.compress(b""),
    ],
)
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.strategy"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"a.strategy is not a strategy") as found:
        load_strategy(path)
    assert "\n" not in str(found.value)


def test_damaged_files_are_refused_or_whole(small: Strategy, tmp_path: Path) -> None:
    path = tmp_path / "a.strategy"
    save_strategy(small, path)
    content, choose = path.read_bytes(), np.random.default_rng(1)
    for _ in range(200):
        damaged = bytearray(content)
        damaged[choose.integers(len(damaged))] ^= 1 << int(choose.integers(8))
        path.write_bytes(bytes(damaged[: choose.integers(1, len(damaged) + 1)]))
        with pytest.raises(InputError, match=r"is not a strategy"):
            load_strategy(path)


def test_images_are_found_with_the_image_of_the_move(shipped: Strategy) -> None:
    choose = np.random.default_rng(2)
    for place in choose.integers(len(shipped.moves), size=60):
        symmetry = QUBIC.symmetries[choose.integers(len(QUBIC.symmetries))].tolist()
        first, second = (
            _image(symmetry, int(words[place])) for words in (shipped.firsts, shipped.seconds)
        )
        found = shipped.find(first, second)
        assert found is not None
        assert not (first | second) >> found & 1
        # Where a position has symmetries of its own, another move may be found: an image of it.
        after = {
            (_image(s, first | 1 << found), _image(s, second)) for s in QUBIC.symmetries.tolist()
        }
        move = symmetry[shipped.moves[place]]
        assert (first | 1 << move, second) in after


def _image(symmetry: list[int], word: int) -> int:
    return sum(1 << goes_to for cell, goes_to in enumerate(symmetry) if word >> cell & 1)
