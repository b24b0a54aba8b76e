"""What the source keeps to: few arguments, and types that mean something."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import inarow

SOURCES = sorted(Path(inarow.__file__).parent.rglob("*.py"))
MOST_ARGUMENTS = 8  # of a function; kernels, which are compiled, take arrays one by one
BY_NAME = {"train": 10}  # what people call with names of arguments may take more
MOST_ANY = 190  # lines with the word, imports too: most are at the edge of compiled code
COMPILERS = {"dispatch_by_type", "device", "inline", "inline_sums", "intrinsic", "jit", "no_inline"}


def functions(source: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Those that Python runs."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names = {re.split(r"[.(]", ast.unparse(by))[0] for by in node.decorator_list}
            if not names & COMPILERS:
                yield node


def too_long(source: str) -> list[str]:
    """The functions with too many arguments besides `self`, `*` and `**`."""
    found = []
    for function in functions(source):
        given = function.args
        names = [part.arg for part in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
        most = BY_NAME.get(function.name, MOST_ARGUMENTS)
        if len(names) - (names[:1] in (["self"], ["cls"])) > most:
            found.append(function.name)
    return found


def test_functions_take_few_arguments():
    wide = "a, b, c, d, e, f, g, h"
    for head, found in ((wide, []), (f"self, {wide}", []), (f"{wide}, *, i", ["f"])):
        assert too_long(f"class C:\n    def f({head}): ...") == found
    assert too_long(f"@jit\ndef f({wide}, i): ...") == []
    wrong = {path.name: too_long(path.read_text("utf-8")) for path in SOURCES}
    assert {name: found for name, found in wrong.items() if found} == {}


def test_types_mean_something():
    lines = [line for path in SOURCES for line in path.read_text("utf-8").splitlines()]
    assert sum(re.search(r"\bAny\b", line) is not None for line in lines) <= MOST_ANY
