"""A folder that a model hub accepts: the agent as safetensors, and a model card.

The card begins with the metadata that hubs read (YAML between two lines of dashes); the rest is
what the agent's own header says of how it was made.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from inarow.game import InputError
from inarow.game.errors import printable
from inarow.game.files import read_whole, write_whole
from inarow.lab.players.shipped import CONNECT_FOUR, shipped_agent
from inarow.learn.saved import SUFFIX, Header, unpack

FILE = f"agent{SUFFIX}"
CARD = "README.md"


def export_to_hub(agent: str, folder: Path, license_name: str = "mit") -> None:
    """Writes the agent and its card into a folder."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9.-]{0,40}", license_name):
        raise InputError(f"license {license_name!r} is not an identifier, as mit or apache-2.0")
    game = CONNECT_FOUR if agent == "ntuple" else agent.removeprefix("shipped:")
    path = shipped_agent(game).path if agent in ("ntuple", f"shipped:{game}") else Path(agent)
    if path.suffix != SUFFIX:
        raise InputError(
            f"{agent} is not a saved agent: give ntuple, shipped:GAME, or FILE{SUFFIX}"
        )
    if folder.exists() and not folder.is_dir():
        raise InputError(f"cannot write {folder}: it is a file, and a folder is wanted")
    content = read_whole(path)
    header, _ = unpack(content, str(path))
    write_whole(folder / FILE, content)
    write_whole(folder / CARD, model_card(header, license_name).encode())


def model_card(header: Header, license_name: str) -> str:
    """The card of an agent, by what its file says."""
    name = f"{header.learner} on {header.game}"
    against = header.against or "itself"
    options = "\n".join(f"| {key} | `{json.dumps(v)}` |" for key, v in header.options.items())
    return printable_lines(f"""---
library_name: inarow
license: {license_name}
pipeline_tag: reinforcement-learning
tags:
- reinforcement-learning
- board-games
- inarow
- {json.dumps(header.game)}
---

# {name}

A player of {header.game}, learned by `{header.learner}` in {header.games:,} games against
{against}, seed {header.seed}, with inarow {header.version}.

| option | value |
|---|---|
{options}

## Use

```python
import inarow

inarow.match("{header.game}", "{FILE}", "random", games=1000)
inarow.certify("{FILE}")
```

or `inarow play --against {FILE}`. Loading the file runs no code of it.
""")


def printable_lines(text: str) -> str:
    """The text with what a header may hide in a line written out."""
    return "\n".join(line if line.isprintable() else printable(line) for line in text.split("\n"))
