"""Learners in plain Python: trained, resumed, measured and refused as compiled ones are."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import inarow
from inarow.game import InputError, Position
from inarow.lab.studies.study import run_slice
from inarow.lab.training.run import Run, continue_training, run_from
from inarow.learn import registry
from inarow.learn.plain_learner import decoded, encoded
from inarow.learn.registry import learner_type, register

WORK = "inarow.lab.training.driver:TrainingWork"


class DoubleQ:
    """Double Q-learning in plain Python."""

    name = "double_q"
    deterministic = True

    def __init__(self, alpha=0.2, epsilon=0.2):
        self.alpha, self.epsilon, self.tables = alpha, epsilon, [{}, {}]

    def value(self, table, position, move):
        return self.tables[table].get(f"{position.stones}{move}", 0.0)

    def values(self, position):
        moves = position.legal_moves
        return {m: self.value(0, position, m) + self.value(1, position, m) for m in moves}

    def act(self, position, explore):
        if explore and self.rng.random() < self.epsilon:
            return int(self.rng.choice(position.legal_moves))
        values = self.values(position)
        return max(values, key=values.get)

    def learn(self, position, move, reward, after):
        table = int(self.rng.integers(2))
        if after is not None:
            best = max(after.legal_moves, key=lambda m: self.value(table, after, m))
            reward = self.value(1 - table, after, best)
        old = self.value(table, position, move)
        self.tables[table][f"{position.stones}{move}"] = old + self.alpha * (reward - old)

    def save(self):
        return self.tables

    def load(self, saved):
        self.tables = saved


class Undeclared(DoubleQ):
    """The same without a word of how it answers."""

    name = "undeclared"
    deterministic = False


@pytest.fixture(autouse=True)
def named(monkeypatch):
    monkeypatch.setattr(registry, "_named", {})
    register(DoubleQ)
    register(Undeclared)


@pytest.mark.parametrize("against", [None, "attack-defense", "perfect", "mcts:10"])
def test_a_run_that_is_cut_gives_the_same_bits(against):
    whole = Run("tictactoe", DoubleQ, {"alpha": 0.3}, against, 3)
    continue_training(whole, 40)
    cut = Run("tictactoe", DoubleQ, {"alpha": 0.3}, against, 3)
    for games in (1, 7, 23, 40):
        continue_training(cut, games)
        cut = run_from(cut.state())
    assert cut.state() == whole.state()
    assert cut.games == 40


def test_it_learns():
    options = {"against": "random", "games": 4000, "seed": 1, "evaluations": ["score:random"]}
    run = inarow.train("tictactoe", DoubleQ, **options)
    curve = [m.value for m in run.recording.measurements if m.metric.startswith("score")]
    assert curve[0] < 0.7 < 0.8 < curve[-1]


def test_a_learner_sees_its_own_moves_and_what_came_of_them():
    seen = []

    class Watcher(DoubleQ):
        name = "watcher"

        def learn(self, position, move, reward, after):
            seen.append((position.ply & 1, move, reward, after and after.moves))

    run = Run("tictactoe", Watcher, {"side": "second"}, "random", 0)
    continue_training(run, 1)
    assert {side for side, *_ in seen} == {1}
    assert [after is None for *_, after in seen] == [False] * (len(seen) - 1) + [True]
    for (_, move, _, after), (_, following, *_) in pairwise(seen):
        assert after[-2] == move
        assert following not in after
    wins, losses = run.training.counts[1], run.training.counts[3]
    assert seen[-1][2] == wins - losses


def test_studies_take_it_and_go_on_with_the_same_rows():
    config = {"game": "tictactoe", "learner": "double_q", "games": 60, "evaluate_at": [20, 40]}
    config["evaluations"] = ["exploitability", "score:random:20"]
    whole = run_slice(WORK, config, 1, None, 1e9).measurements
    rows, state = [], None
    while True:
        piece = run_slice(WORK, config, 1, state, 0.0)
        rows, state = rows + piece.measurements, piece.state
        if piece.finished:
            break
    assert rows == whole


def test_a_certificate_rests_on_what_is_declared():
    declared = inarow.train("tictactoe", DoubleQ, games=50)
    observed = inarow.train("tictactoe", Undeclared, games=50)
    assert inarow.certify(declared.agent).proven
    assert not inarow.certify(observed.agent).proven
    with pytest.raises(InputError, match="is exact, and undeclared does not say"):
        inarow.train("tictactoe", Undeclared, games=50, evaluations=["exploitability"])
    study = inarow.Study("s", ({"learner": "undeclared", "evaluations": ["score:random"]},))
    with pytest.raises(InputError, match="sample, as in score:random:400"):
        inarow.run_study(study, "never.db", 1)


def test_its_agents_are_saved_and_play(tmp_path):
    run = inarow.train("tictactoe", DoubleQ, games=100, seed=2)
    run.save(tmp_path / "a.safetensors")
    agent = inarow.player(str(tmp_path / "a.safetensors"))
    place = inarow.game("tictactoe").position("11")
    assert agent.move(place) == run.agent.move(place)
    assert agent.values(place) == run.agent.values(place)
    assert inarow.match("tictactoe", agent, "random", games=10, seed=1).total.games == 10


def without(name):
    return type("Part", (), {k: v for k, v in vars(DoubleQ).items() if k not in (name, "__dict__")})


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (without("save"), "Part cannot be used: it does not define save"),
        (type("A", (DoubleQ,), {"act": lambda self, p: 0}), r"written act\(self, position, exp"),
        (type("B", (DoubleQ,), {"__init__": lambda self, alpha: None}), "default for its option"),
        (type("C", (DoubleQ,), {"__init__": lambda self, *alpha: None}), "one by one, not as"),
        (type("D", (DoubleQ,), {"__init__": lambda self, side="x": None}), "cannot be called side"),
        (type("E", (DoubleQ,), {"name": "td"}), "is called 'td', as another learner"),
    ],
)
def test_what_is_no_learner_is_one_line(kind, said):
    with pytest.raises(InputError, match=said):
        register(kind)


def test_objects_and_options_are_refused_clearly():
    with pytest.raises(InputError, match=r"give the class and its options: train\(game, DoubleQ"):
        inarow.train("tictactoe", DoubleQ(), games=1)
    with pytest.raises(InputError, match=r"no option 'alhpa' \(did you mean alpha\?\)"):
        inarow.train("tictactoe", DoubleQ, games=1, alhpa=2)
    assert learner_type("double_q").about() == "Double Q-learning in plain Python."


def test_a_move_that_is_none_is_one_line():
    kind = type("F", (DoubleQ,), {"name": "f", "act": lambda self, p, e: 99})
    with pytest.raises(InputError, match="f played an illegal move"):
        inarow.train("tictactoe", kind, games=1)
    kind = type("G", (DoubleQ,), {"name": "g", "act": lambda self, p, e: p.push(0)})
    with pytest.raises(InputError, match="g changed the position"):
        inarow.train("tictactoe", kind, games=1)


def test_what_is_saved_comes_back_as_it_was():
    weights = np.arange(6, dtype=np.float32).reshape(2, 3)
    saved = {"a": [1, 2.5, None, "x", True], "w": weights, "b": {"c": [{"d": 0.1}]}}
    back = decoded(encoded(saved, "x"), "x")
    assert back["w"].dtype == weights.dtype
    assert (back.pop("w") == weights).all()
    del saved["w"]
    assert back == saved
    for bad, said in (
        ({1: 2}, "keys must be texts"),
        ((1, 2), "saves a tuple"),
        ({"array": 1}, "keys must be texts, not 'array'"),
        (float("nan"), "cannot be stored"),
        (np.float64(1), "saves a float64"),
        (Position(inarow.game("tictactoe")), "saves a Position"),
    ):
        with pytest.raises(InputError, match=said):
            encoded(bad, "x")
