"""The compiler's cache: where it lies, what makes it anew, and play without any."""

import gc
import os
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from numba.core import config

from inarow.engine import cache_folder, compile_events, jit
from inarow.engine.inlining import IntermediateCode
from inarow.game import game
from inarow.search import driver
from inarow.search.solver import Solver


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package folder of our own, with one compiled source and one plain one."""
    folder = tmp_path / "inarow"
    (folder / "engine").mkdir(parents=True)
    (folder / "engine" / "fast.py").write_text("from inarow.engine.jit import jit\n")
    (folder / "plain.py").write_text("x = 1\n")
    monkeypatch.setattr(cache_folder, "PACKAGE", folder)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    return folder


def deny(monkeypatch, *parents: Path) -> None:
    """Folders in which nothing can be made. (A superuser may write anywhere, so no modes here.)"""
    make = Path.mkdir

    def mkdir(self, *arguments, **options):
        if any(self.is_relative_to(parent) for parent in parents):
            raise PermissionError(f"cannot write {self}")
        make(self, *arguments, **options)

    monkeypatch.setattr(Path, "mkdir", mkdir)


def test_the_package_folder_comes_first(package):
    folder = Path(cache_folder.find_cache_folder())
    assert folder.parent == package / "__pycache__"
    assert folder.name == f"inarow-{cache_folder.source_digest()}"
    assert folder.is_dir()


def test_then_the_users_cache(package, tmp_path, monkeypatch):
    deny(monkeypatch, package)
    assert Path(cache_folder.find_cache_folder()).parent == tmp_path / "user"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert Path(cache_folder.find_cache_folder()).parent == tmp_path / "home" / ".cache"


def test_a_folder_that_is_given_comes_before_all(package, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "given"))
    assert Path(cache_folder.find_cache_folder()).parent == tmp_path / "given"
    assert not (package / "__pycache__").exists()


def test_without_a_writable_folder_there_is_none(package, tmp_path, monkeypatch):
    deny(monkeypatch, package, tmp_path / "user", tmp_path / "given")
    assert cache_folder.find_cache_folder() is None
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "given"))
    assert cache_folder.find_cache_folder() is None


def test_a_folder_that_exists_but_cannot_be_written_is_passed_over(package, tmp_path, monkeypatch):
    ours = package / "__pycache__"
    make = tempfile.TemporaryFile

    def refuse(*arguments, dir=None, **options):  # noqa: A002
        if Path(dir).is_relative_to(ours):
            raise PermissionError(f"cannot write {dir}")
        return make(*arguments, dir=dir, **options)

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    assert Path(cache_folder.find_cache_folder()).parent == tmp_path / "user"


@pytest.mark.usefixtures("package")
def test_a_folder_that_others_may_write_to_is_passed_over(tmp_path, monkeypatch):
    ours = Path(cache_folder.find_cache_folder())
    assert ours.stat().st_mode & 0o777 == 0o700
    ours.chmod(0o770)  # whatever lies in it may be anybody's
    assert Path(cache_folder.find_cache_folder()).parent == tmp_path / "user"
    (tmp_path / "user").chmod(0o777)
    assert cache_folder.find_cache_folder() is None
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "user"))
    assert cache_folder.find_cache_folder() is None


def test_no_home_at_all_is_no_error(package, monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/nonexistent")
    deny(monkeypatch, package, Path("/nonexistent"))
    assert cache_folder.find_cache_folder() is None


def test_the_digest_changes_with_compiled_sources(package):
    before = cache_folder.source_digest()
    assert cache_folder.source_digest() == before
    fast = package / "engine" / "fast.py"
    fast.write_text(fast.read_text() + "# another thought\n")
    changed = cache_folder.source_digest()
    assert changed != before
    (package / "plain.py").write_text("x = 2\n")
    assert cache_folder.source_digest() == changed
    (package / "more.py").write_text("import jit\n")
    assert cache_folder.source_digest() != changed
    (package / "more.py").rename(package / "moved.py")
    assert len({before, changed, cache_folder.source_digest()}) == 3


def test_the_digest_is_of_all_rooms(tmp_path, monkeypatch):
    copy = tmp_path / "inarow"
    shutil.copytree(cache_folder.PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    before = cache_folder.source_digest()
    monkeypatch.setattr(cache_folder, "PACKAGE", copy)
    assert cache_folder.source_digest() == before
    for room in ("engine/board.py", "engine/jit.py", "engine/inlining.py", "graph/states.py"):
        source = (copy / room).read_text()
        (copy / room).write_text(source + "\n")
        assert cache_folder.source_digest() != before, room
        (copy / room).write_text(source)
    assert cache_folder.source_digest() == before


def test_compiled_code_of_earlier_sources_is_dropped(package):
    parent = package / "__pycache__"
    (parent / "inarow-0123456789abcdef").mkdir(parents=True)
    (parent / "inarow-0123456789abcdef" / "old.nbc").write_text("old")
    (parent / "plain.cpython-311.pyc").write_text("not ours")
    (parent / "inarow-fedcba9876543210").mkdir()  # a process may still use it
    os.utime(parent / "inarow-0123456789abcdef", (0, time.time() - 2 * 86_400))
    folder = Path(cache_folder.find_cache_folder())
    assert sorted(path.name for path in parent.iterdir()) == sorted(
        [folder.name, "inarow-fedcba9876543210", "plain.cpython-311.pyc"]
    )


def add_up(numbers: np.ndarray) -> int:
    total = 0
    for number in numbers:
        total += number
    return total


@pytest.mark.parametrize("decorate", [jit.jit, jit.inline])
def test_functions_compile_without_a_cache(decorate, monkeypatch):
    monkeypatch.setattr(jit, "CACHE_FOLDER", None)
    compiled = decorate(add_up)
    assert compiled(np.arange(10)) == 45
    assert compiled.stats.cache_path is None


def test_functions_compile_into_the_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(jit, "CACHE_FOLDER", str(tmp_path))
    before = config.CACHE_DIR
    compiled = jit.jit(add_up)
    assert compiled(np.arange(10)) == 45
    assert compiled.stats.cache_path == str(tmp_path)
    assert [path.suffix for path in tmp_path.iterdir()] == [".code"]
    assert before == config.CACHE_DIR


@jit.inline
def double(number: int) -> int:
    return 2 * number


def add_up_doubles(numbers: np.ndarray) -> int:
    total = 0
    for number in numbers:
        total += double(number)
    return total


def test_what_is_written_into_callers_can_be_called_from_python_too():
    assert jit.jit_anew(add_up_doubles)(np.arange(10)) == 90
    assert (double(4), double(4.5), double(4)) == (8, 9.0, 8)
    assert jit.jit_anew(add_up_doubles)(np.arange(10.0)) == 90


def test_what_is_written_into_callers_has_no_machine_code_of_its_own(tmp_path, monkeypatch):
    """And it is read from the cache by the next caller."""
    monkeypatch.setattr(jit, "CACHE_FOLDER", str(tmp_path))
    for hits in range(2):
        monkeypatch.setitem(globals(), "double", again := jit.inline(double.py_func))
        assert jit.jit_anew(add_up_doubles)(np.arange(10)) == 90
        (made,) = again.overloads.values()
        assert isinstance(made.library, IntermediateCode)
        assert sum(again.stats.cache_hits.values()) == hits
        assert not again.alone.overloads
        assert again(4) == 8
        assert len(list(tmp_path.iterdir())) == 2  # for callers, and for Python


def add_constants(number: int) -> int:
    return double(1) + double(2) + double(number)


def test_a_constant_needs_no_code_of_its_own(monkeypatch):
    monkeypatch.setitem(globals(), "double", again := jit.inline(double.py_func))
    assert jit.jit_anew(add_constants)(4) == 14
    assert len(again.overloads) == 1


def test_large_functions_that_loops_call_are_compiled_with_these_alone():
    Solver(game("connect4:4x4")).solve("1")
    assert not driver.search.alone.overloads
    assert driver.solve_many.alone.overloads  # what Python calls


def test_garbage_is_not_collected_while_something_is_compiled():
    collecting = []
    compile_events.watchers.append(lambda begins: collecting.append((begins, gc.isenabled())))
    try:
        assert jit.jit_anew(lambda number: number + 1)(1) == 2
    finally:
        compile_events.watchers.pop()
    assert collecting == [(True, False), (False, False)]
    assert gc.isenabled()
