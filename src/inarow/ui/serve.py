"""The command `serve`: the pages in a browser, and the API, on this machine alone unless told."""

from __future__ import annotations

import socket
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from inarow.game import InputError

BACKLOG = 128  # connections that wait until the server has started


def serve(
    host: Annotated[
        str, typer.Option(help="0.0.0.0 lets other machines in; there are no passwords")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0 takes any free one")] = 8080,
    folder: Annotated[
        Path, typer.Option(metavar="DIR", help="where saved agents lie, and trained ones go")
    ] = Path("results"),
    name: Annotated[
        list[str] | None,
        typer.Option(metavar="HOST", help="a name that a proxy serves it under, if there is one"),
    ] = None,
    open_browser: Annotated[
        bool, typer.Option("--open/--no-open", help="shows the first page in a browser")
    ] = False,
) -> None:
    """Serves the pages and the API until Ctrl-C."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"--folder {folder} is not a folder")
    listener = _listen(host, port)
    address = _address(host, listener.getsockname()[1])
    print(f"inarow is at {address} (Ctrl-C stops it)", flush=True)
    # Only now: a port that is taken is said at once, and no other command waits for these.
    from inarow.ui.web.app import run_server

    if open_browser:
        webbrowser.open(address)  # the browser waits in the backlog until the server is ready
    run_server(folder, listener, [host, *(name or [])])


def _listen(host: str, port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        raise InputError(f"port {port} does not work: from 0 to 65535")
    try:
        family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(place)
            listener.listen(BACKLOG)
        except OSError:
            listener.close()
            raise
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot serve at {host}:{port}: {reason}") from None
    return listener


def _address(host: str, port: int) -> str:
    """What to type into a browser on this machine."""
    here = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://{f'[{here}]' if ':' in here else here}:{port}"
