"""What was measured on a GPU, for the page that tells of it: from docs/results/gpu.json.

It stands between the comments `<!-- measured -->` and `<!-- /measured -->`: `make pages`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / "how-to" / "gpu.md"
BETWEEN = re.compile(r"(<!-- measured -->\n).*?(<!-- /measured -->)", re.DOTALL)
TESTS = ("Mann-Whitney p", "Kolmogorov-Smirnov p")
Found = dict[str, Any]


def page(results: Path) -> str:
    """The page with what is stored now."""
    stored = json.loads((results / "gpu.json").read_text(encoding="utf-8"))
    parts = [speed(stored), cube(stored), hybrid(stored), same(stored), trials(stored)]
    parts += [resumed(stored), printed(stored)]
    text = "\n\n".join(parts)
    return BETWEEN.sub(
        lambda match: f"{match[1]}\n{text}\n\n{match[2]}", PAGE.read_text(encoding="utf-8")
    )


def table(heads: list[str], rows: list[list[str]]) -> str:
    """In Markdown: words to the left, numbers to the right."""
    lines = [heads, [":--", *["--:"] * (len(heads) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def speed(stored: Found) -> str:
    """Of tables, in one launch."""
    found, gpu = stored["td"]["found"], stored["td"]["made_with"]["gpu"]
    rows = [[name.removesuffix(" runs"), f"{value / 1e6:,.0f}"] for name, value in found.items()]
    heads = ["runs side by side", "million training games a second"]
    return (
        f"On an {gpu}. `td` on tic-tac-toe against attack-defense, 4,000 games of each run in one "
        f"launch, measured once:\n\n{table(heads, rows)}"
    )


def cube(stored: Found) -> str:
    """Of the whole study of networks."""
    entry = stored["cube"]
    whole, last = entry["found"]["seconds"], entry["seconds"]
    return (
        f"The cube paper's ten conditions, {entry['found']['runs']} trials of a million games each "
        f"with all tests: {whole:,.0f} seconds, from the start of the process to the written "
        f"results. The process was killed (SIGKILL) after {whole - last:,.0f} of them and the same "
        "command resumed it, so the networks were compiled in both processes. The aim was 900."
    )


def hybrid(stored: Found) -> str:
    """As far as it came."""
    lines = [line for line in stored["hybrid"]["printed"] if "%" in line]
    shares = [re.search(r"hybrid (\S+): ([0-9.]+)% after ([0-9]+) s", line) for line in lines]
    told = [match.groups() for match in shares if match]
    half = next(seconds for game, share, seconds in told if float(share) >= 50)
    game, share, seconds = told[-1]
    return (
        "The hybrid paper's tables with 1,000 runs a condition, 12,000 runs in all: the half on "
        f"tic-tac-toe took {half} seconds; {share}% of everything was stored after {seconds}, when "
        f"the process was stopped in the half on {game}. The aim, all of it in 120 seconds, was "
        "not reached."
    )


def same(stored: Found) -> str:
    """Short runs on both."""
    entry = stored["same"]
    rows = [
        [name, str(one["runs"]), *(f"{one[key]:,.4g}" for key in ("gpu", "cpu")),
         *(f"{one[key]:.2f}" for key in TESTS)]
        for name, one in entry["found"].items()
    ]  # fmt: skip
    heads = ["what is compared", "runs on each", "mean, GPU", "mean, processor", *TESTS]
    lowest = min(min(one[key] for key in TESTS) for one in entry["found"].values())
    return (
        "**Final results on a GPU and on a processor**, with other seeds: networks after 10,000 "
        f"games, tables after 20,000. The lowest of these {2 * len(rows)} p-values is "
        f"{lowest:.2f}.\n\n{table(heads, rows)}"
    )


def trials(stored: Found) -> str:
    """Long runs on both."""
    found = dict(stored["trials"]["found"])
    corrected = found.pop("lowest p, times the number of tests")
    any_one = next(iter(found.values()))
    again = dict(stored["fresh_trials"]["found"])
    corrected_again = again.pop("lowest p, times the number of tests")
    counts = sorted({one["runs cpu"] for one in again.values()})
    return (
        f"**The cube paper's trials of a million games**: {any_one['runs gpu']} of each condition "
        f"on a GPU, and {any_one['runs cpu']} that inarow 0.1.0 had run on a processor. The lowest "
        f"Mann-Whitney p, times the number of tests, is {corrected:.2f}: taken together they "
        "cannot be told apart, but the structured networks in benchmark training have the lowest "
        f"p-values.\n\n{trial_table(found)}\n\n"
        f"So these were run again on a processor, {' and '.join(map(str, counts))} trials with "
        "seeds that neither study had. They are where the GPU's are: lowest p times the number of "
        f"tests {corrected_again:.2f}.\n\n{trial_table(again)}"
    )


def trial_table(found: Found) -> str:
    """A line for each condition and result."""
    rows = [
        [
            name,
            *(f"{one[key]:.2f}" for key in ("gpu", "cpu")),
            *(f"{one[key]:.3f}" for key in TESTS),
        ]
        for name, one in found.items()
    ]
    return table(["win %", "mean, GPU", "mean, processor", *TESTS], rows)


def resumed(stored: Found) -> str:
    """Rows after a kill."""
    found = stored["resumed"]["found"]
    return (
        "**Killed and resumed.** Another run of the cube study, without interruption but not to "
        f"its end, stored {found['rows of the other']:,} rows: {found['same']:,} of these "
        f"{found['compared']:,} are the same in the study that was killed and resumed, among them "
        f"{found['same, of after the kill']:,} of {found['compared, of after the kill']:,} that it "
        "measured after the kill."
    )


def printed(stored: Found) -> str:
    """What the commands printed, as it was."""
    blocks = []
    for name, entry in stored.items():
        command = [f"$ {entry['command']}"] if "command" in entry else []
        lines = [line for line in entry["printed"] if "Warning" not in line]
        text = "\n".join([*command, *lines])
        blocks.append(f"**{name}**\n\n```text\n{text}\n```")
    inside = "\n\n".join(blocks)
    return (
        '<details markdown="1">\n<summary>Commands, and what they printed</summary>\n\n'
        f"{inside}\n\n</details>"
    )
