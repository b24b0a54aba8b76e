"""Print the section of CHANGELOG.md that belongs to a version, as the text of its release.

    python tools/release_notes.py 0.2.0

A version that the package does not have, or that the changelog does not know, is an error.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def notes(version: str, changelog: str) -> str:
    """Return what stands below the heading of a version, up to the next one."""
    _, heading, rest = f"\n{changelog}".partition(f"\n## {version}\n")
    if not heading:
        raise SystemExit(f"CHANGELOG.md has no section {version}")
    return rest.partition("\n## ")[0].strip() + "\n"


def main(version: str) -> None:
    """Print the section of the version that the package has."""
    described = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    if version != described["project"]["version"]:
        raise SystemExit(f"{version} is not the version {described['project']['version']} here")
    sys.stdout.write(notes(version, (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")))


if __name__ == "__main__":
    main(sys.argv[1])
