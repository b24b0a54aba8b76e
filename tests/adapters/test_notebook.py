"""Boards in notebooks: with anywidget they play, without it they are pictures."""

from __future__ import annotations

import functools
import http.server
import json
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest

from inarow.adapters import notebook
from inarow.game import InputError
from inarow.web.package import package as package_of
from inarow.web.page import embedded, notebook_script, worker_text
from tests.ui.server.conftest import browser  # noqa: F401 - the same Chromium
from tests.web.browsers import Quiet


def test_without_anywidget_there_is_a_picture(monkeypatch):
    monkeypatch.setattr(notebook, "find_spec", lambda name: None)
    shown = notebook.board("tictactoe", "minimax:2", moves="22 11")
    assert shown._repr_html_().startswith("<svg")
    assert "anywidget" in shown._repr_html_()
    assert (shown.moves, shown.position.ply) == ("22 11", 2)
    code = "import inarow.adapters.notebook, sys; sys.exit('anywidget' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_with_anywidget_moves_come_back():
    pytest.importorskip("anywidget")
    shown = notebook.board("tictactoe", "minimax:2", moves="22")
    assert "export default" in shown._esm
    assert shown._package.startswith('{"package"')
    shown._played = [4, 0, 8]
    assert shown.moves == "22 11 33"
    assert shown.position.ply == 3


def test_what_is_refused():
    with pytest.raises(InputError, match="must be first, second or both"):
        notebook.board("tictactoe", side="third")
    with pytest.raises(InputError):
        notebook.board("tictactoe", moves="22 22")


MODEL = """<!doctype html><meta charset="utf-8"><div id="here"></div><script type="module">
import widget from "./widget.js";
const values = VALUES;
const model = { get: (name) => values[name], set: (name, value) => (values[name] = value),
  save_changes: () => (document.body.dataset.played = values._played.join(" ")) };
widget.render({ model, el: document.getElementById("here") });
</script>"""


@contextmanager
def serve(folder):
    """The address of a folder on a static server."""
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_the_widget_plays_in_a_browser(browser, tmp_path):  # noqa: F811
    package = embedded(package_of("tictactoe", "minimax:4", solver=True))
    values = {"game": "tictactoe", "player": "minimax:4", "side": "first", "moves": "22"}
    values |= {"_package": package, "_worker": worker_text()}
    (tmp_path / "widget.js").write_text(notebook_script())
    text = json.dumps(values).replace("</", "<\\/")
    (tmp_path / "index.html").write_text(MODEL.replace("VALUES", text))
    with serve(tmp_path) as address:
        page = browser.new_page()
        page.goto(f"{address}/index.html")
        page.wait_for_selector("inarow-board[data-ready]")
        page.wait_for_function("document.querySelector('inarow-board').game.waits")
        page.wait_for_function("document.body.dataset.played?.split(' ').length === 2")
        page.close()
