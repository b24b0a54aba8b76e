"""The page *Install*: the ways, and what they take on the disk.

`make wheel` has measured the package, and `make extras` what each extra adds to it.
"""

from __future__ import annotations

import json
from pathlib import Path

from pieces import code, table
from pieces import page as page_of

RESULTS = Path(__file__).parent.parent / "results"
STORED = RESULTS / "wheel.json"
WAYS = {
    "inarow": "everything except the adapters: learn, solve, prove, play, studies, pages",
}


EXTRAS = {
    "all": "all of these that go together",
    "cuda": "[studies on a GPU](gpu.md)",
    "dev": "the tests and checks of this project",
    "docs": "this site",
    "gymnasium": "[environments](environments.md) of Gymnasium",
    "kaggle": "a game in Kaggle's ConnectX",
    "notebook": "boards to click in notebooks",
    "openspiel": "OpenSpiel's games and searches",
    "peers": "what `make peers` compares with",
    "pettingzoo": "environments of PettingZoo",
    "ray": "[studies on many machines](cluster.md)",
    "tables": "tables of pandas, Parquet",
    "tensorboard": "[logs](log.md) that TensorBoard reads",
    "tune": "[tuning](../tutorials/study.md#find-good-options) by Optuna",
}


def extras() -> list[str]:
    """What each extra adds."""
    stored = json.loads((RESULTS / "extras.json").read_text(encoding="utf-8"))
    rows = [
        (f"`{name}`", EXTRAS[name], f"{one['packages']:,}", f"{one['megabytes']:,.0f}")
        for name, one in stored["extras"].items()
    ]
    return [
        "## Extras",
        "Nothing of these is part of the core: `pip install 'inarow[ray,tables]'` adds those that "
        "are named, and in a checkout `pip install '.[ray,tables]'`. A command that needs one says "
        "so. `kaggle` needs an environment of its own, because its pinned versions conflict with "
        "the others.",
        table(("extra", "for", "packages", "MB"), rows, (2, 3)),
        "The columns say what an extra adds to an installation without any: packages, and "
        f"megabytes on the disk. Measured on {stored['date']} with Python {stored['python']} on "
        f"{stored['system']} by",
        code("make extras", "sh"),
        "None of them brings PyTorch or JAX: for [a policy network](../tutorials/policy.md) install"
        " the one that you use.",
    ]


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
        "Matplotlib and the server.",
        f"Measured on {stored['date']} with Python {made['python']} on {made['system']} by",
        code("make wheel", "sh"),
        "which builds the wheel, installs it in new environments outside the checkout, and then "
        "plays, solves, trains, certifies, checks the proof of Qubic, and asks a server for its "
        "pages there.",
        *extras(),
        "## The first start",
        "The first use of a command compiles what it needs, which takes a few seconds. The "
        "compiled code is kept in a private folder next to the package, or in your cache folder.",
    )
