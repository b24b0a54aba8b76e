"""Compiled code on disk: what is read, what is not, and what is left behind."""

from __future__ import annotations

import hashlib
import importlib
import os
import pickle
import pkgutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba.core import config
from numba.core.registry import CPUDispatcher

import inarow
from inarow.engine import code_folder, jit
from inarow.engine.code_folder import is_private, private_folder
from inarow.engine.numba_internals import CHECKSUM, CodeCache
from tests.engine.compiled import add_up, first_of

STUDY = """
name = "six learners"
[fixed]
games = 20
game = "tictactoe"
[grid]
learner = {learners}
"""
ALONE = ["q", "td_lambda", "mlp", "line_td", "monte_carlo", "reinforce"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    made = private_folder(tmp_path / "code")
    monkeypatch.setattr(jit, "CACHE_FOLDER", str(made))
    return made


def test_code_is_read_again(folder):
    for hits in (0, 1):
        compiled: Any = jit.jit(add_up)
        assert compiled(np.arange(10)) == 45
        assert compiled(np.arange(10.0)) == 45
        assert sum(compiled.stats.cache_hits.values()) == 2 * hits
        assert len(list(folder.iterdir())) == 2


@pytest.mark.parametrize("damage", [b"", b"x", bytes(200)])
def test_damaged_code_is_compiled_anew(folder, damage):
    jit.jit(add_up)(np.arange(10))
    (path,) = folder.iterdir()
    for content in (damage, path.read_bytes()[:-1], path.read_bytes()[:CHECKSUM]):
        path.write_bytes(content)
        compiled: Any = jit.jit(add_up)
        assert compiled(np.arange(10)) == 45
        assert not compiled.stats.cache_hits
        again: Any = jit.jit(add_up)
        assert again(np.arange(10)) == 45
        assert again.stats.cache_hits


def test_a_full_disk_is_no_error(folder, monkeypatch):
    def refuse(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("inarow.engine.numba_internals.os.fdopen", refuse)
    assert jit.jit(add_up)(np.arange(10)) == 45
    assert not list(folder.iterdir())


def test_code_that_checks_bounds_is_kept_apart(folder, monkeypatch):
    jit.jit(add_up)(np.arange(10))
    monkeypatch.setattr(config, "BOUNDSCHECK", 1)
    checked: Any = jit.jit(add_up)
    assert checked(np.arange(10)) == 45
    assert not checked.stats.cache_hits
    assert len(list(folder.iterdir())) == 2


def of_module(number: int) -> Any:
    """Tuples of one name, from modules that differ in nothing but theirs."""

    class Pair(NamedTuple):
        one: int
        two: int

    Pair.__module__ = f"inarow.made_up_{number}"
    Pair.__qualname__ = "Pair"
    return Pair(1, 2)


def test_types_of_one_name_do_not_share_code(folder):
    for number in range(2):
        compiled: Any = jit.jit(first_of)
        assert compiled(of_module(number)) == 1
        assert not compiled.stats.cache_hits
    assert len(list(folder.iterdir())) == 2


def test_nothing_compiled_stands_where_the_digest_does_not_look():
    for function in compiled_functions():
        assert function.py_func.__module__.split(".")[1] not in code_folder.NOT_COMPILED


def test_every_compiled_function_has_this_cache():
    """No module decorates on its own, so none can look for code elsewhere."""
    functions = compiled_functions()
    assert len(functions) > 250
    for function in functions:
        assert isinstance(function._cache, CodeCache), function
        assert function._cache.cache_path == jit.CACHE_FOLDER


def test_folders_that_others_may_change_are_not_private(tmp_path, monkeypatch):
    assert private_folder(tmp_path / "new") == tmp_path / "new"
    for mode in (0o710, 0o705, 0o777, 0o1777):
        (tmp_path / "new").chmod(mode)
        assert private_folder(tmp_path / "new") is None
    (tmp_path / "new").chmod(0o700)
    assert is_private(tmp_path / "new")
    (tmp_path / "link").symlink_to(tmp_path / "new")
    assert not is_private(tmp_path / "link")
    (tmp_path / "file").write_text("")
    assert private_folder(tmp_path / "file") is None
    deep = tmp_path / "open" / "below" / "ours"
    assert private_folder(deep) == deep
    (tmp_path / "open").chmod(0o777)  # anybody may put another folder there
    assert private_folder(deep) is None
    (tmp_path / "open").chmod(0o1777)  # as /tmp is: nobody may
    assert private_folder(deep) == deep
    user = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: user + 1)
    assert private_folder(deep) is None


# Planted files


class Mark:
    """Leaves a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def compiled_functions() -> list[Any]:
    """All of the package."""
    found = {}
    for module in pkgutil.walk_packages(inarow.__path__, "inarow."):
        if not module.name.endswith("__main__"):
            for value in vars(importlib.import_module(module.name)).values():
                if isinstance(value, CPUDispatcher):
                    found[id(value)] = value
    return list(found.values())


def plant(working: Path, marker: Path) -> list[Path]:
    """Files as Numba would look for them in a working folder, for every compiled function."""
    evil, planted = pickle.dumps(Mark(marker)), []
    version = f"py{sys.version_info[0]}{sys.version_info[1]}"
    for value in compiled_functions():
        code = value.py_func.__code__
        file = Path(code.co_filename)
        digest = hashlib.sha1(str(file.parent).encode()).hexdigest()
        name = f"{file.stem}.{value.py_func.__qualname__}-{code.co_firstlineno}.{version}.nbi"
        for place in (f"{file.parent.name}_{digest}", "__pycache__", "."):
            (working / place).mkdir(exist_ok=True)
            planted.append(working / place / name)
            planted[-1].write_bytes(evil)
    return planted


def run_study(working: Path, learners: list[str], environment: dict[str, str]) -> None:
    (working / "six.toml").write_text(STUDY.format(learners=learners))
    command = [sys.executable, "-m", "inarow", "study", "run", "six.toml", "--runs", "1"]
    ended = subprocess.run(
        [*command, "--workers", "4", "--json"],
        cwd=working,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr


def listing(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if "six." not in path.name}


def test_nothing_planted_in_the_working_folder_is_read_and_nothing_left_there(tmp_path):
    """Six learners begin at once on four threads; their modules are imported side by side."""
    working, marker = tmp_path / "working", tmp_path / "marker"
    working.mkdir()
    assert len(plant(working, marker)) > 750
    before = listing(working)
    for _ in range(2):
        run_study(working, ALONE, {})
        assert listing(working) == before
        assert not marker.exists()
        (working / "six.db").unlink()


def test_a_given_folder_that_others_may_write_to_is_not_read(tmp_path):
    working, given, marker = tmp_path / "working", tmp_path / "given", tmp_path / "marker"
    working.mkdir()
    run_study(working, ["q"], {"NUMBA_CACHE_DIR": str(given)})  # its own
    (made,) = given.iterdir()
    names = [path for path in made.iterdir() if path.suffix == ".code"]
    assert names
    evil = pickle.dumps(Mark(marker))
    for path in names:
        path.write_bytes(hashlib.sha256(evil).digest() + evil)
    made.chmod(0o777)
    (working / "six.db").unlink()
    run_study(working, ["q"], {"NUMBA_CACHE_DIR": str(given)})
    assert not marker.exists()
    made.chmod(0o700)  # to see that these files would have been read
    (working / "six.db").unlink()
    with pytest.raises(AssertionError):
        run_study(working, ["q"], {"NUMBA_CACHE_DIR": str(given)})
    assert marker.exists()
