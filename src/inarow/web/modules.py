"""The modules that come with the package: one for the rules, one for each kind of compiled player.

A module belongs to the types of a player's named tuples, the game is data. So `minimax:6` on any
board is one file. `make web` builds them anew:

    python -m inarow.web.modules build          # all, into static/modules
    python -m inarow.web.modules check KIND ... # whether these have the bytes that the sources make

Each is built in a process of its own, without a cache and for the processor `generic`, so that
every machine of one architecture makes the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple, TypedDict

from inarow.engine.board import tables_of
from inarow.engine.jit import PLAIN
from inarow.engine.players import compiled_form
from inarow.game import Game, InputError
from inarow.game import game as game_of
from inarow.game.files import read_whole, write_whole
from inarow.lab.players.names import player
from inarow.web.entries import (
    JUDGE,
    LEARN,
    PLAYER,
    PROOF,
    RULES,
    SOLVER,
    Arguments,
    Entry,
    arguments_for,
    entries_of,
)
from inarow.web.image import digest_of, layout_of
from inarow.web.learning import JUDGING, learning_arguments, learning_entries, run_of
from inarow.web.players import as_compiled, sample_player
from inarow.web.proving import PROVING, proof_arguments

STATIC = Path(__file__).with_name("static")
FOLDER = STATIC / "modules"
INDEX = FOLDER / "index.json"
# Types whose code is sums of floats: for them, vectors halve time and size.
VECTOR_TYPES = ("MLPPlayer", "MonteCarloPlayer", "PolicyPlayer", "ValueLeaves")
PROCESSOR = {
    "NUMBA_CPU_NAME": "generic",
    "NUMBA_CPU_FEATURES": "",
    "NUMBA_CACHE_DIR": f"{os.devnull}/none",  # no folder: no cache, so that there is code to see
    "PYTHONHASHSEED": "0",
    PLAIN: "",
}


class Kind(NamedTuple):
    """A kind of player, by one of them: what it is in one game it is in all."""

    game: str
    player: str = ""  # a player's name; the name of a learner stands for an untrained agent
    part: str = PLAYER


KINDS = {
    "rules": Kind("tictactoe", part=RULES),
    "solver-plane": Kind("connect4:4x4", part=SOLVER),
    "solver": Kind("tictactoe", part=SOLVER),
    "rule": Kind("tictactoe", "random"),
    "minimax": Kind("tictactoe", "minimax:2"),
    "strength": Kind("tictactoe", "strength:2"),
    "mcts": Kind("tictactoe", "mcts:10"),
    "mcts-large": Kind("ntictactoe:3^4", "mcts:10"),
    "mcts-filter": Kind("tictactoe", "mcts:10@both"),
    "perfect": Kind("connect4:4x4", "perfect"),
    "table": Kind("tictactoe", "td"),
    "ntuple": Kind("tictactoe", "ntuple"),
    "line_td": Kind("tictactoe", "line_td"),
    "mlp": Kind("tictactoe", "mlp"),
    "monte_carlo": Kind("tictactoe", "monte_carlo"),
    "reinforce": Kind("tictactoe", "reinforce"),
    "ntuple+mcts": Kind("tictactoe", "ntuple+mcts:10"),
    "line_td+mcts": Kind("tictactoe", "line_td+mcts:10"),
    "mlp+mcts": Kind("tictactoe", "mlp+mcts:10"),
    "monte_carlo+mcts": Kind("tictactoe", "monte_carlo+mcts:10"),
    "rule+endgame": Kind("connect4:4x4", "random+endgame:8"),
    "minimax+endgame": Kind("connect4:4x4", "minimax:2+endgame:8"),
    "ntuple+endgame": Kind("connect4:4x4", "ntuple+endgame:8"),
    "ntuple-search+endgame": Kind("connect4:6x7", "ntuple:2"),
    "mlp+endgame": Kind("connect4:4x4", "mlp+endgame:8"),
    "line_td+endgame": Kind("connect4:4x4", "line_td+endgame:8"),
    "line_td+mcts+endgame": Kind("cube", "line_td+mcts:10+endgame:30"),
    "line_td+mcts+strategy": Kind("qubic", "line_td+mcts:10+strategy"),
    "minimax+strategy": Kind("qubic", "minimax:2+strategy"),
    "learn-td": Kind("tictactoe", "td", LEARN),
    "learn-q": Kind("tictactoe", "q", LEARN),
    "learn-td_lambda": Kind("tictactoe", "td_lambda", LEARN),
    "learn-sarsa": Kind("tictactoe", "sarsa", LEARN),
    "judge": Kind("tictactoe", "td", JUDGE),
    "proof": Kind("qubic", part=PROOF),
}


class Module(TypedDict):
    """What the index says of a module."""

    layout: str  # the digest of what its entries take
    bytes: int
    sha256: str


# The arguments of each part whose types tell its kinds apart.
TELLING = {
    RULES: ("board",),
    PLAYER: ("player",),
    SOLVER: ("solving",),
    LEARN: ("table", "run", "settings"),
    JUDGE: ("judge",),
    PROOF: ("proof",),
}


def layout_text(arguments: Arguments, part: str) -> str:
    """What the entries of a part take, in words that a digest is made of."""
    telling = (arguments[name] for name in TELLING[part])
    return f"{part} {layout_of((arguments['tables'], *telling))}"


def layout_digest(arguments: Arguments, part: str) -> str:
    """The digest that the module of a part must have for these arguments."""
    return digest_of(layout_text(arguments, part))


class Index(TypedDict):
    """The modules that are there, and what made them: others may make other bytes."""

    maker: str
    modules: dict[str, Module]  # by kind


def maker() -> str:
    """What makes modules here."""
    made_by = [f"{name} {version(name)}" for name in ("numba", "llvmlite")]
    return ", ".join([*made_by, platform.machine()])


@lru_cache(maxsize=1)
def index() -> Index:
    """What the index says."""
    if not INDEX.is_file():
        return Index(maker=maker(), modules={})
    found: Index = json.loads(INDEX.read_text("utf-8"))
    return found


def find_module(digest: str) -> str | None:
    """The kind whose module takes such arguments."""
    return next(
        (kind for kind, entry in index()["modules"].items() if entry["layout"] == digest), None
    )


def read_module(kind: str) -> bytes:
    """The file of a kind."""
    return read_whole(FOLDER / f"{kind}.wasm")


def build(kind: str) -> bytes:
    """The module of a kind, made anew."""
    return _build_elsewhere(["kind", kind])


def build_for(game: Game, name: str) -> bytes:
    """The module of a player by name, for kinds that do not come with the package."""
    return _build_elsewhere(["player", game.name, name])


def make_module(arguments: Arguments, part: str, entries: Mapping[str, Entry]) -> bytes:
    """A module, made in this process, which must have been started for it."""
    from inarow.web.retarget import build_module, code_of

    text = layout_text(arguments, part)
    codes = {
        name: code_of(entry.function, [arguments[argument] for argument in entry.arguments])
        for name, entry in entries.items()
    }
    vectors = any(f"{kind}(" in text for kind in VECTOR_TYPES)
    return build_module(codes, vectors, digest_of(text).encode())


def sample(kind: Kind) -> Arguments:
    """What the entries of a kind are called with."""
    game = game_of(kind.game)
    if kind.part in (LEARN, JUDGE):
        return learning_arguments(run_of(game, kind.player))
    if kind.part == PROOF:
        return proof_arguments(game)
    if kind.part != PLAYER:
        return arguments_for(game, solver=kind.part == SOLVER)
    return arguments_for(game, compiled_form(sample_player(kind.player, game), tables_of(game)))


def entries_in(part: str, arguments: Arguments) -> Mapping[str, Entry]:
    """The entries of any part."""
    if part == LEARN:
        return learning_entries(arguments)
    return JUDGING if part == JUDGE else PROVING if part == PROOF else entries_of(part, arguments)


def _build_elsewhere(what: Sequence[str]) -> bytes:
    """A module made by another process, since code that was compiled before cannot be seen."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "module"
        done = subprocess.run(
            [sys.executable, "-m", "inarow.web.modules", "emit", str(out), *what],
            env={**os.environ, **PROCESSOR},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise InputError((done.stderr.strip().splitlines() or ["the build failed"])[-1])
        return out.read_bytes()


def _emit(out: str, what: Sequence[str]) -> None:
    """What the other process does: makes the module of a kind, or of a player of a game."""
    if what[0] == "kind":
        arguments, part = sample(KINDS[what[1]]), KINDS[what[1]].part
    else:
        game, part = game_of(what[1]), PLAYER
        found = compiled_form(as_compiled(player(what[2]), game), tables_of(game))
        arguments = arguments_for(game, found)
    Path(out).write_bytes(make_module(arguments, part, entries_in(part, arguments)))


def store(kind: str, module: bytes) -> None:
    """Writes a module, and into the index what it is."""
    write_whole(FOLDER / f"{kind}.wasm", module)
    found = index()["modules"]
    found[kind] = Module(
        layout=layout_digest(sample(KINDS[kind]), KINDS[kind].part),
        bytes=len(module),
        sha256=hashlib.sha256(module).hexdigest(),
    )
    listed = {name: found[name] for name in KINDS if name in found}
    text = json.dumps(Index(maker=maker(), modules=listed), indent=1)
    write_whole(INDEX, f"{text}\n".encode())


def is_current(kind: str, module: bytes) -> bool:
    """Whether the stored module of a kind has these bytes."""
    return (FOLDER / f"{kind}.wasm").is_file() and read_module(kind) == module


def main(arguments: Sequence[str]) -> int:
    """Builds modules, or checks that those that are there are what the sources make."""
    command, *given = arguments or ["check"]
    stale = list[str]()
    try:
        if command == "emit":
            _emit(given[0], given[1:])
            return 0
        for kind in given or KINDS:
            module = build(kind)
            if command == "build":
                store(kind, module)
            elif not is_current(kind, module):
                stale.append(kind)
            print(f"{kind}: {len(module):,} bytes", flush=True)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    if stale:
        print(f"not what the sources make: {', '.join(stale)}", file=sys.stderr)
    return int(bool(stale))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
