"""What newcomers type, and what they meant by it."""

from __future__ import annotations

import io
import sys

import pytest

import inarow
from inarow.game.errors import suggestion
from inarow.learn.options import options_of_type
from inarow.learn.registry import learner_type
from inarow.learn.tabular.action_values import ActionValueLearner

OWN = """
class Broken:
    def move(self, position):
        return choice(position)

def choice(position):
    return position.legal_moves[100]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A fresh folder with a file of a newcomer's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "mine_own", raising=False)  # that of another folder
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    (tmp_path / "mine_own.py").write_text(OWN)
    return tmp_path


NEAR = {
    "match tictacto random attack": "(did you mean tictactoe?): the games are",
    "match tictactoe random attak": "(did you mean attack?): the players are",
    "train tictactoe tdd": "(did you mean td?): the learners are",
    "train tictactoe q --set alhpa=1": "(did you mean alpha?): there is",
    "train tictactoe q --alpha 0.2": "write --set alpha=0.2",
    "train tictactoe q --learning-rate=0.2": "write --set alpha=0.2",
    "train tictactoe q --episodes 20": "write --games",
    "train tictactoe q --games many": "'many' must be a whole number, as in 20000 or 2e4",
    "train td tictactoe": "'td' is a learner, not a game: the game comes first",
    "match random tictactoe attack": "'random' is a player, not a game: the game comes first",
    "match random attack tictactoe": "'random' is a player, not a game: the game comes first",
    "match tictactoe random": "a match takes two players",
    "match tictactoe mine_own.py random": "name a player in it: mine_own:Broken or mine_own:choice",
    "match mine_own.py random": "name a player in it: mine_own:Broken",
    "match tictactoe mine_own:Class random": "has no Class; it has Broken, choice",
    "match tictactoe mine_own:broken random": "has no broken (did you mean Broken?)",
    "train tictactoe mine_own.py": "name a learner in it",
    "train tictactoe ./mine_own.py:Broken": "./mine_own.py:Broken: write mine_own:Broken",
    "match tictactoe ./mine_own.py:Broken random": "write mine_own:Broken",
    "certify tictactoe mine_own.py:Broken": "mine_own.py:Broken: write mine_own:Broken",
    "match tictactoe mine_own.Broken random": "write mine_own:Broken, with a colon",
    "train tictactoe mine_own.Broken": "write mine_own:Broken, with a colon",
    "train --game tictactoe --learner q": "q is known: inarow train tictactoe q",
    "train --game tictactoe q": "without names of options, as in: inarow train tictactoe q",
    "train tictactoe q --set game_s=3": "q has no option 'game_s': write --games 3",
    "train tictactoe q --learningrate 0.2": "write --set alpha=0.2",
    "match tictactoe none.safetensors random": "there is no file none.safetensors",
    "solve connect4:4x5 --book none.book": "there is no file none.book",
    "certify tictactoe random --side left": "--side left must be first, second or both",
}


@pytest.mark.parametrize(("command", "said"), NEAR.items())
def test_a_suggestion_comes_before_any_list(run, folder, command, said):
    status, out, err = run(*command.split())
    assert (status, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert sorted(path.name for path in folder.iterdir() if path.is_file()) == ["mine_own.py"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('evaluations = ["exploitabilty"]', "(did you mean exploitability?)"),
        ("episodes = 100", "(did you mean games?)"),
        ("game_s = 100", "(did you mean games?)"),
        ("alhpa = 0.1", "(did you mean alpha?)"),
        ("[gird]", "(did you mean grid?)"),
    ],
)
def test_near_misses_in_a_study(run, folder, line, said):
    (folder / "some.toml").write_text(f'name = "x"\n[fixed]\nlearner = "q"\n{line}\n')
    status, _, err = run("study", "run", "some.toml")
    assert (status, said in err) == (2, True), err


def test_seeds_are_numbers_like_others(run, answer, folder):  # noqa: ARG001
    assert answer("train", "tictactoe", "q", "--games", "10", "--seed", "1e1")["seed"] == 10
    one, other = (
        answer("match", "tictactoe", "random", "random", "--seed", s) for s in ("20", "2e1")
    )
    assert one == other


def test_optional_words_stand_in_one_pair_of_brackets(run):
    for command in ("play", "train", "study new", "bench", "arena"):
        _, out, _ = run(*command.split(), "--help")
        assert "[[" not in out.partition("Arguments")[0], command


def test_nothing_is_suggested_for_what_is_far():
    assert suggestion("xyzzy", ["random", "attack"]) == ""
    assert suggestion("", ["random"]) == ""
    assert suggestion("TicTacToe", ["tictactoe", "cube"]) == " (did you mean tictactoe?)"


@pytest.mark.usefixtures("folder")
def test_a_saved_agent_says_its_game(run, answer, monkeypatch):
    status, out, err = run("train", "tictactoe", "td", "--games", "1e2", "--out", "a.safetensors")
    assert (status, err) == (0, "")
    assert "here attack-defense. --against names another" in " ".join(out.split())
    for words in (("a.safetensors", "random"), ("random", "a.safetensors")):
        found = answer("match", *words, "--games", "1e1")
        assert (found["game"], found["players"]) == ("tictactoe", list(words))
    assert answer("arena", "a.safetensors", "random", "--games", "4")["game"] == "tictactoe"
    for words in (
        ["a.safetensors"],
        ["tictactoe", "a.safetensors"],
        ["a.safetensors", "tictactoe"],
    ):
        monkeypatch.setattr(sys, "stdin", io.StringIO("q\n"))
        status, out, _ = run("play", *words)
        assert status == 0
        assert "a.safetensors is O" in out
    assert "one opponent" in run("play", "tictactoe", "random", "--against", "attack")[2]


def test_another_agent_is_not_overwritten(run, folder):
    train = ("train", "tictactoe", "q", "--games", "100", "--out", "a.safetensors")
    assert run(*train)[0] == 0
    kept = (folder / "a.safetensors").read_bytes()
    assert run(*train)[0] == 0  # which makes the same agent
    for change in (("--seed", "1"), ("--set", "alpha=0.2"), ("--games", "10")):
        status, _, err = run(*train, *change)
        assert (status, "is another agent" in err, "--force" in err) == (2, True, True)
        assert (folder / "a.safetensors").read_bytes() == kept
    assert run(*train, "--seed", "1", "--force")[0] == 0
    assert (folder / "a.safetensors").read_bytes() != kept


@pytest.mark.usefixtures("folder")
def test_errors_in_own_code_show_only_its_lines(run):
    status, out, err = run("match", "tictactoe", "mine_own:Broken", "random")
    assert (status, out) == (1, "")
    assert err.startswith("error: in code of your own: IndexError: list index out of range\n")
    assert err.count('File "') == 2
    assert 'mine_own.py", line 4, in move' in err
    assert "inarow/lab" not in err


def test_one_side_of_a_certificate(run):
    status, out, _ = run("certify", "tictactoe", "random", "--side", "first")
    assert status == 0
    assert "As first" in out
    assert "econd" not in out


def test_numbers_count_from_0_and_text_from_1():
    position = inarow.game("tictactoe").position("")
    with pytest.raises(
        inarow.InputError, match="counted from 1; 4 without quotes is move number 4"
    ):
        position.push("4")
    with pytest.raises(inarow.InputError, match=r"count from 0 to 8; as text, .* from 1"):
        position.push(9)


def test_agents_say_what_they_are():
    agent = inarow.train("tictactoe", "q", games=50).agent
    assert repr(agent) == "<agent q for tictactoe, 50 games against itself, seed 0>"


def test_options_of_the_same_meaning_have_one_default():
    for name in ("symmetric", "gamma", "initial_value", "ties"):
        kinds = [*map(learner_type, ("td", "q", "td_lambda")), ActionValueLearner]
        assert len({options_of_type(kind)[name].default for kind in kinds}) == 1


@pytest.mark.usefixtures("folder")
def test_an_arena_says_how_its_agents_were_trained(run, answer):
    for name, alpha in (("a", "0.1"), ("b", "0.2")):
        run("train", "tictactoe", "q", "--games", "50", "--set", f"alpha={alpha}",
            "--out", f"{name}.safetensors")  # fmt: skip
    (note,) = answer("arena", "a.safetensors", "b.safetensors", "--games", "4")["notes"]
    assert "alpha: 0.1 (a.safetensors), 0.2 (b.safetensors)" in note
    assert "epsilon" not in note
