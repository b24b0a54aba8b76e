"""The page *Install*: the ways, and what they take on the disk, as `make wheel` has measured it."""

from __future__ import annotations

import json
from pathlib import Path

from pieces import code, table
from pieces import page as page_of

STORED = Path(__file__).parent.parent / "results" / "wheel.json"
WAYS = {
    "inarow": "everything except the adapters: learn, solve, prove, play, studies, pages",
    "inarow[all]": "Gymnasium, PettingZoo, OpenSpiel and Ray as well",
}


def page() -> str:
    """How to install it, and the sizes."""
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    sizes = stored["installed_megabytes"]
    rows = [(f"`{way}`", about, f"{sizes[way]:,}") for way, about in WAYS.items()]
    made = stored["made_with"]
    return page_of(
        "# Install",
        "Python 3.11, 3.12 or 3.13. In a checkout:",
        code("pip install .        # or pip install '.[all]'"),
        "Or as a wheel, which contains the stored strategies, books, agents and the pages of the "
        "papers, and needs no checkout:",
        code("pip wheel --no-deps .\npip install inarow-*.whl"),
        table(("package", "contains", "MB on disk"), rows, (2,)),
        f"The wheel itself takes {stored['wheel_megabytes']} MB; most of the rest is Numba, SciPy, "
        "Matplotlib and the server. The extras can be installed one at a time: `gymnasium`, "
        "`pettingzoo`, `openspiel`, `ray`. `kaggle` needs an environment of its own, because its "
        "pinned versions conflict with the others.",
        f"Measured on {stored['date']} with Python {made['python']} on {made['system']} by",
        code("make wheel", "sh"),
        "which builds the wheel, installs it in new environments outside the checkout, and then "
        "plays, solves, trains, certifies, checks the proof of Qubic, and asks a server for its "
        "pages there.",
        "The first use of a command compiles what it needs, which takes a few seconds. The "
        "compiled code is kept in a private folder next to the package, or in your cache folder.",
    )
