"""What was measured on a GPU, for the page about it: from docs/results/gpu.json.

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
    parts = ["### Speed", speed(stored), cube(stored), hybrid(stored)]
    parts += ["### Agreement with a processor", same(stored), trials(stored)]
    parts += ["### Resuming", resumed(stored), "### Commands", commands(stored)]
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
    heads = ["runs side by side", "million training games per second"]
    return (
        f"On an {gpu}: `td` on tic-tac-toe against attack-defense, 4,000 games per run in one "
        f"launch, measured once.\n\n{table(heads, rows)}"
    )


def cube(stored: Found) -> str:
    """Of the whole study of networks."""
    entry = stored["cube"]
    whole, last = entry["found"]["seconds"], entry["seconds"]
    return (
        f"The cube paper's ten conditions, {entry['found']['runs']} trials of a million games each "
        f"with all evaluations, took {whole:,.0f} seconds from the start of the process to the "
        f"written results. The process was killed (SIGKILL) after {whole - last:,.0f} seconds and "
        "resumed with the same command, so the networks were compiled twice. The target of 900 "
        "seconds was not met."
    )


def hybrid(stored: Found) -> str:
    """As far as it came."""
    lines = [line for line in stored["hybrid"]["printed"] if "%" in line]
    shares = [re.search(r"hybrid (\S+): ([0-9.]+)% after ([0-9]+) s", line) for line in lines]
    told = [match.groups() for match in shares if match]
    half = next(seconds for game, share, seconds in told if float(share) >= 50)
    game, share, seconds = told[-1]
    return (
        "The hybrid paper's tables with 1,000 runs per condition are 12,000 runs in all. The half "
        f"on tic-tac-toe took {half} seconds. The process was stopped after {seconds} seconds, "
        f"during the half on {game}, with {share}% of all results stored. The target of 120 "
        "seconds for the whole study was not met."
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
        "**Short runs.** Final results on a GPU and on a processor, with different seeds: networks "
        f"after 10,000 games, tables after 20,000. The lowest of these {2 * len(rows)} p-values is "
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
        f"**Long runs.** The cube paper's trials of a million games: {any_one['runs gpu']} of each "
        f"condition on a GPU, and {any_one['runs cpu']} that inarow 0.1.0 ran on a processor. The "
        f"lowest Mann-Whitney p, multiplied by the number of tests, is {corrected:.2f}. Taken "
        "together the two cannot be told apart, but the structured networks in benchmark training "
        f"have the lowest p-values.\n\n{trial_table(found)}\n\n"
        "These conditions were therefore run again on a processor: "
        f"{' and '.join(map(str, counts))} trials, with seeds that neither study had used. Their "
        "results agree with the GPU's: the "
        f"lowest p multiplied by the number of tests is {corrected_again:.2f}."
        f"\n\n{trial_table(again)}"
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
        "A second run of the cube study, uninterrupted but stopped before its end, stored "
        f"{found['rows of the other']:,} rows. {found['same']:,} of these {found['compared']:,} "
        "are identical in the study that was killed and resumed, among them "
        f"{found['same, of after the kill']:,} of the {found['compared, of after the kill']:,} "
        "that it measured after the kill."
    )


def commands(stored: Found) -> str:
    """The commands that measured it."""
    found = dict.fromkeys(entry["command"] for entry in stored.values() if "command" in entry)
    return "\n".join(("```text", *found, "```"))
