"""Shows that nothing changed: digests of what the package computes, compared with stored ones.

    python tools/guard.py                  prints what differs from tools/guard.json; exit status 1
    python tools/guard.py learner search   compares some groups alone
    python tools/guard.py --store          writes tools/guard.json

Keys say where a difference lies: `learner.td.tictactoe.random.utilities` is the array `utilities`
of a run of `td`. Results of networks hold on one kind of processor and one version of the compiler
only; elsewhere they are skipped, and that is said.

Everything is reached through the public interface, `inarow.*` and the command line, as far as
possible. What is not stands in one table, `NAMES`, to be rewritten when something moves.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import io
import itertools
import json
import os
import random
import runpy
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from safetensors import safe_open
from safetensors.numpy import load, save

import inarow

ROOT = Path(__file__).resolve().parents[1]
STORED = Path(__file__).with_suffix(".json")

NAMES = {  # what has no public name
    "EXAMPLES": "inarow.game.names:EXAMPLES",
    "Mcts": "inarow.search.mcts:Mcts",
    "NaiveProgram": "inarow.papers.connect_four.minimax:NaiveProgram",
    "Prover": "inarow.search.proof_number:Prover",
    "Solver": "inarow.search.solver:Solver",
    "bind_player": "inarow.lab.players.protocols:bind_player",
    "made_with": "inarow.lab.machine:made_with",
    "main": "inarow.ui.main:main",
    "make_stream": "inarow.engine.streams:make_stream",
    "minimax_search": "inarow.search.minimax:search",
    "new_board": "inarow.engine.board:new_board",
    "paper_names": "inarow.papers.paper:names",
    "paper_of": "inarow.papers.paper:paper_of",
    "perfect_moves": "inarow.search.perfect:perfect_moves",
    "play_perfect": "inarow.lab.evaluation:play_perfect",
    "play_random_games": "inarow.engine.play_games:play_random_games",
    "search_in": "inarow.search.mcts:search_in",
    "tables_of": "inarow.engine.board:tables_of",
    "pages": "docs/make_pages.py:pages",
    "facts": "docs/make_facts.py:facts",
}
# Works are found by these names in databases of today, wherever their code has moved to.
GAME_WORK = "inarow.lab.minimax_work:GameWork"
TDL_WORK = "inarow.lab.ntuple_work:TDLWork"
TRAINED_ON_WORK = "inarow.lab.ntuple_work:TrainedOnWork"
PAIR_WORK = "inarow.lab.pair_work:PairWork"
SPEED_WORK = "inarow.lab.speed:SpeedWork"

NETWORKS = ("ntuple", "mlp", "line_td", "monte_carlo", "reinforce")  # learners that add up weights
GAMES = 300  # of a training run
SHIPPED = (".book", ".replies", ".strategy", ".safetensors")


class Found(NamedTuple):
    """Something that must not change."""

    key: str
    value: int | str  # a count, or a digest
    floats: bool = False  # whether it holds on one kind of processor only


def named(name: str) -> Any:
    """Return what an entry of `NAMES` stands for."""
    place, _, attribute = NAMES[name].partition(":")
    if place.endswith(".py"):
        return runpy.run_path(str(ROOT / place))[attribute]
    return getattr(importlib.import_module(place), attribute)


def digest(value: object) -> str:
    """Return a digest of an array, bytes, text, or whatever JSON can say."""
    if isinstance(value, np.ndarray):
        value = f"{value.dtype.str} {value.shape}".encode() + value.tobytes()
    elif is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if not isinstance(value, bytes):
        value = json.dumps(value, default=str).encode()
    return hashlib.sha256(value).hexdigest()[:12]


def positions(game: str, number: int, seed: int = 1, plies: int | None = None) -> list[Any]:
    """Return positions of random games that are not over, with up to `plies` stones."""
    chance, found = random.Random(seed), list[Any]()
    board = inarow.game(game)
    while len(found) < number:
        position = board.position()
        for _ in range(int(chance.random() * (board.cells if plies is None else plies + 1))):
            if position.outcome is None:
                moves = position.legal_moves
                position.push(moves[int(chance.random() * len(moves))])
        if position.outcome is None and (plies is None or position.ply == plies):
            found.append(position)
    return found


class Learned(NamedTuple):
    """A training run."""

    learner: str
    game: str
    against: str | None = None
    options: dict[str, Any] = {}  # noqa: RUF012 - nobody changes it
    form: str = ""  # of the learner, where it has several


BOARDS = {  # what each learner plays, besides two opponents on each
    "td": ("tictactoe", "connect4:4x4", "tictactoe,wrap"),
    "q": ("tictactoe", "connect4:4x4", "tictactoe,wrap"),
    "td_lambda": ("tictactoe", "connect4:4x4"),
    "sarsa": ("tictactoe", "connect4:4x4"),
    "ntuple": ("tictactoe", "connect4:4x5", "cube"),
    "mlp": ("tictactoe", "connect4:4x5", "cube"),
    "line_td": ("tictactoe", "connect4:4x5", "ntictactoe:3^3"),
    "monte_carlo": ("tictactoe", "connect4:4x5", "ntictactoe:3^3"),
    "reinforce": ("tictactoe", "connect4:4x5", "ntictactoe:3^3"),
}
OPPONENTS = {"td": ("random", "combined"), "sarsa": ("random", "attack-defense@cells")}
SMALL = {"tuples": 4, "length": 4, "average_every": 5}  # an n-tuple network
SIZES = {"ntuple": SMALL, "monte_carlo": {"hidden": 16}, "reinforce": {"hidden": 8, "batch": 20}}
PAPER = {"version": "paper", "hidden": 8, "replay": 50, "replay_batch": 8}
FORMS = (
    Learned("td", "tictactoe", "combined", {"symmetric": True}, "symmetric"),
    Learned("td", "tictactoe", "perfect", {}, "perfect"),
    Learned("td", "tictactoe,misere", "benchmark", {}, "misere"),
    Learned("q", "tictactoe", None, {"symmetric": True}, "symmetric"),
    Learned("ntuple", "tictactoe", "random", {**SMALL, "tcl": True}, "tcl"),
    Learned("ntuple", "connect4:4x4", None, {**SMALL, "average": 0}, "last"),
    Learned("ntuple", "connect4:4x4", "minimax:2", SMALL, "minimax"),
    Learned("mlp", "tictactoe", None, {"network": "lines:2,8"}, "lines"),
    Learned("mlp", "connect4:4x4", "attack", {"network": "9", "precision": "double"}, "double"),
    Learned("reinforce", "tictactoe", "random", PAPER, "paper"),
)


def runs() -> Iterator[Learned]:
    """Yield all training runs."""
    for learner, boards in BOARDS.items():
        opponents = OPPONENTS.get(learner, (None, "random", "attack-defense"))
        if learner in ("q", "td_lambda", "line_td", "monte_carlo"):
            opponents = (None,)
        for board, against in itertools.product(boards, opponents):
            yield Learned(learner, board, against, SIZES.get(learner, {}))
    yield from FORMS


def learners() -> Iterator[Found]:
    """Yield the arrays and the files of all runs, and what their agents measure."""
    for one in runs():
        run = inarow.train(one.game, one.learner, one.against, GAMES, 1, **one.options)
        floats = one.learner in NETWORKS
        key = ".".join((one.learner, one.game, one.against or "itself", *filter(None, [one.form])))
        for kind, write in {
            "": run.save,
            "agent.": run.export,
            "small.": lambda path, run=run: run.export(path, small=True),
        }.items():
            path = Path("run.safetensors")
            write(path)
            path.write_bytes(without_digest(path.read_bytes()))
            with safe_open(path, "np") as file:
                yield Found(f"learner.{key}.{kind}header", digest(file.metadata()))
                for name in sorted(file.keys()) if kind == "" else ():
                    yield Found(f"learner.{key}.{name}", digest(file.get_tensor(name)), floats)
            yield Found(f"learner.{key}.{kind}file", digest(path.read_bytes()), floats)


def without_digest(content: bytes) -> bytes:
    """Return a saved agent without the digest of its arrays: of networks it is the processor's."""
    length = int.from_bytes(content[:8], "little")
    header = json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["inarow"])
    del header["digest"]
    return save(load(content), metadata={"inarow": json.dumps(header)})


def solvers() -> Iterator[Found]:
    """Yield node counts of every search, and exact scores."""
    solver = named("Solver")
    for name in ("connect4:5x5", "connect4:5x6", "connect4:4x5"):
        made = solver(name)
        made.score(inarow.game(name).position())
        yield Found(f"search.falling solver.{name}.nodes", made.nodes)
    for name, plies in (("connect4:6x7", 20), ("connect4:4x5,wrap", 4), ("cube", 52)):
        made = solver(name)
        found = [made.solve(position) for position in positions(name, 4, plies=plies)]
        kind = "falling solver" if name == "connect4:6x7" else "general solver"
        yield Found(f"search.{kind}.{name}.{plies} stones.nodes", made.nodes)
        yield Found(f"search.{kind}.{name}.{plies} stones.scores", digest([f.moves for f in found]))
    for name in ("tictactoe", "tictactoe,misere", "tictactoe,wrap", "mnk:4x4x4"):
        made = solver(name)
        yield Found(f"search.general solver.{name}", made.score(inarow.game(name).position()))
        yield Found(f"search.general solver.{name}.nodes", made.nodes)
    yield from proofs()
    yield from minimax()
    yield from tree_searches()
    for choice in ("best", "value", "first"):
        for name, plies in (("connect4:6x7", 4), ("connect4:6x7", 16), ("tictactoe", 3)):
            moves = [named("perfect_moves")(p, choice) for p in positions(name, 10, plies=plies)]
            yield Found(f"search.perfect moves.{name}.{plies} stones.{choice}", digest(moves))


def proofs() -> Iterator[Found]:
    """Yield the visits of proof-number searches, and the nodes of threat sequences in them."""
    for name, plies, limit in (
        ("mnk:5x5x4", 4, 20_000),
        ("qubic", 12, 5_000),
        ("mnk:4x4x4", 5, 9999),
    ):
        prover, results = named("Prover")(inarow.game(name), 14), []
        for position in positions(name, 4, plies=plies):
            stones = tuple(
                sum(1 << cell for cell, stone in enumerate(position.stones) if stone == side)
                for side in (1, 2)
            )
            results.append(prover.wins(stones, position.to_move - 1, 0, limit))
        yield Found(f"search.df-pn.{name}.results", digest(results))
        yield Found(f"search.df-pn.{name}.visits", prover.visits)
        yield Found(f"search.df-pn.{name}.threat nodes", prover.threat_nodes)


def minimax() -> Iterator[Found]:
    """Yield the nodes of minimax, and of the naive program."""
    search = named("minimax_search")
    for name, depth in (("connect4:6x7", 6), ("tictactoe", 9), ("ntictactoe:3^3", 3), ("qubic", 2)):
        for order in ("ascending", "central"):
            found = [search(p, depth, order, all_moves=order == "central")
                     for p in positions(name, 5)]  # fmt: skip
            key = f"search.minimax.{name}.{order}"
            yield Found(f"{key}.nodes", sum(one.nodes for one in found))
            yield Found(
                f"{key}.values", digest([(f.move, f.value, f.ending, f.values) for f in found])
            )
    for keeps in (False, True):
        game = inarow.game("connect4:5x6")
        program, position = named("NaiveProgram")(game, 4, keeps), game.position()
        while position.outcome is None:
            column = program.choose(position)
            stone = position.to_move
            position.push(column)
            program.put(column, stone)
        key = "search.naive minimax" + (", utility kept" if keeps else "")
        yield Found(f"{key}.moves", position.notation)
        for name, count in zip(("nodes", "leaves"), program.counts, strict=True):
            yield Found(f"{key}.{name}", int(count))


def tree_searches() -> Iterator[Found]:
    """Yield the whole trees of Monte Carlo tree searches."""
    for name, form in (
        ("tictactoe", "plain"),
        ("connect4:6x7", "plain"),
        ("connect4:6x7", "both"),
        ("ntictactoe:3^3", "tree"),
        ("mnk:9x9x5", "playouts"),
    ):
        tables = named("tables_of")(inarow.game(name))
        for number, position in enumerate(positions(name, 2)):
            player = named("Mcts")(200, form).compiled(tables)
            stones, stream = np.array(position.stones, np.int8), named("make_stream")(1)
            arguments = tables, named("new_board")(tables), stones, player, stream, 200, True
            move = int(named("search_in")(*arguments))
            key = f"search.mcts.{name}.{form}.{number}"
            yield Found(f"{key}.move", move)
            tree = player.tree
            used = int(tree.path[-1])
            yield Found(f"{key}.nodes", used)
            yield Found(f"{key}.tree", digest(tree.nodes[:used]))
            yield Found(f"{key}.values", digest(tree.values[:used]))


GAME_PLAYERS = {  # of every kind, by a game that shows it
    "tictactoe": (
        "random", "attack", "defense", "attack-defense", "defense-attack", "combined", "hybrid",
        "benchmark", "advanced", "greedy-lines", "attack-defense@random", "attack-defense@game",
        "attack-defense@cells", "perfect", "perfect@value", "perfect@first", "level:1", "level:6",
        "best", "minimax:3", "minimax:3@central", "minimax:3@descending", "mcts:50", "mcts:50@tree",
        "mcts:50@both", "shipped:tictactoe", "shipped:tictactoe+mcts:50", "best-response:attack",
    ),
    "connect4:6x7": (
        "random", "combined", "benchmark", "perfect", "level:4", "minimax:4", "mcts:50@playouts",
        "ntuple", "ntuple:2", "ntuple+mcts:20", "benchmark+endgame:28",
    ),
    "connect4:4x5,wrap": ("attack-defense", "minimax:4", "perfect"),
    "tictactoe,misere": ("random", "minimax:4", "perfect", "mcts:50@both"),
    "qubic": ("attack-defense", "shipped:qubic", "random+strategy", "shipped:qubic+mcts:20"),
    "cube": ("benchmark", "shipped:cube", "minimax:3"),
    "ntictactoe:3^4": ("advanced", "greedy-lines", "shipped:ntictactoe:3^4", "mcts:20"),
    "mnk:15x15x5": ("advanced", "combined", "shipped:mnk:15x15x5", "best"),
}  # fmt: skip


def players() -> Iterator[Found]:
    """Yield the choices, and the policies where they are stated, in 50 positions."""
    for name, names in GAME_PLAYERS.items():
        game, asked = inarow.game(name), positions(name, 50)
        late = [position for position in asked if game.cells - position.ply <= 12]
        for text in names:
            slow = any(part in text for part in ("perfect", "best", "strategy", "endgame"))
            stream = named("make_stream")(1, 1)
            player = named("bind_player")(inarow.player(text), game, stream)
            chosen, policies = list[int | str](), list[object]()
            for position in late if slow and game.cells in (20, 64) else asked:
                if hasattr(player, "begin"):
                    player.begin()
                chosen.append(player.move(position))
                with contextlib.suppress(inarow.InputError, AttributeError):
                    policies.append(player.policy(position))
            key = f"player.{name}.{text}"
            yield Found(f"{key}.moves", digest(chosen))
            yield Found(f"{key}.policies", digest(policies))
            yield Found(f"{key}.stream", digest(stream))


def games() -> Iterator[Found]:
    """Yield what follows from the games alone: lines, symmetries, drawings, random games."""
    for example in named("EXAMPLES"):
        game = inarow.game(example.name)
        yield Found(f"game.{game}.lines", digest(game.lines))
        yield Found(f"game.{game}.generators", digest(game.symmetry_group.generators))
        with contextlib.suppress(inarow.InputError):  # too many to list
            yield Found(f"game.{game}.symmetries", digest(game.symmetries))
        chance, position = random.Random(2), game.position()
        texts, pictures = [], []
        while position.outcome is None:
            if position.ply in (0, 1, 7, 30):
                texts += [str(position), repr(position), position.notation]
                pictures.append(position.svg())
            position.push(position.legal_moves[int(chance.random() * len(position.legal_moves))])
        yield Found(f"game.{game}.text", digest([*texts, str(position), repr(position)]))
        yield Found(f"game.{game}.svg", digest([*pictures, position.svg()]))
        yield Found(f"game.{game}.random games", digest(named("play_random_games")(game, 500, 1)))
        for sides, number in ((("random", "random"), 200), (("combined", "benchmark"), 100)):
            if "misere" in str(game) and "combined" in sides:
                continue
            found = inarow.match(game, *sides, games=number, seed=1).as_json()
            yield Found(f"game.{game}.{' '.join(sides)}", digest(found))
    for name, opponent in itertools.product(
        ("tictactoe", "connect4:6x7", "ntictactoe:3^4"), (None, "combined", "minimax:2")
    ):
        batch = inarow.batch(name, 32, opponent=opponent, seed=1)
        steps = [tuple(part.tobytes() for part in batch.reset())]
        for _ in range(60):
            steps.append(tuple(part.tobytes() for part in batch.step(batch.random_actions())))
        yield Found(f"batch.{name}.{opponent}", digest(b"".join(b"".join(s) for s in steps)))


def rows_of(path: Path) -> dict[str, Any]:
    """Return the measurements of a study by config, without times."""
    query = "SELECT config, seed, games, metric, value FROM measurements ORDER BY 1, 4, 2, 3"
    with contextlib.closing(sqlite3.connect(path)) as base:
        rows = base.execute(query).fetchall()
    found = dict[str, Any]()
    for config, seed, number, metric, value in rows:
        times = metric == "seconds" or "CPU-second" in metric
        kept = [] if times else [seed, number, value]
        found.setdefault(f"{config}.{metric}", []).append(kept)
    return found


EVALUATIONS = (
    "games:attack:100", "games:random:101:second", "sides:minimax:2:20", "expert", "exact",
    "exact:combined", "score:perfect", "score:random:50:first", "exploitability",
    "exploitability:first", "certificate", "anyone", "anyone:second", "games:perfect:20",
)  # fmt: skip
SOLVED = ("perfect:10", "perfect:6:second", "perfect:10:first:value", "endings:3", "anyone:first:8")
TDL = {
    "game": "connect4:4x4", "learner": "ntuple", "games": 60, "tuples": 3, "length": 4,
    "average": 1.0, "average_every": 5, "alpha": "0.5", "epsilon": "0.2",
}  # fmt: skip
START = {
    "game": "connect4:4x4", "games": 40, "tuples": 3, "length": 4, "average": 1.0,
    "average_every": 5, "seed": 5, "output": "tanh", "explored": "best", "gamma": 1.0,
}  # fmt: skip
PAIR = {
    "game": "connect4:4x5",
    "network": {"tuples": 4, "length": 4, "shield": False, "trace_decay": 0.0, "average": 0.0},
    "every": 50, "evaluated": 60, "target": 80, "below": False, "games": 100, "perfect_games": 4,
    "referee": None,
}  # fmt: skip


def studies() -> Iterator[Found]:
    """Yield the rows of one tiny study of every kind; times only by name."""
    trained = [
        {"learner": learner, "against": against, "games": 200, "record": [[10, 50], [50, 0]],
         "evaluations": ["exact:attack"], "evaluate_every": 100, "evaluate_at": [3, 70],
         "stop_games": 120, "check_every": 10}
        for learner, against in (("td", "random"), ("q", None))
    ]  # fmt: skip
    evaluated = [{"games": 100, "against": "random", "evaluations": [e]} for e in EVALUATIONS]
    network = {"game": "connect4:4x4", "learner": "ntuple", "games": 60, **SMALL}
    solved = [{**network, "evaluations": [evaluation]} for evaluation in SOLVED]
    programs = ("inarow", "naive", "naive, utility kept")
    told = {"games": 40, "alpha": "0.5"}
    kinds: dict[str, tuple[list[dict[str, Any]], str, int, bool]] = {
        "training": (trained, "", 2, False),
        "evaluations": (evaluated, "", 1, False),
        "solved evaluations": (solved, "", 1, True),
        "minimax": ([{"program": p, "board": [5, 5], "depth": 3} for p in programs],
                    GAME_WORK, 1, False),
        "n-tuple": ([TDL], TDL_WORK, 1, True),
        "trained on": ([{**told, "start": START, "game": TDL["game"], "learner": "ntuple"}],
                       TRAINED_ON_WORK, 1, True),
        "pair": ([PAIR, {**PAIR, "referee": "minimax:2"}], PAIR_WORK, 1, True),
        "speed": ([{"game": "tictactoe", "learner": "td", "against": "random"}],
                  SPEED_WORK, 1, False),
    }  # fmt: skip
    for kind, (configs, work, number, floats) in kinds.items():
        path = Path(f"{kind}.db")
        study = inarow.Study(kind, tuple(configs), *([work] if work else []))
        inarow.run_study(study, path, number, workers=1)
        found = rows_of(path)
        yield Found(f"study.{kind}.metrics", digest(list(found)))
        if kind != "speed":
            for name, rows in found.items():
                yield Found(f"study.{kind}.{name}", digest(rows), floats)
        if kind == "training":
            yield Found("study.training.show", digest(command("study", "show", str(path))))


CERTIFIED = (
    "tictactoe attack-defense", "tictactoe combined", "tictactoe perfect", "tictactoe minimax:3",
    "tictactoe minimax:9", "tictactoe mcts:20", "tictactoe level:3", "tictactoe level:10",
    "tictactoe shipped:tictactoe", "tictactoe best-response:attack", "tictactoe td.safetensors",
    "tictactoe q.safetensors", "tictactoe,misere minimax:4", "tictactoe,wrap advanced",
    "connect4:4x4 benchmark", "connect4:4x4 perfect", "connect4:4x4 minimax:4",
    "connect4:4x4 shipped:connect4:4x4", "connect4:4x4 random",
    "connect4:5x5 shipped:connect4:5x5 --positions 1 --games 4",
    "connect4:6x7 benchmark --positions 1 --games 2 --seed 3",
    "cube benchmark --from-stones 54 --positions 2", "mnk:5x5x4 attack-defense",
    "tictactoe minimax:9 --against anyone", "tictactoe attack --against anyone --all",
    "connect4:4x4 shipped:connect4:4x4 --against anyone", "connect4:4x5 minimax:4 --against anyone",
    "connect4:4x4 benchmark --against anyone --side first",
)  # fmt: skip
LEARNED = tuple(
    f"tictactoe {name}.safetensors" for name in ("ntuple", "mlp", "line_td", "monte_carlo")
)
COMMANDS = (
    "games", "players", "learners", "learners td", "learners mlp", "agents list", "perft cube 4",
    "perft tictactoe 6", "count tictactoe", "count tictactoe,misere", "count connect4:4x4",
    "count connect4:4x5,wrap --plies 8", "count cube --plies 5", "solve tictactoe",
    "solve connect4:6x7 4453", "solve connect4:5x5 33", "solve qubic 111", "solve mnk:4x4x4",
    "solve tictactoe,wrap", "solve connect4:6x7 --nodes 20000", "solve cube --nodes 2000",
    "match tictactoe attack combined --exact",
    "match tictactoe random perfect --games 100 --seed 2",
    "match connect4:6x7 minimax:3 benchmark --games 20", "match cube mcts:20 random --games 4",
    "arena tictactoe random attack defense minimax:2 --games 60 --seed 1",
    "analyse connect4:4x5 3323", "analyse tictactoe 22122123113331",
    "train tictactoe td --against hybrid --games 400 --seed 3",
    "train tictactoe q --games 300 --seed 2 --set epsilon=0.3",
    "reproduce hybrid --list", "reproduce cube --list", "reproduce connect-four --list",
)  # fmt: skip


def command(*words: str) -> Any:
    """Return what a command prints with `--json`, without times and node counts."""
    out, before = io.StringIO(), sys.argv
    sys.argv = ["inarow", *words, "--json"]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()) as error:
            named("main")()
    except SystemExit as end:
        if end.code:
            return {"status": end.code, "error": error.getvalue()}
    finally:
        sys.argv = before
    return without_times(json.loads(out.getvalue()))


def without_times(value: Any) -> Any:
    """Return a JSON value without what hangs on the clock, the machine or earlier searches."""
    if isinstance(value, dict):
        varying = ("seconds", "nodes", "made_with", "games_per_second")
        return {name: without_times(part) for name, part in value.items() if name not in varying}
    return [without_times(part) for part in value] if isinstance(value, list) else value


def certificates() -> Iterator[Found]:
    """Yield all kinds of certificates as JSON."""
    for learner, against in dict.fromkeys((one.learner, one.against) for one in runs()):
        if not Path(f"{learner}.safetensors").exists():
            run = inarow.train("tictactoe", learner, against, 200, 1, **SIZES.get(learner, {}))
            run.save(f"{learner}.safetensors")
    for words in (*CERTIFIED, *LEARNED):
        found = command("certify", *words.split())
        yield Found(f"certificate.{words}", digest(found), words in LEARNED)


def commands() -> Iterator[Found]:
    """Yield what commands say to programs."""
    for words in COMMANDS:
        yield Found(f"command.{words}", digest(command(*words.split())))
    odds = inarow.exact_odds("tictactoe", "combined", "advanced")
    yield Found("command.exact odds", digest(repr(odds)))
    gain = inarow.exploitability("benchmark", "connect4:4x4")
    yield Found("command.exploitability", digest(repr(gain)))


def shipped() -> Iterator[Found]:
    """Yield digests of the data files of the package, wherever they lie in it."""
    for path in sorted((ROOT / "src").rglob("*"), key=lambda path: path.name):
        if path.suffix in SHIPPED:
            yield Found(f"shipped.{path.name}", digest(path.read_bytes()))


def papers() -> Iterator[Found]:
    """Yield what the papers' studies run, with the parts of their databases' names."""
    for name in named("paper_names")():
        paper = named("paper_of")(name)
        for part in paper.parts:
            for scale in part.runs:
                said = [
                    (c.labels, c.parameters, c.work.rpartition(":")[2], dict(c.runs or {}), c.group)
                    for c in part.conditions_at(scale)
                ]
                about = [part.runs[scale], part.seed, scale in part.judged, said]
                yield Found(f"paper.{name}.{part.name}.{scale}", digest(about))


def rows() -> Iterator[Found]:
    """Yield the rows of all papers: their texts, and all digits of what is judged in them."""
    for name in named("paper_names")():
        paper = named("paper_of")(name)
        found = paper.rows(paper.data(ROOT / "docs" / "results"))
        yield Found(f"row.{name}", digest([row.name for row in found]))
        for row in found:
            yield Found(f"row.{name}.{row.name}.shown", digest(row.as_json()))
            yield Found(f"row.{name}.{row.name}.judged", digest(repr(asdict(row.judged))))


def pages() -> Iterator[Found]:
    """Yield all generated pages, the papers' tables and figures, and the README's facts."""
    for name in named("paper_names")():
        paper = named("paper_of")(name)
        data = paper.data(ROOT / "docs" / "results")
        found = paper.rows(data)
        for table in paper.tables:
            made = paper.table(table, data, found)
            yield Found(f"page.{name}.{table}", digest(None if made is None else asdict(made)))
        for path in paper.draw(data, Path("figures")):
            yield Found(f"page.{path.name}", digest(path.read_bytes()))
    for path, text in named("pages")().items():
        yield Found(f"page.{path.name}", digest(text))
    for number, fact in enumerate(named("facts")()):
        yield Found(f"page.facts.{number}", digest(fact))


GROUPS: dict[str, Callable[[], Iterator[Found]]] = {
    "game": games,
    "learner": learners,
    "search": solvers,
    "player": players,
    "study": studies,
    "certificate": certificates,
    "command": commands,
    "shipped": shipped,
    "paper": papers,
    "row": rows,
    "page": pages,
}


def kind_of_machine() -> dict[str, str]:
    """Return what the last bits of networks depend on."""
    made = named("made_with")()
    return {name: made[name] for name in ("compiled_for", "numba")}


class Computed(NamedTuple):
    """All that was computed."""

    everywhere: dict[str, int | str]
    here: dict[str, int | str]  # what holds on one kind of processor only
    failed: dict[str, str]  # groups that could not be computed to their end, and why


def compute(groups: list[str]) -> Computed:
    """Compute the groups in an empty folder."""
    computed = Computed({}, {}, {})
    home = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for group in groups:
                begun = time.perf_counter()
                try:
                    for found in GROUPS[group]():
                        kept = computed.here if found.floats else computed.everywhere
                        if found.key in computed.here or found.key in computed.everywhere:
                            raise ValueError(f"two values for {found.key}")
                        kept[found.key] = found.value
                except Exception as error:  # whatever has moved: the other groups are compared
                    computed.failed[group] = f"{type(error).__name__}: {error}"
                print(f"{group}: {time.perf_counter() - begun:.1f} s", file=sys.stderr)
        finally:
            os.chdir(home)
    return computed


def differences(
    stored: dict[str, Any], found: dict[str, Any], groups: list[str], failed: dict[str, str]
) -> list[str]:
    """Return a line for each key whose value is another, is missing, or is new."""
    whole = [group for group in groups if group not in failed]
    wanted = [key for key in stored if group_of(key) in whole]
    lines = []
    for key in dict.fromkeys((*wanted, *found)):
        before, now = stored.get(key, "nothing"), found.get(key, "nothing")
        if before != now:
            lines.append(f"{key}: stored {before}, now {now}")
    return lines


def group_of(key: str) -> str:
    """Return the group that yields a key."""
    first = key.partition(".")[0]
    return {"batch": "game"}.get(first, first)


def main() -> int:
    """Store the digests, or compare them with those that are stored."""
    parser = argparse.ArgumentParser(description="Shows that nothing changed.")
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=", ".join(GROUPS))
    parser.add_argument("--store", action="store_true", help="write tools/guard.json")
    given = parser.parse_args()
    if unknown := sorted({*given.groups} - {*GROUPS}):
        parser.error(f"unknown group {unknown[0]!r}: there is {', '.join(GROUPS)}")
    groups = given.groups or list(GROUPS)
    computed = compute(groups)
    failures = [f"{group} cannot be computed: {why}" for group, why in computed.failed.items()]
    if given.store and not failures:
        store(computed, groups)
        return 0
    lines = failures if given.store else failures + compare(computed, groups)
    print("\n".join(lines) if lines else "nothing differs")
    return int(bool(lines))


def store(computed: Computed, groups: list[str]) -> None:
    """Write the digests of some groups, and keep those of the others."""
    stored = json.loads(STORED.read_text("utf-8")) if STORED.exists() else {}
    if stored.get("machine") != kind_of_machine():
        stored["here"] = {}  # what other groups computed on another kind of processor
    for name in ("everywhere", "here"):
        kept = {k: v for k, v in stored.get(name, {}).items() if group_of(k) not in groups}
        stored[name] = dict(sorted({**kept, **getattr(computed, name)}.items()))
    stored = {**stored, "machine": kind_of_machine()}
    text = json.dumps(stored, indent=0, ensure_ascii=False)
    STORED.write_text(f"{text}\n", encoding="utf-8")
    print(
        f"{len(stored['everywhere']):,} values are stored, and {len(stored['here']):,} of networks"
    )


def compare(computed: Computed, groups: list[str]) -> list[str]:
    """Return a line for each difference; a group that failed is compared as far as it came."""
    stored, machine = json.loads(STORED.read_text("utf-8")), kind_of_machine()
    lines = differences(stored["everywhere"], computed.everywhere, groups, computed.failed)
    print(f"{len(computed.everywhere):,} values are compared", end="")
    if machine != stored["machine"]:
        print(f"; those of networks are not: stored with {stored['machine']}, this is {machine}")
        return lines
    print(f", and {len(computed.here):,} of networks")
    return lines + differences(stored["here"], computed.here, groups, computed.failed)


if __name__ == "__main__":
    sys.exit(main())
