"""The settings of papers by name: every condition has one, and trains what its study trains."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import inarow.papers
from inarow.game import InputError
from inarow.lab.studies.study import read_study, work_of
from inarow.lab.training.driver import KNOWN, TrainingWork, options_in
from inarow.lab.training.run import Run, continue_training
from inarow.papers.addresses import Address, address, addresses, shown_value
from inarow.papers.paper import names, paper_of
from inarow.papers.study import PAPER

ALL = [one for name in names() for one in addresses(name)]
TRAINING = [one for one in ALL if one.condition.trains]
FEW = 6  # games


def test_every_condition_has_an_address() -> None:
    assert len({one.text for one in ALL}) == len(ALL)
    for name in names():
        paper = paper_of(name)
        conditions = sum(len(part.conditions_at(PAPER)) for part in paper.parts)
        assert len(addresses(name)) == conditions + len(paper.literal)
    for one in ALL:
        assert address(one.text).condition.labels == one.condition.labels
        assert not set(one.text) & set(" ,()'\"")


@pytest.mark.parametrize("name", names())
def test_an_address_has_the_settings_of_the_study(name: str) -> None:
    for one in (one for one in TRAINING if one.paper.name == name):
        assert issubclass(work_of(one.condition.work), TrainingWork)
        study = {**one.condition.parameters}
        for option, value in inarow.papers.settings(one.text).items():
            assert study.pop(option) == value, one.text
        assert {*study} <= {"perfect_games"}, one.text  # an evaluation's


def kinds() -> list[Address]:
    """One condition of each paper, learner, game and kind of opponent: itself, or a player."""
    found: dict[str, Address] = {}
    for one in TRAINING:
        given = {**KNOWN, **one.parameters}
        key = (one.paper.name, given["learner"], given["game"], given["against"] is None)
        found.setdefault(str(key), one)
    small = {"tictactoe", "connect4:4x4", "cube", "ntictactoe:3^3"}
    return [one for one in found.values() if one.parameters["game"] in small]


@pytest.mark.parametrize("one", kinds(), ids=lambda one: one.text)
def test_it_trains_bit_for_bit_what_the_study_trains(one: Address) -> None:
    seed, given = 3, {**KNOWN, **inarow.papers.settings(one.text)}
    options = options_in(given)
    named = Run(given["game"], given["learner"], options, given["against"], seed)
    continue_training(named, FEW)
    config = {**one.condition.parameters, "games": FEW, "evaluations": [], "evaluate_at": []}
    work = work_of(one.condition.work).begin(config, seed)
    assert isinstance(work, TrainingWork)
    work.run.training.play(FEW)
    arrays, expected = named.training.arrays, work.run.training.arrays
    assert {*arrays} == {*expected}
    for name, array in arrays.items():
        assert np.array_equal(array, expected[name], equal_nan=array.dtype.kind == "f"), name


def test_where_the_paper_says_it() -> None:
    said = {name: (value, place) for name, value, place in
            address("hybrid:tictactoe/attack-defense").said()}  # fmt: skip
    assert said["games"] == (2_000_000, "Section 3")
    assert said["stop_games"] == (50_000, "Section 3")
    assert said["against"] == ("attack-defense", "")


def test_a_place_is_that_of_the_meaning_and_not_of_a_number() -> None:
    """The grid tries other values than the paper's; what equals a default is said, too."""
    grid = address("n-dimensional:grid/tictactoe/0.1/0.1/random/4000")
    assert {name: place for name, _, place in grid.said() if name in ("alpha", "epsilon")} == {
        "alpha": "", "epsilon": "",
    }  # fmt: skip
    base = {name: place for name, _, place in
            address("n-dimensional:tictactoe/base/random/20000").said()}  # fmt: skip
    assert base["alpha"] == base["gamma"] == "Section V"
    assert base["games"] == ""  # as many as the policy gradient's, by chance
    cube = address("cube:self-play/deep-structured").defaults()
    assert (cube["alpha"], cube["epsilon"]) == ("0.005", "0.1")
    assert "network" not in cube
    assert shown_value("0.59999999999999998*0.9999995394830874>0.06") == "0.6*0.999999539>0.06"
    assert (shown_value(2_000_000), shown_value(True), shown_value(0.45)) == (
        "2,000,000", "True", "0.45",
    )  # fmt: skip


def test_a_paper_in_a_folder_is_named_in_any_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    walk = Path(__file__).parents[2] / "docs" / "how-to" / "add-a-paper.md"
    blocks = dict(re.findall(r"```(toml|python)\n(.*?)```", walk.read_text(), re.DOTALL)[::-1])
    (folder := tmp_path / "Small").mkdir()
    (folder / "published.toml").write_text(blocks["toml"])
    (folder / "paper.py").write_text(blocks["python"])
    monkeypatch.chdir(tmp_path)
    (first, *_) = addresses("Small")
    for name in ("Small", "Small/", str(folder)):
        assert address(f"{name}:{first.text.partition(':')[2]}").condition == first.condition


def test_the_text_word_by_word() -> None:
    found = address("cube:literal/self-play/deep-structured").parameters
    assert (found["bias"], found["shield"]) == (False, "none")


def test_a_study_file_names_them(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(
        'name = "as in"\n[fixed]\ngames = 100\n[grid]\n'
        'as_in = ["hybrid:tictactoe/attack", "hybrid:tictactoe/random"]\n'
    )
    first, second = read_study(path).configs
    assert (first["against"], second["against"]) == ("attack", "random")
    assert first["games"] == second["games"] == 100  # what the file says itself counts more
    assert "as_in" not in first
    path.write_text('name = "as in"\n[fixed]\nas_in = "hybrid:nothing"\n')
    with pytest.raises(InputError, match="hybrid has no settings 'nothing'"):
        read_study(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cube", "is not the address of a paper's settings"),
        ("cube:", "is not the address of a paper's settings"),
        ("chess:x", "unknown paper 'chess'"),
        ("cube:self-play/x", "cube has no settings 'self-play/x': `inarow reproduce cube"),
    ],
)
def test_what_is_no_address_is_one_line(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        address(text)
    assert "\n" not in str(error.value)


def test_what_trains_nothing_says_what_runs_it() -> None:
    (speed,) = [one for one in addresses("hybrid")
                if one.text == "hybrid:speed/tictactoe/random"]  # fmt: skip
    assert not speed.condition.trains
    with pytest.raises(InputError, match="`inarow reproduce hybrid --part speed` runs it"):
        inarow.papers.settings(speed.text)
