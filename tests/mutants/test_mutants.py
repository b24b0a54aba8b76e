"""Every mutant still names a line of the package and tests that are there."""

from inarow.engine import jit
from tests.mutants import __main__ as tool
from tests.mutants.__main__ import COMPILED, ENDLESS, Copy, mutants


def test_every_mutant_is_found():
    found = mutants()
    assert len(found) >= 40
    for mutant in found:
        assert mutant.changed != mutant.line
        assert mutant.tests
    assert len({mutant.promise for mutant in found}) == len(found)
    assert {mutant.compiled for mutant in found} == {True, False}


def test_compiled_functions_are_told_by_decorators_that_there_are():
    assert [name for name in COMPILED if not callable(getattr(jit, name, None))] == []
    made = {
        name
        for name, value in vars(jit).items()
        if getattr(value, "__module__", "") == jit.__name__
    }
    assert {"jit", "inline"} <= made & COMPILED
    takes_functions = {
        name
        for name in made
        if getattr(vars(jit)[name], "__annotations__", {})
        == {"function": "Function", "return": "Function"}
    }
    assert takes_functions == COMPILED


def test_a_copy_begins_with_the_code_that_is_compiled(tmp_path, monkeypatch):
    kept = tmp_path / "inarow-0123"
    kept.mkdir()
    (kept / "one.code").write_text("compiled")
    monkeypatch.setattr(tool, "CACHE_FOLDER", str(kept))
    monkeypatch.setattr(tool, "NEEDED", ("pyproject.toml",))
    (tmp_path / "of").mkdir()
    copy = Copy(tmp_path / "of")
    assert (copy.cache / "inarow-0123" / "one.code").read_text() == "compiled"
    monkeypatch.setattr(tool, "LONGEST", 0.001)
    assert copy.outcome([]) == ENDLESS
