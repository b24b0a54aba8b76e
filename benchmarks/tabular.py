"""How many training games in a CPU-second: here, in a plain C++ program, and in OpenSpiel.

    python benchmarks/tabular.py [--quick] [--json] [--rounds 5] [--only tictactoe]

Two questions, each with the target that the project set itself:

- The hybrid paper's TD agent, both games and all six trainers, here and by `plain_td.cpp`, a plain
  C++ program as the paper describes its own. It is compiled twice, with -O2 and with -O3
  -march=native, and in each round its faster time counts.
- Q-learning against itself on tic-tac-toe, here and by OpenSpiel's tabular Q-learner, in the loop
  of its own example.

All take turns: in each round everyone trains a new agent from nothing for the same number of games
(OpenSpiel for fewer), those of one trainer next to each other, in an order that shifts from round
to round. What is said is the median over the rounds; "ours is" how many times as fast this package
was in the same round, with the lowest and the highest round behind it. The games lost on the way
stand beside it, on average: programs that learn the same lose alike. Time is CPU time of the
process that trains; compiling, starting and building tables do not count. What is not installed
(a compiler, OpenSpiel) is left out, in a line that says so.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import platform
import shutil
import statistics
import subprocess
import tempfile
import textwrap
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from inarow.game import InputError
from inarow.lab.training.run import train
from inarow.learn.learner import LOSSES

SOURCE = Path(__file__).resolve().with_name("plain_td.cpp")
FLAGS = ("-O2", "-O3 -march=native")
OURS, PLAIN = "inarow", "plain C++"
GAMES = {"tictactoe": "tictactoe", "connect4:4x4": "connect4"}  # ours: as plain_td calls it
STRATEGIES = ("random", "attack", "defense", "attack-defense", "defense-attack", "combined")
OPEN_SPIEL, SELF_PLAY = "OpenSpiel", "itself"

# What the project set itself: on this game so many times as fast as that one. Against the plain
# program that is the geometric mean over the trainers.
TARGETS = (("tictactoe", PLAIN, 5), ("connect4:4x4", PLAIN, 10), ("tictactoe", OPEN_SPIEL, 1000))


class Trained(NamedTuple):
    """One training, and the CPU time that it took."""

    games: int
    seconds: float
    losses: int | None = None  # None: not counted


Train = Callable[[int, int], Trained]  # so many games, from that seed


@dataclass
class Match:
    """One learner of ours against the ways to do the same elsewhere, round by round."""

    game: str
    learner: str
    against: str
    peer: str
    ways: dict[str, tuple[Train, int]]  # by name, ours first: how to train, and for how many games
    trained: dict[str, list[Trained]] = field(default_factory=dict)


def train_ours(game: str, learner: str, against: str | None, games: int, seed: int) -> Trained:
    """Trains here; the first game compiles what there is to compile."""
    run = train(game, learner, against=against, games=1, seed=seed)
    start = time.process_time()
    run.training.play(games)
    seconds = time.process_time() - start
    return Trained(games, seconds, int(run.training.counts[LOSSES]))


def compile_plain(folder: Path) -> dict[str, Path]:
    """The plain program by its flags; FileNotFoundError where there is no compiler."""
    compiler = shutil.which("g++")
    if compiler is None:
        raise FileNotFoundError("there is no g++ on the path")
    programs = {}
    for number, flags in enumerate(FLAGS):
        programs[flags] = folder / f"plain_td_{number}"
        command = [compiler, "-std=c++17", *flags.split(), "-o", programs[flags], SOURCE]
        subprocess.run(command, check=True, timeout=300)
    return programs


def train_plain(program: Path, game: str, against: str, games: int, seed: int) -> Trained:
    command = [program, GAMES[game], against, str(games), str(seed), "--no-stop"]
    answer = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return Trained(answer["games"], answer["seconds"], answer["losses"])


def train_open_spiel(games: int, seed: int) -> Trained:
    """The loop of OpenSpiel's tic_tac_toe_qlearner.py without its evaluation."""
    import numpy as np
    from open_spiel.python import rl_environment
    from open_spiel.python.algorithms import tabular_qlearner

    np.random.seed(seed)  # noqa: NPY002 (where its learners draw from)
    environment = rl_environment.Environment("tic_tac_toe")
    actions = environment.action_spec()["num_actions"]
    agents = [tabular_qlearner.QLearner(player_id=i, num_actions=actions) for i in range(2)]
    start = time.process_time()
    for _ in range(games):
        step = environment.reset()
        while not step.last():
            agent = agents[step.observations["current_player"]]
            step = environment.step([agent.step(step).action])
        for agent in agents:
            agent.step(step)
    return Trained(games, time.process_time() - start)


def plain_matches(games: list[str], programs: dict[str, Path], number: int) -> list[Match]:
    """Both games, all trainers; ours alone where there is no plain program."""
    matches = []
    for game in games:
        for against in STRATEGIES:
            ways: dict[str, tuple[Train, int]] = {
                OURS: (partial(train_ours, game, "td", against), number)
            }
            for flags, program in programs.items():
                ways[flags] = (partial(train_plain, program, game, against), number)
            matches.append(Match(game, "td", against, PLAIN, ways))
    return matches


def open_spiel_match(number: int, peer_number: int) -> Match:
    """ImportError where OpenSpiel is not installed, InputError where we have no such learner."""
    import open_spiel.python.algorithms.tabular_qlearner  # noqa: F401

    train_ours("tictactoe", "q", None, 1, 0)
    ways: dict[str, tuple[Train, int]] = {
        OURS: (partial(train_ours, "tictactoe", "q", None), number),
        OPEN_SPIEL: (train_open_spiel, peer_number),
    }
    return Match("tictactoe", "q", SELF_PLAY, OPEN_SPIEL, ways)


def compete(matches: list[Match], rounds: int) -> None:
    """All take turns, match by match, in an order that shifts by one each round."""
    for turn in range(rounds):
        for match in matches:
            names = list(match.ways)
            shift = turn % len(names)
            for name in names[shift:] + names[:shift]:
                way, games = match.ways[name]
                match.trained.setdefault(name, []).append(way(games, turn + 1))


def speed(trained: Trained) -> float:
    return trained.games / max(trained.seconds, 1e-6)


def row_of(match: Match) -> dict[str, Any]:
    """Medians over the rounds; a ratio is ours over the fastest of the others in that round."""
    ours, *others = (match.trained[name] for name in match.ways)
    our_speeds = [speed(trained) for trained in ours]
    row: dict[str, Any] = {"game": match.game, "learner": match.learner, "against": match.against}
    row |= {"games": ours[0].games, "games_per_cpu_second": statistics.median(our_speeds)}
    row |= {"losses": mean_losses(ours)}
    if others:
        best = [max(map(speed, trained)) for trained in zip(*others, strict=True)]
        ratios = [ours / theirs for ours, theirs in zip(our_speeds, best, strict=True)]
        row |= {"peer": match.peer, "peer_games_per_cpu_second": statistics.median(best)}
        row |= {"peer_losses": mean_losses(others[0])}
        row |= {"ratio": statistics.median(ratios)}
        row |= {"ratio_lowest": min(ratios), "ratio_highest": max(ratios)}
        row["peer_by_way"] = {
            name: statistics.median(map(speed, match.trained[name]))
            for name in list(match.ways)[1:]
        }
    return row


def mean_losses(trained: list[Trained]) -> float | None:
    counted = [one.losses for one in trained if one.losses is not None]
    return statistics.fmean(counted) if counted else None


def judge(rows: list[dict[str, Any]], games: list[str]) -> list[dict[str, Any]]:
    """Each target of these games, what was measured, and whether that is enough."""
    verdicts = []
    for game, peer, bound in TARGETS:
        if game not in games:
            continue
        those = [row["ratio"] for row in rows if (row["game"], row.get("peer")) == (game, peer)]
        measured = statistics.geometric_mean(those) if those else None
        met = None if measured is None else measured >= bound
        asked = f"at least {bound}x {peer}"
        verdicts.append({"game": game, "target": asked, "measured": measured, "met": met})
    return verdicts


def overall(rows: list[dict[str, Any]]) -> float | None:
    """The geometric mean of all ratios against the plain program."""
    ratios = [row["ratio"] for row in rows if row.get("peer") == PLAIN]
    return statistics.geometric_mean(ratios) if ratios else None


def installed() -> dict[str, str]:
    """The versions of all that took part."""
    versions = {"python": platform.python_version()}
    for package in ("inarow", "numba", "open_spiel"):
        with contextlib.suppress(PackageNotFoundError):
            versions[package] = version(package)
    if compiler := shutil.which("g++"):
        asked = [compiler, "-dumpfullversion"]
        found = subprocess.run(asked, check=False, stdout=subprocess.PIPE, text=True)
        versions["g++"] = found.stdout.strip()
    return versions


def show(result: dict[str, Any]) -> None:
    """Prints all for a person, in 80 columns."""
    versions = ", ".join(f"{name} {number}" for name, number in result["versions"].items())
    print(textwrap.fill(f"{result['rounds']} rounds of {result['games']:,} games; {versions}", 80))
    for line in ["", *result["left_out"]]:
        print(textwrap.fill(line, 80))
    about = "training games per CPU-second, and games lost in training, ours:theirs; "
    print(textwrap.fill(f"{about}{PLAIN} by the faster of {' and '.join(FLAGS)}", 80))
    print(f"{'game, against':<28}{'ours':>11}{'theirs':>11}{'ours is':>8}{'low-high':>10} lost")
    for row in result["rows"]:
        name = f"{row['game']} {row['against']}"
        line = f"{name:<28}{row['games_per_cpu_second']:>11,.0f}"
        lost = [row["losses"], row.get("peer_losses")]
        if "ratio" in row:
            digits = 0 if row["ratio_lowest"] >= 100 else 1
            line += f"{row['peer_games_per_cpu_second']:>11,.0f}{row['ratio']:>7,.{digits}f}x"
            span = f"{row['ratio_lowest']:.{digits}f}-{row['ratio_highest']:.{digits}f}"
            line += f"{span:>10}"
        if row.get("peer") == PLAIN:
            line += f" {lost[0]:.0f}:{lost[1]:.0f}"
        print(line)
    print()
    if result["overall"] is not None:
        print(f"geometric mean of all against {PLAIN}: {result['overall']:.2f}x")
    for target in result["targets"]:
        words = {True: "pass", False: "FALLS SHORT", None: "not measured"}[target["met"]]
        measured = "" if target["measured"] is None else f" ({target['measured']:,.2f})"
        print(f"{target['game']:<15}{target['target']:<42}{words}{measured}")


def main(arguments: list[str] | None = None) -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description="Training games per CPU-second.")
    parser.add_argument("--rounds", type=int, default=5, help="how often all take their turn")
    parser.add_argument("--games", type=int, default=300_000, help="games of a training")
    parser.add_argument("--peer-games", type=int, default=2_000, help="OpenSpiel's games")
    parser.add_argument("--only", nargs="+", choices=GAMES, default=list(GAMES), metavar="GAME")
    parser.add_argument("--quick", action="store_true", help="far too short to measure anything")
    parser.add_argument("--json", action="store_true", help="print for a program")
    options = parser.parse_args(arguments)
    if options.quick:
        options.rounds, options.games, options.peer_games = 1, 2_000, 20
    if min(options.rounds, options.games, options.peer_games) < 1:
        parser.error("take at least 1 round, of at least 1 game")
    games = [name for name in GAMES if name in options.only]
    left_out = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            programs = compile_plain(Path(folder))
        except (OSError, subprocess.SubprocessError) as error:
            programs = {}
            left_out.append(f"{PLAIN}: left out ({error})")
        matches = plain_matches(games, programs, options.games)
        if "tictactoe" in games:
            try:
                matches.append(open_spiel_match(options.games, options.peer_games))
            except (ImportError, InputError) as error:
                left_out.append(f"{OPEN_SPIEL}, Q-learning: left out ({error})")
        compete(matches, options.rounds)
    rows = [row_of(match) for match in matches]
    result = {"rounds": options.rounds, "games": options.games, "versions": installed()}
    result |= {"left_out": left_out, "rows": rows, "overall": overall(rows)}
    result |= {"targets": judge(rows, games)}
    print(json.dumps(result)) if options.json else show(result)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
