"""What the server says while it gets ready."""

from inarow.ui.web import warm_up


def test_a_long_start_is_explained(monkeypatch, capsys):
    monkeypatch.setattr(warm_up, "PATIENCE", 0.0)
    warm_up.warm_up()
    assert capsys.readouterr().out == f"{warm_up.NOTICE}\n"


def test_a_short_one_is_not(monkeypatch):
    timers = []

    class Timer(warm_up.Timer):
        def __init__(self, *args):
            super().__init__(*args)
            timers.append(self)

    monkeypatch.setattr(warm_up, "PATIENCE", 600.0)
    monkeypatch.setattr(warm_up, "Timer", Timer)
    warm_up.warm_up()
    (timer,) = timers
    timer.join(10)
    assert not timer.is_alive()  # so it says nothing later either
