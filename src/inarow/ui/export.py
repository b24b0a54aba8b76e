"""The command `export`: an agent for use elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inarow.game import InputError
from inarow.ui.terminal import console

FORMATS = ("kaggle", "hub")


def export(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="ntuple, or the file of an agent")],
    to: Annotated[
        str, typer.Option(metavar="FORMAT", help="kaggle: one file for ConnectX; hub: a model card")
    ],
    out: Annotated[Path, typer.Option(help="the file to write; a folder for hub")],
    license_name: Annotated[
        str, typer.Option("--license", help="the license that the card states")
    ] = "mit",
) -> None:
    """Writes an agent for use elsewhere, as on Kaggle.

    Either a submission for ConnectX, or a folder for a model hub.
    """
    if to not in FORMATS:
        raise InputError(f"--to {to} must be one of {', '.join(FORMATS)}")
    if to == "kaggle":
        from inarow.adapters.kaggle import export_agent

        size = export_agent(agent, out)
        console().print(f"Written: {out}, {size:,} bytes; it plays without inarow.")
        return
    from inarow.adapters.hub import export_to_hub

    export_to_hub(agent, out, license_name)
    console().print(f"Written: {out}, the agent and its model card.")
