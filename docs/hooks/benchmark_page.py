"""The page of benchmark results: what `make benchmarks` has stored, with its date and machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pieces import code, table
from pieces import page as page_of

DOCS = Path(__file__).parent.parent
RESULTS = DOCS / "results"
TITLES = {
    "playouts": "Random games: OpenSpiel, Pgx, PettingZoo",
    "solver": "The solver: BitBully",
    "workers": "The solver: two threads on one position",
    "tabular": "Tabular learning: a plain C++ program, OpenSpiel",
    "cube": "Value networks: a plain reference, JAX",
    "deep": "Deep Monte Carlo: JAX",
    "ntuple": "N-tuple networks: a plain reference",
    "minimax": "Alpha-beta: a plain reference",
    "mcts": "Monte Carlo tree search: OpenSpiel",
    "environments": "Environments: Pgx, PettingZoo, OpenSpiel",
    "first_answer": "First answers of commands, before anything is compiled",
    "web": "The same code in a browser's engine",
}
HEADS = {  # of the tables after the first
    "trials": "Complete trials with their evaluations:",
    "agreement": "Shares of wins, losses and draws, counted both ways:",
    "empty": "The empty board, without a book:",
    "boards": "Other boards; late positions are also solved by a plain search of all moves:",
    "strength": "Games at equal simulations:",
    "targets": "Targets:",
    "solved": "Exact scores on 6x7, with the solver's table of 8 MiB and without a book:",
    "learned": "Training games of tic-tac-toe:",
    "proved": "Qubic's stored strategy, checked against every defence:",
}
SPREADS = {  # what the worst and the best round are called
    "lowest": ("ratio_lowest", "lowest_ratio"),
    "highest": ("ratio_highest", "highest_ratio"),
}
PEERS = {"open_spiel": "OpenSpiel", "pgx": "Pgx", "jax": "JAX", "pettingzoo": "PettingZoo"}
PAPER_SPEEDS = ("hybrid-speed", "n-dimensional-speed")


def page() -> str:
    """Everything that is stored."""
    stored = [(name, RESULTS / "benchmarks" / f"{name}.json") for name in TITLES]
    parts = [benchmark(name, _read(path)) for name, path in stored if path.is_file()]
    if not parts:
        parts = ["No comparison with other projects is stored yet: `make benchmarks` stores them."]
    return page_of(
        "# Benchmarks",
        "Speeds are in games per CPU-second, summed over all threads, without compilation. "
        "Absolute speeds depend on the machine and on its load; ratios measured side by side in "
        "the same run depend on them much less.",
        code("make benchmarks", "sh"),
        "This runs the benchmarks and stores the results with date and machine. "
        "`benchmarks/README.md` in the source says what each one does.",
        "## Against other projects",
        *parts,
        "## Training, on one core",
        "Measured with the papers' studies (`inarow reproduce PAPER --part speed --scale paper`).",
        *(speeds(_read(RESULTS / f"{name}.json")) for name in PAPER_SPEEDS),
    )


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def benchmark(name: str, stored: dict[str, Any]) -> str:
    """One stored result: each list of rows as a table, whatever their columns are."""
    about = f"{stored['date']}, {_machine(stored['made_with'])}: `{stored['command']}`"
    result = stored["result"]
    versions = {k: v for k, v in result.get("versions", {}).items() if k not in stored["made_with"]}
    named = ", ".join(f"{PEERS.get(k, k)} {v}" for k, v in versions.items())
    peers = f"Compared with {named}." if named else ""
    left_out = [f"{line}." for line in result.get("left_out", []) if line]
    parts = [
        page_of(HEADS.get(part, ""), _rows(content if isinstance(content, list) else [content]))
        for part, content in result.items()
        if part in HEADS or _is_rows(content)
    ]
    return page_of(f"### {TITLES[name]}", about, peers, *left_out, *parts)


def _is_rows(part: Any) -> bool:
    return isinstance(part, list) and bool(part) and all(isinstance(row, dict) for row in part)


def _rows(rows: list[dict[str, Any]]) -> str:
    rows = [_with_spread(row) for row in rows]
    flat = (key for row in rows for key, value in row.items() if not isinstance(value, dict))
    heads = list(dict.fromkeys(flat))
    cells = [[_text(row.get(head)) for head in heads] for row in rows]
    numbers = [i for i, head in enumerate(heads) if _is_number(rows[-1].get(head))]
    return table([_head(head) for head in heads], cells, numbers)


def _with_spread(row: dict[str, Any]) -> dict[str, Any]:
    """A row with its ratio and the ratio's lowest and highest round in one column."""
    spread = [next((k for k in SPREADS[end] if k in row), "") for end in SPREADS]
    if "ratio" not in row or not all(spread):
        return row
    lowest, highest = (_text(row[key]) for key in spread)
    ratio = f"{_text(row['ratio'])}x ({lowest} to {highest})" if lowest != highest else ""
    return {k: ratio if k == "ratio" else v for k, v in row.items() if k not in spread}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _head(name: str) -> str:
    words = name.replace("per_cpu_second", "per CPU-second").replace("us_per", "µs per")
    words = words.replace("cpu_seconds", "CPU-seconds").replace("open_spiel", "OpenSpiel")
    return {"ratio": "speed-up", "wanted": "target"}.get(words, words.replace("_", " "))


def speeds(stored: dict[str, Any]) -> str:
    """Training speeds of a paper's study."""
    metric = "games a CPU-second"
    rows = [
        (f"`{row['game']}`", row.get("trainer") or row.get("variant"), _text(_mean(row, metric)))
        for row in stored["rows"]
        if metric in row["finals"]
    ]
    about = f"The {stored['paper']} paper; {_machine(stored['made_with'])}."
    return page_of(about, table(("game", "trainer or variant", metric), rows, (2,)))


def _mean(row: dict[str, Any], metric: str) -> float:
    values = row["finals"][metric]
    return float(sum(values) / len(values))


def _machine(made_with: dict[str, str]) -> str:
    return (
        f"{made_with['processor']}, {made_with['system']}, Python {made_with['python']}, "
        f"Numba {made_with['numba']}, inarow {made_with['inarow']}"
    )


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "**no**"
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
