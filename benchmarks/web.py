"""The package's compiled code as WebAssembly, against the same code on this machine.

    python benchmarks/web.py [--json]

In Node, which runs what Chromium runs: bytes of modules and memory, time to the first move, moves,
solved positions, training games and Qubic's proof, in CPU time, compiling apart. Both must play
the same moves and find the same scores, or the run fails.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import shutil
import subprocess
import sys
import tempfile
import time
import zlib
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from inarow.engine.board import Board, Tables, new_board, tables_of
from inarow.engine.jit import jit
from inarow.engine.players import PlayerArrays, Side
from inarow.engine.streams import make_stream
from inarow.game import Game, Position
from inarow.game import game as game_of
from inarow.lab.certificates.by_solver import random_positions
from inarow.lab.players.names import player
from inarow.lab.training.run import Run
from inarow.search.check_strategy import check_strategy
from inarow.search.solver import Solver
from inarow.search.solver_loop import NODES
from inarow.search.strategy import shipped_strategy
from inarow.web.entries import ready, reply
from inarow.web.learning import TRAINERS
from inarow.web.lessons import learning_package, proof_package
from inarow.web.modules import STATIC
from inarow.web.package import Package, package
from inarow.web.players import as_compiled

if TYPE_CHECKING:
    from inarow.engine.streams import Stream

HERE = Path(__file__).resolve().parent
PLAYERS = {  # with how many positions each is measured on
    ("connect4:6x7", "minimax:6"): 100,
    ("connect4:6x7", "shipped:connect4:6x7:small"): 200,
    ("connect4:6x7", "ntuple"): 200,
    ("connect4:6x7", "mcts:1000"): 20,
    ("tictactoe", "perfect"): 200,
    ("cube", "shipped:cube"): 3,
    ("qubic", "shipped:qubic"): 3,
    ("mnk:15x15x5", "shipped:mnk:15x15x5"): 3,
}
LEARNERS = {"td": 200_000, "q": 200_000, "td_lambda": 200_000, "sarsa": 50_000}
SOLVED = {20: 300, 16: 100, 12: 12}  # positions by stones on 6x7
LEAST_SECONDS = 0.1  # of native moves: short ones are repeated
SHORT = 5e-6  # seconds of a native move below which calling it from a page takes longer
ROUNDS = 3  # of solving the same positions, each with an empty table: the quickest counts
OPENING = 4  # random moves of games
# As in the set Begin-Medium of P. Pons: so many stones at most, over in so many moves.
MEDIUM, MEDIUM_STONES, MEDIUM_MOVES = 25, 14, range(15, 28)


def node() -> str:
    """A Node, from the system or from Playwright's wheel."""
    spec = find_spec("playwright")
    beside = Path(str(spec.origin)).parent / "driver" / "node" if spec else None
    found = shutil.which("node") or (str(beside) if beside and beside.is_file() else None)
    if found is None:
        raise SystemExit("this needs Node, on its own or as Playwright brings it")
    return found


def in_node(folder: Path, task: dict[str, Any]) -> dict[str, Any]:
    """What one task gives in Node."""
    scripts = folder / "static"
    if not scripts.exists():
        shutil.copytree(STATIC, scripts, ignore=shutil.ignore_patterns("modules"))
        (scripts / "package.json").write_text('{"type": "module"}')
    done = subprocess.run(
        [node(), str(HERE / "web.mjs"), str(scripts / "worker.js")],
        input=json.dumps({"nodes": NODES, "list": [task]}),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found[0]


def stones_of(positions: list[Position]) -> list[list[int]]:
    """Positions as a page is asked for them."""
    return [list(position.stones) for position in positions]


def packed(content: bytes) -> int:
    """The bytes that a server sends."""
    return len(zlib.compress(content, 9))


def written(made: Package, folder: Path) -> dict[str, Any]:
    """Writes a package; returns what it takes."""
    made.write(folder)
    code = b"".join(made.modules.values())
    return {
        "module_bytes": len(code),
        "module_packed": packed(code),
        "memory_packed": len(made.image),
    }


def new_side(tables: Tables, arrays: PlayerArrays) -> Side:
    """A compiled player with the stream of a package."""
    side = Side(tables, new_board(tables), arrays, make_stream(0))
    side.begin()
    return side


def moves_row(name: str, who: str, count: int, folder: Path) -> dict[str, Any]:
    """A player's moves."""
    game = game_of(name)
    tables = tables_of(game)
    arrays = as_compiled(player(who), game).compiled(tables)
    positions = positions_of_games(game, new_side(tables, arrays), count + 1)
    sizes = written(package(game, who), folder / "package")
    question = {"kind": "moves", "folder": str(folder / "package"), "positions": positions}
    there = in_node(folder, question)
    arrays = as_compiled(player(who), game).compiled(tables)
    moves, here = native_moves(tables, arrays, np.array(positions, dtype=np.int8))
    if there["moves"] != moves:
        raise SystemExit(f"{who} on {name}: a move differs")
    took = there["seconds"] - there["messages"]
    is_measured = took > 0 and here / count > SHORT
    return {
        "game": name,
        "player": who,
        **sizes,
        "first_move_ms": round(1000 * there["firstMove"], 1),
        "ms_a_message": round(1000 * there["messages"] / count, 3),
        "ms_a_move": round(1000 * took / count, 4) if is_measured else None,
        "native_ms_a_move": round(1000 * here / count, 4),
        "times_native": round(took / here, 2) if is_measured else None,
    }


@jit
def _reply_to_all(
    tables: Tables,
    board: Board,
    player: PlayerArrays,
    stream: Stream,
    positions: npt.NDArray[np.int8],
    moves: npt.NDArray[np.int64],
) -> None:
    for number in range(len(positions)):
        moves[number] = reply(tables, board, player, stream, positions[number])


def native_moves(
    tables: Tables, arrays: PlayerArrays, positions: npt.NDArray[np.int8]
) -> tuple[list[int], float]:
    """The moves of compiled code in positions, and the CPU seconds for all after the first."""
    board, stream = new_board(tables), make_stream(0)
    ready(arrays, stream)
    moves, found = np.zeros(len(positions), dtype=np.int64), list[int]()
    _reply_to_all(tables, board, arrays, stream, positions[:1], moves[:1])  # compiles
    rounds, before = 0, time.process_time()
    while (took := time.process_time() - before) < LEAST_SECONDS:
        _reply_to_all(tables, board, arrays, stream, positions[1:], moves[1:])
        found = moves.tolist() if rounds == 0 else found
        rounds += 1
    return found, took / rounds


def positions_of_games(game: Game, side: Side, count: int, seed: int = 1) -> list[list[int]]:
    """Positions of the player's games against itself, after some random moves."""
    draw, found = random.Random(seed), list[list[int]]()
    while len(found) < count:
        position = game.position()
        side.begin()
        while position.outcome is None and len(found) < count:
            if position.ply < OPENING:
                position.push(draw.choice(list(position.legal_moves)))
                continue
            found.append(list(position.stones))
            position.push(side.choose_in(np.array(position.stones, dtype=np.int8)))
    return found


def medium_positions(count: int, seed: int = 1) -> list[Position]:
    """Random positions of 6x7 that begin a game and are decided in its middle."""
    game, draw, found = game_of("connect4:6x7"), random.Random(seed), list[Position]()
    solver = Solver(game)
    while len(found) < count:
        stones = draw.randrange(8, MEDIUM_STONES + 1)
        (position,) = random_positions(game, stones, 1, draw.randrange(2**30))
        score = solver.score(position)
        end = (
            42
            if score == 0
            else 42 - 2 * abs(score) + (1 if (score > 0) == (stones % 2 == 0) else 2)
        )
        if end - stones in MEDIUM_MOVES:
            found.append(position)
    return found


def scores_row(name: str, positions: list[Position], folder: Path) -> dict[str, Any]:
    """Solved positions."""
    game = game_of("connect4:6x7")
    package(game, solver=True).write(folder / "solver")
    question = {
        "kind": "scores",
        "folder": str(folder / "solver"),
        "positions": stones_of(positions),
        "rounds": ROUNDS,
    }
    there = in_node(folder, question)
    here = math.inf
    for _ in range(ROUNDS + 1):  # the first compiles
        solver, before = Solver(game), time.process_time()
        scores = [solver.score(position) for position in positions]
        here = min(here, time.process_time() - before)
        if there["scores"] != scores:
            raise SystemExit(f"a score of {name} differs")
    return {
        "on_the_board": name,
        "positions": len(positions),
        "ms_a_position": round(1000 * there["seconds"] / len(positions), 2),
        "native_ms_a_position": round(1000 * here / len(positions), 2),
        "million_nodes_per_second": round(there["nodes"] / there["seconds"] / 1e6, 2),
        "times_native": round(there["seconds"] / here, 2),
    }


def games_row(learner: str, games: int, folder: Path) -> dict[str, Any]:
    """Training games."""
    sizes = written(learning_package("tictactoe", learner), folder / learner)
    there = in_node(folder, {"kind": "games", "folder": str(folder / learner), "games": games})
    run = Run("tictactoe", learner, {}, TRAINERS.get(learner), 0)
    run.training.play(2000)
    before = time.process_time()
    run.training.play(games)
    here = time.process_time() - before
    return {
        "learner": learner,
        **sizes,
        "games_per_cpu_second": round(games / there["seconds"]),
        "native_games_per_cpu_second": round(games / here),
        "times_native": round(there["seconds"] / here, 2),
    }


def proof_row(folder: Path) -> dict[str, Any]:
    """Qubic's strategy, checked."""
    game = game_of("qubic")
    strategy = shipped_strategy(game)
    assert strategy is not None
    sizes = written(proof_package(game), folder / "proof")
    number = len(strategy.firsts)
    question = {"kind": "proof", "folder": str(folder / "proof"), "positions": number}
    there = in_node(folder, question)
    check_strategy(game, strategy.firsts, strategy.seconds, strategy.moves)  # compiles
    before = time.process_time()
    check_strategy(game, strategy.firsts, strategy.seconds, strategy.moves)
    here = time.process_time() - before
    return {
        "proof": "qubic",
        **sizes,
        "cpu_seconds": round(there["seconds"], 1),
        "native_cpu_seconds": round(here, 1),
        "times_native": round(there["seconds"] / here, 2),
    }


def main() -> int:
    """Measures everything."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    rows = list[dict[str, Any]]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for (game, who), count in PLAYERS.items():
            rows.append(moves_row(game, who, count, folder / str(len(rows))))
        asked = {
            f"{stones} stones": list(random_positions(game_of("connect4:6x7"), stones, count, 1))
            for stones, count in SOLVED.items()
        }
        asked["at most 14 stones, over in 15 to 27 moves"] = medium_positions(MEDIUM)
        solved = [scores_row(*each, folder) for each in asked.items()]
        learned = [games_row(*each, folder) for each in LEARNERS.items()]
        proved = [proof_row(folder)]
    version = subprocess.run([node(), "--version"], capture_output=True, text=True, check=True)
    answer = {
        "versions": {"node": version.stdout.strip()},
        "rows": rows,
        "solved": solved,
        "left_out": [
            "A move in a page has a question to the engine and its answer besides, whose time is "
            "shown apart and not contained in that of the move; no time is shown where a native "
            "move takes under 0.005 ms, since calling it from a page takes longer. connect-four-ai "
            "publishes 87 ms a position for its WebAssembly on the set Begin-Medium, without a "
            "book; that set is not part of this project, and the last row of scores has random "
            "positions of its kind",
        ],
        "learned": learned,
        "proved": proved,
    }
    if given.json:
        print(json.dumps(answer))
        return 0
    for part in (rows, solved, learned, proved):
        for row in part:
            print(", ".join(f"{key.replace('_', ' ')} {value}" for key, value in row.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
