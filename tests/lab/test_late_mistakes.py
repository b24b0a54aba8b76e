"""Moves late in the game, judged exactly; and matches from varied openings."""

from __future__ import annotations

import json

import pytest

from inarow.game import InputError
from inarow.game import game as game_of
from inarow.lab.certificates.by_solver import endings_reached, is_mistake, judge_late, own_games
from inarow.lab.certificates.certify import certify
from inarow.lab.matches.games import OpeningMatch, match_from_openings
from inarow.lab.players.names import player
from inarow.lab.values.move_values import exact_by_graph
from inarow.search.endgame import LateSolver
from inarow.search.solver import Solver

SMALL = game_of("connect4:4x4")


def test_mistakes_are_those_of_the_game_graph() -> None:
    """Random play errs often: each of its moves is held against the values of the graph."""
    solver, seen = Solver(SMALL), set()
    for asked in own_games(player("random"), SMALL, 6, seed=3):
        for position, move in asked:
            values = {m: verdict.value for m, verdict in exact_by_graph(position).moves.items()}
            wrong = values[move] < max(values.values())
            assert is_mistake(solver, position, move) is wrong
            seen.add(wrong)
    assert seen == {True, False}


def test_what_is_not_decided_is_not_judged() -> None:
    cube = game_of("cube")
    assert is_mistake(Solver(cube, limit=10), cube.position("11 22"), 0) is None
    assert [endings_reached(game_of(n)) for n in ("cube", "qubic", "mnk:9x9x5")] == [32, None, None]


def test_a_player_that_the_solver_corrects_makes_no_mistake_late() -> None:
    solver, corrected = Solver(SMALL), LateSolver(player("random"), 6, SMALL)
    moments = [m for asked in own_games(corrected, SMALL, 4, seed=5) for m in asked]
    late = {is_mistake(solver, *moment) for moment in moments if moment[0].ply >= 6}
    assert late == {False}
    assert any(is_mistake(solver, *moment) for moment in moments)
    assert player("shipped:cube").stones == 30


def test_rows_are_positions_of_different_games() -> None:
    found = judge_late(player("random"), SMALL, 5, 12, seed=1)
    assert certify("random", SMALL, positions=12, seed=1, from_stones=5) == found
    assert [rate.stones for rate in found.rates] == [5, 9, 13][: len(found.rates)]
    for rate in found.rates:
        assert rate.mistakes <= rate.judged == rate.positions <= 12
        assert (rate.example is None) == (rate.mistakes == 0)
    assert found.judged == 1
    assert "100% of the positions judged exactly" in repr(found)
    assert json.loads(json.dumps(found.as_json()))["from_stones"] == 5
    with pytest.raises(InputError, match="must be between 0 and 15, not 16"):
        judge_late(player("random"), SMALL, 16, 2)
    with pytest.raises(InputError, match="at least 1"):
        judge_late(player("random"), SMALL, 5, 0)


def test_every_opening_is_played_on_both_sides() -> None:
    one = match_from_openings(SMALL, player("minimax:4"), player("random"), 8, seed=2)
    other = match_from_openings(SMALL, player("minimax:4"), player("minimax:4"), 8, seed=2)
    assert (one.games, one.wins + one.draws + one.losses) == (16, 16)
    assert one.score > 0.5 == other.score  # a player and itself from the same positions
    assert one.score == (one.wins + one.draws / 2) / 16
    limited = match_from_openings(SMALL, player("random"), player("random"), 8, 2, seconds=0)
    assert limited.games == 2


def test_pairs_that_go_the_same_way_widen_the_interval() -> None:
    """Ten pairs of two wins or two losses say no more than ten games; mixed ones say more."""
    alike = OpeningMatch(("a", "b"), (4, 0) * 5, 10, 0, 10)
    mixed = OpeningMatch(("a", "b"), (2,) * 10, 10, 0, 10)
    ten = OpeningMatch(("a", "b"), (2,) * 5, 5, 0, 5)
    assert alike.score == mixed.score == 0.5
    assert alike.interval == pytest.approx(ten.interval)
    assert mixed.interval.low > alike.interval.low
