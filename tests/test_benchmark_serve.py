"""The parts of `benchmarks/serve.py` that need no browser."""

import os
import time
from types import SimpleNamespace

import pytest

from benchmarks.serve import MEETINGS, Row, Server, row_of
from inarow.game import game


@pytest.mark.parametrize(("most", "passes"), [(0.19, True), (0.2, False), (3.0, False)])
def test_one_late_answer_is_enough_to_fall_short(most, passes):
    row = row_of("perfect", [0.01, 0.03, most], 0.02, 0.2)
    assert row == Row("perfect", 3, 0.03, most, 0.02, 0.2)
    assert row.passes is passes


def test_cpu_time_and_threads_of_a_process():
    server = Server("", SimpleNamespace(pid=os.getpid()))
    if server.threads == 0:
        pytest.skip("the system does not say")
    before = server.cpu
    while time.process_time() < before + 0.05:
        pass
    assert server.cpu > before
    assert server.cpu == pytest.approx(time.process_time(), abs=1.0)


def test_every_meeting_is_of_a_game():
    assert {game(name).name for name, _ in MEETINGS.values()} == {"tictactoe", "connect4:6x7"}
