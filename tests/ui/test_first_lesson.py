"""A first lesson: td against q in one study, and what a newcomer then looks at."""

from __future__ import annotations

import re

import pytest

from inarow import grid
from inarow.lab.numbers import number_text, scale_of
from inarow.lab.statistics import difference, summary
from inarow.lab.studies.store import Key, Store
from inarow.lab.studies.study import Measurement, Slice, Study, read_study

SMALL = ("games = 20000", "games = 2000"), ("[100, 300, 1000, 3000, 10000]", "[100, 1000]")


def test_td_against_q_in_one_file_one_plot_one_comparison(run, answer, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = run("study", "new", "lesson.toml")
    assert (status, err) == (0, "")
    suggested = [line.split()[1:] for line in out.splitlines() if line.startswith("   inarow")]
    text = (tmp_path / "lesson.toml").read_text()
    for before, after in SMALL:
        assert before in text
        text = text.replace(before, after)
    (tmp_path / "lesson.toml").write_text(text)

    assert len(suggested) == 3
    for command in suggested:
        status, out, err = run(*command)
        assert (status, err) == (0, "")
        assert "td, against attack-defense" in out or "learner td" in out
        assert "q, against itself" in out or "learner q" in out
    assert "alpha: 0.25 (td" in " ".join(out.split())  # defaults that differ are said
    drawn = answer("plot", "lesson.db")
    assert [curve["runs"] for curve in drawn["curves"]] == [5, 5]
    assert len(answer("study", "compare", "lesson.db")["conditions"]) == 2

    status, _, err = run("study", "new", "lesson.toml")
    assert (status, "--force replaces it" in err) == (2, True)
    assert (tmp_path / "lesson.toml").read_text() == text
    assert run("study", "new", "lesson.toml", "connect4:5x5", "ntuple", "--force")[0] == 0
    assert read_study(tmp_path / "lesson.toml").configs[0]["learner"] == "ntuple"
    assert run("study", "new", "lesson.txt")[0] == 2


def test_a_lesson_has_a_small_file_and_a_curve_to_see(run, answer, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("study", "new", "small.toml", "tictactoe", "ntuple")[0] == 0
    (config,) = read_study(tmp_path / "small.toml").configs
    assert (config["shield"], config["tuples"]) == (False, 8)
    out = " ".join(run("learners", "ntuple")[1].split())
    said = re.search(r"For a first lesson on tictactoe: ((--set \S+ ?)+)", out)[1].split()
    train = (
        "train",
        "tictactoe",
        "ntuple",
        "--games",
        "3000",
        "--seed",
        "1",
        "--out",
        "a.safetensors",
    )
    measured = ("--record", "a.db", "--evaluate", "score:attack-defense:400")
    status, out, _ = run(*train, *said, *measured)
    assert status == 0
    assert "For a lesson" not in out  # it is one
    assert (tmp_path / "a.safetensors").stat().st_size < 200_000
    (curve,) = answer("plot", "a.db")["curves"]
    values = [point["mean"] for point in curve["points"]]
    assert values[0] < 0.4 < 0.55 < values[-1]
    out = " ".join(run(*train[:4], "10", "--out", "b.safetensors")[1].split())
    assert f"a file of a few kilobytes: {' '.join(said)}" in out


def test_several_grids_have_configs_of_their_own(tmp_path):
    path = tmp_path / "some.toml"
    path.write_text(
        'name = "x"\nwork = "some:Work"\n[fixed]\ngames = 10\n'
        '[[grid]]\nlearner = "td"\nagainst = ["random", "attack"]\n[[grid]]\nlearner = "q"\n'
    )
    fixed = {"games": 10}
    assert read_study(path).configs == (
        *grid(**fixed, learner="td", against=["random", "attack"]),
        {**fixed, "learner": "q"},
    )


@pytest.fixture
def two_metrics(tmp_path):
    """A study whose conditions share one metric, which comes last by its name."""
    configs = ({"game": "tictactoe", "learner": "q"}, {"game": "tictactoe", "learner": "td"})
    path = tmp_path / "two.db"
    with Store.create(path, Study("two", configs)) as store:
        for config, own in enumerate(("score against x", "score as second against x")):
            for seed in range(3):
                value = 1 - 0.1 * seed * config
                found = [
                    Measurement(games, metric, value)
                    for games in (10, 20)
                    for metric in (own, "shared")
                ]
                found.append(Measurement(20, "lost", seed))
                store.commit([(Key(config, seed), 0, Slice(1, found, None, True, 1.0))])
    return str(path)


def test_nothing_vanishes_from_a_plot_or_a_comparison(run, answer, two_metrics):
    for command in (("plot",), ("study", "compare")):
        assert answer(*command, two_metrics)["metric"] == "shared"
        found = answer("plot", two_metrics, "--metric", "score against x")
        assert len(found["curves"]) == 1
        assert any("td" in note and "--metric shared" in note for note in found["notes"])
    out = run("plot", two_metrics, "--metric", "score against x")[1]
    assert "Left out: td: it did not measure score against x" in " ".join(out.split())
    # Every name that is shown can be asked for, and says what to do where there is no curve.
    names = {row["metric"] for row in answer("study", "show", two_metrics)["rows"]}
    for name in names:
        status, _, err = run("plot", two_metrics, "--metric", name)
        assert status == 0 or "`inarow study compare` compares it" in err
    assert answer("study", "compare", two_metrics, "--metric", "lost")["metric"] == "lost"
    status, _, err = run("plot", two_metrics, "--metric", "sharde")
    assert (status, "did you mean shared?" in err) == (2, True)


def test_intervals_hold_only_values_that_can_be(run, two_metrics):
    for command in (("plot",), ("study", "compare"), ("study", "show")):
        status, out, _ = run(*command, two_metrics)
        assert status == 0
        assert "Student's t" in out
        assert not re.search(r"\de[+-]\d", out)
    share = scale_of("chance won as first against random")
    assert summary([1, 0.9, 0.8], share).high == 1
    assert summary([0, 3, 1], scale_of("lost")).low == 0
    assert summary([0, 3, 1], scale_of("own")).low < 0
    assert summary([5, 3, 9], share).high > 9  # somebody's own metric of that name
    # An own evaluation says its scale; its name may begin like that of a built-in one.
    assert summary([1, 0.9, 0.8], scale_of("corner (share)")).high == 1
    assert summary([0, 3, 1], scale_of("corner (count)")).low == 0
    assert summary([1, 1, 1], scale_of("sure (yes or no)")).low < 1
    assert summary([0, 0.1, 0.2], scale_of("score (points)")).low < 0
    # The kind of interval follows from the metric, not from the values that happened.
    assert summary([1, 1, 1], share)[2:4] == (1, 1)
    assert summary([1, 1, 1], scale_of("unbeatable as first")).low < 1
    assert difference([1, 1, 0.1], [0, 0, 0.9], scale=share).high == 1


def test_numbers_have_no_exponents():
    texts = {-160.0: "-160", 0.00001234: "0.00001234", 1234567.8: "1,234,568", 0.5: "0.5"}
    assert {value: number_text(value) for value in texts} == texts
    assert number_text(-155.4, 2, signed=True) == "-155"
    assert number_text(1e-17) == "0"
