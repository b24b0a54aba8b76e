"""Compiled code of one's own that is not there, or does not compile: one line, no traceback."""

from __future__ import annotations

import sys

import pytest

import inarow
from inarow.game import InputError

PIECES = """
from typing import NamedTuple

from inarow.engine.jit import inline
from inarow.engine.players import MovesFromCompiled, register_player
from inarow.learn.tabular.action_values import ActionValueLearner
from inarow.learn.tabular.table import TabularLearner


class Unknown(NamedTuple):
    number: int


class Known(NamedTuple):
    number: int


@inline
def begin(player, stream):
    pass


@inline
def choose(tables, board, player, stream):
    return player.nothing


def plain(tables, board, player, stream):
    return 0


register_player(Known, begin, choose, None)


class Nobody(MovesFromCompiled):
    def compiled(self, tables):
        return Unknown(1)


class Wrong(MovesFromCompiled):
    states_policy = False

    def compiled(self, tables):
        return Known(1)


class Plain(MovesFromCompiled):
    def __init__(self):
        register_player(Unknown, begin, plain, None)

    def compiled(self, tables):
        return Unknown(1)


class NoTarget(ActionValueLearner):
    name = "no_target"


class BadTarget(ActionValueLearner):
    name = "bad_target"

    @staticmethod
    def target(values, chosen, epsilon):
        return values.nothing


class NoLoop(TabularLearner):
    name = "no_loop"
"""

NOBODY = "no compiled functions are known for it: register_player(Unknown, "
WRONG = "Unknown attribute 'nothing' of type Known(int64 x 1) (pieces_own.py, line "
SAID = {
    "match tictactoe pieces_own:Nobody random --games 4": NOBODY,
    "certify tictactoe pieces_own:Nobody": NOBODY,
    "play tictactoe --watch pieces_own:Nobody random": NOBODY,
    "train tictactoe td --against pieces_own:Nobody --games 10": NOBODY,
    "match tictactoe pieces_own:Wrong random --games 4": WRONG,
    "certify tictactoe pieces_own:Wrong": WRONG,
    "match tictactoe pieces_own:Plain random --games 4": "choose is not compiled: write @inline",
    "train tictactoe pieces_own:NoTarget --games 10": "it does not define target",
    "train tictactoe pieces_own:NoLoop --games 10": "it does not define loop",
    "train tictactoe pieces_own:BadTarget --games 10": "its target cannot be compiled: ",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with these pieces."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "pieces_own", raising=False)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    (tmp_path / "pieces_own.py").write_text(PIECES)
    yield tmp_path
    sys.modules.pop("pieces_own", None)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("command", "said"), SAID.items())
def test_a_compiled_piece_that_is_missing_is_one_line(run, command, said):
    status, _, err = run(*command.split())
    assert status == 2
    assert said in err
    assert err.splitlines()[-1].startswith("error: ")
    assert "Traceback" not in err


@pytest.mark.usefixtures("folder")
def test_in_python_it_is_one_line_too():
    import pieces_own

    for player, said in ((pieces_own.Nobody(), "register_player"), (pieces_own.Wrong(), "nothing")):
        with pytest.raises(InputError, match=said) as caught:
            inarow.match("tictactoe", player, "random", 4)
        assert "\n" not in str(caught.value)
        assert caught.value.__suppress_context__ or caught.value.__context__ is None
