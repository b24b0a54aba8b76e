"""What the server says while it gets ready."""

import pytest

from inarow.ui.web import warm_up


@pytest.mark.parametrize(("patience", "said"), [(0.0, warm_up.NOTICE + "\n"), (600.0, "")])
def test_a_long_start_is_explained(monkeypatch, capsys, patience, said):
    monkeypatch.setattr(warm_up, "PATIENCE", patience)
    warm_up.warm_up()
    assert capsys.readouterr().out == said
