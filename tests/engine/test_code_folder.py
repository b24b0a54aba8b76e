"""The compiler's cache: where it lies, what makes it anew, and play without any."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

import inarow
from inarow.engine import code_folder
from inarow.engine.code_folder import ImportingError, digest_of_imports


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package folder of our own, with one compiled source and one plain one."""
    folder = tmp_path / "inarow"
    (folder / "engine").mkdir(parents=True)
    (folder / "engine" / "fast.py").write_text("from inarow.engine.jit import jit\n")
    (folder / "plain.py").write_text("x = 1\n")
    monkeypatch.setattr(code_folder, "PACKAGE", folder)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    return folder


def deny(monkeypatch, *parents: Path) -> None:
    """Folders in which nothing can be made, without modes: a superuser may write anywhere."""
    make = Path.mkdir

    def mkdir(self, *arguments, **options):
        if any(self.is_relative_to(parent) for parent in parents):
            raise PermissionError(f"cannot write {self}")
        make(self, *arguments, **options)

    monkeypatch.setattr(Path, "mkdir", mkdir)


def test_the_package_folder_comes_first(package):
    folder = Path(code_folder.find_cache_folder())
    assert folder.parent == package / "__pycache__"
    assert folder.name == f"inarow-{code_folder.source_digest()}"
    assert folder.is_dir()


def test_then_the_users_cache(package, tmp_path, monkeypatch):
    deny(monkeypatch, package)
    assert Path(code_folder.find_cache_folder()).parent == tmp_path / "user"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert Path(code_folder.find_cache_folder()).parent == tmp_path / "home" / ".cache"


def test_a_folder_that_is_given_comes_before_all(package, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "given"))
    assert Path(code_folder.find_cache_folder()).parent == tmp_path / "given"
    assert not (package / "__pycache__").exists()


def test_without_a_writable_folder_there_is_none(package, tmp_path, monkeypatch):
    deny(monkeypatch, package, tmp_path / "user", tmp_path / "given")
    assert code_folder.find_cache_folder() is None
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "given"))
    assert code_folder.find_cache_folder() is None


def test_a_folder_that_exists_but_cannot_be_written_is_passed_over(package, tmp_path, monkeypatch):
    ours = package / "__pycache__"
    make = tempfile.TemporaryFile

    def refuse(*arguments, dir=None, **options):  # noqa: A002
        if Path(dir).is_relative_to(ours):
            raise PermissionError(f"cannot write {dir}")
        return make(*arguments, dir=dir, **options)

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    assert Path(code_folder.find_cache_folder()).parent == tmp_path / "user"


@pytest.mark.usefixtures("package")
def test_a_folder_that_others_may_write_to_is_passed_over(tmp_path, monkeypatch):
    ours = Path(code_folder.find_cache_folder())
    assert ours.stat().st_mode & 0o777 == 0o700
    ours.chmod(0o770)  # whatever lies in it may be anybody's
    assert Path(code_folder.find_cache_folder()).parent == tmp_path / "user"
    (tmp_path / "user").chmod(0o777)
    assert code_folder.find_cache_folder() is None
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "user"))
    assert code_folder.find_cache_folder() is None


def test_no_home_at_all_is_no_error(package, monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/nonexistent")
    deny(monkeypatch, package, Path("/nonexistent"))
    assert code_folder.find_cache_folder() is None


def test_the_digest_changes_with_every_source_that_compiled_code_may_read(package):
    before = code_folder.source_digest()
    assert code_folder.source_digest() == before
    fast = package / "engine" / "fast.py"
    fast.write_text(fast.read_text() + "# another thought\n")
    changed = code_folder.source_digest()
    assert changed != before
    (package / "plain.py").write_text("x = 2\n")  # compiled code may have frozen it
    plain = code_folder.source_digest()
    (package / "more.py").write_text("import jit\n")
    more = code_folder.source_digest()
    (package / "more.py").rename(package / "moved.py")
    assert len({before, changed, plain, more, code_folder.source_digest()}) == 5


def test_the_digest_is_of_no_page_and_no_adapter(package):
    before = code_folder.source_digest()
    for folder in ("ui", "ui/server/templates", "adapters", "__pycache__"):
        (package / folder).mkdir(parents=True)
        (package / folder / "page.py").write_text("x = 1\n")
    (package / "engine" / "table.toml").write_text("x = 1\n")
    assert code_folder.source_digest() == before


def test_the_digest_is_of_all_rooms(tmp_path, monkeypatch):
    copy = tmp_path / "inarow"
    shutil.copytree(code_folder.PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    before = code_folder.source_digest()
    monkeypatch.setattr(code_folder, "PACKAGE", copy)
    assert code_folder.source_digest() == before
    for room in (
        "engine/board.py",
        "engine/jit.py",
        "engine/numba_internals.py",
        "graph/graph.py",
        "learn/saved.py",
    ):
        source = (copy / room).read_text()
        (copy / room).write_text(source + "\n")
        assert code_folder.source_digest() != before, room
        (copy / room).write_text(source)
    assert code_folder.source_digest() == before


def test_compiled_code_of_earlier_sources_is_dropped(package):
    parent = package / "__pycache__"
    (parent / "inarow-0123456789abcdef").mkdir(parents=True)
    (parent / "inarow-0123456789abcdef" / "old.nbc").write_text("old")
    (parent / "plain.cpython-311.pyc").write_text("not ours")
    (parent / "inarow-fedcba9876543210").mkdir()  # a process may still use it
    os.utime(parent / "inarow-0123456789abcdef", (0, time.time() - 2 * 86_400))
    folder = Path(code_folder.find_cache_folder())
    assert sorted(path.name for path in parent.iterdir()) == sorted(
        [folder.name, "inarow-fedcba9876543210", "plain.cpython-311.pyc"]
    )


# Compiled code of earlier sources is never used: the package's, and other people's.

PACKAGE = Path(inarow.__file__).parent
COUNT = """
from inarow.game import game
from inarow.graph.counting import count_positions
print(sum(count_positions(game("board:3x3,gravity,misere")).by_ply))
"""
MINE = """
from inarow.engine.jit import jit
from helper import SIDES
import numbers_of.two as two

@jit
def answer(number: int) -> int:
    return SIDES * two.TEN * number
"""
ASK = "import mine; print(mine.answer(3), sum(mine.answer.stats.cache_hits.values()))"


def answer(program: str, path: Path, folder: Path) -> str:
    """What a fresh process prints that imports from a path first."""
    ours = [str(path), *([] if (path / "inarow").exists() else [str(PACKAGE.parent)])]
    settings = {"NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": os.pathsep.join(ours)}
    command = [sys.executable, "-c", program]
    ended = subprocess.run(
        command, env={**os.environ, **settings}, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()


def test_the_order_of_fields_may_change(tmp_path):
    """Every use of a table is by name, but compiled code has frozen its place."""
    large = ("*.book", "*.replies", "*.safetensors", "*.strategy", "__pycache__", "static")
    copy = tmp_path / "path" / "inarow"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns(*large))
    assert answer(COUNT, tmp_path / "path", tmp_path / "cache") == "694"
    tables = copy / "engine" / "board.py"
    source = tables.read_text()
    one, other = "    scoring: bool\n", "    misere: bool\n"
    assert one + other in source
    tables.write_text(source.replace(one + other, other + one))
    assert answer(COUNT, tmp_path / "path", tmp_path / "cache") == "694"


def test_a_constant_of_another_module_of_theirs_may_change(tmp_path):
    path, cache = tmp_path / "path", tmp_path / "cache"
    (path / "numbers_of").mkdir(parents=True)
    (path / "mine.py").write_text(MINE)
    (path / "helper.py").write_text("from numbers_of.one import SIDES\n")
    (path / "numbers_of" / "one.py").write_text("SIDES = 2\n")
    (path / "numbers_of" / "two.py").write_text("TEN = 10\n")
    assert answer(ASK, path, cache) == "60 0"
    assert answer(ASK, path, cache) == "60 1"
    (path / "numbers_of" / "one.py").write_text("SIDES = 3\n")
    assert answer(ASK, path, cache) == "90 0"
    (path / "numbers_of" / "two.py").write_text("TEN = 7\n")
    assert answer(ASK, path, cache) == "63 0"


# What a digest is of

FILES = {
    "theirs/__init__.py": "",
    "theirs/mine.py": "from .part import ONE\nfrom . import other\nimport json\n",
    "theirs/part.py": "from .deep.last import ONE\n",
    "theirs/above.py": "ONE = 1\n",
    "theirs/other.py": "import alone\ntry:\n    import no_such_module\nexcept ImportError: pass\n",
    "theirs/deep/__init__.py": "",
    "theirs/deep/last.py": "from ..above import ONE\n",
    "theirs/beside.py": "",
    "alone.py": "import theirs.mine\n",  # round in a circle
}


@pytest.fixture
def theirs(tmp_path, monkeypatch):
    """Modules of somebody's, older than this process; writes one anew and says the digest."""

    def say(name: str = "alone.py", text: str = FILES["alone.py"], *, age: float = 100) -> str:
        for path, content in {**FILES, name: text}.items():
            file = tmp_path / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
            os.utime(file, (code_folder.BEGUN - age, code_folder.BEGUN - age))
        for module in [*sys.modules]:
            if module.partition(".")[0] in ("theirs", "alone"):
                monkeypatch.delitem(sys.modules, module)
        code_folder._read.cache_clear()
        importlib.invalidate_caches()
        importlib.import_module("theirs.mine")
        return digest_of_imports("theirs.mine")

    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield say
    code_folder._read.cache_clear()


def test_a_digest_is_of_all_modules_that_are_imported(theirs):
    before = theirs()
    assert theirs() == before
    for name, text in FILES.items():
        assert (theirs(name, f"{text}# another thought\n") == before) == (
            name == "theirs/beside.py"
        )


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("1", "2"),
        ("1.5", "-0.0"),
        ("(1, 2)", "(2, 1)"),
        ("np.arange(3)", "np.arange(3)[::-1]"),
        ("namedtuple('Pair', 'a b')", "namedtuple('Pair', 'b a')"),
        ("namedtuple('Pair', 'a b')(1, 2)", "namedtuple('Pair', 'b a')(1, 2)"),
        ("IntEnum('Kind', {'A': 1})", "IntEnum('Kind', {'A': 2})"),
        ("IntEnum('Kind', {'A': 1}).A", "IntEnum('Kind', {'A': 2}).A"),
        ("IntEnum('Kind', {'A': 1, 'B': 2}).A", "IntEnum('Kind', {'A': 1, 'B': 2}).B"),
        ("same", "double"),
        ("(same, double)", "(double, same)"),
        ("jit(same)", "jit(double)"),
        ("jit(same)", "inline_sums(same)"),
        ("(jit(same), jit(double))", "(jit(double), jit(same))"),
        ("(lambda x: x)", "(lambda x: -x)"),
        ("jit(lambda x: 2 * x)", "jit(lambda x: 3 * x)"),
        ("jit(lambda x, by=1: x)", "jit(lambda x, by=2: x)"),
        ("np.int8", "np.int16"),
        ("np.dtype('i1')", "np.dtype('i2')"),
        ("np.add", "np.multiply"),
        ("math", "np"),
        ("math.sin", "math.cos"),
        ("types.int32", "types.int64"),
        ("frozenset({1, 2})", "frozenset({1, 3})"),
    ],
)
def test_a_digest_is_of_values_that_come_from_elsewhere(theirs, monkeypatch, said, other):
    read = "import math\nimport os\nimport numpy as np\nfrom collections import namedtuple\n"
    read += "from enum import IntEnum\nfrom numba import types\n"
    read += "from inarow.engine.jit import inline_sums, jit\n"
    read += "def same(x): return x\ndef double(x): return 2 * x\n"
    read += "ONE, MORE = eval_of(os.environ['ONE']), os.environ['MORE']\n"
    text = f"{read}def ask():\n    return ONE\n".replace("eval_of", "__builtins__['ev' 'al']")
    digests = []
    for one, more in ((said, "x"), (said, "y"), (other, "y")):
        monkeypatch.setenv("ONE", one)
        monkeypatch.setenv("MORE", more)  # no function has this one
        digests.append(theirs("alone.py", text))
    assert digests[0] == digests[1] != digests[2]


def test_names_of_types_do_no_harm(theirs):
    made = (
        "import numpy as np\nimport numpy.typing as npt\nArray, Numbers = np.ndarray, npt.NDArray\n"
    )
    assert theirs("alone.py", made + "def ask():\n    return Array, Numbers[np.int8], np.int8\n")


@pytest.mark.parametrize(
    "made",
    [
        "types.SimpleNamespace(other=object())",
        "jit((lambda by: lambda x: by * x)(2))",  # what it has enclosed
        "slice(1, 2)",
        "np.random.default_rng()",
        "sys.modules['theirs.plugin'].choose",
    ],
)
def test_nothing_is_kept_of_values_that_cannot_be_told(theirs, made):
    text = (
        "import sys, types\nimport numpy as np\nfrom inarow.engine.jit import jit\n"
        "from pathlib import Path\n"
        "there = types.ModuleType('theirs.plugin')\nthere.__file__ = __file__\n"
        "sys.modules['theirs.plugin'] = there\n"
        "def choose(x): return x\nchoose.__module__ = 'theirs.plugin'\nthere.choose = choose\n"
    )
    with pytest.raises(ImportingError):
        theirs("alone.py", f"{text}ONE = {made}\ndef ask():\n    return ONE\n")
    sys.modules.pop("theirs.plugin", None)


def test_values_that_compiled_code_cannot_have_do_no_harm(theirs):
    made = "import logging, re\nfrom inarow.game import game\n"
    made += "ONE = logging.getLogger('x'), re.compile('x'), game('tictactoe'), {1: object()}\n"
    said = theirs("alone.py", f"{made}def ask():\n    return ONE\n")
    assert said == theirs("alone.py", f"{made}def ask():\n    return ONE\n")


@pytest.mark.parametrize(
    "text",
    [
        "import importlib\nimportlib.import_module('json')\n",
        "__import__('json')\n",
        "exec('ONE = 1')\n",
        "import sys, types\nsys.modules['theirs.made'] = types.ModuleType('made')\n"
        "import theirs.made\n",
    ],
)
def test_nothing_is_kept_where_imports_cannot_be_known(theirs, text):
    with pytest.raises(ImportingError):
        theirs("alone.py", text)
    sys.modules.pop("theirs.made", None)


def test_nothing_is_kept_of_sources_that_changed_meanwhile(theirs):
    with pytest.raises(ImportingError):
        theirs(age=-100)


def test_nothing_is_kept_of_what_has_no_source():
    with pytest.raises(ImportingError):
        digest_of_imports("no_such_module")


def test_installed_packages_count_by_their_versions(theirs, monkeypatch):
    before = theirs("alone.py", "import pytest\n")
    monkeypatch.setattr(code_folder, "_installed", lambda: "another version")
    assert theirs("alone.py", "import pytest\n") != before
