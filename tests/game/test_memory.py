"""How much memory there is, and how it is said."""

from inarow.game import memory
from inarow.game.memory import bytes_text, machine_bytes


def test_sizes_for_people():
    assert [bytes_text(size) for size in (0, 3 * 2**20, 2**30, 2**45, 10**5000)] == [
        "1 MB",
        "3 MB",
        "1 GB",
        "32 TB",
        "over 1,000 TB",
    ]


def test_a_container_may_have_less_than_its_machine(monkeypatch, tmp_path):
    monkeypatch.setattr(memory, "CONTAINER", tmp_path / "memory.max")
    whole = machine_bytes()
    (tmp_path / "memory.max").write_text("1048576\n")
    assert machine_bytes() == 2**20
    (tmp_path / "memory.max").write_text("max\n")
    assert machine_bytes() == whole
