"""A game in play, shown nowhere: turns, undo, resignation, results, thoughts that come late."""

import re

import pytest

from inarow.game import InputError
from inarow.game import game as game_of
from inarow.lab.players.names import player
from inarow.ui.game_in_play import GameInPlay

TICTACTOE = game_of("tictactoe")


def table_of(first, second, game=TICTACTOE, seed=1):
    players = [None if name is None else player(name) for name in (first, second)]
    return GameInPlay(game, players, seed)


def let_reply(table):
    assert table.reply(table.think(table.version), table.version)


def test_two_people_win_and_draw():
    table = table_of(None, None)
    assert table.status == "X to move"
    for move in (0, 3, 1, 4):
        table.play(move)
    assert not table.over
    table.play(2)
    assert (table.over, table.winner, table.status) == (True, 1, "X wins")
    table.again()
    for move in (0, 1, 2, 4, 3, 5, 7, 6, 8):
        table.play(move)
    assert (table.over, table.winner, table.status) == (True, None, "A draw")


def test_person_loses_to_perfect_and_reads_so():
    table = table_of(None, "perfect@first")
    for move in (0, 1):
        table.play(move)
        assert table.waits_for_player
        let_reply(table)
    while not table.over:
        table.play(table.position.legal_moves[-1])
        if not table.over:
            let_reply(table)
    assert table.winner == 2
    assert table.status == "You lose: perfect@first (O) wins"


def test_second_seat_lets_the_player_begin():
    table = table_of("perfect@first", None)
    assert (table.waits_for_player, table.can_undo) == (True, False)
    assert table.status == "perfect@first (X) is thinking"
    let_reply(table)
    assert table.status == "Your move: you are O"
    assert not table.can_undo  # that was not the person's move
    with pytest.raises(InputError, match="no move of yours"):
        table.undo()


def test_moves_are_checked():
    table = table_of(None, "perfect@first")
    for wrong in (-1, 9, 10**30, True, "x", None):
        with pytest.raises(InputError):
            table.play(wrong)
    table.play(4)
    with pytest.raises(InputError, match="not your move"):
        table.play(0)
    let_reply(table)
    with pytest.raises(InputError, match="taken"):
        table.play(4)
    table.resign()
    with pytest.raises(InputError, match="over"):
        table.play(8)
    with pytest.raises(InputError, match="nothing to resign"):
        table.resign()


def test_undo_takes_back_the_reply_too():
    table = table_of(None, "perfect@first")
    table.play(4)
    let_reply(table)
    table.play(8)
    table.undo()  # while the player thinks: the person's move alone
    assert len(table.moves) == 2
    table.undo()
    assert table.moves == []
    table.play(4)
    let_reply(table)
    table.resign()
    assert table.status == "You resign: perfect@first (O) wins"
    table.undo()  # the resignation, not a move
    assert (table.over, len(table.moves)) == (False, 2)


def test_a_thought_that_comes_late_is_dropped():
    table = table_of(None, "perfect@first")
    table.play(4)
    version, move = table.version, table.think(table.version)
    table.undo()
    table.play(0)
    assert not table.reply(move, version)
    assert table.moves == ["11"]
    assert table.think(version) is None


def test_same_seed_same_replies():
    def replies(seed):
        table = table_of(None, "random", game=game_of("connect4:6x7"), seed=seed)
        for _ in range(3):
            table.play(table.position.legal_moves[0])
            let_reply(table)
        return table.moves

    assert replies(5) == replies(5)
    assert len({tuple(replies(seed)) for seed in range(8)}) > 1


def test_fresh_stone_is_the_one_just_played():
    table = table_of(None, None, game=game_of("connect4:6x7"))
    table.play(3)
    assert table.fresh == 3
    table.play(3)
    assert table.fresh == 10
    table.undo()
    assert table.fresh is None


def test_nobody_interferes_with_a_watched_game():
    table = table_of("random", "attack")
    assert (table.waits_for_player, table.status) == (True, "random (X) is thinking")
    for action in (lambda: table.play(0), table.undo, table.resign):
        with pytest.raises(InputError):
            action()
    while not table.over:
        let_reply(table)
    assert re.fullmatch(r"A draw|random \(X\) wins|attack \(O\) wins", table.status)
    assert not table.can_undo


def test_sides_are_checked():
    with pytest.raises(InputError, match="connect4:6x7"):
        table_of(None, "ntuple")


def test_resigning_of_two_people():
    table = table_of(None, None)
    table.play(0)
    table.resign()
    assert table.status == "O resigns: X wins"
