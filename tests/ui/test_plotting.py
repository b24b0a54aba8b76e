"""The commands `train --record`, `plot`, `study plot` and `study compare`."""

import pytest

TRAIN = ("train", "tictactoe", "td", "--games", "2000")


@pytest.fixture
def recorded(run, tmp_path, monkeypatch):
    """Two files: one with two seeds, one with one."""
    monkeypatch.chdir(tmp_path)
    for who, seed in (("attack", "1"), ("attack", "2"), ("random", "1")):
        status, out, err = run(
            *TRAIN,
            "--against",
            who,
            "--seed",
            seed,
            "--record",
            f"{who}.db",
            "--out",
            f"{who}-{seed}.safetensors",
        )  # fmt: skip
        assert (status, err) == (0, "")
        assert f"inarow plot {who}.db" in out
    return "attack.db", "random.db"


def test_plot_and_compare(run, answer, recorded, tmp_path):
    status, out, _ = run("plot", *recorded, "--out", "curves.svg")
    assert status == 0
    assert max(map(len, out.splitlines())) <= 80
    assert "score as second against random: td in tictactoe by opponent" in out
    assert " a attack" in out
    assert "\x1b" not in out  # no colours where there is no terminal
    assert "Also measured (--metric NAME): exploitability as second." in out
    assert (tmp_path / "curves.svg").read_text().startswith("<?xml")
    assert run("study", "plot", *recorded, "--out", "curves.svg")[1] == out
    found = answer("plot", *recorded, "--metric", "exploitability as second", "--log", "none")
    assert [curve["runs"] for curve in found["curves"]] == [2, 1]
    assert found["curves"][0]["points"][-1]["games"] == 2000

    status, out, _ = run("study", "compare", *recorded)
    assert max(map(len, out.splitlines())) <= 80
    assert "higher is better" in out
    found = answer("study", "compare", *recorded, "--baseline", "random", "--better", "lower")
    assert (found["baseline"], found["better"]) == ("random", "lower")
    assert [one["runs"] for one in found["conditions"]] == [2, 1]
    assert found["conditions"][1]["difference"] is None


BAD = {
    ("plot", "none.db"): "there is no study at none.db",
    ("plot", "attack.db", "--log", "z"): "log 'z' must be one of x, y, xy, none",
    ("plot", "attack.db", "--out", "a.jpg"): "a.jpg must end in one of .png, .svg, .pdf",
    ("study", "compare", "attack.db"): "it takes two to compare",
    ("study", "compare", "attack.db", "--better", "x"): "--better x must be lower or higher",
    (*TRAIN, "--against", "random", "--record", "attack.db"): "choose another file",
    (*TRAIN, "--against", "random", "--evaluate", "exact"): "give --record FILE or --log, too",
}


def test_one_line_for_bad_input(run, recorded, tmp_path):
    before = sorted(tmp_path.iterdir())
    for arguments, problem in BAD.items():
        status, out, err = run(*arguments)
        assert (status, out) == (2, ""), arguments
        assert problem in err
        assert len(err.splitlines()) == 1
        assert sorted(tmp_path.iterdir()) == before, arguments
    assert recorded


def test_exact_answers_at_the_command_line(run, answer, recorded):
    exact = answer("match", "tictactoe", "random-1.safetensors", "random", "--exact")
    assert set(exact["as_second"]) == {"win", "draw", "loss"}
    certificate = answer("certify", "random-1.safetensors")
    assert 0 <= certificate["exploitability"] <= 1
    assert (
        f"Exploitability: {certificate['exploitability']:.4f} (0 is"
        in run("certify", "random-1.safetensors")[1]
    )
    best = answer(
        "match",
        "tictactoe",
        "best-response:random-1.safetensors",
        "random-1.safetensors",
        "--games",
        "4",
    )
    assert best["losses"] == 0
    assert recorded
