"""An evaluation, a learner and a policy of a person's own, in one study with built-in learners."""

from __future__ import annotations

import pytest

from inarow.lab.studies import runner
from inarow.lab.studies.store import Store
from inarow.learn import registry
from tests.pages import DOCS, blocks

STUDY = """
name = "own parts"
[fixed]
game = "tictactoe"
games = 96
evaluate_at = [48]
evaluations = ["score:random:40", "corner:corner"]
[[grid]]
learner = "td"
against = "attack-defense"
side = "both"
[[grid]]
learner = "q"
[[grid]]
learner = "double_q"
[[grid]]
learner = "policy"
against = "attack-defense"
batch = 32
"""
CORNER = """
import inarow

@inarow.evaluation(scale="count")
def corner(agent, seed):
    position = inarow.game("tictactoe").position()
    return int(int(agent.move(position)) in (0, 2, 6, 8))
"""
OWN = ("--learner", "double_q:DoubleQ", "--learner", "policy:Policy")


@pytest.fixture
def _folder(tmp_path, monkeypatch):
    """The files of a person, as the pages have them; what they make known is forgotten."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "_named", {})
    for page, file in (("learner.md", "double_q.py"), ("policy.md", "policy.py")):
        found = [b.text for b in blocks(DOCS / "tutorials" / page) if b.file == file]
        (tmp_path / file).write_text("\n".join(found))
    (tmp_path / "corner.py").write_text(CORNER)
    (tmp_path / "own.toml").write_text(STUDY)


def rows(path):
    with Store.open(path) as store:
        return list(store.measurements()), store.ended(), store.metrics(0)


@pytest.mark.usefixtures("_folder")
def test_a_study_of_own_parts_goes_on_as_if_it_had_not_been_stopped(
    run, answer, tmp_path, monkeypatch
):
    whole = ("study", "run", "own.toml", "--runs", "2", "--out", "whole.db")
    assert run(*OWN, *whole, "--workers", "2")[0] == 0
    found = rows(tmp_path / "whole.db")
    assert found[2] == ["corner (count)", "games", "lost", "score against random"]
    assert len(found[1]) == 8

    commit, stored = Store.commit, []

    def killed(self, slices):
        commit(self, slices)
        stored.append(1)
        if len(stored) % 3 == 0:
            raise KeyboardInterrupt

    monkeypatch.setattr(runner, "SLICE_SECONDS", 0.0)  # a point a slice
    monkeypatch.setattr(runner.run_study, "__kwdefaults__", {"seed": 0, "seconds": 0.0})
    monkeypatch.setattr(Store, "commit", killed)
    cut = ("study", "run", "own.toml", "--runs", "2", "--workers", "1", "--out", "cut.db")
    statuses = []
    for _ in range(40):
        statuses.append(run(*OWN, *cut)[0])
        if statuses[-1] == 0:
            break
    assert statuses[-1] == 0
    assert len(statuses) > 3
    assert rows(tmp_path / "cut.db") == found

    compared = answer(*OWN, "study", "compare", "whole.db", "--metric", "score against random")
    assert len(compared["conditions"]) == 4
    assert run(*OWN, "plot", "whole.db", "--metric", "corner (count)")[0] == 0
