"""The command `serve`: the pages in a browser, and the API, on this machine alone unless told."""

from __future__ import annotations

import re
import socket
import sys
import webbrowser
from collections.abc import Collection
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated

import typer

from inarow.game import InputError
from inarow.ui.terminal import allow_players

ORIGIN = re.compile(r"https?://(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?")
BACKLOG = 128  # connections that wait until the server has started
LOOPBACK = ("localhost", "127.0.0.1", "::1")
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # no names of this machine, and what to say


HostNames = Annotated[
    list[str] | None,
    typer.Option(metavar="HOST", help="another host name to answer to, such as a proxy's"),
]
Origins = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ORIGIN",
        help="pages of this origin may use the API, as https://example.org; * for all; repeatable",
    ),
]
OwnPlayers = Annotated[
    list[str] | None,
    typer.Option(
        metavar="module:Class",
        help="offer a player of your own; repeatable",
        callback=allow_players,
    ),
]
OwnLearners = Annotated[
    list[str] | None,
    typer.Option(metavar="MODULE:CLASS", help="a learner of your own that visitors may train"),
]


def serve(
    host: Annotated[
        str, typer.Option(help="0.0.0.0 lets other machines in, without a password")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0 for any free port")] = 8080,
    folder: Annotated[
        Path, typer.Option(metavar="DIR", help="where saved agents are read and written")
    ] = Path("results"),
    name: HostNames = None,
    allow_origin: Origins = None,
    player: OwnPlayers = None,
    learner: OwnLearners = None,
    open_browser: Annotated[
        bool, typer.Option("--open/--no-open", help="open the first page in a browser")
    ] = False,
) -> None:
    """Serves the pages and the API until Ctrl-C."""
    for named in player or []:
        _check_served(named.strip())
    if learner:
        from inarow.learn.registry import register_address

        for address in learner:
            register_address(address)
    origins = [_origin(text) for text in allow_origin or []]
    if folder.exists() and not folder.is_dir():
        raise InputError(f"--folder {folder} is not a folder")
    listener = _listen(host, port)
    address = _address(host, listener.getsockname()[1])
    print(f"inarow is at {address} (Ctrl-C stops it)", flush=True)
    exposed = not ip_address(listener.getsockname()[0]).is_loopback
    names = own_names(host, exposed)
    if exposed:
        print(f"others can use {_address(_outside(host), listener.getsockname()[1])}", flush=True)
        print(warning([*names, *(name or [])]), file=sys.stderr, flush=True)
    # Only now: a port that is taken is said at once, and no other command waits for these.
    from inarow.ui.server.app import run_server

    if open_browser:
        webbrowser.open(address)  # the browser waits in the backlog until the server is ready
    run_server(folder, listener, names, name or [], addresses=exposed, origins=origins)


def _origin(text: str) -> str:
    """An origin as browsers write it."""
    found = ORIGIN.fullmatch(text.lower())
    if text == "*" or found is not None:
        return text.lower()
    if text == "null":
        raise InputError("--allow-origin null: pages without an origin are let in by * alone")
    near = ORIGIN.match(text.lower() if "://" in text else f"https://{text.lower()}")
    instead = f"write {near[0]}" if near else "write it as in https://example.org"
    raise InputError(f"--allow-origin {text} is not an origin: {instead}")


def _check_served(name: str) -> None:
    """Visitors play code that is named here, but no programs: each game would start another."""
    from inarow.lab.players.outside import runs_code

    if name.startswith("cmd"):
        raise InputError(f"--player {name}: no program is served; name a player as module:Class")
    if not runs_code(name):
        raise InputError(f"--player {name} must be module:Class; other players are offered anyway")


def own_names(host: str, exposed: bool) -> list[str]:
    """What a server is called, where no proxy gives it a name."""
    names = list(LOOPBACK)
    if exposed:
        names.append(socket.gethostname())
    return names if host in (*names, *EVERYWHERE) else [*names, host]


def warning(names: Collection[str]) -> str:
    """What to say of a server that other machines can reach."""
    words = sorted({name.lower() for name in names if not is_address(name)})
    return (
        "warning: other machines can reach this server, and there is no password and no "
        f"encryption. It answers to IP addresses and to {', '.join(words)}; --name adds a name."
    )


def is_address(name: str) -> bool:
    """Whether a host is written as an IP address."""
    with suppress(ValueError):
        return bool(ip_address(name))
    return False


def _listen(host: str, port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        raise InputError(f"the port must be between 0 and 65535, not {port}")
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


def _outside(host: str) -> str:
    """The address of this machine in its network, where a server listens on all of its own."""
    if host not in EVERYWHERE:
        return host
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    somewhere = "2001:db8::1" if family == socket.AF_INET6 else "192.0.2.1"
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as asked:
        asked.connect((somewhere, 9))  # nothing is sent: the system only chooses a way out
        return str(asked.getsockname()[0])
    return socket.gethostname()


def _address(host: str, port: int) -> str:
    """What to type into a browser on this machine."""
    here = EVERYWHERE.get(host, host)
    return f"http://{f'[{here}]' if ':' in here else here}:{port}"
