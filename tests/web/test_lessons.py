"""Lessons: a page learns and proves what the package does, bit for bit and word for word."""

from __future__ import annotations

import hashlib

import pytest

from inarow.game import game as game_of
from inarow.lab.certificates.certify import certify
from inarow.lab.training.run import Run, continue_training
from inarow.search.check_strategy import Checked
from inarow.web.learning import TRAINERS
from inarow.web.lessons import learning_package, proof_package
from tests.web.node import ask_packages, needs_node

pytestmark = needs_node
GAMES = {"td": [1, 63, 2000], "q": [500, 20_000], "td_lambda": [3000], "sarsa": [1, 19_999]}


def lines_of(certificate):
    """What `inarow certify` says of a player, without its table."""
    said = [f"{certificate.player} in {certificate.game.name}: {certificate.basis.text}"]
    for side in certificate.sides:
        said += [f"As {side}: {certificate.side_text(side)}", *certificate.side_details(side)]
    return [*said, certificate.exploitability_text]


@pytest.mark.parametrize("learner", GAMES)
@pytest.mark.parametrize("seed", [0, 99])
def test_a_page_learns_what_the_package_learns(learner, seed, tmp_path):
    folder = tmp_path / "lesson"
    learning_package("tictactoe", learner).write(folder)
    question = {"kind": "learn", "folder": str(folder), "seed": seed, "games": GAMES[learner]}
    (found,) = ask_packages(tmp_path, [question])
    run = Run("tictactoe", learner, {}, TRAINERS.get(learner), seed)
    continue_training(run, sum(GAMES[learner]))
    values = run.training.arrays[run.learner.array]
    assert found["counts"] == run.training.counts.tolist()
    assert found["digest"] == hashlib.sha256(values.tobytes()).hexdigest()
    assert found["lines"] == lines_of(certify(run.agent))


def test_a_proof_is_checked_as_by_the_package(tmp_path):
    package = proof_package("qubic")
    assert len(package.image) < 40_000
    package.write(tmp_path / "proof")
    (found,) = ask_packages(tmp_path, [{"kind": "prove", "folder": str(tmp_path / "proof")}])
    counted = Checked(6695, 631_451, 176_306, 8_458, 441_079, 5_608)
    assert found == counted.sentences(game_of("qubic"))
