"""The command `agents`: those that come with the package, and how they are made and measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from inarow.game.files import write_whole
from inarow.ui.terminal import AsJson, console, print_json, progress_bar, table

RunFile = Annotated[
    Path | None, typer.Option("--run", help="a run of ntuple on connect4:6x7; else it is trained")
]

agents = typer.Typer(help="Lists, makes and measures the shipped agents.", rich_markup_mode=None)


@agents.command("list")
def list_agents(as_json: AsJson = False) -> None:
    """Lists the agents that come with the package."""
    from inarow.lab.players import LEARNED_PLAYERS, SHIPPED_NTUPLE
    from inarow.learn.saved import read_header

    header, size = read_header(SHIPPED_NTUPLE), SHIPPED_NTUPLE.stat().st_size
    about = LEARNED_PLAYERS["ntuple[:DEPTH]"]
    if as_json:
        print_json([{"name": "ntuple", "game": header.game, "bytes": size, "about": about}])
        return
    rows = table("name", "game", "kB", "about")
    rows.add_row("ntuple", header.game, f"{size / 1000:,.0f}", about)
    console().print(rows)


@agents.command("make")
def make(
    run: RunFile = None,
    out: Annotated[Path | None, typer.Option(help="its file; else the one in the package")] = None,
    stones: Annotated[
        int | None, typer.Option(help="from which it is to search to the end; else 20")
    ] = None,
) -> None:
    """Corrects a learned agent until it makes no mistakes.

    None against anyone, that is: then it wins every game that it begins.
    """
    from inarow.agents.connect_four import make as make_agent
    from inarow.lab.players import SHIPPED_NTUPLE, SHIPPED_STONES

    file, number = out or SHIPPED_NTUPLE, SHIPPED_STONES if stones is None else stones
    with progress_bar("making", None) as (bar, task):
        make_agent(run, file, number, lambda text: bar.update(task, description=text))
    console().print(
        f"Written: {file}; certify {file}+endgame:{number} --against anyone proves what it does."
    )


@agents.command("measure")
def measure(
    name: Annotated[str, typer.Argument(help="ntuple, or FILE+endgame:STONES")],
    out: Annotated[Path, typer.Option(help="the file of results")],
    run: RunFile = None,
) -> None:
    """Enumerates all games of an agent and stores what comes out."""
    from inarow.agents.connect_four import measure as measure_agent
    from inarow.lab.machine import made_with

    with progress_bar("measuring", None) as (bar, task):
        found = measure_agent(name, run, lambda text: bar.update(task, description=text))
    content = {"made_with": made_with(), **found}
    write_whole(out, (json.dumps(content, indent=1) + "\n").encode())
    console().print(f"{out}: {found['sides']['first']['result']} as first player.")
