"""Values of moves: exact ones against plain search, estimates of players, hints."""

from __future__ import annotations

import itertools
import json
import os
import random
import subprocess
import sys

import pytest

import inarow
from inarow.engine import clock
from inarow.engine.streams import make_stream
from inarow.game import InputError, Position
from inarow.game.position import move_text
from inarow.lab.players.names import player
from inarow.lab.players.protocols import bind_player
from inarow.lab.values import analysis as analysis_module
from inarow.lab.values import move_values as bounds_module
from inarow.lab.values.analysis import Analyser, analyse
from inarow.lab.values.move_values import (
    UNKNOWN,
    Bounds,
    Budget,
    MoveBounds,
    Verdict,
    bound_moves,
    default_opponent,
    estimate,
    exact,
    hint,
)
from inarow.search import minimax
from inarow.search import solver as solver_module
from inarow.search.solver import Solver
from tests.lab.brute_force import BruteForce, End


def plain_verdict(position):
    """The value for the side to move and the stones until the end, in the obvious way."""
    if position.outcome is not None:
        winner = position.outcome.winner
        return (0 if winner is None else 1 if winner == position.to_move else -1), 0
    found = []
    for move in position.legal_moves:
        position.push(move)
        value, stones = plain_verdict(position)
        position.pop()
        found.append((-value, stones + 1))
    return max(found, key=lambda f: Verdict(f[0], f[1]).rank if f[0] else (0, 0))


def some_positions(name, number, left, seed=1):
    """Positions that go on, with at most so many empty cells."""
    game, dice = inarow.game(name), random.Random(seed)
    while number:
        position = Position(game)
        while position.outcome is None and game.cells - position.ply > left:
            position.push(dice.choice(position.legal_moves))
        if position.outcome is None:
            yield position
            number -= 1


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("tictactoe", 7),
        ("connect4:4x4", 7),
        ("mnk:3x4x3", 7),
        ("board:2x2x3,k=2", 12),
        ("board:3x3x2,k=3,gravity", 8),
        ("ntictactoe:3^3", 6),
        ("board:3x3,k=3,scoring", 7),
        ("board:4x4,k=3,gravity,scoring", 6),
    ],
)
def test_exact_is_what_plain_search_finds(name, left):
    for position in some_positions(name, 5, left):
        found, before = exact(position), position.moves
        assert position.moves == before
        assert list(found.moves) == position.legal_moves
        reference = position.copy()
        for move, verdict in found.moves.items():
            reference.push(move)
            value, stones = plain_verdict(reference)
            reference.pop()
            assert verdict.value == -value
            if not position.game.scoring:
                assert verdict.stones == (stones + 1 if value else None)
        assert {max(v.rank for v in found.moves.values())} == {
            found.moves[move].rank for move in found.best
        }


def test_graph_and_search_to_the_end_agree():
    game = inarow.game("board:3x5,k=3,gravity,scoring")
    early, late = Position(game), game.position("333")
    assert exact(early).by == "the game graph"
    assert exact(late).by == "a search to the end"
    for move in late.legal_moves:
        late.push(move)
        assert exact(late).by == "a search to the end"
        late.pop()
    before = game.position("33")
    replies = exact(late).moves.values()
    assert exact(before).moves[2].value == -max(verdict.value for verdict in replies)


def test_connect_four_from_the_book_and_past_it():
    first = exact(inarow.game("connect4").position())
    assert first.by == "the book"
    assert [str(verdict) for verdict in first.moves.values()] == [
        "loses in 40", "loses in 42", "draws", "wins in 41", "draws", "loses in 42", "loses in 40"
    ]  # fmt: skip
    assert first.best == [3]
    assert exact(inarow.game("connect4").position("444444333333")).by == "the solver"


def test_nothing_exact_where_nothing_reaches():
    for name in ("cube", "ntictactoe:3^3", "mnk:15x15x5"):
        assert exact(inarow.game(name).position()) is None


def test_what_a_verdict_says():
    assert [str(v) for v in (Verdict(1, 3), Verdict(0), Verdict(-1, 2), Verdict(1))] == [
        "wins in 3", "draws", "loses in 2", "wins"
    ]  # fmt: skip
    order = [Verdict(1, 1), Verdict(1, 5), Verdict(0), Verdict(-1, 4), Verdict(-1, 2)]
    assert sorted(order, key=lambda v: v.rank, reverse=True) == order


def test_opinions():
    position = inarow.game("tictactoe").position("11 22 12 33")
    held = estimate(player("minimax:3"), position)
    assert held.by == "minimax:3"
    assert held.best == [2]
    assert held.texts[2] == "wins in 1"
    assert held.texts[3] == "wins in 3"
    assert estimate(player("random"), position) is None
    assert estimate(player("random+endgame:30"), position) is None
    assert estimate(None, position) is None


def test_the_opinion_of_a_learned_agent():
    run = inarow.train("tictactoe", "td", against="random", games=2000, seed=1)
    position = inarow.game("tictactoe").position("11 22")
    held = estimate(run.agent, position)
    assert list(held.values) == position.legal_moves
    assert held.values == run.agent.values(position)
    assert all(text[0] in "+-" for text in held.texts.values())
    assert estimate(run.agent, inarow.game("connect4").position()) is None


def test_hints():
    sure = hint(inarow.game("tictactoe").position("11 22 12 33"), player("random"))
    assert (sure.moves, sure.text, sure.exact) == ([2], "wins in 1", True)
    assert hint(inarow.game("tictactoe").position()).moves[0] == 4  # on most lines
    cube = inarow.game("cube").position("11 22 11 33")
    assert hint(cube, player("random")).by == "minimax:8@central"
    assert hint(cube, player("minimax:2")).by == "minimax:2"
    assert not hint(cube, player("minimax:2")).exact


def test_a_game_that_is_over_has_no_values():
    over = inarow.game("tictactoe").position("11 21 12 22 13")
    for ask in (exact, hint, lambda position: estimate(player("minimax:2"), position)):
        with pytest.raises(InputError, match="over"):
            ask(over)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tictactoe", "perfect"),
        ("connect4", "perfect"),
        ("connect4:5x5", "perfect"),
        ("connect4:4x5,wrap", "perfect"),
        ("board:3x3x3,gravity", "perfect"),
        ("cube", "shipped:cube"),
        ("qubic", "shipped:qubic"),
        ("ntictactoe:3^3", "shipped:ntictactoe:3^3"),
        ("mnk:15x15x5", "shipped:mnk:15x15x5"),
        ("mnk:9x9x5", "minimax:5@central"),
        ("mnk:19x19x5", "minimax:3@central"),
    ],
)
def test_a_good_opponent_plays(name, expected):
    game = inarow.game(name)
    assert default_opponent(game) == expected
    bound = bind_player(player(expected), game, make_stream(1))
    position = game.position()
    assert bound.move(position) in position.legal_moves


# What is said of moves when a budget ends, wherever it ends, against brute force.

ENOUGH = 600.0  # seconds: more than any of these positions takes

# For every source of answers: the number of empty cells from which brute force is quick.
SOLVED = {
    "tictactoe": 6,
    "mnk:3x4x3": 6,
    "ntictactoe:3^3": 6,
    "board:2x2x2,k=2": 8,
    "connect4:4x4": 6,
    "board:3x3,k=3,gravity": 7,
    "board:3x4,k=3,gravity,wrap": 6,
    "board:2x2x3,k=2,gravity": 8,
    "mnk:3x2x2,misere": 6,
    "tictactoe,misere": 6,
    "board:2x2x2,k=2,gravity,misere": 8,
    "connect4:4x4,misere": 6,
    "tictactoe,wrap": 6,
    "mnk:3x4x3,wrap=1,misere": 6,
}
SEARCHED = {
    "board:3x3,k=3,scoring": 6,
    "board:3x2x2,k=2,scoring,wrap": 6,
    "mnk:13x5x5": 6,  # too large for the solver
    "mnk:13x5x5,misere": 6,
    "board:5x13,k=5,gravity": 6,
}
LOOKED_UP = {"board:3x3,k=3,gravity,scoring": 9}  # in the graph, which no budget ends
EVERY = SOLVED | SEARCHED | LOOKED_UP


class Answered(Budget):
    """A budget that gives each question a number of nodes, or None for all that it needs."""

    def __init__(self, limits=()):
        super().__init__()
        self.limits, self.asked = iter(limits), 0

    def share(self, parts):  # noqa: ARG002
        self.asked += 1
        nodes = next(self.limits, 0)
        return nodes, 1e-9 if nodes == 0 else ENOUGH


@pytest.fixture
def small_solver(monkeypatch):
    """A new solver with a small table for every position that is asked about."""

    def new(game):
        return Solver(game, table_bits=10)

    monkeypatch.setattr(bounds_module, "solver_for", new)


@pytest.fixture
def ticking(monkeypatch):
    """A clock that is a second later whenever it is read, and is read after each node."""
    monkeypatch.setattr(clock, "monotonic", itertools.count().__next__)
    monkeypatch.setattr(solver_module, "TIMED_CHUNK", 1)
    monkeypatch.setattr(minimax, "CHUNK", 0)
    monkeypatch.setattr(bounds_module, "VISITS", 1)


def late_positions(name, number, empty=None):
    """Positions that random games come to, with few empty cells."""
    found, seed = [], 0
    while len(found) < number:
        seed += 1
        position, choose = Position(inarow.game(name)), random.Random(f"{name} {seed}")
        until = choose.randint(2, empty or EVERY[name])
        while position.outcome is None and position.game.cells - position.ply > until:
            position.push(choose.choice(position.legal_moves))
        if position.outcome is None:
            found.append(position)
    return found


def holds(bounds, end):
    """Whether what is said of a move or position is true of its end."""
    return bounds.low <= end.value <= bounds.high and (
        bounds.stones is None or (bounds.exact and bounds.stones == end.stones)
    )


def check(found, plain):
    """Compares all that is said of a position with the ends of its moves."""
    best = max(plain.values(), key=lambda end: end.rank)
    position = found.position
    assert list(found.moves) == list(plain)
    for move, bounds in found.moves.items():
        assert holds(bounds, plain[move])
    assert holds(found.whole, best)
    assert holds(position, best)
    check_best(position, [plain[move] for move in found.best], best)
    if End(1, 1) in plain.values():  # seen at once, whatever else is known
        assert position == Bounds(1, 1, 1)
        assert found.best == [move for move, end in plain.items() if end == End(1, 1)]


def check_best(position, ends, best):
    """The best moves are as good as is said of the position."""
    assert position.exact or not ends
    for end in ends:
        assert end == best if position.stones is not None else end.value == best.value


def is_complete(found, plain):
    """Whether all is known, as brute force knows it."""
    best = max(plain.values(), key=lambda end: end.rank)
    whole = found.best == [move for move, end in plain.items() if end == best]
    ends = {move: Bounds.of(end) for move, end in plain.items()}
    return whole and found.moves == ends and found.position == Bounds.of(best)


@pytest.mark.usefixtures("small_solver")
@pytest.mark.parametrize("name", SOLVED)
def test_whichever_questions_are_answered(name):
    brute = BruteForce(inarow.game(name))
    for position in late_positions(name, 6):
        plain = brute.moves(position.stones)
        budget = Answered(itertools.repeat(None))
        assert is_complete(bound_moves(position, budget), plain)
        for first in range(budget.asked):
            check(bound_moves(position, Answered([None] * first)), plain)
        choose = random.Random(position.notation)
        subsets = list(itertools.product((0, None), repeat=min(budget.asked, 12)))
        for limits in choose.sample(subsets, min(len(subsets), 40)):
            check(bound_moves(position, Answered(limits)), plain)
        for _ in range(20):
            limits = choose.choices((0, 1, 2, 3, 5, 8, 13, None), k=budget.asked)
            check(bound_moves(position, Answered(limits)), plain)


@pytest.mark.usefixtures("small_solver")
def test_every_answer_in_a_game_of_three_moves():
    position = inarow.game("mnk:3x2x2,misere").position("31 12 11")
    plain = BruteForce(position.game).moves(position.stones)
    ends = [0, 1, 2, 3, None]
    for limits in itertools.product(ends, repeat=4):  # of the position, and of each move
        check(bound_moves(position, Answered([*limits, *[None] * 3])), plain)


@pytest.mark.usefixtures("ticking", "small_solver")
@pytest.mark.parametrize("name", EVERY)
def test_whenever_the_time_is_over(name):
    brute = BruteForce(inarow.game(name))
    for position in late_positions(name, 3):
        plain = brute.moves(position.stones)
        for seconds in itertools.chain(range(1, 40), itertools.count(40, 37)):
            found = bound_moves(position, Budget(seconds))
            check(found, plain)
            # A search to the end leaves moves open once it has found the fastest win.
            complete = is_complete(found, plain) if name in SOLVED else found.position.exact
            if complete:
                break
            assert seconds < 5_000


@pytest.mark.usefixtures("small_solver")
@pytest.mark.parametrize("name", ["tictactoe", "mnk:3x2x2,misere", "connect4:4x4"])
def test_after_any_number_of_nodes(name):
    brute = BruteForce(inarow.game(name))
    for position in late_positions(name, 3):
        plain = brute.moves(position.stones)
        for nodes in range(1, 60):
            check(bound_moves(position, Budget(nodes=nodes)), plain)


def test_a_loss_is_as_late_as_its_latest_move():
    unknown = MoveBounds({1: Bounds(-1, -1, 2), 2: UNKNOWN}, Bounds(-1, -1), ())
    assert unknown.position == Bounds(-1, -1)
    assert unknown.best == [1, 2]  # every move of a lost position keeps its value
    known = MoveBounds({1: Bounds(-1, -1, 2), 2: Bounds(-1, -1, 4)}, UNKNOWN, ())
    assert known.position == Bounds(-1, -1, 4)
    assert known.best == [2]
    nothing = MoveBounds({1: UNKNOWN, 2: UNKNOWN}, Bounds(-1, -1), ())
    assert nothing.position == Bounds(-1, -1)


def test_a_win_is_as_soon_as_its_soonest_move():
    unknown = MoveBounds({1: Bounds(1, 1, 3), 2: UNKNOWN}, UNKNOWN, ())
    assert unknown.position == Bounds(1, 1)  # the other may win sooner
    assert unknown.best == [1]
    known = MoveBounds({1: Bounds(1, 1, 3), 2: Bounds(1, 1, 5), 3: Bounds(-1, 0)}, UNKNOWN, ())
    assert known.position == Bounds(1, 1, 3)
    assert known.best == [1]
    at_once = MoveBounds({1: UNKNOWN, 2: Bounds(1, 1, 1)}, UNKNOWN, ())
    assert at_once.position == Bounds(1, 1, 1)  # nothing is sooner
    assert at_once.best == [2]


@pytest.mark.usefixtures("small_solver")
@pytest.mark.parametrize("name", SOLVED | SEARCHED)
def test_analyses_hold_whatever_was_answered(name, monkeypatch):
    brute = BruteForce(inarow.game(name))
    choose = random.Random(name)

    def some_budget(_):
        if choose.random() < 0.3:
            return Answered(itertools.repeat(None))
        return Answered(choose.choices((0, 1, 3, 10, None), k=20))

    monkeypatch.setattr(analysis_module, "Budget", some_budget)
    for last in late_positions(name, 12):
        while last.outcome is None and choose.random() < 0.8:
            last.push(choose.choice(last.legal_moves))
        since = max(0, last.game.cells - EVERY[name])
        check_analysis(Analyser(last, ENOUGH, since), brute)


def check_analysis(work, brute):
    """Compares all that is said of a game with the ends of its positions."""
    place = Position(work.position.game)
    for move in work.position.moves[: work.since]:
        place.push(move)
    while work.left:
        work.step()
    found = work.analysis()
    for said in found.moves:
        plain, played = brute.moves(place.stones), work.position.moves[place.ply]
        best, end = brute.best(place.stones), plain[played]
        assert (said.ply, said.player) == (place.ply + 1, place.to_move)
        assert holds(said.value, end)
        assert holds(said.best_value, best)
        names = [inarow.game(place.game.name).position(text).moves[0] for text in said.best]
        check_best(said.best_value, [plain[move] for move in names], best)
        assert said.cost <= best.value - end.value
        if said.delay:
            assert (end.value, said.delay) == (best.value, abs(end.stones - best.stones))
        if said.mark == "?!":
            assert end.value == best.value
            assert end != best
        assert said.comment or not said.mark
        place.push(played)
    if found.ahead is not None:
        check(found.ahead, brute.moves(place.stones))


def test_earlier_values_tell_of_later_positions_and_moves(monkeypatch):
    # Nothing but the position before the third move is looked at; 22 wins there.
    nothing, all_of_it = Answered(), Answered(itertools.repeat(None))
    budgets = iter([nothing, nothing, all_of_it, nothing, nothing])
    monkeypatch.setattr(analysis_module, "Budget", lambda _: next(budgets))
    found = analyse("tictactoe", "11 12 22 33")
    third, fourth = found.moves[2:]
    assert third.value == Bounds(1, 1, 5)
    assert fourth.best_value == Bounds(-1, -1, 4)  # of the position after that move
    assert fourth.value == Bounds(-1, -1)  # as every move of a lost position, how soon is unknown
    assert found.ahead.position == Bounds(1, 1)


@pytest.mark.parametrize(
    ("command", "name", "moves", "seconds"),
    [("solve", "mnk:3x2x2,misere", "31 12", "1"), ("analyse", "tictactoe", "11 12 22", "2")],
)
def test_the_first_answer_after_an_installation_is_complete(
    command, name, moves, seconds, tmp_path
):
    # Nothing is compiled yet: the seconds that this takes are not those of the question.
    words = [sys.executable, "-m", "inarow", command, name, moves, "--seconds", seconds, "--json"]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    first, second = (
        subprocess.run(words, env=environment, check=True, capture_output=True).stdout
        for _ in range(2)
    )
    assert first == second
    answer, position = json.loads(first), inarow.game(name).position(moves)
    said = (answer if command == "solve" else answer["ahead"])["moves"]
    plain = BruteForce(position.game).moves(position.stones)
    ends = {move_text(position.game, move): end for move, end in plain.items()}
    assert {text: (move["value"], move["stones"]) for text, move in said.items()} == ends
