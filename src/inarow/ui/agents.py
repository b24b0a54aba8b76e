"""The command `agents`: those that come with the package, and how they are made and measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from inarow.game.files import write_whole
from inarow.ui.terminal import AsJson, console, print_json, progress_bar, table

RunFile = Annotated[
    Path | None, typer.Option("--run", help="a saved run to start from; trained if not given")
]

agents = typer.Typer(help="Lists, makes and measures the shipped agents.", rich_markup_mode=None)


@agents.command("list")
def list_agents(as_json: AsJson = False) -> None:
    """Lists the agents that come with the package."""
    from inarow.lab.players.shipped import ALL

    sizes = {key: agent.path.stat().st_size for key, agent in ALL.items()}
    if as_json:
        print_json(
            [
                {"name": agent.name, "game": agent.game, "bytes": sizes[key], "how": agent.how}
                for key, agent in ALL.items()
            ]
        )
        return
    rows = table("name", "kB", "how it plays")
    rows.columns[0].no_wrap = True
    rows.columns[2].justify = "left"
    for key, agent in ALL.items():
        rows.add_row(agent.name, f"{sizes[key] / 1000:,.0f}", agent.how)
    console().print(rows)


@agents.command("make")
def make(
    game: Annotated[str, typer.Argument(help="its game; connect4:6x7 if not given")] = (
        "connect4:6x7"
    ),
    run: RunFile = None,
    out: Annotated[
        Path | None, typer.Option(help="its file; by default the one in the package")
    ] = None,
    stones: Annotated[
        int | None,
        typer.Option(help="from this many on it searches to the end; by default as shipped"),
    ] = None,
) -> None:
    """Trains a shipped agent, and corrects it where it is proved.

    A corrected agent makes no mistake against anyone.
    """
    from inarow.agents.making import make as make_agent
    from inarow.lab.players.shipped import shipped_agent

    with progress_bar("making", None) as (bar, task):
        file = make_agent(
            shipped_agent(game), run, out, stones, lambda text: bar.update(task, description=text)
        )
    console().print(f"Written: {file}")


@agents.command("measure")
def measure(
    name: Annotated[str, typer.Argument(help="ntuple, or FILE+endgame:STONES")],
    out: Annotated[Path, typer.Option(help="the file of results")],
    run: RunFile = None,
) -> None:
    """Enumerates all games of an agent and stores what comes out."""
    from inarow.agents.measuring import measure as measure_agent
    from inarow.lab.machine import made_with

    with progress_bar("measuring", None) as (bar, task):
        found = measure_agent(name, run, lambda text: bar.update(task, description=text))
    content = {"made_with": made_with(), **found}
    write_whole(out, (json.dumps(content, indent=1) + "\n").encode())
    console().print(f"{out}: {found['sides']['first']['result']} as first player.")
