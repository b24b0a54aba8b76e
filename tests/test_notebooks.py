"""Every notebook of examples runs, and shows what is stored in it and on the site's pages."""

import json
import runpy

import pytest

from tests.pages import DOCS, ROOT
from tests.user_texts import hooks

RUNNER = runpy.run_path(str(DOCS / "notebooks.py"))
PATHS = RUNNER["notebooks"]()


def texts(outputs):
    """What was printed and shown as text: figures may differ between versions of Matplotlib."""
    return ["".join(o.get("text") or o["data"]["text/plain"]) for o in outputs]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_is_stored(path):
    if path.stem == "research":
        pytest.importorskip("gymnasium")
    notebook = RUNNER["read"](path)
    for cell, outputs in zip(RUNNER["code_cells"](notebook), RUNNER["run"](notebook), strict=True):
        assert texts(cell["outputs"]) == texts(outputs), "make notebooks"


def test_no_result_is_shown_as_a_raw_repr():
    for path in PATHS:
        for cell in RUNNER["code_cells"](RUNNER["read"](path)):
            for text in texts(cell["outputs"]):
                assert "object at 0x" not in text
                assert "Fraction(" not in text
                assert not text.split("(")[0].endswith(("Result", "Certificate", "Solution"))


def test_the_site_shows_them():
    for path in PATHS:
        page = hooks()[f"notebooks/{path.stem}.md"]
        assert page.startswith("# ")
        for cell in RUNNER["code_cells"](json.loads(path.read_text(encoding="utf-8"))):
            assert "".join(cell["source"]) in page
    assert 'src="data:image/svg+xml;base64,' in hooks()["notebooks/learning.md"]
    listed = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    assert all(f"`{path.name}`" in listed for path in PATHS)


def test_a_cell_shows_its_last_value():
    names = {}
    assert RUNNER["run_cell"]("a = 2\nprint(a)\na + 1", names) == [
        {"output_type": "stream", "name": "stdout", "text": ["2\n"]},
        {
            "output_type": "execute_result",
            "data": {"text/plain": ["3"]},
            "metadata": {},
            "execution_count": None,
        },
    ]
    assert RUNNER["run_cell"]("b = a", names) == []
