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
    "cube": "Value networks: JAX, PyTorch",
    "deep": "Deep Monte Carlo: JAX",
    "ntuple": "N-tuple networks: a plain reference",
    "minimax": "Alpha-beta: a plain reference",
    "mcts": "Monte Carlo tree search: OpenSpiel",
    "environments": "Environments: Pgx, PettingZoo, OpenSpiel",
}
PAPER_SPEEDS = ("hybrid-speed", "n-dimensional-speed")


def page() -> str:
    """Everything that is stored."""
    stored = [(name, RESULTS / "benchmarks" / f"{name}.json") for name in TITLES]
    parts = [benchmark(name, _read(path)) for name, path in stored if path.is_file()]
    if not parts:
        parts = ["No comparison with other projects is stored yet: `make benchmarks` stores them."]
    return page_of(
        "# Benchmarks",
        "Speeds in games per CPU-second, all threads together, without compiling. Bare speeds "
        "change with the machine and with what else runs on it; ratios measured in the same run, "
        "side by side, change much less.",
        code("make benchmarks", "sh"),
        "runs them and stores what comes out with its date and machine. What each one does: "
        "`benchmarks/README.md` in the source.",
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
    lists = [part for part in stored["result"].values() if _is_rows(part)]
    return page_of(f"### {TITLES[name]}", about, *map(_rows, lists))


def _is_rows(part: Any) -> bool:
    return isinstance(part, list) and bool(part) and all(isinstance(row, dict) for row in part)


def _rows(rows: list[dict[str, Any]]) -> str:
    flat = (key for row in rows for key, value in row.items() if not isinstance(value, dict))
    heads = list(dict.fromkeys(flat))
    cells = [[_text(row.get(head)) for head in heads] for row in rows]
    numbers = [i for i, head in enumerate(heads) if isinstance(rows[0].get(head), int | float)]
    return table([head.replace("_", " ") for head in heads], cells, numbers)


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
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
