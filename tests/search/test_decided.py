"""Who wins, from the strategy, threats or proofs; and the perfect player where that is all."""

from __future__ import annotations

import random

import pytest

import inarow
from inarow.game import Position, game
from inarow.lab.matches.match import match
from inarow.search import decided, perfect
from inarow.search.decided import PROOF, SEQUENCE, STRATEGY, ProvenResult, proof_oracle
from inarow.search.perfect import Perfect, moves_proven_soon, solve_or_decide
from inarow.search.solver import NotSolved, Solution, Solver, solver_for
from tests.search.brute import random_positions

QUBIC = game("qubic")


@pytest.mark.parametrize(("name", "stones"), [("qubic", 48), ("mnk:6x5x4", 8)])
def test_agrees_with_the_general_solver(name: str, stones: int) -> None:
    the_game, found = game(name), set()
    decider, solver = proof_oracle(the_game), Solver(the_game)
    for position in random_positions(the_game, stones, 40, seed=1):
        score = solver.score(position)
        for answer in (decider.by_strategy(position), decider.by_proof(position)):
            if answer is not None:
                found.add((answer.value, answer.basis))
                assert answer.value * score > 0, position.notation
                check_moves(solver, position, answer)
    assert (1, SEQUENCE) in found
    assert name == "qubic" or {(1, PROOF), (-1, PROOF)} <= found


def check_moves(solver: Solver, position: Position, answer: ProvenResult) -> None:
    scores = solver.solve(position).moves
    assert answer.moves
    assert all(scores[move] * answer.value > 0 for move in answer.moves)


def test_the_strategy_wins_from_the_start() -> None:
    answer = inarow.solve("qubic")
    assert isinstance(answer, ProvenResult)
    assert (answer.value, answer.basis) == (1, STRATEGY)


def test_the_second_player_has_lost_to_the_strategy() -> None:
    position, never, choose = QUBIC.position(), Perfect(), random.Random(3)
    while position.ply < 12 and position.outcome is None:
        position.push(never.move(position))
        if position.outcome is None:
            answer = solve_or_decide(position)
            assert isinstance(answer, ProvenResult)
            assert answer.value == -1
            position.push(choose.choice(answer.moves))
    assert position.ply > 4


@pytest.mark.parametrize("opponent", ["random", "greedy-lines"])
def test_perfect_wins_every_game_that_it_begins(opponent: str) -> None:
    result = match(QUBIC, "perfect", opponent, games=20, seed=1, side="first")
    assert (result.total.games, result.total.wins) == (20, 20)


def test_stubborn_defenders_lose_too() -> None:
    """They play what refutes fewest: the replies that the strategy has stored moves for."""
    choose, stored = random.Random(4), 0
    strategy, never = decided.shipped_strategy(QUBIC), Perfect()
    assert strategy is not None
    for _ in range(30):
        position = QUBIC.position()
        while position.outcome is None:
            if position.to_move == 1:
                position.push(never.move(position))
                continue
            hard = [move for move in position.legal_moves if is_stored(strategy, position, move)]
            stored += bool(hard)
            position.push(choose.choice(hard or position.legal_moves))
        assert position.outcome.winner == 1
    assert stored > 60


def is_stored(strategy: decided.Strategy, position: Position, move: int) -> bool:
    first, second = (
        sum(1 << cell for cell, stone in enumerate(position.stones) if stone == player)
        for player in (1, 2)
    )
    return strategy.find(first, second | 1 << move) is not None


def test_what_is_not_decided_is_not_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof_oracle(QUBIC), "by_proof", lambda _: None)
    monkeypatch.setattr(solver_for(QUBIC), "limit", 1000)
    monkeypatch.setattr(perfect, "QUICK", 1000)
    position = QUBIC.position("112")  # not the strategy's first move, nor an image of it
    with pytest.raises(NotSolved, match=r"^not solved within 1,000 nodes: qubic is large$"):
        solve_or_decide(position)
    with pytest.raises(NotSolved):
        Perfect().move(position)


QUICK = inarow.player("greedy-lines@cells")  # in place of the strongest player known


def test_where_nothing_is_proven_the_strongest_reply_is_played_and_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = Perfect(other=lambda _: QUICK)
    position = QUBIC.position("112")  # not the strategy's first move, nor an image of it
    assert moves_proven_soon(position, "best") is None
    assert (one.move(position), one.unproven) == (QUICK.move(position), 1)
    lost = inarow.solve(QUBIC.position("111"))
    assert isinstance(lost, ProvenResult)
    assert lost.value == -1
    reply = QUICK.move(QUBIC.position("111"))  # any loses; which holds out longest is not known
    assert one.move(QUBIC.position("111")) == reply
    assert one.unproven == 2
    assert one.move(QUBIC.position("111 222 112 223 113")) == 3  # a block is the only move
    assert one.unproven == 2
    monkeypatch.setattr(proof_oracle(QUBIC), "by_proof", lambda *_: None)
    monkeypatch.setattr(solver_for(QUBIC), "limit", 1000)
    monkeypatch.setattr(perfect, "QUICK", 1000)
    with pytest.raises(NotSolved):  # where moves are taken for proven ones, nobody else is asked
        one.moves(position)


def test_the_strongest_reply_is_none_that_threats_refute() -> None:
    one = Perfect(other=lambda _: QUICK)
    position = QUBIC.position("222 111 333 112 223 113")  # second threatens 114
    assert one.move(position) == 3


def test_with_few_cells_left_replies_are_exact() -> None:
    one = Perfect(other=lambda _: pytest.fail("nobody is asked"))
    for position in random_positions(QUBIC, 50, 5, seed=3):
        assert one.move(position) in Solver(QUBIC).solve(position).moves
        assert one.unproven == 0


def test_small_boards_have_exact_scores() -> None:
    for name in ("tictactoe", "mnk:4x4x3", "board:3x3x3"):
        assert isinstance(solve_or_decide(game(name).position()), Solution)
    late = random_positions(QUBIC, 50, 1, seed=1)[0]
    assert isinstance(solve_or_decide(late), Solution)


def test_a_block_is_the_only_move() -> None:
    position = QUBIC.position("111 222 112 223 113")
    assert Perfect("value").moves(position) == [3]
