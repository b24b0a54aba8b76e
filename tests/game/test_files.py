"""Files are written whole or not at all, and nothing but a file is replaced."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from inarow.game import InputError, files
from inarow.game.files import bytes_text, check_writable, machine_bytes, read_whole, write_whole
from inarow.lab.training.run import load_run
from inarow.search.opening_book import load_book
from inarow.search.replies import load_replies
from inarow.search.strategy import load_strategy


def test_what_is_written_is_read(tmp_path):
    path = tmp_path / "new" / "file"
    write_whole(path, b"one")
    write_whole(path, b"two")
    assert read_whole(path) == b"two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    path.chmod(0o600)
    write_whole(path, b"three")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == ["file"]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_whole(tmp_path / "link", b"one")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"one"


def test_pipes_and_folders_are_no_files(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder"):
        with pytest.raises(InputError, match=f"cannot read .*{name}: it is not a file"):
            read_whole(tmp_path / name)  # and does not wait for somebody to write
        for call in (lambda path: write_whole(path, b""), check_writable):
            with pytest.raises(InputError, match=f"cannot write .*{name}: it is not a file"):
                call(tmp_path / name)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["folder", "pipe"]


def test_a_look_leaves_everything_as_it_is(tmp_path):
    (tmp_path / "file").write_bytes(b"one")
    check_writable(tmp_path / "file")
    check_writable(tmp_path / "other")
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_bytes() == b"one"
    with pytest.raises(InputError, match="cannot write /proc/nowhere/x"):
        check_writable(Path("/proc/nowhere/x"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path):
    (tmp_path / "file").write_bytes(b"one")
    (tmp_path / "file").chmod(0o400)
    with pytest.raises(InputError, match="Permission denied"):
        write_whole(tmp_path / "file", b"two")


def test_what_is_written_has_reached_the_disk(tmp_path, monkeypatch):
    """The bytes before the file has its name, and then the name."""
    done, fsync, replace = [], os.fsync, Path.replace

    def synced(handle):
        kind = "folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file"
        done.append((kind, os.fstat(handle).st_size if kind == "file" else None))
        fsync(handle)

    def replaced(self, target):
        done.append(("name", None))
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", replaced)
    write_whole(tmp_path / "file", b"one")
    assert done == [("file", 3), ("name", None), ("folder", None)]


def test_a_disk_that_fails_is_said(tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(b"one")

    def fails(_):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(InputError, match=r"cannot write .*file: Input/output error"):
        write_whole(tmp_path / "file", b"two")
    assert (tmp_path / "file").read_bytes() == b"one"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_a_file_that_says_it_is_endless_is_not_read(tmp_path):
    """It takes no room on the disk, and would take all memory: agents, books, strategies."""
    path = tmp_path / "some.safetensors"
    with path.open("wb") as file:
        file.truncate(2**40)
    for read in (read_whole, load_run, load_book, load_replies, load_strategy):
        with pytest.raises(InputError, match=r"some\.safetensors"):
            read(path)
    path.unlink()
    os.mkfifo(path)
    for read in (read_whole, load_run, load_book, load_replies, load_strategy):
        with pytest.raises(InputError, match=r"some\.safetensors"):
            read(path)


# How much memory there is, and how it is said.


def test_sizes_for_people():
    assert [bytes_text(size) for size in (0, 3 * 2**20, 2**30, 2**45, 10**5000)] == [
        "1 MB",
        "3 MB",
        "1 GB",
        "32 TB",
        "over 1,000 TB",
    ]


def test_a_container_may_have_less_than_its_machine(monkeypatch, tmp_path):
    monkeypatch.setattr(files, "CONTAINER", tmp_path / "memory.max")
    whole = machine_bytes()
    (tmp_path / "memory.max").write_text("1048576\n")
    assert machine_bytes() == 2**20
    (tmp_path / "memory.max").write_text("max\n")
    assert machine_bytes() == whole
