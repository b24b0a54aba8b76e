"""Minimax and the left-to-right reference of `benchmarks/minimax.py` play the same games.

The benchmark shows it for the paper's thirteen boards at depth six, in minutes; here are the
smallest of them, a larger one less deep, and games that go on from random positions.
"""

from __future__ import annotations

import json
import random

import pytest

from benchmarks import minimax
from inarow.game import Game, Position
from tests.search import naive


@pytest.mark.parametrize(
    ("board", "depth"), [("6x7", 6), ("8x9", 6), ("10x11", 5), ("16x17", 4), ("4x5", 8)]
)
def test_same_game(board: str, depth: int) -> None:
    row = minimax.compare(board, depth)
    assert row.same
    assert row.plies >= 7


@pytest.mark.parametrize(("sides", "depth"), [((6, 7), 6), ((7, 4), 7), ((9, 12), 4), ((4, 4), 9)])
def test_same_moves_from_random_positions(sides: tuple[int, int], depth: int) -> None:
    rng, game = random.Random(sum(sides)), Game(sides, 4, gravity=True)
    ours, plain = minimax.our_minimax(game, depth), minimax.plain_minimax(game, depth)
    for _ in range(20):
        position = Position(game)
        for _ in range(rng.randrange(game.cells)):
            if position.outcome is None:
                position.push(rng.choice(position.legal_moves))
        while position.outcome is None:
            move = plain(position)
            assert ours(position) == move, position.notation
            position.push(move)


def test_twin_plays_like_the_whole_tree() -> None:
    """Against the reference without bounds, so that neither reference rests on the search."""
    rng, game = random.Random(3), Game((6, 7), 4, gravity=True)
    plain = minimax.plain_minimax(game, 3)
    for stones in range(0, 36, 2):
        position = Position(game)
        while position.outcome is None and position.ply < stones:
            position.push(rng.choice(position.legal_moves))
        if position.outcome is None:
            values = naive.root_values(position, 3, range(game.columns))
            assert plain(position) == naive.first_best(values)[0]


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert minimax.main(["--boards", "4x5", "6x7", "--depth", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["board", "4x5", "6x7"]
    assert [line.split()[2] for line in lines[1:]] == ["yes", "yes"]
    assert minimax.main(["--boards", "4x5", "--depth", "2", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert (row["board"], row["depth"], row["same"]) == ("4x5", 2, True)


def test_a_difference_is_seen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def last_column(game: Game, depth: int) -> minimax.Choose:  # noqa: ARG001
        return lambda position: position.legal_moves[-1]

    monkeypatch.setattr(minimax, "plain_minimax", last_column)
    assert minimax.main(["--boards", "4x5", "--depth", "2"]) == 1
    assert capsys.readouterr().out.splitlines()[1].split()[2] == "NO"


@pytest.mark.parametrize(
    "options", [["--boards", "six"], ["--boards", "3x3"], ["--boards", "0x7"], ["--depth", "0"]]
)
def test_bad_options(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        minimax.main(options)
    assert stopped.value.code == 2
    assert "error:" in capsys.readouterr().err
