"""Pairs of TDL agents as a study: seeds and referees, saved on the way, resumed where they stopped.

The paper saves its agents every 1,000,000 games: so do we, as files to play with. Beside, the
study's database keeps how far every pair has come, every few seconds, so that a run that was
stopped goes on there.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from safetensors.numpy import save

from inarow.game import InputError
from inarow.lab.examine_perfect import play_perfect
from inarow.lab.runner import run_study
from inarow.lab.store import Store
from inarow.lab.study import Figure, Study
from inarow.learn.arrays import check_arrays, real
from inarow.learn.learner import options_of
from inarow.learn.ntuple import NTuple
from inarow.learn.saved import read_arrays
from inarow.papers.connect_four_pair import EVALUATED, EVERY, NETWORK, Pair, is_done
from inarow.papers.connect_four_referee import PERFECT
from inarow.papers.results import Report, Results, made_with

GAME = "connect4:6x7"
PART = "tdl"
SAVED = 1_000_000  # games between two files of an agent
REFEREES = (None, "minimax:6", PERFECT)  # of evaluations; None: the other agent, as in the paper
FIRST_SEED = 1


@dataclass(frozen=True)
class Scale:
    """How much is run."""

    seeds: int
    games: int  # at most, where the rule does not end training
    examined: int  # games against perfect play


SCALES = {"quick": Scale(1, 60_000, 20), "paper": Scale(10, 1_000_000, 200)}


class PairWork:
    """A pair in training, from one evaluation to the next."""

    def __init__(self, cell: dict[str, Any], seed: int) -> None:
        self.cell, self.seed = cell, seed
        self.pair = Pair(NTuple(**cell["network"]), cell["game"], seed)
        self.scores = list[float]()
        self.seconds = 0.0  # of CPU time, on this thread

    @classmethod
    def begin(cls, cell: dict[str, Any], seed: int) -> Self:
        """At the start."""
        return cls(cell, seed)

    @classmethod
    def resume(cls, cell: dict[str, Any], seed: int, state: bytes) -> Self:
        """Where it was when `state` was taken."""
        work, arrays = cls(cell, seed), read_arrays(state, "the state")
        scores = len(arrays.get("scores", ()))
        own = {"scores": real((scores,)), "seconds": real((1,), low=0)}
        given = {name: arrays.pop(name) for name in own if name in arrays}
        check_arrays(own, given, own)
        work.pair.restore(arrays)
        work.scores, work.seconds = given["scores"].tolist(), float(given["seconds"][0])
        return work

    def state(self) -> bytes:
        """All that is needed to resume."""
        own = {"scores": np.array(self.scores), "seconds": np.array([self.seconds])}
        return save({**self.pair.arrays, **own})

    @property
    def finished(self) -> bool:
        """Whether the rule holds, or all games that are allowed are played."""
        return self.pair.games >= self.cell["games"] or is_done(self.scores)

    @property
    def share(self) -> float:
        """Of the games that are allowed."""
        return float(self.pair.games / self.cell["games"])

    def advance(self) -> list[Figure]:
        """Trains until the next evaluation; at the end perfect play examines the first agent."""
        before = time.thread_time()
        self.pair.train(self.cell["every"])
        self.scores.append(self.pair.evaluate(EVALUATED, self.cell["referee"]))
        self.seconds += time.thread_time() - before
        if self.pair.games % SAVED == 0:
            self.pair.save(Path(self.cell["saves"]))
        found = {"score": self.scores[-1]}
        if self.finished:
            found |= {"done": is_done(self.scores), "seconds": self.seconds, **self._examine()}
        return [Figure(self.pair.games, name, float(value)) for name, value in found.items()]

    def _examine(self) -> dict[str, int]:
        agent, games = self.pair.agent(), self.cell["examined"]
        tally, mistakes = play_perfect(agent, games, 0, 10_000 + self.seed)
        found = {"wins": tally.wins, "draws": tally.draws, "losses": tally.losses}
        for stones, (asked, wrong) in mistakes.items():
            found[f"asked from {stones}"], found[f"wrong from {stones}"] = asked, wrong
        return found


def definition(scale: Scale, folder: Path) -> Study:
    """The study: a cell for each referee."""
    shared = {
        "game": GAME,
        "network": options_of(NETWORK),
        "every": EVERY,
        "games": scale.games,
        "examined": scale.examined,
    }
    cells = [{**shared, "referee": r, "saves": str(folder / _name(r))} for r in REFEREES]
    work = f"{PairWork.__module__}:{PairWork.__name__}"
    return Study("connect-four tdl", tuple(cells), work)


def _name(referee: str | None) -> str:
    return f"refereed-by-{referee or 'the-other'}".replace(":", "-")


def study(
    folder: Path,
    report: Report,
    scale: str,
    runs: int | None = None,
    workers: int | None = None,
    on: str = "threads",
) -> Results:
    """Runs the pairs, or what is missing of them, and reads what was found."""
    wanted = SCALES[scale]
    agents, path = folder / "connect-four-tdl-agents", folder / f"connect-four-tdl-{scale}.db"
    made = definition(wanted, agents)
    try:
        for cell in made.cells:
            Path(cell["saves"]).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write {error.filename}: {error.strerror}") from None
    seeds = runs or wanted.seeds
    run_study(made, path, seeds, workers, on, lambda share: report("pairs", share), seed=FIRST_SEED)
    with Store.open(path) as store:
        rows = read_rows(store, range(FIRST_SEED, FIRST_SEED + seeds))
    facts = {"most games": wanted.games, "games against perfect play": wanted.examined}
    return Results("connect-four", PART, scale, rows, facts, made_with(), runs)


def read_rows(store: Store, seeds: range) -> list[dict[str, Any]]:
    """A row for each pair."""
    found: dict[tuple[int, int], dict[str, list[Figure]]] = {}
    for key, figure in store.figures():
        if key.seed in seeds:
            found.setdefault(key, {}).setdefault(figure.metric, []).append(figure)
    cells = store.cells()
    return [
        {"referee": cells[cell]["referee"], "seed": seed, **_row(found[cell, seed])}
        for cell, seed in sorted(found)
    ]


def _row(figures: Mapping[str, list[Figure]]) -> dict[str, Any]:
    last = {metric: points[-1].value for metric, points in figures.items()}
    stones = sorted(int(name.split()[-1]) for name in last if name.startswith("asked"))
    return {
        "games": figures["score"][-1].games,
        "scores": [point.value for point in figures["score"]],
        "done": bool(last["done"]),
        "seconds": last["seconds"],
        "perfect": {name: int(last[name]) for name in ("wins", "draws", "losses")},
        "mistakes": {
            str(n): [int(last[f"asked from {n}"]), int(last[f"wrong from {n}"])] for n in stones
        },
    }
