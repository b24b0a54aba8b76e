"""Studies beyond the documents: how threats are counted, shares, memory, learning opponents."""

from __future__ import annotations

from typing import Any

import pytest

from inarow.game import game as game_of
from inarow.papers.cube import threats
from inarow.papers.hybrid import beyond
from inarow.papers.measures import Data
from inarow.papers.n_dimensional import opponents
from inarow.papers.study import Results


def data(part: str, facts: dict[str, Any] | None = None, *rows: dict[str, Any]) -> Data:
    return Data({part: Results("a paper", part, "paper", list(rows), facts or {})}, "all")


def test_threats_before_the_last_reply_are_counted() -> None:
    """An open three along the floor, and a single threat."""
    game = game_of("connect4:6x7")
    two = game.position("3 3 4 4 5")  # both 2 and 6 win
    assert threats.winning_moves(two, 1) == [1, 5]
    for reply, win in ((2, 6), (6, 2)):
        won = game.position(f"3 3 4 4 5 {reply} {win}")
        assert won.outcome is not None
        assert threats.kind_of(won) == threats.TWO
    one = game.position("1 7 1 7 1 6 1")  # not blocked: one threat alone
    assert threats.kind_of(one) == threats.STACKED


def test_shares_of_wins_are_those_of_the_games_that_were_won() -> None:
    kinds = (*threats.KINDS, "lost or drawn")
    trials = [dict(zip(kinds, counts, strict=True)) for counts in ((6, 2, 0, 92), (9, 0, 1, 90))]
    found = threats.share_of_wins(threats.TWO)(data(threats.THREATS, {"trials": trials}))
    assert found is not None
    assert found.values == (75.0, 90.0)
    assert threats.share_of_wins(threats.TWO)(data("all")) is None
    said = threats.how_won(data(threats.THREATS, {"trials": trials, "training": 5, "tests": 100}))
    assert said["shares"][threats.TWO].startswith("82.5% (")
    assert (said["trials"], said["only"]) == (2, False)


def test_the_best_share_of_random_games_is_the_one_with_the_fewest_losses() -> None:
    name = "chance lost as second against random"
    losses = {
        "0": (0.04, 0.05, 0.04, 0.05), "1/20": (0.01, 0.03, 0.01, 0.01),
        "1": (0.06, 0.07, 0.06, 0.07),
    }  # fmt: skip
    rows = [
        {
            "game": "tictactoe", "share": share, "runs": 4,
            "finals": {name: losses.get(share, (0.01,) * 4)},
        }
        for share in beyond.SHARES
    ]  # fmt: skip
    found = data(beyond.LARGER, None, *rows)
    heights = [(at, round(mean)) for at, mean, *_ in beyond.points("tictactoe", found)]
    assert heights[0] == (0.0, 45_000)
    assert heights[2] == (pytest.approx(1 / 7), 10_000)
    board = beyond.least_lost(found)["tictactoe"]
    assert board["best"] == "1/7"
    assert board["alike"] == "1/20, 1/3, 2/3 and 9/10"
    assert board["with_best"]
    assert board["helps"]
    assert beyond.least_lost(data(beyond.LARGER, None, *rows[1:])) == {}


def test_the_trainers_are_ordered_by_the_positions_they_lead_to() -> None:
    counts = {"attack-defense": 300, "random": 200, "attack": 400}
    rows = [{"game": "tictactoe", "trainer": t, "written": n} for t, n in counts.items()]
    found = beyond.written(data(beyond.MEMORY, {"memory": rows}))
    assert list(found.values()) == [{"best": 300, "random": 200, "more": True, "place": 2, "of": 3}]


def test_agents_of_learning_opponents_are_compared_with_those_of_fixed_ones() -> None:
    shares = {
        "random": {"random": 10.0, "advanced": 60.0},
        "advanced": {"random": 30.0, "advanced": 20.0},
        "itself": {"random": 15.0, "advanced": 15.0},
    }
    rows = [
        {
            "game": "tictactoe", "trainer": trainer, "runs": 10, "games": [0, 2_000],
            "shares": {o: {"lost": [[lost, 0.5]]} for o, lost in by.items()},
        }
        for trainer, by in shares.items()
    ]  # fmt: skip
    found = data(opponents.LEARNING, {}, *rows)
    more = [(opponent, one.mean) for _, opponent, one in opponents.lost_more(found)]
    assert more == [("random", 5.0), ("advanced", -5.0)]
    said = opponents.said(found)
    assert (said["more"], said["less"], said["of"]) == (1, 1, 2)
    assert said["most"] == {"agent": "2-D, policy gradient", "opponent": "random", "by": 5.0}
    assert said["games"] == "2,000 (2-D)"


def test_memory_of_a_run() -> None:
    row = beyond.memory_of("tictactoe", "random", 500)
    assert row["table"] == 2 * 8 * row["positions"] == 2 * 8 * 5_478
    assert row["table"] < row["held"]
    assert 100 < row["written"] < row["positions"]


def test_two_learners_train_each_other() -> None:
    found, again = (opponents.play_pair(3, 400, 4) for _ in range(2))
    assert found == again
    for side in ("first", "second"):
        ends = [found[f"{end} as {side} against random"] for end in ("won", "drawn", "lost")]
        assert sum(ends) == pytest.approx(1)
    other = opponents.play_pair(3, 400, 2)  # their opponents stay as they are for longer
    assert found != other
