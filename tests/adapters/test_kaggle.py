"""Our players in ConnectX, and an exported file that plays the same moves without us."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import inarow
from inarow.adapters import kaggle_agent
from inarow.adapters.kaggle import agent, export_agent, position_of
from inarow.engine.streams import make_stream
from inarow.game import InputError
from inarow.lab.players.names import player
from inarow.lab.players.protocols import bind_player

BOARD = {"rows": 6, "columns": 7, "inarow": 4}
POSITIONS = 1000

# Plays in a process in which inarow cannot be imported.
ALONE = """
import json, runpy, sys
sys.modules["inarow"] = None
play = runpy.run_path(sys.argv[1])["agent"]
board = {"rows": 6, "columns": 7, "inarow": 4}
boards = json.load(sys.stdin)
print(json.dumps([play({"board": cells, "mark": 1}, board) for cells in boards]))
"""


def observed(position):
    """The board as Kaggle shows it: rows from the highest down."""
    stones = np.array(position.stones).reshape(position.game.shape)
    return {"board": stones[::-1].ravel().tolist(), "mark": position.to_move}


def random_positions(name, number, seed):
    rng, game = np.random.default_rng(seed), inarow.game(name)
    while number:
        position, plies = game.position(), int(rng.integers(0, game.cells - 3))
        while position.ply < plies and position.outcome is None:
            position.push(int(rng.choice(position.legal_moves)))
        if position.outcome is None:
            number -= 1
            yield position


@pytest.fixture(scope="module")
def submission(tmp_path_factory):
    path = tmp_path_factory.mktemp("kaggle") / "submission.py"
    assert export_agent("ntuple", path) == path.stat().st_size < 2_000_000
    return path


def test_the_file_plays_our_moves_without_us(submission):
    positions = list(random_positions("connect4:6x7", POSITIONS, 1))
    boards = json.dumps([observed(position)["board"] for position in positions])
    command = [sys.executable, "-c", ALONE, str(submission)]
    done = subprocess.run(command, input=boards, capture_output=True, text=True, check=True)
    moves = json.loads(done.stdout)
    bound = bind_player(player("ntuple"), inarow.game("connect4:6x7"), make_stream(0))
    wrong = [p for p, move in zip(positions, moves, strict=True) if move not in bound.moves(p)]
    assert len(moves) == POSITIONS
    assert wrong == []


def test_the_agent_is_the_last_function_of_the_file(submission):
    """Kaggle takes the last one."""
    names = {}
    exec(compile(submission.read_text(), "submission.py", "exec"), names)
    functions = [name for name, value in names.items() if callable(value)]
    assert functions[-1] == "agent"
    assert names["agent"]({"board": [0] * 42, "mark": 1}, BOARD) == 3


@pytest.mark.parametrize(("rows", "columns", "k"), [(4, 5, 4), (5, 4, 3), (3, 6, 4)])
def test_the_search_to_the_end_is_exact(rows, columns, k):
    """Against plain minimax on small boards: every move it takes keeps the value."""
    game = inarow.game(f"board:{rows}x{columns},k={k},gravity")
    board = kaggle_agent.Board(rows, columns, k)

    def value(position):
        if position.outcome is not None:
            return 0 if position.outcome.winner is None else -1
        key = position.stones
        if key not in known:
            found = -2
            for move in position.legal_moves:
                position.push(move)
                found = max(found, -value(position))
                position.pop()
            known[key] = found
        return known[key]

    known, cache, checked = {}, {}, 0
    for position in random_positions(game.name, 60, 3):
        if position.ply < game.cells - 10:
            continue
        bits = [1 << (c % columns * (rows + 1) + c // columns) for c in range(game.cells)]
        stones = position.stones
        own = sum(b for b, s in zip(bits, stones, strict=True) if s == position.to_move)
        mask = sum(b for b, s in zip(bits, stones, strict=True) if s)
        expected = value(position)
        position.push(kaggle_agent.exact_column(board, own, mask, cache))
        assert -value(position) == expected
        checked += 1
    assert checked >= 10


def test_our_players_play_there():
    play = agent("attack@cells")
    for position in random_positions("connect4:6x7", 10, 5):
        bound = bind_player(player("attack@cells"), position.game, make_stream(0))
        move = play(observed(position), BOARD)
        assert move in position.legal_moves
        assert move in bound.moves(position)
    for position in random_positions("connect4:6x7", 20, 2):
        assert position_of(observed(position), BOARD) == position


@pytest.mark.parametrize(
    ("board", "why"),
    [
        ([1] + [0] * 41, "a stone floats in column 1"),
        ([0] * 35 + [1, 1, 0, 0, 0, 0, 0], "X has 2 stones and O has 0"),
        ([0] * 35 + [2] + [0] * 6, "X has 0 stones and O has 1"),
    ],
)
def test_boards_that_cannot_be_are_refused(board, why):
    with pytest.raises(InputError, match=why):
        position_of({"board": board}, BOARD)


@pytest.mark.parametrize("name", ["random", "ntuple:4", "perfect"])
def test_what_cannot_be_exported_is_said(name, tmp_path):
    with pytest.raises(InputError, match="cannot be exported to Kaggle"):
        export_agent(name, tmp_path / "submission.py")
    assert list(tmp_path.iterdir()) == []


def test_in_kaggle_environments(submission):
    """The real package, where it is installed (`make peers` installs it apart)."""
    environments = pytest.importorskip("kaggle_environments")
    environment = environments.make("connectx")
    environment.run([str(submission), "negamax"])
    assert [state.status for state in environment.state] == ["DONE", "DONE"]
    assert environment.state[0].reward == 1


def test_the_form_is_plain():
    assert kaggle_agent.DATA == ""
    assert "inarow." not in Path(kaggle_agent.__file__).read_text().replace("inarow.'", "")
