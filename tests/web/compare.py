"""Compares what packages compute in Node, Chromium, Firefox with native code: `make web-compare`.

    python -m tests.web.compare [--engines node chromium firefox] [--share 0.01] [PART ...]
    python -m tests.web.compare --store     writes digests of what native code plays

The parts are the kinds of compiled players (tic-tac-toe whole, other boards at random, and 200
games of each kind's exported file in Node), `agent`: a million positions of the proved agent,
`scores`: 20,000 of the solver's, `learners`: the memory and certificates of four, and `proof`:
Qubic's counts. `--share` makes the numbers smaller. Tests compare a hundredth, and of all kinds
what Node plays with the stored digests, since compiling every kind takes minutes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import tables_of
from inarow.game import Game
from inarow.game import game as game_of
from inarow.lab.certificates.certify import Certificate, certify
from inarow.lab.players.names import player
from inarow.lab.training.run import Run, continue_training
from inarow.search.check_strategy import Checked
from inarow.search.solver import solver_for
from inarow.web.entries import PLAYER
from inarow.web.learning import TRAINERS
from inarow.web.lessons import learning_package, proof_package
from inarow.web.modules import KINDS
from inarow.web.package import pack, package
from inarow.web.players import as_compiled, sample_player
from tests.web.browsers import ENGINES
from tests.web.files import differing, games_of_file
from tests.web.node import (
    ask_packages,
    every_position,
    native_moves,
    random_games,
    random_positions,
)

PLAYERS = [kind for kind, sampled in KINDS.items() if sampled.part == PLAYER]
STORED = Path(__file__).with_name("moves.json")
# Boards on which a kind is compared besides the one of its sample.
ALSO = {
    "rule": ["connect4:6x7", "cube", "ntictactoe:3^3", "tictactoe,misere"],
    "minimax": ["connect4:6x7", "cube", "ntictactoe:3^3", "tictactoe,wrap", "mnk:9x9x5"],
    "strength": ["connect4:6x7", "cube", "tictactoe,misere", "mnk:9x9x5"],
    "mcts": ["connect4:6x7", "cube"],
    "mcts-filter": ["connect4:6x7", "tictactoe,misere"],
    "line_td": ["cube", "ntictactoe:3^4", "mnk:9x9x5"],
    "mlp": ["connect4:4x4", "cube"],
    "ntuple": ["connect4:6x7"],
    "reinforce": ["ntictactoe:3^3"],
    "monte_carlo": ["cube"],
}
COUNT = 120  # positions of a kind in the test run
MANY = 2000  # and here, on boards that are not compared whole
GAMES = 200  # of a file
AGENT, POSITIONS = "shipped:connect4:6x7:small", 1_000_000
BATCH = 100_000  # positions of a question
SCORES, LEAST_STONES = 20_000, 22
LEARNED = {"td": [1, 63, 199_936], "q": [200_000], "td_lambda": [200_000], "sarsa": [1, 19_999]}
QUBIC = Checked(6695, 631_451, 176_306, 8_458, 441_079, 5_608)


class Part(NamedTuple):
    """Something that is compared: a question about a package, and the answer of native code."""

    name: str
    question: dict[str, Any]
    wanted: Any
    answer: Callable[[Any], Any]  # the part of an answer that must be what is wanted


def boards_of(kind: str) -> list[Game]:
    """The games in which a kind is compared."""
    return [game_of(name) for name in (KINDS[kind].game, *ALSO.get(kind, ()))]


def positions_of(kind: str, game: Game, count: int) -> list[list[int]]:
    """All positions of tic-tac-toe, else random ones; late ones where a search decides there."""
    if game.cells == 9 and count >= 100:
        return every_position(game)
    late = {"endgame": 30 if game.cells > 42 else 8, "perfect": 4}
    least = next((n for word, n in late.items() if word in kind), 0)
    return random_positions(game, count, least)


def digest(moves: list[int]) -> str:
    """Moves in few characters."""
    return hashlib.sha256(",".join(map(str, moves)).encode()).hexdigest()[:16]


def answers(kinds: list[str], count: int, folder: Path) -> dict[str, list[int] | str]:
    """What Node plays, by kind and game; or the line that says why not."""
    questions, names = list[dict[str, object]](), list[str]()
    for kind in kinds:
        for game in boards_of(kind):
            names.append(f"{kind} {game.name}")
            target = folder / str(len(names))
            pack(game, sample_player(KINDS[kind].player, game)).write(target)
            positions = positions_of(kind, game, count)
            questions.append({"folder": str(target), "positions": positions})
    found = ask_packages(folder, questions)
    return {
        name: answer.get("moves") or answer["error"]
        for name, answer in zip(names, found, strict=True)
    }


def native(kind: str, game: Game, count: int) -> list[int]:
    """What native code plays."""
    some_player = sample_player(KINDS[kind].player, game).compiled(tables_of(game))
    return native_moves(game, some_player, positions_of(kind, game, count))


# What is compared; each writes its packages into a folder


def kind_parts(kind: str, share: float, folder: Path) -> Iterator[Part]:
    """The moves of a kind, board by board."""
    count = max(1, round(share * MANY))
    for game in boards_of(kind):
        name = f"{kind} {game.name}"
        pack(game, sample_player(KINDS[kind].player, game)).write(folder / name)
        positions = positions_of(kind, game, count)
        wanted = native(kind, game, count)
        yield Part(name, {"folder": name, "positions": positions}, wanted, lambda a: a["moves"])


def agent_parts(share: float, folder: Path) -> Iterator[Part]:
    """Random positions of the proved agent."""
    game, name = game_of("connect4:6x7"), "agent"
    package(game, AGENT).write(folder / name)
    arrays = as_compiled(player(AGENT), game).compiled(tables_of(game))
    stones = falling_positions(game, round(share * POSITIONS))
    for number, batch in enumerate(np.array_split(stones, max(1, len(stones) // BATCH))):
        file = f"positions-{number}.bin"
        (folder / name / file).write_bytes(batch.tobytes())
        wanted = native_moves(game, arrays, list(batch))
        question = {"folder": name, "positions": file, "cells": game.cells}
        yield Part(f"agent {AGENT}", question, wanted, lambda a: a["moves"])


def falling_positions(game: Game, count: int, seed: int = 11) -> npt.NDArray[np.int8]:
    """The stones of so many random positions in which stones fall and nobody has won."""
    draw, found = np.random.default_rng(seed), list[npt.NDArray[np.int8]]()
    while sum(map(len, found)) < count:
        # Columns in a random order, each as often as it has cells: the first so many moves.
        number, columns = 50_000, game.columns
        columns_of = np.tile(np.arange(game.cells) % columns, (number, 1))
        moves, plies = draw.permuted(columns_of, axis=1), draw.integers(0, game.cells, number)
        stones = np.zeros((number, game.cells), dtype=np.int8)
        heights, rows = np.zeros((number, columns), dtype=np.int64), np.arange(number)
        for ply in range(game.cells):
            on = plies > ply
            at = moves[on, ply]
            stones[rows[on], heights[on, at] * columns + at] = 1 + ply % 2
            heights[rows[on], at] += 1
        lines = stones[:, game.lines]
        over = ((lines == 1).all(axis=2) | (lines == 2).all(axis=2)).any(axis=1)
        found.append(stones[~over])
    return np.concatenate(found)[:count]


def score_parts(share: float, folder: Path) -> Iterator[Part]:
    """The solver's score of every move of late positions."""
    game, name = game_of("connect4:6x7"), "scores"
    package(game, solver=True).write(folder / name)
    positions, wanted = list[list[int]](), list[list[list[int]]]()
    for position in random_games(game, round(share * SCORES), LEAST_STONES):
        if sum(map(len, wanted)) >= share * SCORES:
            break
        positions.append(list(position.stones))
        wanted.append(sorted(map(list, solver_for(game).solve(position).moves.items())))
    question = {"folder": name, "positions": positions, "wantsScores": True}
    yield Part("scores", question, wanted, lambda a: [sorted(found) for found in a["scores"]])


def lines_of(certificate: Certificate) -> list[str]:
    """What `inarow certify` says of a player, without its table."""
    said = [f"{certificate.player} in {certificate.game.name}: {certificate.basis.text}"]
    for side in certificate.sides:
        said += [f"As {side}: {certificate.side_text(side)}", *certificate.side_details(side)]
    return [*said, certificate.exploitability_text]


def learner_parts(share: float, folder: Path) -> Iterator[Part]:
    """What tables learn from a seed: every byte of them, and their certificates."""
    for learner, games in LEARNED.items():
        name = f"learn {learner}"
        learning_package("tictactoe", learner).write(folder / name)
        numbers = [max(1, round(share * number)) for number in games]
        run = Run("tictactoe", learner, {}, TRAINERS.get(learner), 3)
        continue_training(run, sum(numbers))
        values = run.training.arrays[run.learner.array]
        wanted = [
            hashlib.sha256(values.tobytes()).hexdigest(),
            *run.training.counts.tolist(),
            *lines_of(certify(run.agent)),
        ]
        question = {"kind": "learn", "folder": name, "seed": 3, "games": numbers}
        yield Part(name, question, wanted, lambda a: [a["digest"], *a["counts"], *a["lines"]])


def proof_parts(_: float, folder: Path) -> Iterator[Part]:
    """The counts of Qubic's proof."""
    game = game_of("qubic")
    proof_package(game).write(folder / "proof")
    wanted = QUBIC.sentences(game)
    yield Part("proof", {"kind": "prove", "folder": "proof"}, wanted, lambda a: a)


OTHERS = {
    "agent": agent_parts,
    "scores": score_parts,
    "learners": learner_parts,
    "proof": proof_parts,
}


def parts_of(name: str, share: float, folder: Path) -> list[Part]:
    """A part by its name."""
    if name in OTHERS:
        return list(OTHERS[name](share, folder))
    return list(kind_parts(name, share, folder))


def number_of_differences(part: Part, found: Any) -> int:
    """How many values of an answer are not those of native code; all if there is no answer."""
    if isinstance(found, dict) and "error" in found:
        print(f"  {found['error']}")
        return len(part.wanted)
    given = part.answer(found)
    differ = sum(a != b for a, b in zip(given, part.wanted, strict=False))
    return differ + abs(len(given) - len(part.wanted))


def compare(name: str, share: float, engines: list[str]) -> int:
    """Compares a part in every engine; returns how much differs."""
    wrong = 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        parts = parts_of(name, share, folder)
        for engine in engines:
            began = time.monotonic()
            with ENGINES[engine](folder) as ask:
                for batch in batches(name, parts):
                    found = ask([part.question for part in batch])
                    wrong += sum(map(told, [engine] * len(batch), batch, found))
            print(f"  {time.monotonic() - began:.0f} s", flush=True)
    return wrong


def batches(name: str, parts: list[Part]) -> list[list[Part]]:
    """What is asked in one go."""
    return [[part] for part in parts] if name == "agent" else [parts]


def told(engine: str, part: Part, answer: Any) -> int:
    """Says how much of an answer differs; returns it."""
    differ = number_of_differences(part, answer)
    number = sum(map(len, part.wanted)) if part.name == "scores" else len(part.wanted)
    print(f"{engine}: {part.name}: {differ} of {number:,} differ", flush=True)
    return differ


def compare_file(kind: str, games: int) -> int:
    """Compares the exported file of an agent of a kind in Node."""
    with tempfile.TemporaryDirectory() as folder:
        differ = differing(kind, games_of_file(kind, games, Path(folder)))
    print(f"{kind}: {differ} moves differ in {games} games of its file", flush=True)
    return differ


def store(kinds: list[str]) -> int:
    """Writes digests of what native code plays, if Node plays it."""
    stored, wrong = json.loads(STORED.read_text()) if STORED.exists() else {}, 0
    for kind in kinds:
        with tempfile.TemporaryDirectory() as folder:
            played = answers([kind], COUNT, Path(folder))
        for game in boards_of(kind):
            name, wanted = f"{kind} {game.name}", native(kind, game, COUNT)
            wrong += played[name] != wanted
            print(f"{name}: {'the same' if played[name] == wanted else played[name]}", flush=True)
            stored[name] = digest(wanted)
        STORED.write_text(json.dumps(dict(sorted(stored.items())), indent=1) + "\n")
    return int(wrong > 0)


def main() -> int:
    """Compares, or stores."""
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join([*OTHERS, *PLAYERS]))
    parser.add_argument("--engines", nargs="+", choices=list(ENGINES), default=list(ENGINES))
    parser.add_argument("--share", type=float, default=1)
    parser.add_argument("--store", action="store_true")
    given = parser.parse_args()
    if given.store:
        return store(given.parts or PLAYERS)
    wrong = 0
    for name in given.parts or [*OTHERS, *PLAYERS]:
        wrong += compare(name, given.share, given.engines)
        if name in PLAYERS and "node" in given.engines:
            wrong += compare_file(name, max(1, round(given.share * GAMES)))
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
