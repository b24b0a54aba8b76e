"""Break one promise of the package after another in a copy, and see whether its tests notice.

    python -m tests.mutants [--only WORD] [--missing] [--store]          (`make mutants`)

With `--store` each result is written to docs/results/mutants.json as it is found, and a page of
docs/explanations is made from it; `--missing` goes on where a run was stopped. A mutant is noticed
if one of its tests fails; the same tests pass in the copy before.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from inarow.engine.code_folder import CACHE_FOLDER
from inarow.game.files import write_whole
from inarow.lab.machine import made_with

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RESULT = ROOT / "docs" / "results" / "mutants.json"
LONGEST = 900  # CPU-seconds of the tests of one mutant, where other work does not count
WAITING = 4  # times as many seconds by the clock: then they wait for something that never comes
COMPILED = {
    "inline", "inline_disjoint", "inline_sums", "jit", "jit_uncached", "late_link", "no_inline",
}  # fmt: skip
PASSED, FAILED, ENDLESS = "passed", "failed", "without an end"
Row = dict[str, Any]
NEEDED = ("src", "tests", "docs", "benchmarks", "examples", "tools", "pyproject.toml", "README.md",
          "Makefile", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md")  # fmt: skip


class Mutant(NamedTuple):
    """A broken promise."""

    promise: str
    path: str  # of its module, from src/inarow
    line: str
    changed: str
    tests: list[str]  # arguments for pytest
    compiled: bool  # whether the line is one of compiled code


def mutants() -> list[Mutant]:
    """Find the lines of all mutants; ValueError where one is missing or not the only one."""
    stored = tomllib.loads((HERE / "mutants.toml").read_text(encoding="utf-8"))["mutant"]
    sources = {
        path: path.read_text(encoding="utf-8")
        for path in sorted((ROOT / "src" / "inarow").rglob("*.py"))
    }
    return [_found(entry, sources) for entry in stored]


def _found(entry: dict[str, Any], sources: dict[Path, str]) -> Mutant:
    line, places = entry["line"], list[tuple[Path, int]]()
    for path, text in sources.items():
        numbers = [n for n, one in enumerate(text.splitlines(), 1) if one.strip() == line]
        places += [(path, number) for number in numbers]
    if len(places) != 1:
        where = [f"{path}:{number}" for path, number in places]
        raise ValueError(f"{line!r} must be a line of the package exactly once, not {where}")
    (path, number), tests = places[0], [_test(name) for name in entry["tests"]]
    compiled = _is_compiled(sources[path], number)
    relative = str(path.relative_to(ROOT / "src" / "inarow"))
    return Mutant(entry["promise"], relative, line, entry["as"], tests, compiled)


def _test(name: str) -> str:
    path, _, function = name.partition("::")
    if not (ROOT / "tests" / path).is_file():
        raise ValueError(f"there is no tests/{path}")
    function = function.partition("[")[0]
    if function and f"def {function}(" not in (ROOT / "tests" / path).read_text(encoding="utf-8"):
        raise ValueError(f"there is no {function} in tests/{path}")
    return f"tests/{name}"


def _is_compiled(source: str, number: int) -> bool:
    """Whether a line stands in a compiled function, or in none, where it may be a constant."""
    around = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and node.lineno <= number <= (node.end_lineno or 0)
    ]
    names = {ast.unparse(one).partition("(")[0] for node in around for one in node.decorator_list}
    return not around or bool(names & COMPILED)


class Copy:
    """The project in a folder of its own, with compiled code of its own."""

    def __init__(self, folder: Path) -> None:
        self.root, self.cache = folder / "copy", folder / "cache"
        self.root.mkdir()
        self.cache.mkdir(mode=0o700)
        ignored = shutil.ignore_patterns("__pycache__")
        for name in NEEDED:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, self.root / name, ignore=ignored)
            elif (ROOT / name).exists():
                shutil.copy2(ROOT / name, self.root / name)
        if CACHE_FOLDER is not None and Path(CACHE_FOLDER).is_dir():  # of the same sources
            shutil.copytree(CACHE_FOLDER, self.cache / Path(CACHE_FOLDER).name)

    def outcome(self, tests: list[str]) -> str:
        """How tests end here: passed, with the first that failed, or not in `LONGEST` seconds."""
        words = "-m", "pytest", "-n", "0", "-x", "-q", "-p", "no:cacheprovider", *tests
        try:
            done = self._python(*words)
        except subprocess.TimeoutExpired:
            return ENDLESS
        if done.returncode == -signal.SIGXCPU:
            return ENDLESS
        if done.returncode not in (0, 1, 2):  # passed, failed, or could not even be imported
            raise SystemExit(f"pytest {' '.join(tests)}: {done.stdout}{done.stderr}")
        return PASSED if done.returncode == 0 else FAILED

    def mutate(self, mutant: Mutant) -> Callable[[], None]:
        """Change a line; the answer puts it back."""
        path = self.root / "src" / "inarow" / mutant.path
        before, folder = path.read_text(encoding="utf-8"), self._compiled_code()
        lines = before.splitlines(keepends=True)
        changed = [
            one.replace(mutant.line, mutant.changed) if one.strip() == mutant.line else one
            for one in lines
        ]
        path.write_text("".join(changed), encoding="utf-8")
        if not mutant.compiled and folder.is_dir():  # nothing has to be compiled anew
            with_mutant = self._compiled_code()
            if with_mutant != folder:
                shutil.copytree(folder, with_mutant, dirs_exist_ok=True)
                with_mutant.chmod(0o700)

        def put_back() -> None:
            if (with_mutant := self._compiled_code()) != folder:
                shutil.rmtree(with_mutant, ignore_errors=True)
            path.write_text(before, encoding="utf-8")

        return put_back

    def _compiled_code(self) -> Path:
        ask = "from inarow.engine.code_folder import source_digest; print(source_digest())"
        return self.cache / f"inarow-{self._python('-c', ask).stdout.strip()}"

    def _python(self, *words: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.root / "src"),
            "NUMBA_CACHE_DIR": str(self.cache),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        return subprocess.run(
            [sys.executable, *words],
            cwd=self.root,
            env=environment,
            capture_output=True,
            text=True,
            timeout=WAITING * LONGEST,
            preexec_fn=partial(resource.setrlimit, resource.RLIMIT_CPU, (LONGEST, LONGEST + 5)),
        )


def main() -> None:
    """Mutate, test, count."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--only", default="", help="only mutants with this in their promise")
    parser.add_argument("--missing", action="store_true", help="only those without a result yet")
    parser.add_argument("--store", action="store_true", help="write docs/results/mutants.json")
    given = parser.parse_args()
    chosen = [mutant for mutant in mutants() if given.only in mutant.promise]
    if given.missing:
        known = stored()
        chosen = [
            mutant for mutant in chosen if not is_result_of(known.get(mutant.promise), mutant)
        ]
    rows, passing = list[Row](), set[tuple[str, ...]]()
    with tempfile.TemporaryDirectory() as name:
        copy = Copy(Path(name))
        for mutant in chosen:
            if tuple(mutant.tests) not in passing:
                if (outcome := copy.outcome(mutant.tests)) != PASSED:
                    sys.exit(f"{' '.join(mutant.tests)} without any mutant: {outcome}")
                passing.add(tuple(mutant.tests))
            begun = time.monotonic()
            put_back = copy.mutate(mutant)
            outcome = copy.outcome(mutant.tests)
            put_back()
            seconds = time.monotonic() - begun
            rows.append(
                {"promise": mutant.promise, "module": mutant.path, "line": mutant.line,
                 "as": mutant.changed, "tests": mutant.tests, "noticed": outcome != PASSED,
                 "tests_ended": outcome}
            )  # fmt: skip
            if given.store:
                store(rows[-1])
            said = {PASSED: "NOT NOTICED", FAILED: "noticed", ENDLESS: "noticed, no end"}[outcome]
            print(f"{said}  {mutant.promise} ({mutant.path}, {seconds:.0f} s)", flush=True)
    noticed_in_all = sum(bool(row["noticed"]) for row in rows)
    endless = sum(row["tests_ended"] == ENDLESS for row in rows)
    print(f"{noticed_in_all} of {len(rows)} mutants noticed; {endless} by tests without an end")
    sys.exit(noticed_in_all < 0.95 * len(rows))


def stored() -> dict[str, Row]:
    """The results that are stored, by their promises."""
    if not RESULT.exists():
        return {}
    rows = json.loads(RESULT.read_text(encoding="utf-8"))["mutants"]
    return {row["promise"]: row for row in rows}


def is_result_of(row: Row | None, mutant: Mutant) -> bool:
    """Return whether a stored result is of this mutant as it is now."""
    is_of = mutant.path, mutant.line, mutant.changed, mutant.tests
    return row is not None and (row["module"], row["line"], row["as"], row["tests"]) == is_of


def store(row: Row) -> None:
    """Write a result among the others; those of mutants that are no more are dropped."""
    found = stored() | {row["promise"]: row}
    every = [mutant for mutant in mutants() if is_result_of(found.get(mutant.promise), mutant)]
    made = {
        "command": "make mutants",
        "date": datetime.now(UTC).date().isoformat(),
        "made_with": made_with(),
        "mutants": [found[mutant.promise] for mutant in every],
    }
    write_whole(RESULT, f"{json.dumps(made, indent=1, ensure_ascii=False)}\n".encode())


if __name__ == "__main__":
    main()
