"""Studies: grids, the files that describe them, and what is wrong with some."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from inarow.game import InputError
from inarow.lab.studies.study import DEFAULT_WORK, Study, check_configs, grid, read_study, work_of


def test_a_grid_has_every_choice_in_order() -> None:
    configs = grid(game="tictactoe", alpha=[0.1, 0.2], against=("a", "b"))
    assert [tuple(config.values()) for config in configs] == [
        ("tictactoe", 0.1, "a"),
        ("tictactoe", 0.1, "b"),
        ("tictactoe", 0.2, "a"),
        ("tictactoe", 0.2, "b"),
    ]
    assert list(configs[0]) == ["game", "alpha", "against"]
    assert grid(x=1) == ({"x": 1},)
    assert grid(x=[]) == ()


def test_configs_are_as_json_gives_them_back() -> None:
    study = Study("x", ({"pair": (1, 2), "name": "ü"},))
    assert study.configs == ({"pair": [1, 2], "name": "ü"},)
    assert study.work == DEFAULT_WORK


def test_training_is_a_work() -> None:
    assert work_of(DEFAULT_WORK).__name__ == "TrainingWork"


@pytest.mark.parametrize(
    ("name", "configs", "message"),
    [
        ("", ({},), "cannot be called ''"),
        ("two\nlines", ({},), "give it a name in one line"),
        ("x", (), "1 to 100,000 configs, not 0"),
        ("x", ({"a": 1}, {"a": 2}, {"a": 1}), "configs 0 and 2 of the study are the same"),
        ("x", ({"a": 1, "b": 2}, {"b": 2, "a": 1}), "configs 0 and 1 of the study are the same"),
        ("x", ({"a": object()},), "cannot be stored"),
        ("x", ({"a": float("nan")},), "cannot be stored"),
        ("x", ({1: 2},), "named parameters"),
    ],
)
def test_what_is_no_study(name: str, configs: tuple, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Study(name, configs)


def test_whole_numbers_and_fractions_are_different_parameters() -> None:
    assert len(Study("x", ({"a": 1}, {"a": 1.0}, {"a": True})).configs) == 3


FILE = """
name = "trainers"
work = "some:Work"
[fixed]
games = 100
list = [1, 2]
options = {a = 1}
[grid]
against = ["x", "y"]
alpha = [0.1, 0.2]
"""


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(FILE)
    fixed = {"games": 100, "list": [1, 2], "options": {"a": 1}}
    assert read_study(path) == Study(
        "trainers",
        tuple({**fixed, "against": who, "alpha": a} for who in "xy" for a in (0.1, 0.2)),
        "some:Work",
    )
    path.write_text('name = "one"')
    assert read_study(path) == Study("one", ({},))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = ", "is not TOML"),
        ("[grid]\na = [1]", "a study cannot be called ''"),
        ("name = 7", "name and work are texts"),
        ('name = "x"\ngird = 1', r"unknown 'gird' \(did you mean grid\?\): a study has name, work"),
        ('name = "x"\ngrid = 1', "tables of parameters"),
        ('name = "x"\n[grid]\na = 1', r"'a' in \[grid\] is not a list"),
        ('name = "x"\n[grid]\na = []', r"'a' in \[grid\] is not a list"),
        ('name = "x"\n[fixed]\na = 1\n[grid]\na = [1]', "both in"),
        ('name = "x"\n[grid]\na = [1, 1]', "configs 0 and 1 of the study are the same"),
        ('name = "x"\n[fixed]\na = 2020-01-01', "cannot be stored"),
        ('name = "x"\n[fixed]\na = nan', "cannot be stored"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=rf"bad\.toml.*{message}"):
        read_study(path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no file .*none\.toml"):
        read_study(tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"bytes\.toml is not TOML"):
        read_study(tmp_path / "bytes.toml")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("name = 'x'\n[fixed]\na = " + "[" * 9000, "is not TOML"),
        ("name = 'x'\n[fixed]\na = " + "[" * 9000 + "]" * 9000, "is not TOML"),
        ("name = 'x'\n[fixed]\na = " + "9" * 9000, "is not TOML"),
        (
            "name = 'x'\n[grid]\n" + "".join(f"{c} = [{'1,' * 99}]\n" for c in "abcdef"),
            "a grid has at most 100,000",
        ),
        ("name = 'x'\n[fixed]\na = 2020-01-01\n", "cannot be stored"),
    ],
)
def test_files_that_ask_for_too_much_are_one_line(tmp_path, content, message):
    path = tmp_path / "some.toml"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        read_study(path)


@pytest.mark.parametrize(
    ("work", "config", "message"),
    [
        (DEFAULT_WORK, {"evaluations": 5}, "evaluations is a list of names, not 5"),
        (DEFAULT_WORK, {"games": None}, "games is a whole number"),
        (
            "inarow.lab.pair_work:PairWork",
            {},
            "cannot be run: a pair needs network, games",
        ),
        ("inarow.papers.connect_four.tdl:TrainedOnWork", {}, "cannot be run: KeyError: 'start'"),
    ],
)
def test_what_a_work_stumbles_over_is_one_line(work: str, config: dict, message: str) -> None:
    some = {"game": "tictactoe", "learner": "td", "against": "attack", **config}
    with pytest.raises(InputError, match=f"^config 0 .*{message}"):
        check_configs(Study("some", (some,), work))


def test_a_pipe_and_a_file_without_end_are_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(InputError, match="it is not a file"):
        read_study(tmp_path / "pipe.toml")
    with (tmp_path / "large.toml").open("wb") as file:
        file.truncate(2**40)  # which takes no room on the disk
    with pytest.raises(InputError, match="it has 1,099,511,627,776 bytes, and the limit is"):
        read_study(tmp_path / "large.toml")
