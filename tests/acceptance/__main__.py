"""Use the whole from an empty machine: a wheel in a fresh environment, and an empty cache.

    python -m tests.acceptance [--only WORD] [--python PATH]     (`make acceptance`)

Every command line and every Python block of the README and of all pages runs twice, once with
nothing compiled before and once more, with the same answers; every part of every paper at its
smallest scale; every game of the catalogue is played, solved, certified, learned and exported; a
server answers the requests that the pages show. `replaced.toml` lists what runs otherwise.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inarow.game.names import EXAMPLES
from inarow.papers.paper import names as papers
from inarow.papers.paper import paper_of
from tests.pages import FENCE, ROOT, markdown_files
from tests.user_texts import hooks
from tests.wheel import PAGES, build, install, megabytes, serving

HERE = Path(__file__).resolve().parent
TABLE = tomllib.loads((HERE / "replaced.toml").read_text(encoding="utf-8"))
COMMANDS, BLOCKS = TABLE["command"], TABLE["block"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
Step = dict[str, Any]

# What differs from run to run, and says nothing else: times, dates, places.
VARIES = (
    (r"[\d.,]+ ?(µs|ms|s|sec|seconds?|min|minutes?|h|hours?|days?)\b", "TIME"),
    (
        r"[\d.,]+[kMG]? (games?|moves?|positions?|nodes?|steps?)( | a |/| per )(a )?s(econd)?\b",
        "RATE",
    ),
    (r"\d{4}-\d\d-\d\d([T ][\d:.+Z]+)?", "DATE"),
    (r"0x[0-9a-f]+|/\S*/(cold|warm)\b", "PLACE"),
    (r'"(seconds|cpu_seconds|speed|rate|date)": [^,}\]]+', "TIME"),
    (r" +", " "),
)


def main() -> None:
    """Build, install, use, count."""
    parser = argparse.ArgumentParser(prog="python -m tests.acceptance", description=__doc__)
    parser.add_argument("--only", default="", help="only pages and rooms with this in their name")
    parser.add_argument("--python", type=Path, help="an environment that has the package already")
    given = parser.parse_args()
    begun, problems = time.monotonic(), list[str]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        python = given.python
        if python is None:
            python = install(folder, build(folder), "[all]")
            print(f"installed: {megabytes(python.parents[1]):,.0f} MB", flush=True)
        examined = Examined(python.absolute(), folder)
        for room, steps in rooms():
            if given.only in room:
                at = time.monotonic()
                found = examined.twice(room, steps)
                problems += found
                said = f"{len(found)} problems" if found else "as it should be"
                print(
                    f"{room}: {len(steps)} steps, {time.monotonic() - at:.0f} s, {said}", flush=True
                )
        if given.only in "server":
            problems += examined.served()
    print("\n".join(problems))
    minutes = (time.monotonic() - begun) / 60
    print(f"{len(problems)} problems, {minutes:.1f} minutes")
    sys.exit(bool(problems))


def rooms() -> Iterator[tuple[str, list[Step]]]:
    """All that is run, each in a folder of its own: by its name the steps."""
    pages = {str(p.relative_to(ROOT)): p.read_text(encoding="utf-8") for p in markdown_files()}
    pages |= {f"docs/{address}": text for address, text in hooks().items()}
    for page, text in pages.items():
        if steps := list(steps_of(page, text)):
            yield page, steps
    for name in papers():
        yield (
            f"paper {name}",
            [
                _command(
                    f"reproduce {name} --part {part.name} --scale tiny --workers 1 --out results"
                )
                for part in paper_of(name).parts
            ]
            + [_command(f"reproduce {name} --judged --out results")],
        )
    for example in EXAMPLES:
        yield f"game {example.name}", list(_whole_game(example.name))


def steps_of(page: str, text: str) -> Iterator[Step]:
    """The commands and blocks of a page, in their order."""
    left_out = any(page.startswith(entry["page"]) for entry in BLOCKS)
    for _, language, rest, block in FENCE.findall(text):
        title = re.search(r'title="([^"]+)"', rest)
        if title:
            yield {"kind": "file", "name": title[1], "text": block}
        elif language == "python" and not left_out:
            yield {"kind": "python", "text": block}
        elif language == "sh":
            for line in block.replace("\\\n", " ").splitlines():
                words = re.sub(r"(^| )#.*", "", line).strip()
                if words.startswith("inarow"):
                    yield _replaced(words.removeprefix("inarow").strip())
                elif words.startswith("make "):
                    yield {"kind": "make", "text": words}
                elif words and not words.startswith("curl "):  # a server answers those
                    yield {"kind": "unknown", "text": words}


def _command(words: str, **more: Any) -> Step:
    return {"kind": "sh", "text": f"inarow {words}", "varies": False, **more}


def _replaced(words: str) -> Step:
    """A command as it is run: by the first entry of the table that is found in it."""
    varies = False
    for entry in COMMANDS:
        if re.search(entry["pattern"], words):
            if entry.get("shown"):
                command = re.match(r"(--\S+ \S+ )*((book|study|agents) )?\S+", words)
                return _command(f"{command[0] if command else words} --help")
            varies |= entry.get("varies", False)
            words = re.sub(entry["pattern"], entry.get("by", r"\g<0>"), words)
    if words.startswith("play ") and "--watch" not in words:
        return _command(words + " --seed 1", input="help\nquit\n")
    return _command(words, varies=varies)


def _whole_game(game: str) -> Iterator[Step]:
    """Played, solved, certified, learned, exported."""
    yield _command(f"games {game}")
    yield _command(f"play {game} --watch random random --seed 1")
    yield _command(f"solve {game} --seconds 1", varies=True, may_refuse=True)
    yield _command(f"match {game} random minimax:1 --games 4 --seed 1")
    small = "--positions 1 --games 2 --seed 1"
    yield _command(f"certify {game} random {small}")
    falls = game.startswith("connect4") and "," not in game
    learner = "ntuple" if falls else "line_td"
    yield _command(f"train {game} {learner} --games 20 --seed 1 --out agent.safetensors")
    yield _command("export agent.safetensors --to hub --out card")
    yield _command("export agent.safetensors --html page.html", may_refuse=True)
    yield _command(f"match {game} agent.safetensors random --games 4 --seed 1")
    if game == "connect4:6x7":
        yield _command("export ntuple --to kaggle --out submission.py")


class Examined:
    """An environment with the package, and a cache of its own that begins empty."""

    def __init__(self, python: Path, folder: Path) -> None:
        self.python, self.folder = python, folder
        cache = folder / "cache"
        cache.mkdir(mode=0o700)
        path = os.pathsep.join([str(python.parent), os.environ["PATH"]])
        self.environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PATH": path}
        self.environment |= {"MPLBACKEND": "agg", "XDG_CACHE_HOME": str(folder / "user")}
        if python.parents[1] != ROOT / ".venv":
            self.environment.pop("PYTHONPATH", None)

    def twice(self, room: str, steps: list[Step]) -> list[str]:
        """Run steps in two empty folders, one after the other; say what went wrong or differs."""
        problems, answers = list[str](), list[list[dict[str, Any]]]()
        for step in steps:
            if step["kind"] == "unknown":
                problems.append(f"{room}: nothing here runs {step['text']!r}")
            if step["kind"] == "make":
                target = step["text"].split()[1]
                if not re.search(rf"^{target}:", MAKEFILE, re.MULTILINE):
                    problems.append(f"{room}: there is no make {target}")
        steps = [step for step in steps if step["kind"] in ("file", "python", "sh")]
        for time_ in ("cold", "warm"):
            answers.append(self._run(room, steps, time_))
            for step, answer in zip(steps, answers[-1], strict=True):
                problems += [f"{room}, {time_}: {wrong}" for wrong in _wrong(step, answer)]
        for step, *said in zip(steps, *answers, strict=True):
            texts = [normal(answer["out"]) for answer in said]
            if not step.get("varies") and texts[0] != texts[1]:
                problems.append(f"{room}: another answer the second time of {step['text']}"
                                f"\n{_difference(*texts)}")  # fmt: skip
        return problems

    def _run(self, room: str, steps: list[Step], when: str) -> list[dict[str, Any]]:
        place = self.folder / re.sub(r"\W+", "-", room) / when
        place.mkdir(parents=True)
        given, said = place.parent / "steps.json", place.parent / "answers.json"
        given.write_text(json.dumps(steps), encoding="utf-8")
        command = [str(self.python), str(HERE / "page.py"), str(given), str(said)]
        subprocess.run(command, cwd=place, env=self.environment, check=True)
        found: list[dict[str, Any]] = json.loads(said.read_text(encoding="utf-8"))
        return found

    def served(self) -> list[str]:
        """The pages of a server, and the requests that the pages of docs show."""
        problems = list[str]()
        with serving(self.python, self.folder, self.environment) as address:
            shown = (ROOT / "docs" / "how-to" / "serve.md").read_text(encoding="utf-8")
            requests = re.findall(r"^curl .*(?:\\\n.*)*", shown, re.MULTILINE)
            requests = [re.sub(r"http://127\.0\.0\.1:\d+", address, one) for one in requests]
            for request in [
                *requests,
                *(f"curl -sf -o /dev/null {address}/{page}" for page in PAGES),
            ]:
                done = subprocess.run(request, shell=True, capture_output=True, text=True)
                empty = "-o /dev/null" not in request and not done.stdout.startswith("{")
                if done.returncode or empty or "Traceback" in done.stdout:
                    problems.append(f"server: {request}: {done.stdout}{done.stderr}")
            print(f"server: {len(requests)} requests, {len(PAGES)} pages", flush=True)
        return problems


def _wrong(step: Step, answer: dict[str, Any]) -> list[str]:
    """What is wrong with an answer: a status, a traceback, nothing said."""
    if step["kind"] == "file":
        return []
    text, error = str(step["text"]).strip(), str(answer["error"])
    if answer["status"] and not (step.get("may_refuse") and "Traceback" not in error):
        return [f"{text}\n{error[-2000:] or answer['out'][-2000:]}"]
    if "Traceback" in error:
        return [f"{text} shows a traceback\n{error[-2000:]}"]
    if step["kind"] == "sh" and not answer["out"] and not answer["status"]:
        return [f"{text} says nothing"]
    return []


def normal(text: str) -> str:
    """What is said, without what the clock and the folder say."""
    for pattern, by in VARIES:
        text = re.sub(pattern, by, text)
    return text


def _difference(cold: str, warm: str) -> str:
    lines = zip(cold.splitlines(), warm.splitlines(), strict=False)
    first = next(((a, b) for a, b in lines if a != b), ("", "more or fewer lines"))
    return f"    cold: {first[0]}\n    warm: {first[1]}"


if __name__ == "__main__":
    main()
