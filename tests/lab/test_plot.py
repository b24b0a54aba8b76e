"""Recorded runs, their curves, and how they are drawn and compared."""

import json
import math
import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import inarow
from inarow.game import InputError
from inarow.lab import progress
from inarow.lab.plots.plot import Plot, plot
from inarow.lab.plots.text_plot import axis_of
from inarow.lab.studies.conditions import Curve, conditions_of, curve_of, labels_of
from inarow.lab.studies.runner import run_study
from inarow.lab.studies.store import Key, Store
from inarow.lab.studies.study import Measurement, Slice, Study, grid
from inarow.lab.training.driver import CallbackError, OnChunk, Pace, Recorder, Trainer
from inarow.lab.training.run import Run, run_from

GAMES = 3000
METRIC = "score as second against random"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Two seeds of one config and one of another, each in a file of their own."""
    folder = tmp_path_factory.mktemp("recorded")
    runs = [
        inarow.train(
            "tictactoe", "td", against=who, games=GAMES, seed=seed, record=folder / f"{who}.db"
        )
        for who, seed in (("attack", 1), ("attack", 2), ("random", 1))
    ]
    return folder, runs


class Measured:
    """A source of curves, given as numbers: a row a run, nan where nothing was measured."""

    def __init__(self, games, values, finished):
        self.games, self.values, self.ended = np.array(games), np.array(values, float), finished

    def configs(self):
        return [{"game": "tictactoe"}]

    def metrics(self, _):
        return ["m"]

    def finished(self, _):
        return list(range(self.ended))

    def curve(self, *_, **__):
        return self.games, self.values

    def final(self, *_):
        return self.values[: self.ended, -1]


def curve(games, values, finished):
    (condition,) = conditions_of([("x", Measured(games, values, finished))])
    found = curve_of(condition, "m")
    return found and [(point[0], point[1]) for point in found.points]


def test_points_are_round_and_shared():
    assert Pace.logarithmic(1000).at[:6] == (1, 2, 3, 5, 7, 10)
    assert Pace.logarithmic(1000).at[-2:] == (700, 1000)
    assert Pace.logarithmic(250_000).at[0] == 100
    assert Pace.logarithmic(3_000_000).at[0] == 100
    assert Pace.logarithmic(250_000).at[-2:] == (200_000, 250_000)
    assert set(Pace.logarithmic(10_000).at[2:]) <= set(Pace.logarithmic(20_000).at)
    assert Pace.logarithmic(1).at == (1,)


def test_runs_that_ended_keep_their_last_value():
    nan = np.nan
    rows = [[4, 2, nan, nan], [4, 4, nan, 2]]
    assert curve([10, 20, 25, 30], rows, finished=2) == [(10, 4), (20, 3), (30, 2)]
    assert curve([10, 20, 25, 30], rows, finished=0) == [(10, 4), (20, 3), (30, 2)]
    held = [[1, nan, nan], [3, 5, 7]]
    assert curve([1, 2, 3], held, finished=2) == [(1, 2), (2, 3), (3, 4)]
    assert curve([1, 2, 3], held[::-1], finished=1) == [(1, 2), (2, 5), (3, 7)]
    # A number of games that a run passed without measuring is not shown.
    assert curve([1, 2, 3], [[1, 2, nan], [1, nan, 3]], finished=2) == [(1, 1), (3, 2.5)]
    assert curve([7], [[1], [2]], finished=2) is None


def test_a_recording_is_what_a_study_measures(recorded, tmp_path):
    folder, runs = recorded
    config = runs[0].recording.study.configs[0]
    run_study(Study("the same", (config,)), tmp_path / "study.db", runs=2, seed=1)
    with Store.open(folder / "attack.db") as one, Store.open(tmp_path / "study.db") as other:
        assert list(one.measurements()) == list(other.measurements())
        assert one.finished(0) == [1, 2]
    # Evaluations draw from streams of their own: recorded or not, the agent is the same.
    alone = inarow.train("tictactoe", "td", against="attack", games=GAMES, seed=1)
    assert (alone.agent.move_values == runs[0].agent.move_values).all()


def test_a_file_holds_one_config(recorded):
    folder, runs = recorded
    with pytest.raises(InputError, match="other configs: choose another file"):
        inarow.train(
            "tictactoe", "td", against="attack", games=GAMES + 1, record=folder / "attack.db"
        )
    again = inarow.train(
        "tictactoe", "td", against="attack", games=GAMES, seed=2, record=folder / "attack.db"
    )
    assert again.recording.measurements == runs[1].recording.measurements


def record(run, path, on_chunk=lambda games: None):
    recorder = Recorder(run, GAMES, path=path)
    Trainer(run, recorder.plan, [recorder, OnChunk(on_chunk)]).train()


def test_a_recording_that_was_stopped_goes_on(recorded, tmp_path):
    """In its file, too: the same rows as if it had not been stopped."""
    folder, _ = recorded
    path = tmp_path / "stopped.db"

    class StoppedError(Exception):
        pass

    run = Run("tictactoe", "td", {}, "attack", 1)

    def stop(_):
        if run.games >= 1000:
            raise StoppedError

    with pytest.raises(CallbackError, match="StoppedError"):
        record(run, path, stop)
    (curve,) = inarow.plot(path).curves  # as far as it came
    assert curve.points[-1][0] < 1000 < GAMES
    resumed = run_from(run.state())
    record(resumed, path)
    with Store.open(path) as one, Store.open(folder / "attack.db") as other:
        assert one.finished(0) == [1]
        expected = [row for row in other.measurements() if row[0].seed == 1]
        assert list(one.measurements()) == expected


def test_what_cannot_be_recorded_writes_nothing(tmp_path):
    for name, problem in (("exact:nobody", "unknown player"), ("much", "unknown evaluation")):
        with pytest.raises(InputError, match=problem):
            inarow.train(
                "tictactoe", "td", against="attack", record=tmp_path / "x.db", evaluations=[name]
            )
    (tmp_path / "text.db").write_text("no database")
    with pytest.raises(InputError, match=r"text.db"):
        inarow.train("tictactoe", "td", against="attack", record=tmp_path / "text.db")
    assert [path.name for path in tmp_path.iterdir()] == ["text.db"]


def test_plots_of_files_and_runs(recorded):
    folder, runs = recorded
    found = inarow.plot(folder / "attack.db", folder / "random.db")
    assert (found.title, found.metric) == ("td in tictactoe by opponent", METRIC)
    assert [(c.label, c.runs) for c in found.curves] == [("attack", 2), ("random", 1)]
    assert [p[0] for p in found.curves[0].points] == list(Pace.logarithmic(GAMES).at)
    assert found.others == ("exploitability as second",)
    with Store.open(folder / "attack.db") as store:
        mean = float(store.final(0, METRIC).mean())
    assert found.curves[0].points[-1][1] == pytest.approx(mean)
    own = runs[0].plot("exploitability as second", log="none")
    assert own.curves[0].points[-1][2:] == (None, None)
    assert inarow.plot(*runs[:2]).curves[1].label == "seed 2"
    assert "td in tictactoe, seed 1" in repr(runs[0])
    assert "training games" in repr(runs[0])
    assert "<svg" in runs[0]._repr_html_()


def drawn(*curves, log="x"):
    made = [
        Curve(label, tuple((10**i, value, value, value) for i, value in enumerate(values, 1)), 3)
        for label, values in curves
    ]
    return Plot("", "m", tuple(made), log)


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("log", ["x", "y", "xy", "none"])
def test_drawings_fit_and_show_every_curve(width, log):
    lines = drawn(("one", [3, 2, 1]), ("another " * 20, [1, 1, 1]), log=log).text(width).split("\n")
    assert max(map(len, lines)) <= width
    assert lines[-2].startswith(" a one")
    assert lines[-1].startswith(" b another another")
    canvas = "".join(lines[1:-5])
    assert {"a", "b"} <= set(canvas)
    assert re.search("[\u2801-\u28ff]", canvas)


def test_a_falling_line_falls():
    rows = [
        line.split("┤")[-1].split("│")[-1] for line in drawn(("", [3, 2, 1])).text(60).split("\n")
    ]
    columns = {}
    for number, row in enumerate(rows[1:-4]):
        for column, character in enumerate(row):
            if "\u2800" < character <= "\u28ff":
                columns.setdefault(column, number)
    heights = [columns[column] for column in sorted(columns)]
    assert heights == sorted(heights)
    assert heights[0] == 0
    assert len(columns) == max(columns) + 1  # without a gap


def test_axes():
    assert axis_of([0.1, 1.0], log=False, zero=True).low == 0
    assert axis_of([0.8, 1.0], log=False, zero=True).low == 0.8
    assert axis_of([5, 5], log=False).share(5) == 0.5
    assert axis_of([10, 1000], log=True).ticks(5) == [10, 100, 1000]
    assert axis_of([0, 1], log=False).ticks(6) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1])


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(
    "values",
    [[1e300], [1e17, 1e17], [-1e308, 1e308], [math.inf, 1.0], [5e-324], [1e15, 1e15 + 1]],
)
def test_an_axis_holds_any_numbers(values, log):
    axis = axis_of(values, log, zero=True)
    assert axis.low < axis.high
    assert 2 <= len(axis.ticks(6)) <= 7
    assert all(0 <= axis.share(value) <= 1 for value in values)


def test_figures(recorded, tmp_path):
    folder, _ = recorded
    found = inarow.plot(folder / "attack.db")
    for name, start in (("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.pdf", b"%PDF")):
        found.save(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)
    assert found.svg() == found.svg()
    with pytest.raises(InputError, match=r"must end in one of .png, .svg, .pdf"):
        found.save(tmp_path / "a.jpg")
    with pytest.raises(InputError, match="log 'z' must be one of x, y, xy, none"):
        inarow.plot(folder / "attack.db", log="z")
    with pytest.raises(InputError, match="no metric 'won' was measured; there is score"):
        inarow.plot(folder / "attack.db", metric="won")


def test_what_has_no_curve_says_so(tmp_path):
    with pytest.raises(InputError, match="nothing to plot: train a run with record=True"):
        inarow.plot(inarow.train("tictactoe", "td", against="attack", games=10))
    results = run_study(Study("ends", ({"games": 10, "against": "random"},)), tmp_path / "e.db", 1)
    with pytest.raises(InputError, match="there is no curve"):
        results.plot()
    with pytest.raises(InputError, match="it takes two to compare"):
        results.compare()
    with pytest.raises(InputError, match="there is no study at"):
        inarow.plot(tmp_path / "none.db")


def test_labels_tell_conditions_apart():
    base = {"game": "tictactoe", "learner": "td", "games": 10}
    assert labels_of([base | {"alpha": a} for a in ("0.1", "0.2")]) == ["0.1", "0.2"]
    assert labels_of([base, base | {"games": 20}]) == ["10", "20"]
    other = {"game": "tictactoe", "learner": "q", "games": 20}
    assert labels_of([base | {"against": "random"}, other]) == [
        "td, against random",
        "q, against itself",
    ]


def test_comparisons(recorded):
    folder, _ = recorded
    found = inarow.compare(folder / "attack.db", folder / "random.db")
    assert (found.metric, found.lower, found.baseline) == (METRIC, False, "attack")
    one, other = found.conditions
    assert one.difference is None
    assert other.difference.value == pytest.approx(other.result.mean - one.result.mean)
    assert np.isnan(other.difference.low)  # of one run nothing is known
    assert other.improvement.value in (0.0, 0.5, 1.0)
    swapped = inarow.compare(folder / "attack.db", folder / "random.db", baseline="random")
    assert swapped.conditions[0].difference.value == pytest.approx(-other.difference.value)
    assert swapped.conditions[0].improvement.value == 1 - other.improvement.value
    lost = inarow.compare(folder / "attack.db", folder / "random.db", metric="lost")
    assert lost.lower
    assert "lower is better" in repr(lost)
    assert "<table>" in lost._repr_html_()
    json.dumps(lost.as_json(), allow_nan=False)
    with pytest.raises(InputError, match=r"there is 0 \(attack\), 1 \(random\)"):
        inarow.compare(folder / "attack.db", folder / "random.db", baseline="x")


def test_progress_in_a_notebook(monkeypatch):
    """A bar that fills, and is gone at the end; nothing without a notebook."""
    pictures = []

    class ZMQInteractiveShell:
        pass

    handle = SimpleNamespace(update=pictures.append)
    display = SimpleNamespace(
        HTML=str, display=lambda picture, display_id: pictures.append(picture) or handle
    )
    inarow.match("tictactoe", "random", "random", games=4)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=ZMQInteractiveShell))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(progress, "EVERY", -1.0)
    inarow.match("tictactoe", "random", "random", games=4)
    assert pictures[0].startswith('playing <progress value="0.000">')
    assert "100%" in pictures[-2]
    assert pictures[-1] == ""
    inarow.match("tictactoe", "random", "random", games=4, progress=lambda games: None)
    assert pictures[-1] == ""


def test_names_in_a_figure_are_no_formulas_and_reach_no_terminal(tmp_path):
    """A dollar begins a formula there, and what no font has is told to the terminal as it is."""
    name = "$\\lost^{$ \x1b]0;x\x07" + "x" * 10_000
    study = Study("some", grid(game="tictactoe", alpha=["$\\frac{", "\x1b[31m", "$x$ \\$"]))
    path = tmp_path / "some.db"
    with Store.create(path, study) as store:
        for config in range(3):
            measured = [Measurement(games, name, 1.0 + config) for games in (10, 20)]
            store.commit([(Key(config, 0), 0, Slice(1, measured, None, True, 1.0))])
    drawn = plot(path)
    for kind in ("png", "svg", "pdf"):
        drawn.save(tmp_path / f"some.{kind}")  # a warning would fail this test
    assert "\x1b" not in drawn.svg()
    assert "\x1b" not in drawn.svg_element()


def test_a_study_of_many_configs_is_read_once(tmp_path, monkeypatch):
    study = Study("some", grid(game="tictactoe", alpha=list(range(300))))
    path = tmp_path / "some.db"
    with Store.create(path, study) as store:
        for config in range(300):
            measured = [Measurement(games, "lost", 1.0) for games in (10, 20)]
            store.commit([(Key(config, 0), 0, Slice(1, measured, None, True, 1.0))])
    asked = []
    whole = Store.configs
    monkeypatch.setattr(Store, "configs", lambda store: asked.append(1) or whole(store))
    assert len(plot(path).curves) == 300
    assert len(asked) <= 3
