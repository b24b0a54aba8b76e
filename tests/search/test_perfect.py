"""The perfect player: every choice by brute force, on graphs, in games, and by name."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

import numpy as np
import pytest

import inarow
from inarow.engine.board import GOING_ON, PLY, load, new_board, tables_of
from inarow.engine.players import Side
from inarow.engine.streams import make_stream
from inarow.game import Game, InputError, Position, game
from inarow.game import game as game_of
from inarow.graph.graph import Graph, graph_of, values_of
from inarow.lab.matches.match import match
from inarow.lab.players.names import player
from inarow.search import perfect
from inarow.search.opening_book import shipped_book
from inarow.search.perfect import (
    CHOICES,
    Oracle,
    Perfect,
    PerfectPlayer,
    compiled_perfect,
    kept_moves,
    pack,
    perfect_moves,
    remembered_moves,
    solve,
)
from inarow.search.solver import NotSolved, Solution, Solver, solver_for
from tests.search.brute import brute_moves, random_positions

choices = pytest.mark.parametrize("choice", CHOICES)


def sign(score: int) -> int:
    """1, 0 or -1."""
    return (score > 0) - (score < 0)


@choices
def test_value_is_never_given_away(choice: str) -> None:
    connect4 = game("connect4:4x4")
    graph, never = graph_of(connect4), Perfect(choice)
    value, choose = values_of(graph).value, random.Random(1)
    for _ in range(25):
        position = connect4.position()
        while position.outcome is None:
            if choose.random() < 0.5:
                position.push(choose.choice(position.legal_moves))
                continue
            before = value[graph.find(position)[0]]
            position.push(never.move(position))
            assert value[graph.find(position)[0]] == before


@pytest.mark.parametrize(("name", "stones"), [("connect4:4x4", 8), ("tictactoe", 3)])
def test_the_choices_by_brute_force(name: str, stones: int) -> None:
    seen: dict[tuple[int, ...], int] = {}
    sizes = set()
    for position in random_positions(game(name), stones, 40, seed=1):
        scores = brute_moves(position, seen)
        best = max(scores.values())
        allowed = {
            "best": [m for m in scores if scores[m] == best],
            "first": [min(m for m in scores if scores[m] == best)],
            "value": [m for m in scores if sign(scores[m]) == sign(best)],
        }
        sizes.add(tuple(map(len, allowed.values())))
        assert solve(position).moves == scores
        for choice, moves in allowed.items():
            assert Perfect(choice).moves(position) == moves
            drawn = {Perfect(choice).move(position)}
            one = Perfect(choice)
            drawn |= {one.move(position) for _ in range(30 * len(moves))}
            assert drawn == set(moves)
    assert len(sizes) > 3  # the three differ


def moves_on(graph: Graph, policy: np.ndarray, number: int) -> list[int]:
    """The moves that have any weight, which is 1."""
    edges = range(graph.edge_start[number], graph.edge_start[number + 1])
    assert {policy[edge] for edge in edges} <= {0, 1}
    return [int(graph.move[edge]) for edge in edges if policy[edge] > 0]


def all_positions(this: Game) -> list[Position]:
    """Every position that goes on, each once."""
    found: dict[tuple[int, ...], Position] = {}
    position = Position(this)

    def visit() -> None:
        if position.stones in found or position.outcome is not None:
            return
        found[position.stones] = position.copy()
        for move in position.legal_moves:
            position.push(move)
            visit()
            position.pop()

    visit()
    return list(found.values())


@choices
def test_the_policy_is_what_the_player_may_choose(choice: str) -> None:
    tictactoe, connect4 = game("tictactoe"), game("connect4:4x4")
    sampled = [
        position
        for stones in range(16)
        for position in random_positions(connect4, stones, 25 if stones else 1, seed=2)
    ]
    for this, positions in ((tictactoe, all_positions(tictactoe)), (connect4, sampled)):
        graph = graph_of(this)
        (policy,) = Perfect(choice).policies(graph)
        for position in positions:
            number, _ = graph.find(position)
            assert moves_on(graph, policy, number) == Perfect(choice).moves(position)
    assert len(all_positions(tictactoe)) == 4520


@choices
@pytest.mark.parametrize("name", ["board:3x3,gravity,scoring", "board:5,k=2", "board:1x1,k=1"])
def test_the_policy_keeps_the_value_of_odd_games(choice: str, name: str) -> None:
    graph = graph_of(game(name))
    values, (policy,) = values_of(graph), Perfect(choice).policies(graph)
    for number in np.flatnonzero(graph.state == GOING_ON):
        edges = np.arange(graph.edge_start[number], graph.edge_start[number + 1])
        keeps = values.value[graph.child[edges]] == values.value[number]
        if choice != "value" and values.value[number]:
            keeps &= values.distance[graph.child[edges]] + 1 == values.distance[number]
        if choice == "first":
            keeps &= np.cumsum(keeps) == 1
        assert policy[edges].tolist() == keeps.astype(float).tolist()


def test_the_same_stream_gives_the_same_game() -> None:
    connect4 = game("connect4:4x4")

    def play(seed: int) -> tuple[int, ...]:
        position, bound = connect4.position(), Perfect().bind(connect4, make_stream(seed))
        while position.outcome is None:
            position.push(bound.move(position))
        return position.moves

    games = [play(seed) for seed in range(8)]
    assert games == [play(seed) for seed in range(8)]
    assert len(set(games)) > 1
    assert match(connect4, "perfect", "random", 20, seed=3) == (
        match(connect4, "perfect", "random", 20, seed=3)
    )


def test_a_seat_leaves_the_player_alone() -> None:
    one, other = Perfect("value"), Perfect("value")
    position = game("connect4:4x4").position()
    bound = one.bind(position.game, make_stream(7))
    assert (bound.name, bound.choice) == ("perfect@value", "value")
    for _ in range(5):
        bound.move(position)
    assert [one.move(position) for _ in range(9)] == [other.move(position) for _ in range(9)]


def test_perfect_play_never_loses_a_drawn_game() -> None:
    result = match("connect4:4x4", "perfect", "attack-defense", 40, seed=1)
    assert result.total.losses == 0
    assert result.total.wins > 0
    drawn = match("tictactoe", "perfect@value", "perfect", 10, seed=1).total
    assert (drawn.draws, drawn.games) == (10, 10)


def test_names() -> None:
    for name, choice in (
        ("perfect", "best"),
        ("perfect@best", "best"),
        ("perfect@first", "first"),
        ("perfect@value", "value"),
    ):
        named = player(name)
        assert isinstance(named, Perfect)
        assert named.choice == choice
        assert player(named.name).choice == choice
        assert repr(named) == f"<player {named.name}>"
    assert [Perfect(choice).name for choice in CHOICES] == [
        "perfect",
        "perfect@first",
        "perfect@value",
    ]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("perfect@", "unknown choice '@': it is one of best, first, value"),
        ("perfect@fastest", "unknown choice '@fastest': it is one of best, first, value"),
        ("perfect:6", "unknown player 'perfect:6'"),
        ("Perfect", "unknown player 'Perfect'"),
    ],
)
def test_bad_names_get_one_clear_line(name: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        player(name)
    assert str(caught.value).startswith(message)
    assert len(str(caught.value).splitlines()) == 1


def test_kept_moves_by_hand() -> None:
    scores = {0: -2, 1: 3, 3: 1, 4: 3, 6: 0}
    assert kept_moves(scores, "best") == [1, 4]
    assert kept_moves(scores, "first") == [1]
    assert kept_moves(scores, "value") == [1, 3, 4]
    lost = {0: -5, 2: -1, 5: -1}
    assert kept_moves(lost, "best") == [2, 5]
    assert kept_moves(lost, "value") == [0, 2, 5]
    drawn = {1: 0, 2: -3, 3: 0}
    assert kept_moves(drawn, "best") == kept_moves(drawn, "value") == [1, 3]


def test_kept_moves_by_law() -> None:
    choose = random.Random(4)
    for _ in range(300):
        scores = {move: choose.randint(-3, 3) for move in range(choose.randint(1, 7))}
        best, first, value = (kept_moves(scores, choice) for choice in ("best", "first", "value"))
        assert first == best[:1]
        assert set(first) <= set(best) <= set(value) <= set(scores)
        assert len({scores[move] for move in best}) == 1
        assert len({sign(scores[move]) for move in value}) == 1
        left = set(scores) - set(value)
        assert all(sign(scores[move]) < sign(scores[first[0]]) for move in left)
        assert all(scores[move] < scores[first[0]] for move in set(scores) - set(best))


class CountingSolver(Solver):
    """A solver that notes what it is asked."""

    asked: ClassVar[list[str]] = []

    def solve(self, position: Position | str, limit: int | None = None) -> Solution:
        assert isinstance(position, Position)
        self.asked.append(position.notation)
        return super().solve(position, limit)


def test_replies_are_remembered_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perfect, "Solver", CountingSolver)
    monkeypatch.setattr(perfect, "REMEMBERED", 3)
    CountingSolver.asked.clear()
    connect4 = game("connect4:4x4")
    oracle = Oracle(connect4)
    # 3412 is the position of 1234, 4321 and 2143 its mirror image; the fourth pushes out the one
    # that was not asked for longest.
    for text in ("1234", "3412", "4321", "2134", "1243", "2143", "1324", "1234", "2134"):
        position = connect4.position(text)
        assert list(oracle.find(position).moves) == kept_moves(solve(position).moves, "best")
    assert CountingSolver.asked == ["1234", "2134", "1243", "1324", "2134"]


def test_threads_that_ask_at_once_get_the_same_replies() -> None:
    """More threads than there are solvers at first: each position is asked by all of them."""
    connect4 = game("connect4:5x5")
    positions = random_positions(connect4, 8, 30, seed=3)
    alone, shared = Oracle(connect4, "value"), Oracle(connect4, "value")
    expected = [alone.find(position) for position in positions]
    with ThreadPoolExecutor(6) as pool:
        found = pool.map(lambda at: [shared.find(p) for p in positions[at:] + positions[:at]],
                         range(6))  # fmt: skip
        for at, replies in enumerate(found):
            assert replies == expected[at:] + expected[:at]


def test_an_oracle_says_what_it_does_not_know() -> None:
    with pytest.raises(InputError, match="replies 'first' are none of best, value"):
        Oracle(game("connect4:4x4"), "first")
    with pytest.raises(InputError, match="the game is over"):
        Oracle(game("connect4:4x4")).find(game("connect4:4x4").position("1212121"))


def test_a_finished_game_has_no_move() -> None:
    with pytest.raises(InputError, match="the game is over"):
        Perfect().move(game("connect4:4x4").position("1212121"))
    with pytest.raises(InputError, match="out of reach"):
        Perfect().move(game("board:3x3,scoring").position())


@pytest.mark.skipif(shipped_book(game("connect4:6x7")) is None, reason="no book is shipped")
@pytest.mark.parametrize("stones", [9, 10, 13, 20, 33, 40])
def test_one_question_a_move_finds_what_all_scores_say(stones: int) -> None:
    connect4, chance, seen = game("connect4:6x7"), random.Random(stones), 0
    while seen < 4:
        position = Position(connect4)
        while position.outcome is None and position.ply < stones:
            position.push(chance.choice(position.legal_moves))
        if position.outcome is None:
            seen += 1
            scores = solver_for(connect4).solve(position).moves
            for choice in CHOICES:
                assert perfect_moves(position, choice) == kept_moves(scores, choice)


def test_a_window_cuts_scores_off() -> None:
    connect4 = game("connect4:5x5")
    solver, chance = Solver(connect4), random.Random(5)
    for _ in range(40):
        position = Position(connect4)
        while position.ply < 8 and position.outcome is None:
            position.push(chance.choice(position.legal_moves))
        if position.outcome is not None:
            continue
        own, every = (np.array([word], dtype=np.uint64) for word in solver.pack(position.moves))
        score = int(solver.score_words(own, every)[0])
        for low in range(-3, 3):
            answer = int(solver.score_words(own, every, (low, low + 1))[0])
            assert (answer > low) == (score > low)


# Perfect play in compiled loops: the moves of the player in Python, in games and after them.


def moves_of(player: PerfectPlayer, position: Position) -> list[int]:
    """All moves that the compiled player may choose."""
    tables = tables_of(position.game)
    board = new_board(tables)
    load(tables, board, np.array(position.stones, dtype=np.int8))
    assert board.counters[PLY] == position.ply
    own, mask = (np.uint64(word) for word in pack(tables, board, player.layout))
    found = int(remembered_moves(tables, board, player, own, mask))
    return [column for column in range(tables.columns) if found >> column & 1]


@pytest.mark.parametrize("choice", CHOICES)
def test_games_on_a_small_board_move_by_move(choice: str) -> None:
    """Against replies that are random half of the time, and from both sides."""
    game, random = game_of("connect4:4x5"), np.random.default_rng(1)
    tables, player, stream = tables_of(game), compiled_perfect(game, choice), make_stream(1)
    board, asked, chosen = new_board(tables), 0, set[tuple[int, int]]()
    for number in range(40):
        position = Position(game)
        while position.outcome is None:
            best = perfect_moves(position, choice)
            if position.ply % 2 == number % 2:
                stones = np.array(position.stones, dtype=np.int8)
                move = Side(tables, board, player, stream).choose_in(stones)
                assert move in best
                asked += 1
                chosen.add((len(best), best.index(move)))
            else:
                move = int(random.choice(best if random.random() < 0.5 else position.legal_moves))
            position.push(move)
    assert asked > 200
    if choice == "first":
        assert {place for _, place in chosen} == {0}
    else:
        assert {(3, 0), (3, 1), (3, 2)} <= chosen


def test_the_first_question_of_all_is_a_lost_position() -> None:
    """Nothing is known yet of a game: the second side has lost after a stone in the centre."""
    game = game_of("connect4:6x7")
    assert moves_of(compiled_perfect(game), game.position("4")) == [3]


@pytest.mark.parametrize("moves", ["", "44", "4444", "4453", "435445364", "444444222",
                                   "44444422255", "443265417253", "4432654172533"])  # fmt: skip
def test_moves_in_and_past_the_book(moves: str) -> None:
    position = game_of("connect4:6x7").position(moves)
    player = compiled_perfect(position.game)
    for _ in range(2):  # found, then remembered
        assert moves_of(player, position) == perfect_moves(position, "best")


def test_what_it_cannot_play_is_said() -> None:
    for name in ("tictactoe", "connect4:7x7", "cube"):
        with pytest.raises(InputError, match="perfect cannot play"):
            compiled_perfect(game_of(name))
    with pytest.raises(InputError, match="unknown choice"):
        compiled_perfect(game_of("connect4:4x5"), "worst")


def test_the_memory_of_a_game_does_not_reach_into_the_next() -> None:
    """The value of the last position says nothing of one that did not come from it."""
    game = game_of("connect4:4x5")
    tables, player, stream = tables_of(game), compiled_perfect(game), make_stream(2)
    board = new_board(tables)
    for moves in ("1213", "33", "3", "2", "334", "1", "5", "55", "12345"):
        position = game.position(moves)
        stones = np.array(position.stones, dtype=np.int8)
        move = Side(tables, board, player, stream).choose_in(stones)
        assert move in perfect_moves(position, "best")


@pytest.mark.parametrize(
    ("name", "stones"),
    [
        ("connect4:6x7", 30),
        ("connect4:4x5", 9),
        ("connect4:8x8", 50),  # beyond 64 bits: the general solver
        ("board:7x8,k=7,gravity", 48),  # 64 bits in eight columns
        ("tictactoe", 2),
        ("mnk:4x4x3,misere", 9),
        ("mnk:5x5x4", 12),
        ("board:4x4,k=3,gravity,wrap", 6),
    ],
)
def test_the_score_alone_is_that_of_the_best_move(name: str, stones: int) -> None:
    for position in random_positions(game(name), stones, 12, seed=5):
        found = solve(position)
        assert isinstance(inarow.score(position), int)
        assert inarow.score(position) == found.score == max(found.moves.values())


@pytest.mark.parametrize("moves", ["", "4", "44", "444444", "4444441", "12345671234567"])
def test_the_score_of_early_positions_is_the_books(moves: str) -> None:
    position = game("connect4:6x7").position(moves)
    expected = solve(position).score
    assert inarow.score(position) == inarow.score("connect4:6x7", moves) == expected


def test_a_score_that_cannot_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="the game is over"):
        inarow.score("tictactoe", "11 21 12 22 13")
    with pytest.raises(InputError, match="out of reach"):
        inarow.score("mnk:15x15x5")
    solver, position = Solver("connect4:6x6", limit=1_000), game("connect4:6x6").position("44")
    with pytest.raises(NotSolved, match="not solved within 1,000 nodes"):
        solver.score(position)
    assert solver.nodes == 1_000
    monkeypatch.setattr("inarow.search.solver.CHUNK", 50)  # it goes on where it stopped
    late = random_positions(game("connect4:6x7"), 20, 5, seed=6)
    scores = [Solver("connect4:6x7").solve(one).score for one in late]
    assert [Solver("connect4:6x7").score(one) for one in late] == scores


def test_a_score_uses_the_table_of_the_solver() -> None:
    """A table that has grown meanwhile is taken into use."""
    solver = Solver("connect4:6x7")
    for stones in (36, 30, 24, 36):
        for position in random_positions(solver.game, stones, 3, seed=7):
            assert solver.score(position) == Solver(solver.game).solve(position).score
