"""Every game against anyone: the compiled traversal beside a plain one, and planted mistakes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inarow
from inarow.engine.board import tables_of
from inarow.engine.streams import EVALUATION, make_stream
from inarow.game import Game, InputError, Position
from inarow.graph import all_games
from inarow.graph.all_games import (
    DRAWN_GAMES,
    LOST,
    POSITIONS,
    WON,
    TooManyPositionsError,
    mirror_of,
    play_all_games,
)
from inarow.graph.graph import graph_of, values_of
from inarow.lab.certificates.anyone import SideCertificate
from inarow.lab.players.names import BoundPlayer
from inarow.learn.tabular.table import TabularAgent

Stones = tuple[int, ...]

GAMES = {
    "tictactoe": inarow.game("tictactoe"),
    "connect4:4x4": inarow.game("connect4:4x4"),
    "falling, k 3": inarow.game("board:3x4,k=3,gravity"),
    "free, k 3": inarow.game("mnk:3x4x3"),
    "cube of 2": inarow.game("board:2x2x2,k=2"),
    "one stone wins": inarow.game("board:2x3,k=1"),
    "lines are counted": inarow.game("board:3x3,k=2,scoring"),
    "in space, falling": inarow.game("board:3x2x2,k=2,gravity,scoring"),
}
PLAYERS = ("random", "attack-defense", "attack-defense@random", "minimax:2", "greedy-lines")


def traverse(game: Game, name: str, side: int) -> Any:
    return play_all_games(game, inarow.player(name).compiled(tables_of(game)), side)


def plain_walk(game: Game, name: str, side: int) -> dict[Stones, list[int]]:
    """What is counted in each position in which the player is to move, and in the empty one."""
    bound = BoundPlayer(inarow.player(name), game, make_stream(0, EVALUATION))
    rows = dict[Stones, list[int]]()
    position = Position(game)

    def ends(row: list[int]) -> bool:
        if position.outcome is None:
            return False
        winner = position.outcome.winner
        row[DRAWN_GAMES if winner is None else (WON if winner == side + 1 else LOST)] += 1
        return True

    def replies(row: list[int]) -> None:
        for reply in position.legal_moves:
            position.push(reply)
            if not ends(row):
                turn()
            position.pop()

    def turn() -> None:
        if position.stones in rows:
            return
        row = rows[position.stones] = [0] * 4
        row[POSITIONS] += 1
        for move in bound.moves(position):
            position.push(move)
            if not ends(row):
                replies(row)
            position.pop()

    turn() if side == 0 else replies(rows.setdefault(position.stones, [0] * 4))
    return rows


def counted(game: Game, rows: dict[Stones, list[int]], mirrored: bool) -> list[list[int]]:
    """The same by stones, where mirror images may count as one position."""
    mirror = mirror_of(game) if mirrored else np.arange(game.cells)
    once = {min(stones, tuple(stones[cell] for cell in mirror)): rows[stones] for stones in rows}
    counts = np.zeros((game.cells + 1, 4), dtype=np.int64)
    for stones, row in once.items():
        counts[np.count_nonzero(stones)] += row
    return counts.tolist()


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("name", GAMES)
def test_the_walk_meets_and_counts_what_a_plain_one_does(name: str, player: str, side: int) -> None:
    game = GAMES[name]
    if name == "connect4:4x4" and player == "random":
        pytest.skip("too many for the plain traversal")
    found = traverse(game, player, side)
    rows = plain_walk(game, player, side)
    assert found.complete
    assert found.counts.tolist() == counted(game, rows, found.mirrored)
    assert found.positions == sum(row[POSITIONS] for row in found.counts)


@pytest.mark.parametrize("name", [*GAMES, "one axis", "one axis, falling", "one column"])
def test_the_mirror_is_a_symmetry_of_the_game(name: str) -> None:
    others = {
        "one axis": "board:5,k=2",
        "one axis, falling": "board:5,k=2,gravity",  # turned round, stones would hang in the air
        "one column": "board:5x1,k=2,gravity",
    }
    game = GAMES.get(name) or inarow.game(others[name])
    assert mirror_of(game).tolist() in game.symmetries.tolist()


@pytest.mark.parametrize("side", [0, 1])
def test_a_walk_may_stop_early_and_says_so(side: int) -> None:
    game = GAMES["tictactoe"]
    random = inarow.player("random").compiled(tables_of(game))
    whole = play_all_games(game, random, side)
    for stones in range(side, 9):
        part = play_all_games(game, random, side, stones=stones)
        assert (part.counts[:stones] == whole.counts[:stones]).all()
        assert not part.counts[stones:].any()
        row = stones + (stones + side) % 2  # the next that is the player's turn
        assert len(part.beyond[0]) == whole.counts[row, POSITIONS]
        assert part.complete == (len(part.beyond[0]) == 0)


def test_enough_is_enough_only_for_a_player_that_lost() -> None:
    game = GAMES["tictactoe"]
    found = play_all_games(game, inarow.player("random").compiled(tables_of(game)), 0, enough=1)
    assert found.lost > 0
    assert not found.complete
    careful = inarow.player("minimax:2").compiled(tables_of(game))
    found = play_all_games(game, careful, 0, enough=1)
    assert found.complete
    assert found.counts.tolist() == play_all_games(game, careful, 0).counts.tolist()


def test_games_left_out_prove_nothing() -> None:
    game = GAMES["tictactoe"]
    careful = inarow.player("minimax:2").compiled(tables_of(game))
    part = play_all_games(game, careful, 0, stones=2)
    assert (part.lost, part.drawn) == (0, 0)
    with pytest.raises(ValueError, match="left out"):
        SideCertificate(part, game, 0.0)


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("name", GAMES)
def test_counterexamples_are_games_that_the_player_may_play(
    name: str, player: str, side: int
) -> None:
    game = GAMES[name]
    found = traverse(game, player, side)
    assert (found.lost_game is None) == (found.lost == 0)
    assert (found.drawn_game is None) == (found.drawn == 0)
    bound = BoundPlayer(inarow.player(player), game, make_stream(0, EVALUATION))
    for moves, winner in ((found.lost_game, 2 - side), (found.drawn_game, None)):
        position = Position(game)
        for move in moves or ():
            if position.ply % 2 == side:
                assert move in bound.moves(position)
            position.push(move)
        if moves is not None:
            assert position.outcome is not None
            assert position.outcome.winner == winner


def test_a_lost_game_is_a_shortest_one() -> None:
    found = traverse(GAMES["tictactoe"], "random", 0)
    assert len(found.lost_game or ()) == 6


def test_with_certainty_only_where_it_is_so() -> None:
    """The traversal and the graph's certificate agree on who can be beaten."""
    game = GAMES["tictactoe"]
    for name in (*PLAYERS, "minimax:9"):
        certificate = inarow.certify(name, game)
        for number, side in enumerate(("first", "second")):
            assert (traverse(game, name, number).lost == 0) is certificate.sides[side].unbeatable


def test_a_planted_mistake_is_found() -> None:
    """A table that keeps every value, but for one position deep in one line: it is found."""
    game = GAMES["tictactoe"]
    graph = graph_of(game)
    side = np.repeat(graph.to_move, np.diff(graph.edge_start))
    opinion = (1.0 - 2 * side) * values_of(graph).value[graph.child]
    agent = TabularAgent("exact", graph, opinion)
    assert play_all_games(game, agent.compiled(tables_of(game)), 0).lost == 0

    position = game.position("11 12 21 31 22 32")  # X completes a line, or throws the game away
    number = graph.find(position)[0]
    edges = range(graph.edge_start[number], graph.edge_start[number + 1])
    wrong = next(e for e in edges if values_of(graph).value[graph.child[e]] < 0)
    agent.move_values[wrong] = 2
    found = play_all_games(game, agent.compiled(tables_of(game)), 0)
    assert found.lost > 0
    lost_game = found.lost_game or ()
    assert set(lost_game[:6]) == set(position.moves)
    assert lost_game[6] == graph.move[wrong]


def test_a_player_that_does_not_mirror_its_moves_is_walked_without() -> None:
    found = traverse(GAMES["connect4:4x4"], "minimax:2", 0)
    assert not found.mirrored
    assert traverse(GAMES["connect4:4x4"], "attack-defense@random", 0).mirrored


@pytest.mark.parametrize("stone", ["11", "13"])
def test_a_move_left_out_in_one_of_two_mirror_images_is_noticed(stone: str) -> None:
    """In one of them it may choose all that it may in the other, and more: whichever is kept."""
    game = GAMES["tictactoe"]
    graph = graph_of(game)
    agent = TabularAgent("lazy", graph, np.zeros(graph.edges))
    assert play_all_games(game, agent.compiled(tables_of(game)), 1).mirrored
    number = graph.find(game.position(stone))[0]
    agent.move_values[graph.edge_start[number]] = -1
    assert not play_all_games(game, agent.compiled(tables_of(game)), 1).mirrored


def test_what_is_not_one_policy_is_refused() -> None:
    game = GAMES["tictactoe"]
    for name in ("combined", "attack@game"):
        with pytest.raises(InputError):
            traverse(game, name, 0)


def test_too_many_positions_end_in_one_line() -> None:
    game = inarow.game("connect4:6x7")
    with pytest.raises(TooManyPositionsError, match="given up after"):
        play_all_games(game, inarow.player("random").compiled(tables_of(game)), 0, most=10_000)


def test_one_layer_is_given_up_before_it_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """All games of one stone each are few, and the next positions 7 million."""
    rooms = list[int]()

    class Watched(all_games._ReachedLayer):
        def grow(self) -> None:
            super().grow()
            rooms.append(len(self.first))

    monkeypatch.setattr(all_games, "_ReachedLayer", Watched)
    game = inarow.game("mnk:8x8x5")
    with pytest.raises(TooManyPositionsError, match="given up after"):
        play_all_games(game, inarow.player("random").compiled(tables_of(game)), 0, most=5_000)
    assert max(rooms) <= 4 * 5_000


def test_boards_of_more_than_64_cells_are_refused() -> None:
    game = inarow.game("mnk:9x9x5")
    with pytest.raises(InputError, match="81 cells"):
        play_all_games(game, inarow.player("random").compiled(tables_of(game)), 0)
