"""The perfect solver where stones fall in a plane: against anchors, brute force and BitBully."""

from __future__ import annotations

import numpy as np
import pytest

from inarow.game import Game, InputError, game
from inarow.search import bitboard, connect4_solver, solver_loop
from inarow.search import solver as parallel
from inarow.search.perfect import solve
from inarow.search.solver import EVERY_SCORE, NotSolved, Solver, solver_for
from inarow.search.solver_loop import NODES, new_stack
from tests.search.brute import brute_moves, random_positions

BRUTE = [  # a game, and with how many empty cells brute force is still quick
    ("connect4:4x4", 9),
    ("connect4:5x4", 9),
    ("connect4:4x5", 9),
    ("connect4:5x5", 9),  # an odd number of cells
    ("board:5x5,k=3,gravity", 7),
    ("board:4x5,k=5,gravity", 8),
    ("board:3x3,k=3,gravity", 9),
    ("board:3x3,k=2,gravity", 9),
    ("board:9x1,k=3,gravity", 9),
    ("board:1x9,k=3,gravity", 8),
    ("board:63x1,k=4,gravity", 9),  # one column of 64 bits
    ("board:7x8,k=7,gravity", 8),  # 64 bits in eight columns
]


@pytest.mark.parametrize(("name", "most"), BRUTE)
def test_agrees_with_brute_force(name: str, most: int) -> None:
    solver = Solver(name)
    cells = solver.game.cells
    for left in range(min(most, cells - 2), most + 1):
        for position in random_positions(solver.game, cells - left, 8, seed=1):
            solution = solver.solve(position)
            expected = brute_moves(position, {})
            assert solution.moves == expected, position
            assert solution.score == max(expected.values()) == solver.score(position)
            assert solution.value == np.sign(solution.score)


def test_agrees_with_brute_force_to_the_last_stone() -> None:
    solver = Solver("connect4:4x5")
    for left in range(1, 7):
        for position in random_positions(solver.game, 20 - left, 20, seed=2):
            assert solver.solve(position).moves == brute_moves(position, {})


@pytest.mark.parametrize(
    ("height", "values"), [(4, "==-=-"), (5, "===="), (6, "==-"), (7, "=="), (8, "==")]
)
def test_values_of_empty_boards(height: int, values: str) -> None:
    for width, value in enumerate(values, start=4):
        score = Solver(f"connect4:{height}x{width}").score("")
        assert "-=+"[np.sign(score) + 1] == value, f"{height}x{width}"


@pytest.mark.parametrize(
    ("moves", "score"),  # from Pons' public test positions
    [
        ("2252576253462244111563365343671351441", -1),
        ("7422341735647741166133573473242566", 1),
        ("23163416124767223154467471272416755633", 0),
    ],
)
def test_published_positions(moves: str, score: int) -> None:
    assert solve(game("connect4:6x7").position(moves)).score == score


def test_scores_are_those_of_the_side_to_move() -> None:
    connect4 = game("connect4:6x7")
    winning = solve(connect4.position("112233"))  # first has three below and plays column 4
    assert (winning.score, winning.value, winning.moves[3]) == (18, 1, 18)
    losing = solve(connect4.position("22334"))  # first has three with both ends free
    assert (losing.score, losing.value) == (-18, -1)
    assert losing.moves == dict.fromkeys(range(7), -18)


def test_a_position_and_its_mirror_image_score_alike() -> None:
    solver = solver_for(game("connect4:6x7"))
    for position in random_positions(solver.game, 20, 10, seed=3):
        mirrored = position.transformed(1)
        solution, image = solver.solve(position), solver.solve(mirrored)
        assert image.moves == {6 - move: score for move, score in solution.moves.items()}


def test_batches_reuse_the_table_and_agree_with_single_calls() -> None:
    solver = Solver("connect4:6x7")
    positions = random_positions(solver.game, 22, 40, seed=4)
    texts = [position.notation for position in positions]
    scores = solver.scores(np.array(texts))
    assert scores.dtype == np.int64
    assert scores.tolist() == [Solver("connect4:6x7").score(text) for text in texts]
    words = np.array([solver.pack(text) for text in texts], dtype=np.uint64)
    nodes = solver.nodes
    assert np.array_equal(solver.score_words(words[:, 0], words[:, 1]), scores)
    assert solver.nodes - nodes < nodes / 2
    assert solver.scores([]).shape == (0,)


def test_a_search_goes_on_where_it_stopped() -> None:
    connect4 = game("connect4:5x5")
    layout, words = bitboard.layout_of(connect4), np.zeros(2, dtype=np.uint64)
    batch = solver_loop.Batch(words, words, np.zeros(2, dtype=np.int64))
    stack, memory, stops = new_stack(connect4_solver.ROW), solver_loop.new_table(16), 0
    while not solver_loop.solve_many(layout, memory, stack, batch, EVERY_SCORE, 777 * (stops + 1)):
        stops += 1
        assert stack.state[NODES] == 777 * stops
    assert stops > 10
    assert batch.scores.tolist() == [0, 0]
    whole = new_stack(connect4_solver.ROW)
    assert solver_loop.solve_many(
        layout, solver_loop.new_table(16), whole, batch, EVERY_SCORE, solver_loop.NO_STOP
    )
    assert whole.state[NODES] == stack.state[NODES]


@pytest.mark.parametrize("name", ["connect4:4x5", "tictactoe"])
def test_made_ready_it_finds_the_same(name: str) -> None:
    solver = Solver(name)
    before = solver.solve("1" if name.startswith("c") else "11")
    solver.make_ready()  # what it had found out is gone
    table = solver._table
    assert not any(part.any() for part in (table if isinstance(table, tuple) else [table])[:1])
    assert solver.solve("1" if name.startswith("c") else "11") == before
    assert solver._table is table  # large enough


def test_an_empty_table_knows_nothing_of_key_zero() -> None:
    layout = bitboard.layout_of(game("connect4:6x7"))
    zero, size = np.uint64(0), np.uint64(16)
    memory = solver_loop.new_table(16)
    key = np.uint64(solver_loop.key_of(layout, zero, zero, 42))
    assert key == 0
    assert solver_loop.find(memory.early, size, key) == 0
    solver_loop.keep(memory.early, size, key, solver_loop.at_most(-3))
    code = solver_loop.find(memory.early, size, key)
    assert (solver_loop.score_in(code), solver_loop.is_at_least(code)) == (-3, False)


def test_an_entry_is_never_taken_for_another_position() -> None:
    size, step = np.uint64(8), np.uint64(1)
    words = np.zeros(1 << 8, dtype=np.uint64)
    key = np.uint64(0x1234_5678_9ABC_DEF0)
    solver_loop.keep(words, size, key, solver_loop.at_least(32))
    assert solver_loop.score_in(solver_loop.find(words, size, key)) == 32
    for bit in range(64):
        assert solver_loop.find(words, size, key ^ (step << np.uint64(bit))) == 0


def test_masks_stay_whole_numbers() -> None:
    layout = bitboard.layout_of(game("connect4:7x8"))
    stones = np.uint64((1 << 56) | (1 << 57) | (1 << 58))  # three in the last column
    found = bitboard.completing(layout, stones) & int(layout.board)
    assert isinstance(found, int)
    assert found == 1 << 59


def test_finished_and_foreign_positions_are_refused() -> None:
    connect4 = game("connect4:6x7")
    with pytest.raises(InputError, match=r"the game is over \(first player wins\)"):
        solve(connect4.position("1122334"))
    with pytest.raises(InputError, match="this solver is for connect4:6x7, not connect4:5x5"):
        Solver(connect4).solve(game("connect4:5x5").position())
    with pytest.raises(InputError, match="position 2 of 2 is over"):
        Solver(connect4).scores(["", "1122334"])
    with pytest.raises(InputError, match="cannot be played"):
        Solver(connect4).scores(["1111111"])
    with pytest.raises(InputError, match="cannot arise"):
        Solver(connect4).score_words(np.array([0], np.uint64), np.array([2], np.uint64))
    with pytest.raises(InputError, match="same length"):
        Solver(connect4).score_words(np.zeros(1, np.uint64), np.zeros(2, np.uint64))
    with pytest.raises(InputError, match=r"table_bits must be between .* not 3"):
        Solver(connect4, table_bits=3)


@pytest.mark.parametrize(
    "unreached", [Game((9, 9), 4, gravity=True), Game((3, 3), 3, scoring=True)]
)
def test_games_out_of_reach_are_named(unreached: Game) -> None:
    with pytest.raises(InputError, match="out of reach: the solver reaches"):
        solve(unreached.position())


def test_threads_find_the_same_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "ALONE", 100)
    monkeypatch.setattr(parallel, "SLICE", 500)
    alone, together = Solver("connect4:5x5"), Solver("connect4:5x5", workers=3)
    texts = [each.notation for each in random_positions(alone.game, 6, 12, seed=7)]
    assert together.scores(texts).tolist() == alone.scores(texts).tolist()
    assert together.solve("").moves == alone.solve("").moves
    assert together.nodes > 10_000
    with pytest.raises(NotSolved, match="not solved within 2,000 nodes") as given_up:
        Solver("connect4:5x5", workers=2).solve("", limit=2_000)
    assert len(given_up.value.bounds) == 5  # of the moves
    for (low, high), score in zip(
        given_up.value.bounds, alone.solve("").moves.values(), strict=True
    ):
        assert low <= -score <= high
    for workers, name in ((0, "connect4:5x5"), (2, "tictactoe")):
        with pytest.raises(InputError, match=f"workers must be 1 .* not {workers} on {name}"):
            Solver(name, workers=workers)


def test_a_move_that_another_thread_searches_is_put_off() -> None:
    layout, root, stone = bitboard.layout_of(game("connect4:6x7")), np.uint64(0), np.uint64(1)
    batch = solver_loop.Batch(*np.array([[root], [stone]]), np.zeros(1, np.int64))

    def order(busy: int | None) -> list[int]:
        memory, stack = solver_loop.new_table(16), new_stack(connect4_solver.ROW)
        solver_loop.solve_many(
            layout, memory, stack, batch, (0, 1), 1
        )  # writes the moves of the root
        stack.words[connect4_solver.TODO] = 7
        if busy is not None:
            filled = stone | stack.words[int(connect4_solver.MOVES) + busy]
            solver_loop.set_busy(
                memory, np.uint64(solver_loop.key_of(layout, stone, filled, 40)), True
            )
        stack.words[connect4_solver.RANKS :][:7] |= connect4_solver.NOT_PUT_OFF | np.arange(
            7, dtype=np.uint64
        )
        return [int(connect4_solver.take_next(layout, memory, stack, root, 41)) for _ in range(7)]

    plain = order(None)
    assert sorted(plain) == list(range(7))
    assert order(plain[0]) == plain  # the first move is searched all the same
    assert order(plain[2]) == [*plain[:2], *plain[3:], plain[2]]


def test_a_search_gives_up_at_its_limit() -> None:
    seen: list[int] = []
    solver = Solver("connect4:6x7", limit=20_000, table_bits=16, progress=seen.append)
    with pytest.raises(NotSolved, match="not solved within 20,000 nodes"):
        solver.score("")
    assert seen == [20_000] == [solver.nodes]


@pytest.mark.parametrize(("stones", "count"), [(36, 200), (28, 500), (20, 100), (14, 10), (8, 1)])
def test_agrees_with_bitbully(stones: int, count: int) -> None:
    core = pytest.importorskip("bitbully").bitbully_core
    solver, peer = Solver("connect4:6x7"), core.BitBullyCore()
    for position in random_positions(solver.game, stones, count, seed=5):
        board = core.BoardCore()
        for move in position.moves:
            board.play(move)
        assert solver.score(position) == peer.mtdf(board, 0), position.notation
