"""The page of commands: each with its help, as `--help` prints it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer
from pieces import code
from pieces import page as page_of

from inarow.ui.main import app

WIDTH = 80


def commands() -> Iterator[tuple[str, str]]:
    """The name and the help of every command, groups before their members."""
    yield from _of(typer.main.get_command(app), "inarow", None)


def _of(command: Any, name: str, parent: Any) -> Iterator[tuple[str, str]]:
    context = command.context_class(
        command, info_name=name.split()[-1], parent=parent, terminal_width=WIDTH
    )
    yield name, command.get_help(context)
    for part in getattr(command, "commands", {}).values():
        if not part.hidden:
            yield from _of(part, f"{name} {part.name}", context)


def page() -> str:
    """All of them."""
    parts = [
        f"{'##' if name.count(' ') < 2 else '###'} `{name}`\n\n{code(text, 'text')}"
        for name, text in commands()
    ]
    return page_of(
        "# Commands",
        "What `inarow COMMAND --help` prints. Commands that answer take `--json`, and `--seed` "
        "where chance is involved. Bad input is one line on the error output and exit status 2; "
        "Ctrl-C ends with status 130.",
        *parts,
    )
