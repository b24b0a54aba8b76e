"""What each extra adds to an installation of the package, in packages and megabytes.

    python tools/extras.py [EXTRA ...]          (`make extras`)

asks `uv` what `inarow` and `inarow[EXTRA]` need, installs what only the extra needs into an empty
folder, and adds up its files. One extra at a time is on the disk. The result is stored in
docs/results/extras.json, from which the site's page *Install* is made; extras that are not named
keep what is stored of them.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "docs" / "results" / "extras.json"
Packages = dict[str, str]  # versions by name


def extras() -> list[str]:
    """All that the project declares."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return sorted(project["optional-dependencies"])


class Uv:
    """`uv` in an environment of its own, with a cache that goes with it."""

    def __init__(self, folder: Path) -> None:
        place = folder / "uv"
        venv.create(place, with_pip=True)
        pip = (str(place / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "-q")
        subprocess.run([*pip, "install", "uv"], check=True)
        self._command = (str(place / "bin" / "uv"), "pip")
        self._folder = folder

    def _run(self, *arguments: str) -> str:
        command = [
            *self._command,
            *arguments,
            "--quiet",
            "--cache-dir",
            str(self._folder / "cache"),
        ]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout

    def needed(self, extra: str) -> Packages:
        """What an installation takes today; '' stands for the core."""
        more = ("--extra", extra) if extra else ()
        options = ("--no-header", "--no-annotate", "--python", sys.executable)
        listed = self._run("compile", str(ROOT / "pyproject.toml"), *more, *options)
        lines = (line.partition(";")[0].strip() for line in listed.splitlines())
        pairs = (line.partition("==") for line in lines if "==" in line)
        return {name: version for name, _, version in pairs if not name.startswith("inarow")}

    def size(self, packages: Packages) -> float:
        """The megabytes of these packages on the disk, installed without others."""
        place = self._folder / "packages"
        wanted = [f"{name}=={version}" for name, version in packages.items()]
        options = ("--no-deps", "--python", sys.executable, "--target", str(place))
        self._run("install", *options, *wanted)
        total = sum(path.lstat().st_size for path in place.rglob("*") if path.is_file()) / 1e6
        for folder in (place, self._folder / "cache"):
            shutil.rmtree(folder)
        return total


def measure(uv: Uv, extra: str, core: Packages) -> dict[str, Any]:
    """What one extra adds."""
    found = uv.needed(extra)
    added = {package: found[package] for package in sorted(found.keys() - core.keys())}
    other = sorted(package for package in core if found.get(package) != core[package])
    megabytes = round(uv.size(added), 1) if added else 0.0
    return {
        "packages": len(added),
        "megabytes": megabytes,
        "added": added,
        "other_versions": other,  # of packages that the core needs, too
    }


def main() -> None:
    """Measure extras and store the result."""
    parser = argparse.ArgumentParser(description="What each extra adds to an installation.")
    parser.add_argument("extras", nargs="*", metavar="EXTRA", help="all if none is named")
    chosen = parser.parse_args().extras or extras()
    before = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else {}
    kept = before.get("extras", {})
    found = {extra: kept[extra] for extra in extras() if extra in kept}
    with tempfile.TemporaryDirectory() as name:
        uv = Uv(Path(name))
        core = uv.needed("")
        for extra in chosen:
            found[extra] = told = measure(uv, extra, core)
            print(f"{extra}: {told['packages']} packages, {told['megabytes']:,} MB", flush=True)
    stored = {
        "command": "make extras",
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "core": core,
        "extras": dict(sorted(found.items())),
    }
    RESULT.write_text(f"{json.dumps(stored, indent=1)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
