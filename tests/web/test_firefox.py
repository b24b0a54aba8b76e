"""A page in one file opens in Firefox, too, which WebDriver BiDi drives through a socket."""

from __future__ import annotations

import json

import pytest

from inarow.agents.one_file import export_page
from tests.web.browsers import FIREFOX, in_firefox

pytest.importorskip("websockets")
pytestmark = pytest.mark.skipif(FIREFOX is None, reason="there is no Firefox")

PLAYED = """(async () => {
  const board = document.querySelector("inarow-board");
  const soon = () => new Promise((go) => setTimeout(go, 20));
  const until = async (holds) => { while (!holds()) await soon(); };
  await until(() => board.dataset.ready || board.dataset.failed);
  const turn = () => board.game.waits || board.game.end;
  for (await until(turn); !board.game.end; await until(turn)) board.press(board.game.state.open[0]);
  return JSON.stringify([board.game.moves.length, board.game.end]);
})()"""


def test_the_proved_agent_wins_in_firefox(tmp_path):
    path = tmp_path / "small.html"
    export_page("shipped:connect4:6x7:small", None, path, "second")
    moves, end = json.loads(in_firefox(path.as_uri(), PLAYED))
    assert (moves % 2, end) == (1, 1)
