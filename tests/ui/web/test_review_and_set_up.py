"""Positions set up by hand and games reviewed, without a page."""

import asyncio
import re
from dataclasses import replace

import pytest

from inarow.game import InputError
from inarow.game import game as game_of
from inarow.game.records import record
from inarow.lab.analysis import Analyser, analyse
from inarow.lab.move_values import best_line, exact
from inarow.ui.web.executors import Executors
from inarow.ui.web.kept_models import KeptGame
from inarow.ui.web.review_jobs import MOST_REVIEWS, SECONDS, ReviewJob, begin_review
from inarow.ui.web.session import Session
from inarow.ui.web.set_up import put_stone, setting_of
from inarow.ui.web.settings import Setting

PLAYED = "22 12 11 33 13 31 23"  # the second, fifth and seventh move are mistakes
CHOICE = ("tictactoe", "perfect", "second")


def test_stones_are_put_changed_and_removed():
    flat, stones = game_of("tictactoe"), [0] * 9
    put_stone(flat, stones, 4, 1)
    put_stone(flat, stones, 5, 2)
    put_stone(flat, stones, 4, 2)  # another colour replaces it, the same takes it off
    assert stones == [0, 0, 0, 0, 2, 2, 0, 0, 0]
    put_stone(flat, stones, 4, 2)
    put_stone(flat, stones, 5, 0)
    put_stone(flat, stones, 6, 0)
    assert stones == [0] * 9
    falling = game_of("board:3x2,k=2,gravity")
    stones = [0] * 6
    for cell, stone in ((4, 1), (0, 2), (2, 2), (5, 1)):  # anywhere in the column
        put_stone(falling, stones, cell, stone)
    assert stones == [2, 1, 2, 0, 0, 0]
    for stone in (2, 1, 2):
        put_stone(falling, stones, 5, stone)
    assert stones == [2, 1, 2, 2, 0, 2]  # in a full column another colour replaces the top
    put_stone(falling, stones, 1, 0)
    assert stones == [2, 2, 2, 2, 0, 0]  # what lay above falls


def test_a_text_is_moves_or_the_record_of_one_game():
    assert setting_of(CHOICE, " 22 11 ") == Setting(*CHOICE, None, "22 11")
    record = '[Game "connect4:4x4"]\n[SetUp "2"]\n[Result "1-0"]\n\n1. 1 2 2. 1 1-0\n'
    opened = setting_of(CHOICE, record)
    assert opened == Setting("connect4:4x4", "human", "first", None, "121", 2, 2)
    for text, said in (
        (record * 2, "2 games"),
        ("1" * 20_001, "20,001 characters"),
        ("[x", "line 1"),
    ):
        with pytest.raises(InputError, match=said):
            setting_of(CHOICE, text)
    kept = KeptGame.model_validate(opened.as_json() | {"hints": True, "values": "off"})
    assert Setting(**kept.model_dump(exclude={"hints", "values"})) == opened


def test_the_moves_of_a_position_that_was_set_up_are_not_reviewed():
    whole, position = analyse("tictactoe", PLAYED), game_of("tictactoe").position(PLAYED)
    work = Analyser(position, SECONDS, since=4)
    assert work.left == 4  # three moves, and the position itself
    while work.left:
        work.step()
    part = work.analysis()
    assert part.moves == whole.moves[4:]
    assert part.values == whole.values[4:]
    written = record(position, "human", "human")
    assert analyse(replace(written, others={"SetUp": "4"})).moves == part.moves
    assert "stones  4" not in str(whole)
    assert re.search(r"mistake +\? +\?\n +stones +5", str(part))  # as many as lie on the board


def test_the_best_line_keeps_the_value():
    position = game_of("tictactoe").position("11 12")
    line = best_line(position)
    for place, move in enumerate(line):
        assert exact(position).moves[move].stones == len(line) - place  # a win, as soon as can be
        position.push(move)
    assert position.outcome.winner == 1
    assert len(best_line(game_of("tictactoe").position(), most=3)) == 3
    assert best_line(game_of("mnk:15x15x5").position()) == []  # nothing exact is known


def test_reviews_are_bounded_end_with_their_game_and_survive_a_look():
    async def play():
        executors, told = Executors(), []
        session = Session(executors, None)
        session.listeners.add(lambda: told.append(session.review))
        await session.begin(Setting("tictactoe", "human", moves=PLAYED))
        session.begin_review()
        while session.review.going_on:
            await asyncio.sleep(0.01)
        assert [move.ply for move in session.review.analysis.mistakes] == [2, 5, 7]
        session.show_ply(3)
        assert session.shown.ply == 3
        assert session.review is not None
        session.show_ply(-5)
        assert session.shown.ply == 0
        session.show_ply(10**6)
        assert session.ply is None
        session.act(session.table.undo)
        assert session.review is None  # it is another game now
        long = game_of("mnk:15x15x5").position("1,1")
        jobs = [ReviewJob(long, 0, lambda: None) for _ in range(MOST_REVIEWS + 1)]
        executors.reviews.close()  # nothing begins any more: they all wait
        for job in jobs[:-1]:
            begin_review(executors.reviews, job)
        with pytest.raises(InputError, match="32 games are being reviewed"):
            begin_review(executors.reviews, jobs[-1])
        session.close()
        executors.close()

    asyncio.run(play())
