"""The facts of the README and of the site's first page, from stored results: `make pages`.

They stand between two comments, `<!-- facts -->` and `<!-- /facts -->`, and so does the README's
table of the five documents; a test holds them to what is stored.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from inarow.papers.paper import paper_of
from inarow.papers.tables import Table, markdown_of

DOCS = Path(__file__).resolve().parent
RESULTS = DOCS / "results"
SEARCH = DOCS.parent / "src" / "inarow" / "search"
PLACES = (DOCS.parent / "README.md", DOCS / "index.md")
BETWEEN = re.compile(r"(<!-- facts -->\n).*?(<!-- /facts -->)", re.DOTALL)
TABLE_BETWEEN = re.compile(r"(<!-- documents -->\n).*?(<!-- /documents -->)", re.DOTALL)
DOCUMENTS = {  # with the CPU-minutes to expect, where none were measured
    "hybrid": ("Hybrid training", 5),
    "cube": ("The cube", 5),
    "connect-four": ("Connect Four", 2),
    "max-min": ("Max-min", 4),
    "n-dimensional": ("N dimensions", 2),
}


GIVEN = ("arithmetic", "by construction", "literature", "repeated")  # not measured, or not again


def facts() -> list[str]:
    """One sentence or two for each, with the numbers that are stored."""
    return [proof(), qubic(), papers(), speed()]


def _stored(name: str) -> Any:
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def proof() -> str:
    """What is proven of the shipped agent."""
    small = _stored("agent-ntuple-small")
    side = _stored("agent-ntuple")["sides"]["first"]
    if {side["proven"], small["sides"]["first"]["proven"]} != {"wins every game"}:
        raise ValueError("the stored results of the agents have changed: rewrite the fact")
    return (
        "**A learned Connect Four agent with a proof.** Moving first on 6x7, it wins every game "
        f"against any opponent. All {side['positions']:,} positions that its play can lead to were "
        f"enumerated, counting mirror images once, and all {side['won']:,} endings are wins. The "
        f"smallest agent with such a proof takes {small['bytes'] / 1000:.0f} kB."
    )


def qubic() -> str:
    """The stored strategy; a test of the package proves it with code of its own."""
    content = (SEARCH / "qubic.strategy").read_bytes()
    positions = int(content.split(b"\n", 2)[1].split()[1])
    return (
        "**Qubic, solved.** The first player wins 4x4x4 with a stored strategy of "
        f"{positions:,} positions in {len(content) / 1000:.0f} kB. `inarow book check qubic` "
        "verifies it with a checker that shares no code with the search that found it."
    )


def papers() -> str:
    """How many published tables, figures, numbers and claims have a verdict, and which.

    Only what runs have measured is counted as agreement or disagreement, each statistic once.
    """
    verdicts, columns, given = Counter[str](), Counter[str](), Counter[str]()
    covered, errata = Counter[str](), 0
    judged = Counter[str]()
    for path in sorted((DOCS / "papers").glob("*.json")):
        stored = json.loads(path.read_text(encoding="utf-8"))
        counted = stored["counts"]
        for kind in ("number", "claim"):
            verdicts.update(counted.get(kind, {}))
        columns.update(counted.get("joint", {}))
        given.update({kind: sum(counted.get(kind, {}).values()) for kind in GIVEN})
        for kind, found in stored["coverage"].items():
            covered[kind] += found["published"]
            judged[kind] += found["judged"]
        errata += stored["errata"]
    kinds = [f"{covered[kind]} {kind}" for kind in ("tables", "figures", "numbers", "claims")]
    drawings = sum(len(about.get("illustrations", ())) for about in _papers())
    kinds[1] = f"{covered['figures']} figures with a result ({drawings} more are drawings)"
    missing = covered.total() - judged.total()
    has = "All have a verdict" if not missing else f"All but {missing} have a verdict"
    better = verdicts["faster"] + verdicts["smaller"]
    return (
        f"**Five papers, claim by claim.** {', '.join(kinds[:-1])} and {kinds[-1]}. {has}. Of the "
        f"{verdicts.total() - better} numbers and claims that runs measure, {verdicts['matches']} "
        f"match, {verdicts['differs']} differ, and {verdicts['undecided']} are undecided; of "
        f"{columns.total()} whole columns of tables, {columns['differs']} differ. Not counted "
        f"among them: {given['arithmetic']} results of arithmetic, {given['by construction']} "
        f"that are true by construction, {given['literature']} said of other work, "
        f"{given['repeated']} that repeat a statistic, and {better} times and sizes, where ours "
        f"are lower. The pages also list {errata} errata."
    )


def _papers() -> list[dict[str, Any]]:
    """What each paper says of itself: its tables, figures, and figures without a result."""
    files = sorted((DOCS.parent / "src" / "inarow" / "papers").glob("*/published.toml"))
    return [tomllib.loads(path.read_text(encoding="utf-8"))["paper"] for path in files]


def speed() -> str:
    """Random games and solved positions beside other projects."""
    rows = _stored("benchmarks/playouts")["result"]["rows"]
    ratios = {row["contender"]: row["ratio"] for row in rows if row["game"] == "connect4:6x7"}
    solved = _stored("benchmarks/solver")["result"]["rows"]
    faster = [row["ratio"] for row in solved]
    if any(row["disagreements"] for row in solved):
        raise ValueError("the solvers disagree: rewrite the fact")
    return (
        "**Whole games in compiled loops.** Random games of Connect Four run "
        f"{ratios['OpenSpiel, C++ rollouts']:.0f} times as fast as OpenSpiel's C++ rollouts "
        f"and {ratios['Pgx, batched']:.0f} times as fast as Pgx on a CPU. The solver is "
        f"{min(faster):.1f} to {max(faster):.1f} times as fast as BitBully, and the two agree on "
        f"all {sum(row['positions'] for row in solved):,} positions."
    )


def documents() -> str:
    """Return the table of the five documents: what each takes, shows, and what came out."""
    taken = _stored("minutes")["documents"]  # of those that were measured
    lines = []
    for name, (title, expected) in DOCUMENTS.items():
        paper = paper_of(name)
        stored = json.loads((DOCS / "papers" / f"{name}.json").read_text(encoding="utf-8"))
        verdicts = {row["name"]: row["verdict"] for row in stored["rows"]}
        lines.append(
            (
                f"[{title}](docs/papers/{name}.md)",
                f"`inarow reproduce {name}`",
                f"{taken[name]['cpu_seconds'] / 60:.1f}" if name in taken else f"about {expected}",
                paper.published.paper["learned"].removesuffix("."),
                _came_out(paper.outcome_text(verdicts), stored["counts"]),
            )
        )
    heads = ("document", "command", "CPU-minutes", "what it shows", "what came out")
    return markdown_of(Table(heads, tuple(lines), "", (0, 1, 3, 4)))


def _came_out(text: str, counted: dict[str, dict[str, int]]) -> str:
    """Return some words, and how many measured numbers and claims match and differ."""
    found = Counter[str]()
    for kind in ("number", "claim"):
        found.update(counted.get(kind, {}))
    of = found.total() - found["faster"] - found["smaller"]
    said = f"{found['matches']} of {of} numbers and claims match, {found['differs']} differ"
    return "; ".join(filter(None, (text, said if of else "")))


def with_facts(text: str) -> str:
    """A page with its facts as they are now."""
    lines = "".join(f"- {fact}\n" for fact in facts())
    text = TABLE_BETWEEN.sub(lambda match: f"{match[1]}{documents()}\n{match[2]}", text)
    return BETWEEN.sub(lambda match: f"{match[1]}{lines}{match[2]}", text)


def main() -> None:
    """Writes them where they are shown."""
    for path in PLACES:
        text = path.read_text(encoding="utf-8")
        path.write_text(with_facts(text), encoding="utf-8")


if __name__ == "__main__":
    main()
