"""Evaluations are read once: names of what they measure, and what is refused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import inarow
from inarow.game import InputError
from inarow.game import game as game_of
from inarow.lab.evaluation import (
    EVALUATIONS,
    Exact,
    Games,
    Score,
    evaluate,
    parse_evaluation,
    parse_evaluations,
)
from inarow.lab.studies.study import Study, check_configs, grid
from inarow.lab.training.run import train

TEXTS = [
    "games:random:20", "games:minimax:2:20:second", "sides:attack:10", "expert", "exact",
    "exact:minimax:2", "score:random", "score:minimax:2", "score:minimax:2:20:first",
    "score:random:20:second", "exploitability", "exploitability:second", "certificate",
    "perfect:4", "perfect:4:second:value", "anyone:second", "endings:3:4",
]  # fmt: skip
OWN = """
import inarow

def corner(agent, seed):
    return agent.values(agent.game.position())[0]

@inarow.evaluation("corner value", "seed's parity")
def two(agent, seed):
    return {"seed's parity": seed % 2, "corner value": corner(agent, seed)}

def text(agent, seed):
    return "much"

def others(agent, seed):
    return {"one": 1, "two": 2}

def lost(agent, seed):
    return 0

def fails(agent, seed):
    raise KeyError("x")

@inarow.evaluation("score", "games", scale="points")
def points(agent, seed):
    return {"score": -5, "games": 2.5}

@inarow.evaluation(scale="share")
def cornered(agent, seed):
    return 0.25

@inarow.evaluation(scale="count")
def negative(agent, seed):
    return -1

@inarow.evaluation("sure", scale="yes or no")
def unsure(agent, seed):
    return {"sure": 0.5}
"""


@pytest.fixture(scope="module")
def agent() -> object:
    return train("tictactoe", "td", against="random", games=500, seed=1).agent


@pytest.mark.parametrize("text", TEXTS)
def test_the_names_of_what_is_measured_are_known_before(text: str, agent: object) -> None:
    game = game_of("tictactoe")
    (parsed,) = parse_evaluations([text], game)
    measured = evaluate(agent, text, 3)  # type: ignore[arg-type]
    assert measured
    assert set(measured) <= set(parsed.metrics(game))
    if "perfect" not in text:  # where a number of stones may never be reached
        assert set(measured) == set(parsed.metrics(game))


def test_every_kind_is_tried_here() -> None:
    assert {text.partition(":")[0] for text in TEXTS} == set(EVALUATIONS)
    for name, kind in EVALUATIONS.items():
        assert kind.form.startswith(name)


def test_numbers_behind_a_player_may_be_its_own() -> None:
    assert parse_evaluation("exact:minimax:2") == Exact("minimax:2")
    assert parse_evaluation("score:minimax:2") == Score("minimax:2")
    assert parse_evaluation("score:minimax:2:7") == Score("minimax:2", 7)
    assert parse_evaluation("score:random:7:first") == Score("random", 7, "first")
    assert parse_evaluation("games:minimax:2:7:second") == Games("minimax:2", 7, "second")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("much", "unknown evaluation 'much'"),
        (7, "unknown evaluation 7"),
        ("games:nobody:5", "unknown player 'nobody'"),
        ("games:random", "is not games:PLAYER:NUMBER"),
        ("games:random:²", "is not games:PLAYER:NUMBER"),
        ("games:random:" + "9" * 40, "must be a number of games"),
        ("sides:random:5:first", "is not sides:PLAYER:NUMBER"),
        ("score", "score:PLAYER"),
        ("score:nobody:5", "unknown player"),
        ("exact:nobody", "unknown player"),
        ("exploitability:third", "side 'third'"),
        ("certificate:x", "so many parts"),
        ("perfect:²", "must be a number of games"),
        ("perfect:0", "between 1 and"),
        ("anyone:first:²", "must be a number of stones"),
        ("endings:²", "is not endings:GAMES"),
        ("endings:3:40", "no moves from 40 stones on"),
        ("no_such_module:f", "there is no module no_such_module"),
    ],
)
def test_what_cannot_be_evaluated_is_refused_before(text: object, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        parse_evaluations([text], game_of("tictactoe"))


@pytest.mark.parametrize(
    "texts",
    [
        ("games:random:100:first", "games:random:100:second"),
        ("score:random", "score:random:100"),
        ("exploitability", "exploitability:first"),
        ("certificate", "certificate"),
    ],
)
def test_two_evaluations_of_one_metric_are_refused_before(texts: tuple[str, str]) -> None:
    study = Study("s", grid(game="tictactoe", against="random", evaluations=[list(texts)]))
    with pytest.raises(InputError, match="both measure"):
        check_configs(study)


def test_games_that_an_evaluation_does_not_reach_are_refused_before() -> None:
    for text in ("exact", "certificate", "expert", "exploitability", "score:random"):
        with pytest.raises(InputError, match=r"cells|positions"):
            parse_evaluations([text], game_of("mnk:9x9x5"))
    with pytest.raises(InputError, match="out of reach"):
        parse_evaluations(["perfect"], game_of("ntictactoe:3^3"))


def test_own_functions_are_evaluations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: object
) -> None:
    (tmp_path / "own_evaluations.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    names = ["own_evaluations:two", "own_evaluations:corner", "exact"]
    run = inarow.train(
        "tictactoe", "td", against="random", games=300, record=tmp_path / "own.db",
        evaluations=names,
    )  # fmt: skip
    assert run.recording is not None
    found = {m.metric: m.value for m in run.recording.measurements if m.games == 300}
    assert found["corner"] == found["corner value"] == run.agent.values(inarow.game("tictactoe").position())[0]  # fmt: skip # noqa: E501
    assert found["seed's parity"] in (0.0, 1.0)
    assert run.plot("corner value").curves[0].points[-1][1] == found["corner"]
    for name, problem in {
        "text": "which is not a number",
        "others": "measures others, not",
        "fails": "failed: KeyError",
        "missing": "has no missing",
    }.items():
        with pytest.raises(InputError, match=problem):
            evaluate(agent, f"own_evaluations:{name}", 1)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="as every run does itself"):
        parse_evaluations(["own_evaluations:lost"], game_of("tictactoe"))
    with pytest.raises(InputError, match="both measure 'corner'"):
        parse_evaluations(["own_evaluations:corner"] * 2, game_of("tictactoe"))
    measured = evaluate(agent, "own_evaluations:points", 1)  # type: ignore[arg-type]
    assert measured == {"score (points)": -5.0, "games (points)": 2.5}
    cornered = evaluate(agent, "own_evaluations:cornered", 1)  # type: ignore[arg-type]
    assert cornered == {"cornered (share)": 0.25}
    for name, value, scale in (("negative", "-1", "count"), ("unsure", "0.5", "yes or no")):
        with pytest.raises(InputError, match=f"gives {value} for .*: its scale is {scale}"):
            evaluate(agent, f"own_evaluations:{name}", 1)  # type: ignore[arg-type]
    sys.modules.pop("own_evaluations", None)
    with pytest.raises(InputError, match="one of share, count, yes or no, points, not 'shares'"):
        inarow.evaluation("a", scale="shares")
    for wrong in ((), ("a", "a"), ("",), (3,)):
        with pytest.raises(InputError):
            inarow.evaluation(*wrong)  # type: ignore[arg-type]
