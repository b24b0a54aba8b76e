"""Every mutant still names a line of the package and tests that are there."""

from inarow.engine import jit
from tests.mutants import __main__ as tool
from tests.mutants.__main__ import COMPILED, ENDLESS, Copy, is_result_of, mutants, store, stored
from tests.user_texts import hooks


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
    monkeypatch.setattr(tool, "WAITING", 1e-6)
    assert copy.outcome([]) == ENDLESS


def test_results_are_stored_one_by_one_and_a_run_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(tool, "RESULT", tmp_path / "mutants.json")
    one, two = mutants()[:2]
    row = {
        "promise": one.promise, "module": one.path, "line": one.line, "as": one.changed,
        "tests": one.tests, "noticed": True,
    }  # fmt: skip
    store(row)
    store(row | {"promise": two.promise})  # of another line: dropped with the next that is stored
    store(row | {"noticed": False})
    assert stored() == {one.promise: row | {"noticed": False}}
    assert is_result_of(stored()[one.promise], one)
    assert not is_result_of(stored().get(two.promise), two)
    assert not is_result_of(row, one._replace(changed="pass"))


def test_the_page_counts_what_is_stored():
    found, page = stored(), hooks()["explanations/verification.md"]
    assert f"**{sum(row['noticed'] for row in found.values())} of {len(found)} mutants" in page
    assert page.count("not tried yet |") == len(mutants()) - len(found)
    current = {mutant.promise: mutant for mutant in mutants()}
    assert all(is_result_of(row, current[promise]) for promise, row in found.items())
