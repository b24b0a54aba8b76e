"""Certificates against anyone: what they say, in Python, in the terminal and as JSON."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import inarow
from inarow.game import InputError
from inarow.lab.certificates.anyone import certify_against_anyone
from inarow.lab.certificates.by_solver import judge_late
from inarow.lab.evaluation import evaluate
from inarow.ui.main import app


def say(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["certify", *arguments], env={"COLUMNS": "80"})
    assert result.exception is None, result.exception
    return result.output


def test_what_is_proven_is_said_in_words_and_numbers() -> None:
    certificate = inarow.certify_against_anyone("minimax:9", "tictactoe")
    for side in certificate.sides.values():
        assert side.result == "never loses"
        assert side.text.startswith("proven: never loses. ")
        assert list(side.counterexamples) == ["drawn"]
    answer = certificate.as_json()
    assert answer["proven"] is True
    assert answer["sides"]["first"]["proven"] == "never loses"
    assert answer["sides"]["first"]["lost"] == 0


def test_a_beaten_player_has_a_line_and_nothing_is_proven_for_it() -> None:
    certificate = certify_against_anyone("random", "tictactoe", ("second",))
    (side,) = certificate.sides.values()
    answer = side.as_json()
    assert (answer["proven"], answer["result"]) == (None, "can lose")
    assert certificate.as_json()["proven"] is False
    line = game_after(answer["counterexamples"]["lost"])
    assert line.outcome is not None
    assert line.outcome.winner == 1
    assert "proven" not in side.text


def game_after(moves: str) -> inarow.Position:
    return inarow.game("tictactoe").position(moves)


def test_counts_by_stones_add_up() -> None:
    answer = certify_against_anyone("attack-defense@random", "connect4:4x4").as_json()
    for side in answer["sides"].values():
        for name in ("positions", "won", "drawn", "lost"):
            assert sum(row[name] for row in side["by_stones"].values()) == side[name]


def test_a_beaten_player_is_followed_no_further_than_needed() -> None:
    found = certify_against_anyone("random", "connect4:5x5", ("first",), progress=lambda s, n: None)
    side = found.sides["first"]
    assert side.result == "can lose"
    assert not side.every_game.complete
    assert "not all games were enumerated" in side.text
    assert not side.as_json()["complete"]


@pytest.mark.parametrize(
    ("player", "game", "side", "why"),
    [
        ("perfect", "tictactoe", "first", "only compiled players"),
        ("minimax:4/0.1s", "tictactoe", "first", "only compiled players"),
        ("mcts:10", "tictactoe", "first", "mcts:10 .* does not state every move"),
        ("combined", "tictactoe", "first", "several policies"),
        ("random", "tictactoe", "third", "must be one of first, second"),
        ("ntuple", "connect4:5x5", "first", "plays connect4:6x7, not connect4:5x5"),
        ("random", "mnk:9x9x5", "first", "at most 64 cells"),
    ],
)
def test_what_cannot_be_certified_is_one_line(player: str, game: str, side: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        certify_against_anyone(player, game, (side,))


def test_in_the_terminal() -> None:
    text = say("minimax:9", "tictactoe", "--against", "anyone", "--side", "first")
    assert "minimax:9 in tictactoe, first player, against anyone:" in text
    assert "proven: never loses." in " ".join(text.split())
    assert "second player" not in text


def test_as_json() -> None:
    answer = json.loads(say("random", "tictactoe", "--against", "anyone", "--json"))
    assert sorted(answer["sides"]) == ["first", "second"]
    for side in answer["sides"].values():
        assert {"positions", "won", "lost", "drawn", "proven"} <= side.keys()


def test_as_an_evaluation_of_studies() -> None:
    agent = inarow.train("connect4:4x5", "ntuple", games=50, tuples=8, length=4).agent
    whole = evaluate(agent, "anyone:second", 0)
    found = certify_against_anyone(agent, sides=("second",), count_all=True).sides["second"]
    assert whole["lost as second against anyone"] == found.every_game.lost
    part = evaluate(agent, "anyone:second:9", 0)
    reached = part["reached with 9 stones as second against anyone"]
    assert reached == found.every_game.counts[9, 0]
    assert 0 <= part["no longer won with 9 stones as second against anyone"] <= reached
    late = evaluate(agent, "endings:4:9", 0)
    judged = judge_late(agent, agent.game, 9, 4, 0).rates
    assert late["judged from 9 stones on"] == sum(rate.judged for rate in judged) > 0
    assert late["mistakes from 9 stones on"] == sum(rate.mistakes for rate in judged)
    for bad in (
        "anyone:third",
        "anyone:first:x",
        "endings",
        "endings:x",
        "endings:0",
        "endings:1:99",
    ):
        with pytest.raises(InputError):
            evaluate(agent, bad, 0)
