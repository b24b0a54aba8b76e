"""Exact play from some number of stones on: its moves beside the solver's, and what it refuses."""

from __future__ import annotations

import random

import numpy as np
import pytest

import inarow
from inarow.engine.board import new_board, tables_of
from inarow.engine.players import BoundPlayer, write_policy_in
from inarow.engine.streams import EVALUATION, make_stream
from inarow.game import Game, InputError, Position
from inarow.lab.certificates.by_solver import random_positions
from inarow.lab.players.protocols import bind_player, states_policy
from inarow.search.endgame import (
    LIMIT,
    Endgame,
    LateSolver,
    count_won,
    judged,
    kept_moves,
    stones_of,
)
from inarow.search.solver import Solver
from tests.search.plain_corrections import PlainLateSolver, move_with_strategy

BOARDS = ("connect4:4x4", "connect4:5x5", "connect4:4x6", "board:5x4,k=3,gravity", "connect4:6x7")


def positions(name: str, stones: int, number: int = 12) -> list[Position]:
    return list(random_positions(inarow.game(name), stones, number, 5))


def late(name: str) -> range:
    game = inarow.game(name)
    return range(max(game.cells - 22, 0), game.cells, 3)


@pytest.mark.parametrize("name", BOARDS)
def test_moves_keep_the_exact_value(name: str) -> None:
    game, solver = inarow.game(name), Solver(name)
    bound = bind_player(inarow.player(f"random+endgame:{late(name)[0]}"), game, make_stream(0))
    for stones in late(name):
        for position in positions(name, stones):
            solution = solver.solve(position)
            value = np.sign(solution.moves[bound.move(position)])
            assert value == solution.value


@pytest.mark.parametrize("name", BOARDS)
def test_values_are_the_solvers(name: str) -> None:
    solver, player = Solver(name), inarow.player(f"random+endgame:{late(name)[0]}")
    for stones in late(name):
        for position in positions(name, stones, 4):
            exact = {m: float(np.sign(s)) for m, s in solver.solve(position).moves.items()}
            assert player.values(position) == exact


@pytest.mark.parametrize("name", BOARDS)
def test_the_move_hangs_on_the_position_alone_and_is_mirrored(name: str) -> None:
    """A player that has searched much before plays the same, and the mirror image its mirror."""
    game = inarow.game(name)
    player = inarow.player(f"random+endgame:{late(name)[0]}")
    warm = BoundPlayer(player, game, make_stream(0, EVALUATION))
    last = game.columns - 1
    for stones in late(name):
        for position in positions(name, stones):
            image = Position(game)
            for move in position.moves:
                image.push(last - move)
            move = warm.move(position)
            assert BoundPlayer(player, game, make_stream(1, EVALUATION)).move(position) == move
            assert warm.policy(position) == {move: 1.0}
            if image.stones != position.stones:
                assert warm.move(image) == last - move


def test_before_that_the_other_player_chooses() -> None:
    game = inarow.game("connect4:4x4")
    bound = BoundPlayer(inarow.player("random+endgame:6"), game, make_stream(0, EVALUATION))
    assert bound.policy(Position(game)) == dict.fromkeys(range(4), 0.25)
    assert len(bound.policy(game.position("112233"))) == 1


@pytest.mark.parametrize(
    ("player", "game", "why"),
    [
        ("random+endgame:3", "tictactoe", "stones that fall in a plane"),
        ("random+endgame:40", "cube", "stones that fall in a plane"),
        ("random+endgame:2", "connect4:6x7", "endgame:12 or more"),
        ("perfect+endgame:20", "connect4:6x7", "must be a compiled player"),
        ("random+endgame:20+endgame:22", "connect4:6x7", "must be a compiled player"),
    ],
)
def test_what_cannot_be_searched_is_refused_in_one_line(player: str, game: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        bind_player(inarow.player(player), inarow.game(game), make_stream(0))


def test_rules_drawn_for_each_game_are_seen_behind_it() -> None:
    with pytest.raises(InputError, match="several policies"):
        inarow.certify("combined+endgame:8", "connect4:4x4")


@pytest.mark.parametrize("stones", [8, 12])
def test_the_judge_notes_exactly_the_mistakes(stones: int) -> None:
    """Every position in which minimax:1 gives the value away, and no other."""
    game, solver = inarow.game("connect4:4x5"), Solver("connect4:4x5")
    player = inarow.player("minimax:1")
    judge = judged(player, game, 20)
    bound, asked = BoundPlayer(player, game, make_stream(0, EVALUATION)), 0
    weights = np.zeros(game.columns)

    for position in random_positions(game, stones, 40, 3):
        weights[:], judge.noted[0] = 0, 0
        board = new_board(tables_of(game))
        stones_there = np.array(position.stones, dtype=np.int8)
        write_policy_in(tables_of(game), board, stones_there, judge, weights)
        scores = {m: np.sign(s) for m, s in solver.solve(position).moves.items()}
        best = max(scores.values())
        mistaken = scores[bound.move(position)] < best
        assert bool(judge.noted[0]) == mistaken
        assert scores[int(np.argmax(weights))] == best
        if mistaken:
            asked += 1
            own, mask = (int(word) for word in judge.notes[0])
            noted = stones_of(game, own, mask)
            mirror = [noted[cell // 5 * 5 + 4 - cell % 5] for cell in range(game.cells)]
            assert tuple(position.stones) in (tuple(noted), tuple(mirror))
            keep = sorted(m for m, s in scores.items() if s == best)
            flipped = sorted(4 - m for m in keep)
            assert kept_moves(judge, own, mask) in (keep, flipped)
    assert asked > 0


def test_won_positions_are_counted() -> None:
    game, solver = inarow.game("connect4:5x5"), Solver("connect4:5x5")
    found = list(random_positions(game, 11, 60, 2))
    words = np.zeros((2, len(found)), dtype=np.uint64)
    for number, position in enumerate(found):
        for cell, stone in enumerate(position.stones):
            if stone:
                words[stone - 1, number] |= np.uint64(1) << np.uint64(cell)
    won = sum(solver.solve(position).value > 0 for position in found)
    assert 0 < won < len(found)
    assert count_won(game, words[0], words[1]) == won


def test_an_endgame_knows_the_game_of_its_agent() -> None:
    agent = inarow.train("connect4:4x5", "ntuple", games=50, tuples=8, length=4).agent
    assert Endgame(agent, 10).game == agent.game
    with pytest.raises(InputError, match="plays connect4:4x5"):
        bind_player(Endgame(agent, 10), inarow.game("connect4:5x5"), make_stream(0))


# Players corrected by the stored strategy, by threats and by the solver, beside plain Python.

DETERMINISTIC = "minimax:1@central"  # so that both sides of a comparison are proposed the same


def undecided_positions(game: Game, number: int, least: int = 0) -> list[Position]:
    """Positions of random games, and of games in which one side plays minimax."""
    chance, found = random.Random(4), list[Position]()
    guide = BoundPlayer(inarow.player("minimax:2"), game, make_stream(0))
    while len(found) < number:
        position, guided = Position(game), chance.choice((0, 1, 2))
        while position.outcome is None:
            if position.ply >= least:
                found.append(position.copy())
            moves = position.legal_moves
            guides = position.to_move == guided and chance.random() < 0.8
            position.push(guide.move(position) if guides else chance.choice(moves))
    return found[:number]


def test_the_strategy_comes_first_as_in_plain_python() -> None:
    game = inarow.game("qubic")
    bound = BoundPlayer(inarow.player(f"{DETERMINISTIC}+strategy"), game, make_stream(0))
    other = BoundPlayer(inarow.player(DETERMINISTIC), game, make_stream(0))
    followed = 0
    for position in undecided_positions(game, 1500):
        expected = move_with_strategy(position, other.move)
        assert bound.move(position) == expected
        followed += expected != other.move(position)
    assert followed > 100


@pytest.mark.parametrize(
    ("name", "stones"),
    [("connect4:4x4", 4), ("cube", 40), ("mnk:4x4x4", 3), ("mnk:4x4x3,misere", 8)],
)
def test_the_solver_corrects_as_in_plain_python(name: str, stones: int) -> None:
    game, solver = inarow.game(name), Solver(name, limit=LIMIT)
    late = LateSolver(inarow.player("random"), stones, game)
    bound, other = (BoundPlayer(player, game, make_stream(0)) for player in (late, late.player))
    proposed = list[int]()

    def propose(position: Position) -> int:
        proposed.append(other.move(position))
        return proposed[-1]

    plain, corrected = PlainLateSolver(solver, stones, propose), 0
    for position in undecided_positions(game, 400, stones - 2):
        expected = plain.move(position)
        assert bound.move(position) == expected
        corrected += expected != proposed[-1]
    assert corrected > 20


@pytest.mark.parametrize("name", [f"{DETERMINISTIC}+strategy", "shipped:cube", "shipped:qubic"])
def test_nothing_is_proven_of_them(name: str) -> None:
    player = inarow.player(name)
    game = getattr(player, "game", inarow.game("qubic"))
    assert not states_policy(player)
    with pytest.raises(InputError, match="nothing can be proven of it"):
        BoundPlayer(player, game, make_stream(0)).policy(game.position(""))


def test_moves_of_a_late_solver_are_those_of_its_game_alone() -> None:
    late = LateSolver(inarow.player("random"), 3, inarow.game("connect4:4x4"))
    with pytest.raises(InputError, match="plays connect4:4x4 only"):
        late.move(inarow.game("connect4:4x5").position(""))
