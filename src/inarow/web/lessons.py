"""Packages of pages that show something other than a player: learning, and a proof.

A package of a learner holds the graph of a small game, the state of a run before its first game,
the random streams of the first seeds, and the sentences of certificates. So a page learns what
`inarow train` learns, bit for bit, and says of it what `inarow certify` says.

A package of a proof holds a stored strategy and the checker's compiled code.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from inarow.engine.streams import make_stream
from inarow.game import Game, InputError
from inarow.game import game as game_of
from inarow.graph.certificate import SideProof
from inarow.lab.certificates.certify import GraphCertificate
from inarow.lab.players.policies import STATED, Basis
from inarow.lab.training.run import Run
from inarow.learn.learner import options_of
from inarow.learn.options import SQUARED
from inarow.learn.tabular.table import TabularTraining
from inarow.search.check_strategy import Checked
from inarow.web.describe import describe
from inarow.web.entries import JUDGE, LEARN, PROOF, RULES, Arguments
from inarow.web.learning import STREAMS, TRAINERS, Judge, learning_arguments, run_of
from inarow.web.modules import entries_in, find_module, layout_digest, read_module
from inarow.web.package import Package, View, assemble, views_of_board
from inarow.web.proving import Proof, proof_arguments

SEEDS = 100  # of which the streams come with a package


def module_of(arguments: Arguments, part: str) -> bytes:
    """The module that comes with the package."""
    kind = find_module(layout_digest(arguments, part))
    if kind is None:
        raise InputError("no module comes with the package for this learner")
    return read_module(kind)


def learning_package(game: Game | str, learner: str) -> Package:
    """A learner and a game as a page has them."""
    game = game_of(game)
    description = describe(game)
    run = run_of(game, learner)
    arguments = learning_arguments(run)
    training, judge = run.training, arguments["judge"]
    assert isinstance(training, TabularTraining)
    assert isinstance(judge, Judge)
    streams = [name for name in STREAMS if name in training.arrays]
    seeds = [[make_stream(seed, STREAMS[name]) for name in streams] for seed in range(SEEDS)]
    views: dict[str, View] = {
        **views_of_board(arguments),
        **{name: training.arrays[name] for name in streams},
        "seeds": np.array(seeds, dtype=np.uint64),
        "counts": training.counts,
        "values": judge.table,
        **{name: getattr(judge.graph, name) for name in ("state", "edge_start", "child", "move")},
        **{name: getattr(judge.graph, name) for name in ("first", "second")},
        **{name: getattr(judge, name) for name in ("value", "moves", "policy", "moves_to_loss")},
        **{name: getattr(judge, name) for name in ("met", "mistaken", "chances", "payoff")},
    }
    command = f"inarow train {game.name} {learner}"
    trainer = TRAINERS.get(learner)
    told = {
        "learner": learner,
        "about": run.learner.about(),
        "against": trainer,
        "train": command + (f" --against {trainer}" if trainer else ""),
        "streams": streams,
        "side": getattr(run.learner, "side", "both"),
        "words": certificate_words(game, learner),
        "limit": SQUARED if _falls(run) else 0,  # games, after which a power may have other bits
    }
    parts = (RULES, LEARN, JUDGE)
    return assemble(
        description,
        arguments,
        {part: entries_in(part, arguments) for part in parts},
        {part: module_of(arguments, part) for part in parts},
        views,
        more={"learning": told},
    )


def _falls(run: Run) -> bool:
    """Whether an option of the run falls with the games."""
    return any("*" in str(value) for value in options_of(run.learner).values())


LINE, COUNT, OTHER = "LINE", 1_234_567, 7_654_321
SHARE, NONE = 0.4321, "no move"
SIDE = SideProof(True, None, 0.0, OTHER, COUNT, 0, 0, None, COUNT, 0)


def certificate_words(game: Game, learner: str) -> dict[str, str]:
    """The sentences of `inarow certify` with names for what differs, made by the package itself."""

    def text(side: SideProof, line: int = 0) -> str:
        proof = _certificate(game, learner, side)
        return [proof.side_text("first"), *proof.side_details("first")][line]

    beaten = replace(SIDE, unbeatable=False, refutation=LINE, loss_chance=SHARE)
    wrong = replace(SIDE, mistakes=11, mistakes_met=22, mistake=LINE, thrown_away=33)
    share, count = f"{100 * SHARE:.2f}%", f"{COUNT:,}"
    seldom = text(replace(beaten, loss_chance=0.0))
    exploited = replace(_certificate(game, learner, SIDE), exploitability=SHARE)
    names = {share: "{share}", LINE: "{line}", count: "{count}", f"{OTHER:,}": "{positions}"}
    names |= {"11": "{mistakes}", "22": "{mistakes_met}", "33": "{thrown_away}"}
    words = {
        "title": f"{learner} in {game.name}: {Basis(STATED).text}",
        "unbeatable": text(SIDE),
        "beaten": text(beaten),
        "least": seldom.partition(" beats it in ")[2].removesuffix(" of games."),
        "converts": text(SIDE, 1),
        "throws": text(wrong, 1),
        "gives": text(wrong, 2),
        "mistake": text(wrong, 3),
        "exploitability": exploited.exploitability_text.replace(f"{SHARE:.4f}", "{share}"),
    }
    pattern = re.compile("|".join(map(re.escape, names)))
    return {name: pattern.sub(lambda found: names[found[0]], said) for name, said in words.items()}


def _certificate(game: Game, learner: str, side: SideProof) -> GraphCertificate:
    sides = {"first": side, "second": side}
    return GraphCertificate(game, learner, Basis(STATED), 1, sides, {}, 0.0)


def proof_package(game: Game | str) -> Package:
    """The stored strategy of a game, and what checks it."""
    game = game_of(game)
    arguments = proof_arguments(game)
    proof = arguments["proof"]
    assert isinstance(proof, Proof)
    views: dict[str, View] = {
        **views_of_board(arguments),
        "counts": proof.counts,
        "found": proof.found,
    }
    parts = (RULES, PROOF)
    return assemble(
        describe(game),
        arguments,
        {part: entries_in(part, arguments) for part in parts},
        {part: module_of(arguments, part) for part in parts},
        views,
        more={"proof": {"positions": len(proof.firsts), "words": proof_words(game)}},
    )


def proof_words(game: Game) -> list[str]:
    """The sentences of `inarow book check` with the places of its numbers, from the package."""
    numbers = [1_000_001 + place for place in range(len(Checked._fields))]
    texts = Checked(*numbers).sentences(game)
    for place, number in enumerate(numbers):
        texts = [text.replace(f"{number:,}", f"{{{place}}}") for text in texts]
    return texts
