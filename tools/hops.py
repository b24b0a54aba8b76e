"""The walks of four commands through the package: which function calls which until the work begins.

    python tools/hops.py                the walks of train, certify, match and reproduce
    python tools/hops.py train --rows   one of them, with its row from the command down

A hop is a call from one function of the package to another. The walk of a command ends where its
work is done: in the function named beside it, which calls a compiled loop. Its row is the longest
chain of calls to there. A hop only forwards if the function does nothing but call one other.

Also printed: how many modules of the package are imported with the driver of training runs.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import io
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from types import CodeType, FrameType

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "inarow"
# Each command, and the function in which its walk ends.
WALKS = {
    "train": (
        "train tictactoe td --against attack --games 2000 --seed 1 --out run.safetensors",
        "learn/tabular/table.py:TabularTraining.play",
    ),
    "certify": ("certify tictactoe attack", "graph/certificate.py:certify_side"),
    "match": (
        "match tictactoe attack random --games 100 --seed 1",
        "engine/play_games.py:play_games",
    ),
    "reproduce": (
        "reproduce hybrid --game tictactoe --scale quick --runs 1 --workers 1 --agents none",
        "learn/tabular/table.py:TabularTraining.play",
    ),
}
DRIVER = "inarow.lab.training.driver"

Row = tuple[CodeType, ...]  # from the command down


class Walk:
    """The functions of the package that a command enters, and the longest row to its work."""

    def __init__(self, work: str) -> None:
        self.work, self.entered, self.row = work, set[CodeType](), Row()
        self.deepest = Row()
        self.started_by = dict[threading.Thread, Row]()

    def row_of(self, frame: FrameType | None) -> Row | None:
        """Return the row that ends in a frame, None while something is imported or compiled."""
        row = list[CodeType]()
        while frame is not None:
            file = frame.f_code.co_filename
            if file.startswith("<frozen importlib") or "/numba/core/" in file:
                return None
            if is_ours(frame.f_code):
                row.append(frame.f_code)
            frame = frame.f_back
        return (*self.started_by.get(threading.current_thread(), ()), *reversed(row))

    def see(self, frame: FrameType, event: str, _: object) -> None:
        """Note a call; what Python does while it imports modules is no hop."""
        if event != "call":
            return
        if frame.f_code is threading.Thread.start.__code__:
            self.started_by[frame.f_locals["self"]] = self.row_of(frame) or ()
        if not is_ours(frame.f_code):
            return
        found = self.row_of(frame)
        if found is None:
            return
        self.entered.add(frame.f_code)
        if len(set(found)) > len(self.deepest):
            self.deepest = tuple(dict.fromkeys(found))
        if place(frame.f_code) == self.work and len(found) > len(self.row):
            self.row = found


def is_ours(code: CodeType) -> bool:
    """Return whether a function is one of the package, and not a module's own code."""
    return code.co_filename.startswith(str(PACKAGE)) and not code.co_name.startswith("<")


def place(code: CodeType) -> str:
    """Return where a function is, as lab/matches/match.py:match."""
    return f"{Path(code.co_filename).relative_to(PACKAGE).as_posix()}:{code.co_qualname}"


def only_forwards(code: CodeType) -> bool:
    """Return whether a function's body is one call, besides imports and its docstring."""
    tree = ast.parse(Path(code.co_filename).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = min([node.lineno, *(by.lineno for by in node.decorator_list)])
            if first == code.co_firstlineno:
                body = [part for part in node.body if not is_aside(part)]
                return len(body) == 1 and isinstance(getattr(body[0], "value", None), ast.Call)
    return False


def is_aside(part: ast.stmt) -> bool:
    """Return whether a statement is a docstring or an import."""
    text = isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)
    return text or isinstance(part, ast.Import | ast.ImportFrom)


def trace(command: str, work: str) -> Walk:
    """Run a command in this process and return its walk."""
    main = importlib.import_module("inarow.ui.main").main
    walk = Walk(work)
    sys.argv = ["inarow", *command.split()]
    threading.setprofile(walk.see)
    sys.setprofile(walk.see)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
            main()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    return walk


def report(name: str, rows: bool) -> None:
    """Print the walk of a command, which runs in an empty folder."""
    command, work = WALKS[name]
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        walk = trace(command, work)
    if not walk.row:
        raise SystemExit(f"inarow {command} does not come to {work}")
    way = walk.row[:-1]  # what only calls the compiled loop is the work itself
    forwarding = [place(code) for code in way if only_forwards(code)]
    print(f"{name}: {len(walk.row)} functions in a row to {work}, {len(forwarding)} only forward;")
    print(f"    {len(walk.entered)} functions in all, at most {len(walk.deepest)} in a row")
    for text in forwarding:
        print(f"    only forwards: {text}")
    if rows:
        print("".join(f"    {depth:2} {place(code)}\n" for depth, code in enumerate(walk.row, 1)))


def imported(module: str) -> int:
    """Return how many modules of the package are imported with one of them."""
    code = (
        f"import sys, {module}; print(sum(name.split('.')[0] == 'inarow' for name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return int(done.stdout)


def main() -> None:
    """Print the walks, each traced in a process of its own."""
    parser = argparse.ArgumentParser()
    parser.add_argument("walk", nargs="?", choices=WALKS, help="all if none is named")
    parser.add_argument("--rows", action="store_true", help="print each row")
    parser.add_argument("--driver", action="store_true", help="count its modules with one walk too")
    chosen = parser.parse_args()
    if chosen.walk:
        report(chosen.walk, chosen.rows)
    else:
        for name in WALKS:
            rows = ["--rows"] if chosen.rows else []
            subprocess.run([sys.executable, __file__, name, *rows], check=True)
    if chosen.driver or not chosen.walk:
        print(f"modules of the package imported with {DRIVER}: {imported(DRIVER)}")


if __name__ == "__main__":
    main()
