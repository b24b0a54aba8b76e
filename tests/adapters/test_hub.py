"""A folder for a model hub: the agent loads again, the card's metadata are what hubs read."""

import sys

import pytest

import inarow
from inarow.adapters.hub import export_to_hub, model_card
from inarow.game import InputError
from inarow.learn.saved import Header
from inarow.ui.main import main


def test_an_agent_and_its_card(tmp_path):
    run = inarow.train("tictactoe", "td", against="random", games=50, seed=1)
    run.save(tmp_path / "mine.safetensors")
    export_to_hub(str(tmp_path / "mine.safetensors"), tmp_path / "hub", "apache-2.0")
    card = (tmp_path / "hub" / "README.md").read_text()
    head, _, body = card.removeprefix("---\n").partition("\n---\n")
    assert "library_name: inarow\nlicense: apache-2.0\npipeline_tag: reinforcement-learning" in head
    assert '- "tictactoe"' in head
    assert "in 50 games against\nrandom, seed 1" in body
    assert "| alpha |" in body
    again = inarow.player(str(tmp_path / "hub" / "agent.safetensors"))
    assert again.game.name == "tictactoe"


def test_the_command(tmp_path, monkeypatch, capsys):
    def run(*words):
        monkeypatch.setattr(sys, "argv", ["inarow", "export", "ntuple", *words])
        with pytest.raises(SystemExit) as stopped:
            main()
        return stopped.value.code, " ".join(" ".join(capsys.readouterr()).split())

    status, said = run("--to", "hub", "--out", str(tmp_path / "hub"))
    assert (status, "the agent and its model card" in said) == (0, True)
    assert "ntuple on connect4:6x7" in (tmp_path / "hub" / "README.md").read_text()
    status, said = run("--to", "chess", "--out", str(tmp_path / "x"))
    assert (status, "--to FORMAT and --out FILE: kaggle, hub" in said) == (2, True)


def test_metadata_are_yaml():
    yaml = pytest.importorskip("yaml")
    header = Header("board:2x3,k=2", "td", {"a": "x|y"}, None, 1, 2, "0")
    card = model_card(header, "mit")
    found = yaml.safe_load(card.split("---\n")[1])
    assert found["tags"][-1] == "board:2x3,k=2"
    assert found["license"] == "mit"
    assert "against\nitself" in card


def test_bad_input_is_refused(tmp_path):
    with pytest.raises(InputError, match="is not a saved agent"):
        export_to_hub("random", tmp_path / "hub")
    with pytest.raises(InputError, match="not an identifier"):
        export_to_hub("ntuple", tmp_path / "hub", "my license")
    (tmp_path / "hub").write_text("x")
    with pytest.raises(InputError, match="it is a file"):
        export_to_hub("ntuple", tmp_path / "hub")
    (tmp_path / "bad.safetensors").write_text("x")
    with pytest.raises(InputError, match="not a saved agent"):
        export_to_hub(str(tmp_path / "bad.safetensors"), tmp_path / "new")
    assert not (tmp_path / "new").exists()
