"""Records: written and read again, with every damage said by its line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inarow
from inarow.game import InputError
from inarow.game.records import (
    Record,
    parse_records,
    read_records,
    record,
    records_text,
    write_records,
)

TEXT = """[Game "connect4:6x7"]
[First "human"]
[Second "ntuple"]
[Date "2026.11.16"]
[Seed "7"]
[Result "0-1"]

1. 4 5 2. 4 5 3. 4 5 4. 1 5 0-1
"""


def test_the_form():
    game = inarow.game("connect4:6x7")
    position = game.position("45454515")
    made = Record(game, position.moves, "human", "ntuple", "0-1", 7, "2026.11.16")
    assert str(made) == TEXT
    assert parse_records(TEXT) == [made]
    assert made.position == position
    assert parse_records(records_text([made, made])) == [made, made]
    assert parse_records("") == []


def test_results_follow_from_the_position():
    game = inarow.game("tictactoe")
    assert record(game.position("11 21 12 22 13"), "a", "b").result == "1-0"
    assert record(game.position("11 21 12 22"), "a", "b").result == "*"
    resigned = record(game.position("11 21 12 22"), "a", "b", 3, resigned=1)
    assert (resigned.result, resigned.others) == ("0-1", {"Termination": "resigned"})
    assert parse_records(str(resigned)) == [resigned]
    assert len(resigned.date) == 10


@given(
    st.sampled_from(["tictactoe", "connect4:4x5", "mnk:12x3x3", "board:2x3x4,k=3,gravity"]),
    st.lists(st.integers(0, 10**6), max_size=40),
    st.text(max_size=30),
    st.integers(0, 2**70),
)
def test_what_is_written_is_read_again(name, choices, who, seed):
    position = inarow.game(name).position()
    for choice in choices:
        if position.outcome is None:
            position.push(position.legal_moves[choice % len(position.legal_moves)])
    made = record(position, who, "b", seed)
    found = parse_records(str(made))
    assert found[0].moves == position.moves
    assert (found[0].result, found[0].seed) == (made.result, seed)
    assert max(map(len, str(made).splitlines()[7:]), default=0) <= 80
    assert parse_records(str(found[0])) == found  # odd characters are written out once


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('[Game "connect4:6x7"]', "", "line 2: a game needs the headers Game and Result"),
        ('[Game "connect4:6x7"]', '[Game "chess"]', "line 1: unknown game"),
        ('[First "human"]', "[First human]", "line 2: .* is not a header"),
        ('[First "human"]', '[Date "x"]', "line 4: .* there are two of it"),
        ('"0-1"', '"0-2"', "the result is one of 1-0, 0-1"),
        (" 5 0-1", " 5 1-0", "the result is one of"),
        ('"7"', '"-7"', "Seed '-7' is not a whole number"),
        ("4. 1 5", "4. 9 5", "line 1: '9' is not a move"),
        ("4. 1 5", "4. 15 5", "'15' is not one move"),
        ("4. 1 5", "4. 1 5 5. 1", "the game is over"),
        ("4. 1 5", "4. 1", "^(?!.*over)"),
    ],
)
def test_damage_is_said(old, new, words):
    text = TEXT.replace(old, new)
    if words.startswith("^"):  # a game that was given up says so by its result
        assert parse_records(text)[0].result == "0-1"
        return
    with pytest.raises(InputError, match=words):
        parse_records(text)


def test_results_that_the_moves_deny():
    for wrong in ("1-0", "1/2-1/2", "*"):
        with pytest.raises(InputError, match="the moves end in 0-1"):
            parse_records(TEXT.replace("0-1", wrong))
    drawn = '[Game "tictactoe"]\n[Result "1/2-1/2"]\n\n1. 11 22 1/2-1/2\n'
    with pytest.raises(InputError, match="it is not drawn"):
        parse_records(drawn)
    with pytest.raises(InputError, match="moves need headers"):
        parse_records("1. 4 5\n")


def test_files(tmp_path):
    file = tmp_path / "games.txt"
    made = record(inarow.game("tictactoe").position("11"), 'a "quoted" \\ name', "b\n[x]", 1)
    write_records(file, [made, made])
    assert [found.first for found in read_records(file)] == ['a "quoted" \\ name'] * 2
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is not text"):
        read_records(file)


def test_what_no_terminal_should_get_is_made_visible_when_read():
    text = '[Game "tictactoe"]\n[First "a\x1b]0;x\x07"]\n[Note "\u202eb"]\n[Result "*"]\n\n*\n'
    (held,) = parse_records(text)
    assert held.first == "a\\x1b]0;x\\x07"
    assert held.others == {"Note": "\\u202eb"}
    assert parse_records(str(held)) == [held]
