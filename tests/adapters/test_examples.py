"""Every example runs; the one that needs PyTorch where it is installed (`make examples`)."""

import importlib.util
import runpy
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
RUN_HERE = {"pettingzoo_loop", "open_spiel_mcts", "kaggle_submission", "ppo_tictactoe"}


def load(name):
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"]


def test_all_are_run_and_listed():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == RUN_HERE | {"expected_sarsa"}
    listed = (EXAMPLES / "README.md").read_text()
    assert all(f"`{name}.py`" in listed for name in (*RUN_HERE, "expected_sarsa"))


def test_pettingzoo_loop(capsys):
    pytest.importorskip("pettingzoo")
    total = load("pettingzoo_loop")("connect4:4x5")
    assert sum(total.values()) == 0
    assert "player_0" in capsys.readouterr().out


def test_open_spiel_mcts(capsys):
    pytest.importorskip("pyspiel")
    result = load("open_spiel_mcts")(simulations=20, games=2)
    assert result.as_first.wins == 1  # it wins every game it begins
    assert "ntuple as first: 1 won" in capsys.readouterr().out


def test_kaggle_submission(tmp_path, capsys):
    assert load("kaggle_submission")(str(tmp_path / "submission.py")) == "first player wins"
    assert "X wins" in capsys.readouterr().out


class FirstLegal:
    """Stands for sb3_contrib.MaskablePPO where there is none: it learns nothing."""

    def __init__(self, _policy, environment, **_options):
        self.environment = environment

    def learn(self, steps):
        _, info = self.environment.reset(seed=1)
        for _ in range(min(steps, 20)):
            action = int(np.flatnonzero(info["action_mask"])[0])
            *_, terminated, truncated, info = self.environment.step(action)
            if terminated or truncated:
                _, info = self.environment.reset()

    def predict(self, observation, action_masks, deterministic):
        assert deterministic
        assert observation.shape == self.environment.observation_space.shape
        return int(np.flatnonzero(action_masks)[0]), None


@pytest.mark.filterwarnings("ignore")
def test_ppo_tictactoe(monkeypatch, capsys):
    pytest.importorskip("gymnasium")
    if importlib.util.find_spec("sb3_contrib") is None:
        stands_in = SimpleNamespace(MaskablePPO=FirstLegal)
        monkeypatch.setitem(sys.modules, "sb3_contrib", stands_in)
    certificate = load("ppo_tictactoe")(steps=2048)
    assert set(certificate.sides) == {"first", "second"}
    assert "as second player: " in capsys.readouterr().out
