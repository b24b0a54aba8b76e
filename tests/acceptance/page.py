"""Run the steps of a page, in the environment that is examined: python page.py STEPS ANSWERS.

It imports nothing of the project's tests. Commands are processes of their own, Python blocks share
their names. Steps and answers are JSON.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import traceback
from pathlib import Path


def main() -> None:
    """Read the steps, run them, and write what each of them said."""
    steps = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    names: dict[str, object] = {"__name__": "page"}
    sys.path.insert(0, str(Path.cwd()))
    answers = [run(step, names) for step in steps]
    Path(sys.argv[2]).write_text(json.dumps(answers), encoding="utf-8")


def run(step: dict[str, str], names: dict[str, object]) -> dict[str, object]:
    """Run one step: a file to write, Python, or a shell's line."""
    if step["kind"] == "file":
        Path(step["name"]).parent.mkdir(parents=True, exist_ok=True)
        Path(step["name"]).write_text(step["text"], encoding="utf-8")
        return {"status": 0, "out": "", "error": ""}
    if step["kind"] == "python":
        out = io.StringIO()
        try:
            with contextlib.redirect_stdout(out):
                exec(compile(step["text"], "block", "exec", dont_inherit=True), names)
        except BaseException:
            return {"status": 1, "out": out.getvalue(), "error": traceback.format_exc()}
        return {"status": 0, "out": out.getvalue(), "error": ""}
    environment = {**os.environ, "COLUMNS": "80"}
    try:
        done = subprocess.run(
            step["text"], shell=True, input=step.get("input", ""), capture_output=True,
            text=True, env=environment, timeout=1800,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"status": 1, "out": "", "error": "it ran for half an hour"}
    return {"status": done.returncode, "out": done.stdout, "error": done.stderr}


if __name__ == "__main__":
    main()
