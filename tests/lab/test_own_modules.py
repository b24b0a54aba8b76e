"""Modules of a person's own: found next to the study file, and named where they are not known."""

from __future__ import annotations

import sys
import textwrap

import pytest

import inarow
from inarow.game import InputError, plugins
from inarow.lab.numbers import scale_of
from inarow.lab.studies.study import check_configs, read_study
from inarow.learn import registry

STUDY = """
name = "mine"
[fixed]
game = "tictactoe"
learner = "q"
games = 20
evaluations = ["my_measures_beside:corners"]
"""
MEASURES = """
def corners(agent, seed):
    return 1.0

def wrong(agent):
    return 1.0
"""


@pytest.fixture
def beside(tmp_path, monkeypatch):
    folder = tmp_path / "studies"
    folder.mkdir()
    (folder / "study.toml").write_text(STUDY)
    (folder / "my_measures_beside.py").write_text(MEASURES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(plugins, "_folders", [])
    monkeypatch.delitem(sys.modules, "my_measures_beside", raising=False)
    return folder


def test_they_are_found_from_any_folder(beside):
    study = read_study(beside / "study.toml")
    assert plugins.folders() == [str(beside)]
    check_configs(study)
    rows = inarow.run_study(study, beside / "study.db", 1).rows()
    assert {row["metric"] for row in rows} == {"corners", "games", "lost"}


def test_an_evaluation_that_cannot_be_called_is_refused_before(beside):
    (beside / "study.toml").write_text(STUDY.replace("corners", "wrong"))
    with pytest.raises(InputError, match=r"write def wrong\(agent, seed\)"):
        check_configs(read_study(beside / "study.toml"))


def test_a_list_of_lists_is_wanted_in_a_grid(beside):
    text = STUDY.replace("evaluations", "[[grid]]\nevaluations")
    (beside / "study.toml").write_text(text)
    with pytest.raises(InputError, match=r'a list of lists: evaluations = \[\["score:random"\]\]'):
        check_configs(read_study(beside / "study.toml"))


def test_compare_says_whose_defaults_are_not_known(tmp_path, monkeypatch):
    class Mine:
        """Any move."""

        name = "any_move"
        deterministic = True

        def __init__(self, alpha=0.5):
            self.alpha = alpha

        def act(self, position, explore):  # noqa: ARG002
            return position.legal_moves[0]

        def learn(self, position, move, reward, after): ...
        def save(self): ...
        def load(self, saved): ...

    monkeypatch.setattr(registry, "_named", {})
    registry.register(Mine)
    fixed = {"game": "tictactoe", "games": 10, "evaluations": ["score:random"]}
    configs = ({**fixed, "learner": "q"}, {**fixed, "learner": "any_move"})
    found = inarow.run_study(inarow.Study("both", configs), tmp_path / "both.db", 2)
    assert "alpha: 0.1 (q), 0.5" in textwrap.shorten(str(found.compare().remarks), 4000)
    monkeypatch.setattr(registry, "_named", {})
    said = "The defaults of any_move are not known here: --learner module:Class makes them known."
    assert said in found.compare().remarks


def test_no_interval_holds_what_cannot_be():
    assert scale_of("exactly lost against expert").low == 0
    assert scale_of("mistakes as first from 6 stones").high == 1
    assert scale_of("mistakes as first against perfect").high == 1
    assert scale_of("mistakes from 20 stones on").high > 1
