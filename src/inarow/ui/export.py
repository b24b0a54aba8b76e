"""The command `export`: an agent for use elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inarow.game import InputError
from inarow.ui.terminal import allow_players, console

FORMATS = ("kaggle", "hub")


def export(
    agent: Annotated[
        str,
        typer.Argument(
            metavar="AGENT",
            help="ntuple, or the file of an agent; for a page any player that can run in one",
            callback=allow_players,
        ),
    ],
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="a page in one file, to play it anywhere")
    ] = None,
    game: Annotated[
        str | None, typer.Option(help="with --html: the game, for a player of many")
    ] = None,
    side: Annotated[str, typer.Option(help="with --html: the visitor's, first or second")] = (
        "first"
    ),
    to: Annotated[
        str | None,
        typer.Option(metavar="FORMAT", help="kaggle: one file for ConnectX; hub: a model card"),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="with --to: the file to write; a folder for hub")
    ] = None,
    license_name: Annotated[
        str, typer.Option("--license", help="the license that the card states")
    ] = "mit",
) -> None:
    """Writes an agent as a page, for Kaggle or for a model hub.

    The page opens by double click and loads nothing: the board, the player's code, what is proved.
    """
    if html is not None:
        from inarow.agents.one_file import export_page

        size = export_page(agent, game, html, side)
        console().print(f"Written: {html}, {size:,} bytes; it opens in any browser, offline too.")
        return
    if to not in FORMATS or out is None:
        raise InputError(
            f"give --html FILE for a page, or --to FORMAT and --out FILE: {', '.join(FORMATS)}"
        )
    if to == "kaggle":
        from inarow.adapters.kaggle import export_agent

        size = export_agent(agent, out)
        console().print(f"Written: {out}, {size:,} bytes; it plays without inarow.")
        return
    from inarow.adapters.hub import export_to_hub

    export_to_hub(agent, out, license_name)
    console().print(f"Written: {out}, the agent and its model card.")
