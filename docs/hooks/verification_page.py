"""The page *How the whole is tested*, with the mutants that the tests notice."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from pieces import code, table
from pieces import page as page_of

ROOT = Path(__file__).parents[2]
STORED = ROOT / "docs" / "results" / "mutants.json"
MUTANTS = ROOT / "tests" / "mutants" / "mutants.toml"


def page() -> str:
    """What is compared with brute force, what is broken on purpose, what is used as users do."""
    stored: dict[str, Any] = json.loads(STORED.read_text(encoding="utf-8"))
    every = tomllib.loads(MUTANTS.read_text(encoding="utf-8"))["mutant"]
    found, made = {row["promise"]: row for row in stored["mutants"]}, stored["made_with"]
    noticed = sum(row["noticed"] for row in found.values())
    rows = [(mutant["promise"], _noticed(found.get(mutant["promise"]))) for mutant in every]
    left = len(every) - len(found)
    more = f" {left} more have not been tried yet." if left else ""
    return page_of(
        "# How the whole is tested",
        "Beside the tests of each part there are four tests of the whole, each a target of `make`.",
        "## Random games against brute force",
        code("make attack MINUTES=30", "sh"),
        "A brute force of less than 150 lines, which imports nothing of the package, knows the "
        "rules of every kind of game. Random games are drawn from the language that describes "
        "games, and all that can be asked of them is compared: rules, counts, values, distances, "
        "odds, best responses, certificates and refutations, matches, books, batches, adapters, "
        "and what `solve` and `analyse` say when a budget ends at a random place, with compiled "
        "code and with an empty cache. Each disagreement is printed with a command that shows it "
        "again, and a check that never compared anything is an error.",
        "## Mutants",
        code("make mutants", "sh"),
        "A mutant is the package with one line changed so that it breaks a promise. The tests that "
        "guard the promise run in a copy with that change, and one of them should fail.",
        f"**{noticed} of {len(found)} mutants are noticed** ({stored['date']}, Python "
        f"{made['python']}, Numba {made['numba']}).{more}",
        table(("the promise that is broken", "noticed"), rows),
        "## The whole from an empty machine",
        code("make acceptance", "sh"),
        "A wheel is installed in a new environment. Every command and every Python block of the "
        "README and of all pages runs there twice, first with an empty cache and then with "
        "compiled code, with the same answers; every part of every paper runs at its smallest "
        "scale; every named game is played, solved, certified, learned and exported.",
        "## Versions",
        code("make versions", "sh"),
        "The package is installed with the lowest and with the newest version of each dependency, "
        "and with each minor version of Numba in between, on the oldest and the newest Python, and "
        "has to give the same results in all of them.",
    )


def _noticed(row: dict[str, Any] | None) -> str:
    if row is None:
        return "not tried yet"
    return "yes" if row["noticed"] else "no"
