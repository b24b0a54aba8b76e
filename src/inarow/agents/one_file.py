"""A player as a page in one file: what is said in it comes from stored measurements and proofs.

`inarow export AGENT --html FILE` writes it. What is proved of a shipped agent is tied to the
digest of its file; a player of a small game is certified when the page is made; of any other
nothing is said.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from inarow import __version__
from inarow.agents.cards import stored_facts
from inarow.agents.making import train_command
from inarow.game import Game, InputError
from inarow.game import game as game_of
from inarow.game.files import write_whole
from inarow.game.names import EXAMPLES
from inarow.game.position import SIDES
from inarow.lab.certificates.certify import GraphCertificate, certify_on_graph
from inarow.lab.players.names import player as player_named
from inarow.lab.players.protocols import AnyPlayer, check_plays, name_of
from inarow.lab.players.shipped import ALL, CONNECT_FOUR, ShippedAgent
from inarow.learn.saved import SUFFIX, read_header
from inarow.web.package import pack
from inarow.web.page import About, page_of
from inarow.web.players import as_compiled

MAX_CELLS = 20  # of a game whose players are certified when a page is made
NOT_PROVED = "Nothing is proved of it."


def export_page(name: str, game: str | Game | None, out: Path, side: str = "first") -> int:
    """Writes a player's page; returns the number of bytes."""
    if side not in SIDES:
        raise InputError(f"--side {side} must be one of {', '.join(SIDES)}: it is the visitor's")
    found = player_named(name)
    chosen = game if game is not None else getattr(found, "game", None)
    if chosen is None:
        raise InputError(f"{name} plays many games: name one with --game")
    chosen = game_of(chosen)
    check_plays(found, chosen)
    compiled = as_compiled(found, chosen)
    about = about_player(name, found, chosen)
    made = pack(chosen, compiled, name, solver=True)
    player: dict[str, object] = {"name": Path(name).name, "title": title_of(name)}
    content = page_of(replace(made, player=player), about, side).encode()
    write_whole(out, content)
    return len(content)


def about_player(name: str, found: AnyPlayer, game: Game) -> About:
    """What is known of a player, and who made it."""
    title = next((e.title for e in EXAMPLES if e.name == game.name), game.name)
    shipped = shipped_by_name(name)
    facts = list[str]()
    if shipped is not None:
        known = stored_facts().get(shipped.key, {})
        if known.get("sha256") == hashlib.sha256(shipped.path.read_bytes()).hexdigest():
            facts = [f"{line[0].upper()}{line[1:]}." for line in known["facts"]]
    elif game.cells <= MAX_CELLS:
        with suppress(InputError):
            facts = certified(certify_on_graph(found, game), name)
    return About(f"{title}: {title_of(name)}", facts or [NOT_PROVED], makers(name, found, shipped))


def certified(certificate: GraphCertificate, name: str) -> list[str]:
    """What a certificate proves; nothing where it only observed."""
    if not certificate.proven:
        return []
    sides = [f"As {side} player: {certificate.side_text(side)}" for side in SIDES]
    how = f"Proved when this page was made, as `inarow certify {Path(name).name}` does."
    return [*sides, certificate.exploitability_text, how]


def makers(name: str, found: AnyPlayer, shipped: ShippedAgent | None) -> list[str]:
    """Who made a player, and how it is made again."""
    lines = [f"This page: inarow {__version__}."]
    if shipped is not None:
        return [f"An agent that comes with inarow: {shipped.how}.", f"{shipped.command}", *lines]
    file = Path(name.partition("+")[0])
    if file.suffix == SUFFIX and file.is_file():
        header = read_header(file)
        against = f"against {header.against}" if header.against else "against itself"
        trained = f"{header.learner}, {header.games:,} games {against}, seed {header.seed}"
        made = f"A saved agent of inarow {header.version}: {trained}."
        return [made, train_command(header), *lines]
    return [f"A player of inarow: {name_of(found)}.", *lines]


def shipped_by_name(name: str) -> ShippedAgent | None:
    """The shipped agent that plays under a name."""
    if name == "ntuple":
        return ALL[CONNECT_FOUR]
    return next((agent for agent in ALL.values() if agent.name == name), None)


def title_of(name: str) -> str:
    """What a player is called in a page: never where its file lies."""
    shipped = shipped_by_name(name)
    return Path(name).name if shipped is None else "Learned agent"
